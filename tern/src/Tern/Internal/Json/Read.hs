{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | JSON's grammar (RFC 8259) for readers: white space, literals, strings,
-- the frames of arrays and objects, and stepping over a value.
--
-- The idea: a reader that guesses. Each looks for what it wants at the cursor
-- itself; only where that is not there does it step over white space and look
-- again. Compact input, which machines write, never pays for white space.
--
-- No Haskell type but 'Text' is known here; what a value means is the codec's.
module Tern.Internal.Json.Read
  ( -- * White space
    atToken,
    skipSpace,

    -- * Scalars
    isNull,
    bool,
    text,
    key,

    -- * Frames
    array,
    elements,
    objectOpen,
    members,
    colon,

    -- * Whole values
    skip,
    end,
    failExpected,
  )
where

import Data.Text (Text)
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import GHC.Exts
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Read (Step, answer, depthLeft, enter, failAt, leave, tooDeep)
import Tern.Prim.Byte (byteAt)
import Tern.Prim.Scan qualified as Scan
import Tern.Prim.Text qualified as Text

-- * White space

-- | Run a step at the next token: at once where the cursor stands on one.
--
-- INLINE: the step follows in a straight line. Proof: the allocation
-- ceiling "a record of 25 integers".
atToken :: Step a -> Step a
atToken step ctx e c s = step ctx e (inline skipSpace e c) s
{-# INLINE atToken #-}

-- | The first address from the cursor on that is not white space, or the end.
--
-- Use it as @inline skipSpace@ where it is hot: bound strictly, with variables for
-- arguments, GHC finds nothing to gain by inlining it and makes a call, INLINE or not.
skipSpace :: Addr# -> Addr# -> Addr#
skipSpace e c
  | isTrue# (ltAddr# c e), isTrue# (gtWord# (byteAt c) 32##) = c
  | otherwise = skipSpaces e c
{-# INLINE skipSpace #-}

-- | NOINLINE: a call that is rarely made.
skipSpaces :: Addr# -> Addr# -> Addr#
skipSpaces e c = Scan.skipSpaces e c
{-# NOINLINE skipSpaces #-}

-- | Fail at the next token: something else was expected there.
failExpected :: Expected -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
failExpected expected e c s =
  let !at = inline skipSpace e c
   in failAt at ((if isTrue# (geAddr# at e) then UnexpectedEnd else Unexpected) expected) s
{-# NOINLINE failExpected #-}

-- * Scalars

-- | Does @null@ stand at the cursor? 1 or 0.
isNull :: Addr# -> Addr# -> Int#
isNull e c
  | isTrue# (minusAddr# e c >=# 4#) = eqWord# (fourAt c) 0x6c6c756e##
  | otherwise = 0#
{-# INLINE isNull #-}

fourAt :: Addr# -> Word#
fourAt c = word32ToWord# (indexWord32OffAddr# c 0#)
{-# INLINE fourAt #-}

-- | The literals @true@ and @false@.
bool :: Step Bool
bool _ e c0 s =
  let !c = inline skipSpace e c0
   in case minusAddr# e c >=# 4# of
        1# -> case fourAt c of
          0x65757274## -> (# s, plusAddr# c 4#, True #)
          0x736c6166##
            | isTrue# (minusAddr# e c >=# 5#),
              isTrue# (eqWord# (byteAt (plusAddr# c 4#)) 101##) ->
                (# s, plusAddr# c 5#, False #)
          _ -> failExpected ABool e c s
        _ -> failExpected ABool e c s
{-# NOINLINE bool #-}

-- | A string.
text :: Step Text
text ctx e c0 s =
  let !c = inline skipSpace e c0
   in if isTrue# (ltAddr# c e) && isTrue# (eqWord# (byteAt c) 34##)
        then body ctx e (plusAddr# c 1#) s
        else failExpected AString e c s
{-# NOINLINE text #-}

-- | A string from after its opening quote.
body :: Step Text
body ctx e c s = case Scan.stringEnd ctx e c s of
  (# s1, q #) -> case answer ctx s1 of
    (# s2, flags #) -> case flags of
      0## -> copied q s2
      2## -> checkUtf8 q s2 (copied q)
      4##
        | isTrue# (geAddr# q e) -> failAt q (UnexpectedEnd AString) s2
        | otherwise -> failAt q ControlCharacter s2
      1## -> unescaped q s2
      _ -> checkUtf8 q s2 (unescaped q)
  where
    checkUtf8 q t next =
      let !n = minusAddr# q c
       in case Scan.utf8Prefix c n t of
            (# t1, k #) -> case k ==# n of
              1# -> next t1
              _ -> failAt (plusAddr# c k) InvalidUtf8 t1
    {-# INLINE checkUtf8 #-}
    copied q t = case Text.fromValid c (minusAddr# q c) t of
      (# t1, x #) -> (# t1, plusAddr# q 1#, x #)
    unescaped q t = case newByteArray# (minusAddr# q c) t of
      (# t1, mba #) -> case Scan.unescape 0 c q mba t1 of
        (# t2, n #)
          | isTrue# (n <# 0#) -> failAt (plusAddr# c (-1# -# n)) InvalidEscape t2
          | otherwise -> case shrinkMutableByteArray# mba n t2 of
              t3 -> case unsafeFreezeByteArray# mba t3 of
                (# t4, array# #) -> (# t4, plusAddr# q 1#, Text (TA.ByteArray array#) 0 (I# n) #)
{-# NOINLINE body #-}

-- | A field's name and the colon after it.
key :: Step Text
key ctx e c0 s =
  let !c = inline skipSpace e c0
   in if isTrue# (ltAddr# c e) && isTrue# (eqWord# (byteAt c) 34##)
        then case body ctx e (plusAddr# c 1#) s of
          (# s1, c1, name #) -> case colon e c1 s1 of
            (# s2, c2, () #) -> (# s2, c2, name #)
        else failExpected AKey e c s
{-# NOINLINE key #-}

-- | A colon.
colon :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, () #)
colon e c0 s =
  let !c = inline skipSpace e c0
   in if isTrue# (ltAddr# c e) && isTrue# (eqWord# (byteAt c) 58##)
        then (# s, plusAddr# c 1#, () #)
        else failExpected AColon e c s
{-# INLINE colon #-}

-- * Frames

-- | An array: what to do for an empty one, and for a first element that the
-- cursor stands before. The second must end with 'elements' returning 0.
array :: Step a -> Step a -> Step a
array none some ctx e c0 s =
  let !c = inline skipSpace e c0
   in if isTrue# (ltAddr# c e) && isTrue# (eqWord# (byteAt c) 91##)
        then case inline enter ctx c s of
          s1 ->
            let !c1 = inline skipSpace e (plusAddr# c 1#)
             in if isTrue# (ltAddr# c1 e) && isTrue# (eqWord# (byteAt c1) 93##)
                  then case inline leave ctx s1 of s2 -> none ctx e (plusAddr# c1 1#) s2
                  else case some ctx e c1 s1 of
                    (# s2, c2, a #) -> case inline leave ctx s2 of s3 -> (# s3, c2, a #)
        else failExpected AnArray e c s
{-# INLINE array #-}

-- | After an element: the address after a comma and 1, or after the closing
-- bracket and 0.
elements :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
elements e c0 s =
  let !c = inline skipSpace e c0
   in case isTrue# (ltAddr# c e) of
        True -> case byteAt c of
          44## -> (# s, plusAddr# c 1#, 1# #)
          93## -> (# s, plusAddr# c 1#, 0# #)
          _ -> neither CommaOrBracket e c s
        False -> neither CommaOrBracket e c s
{-# INLINE elements #-}

-- | After a member of an object: the address after a comma and 1, or after the
-- closing brace and 0.
members :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
members e c0 s =
  let !c = inline skipSpace e c0
   in case isTrue# (ltAddr# c e) of
        True -> case byteAt c of
          44## -> (# s, plusAddr# c 1#, 1# #)
          125## -> (# s, plusAddr# c 1#, 0# #)
          _ -> neither CommaOrBrace e c s
        False -> neither CommaOrBrace e c s
{-# INLINE members #-}

-- | Neither a comma nor the end.
neither :: Expected -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
neither expected e c s = case failExpected expected e c s of (# s1, c1, () #) -> (# s1, c1, 0# #)
{-# NOINLINE neither #-}

-- | The brace that opens an object.
objectOpen :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, () #)
objectOpen e c0 s =
  let !c = inline skipSpace e c0
   in if isTrue# (ltAddr# c e) && isTrue# (eqWord# (byteAt c) 123##)
        then (# s, plusAddr# c 1#, () #)
        else failExpected AnObject e c s
{-# INLINE objectOpen #-}

-- * Whole values

-- | Step over any value, checking it.
--
-- Few values are deeper than the room that there is for their levels; those
-- are begun again with four times as much, so that room and time stay in
-- proportion to what is stepped over.
skip :: Step ()
skip ctx e c s = case depthLeft ctx s of
  (# s1, depth #) -> case Scan.skipValue depth 0 ctx e c s1 of
    (# s2, c1 #) -> case answer ctx s2 of
      (# s3, code #) -> case code of
        0## -> (# s3, c1, () #)
        3## | I# depth > Scan.shallow -> deeper depth (4 * Scan.shallow) s3
        _ -> failed code c1 s3
  where
    deeper depth room@(I# room#) s0 = case newByteArray# (uncheckedIShiftRL# room# 3#) s0 of
      (# s1, levels #) ->
        let !(I# most) = min (I# depth) room
         in case Scan.skipDeepValue levels most 0 ctx e c s1 of
              (# s2, c1 #) -> case answer ctx s2 of
                (# s3, code #) -> case code of
                  0## -> (# s3, c1, () #)
                  3## | I# depth > room -> deeper depth (4 * room) s3
                  _ -> failed code c1 s3
    failed code c1 t = case code of
      1## -> failAt c1 (UnexpectedEnd AValue) t
      3## -> case tooDeep ctx c1 t of t1 -> (# t1, c1, () #)
      4## -> failAt c1 ControlCharacter t
      5## -> failAt c1 InvalidEscape t
      6## -> failAt c1 InvalidUtf8 t
      8## -> failAt c1 LeadingZero t
      _ -> failAt c1 (Unexpected AValue) t
{-# NOINLINE skip #-}

-- | Nothing but white space may follow.
end :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, () #)
end e c0 s =
  let !c = inline skipSpace e c0
   in case eqAddr# c e of
        1# -> (# s, c, () #)
        _ -> failAt c TrailingInput s
{-# INLINE end #-}
