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
import Tern.Error (Error (errorReason), renderReason)
import Tern.HashMap qualified as HashMap
import Tern.Json.Codec qualified as Json
import Tern.Json.Container qualified as Json
import Tern.Json.Document (decodeTextWith, encodeTextWith)
import Tern.MessagePack.Codec qualified as Mpack
import Tern.MessagePack.Container qualified as Mpack
import Tern.MessagePack.Conversion (fromJson, toJson)
import Tern.MessagePack.Value qualified as Mpack
import Tern.Native.List qualified as Native
import Tern.Native.Read qualified as NativeR
import Tern.Native.Reader (refined)
import Tern.Native.Record qualified as Native
import Tern.Native.Vector qualified as Native
import Tern.Native.Write qualified as NativeW
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
  nativeW = NativeW.int
  {-# INLINE nativeW #-}
  nativeR = NativeR.int
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.int8
  {-# INLINE nativeW #-}
  nativeR = NativeR.int8
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.int16
  {-# INLINE nativeW #-}
  nativeR = NativeR.int16
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.int32
  {-# INLINE nativeW #-}
  nativeR = NativeR.int32
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.int64
  {-# INLINE nativeW #-}
  nativeR = NativeR.int64
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.word
  {-# INLINE nativeW #-}
  nativeR = NativeR.word
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.word8
  {-# INLINE nativeW #-}
  nativeR = NativeR.word8
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.word16
  {-# INLINE nativeW #-}
  nativeR = NativeR.word16
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.word32
  {-# INLINE nativeW #-}
  nativeR = NativeR.word32
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.word64
  {-# INLINE nativeW #-}
  nativeR = NativeR.word64
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.integer
  {-# INLINE nativeW #-}
  nativeR = NativeR.integer
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.natural
  {-# INLINE nativeW #-}
  nativeR = NativeR.natural
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.double
  {-# INLINE nativeW #-}
  nativeR = NativeR.double
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.float
  {-# INLINE nativeW #-}
  nativeR = NativeR.float
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.bool
  {-# INLINE nativeW #-}
  nativeR = NativeR.bool
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.text
  {-# INLINE nativeW #-}
  nativeR = NativeR.text
  {-# INLINE nativeR #-}

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
  nativeW = contramapWriter TL.toStrict NativeW.text
  {-# INLINE nativeW #-}
  nativeR = fmap TL.fromStrict NativeR.text
  {-# INLINE nativeR #-}

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
  nativeW = NativeW.char
  {-# INLINE nativeW #-}
  nativeR = NativeR.char
  {-# INLINE nativeR #-}
  nativeListW = contramapWriter T.pack NativeW.text
  {-# INLINE nativeListW #-}
  nativeListR = fmap T.unpack NativeR.text
  {-# INLINE nativeListR #-}

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
  nativeW = Native.oneOfW (Native.option Native.noFields)
  {-# INLINE nativeW #-}
  nativeR = Native.oneOf (Native.alternative (pure ()))
  {-# INLINE nativeR #-}

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
  nativeW = nativeListW
  {-# INLINE nativeW #-}
  nativeR = nativeListR
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = contramapWriter (\(x :| xs) -> x : xs) (Native.listW nativeW)
  {-# INLINE nativeW #-}
  nativeR = Native.nonEmptyR nativeR
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = Native.maybeW nativeW
  {-# INLINE nativeW #-}
  nativeR = Native.maybeR nativeR
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = Native.eitherW nativeW nativeW
  {-# INLINE nativeW #-}
  nativeR = Native.eitherR nativeR nativeR
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = Native.vectorW nativeW
  {-# INLINE nativeW #-}
  nativeR = Native.vectorR nativeR
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = Native.anyUnboxedW nativeW
  {-# INLINE nativeW #-}
  nativeR = Native.anyUnboxedR nativeR
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = Native.anyStorableW nativeW
  {-# INLINE nativeW #-}
  nativeR = Native.anyStorableR nativeR
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = Native.both nativeW nativeW
  {-# INLINE nativeW #-}
  nativeR = Native.record ((,) <$> Native.field nativeR <*> Native.field nativeR)
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = contramapWriter (\(x1, x2, x3) -> (x1, (x2, x3))) (Native.both nativeW (Native.both nativeW nativeW))
  {-# INLINE nativeW #-}
  nativeR = Native.record ((,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR)
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = contramapWriter (\(x1, x2, x3, x4) -> (x1, (x2, (x3, x4)))) (Native.both nativeW (Native.both nativeW (Native.both nativeW nativeW)))
  {-# INLINE nativeW #-}
  nativeR = Native.record ((,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR)
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = contramapWriter (\(x1, x2, x3, x4, x5) -> (x1, (x2, (x3, (x4, x5))))) (Native.both nativeW (Native.both nativeW (Native.both nativeW (Native.both nativeW nativeW))))
  {-# INLINE nativeW #-}
  nativeR = Native.record ((,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR)
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = contramapWriter (\(x1, x2, x3, x4, x5, x6) -> (x1, (x2, (x3, (x4, (x5, x6)))))) (Native.both nativeW (Native.both nativeW (Native.both nativeW (Native.both nativeW (Native.both nativeW nativeW)))))
  {-# INLINE nativeW #-}
  nativeR = Native.record ((,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR)
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = contramapWriter (\(x1, x2, x3, x4, x5, x6, x7) -> (x1, (x2, (x3, (x4, (x5, (x6, x7))))))) (Native.both nativeW (Native.both nativeW (Native.both nativeW (Native.both nativeW (Native.both nativeW (Native.both nativeW nativeW))))))
  {-# INLINE nativeW #-}
  nativeR = Native.record ((,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR)
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = contramapWriter Map.toAscList (Native.listW (Native.both nativeW nativeW))
  {-# INLINE nativeW #-}
  nativeR = fmap Map.fromDistinctAscList (Native.ascendingR (\(a, _) (b, _) -> a < b) (Native.record ((,) <$> Native.field nativeR <*> Native.field nativeR)))
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = contramapWriter (Map.toAscList . Map.fromList . HashMap.toList) (Native.listW (Native.both nativeW nativeW))
  {-# INLINE nativeW #-}
  nativeR = fmap (HashMap.fromPairs . reverse) (Native.ascendingR (\(a, _) (b, _) -> a < b) (Native.record ((,) <$> Native.field nativeR <*> Native.field nativeR)))
  {-# INLINE nativeR #-}
  nativeListW = Native.listW nativeW
  {-# INLINE nativeListW #-}
  nativeListR = Native.listR nativeR
  {-# INLINE nativeListR #-}

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
  nativeW = contramapWriter (encodeTextWith Json.valueW) NativeW.text
  nativeR = refined (either (Left . renderReason . errorReason) Right . decodeTextWith Json.valueR) NativeR.text

-- | As JSON likewise.
instance Wire Mpack.Value where
  shape = ShapeOf Shape.Anything
  jsonW = contramapWriter (fst . toJson) Json.valueW
  jsonR = fmap (fst . fromJson) Json.valueR
  mpackW = Mpack.valueW
  mpackR = Mpack.valueR
  nativeW = contramapWriter Mpack.encodeValue NativeW.bytes
  nativeR = refined (either (Left . renderReason . errorReason) Right . Mpack.decodeValue) NativeR.bytes
