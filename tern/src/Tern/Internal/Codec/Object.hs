{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UndecidableInstances #-}

-- | Records by hand, whose fields' names are types or values.
--
-- Start at 'object' and 'field'.
module Tern.Internal.Codec.Object
  ( -- * Names that are types
    FieldsIn,
    Fields,
    FieldName,
    type (++),
    (<.>),
    (<.),
    field,
    optional,
    fieldWithDefault,
    alias,
    flatten,
    computed,
    ignored,
    object,
    RejectUnknownFields (..),
    partsOf,
    KnownNames (..),

    -- * Names that are values
    NamedFieldsIn,
    NamedFields,
    fieldNamed,
    optionalNamed,
    fieldNamedWithDefault,
    aliasNamed,
    flattenNamed,
    computedNamed,
    objectNamed,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Data.Typeable (Typeable)
import GHC.Exts (proxy#)
import GHC.TypeLits (KnownSymbol, Symbol, symbolVal')
import Tern.Internal.Codec.Distinct (Distinct, Mistake, mistakeIn)
import Tern.Internal.Codec.Parts
  ( Key (..),
    Parts (..),
    alsoCalled,
    missingIs,
    optionalPart,
    part,
    partNames,
    recordOf,
    within,
    writtenPart,
  )
import Tern.Internal.Codec.Row (Row)
import Tern.Internal.Codec.Row qualified as Row
import Tern.Internal.Json.Name (TextAfter)
import Tern.Internal.Wire.Codec (CodecIn (..))
import Tern.Internal.Wire.Container (maybeOf)
import Tern.Internal.Wire.Format (Every, WireFormat)

-- * Names that are types

-- | Fields of a record @r@, of which an @a@ is made, and their names, the last one
-- first.
newtype FieldsIn (formats :: [WireFormat]) (names :: [Symbol]) r a = Fields (Parts r a)

type role FieldsIn nominal nominal nominal representational

-- | Of fields that are in every format.
type Fields = FieldsIn Every

instance Functor (FieldsIn fs names r) where
  fmap f (Fields p) = Fields (fmap f p)
  {-# INLINE fmap #-}

-- | A further field, or several: '<*>', with the fields' names kept.
(<.>) :: FieldsIn fs names r (a -> b) -> FieldsIn fs others r a -> FieldsIn fs (others ++ names) r b
Fields p <.> Fields q = Fields (p <*> q)
{-# INLINE (<.>) #-}

-- | What is written and not read, after other fields: '<*'.
(<.) :: FieldsIn fs names r a -> FieldsIn fs others r b -> FieldsIn fs (others ++ names) r a
Fields p <. Fields q = Fields (p <* q)
{-# INLINE (<.) #-}

infixl 4 <.>, <.

-- | Names before others.
type family (names :: [Symbol]) ++ (others :: [Symbol]) :: [Symbol] where
  '[] ++ others = others
  (n ': names) ++ others = n ': (names ++ others)

-- | A name whose JSON is put together while the program is compiled.
type FieldName n =
  ( KnownSymbol
      n,
    KnownSymbol (TextAfter "{" n),
    KnownSymbol (TextAfter "," n),
    KnownSymbol (TextAfter "" n)
  )

key :: forall n. (FieldName n) => Key
key =
  Key
    (symbolVal' (proxy# @n))
    (symbolVal' (proxy# @(TextAfter "{" n)))
    (symbolVal' (proxy# @(TextAfter "," n)))
    (symbolVal' (proxy# @(TextAfter "" n)))
{-# INLINE key #-}

-- | A field by its name: its value in the record, and its codec. It may be missing
-- from a document where its type has a value for that, as 'Maybe' has.
field :: forall n r a fs. (FieldName n) => (r -> a) -> CodecIn fs a -> FieldsIn fs '[n] r a
field get codec = Fields (part (key @n) get (codecAbsent codec) codec)
{-# INLINE field #-}

-- | A field that is left away where it is 'Nothing'. In the native format it is a byte.
optional ::
  forall n r a fs. (FieldName n) => (r -> Maybe a) -> CodecIn fs a -> FieldsIn fs '[n] r (Maybe a)
optional get codec = Fields (optionalPart (key @n) get codec (maybeOf codec))
{-# INLINE optional #-}

-- | A field that has a value where it is missing from a document. It is always written.
fieldWithDefault ::
  forall n r a fs. (FieldName n) => a -> (r -> a) -> CodecIn fs a -> FieldsIn fs '[n] r a
fieldWithDefault absent get codec =
  Fields (missingIs codec absent (part (key @n) get (Just absent) codec))
{-# INLINE fieldWithDefault #-}

-- | A field, and other names that documents may have for it: older ones, say. They are not
-- written. Of a document that has several the last counts, as of a field that is repeated.
-- Schemas that the native format's containers have are read by these names too, and
-- "Tern.Evolution" need not be told of them.
--
-- > alias @'["number"] (field @"count" count codec)
alias ::
  forall older n r a fs.
  (KnownNames older) =>
  FieldsIn fs '[n] r a ->
  FieldsIn fs (older ++ '[n]) r a
alias (Fields p) = Fields (alsoCalled (namesOf @older) p)
{-# INLINE alias #-}

-- | The fields of a record that is in another, as that one's own: objects have no level more
-- for it.
--
-- > Bird
-- >   <$> field @"name" name codec
-- >   <.> flatten place (Place <$> field @"north" north codec <.> field @"east" east codec)
flatten :: (r -> b) -> FieldsIn fs names b a -> FieldsIn fs names r a
flatten get (Fields p) = Fields (within get p)
{-# INLINE flatten #-}

-- | A member that is computed when a value is written, and stepped over when one is read. It
-- comes after other fields by '<.'. The native format, which has no names, does not have it.
--
-- > Bird <$> field @"wings" wings codec <. computed @"flies" ((> 0) . wings) codec
computed :: forall n r a fs. (FieldName n) => (r -> a) -> CodecIn fs a -> FieldsIn fs '[n] r ()
computed get codec = Fields (writtenPart (key @n) get codec)
{-# INLINE computed #-}

-- | A field that no document has, and its value when one is read.
ignored :: a -> FieldsIn fs '[] r a
ignored value = Fields (pure value)
{-# INLINE ignored #-}

-- | Names as values.
class KnownNames (names :: [Symbol]) where
  namesOf :: [String]

instance KnownNames '[] where
  namesOf = []

instance (KnownSymbol n, KnownNames names) => KnownNames (n ': names) where
  namesOf = symbolVal' (proxy# @n) : namesOf @names

-- | A record: an object of its fields in JSON, a map in MessagePack and CBOR, one value after
-- the other in the native format. Documents may have the fields in any order, and
-- others, which count for nothing.
--
-- Two fields of one name are an error of the compiler, which says which they are.
object :: (Typeable r, Distinct "object" "fields" 1 names) => FieldsIn fs names r r -> CodecIn fs r
object (Fields p) = recordOf p
{-# INLINE object #-}

-- | What may refuse fields that it does not have.
class RejectUnknownFields fields where
  -- | Fields that a document has and the type does not are errors, in every format that
  -- has names; they are stepped over otherwise. Of a sum's alternatives it holds for each
  -- of them.
  --
  -- > codec = object (rejectUnknownFields (Bird <$> field @"name" name codec <.> …))
  rejectUnknownFields :: fields -> fields

instance RejectUnknownFields (FieldsIn fs names r a) where
  rejectUnknownFields (Fields p) = Fields p {partClosed = True}
  {-# INLINE rejectUnknownFields #-}

instance RejectUnknownFields (NamedFieldsIn fs r a) where
  rejectUnknownFields (NamedFields row) =
    NamedFields (Row.overParts (\p -> p {partClosed = True}) row)

-- | The fields without the list of their names, which nothing at run time is made of.
partsOf :: FieldsIn fs names r a -> Parts r a
partsOf (Fields p) = p
{-# INLINE partsOf #-}

-- * Names that are values

-- | Fields whose names are known when the program runs. Their codec works as any
-- other, and costs more: the fields are gone through in a loop, and their readers and
-- writers are called without being known. What that comes to is measured
-- (@docs\/how-to\/write-a-codec-by-hand.md@).
newtype NamedFieldsIn (formats :: [WireFormat]) r a = NamedFields (Row r a)
  deriving newtype (Functor, Applicative)

type role NamedFieldsIn nominal nominal representational

-- | Of fields that are in every format.
type NamedFields = NamedFieldsIn Every

-- | As 'field'.
fieldNamed :: Text -> (r -> a) -> CodecIn fs a -> NamedFieldsIn fs r a
fieldNamed name get codec = NamedFields (Row.field (T.unpack name) get (codecAbsent codec) codec)

-- | As 'optional'.
optionalNamed :: Text -> (r -> Maybe a) -> CodecIn fs a -> NamedFieldsIn fs r (Maybe a)
optionalNamed name get codec =
  NamedFields (Row.optionalField (T.unpack name) get codec (maybeOf codec))

-- | As 'fieldWithDefault'.
fieldNamedWithDefault :: a -> Text -> (r -> a) -> CodecIn fs a -> NamedFieldsIn fs r a
fieldNamedWithDefault absent name get codec =
  NamedFields
    ( Row.overParts
        (missingIs codec absent)
        (Row.field (T.unpack name) get (Just absent) codec)
    )

-- | As 'alias', of each of these fields.
aliasNamed :: [Text] -> NamedFieldsIn fs r a -> NamedFieldsIn fs r a
aliasNamed older (NamedFields row) =
  NamedFields (Row.overParts (alsoCalled (map T.unpack older)) row)

-- | As 'flatten'.
flattenNamed :: (r -> b) -> NamedFieldsIn fs b a -> NamedFieldsIn fs r a
flattenNamed get (NamedFields row) = NamedFields (Row.within get row)

-- | As 'computed'.
computedNamed :: Text -> (r -> a) -> CodecIn fs a -> NamedFieldsIn fs r ()
computedNamed name get codec = NamedFields (Row.writtenField (T.unpack name) get codec)

-- | As 'object'; two fields of one name are refused here.
objectNamed :: (Typeable r) => NamedFieldsIn fs r r -> Either Mistake (CodecIn fs r)
objectNamed (NamedFields row) = case mistakeIn (map T.pack (partNames (Row.rowParts row))) of
  Just mistake -> Left mistake
  Nothing -> Right (Row.rowCodec row)
