{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | CBOR (RFC 8949) for readers: numbers, strings, the heads of frames, tags, and
-- stepping over an item.
--
-- The idea: whoever reads says what is wanted, and one look at the first byte and
-- at how much is left decides. Every width of a head is taken, however short it
-- could have been. What a head claims is held against what is left before
-- anything is allocated for it, and against the document's budget ('claim').
--
-- A frame that ends with a break is counted first, in C, and then read like one
-- that said its length: so nobody who reads a frame has two ways to do it. The
-- notes of "Tern.Internal.Ahead" keep this linear where such frames stand in each other.
--
-- The offset of an error is that of the item's first byte, or of a text's first
-- bad one. No Haskell types but strings are known here; what a value means is the
-- codec's.
module Tern.Internal.Cbor.Read
  ( -- * Null, undefined, truth
    isNull,
    isUndefined,
    null,
    bool,

    -- * Numbers
    isInteger,
    integer,
    int,
    word,
    intWithin,
    wordWithin,
    double,
    float,

    -- * Strings
    text,
    isText,
    isOpen,
    textHeader,
    bytes,
    isBytes,
    bytesHeader,

    -- * Frames
    arrayHeader,
    mapHeader,
    closed,

    -- * Tags
    isTag,
    tagHeader,
    tagged,

    -- * Whole items
    argument,
    skip,
    end,
    byteAt,
    failExpected,
    failEnd,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Exts
import GHC.Float (castWord32ToFloat, castWord64ToDouble)
import GHC.Word (Word16 (..), Word32 (..), Word64 (..))
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Binary.Read (end, failEnd, failExpected, stepOver, unboxed)
import Tern.Internal.Binary.Read qualified as Binary
import Tern.Internal.Cbor.Format (claimAt)
import Tern.Internal.Read
  ( Context,
    Step,
    answer,
    claim,
    depthLeft,
    enter,
    failAt,
    leave,
    notes,
    setNotes,
    tooDeep,
  )
import Tern.Prim.BigEndian (copyIn, doubleAt, load16, load32, loaded)
import Tern.Prim.Byte (byteAt)
import Tern.Prim.Cbor
  ( countItems,
    countSeenItems,
    doubleToSingle,
    halfToDouble,
    shallow,
    skipDeepValue,
    skipValue,
  )
import Tern.Prim.Scan qualified as Scan
import Tern.Prim.Text qualified as Text
import Prelude hiding (null)

-- | The first byte, or a break where there is none: nothing begins with that.
firstByte :: Addr# -> Addr# -> Word#
firstByte e c = case ltAddr# c e of
  1# -> byteAt c
  _ -> 0xff##
{-# INLINE firstByte #-}

-- | The argument of the head at the cursor, whose first byte is given: the
-- address after it, and the argument. A null address, and then 0, where the input
-- ends in the head; 1, where there is no argument, for the item goes on to a break
-- or its head is reserved.
argument :: Addr# -> Addr# -> Word# -> (# Addr#, Word# #)
argument e c b = case b `and#` 31## of
  info
    | isTrue# (ltWord# info 24##) -> (# plusAddr# c 1#, info #)
    | isTrue# (ltWord# info 28##) ->
        let !k = word2Int# (info `minusWord#` 24##)
            !width = uncheckedIShiftL# 1# k
         in case width <# minusAddr# e c of
              1# -> (# plusAddr# c (1# +# width), loaded k (plusAddr# c 1#) #)
              _ -> (# nullAddr#, 0## #)
    | otherwise -> (# nullAddr#, 1## #)
{-# INLINE argument #-}

-- | There is no argument, for the reason that is given.
failHead ::
  Expected -> Word# -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
failHead expected why e c s = case why of
  0## -> failEnd expected c s
  _ -> failExpected expected e c s
{-# NOINLINE failHead #-}

-- | Fail at the cursor: its whole head claims too much.
failClaim :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
failClaim = Binary.failClaim 9 claimAt
{-# NOINLINE failClaim #-}

-- * Null, undefined, truth

-- | Does null stand at the cursor? 1 or 0.
isNull :: Addr# -> Addr# -> Int#
isNull e c = eqWord# (firstByte e c) 0xf6##
{-# INLINE isNull #-}

-- | Does undefined stand at the cursor? 1 or 0.
isUndefined :: Addr# -> Addr# -> Int#
isUndefined e c = eqWord# (firstByte e c) 0xf7##
{-# INLINE isUndefined #-}

-- | The byte f6. Undefined, which is another, is refused.
null :: Step ()
null _ e c s = case isNull e c of
  1# -> (# s, plusAddr# c 1#, () #)
  _ -> failExpected ANull e c s
{-# INLINE null #-}

-- | The byte f4 or f5.
bool :: Step Bool
bool _ e c s = case firstByte e c of
  0xf4## -> (# s, plusAddr# c 1#, False #)
  0xf5## -> (# s, plusAddr# c 1#, True #)
  _ -> failExpected ABool e c s
{-# INLINE bool #-}

-- * Numbers

-- | Does an integer begin at the cursor? 1 or 0.
isInteger :: Addr# -> Addr# -> Int#
isInteger e c = ltWord# (firstByte e c) 0x40##
{-# INLINE isInteger #-}

-- | An integer in any width: its argument, and 1 where it is @-1@ less that.
--
-- NOINLINE: a record of a hundred of them is a hundred calls, as in
-- "Tern.Internal.Json.Codec".
integer :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Word#, Int# #)
integer e c s = case firstByte e c of
  b
    | isTrue# (ltWord# b 0x40##) -> case argument e c b of
        (# c1, w #) -> case eqAddr# c1 nullAddr# of
          0# -> (# s, c1, w, geWord# b 0x20## #)
          _ -> none (failHead AnInteger w e c s)
    | otherwise -> none (failExpected AnInteger e c s)
  where
    none :: (# State# RealWorld, Addr#, () #) -> (# State# RealWorld, Addr#, Word#, Int# #)
    none (# s1, c1, () #) = (# s1, c1, 0##, 0# #)
{-# NOINLINE integer #-}

-- | An integer from -2^63 to 2^63 - 1. What is one, in any width, is read here; what is not
-- is told by 'intWithin'.
int :: Step Int
int ctx e c s = case firstByte e c of
  b
    | isTrue# (ltWord# b 0x40##) ->
        let !info = b `and#` 31##
            -- All bits turned over where it is negative.
            !turned = int2Word# (negateInt# (word2Int# (uncheckedShiftRL# b 5#)))
         in if isTrue# (ltWord# info 24##)
              then (# s, plusAddr# c 1#, I# (word2Int# (info `xor#` turned)) #)
              else
                let !k = word2Int# (info `minusWord#` 24##)
                    !width = uncheckedIShiftL# 1# (andI# k 3#)
                 in case andI# (k <# 4#) (width <# minusAddr# e c) of
                      1# -> case loaded k (plusAddr# c 1#) of
                        w -> case word2Int# w >=# 0# of
                          1# ->
                            (# s, plusAddr# c (1# +# width), I# (word2Int# (w `xor#` turned)) #)
                          _ -> otherInt ctx e c s
                      _ -> otherInt ctx e c s
    | otherwise -> otherInt ctx e c s
{-# INLINE int #-}

otherInt :: Step Int
otherInt = intWithin "Int" minBound maxBound
{-# NOINLINE otherInt #-}

-- | An integer from 0 to 2^64 - 1.
word :: Step Word
word = wordWithin "Word" maxBound
{-# INLINE word #-}

-- | An integer between two bounds, of the type named.
intWithin :: Text -> Int -> Int -> Step Int
intWithin name low high _ e c s = case integer e c s of
  (# s1, c1, w, negative #)
    | isTrue# (word2Int# w >=# 0#), I# i >= low, I# i <= high -> (# s1, c1, I# i #)
    | otherwise -> failAt c (OutOfRange name) s1
    where
      -- All bits turned over where it is negative.
      !i = word2Int# (w `xor#` int2Word# (negateInt# negative))
{-# INLINE intWithin #-}

-- | An integer from 0 to a bound, of the type named.
wordWithin :: Text -> Word -> Step Word
wordWithin name high _ e c s = case integer e c s of
  (# s1, c1, w, 0# #) | W# w <= high -> (# s1, c1, W# w #)
  (# s1, _, _, _ #) -> failAt c (OutOfRange name) s1
{-# INLINE wordWithin #-}

-- | A number as a double: one of eight bytes bit for bit, a shorter one, which is
-- one of them, and an integer, which is rounded to the nearest.
double :: Step Double
double _ e c s
  | isTrue# (minusAddr# e c >=# 9#),
    isTrue# (eqWord# (byteAt c) 0xfb##) = case doubleAt (plusAddr# c 1#) of
      !d ->
        (# s, plusAddr# c 9#, d #)
  | otherwise = otherDouble e c s
{-# NOINLINE double #-}

-- | As a double; a NaN's payload stays at its top, whatever the processor makes
-- of such.
singleAt :: Addr# -> Double
singleAt a = case load32 a of
  w
    | isTrue# (ltWord# 0x7f800000## (w `and#` 0x7fffffff##)) ->
        castWord64ToDouble
          ( W64#
              ( wordToWord64#
                  ( uncheckedShiftL# (w `and#` 0x80000000##) 32#
                      `or#` 0x7ff0000000000000##
                      `or#` uncheckedShiftL# (w `and#` 0x7fffff##) 29#
                  )
              )
          )
    | otherwise -> case castWord32ToFloat (W32# (wordToWord32# w)) of F# f -> D# (float2Double# f)
{-# INLINE singleAt #-}

halfAt :: Addr# -> Double
halfAt a = halfToDouble (W16# (wordToWord16# (load16 a)))
{-# INLINE halfAt #-}

otherDouble :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Double #)
otherDouble e c s = case firstByte e c of
  0xf9##
    | isTrue# (minusAddr# e c >=# 3#) -> case halfAt (plusAddr# c 1#) of
        !d ->
          (# s, plusAddr# c 3#, d #)
    | otherwise -> failEnd ANumber c s
  0xfa##
    | isTrue# (minusAddr# e c >=# 5#) -> case singleAt (plusAddr# c 1#) of
        !d ->
          (# s, plusAddr# c 5#, d #)
    | otherwise -> failEnd ANumber c s
  0xfb## -> failEnd ANumber c s
  b
    | isTrue# (ltWord# b 0x40##) -> case integer e c s of
        (# s1, c1, w, 0# #) -> (# s1, c1, D# (word2Double# w) #)
        (# s1, c1, 0xffffffffffffffff##, _ #) -> (# s1, c1, -18446744073709551616 #)
        (# s1, c1, w, _ #) -> (# s1, c1, D# (negateDouble# (word2Double# (plusWord# w 1##))) #)
    | otherwise -> failExpected ANumber e c s
{-# NOINLINE otherDouble #-}

-- | A number as a float: one of four bytes bit for bit, a shorter one, and others
-- rounded to the nearest.
float :: Step Float
float _ e c s
  | isTrue# (minusAddr# e c >=# 5#),
    isTrue#
      (eqWord# (byteAt c) 0xfa##) =
      case castWord32ToFloat (W32# (wordToWord32# (load32 (plusAddr# c 1#)))) of
        !f ->
          (# s, plusAddr# c 5#, f #)
  | otherwise = otherFloat e c s
{-# NOINLINE float #-}

otherFloat :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Float #)
otherFloat e c s = case isInteger e c of
  -- Rounded once, and not to a double before.
  1# -> case integer e c s of
    (# s1, c1, w, 0# #) -> (# s1, c1, F# (word2Float# w) #)
    (# s1, c1, 0xffffffffffffffff##, _ #) -> (# s1, c1, -18446744073709551616 #)
    (# s1, c1, w, _ #) -> (# s1, c1, F# (negateFloat# (word2Float# (plusWord# w 1##))) #)
  _ -> case otherwise' of
    (# s1, c1, d@(D# d#) #) -> case doubleToSingle d of
      Just w -> case castWord32ToFloat w of !f -> (# s1, c1, f #)
      Nothing -> (# s1, c1, F# (double2Float# d#) #)
  where
    otherwise' :: (# State# RealWorld, Addr#, Double #)
    otherwise' = case eqWord# (firstByte e c) 0xfb## `andI#` (minusAddr# e c >=# 9#) of
      1# -> case doubleAt (plusAddr# c 1#) of !d -> (# s, plusAddr# c 9#, d #)
      _ -> otherDouble e c s
    {-# INLINE otherwise' #-}
{-# NOINLINE otherFloat #-}

-- * Strings

-- | A text of UTF-8, copied. Each chunk of one in chunks must be UTF-8 by itself.
text :: Step Text
text _ e c s = case eqWord# (firstByte e c) 0x7f## of
  1# -> case inChunks 0x60## textAt e c s of
    (# s1, c1, chunks #) -> case T.concat chunks of !t -> (# s1, c1, t #)
  _ -> case textHeader e c s of
    (# s1, body, n #) -> textAt body n s1
{-# NOINLINE text #-}

textAt :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Addr#, Text #)
textAt body n s = case Text.fromUtf8 body n s of
  (# s1, k, t #) -> case k ==# n of
    1# -> (# s1, plusAddr# body n, t #)
    _ -> failAt (plusAddr# body k) InvalidUtf8 s1

-- | Does a text stand at the cursor, of any length? 1 or 0.
isText :: Addr# -> Addr# -> Int#
isText e c = eqWord# (firstByte e c `and#` 0xe0##) 0x60##
{-# INLINE isText #-}

-- | Does a string in chunks stand at the cursor? 1 or 0.
isOpen :: Addr# -> Addr# -> Int#
isOpen e c = eqWord# (firstByte e c `and#` 0xdf##) 0x5f##
{-# INLINE isOpen #-}

-- | The head of a text that is not in chunks: the address after it, and how many
-- bytes there are from there on, all of them in the input.
textHeader :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
textHeader e c s = case isText e c of
  1# -> stringHeader AString e c s
  _ -> unboxed (failExpected AString e c s)
{-# NOINLINE textHeader #-}

-- | The head of a string, from its first byte on.
stringHeader ::
  Expected -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
stringHeader expected e c s = case argument e c (byteAt c) of
  (# c1, n #) -> case eqAddr# c1 nullAddr# of
    0# -> case leWord# n (int2Word# (minusAddr# e c1)) of
      1# -> (# s, c1, word2Int# n #)
      _ -> unboxed (failClaim e c s)
    _ -> unboxed (failHead expected n e c s)
{-# INLINE stringHeader #-}

-- | The chunks of a string of a major type, each read as is said.
inChunks ::
  Word# ->
  (Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)) ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, [a] #)
inChunks major chunkAt e = \c s -> go [] (plusAddr# c 1#) s
  where
    go acc c s = case ltAddr# c e of
      1# -> case byteAt c of
        0xff## -> case reverse acc of !chunks -> (# s, plusAddr# c 1#, chunks #)
        b
          | isTrue# (eqWord# (b `and#` 0xe0##) major),
            isTrue# (ltWord# (b `and#` 31##) 28##) -> case stringHeader AChunk e c s of
              (# s1, body, n #) -> case chunkAt body n s1 of
                (# s2, c2, chunk #) -> go (chunk : acc) c2 s2
          | otherwise -> failAt c (Unexpected AChunk) s
      _ -> failAt c (UnexpectedEnd AChunk) s
{-# INLINE inChunks #-}

-- | Bytes that are no text, copied.
bytes :: Step ByteString
bytes _ e c s = case eqWord# (firstByte e c) 0x5f## of
  1# -> case inChunks 0x40## bytesAt e c s of
    (# s1, c1, chunks #) -> case B.concat chunks of !b -> (# s1, c1, b #)
  _ -> case bytesHeader e c s of
    (# s1, body, n #) -> bytesAt body n s1
{-# NOINLINE bytes #-}

bytesAt :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Addr#, ByteString #)
bytesAt body n s = case copyIn body n s of
  (# s1, b #) -> (# s1, plusAddr# body n, b #)

-- | Do bytes that are no text stand at the cursor? 1 or 0.
isBytes :: Addr# -> Addr# -> Int#
isBytes e c = eqWord# (firstByte e c `and#` 0xe0##) 0x40##
{-# INLINE isBytes #-}

-- | As 'textHeader', of bytes that are no text.
bytesHeader :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
bytesHeader e c s = case isBytes e c of
  1# -> stringHeader ABinary e c s
  _ -> unboxed (failExpected ABinary e c s)
{-# NOINLINE bytesHeader #-}

-- * Frames

-- | From after the last value of the frame at the first address to after the
-- frame: one that was counted has a break there.
closed :: Addr# -> Addr# -> Addr#
closed start c = case eqWord# (byteAt start `and#` 0xdf##) 0x9f## of
  1# -> plusAddr# c 1#
  _ -> c
{-# INLINE closed #-}

-- | The head of an array: the address after it, and how many elements it has.
-- There are at least as many bytes left as elements, and the document's budget has
-- been asked.
arrayHeader :: Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
arrayHeader ctx e c s = case firstByte e c of
  b
    | isTrue# (eqWord# (b `and#` 0xe0##) 0x80##) -> frameHeader AnArray 0# b ctx e c s
    | otherwise -> unboxed (failExpected AnArray e c s)
{-# NOINLINE arrayHeader #-}

-- | The head of a map: the address after it, and how many pairs it has, with the
-- same assurance.
mapHeader :: Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
mapHeader ctx e c s = case firstByte e c of
  b
    | isTrue# (eqWord# (b `and#` 0xe0##) 0xa0##) -> frameHeader AMap 1# b ctx e c s
    | otherwise -> unboxed (failExpected AMap e c s)
{-# NOINLINE mapHeader #-}

-- | With 1 for @pairs@, of a map.
frameHeader ::
  Expected ->
  Int# ->
  Word# ->
  Context ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, Int# #)
frameHeader expected pairs b ctx e c s = case argument e c b of
  (# c1, n #) -> case eqAddr# c1 nullAddr# of
    0# -> case leWord# n (uncheckedShiftRL# (int2Word# (minusAddr# e c1)) pairs) of
      1# -> claimed c1 (word2Int# n) s
      _ -> unboxed (failClaim e c s)
    _ -> case b `and#` 31## of
      31## -> case countedItems ctx e c s of
        (# s1, k #) -> claimed (plusAddr# c 1#) (uncheckedIShiftRL# k pairs) s1
      _ -> unboxed (failHead expected n e c s)
  where
    claimed :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
    claimed body n t = case claim ctx (uncheckedIShiftL# n pairs) t of
      (# t1, 1# #) -> (# t1, body, n #)
      (# t1, _ #) -> unboxed (failClaim e c t1)
{-# INLINE frameHeader #-}

-- | How many items there are in the frame at the cursor, which ends with a break.
-- All of it is checked. One that is large is looked at again by notes, so that the
-- frames in it are not looked at again and again.
countedItems :: Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
countedItems ctx e c s = case depthLeft ctx s of
  (# s1, depth #) -> case depth of
    0# -> case tooDeep ctx c s1 of s2 -> (# s2, 0# #)
    _ -> case notes ctx s1 of
      (# s2, seen #) -> case eqAddr# seen nullAddr# of
        1# -> first (depth -# 1#) s2
        _ -> noted seen (depth -# 1#) s2
  where
    first depth t = case countItems depth ctx e c t of
      (# t1, n #) -> case answer ctx t1 of
        (# t2, code #) -> case code of
          0## -> (# t2, word2Int# n #)
          8## -> begun (# ,word2Int# n #) depth t2
          3## | I# depth > shallow -> begun (wrong 3## n) depth t2
          _ -> wrong code n t2
    -- Without memory for notes it is as it was without them.
    begun without depth t = case Scan.newSeen ctx t of
      (# t1, seen #) -> case eqAddr# seen nullAddr# of
        1# -> without t1
        _ -> case setNotes ctx seen t1 of t2 -> noted seen depth t2
    noted seen depth t = case countSeenItems seen depth ctx e c t of
      (# t1, n #) -> case answer ctx t1 of
        (# t2, code #) -> case code of
          0## -> (# t2, word2Int# n #)
          7## -> unnoted depth t2
          _ -> wrong code n t2
    unnoted depth t = case countItems depth ctx e c t of
      (# t1, n #) -> case answer ctx t1 of
        (# t2, code #) -> case code of
          0## -> (# t2, word2Int# n #)
          8## -> (# t2, word2Int# n #)
          _ -> wrong code n t2
    wrong :: Word# -> Word# -> State# RealWorld -> (# State# RealWorld, Int# #)
    wrong code n t = case failStepping ctx code e (int2Addr# (word2Int# n)) t of
      (# t1, _, () #) -> (# t1, 0# #)
{-# NOINLINE countedItems #-}

-- * Tags

-- | Does a tag stand at the cursor? 1 or 0.
isTag :: Addr# -> Addr# -> Int#
isTag e c = eqWord# (firstByte e c `and#` 0xe0##) 0xc0##
{-# INLINE isTag #-}

-- | The head of a tag: the address after it, and its number.
tagHeader :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Word# #)
tagHeader e c s = case firstByte e c of
  b
    | isTrue# (eqWord# (b `and#` 0xe0##) 0xc0##) -> case argument e c b of
        (# c1, n #) -> case eqAddr# c1 nullAddr# of
          0# -> (# s, c1, n #)
          _ -> none (failHead ATag n e c s)
    | otherwise -> none (failExpected ATag e c s)
  where
    none :: (# State# RealWorld, Addr#, () #) -> (# State# RealWorld, Addr#, Word# #)
    none (# s1, c1, () #) = (# s1, c1, 0## #)
{-# NOINLINE tagHeader #-}

-- | A tag, one level inwards: what to do with its number, at its content.
tagged :: (Word# -> Step a) -> Step a
tagged content ctx e c s = case tagHeader e c s of
  (# s1, c1, n #) -> case inline enter ctx c s1 of
    s2 -> case content n ctx e c1 s2 of
      (# s3, c2, a #) -> case inline leave ctx s3 of s4 -> (# s4, c2, a #)
{-# INLINE tagged #-}

-- * Whole items

-- | Step over any item, checking it.
skip :: Step ()
skip ctx e c s = stepOver shallow skipValue skipDeepValue (failStepping ctx) ctx e c s
{-# NOINLINE skip #-}

-- | What the C code found wrong, at the address of it.
failStepping ::
  Context -> Word# -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, () #)
failStepping ctx code e c s = case code of
  1## -> failEnd AValue c s
  3## -> case tooDeep ctx c s of s1 -> (# s1, c, () #)
  4## -> failClaim e c s
  5## -> failAt c InvalidUtf8 s
  6## -> failAt c (Unexpected AChunk) s
  _ -> failAt c (Unexpected AValue) s
{-# NOINLINE failStepping #-}
