{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Powers of ten as 128-bit significands, for reading and writing
-- floating-point numbers.
--
-- The table is computed when the package is compiled and lies in the program's
-- read-only data.
module Tern.Prim.PowersOfTen
  ( power,
    exact,
    lowest,
    highest,
    floorLog2,
  )
where

import GHC.Exts
import Language.Haskell.TH (Exp (LitE), Lit (StringPrimL))
import Tern.Prim.PowersOfTen.Build (exactBytes, highest, lowest, tableBytes)

-- | The high and the low word of the greatest 128-bit number that is not above
-- @10^k * 2^(127 - floorLog2 k)@. @k@ lies between 'lowest' and 'highest'.
power :: Int# -> (# Word64#, Word64# #)
power k = case table of
  Ptr t ->
    let !(I# low) = lowest
        !i = (k -# low) *# 2#
     in (# indexWord64OffAddr# t i, indexWord64OffAddr# t (i +# 1#) #)
{-# INLINE power #-}

-- | @floor (log2 (10^k))@, for @k@ between -1,233 and 1,233.
floorLog2 :: Int# -> Int#
floorLog2 k = (k *# 1741647#) `uncheckedIShiftRA#` 19#
{-# INLINE floorLog2 #-}

table :: Ptr ()
table = Ptr $(pure (LitE (StringPrimL tableBytes)))

-- | 10^0 to 10^22 as doubles, which hold them exactly.
exact :: Ptr Double
exact = Ptr $(pure (LitE (StringPrimL exactBytes)))
