-- | Instances of 'Tern.Wire.Wire' with options, without Template Haskell.
--
-- > {-# LANGUAGE DataKinds #-}
-- > {-# LANGUAGE DerivingVia #-}
-- >
-- > data Bird = Bird {birdName :: Text, wingSpan :: Maybe Int}
-- >   deriving stock (Generic)
-- >   deriving (Wire)
-- >     via WithOptions
-- >       '[FieldLabelModifier '[StripPrefix "bird", CamelToSnake], OmitNothingFields]
-- >       Bird
--
-- The idea: options are types, which the compiler works out where the instance is derived;
-- what is left is the same code as of a codec by hand ("Tern.Codec"), in every format. The
-- names of options are those of the package @deriving-aeson@, where it has them.
--
-- What a document could not tell apart is an error of the compiler, which says what it is:
-- two fields or constructors that are renamed alike, a field that is called as the tag, a
-- flattened field's fields that meet others. So is an option of a field that there is not.
module Tern.Deriving
  ( WithOptions (..),

    -- * Options of a type
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

    -- * Options of a field
    FieldAlias,
    FieldDefault,
    FieldFlattened,
    FieldIgnored,
    FieldComputed,
    ComputedField (..),
    FieldValue (..),
    Mempty,

    -- * Modifiers of names
    Modified,
    CamelToSnake,
    CamelToKebab,
    CamelTo,
    LowerFirst,
    UpperFirst,
    StripPrefix,
    StripSuffix,
    AddPrefix,
    Rename,
  )
where

import Tern.Internal.Deriving.Codec (WithOptions (..))
import Tern.Internal.Deriving.Name
  ( AddPrefix,
    CamelTo,
    CamelToKebab,
    CamelToSnake,
    LowerFirst,
    Modified,
    Rename,
    StripPrefix,
    StripSuffix,
    UpperFirst,
  )
import Tern.Internal.Deriving.Options
  ( ComputedField (..),
    ConstructorTagModifier,
    FieldAlias,
    FieldComputed,
    FieldDefault,
    FieldFlattened,
    FieldIgnored,
    FieldLabelModifier,
    FieldValue (..),
    Mempty,
    NoAllNullaryToStringTag,
    OmitNothingFields,
    RejectUnknownFields,
    SumObjectWithSingleField,
    SumTaggedObject,
    SumTwoElemArray,
    SumUntaggedValue,
    TagSingleConstructors,
    UnwrapUnaryRecords,
  )
