-- | What a type's older versions looked like, as far as the type itself does not say
-- it: the names that its parts had, and the values of fields that were not there.
--
-- The idea: this is said of a type as it is now, beside its declaration, and for all of
-- its older versions at once. A writer's schema then decides what of it is needed.
module Tern.Internal.Evolution.Changes
  ( Evolution,
    Change,
    Default (..),
    Older (..),

    -- * Making
    ofType,
    defaultOf,
    fieldNames,
    constructorNames,
    typeNames,
    onlyOne,
    insteadOfUnknown,
    madeFromOlder,

    -- * Asking
    OfType (..),
    changesOf,
    withoutOlder,
    withoutAnyOlder,
  )
where

import Control.Applicative ((<|>))
import Data.ByteString (ByteString)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Tern.Error (Reason)
import Tern.Limits (Limits)
import Tern.Shape (Reference (..), Shape, declaredIn)

-- | What changed in some types. Together they are said of all of those types; of what
-- two say of the same, the first counts.
newtype Evolution = Evolution (Map (Text, Text) OfType)

instance Semigroup Evolution where
  Evolution a <> Evolution b = Evolution (Map.unionWith (<>) a b)

instance Monoid Evolution where
  mempty = Evolution Map.empty

-- | One thing that changed in a type.
newtype Change = Change OfType

-- | What is known of a type.
data OfType = OfType
  { -- | By a field's name. Constructors may have fields of one name and of several
    -- shapes.
    defaults :: Map Text [Default],
    -- | A field's older names.
    fieldAliases :: Map Text [Text],
    -- | A constructor's older names.
    constructorAliases :: Map Text [Text],
    typeAliases :: [Text],
    -- | The constructor that was, or is, the only one.
    alone :: Maybe Text,
    -- | The constructor that stands for those that are not known.
    fallback :: Maybe Text,
    -- | Types whose values it is made of, where they were written.
    predecessors :: [Older]
  }

-- | A value as bytes, and its shape.
data Default = Default Shape ByteString

-- | Another type that was in a type's place: its shape, that of what is made of its
-- values, and the bytes that a value's bytes become, or where in them and why they do
-- not.
data Older = Older Shape Shape (Limits -> ByteString -> Either (Int, Reason) ByteString)

instance Semigroup OfType where
  OfType d f c t a u o <> OfType d' f' c' t' a' u' o' =
    OfType
      (Map.unionWith (<>) d d')
      (Map.unionWith (<>) f f')
      (Map.unionWith (<>) c c')
      (t <> t')
      (a <|> a')
      (u <|> u')
      (o <> o')

instance Monoid OfType where
  mempty = OfType Map.empty Map.empty Map.empty [] Nothing Nothing []

-- * Making

-- | Changes of a declared type, whatever its arguments are.
ofType :: Reference -> [Change] -> Evolution
ofType type_ changes =
  Evolution (Map.singleton (keyOf type_) (mconcat [c | Change c <- changes]))

-- | What a type's changes are found by: all types that are declared as one.
keyOf :: Reference -> (Text, Text)
keyOf type_ = (declaredIn type_, typeName type_)

-- | A field by its name, and its value where a writer did not have it. Of several values the first
-- of the field's shape counts.
defaultOf :: Text -> Default -> Change
defaultOf name value = Change mempty {defaults = Map.singleton name [value]}

-- | A field or a constructor by its name now, and the names that it had.
fieldNames, constructorNames :: Text -> [Text] -> Change
fieldNames name older = Change mempty {fieldAliases = Map.singleton name older}
constructorNames name older = Change mempty {constructorAliases = Map.singleton name older}

-- | The names that the type had.
typeNames :: [Text] -> Change
typeNames older = Change mempty {typeAliases = older}

-- | The constructor of a type that has one alone, or had: no schema keeps its name.
onlyOne :: Text -> Change
onlyOne name = Change mempty {alone = Just name}

-- | The constructor that those of a writer's become which the type does not have. Not within keys
-- of maps and elements of sets, two of which might become one.
insteadOfUnknown :: Text -> Change
insteadOfUnknown name = Change mempty {fallback = Just name}

-- | A type whose values it is made of, but within keys of maps and elements of sets. Of several,
-- one whose bytes are the writer's is tried first.
madeFromOlder :: Older -> Change
madeFromOlder it = Change mempty {predecessors = [it]}

-- * Asking

-- | What is said of a type: nothing, if no change is.
changesOf :: Evolution -> Reference -> OfType
changesOf (Evolution types) type_ = Map.findWithDefault mempty (keyOf type_) types

-- | The same, but that values of a type are made of no others.
withoutOlder :: Reference -> Evolution -> Evolution
withoutOlder type_ (Evolution types) =
  Evolution (Map.adjust (\t -> t {predecessors = []}) (keyOf type_) types)

-- | The same, but that values of no type are made of others.
withoutAnyOlder :: Evolution -> Evolution
withoutAnyOlder (Evolution types) = Evolution (Map.map (\t -> t {predecessors = []}) types)
