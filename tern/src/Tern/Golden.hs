{-# LANGUAGE OverloadedStrings #-}

-- | What a type's values look like on the wire, kept in a file that is checked in, so that
-- nobody changes it unknowingly.
--
-- The idea: a file has the type's shape and some of its values in every format, as text, so
-- that a change shows in a review. A test holds the type against the file; with
-- @TERN_ACCEPT=1@ in the environment it writes the file anew instead.
module Tern.Golden
  ( golden,
    goldenWith,
    wireForm,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Numeric (showHex)
import System.Directory (doesFileExist)
import System.Environment (lookupEnv)
import Tern.Cbor (encodeCbor)
import Tern.File (writeWhole)
import Tern.Json (encodeJsonText)
import Tern.MessagePack (encodeMessagePack)
import Tern.Native (encodeNative)
import Tern.Shape (fingerprint, renderShape)
import Tern.Wire (Wire, shapeOf)

-- | Hold some values of a type against a file: what is different, in words, or nothing. Where
-- the variable @TERN_ACCEPT@ is set to 1 the file is written, whole or not at all, and nothing is
-- different.
--
-- > golden "test/golden/bird.txt" [Bird "tern" Nothing]
-- >   >>= maybe (pure ()) (assertFailure . T.unpack)
golden :: (Wire a) => FilePath -> [a] -> IO (Maybe Text)
golden path values = do
  accept <- lookupEnv "TERN_ACCEPT"
  goldenWith (accept == Just "1") path values

-- | The same, with whether the file is to be written.
goldenWith :: (Wire a) => Bool -> FilePath -> [a] -> IO (Maybe Text)
goldenWith accept path values
  | accept = Nothing <$ writeWhole path (BL.fromStrict (T.encodeUtf8 now))
  | otherwise =
      doesFileExist path >>= \case
        True -> different . T.decodeUtf8Lenient <$> B.readFile path
        False -> pure (Just (T.concat [T.pack path, " is not there; ", how]))
  where
    now = wireForm values
    how = "TERN_ACCEPT=1 writes it"
    different before
      | before == now = Nothing
      | otherwise =
          Just . T.concat $ case [ (i, a, b)
                                   | (i, a, b) <-
                                       zip3 [1 :: Int ..] (padded before) (padded now),
                                     a /= b
                                 ] of
            (i, a, b) : _ ->
              [ T.pack
                  path,
                ", line ",
                T.pack (show i),
                ": expected\n",
                a,
                "\nfound\n",
                b,
                "\n",
                how
              ]
            [] -> [T.pack path, " has other line ends; ", how]
      where
        padded text =
          take (max (length (T.lines before)) (length (T.lines now))) (T.lines text <> repeat "")

-- | The text of such a file.
wireForm :: forall a. (Wire a) => [a] -> Text
wireForm values =
  T.unlines $
    ["shape"]
      <> map ("  " <>) (T.lines (renderShape (shapeOf @a)))
      <> ["fingerprint", "  " <> T.pack (showHex (fingerprint (shapeOf @a)) "")]
      <> concat
        [ [ "value",
            "  JSON         "
              <> encodeJsonText value,
            "  MessagePack  " <> hex (encodeMessagePack value),
            "  CBOR         " <> hex (encodeCbor value),
            "  native       " <> hex (encodeNative value)
          ]
          | value <-
              values
        ]

hex :: ByteString -> Text
hex = T.pack . concatMap (\b -> drop 1 (showHex (0x100 + fromEnum b) "")) . B.unpack
