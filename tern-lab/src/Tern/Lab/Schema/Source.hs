{-# LANGUAGE OverloadedStrings #-}

-- | Where a schema comes from: a container that was written with it, or a file in
-- which it was saved.
--
-- The idea: the first bytes say which of the two it is, and of a container no more than
-- the header is read.
module Tern.Lab.Schema.Source
  ( schemaOf,
  )
where

import Control.Monad.Trans.Except (ExceptT, throwE)
import Data.Bifunctor (first)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import System.IO (Handle, IOMode (..), withBinaryFile)
import Tern.Container
  ( Damage (..),
    Fault (..),
    Header (..),
    defaultBounds,
    readSchema,
    readSchemaText,
    renderFault,
    renderSchemaFault,
  )
import Tern.Error (Error (..), renderReason)
import Tern.Internal.Container.Frames (Frame (..), frames, nextFrame)
import Tern.Lab.Complaint (Complaint (..), readingFile)
import Tern.Limits (defaultLimits)
import Tern.Shape (Shape, fingerprint)

-- | The schema of a file, which may be a pipe. The complaint says where in the file it
-- is not what was expected.
schemaOf :: FilePath -> ExceptT Complaint IO Shape
schemaOf path = do
  found <-
    readingFile path "a container or a saved schema" . withBinaryFile path ReadMode $ \h -> do
      start <- B.hGet h (B.length savedAs)
      case start of
        "" -> pure (Left nothing)
        _
          | start == savedAs -> saved . (start <>) <$> B.hGet h mostText
          -- The first byte of the magic: what is short is not said to be cut off.
          | B.take 1 start /= "\x89" -> pure (Left neither)
          | otherwise -> (>>= inHeader) <$> header h start
  either (throwE . DataComplaint . ((path <> ": ") <>) . T.unpack) pure found

saved :: ByteString -> Either Text Shape
saved text
  | B.length text > mostText =
      Left "a saved schema of more than 16 MiB; expected one that tern-lab schema save wrote"
  | otherwise = first renderSchemaFault (readSchemaText defaultLimits text)

-- | The header, of which the first bytes have been read.
header :: Handle -> ByteString -> IO (Either Text Header)
header h start = go (Just start) (frames defaultBounds)
  where
    go before f = case nextFrame f of
      Opened found _ -> pure (Right found)
      Broken (Fault _ _ _ NoContainer) _ -> pure (Left neither)
      Broken fault _ -> pure (Left (renderFault fault))
      Lacking feed -> maybe (B.hGetSome h 4096) pure before >>= go Nothing . feed
      _ -> pure (Left (renderFault (Fault 0 0 0 HeaderDamaged)))

inHeader :: Header -> Either Text Shape
inHeader Header {..} = case readSchema defaultLimits headerSchema of
  Left (Error offset _ reason) ->
    Left (T.concat ["byte ", number offset, " of the schema in its header: ", renderReason reason])
  Right shape
    | fingerprint shape /= headerFingerprint ->
        Left "byte 24: the fingerprint in the header is not that of its schema"
    | otherwise -> Right shape
  where
    number = T.pack . show

savedAs :: ByteString
savedAs = "Tern schema "

-- | A saved schema is read as a whole, a container's header as far as it goes.
mostText :: Int
mostText = 16 * 1024 * 1024

nothing, neither :: Text
nothing = "it is empty; expected a container or a saved schema"
neither =
  "line 1: neither a container nor a saved schema; expected a file of writeContainerFile or of \
  \tern-lab schema save"
