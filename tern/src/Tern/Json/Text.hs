{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Strings as JSON writes them: copied where they are plain, escaped where
-- RFC 8259 (section 7) asks for it.
module Tern.Json.Text
  ( pokeText,
  )
where

import GHC.Exts
import Tern.Prim.Buffer
import Tern.Prim.Scan qualified as Scan

-- | The @n@ bytes of UTF-8 from an offset, in quotes.
pokeText :: ByteArray# -> Int# -> Int# -> Fill
pokeText array off n mba op s = case Scan.plainPrefix array off n s of
  (# s1, k #) -> case k ==# n of
    1# -> case ensure (n +# 2#) mba op s1 of
      (# s2, mba1, op1 #) -> case writeWord8OffAddr# op1 0# (wordToWord8# 34##) s2 of
        s3 -> case copyByteArrayToAddr# array off (plusAddr# op1 1#) n s3 of
          s4 -> case writeWord8OffAddr# op1 (n +# 1#) (wordToWord8# 34##) s4 of
            s5 -> (# s5, mba1, plusAddr# op1 (n +# 2#) #)
    _ -> pokeEscaped array off n k mba op s1
{-# NOINLINE pokeText #-}

-- | The same for a string with something to escape after @k@ plain bytes. Its
-- length is found first, so that room is asked for once, and no more than that.
pokeEscaped :: ByteArray# -> Int# -> Int# -> Int# -> Fill
pokeEscaped array off n k mba op s = case Scan.escapes array (off +# k) (n -# k) s of
  (# s1, extra #) -> case ensure ((n +# extra) +# 2#) mba op s1 of
    (# s2, mba1, op1 #) -> case writeWord8OffAddr# op1 0# (wordToWord8# 34##) s2 of
      s3 -> case Scan.escape array off n (plusAddr# op1 1#) s3 of
        (# s4, op2 #) -> case writeWord8OffAddr# op2 0# (wordToWord8# 34##) s4 of
          s5 -> (# s5, mba1, plusAddr# op2 1# #)
{-# NOINLINE pokeEscaped #-}
