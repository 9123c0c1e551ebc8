-- | The simple values of CBOR that have no name: 0 to 19 and 32 to 255.
--
-- The idea: one that cannot be written does not exist. The numbers from 20 to 23
-- are false, true, null and undefined, and those from 24 to 31 are reserved (RFC
-- 8949, section 3.3).
module Tern.Internal.Cbor.Simple
  ( Simple,
    simple,
    simpleNumber,
  )
where

import Data.Word (Word8)

-- | A simple value, by its number.
newtype Simple = MakeSimple Word8
  deriving newtype (Eq, Ord)

instance Show Simple where
  showsPrec d (MakeSimple n) = showParen (d > 10) (showString "simple " . shows n)

-- | From the number, unless it is one from 20 to 31.
--
-- >>> map simple [19, 20, 31, 32]
-- [Just (simple 19),Nothing,Nothing,Just (simple 32)]
simple :: Word8 -> Maybe Simple
simple n
  | n < 20 || n > 31 = Just (MakeSimple n)
  | otherwise = Nothing

-- | 0 to 19 or 32 to 255.
simpleNumber :: Simple -> Word8
simpleNumber (MakeSimple n) = n
