{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UndecidableInstances #-}

-- | The fields of a declared record with options, as the parts of a codec by hand.
--
-- The idea: a field is written by its selector, which the compiler has for every
-- declaration, and the record is read into its representation. So all that is known of
-- records by hand holds of these, and is said there alone ("Tern.Internal.Codec.Parts").
module Tern.Internal.Deriving.Record
  ( GParts (..),
    GComputed (..),
    closedBy,
  )
where

import GHC.Exts (proxy#)
import GHC.Generics (C1, D1, Generic (..), K1 (..), M1 (..), Meta (..), Rec0, S1, (:*:) (..))
import GHC.Records (HasField (getField))
import GHC.TypeLits (AppendSymbol, KnownSymbol, Symbol, symbolVal')
import Tern.Internal.Codec.Object (KnownNames (..))
import Tern.Internal.Codec.Parts
  ( Key (..),
    Parts (..),
    alsoCalled,
    missingIs,
    optionalPart,
    part,
    within,
    writtenPart,
  )
import Tern.Internal.Deriving.Options
  ( AliasesOf,
    ComputedField (..),
    FieldComputed,
    FieldValue (..),
    Flag (..),
    Handling (..),
    HandlingOf,
    Has,
    Held,
    LabelOf,
    RejectUnknownFields,
  )
import Tern.Internal.Json.Name (QuotedText)
import Tern.Internal.Wire.Class (Wire (..))
import Tern.Internal.Wire.Codec (CodecIn (..))
import Tern.Internal.Wire.Container (maybeOf)

-- | The fields of a constructor of the type @r@.
--
-- The superclasses, here and below, make the dictionaries more than their methods: a method
-- by itself would be compiled before the code of a sum asks for it. Proof: inspect "no
-- writer is made at run time".
class (Representation f) => GParts options r f where
  gParts :: Parts r (f ())

-- | A superclass of which nothing is asked.
class Representation f

instance Representation f

instance (GParts options r f, GParts options r g) => GParts options r (f :*: g) where
  gParts = (:*:) <$> gParts @options <*> gParts @options
  {-# INLINE gParts #-}

instance
  (GAliased (AliasesOf options field), GField (HandlingOf options field) options field r a) =>
  GParts options r (S1 ('MetaSel ('Just field) u v w) (Rec0 a))
  where
  gParts =
    (\a -> M1 (K1 a))
      <$> gAliased @(AliasesOf options field) (gField @(HandlingOf options field) @options @field)
  {-# INLINE gParts #-}

-- | Other names of a field.
class (KnownNames names) => GAliased (names :: [Symbol]) where
  gAliased :: Parts r a -> Parts r a

instance GAliased '[] where
  gAliased p = p
  {-# INLINE gAliased #-}

instance (KnownNames (n ': names)) => GAliased (n ': names) where
  gAliased = alsoCalled (namesOf @(n ': names))
  {-# INLINE gAliased #-}

-- | A field, by what becomes of it.
class (KnownSymbol field) => GField (handling :: Handling) options (field :: Symbol) r a where
  gField :: Parts r a

-- | A name in documents, of which all that stands around it in JSON is known.
type Labelled label quoted =
  ( KnownSymbol label,
    KnownSymbol (AppendSymbol "{" (AppendSymbol quoted ":")),
    KnownSymbol (AppendSymbol "," (AppendSymbol quoted ":")),
    KnownSymbol (AppendSymbol quoted ":")
  )

keyBy :: forall label quoted. (Labelled label quoted) => Key
keyBy =
  Key
    (symbolVal' (proxy# @label))
    (symbolVal' (proxy# @(AppendSymbol "{" (AppendSymbol quoted ":"))))
    (symbolVal' (proxy# @(AppendSymbol "," (AppendSymbol quoted ":"))))
    (symbolVal' (proxy# @(AppendSymbol quoted ":")))
{-# INLINE keyBy #-}

instance
  ( KnownSymbol
      field,
    HasField field r a,
    Wire a,
    label ~ LabelOf options field,
    quoted ~ QuotedText label,
    Labelled label quoted
  ) =>
  GField 'Plain options field r a
  where
  gField = part (keyBy @label @quoted) (getField @field) (codecAbsent (codec @a)) codec
  {-# INLINE gField #-}

-- INCOHERENT: a field whose type is a variable is not left away, whatever the variable becomes,
-- as it is with Template Haskell.
instance
  {-# INCOHERENT #-}
  ( KnownSymbol
      field,
    HasField field r (Maybe a),
    Wire a,
    label ~ LabelOf options field,
    quoted ~ QuotedText label,
    Labelled label quoted
  ) =>
  GField 'Omitted options field r (Maybe a)
  where
  gField = optionalPart (keyBy @label @quoted) (getField @field) codec (maybeOf codec)
  {-# INLINE gField #-}

instance
  (KnownSymbol field, GField 'Plain options field r a) =>
  GField 'Omitted options field r a
  where
  gField = gField @'Plain @options @field
  {-# INLINE gField #-}

instance
  ( KnownSymbol
      field,
    HasField field r a,
    Wire a,
    FieldValue value a,
    label ~ LabelOf options field,
    quoted ~ QuotedText label,
    Labelled label quoted
  ) =>
  GField ('Defaulted (Held value)) options field r a
  where
  gField =
    missingIs
      (codec @a)
      (fieldValue @_ @value)
      ( part
          (keyBy @label @quoted)
          (getField @field)
          (Just (fieldValue @_ @value))
          codec
      )
  {-# INLINE gField #-}

instance
  ( KnownSymbol
      field,
    HasField field r a,
    Generic a,
    Rep a ~ D1 m (C1 c f),
    GParts inner a f,
    GComputed inner a
  ) =>
  GField ('Flat inner) options field r a
  where
  gField = within (getField @field) (gComputed @inner ((\x -> to (M1 (M1 x))) <$> gParts @inner))
  {-# INLINE gField #-}

instance
  (KnownSymbol field, FieldValue value a) =>
  GField ('Ignored (Held value)) options field r a
  where
  gField = pure (fieldValue @_ @value)
  {-# INLINE gField #-}

-- | What is computed, after the fields.
class GComputed options r where
  gComputed :: Parts r a -> Parts r a

instance GComputed '[] r where
  gComputed p = p
  {-# INLINE gComputed #-}

instance {-# OVERLAPPABLE #-} (GComputed options r) => GComputed (option ': options) r where
  gComputed = gComputed @options
  {-# INLINE gComputed #-}

instance
  ( GComputed options r,
    ComputedField function r,
    Wire (Computed function r),
    quoted ~ QuotedText name,
    Labelled name quoted
  ) =>
  GComputed (FieldComputed name function ': options) r
  where
  gComputed p =
    gComputed
      @options
      ( (\a () -> a)
          <$> p
          <*> writtenPart (keyBy @name @quoted) (computedField @_ @function @r) codec
      )
  {-# INLINE gComputed #-}

-- | Other fields are errors where the options say it.
closedBy :: forall options r a. (Flag (Has RejectUnknownFields options)) => Parts r a -> Parts r a
closedBy p = p {partClosed = flag @(Has RejectUnknownFields options)}
{-# INLINE closedBy #-}
