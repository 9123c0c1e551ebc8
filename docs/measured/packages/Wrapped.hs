module Main (main) where

import qualified Data.Text as T
import Text.Wrap

-- | Messages of a chat, as they come.
message :: Int -> T.Text
message n = T.unlines (map paragraph [1 .. 1 + n `mod` 4])
  where
    paragraph i = T.pack (replicate (i `mod` 3) ' ') <> T.unwords (map word [1 .. 20 + (n * i) `mod` 60])
    word k = T.replicate (1 + (n + k * 7) `mod` 9) (T.pack ["etaoinshrdlu" !! ((n + k) `mod` 12)])

main :: IO ()
main = do
  let messages = map message [1 .. 2500]
      plain = map (wrapTextToLines defaultWrapSettings 60) messages
      indented = map (wrapText defaultWrapSettings {preserveIndentation = True, breakLongWords = True, fillStrategy = FillPrefix (T.pack "> ")} 24) messages
  print (sum (map length plain), sum (map T.length indented))
  putStrLn (T.unpack (T.unlines (plain !! 7)))
