{-# LANGUAGE MagicHash #-}
{-# LANGUAGE NegativeLiterals #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Sums: finding out which constructor a value has.
--
-- The idea: the constructor's name is looked up in a set that the type builds
-- once, and its number picks the code that reads the rest. Where the tag comes
-- first, as every encoder writes it, the input is read once; where it comes
-- later, what precedes it is stepped over to find it and then read; what has
-- been stepped over is not again by the sums inside it ("Tern.Internal.Ahead").
module Tern.Internal.Json.Sum
  ( Constructors,
    constructors,

    -- * Tagged objects
    Tagged,
    taggedObject,
    caseNullary,
    caseContents,
    caseRecord,
    closedNullary,
    closedContents,

    -- * Other layouts
    enumeration,
    singleField,
    twoElements,
  )
where

import Data.Text qualified as T
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import GHC.Exts
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Ahead (ahead)
import Tern.Internal.Constructors (Constructors (..), constructors)
import Tern.Internal.Json.Object qualified as Object
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Read (Reader (..), Step, answer, enter, failAt, leave)
import Tern.Internal.Record (closedTable, endFields, field, getSlotOf)
import Tern.Prim.Byte (byteAt)
import Tern.Prim.Literal (Constant (..), constant)
import Tern.Prim.Literal qualified as Literal
import Tern.Prim.Names qualified as Names
import Tern.Prim.Scan qualified as Scan

-- * Tagged objects

-- | Where a tagged object's parts are: the constructor's number; the object's
-- opening brace; 1 where the tag came first and the cursor stands after it, 0
-- where the whole object has been stepped over and the cursor stands after
-- its closing brace; and then where the contents stand, or null.
--
-- All unboxed: it is an answer, and never kept.
data Tagged = Tagged Int# Addr# Int# Addr#

-- | The tag of an object, from a cursor before it. @tagKey@ is the name of the
-- tag's field, @contentsKey@ that of the contents'.
tagged :: Constant -> Constant -> Constructors -> Step Tagged
tagged
  tagKey@(Constant tagName _ _)
  contentsKey@(Constant contentsName _ _)
  known
  ctx
  e
  c0
  s = case Json.objectOpen e start s of
    (# s1, c1, () #) ->
      let !c2 = inline Json.skipSpace e c1
       in case keyIs tagKey e c2 s1 of
            (# s2, 0# #) -> search c2 s2
            (# s2, n #) -> case colonThenName known ctx e (plusAddr# c2 n) s2 of
              (# s3, c3, I# number #) -> (# s3, c3, Tagged number start 1# nullAddr# #)
    where
      !start = inline Json.skipSpace e c0
      search c2 s1
        | isTrue# (ltAddr# c2 e), isTrue# (eqWord# (byteAt c2) 125##) = missing start s1
        | otherwise = pairs start nullAddr# -1# c2 s1
      missing at t = failAt at (MissingField (T.pack tagName)) t
      -- At a key, with what has been found so far.
      pairs from body number c t = case keyIs tagKey e c t of
        (# t1, 0# #) -> case keyIs contentsKey e c t1 of
          (# t2, 0# #) -> case Json.key ctx e c t2 of
            (# t3, c1, label #)
              -- The keys may be written with escapes.
              | label == T.pack tagName -> tag from body c1 t3
              | label == T.pack contentsName -> value from c1 number c1 t3
              | otherwise -> value from body number c1 t3
          (# t2, n #) -> case Json.colon e (plusAddr# c n) t2 of
            (# t3, c1, () #) -> value from c1 number c1 t3
        (# t1, n #) -> case Json.colon e (plusAddr# c n) t1 of
          (# t2, c1, () #) -> tag from body c1 t2
      tag from body c t = case name known ctx e c t of
        (# t1, c1, I# number #) -> after from body number c1 t1
      value from body number c t = case skipAhead from ctx e c t of
        (# t1, c1, () #) -> after from body number c1 t1
      after from body number c t =
        let !c1 = inline Json.skipSpace e c
         in if isTrue# (geAddr# c1 e)
              then Json.failExpected CommaOrBrace e c1 t
              else case byteAt c1 of
                44## -> pairs from body number (inline Json.skipSpace e (plusAddr# c1 1#)) t
                125##
                  | isTrue# (number >=# 0#) -> (# t, plusAddr# c1 1#, Tagged number from 0# body #)
                  | otherwise -> missing from t
                _ -> Json.failExpected CommaOrBrace e c1 t
{-# NOINLINE tagged #-}

-- | Step over a value of the object at an address, which is read afterwards.
skipAhead :: Addr# -> Step ()
skipAhead object = ahead Json.skip (\seen depth -> Scan.skipSeenValue seen object depth 0)
{-# NOINLINE skipAhead #-}

-- | Does this key stand at the cursor, written without escapes? Its length in quotes, or
-- 0. A name that needs escapes cannot stand there so: where the input has its bytes as
-- they are, they mean something else.
keyIs :: Constant -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
keyIs (Constant _ (I# n) matches) e c s
  | isTrue# (minusAddr# e c ># (n +# 1#)),
    isTrue# (eqWord# (byteAt c) 34##),
    isTrue# (eqWord# (byteAt (plusAddr# c (n +# 1#))) 34##) =
      case matches e (plusAddr# c 1#) s of
        (# s1, 0# #) -> (# s1, 0# #)
        (# s1, _ #) -> (# s1, (n +# 2#) *# verbatim (plusAddr# c 1#) (plusAddr# c (n +# 1#)) #)
  | otherwise = (# s, 0# #)

-- | Is there no quote, no backslash and no control character between two addresses? 1 or 0.
verbatim :: Addr# -> Addr# -> Int#
verbatim c to
  | isTrue# (geAddr# c to) = 1#
  | otherwise = case byteAt c of
      34## -> 0#
      92## -> 0#
      w
        | isTrue# (ltWord# w 32##) -> 0#
        | otherwise -> verbatim (plusAddr# c 1#) to

colonThenName :: Constructors -> Step Int
colonThenName known ctx e c s = case Json.colon e c s of
  (# s1, c1, () #) -> name known ctx e c1 s1

-- | A string that is a constructor's name, and that constructor's number.
name :: Constructors -> Step Int
name (Constructors names labels) ctx e c0 s =
  let !c = inline Json.skipSpace e c0
      !from = plusAddr# c 1#
   in if isTrue# (ltAddr# c e) && isTrue# (eqWord# (byteAt c) 34##)
        then case Scan.stringEnd ctx e from s of
          (# s1, q #) -> case answer ctx s1 of
            (# s2, 0## #) -> case Names.find names from (minusAddr# q from) s2 of
              (# s3, -1# #) -> unknown c s3
              (# s3, i #) -> (# s3, plusAddr# q 1#, I# i #)
            (# s2, _ #) -> case Json.text ctx e c s2 of
              (# s3, c1, Text (TA.ByteArray array) (I# off) (I# n) #) ->
                case Names.findIn names array off n s3 of
                  (# s4, -1# #) -> unknown c s4
                  (# s4, i #) -> (# s4, c1, I# i #)
        else Json.failExpected AString e c s
  where
    unknown c s1 = case Json.text ctx e c s1 of
      (# s2, _, label #) -> failAt c (UnknownConstructor label labels) s2
{-# NOINLINE name #-}

-- | A type laid out as tagged objects: the names of the fields for tag and
-- contents, its constructors, and how each is read once it is known.
taggedObject :: String -> String -> Constructors -> (Tagged -> Int# -> Step a) -> Reader a
taggedObject tagKey contentsKey known constructor =
  Reader $ \ctx e c s -> case tagged (constant tagKey) (constant contentsKey) known ctx e c s of
    (# s1, c1, found@(Tagged i start _ _) #) -> case inline enter ctx start s1 of
      s2 -> case constructor found i ctx e c1 s2 of
        (# s3, c3, x #) -> case inline leave ctx s3 of s4 -> (# s4, c3, x #)
{-# INLINE taggedObject #-}

-- | A constructor without fields: the rest of its object.
caseNullary :: a -> Tagged -> Step a
caseNullary x (Tagged _ _ here _) ctx e c s = case here of
  1# -> case closeObject ctx e c s of (# s1, c1, () #) -> (# s1, c1, x #)
  _ -> (# s, c, x #)
{-# INLINE caseNullary #-}

-- | A constructor whose fields are the value of the contents' field. The first
-- string is what stands before it in compact input whose tag came first.
caseContents :: String -> String -> Reader a -> Tagged -> Step a
caseContents before contentsKey (Reader step) (Tagged _ start here body) ctx e c s = case here of
  1# -> case valueAt ctx e c s of
    (# s1, c1, () #) -> case step ctx e c1 s1 of
      (# s2, c2, a #) -> case closeObject ctx e c2 s2 of (# s3, c3, () #) -> (# s3, c3, a #)
  _ -> case eqAddr# body nullAddr# of
    1# -> failAt start (MissingField (T.pack contentsKey)) s
    _ -> case step ctx e body s of (# s1, _, a #) -> (# s1, c, a #)
  where
    valueAt :: Step ()
    valueAt ctx' e' c' s' = case Literal.matches before e' c' s' of
      (# s1, 1# #) | I# n <- Literal.size before -> (# s1, plusAddr# c' n, () #)
      (# s1, _ #) -> findContents contentsKey start ctx' e' c' s1
    {-# INLINE valueAt #-}
{-# INLINE caseContents #-}

-- | A constructor whose fields stand beside the tag.
caseRecord :: (Addr# -> Int# -> Reader a) -> Tagged -> Step a
caseRecord reader (Tagged _ start here _) ctx e c s = case reader start here of
  Reader step -> step ctx e c s
{-# INLINE caseRecord #-}

-- | As 'caseNullary', of an object that has the tag alone: its name is the first
-- argument.
closedNullary :: String -> a -> Tagged -> Step a
closedNullary tagKey x =
  caseRecord (Object.recordAt (closedTable [tagKey] []) 0 endFields (\_ s -> (# s, x #)))
{-# INLINE closedNullary #-}

-- | As 'caseContents', of an object that has the tag and the contents alone: a record
-- of one field beside the tag.
closedContents :: String -> String -> String -> Reader a -> Tagged -> Step a
closedContents tagKey before contentsKey reader =
  caseRecord
    ( Object.recordAt
        ( closedTable
            [tagKey]
            [field contentsKey reader Nothing]
        )
        1
        (Object.thenField before reader endFields)
        (\slots -> getSlotOf reader slots 0#)
    )
{-# INLINE closedContents #-}

-- | From the end of a value inside an object to the value of a field further on.
findContents :: String -> Addr# -> Step ()
findContents contentsKey start ctx e c s = case Json.members e c s of
  (# s1, _, 0# #) -> failAt start (MissingField (T.pack contentsKey)) s1
  (# s1, c1, _ #) -> case Json.key ctx e c1 s1 of
    (# s2, c2, label #)
      | label == T.pack contentsKey -> (# s2, c2, () #)
      | otherwise -> case Json.skip ctx e c2 s2 of
          (# s3, c3, () #) ->
            findContents contentsKey start ctx e c3 s3
{-# NOINLINE findContents #-}

-- | From the end of a value inside an object to after its closing brace; what
-- comes between is stepped over.
closeObject :: Step ()
closeObject ctx e c s = case Json.members e c s of
  (# s1, c1, 0# #) -> (# s1, c1, () #)
  (# s1, c1, _ #) -> case Json.key ctx e c1 s1 of
    (# s2, c2, _ #) -> case Json.skip ctx e c2 s2 of
      (# s3, c3, () #) -> closeObject ctx e c3 s3
{-# NOINLINE closeObject #-}

-- * Other layouts

-- | A type of constructors without fields: their names as strings.
enumeration :: Constructors -> (Int# -> a) -> Reader a
enumeration known constructor = Reader $ \ctx e c s -> case name known ctx e c s of
  (# s1, c1, I# i #) -> case constructor i of !x -> (# s1, c1, x #)
{-# INLINE enumeration #-}

-- | An object with one member, whose key is the constructor's name.
singleField :: Constructors -> (Int# -> Reader a) -> Reader a
singleField known constructor = Reader $ \ctx e c s ->
  let !start = inline Json.skipSpace e c
   in case Json.objectOpen e start s of
        (# s1, c1, () #) -> case inline enter ctx start s1 of
          s2 -> case name known ctx e c1 s2 of
            (# s3, c2, I# i #) -> case Json.colon e c2 s3 of
              (# s4, c3, () #) -> case constructor i of
                Reader step -> case step ctx e c3 s4 of
                  (# s5, c4, x #) -> case Json.members e c4 s5 of
                    (# s6, c5, 0# #) -> case inline leave ctx s6 of s7 -> (# s7, c5, x #)
                    (# s6, _, _ #) -> failAt start (Unexpected AnObjectOfOne) s6
{-# INLINE singleField #-}

-- | An array of the constructor's name and its fields.
twoElements :: forall a. Constructors -> (Int# -> Reader a) -> Reader a
twoElements known constructor = Reader (Json.array none some)
  where
    none, some :: Step a
    none _ _ c s = failAt c (Unexpected (AnArrayOf 2)) s
    some ctx e c s = case name known ctx e c s of
      (# s1, c1, I# i #) -> case Json.elements e c1 s1 of
        (# s2, c2, 1# #) -> case constructor i of
          Reader step -> case step ctx e c2 s2 of
            (# s3, c3, x #) -> case Json.elements e c3 s3 of
              (# s4, c4, 0# #) -> (# s4, c4, x #)
              (# s4, _, _ #) -> failAt c3 (Unexpected (AnArrayOf 2)) s4
        (# s2, _, _ #) -> failAt c1 (Unexpected (AnArrayOf 2)) s2
{-# INLINE twoElements #-}
