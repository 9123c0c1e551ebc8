{-# LANGUAGE MagicHash #-}
{-# LANGUAGE NegativeLiterals #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Sums as MessagePack: finding out which constructor a value has.
--
-- The idea is that of "Tern.Json.Sum": the constructor's name is looked up in a
-- set that the type builds once, and its number picks the code that reads the
-- rest. Where the tag is the first pair the input is read once.
module Tern.MessagePack.Sum
  ( Constructors,
    constructors,

    -- * Tagged maps
    Tagged,
    taggedMap,
    caseNullary,
    caseContents,
    caseRecord,

    -- * Other layouts
    enumeration,
    singlePair,
    twoElements,
  )
where

import Data.Text qualified as T
import GHC.Exts
import Tern.Ahead (ahead)
import Tern.Constructors
import Tern.Error
import Tern.MessagePack.Read qualified as Read
import Tern.Prim.Literal (Constant (..), constant)
import Tern.Prim.MessagePack qualified as Prim
import Tern.Prim.Names qualified as Names
import Tern.Read

-- * Tagged maps

-- | Where a tagged map's parts are: the constructor's number; the map's header;
-- how many pairs come behind the tag, at the cursor, or, where the tag did not
-- come first and the whole map has been stepped over, @-1@ less how many pairs
-- the map has; its first key; and where the contents stand, or null.
--
-- All unboxed: it is an answer, and never kept.
data Tagged = Tagged Int# Addr# Int# Addr# Addr#

-- | The tag of a map, from a cursor before it. @tagKey@ is the name of the
-- tag's pair, @contentsKey@ that of the contents'.
tagged :: Constant -> Constant -> Constructors -> Step Tagged
tagged tagKey@(Constant tagName _ _) contentsKey known ctx e start s = case Read.mapHeader ctx e start s of
  (# s1, first, k #) -> case keyIs tagKey e first s1 of
    (# s2, after, 1# #) | isTrue# (k ># 0#) -> case name known ctx e after s2 of
      (# s3, c3, I# number #) -> (# s3, c3, Tagged number start (k -# 1#) first nullAddr# #)
    (# s2, _, _ #) -> pairs first k k nullAddr# -1# first s2
  where
    -- At a key, with what has been found so far.
    pairs :: Addr# -> Int# -> Int# -> Addr# -> Int# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Tagged #)
    pairs first all' k body number c t = case k of
      0# -> case number of
        -1# -> failAt start (MissingField (T.pack tagName)) t
        _ -> (# t, c, Tagged number start (-1# -# all') first body #)
      _ -> case keyIs tagKey e c t of
        (# t1, c1, 1# #) -> case name known ctx e c1 t1 of
          (# t2, c2, I# i #) -> pairs first all' (k -# 1#) body i c2 t2
        (# t1, _, _ #) -> case keyIs contentsKey e c t1 of
          (# t2, c1, 1# #) -> value first all' k c1 number c1 t2
          (# t2, _, _ #) -> case Read.skip ctx e c t2 of
            (# t3, c1, () #) -> value first all' k body number c1 t3
    value first all' k body number c t = case skipAhead start ctx e c t of
      (# t1, c1, () #) -> pairs first all' (k -# 1#) body number c1 t1
{-# NOINLINE tagged #-}

-- | Step over a value of the map at an address, which is read afterwards.
skipAhead :: Addr# -> Step ()
skipAhead frame = ahead Read.skip (\seen depth -> Prim.skipSeenValue seen frame depth)
{-# NOINLINE skipAhead #-}

-- | Does this string stand at the cursor, in whatever format? The address after
-- it and 1, or the cursor and 0.
keyIs :: Constant -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
keyIs (Constant _ (I# size) matches) e c s = case Read.isStr e c of
  1# -> case Read.strHeader e c s of
    (# s1, body, n #) | I# n == I# size -> case matches e body s1 of
      (# s2, 1# #) -> (# s2, plusAddr# body n, 1# #)
      (# s2, _ #) -> (# s2, c, 0# #)
    (# s1, _, _ #) -> (# s1, c, 0# #)
  _ -> (# s, c, 0# #)

-- | A string that is a constructor's name, and that constructor's number.
name :: Constructors -> Step Int
name (Constructors names labels) ctx e c s = case Read.strHeader e c s of
  (# s1, body, n #) -> case Names.find names body n s1 of
    (# s2, -1# #) -> case Read.text ctx e c s2 of
      (# s3, _, label #) -> failAt c (UnknownConstructor label labels) s3
    (# s2, i #) -> (# s2, plusAddr# body n, I# i #)
{-# NOINLINE name #-}

-- | A type laid out as tagged maps: the names of the pairs for tag and
-- contents, its constructors, and how each is read once it is known.
taggedMap :: String -> String -> Constructors -> (Tagged -> Int# -> Step a) -> Reader a
taggedMap tagKey contentsKey known constructor = Reader $ \ctx e c s -> case inline enter ctx c s of
  s1 -> case tagged (constant tagKey) (constant contentsKey) known ctx e c s1 of
    (# s2, c2, found@(Tagged i _ _ _ _) #) -> case constructor found i ctx e c2 s2 of
      (# s3, c3, x #) -> case inline leave ctx s3 of s4 -> (# s4, c3, x #)
{-# INLINE taggedMap #-}

-- | A constructor without fields: the other pairs are stepped over.
caseNullary :: a -> Tagged -> Step a
caseNullary x (Tagged _ _ k _ _) ctx e c s = case rest k ctx e c s of
  (# s1, c1, () #) -> (# s1, c1, x #)
{-# INLINE caseNullary #-}

-- | A constructor whose fields are the value of the contents' pair.
caseContents :: String -> Reader a -> Tagged -> Step a
caseContents contentsKey (Reader step) (Tagged _ start k _ body) ctx e c s = case k >=# 0# of
  1# -> case contents (constant contentsKey) start k ctx e c s of
    (# s1, c1, I# left #) -> case step ctx e c1 s1 of
      (# s2, c2, a #) -> case rest left ctx e c2 s2 of (# s3, c3, () #) -> (# s3, c3, a #)
  _ -> case eqAddr# body nullAddr# of
    1# -> failAt start (MissingField (T.pack contentsKey)) s
    _ -> case step ctx e body s of (# s1, _, a #) -> (# s1, c, a #)
{-# INLINE caseContents #-}

-- | A constructor whose fields stand beside the tag: how they are read from so
-- many pairs of the map that begins at an address.
caseRecord :: (Addr# -> Int# -> Step a) -> Tagged -> Step a
caseRecord reader (Tagged _ start k first _) ctx e c s = case k >=# 0# of
  1# -> reader start k ctx e c s
  -- The tag is among the unknown fields then.
  _ -> case reader start (-1# -# k) ctx e first s of (# s1, _, a #) -> (# s1, c, a #)
{-# INLINE caseRecord #-}

-- | From the first of @k@ pairs to the value of the contents' pair, and how many
-- pairs come behind it.
contents :: Constant -> Addr# -> Int# -> Step Int
contents contentsKey@(Constant contentsName _ _) start k ctx e c s = case k of
  0# -> failAt start (MissingField (T.pack contentsName)) s
  _ -> case keyIs contentsKey e c s of
    (# s1, c1, 1# #) -> (# s1, c1, I# (k -# 1#) #)
    (# s1, _, _ #) -> case pair ctx e c s1 of
      (# s2, c2, () #) -> contents contentsKey start (k -# 1#) ctx e c2 s2
{-# NOINLINE contents #-}

-- | Step over so many pairs; over none, for a number below 0.
rest :: Int# -> Step ()
rest k ctx e c s = case k ># 0# of
  1# -> case pair ctx e c s of
    (# s1, c1, () #) -> rest (k -# 1#) ctx e c1 s1
  _ -> (# s, c, () #)
{-# NOINLINE rest #-}

pair :: Step ()
pair ctx e c s = case Read.skip ctx e c s of
  (# s1, c1, () #) -> Read.skip ctx e c1 s1

-- * Other layouts

-- | A type of constructors without fields: their names as strings.
enumeration :: Constructors -> (Int# -> a) -> Reader a
enumeration known constructor = Reader $ \ctx e c s -> case name known ctx e c s of
  (# s1, c1, I# i #) -> case constructor i of !x -> (# s1, c1, x #)
{-# INLINE enumeration #-}

-- | A map of one pair, whose key is the constructor's name.
singlePair :: Constructors -> (Int# -> Reader a) -> Reader a
singlePair known constructor = Reader $ \ctx e start s ->
  Read.map
    ( \n ctx' e' c' s' -> case n of
        1# -> case name known ctx' e' c' s' of
          (# s1, c1, I# i #) -> case constructor i of Reader step -> step ctx' e' c1 s1
        _ -> failAt start (Unexpected AMapOfOne) s'
    )
    ctx
    e
    start
    s
{-# INLINE singlePair #-}

-- | An array of the constructor's name and its fields.
twoElements :: Constructors -> (Int# -> Reader a) -> Reader a
twoElements known constructor = Reader $ \ctx e start s ->
  Read.array
    ( \n ctx' e' c' s' -> case n of
        2# -> case name known ctx' e' c' s' of
          (# s1, c1, I# i #) -> case constructor i of Reader step -> step ctx' e' c1 s1
        _ -> failAt start (Unexpected (AnArrayOf 2)) s'
    )
    ctx
    e
    start
    s
{-# INLINE twoElements #-}
