{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Schemas as text files, and back.
module Tern.Container.SchemaTextTest (tests) where

import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Either (isLeft)
import Data.Text qualified as T
import Tern
import Tern.Container
import Tern.Derive.Generics qualified as Generics
import Tern.Derive.Template qualified as Template
import Tern.Shape (Shape (..), renderShape)
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "schemas as text"
    [ testGroup
        "of types"
        [ testCase (T.unpack (T.takeWhile (/= '\n') (renderShape s))) $ do
            readSchemaText defaultLimits (schemaText s) @?= Right s
            readSchemaText defaultLimits (windows (schemaText s)) @?= Right s
            assertBool "lines end" ("\n" `B.isSuffixOf` schemaText s)
          | s <- types
        ],
      testCase "cut off, at any byte but before the last line's end" $
        sequence_
          [ isLeft (readSchemaText defaultLimits (B.take n text)) @? show n
            | s <- types,
              let text = schemaText s,
              n <- [0 .. B.length text - 2]
          ],
      testCase "any other byte" $
        sequence_
          [ isLeft (readSchemaText defaultLimits bad) @? show (i, w)
            | let text = schemaText (shapeOf @Template.Shape),
              i <- [0 .. B.length text - 1],
              w <- ["x", "\n", "\xff", ""],
              let bad = B.concat [B.take i text, w, B.drop (i + 1) text],
              bad /= text,
              -- Without its last line's end it is whole.
              bad <> "\n" /= text
          ],
      testGroup
        "what is wrong is said"
        [ testCase name $
            either renderSchemaFault (const "nothing") (readSchemaText defaultLimits bytes)
              @?= expected
          | (name, bytes, expected) <-
              [ ("nothing at all", "", "line 1: expected \"Tern schema 1\""),
                ("another file", "module Main", "line 1: expected \"Tern schema 1\""),
                ( "a newer version",
                  "Tern schema 12, of some kind\n",
                  "line 1: a schema file of version \"12\", expected 1; read it with a newer Tern"
                ),
                ( "no more than a title",
                  "Tern schema 1, fingerprint 0\n",
                  "line 1: expected hexadecimal digits, found \"Tern schema 1, fingerprint 0\"; \
                  \save the schema again"
                ),
                ( "no bytes",
                  BC.unlines (take 3 small <> [""]),
                  "the last lines: expected the schema's bytes in hexadecimal digits, two each; \
                  \save the schema again"
                ),
                ( "half a byte",
                  BC.unlines (take 4 small <> ["080"]),
                  "the last lines: expected the schema's bytes in hexadecimal digits, two each; \
                  \save the schema again"
                ),
                ( "a conflict",
                  BC.unlines (take 4 small <> ["<<<<<<< HEAD"] <> drop 4 small),
                  "line 5: expected hexadecimal digits, found \"<<<<<<< HEAD\"; save the schema \
                  \again"
                ),
                ( "bytes that are no schema",
                  BC.unlines (take 4 small <> ["13"]),
                  "byte 0 of the schema in its last lines: the type has no constructor 19, only \
                  \0 to 18; save the schema again"
                ),
                ( "other words",
                  BC.unlines (take 2 small <> ["[boolean]"] <> drop 3 small),
                  "line 3 does not say what the bytes in the last lines do, which is \
                  \\"[text]\"; save the schema again"
                ),
                ( "other bytes",
                  BC.unlines (take 4 small <> ["08000000"]),
                  "line 1 does not say what the bytes in the last lines do, which is \"Tern \
                  \schema 1, fingerprint d5abb6a9d545ba6d\"; save the schema again"
                ),
                ( "words too many",
                  BC.unlines (take 3 small <> ["and more"] <> drop 3 small),
                  "line 4 does not say what the bytes in the last lines do, which is \"\"; save \
                  \the schema again"
                )
              ]
        ]
    ]
  where
    small = BC.lines (schemaText (List 0 Text))
    windows = B.intercalate "\r\n" . BC.split '\n'

types :: [Shape]
types =
  [ Text,
    shapeOf @[Maybe Integer],
    shapeOf @Generics.Fields,
    shapeOf @(Generics.Tree Bool, Generics.Forest),
    shapeOf @Template.Shape
  ]
