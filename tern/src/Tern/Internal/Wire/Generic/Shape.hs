{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE MonoLocalBinds #-}
{-# LANGUAGE UndecidableInstances #-}
-- The class begins in "Tern.Internal.Wire.Class", whose defaults need it.
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Shapes of declarations, by generics and for templates.
--
-- The idea: derived code is data, names and dictionaries ("Tern.Internal.Wire.Plan"), of which a
-- shape is made when it is asked for.
module Tern.Internal.Wire.Generic.Shape
  ( -- * Templates
    shapedField,
    shapedFieldIn,
    shapedBeside,
    shapedBesideIn,
    Has,
    has,
    hasIn,
    shapedDraft,

    -- * Fields
    GFields (..),
    fieldsShapes,
  )
where

import Control.Applicative ((<|>))
import Data.Char (ord)
import Data.Foldable (toList)
import Data.Maybe (isJust)
import Data.Proxy (Proxy (..))
import Data.Text qualified as T
import GHC.Exts (proxy#)
import GHC.Generics (C1, D1, Meta (..), Rec0, S1, U1, (:*:), (:+:))
import GHC.TypeLits (KnownSymbol, symbolVal')
import Tern.Internal.Wire.Class
  ( GShape (..),
    Wire,
    WireIn (..),
    absent,
    direct,
    jsonW,
    nativeW,
    shape,
    shapeOf,
  )
import Tern.Internal.Wire.Codec (CodecIn (..))
import Tern.Internal.Wire.Plan (Fields (..), Plan (..), plannedDrafts, plannedFields)
import Tern.Internal.Write (runWriter)
import Tern.Shape (Shape, ShapeOf (..))
import Tern.Shape qualified as Shape

instance (GShape f) => GShape (D1 m f) where
  gPlan = Declaration gPlan
  {-# NOINLINE gPlan #-}

instance (GShape f, GShape g) => GShape (f :+: g) where
  gPlan = OneOf (length (plannedDrafts (gPlan @f) [])) gPlan gPlan
  {-# NOINLINE gPlan #-}

instance (KnownSymbol n, KnownRecord r, GFields f) => GShape (C1 ('MetaCons n x r) f) where
  gPlan = Constructor (symbolVal' (proxy# @n)) (isRecord @r) gFields
  {-# NOINLINE gPlan #-}

-- | Has a constructor named fields?
class KnownRecord (r :: Bool) where
  isRecord :: Bool

instance KnownRecord 'True where
  isRecord = True

instance KnownRecord 'False where
  isRecord = False

-- | Representations of the fields of a constructor, as data.
class GFields f where
  gFields :: Fields f

-- | What shapes have of the fields of a constructor.
fieldsShapes :: forall f. (GFields f) => [(String, Bool, Shape)]
fieldsShapes = plannedFields (gFields @f) []

instance GFields U1 where
  gFields = NoFields
  {-# NOINLINE gFields #-}

instance (GFields f, GFields g) => GFields (f :*: g) where
  gFields = Both gFields gFields
  {-# NOINLINE gFields #-}

instance (KnownSymbol n, Wire a) => GFields (S1 ('MetaSel ('Just n) u v w) (Rec0 a)) where
  gFields = OneField (symbolVal' (proxy# @n)) absent (shapeOf @a) direct
  {-# NOINLINE gFields #-}

instance (Wire a) => GFields (S1 ('MetaSel 'Nothing u v w) (Rec0 a)) where
  gFields = OneField "" absent (shapeOf @a) direct
  {-# NOINLINE gFields #-}

-- * Templates

-- | What a shape has of a field's type: whether it may be absent, and its shape.
data Has = Has Bool Shape

-- | Of a type of the class.
has :: forall a. (Wire a) => Proxy a -> Has
has _ = Has (isJust (absent @a)) (shapeOf @a)
{-# NOINLINE has #-}

-- | The same of a type with one format.
hasIn :: forall format a. (WireIn format a) => Proxy a -> Has
hasIn _ = Has (isJust (codecAbsent theirs)) (theShape (codecShape theirs))
  where
    theirs = codecIn @format @a
{-# NOINLINE hasIn #-}

-- | A constructor whose fields' types can be written: its name, whether its
-- fields' names are in the document, the names, each with a NUL after it, and
-- the types, each once, of which the characters give each field's number.
shapedDraft :: String -> Bool -> String -> String -> [Has] -> Shape.Draft r
shapedDraft name named labels numbers types =
  Shape.draftOf
    name
    named
    [ (label, optional, theirs)
      | (label, number) <- zip (split labels) numbers,
        Has optional theirs : _ <- [drop (ord number) types]
    ]
  where
    split text = case break (== '\0') text of
      (label, _ : rest) -> label : split rest
      (label, []) -> [label]
{-# NOINLINE shapedDraft #-}

-- | A field of a constructor, its type known from the constructor's.
shapedField :: (Wire a) => String -> Shape.Fields c r -> Shape.Fields (a -> c) r
shapedField name = Shape.addField name absent shape
{-# NOINLINE shapedField #-}

-- | The same of a type with one format.
shapedFieldIn ::
  forall format a c r. (WireIn format a) => String -> Shape.Fields c r -> Shape.Fields (a -> c) r
shapedFieldIn name = Shape.addField name (codecAbsent theirs) (codecShape theirs)
  where
    theirs = codecIn @format @a
{-# NOINLINE shapedFieldIn #-}

-- | A field of a constructor, its other names, and its value where it is missing.
shapedBeside ::
  (Wire a) => String -> [String] -> Maybe a -> Shape.Fields c r -> Shape.Fields (a -> c) r
shapedBeside name others missing =
  Shape.addField
    name
    (missing <|> absent)
    ( beside
        others
        ( (\value -> Shape.MissingIs (runWriter nativeW value) (runWriter jsonW value))
            <$> missing
        )
        shape
    )
{-# NOINLINE shapedBeside #-}

-- | The same of a type with one format.
shapedBesideIn ::
  forall format a c r.
  (WireIn format a) =>
  String ->
  [String] ->
  Maybe a ->
  Shape.Fields c r ->
  Shape.Fields (a -> c) r
shapedBesideIn name others missing =
  Shape.addField
    name
    (missing <|> codecAbsent theirs)
    ( beside
        others
        ( ( \value ->
              Shape.MissingIs
                (runWriter (nativeWriter theirs) value)
                (runWriter (jsonWriter theirs) value)
          )
            <$> missing
        )
        (codecShape theirs)
    )
  where
    theirs = codecIn @format @a
{-# NOINLINE shapedBesideIn #-}

beside :: [String] -> Maybe Shape.Said -> ShapeOf a -> ShapeOf a
beside others missing (ShapeOf s) =
  ShapeOf
    ( foldr
        Shape.said
        s
        ( [Shape.OtherNames (map T.pack others) | not (null others)]
            <> toList missing
        )
    )
