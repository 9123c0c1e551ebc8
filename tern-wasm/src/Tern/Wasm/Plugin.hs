{-# LANGUAGE OverloadedStrings #-}

-- | Plug-ins: modules whose functions take and give bytes through linear memory.
--
-- The idea: a plug-in exports its memory, a function @tern_alloc@ that finds room
-- for the number of bytes it is given, and functions from the address and the length
-- of a message to those of its answer, packed in one i64 (the address in the upper
-- half). What the bytes mean is a 'Codec', a pair of functions: JSON, MessagePack or
-- anything else.
--
-- In C:
--
-- > unsigned tern_alloc(unsigned bytes);
-- > unsigned long long count(unsigned at, unsigned bytes);   // answer
--
-- A codec for MessagePack is one line with the package @tern@, for types that derive
-- its class:
--
-- > Codec encodeMessagePack (\bytes -> first (renderBinaryError bytes) (decodeMessagePack bytes))
--
-- Every length and address that the plug-in gives is checked. Start at 'plugin' and
-- 'ask'.
module Tern.Wasm.Plugin
  ( Plugin,
    plugin,
    PluginError (..),
    renderPluginError,

    -- * Bytes
    askBytes,

    -- * Values
    Codec (..),
    ask,
  )
where

import Data.Bits (shiftR, (.&.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word32, Word64)
import Tern.Wasm
  ( Error,
    Extern (..),
    Instance,
    Memory,
    exportFunction,
    exportNamed,
    readMemory,
    renderError,
    renderForeign,
    writeMemory,
  )

-- | An instance that exports what a plug-in must.
data Plugin = Plugin !Instance !Memory !(Word32 -> IO (Either Error Word32))

-- | Why a call of a plug-in gave no value.
data PluginError
  = -- | The call did not return, or the instance is no plug-in.
    PluginFailed !Error
  | -- | There is no memory called @memory@.
    NoMemory
  | -- | An address and a length that are not in the memory.
    OutOfMemory !Word64 !Word64
  | -- | The answer is not what was expected, by the codec's own words.
    BadAnswer !Text

-- | The error in one line.
renderPluginError :: PluginError -> Text
renderPluginError = \case
  PluginFailed e -> renderError e
  NoMemory -> "the plug-in exports no memory called \"memory\""
  OutOfMemory at n ->
    T.concat
      [ "the plug-in spoke of ",
        shown n,
        " bytes at address ",
        shown at,
        ", which its memory does not have"
      ]
  BadAnswer text -> "the plug-in's answer: " <> renderForeign 400 text
  where
    shown = T.pack . show

-- | Find the exports that every plug-in has.
plugin :: Instance -> Either PluginError Plugin
plugin i = case exportNamed i "memory" of
  Just (ExternMemory m) ->
    either (Left . PluginFailed) (Right . Plugin i m) (exportFunction i "tern_alloc")
  _ -> Left NoMemory

-- | Send bytes to a function and copy its answer. Linear in both.
askBytes :: Plugin -> Text -> ByteString -> IO (Either PluginError ByteString)
askBytes (Plugin i m alloc) name message
  | B.length message > 0xFFFFFFFF = pure (Left (OutOfMemory 0 size))
  | otherwise =
      case exportFunction i name :: Either Error (Word32 -> Word32 -> IO (Either Error Word64)) of
        Left e -> pure (Left (PluginFailed e))
        Right f ->
          alloc (fromIntegral size) >>= \case
            Left e -> pure (Left (PluginFailed e))
            Right at -> do
              written <- writeMemory m (fromIntegral at) message
              if written
                then f at (fromIntegral size) >>= either (pure . Left . PluginFailed) answer
                else pure (Left (OutOfMemory (fromIntegral at) size))
  where
    size = fromIntegral (B.length message) :: Word64
    answer packed = do
      let at = packed `shiftR` 32
          n = packed .&. 0xFFFFFFFF
      maybe (Left (OutOfMemory at n)) Right <$> readMemory m (fromIntegral at) (fromIntegral n)

-- | How values become bytes and what bytes mean, or why they mean nothing.
data Codec a b = Codec
  { codecEncode :: a -> ByteString,
    codecDecode :: ByteString -> Either Text b
  }

-- | Send a value to a function and read its answer.
ask :: Codec a b -> Plugin -> Text -> a -> IO (Either PluginError b)
ask codec p name a =
  (>>= either (Left . BadAnswer) Right . codecDecode codec)
    <$> askBytes p name (codecEncode codec a)
