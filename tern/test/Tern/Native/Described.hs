-- | The slow model's description of the values of a shape: by the rules of
-- @docs\/spec\/native-format.md@, and by nothing of Tern's own way from a shape
-- to a layout.
module Tern.Native.Described (typeOf) where

import Tern.Native.Model (Type (..))
import Tern.Shape
  ( Body
      ( Array,
        Nullary,
        Value
      ),
    Constructor (..),
    Definition (Bare, Names),
    Field (..),
    Shape,
  )
import Tern.Shape qualified as Shape

-- | Lazily, for a type may be within itself. Where a shape does not say what its
-- values are there are none.
typeOf :: Shape -> Type
typeOf = \case
  Shape.Boolean -> Sum [[], []]
  Shape.Integer (Just least) (Just most) -> bounded least most
  Shape.Integer (Just _) _ -> Natural
  Shape.Integer _ _ -> Integer
  Shape.IntegerIn width least _ ->
    (if least < 0 then Complement else Raw) $ case width of
      Shape.FourBytes -> 4
      Shape.EightBytes -> 8
  Shape.Floating bits -> Raw (bits `div` 8)
  Shape.Text -> String
  Shape.Character -> Character
  Shape.Unit -> Sum [[]]
  Shape.Anything -> Sum []
  Shape.Binary -> Binary
  Shape.BinaryOf n -> Raw n
  Shape.Formatted _ _ s -> typeOf s
  Shape.Opaque _ -> Sum []
  Shape.Described _ s -> typeOf s
  Shape.List _ s -> ListOf (typeOf s)
  Shape.SetOf s -> SetOf (typeOf s)
  Shape.Optional s -> Sum [[], [typeOf s]]
  Shape.Mapping k v -> MapOf (typeOf k) (typeOf v)
  Shape.Tuple ss -> Tuple (map typeOf ss)
  Shape.Declared _ (Bare _ body) -> alone (fields body)
  Shape.Declared _ (Names names) -> Sum (map (const []) names)
  Shape.Declared _ (Shape.Sum _ [one]) -> alone (fields (constructorBody one))
  Shape.Declared _ (Shape.Sum _ several) -> Sum (map (fields . constructorBody) several)
  where
    alone = \case
      [] -> Sum [[]]
      ts -> Tuple ts
    fields = \case
      Nullary -> []
      Value s -> [typeOf s]
      Array ss -> map typeOf ss
      Shape.Record named -> map (typeOf . fieldShape) named
    bounded least most
      | most < 2 ^ (16 :: Int),
        least >= -(2 ^ (15 :: Int)) =
          Raw (if most - least < 256 then 1 else 2)
      | least < 0 = Signed (length (takeWhile (< most - least) (iterate (* 2) 1)))
      | otherwise = Unsigned most
