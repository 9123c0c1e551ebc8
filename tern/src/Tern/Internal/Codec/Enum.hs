{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UndecidableInstances #-}

-- | Types whose values are names.
--
-- The idea: a type's representation says its constructors' names in types, so that
-- a representation with other names is the same at run time. What generics make of
-- that is the codec, in every format.
module Tern.Internal.Codec.Enum
  ( enum,
    enumNamed,
    Names,
    Renamed,
  )
where

import Data.Coerce (Coercible, coerce)
import Data.Kind (Constraint, Type)
import Data.Primitive.SmallArray (indexSmallArray, sizeofSmallArray, smallArrayFromList)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Typeable (Typeable)
import GHC.Exts (Int (I#))
import GHC.Generics (C1, D1, Generic (..), Meta (..), U1, (:+:))
import GHC.TypeLits (CmpNat, ErrorMessage (..), Nat, Symbol, TypeError, type (+), type (-))
import Tern.Internal.Binary.Sum qualified as Binary
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.Codec.Distinct (Distinct, Length, Mistake, mistakeIn)
import Tern.Internal.Codec.Phrase (copied)
import Tern.Internal.Constructors (constructors)
import Tern.Internal.Json.Name (Quoted, QuotedText)
import Tern.Internal.Json.Sum qualified as Json
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.Native.Record qualified as Native
import Tern.Internal.Native.Write (number)
import Tern.Internal.Refused (Refused)
import Tern.Internal.Wire.Class
  ( GBinaryR (..),
    GBinaryW (..),
    GJsonR (..),
    GJsonW (..),
    GNativeR (..),
    GNativeW (..),
    GShape (..),
  )
import Tern.Internal.Wire.Codec (Codec, CodecIn (..), directly, plain)
import Tern.Internal.Wire.Direct.Constructor qualified as Direct
import Tern.Internal.Wire.Direct.Declared qualified as Direct
import Tern.Internal.Wire.Generic.Binary ()
import Tern.Internal.Wire.Generic.Json ()
import Tern.Internal.Wire.Generic.Native ()
import Tern.Internal.Wire.Generic.Shape ()
import Tern.Internal.Wire.Plan (plannedDirect, plannedDrafts)
import Tern.Internal.Wire.Scalar (text)
import Tern.Internal.Write (Writer (..), runWriter, toFill)
import Tern.Shape qualified as Shape

-- | Names for the constructors of a type, none of which has fields, in their order:
-- strings in JSON, MessagePack and CBOR, a number in the native format.
--
-- > data Colour = Red | Green
-- >   deriving stock (Generic)
-- >
-- > instance Wire Colour where
-- >   codec = enum @'["red", "green"]
--
-- Two equal names, too many or too few are an error of the compiler.
enum ::
  forall names a f.
  (Typeable a, Generic a, f ~ Renamed names (Rep a), Names names (Rep a) f) =>
  Codec a
enum =
  directly (plannedDirect (gPlan @f) renamed original) $
    plain
      (Shape.declare Shape.NamesAlone (plannedDrafts (gPlan @f) []))
      (FillWriter (\a -> gJsonW (renamed a)))
      (gJsonR original)
      (FillWriter (\a -> gBinaryW @MessagePack (renamed a)))
      (gBinaryR @MessagePack original)
      (FillWriter (\a -> gBinaryW @Cbor (renamed a)))
      (gBinaryR @Cbor original)
      (FillWriter (\a -> gNativeW (renamed a)))
      (gNativeR original)
  where
    renamed :: a -> f ()
    renamed a = coerce (from a :: Rep a ())
    original :: f () -> a
    original r = to (coerce r :: Rep a ())
{-# INLINE enum #-}

-- | The same with names that are known when the program runs, for all values of a type
-- whose 'Enum' is the derived one. Two equal names are refused here.
--
-- > enumNamed (\colour -> T.toLower (T.pack (show colour)))
enumNamed :: forall a. (Typeable a, Bounded a, Enum a) => (a -> Text) -> Either Mistake (Codec a)
enumNamed nameOf = case mistakeIn names of
  Just mistake -> Left mistake
  Nothing ->
    Right . directly direct $
      plain
        (Shape.declare Shape.NamesAlone [Shape.draftOf (T.unpack name) False [] | name <- names])
        (spelled (jsonWriter text))
        (Json.enumeration known value)
        (spelled (mpackWriter text))
        (Binary.enumeration @MessagePack known value)
        (spelled (cborWriter text))
        (Binary.enumeration @Cbor known value)
        (FillWriter (\a -> toFill (number (length values) (numberOf a))))
        ( Native.recursiveOneOf
            ( foldr
                (\a rest -> alternative a `Native.orElse` rest)
                (alternative maxBound)
                ( takeWhile
                    ((< fromEnum (maxBound @a)) . fromEnum)
                    values
                )
            )
        )
  where
    values = [minBound .. maxBound]
    names = map nameOf values
    known = constructors (map T.unpack names)
    numberOf a = fromEnum a - fromEnum (minBound @a)
    -- A name is spelled once, when the first of the names is written.
    spelled :: Writer Text -> Writer a
    spelled writer = FillWriter (\a -> toFill (copied (spelling a)))
      where
        spellings = smallArrayFromList (map (runWriter writer) names)
        spelling a
          | i >= 0, i < sizeofSmallArray spellings = indexSmallArray spellings i
          | otherwise = runWriter writer (nameOf a)
          where
            i = numberOf a
    -- Constructors are numbered as the names are.
    value i = toEnum (I# i + fromEnum (minBound @a))
    alternative a = Native.alternative (pure a)
    direct =
      Direct.declared
        False
        Direct.NamesAlone
        [Direct.Case (nameOf a) (Direct.Nullary a) | a <- values]
        (\a -> Direct.Apart (numberOf a) Direct.puttingNothing)

-- | The names fit a representation, of which @renamed@ is made with them.
type Names names rep renamed =
  ( Fitting (CmpNat (Length names) (Constructors rep)) (Length names) (Constructors rep),
    Distinct "enum" "names" 2 (Reversed names '[]),
    Plain names,
    Coercible (rep ()) (renamed ()),
    Coercible (renamed ()) (rep ()),
    GShape renamed,
    GJsonW renamed,
    GJsonR renamed,
    GBinaryW MessagePack renamed,
    GBinaryR MessagePack renamed,
    GBinaryW Cbor renamed,
    GBinaryR Cbor renamed,
    GNativeW renamed,
    GNativeR renamed
  )

-- | A representation with other names of its constructors.
type family Renamed (names :: [Symbol]) (rep :: Type -> Type) :: Type -> Type where
  Renamed names (D1 m f) = D1 m (Renamed names f)
  Renamed names (f :+: g) =
    Renamed (Take (Constructors f) names) f :+: Renamed (Drop (Constructors f) names) g
  Renamed '[n] (C1 ('MetaCons _ x r) f) = C1 ('MetaCons n x r) f

-- | How many constructors there are.
type family Constructors (rep :: Type -> Type) :: Nat where
  Constructors (D1 m f) = Constructors f
  Constructors (f :+: g) = Constructors f + Constructors g
  Constructors (C1 m U1) = 1
  Constructors (C1 ('MetaCons n x r) f) =
    TypeError ('Text "enum: the constructor " ':<>: 'Text n ':<>: 'Text " has fields")

type family Take (count :: Nat) (names :: [Symbol]) :: [Symbol] where
  Take 0 names = '[]
  Take count '[] = '[]
  Take count (n ': ns) = n ': Take (count - 1) ns

type family Drop (count :: Nat) (names :: [Symbol]) :: [Symbol] where
  Drop 0 names = names
  Drop count '[] = '[]
  Drop count (n ': ns) = Drop (count - 1) ns

type family Reversed (names :: [Symbol]) (later :: [Symbol]) :: [Symbol] where
  Reversed '[] later = later
  Reversed (n ': ns) later = Reversed ns (n ': later)

type family Fitting (order :: Ordering) (names :: Nat) (constructors :: Nat) :: Constraint where
  Fitting 'EQ names constructors = ()
  Fitting order names constructors =
    Refused
      ( 'Text
          "enum: there are "
          ':<>: 'ShowType names
          ':<>: 'Text " names for "
          ':<>: 'ShowType constructors
          ':<>: 'Text " constructors"
      )

-- | Names that JSON has without escapes.
type family Plain (names :: [Symbol]) :: Constraint where
  Plain '[] = ()
  Plain (n ': ns) = (Unescaped n (Quoted n) (QuotedText n), Plain ns)

type family Unescaped (n :: Symbol) (plain :: Symbol) (escaped :: Symbol) :: Constraint where
  Unescaped n same same = ()
  Unescaped n plain escaped =
    Refused ('Text "enum: in JSON the name " ':<>: 'ShowType n ':<>: 'Text " needs escapes")
