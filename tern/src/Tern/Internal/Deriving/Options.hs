{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UndecidableInstances #-}

-- | Options of deriving as types, and what a list of them says.
--
-- The idea: an option is a type without values. What is asked of a list is asked by a
-- type family, so that the compiler knows it where an instance is derived.
module Tern.Internal.Deriving.Options
  ( -- * Of a whole type
    FieldLabelModifier,
    ConstructorTagModifier,
    OmitNothingFields,
    RejectUnknownFields,
    UnwrapUnaryRecords,
    TagSingleConstructors,
    NoAllNullaryToStringTag,
    SumTaggedObject,
    SumObjectWithSingleField,
    SumTwoElemArray,
    SumUntaggedValue,

    -- * Of a field
    FieldAlias,
    FieldDefault,
    FieldFlattened,
    FieldIgnored,
    FieldComputed,
    ComputedField (..),
    FieldValue (..),
    Mempty,

    -- * What a list says
    LabelOf,
    TagOf,
    AliasesOf,
    Handling (..),
    Held,
    Special,
    HandlingOf,
    Encoding (..),
    EncodingOf,
    Has,
    Not,
    Flag (..),
  )
where

import Data.Kind (Type)
import Data.String (IsString (fromString))
import GHC.Exts (Proxy#, proxy#)
import GHC.TypeLits (KnownNat, KnownSymbol, Natural, Symbol, natVal', symbolVal')
import Tern.Internal.Codec.Object (type (++))
import Tern.Internal.Deriving.Name (Modified)

-- * Of a whole type

-- | The fields' names in documents: a modifier, as @CamelToSnake@, or a list of them.
data FieldLabelModifier (modifier :: k)

-- | The constructors' names in documents.
data ConstructorTagModifier (modifier :: k)

-- | Fields of type 'Maybe' that are 'Nothing' are left away.
data OmitNothingFields

-- | A field in a document that the type does not have is an error, and not stepped over.
data RejectUnknownFields

-- | A constructor with one named field is written as that field's value, where it is the
-- type's only one.
data UnwrapUnaryRecords

-- | A type with one constructor is written as if it had several.
data TagSingleConstructors

-- | Where all constructors are without fields, they are objects all the same.
data NoAllNullaryToStringTag

-- | The constructor's name under one key of an object, a record's fields beside it, other
-- fields under the other key. It is so without an option, under @tag@ and @contents@.
data SumTaggedObject (tag :: Symbol) (contents :: Symbol)

-- | An object whose one key is the constructor's name.
data SumObjectWithSingleField

-- | An array of the constructor's name and its fields.
data SumTwoElemArray

-- | What the constructor holds by itself; of one without fields, its name. The first one
-- that a document can be is meant.
data SumUntaggedValue

-- * Of a field

-- The field is that of the program, before it is renamed.

-- | Other names that documents may have for a field; schemas of the native format, too.
data FieldAlias (field :: Symbol) (names :: [Symbol])

-- | The value of a field that is missing: see 'FieldValue'.
data FieldDefault (field :: Symbol) (value :: k)

-- | The fields of a field that is a record stand beside the others, with options of their
-- own.
data FieldFlattened (field :: Symbol) (options :: [Type])

-- | A field that no document has, and its value when one is read.
data FieldIgnored (field :: Symbol) (value :: k)

-- | What is written beside the fields of a record and not read: its name in documents, and
-- what computes it, a type of the program's: see 'ComputedField'.
data FieldComputed (name :: Symbol) (function :: k)

-- | Functions that have a type, of values of the type @r@.
--
-- > data Area
-- > instance ComputedField Area Rectangle where
-- >   type Computed Area Rectangle = Double
-- >   computedField (Rectangle a b) = a * b
class ComputedField (function :: k) r where
  type Computed function r :: Type
  computedField :: r -> Computed function r

-- | Values that have a type: numbers, strings, truth values, 'Mempty', and whatever a program
-- gives an instance.
--
-- > data Unknown
-- > instance FieldValue Unknown Observer where fieldValue = Observer "unknown"
class FieldValue (value :: k) a where
  fieldValue :: a

instance (KnownNat n, Num a) => FieldValue (n :: Natural) a where
  fieldValue = fromInteger (natVal' (proxy# :: Proxy# n))

instance (KnownSymbol s, IsString a) => FieldValue (s :: Symbol) a where
  fieldValue = fromString (symbolVal' (proxy# :: Proxy# s))

instance (Flag b, a ~ Bool) => FieldValue (b :: Bool) a where
  fieldValue = flag @b

instance FieldValue ('Nothing :: Maybe k) (Maybe a) where
  fieldValue = Nothing

instance (FieldValue x a) => FieldValue ('Just x) (Maybe a) where
  fieldValue = Just (fieldValue @_ @x)

-- | What is 'mempty'.
data Mempty

instance (Monoid a) => FieldValue Mempty a where
  fieldValue = mempty

-- * What a list says

-- | A field's name in documents.
type family LabelOf (options :: [Type]) (field :: Symbol) :: Symbol where
  LabelOf '[] field = field
  LabelOf (FieldLabelModifier modifier ': options) field = LabelOf options (Modified modifier field)
  LabelOf (option ': options) field = LabelOf options field

-- | A constructor's name in documents.
type family TagOf (options :: [Type]) (constructor :: Symbol) :: Symbol where
  TagOf '[] constructor = constructor
  TagOf (ConstructorTagModifier modifier ': options) constructor =
    TagOf options (Modified modifier constructor)
  TagOf (option ': options) constructor = TagOf options constructor

-- | A field's other names.
type family AliasesOf (options :: [Type]) (field :: Symbol) :: [Symbol] where
  AliasesOf '[] field = '[]
  AliasesOf (FieldAlias field names ': options) field = names ++ AliasesOf options field
  AliasesOf (option ': options) field = AliasesOf options field

-- | What becomes of a field.
data Handling
  = Plain
  | -- | It is left away where its type is 'Maybe' and it is nothing.
    Omitted
  | -- | It has a value where it is missing.
    Defaulted Type
  | -- | Its fields stand beside the others.
    Flat [Type]
  | -- | No document has it.
    Ignored Type

-- | A value of any kind, as a type.
data Held (value :: k)

-- | What is said of a field by its name.
type family Special (options :: [Type]) (field :: Symbol) :: Maybe Handling where
  Special '[] field = 'Nothing
  Special (FieldDefault field value ': options) field = 'Just ('Defaulted (Held value))
  Special (FieldFlattened field inner ': options) field = 'Just ('Flat inner)
  Special (FieldIgnored field value ': options) field = 'Just ('Ignored (Held value))
  Special (option ': options) field = Special options field

-- | What the list says of this field by its name; else what 'OmitNothingFields' says of all fields.
type HandlingOf options field = Usual (Special options field) (Has OmitNothingFields options)

type family Usual (special :: Maybe Handling) (omits :: Bool) :: Handling where
  Usual ('Just handling) omits = handling
  Usual 'Nothing 'True = 'Omitted
  Usual 'Nothing 'False = 'Plain

-- | How a value says which constructor it has.
data Encoding
  = TaggedObject Symbol Symbol
  | SingleField
  | TwoElements
  | Untagged

-- | By the first option of the list that says it; else tagged objects, with @tag@ and @contents@.
type family EncodingOf (options :: [Type]) :: Encoding where
  EncodingOf '[] = 'TaggedObject "tag" "contents"
  EncodingOf (SumTaggedObject tag contents ': options) = 'TaggedObject tag contents
  EncodingOf (SumObjectWithSingleField ': options) = 'SingleField
  EncodingOf (SumTwoElemArray ': options) = 'TwoElements
  EncodingOf (SumUntaggedValue ': options) = 'Untagged
  EncodingOf (option ': options) = EncodingOf options

-- | Is an option in the list?
type family Has (option :: Type) (options :: [Type]) :: Bool where
  Has option '[] = 'False
  Has option (option ': options) = 'True
  Has option (other ': options) = Has option options

-- | The other truth value, as a type.
type family Not (b :: Bool) :: Bool where
  Not 'True = 'False
  Not 'False = 'True

-- | Truth values as values.
class Flag (b :: Bool) where
  flag :: Bool

instance Flag 'True where
  flag = True
  {-# INLINE flag #-}

instance Flag 'False where
  flag = False
  {-# INLINE flag #-}
