{-# OPTIONS_GHC -O1 -fmax-simplifier-iterations=4 #-}

-- | What a call is seen to do, as text that two tiers can be compared by: the bits
-- of its results, or its error with the whole trace; and a memory as a number. Optimised
-- whatever the rest of the suite is: memories are large, and many are looked at.
module Tern.Wasm.Observed
  ( observed,
    bits,
    digest,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word64)
import GHC.Float (castDoubleToWord64, castFloatToWord32)
import Tern.Wasm

observed :: Either Error [Value] -> Text
observed = \case
  Right values -> T.unwords (map bits values)
  Left e -> T.intercalate (T.pack " / ") (renderError e : map renderPlace (errorTrace e))

-- | References are not told apart: their bits are addresses.
bits :: Value -> Text
bits = \case
  I32Value n -> shown "i32" n
  I64Value n -> shown "i64" n
  F32Value x -> shown "f32" (castFloatToWord32 x)
  F64Value x -> shown "f64" (castDoubleToWord64 x)
  V128Value low high -> shown "v128" (low, high)
  FuncValue f -> T.pack ("func" <> maybe " null" (const "") f)
  ExternValue n -> shown "extern" n
  HostValue n -> shown "any" n
  RefValue h _ _ -> renderHeap h
  NullValue h -> T.pack "null " <> renderHeap h
  where
    shown kind n = T.pack (kind <> " " <> show n)

-- | A number made of all bytes and the number to begin with.
digest :: Word64 -> ByteString -> Word64
digest = B.foldl' (\h w -> 31 * h + fromIntegral w)
