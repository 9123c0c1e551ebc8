{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import qualified Data.ByteString as B
import Data.Maybe (mapMaybe)
import qualified Data.Text as T
import qualified Data.Text.Encoding as E
import Irc.Identifier
import Irc.Message
import Irc.RawIrcMsg
import Irc.UserInfo

-- | What a server sends, with the tags of today.
wire :: Int -> T.Text
wire n =
  T.concat
    [ "@time=2024-05-0",
      number (1 + n `mod` 9),
      "T12:00:00.000Z;msgid=",
      number n,
      ";account=user",
      number (n `mod` 50),
      ";+draft/note=a\\sfew\\swords\\:\\sno ",
      ":nick",
      number (n `mod` 50),
      "!~user@host",
      number (n `mod` 300),
      ".example.org ",
      case n `mod` 5 of
        0 -> T.concat ["JOIN #room", number (n `mod` 20)]
        1 -> T.concat ["MODE #room", number (n `mod` 20), " +ov nick1 nick2"]
        2 -> T.concat [":nick9 PRIVMSG #room", number (n `mod` 20), " :\SOHACTION waves at everyone\SOH"]
        _ -> T.concat ["PRIVMSG #room", number (n `mod` 20), " :well, what is it that ", number n, " wants to say of this?"]
    ]
  where
    number = T.pack . show

main :: IO ()
main = do
  let raws = mapMaybe (parseRawIrcMsg . asUtf8 . E.encodeUtf8 . wire) [1 .. 25000]
      messages = map cookIrcMsg raws
      again = map renderRawIrcMsg raws
      talk = [T.length (idText (userNick (srcUser who))) + T.length text | Privmsg who _ text <- messages]
      joined = length [() | Join {} <- messages]
  print (length raws, sum (map B.length again))
  print (sum talk, joined)
  B.putStr (head again)
