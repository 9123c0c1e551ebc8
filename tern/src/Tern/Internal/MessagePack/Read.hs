{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | MessagePack's formats for readers: numbers, strings, the headers of frames,
-- extensions, and stepping over a value.
--
-- The idea: whoever reads says what is wanted, and one look at the first byte
-- and at how much is left decides. Every width of an integer and every spelling
-- of a length is taken, however short it could have been. What a header claims
-- is held against what is left before anything is allocated for it, and against
-- the document's budget ('claim').
--
-- The offset of an error is that of the item's first byte, or of a string's
-- first bad one. No Haskell types but strings and times are known here; what a
-- value means is the codec's.
module Tern.Internal.MessagePack.Read
  ( -- * Nil, truth, numbers
    isNil,
    nil,
    bool,
    isInteger,
    integer,
    int,
    word,
    intWithin,
    wordWithin,
    double,
    float,

    -- * Strings and binaries
    text,
    isStr,
    strHeader,
    binary,
    isBinary,
    binHeader,

    -- * Frames
    arrayHeader,
    mapHeader,

    -- * Extensions
    ext,
    extHeader,
    timestamp,
    timestampAt,

    -- * Whole values
    skip,
    end,
    failExpected,
  )
where

import Data.ByteString (ByteString)
import Data.Int (Int8)
import Data.Text (Text)
import GHC.Exts
import GHC.Int (Int64 (..), Int8 (..))
import GHC.Word (Word32 (..))
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Binary.Read (end, failEnd, failExpected, stepOver, unboxed)
import Tern.Internal.Binary.Read qualified as Binary
import Tern.Internal.MessagePack.Format (claimAt)
import Tern.Internal.MessagePack.Timestamp (Timestamp)
import Tern.Internal.MessagePack.Timestamp qualified as Timestamp
import Tern.Internal.Read (Context, Step, claim, failAt)
import Tern.Prim.BigEndian (copyIn, doubleAt, floatAt, load32, load64, loaded)
import Tern.Prim.Byte (byteAt)
import Tern.Prim.MessagePack (shallow, skipDeepValue, skipValue)
import Tern.Prim.Text qualified as Text

-- | Fail at the cursor: its whole header claims too much.
failClaim :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
failClaim = Binary.failClaim 6 claimAt
{-# NOINLINE failClaim #-}

-- * Nil, truth, numbers

-- | Does nil stand at the cursor? 1 or 0.
isNil :: Addr# -> Addr# -> Int#
isNil e c = case ltAddr# c e of
  1# -> eqWord# (byteAt c) 0xc0##
  _ -> 0#
{-# INLINE isNil #-}

-- | The byte c0.
nil :: Step ()
nil _ e c s = case isNil e c of
  1# -> (# s, plusAddr# c 1#, () #)
  _ -> failExpected ANull e c s
{-# INLINE nil #-}

-- | Both by name: what is said of a byte would be put off, and look for it later,
-- when the input may be gone.
bool :: Step Bool
bool _ e c s = case ltAddr# c e of
  1# -> case byteAt c of
    0xc2## -> (# s, plusAddr# c 1#, False #)
    0xc3## -> (# s, plusAddr# c 1#, True #)
    _ -> failExpected ABool e c s
  _ -> failExpected ABool e c s
{-# INLINE bool #-}

-- | An integer in any of its formats: 64 bits, and 1 where it is below 0.
--
-- NOINLINE: a record of a hundred of them is a hundred calls, as in
-- "Tern.Internal.Json.Codec".
integer :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Word#, Int# #)
integer e c s = case ltAddr# c e of
  1# -> case byteAt c of
    b
      | isTrue# (ltWord# b 0x80##) -> (# s, plusAddr# c 1#, b, 0# #)
      | isTrue# (geWord# b 0xe0##) -> (# s, plusAddr# c 1#, b `or#` 0xffffffffffffff00##, 1# #)
      -- The formats cc to cf are unsigned, d0 to d3 signed.
      | isTrue# (ltWord# (b `minusWord#` 0xcc##) 8##) ->
          let !k = word2Int# (b `and#` 3##)
              !width = uncheckedIShiftL# 1# k
              !unsigned = ltWord# b 0xd0##
           in case width <# minusAddr# e c of
                1# ->
                  let !w = loaded k (plusAddr# c 1#)
                      !unused = 64# -# uncheckedIShiftL# width 3#
                      !i = uncheckedIShiftRA# (word2Int# (uncheckedShiftL# w unused)) unused
                   in case unsigned of
                        1# -> (# s, plusAddr# c (1# +# width), w, 0# #)
                        _ -> (# s, plusAddr# c (1# +# width), int2Word# i, i <# 0# #)
                _ -> none (failEnd AnInteger c s)
      | otherwise -> none (failExpected AnInteger e c s)
  _ -> none (failExpected AnInteger e c s)
  where
    none :: (# State# RealWorld, Addr#, () #) -> (# State# RealWorld, Addr#, Word#, Int# #)
    none (# s1, c1, () #) = (# s1, c1, 0##, 0# #)
{-# NOINLINE integer #-}

-- | An integer from -2^63 to 2^63 - 1.
int :: Step Int
int = intWithin "Int" minBound maxBound
{-# INLINE int #-}

-- | An integer from 0 to 2^64 - 1.
word :: Step Word
word = wordWithin "Word" maxBound
{-# INLINE word #-}

-- | An integer between two bounds, of the type named.
intWithin :: Text -> Int -> Int -> Step Int
intWithin name low high _ e c s = case integer e c s of
  (# s1, c1, w, negative #)
    -- What is not below 0 and has the highest bit is too large.
    | isTrue# (negative ==# (word2Int# w <# 0#)),
      I# (word2Int# w) >= low,
      I# (word2Int# w) <= high ->
        (# s1, c1, I# (word2Int# w) #)
    | otherwise -> failAt c (OutOfRange name) s1
{-# INLINE intWithin #-}

-- | An integer from 0 to a bound, of the type named.
wordWithin :: Text -> Word -> Step Word
wordWithin name high _ e c s = case integer e c s of
  (# s1, c1, w, 0# #) | W# w <= high -> (# s1, c1, W# w #)
  (# s1, _, _, _ #) -> failAt c (OutOfRange name) s1
{-# INLINE wordWithin #-}

-- | A number as a double: a float 64 bit for bit, a float 32, which is one of
-- them, and an integer, which is rounded to the nearest.
double :: Step Double
double _ e c s
  | isTrue# (minusAddr# e c >=# 9#),
    isTrue# (eqWord# (byteAt c) 0xcb##) = case doubleAt (plusAddr# c 1#) of
      !d ->
        (# s, plusAddr# c 9#, d #)
  | otherwise = otherDouble e c s
{-# NOINLINE double #-}

otherDouble :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Double #)
otherDouble e c s = case inline formatAt e c of
  0xca##
    | isTrue# (minusAddr# e c >=# 5#) -> case floatAt (plusAddr# c 1#) of
        F# f ->
          (# s, plusAddr# c 5#, D# (float2Double# f) #)
    | otherwise -> failEnd ANumber c s
  0xcb## -> failEnd ANumber c s
  b -> case beginsInteger b of
    1# -> case integer e c s of
      (# s1, c1, w, 0# #) -> (# s1, c1, D# (word2Double# w) #)
      (# s1, c1, w, _ #) -> (# s1, c1, D# (int2Double# (word2Int# w)) #)
    _ -> failExpected ANumber e c s
{-# NOINLINE otherDouble #-}

-- | A number as a float: a float 32 bit for bit, others rounded to the nearest.
float :: Step Float
float _ e c s
  | isTrue# (minusAddr# e c >=# 5#),
    isTrue# (eqWord# (byteAt c) 0xca##) = case floatAt (plusAddr# c 1#) of
      !f ->
        (# s, plusAddr# c 5#, f #)
  | otherwise = otherFloat e c s
{-# NOINLINE float #-}

otherFloat :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Float #)
otherFloat e c s = case inline formatAt e c of
  0xca## -> failEnd ANumber c s
  0xcb##
    | isTrue# (minusAddr# e c >=# 9#) -> case doubleAt (plusAddr# c 1#) of
        D# d ->
          (# s, plusAddr# c 9#, F# (double2Float# d) #)
    | otherwise -> failEnd ANumber c s
  b -> case beginsInteger b of
    1# -> case integer e c s of
      (# s1, c1, w, 0# #) -> (# s1, c1, F# (word2Float# w) #)
      (# s1, c1, w, _ #) -> (# s1, c1, F# (int2Float# (word2Int# w)) #)
    _ -> failExpected ANumber e c s
{-# NOINLINE otherFloat #-}

-- | The first byte, or one that is no format where there is none.
formatAt :: Addr# -> Addr# -> Word#
formatAt e c = case ltAddr# c e of
  1# -> byteAt c
  _ -> 0xc1##
{-# INLINE formatAt #-}

-- | Does an integer begin at the cursor? 1 or 0.
isInteger :: Addr# -> Addr# -> Int#
isInteger e c = beginsInteger (inline formatAt e c)
{-# INLINE isInteger #-}

beginsInteger :: Word# -> Int#
beginsInteger b =
  ltWord# b 0x80## `orI#` geWord# b 0xe0## `orI#` ltWord# (b `minusWord#` 0xcc##) 8##
{-# INLINE beginsInteger #-}

-- * Strings and binaries

-- | A string of UTF-8, copied.
text :: Step Text
text _ e c s = case strHeader e c s of
  (# s1, body, n #) -> case Text.fromUtf8 body n s1 of
    (# s2, k, t #) -> case k ==# n of
      1# -> (# s2, plusAddr# body n, t #)
      _ -> failAt (plusAddr# body k) InvalidUtf8 s2
{-# NOINLINE text #-}

-- | Does a string stand at the cursor? 1 or 0.
isStr :: Addr# -> Addr# -> Int#
isStr e c = case inline formatAt e c of
  b -> eqWord# (b `and#` 0xe0##) 0xa0## `orI#` ltWord# (b `minusWord#` 0xd9##) 3##
{-# INLINE isStr #-}

-- | The header of a string: the address after it, and how many bytes there are
-- from there on, all of them in the input.
strHeader :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
strHeader e c s = case inline formatAt e c of
  b
    | isTrue# (eqWord# (b `and#` 0xe0##) 0xa0##) ->
        checked e c 0# (plusAddr# c 1#) (word2Int# (b `and#` 31##)) s
    | isTrue# (ltWord# (b `minusWord#` 0xd9##) 3##) ->
        counted AString e c 0# (word2Int# (b `minusWord#` 0xd9##)) s
    | otherwise -> unboxed (failExpected AString e c s)
{-# NOINLINE strHeader #-}

-- | A length in the @2^k@ bytes after the first one, @extra@ more bytes of
-- header, and as many bytes as the length says: the address after the length,
-- and the length.
counted ::
  Expected ->
  Addr# ->
  Addr# ->
  Int# ->
  Int# ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, Int# #)
counted expected e c extra k s =
  let !width = uncheckedIShiftL# 1# k
   in case width <# minusAddr# e c of
        1# ->
          checked e c extra (plusAddr# c (1# +# width)) (word2Int# (loaded k (plusAddr# c 1#))) s
        _ -> unboxed (failEnd expected c s)
{-# INLINE counted #-}

checked ::
  Addr# -> Addr# -> Int# -> Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
checked e c extra body n s = case (n +# extra) <=# minusAddr# e body of
  1# -> (# s, body, n #)
  _ -> unboxed (failClaim e c s)
{-# INLINE checked #-}

-- | Bytes that are no text, copied.
binary :: Step ByteString
binary _ e c s = case binHeader e c s of
  (# s1, body, n #) -> case copyIn body n s1 of
    (# s2, bytes #) -> (# s2, plusAddr# body n, bytes #)
{-# NOINLINE binary #-}

-- | Does binary data stand at the cursor? 1 or 0.
isBinary :: Addr# -> Addr# -> Int#
isBinary e c = ltWord# (formatAt e c `minusWord#` 0xc4##) 3##
{-# INLINE isBinary #-}

-- | The header of binary data: the address after it, and how many bytes there
-- are from there on, all of them in the input.
binHeader :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
binHeader e c s = case formatAt e c `minusWord#` 0xc4## of
  k
    | isTrue# (ltWord# k 3##) -> counted ABinary e c 0# (word2Int# k) s
    | otherwise -> unboxed (failExpected ABinary e c s)
{-# NOINLINE binHeader #-}

-- * Frames

-- | The header of an array: the address after it, and how many elements it
-- has. There are at least as many bytes left as elements, and the document's
-- budget has been asked.
arrayHeader :: Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
arrayHeader ctx e c s = case inline formatAt e c of
  b
    | isTrue# (eqWord# (b `and#` 0xf0##) 0x90##) ->
        claimed ctx e c (plusAddr# c 1#) (word2Int# (b `and#` 15##)) 0# s
    | isTrue# (eqWord# (b `and#` 0xfe##) 0xdc##) ->
        longFrame AnArray ctx e c (word2Int# (b `and#` 1##)) 0# s
    | otherwise -> unboxed (failExpected AnArray e c s)
{-# NOINLINE arrayHeader #-}

-- | The header of a map: the address after it, and how many pairs it has, with
-- the same assurance.
mapHeader :: Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
mapHeader ctx e c s = case inline formatAt e c of
  b
    | isTrue# (eqWord# (b `and#` 0xf0##) 0x80##) ->
        claimed ctx e c (plusAddr# c 1#) (word2Int# (b `and#` 15##)) 1# s
    | isTrue# (eqWord# (b `and#` 0xfe##) 0xde##) ->
        longFrame AMap ctx e c (word2Int# (b `and#` 1##)) 1# s
    | otherwise -> unboxed (failExpected AMap e c s)
{-# NOINLINE mapHeader #-}

-- | A count of two bytes or, with 1 for @long@, four.
longFrame ::
  Expected ->
  Context ->
  Addr# ->
  Addr# ->
  Int# ->
  Int# ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, Int# #)
longFrame expected ctx e c long pairs s =
  let !width = uncheckedIShiftL# 2# long
   in case width <# minusAddr# e c of
        1# ->
          claimed
            ctx
            e
            c
            (plusAddr# c (1# +# width))
            (word2Int# (loaded (1# +# long) (plusAddr# c 1#)))
            pairs
            s
        _ -> unboxed (failEnd expected c s)

-- | @n@ elements, or with 1 for @pairs@ twice as many values.
claimed ::
  Context ->
  Addr# ->
  Addr# ->
  Addr# ->
  Int# ->
  Int# ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, Int# #)
claimed ctx e c body n pairs s =
  let !values = uncheckedIShiftL# n pairs
   in case values <=# minusAddr# e body of
        1# -> case claim ctx values s of
          (# s1, 1# #) -> (# s1, body, n #)
          (# s1, _ #) -> unboxed (failClaim e c s1)
        _ -> unboxed (failClaim e c s)

-- * Extensions

-- | An extension of any type but the timestamp's, from its type and its bytes,
-- copied.
ext :: (Int8 -> ByteString -> a) -> Step a
ext make _ e c s = case extHeader e c s of
  (# s1, _, _, -1# #) -> failAt c (Unexpected AnExtension) s1
  (# s1, body, n, kind #) -> case copyIn body n s1 of
    (# s2, bytes #) -> case make (I8# (intToInt8# kind)) bytes of
      !a ->
        (# s2, plusAddr# body n, a #)
{-# INLINE ext #-}

-- | The header of an extension: the address of its body, the body's length, all
-- of it in the input, and the type.
extHeader :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int#, Int# #)
extHeader e c s = case inline formatAt e c of
  b
    | isTrue# (ltWord# (b `minusWord#` 0xd4##) 5##) ->
        typed
          ( checked
              e
              c
              1#
              (plusAddr# c 1#)
              ( uncheckedIShiftL#
                  1#
                  (word2Int# (b `minusWord#` 0xd4##))
              )
              s
          )
    | isTrue# (ltWord# (b `minusWord#` 0xc7##) 3##) ->
        typed (counted AnExtension e c 1# (word2Int# (b `minusWord#` 0xc7##)) s)
    | otherwise -> typed (unboxed (failExpected AnExtension e c s))
  where
    typed :: (# State# RealWorld, Addr#, Int# #) -> (# State# RealWorld, Addr#, Int#, Int# #)
    typed (# s1, c1, n #) = (# s1, plusAddr# c1 1#, n, int8ToInt# (indexInt8OffAddr# c1 0#) #)
    {-# INLINE typed #-}
{-# NOINLINE extHeader #-}

-- | A timestamp in any of its three forms.
timestamp :: Step Timestamp
timestamp _ e c s = case extHeader e c s of
  (# s1, body, n, -1# #) -> timestampAt c body n s1
  (# s1, _, _, _ #) -> failAt c (Unexpected ATimestamp) s1
{-# NOINLINE timestamp #-}

-- | The timestamp whose header is at the first address, from the body at the
-- second, of @n@ bytes.
timestampAt ::
  Addr# -> Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Addr#, Timestamp #)
timestampAt c body n s = case n of
  4# -> made (load32 body) 0##
  8# -> let w = load64 body in made (w `and#` 0x3ffffffff##) (uncheckedShiftRL# w 34#)
  12# -> made (load64 (plusAddr# body 4#)) (load32 body)
  _ -> failAt c InvalidTimestamp s
  where
    made
      sec
      nano =
        case Timestamp.timestamp (I64# (intToInt64# (word2Int# sec))) (W32# (wordToWord32# nano)) of
          Just !t -> (# s, plusAddr# body n, t #)
          Nothing -> failAt c InvalidTimestamp s
{-# NOINLINE timestampAt #-}

-- * Whole values

-- | Step over any value, checking it.
skip :: Step ()
skip ctx e c s = stepOver shallow skipValue skipDeepValue failed ctx e c s
  where
    failed code e' c' s' = case code of
      1## -> failEnd AValue c' s'
      4## -> failClaim e' c' s'
      5## -> failAt c' InvalidUtf8 s'
      6## -> failAt c' InvalidTimestamp s'
      _ -> failAt c' (Unexpected AValue) s'
{-# NOINLINE skip #-}
