{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE NegativeLiterals #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Sums in a binary format: finding out which constructor a value has.
--
-- The idea is that of "Tern.Internal.Json.Sum": the constructor's name is looked up in a
-- set that the type builds once, and its number picks the code that reads the
-- rest. Where the tag is the first pair the input is read once.
module Tern.Internal.Binary.Sum
  ( Constructors,
    constructors,

    -- * Compiled once for each format
    Sums (..),
    taggedBy,
    nameBy,
    contentsBy,
    restBy,

    -- * Tagged maps
    Tagged (..),
    taggedMap,
    caseNullary,
    caseContents,
    caseRecord,
    closedNullary,
    closedContents,

    -- * Other layouts
    enumeration,
    singlePair,
    twoElements,
  )
where

import Data.Text qualified as T
import GHC.Exts
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Binary.Container (array, map)
import Tern.Internal.Binary.Record (Keys (Named), Records (..), recordOf, thenField)
import Tern.Internal.Binary.Syntax (Syntax (..))
import Tern.Internal.Constructors (Constructors (..), constructors)
import Tern.Internal.Read (Context, Reader (..), Step, enter, failAt, leave)
import Tern.Internal.Record (closedTable, endFields, field, getSlotOf)
import Tern.Prim.Literal qualified as Literal
import Prelude hiding (map)

-- * Compiled once for each format

-- | What is compiled once for each format, and called. An instance is the
-- functions of the same names with @By@, not inlined.
class (Records f) => Sums f where
  -- | The tag of a map, from a cursor before it. The first string is the name of
  -- the tag's pair, the second that of the contents'.
  tagged :: Literal.Constant -> Literal.Constant -> Constructors -> Step Tagged

  -- | A text that is a constructor's name, and that constructor's number.
  name :: Constructors -> Step Int

  -- | From the first of @k@ pairs of the map at an address to the value of the
  -- contents' pair, and how many pairs come after it.
  contents :: Literal.Constant -> Addr# -> Int# -> Step Int

  -- | Step over @k@ pairs; over none, for a number below 0.
  rest :: Int# -> Step ()

-- | Where a tagged map's parts are: the constructor's number; the map's header;
-- how many pairs come after the tag, at the cursor, or, where the tag did not
-- come first and the whole map has been stepped over, @-1@ less how many pairs
-- the map has; its first key; and where the contents stand, or null.
--
-- All unboxed: it is an answer, and never kept.
data Tagged = Tagged Int# Addr# Int# Addr# Addr#

-- | 'tagged' for a format. Where the tag is not the first pair the whole map is stepped over, and
-- of several tags the last counts.
taggedBy ::
  forall f. (Sums f) => Literal.Constant -> Literal.Constant -> Constructors -> Step Tagged
taggedBy
  tagKey@(Literal.Constant tagName _ _)
  contentsKey
  known
  ctx
  e
  start
  s = case mapHeader @f ctx e start s of
    (# s1, first, k #) -> case keyIs @f tagKey ctx e first s1 of
      (# s2, after, 1# #) | isTrue# (k ># 0#) -> case name @f known ctx e after s2 of
        (# s3, c3, I# number #) -> (# s3, c3, Tagged number start (k -# 1#) first nullAddr# #)
      (# s2, _, _ #) -> pairs first k k nullAddr# -1# first s2
    where
      -- At a key, with what has been found so far.
      pairs ::
        Addr# ->
        Int# ->
        Int# ->
        Addr# ->
        Int# ->
        Addr# ->
        State# RealWorld ->
        (# State# RealWorld, Addr#, Tagged #)
      pairs first all' k body number c t = case k of
        0# -> case number of
          -1# -> failAt start (MissingField (T.pack tagName)) t
          _ -> (# t, c, Tagged number start (-1# -# all') first body #)
        _ -> case keyIs @f tagKey ctx e c t of
          (# t1, c1, 1# #) -> case name @f known ctx e c1 t1 of
            (# t2, c2, I# i #) -> pairs first all' (k -# 1#) body i c2 t2
          (# t1, _, _ #) -> case keyIs @f contentsKey ctx e c t1 of
            (# t2, c1, 1# #) -> value first all' k c1 number c1 t2
            (# t2, _, _ #) -> case skip @f ctx e c t2 of
              (# t3, c1, () #) -> value first all' k body number c1 t3
      value first all' k body number c t = case skipAhead @f start ctx e c t of
        (# t1, c1, () #) -> pairs first all' (k -# 1#) body number c1 t1
{-# INLINE taggedBy #-}

-- | Does this text stand at the cursor, however it is written? The address after
-- it and 1, or the cursor and 0.
keyIs ::
  forall f.
  (Syntax f) =>
  Literal.Constant ->
  Context ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, Int# #)
keyIs (Literal.Constant label (I# size) matches) ctx e c s = case isText @f e c of
  1# -> case isOpenText @f e c of
    1# -> case readText @f ctx e c s of
      (# s1, c1, found #)
        | found == T.pack label -> (# s1, c1, 1# #)
        | otherwise -> (# s1, c, 0# #)
    _ -> case textHeader @f e c s of
      (# s1, body, n #) | I# n == I# size -> case matches e body s1 of
        (# s2, 1# #) -> (# s2, plusAddr# body n, 1# #)
        (# s2, _ #) -> (# s2, c, 0# #)
      (# s1, _, _ #) -> (# s1, c, 0# #)
  _ -> (# s, c, 0# #)
{-# INLINEABLE keyIs #-}

-- | 'name' for a format. Another text is an 'UnknownConstructor', at the text's first byte.
nameBy :: forall f. (Sums f) => Constructors -> Step Int
nameBy (Constructors names labels) ctx e c s = case findName @f names ctx e c s of
  (# s1, _, -1# #) -> case readText @f ctx e c s1 of
    (# s2, _, label #) -> failAt c (UnknownConstructor label labels) s2
  (# s1, c1, i #) -> (# s1, c1, I# i #)
{-# INLINE nameBy #-}

-- | 'contents' for a format. Pairs before the contents are stepped over and checked. Without them
-- there is a 'MissingField', where the map begins.
contentsBy :: forall f. (Sums f) => Literal.Constant -> Addr# -> Int# -> Step Int
contentsBy contentsKey@(Literal.Constant contentsName _ _) start k ctx e c s = case k of
  0# -> failAt start (MissingField (T.pack contentsName)) s
  _ -> case keyIs @f contentsKey ctx e c s of
    (# s1, c1, 1# #) -> (# s1, c1, I# (k -# 1#) #)
    (# s1, _, _ #) -> case pair @f ctx e c s1 of
      (# s2, c2, () #) -> contents @f contentsKey start (k -# 1#) ctx e c2 s2
{-# INLINE contentsBy #-}

-- | 'rest' for a format. Keys and values are checked.
restBy :: forall f. (Sums f) => Int# -> Step ()
restBy k ctx e c s = case k ># 0# of
  1# -> case pair @f ctx e c s of
    (# s1, c1, () #) -> rest @f (k -# 1#) ctx e c1 s1
  _ -> (# s, c, () #)
{-# INLINE restBy #-}

pair :: forall f. (Syntax f) => Step ()
pair ctx e c s = case skip @f ctx e c s of
  (# s1, c1, () #) -> skip @f ctx e c1 s1
{-# INLINE pair #-}

-- * Tagged maps

-- | A type laid out as tagged maps: the names of the pairs for tag and
-- contents, its constructors, and how each is read once it is known.
taggedMap ::
  forall f a. (Sums f) => String -> String -> Constructors -> (Tagged -> Int# -> Step a) -> Reader a
taggedMap tagKey contentsKey known constructor = Reader $ \ctx e c s -> case inline enter ctx c s of
  s1 -> case tagged @f (Literal.constant tagKey) (Literal.constant contentsKey) known ctx e c s1 of
    (# s2, c2, found@(Tagged i _ _ _ _) #) -> case constructor found i ctx e c2 s2 of
      (# s3, c3, x #) -> case inline leave ctx s3 of s4 -> (# s4, closed @f c c3, x #)
{-# INLINE taggedMap #-}

-- | A constructor without fields: the other pairs are stepped over.
caseNullary :: forall f a. (Sums f) => a -> Tagged -> Step a
caseNullary x (Tagged _ _ k _ _) ctx e c s = case rest @f k ctx e c s of
  (# s1, c1, () #) -> (# s1, c1, x #)
{-# INLINE caseNullary #-}

-- | A constructor whose fields are the value of the contents' pair.
caseContents :: forall f a. (Sums f) => String -> Reader a -> Tagged -> Step a
caseContents contentsKey (Reader step) (Tagged _ start k _ body) ctx e c s = case k >=# 0# of
  1# -> case contents @f (Literal.constant contentsKey) start k ctx e c s of
    (# s1, c1, I# left #) -> case step ctx e c1 s1 of
      (# s2, c2, a #) -> case rest @f left ctx e c2 s2 of (# s3, c3, () #) -> (# s3, c3, a #)
  _ -> case eqAddr# body nullAddr# of
    1# -> failAt start (MissingField (T.pack contentsKey)) s
    _ -> case step ctx e body s of (# s1, _, a #) -> (# s1, c, a #)
{-# INLINE caseContents #-}

-- | A constructor whose fields stand beside the tag: how they are read from @k@
-- pairs of the map that begins at an address.
caseRecord :: (Addr# -> Int# -> Step a) -> Tagged -> Step a
caseRecord reader (Tagged _ start k first _) ctx e c s = case k >=# 0# of
  1# -> reader start k ctx e c s
  -- The tag is among the unknown fields then.
  _ -> case reader start (-1# -# k) ctx e first s of (# s1, _, a #) -> (# s1, c, a #)
{-# INLINE caseRecord #-}

-- | As 'caseNullary', of a map that has the tag alone: its name is the first argument.
closedNullary :: forall f a. (Sums f) => String -> a -> Tagged -> Step a
closedNullary tagKey x =
  caseRecord (recordOf @f Named (closedTable [tagKey] []) 0 endFields (\_ s -> (# s, x #)))
{-# INLINE closedNullary #-}

-- | As 'caseContents', of a map that has the tag and the contents alone.
closedContents :: forall f a. (Sums f) => String -> String -> Reader a -> Tagged -> Step a
closedContents tagKey contentsKey reader =
  caseRecord
    ( recordOf @f
        Named
        ( closedTable
            [tagKey]
            [field contentsKey reader Nothing]
        )
        1
        (thenField @f contentsKey reader endFields)
        (\slots -> getSlotOf reader slots 0#)
    )
{-# INLINE closedContents #-}

-- * Other layouts

-- | A type of constructors without fields: their names as texts.
enumeration :: forall f a. (Sums f) => Constructors -> (Int# -> a) -> Reader a
enumeration known constructor = Reader $ \ctx e c s -> case name @f known ctx e c s of
  (# s1, c1, I# i #) -> case constructor i of !x -> (# s1, c1, x #)
{-# INLINE enumeration #-}

-- | A map of one pair, whose key is the constructor's name.
singlePair :: forall f a. (Sums f) => Constructors -> (Int# -> Reader a) -> Reader a
singlePair known constructor = Reader $ \ctx e start s ->
  map @f
    ( \n ctx' e' c' s' -> case n of
        1# -> case name @f known ctx' e' c' s' of
          (# s1, c1, I# i #) -> case constructor i of Reader step -> step ctx' e' c1 s1
        _ -> failAt start (Unexpected AMapOfOne) s'
    )
    ctx
    e
    start
    s
{-# INLINE singlePair #-}

-- | An array of the constructor's name and its fields.
twoElements :: forall f a. (Sums f) => Constructors -> (Int# -> Reader a) -> Reader a
twoElements known constructor = Reader $ \ctx e start s ->
  array @f
    ( \n ctx' e' c' s' -> case n of
        2# -> case name @f known ctx' e' c' s' of
          (# s1, c1, I# i #) -> case constructor i of Reader step -> step ctx' e' c1 s1
        _ -> failAt start (Unexpected (AnArrayOf 2)) s'
    )
    ctx
    e
    start
    s
{-# INLINE twoElements #-}
