-- | A point in time as MessagePack has it: extension type -1.
--
-- The idea: a time that cannot be written does not exist. The constructor is
-- hidden, and nanoseconds stay below a second.
module Tern.Internal.MessagePack.Timestamp
  ( Timestamp,
    timestamp,
    seconds,
    nanoseconds,
  )
where

import Data.Int (Int64)
import Data.Word (Word32)

-- | Seconds since 1970-01-01 00:00:00 UTC without leap seconds, and nanoseconds
-- after them. @nanoseconds <= 999,999,999@.
data Timestamp = MakeTimestamp !Int64 !Word32
  deriving stock (Eq, Ord)

instance Show Timestamp where
  showsPrec d (MakeTimestamp s n) =
    showParen (d > 10) (showString "timestamp " . showsPrec 11 s . showString " " . shows n)

-- | From seconds and nanoseconds, unless these are a second or more. What is
-- before a second is its whole seconds below, and nanoseconds upwards.
--
-- >>> timestamp (-1) 999000000
-- Just (timestamp (-1) 999000000)
-- >>> timestamp 0 1000000000
-- Nothing
timestamp :: Int64 -> Word32 -> Maybe Timestamp
timestamp s n
  | n < 1000000000 = Just (MakeTimestamp s n)
  | otherwise = Nothing

-- | Whole seconds, of any sign.
seconds :: Timestamp -> Int64
seconds (MakeTimestamp s _) = s

-- | 0 to 999,999,999.
nanoseconds :: Timestamp -> Word32
nanoseconds (MakeTimestamp _ n) = n
