{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UnboxedTuples #-}
{-# OPTIONS_GHC -fplugin=Test.Inspection.Plugin #-}

-- | What the compiler makes of neighbouring writes.
module Tern.Inspect.Runs (tests) where

import GHC.Exts
import GHC.Word (Word64 (..), Word8 (..))
import Tern.Inspect.Result (inspected)
import Tern.Internal.Write (Write, bounded, byte, toFill)
import Tern.Prim.Buffer (Fill, ensuring)
import Test.Inspection
import Test.Tasty

-- | Three writes of known bounds.
together :: Word8 -> Word64 -> Word8 -> Fill
together (W8# a) (W64# b) (W8# c) mba op s =
  toFill (byte (W8# a) <> eight (W64# b) <> byte (W8# c)) mba op s

eight :: Word64 -> Write
eight (W64# w) =
  bounded 8 (\op s -> case writeWord64OffAddr# op 0# w s of s1 -> (# s1, plusAddr# op 8# #))
{-# INLINE eight #-}

-- | The same by hand: one question for room, and stores.
byHand :: Word8 -> Word64 -> Word8 -> Fill
byHand (W8# a) (W64# b) (W8# c) mba op s = ensuring 10# stores mba op s
  where
    stores :: Fill
    stores mba1 op1 s1 = case writeWord8OffAddr# op1 0# a s1 of
      s2 ->
        let !op2 = plusAddr# op1 1#
         in case writeWord64OffAddr# op2 0# b s2 of
              s3 ->
                let !op3 = plusAddr# op2 8#
                 in case writeWord8OffAddr# op3 0# c s3 of
                      s4 -> (# s4, mba1, plusAddr# op3 1# #)

tests :: [TestTree]
tests = [inspected "one bounds check a bounded run" $(inspectTest ('together ==- 'byHand))]
