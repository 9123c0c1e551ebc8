-- | Aeson's functions by their names, for types with Tern's instance: change the import
-- of a module, and it calls Tern.
--
-- > import Tern.Aeson.DropIn (decode, eitherDecode, encode)
--
-- What differs: a document that is nested more than 512 levels deep, and what else
-- "Tern.Limits" bounds, is refused; messages are Tern's, with line, column and path; the
-- functions with a prime are the same as those without, since what is read is evaluated;
-- a double is written in the fewest characters, as 0.01, not 1.0e-2; and files are written
-- whole or not at all.
module Tern.Aeson.DropIn
  ( -- * Decoding
    decode,
    decode',
    decodeStrict,
    decodeStrict',
    decodeStrictText,
    decodeFileStrict,
    decodeFileStrict',
    eitherDecode,
    eitherDecode',
    eitherDecodeStrict,
    eitherDecodeStrict',
    eitherDecodeStrictText,
    eitherDecodeFileStrict,
    eitherDecodeFileStrict',
    throwDecode,
    throwDecode',
    throwDecodeStrict,
    throwDecodeStrict',
    throwDecodeStrictText,
    Undecodable (..),

    -- * Encoding
    encode,
    encodeFile,
  )
where

import Control.Exception (Exception (..))
import Control.Monad.Catch (MonadThrow (..))
import Data.Bifunctor (first)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Tern (Wire, decodeJson, encodeJsonLazy, renderError)
import Tern.File (writeWhole)

-- $setup
-- >>> :set -XOverloadedStrings

-- * Decoding

-- | The value that a document stands for.
--
-- >>> decode "[1, 2]" :: Maybe [Int]
-- Just [1,2]
decode :: (Wire a) => BL.ByteString -> Maybe a
decode = decodeStrict . BL.toStrict
{-# INLINE decode #-}

-- | As 'decode'.
decode' :: (Wire a) => BL.ByteString -> Maybe a
decode' = decode
{-# INLINE decode' #-}

-- | As 'decode', from one string.
decodeStrict :: (Wire a) => B.ByteString -> Maybe a
decodeStrict = either (const Nothing) Just . decodeJson
{-# INLINE decodeStrict #-}

-- | As 'decodeStrict'.
decodeStrict' :: (Wire a) => B.ByteString -> Maybe a
decodeStrict' = decodeStrict
{-# INLINE decodeStrict' #-}

-- | As 'decode', from text.
decodeStrictText :: (Wire a) => Text -> Maybe a
decodeStrictText = decodeStrict . T.encodeUtf8
{-# INLINE decodeStrictText #-}

-- | As 'decode', from a file.
decodeFileStrict :: (Wire a) => FilePath -> IO (Maybe a)
decodeFileStrict path = decodeStrict <$> B.readFile path
{-# INLINE decodeFileStrict #-}

-- | As 'decodeFileStrict'.
decodeFileStrict' :: (Wire a) => FilePath -> IO (Maybe a)
decodeFileStrict' = decodeFileStrict
{-# INLINE decodeFileStrict' #-}

-- | As 'decode', with what is wrong, and where.
--
-- >>> eitherDecode "[1, true]" :: Either String [Int]
-- Left "line 1, column 5, at $[1]: expected an integer, found \"true]\""
eitherDecode :: (Wire a) => BL.ByteString -> Either String a
eitherDecode = eitherDecodeStrict . BL.toStrict
{-# INLINE eitherDecode #-}

-- | As 'eitherDecode'.
eitherDecode' :: (Wire a) => BL.ByteString -> Either String a
eitherDecode' = eitherDecode
{-# INLINE eitherDecode' #-}

-- | As 'eitherDecode', from one string.
eitherDecodeStrict :: (Wire a) => B.ByteString -> Either String a
eitherDecodeStrict input = first (T.unpack . renderError input) (decodeJson input)
{-# INLINE eitherDecodeStrict #-}

-- | As 'eitherDecodeStrict'.
eitherDecodeStrict' :: (Wire a) => B.ByteString -> Either String a
eitherDecodeStrict' = eitherDecodeStrict
{-# INLINE eitherDecodeStrict' #-}

-- | As 'eitherDecode', from text.
eitherDecodeStrictText :: (Wire a) => Text -> Either String a
eitherDecodeStrictText = eitherDecodeStrict . T.encodeUtf8
{-# INLINE eitherDecodeStrictText #-}

-- | As 'eitherDecode', from a file.
eitherDecodeFileStrict :: (Wire a) => FilePath -> IO (Either String a)
eitherDecodeFileStrict path = eitherDecodeStrict <$> B.readFile path
{-# INLINE eitherDecodeFileStrict #-}

-- | As 'eitherDecodeFileStrict'.
eitherDecodeFileStrict' :: (Wire a) => FilePath -> IO (Either String a)
eitherDecodeFileStrict' = eitherDecodeFileStrict
{-# INLINE eitherDecodeFileStrict' #-}

-- | A document that does not decode: what is wrong, in words.
newtype Undecodable = Undecodable String
  deriving stock (Eq, Show)

instance Exception Undecodable where
  displayException (Undecodable message) = message

-- | As 'eitherDecode', with an exception, 'Undecodable'.
throwDecode :: (Wire a, MonadThrow m) => BL.ByteString -> m a
throwDecode = throwDecodeStrict . BL.toStrict
{-# INLINE throwDecode #-}

-- | As 'throwDecode'.
throwDecode' :: (Wire a, MonadThrow m) => BL.ByteString -> m a
throwDecode' = throwDecode
{-# INLINE throwDecode' #-}

-- | As 'throwDecode', from one string.
throwDecodeStrict :: (Wire a, MonadThrow m) => B.ByteString -> m a
throwDecodeStrict = either (throwM . Undecodable) pure . eitherDecodeStrict
{-# INLINE throwDecodeStrict #-}

-- | As 'throwDecodeStrict'.
throwDecodeStrict' :: (Wire a, MonadThrow m) => B.ByteString -> m a
throwDecodeStrict' = throwDecodeStrict
{-# INLINE throwDecodeStrict' #-}

-- | As 'throwDecode', from text.
throwDecodeStrictText :: (Wire a, MonadThrow m) => Text -> m a
throwDecodeStrictText = throwDecodeStrict . T.encodeUtf8
{-# INLINE throwDecodeStrictText #-}

-- * Encoding

-- | A value as a compact document.
--
-- >>> encode [True]
-- "[true]"
encode :: (Wire a) => a -> BL.ByteString
encode = encodeJsonLazy
{-# INLINE encode #-}

-- | A value as a file, which is there whole or stays as it was, by the rules of "Tern.File".
encodeFile :: (Wire a) => FilePath -> a -> IO ()
encodeFile path = writeWhole path . encodeJsonLazy
