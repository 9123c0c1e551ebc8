{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE TypeFamilies #-}

-- | Options that cannot be, in deriving clauses of types that nothing uses: each clause is an
-- error of the compiler all the same. It is no module of the suite.
module Clauses where

import Data.Text (Text)
import GHC.Generics (Generic)
import Tern
import Tern.Deriving

data FieldsAlike = FieldsAlike {aOne :: Int, bOne :: Int}
  deriving stock (Generic)
  deriving
    (Wire)
    via (WithOptions '[FieldLabelModifier '[StripPrefix "a", StripPrefix "b"]] FieldsAlike)

data OfParameters a b = OfParameters {aOne :: a, bOne :: b}
  deriving stock (Generic)
  deriving
    (Wire)
    via (WithOptions '[FieldLabelModifier '[Rename "bOne" "aOne"]] (OfParameters a b))

data OtherName = OtherName {one :: Int, two :: Int}
  deriving stock (Generic)
  deriving (Wire) via (WithOptions '[FieldAlias "one" '["x", "two"]] OtherName)

data ConstructorsAlike = SameOne | SameTwo Int
  deriving stock (Generic)
  deriving
    (Wire)
    via ( WithOptions
            '[ConstructorTagModifier '[StripSuffix "One", StripSuffix "Two"], SumTwoElemArray]
            ConstructorsAlike
        )

data FieldAsTag = FieldAsTag {kind :: Int} | Another
  deriving stock (Generic)
  deriving (Wire) via (WithOptions '[SumTaggedObject "kind" "of"] FieldAsTag)

data TagAsContents = TagAsContents Int | AnotherOne
  deriving stock (Generic)
  deriving (Wire) via (WithOptions '[SumTaggedObject "t" "t"] TagAsContents)

data NoSuchField = NoSuchField {here :: Int}
  deriving stock (Generic)
  deriving (Wire) via (WithOptions '[FieldDefault "there" 1] NoSuchField)

data SaidTwice = SaidTwice {said :: Int, more :: Int}
  deriving stock (Generic)
  deriving (Wire) via (WithOptions '[FieldDefault "said" 1, FieldIgnored "said" 2] SaidTwice)

data NoField = NoField {lost :: Int}
  deriving stock (Generic)
  deriving (Wire) via (WithOptions '[FieldIgnored "lost" 1] NoField)

data Inner = Inner {both :: Int}
  deriving stock (Generic)

data FlattenedAlike = FlattenedAlike {both :: Int, inner :: Inner}
  deriving stock (Generic)
  deriving (Wire) via (WithOptions '[FieldFlattened "inner" '[]] FlattenedAlike)

data Doubled

instance ComputedField Doubled ComputedAlike where
  type Computed Doubled ComputedAlike = Int
  computedField (ComputedAlike a) = 2 * a

data ComputedAlike = ComputedAlike {counted :: Int}
  deriving stock (Generic)
  deriving (Wire) via (WithOptions '[FieldComputed "counted" Doubled] ComputedAlike)

data Hidden = HiddenOne Int | HiddenTwo Int
  deriving stock (Generic)
  deriving (Wire) via (WithOptions '[SumUntaggedValue] Hidden)

data HiddenOf a = HiddenA a | HiddenB a
  deriving stock (Generic)
  deriving (Wire) via (WithOptions '[SumUntaggedValue] (HiddenOf a))

data NoOption

data Doubly = Doubly Int | OrNot
  deriving stock (Generic)
  deriving
    (Wire)
    via (WithOptions '[SumTwoElemArray, RejectUnknownFields, SumTaggedObject "a" "b"] Doubly)

data Unknown = Unknown {unknown :: Int}
  deriving stock (Generic)
  deriving (Wire) via (WithOptions '[NoOption] Unknown)

data ByGenerics = ByGenerics {tag :: Int} | Other Text
  deriving stock (Generic)
  deriving anyclass (Wire)

-- Nothing is wrong with these.

data Accepted a b = Accepted {first :: a, second :: Maybe b}
  deriving stock (Generic)
  deriving (Wire) via (WithOptions '[OmitNothingFields, RejectUnknownFields] (Accepted a b))

data MayBeRead a b = MayA a | MayB b
  deriving stock (Generic)
  deriving (Wire) via (WithOptions '[SumUntaggedValue] (MayBeRead a b))

data Plain a = PlainOne {plain :: a} | PlainTwo Text
  deriving stock (Generic)
  deriving anyclass (Wire)
