{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | A piece of JSON that is copied, not parsed: what a program hands on, or has in a
-- cache.
--
-- The idea: a 'Raw' is one value's bytes, checked once, when it is made or read. To
-- write it is a copy, and to read it is to step over it. Nothing else makes one, so
-- that a document with raw pieces is a document.
module Tern.Internal.Json.Raw
  ( Raw,
    raw,
    rawBytes,
    rawValue,
    rawOf,

    -- * Codecs
    rawW,
    rawR,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import GHC.Exts (Int (..), minusAddr#, plusAddr#)
import Tern.Error (Error)
import Tern.Internal.Json.Document (decodeWith, encodeWith)
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Read (Reader (..))
import Tern.Internal.Write (Writer (..))
import Tern.Limits (Limits, unlimited)
import Tern.Prim.BigEndian (copyIn, copyOut)
import Tern.Prim.Buffer (ensure)
import Tern.Value (Value (Null), valueR, valueW)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Tern.Error (Error)
-- >>> import Tern.Limits (defaultLimits)
-- >>> import Tern.Json (decodeJson, encodeJson)

-- | The bytes of one JSON value, without white space around it. Equal where the
-- bytes are.
--
-- >>> decodeJson "[ {\"a\" :1.50} ,2]" :: Either Error [Raw]
-- Right ["{\"a\" :1.50}","2"]
-- >>> encodeJson <$> raw defaultLimits "[1, 2]"
-- Right "[1, 2]"
newtype Raw = Raw ByteString
  deriving newtype (Eq, Ord, Show)

-- | A piece that is a whole JSON document. Linear in its length.
--
-- >>> raw defaultLimits " [1, 2] "
-- Right "[1, 2]"
raw :: Limits -> ByteString -> Either Error Raw
raw = decodeWith rawR

-- | The bytes as they stand.
rawBytes :: Raw -> ByteString
rawBytes (Raw bytes) = bytes

-- | What the piece says.
rawValue :: Raw -> Value
rawValue (Raw bytes) = case decodeWith valueR unlimited bytes of
  Right value -> value
  -- Never met: what was stepped over can be read. Proof: test "what is stepped over is a value".
  Left _ -> Null

-- | The compact document of a value.
rawOf :: Value -> Raw
rawOf = Raw . encodeWith valueW

-- | A copy of the bytes.
rawW :: Writer Raw
rawW = FillWriter $ \(Raw bytes) mba op s -> case B.length bytes of
  I# n -> case ensure n mba op s of
    (# s1, mba1, op1 #) -> case copyOut bytes op1 s1 of s2 -> (# s2, mba1, plusAddr# op1 n #)

-- | Any value: its bytes, checked and copied.
rawR :: Reader Raw
rawR = Reader $ \ctx e c0 s ->
  let !c = Json.skipSpace e c0
   in case Json.skip ctx e c s of
        (# s1, c1, () #) -> case copyIn c (minusAddr# c1 c) s1 of
          (# s2, bytes #) -> (# s2, c1, Raw bytes #)
