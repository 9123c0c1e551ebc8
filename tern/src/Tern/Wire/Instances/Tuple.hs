-- The class is in "Tern.Wire.Class", as for "Tern.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Tuples of eight to fifteen: what "Tern.Wire.Container" has of smaller ones, for types
-- that few programs have. They are put together from an array's elements.
module Tern.Wire.Instances.Tuple () where

import Tern.Json.Container qualified as Json
import Tern.MessagePack.Container qualified as Mpack
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
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8) -> toFill (Mpack.arrayOf 8 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8)))
      (Mpack.exactly 8 ((,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8)))
      (Native.record ((,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h, Wire i) => Wire (a, b, c, d, e, f, g, h, i) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h, shapeOf @i]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> comma x9 <> Json.close)))
      (Json.bracket 9 ((,,,,,,,,) <$> jsonR <*> Json.next 9 jsonR <*> Json.next 9 jsonR <*> Json.next 9 jsonR <*> Json.next 9 jsonR <*> Json.next 9 jsonR <*> Json.next 9 jsonR <*> Json.next 9 jsonR <*> Json.next 9 jsonR <* Json.done 9))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9) -> toFill (Mpack.arrayOf 9 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8 <> write mpackW x9)))
      (Mpack.exactly 9 ((,,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8 <> write nativeW x9)))
      (Native.record ((,,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h, Wire i, Wire j) => Wire (a, b, c, d, e, f, g, h, i, j) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h, shapeOf @i, shapeOf @j]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> comma x9 <> comma x10 <> Json.close)))
      (Json.bracket 10 ((,,,,,,,,,) <$> jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <*> Json.next 10 jsonR <* Json.done 10))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) -> toFill (Mpack.arrayOf 10 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8 <> write mpackW x9 <> write mpackW x10)))
      (Mpack.exactly 10 ((,,,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8 <> write nativeW x9 <> write nativeW x10)))
      (Native.record ((,,,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h, Wire i, Wire j, Wire k) => Wire (a, b, c, d, e, f, g, h, i, j, k) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h, shapeOf @i, shapeOf @j, shapeOf @k]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> comma x9 <> comma x10 <> comma x11 <> Json.close)))
      (Json.bracket 11 ((,,,,,,,,,,) <$> jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <*> Json.next 11 jsonR <* Json.done 11))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) -> toFill (Mpack.arrayOf 11 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8 <> write mpackW x9 <> write mpackW x10 <> write mpackW x11)))
      (Mpack.exactly 11 ((,,,,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8 <> write nativeW x9 <> write nativeW x10 <> write nativeW x11)))
      (Native.record ((,,,,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h, Wire i, Wire j, Wire k, Wire l) => Wire (a, b, c, d, e, f, g, h, i, j, k, l) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h, shapeOf @i, shapeOf @j, shapeOf @k, shapeOf @l]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> comma x9 <> comma x10 <> comma x11 <> comma x12 <> Json.close)))
      (Json.bracket 12 ((,,,,,,,,,,,) <$> jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <*> Json.next 12 jsonR <* Json.done 12))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) -> toFill (Mpack.arrayOf 12 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8 <> write mpackW x9 <> write mpackW x10 <> write mpackW x11 <> write mpackW x12)))
      (Mpack.exactly 12 ((,,,,,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8 <> write nativeW x9 <> write nativeW x10 <> write nativeW x11 <> write nativeW x12)))
      (Native.record ((,,,,,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h, Wire i, Wire j, Wire k, Wire l, Wire m) => Wire (a, b, c, d, e, f, g, h, i, j, k, l, m) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h, shapeOf @i, shapeOf @j, shapeOf @k, shapeOf @l, shapeOf @m]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> comma x9 <> comma x10 <> comma x11 <> comma x12 <> comma x13 <> Json.close)))
      (Json.bracket 13 ((,,,,,,,,,,,,) <$> jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <*> Json.next 13 jsonR <* Json.done 13))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13) -> toFill (Mpack.arrayOf 13 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8 <> write mpackW x9 <> write mpackW x10 <> write mpackW x11 <> write mpackW x12 <> write mpackW x13)))
      (Mpack.exactly 13 ((,,,,,,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8 <> write nativeW x9 <> write nativeW x10 <> write nativeW x11 <> write nativeW x12 <> write nativeW x13)))
      (Native.record ((,,,,,,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h, Wire i, Wire j, Wire k, Wire l, Wire m, Wire n) => Wire (a, b, c, d, e, f, g, h, i, j, k, l, m, n) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h, shapeOf @i, shapeOf @j, shapeOf @k, shapeOf @l, shapeOf @m, shapeOf @n]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> comma x9 <> comma x10 <> comma x11 <> comma x12 <> comma x13 <> comma x14 <> Json.close)))
      (Json.bracket 14 ((,,,,,,,,,,,,,) <$> jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <*> Json.next 14 jsonR <* Json.done 14))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14) -> toFill (Mpack.arrayOf 14 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8 <> write mpackW x9 <> write mpackW x10 <> write mpackW x11 <> write mpackW x12 <> write mpackW x13 <> write mpackW x14)))
      (Mpack.exactly 14 ((,,,,,,,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8 <> write nativeW x9 <> write nativeW x10 <> write nativeW x11 <> write nativeW x12 <> write nativeW x13 <> write nativeW x14)))
      (Native.record ((,,,,,,,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g, Wire h, Wire i, Wire j, Wire k, Wire l, Wire m, Wire n, Wire o) => Wire (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) where
  codec =
    plain
      (ShapeOf (Shape.Tuple [shapeOf @a, shapeOf @b, shapeOf @c, shapeOf @d, shapeOf @e, shapeOf @f, shapeOf @g, shapeOf @h, shapeOf @i, shapeOf @j, shapeOf @k, shapeOf @l, shapeOf @m, shapeOf @n, shapeOf @o]))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15) -> toFill (Json.open <> write jsonW x1 <> comma x2 <> comma x3 <> comma x4 <> comma x5 <> comma x6 <> comma x7 <> comma x8 <> comma x9 <> comma x10 <> comma x11 <> comma x12 <> comma x13 <> comma x14 <> comma x15 <> Json.close)))
      (Json.bracket 15 ((,,,,,,,,,,,,,,) <$> jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <*> Json.next 15 jsonR <* Json.done 15))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15) -> toFill (Mpack.arrayOf 15 <> write mpackW x1 <> write mpackW x2 <> write mpackW x3 <> write mpackW x4 <> write mpackW x5 <> write mpackW x6 <> write mpackW x7 <> write mpackW x8 <> write mpackW x9 <> write mpackW x10 <> write mpackW x11 <> write mpackW x12 <> write mpackW x13 <> write mpackW x14 <> write mpackW x15)))
      (Mpack.exactly 15 ((,,,,,,,,,,,,,,) <$> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR <*> mpackR))
      (FillWriter (\(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15) -> toFill (write nativeW x1 <> write nativeW x2 <> write nativeW x3 <> write nativeW x4 <> write nativeW x5 <> write nativeW x6 <> write nativeW x7 <> write nativeW x8 <> write nativeW x9 <> write nativeW x10 <> write nativeW x11 <> write nativeW x12 <> write nativeW x13 <> write nativeW x14 <> write nativeW x15)))
      (Native.record ((,,,,,,,,,,,,,,) <$> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR <*> Native.field nativeR))

comma :: (Wire a) => a -> Write
comma x = Json.comma <> write jsonW x
