{-# LANGUAGE UnboxedTuples #-}

-- | One declaration gives a type its wire formats, at the speed of code written
-- by hand.
module Tern
  ( -- * Types with wire formats
    Wire (..),

    -- * JSON
    encodeJson,
    decodeJson,

    -- * Errors
    Error (..),
    Reason (..),
    Segment (..),
    renderError,
  )
where

import Data.ByteString (ByteString)
import Tern.Error
import Tern.Json.Read qualified as Json
import Tern.Limits
import Tern.Read
import Tern.Wire
import Tern.Write

-- | A value as compact JSON.
encodeJson :: (Wire a) => a -> ByteString
encodeJson = runWriter jsonW
{-# INLINE encodeJson #-}

-- | The value that a whole document stands for.
decodeJson :: (Wire a) => ByteString -> Either Error a
decodeJson input = runReader defaultLimits (\offset -> Error offset []) whole input
  where
    whole = case jsonR of
      Reader step -> Reader $ \ctx e c s -> case step ctx e c s of
        (# s1, c1, a #) -> case Json.end e c1 s1 of
          (# s2, c2, () #) -> (# s2, c2, a #)
{-# INLINE decodeJson #-}
