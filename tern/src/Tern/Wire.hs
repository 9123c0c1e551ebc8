{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TupleSections #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UndecidableInstances #-}

-- | The class of types that have wire formats, its instances, and what
-- @deriving anyclass Wire@ runs.
--
-- Each format has its own methods, and each method is monomorphic: a class
-- that is polymorphic in the format does not specialise in GHC (see
-- @docs\/decisions@). A method is a value, a codec, so that where a type is
-- known its codec is too: the instances are a table of codecs, and generic
-- deriving puts a record's together from those of its fields.
--
-- The classes for generics stand in this file because their leaves need 'Wire'
-- and its defaults need them.
--
-- INLINE on the generic code but not on the defaults: the code is put together
-- once, in the module that derives the instance. With INLINE on the default
-- every use would put the record together again.
module Tern.Wire
  ( Wire (..),
    WireKey (..),
    shapeOf,

    -- * Generic deriving
    genericJsonW,
    genericJsonR,
    genericShape,
    GWrite,
    GRead,
    GShape,

    -- * Templates
    shapedField,
    Has (..),
    shapedDraft,
  )
where

import Data.Bifunctor (first)
import Data.Char (ord)
import Data.HashMap.Strict (HashMap)
import Data.HashMap.Strict qualified as HashMap
import Data.Hashable (Hashable)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (isJust)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Lazy qualified as TL
import Data.Typeable (Typeable)
import Data.Vector qualified as V
import Data.Vector.Storable qualified as VS
import Data.Vector.Unboxed qualified as VU
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Exts
import GHC.Generics
import GHC.TypeLits
import Tern.Error
import Tern.HashMap qualified as HashMap
import Tern.Json.Codec qualified as Json
import Tern.Json.Container qualified as Json
import Tern.Json.Object
import Tern.Json.Sum qualified as Sum
import Tern.Prim.Buffer (Fill)
import Tern.Read
import Tern.Shape (Shape, ShapeOf (..))
import Tern.Shape qualified as Shape
import Tern.Write

-- $setup
-- >>> import Data.Text (Text)

-- | Types with wire formats. All methods have defaults by 'Generic'.
--
-- The superclass names the type, in shapes.
class (Typeable a) => Wire a where
  -- | How a value is written as JSON.
  jsonW :: Writer a
  default jsonW :: (Generic a, GWrite (Rep a)) => Writer a
  jsonW = genericJsonW

  -- | How a value is read from JSON.
  jsonR :: Reader a
  default jsonR :: (Generic a, GRead (Rep a)) => Reader a
  jsonR = genericJsonR

  -- | What the values look like on the wire. Codecs by hand say it with
  -- 'Shape.opaque' or 'Shape.like'.
  shape :: ShapeOf a
  default shape :: (Generic a, GShape (Rep a)) => ShapeOf a
  shape = genericShape

  -- | The value of a record's field that is not there, for types that have one,
  -- as 'Maybe' has.
  absent :: Maybe a
  absent = Nothing

  -- | How a list of values is written; it is a string for 'Char'.
  jsonListW :: Writer [a]
  jsonListW = Json.listW jsonW

  -- | How a list of values is read.
  jsonListR :: Reader [a]
  jsonListR = Json.listR jsonR

  -- | The shape of a list of values.
  listShape :: ShapeOf [a]
  listShape = ShapeOf (Shape.List 0 (shapeOf @a))

-- | Types that can be the keys of an object.
class WireKey k where
  -- | The key as text.
  keyText :: k -> Text

  -- | The key that a text stands for.
  textKey :: Text -> Either Text k

-- | The shape of a type.
--
-- >>> shapeOf @[(Text, Maybe Bool)]
-- "[(text, boolean?)]"
shapeOf :: forall a. (Wire a) => Shape
shapeOf = Shape.theShape (shape @a)

-- * Generic deriving

-- | The generic writer.
genericJsonW :: (Generic a, GWrite (Rep a)) => Writer a
genericJsonW = FillWriter (\x -> gFill (from x))
{-# INLINE genericJsonW #-}

-- | The generic reader.
genericJsonR :: (Generic a, GRead (Rep a)) => Reader a
genericJsonR = gRead to
{-# INLINE genericJsonR #-}

-- | Representations of declared types that can be written.
class GWrite f where
  gFill :: f p -> Fill

-- | Representations of declared types that can be read. What makes a value of
-- its representation is handed down to each constructor, so that none is left
-- in the code: a branch that returned one would meet the others first.
class GRead f where
  gRead :: (f p -> a) -> Reader a

instance (GType (LayoutOf f) f) => GWrite (D1 m f) where
  gFill (M1 x) = gTypeW @(LayoutOf f) x
  {-# INLINE gFill #-}

instance (GType (LayoutOf f) f) => GRead (D1 m f) where
  gRead k = gTypeR @(LayoutOf f) (\x -> k (M1 x))
  {-# INLINE gRead #-}

-- | How a type is laid out, which its constructors decide.
data Layout
  = -- | One constructor.
    Single
  | -- | Several, none of which has fields: names.
    Enumeration
  | -- | Several: objects with a tag.
    TaggedObject

type family LayoutOf f :: Layout where
  LayoutOf (C1 m f) = 'Single
  LayoutOf f = Several (AllNullary f)

type family Several (allNullary :: Bool) :: Layout where
  Several 'True = 'Enumeration
  Several 'False = 'TaggedObject

type family AllNullary f :: Bool where
  AllNullary (f :+: g) = Both (AllNullary f) (AllNullary g)
  AllNullary (C1 m U1) = 'True
  AllNullary f = 'False

type family Both (a :: Bool) (b :: Bool) :: Bool where
  Both 'True b = b
  Both 'False b = 'False

class GType (layout :: Layout) f where
  gTypeW :: f p -> Fill
  gTypeR :: (f p -> a) -> Reader a

-- | What a constructor's fields are written as.
data Body
  = -- | No fields.
    Nullary
  | -- | One field without a name: its value.
    Unary
  | -- | Several without names: an array.
    Array
  | -- | Fields with names: members of an object.
    Record

type family BodyOf (m :: Meta) f :: Body where
  BodyOf m U1 = 'Nullary
  BodyOf ('MetaCons n x 'True) f = 'Record
  BodyOf m (S1 s f) = 'Unary
  BodyOf m f = 'Array

-- | The bodies that stand by themselves: all but members.
class GBody (body :: Body) f where
  gBodyW :: f p -> Write
  gBodyR :: (f p -> a) -> Reader a

instance GBody 'Nullary U1 where
  gBodyW _ = literal "[]"
  {-# INLINE gBodyW #-}
  gBodyR k = fmap (\() -> k U1) Json.unitR
  {-# INLINE gBodyR #-}

instance (Wire a) => GBody 'Unary (S1 m (Rec0 a)) where
  gBodyW (M1 (K1 x)) = write jsonW x
  {-# INLINE gBodyW #-}
  gBodyR k = fmap (\x -> k (M1 (K1 x))) jsonR
  {-# INLINE gBodyR #-}

instance (GArray f, GArray g) => GBody 'Array (f :*: g) where
  gBodyW x = Json.open <> gArrayW x <> Json.close
  {-# INLINE gBodyW #-}
  gBodyR k = Json.bracket n (fmap k (gArrayR True n) <* Json.done n)
    where
      n = gArrayLength @(f :*: g)
  {-# INLINE gBodyR #-}

instance (GRecord "{" f) => GBody 'Record f where
  gBodyW x = gRecordW @"{" x <> byte 125
  {-# INLINE gBodyW #-}
  gBodyR k = record (table (gRecordTable @"{" @f [])) (gRecordCount @"{" @f) (gRecordR @"{" @f endFields) (built @"{" k)
  {-# INLINE gBodyR #-}

-- ** Types of one constructor

instance (GBody (BodyOf m f) f) => GType 'Single (C1 m f) where
  gTypeW (M1 x) = toFill (gBodyW @(BodyOf m f) x)
  {-# INLINE gTypeW #-}
  gTypeR k = gBodyR @(BodyOf m f) (\x -> k (M1 x))
  {-# INLINE gTypeR #-}

-- ** Several constructors

--
-- The code for a constructor is put in its place a phase after the outermost
-- choice between them (and GHC's own @from@, which waits for phase 1): the
-- choice is then still small where the compiler moves
-- it into the type's own constructors, and none of the representation is left.
-- Proof: inspect "no generic representation is left".

-- | Sums of constructors, numbered from the left.
class GSum f where
  gSumNames :: [String] -> [String]
  gSumCount :: Int

instance (GSum f, GSum g) => GSum (f :+: g) where
  gSumNames rest = gSumNames @f (gSumNames @g rest)
  {-# INLINE gSumNames #-}
  gSumCount = gSumCount @f + gSumCount @g
  {-# INLINE gSumCount #-}

instance (KnownSymbol n) => GSum (C1 ('MetaCons n x r) f) where
  gSumNames rest = symbolVal' (proxy# @n) : rest
  {-# INLINE gSumNames #-}
  gSumCount = 1
  {-# INLINE gSumCount #-}

instance (GSum f, GSum g, GEnum f, GEnum g) => GType 'Enumeration (f :+: g) where
  gTypeW = \case
    L1 x -> gEnumW x
    R1 x -> gEnumW x
  {-# INLINE gTypeW #-}
  gTypeR k = Sum.enumeration (Sum.constructors (gSumNames @(f :+: g) [])) (gEnumR k)
  {-# INLINE gTypeR #-}

-- | Constructors without fields.
class GEnum f where
  gEnumW :: f p -> Fill
  gEnumR :: (f p -> a) -> Int# -> a

instance (GSum f, GEnum f, GEnum g) => GEnum (f :+: g) where
  gEnumW = \case
    L1 x -> gEnumW x
    R1 x -> gEnumW x
  {-# INLINE [0] gEnumW #-}
  gEnumR k i = case gSumCount @f of
    I# n -> case i <# n of
      1# -> gEnumR (\x -> k (L1 x)) i
      _ -> gEnumR (\x -> k (R1 x)) (i -# n)
  {-# INLINE gEnumR #-}

instance (KnownSymbol (Quoted n)) => GEnum (C1 ('MetaCons n x r) U1) where
  gEnumW _ = toFill (literal (symbolVal' (proxy# @(Quoted n))))
  {-# INLINE [0] gEnumW #-}
  gEnumR k _ = k (M1 U1)
  {-# INLINE gEnumR #-}

instance (GSum f, GSum g, GAlternative f, GAlternative g) => GType 'TaggedObject (f :+: g) where
  gTypeW = \case
    L1 x -> gAlternativeW x
    R1 x -> gAlternativeW x
  {-# INLINE gTypeW #-}
  gTypeR k = Sum.taggedObject "tag" "contents" (Sum.constructors (gSumNames @(f :+: g) [])) (gAlternativeR k)
  {-# INLINE gTypeR #-}

-- | Constructors in objects with a tag.
class GAlternative f where
  gAlternativeW :: f p -> Fill
  gAlternativeR :: (f p -> a) -> Sum.Tagged -> Int# -> Step a

instance (GSum f, GAlternative f, GAlternative g) => GAlternative (f :+: g) where
  gAlternativeW = \case
    L1 x -> gAlternativeW x
    R1 x -> gAlternativeW x
  {-# INLINE [0] gAlternativeW #-}
  gAlternativeR k found i ctx e c s = case gSumCount @f of
    I# n -> case i <# n of
      1# -> gAlternativeR (\x -> k (L1 x)) found i ctx e c s
      _ -> gAlternativeR (\x -> k (R1 x)) found (i -# n) ctx e c s
  {-# INLINE gAlternativeR #-}

instance (GTagged (BodyOf ('MetaCons n x r) f) n f) => GAlternative (C1 ('MetaCons n x r) f) where
  gAlternativeW (M1 x) = toFill (gTaggedW @(BodyOf ('MetaCons n x r) f) @n x)
  {-# INLINE [0] gAlternativeW #-}
  gAlternativeR k found _ = gTaggedR @(BodyOf ('MetaCons n x r) f) @n (\x -> k (M1 x)) found
  {-# INLINE gAlternativeR #-}

-- | A constructor in an object with a tag; reading begins behind the tag, or
-- where 'Sum.Tagged' says.
class GTagged (body :: Body) (n :: Symbol) f where
  gTaggedW :: f p -> Write
  gTaggedR :: (f p -> a) -> Sum.Tagged -> Step a

-- | @{"tag":"Name"@
type Tag n = AppendSymbol "{\"tag\":" (Quoted n)

-- | @{"tag":"Name","contents":@
type TagContents n = AppendSymbol (Tag n) ",\"contents\":"

instance (KnownSymbol (Tag n)) => GTagged 'Nullary n U1 where
  gTaggedW _ = literal (symbolVal' (proxy# @(Tag n))) <> byte 125
  {-# INLINE gTaggedW #-}
  gTaggedR k = Sum.caseNullary (k U1)
  {-# INLINE gTaggedR #-}

instance (KnownSymbol (TagContents n), GBody 'Unary f) => GTagged 'Unary n f where
  gTaggedW x = literal (symbolVal' (proxy# @(TagContents n))) <> gBodyW @'Unary x <> byte 125
  {-# INLINE gTaggedW #-}
  gTaggedR k = Sum.caseContents ",\"contents\":" "contents" (gBodyR @'Unary k)
  {-# INLINE gTaggedR #-}

instance (KnownSymbol (TagContents n), GBody 'Array f) => GTagged 'Array n f where
  gTaggedW x = literal (symbolVal' (proxy# @(TagContents n))) <> gBodyW @'Array x <> byte 125
  {-# INLINE gTaggedW #-}
  gTaggedR k = Sum.caseContents ",\"contents\":" "contents" (gBodyR @'Array k)
  {-# INLINE gTaggedR #-}

instance (GRecord (AppendSymbol (Tag n) ",") f, GRecord "," f) => GTagged 'Record n f where
  gTaggedW x = gRecordW @(AppendSymbol (Tag n) ",") x <> byte 125
  {-# INLINE gTaggedW #-}
  gTaggedR k = Sum.caseRecord (recordAt (table (gRecordTable @"," @f [])) (gRecordCount @"," @f) (gRecordR @"," @f endFields) (built @"," k))
  {-# INLINE gTaggedR #-}

-- ** Fields without names

class GArray f where
  gArrayW :: f p -> Write

  -- | The elements of an array of so many; is the first of them among these?
  gArrayR :: Bool -> Int -> Reader (f p)

  gArrayLength :: Int

instance (GArray f, GArray g) => GArray (f :*: g) where
  gArrayW (x :*: y) = gArrayW x <> Json.comma <> gArrayW y
  {-# INLINE gArrayW #-}
  gArrayR leading n = (:*:) <$> gArrayR leading n <*> gArrayR False n
  {-# INLINE gArrayR #-}
  gArrayLength = gArrayLength @f + gArrayLength @g
  {-# INLINE gArrayLength #-}

instance (Wire a) => GArray (S1 m (Rec0 a)) where
  gArrayW (M1 (K1 x)) = write jsonW x
  {-# INLINE gArrayW #-}
  gArrayR leading n = fmap (\x -> M1 (K1 x)) (if leading then jsonR else Json.next n jsonR)
  {-# INLINE gArrayR #-}
  gArrayLength = 1
  {-# INLINE gArrayLength #-}

-- ** Fields with names

-- | The members of an object. @prefix@ is what stands before the first key:
-- the opening brace, a comma, or a tag.
class GRecord (prefix :: Symbol) f where
  gRecordW :: f p -> Write

  -- | The fields, and then others.
  gRecordR :: Run -> Run

  -- | The fields from the slots, from number @i@ on.
  gRecordBuild :: Slots -> Int# -> State# RealWorld -> (# State# RealWorld, f p #)

  gRecordTable :: [Field] -> [Field]
  gRecordCount :: Int

instance (GRecord prefix f, GRecord "," g) => GRecord prefix (f :*: g) where
  gRecordW (x :*: y) = gRecordW @prefix x <> gRecordW @"," y
  {-# INLINE gRecordW #-}
  gRecordR rest = gRecordR @prefix @f (gRecordR @"," @g rest)
  {-# INLINE gRecordR #-}
  gRecordBuild slots i s = case gRecordBuild @prefix @f slots i s of
    (# s1, x #) -> case gRecordCount @prefix @f of
      I# n -> case gRecordBuild @"," @g slots (i +# n) s1 of
        (# s2, y #) -> (# s2, x :*: y #)
  {-# INLINE gRecordBuild #-}
  gRecordTable rest = gRecordTable @prefix @f (gRecordTable @"," @g rest)
  {-# INLINE gRecordTable #-}
  gRecordCount = gRecordCount @prefix @f + gRecordCount @"," @g
  {-# INLINE gRecordCount #-}

-- | @prefix"name":@
type KeyAfter prefix n = AppendSymbol prefix (AppendSymbol (Quoted n) ":")

instance
  (KnownSymbol n, KnownSymbol (KeyAfter prefix n), Wire a) =>
  GRecord prefix (S1 ('MetaSel ('Just n) u v w) (Rec0 a))
  where
  gRecordW (M1 (K1 x)) = literal (symbolVal' (proxy# @(KeyAfter prefix n))) <> write jsonW x
  {-# INLINE gRecordW #-}
  gRecordR = thenField (symbolVal' (proxy# @(KeyAfter prefix n))) (jsonR @a)
  {-# INLINE gRecordR #-}
  gRecordBuild slots i s = case getSlot slots i s of (# s1, x #) -> (# s1, M1 (K1 x) #)
  {-# INLINE gRecordBuild #-}
  gRecordTable rest = field (symbolVal' (proxy# @n)) (jsonR @a) absent : rest
  {-# INLINE gRecordTable #-}
  gRecordCount = 1
  {-# INLINE gRecordCount #-}

-- | A value from its representation, whose fields are in the slots.
built :: forall prefix f p a. (GRecord prefix f) => (f p -> a) -> Slots -> State# RealWorld -> (# State# RealWorld, a #)
built k slots s = case gRecordBuild @prefix @f slots 0# s of (# s1, x #) -> case k x of !a -> (# s1, a #)
{-# INLINE built #-}

-- ** Shapes

-- | The generic shape.
--
-- Nothing here is inlined: the code that derives an instance only passes
-- dictionaries together, and they are put to work when a shape is asked for.
genericShape :: forall a. (Typeable a, Generic a, GShape (Rep a)) => ShapeOf a
genericShape = Shape.declare (outline constructors) constructors
  where
    constructors = gShape @(Rep a) []
    outline = \case
      [_] -> Shape.One
      _
        | gAllNullary @(Rep a) -> Shape.NamesAlone
        | otherwise -> Shape.taggedAs "tag" "contents"
{-# NOINLINE genericShape #-}

-- | Representations of declared types that have a shape.
class GShape f where
  gShape :: [Shape.Draft a] -> [Shape.Draft a]
  gAllNullary :: Bool

instance (GShape f) => GShape (D1 m f) where
  gShape = gShape @f
  {-# NOINLINE gShape #-}
  gAllNullary = gAllNullary @f
  {-# NOINLINE gAllNullary #-}

instance (GShape f, GShape g) => GShape (f :+: g) where
  gShape rest = gShape @f (gShape @g rest)
  {-# NOINLINE gShape #-}
  gAllNullary = gAllNullary @f && gAllNullary @g
  {-# NOINLINE gAllNullary #-}

instance (KnownSymbol n, KnownRecord r, GFields f) => GShape (C1 ('MetaCons n x r) f) where
  gShape rest = Shape.draftOf (symbolVal' (proxy# @n)) (isRecord @r) (drafts (gFields @f) []) : rest
  {-# NOINLINE gShape #-}
  gAllNullary = null (drafts (gFields @f) [])
  {-# NOINLINE gAllNullary #-}

-- | Has a constructor named fields?
class KnownRecord (r :: Bool) where
  isRecord :: Bool

instance KnownRecord 'True where
  isRecord = True

instance KnownRecord 'False where
  isRecord = False

-- | The fields of a constructor, as data: inlined it needs no code.
data Drafts
  = NoFields
  | forall n a. (KnownSymbol n, Wire a) => Selected (Proxy n) (Proxy a)
  | Both Drafts Drafts

-- | Their names, whether they may be absent, and their shapes.
drafts :: Drafts -> [(String, Bool, Shape)] -> [(String, Bool, Shape)]
drafts = \case
  NoFields -> id
  Selected n (_ :: Proxy a) -> ((symbolVal n, isJust (absent @a), shapeOf @a) :)
  Both f g -> drafts f . drafts g

class GFields f where
  gFields :: Drafts

instance GFields U1 where
  gFields = NoFields
  {-# INLINE gFields #-}

instance (GFields f, GFields g) => GFields (f :*: g) where
  gFields = Both (gFields @f) (gFields @g)
  {-# INLINE gFields #-}

instance (KnownSymbol n, Wire a) => GFields (S1 ('MetaSel ('Just n) u v w) (Rec0 a)) where
  gFields = Selected (Proxy @n) (Proxy @a)
  {-# INLINE gFields #-}

instance (Wire a) => GFields (S1 ('MetaSel 'Nothing u v w) (Rec0 a)) where
  gFields = Selected (Proxy @"") (Proxy @a)
  {-# INLINE gFields #-}

-- | A type of the class. A constructor, so that a list of them is data and no
-- code.
data Has = forall a. (Wire a) => Has (Proxy a)

-- | A constructor whose fields' types can be written: its name, whether its
-- fields' names are in the document, the names, each with a NUL behind it, and
-- the types, each once, of which the characters give each field's number.
shapedDraft :: String -> Bool -> String -> String -> [Has] -> Shape.Draft r
shapedDraft name named labels numbers types =
  Shape.draftOf name named [field' label has | (label, number) <- zip (split labels) numbers, has : _ <- [drop (ord number) types]]
  where
    field' :: String -> Has -> (String, Bool, Shape)
    field' label (Has (_ :: Proxy a)) = (label, isJust (absent @a), shapeOf @a)
    split text = case break (== '\0') text of
      (label, _ : rest) -> label : split rest
      (label, []) -> [label]
{-# NOINLINE shapedDraft #-}

-- | A field of a constructor, its type known from the constructor's.
shapedField :: (Wire a) => String -> Shape.Fields c r -> Shape.Fields (a -> c) r
shapedField name = Shape.addField name absent shape
{-# NOINLINE shapedField #-}

-- ** Names

-- | A name as a JSON string. Identifiers need no escapes; only the names of
-- operators can hold a backslash, and only they are looked through.
type Quoted n = AppendSymbol "\"" (AppendSymbol (Escaped (Alphabetic (UnconsSymbol n)) n) "\"")

type family Escaped (alphabetic :: Bool) (n :: Symbol) :: Symbol where
  Escaped 'True n = n
  Escaped 'False n = EscapedChars (UnconsSymbol n)

type family EscapedChars (n :: Maybe (Char, Symbol)) :: Symbol where
  EscapedChars 'Nothing = ""
  EscapedChars ('Just '( '\\', rest)) = AppendSymbol "\\\\" (EscapedChars (UnconsSymbol rest))
  EscapedChars ('Just '(c, rest)) = ConsSymbol c (EscapedChars (UnconsSymbol rest))

-- | Does a name begin with an ASCII letter or an underscore?
type family Alphabetic (n :: Maybe (Char, Symbol)) :: Bool where
  Alphabetic ('Just '( 'a', rest)) = 'True
  Alphabetic ('Just '( 'b', rest)) = 'True
  Alphabetic ('Just '( 'c', rest)) = 'True
  Alphabetic ('Just '( 'd', rest)) = 'True
  Alphabetic ('Just '( 'e', rest)) = 'True
  Alphabetic ('Just '( 'f', rest)) = 'True
  Alphabetic ('Just '( 'g', rest)) = 'True
  Alphabetic ('Just '( 'h', rest)) = 'True
  Alphabetic ('Just '( 'i', rest)) = 'True
  Alphabetic ('Just '( 'j', rest)) = 'True
  Alphabetic ('Just '( 'k', rest)) = 'True
  Alphabetic ('Just '( 'l', rest)) = 'True
  Alphabetic ('Just '( 'm', rest)) = 'True
  Alphabetic ('Just '( 'n', rest)) = 'True
  Alphabetic ('Just '( 'o', rest)) = 'True
  Alphabetic ('Just '( 'p', rest)) = 'True
  Alphabetic ('Just '( 'q', rest)) = 'True
  Alphabetic ('Just '( 'r', rest)) = 'True
  Alphabetic ('Just '( 's', rest)) = 'True
  Alphabetic ('Just '( 't', rest)) = 'True
  Alphabetic ('Just '( 'u', rest)) = 'True
  Alphabetic ('Just '( 'v', rest)) = 'True
  Alphabetic ('Just '( 'w', rest)) = 'True
  Alphabetic ('Just '( 'x', rest)) = 'True
  Alphabetic ('Just '( 'y', rest)) = 'True
  Alphabetic ('Just '( 'z', rest)) = 'True
  Alphabetic ('Just '( 'A', rest)) = 'True
  Alphabetic ('Just '( 'B', rest)) = 'True
  Alphabetic ('Just '( 'C', rest)) = 'True
  Alphabetic ('Just '( 'D', rest)) = 'True
  Alphabetic ('Just '( 'E', rest)) = 'True
  Alphabetic ('Just '( 'F', rest)) = 'True
  Alphabetic ('Just '( 'G', rest)) = 'True
  Alphabetic ('Just '( 'H', rest)) = 'True
  Alphabetic ('Just '( 'I', rest)) = 'True
  Alphabetic ('Just '( 'J', rest)) = 'True
  Alphabetic ('Just '( 'K', rest)) = 'True
  Alphabetic ('Just '( 'L', rest)) = 'True
  Alphabetic ('Just '( 'M', rest)) = 'True
  Alphabetic ('Just '( 'N', rest)) = 'True
  Alphabetic ('Just '( 'O', rest)) = 'True
  Alphabetic ('Just '( 'P', rest)) = 'True
  Alphabetic ('Just '( 'Q', rest)) = 'True
  Alphabetic ('Just '( 'R', rest)) = 'True
  Alphabetic ('Just '( 'S', rest)) = 'True
  Alphabetic ('Just '( 'T', rest)) = 'True
  Alphabetic ('Just '( 'U', rest)) = 'True
  Alphabetic ('Just '( 'V', rest)) = 'True
  Alphabetic ('Just '( 'W', rest)) = 'True
  Alphabetic ('Just '( 'X', rest)) = 'True
  Alphabetic ('Just '( 'Y', rest)) = 'True
  Alphabetic ('Just '( 'Z', rest)) = 'True
  Alphabetic ('Just '( '_', rest)) = 'True
  Alphabetic n = 'False

-- * Instances

instance Wire Int where
  shape = Shape.bounded
  jsonW = Json.intW
  {-# INLINE jsonW #-}
  jsonR = Json.intR
  {-# INLINE jsonR #-}

instance Wire Int8 where
  shape = Shape.bounded
  jsonW = Json.sizedIntW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedIntR "Int8"
  {-# INLINE jsonR #-}

instance Wire Int16 where
  shape = Shape.bounded
  jsonW = Json.sizedIntW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedIntR "Int16"
  {-# INLINE jsonR #-}

instance Wire Int32 where
  shape = Shape.bounded
  jsonW = Json.sizedIntW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedIntR "Int32"
  {-# INLINE jsonR #-}

instance Wire Int64 where
  shape = Shape.bounded
  jsonW = Json.sizedIntW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedIntR "Int64"
  {-# INLINE jsonR #-}

instance Wire Word where
  shape = Shape.bounded
  jsonW = Json.wordW
  {-# INLINE jsonW #-}
  jsonR = Json.wordR
  {-# INLINE jsonR #-}

instance Wire Word8 where
  shape = Shape.bounded
  jsonW = Json.sizedWordW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedWordR "Word8"
  {-# INLINE jsonR #-}

instance Wire Word16 where
  shape = Shape.bounded
  jsonW = Json.sizedWordW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedWordR "Word16"
  {-# INLINE jsonR #-}

instance Wire Word32 where
  shape = Shape.bounded
  jsonW = Json.sizedWordW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedWordR "Word32"
  {-# INLINE jsonR #-}

instance Wire Word64 where
  shape = Shape.bounded
  jsonW = Json.sizedWordW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedWordR "Word64"
  {-# INLINE jsonR #-}

instance Wire Integer where
  shape = ShapeOf (Shape.Integer Nothing Nothing)
  jsonW = Json.integerW
  {-# INLINE jsonW #-}
  jsonR = Json.integerR
  {-# INLINE jsonR #-}

instance Wire Natural where
  shape = ShapeOf (Shape.Integer (Just 0) Nothing)
  jsonW = Json.naturalW
  {-# INLINE jsonW #-}
  jsonR = Json.naturalR
  {-# INLINE jsonR #-}

instance Wire Double where
  shape = ShapeOf (Shape.Floating 64)
  jsonW = Json.doubleW
  {-# INLINE jsonW #-}
  jsonR = Json.doubleR
  {-# INLINE jsonR #-}

instance Wire Float where
  shape = ShapeOf (Shape.Floating 32)
  jsonW = Json.floatW
  {-# INLINE jsonW #-}
  jsonR = Json.floatR
  {-# INLINE jsonR #-}

instance Wire Bool where
  shape = ShapeOf Shape.Boolean
  jsonW = Json.boolW
  {-# INLINE jsonW #-}
  jsonR = Json.boolR
  {-# INLINE jsonR #-}

instance Wire Text where
  shape = ShapeOf Shape.Text
  jsonW = Json.textW
  {-# INLINE jsonW #-}
  jsonR = Json.textR
  {-# INLINE jsonR #-}

instance Wire TL.Text where
  shape = ShapeOf Shape.Text
  jsonW = Json.lazyTextW
  {-# INLINE jsonW #-}
  jsonR = Json.lazyTextR
  {-# INLINE jsonR #-}

instance Wire Char where
  shape = ShapeOf Shape.Character
  listShape = ShapeOf Shape.Text
  jsonW = Json.charW
  {-# INLINE jsonW #-}
  jsonR = Json.charR
  {-# INLINE jsonR #-}
  jsonListW = Json.stringW
  {-# INLINE jsonListW #-}
  jsonListR = Json.stringR
  {-# INLINE jsonListR #-}

instance Wire () where
  shape = ShapeOf Shape.Unit
  jsonW = Json.unitW
  {-# INLINE jsonW #-}
  jsonR = Json.unitR
  {-# INLINE jsonR #-}

instance (Wire a) => Wire [a] where
  shape = listShape
  jsonW = jsonListW
  {-# INLINE jsonW #-}
  jsonR = jsonListR
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}

instance (Wire a) => Wire (NonEmpty a) where
  shape = ShapeOf (Shape.List 1 (shapeOf @a))
  jsonW = contramapWriter (\(x :| xs) -> x : xs) (Json.listW jsonW)
  {-# INLINE jsonW #-}
  jsonR = Json.nonEmptyR jsonR
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}

instance (Wire a) => Wire (Maybe a) where
  shape = ShapeOf (Shape.Optional (shapeOf @a))
  jsonW = Json.maybeW jsonW
  {-# INLINE jsonW #-}
  jsonR = Json.maybeR jsonR
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}
  absent = Just Nothing

instance (Wire a, Wire b) => Wire (Either a b) where
  shape = Shape.declare (Shape.Several Shape.SingleField) [Shape.draft "Left" False Left (shapedField "" Shape.noFields), Shape.draft "Right" False Right (shapedField "" Shape.noFields)]
  jsonW = Json.eitherW jsonW jsonW
  {-# INLINE jsonW #-}
  jsonR = Json.eitherR jsonR jsonR
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}

instance (Wire a) => Wire (V.Vector a) where
  shape = ShapeOf (Shape.List 0 (shapeOf @a))
  jsonW = Json.vectorW jsonW
  {-# INLINE jsonW #-}
  jsonR = Json.vectorR jsonR
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}

instance (VU.Unbox a, Wire a) => Wire (VU.Vector a) where
  shape = ShapeOf (Shape.List 0 (shapeOf @a))
  jsonW = Json.vectorW jsonW
  {-# INLINE jsonW #-}
  jsonR = Json.vectorR jsonR
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}

instance (VS.Storable a, Wire a) => Wire (VS.Vector a) where
  shape = ShapeOf (Shape.List 0 (shapeOf @a))
  jsonW = Json.vectorW jsonW
  {-# INLINE jsonW #-}
  jsonR = Json.vectorR jsonR
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}

instance (Wire a, Wire b) => Wire (a, b) where
  shape = ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b])
  jsonW = FillWriter $ \(x1, x2) ->
    toFill (Json.open <> write jsonW x1 <> Json.comma <> write jsonW x2 <> Json.close)
  {-# INLINE jsonW #-}
  jsonR = Json.bracket 2 ((,) <$> jsonR <*> Json.next 2 jsonR <* Json.done 2)
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}

instance (Wire a, Wire b, Wire c) => Wire (a, b, c) where
  shape = ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c])
  jsonW = FillWriter $ \(x1, x2, x3) ->
    toFill (Json.open <> write jsonW x1 <> Json.comma <> write jsonW x2 <> Json.comma <> write jsonW x3 <> Json.close)
  {-# INLINE jsonW #-}
  jsonR = Json.bracket 3 ((,,) <$> jsonR <*> Json.next 3 jsonR <*> Json.next 3 jsonR <* Json.done 3)
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}

instance (Wire a, Wire b, Wire c, Wire d) => Wire (a, b, c, d) where
  shape = ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d])
  jsonW = FillWriter $ \(x1, x2, x3, x4) ->
    toFill (Json.open <> write jsonW x1 <> Json.comma <> write jsonW x2 <> Json.comma <> write jsonW x3 <> Json.comma <> write jsonW x4 <> Json.close)
  {-# INLINE jsonW #-}
  jsonR = Json.bracket 4 ((,,,) <$> jsonR <*> Json.next 4 jsonR <*> Json.next 4 jsonR <*> Json.next 4 jsonR <* Json.done 4)
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}

instance (Wire a, Wire b, Wire c, Wire d, Wire e) => Wire (a, b, c, d, e) where
  shape = ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e])
  jsonW = FillWriter $ \(x1, x2, x3, x4, x5) ->
    toFill (Json.open <> write jsonW x1 <> Json.comma <> write jsonW x2 <> Json.comma <> write jsonW x3 <> Json.comma <> write jsonW x4 <> Json.comma <> write jsonW x5 <> Json.close)
  {-# INLINE jsonW #-}
  jsonR = Json.bracket 5 ((,,,,) <$> jsonR <*> Json.next 5 jsonR <*> Json.next 5 jsonR <*> Json.next 5 jsonR <*> Json.next 5 jsonR <* Json.done 5)
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f) => Wire (a, b, c, d, e, f) where
  shape = ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f])
  jsonW = FillWriter $ \(x1, x2, x3, x4, x5, x6) ->
    toFill (Json.open <> write jsonW x1 <> Json.comma <> write jsonW x2 <> Json.comma <> write jsonW x3 <> Json.comma <> write jsonW x4 <> Json.comma <> write jsonW x5 <> Json.comma <> write jsonW x6 <> Json.close)
  {-# INLINE jsonW #-}
  jsonR = Json.bracket 6 ((,,,,,) <$> jsonR <*> Json.next 6 jsonR <*> Json.next 6 jsonR <*> Json.next 6 jsonR <*> Json.next 6 jsonR <*> Json.next 6 jsonR <* Json.done 6)
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g) => Wire (a, b, c, d, e, f, g) where
  shape = ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g])
  jsonW = FillWriter $ \(x1, x2, x3, x4, x5, x6, x7) ->
    toFill (Json.open <> write jsonW x1 <> Json.comma <> write jsonW x2 <> Json.comma <> write jsonW x3 <> Json.comma <> write jsonW x4 <> Json.comma <> write jsonW x5 <> Json.comma <> write jsonW x6 <> Json.comma <> write jsonW x7 <> Json.close)
  {-# INLINE jsonW #-}
  jsonR = Json.bracket 7 ((,,,,,,) <$> jsonR <*> Json.next 7 jsonR <*> Json.next 7 jsonR <*> Json.next 7 jsonR <*> Json.next 7 jsonR <*> Json.next 7 jsonR <*> Json.next 7 jsonR <* Json.done 7)
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}

-- | An object; of a repeated key the last value counts.
instance (Ord k, Typeable k, WireKey k, Wire v) => Wire (Map k v) where
  shape = ShapeOf (Shape.Mapping Shape.Text (shapeOf @v))
  jsonW = contramapWriter (map (first keyText) . Map.toAscList) (Json.pairsW jsonW)
  {-# INLINE jsonW #-}
  jsonR = Reader $ \ctx e c s -> case Json.pairsR jsonR of
    Reader step -> case step ctx e c s of
      (# s1, c1, pairs #) -> case keyed pairs of
        Right !kvs | !m <- Map.fromList (reverse kvs) -> (# s1, c1, m #)
        Left message -> failAt c (Refused message) s1
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}

-- | An object; of a repeated key the last value counts. Keys that collide cost
-- no more than others.
instance (Hashable k, Ord k, Typeable k, WireKey k, Wire v) => Wire (HashMap k v) where
  shape = ShapeOf (Shape.Mapping Shape.Text (shapeOf @v))
  jsonW = contramapWriter (map (first keyText) . HashMap.toList) (Json.pairsW jsonW)
  {-# INLINE jsonW #-}
  jsonR = Reader $ \ctx e c s -> case Json.pairsR jsonR of
    Reader step -> case step ctx e c s of
      (# s1, c1, pairs #) -> case keyed pairs of
        Right !kvs | !m <- HashMap.fromPairs kvs -> (# s1, c1, m #)
        Left message -> failAt c (Refused message) s1
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}

keyed :: (WireKey k) => [(Text, v)] -> Either Text [(k, v)]
keyed = traverse (\(k, v) -> fmap (,v) (textKey k))

instance WireKey Text where
  keyText = id
  textKey = Right

instance WireKey TL.Text where
  keyText = TL.toStrict
  textKey = Right . TL.fromStrict

instance (c ~ Char) => WireKey [c] where
  keyText = T.pack
  textKey = Right . T.unpack
