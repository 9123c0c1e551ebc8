{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Values of declared types and documents of any shape: records, and sums in each layout.
--
-- The idea: a declaration is data, its constructors with their names. A value says which of them
-- it has and puts what that holds ("Tern.Internal.Wire.Direct.Constructor"); a document says where
-- that is, and it is taken from there. The names of an object are there once, and all values of a
-- constructor have them in common.
--
-- What a document may be that the type itself does not write is not said here: a name that is
-- repeated, say ('undecided').
--
-- Start at 'declared'.
module Tern.Internal.Wire.Direct.Declared
  ( -- * Declarations
    Layout (..),
    tagged,
    Case (..),
    caseOf,
    Body (..),
    Rule (..),
    unary,
    Apart (..),
    declared,

    -- * Declarations of the library
    sidesD,
    tupleD,
  )
where

import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Primitive.SmallArray
  ( SmallArray (..),
    indexSmallArray,
    indexSmallArray##,
    sizeofSmallArray,
    smallArrayFromList,
  )
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import GHC.Exts hiding (Many, One)
import Tern.Internal.Json.Members (Members, fromArrays, memberAt, size)
import Tern.Internal.Json.Value (Object (..), Value (..))
import Tern.Internal.Wire.Direct (Direct (..), From, Scratch (..), undecided)
import Tern.Internal.Wire.Direct.Constructor
  ( Field (..),
    Next (..),
    Places (..),
    Put,
    piled,
    putting,
    taking,
  )
import Tern.Internal.Wire.Direct.Pile qualified as Pile

-- * Declarations

-- | What is around what a constructor holds.
data Layout
  = -- | Nothing: it is the only one.
    Alone
  | -- | Nothing, for none of them holds anything: names.
    NamesAlone
  | -- | An object with a tag, and the contents beside it.
    Tagged Text Text
  | SingleField
  | TwoElements

-- | An object with a tag, by the names of the tag's member and of the contents'.
tagged :: String -> String -> Layout
tagged tag contents = Tagged (T.pack tag) (T.pack contents)
{-# NOINLINE tagged #-}

-- | A constructor: its name, and what it holds.
data Case a = Case Text (Body a)

-- | A constructor, by its name in documents.
caseOf :: String -> Body a -> Case a
caseOf name = Case (T.pack name)
{-# NOINLINE caseOf #-}

-- | What a constructor holds, and what is made of it.
data Body a
  = Nullary a
  | -- | A value.
    Unary (Next a)
  | -- | An array of that many elements.
    Elements Int (Next a)
  | -- | Members of an object.
    Record Rule [Field] (Next a)

-- | Are members errors that nobody knows?
newtype Rule = Rule Bool

-- | What a constructor holds that is one value.
unary :: (a -> b) -> Direct a -> Body b
unary make direct = Unary (make <$> taking 0 (fromDirect direct) Nothing)
{-# NOINLINE unary #-}

-- | Which constructor a value has, and how what it holds is put.
data Apart = Apart Int Put

-- | A type by its declaration: whether members of an object that nobody knows are errors, where
-- a constructor has no record; its layout; its constructors; and which of them a value has.
declared :: Bool -> Layout -> [Case a] -> (a -> Apart) -> Direct a
declared closed layout cases apart = Direct to from
  where
    made = smallArrayFromList (map (prepared closed layout) cases)
    numbers = Map.fromList (zip [name | Case name _ <- cases] [0 ..])
    to scratch a s = case apart a of
      Apart i put -> case indexSmallArray## made i of (# Prepared to' _ #) -> to' put scratch s
    from scratch v s = case numbered layout numbers v of
      -1 -> undecided s
      i -> case indexSmallArray## made i of (# Prepared _ from' #) -> from' scratch v s
{-# OPAQUE declared #-}

-- * Declarations of the library

-- | An object of one member, which has one of two names.
sidesD :: String -> String -> Direct a -> Direct b -> Direct (Either a b)
sidesD onLeft onRight a b =
  declared
    False
    SingleField
    [caseOf onLeft (unary Left a), caseOf onRight (unary Right b)]
    ( \case
        Left x -> Apart 0 (putting (toDirect a) x)
        Right y -> Apart 1 (putting (toDirect b) y)
    )
{-# NOINLINE sidesD #-}

-- | An array of a number of values.
tupleD :: Int -> Next a -> (a -> Put) -> Direct a
tupleD n next put = declared False Alone [Case mempty (Elements n next)] (\a -> Apart 0 (put a))
{-# NOINLINE tupleD #-}

-- * Constructors

-- | How a constructor's values are written, and read of a document that is known to be one.
data Prepared a
  = Prepared
      (Put -> Scratch -> State# RealWorld -> (# State# RealWorld, Value #))
      (From a)

-- | Which constructor a document is of, or -1.
numbered :: Layout -> Map Text Int -> Value -> Int
numbered layout numbers v = case layout of
  Alone -> 0
  NamesAlone -> named v
  Tagged tag _ -> inside $ \members -> case placeOf tag members of
    One i | (# _, w #) <- memberAt members i -> named w
    None -> -1
    Several -> -1
  SingleField -> inside $ \members ->
    if size members == 1
      then case memberAt members 0 of (# name, _ #) -> number name
      else -1
  TwoElements -> case v of
    Array vs | V.length vs == 2 -> named (V.unsafeIndex vs 0)
    _ -> -1
  where
    inside use = case v of
      Object (MakeObject members) -> use members
      _ -> -1
    named = \case
      String name -> number name
      _ -> -1
    number name = Map.findWithDefault (-1) name numbers

-- | Where an object has a name.
data Place = None | One Int | Several

placeOf :: Text -> Members Value -> Place
placeOf name members = go 0 None
  where
    !n = size members
    go i found
      | i >= n = found
      | (# k, _ #) <- memberAt members i,
        k == name = case found of
          None -> go (i + 1) (One i)
          One _ -> Several
          Several -> Several
      | otherwise = go (i + 1) found

prepared :: Bool -> Layout -> Case a -> Prepared a
prepared closed layout (Case name body) = case layout of
  Alone -> Prepared (toBody body) (fromBody body)
  NamesAlone -> Prepared (constant text) (\_ _ s -> nullary body s)
  Tagged tag contents -> case body of
    Nullary a -> Prepared (constant (pair [tag] [text])) . inside $ \_ members s ->
      if closed && size members /= 1 then undecided s else case a of !b -> (# s, b #)
    Record rule fields next ->
      let known = names rule [tag] fields
       in Prepared (toRecord [text] known) (fromRecord known next)
    Unary _ -> beside tag contents
    Elements _ _ -> beside tag contents
  SingleField ->
    Prepared (around (\v -> pair [name] [v])) . inside $ \scratch members s ->
      case memberAt members 0 of (# _, v #) -> fromBody body scratch v s
  TwoElements ->
    Prepared (around (\v -> Array (V.fromListN 2 [text, v]))) $ \scratch v s -> case v of
      Array vs -> case V.unsafeIndex vs 1 of !w -> fromBody body scratch w s
      _ -> undecided s
  where
    text = String name
    beside tag contents =
      Prepared (around (\v -> pair [tag, contents] [text, v])) . inside $ \scratch members s ->
        case placeOf contents members of
          One i
            | closed && size members /= 2 -> undecided s
            | (# _, v #) <- memberAt members i -> fromBody body scratch v s
          None -> undecided s
          Several -> undecided s
    constant :: Value -> Put -> Scratch -> State# RealWorld -> (# State# RealWorld, Value #)
    constant !v _ _ s = (# s, v #)
    around ::
      (Value -> Value) -> Put -> Scratch -> State# RealWorld -> (# State# RealWorld, Value #)
    around make put scratch s = case toBody body put scratch s of
      (# s1, v #) -> case make v of !w -> (# s1, w #)
    inside ::
      (Scratch -> Members Value -> State# RealWorld -> (# State# RealWorld, a #)) -> From a
    inside use scratch v s = case v of
      Object (MakeObject members) -> use scratch members s
      _ -> undecided s

-- | An object of few members.
pair :: [Text] -> [Value] -> Value
pair labels values =
  Object (MakeObject (fromArrays (smallArrayFromList labels) (smallArrayFromList values)))

nullary :: Body a -> State# RealWorld -> (# State# RealWorld, a #)
nullary body s = case body of
  Nullary !a -> (# s, a #)
  Unary _ -> undecided s
  Elements _ _ -> undecided s
  Record {} -> undecided s

-- * What stands by itself

toBody :: Body a -> Put -> Scratch -> State# RealWorld -> (# State# RealWorld, Value #)
toBody = \case
  Nullary _ -> \_ _ s -> (# s, Array V.empty #)
  Unary _ -> \put scratch s -> case piled mempty put scratch s of
    (# s1, values, _ #) -> case indexSmallArray# values 0# of (# v #) -> (# s1, v #)
  Elements _ _ -> \put scratch@(Scratch _ _ pile) s -> case Pile.top pile s of
    (# s1, from #) -> case Pile.takeElements pile from (put scratch s1) of
      (# s2, vs #) -> (# s2, Array vs #)
  Record rule fields _ -> toRecord [] (names rule [] fields)

fromBody :: Body a -> From a
fromBody = \case
  Nullary a -> \_ v s -> case v of
    Array vs | V.null vs -> case a of !b -> (# s, b #)
    _ -> undecided s
  Unary (Next next) -> \scratch v s -> next scratch (InPlace v) s
  Elements n (Next next) -> \scratch v s -> case v of
    Array vs | V.length vs == n -> next scratch (InArray vs) s
    _ -> undecided s
  Record rule fields next -> fromRecord (names rule [] fields) next

-- * Records

-- | The names of a record's members: those that are written, in their order; how many stand before
-- the fields; those that are read, by their number; the number of each name that may be read, or
-- -1 of one that counts for nothing.
data Names = Names !(SmallArray Text) !Int !(SmallArray Text) (Map Text Int) !Rule

-- | With names that stand before the fields.
names :: Rule -> [Text] -> [Field] -> Names
names rule before fields =
  Names
    (smallArrayFromList (before <> [written field | field <- fields]))
    (length before)
    (smallArrayFromList (map fst known))
    ( Map.fromList
        ( [(name, -1) | name <- before <> [name | Written name <- fields]]
            <> [(name, i) | (i, (own, others)) <- zip [0 ..] known, name <- own : others]
        )
    )
    rule
  where
    known = [(name, others) | Field name others <- fields]
    written = \case
      Field name _ -> name
      Written name -> name

toRecord :: [Value] -> Names -> Put -> Scratch -> State# RealWorld -> (# State# RealWorld, Value #)
toRecord before (Names labels _ _ _ _) = \put scratch s -> case piled first put scratch s of
  (# s1, values, (# (# #) | #) #) ->
    (# s1, Object (MakeObject (fromArrays labels (SmallArray values))) #)
  (# s1, values, (# | places #) #) ->
    let !present = chosen places (I# (sizeofSmallArray# values))
     in (# s1, Object (MakeObject (fromArrays present (SmallArray values))) #)
  where
    !first = smallArrayFromList before
    chosen places n =
      smallArrayFromList
        [indexSmallArray labels (I# (indexIntArray# places i)) | I# i <- [0 .. n - 1]]

fromRecord :: Names -> Next a -> From a
fromRecord (Names labels before own numbers (Rule shut)) (Next next) scratch v s = case v of
  Object (MakeObject members)
    -- As the type itself writes it, where every name is read.
    | sizeofSmallArray labels - before == n,
      size members == sizeofSmallArray labels,
      ordered members before ->
        next scratch (InOrder before members) s
    | otherwise -> case newByteArray# (8# *# n#) s of
        (# s1, places #) -> case look members places 0# 0# (clear places n# s1) of
          (# s2, () #) -> case unsafeFreezeByteArray# places s2 of
            (# s3, frozen #) -> next scratch (InObject frozen members) s3
  _ -> undecided s
  where
    !n@(I# n#) = sizeofSmallArray own
    ordered members i
      | i >= size members = True
      | (# name, _ #) <- memberAt members i,
        (# known #) <- indexSmallArray## labels i =
          name == known && ordered members (i + 1)
    clear places i t = case i of
      0# -> t
      _ -> clear places (i -# 1#) (writeIntArray# places (i -# 1#) -1# t)
    -- Member @i@, which may be the field @guess@, as it is where they come in order.
    look members places i guess t
      | isTrue# (i >=# many) = (# t, () #)
      | (# name, _ #) <- memberAt members (I# i) = case numberOf name guess of
          I# k -> case k of
            -1# -> look members places (i +# 1#) guess t
            -2#
              | shut -> undecided t
              | otherwise -> look members places (i +# 1#) guess t
            _ -> case readIntArray# places k t of
              (# t1, -1# #) ->
                look members places (i +# 1#) (k +# 1#) (writeIntArray# places k i t1)
              (# t1, _ #) -> undecided t1
      where
        !(I# many) = size members
    numberOf name guess
      | isTrue# (guess <# n#), indexSmallArray own (I# guess) == name = I# guess
      | otherwise = Map.findWithDefault (-2) name numbers
