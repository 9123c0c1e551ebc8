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
    Maps,
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
import Tern.Binary.Sum qualified as Binary
import Tern.Binary.Syntax qualified as Binary
import Tern.Cbor.Codec (Cbor)
import Tern.Codec.Distinct
import Tern.Codec.Object
import Tern.Codec.Parts
import Tern.Constructors (constructors)
import Tern.Json.Name (QuotedText)
import Tern.Json.Sum qualified as Json
import Tern.MessagePack.Codec (MessagePack)
import Tern.Native.Record qualified as Native
import Tern.Native.Write (number)
import Tern.Prim.Buffer (Fill)
import Tern.Read (Reader, Step)
import Tern.Shape (ShapeOf (..))
import Tern.Shape qualified as Shape
import Tern.Wire.Binary
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
    mpackMaps :: Maps MessagePack alternatives t,
    cborMaps :: Maps Cbor alternatives t,
    -- | Of @count@ alternatives, numbered from the second argument on.
    nativeW :: Int -> Int -> Cases alternatives Fill,
    nativeR :: Native.Alternatives t
  }

-- | Alternatives as maps in the binary format @f@.
data Maps f (alternatives :: [(Symbol, Type)]) t = Maps
  { mapsW :: Cases alternatives Fill,
    mapsR :: Binary.Tagged -> Int# -> Step t
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
      mpackMaps = constantIn @MessagePack,
      cborMaps = constantIn @Cbor,
      nativeW = \count i -> single (\() -> toFill (number count i)),
      nativeR = Native.alternative (pure value)
    }
  where
    constantIn :: forall f. (Format f) => Maps f '[ '(n, ())] t
    constantIn = Maps (single (\() -> toFill (Binary.mapOf @f 1 <> tagIn @f @n))) (\found _ -> Binary.caseNullary @f value found)
    {-# INLINE constantIn #-}
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
      mpackMaps = contentsIn @MessagePack,
      cborMaps = contentsIn @Cbor,
      nativeW = \count i -> single (\a -> toFill (number count i <> write (nativeWriter codec) a)),
      nativeR = Native.alternative (make <$> Native.field (nativeReader codec))
    }
  where
    contentsIn :: forall f. (Format f) => Maps f '[ '(n, a)] t
    contentsIn =
      Maps
        (single (\a -> toFill (Binary.mapOf @f 2 <> tagIn @f @n <> Binary.constant @f "contents" <> write (writerOf @f codec) a)))
        (\found _ -> Binary.caseContents @f "contents" (make <$> readerOf @f codec) found)
    {-# INLINE contentsIn #-}
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
      mpackMaps = fieldsIn (mpackPairs parts),
      cborMaps = fieldsIn (cborPairs parts),
      nativeW = \count i -> single (\a -> toFill (number count i <> nativePut parts a)),
      nativeR = Native.alternative (nativeFields parts)
    }
  where
    parts = partsOf record
    fieldsIn :: forall f. (Format f) => Pairs f a -> Maps f '[ '(n, a)] t
    fieldsIn pairs = Maps (single (\a -> toFill (taggedW @f parts pairs (tagIn @f @n) a))) (\found _ -> taggedR @f parts pairs found)
    {-# INLINE fieldsIn #-}
{-# INLINE fields #-}

type family Snoc (names :: [Symbol]) (n :: Symbol) :: [Symbol] where
  Snoc '[] n = '[n]
  Snoc (m ': ms) n = m ': Snoc ms n

-- | The case of the only alternative.
single :: (a -> r) -> Cases '[ '(n, a)] r
single here = Case here None
{-# INLINE single #-}

tagIn :: forall f n. (Format f, KnownSymbol n) => Write
tagIn = Binary.constant @f "tag" <> Binary.constant @f (symbolVal' (proxy# @n))
{-# INLINE tagIn #-}

-- | One alternative, and others.
(<+>) :: Alternatives '[first] t -> Alternatives rest t -> Alternatives (first ': rest) t
p <+> q =
  Alternatives
    { alternativeCount = 1 + alternativeCount q,
      alternativeTags = alternativeTags p . alternativeTags q,
      alternativeDrafts = alternativeDrafts p . alternativeDrafts q,
      jsonW = choice (jsonW p) (jsonW q),
      jsonR = \found i -> first i (jsonR p found 0#) (jsonR q found (i -# 1#)),
      mpackMaps = mpackMaps p `orMaps` mpackMaps q,
      cborMaps = cborMaps p `orMaps` cborMaps q,
      nativeW = \count i -> choice (nativeW p count i) (nativeW q count (i + 1)),
      nativeR = nativeR p `Native.orElse` nativeR q
    }
{-# INLINE (<+>) #-}

infixr 3 <+>

orMaps :: Maps f '[first] t -> Maps f rest t -> Maps f (first ': rest) t
orMaps p q = Maps (choice (mapsW p) (mapsW q)) (\found i -> first i (mapsR p found 0#) (mapsR q found (i -# 1#)))
{-# INLINE orMaps #-}

-- | The first of two, for 0.
first :: Int# -> Step t -> Step t -> Step t
first i here there ctx e c s = case i of
  0# -> here ctx e c s
  _ -> there ctx e c s
{-# INLINE first #-}

choice :: Cases '[first] r -> Cases rest r -> Cases (first ': rest) r
choice (Case here None) rest = Case here rest
{-# INLINE choice #-}

-- | What the cases make of a value.
of' :: OneOf alternatives -> Cases alternatives r -> r
of' (OneOf choose) cases = choose cases
{-# INLINE of' #-}

-- | A sum: which alternative a value has, and the alternatives. In JSON, MessagePack and
-- CBOR an object whose field @tag@ is the alternative's; in the native format a number and
-- what the alternative holds.
--
-- Two alternatives of one tag are an error of the compiler, which says which they are.
oneOf ::
  forall t alternatives.
  (Typeable t, Distinct "oneOf" "alternatives" 2 (TagsOf alternatives '[])) =>
  (t -> OneOf alternatives) ->
  Alternatives alternatives t ->
  Codec t
oneOf which alternatives =
  plain
    (Shape.declare (Shape.taggedAs "tag" "contents") (alternativeDrafts alternatives []))
    (FillWriter (\t -> which t `of'` jsonW alternatives))
    (Json.taggedObject "tag" "contents" (constructors (alternativeTags alternatives [])) (jsonR alternatives))
    (mapW (mpackMaps alternatives))
    (mapR (mpackMaps alternatives))
    (mapW (cborMaps alternatives))
    (mapR (cborMaps alternatives))
    (FillWriter (\t -> which t `of'` nativeW alternatives (alternativeCount alternatives) 0))
    (Native.recursiveOneOf (nativeR alternatives))
  where
    mapW :: forall f. Maps f alternatives t -> Writer t
    mapW maps = FillWriter (\t -> which t `of'` mapsW maps)
    {-# INLINE mapW #-}
    mapR :: forall f. (Format f) => Maps f alternatives t -> Reader t
    mapR maps = Binary.taggedMap @f "tag" "contents" (constructors (alternativeTags alternatives [])) (mapsR maps)
    {-# INLINE mapR #-}
{-# INLINE oneOf #-}

-- | The tags, the last one first.
type family TagsOf (alternatives :: [(Symbol, Type)]) (later :: [Symbol]) :: [Symbol] where
  TagsOf '[] found = found
  TagsOf ('(n, a) ': rest) found = TagsOf rest (n ': found)
