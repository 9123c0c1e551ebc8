{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- | Dates and times as text, and from it (@cbits\/tern_time.c@).
--
-- The idea: what a text of any of these types says fits in two words, so that nothing
-- is allocated on the way from the input to a value.
--
-- Both are unsafe foreign calls, which do not call back. A caller owes addresses of
-- memory that it keeps alive, and room for what is written.
module Tern.Prim.Time
  ( -- * Parts
    Parts,
    date,
    time,
    zone,
    month,
    quarter,

    -- * Writing
    textBound,
    pokeTime,

    -- * Reading
    Pieces (..),
    readTime,
    wantedAt,

    -- * Bounds
    mostYears,
    firstDay,
    lastDay,
  )
where

import Data.Bits (Bits, shiftR, (.&.))
import Data.Text (Text)
import Foreign.Ptr (Ptr)
import GHC.Exts hiding (Ptr)
import GHC.Exts qualified as Exts
import GHC.IO (IO (..))
import GHC.Int (Int64 (..))
import GHC.Word (Word64 (..), Word8)
import Tern.Prim.Buffer (Poke)

foreign import ccall unsafe "tern_time_read"
  c_read ::
    Ptr Word8 -> Ptr Word8 -> Word64 -> MutableByteArray# RealWorld -> IO Int64

foreign import ccall unsafe "tern_time_write"
  c_write ::
    Ptr Word8 -> Word64 -> Int64 -> Int64 -> Word64 -> Int64 -> IO (Ptr Word8)

-- * Parts

-- | Which parts a text has.
newtype Parts = Parts Word64
  deriving newtype (Eq, Bits)

-- | @2026-01-31@, @23:59:60.5@, @+01:00@, @2026-01@, @2026-q1@.
date, time, zone, month, quarter :: Parts
date = Parts 1
time = Parts 2
zone = Parts 4
month = Parts 8
quarter = Parts 16

-- * Writing

-- | No text has more characters.
textBound :: Int
textBound = 48

-- | Write a text: the number of its day, month or quarter; the minute of the day; the
-- picoseconds of that; the minutes from UTC. All of them within bounds.
pokeTime :: Parts -> Int -> Int -> Word -> Int -> Poke
pokeTime
  (Parts parts)
  number
  minute
  picos
  offset
  op
  s =
    case c_write
      (Exts.Ptr op)
      parts
      (fromIntegral number)
      (fromIntegral minute)
      (fromIntegral picos)
      (fromIntegral offset) of
      IO f -> case f s of (# s1, Exts.Ptr op1 #) -> (# s1, op1 #)
{-# INLINE pokeTime #-}

-- * Reading

-- | What a text says: the number of its day, month or quarter; hour, minute, and
-- picoseconds of the minute; minutes from UTC.
data Pieces = Pieces !Int !Int !Int !Word !Int

-- | The text between two addresses, the first of which is its end: 0 and what it says, or
-- what 'wantedAt' takes. The array is for the call to answer in.
readTime ::
  Parts ->
  MutableByteArray# RealWorld ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Int#, Pieces #)
readTime (Parts parts) answer e c s = case c_read (Exts.Ptr c) (Exts.Ptr e) parts answer of
  IO f -> case f s of
    (# s1, k@(I64# k#) #)
      | k < 0 -> (# s1, int64ToInt# k#, Pieces 0 0 0 0 0 #)
      | otherwise -> case readWordArray# answer 0# s1 of
          (# s2, picos #) ->
            let w = fromIntegral k :: Int
             in (#
                  s2,
                  0#,
                  Pieces
                    ((w `shiftR` 23) - 0x8000000000)
                    (w `shiftR` 18 .&. 31)
                    (w `shiftR` 12 .&. 63)
                    (W# picos)
                    ((w .&. 4095) - 2048)
                #)
{-# INLINE readTime #-}

-- | Where a text is wrong, from its first character; and what should have stood there.
wantedAt :: Int -> (Int, Text)
wantedAt k = (fault `shiftR` 4, wanted (fault .&. 15))
  where
    fault = -1 - k
    wanted = \case
      1 -> "a year of four digits or more, up to 999999999"
      2 -> "a hyphen"
      3 -> "a month, 01 to 12"
      4 -> "a day that the month has, of two digits"
      5 -> "a T or a space, and a time of day"
      6 -> "an hour, 00 to 23"
      7 -> "a colon"
      8 -> "a minute, 00 to 59"
      9 -> "a second, 00 to 60"
      10 -> "a digit"
      11 -> "an offset from UTC: Z, or hours and minutes as +01:00"
      12 -> "a quarter, q1 to q4"
      _ -> "the end of the string" :: Text

-- * Bounds

-- | Years go from minus this to this.
mostYears :: Int
mostYears = 999999999

-- | The first and the last day of those years, as the package @time@ counts days.
firstDay, lastDay :: Int
firstDay = -365243178575
lastDay = 365241821058
