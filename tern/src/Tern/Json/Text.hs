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

-- | The same for a string with something to escape after @k@ plain bytes. Each
-- run of plain bytes is copied at once.
pokeEscaped :: ByteArray# -> Int# -> Int# -> Int# -> Fill
pokeEscaped array off0 n0 k0 mba0 op0 s0 = case ensure 1# mba0 op0 s0 of
  (# s1, mba1, op1 #) -> case writeWord8OffAddr# op1 0# (wordToWord8# 34##) s1 of
    s2 -> go off0 n0 k0 mba1 (plusAddr# op1 1#) s2
  where
    go off n k mba op s = case ensure (k +# 7#) mba op s of
      (# s1, mba1, op1 #) -> case copyByteArrayToAddr# array off op1 k s1 of
        s2 -> case k ==# n of
          1# -> case writeWord8OffAddr# op1 k (wordToWord8# 34##) s2 of
            s3 -> (# s3, mba1, plusAddr# op1 (k +# 1#) #)
          _ -> case escape (indexWord8Array# array (off +# k)) (plusAddr# op1 k) s2 of
            (# s3, op2 #) ->
              let !off' = off +# (k +# 1#)
                  !n' = n -# (k +# 1#)
               in case Scan.plainPrefix array off' n' s3 of
                    (# s4, k' #) -> go off' n' k' mba1 op2 s4
{-# NOINLINE pokeEscaped #-}

-- | One byte that cannot stand as it is: at most six bytes.
escape :: Word8# -> Poke
escape w op s = case word8ToWord# w of
  34## -> short 34##
  92## -> short 92##
  10## -> short 110##
  13## -> short 114##
  9## -> short 116##
  8## -> short 98##
  12## -> short 102##
  c -> case writeWord32OffAddr# op 0# (wordToWord32# 0x3030755c##) s of
    s1 -> case writeWord8OffAddr# op 4# (wordToWord8# (hex (c `uncheckedShiftRL#` 4#))) s1 of
      s2 -> case writeWord8OffAddr# op 5# (wordToWord8# (hex (c `and#` 15##))) s2 of
        s3 -> (# s3, plusAddr# op 6# #)
  where
    short c = case writeWord8OffAddr# op 0# (wordToWord8# 92##) s of
      s1 -> case writeWord8OffAddr# op 1# (wordToWord8# c) s1 of s2 -> (# s2, plusAddr# op 2# #)
    hex d = case ltWord# d 10## of
      1# -> d `plusWord#` 48##
      _ -> d `plusWord#` 87##
