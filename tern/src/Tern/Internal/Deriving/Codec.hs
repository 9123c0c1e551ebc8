{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UndecidableInstances #-}

-- | The codec of a declared type with options.
--
-- The idea: the layout is decided by the options and the representation, as a type, and
-- each layout is an instance.
module Tern.Internal.Deriving.Codec
  ( WithOptions (..),
    GCodec (..),
    LayoutOf,
  )
where

import Data.Coerce (coerce)
import Data.Kind (Type)
import Data.Text qualified as T
import Data.Typeable (Typeable)
import GHC.Exts (Int (..), Int#, proxy#)
import GHC.Generics (C1, D1, Generic (..), K1 (..), M1 (..), Rec0, S1)
import GHC.TypeLits (KnownSymbol, symbolVal')
import Tern.Internal.Binary.Sum qualified as BinarySum
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.Codec.Parts (PairsIn, recordOf)
import Tern.Internal.Constructors (constructors)
import Tern.Internal.Deriving.Clash (Sound)
import Tern.Internal.Deriving.Options
  ( Encoding (..),
    EncodingOf,
    Flag (..),
    Has,
    NoAllNullaryToStringTag,
    RejectUnknownFields,
    TagSingleConstructors,
    UnwrapUnaryRecords,
  )
import Tern.Internal.Deriving.Record (GComputed (..), GParts (..), closedBy)
import Tern.Internal.Deriving.Sum
  ( FoundBinary,
    FoundJson,
    GNames (..),
    GNamesIn (..),
    GSums (..),
    GSumsIn (..),
  )
import Tern.Internal.Json.Sum qualified as JsonSum
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.Read (Reader (Reader), Step)
import Tern.Internal.Wire.Class
  ( GBinaryR,
    GBinaryW,
    GJsonR,
    GJsonW,
    GKey (..),
    GNativeR,
    GNativeW,
    GShape,
    Wire (..),
    genericCborR,
    genericCborW,
    genericDirect,
    genericJsonR,
    genericJsonW,
    genericMpackR,
    genericMpackW,
    genericNativeR,
    genericNativeW,
    genericShape,
    jsonKey,
    shapeOf,
  )
import Tern.Internal.Wire.Codec (Codec, CodecIn (..), directly, keyInside, mapCodec, plain)
import Tern.Internal.Wire.Direct.Constructor qualified as Direct
import Tern.Internal.Wire.Direct.Declared qualified as Direct
import Tern.Internal.Wire.Generic.Binary ()
import Tern.Internal.Wire.Generic.Json ()
import Tern.Internal.Wire.Generic.Layout (BodyOf, GEnum (..))
import Tern.Internal.Wire.Generic.Layout qualified as Layout
import Tern.Internal.Wire.Generic.Native ()
import Tern.Internal.Wire.Generic.Shape ()
import Tern.Internal.Wire.Untagged qualified as Untagged
import Tern.Internal.Write (Writer (..))
import Tern.Shape (ShapeOf)
import Tern.Shape qualified as Shape

-- | A type whose formats are those of a declaration with options.
--
-- > data Bird = Bird {birdName :: Text, wingSpan :: Maybe Int}
-- >   deriving stock (Generic)
-- >   deriving (Wire)
-- >     via WithOptions
-- >       '[FieldLabelModifier '[StripPrefix "bird", CamelToSnake], OmitNothingFields]
-- >       Bird
newtype WithOptions (options :: [Type]) a = WithOptions a

instance
  ( Typeable
      options,
    Typeable a,
    Generic a,
    Sound options (Rep a),
    GCodec (LayoutOf options (Rep a)) options a (Rep a)
  ) =>
  Wire (WithOptions options a)
  where
  codec = coerce (gCodec @(LayoutOf options (Rep a)) @options @a @(Rep a))
  {-# INLINE codec #-}

-- * Layouts

-- | How a type is laid out.
data Layout
  = -- | The fields of its one constructor, which have names.
    OneRecord
  | -- | The one field of that.
    OneField
  | -- | What options say nothing of.
    Nameless
  | -- | The constructors' names alone.
    NamesAlone
  | Several Encoding

-- | One constructor is laid out by its fields, unless 'TagSingleConstructors' is an option; others
-- by 'EncodingOf', unless they are names alone.
type family LayoutOf (options :: [Type]) (rep :: Type -> Type) :: Layout where
  LayoutOf options (D1 m (C1 c f)) =
    Single options (Has TagSingleConstructors options) (BodyOf c f) f
  LayoutOf options (D1 m f) =
    Plural options (Has NoAllNullaryToStringTag options) (Layout.LayoutOf f)

type family
  Single
    (options :: [Type])
    (tagged :: Bool)
    (body :: Layout.Body)
    (f :: Type -> Type) ::
    Layout
  where
  Single options 'True 'Layout.Nullary f =
    Plural options (Has NoAllNullaryToStringTag options) 'Layout.Enumeration
  Single options 'True body f = 'Several (EncodingOf options)
  Single options 'False 'Layout.Record (S1 s f) = Unwrapped (Has UnwrapUnaryRecords options)
  Single options 'False 'Layout.Record f = 'OneRecord
  Single options 'False body f = 'Nameless

type family Unwrapped (unwrap :: Bool) :: Layout where
  Unwrapped 'True = 'OneField
  Unwrapped 'False = 'OneRecord

type family Plural (options :: [Type]) (objects :: Bool) (layout :: Layout.Layout) :: Layout where
  Plural options 'False 'Layout.Enumeration = 'NamesAlone
  Plural options objects layout = 'Several (EncodingOf options)

-- | The codec of a type with a layout.
class GCodec (layout :: Layout) (options :: [Type]) a rep where
  gCodec :: Codec a

instance
  ( Typeable
      a,
    Generic a,
    Rep a ~ D1 m (C1 c f),
    Flag (Has RejectUnknownFields options),
    GParts options a f,
    GComputed options a
  ) =>
  GCodec 'OneRecord options a (D1 m (C1 c f))
  where
  gCodec =
    recordOf
      ( closedBy @options
          ( gComputed
              @options
              ((\x -> to (M1 (M1 x))) <$> gParts @options @a @f)
          )
      )
  {-# INLINE gCodec #-}

instance
  (Typeable a, Generic a, Rep a ~ D1 m (C1 c (S1 s (Rec0 x))), Wire x) =>
  GCodec 'OneField options a (D1 m (C1 c (S1 s (Rec0 x))))
  where
  gCodec =
    keyInside
      apart
      made
      jsonKey
      (mapCodec made apart (codec @x))
        { codecShape =
            Shape.declare Shape.One [Shape.draftOf "" False [("", False, shapeOf @x)]],
          codecAbsent = Nothing
        }
    where
      apart :: a -> x
      apart a = case from a of M1 (M1 (M1 (K1 x))) -> x
      made :: x -> a
      made x = to (M1 (M1 (M1 (K1 x))))
  {-# INLINE gCodec #-}

instance
  ( Typeable
      a,
    Generic a,
    Rep a ~ rep,
    GKey rep,
    GShape rep,
    GJsonW rep,
    GJsonR rep,
    GBinaryW MessagePack rep,
    GBinaryR MessagePack rep,
    GBinaryW Cbor rep,
    GBinaryR Cbor rep,
    GNativeW rep,
    GNativeR rep
  ) =>
  GCodec 'Nameless options a rep
  where
  gCodec =
    gKey
      from
      to
      ( plain
          genericShape
          genericJsonW
          genericJsonR
          genericMpackW
          genericMpackR
          genericCborW
          genericCborR
          genericNativeW
          genericNativeR
      )
        { codecDirect = genericDirect
        }
  {-# INLINE gCodec #-}

instance
  ( Typeable
      a,
    Generic a,
    Rep a ~ D1 m f,
    GEnum f,
    GNames options f,
    GNamesIn MessagePack options f,
    GNamesIn Cbor options f,
    GNativeW (D1 m f),
    GNativeR (D1 m f)
  ) =>
  GCodec 'NamesAlone options a (D1 m f)
  where
  gCodec =
    directly direct $
      plain
        ( Shape.declare
            Shape.NamesAlone
            [Shape.draftOf tag False [] | tag <- nameTags @options @f []]
        )
        (FillWriter (\a -> case from a of M1 x -> nameJsonW @options x))
        (JsonSum.enumeration (constructors (nameTags @options @f [])) (gEnum made))
        (FillWriter (\a -> case from a of M1 x -> nameW @MessagePack @options x))
        (BinarySum.enumeration @MessagePack (constructors (nameTags @options @f [])) (gEnum made))
        (FillWriter (\a -> case from a of M1 x -> nameW @Cbor @options x))
        (BinarySum.enumeration @Cbor (constructors (nameTags @options @f [])) (gEnum made))
        genericNativeW
        genericNativeR
    where
      direct =
        Direct.declared
          False
          Direct.NamesAlone
          [ Direct.Case (T.pack tag) (Direct.Nullary (gEnum made i))
            | (tag, I# i) <- zip (nameTags @options @f []) [0 ..]
          ]
          ( \a -> case from a of
              M1 x -> Direct.Apart (nameNumber @options 0 x) Direct.puttingNothing
          )
      made :: f () -> a
      made x = to (M1 x)
  {-# INLINE gCodec #-}

instance
  ( Typeable
      a,
    Generic a,
    Rep a ~ D1 m f,
    Flag (Has RejectUnknownFields options),
    GEncoding encoding,
    GEncodingIn MessagePack encoding,
    GEncodingIn Cbor encoding,
    GSums encoding options a f,
    GSumsIn MessagePack encoding options a f,
    GSumsIn Cbor encoding options a f
  ) =>
  GCodec ('Several encoding) options a (D1 m f)
  where
  gCodec =
    inLayout $
      plain
        shaped
        (FillWriter (\a -> case from a of M1 x -> topJsonW @encoding @options a x))
        ( jsonOf
            @encoding
            shaped
            (sumTags @encoding @options @a @f [])
            (sumJsonR @encoding @options made)
        )
        (FillWriter (\a -> case from a of M1 x -> topW @MessagePack @encoding @options a x))
        ( binaryOf
            @MessagePack
            @encoding
            shaped
            (sumTags @encoding @options @a @f [])
            (sumR @MessagePack @encoding @options made)
        )
        (FillWriter (\a -> case from a of M1 x -> topW @Cbor @encoding @options a x))
        ( binaryOf
            @Cbor
            @encoding
            shaped
            (sumTags @encoding @options @a @f [])
            (sumR @Cbor @encoding @options made)
        )
        (FillWriter (\a -> case from a of M1 x -> topNativeW @encoding @options a x))
        (topNativeR @encoding @options made)
    where
      inLayout = case layout @encoding of
        Just around ->
          directly
            ( Direct.declared
                (flag @(Has RejectUnknownFields options))
                around
                (sumCases @encoding @options made [])
                (\a -> case from a of M1 x -> sumApart @encoding @options 0 a x)
            )
        Nothing -> id
      shaped :: ShapeOf a
      shaped = Shape.declare (outline @encoding) $ case flag @(Has RejectUnknownFields options) of
        False -> drafts
        True -> map Shape.closed drafts
      drafts = sumDrafts @encoding @options @a @f []
      made :: f () -> a
      made x = to (M1 x)
  {-# INLINE gCodec #-}

-- * Encodings

-- | What is around the constructors.
class GEncoding (encoding :: Encoding) where
  outline :: Shape.Outline

  -- | Of documents of any shape; none where bytes decide which constructor one is.
  layout :: Maybe Direct.Layout

  jsonOf ::
    (Typeable a) => ShapeOf a -> [String] -> (FoundJson encoding -> Int# -> Step a) -> Reader a

instance (KnownSymbol tag, KnownSymbol contents) => GEncoding ('TaggedObject tag contents) where
  outline = Shape.taggedAs (symbolVal' (proxy# @tag)) (symbolVal' (proxy# @contents))
  layout = Just (Direct.tagged (symbolVal' (proxy# @tag)) (symbolVal' (proxy# @contents)))
  jsonOf _ tags =
    JsonSum.taggedObject
      (symbolVal' (proxy# @tag))
      (symbolVal' (proxy# @contents))
      (constructors tags)
  {-# INLINE jsonOf #-}

instance GEncoding 'SingleField where
  outline = Shape.Several Shape.SingleField
  layout = Just Direct.SingleField
  jsonOf _ tags step = JsonSum.singleField (constructors tags) (\i -> Reader (step () i))
  {-# INLINE jsonOf #-}

instance GEncoding 'TwoElements where
  outline = Shape.Several Shape.TwoElements
  layout = Just Direct.TwoElements
  jsonOf _ tags step = JsonSum.twoElements (constructors tags) (\i -> Reader (step () i))
  {-# INLINE jsonOf #-}

instance GEncoding 'Untagged where
  outline = Shape.Several Shape.Untagged
  layout = Nothing
  jsonOf shaped tags step = Untagged.json (Untagged.ofType shaped) shaped (alternatives tags step)
  {-# INLINE jsonOf #-}

-- | Each with its tag.
alternatives :: [String] -> (() -> Int# -> Step a) -> [(String, Reader a)]
alternatives tags step = [(tag, Reader (step () i)) | (tag, I# i) <- zip tags [0 ..]]
{-# INLINE alternatives #-}

-- | The same in a binary format.
class GEncodingIn b (encoding :: Encoding) where
  binaryOf ::
    (Typeable a) => ShapeOf a -> [String] -> (FoundBinary encoding -> Int# -> Step a) -> Reader a

instance
  (PairsIn b, KnownSymbol tag, KnownSymbol contents) =>
  GEncodingIn b ('TaggedObject tag contents)
  where
  binaryOf _ tags =
    BinarySum.taggedMap
      @b
      (symbolVal' (proxy# @tag))
      (symbolVal' (proxy# @contents))
      (constructors tags)
  {-# INLINE binaryOf #-}

instance (PairsIn b) => GEncodingIn b 'SingleField where
  binaryOf _ tags step = BinarySum.singlePair @b (constructors tags) (\i -> Reader (step () i))
  {-# INLINE binaryOf #-}

instance (PairsIn b) => GEncodingIn b 'TwoElements where
  binaryOf _ tags step = BinarySum.twoElements @b (constructors tags) (\i -> Reader (step () i))
  {-# INLINE binaryOf #-}

instance (PairsIn b) => GEncodingIn b 'Untagged where
  binaryOf shaped tags step =
    Untagged.binary @b (Untagged.ofType shaped) shaped (alternatives tags step)
  {-# INLINE binaryOf #-}
