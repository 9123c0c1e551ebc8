{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Hostile schemas, and hostile documents of other versions: what they may cost.
module Tern.Evolution.SafetyTest (tests) where

import Control.Monad (void)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text qualified as T
import Tern
import Tern.Evolution
import Tern.Evolution.After qualified as After
import Tern.Evolution.Before qualified as Before
import Tern.Internal.Container.Schema (readSchema, schemaBytes)
import Tern.Shape (Shape)
import Tern.Shape qualified as Shape
import Tern.Testkit.Allocation (allocatedBy)
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "evolution, hostile"
    [ testCase "records that change places within each other are moved once" $ do
        -- To move each of them when it is complete would copy a hundred kilobytes five
        -- hundred times.
        short <- usedBy (chain 250)
        long <- usedBy (chain 500)
        assertBool (show (short, long)) (long < 3 * short && long < 5000000),
      testCase "a default is given as often as the limit of bytes allows" $ do
        let document = encodeNative (replicate 100 (1 :: Int, ()))
        void (decoded defaultLimits document) @?= Right ()
        either
          (Just . errorReason)
          (const Nothing)
          (decoded defaultLimits {maxBytes = 50000} document)
          @?= Just (LimitExceeded (TooManyBytes 50000)),
      testCase "a schema whose types double costs what it is long" $ do
        let record inner =
              Shape.Declared
                (Shape.Reference "M" "Record" [])
                ( Shape.Bare
                    Shape.anyOthers
                    ( Shape.Record
                        [ Shape.Field
                            "gone"
                            False
                            inner,
                          Shape.Field "kept" False Shape.Text
                        ]
                    )
                )
            kept =
              Shape.Declared
                (Shape.Reference "M" "Record" [])
                ( Shape.Bare
                    Shape.anyOthers
                    ( Shape.Record
                        [ Shape.Field
                            "kept"
                            False
                            Shape.Text,
                          Shape.Field "more" False (Shape.Optional Shape.Text)
                        ]
                    )
                )
            theirs = schemaBytes (record (doubled 200))
        fmap
          (\schema -> oldByNew (compatibility mempty schema kept))
          (readSchema defaultLimits theirs)
          @?= Right Readable
        used <-
          allocatedBy
            ( fmap (\schema -> length (show (oldByNew (compatibility mempty schema kept))))
                . readSchema defaultLimits
            )
            theirs
        assertBool (show used) (used < 50000000),
      testCase "a type that doubles and ends nowhere has no document" $
        oldByNew (compatibility mempty (endless 3) (endless 3))
          @?= Unreadable [Mismatch [] [] (NoValues "T3")]
    ]
  where
    usedBy input = allocatedBy (either (const False) (const True) . branches) input
    decoded
      limits
      input =
        case decoderFor @[(Int, After.Padded)]
          padding
          ( Shape.List
              0
              (Shape.Tuple [shapeOf @Int, bare])
          ) of
          Left problems -> Left (Error 0 [] (Refused (T.unlines (map renderMismatch problems))))
          Right decode -> decode limits input
    bare =
      Shape.Declared
        (Shape.Reference "M" "Padded" [])
        (Shape.Bare Shape.anyOthers Shape.Nullary)
    padding = evolving @After.Padded [fieldDefault "text" (T.replicate 1000 "a")]

branches :: ByteString -> Either Error After.Branch
branches input = case decoderFor After.changes (shapeOf @Before.Tree) of
  Left _ -> Left (Error 0 [] (Refused "no plan"))
  Right decode -> decode defaultLimits {maxDepth = 2000} input

-- | Trees on the left of each other, and in the innermost place nothing.
chain :: Int -> ByteString
chain depth = B.concat [B.replicate depth 1, "\0", B.concat (replicate depth "\5\0")]

-- | A type of as many types within each other, each of which has the next one twice.
doubled :: Int -> Shape
doubled n
  | n == 0 = Shape.Text
  | otherwise =
      let inner =
            doubled (n - 1)
       in Shape.Declared
            (Shape.Reference "M" (T.pack ("T" <> show n)) [])
            (Shape.Bare Shape.anyOthers (Shape.Array [inner, inner]))

endless :: Int -> Shape
endless n =
  Shape.Declared
    (Shape.Reference "M" (T.pack ("T" <> show n)) [])
    ( Shape.Bare
        Shape.anyOthers
        ( Shape.Array
            [endless (if n == 0 then 3 else n - 1), Shape.Text]
        )
    )
