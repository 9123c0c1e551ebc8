{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | How Haskell's own types are written and read as JSON: codecs as values.
--
-- Every name stands for two things of the same name and place, a writer
-- (@intW@) and a reader (@intR@); instances of 'Tern.Wire.Wire' are lines of a
-- table that names them, and codecs by hand use the same ones.
--
-- INLINE where a codec is a thin shell around a call: the shell unpacks what
-- the call gets and returns, so that a strict field is never boxed. Proof: the
-- allocation ceilings of the records.
module Tern.Json.Codec
  ( intW,
    intR,
    boolW,
    boolR,
    textW,
    textR,
  )
where

import Data.Text (Text)
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import GHC.Exts
import Tern.Error
import Tern.Json.Read qualified as Json
import Tern.Json.Text (pokeText)
import Tern.Prim.Decimal qualified as Decimal
import Tern.Read
import Tern.Write

-- | An integer of a machine word.
intW :: Writer Int
intW = BoundedWriter Decimal.intBound (\(I# i) -> Decimal.pokeInt i)
{-# INLINE intW #-}

intR :: Reader Int
intR = Reader $ \ctx e c s -> case Decimal.readInt e c of
  (# c1, i #) -> case eqAddr# c1 nullAddr# of
    1# -> slowInt ctx e c s
    _ -> (# s, c1, I# i #)
{-# INLINE intR #-}

slowInt :: Step Int
slowInt _ e c0 s =
  let !c = Json.skipSpace e c0
   in case Decimal.readInt e c of
        (# c1, i #) -> case eqAddr# c1 nullAddr# of
          1# -> Json.failExpected AnInteger e c s
          _ -> (# s, c1, I# i #)
{-# NOINLINE slowInt #-}

-- | @true@ or @false@. NOINLINE poke: a branch inside a record's run would
-- double what follows it.
boolW :: Writer Bool
boolW = BoundedWriter 5 (\b -> pokeBool b)
{-# INLINE boolW #-}

pokeBool :: Bool -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)
pokeBool b op s = case b of
  True -> case writeWord32OffAddr# op 0# (wordToWord32# 0x65757274##) s of s1 -> (# s1, plusAddr# op 4# #)
  False -> case writeWord32OffAddr# op 0# (wordToWord32# 0x736c6166##) s of
    s1 -> case writeWord8OffAddr# op 4# (wordToWord8# 101##) s1 of s2 -> (# s2, plusAddr# op 5# #)
{-# NOINLINE pokeBool #-}

boolR :: Reader Bool
boolR = Reader Json.bool
{-# INLINE boolR #-}

-- | A string.
textW :: Writer Text
textW = FillWriter (\(Text (TA.ByteArray array) (I# off) (I# n)) -> pokeText array off n)
{-# INLINE textW #-}

textR :: Reader Text
textR = Reader Json.text
{-# INLINE textR #-}
