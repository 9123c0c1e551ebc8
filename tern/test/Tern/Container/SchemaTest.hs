{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Schemas as bytes, and back.
module Tern.Container.SchemaTest (tests) where

import Data.Bits (complementBit)
import Data.ByteString qualified as B
import Data.Either (isLeft)
import Data.Map.Strict (Map)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word16)
import GHC.Generics (Generic)
import Tern
import Tern.Derive.Generics qualified as Generics
import Tern.Derive.Renamed qualified as Renamed
import Tern.Derive.Retagged qualified as Retagged
import Tern.Derive.Template qualified as Template
import Tern.Derive.TwoElement qualified as TwoElement
import Tern.Internal.Container.Schema (readSchema, schemaBytes)
import Tern.Json.Seeded (seeded)
import Tern.Shape
  ( Definition (..),
    Notation (..),
    Reference (..),
    Shape (..),
    fingerprint,
    renderShape,
  )
import Tern.Testkit.Allocation (allocatedBy)
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

-- | A type whose arguments grow.
data Nest a = End | Nest a (Nest (a, a))
  deriving stock (Generic)
  deriving anyclass (Wire)

tests :: TestTree
tests =
  testGroup
    "schemas of containers"
    [ testGroup
        "of types"
        [ testCase (T.unpack (T.takeWhile (/= '\n') (renderShape s))) $ do
            let bytes = schemaBytes s
            case readSchema defaultLimits bytes of
              Left problem -> assertFailure (show problem)
              Right s' -> do
                renderShape s' @?= renderShape s
                fingerprint s' @?= fingerprint s
                schemaBytes s' @?= bytes
          | s <- types
        ],
      seeded "of any shape" 2000 . forAll shapes $ \s ->
        let bytes =
              schemaBytes s
         in fmap renderShape (readSchema defaultLimits bytes) === Right (renderShape s),
      seeded
        "different shapes have different bytes"
        2000
        . forAll ((,) <$> shapes <*> shapes)
        $ \(a, b) ->
          (schemaBytes a == schemaBytes b) === (renderShape a == renderShape b),
      testCase "every bit the other way is another shape, or none" $
        sequence_
          [ case readSchema defaultLimits bad of
              Left _ -> pure ()
              Right s' -> (schemaBytes s', renderShape s' == renderShape s) @?= (bad, False)
            | s <- take 8 types,
              let bytes = schemaBytes s,
              i <- [0 .. B.length bytes - 1],
              b <- [0 .. 7],
              let bad =
                    B.pack
                      [ if j == i
                          then complementBit w b
                          else w
                        | (j, w) <- zip [0 ..] (B.unpack bytes)
                      ]
          ],
      testCase "cut off" $
        sequence_
          [ isLeft (readSchema defaultLimits (B.take n bytes)) @? show n
            | s <- types,
              let bytes = schemaBytes s,
              n <- [0 .. B.length bytes - 1]
          ],
      testCase "a type that is not defined" $
        readSchema defaultLimits "\x0c\x00\x00"
          @?= Left (Error 0 [] (Refused "the schema speaks of a type that it does not define")),
      testCase "a spelling that no writer has" $ do
        let other =
              Left (Error 0 [] (Refused "the schema is not written as it would be written again"))
        -- A type that is not used, one that is defined twice, two in the other order.
        readSchema defaultLimits "\x03\x01\x01\x41\x00\x00" @?= other
        readSchema defaultLimits "\x0b\x02\x0c\x00\x0c\x01\x02\x01\x41\x00\x00\x01\x41\x00\x00"
          @?= other
        readSchema defaultLimits "\x0b\x02\x0c\x01\x0c\x00\x02\x01\x41\x00\x00\x01\x42\x00\x00"
          @?= other,
      testCase "a name that no type has" $ do
        let named name = Declared (Reference "" name []) (Names ["A"])
        readSchema defaultLimits (schemaBytes (named "\ESC[2J"))
          @?= Left (Error 0 [] (Refused "a type's name has characters that are not printed"))
        fmap renderShape (readSchema defaultLimits (schemaBytes (named "Vögel :+: Bäume")))
          @?= Right (renderShape (named "Vögel :+: Bäume")),
      testCase "a long name that is spoken of again and again is not written out" $ do
        let long n =
              schemaBytes
                ( Tuple
                    ( replicate
                        n
                        ( Declared
                            (Reference "" (T.replicate 200000 "N") [])
                            (Names ["A"])
                        )
                    )
                )
        isLeft (readSchema defaultLimits (long 80)) @?= False
        readSchema defaultLimits (long 200)
          @?= Left
            ( Error
                0
                []
                ( Refused
                    "the schema's types have names that are too long for how often they are \
                    \spoken of"
                )
            )
        used <- allocatedBy (isLeft . readSchema defaultLimits) (long 200)
        assertBool (show used) (used < 10000000),
      testCase "too deep" $
        readSchema defaultLimits (B.replicate 10000 9)
          @?= Left
            ( Error
                512
                (Key "shape" : replicate 512 (Key "value"))
                (LimitExceeded (TooDeep 512))
            )
    ]

types :: [Shape]
types =
  [ shapeOf @Int,
    shapeOf @(Map Text [Maybe Double]),
    shapeOf @(Either [Word16] (Maybe (Maybe Bool)), Char, ()),
    shapeOf @Integer,
    shapeOf @Generics.Fields,
    shapeOf @Generics.Shape,
    shapeOf @[Generics.Tree Bool],
    shapeOf @Generics.Forest,
    shapeOf @Generics.Term,
    shapeOf @(Generics.Tree (Generics.Tree Bool), Generics.Tree (Generics.Tree Text)),
    shapeOf @(Generics.Colour, Renamed.Colour),
    shapeOf @Template.Shape,
    shapeOf @Retagged.Shape,
    shapeOf @TwoElement.Wrapped,
    shapeOf @(Nest Bool)
  ]

-- | Without declared types, which tables of types are for.
shapes :: Gen Shape
shapes = sized go
  where
    go :: Int -> Gen Shape
    go n
      | n <= 1 =
          oneof
            ( map
                pure
                [ Boolean,
                  Text,
                  Character,
                  Unit,
                  Anything,
                  Binary,
                  BinaryOf 16,
                  Floating 32,
                  Integer Nothing Nothing
                ]
                <> [ Opaque . T.pack <$> arbitrary,
                     Integer <$> arbitrary <*> arbitrary,
                     IntegerIn <$> arbitraryBoundedEnum <*> arbitrary <*> arbitrary
                   ]
            )
      | otherwise =
          oneof
            [ List
                <$> choose (0, 2)
                <*> go (n - 1),
              SetOf <$> go (n - 1),
              Optional <$> go (n - 1),
              Formatted <$> elements [InText, InNumber] <*> (T.pack <$> arbitrary) <*> go (n - 1),
              Mapping <$> go (n `div` 2) <*> go (n `div` 2),
              Tuple <$> (choose (0, 4) >>= \k -> vectorOf k (go (n `div` max 1 k))),
              go 1
            ]
