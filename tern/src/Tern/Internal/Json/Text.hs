{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Strings as JSON writes them: copied where they are plain, escaped where
-- RFC 8259 (section 7) asks for it.
module Tern.Internal.Json.Text
  ( pokeText,
  )
where

import GHC.Exts
import Tern.Prim.Buffer (Fill, Poke, ensure)
import Tern.Prim.Scan qualified as Scan

-- | The @n@ bytes of UTF-8 from an offset, in quotes.
--
-- A short string has room for whatever it becomes, and is copied while it is
-- looked at. A long one is looked at first: it is copied as a whole where
-- nothing is to be escaped, and otherwise gets the room that it needs.
pokeText :: ByteArray# -> Int# -> Int# -> Fill
pokeText array off n mba op s = case n <=# 64# of
  1# -> case ensure ((n *# 6#) +# 2#) mba op s of
    (# s1, mba1, op1 #) -> case escaped array off n op1 s1 of (# s2, op2 #) -> (# s2, mba1, op2 #)
  _ -> case Scan.plainPrefix array off n s of
    (# s1, k #) -> case k ==# n of
      1# -> case ensure (n +# 2#) mba op s1 of
        (# s2, mba1, op1 #) -> case writeWord8OffAddr# op1 0# (wordToWord8# 34##) s2 of
          s3 -> case copyByteArrayToAddr# array off (plusAddr# op1 1#) n s3 of
            s4 -> case writeWord8OffAddr# op1 (n +# 1#) (wordToWord8# 34##) s4 of
              s5 -> (# s5, mba1, plusAddr# op1 (n +# 2#) #)
      _ -> case Scan.escapes array (off +# k) (n -# k) s1 of
        (# s2, extra #) -> case ensure ((n +# extra) +# 2#) mba op s2 of
          (# s3, mba1, op1 #) -> case escaped array off n op1 s3 of
            (# s4, op2 #) ->
              (# s4, mba1, op2 #)
{-# NOINLINE pokeText #-}

-- | In quotes, where there is room.
escaped :: ByteArray# -> Int# -> Int# -> Poke
escaped array off n op s = case writeWord8OffAddr# op 0# (wordToWord8# 34##) s of
  s1 -> case Scan.escape array off n (plusAddr# op 1#) s1 of
    (# s2, op1 #) -> case writeWord8OffAddr# op1 0# (wordToWord8# 34##) s2 of
      s3 -> (# s3, plusAddr# op1 1# #)
{-# INLINE escaped #-}
