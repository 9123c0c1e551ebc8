{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TupleSections #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Lists, vectors, maps, optional values and tuples as JSON, from the codecs
-- of what they hold.
--
-- INLINE on the loops: each is compiled for its elements' codec, which is known
-- where a type is derived, so that no element costs an unknown call. Proof: the
-- allocation ceiling "a thousand pairs in lists".
module Tern.Internal.Json.Container
  ( -- * Lists
    listW,
    listR,
    nonEmptyR,

    -- * Vectors
    vectorW,
    vectorR,

    -- * Values with a check
    refinedR,

    -- * Optional values
    maybeW,
    maybeR,
    eitherW,
    eitherR,
    sumW,
    sumR,

    -- * Objects used as maps
    pairsW,
    pairsR,
    Key (..),
    scalarKey,
    realKey,
    stringKey,
    mapKey,
    refineKey,
    mapW,
    mapR,

    -- * Arrays of known length
    unitW,
    unitR,
    open,
    comma,
    close,
    bracket,
    next,
    done,
  )
where

import Control.Monad ((>=>))
import Data.Bifunctor (first)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Vector.Generic qualified as V
import Data.Vector.Generic.Mutable qualified as M
import GHC.Base (unIO)
import GHC.Exts
import Tern.Error (Error (..), Expected (..), Reason (..), renderReason)
import Tern.Internal.Json.Codec (textR, textW)
import Tern.Internal.Json.Document (decodeWith, encodeTextWith, encodeWith)
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Read
  ( Reader (..),
    Step,
    digitLimit,
    enter,
    failAt,
    isDeep,
    leave,
    refinedFrom,
  )
import Tern.Internal.Write (Write, Writer (..), byte, contramapWriter, literal, toFill, write)
import Tern.Limits (Limits (..), defaultLimits, unlimited)
import Tern.Prim.Buffer (Fill)

-- * Lists

-- | An array, in one walk over the list.
listW :: Writer a -> Writer [a]
listW writer = FillWriter $ \xs mba op s -> case xs of
  [] -> toFill (literal "[]") mba op s
  x : rest -> case toFill (byte 91 <> write writer x) mba op s of
    (# s1, mba1, op1 #) -> listRest writer rest mba1 op1 s1
{-# INLINE [2] listW #-}

listRest :: Writer a -> [a] -> Fill
listRest writer = go
  where
    go xs mba op s = case xs of
      [] -> toFill (byte 93) mba op s
      x : rest -> case toFill (byte 44 <> write writer x) mba op s of
        (# s1, mba1, op1 #) -> go rest mba1 op1 s1
{-# INLINE listRest #-}

-- | Short lists are built on the way back from their end; from the 64th element
-- on they are collected and reversed, so that the stack stays small.
listR :: Reader a -> Reader [a]
listR (Reader step) = Reader (Json.array (\_ _ c s -> (# s, c, [] #)) (forward 0#))
  where
    forward n ctx e c s = case step ctx e c s of
      (# s1, c1, x #) -> case Json.elements e c1 s1 of
        (# s2, c2, 0# #) -> (# s2, c2, [x] #)
        (# s2, c2, _ #) -> case n <# 64# of
          1# -> case forward (n +# 1#) ctx e c2 s2 of
            (# s3, c3, rest #) -> (# s3, c3, x : rest #)
          _ -> case collect [] ctx e c2 s2 of
            (# s3, c3, rest #) -> (# s3, c3, x : rest #)
    collect acc ctx e c s = case step ctx e c s of
      (# s1, c1, x #) -> case Json.elements e c1 s1 of
        (# s2, c2, 0# #) -> case reverseOnto acc [x] of !xs -> (# s2, c2, xs #)
        (# s2, c2, _ #) -> collect (x : acc) ctx e c2 s2
    reverseOnto acc xs = case acc of
      [] -> xs
      a : rest -> reverseOnto rest (a : xs)
{-# INLINE [2] listR #-}

-- | A list that must not be empty.
nonEmptyR :: Reader a -> Reader (NonEmpty a)
nonEmptyR reader = Reader $ \ctx e c s -> case list ctx e c s of
  (# s1, c1, xs #) -> case xs of
    x : rest -> (# s1, c1, x :| rest #)
    [] ->
      failAt (Json.skipSpace e c) (Refused (T.pack "expected an array of at least one element")) s1
  where
    !(Reader list) = listR reader
{-# INLINE [2] nonEmptyR #-}

-- * Vectors

-- | An array. The elements are taken from the vector one by one.
vectorW :: (V.Vector v a) => Writer a -> Writer (v a)
vectorW writer = FillWriter $ \v mba op s -> case V.length v of
  0 -> toFill (literal "[]") mba op s
  n -> case unIO (V.unsafeIndexM v 0) s of
    (# s1, x #) -> case toFill (byte 91 <> write writer x) mba op s1 of
      (# s2, mba1, op1 #) -> go v n 1 mba1 op1 s2
  where
    go v n i mba op s
      | i >= n = toFill (byte 93) mba op s
      | otherwise = case unIO (V.unsafeIndexM v i) s of
          (# s1, x #) -> case toFill (byte 44 <> write writer x) mba op s1 of
            (# s2, mba1, op1 #) -> go v n (i + 1) mba1 op1 s2
{-# INLINE [2] vectorW #-}

-- | Doubles its room as it grows and is trimmed at the end; far down its elements are a
-- list first ('isDeep').
vectorR :: forall v a. (V.Vector v a) => Reader a -> Reader (v a)
vectorR (Reader step) = Reader (Json.array none some)
  where
    none, some :: Step (v a)
    none _ _ c s = case V.empty of !v -> (# s, c, v #)
    some ctx e c s = case isDeep ctx s of
      (# s1, 0# #) -> case unIO (M.unsafeNew 8) s1 of (# s2, v #) -> go v 8 0 ctx e c s2
      (# s1, _ #) -> listed 1 [] ctx e c s1
    listed :: Int -> [a] -> Step (v a)
    listed n acc ctx e c s = case step ctx e c s of
      (# s1, c1, x #) -> case Json.elements e c1 s1 of
        (# s2, c2, 0# #) -> case V.fromListN n (reverse (x : acc)) of !v -> (# s2, c2, v #)
        (# s2, c2, _ #) -> listed (n + 1) (x : acc) ctx e c2 s2
    go v room i ctx e c s = case step ctx e c s of
      (# s1, c1, x #)
        | i < room -> case unIO (M.unsafeWrite v i x) s1 of
            (# s2, () #) -> more v room (i + 1) ctx e c1 s2
        | otherwise -> case unIO (M.unsafeGrow v room) s1 of
            (# s2, v1 #) -> case unIO (M.unsafeWrite v1 i x) s2 of
              (# s3, () #) -> more v1 (2 * room) (i + 1) ctx e c1 s3
    more v room i ctx e c s = case Json.elements e c s of
      (# s1, c1, 0# #) -> case unIO
        ( if i == room
            then V.unsafeFreeze v
            else V.freeze (M.unsafeTake i v)
        )
        s1 of
        (# s2, frozen #) -> (# s2, c1, frozen #)
      (# s1, c1, _ #) -> go v room i ctx e c1 s1
{-# INLINE [2] vectorR #-}

-- * Values with a check

-- | What another type's values stand for, or why one stands for nothing. It is refused
-- where it begins.
refinedR :: (a -> Either Text b) -> Reader a -> Reader b
refinedR = refinedFrom Json.skipSpace
{-# INLINE [2] refinedR #-}

-- * Optional values

-- | @null@ or the value.
maybeW :: Writer a -> Writer (Maybe a)
maybeW = \case
  BoundedWriter n poke ->
    -- NOINLINE: as for 'Tern.Internal.Json.Codec.boolW'.
    let choose m op s = case m of
          Nothing ->
            case writeWord32OffAddr# op 0# (wordToWord32# 0x6c6c756e##) s of
              s1 ->
                (# s1, plusAddr# op 4# #)
          Just x -> poke x op s
        {-# NOINLINE choose #-}
     in BoundedWriter (max 4 n) (\m -> choose m)
  FillWriter fill -> FillWriter $ \m mba op s -> case m of
    Nothing -> toFill (literal "null") mba op s
    Just x -> fill x mba op s
{-# INLINE [2] maybeW #-}

-- | 'Nothing' for @null@, else the value: so 'Just' of what is written as @null@ is read as
-- 'Nothing'.
maybeR :: Reader a -> Reader (Maybe a)
maybeR (Reader step) = Reader $ \ctx e c0 s -> case inline Json.skipSpace e c0 of
  c -> case Json.isNull e c of
    1# -> (# s, plusAddr# c 4#, Nothing #)
    _ -> case step ctx e c s of (# s1, c1, x #) -> (# s1, c1, Just x #)
{-# INLINE [2] maybeR #-}

-- | @{"Left":…}@ or @{"Right":…}@, as aeson has it.
eitherW :: Writer a -> Writer b -> Writer (Either a b)
eitherW = sidesW "{\"Left\":" "{\"Right\":"
{-# INLINE [2] eitherW #-}

-- | An object of one member, as 'eitherW' writes it. Another name is an 'UnknownConstructor'.
eitherR :: Reader a -> Reader b -> Reader (Either a b)
eitherR = sidesR "Left" "Right"
{-# INLINE [2] eitherR #-}

-- | @{"InL":…}@ or @{"InR":…}@, as aeson has it.
sumW :: Writer a -> Writer b -> Writer (Either a b)
sumW = sidesW "{\"InL\":" "{\"InR\":"
{-# INLINE [2] sumW #-}

-- | As 'eitherR', with the names of 'sumW'.
sumR :: Reader a -> Reader b -> Reader (Either a b)
sumR = sidesR "InL" "InR"
{-# INLINE [2] sumR #-}

-- | Given how each side's object begins.
sidesW :: String -> String -> Writer a -> Writer b -> Writer (Either a b)
sidesW onLeft onRight left right = FillWriter $ \case
  Left a -> toFill (literal onLeft <> write left a <> byte 125)
  Right b -> toFill (literal onRight <> write right b <> byte 125)
{-# INLINE sidesW #-}

sidesR :: String -> String -> Reader a -> Reader b -> Reader (Either a b)
sidesR onLeft onRight (Reader left) (Reader right) = Reader $ \ctx e c0 s ->
  let !start = inline Json.skipSpace e c0
   in case Json.objectOpen e start s of
        (# s1, c1, () #) -> case inline enter ctx start s1 of
          s2 -> case Json.key ctx e c1 s2 of
            (# s3, c2, label #)
              | label == T.pack onLeft -> case left ctx e c2 s3 of
                  (# s4, c3, a #) ->
                    closing (Left a) ctx e c3 s4
              | label == T.pack onRight -> case right ctx e c2 s3 of
                  (# s4, c3, b #) ->
                    closing (Right b) ctx e c3 s4
              | otherwise ->
                  failAt start (UnknownConstructor label [T.pack onLeft, T.pack onRight]) s3
  where
    closing x ctx e c s =
      let !c1 = inline Json.skipSpace e c
       in if isTrue# (ltAddr# c1 e)
            && isTrue# (eqWord# (word8ToWord# (indexWord8OffAddr# c1 0#)) 125##)
            then case inline leave ctx s of s1 -> (# s1, plusAddr# c1 1#, x #)
            else Json.failExpected AnObjectOfOne e c1 s
{-# INLINE sidesR #-}

-- * Objects used as maps

-- | An object from pairs, in their order, keys as 'Text'.
pairsW :: Writer v -> Writer [(Text, v)]
pairsW writer = FillWriter $ \pairs mba op s -> case pairs of
  [] -> toFill (literal "{}") mba op s
  (k, v) : rest -> case toFill (byte 123 <> write textW k <> byte 58 <> write writer v) mba op s of
    (# s1, mba1, op1 #) -> go rest mba1 op1 s1
  where
    go pairs mba op s = case pairs of
      [] -> toFill (byte 125) mba op s
      (k, v)
        : rest -> case toFill (byte 44 <> write textW k <> byte 58 <> write writer v) mba op s of
          (# s1, mba1, op1 #) -> go rest mba1 op1 s1
{-# INLINE pairsW #-}

-- | The pairs of an object, the last one first.
pairsR :: Reader v -> Reader [(Text, v)]
pairsR (Reader step) = Reader $ \ctx e c0 s ->
  let !start = inline Json.skipSpace e c0
   in case Json.objectOpen e start s of
        (# s1, c1, () #) -> case inline enter ctx start s1 of
          s2 ->
            let !c2 = inline Json.skipSpace e c1
             in if isTrue# (ltAddr# c2 e)
                  && isTrue# (eqWord# (word8ToWord# (indexWord8OffAddr# c2 0#)) 125##)
                  then case inline leave ctx s2 of s3 -> (# s3, plusAddr# c2 1#, [] #)
                  else go [] ctx e c2 s2
  where
    go acc ctx e c s = case Json.key ctx e c s of
      (# s1, c1, k #) -> case step ctx e c1 s1 of
        (# s2, c2, v #) -> case Json.members e c2 s2 of
          (# s3, c3, 0# #) -> case inline leave ctx s3 of s4 -> (# s4, c3, (k, v) : acc #)
          (# s3, c3, _ #) -> go ((k, v) : acc) ctx e c3 s3
{-# INLINE pairsR #-}

-- | How values of a type are the keys of an object.
data Key a
  = -- | As text, and what a text stands for, or why for nothing.
    TextKey (a -> Text) (Text -> Either Text a)
  | -- | The same where reading has limits.
    LimitedKey (a -> Text) (Limits -> Text -> Either Text a)
  | -- | Not at all.
    NoKey

-- | The text of a value's document, for types whose documents have no quotes; and no other
-- text that reads as the same value, so that no two keys of an object are the same.
scalarKey :: Writer a -> Reader a -> Key a
scalarKey writer reader =
  LimitedKey
    (encodeTextWith writer)
    $ \limits text -> case decodeWith reader limits (T.encodeUtf8 text) of
      Right a
        | encodeTextWith writer a == text -> Right a
        | otherwise -> Left (T.pack "expected a key as it is written, " <> encodeTextWith writer a)
      Left e -> Left (renderReason (errorReason e))
{-# INLINE [2] scalarKey #-}

-- | The same of reals, which others write in other ways: any text of one, without space.
realKey :: Writer a -> Reader a -> Key a
realKey writer reader =
  LimitedKey
    (T.dropAround (== '"') . encodeTextWith writer)
    $ \limits text -> case decodeWith reader limits (T.encodeUtf8 (special text)) of
      _
        | T.any (<= ' ') text -> Left (T.pack "expected a number without space around it")
        -- Those of the infinities are added here.
        | T.any (== '"') text -> Left (T.pack "expected a number without quotes around it")
      Right a -> Right a
      Left e -> Left (renderReason (errorReason e))
  where
    special text =
      if T.isSuffixOf (T.pack "inf") text
        then T.concat [T.singleton '"', text, T.singleton '"']
        else text
{-# INLINE [2] realKey #-}

-- | The contents of a value's document, for types whose documents are strings.
stringKey :: Writer a -> Reader a -> Key a
stringKey writer reader =
  LimitedKey contents $ \limits text -> case decodeWith reader limits (encodeWith textW text) of
    Right a -> Right a
    Left e -> Left (renderReason (errorReason e))
  where
    contents a = case decodeWith textR unlimited (encodeWith writer a) of
      Right text -> text
      Left _ -> encodeTextWith writer a

-- | Keys of one type by those of another.
mapKey :: (b -> a) -> (a -> b) -> Key a -> Key b
mapKey from to = refineKey from (Right . to)
{-# INLINE mapKey #-}

-- | The same where not every key of the one is one of the other.
refineKey :: (b -> a) -> (a -> Either Text b) -> Key a -> Key b
refineKey from to = \case
  TextKey text value -> TextKey (text . from) (value >=> to)
  LimitedKey text value -> LimitedKey (text . from) (\limits key -> value limits key >>= to)
  NoKey -> NoKey
{-# INLINE refineKey #-}

-- | A map from its pairs: an object, or an array of pairs where the keys cannot
-- be an object's.
mapW :: Key k -> Writer k -> Writer v -> Writer [(k, v)]
mapW key keyW value = case key of
  TextKey text _ -> contramapWriter (map (first text)) (pairsW value)
  LimitedKey text _ -> contramapWriter (map (first text)) (pairsW value)
  NoKey ->
    listW $ FillWriter $ \(k, v) -> toFill (open <> write keyW k <> comma <> write value v <> close)
{-# INLINE [2] mapW #-}

-- | The pairs of a map, the last one first.
mapR :: Key k -> Reader k -> Reader v -> Reader [(k, v)]
mapR key keyR value = Reader $ \ctx e c s -> case key of
  TextKey _ parse -> object parse ctx e c s
  LimitedKey _ parse -> case digitLimit ctx s of
    (# s1, digits #) ->
      object (parse defaultLimits {maxBytes = maxBound, maxDigits = I# digits}) ctx e c s1
  NoKey -> case listR (bracket 2 ((,) <$> keyR <*> next 2 value) <* done 2) of
    Reader step -> case step ctx e c s of
      (# s1, c1, pairs #) -> case reverse pairs of !kvs -> (# s1, c1, kvs #)
  where
    object parse ctx e c s = case pairsR value of
      Reader step -> case step ctx e c s of
        (# s1, c1, pairs #) -> case traverse (\(k, v) -> fmap (,v) (parse k)) pairs of
          Right !kvs -> (# s1, c1, kvs #)
          Left message -> noKey (either Just (const Nothing) . parse) message ctx e c s1
    {-# INLINE object #-}
{-# INLINE [2] mapR #-}

-- | Fails at the first name of an object that is no key, for the reason that is given for it. The
-- object has been read, and is gone through once more.
noKey :: (Text -> Maybe Text) -> Text -> Step a
noKey wrong otherwise' ctx e c0 s0 = go (plusAddr# (Json.skipSpace e c0) 1#) s0
  where
    go c s =
      let !start = Json.skipSpace e c
       in case Json.key ctx e start s of
            (# s1, c1, name #) -> case wrong name of
              Just message -> failAt start (Refused message) s1
              Nothing -> case Json.skip ctx e c1 s1 of
                (# s2, c2, () #) -> case Json.members e c2 s2 of
                  (# s3, _, 0# #) -> failAt c0 (Refused otherwise') s3
                  (# s3, c3, _ #) -> go c3 s3
{-# NOINLINE noKey #-}

-- * Arrays of known length

-- | @[]@
unitW :: Writer ()
unitW =
  BoundedWriter
    2
    ( \() op s -> case writeWord16OffAddr# op 0# (wordToWord16# 0x5d5b##) s of
        s1 ->
          (# s1, plusAddr# op 2# #)
    )
{-# INLINE unitW #-}

-- | An empty array. One that has elements is refused.
unitR :: Reader ()
unitR =
  Reader
    ( Json.array
        (\_ _ c s -> (# s, c, () #))
        (\_ _ c s -> failAt c (Unexpected (AnArrayOf 0)) s)
    )

-- | The opening bracket of an array, a comma, and the closing bracket.
open, comma, close :: Write
open = byte 91
comma = byte 44
close = byte 93
{-# INLINE open #-}
{-# INLINE comma #-}
{-# INLINE close #-}

-- | The brackets around the elements of an array whose length is known:
-- the first element's reader, then 'next' for each further one, then 'done'.
bracket :: Int -> Reader a -> Reader a
bracket n (Reader step) =
  Reader (Json.array (\_ _ c s -> failAt c (Unexpected (AnArrayOf n)) s) step)
{-# INLINE bracket #-}

-- | A further element of an array of @n@, after a comma.
next :: Int -> Reader a -> Reader a
next n (Reader step) = Reader $ \ctx e c s -> case Json.elements e c s of
  (# s1, c1, 1# #) -> step ctx e c1 s1
  (# s1, _, _ #) -> failAt c (Unexpected (AnArrayOf n)) s1
{-# INLINE next #-}

-- | The end of an array of @n@.
done :: Int -> Reader ()
done n = Reader $ \_ e c s -> case Json.elements e c s of
  (# s1, c1, 0# #) -> (# s1, c1, () #)
  (# s1, _, _ #) -> failAt c (Unexpected (AnArrayOf n)) s1
{-# INLINE done #-}
