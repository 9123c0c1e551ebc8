{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FunctionalDependencies #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UndecidableInstances #-}

-- | Sums by hand: one of several alternatives, told apart by a tag.
--
-- The idea: a value says by 'is' which alternative it has and what that holds, and
-- the alternatives say how each of them is written and read. The type 'OneOf' joins
-- the two, so that no value is without an alternative.
--
-- INLINE on everything, as in "Tern.Internal.Codec.Parts".
module Tern.Internal.Codec.Sum
  ( OneOf,
    Is (..),
    AlternativesIn,
    Alternatives,
    Maps,
    TagName,
    constant,
    contents,
    fields,
    (<+>),
    oneOf,
    oneOfNamed,
    untagged,
  )
where

import Data.Kind (Type)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Typeable (Typeable)
import GHC.Exts (Int#, Symbol, proxy#, (-#))
import GHC.TypeLits (AppendSymbol, KnownSymbol, symbolVal')
import Tern.Internal.Binary.Sum qualified as Binary
import Tern.Internal.Binary.Syntax qualified as Binary
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.Codec.Distinct (Distinct, Mistake, mistakeIn)
import Tern.Internal.Codec.Object (FieldsIn, RejectUnknownFields (..), partsOf)
import Tern.Internal.Codec.Parts
  ( Lead (..),
    PairsIn,
    Parts (..),
    directCase,
    directPut,
    jsonRecordR,
    jsonRecordW,
    pairsR,
    pairsW,
    partsDraft,
    taggedJsonR,
    taggedJsonW,
    taggedR,
    taggedW,
  )
import Tern.Internal.Codec.Phrase (Phrase (..), TextIn (..), made, madeText, phrase)
import Tern.Internal.Codec.Phrase qualified as Phrase
import Tern.Internal.Constructors (constructors)
import Tern.Internal.Json.Name (QuotedText, quoted)
import Tern.Internal.Json.Sum qualified as Json
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.Native.Record qualified as Native
import Tern.Internal.Native.Write (number)
import Tern.Internal.Read (Reader, Step)
import Tern.Internal.Wire.Binary (BinaryFormat (..))
import Tern.Internal.Wire.Codec (CodecIn (..), directly, plain)
import Tern.Internal.Wire.Direct (Direct (..))
import Tern.Internal.Wire.Direct.Constructor qualified as Direct
import Tern.Internal.Wire.Direct.Declared qualified as Direct
import Tern.Internal.Wire.Format (Every, WireFormat)
import Tern.Internal.Wire.Untagged qualified as Untagged
import Tern.Internal.Write (Write, Writer (..), byte, toFill, write)
import Tern.Prim.Buffer (Fill)
import Tern.Shape (ShapeOf (..))
import Tern.Shape qualified as Shape

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
data AlternativesIn (formats :: [WireFormat]) (alternatives :: [(Symbol, Type)]) t = Alternatives
  { alternativeCount :: Int,
    -- | Are fields errors that none of them has?
    alternativesClosed :: Bool,
    -- | The same alternatives, with tags that are made of these when the program runs.
    alternativesNamed :: (Text -> Text) -> AlternativesIn formats alternatives t,
    alternativeTags :: [String] -> [String],
    alternativeDrafts :: [Shape.Draft t] -> [Shape.Draft t],
    jsonW :: Cases alternatives Fill,
    -- | First whether fields that the alternative does not have are errors.
    jsonR :: Bool -> Json.Tagged -> Int# -> Step t,
    -- | What they hold, by itself.
    jsonAloneW :: Cases alternatives Fill,
    -- | With their tags; then others. First whether other fields are errors.
    jsonAloneR :: Bool -> [(String, Reader t)] -> [(String, Reader t)],
    mpackMaps :: Maps MessagePack alternatives t,
    cborMaps :: Maps Cbor alternatives t,
    -- | Of @count@ alternatives, numbered from the second argument on.
    nativeW :: Int -> Int -> Cases alternatives Fill,
    nativeR :: Native.Alternatives t,
    -- | As documents of any shape; then others. First whether other fields are errors.
    directCases :: Bool -> [Direct.Case t] -> [Direct.Case t],
    -- | What they hold, numbered from the argument on.
    directW :: Int -> Cases alternatives Direct.Apart
  }

type role AlternativesIn nominal nominal representational

-- | Of alternatives that are in every format.
type Alternatives = AlternativesIn Every

-- | Alternatives as maps in the binary format @f@.
data Maps f (alternatives :: [(Symbol, Type)]) t = Maps
  { mapsW :: Cases alternatives Fill,
    mapsR :: Bool -> Binary.Tagged -> Int# -> Step t,
    -- | By itself, as in JSON.
    aloneW :: Cases alternatives Fill,
    aloneR :: Bool -> [(String, Reader t)] -> [(String, Reader t)]
  }

-- | A tag whose JSON is put together while the program is compiled.
type TagName n =
  (KnownSymbol n, KnownSymbol (QuotedText n), KnownSymbol (Tag n), KnownSymbol (TagContents n))

-- | @{"tag":"Name"@
type Tag n = AppendSymbol "{\"tag\":" (QuotedText n)

-- | @{"tag":"Name","contents":@
type TagContents n = AppendSymbol (Tag n) ",\"contents\":"

-- | A tag; as JSON, by itself and what an object of it begins with, without and with
-- contents; and as a text of a binary format.
data Label = Label
  { labelName :: String,
    labelAlone :: Phrase,
    labelTag :: Phrase,
    labelContents :: Phrase,
    labelText :: forall f. (Binary.Syntax f) => TextIn f
  }

-- | Of a tag that is a type.
label :: forall n. (TagName n) => Label
label =
  Label
    (symbolVal' (proxy# @n))
    (Constant (symbolVal' (proxy# @(QuotedText n))))
    (Constant (symbolVal' (proxy# @(Tag n))))
    (Constant (symbolVal' (proxy# @(TagContents n))))
    (TextIn (Constant (symbolVal' (proxy# @n))))
{-# INLINE label #-}

-- | Of a tag that is known when the program runs: one that is made of a type.
named :: forall n. (TagName n) => (Text -> Text) -> Label
named rename =
  Label name (made alone) (made tag) (made (tag <> ",\"contents\":")) (madeText name)
  where
    name = T.unpack (rename (T.pack (symbolVal' (proxy# @n))))
    alone = quoted name
    tag = "{\"tag\":" <> alone
{-# NOINLINE named #-}

-- | An alternative that holds nothing: an object of its tag.
constant :: forall n t fs. (TagName n) => t -> AlternativesIn fs '[ '(n, ())] t
constant value = constantOf (label @n) (constantNamed @n value) value
{-# INLINE constant #-}

constantNamed ::
  forall n t fs. (TagName n) => t -> (Text -> Text) -> AlternativesIn fs '[ '(n, ())] t
constantNamed value rename =
  constantOf (named @n rename) (\again -> constantNamed @n value (again . rename)) value
{-# NOINLINE constantNamed #-}

constantOf ::
  forall n t fs.
  Label ->
  ((Text -> Text) -> AlternativesIn fs '[ '(n, ())] t) ->
  t ->
  AlternativesIn fs '[ '(n, ())] t
constantOf tag renamed value =
  Alternatives
    { alternativeCount = 1,
      alternativesClosed = False,
      alternativesNamed = renamed,
      alternativeTags = (labelName tag :),
      alternativeDrafts = (Shape.draftOf (labelName tag) False [] :),
      jsonW = single (\() -> toFill (phrase (labelTag tag) <> byte 125)),
      jsonR =
        \closed found _ ->
          (if closed then Json.closedNullary "tag" value else Json.caseNullary value) found,
      jsonAloneW = single (\() -> toFill (phrase (labelAlone tag))),
      jsonAloneR =
        \_ -> (:) (labelName tag, Json.enumeration (constructors [labelName tag]) (\_ -> value)),
      mpackMaps = constantIn @MessagePack,
      cborMaps = constantIn @Cbor,
      nativeW = \count i -> single (\() -> toFill (number count i)),
      nativeR = Native.alternative (pure value),
      directCases = \_ -> (:) (Direct.Case (T.pack (labelName tag)) (Direct.Nullary value)),
      directW = \i -> single (\() -> Direct.Apart i Direct.puttingNothing)
    }
  where
    constantIn :: forall f. (BinaryFormat f) => Maps f '[ '(n, ())] t
    constantIn =
      Maps
        (single (\() -> toFill (Binary.mapOf @f 1 <> tagIn called)))
        ( \closed found _ ->
            ( if closed
                then Binary.closedNullary @f "tag" value
                else Binary.caseNullary @f value
            )
              found
        )
        (single (\() -> toFill (Phrase.text called)))
        ( \_ ->
            (:) (labelName tag, Binary.enumeration @f (constructors [labelName tag]) (\_ -> value))
        )
      where
        called = labelText tag :: TextIn f
    {-# INLINE constantIn #-}
{-# INLINE constantOf #-}

-- | An alternative that holds a value: an object of its tag and the contents.
contents ::
  forall n t a fs. (TagName n) => (a -> t) -> CodecIn fs a -> AlternativesIn fs '[ '(n, a)] t
contents make codec = contentsOf (label @n) (contentsNamed @n make codec) make codec
{-# INLINE contents #-}

contentsNamed ::
  forall n t a fs.
  (TagName n) =>
  (a -> t) ->
  CodecIn fs a ->
  (Text -> Text) ->
  AlternativesIn fs '[ '(n, a)] t
contentsNamed make codec rename =
  contentsOf (named @n rename) (\again -> contentsNamed @n make codec (again . rename)) make codec
{-# NOINLINE contentsNamed #-}

contentsOf ::
  forall n t a fs.
  Label ->
  ((Text -> Text) -> AlternativesIn fs '[ '(n, a)] t) ->
  (a -> t) ->
  CodecIn fs a ->
  AlternativesIn fs '[ '(n, a)] t
contentsOf tag renamed make codec =
  Alternatives
    { alternativeCount = 1,
      alternativesClosed = False,
      alternativesNamed = renamed,
      alternativeTags = (labelName tag :),
      alternativeDrafts =
        (Shape.draftOf (labelName tag) False [("", False, theShape (codecShape codec))] :),
      jsonW =
        single
          ( \a ->
              toFill (phrase (labelContents tag) <> write (jsonWriter codec) a <> byte 125)
          ),
      jsonR =
        \closed found _ ->
          ( if closed
              then Json.closedContents "tag"
              else Json.caseContents
          )
            ",\"contents\":"
            "contents"
            (make <$> jsonReader codec)
            found,
      jsonAloneW = single (\a -> toFill (write (jsonWriter codec) a)),
      jsonAloneR = \_ -> (:) (labelName tag, make <$> jsonReader codec),
      mpackMaps = contentsIn @MessagePack,
      cborMaps = contentsIn @Cbor,
      nativeW = \count i -> single (\a -> toFill (number count i <> write (nativeWriter codec) a)),
      nativeR = Native.alternative (make <$> Native.field (nativeReader codec)),
      directCases = \_ ->
        (:) (Direct.Case (T.pack (labelName tag)) (Direct.unary make (codecDirect codec))),
      directW = \i ->
        single (\a -> Direct.Apart i (Direct.putting (toDirect (codecDirect codec)) a))
    }
  where
    contentsIn :: forall f. (BinaryFormat f) => Maps f '[ '(n, a)] t
    contentsIn =
      Maps
        ( single
            ( \a ->
                toFill
                  ( Binary.mapOf @f 2
                      <> tagIn called
                      <> Binary.constant @f "contents"
                      <> write (writerOf @f codec) a
                  )
            )
        )
        ( \closed found _ ->
            ( if closed
                then Binary.closedContents @f "tag"
                else Binary.caseContents @f
            )
              "contents"
              (make <$> readerOf @f codec)
              found
        )
        (single (\a -> toFill (write (writerOf @f codec) a)))
        (\_ -> (:) (labelName tag, make <$> readerOf @f codec))
      where
        called = labelText tag :: TextIn f
    {-# INLINE contentsIn #-}
{-# INLINE contentsOf #-}

-- | An alternative that holds a record: an object of its tag and the record's fields.
-- None of these can be called @tag@.
fields ::
  forall n t a names fs.
  (TagName n, Distinct "fields, of which the tag is number 1" "fields" 2 (Snoc names "tag")) =>
  FieldsIn fs names a t ->
  AlternativesIn fs '[ '(n, a)] t
fields record = fieldsOf (label @n) (fieldsNamed @n (partsOf record)) (partsOf record)
{-# INLINE fields #-}

fieldsNamed ::
  forall n t a fs. (TagName n) => Parts a t -> (Text -> Text) -> AlternativesIn fs '[ '(n, a)] t
fieldsNamed parts rename =
  fieldsOf (named @n rename) (\again -> fieldsNamed @n parts (again . rename)) parts
{-# NOINLINE fieldsNamed #-}

fieldsOf ::
  forall n t a fs.
  Label ->
  ((Text -> Text) -> AlternativesIn fs '[ '(n, a)] t) ->
  Parts a t ->
  AlternativesIn fs '[ '(n, a)] t
fieldsOf tag renamed parts =
  Alternatives
    { alternativeCount = 1,
      alternativesClosed = False,
      alternativesNamed = renamed,
      alternativeTags = (labelName tag :),
      alternativeDrafts = (partsDraft (labelName tag) parts :),
      jsonW = single (\a -> toFill (taggedJsonW parts (phrase (labelTag tag)) a)),
      jsonR = \closed found _ -> taggedJsonR closed "tag" parts found,
      jsonAloneW = single (\a -> toFill (jsonRecordW Opens parts a)),
      jsonAloneR = \closed -> (:) (labelName tag, jsonRecordR (closing closed)),
      mpackMaps = fieldsIn @MessagePack,
      cborMaps = fieldsIn @Cbor,
      nativeW = \count i -> single (\a -> toFill (number count i <> nativePut parts a)),
      nativeR = Native.alternative (nativeFields parts),
      directCases = \closed -> (:) (directCase closed (labelName tag) parts),
      directW = \i -> single (\a -> Direct.Apart i (directPut parts a))
    }
  where
    fieldsIn :: forall f. (PairsIn f) => Maps f '[ '(n, a)] t
    fieldsIn =
      Maps
        ( single
            (\a -> toFill (taggedW @f parts (tagIn called) a))
        )
        (\closed found _ -> taggedR @f closed "tag" parts found)
        (single (\a -> toFill (pairsW @f parts a)))
        (\closed -> (:) (labelName tag, pairsR @f (closing closed)))
      where
        called = labelText tag :: TextIn f
    {-# INLINE fieldsIn #-}
    closing closed = parts {partClosed = closed || partClosed parts}
{-# INLINE fieldsOf #-}

type family Snoc (names :: [Symbol]) (n :: Symbol) :: [Symbol] where
  Snoc '[] n = '[n]
  Snoc (m ': ms) n = m ': Snoc ms n

instance RejectUnknownFields (AlternativesIn fs alternatives t) where
  rejectUnknownFields p =
    p
      { alternativesClosed =
          True,
        alternativesNamed = \rename -> (alternativesNamed p rename) {alternativesClosed = True}
      }
  {-# INLINE rejectUnknownFields #-}

-- | The case of the only alternative.
single :: (a -> r) -> Cases '[ '(n, a)] r
single here = Case here None
{-# INLINE single #-}

-- | The tag's field and the tag.
tagIn :: forall f. (BinaryFormat f) => TextIn f -> Write
tagIn called = Binary.constant @f "tag" <> Phrase.text called
{-# INLINE tagIn #-}

-- | One alternative, and others.
(<+>) ::
  AlternativesIn fs '[first] t -> AlternativesIn fs rest t -> AlternativesIn fs (first ': rest) t
p <+> q =
  Alternatives
    { alternativeCount = 1 + alternativeCount q,
      alternativesClosed = alternativesClosed p || alternativesClosed q,
      alternativesNamed = orNamed (alternativesNamed p) (alternativesNamed q),
      alternativeTags = alternativeTags p . alternativeTags q,
      alternativeDrafts = alternativeDrafts p . alternativeDrafts q,
      jsonW = choice (jsonW p) (jsonW q),
      jsonR = \closed found i -> first i (jsonR p closed found 0#) (jsonR q closed found (i -# 1#)),
      jsonAloneW = choice (jsonAloneW p) (jsonAloneW q),
      jsonAloneR = \closed rest -> jsonAloneR p closed (jsonAloneR q closed rest),
      mpackMaps = mpackMaps p `orMaps` mpackMaps q,
      cborMaps = cborMaps p `orMaps` cborMaps q,
      nativeW = \count i -> choice (nativeW p count i) (nativeW q count (i + 1)),
      nativeR = nativeR p `Native.orElse` nativeR q,
      directCases = \closed -> directCases p closed . directCases q closed,
      directW = \i -> choice (directW p i) (directW q (i + 1))
    }
{-# INLINE (<+>) #-}

infixr 3 <+>

-- NOINLINE: it breaks the loop, so that '<+>' can be inlined.
orNamed ::
  ((Text -> Text) -> AlternativesIn fs '[first] t) ->
  ((Text -> Text) -> AlternativesIn fs rest t) ->
  (Text -> Text) ->
  AlternativesIn fs (first ': rest) t
orNamed p q rename = p rename <+> q rename
{-# NOINLINE orNamed #-}

orMaps :: Maps f '[first] t -> Maps f rest t -> Maps f (first ': rest) t
orMaps p q =
  Maps
    (choice (mapsW p) (mapsW q))
    ( \closed found i ->
        first i (mapsR p closed found 0#) (mapsR q closed found (i -# 1#))
    )
    (choice (aloneW p) (aloneW q))
    (\closed rest -> aloneR p closed (aloneR q closed rest))
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
  forall t alternatives fs.
  (Typeable t, Distinct "oneOf" "alternatives" 2 (TagsOf alternatives '[])) =>
  (t -> OneOf alternatives) ->
  AlternativesIn fs alternatives t ->
  CodecIn fs t
oneOf = sumOf
{-# INLINE oneOf #-}

-- | The same with tags that are made of those of the alternatives when the program runs:
-- two that become equal are refused here. Such a codec costs more: the codecs of what
-- alternatives hold are called without being known.
--
-- > oneOfNamed (T.append prefix) which alternatives
oneOfNamed ::
  forall t alternatives fs.
  (Typeable t, Distinct "oneOfNamed" "alternatives" 2 (TagsOf alternatives '[])) =>
  (Text -> Text) ->
  (t -> OneOf alternatives) ->
  AlternativesIn fs alternatives t ->
  Either Mistake (CodecIn fs t)
oneOfNamed rename which alternatives = case mistakeIn (map T.pack (alternativeTags renamed [])) of
  Just mistake -> Left mistake
  Nothing -> Right (sumOf which renamed)
  where
    renamed = alternativesNamed alternatives rename

sumOf ::
  forall t alternatives fs.
  (Typeable t) =>
  (t -> OneOf alternatives) ->
  AlternativesIn fs alternatives t ->
  CodecIn fs t
sumOf which alternatives =
  directly direct $
    plain
      (Shape.declare (Shape.taggedAs "tag" "contents") (draftsOf alternatives))
      (FillWriter (\t -> which t `of'` jsonW alternatives))
      ( Json.taggedObject
          "tag"
          "contents"
          (constructors (alternativeTags alternatives []))
          (jsonR alternatives (alternativesClosed alternatives))
      )
      (mapW (mpackMaps alternatives))
      (mapR (mpackMaps alternatives))
      (mapW (cborMaps alternatives))
      (mapR (cborMaps alternatives))
      (FillWriter (\t -> which t `of'` nativeW alternatives (alternativeCount alternatives) 0))
      (Native.recursiveOneOf (nativeR alternatives))
  where
    direct =
      Direct.declared
        (alternativesClosed alternatives)
        (Direct.Tagged (T.pack "tag") (T.pack "contents"))
        (directCases alternatives (alternativesClosed alternatives) [])
        (\t -> which t `of'` directW alternatives 0)
    mapW :: forall f. Maps f alternatives t -> Writer t
    mapW maps = FillWriter (\t -> which t `of'` mapsW maps)
    {-# INLINE mapW #-}
    mapR :: forall f. (BinaryFormat f) => Maps f alternatives t -> Reader t
    mapR maps =
      Binary.taggedMap
        @f
        "tag"
        "contents"
        (constructors (alternativeTags alternatives []))
        (mapsR maps (alternativesClosed alternatives))
    {-# INLINE mapR #-}
{-# INLINE sumOf #-}

-- | The alternatives in a shape.
draftsOf :: AlternativesIn fs alternatives t -> [Shape.Draft t]
draftsOf alternatives
  | alternativesClosed alternatives = map Shape.closed drafts
  | otherwise = drafts
  where
    drafts = alternativeDrafts alternatives []

-- | The same without tags: what an alternative holds stands by itself, and one that holds
-- nothing is its tag as a text. The first alternative that a document can be is meant, so that
-- their order counts. What that costs is said in "Tern.Internal.Attempt": the first byte decides
-- where it can; else alternatives are tried, each part of a document once. In the native
-- format it is as 'oneOf'.
--
-- > untagged which (contents @"Code" Code int <+> contents @"Name" Name text)
untagged ::
  forall t alternatives fs.
  (Typeable t, Distinct "untagged" "alternatives" 2 (TagsOf alternatives '[])) =>
  (t -> OneOf alternatives) ->
  AlternativesIn fs alternatives t ->
  CodecIn fs t
untagged which alternatives =
  plain
    shaped
    (FillWriter (\t -> which t `of'` jsonAloneW alternatives))
    (Untagged.jsonByCodec shaped (jsonAloneR alternatives closed []))
    (FillWriter (\t -> which t `of'` aloneW (mpackMaps alternatives)))
    (Untagged.binaryByCodec @MessagePack shaped (aloneR (mpackMaps alternatives) closed []))
    (FillWriter (\t -> which t `of'` aloneW (cborMaps alternatives)))
    (Untagged.binaryByCodec @Cbor shaped (aloneR (cborMaps alternatives) closed []))
    (FillWriter (\t -> which t `of'` nativeW alternatives (alternativeCount alternatives) 0))
    (Native.recursiveOneOf (nativeR alternatives))
  where
    closed = alternativesClosed alternatives
    shaped :: ShapeOf t
    shaped = Shape.declare (Shape.Several Shape.Untagged) (draftsOf alternatives)
{-# INLINE untagged #-}

-- | The tags, the last one first.
type family TagsOf (alternatives :: [(Symbol, Type)]) (later :: [Symbol]) :: [Symbol] where
  TagsOf '[] found = found
  TagsOf ('(n, a) ': rest) found = TagsOf rest (n ': found)
