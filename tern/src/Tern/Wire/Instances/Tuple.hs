-- The class is in "Tern.Wire.Class", as for "Tern.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Tuples of eight to fifteen: what "Tern.Wire.Container" has of smaller ones, for types
-- that few programs have. They are put together from an array's elements.
module Tern.Wire.Instances.Tuple () where

import Tern.Binary.Container qualified as Binary
import Tern.Binary.Syntax qualified as Binary (arrayOf)
import Tern.Cbor.Codec (Cbor)
import Tern.Json.Container qualified as Json
import Tern.MessagePack.Codec (MessagePack)
import Tern.Native.Record qualified as Native
import Tern.Shape (ShapeOf (..))
import Tern.Shape qualified as Shape
import Tern.Wire.Class
import Tern.Wire.Codec
import Tern.Write

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h) => Wire (a, b, c, d, e, f, g, h) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> Json.close)))
      (Json.bracket 8 ((,,,,,,,) <$> jsonR <*> Json.next 8 jsonR <*> Json.next 8 jsonR <*> Json.next 8 jsonR <*> Json.next 8 jsonR <*> Json.next 8 jsonR <*> Json.next 8 jsonR <*> Json.next 8 jsonR <* Json.done 8))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8) -> toFill (Binary.arrayOf @MessagePack 8 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8)))
      (Binary.exactly @MessagePack 8 ((,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8) -> toFill (Binary.arrayOf @Cbor 8 <> write cborW x1 <> write cborW x2 <> write cborW x3 <> write cborW x4 <> write cborW x5 <> write cborW x6 <> write cborW x7 <> write cborW x8)))
      (Binary.exactly @Cbor 8 ((,,,,,,,) <$> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8)))
      (Native.record ((,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h, Wire i) => Wire (a, b, c, d, e, f, g, h, i) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h, shapeOf @i]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> comma x9 <> Json.close)))
      (Json.bracket 9 ((,,,,,,,,) <$> jsonR <*> Json.next 9 jsonR <*> Json.next 9 jsonR <*> Json.next 9 jsonR <*> Json.next 9 jsonR <*> Json.next 9 jsonR <*> Json.next 9 jsonR <*> Json.next 9 jsonR <*> Json.next 9 jsonR <* Json.done 9))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9) -> toFill (Binary.arrayOf @MessagePack 9 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8 <> write mpackW x9)))
      (Binary.exactly @MessagePack 9 ((,,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9) -> toFill (Binary.arrayOf @Cbor 9 <> write cborW x1 <> write cborW x2 <> write cborW x3 <> write cborW x4 <> write cborW x5 <> write cborW x6 <> write cborW x7 <> write cborW x8 <> write cborW x9)))
      (Binary.exactly @Cbor 9 ((,,,,,,,,) <$> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8 <> write nativeW x9)))
      (Native.record ((,,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h, Wire i, Wire j) => Wire (a, b, c, d, e, f, g, h, i, j) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h, shapeOf @i, shapeOf @j]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> comma x9 <> comma x10 <> Json.close)))
      (Json.bracket 10 ((,,,,,,,,,) <$> jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <* Json.done 10))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) -> toFill (Binary.arrayOf @MessagePack 10 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8 <> write mpackW x9 <> write mpackW x10)))
      (Binary.exactly @MessagePack 10 ((,,,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) -> toFill (Binary.arrayOf @Cbor 10 <> write cborW x1 <> write cborW x2 <> write cborW x3 <> write cborW x4 <> write cborW x5 <> write cborW x6 <> write cborW x7 <> write cborW x8 <> write cborW x9 <> write cborW x10)))
      (Binary.exactly @Cbor 10 ((,,,,,,,,,) <$> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8 <> write nativeW x9 <> write nativeW x10)))
      (Native.record ((,,,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h, Wire i, Wire j, Wire k) => Wire (a, b, c, d, e, f, g, h, i, j, k) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h, shapeOf @i, shapeOf @j, shapeOf @k]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> comma x9 <> comma x10 <> comma x11 <> Json.close)))
      (Json.bracket 11 ((,,,,,,,,,,) <$> jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <* Json.done 11))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) -> toFill (Binary.arrayOf @MessagePack 11 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8 <> write mpackW x9 <> write mpackW x10 <> write mpackW x11)))
      (Binary.exactly @MessagePack 11 ((,,,,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) -> toFill (Binary.arrayOf @Cbor 11 <> write cborW x1 <> write cborW x2 <> write cborW x3 <> write cborW x4 <> write cborW x5 <> write cborW x6 <> write cborW x7 <> write cborW x8 <> write cborW x9 <> write cborW x10 <> write cborW x11)))
      (Binary.exactly @Cbor 11 ((,,,,,,,,,,) <$> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8 <> write nativeW x9 <> write nativeW x10 <> write nativeW x11)))
      (Native.record ((,,,,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h, Wire i, Wire j, Wire k, Wire l) => Wire (a, b, c, d, e, f, g, h, i, j, k, l) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h, shapeOf @i, shapeOf @j, shapeOf @k, shapeOf @l]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> comma x9 <> comma x10 <> comma x11 <> comma x12 <> Json.close)))
      (Json.bracket 12 ((,,,,,,,,,,,) <$> jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <* Json.done 12))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) -> toFill (Binary.arrayOf @MessagePack 12 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8 <> write mpackW x9 <> write mpackW x10 <> write mpackW x11 <> write mpackW x12)))
      (Binary.exactly @MessagePack 12 ((,,,,,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) -> toFill (Binary.arrayOf @Cbor 12 <> write cborW x1 <> write cborW x2 <> write cborW x3 <> write cborW x4 <> write cborW x5 <> write cborW x6 <> write cborW x7 <> write cborW x8 <> write cborW x9 <> write cborW x10 <> write cborW x11 <> write cborW x12)))
      (Binary.exactly @Cbor 12 ((,,,,,,,,,,,) <$> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8 <> write nativeW x9 <> write nativeW x10 <> write nativeW x11 <> write nativeW x12)))
      (Native.record ((,,,,,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h, Wire i, Wire j, Wire k, Wire l, Wire m) => Wire (a, b, c, d, e, f, g, h, i, j, k, l, m) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h, shapeOf @i, shapeOf @j, shapeOf @k, shapeOf @l, shapeOf @m]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> comma x9 <> comma x10 <> comma x11 <> comma x12 <> comma x13 <> Json.close)))
      (Json.bracket 13 ((,,,,,,,,,,,,) <$> jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <* Json.done 13))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13) -> toFill (Binary.arrayOf @MessagePack 13 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8 <> write mpackW x9 <> write mpackW x10 <> write mpackW x11 <> write mpackW x12 <> write mpackW x13)))
      (Binary.exactly @MessagePack 13 ((,,,,,,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13) -> toFill (Binary.arrayOf @Cbor 13 <> write cborW x1 <> write cborW x2 <> write cborW x3 <> write cborW x4 <> write cborW x5 <> write cborW x6 <> write cborW x7 <> write cborW x8 <> write cborW x9 <> write cborW x10 <> write cborW x11 <> write cborW x12 <> write cborW x13)))
      (Binary.exactly @Cbor 13 ((,,,,,,,,,,,,) <$> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8 <> write nativeW x9 <> write nativeW x10 <> write nativeW x11 <> write nativeW x12 <> write nativeW x13)))
      (Native.record ((,,,,,,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h, Wire i, Wire j, Wire k, Wire l, Wire m, Wire n) => Wire (a, b, c, d, e, f, g, h, i, j, k, l, m, n) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h, shapeOf @i, shapeOf @j, shapeOf @k, shapeOf @l, shapeOf @m, shapeOf @n]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> comma x9 <> comma x10 <> comma x11 <> comma x12 <> comma x13 <> comma x14 <> Json.close)))
      (Json.bracket 14 ((,,,,,,,,,,,,,) <$> jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <* Json.done 14))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14) -> toFill (Binary.arrayOf @MessagePack 14 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8 <> write mpackW x9 <> write mpackW x10 <> write mpackW x11 <> write mpackW x12 <> write mpackW x13 <> write mpackW x14)))
      (Binary.exactly @MessagePack 14 ((,,,,,,,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14) -> toFill (Binary.arrayOf @Cbor 14 <> write cborW x1 <> write cborW x2 <> write cborW x3 <> write cborW x4 <> write cborW x5 <> write cborW x6 <> write cborW x7 <> write cborW x8 <> write cborW x9 <> write cborW x10 <> write cborW x11 <> write cborW x12 <> write cborW x13 <> write cborW x14)))
      (Binary.exactly @Cbor 14 ((,,,,,,,,,,,,,) <$> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8 <> write nativeW x9 <> write nativeW x10 <> write nativeW x11 <> write nativeW x12 <> write nativeW x13 <> write nativeW x14)))
      (Native.record ((,,,,,,,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h, Wire i, Wire j, Wire k, Wire l, Wire m, Wire n, Wire o) => Wire (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h, shapeOf @i, shapeOf @j, shapeOf @k, shapeOf @l, shapeOf @m, shapeOf @n, shapeOf @o]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> comma x9 <> comma x10 <> comma x11 <> comma x12 <> comma x13 <> comma x14 <> comma x15 <> Json.close)))
      (Json.bracket 15 ((,,,,,,,,,,,,,,) <$> jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <* Json.done 15))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15) -> toFill (Binary.arrayOf @MessagePack 15 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8 <> write mpackW x9 <> write mpackW x10 <> write mpackW x11 <> write mpackW x12 <> write mpackW x13 <> write mpackW x14 <> write mpackW x15)))
      (Binary.exactly @MessagePack 15 ((,,,,,,,,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15) -> toFill (Binary.arrayOf @Cbor 15 <> write cborW x1 <> write cborW x2 <> write cborW x3 <> write cborW x4 <> write cborW x5 <> write cborW x6 <> write cborW x7 <> write cborW x8 <> write cborW x9 <> write cborW x10 <> write cborW x11 <> write cborW x12 <> write cborW x13 <> write cborW x14 <> write cborW x15)))
      (Binary.exactly @Cbor 15 ((,,,,,,,,,,,,,,) <$> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR <*> cborR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8 <> write nativeW x9 <> write nativeW x10 <> write nativeW x11 <> write nativeW x12 <> write nativeW x13 <> write nativeW x14 <> write nativeW x15)))
      (Native.record ((,,,,,,,,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

comma :: (Wire a) => a -> Write
comma x = Json.comma <> write jsonW x
