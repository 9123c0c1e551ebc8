{-# LANGUAGE OverloadedStrings #-}
-- The class is in "Tern.Wire.Class", apart from its instances, which use every
-- format's codecs.
{-# OPTIONS_GHC -Wno-orphans #-}

-- | How Haskell's own types are written and read: a table of codecs.
--
-- Types with parameters have their own list methods, inlined: the defaults would
-- pass the elements' dictionaries at run time.
module Tern.Wire.Instances () where

import Data.HashMap.Strict (HashMap)
import Data.HashMap.Strict qualified as HashMap
import Data.Hashable (Hashable)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Lazy qualified as TL
import Data.Vector qualified as V
import Data.Vector.Storable qualified as VS
import Data.Vector.Unboxed qualified as VU
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)
import Tern.HashMap qualified as HashMap
import Tern.Json.Codec qualified as Json
import Tern.Json.Container qualified as Json
import Tern.MessagePack.Codec qualified as Mpack
import Tern.MessagePack.Container qualified as Mpack
import Tern.MessagePack.Conversion (fromJson, toJson)
import Tern.MessagePack.Value qualified as Mpack
import Tern.Shape (ShapeOf (..))
import Tern.Shape qualified as Shape
import Tern.Value qualified as Json
import Tern.Wire.Class
import Tern.Wire.Generic.Shape (shapedField)
import Tern.Write

instance Wire Int where
  shape = Shape.bounded
  jsonW = Json.intW
  {-# INLINE jsonW #-}
  jsonR = Json.intR
  {-# INLINE jsonR #-}
  mpackW = Mpack.intW
  {-# INLINE mpackW #-}
  mpackR = Mpack.intR
  {-# INLINE mpackR #-}
  jsonKey = Json.scalarKey jsonW jsonR

instance Wire Int8 where
  shape = Shape.bounded
  jsonW = Json.sizedIntW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedIntR "Int8"
  {-# INLINE jsonR #-}
  mpackW = Mpack.sizedIntW
  {-# INLINE mpackW #-}
  mpackR = Mpack.sizedIntR "Int8"
  {-# INLINE mpackR #-}
  jsonKey = Json.scalarKey jsonW jsonR

instance Wire Int16 where
  shape = Shape.bounded
  jsonW = Json.sizedIntW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedIntR "Int16"
  {-# INLINE jsonR #-}
  mpackW = Mpack.sizedIntW
  {-# INLINE mpackW #-}
  mpackR = Mpack.sizedIntR "Int16"
  {-# INLINE mpackR #-}
  jsonKey = Json.scalarKey jsonW jsonR

instance Wire Int32 where
  shape = Shape.bounded
  jsonW = Json.sizedIntW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedIntR "Int32"
  {-# INLINE jsonR #-}
  mpackW = Mpack.sizedIntW
  {-# INLINE mpackW #-}
  mpackR = Mpack.sizedIntR "Int32"
  {-# INLINE mpackR #-}
  jsonKey = Json.scalarKey jsonW jsonR

instance Wire Int64 where
  shape = Shape.bounded
  jsonW = Json.sizedIntW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedIntR "Int64"
  {-# INLINE jsonR #-}
  mpackW = Mpack.sizedIntW
  {-# INLINE mpackW #-}
  mpackR = Mpack.sizedIntR "Int64"
  {-# INLINE mpackR #-}
  jsonKey = Json.scalarKey jsonW jsonR

instance Wire Word where
  shape = Shape.bounded
  jsonW = Json.wordW
  {-# INLINE jsonW #-}
  jsonR = Json.wordR
  {-# INLINE jsonR #-}
  mpackW = Mpack.wordW
  {-# INLINE mpackW #-}
  mpackR = Mpack.wordR
  {-# INLINE mpackR #-}
  jsonKey = Json.scalarKey jsonW jsonR

instance Wire Word8 where
  shape = Shape.bounded
  jsonW = Json.sizedWordW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedWordR "Word8"
  {-# INLINE jsonR #-}
  mpackW = Mpack.sizedWordW
  {-# INLINE mpackW #-}
  mpackR = Mpack.sizedWordR "Word8"
  {-# INLINE mpackR #-}
  jsonKey = Json.scalarKey jsonW jsonR

instance Wire Word16 where
  shape = Shape.bounded
  jsonW = Json.sizedWordW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedWordR "Word16"
  {-# INLINE jsonR #-}
  mpackW = Mpack.sizedWordW
  {-# INLINE mpackW #-}
  mpackR = Mpack.sizedWordR "Word16"
  {-# INLINE mpackR #-}
  jsonKey = Json.scalarKey jsonW jsonR

instance Wire Word32 where
  shape = Shape.bounded
  jsonW = Json.sizedWordW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedWordR "Word32"
  {-# INLINE jsonR #-}
  mpackW = Mpack.sizedWordW
  {-# INLINE mpackW #-}
  mpackR = Mpack.sizedWordR "Word32"
  {-# INLINE mpackR #-}
  jsonKey = Json.scalarKey jsonW jsonR

instance Wire Word64 where
  shape = Shape.bounded
  jsonW = Json.sizedWordW
  {-# INLINE jsonW #-}
  jsonR = Json.sizedWordR "Word64"
  {-# INLINE jsonR #-}
  mpackW = Mpack.sizedWordW
  {-# INLINE mpackW #-}
  mpackR = Mpack.sizedWordR "Word64"
  {-# INLINE mpackR #-}
  jsonKey = Json.scalarKey jsonW jsonR

instance Wire Integer where
  shape = ShapeOf (Shape.Integer Nothing Nothing)
  jsonW = Json.integerW
  {-# INLINE jsonW #-}
  jsonR = Json.integerR
  {-# INLINE jsonR #-}
  mpackW = Mpack.integerW
  {-# INLINE mpackW #-}
  mpackR = Mpack.integerR
  {-# INLINE mpackR #-}
  jsonKey = Json.scalarKey jsonW jsonR

instance Wire Natural where
  shape = ShapeOf (Shape.Integer (Just 0) Nothing)
  jsonW = Json.naturalW
  {-# INLINE jsonW #-}
  jsonR = Json.naturalR
  {-# INLINE jsonR #-}
  mpackW = Mpack.naturalW
  {-# INLINE mpackW #-}
  mpackR = Mpack.naturalR
  {-# INLINE mpackR #-}
  jsonKey = Json.scalarKey jsonW jsonR

instance Wire Double where
  shape = ShapeOf (Shape.Floating 64)
  jsonW = Json.doubleW
  {-# INLINE jsonW #-}
  jsonR = Json.doubleR
  {-# INLINE jsonR #-}
  mpackW = Mpack.doubleW
  {-# INLINE mpackW #-}
  mpackR = Mpack.doubleR
  {-# INLINE mpackR #-}

instance Wire Float where
  shape = ShapeOf (Shape.Floating 32)
  jsonW = Json.floatW
  {-# INLINE jsonW #-}
  jsonR = Json.floatR
  {-# INLINE jsonR #-}
  mpackW = Mpack.floatW
  {-# INLINE mpackW #-}
  mpackR = Mpack.floatR
  {-# INLINE mpackR #-}

instance Wire Bool where
  shape = ShapeOf Shape.Boolean
  jsonW = Json.boolW
  {-# INLINE jsonW #-}
  jsonR = Json.boolR
  {-# INLINE jsonR #-}
  mpackW = Mpack.boolW
  {-# INLINE mpackW #-}
  mpackR = Mpack.boolR
  {-# INLINE mpackR #-}
  jsonKey = Json.scalarKey jsonW jsonR

instance Wire Text where
  shape = ShapeOf Shape.Text
  jsonW = Json.textW
  {-# INLINE jsonW #-}
  jsonR = Json.textR
  {-# INLINE jsonR #-}
  mpackW = Mpack.textW
  {-# INLINE mpackW #-}
  mpackR = Mpack.textR
  {-# INLINE mpackR #-}
  jsonKey = Json.TextKey id Right

instance Wire TL.Text where
  shape = ShapeOf Shape.Text
  jsonW = Json.lazyTextW
  {-# INLINE jsonW #-}
  jsonR = Json.lazyTextR
  {-# INLINE jsonR #-}
  mpackW = Mpack.lazyTextW
  {-# INLINE mpackW #-}
  mpackR = Mpack.lazyTextR
  {-# INLINE mpackR #-}
  jsonKey = Json.mapKey TL.toStrict TL.fromStrict jsonKey

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
  mpackW = Mpack.charW
  {-# INLINE mpackW #-}
  mpackR = Mpack.charR
  {-# INLINE mpackR #-}
  jsonKey = Json.TextKey T.singleton oneCharacter
  jsonListKey = Json.TextKey T.pack (Right . T.unpack)
  mpackListW = Mpack.stringW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.stringR
  {-# INLINE mpackListR #-}

instance Wire () where
  shape = ShapeOf Shape.Unit
  jsonW = Json.unitW
  {-# INLINE jsonW #-}
  jsonR = Json.unitR
  {-# INLINE jsonR #-}
  mpackW = Mpack.unitW
  {-# INLINE mpackW #-}
  mpackR = Mpack.unitR
  {-# INLINE mpackR #-}

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
  mpackW = mpackListW
  {-# INLINE mpackW #-}
  mpackR = mpackListR
  {-# INLINE mpackR #-}
  jsonKey = jsonListKey
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

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
  mpackW = contramapWriter (\(x :| xs) -> x : xs) (Mpack.listW mpackW)
  {-# INLINE mpackW #-}
  mpackR = Mpack.nonEmptyR mpackR
  {-# INLINE mpackR #-}
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

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
  mpackW = Mpack.maybeW mpackW
  {-# INLINE mpackW #-}
  mpackR = Mpack.maybeR mpackR
  {-# INLINE mpackR #-}
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

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
  mpackW = Mpack.eitherW mpackW mpackW
  {-# INLINE mpackW #-}
  mpackR = Mpack.eitherR mpackR mpackR
  {-# INLINE mpackR #-}
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

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
  mpackW = Mpack.vectorW mpackW
  {-# INLINE mpackW #-}
  mpackR = Mpack.vectorR mpackR
  {-# INLINE mpackR #-}
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

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
  mpackW = Mpack.vectorW mpackW
  {-# INLINE mpackW #-}
  mpackR = Mpack.vectorR mpackR
  {-# INLINE mpackR #-}
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

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
  mpackW = Mpack.vectorW mpackW
  {-# INLINE mpackW #-}
  mpackR = Mpack.vectorR mpackR
  {-# INLINE mpackR #-}
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

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
  mpackW = FillWriter $ \(x1, x2) ->
    toFill (Mpack.arrayOf 2 <> write mpackW x1 <> write mpackW x2)
  {-# INLINE mpackW #-}
  mpackR = Mpack.exactly 2 ((,) <$> mpackR <*> mpackR)
  {-# INLINE mpackR #-}
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

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
  mpackW = FillWriter $ \(x1, x2, x3) ->
    toFill (Mpack.arrayOf 3 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3)
  {-# INLINE mpackW #-}
  mpackR = Mpack.exactly 3 ((,,) <$> mpackR <*> mpackR <*> mpackR)
  {-# INLINE mpackR #-}
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

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
  mpackW = FillWriter $ \(x1, x2, x3, x4) ->
    toFill (Mpack.arrayOf 4 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4)
  {-# INLINE mpackW #-}
  mpackR = Mpack.exactly 4 ((,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR)
  {-# INLINE mpackR #-}
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

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
  mpackW = FillWriter $ \(x1, x2, x3, x4, x5) ->
    toFill (Mpack.arrayOf 5 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5)
  {-# INLINE mpackW #-}
  mpackR = Mpack.exactly 5 ((,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR)
  {-# INLINE mpackR #-}
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

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
  mpackW = FillWriter $ \(x1, x2, x3, x4, x5, x6) ->
    toFill (Mpack.arrayOf 6 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6)
  {-# INLINE mpackW #-}
  mpackR = Mpack.exactly 6 ((,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR)
  {-# INLINE mpackR #-}
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

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
  mpackW = FillWriter $ \(x1, x2, x3, x4, x5, x6, x7) ->
    toFill (Mpack.arrayOf 7 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7)
  {-# INLINE mpackW #-}
  mpackR = Mpack.exactly 7 ((,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR)
  {-# INLINE mpackR #-}
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

-- | An object; of a repeated key the last value counts.
instance (Ord k, Wire k, Wire v) => Wire (Map k v) where
  shape = ShapeOf (Shape.Mapping (shapeOf @k) (shapeOf @v))
  jsonW = contramapWriter Map.toAscList (Json.mapW jsonKey jsonW jsonW)
  {-# INLINE jsonW #-}
  jsonR = fmap (Map.fromList . reverse) (Json.mapR jsonKey jsonR jsonR)
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}
  mpackW = contramapWriter Map.toAscList (Mpack.pairsW mpackW mpackW)
  {-# INLINE mpackW #-}
  mpackR = fmap (Map.fromList . reverse) (Mpack.pairsR mpackR mpackR)
  {-# INLINE mpackR #-}
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

-- | An object; of a repeated key the last value counts. Keys that collide cost
-- no more than others.
instance (Hashable k, Ord k, Wire k, Wire v) => Wire (HashMap k v) where
  shape = ShapeOf (Shape.Mapping (shapeOf @k) (shapeOf @v))
  jsonW = contramapWriter HashMap.toList (Json.mapW jsonKey jsonW jsonW)
  {-# INLINE jsonW #-}
  jsonR = fmap HashMap.fromPairs (Json.mapR jsonKey jsonR jsonR)
  {-# INLINE jsonR #-}
  jsonListW = Json.listW jsonW
  {-# INLINE jsonListW #-}
  jsonListR = Json.listR jsonR
  {-# INLINE jsonListR #-}
  mpackW = contramapWriter HashMap.toList (Mpack.pairsW mpackW mpackW)
  {-# INLINE mpackW #-}
  mpackR = fmap HashMap.fromPairs (Mpack.pairsR mpackR mpackR)
  {-# INLINE mpackR #-}
  mpackListW = Mpack.listW mpackW
  {-# INLINE mpackListW #-}
  mpackListR = Mpack.listR mpackR
  {-# INLINE mpackListR #-}

oneCharacter :: Text -> Either Text Char
oneCharacter text = case T.uncons text of
  Just (char, rest) | T.null rest -> Right char
  _ -> Left "expected a key of one character"

-- * Documents of any shape

-- | As MessagePack it is the nearest document that this has; what is lost is not
-- said ("Tern.MessagePack.Conversion" says it).
instance Wire Json.Value where
  shape = ShapeOf Shape.Anything
  jsonW = Json.valueW
  jsonR = Json.valueR
  mpackW = contramapWriter (fst . fromJson) Mpack.valueW
  mpackR = fmap (fst . toJson) Mpack.valueR

-- | As JSON likewise.
instance Wire Mpack.Value where
  shape = ShapeOf Shape.Anything
  jsonW = contramapWriter (fst . toJson) Json.valueW
  jsonR = fmap (fst . fromJson) Json.valueR
  mpackW = Mpack.valueW
  mpackR = Mpack.valueR
