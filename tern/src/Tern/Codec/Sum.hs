{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FunctionalDependencies #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UndecidableInstances #-}

-- | Sums by hand: one of several alternatives, told apart by a tag.
--
-- The idea: a value says by 'is' which alternative it has and what that holds, and
-- the alternatives say how each of them is written and read. The type 'OneOf' joins
-- the two, so that no value is without an alternative.
--
-- INLINE on everything, as in "Tern.Codec.Parts".
module Tern.Codec.Sum
  ( OneOf,
    Is (..),
    Alternatives,
    TagName,
    constant,
    contents,
    fields,
    (<+>),
    oneOf,
  )
where

import Data.Kind (Type)
import Data.Typeable (Typeable)
import GHC.Exts
import GHC.TypeLits
import Tern.Codec.Distinct
import Tern.Codec.Object
import Tern.Codec.Parts
import Tern.Constructors (constructors)
import Tern.Json.Name (QuotedText)
import Tern.Json.Sum qualified as Json
import Tern.MessagePack.Sum qualified as Mpack
import Tern.MessagePack.Write qualified as MpackW
import Tern.Native.Record qualified as Native
import Tern.Native.Write (number)
import Tern.Prim.Buffer (Fill)
import Tern.Read (Step)
import Tern.Shape (ShapeOf (..))
import Tern.Shape qualified as Shape
import Tern.Wire.Codec
import Tern.Write

-- * Values

-- | What a value has: one of the alternatives, each a tag and the type of what it
-- holds.
--
-- It is what it does with a case for each of them, and no data: where the cases are
-- known nothing of it is left.
newtype OneOf (alternatives :: [(Symbol, Type)]) = OneOf (forall r. Cases alternatives r -> r)

-- | What is made of each of the alternatives.
data Cases (alternatives :: [(Symbol, Type)]) r where
  None :: Cases '[] r
  Case :: (a -> r) -> Cases rest r -> Cases ('(n, a) ': rest) r

-- | The tag @n@ is that of an alternative that holds an @a@.
class Is (n :: Symbol) (alternatives :: [(Symbol, Type)]) a | n alternatives -> a where
  -- | The alternative of a tag, with what it holds.
  is :: a -> OneOf alternatives

instance {-# OVERLAPPING #-} (a ~ b) => Is n ('(n, b) ': rest) a where
  is a = OneOf (\(Case here _) -> here a)
  {-# INLINE is #-}

instance {-# OVERLAPPABLE #-} (Is n rest a) => Is n ('(m, b) ': rest) a where
  is a = OneOf (\(Case _ rest) -> case is @n a of OneOf choose -> choose rest)
  {-# INLINE is #-}

-- * Alternatives

-- | How alternatives of a type @t@ are written and read: their number, their tags and
-- shapes, and their code in each format.
data Alternatives (alternatives :: [(Symbol, Type)]) t = Alternatives
  { alternativeCount :: Int,
    alternativeTags :: [String] -> [String],
    alternativeDrafts :: [Shape.Draft t] -> [Shape.Draft t],
    jsonW :: Cases alternatives Fill,
    jsonR :: Json.Tagged -> Int# -> Step t,
    mpackW :: Cases alternatives Fill,
    mpackR :: Mpack.Tagged -> Int# -> Step t,
    -- | Of @count@ alternatives, numbered from the second argument on.
    nativeW :: Int -> Int -> Cases alternatives Fill,
    nativeR :: Native.Alternatives t
  }

-- | A tag whose JSON is put together while the program is compiled.
type TagName n = (KnownSymbol n, KnownSymbol (Tag n), KnownSymbol (TagContents n))

-- | @{"tag":"Name"@
type Tag n = AppendSymbol "{\"tag\":" (QuotedText n)

-- | @{"tag":"Name","contents":@
type TagContents n = AppendSymbol (Tag n) ",\"contents\":"

-- | An alternative that holds nothing: an object of its tag.
constant :: forall n t. (TagName n) => t -> Alternatives '[ '(n, ())] t
constant value =
  Alternatives
    { alternativeCount = 1,
      alternativeTags = (symbolVal' (proxy# @n) :),
      alternativeDrafts = (Shape.draftOf (symbolVal' (proxy# @n)) False [] :),
      jsonW = single (\() -> toFill (literal (symbolVal' (proxy# @(Tag n))) <> byte 125)),
      jsonR = \found _ -> Json.caseNullary value found,
      mpackW = single (\() -> toFill (MpackW.mapOf 1 <> mpackTag @n)),
      mpackR = \found _ -> Mpack.caseNullary value found,
      nativeW = \count i -> single (\() -> toFill (number count i)),
      nativeR = Native.alternative (pure value)
    }
{-# INLINE constant #-}

-- | An alternative that holds a value: an object of its tag and the contents.
contents :: forall n t a. (TagName n) => (a -> t) -> Codec a -> Alternatives '[ '(n, a)] t
contents make codec =
  Alternatives
    { alternativeCount = 1,
      alternativeTags = (symbolVal' (proxy# @n) :),
      alternativeDrafts = (Shape.draftOf (symbolVal' (proxy# @n)) False [("", False, theShape (codecShape codec))] :),
      jsonW = single (\a -> toFill (literal (symbolVal' (proxy# @(TagContents n))) <> write (jsonWriter codec) a <> byte 125)),
      jsonR = \found _ -> Json.caseContents ",\"contents\":" "contents" (make <$> jsonReader codec) found,
      mpackW = single (\a -> toFill (MpackW.mapOf 2 <> mpackTag @n <> MpackW.constant "contents" <> write (mpackWriter codec) a)),
      mpackR = \found _ -> Mpack.caseContents "contents" (make <$> mpackReader codec) found,
      nativeW = \count i -> single (\a -> toFill (number count i <> write (nativeWriter codec) a)),
      nativeR = Native.alternative (make <$> Native.field (nativeReader codec))
    }
{-# INLINE contents #-}

-- | An alternative that holds a record: an object of its tag and the record's fields.
-- None of these can be called @tag@.
fields ::
  forall n t a names.
  (TagName n, Distinct "fields, of which the tag is number 1" "fields" 2 (Snoc names "tag")) =>
  Fields names a t ->
  Alternatives '[ '(n, a)] t
fields record =
  Alternatives
    { alternativeCount = 1,
      alternativeTags = (symbolVal' (proxy# @n) :),
      alternativeDrafts = (Shape.draftOf (symbolVal' (proxy# @n)) True (partShapes parts []) :),
      jsonW = single (\a -> toFill (taggedJsonW parts (literal (symbolVal' (proxy# @(Tag n)))) a)),
      jsonR = \found _ -> taggedJsonR parts found,
      mpackW = single (\a -> toFill (taggedMpackW parts (mpackTag @n) a)),
      mpackR = \found _ -> taggedMpackR parts found,
      nativeW = \count i -> single (\a -> toFill (number count i <> nativePut parts a)),
      nativeR = Native.alternative (nativeFields parts)
    }
  where
    parts = partsOf record
{-# INLINE fields #-}

type family Snoc (names :: [Symbol]) (n :: Symbol) :: [Symbol] where
  Snoc '[] n = '[n]
  Snoc (m ': ms) n = m ': Snoc ms n

-- | The case of the only alternative.
single :: (a -> r) -> Cases '[ '(n, a)] r
single here = Case here None
{-# INLINE single #-}

mpackTag :: forall n. (KnownSymbol n) => Write
mpackTag = MpackW.constant "tag" <> MpackW.constant (symbolVal' (proxy# @n))
{-# INLINE mpackTag #-}

-- | One alternative, and others.
(<+>) :: Alternatives '[first] t -> Alternatives rest t -> Alternatives (first ': rest) t
p <+> q =
  Alternatives
    { alternativeCount = 1 + alternativeCount q,
      alternativeTags = alternativeTags p . alternativeTags q,
      alternativeDrafts = alternativeDrafts p . alternativeDrafts q,
      jsonW = choice (jsonW p) (jsonW q),
      jsonR = \found i -> first i (jsonR p found 0#) (jsonR q found (i -# 1#)),
      mpackW = choice (mpackW p) (mpackW q),
      mpackR = \found i -> first i (mpackR p found 0#) (mpackR q found (i -# 1#)),
      nativeW = \count i -> choice (nativeW p count i) (nativeW q count (i + 1)),
      nativeR = nativeR p `Native.orElse` nativeR q
    }
  where
    first :: Int# -> Step t -> Step t -> Step t
    first i here there ctx e c s = case i of
      0# -> here ctx e c s
      _ -> there ctx e c s
    {-# INLINE first #-}
{-# INLINE (<+>) #-}

infixr 3 <+>

choice :: Cases '[first] r -> Cases rest r -> Cases (first ': rest) r
choice (Case here None) rest = Case here rest
{-# INLINE choice #-}

-- | What the cases make of a value.
of' :: OneOf alternatives -> Cases alternatives r -> r
of' (OneOf choose) cases = choose cases
{-# INLINE of' #-}

-- | A sum: which alternative a value has, and the alternatives. In JSON and MessagePack
-- an object whose field @tag@ is the alternative's; in the native format a number and
-- what the alternative holds.
--
-- Two alternatives of one tag are an error of the compiler, which says which they are.
oneOf ::
  (Typeable t, Distinct "oneOf" "alternatives" 2 (TagsOf alternatives '[])) =>
  (t -> OneOf alternatives) ->
  Alternatives alternatives t ->
  Codec t
oneOf which alternatives =
  plain
    (Shape.declare (Shape.taggedAs "tag" "contents") (alternativeDrafts alternatives []))
    (FillWriter (\t -> which t `of'` jsonW alternatives))
    (Json.taggedObject "tag" "contents" (constructors (alternativeTags alternatives [])) (jsonR alternatives))
    (FillWriter (\t -> which t `of'` mpackW alternatives))
    (Mpack.taggedMap "tag" "contents" (constructors (alternativeTags alternatives [])) (mpackR alternatives))
    (FillWriter (\t -> which t `of'` nativeW alternatives (alternativeCount alternatives) 0))
    (Native.recursiveOneOf (nativeR alternatives))
{-# INLINE oneOf #-}

-- | The tags, the last one first.
type family TagsOf (alternatives :: [(Symbol, Type)]) (later :: [Symbol]) :: [Symbol] where
  TagsOf '[] found = found
  TagsOf ('(n, a) ': rest) found = TagsOf rest (n ': found)
