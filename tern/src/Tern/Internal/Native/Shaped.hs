-- | The native layout of a shape.
--
-- The idea: a shape says which values a type has and what its parts are called,
-- and the format's rules say the rest.
module Tern.Internal.Native.Shaped
  ( layoutOf,
  )
where

import Tern.Internal.Native.Layout (Layout (..))
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

-- | By the specification's rules 6 to 19. Of what only a codec by hand knows it
-- is 'Unknown'.
layoutOf :: Shape -> Layout
layoutOf = \case
  Shape.Boolean -> Bytes 1
  Shape.Integer (Just least) (Just most)
    | most - least < 2 ^ (8 :: Int) -> Bytes 1
    | most - least < 2 ^ (16 :: Int) -> Bytes 2
    | otherwise -> Varint
  Shape.Integer _ _ -> Magnitude
  Shape.IntegerIn width _ _ -> Bytes (Shape.widthInBytes width)
  Shape.Floating bits -> Bytes (bits `quot` 8)
  Shape.Text -> String
  Shape.Character -> Varint
  Shape.Unit -> Bytes 1
  -- A document's text.
  Shape.Anything -> String
  Shape.Binary -> String
  Shape.BinaryOf n -> Bytes n
  Shape.Formatted _ _ s -> layoutOf s
  Shape.Opaque _ -> Unknown
  Shape.List _ s -> List (layoutOf s)
  Shape.SetOf s -> List (layoutOf s)
  Shape.Optional s -> Sum [[], [(Nothing, layoutOf s)]]
  Shape.Mapping k v -> Map (layoutOf k) (layoutOf v)
  Shape.Described _ s -> layoutOf s
  Shape.Tuple ss -> Record [(Nothing, layoutOf s) | s <- ss]
  Shape.Declared _ definition -> case definition of
    Bare _ Nullary -> Bytes 1
    Bare _ body -> Record (fields body)
    Names names -> Sum (map (const []) names)
    Shape.Sum _ [Constructor _ _ Nullary] -> Bytes 1
    Shape.Sum _ [Constructor _ _ body] -> Record (fields body)
    Shape.Sum _ constructors -> Sum (map (fields . constructorBody) constructors)
  where
    fields = \case
      Nullary -> []
      Value s -> [(Nothing, layoutOf s)]
      Array ss -> [(Nothing, layoutOf s) | s <- ss]
      Shape.Record named -> [(Just (fieldName f), layoutOf (fieldShape f)) | f <- named]
