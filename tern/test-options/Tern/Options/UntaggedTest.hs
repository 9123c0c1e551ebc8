{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE MonoLocalBinds #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Sums without tags: by Template Haskell, by options as types and by hand, in every format;
-- what is said where none fits; and that nested ones cost linear time.
module Tern.Options.UntaggedTest (tests) where

import Control.Exception (evaluate)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import Data.Typeable (Typeable)
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import Language.Haskell.TH (recover)
import Tern
import Tern.Codec ((<+>), (<.>))
import Tern.Codec qualified as Codec
import Tern.Deriving qualified as D
import Tern.Internal.Wire.Codec (codecShape)
import Tern.Laws (Law (..), laws)
import Tern.Options.Untagged
  ( AfterText,
    Chain (..),
    ChainOfTypes,
    Even,
    FewerFields,
    MoreFields,
    Thing (..),
    Twice,
    Word',
    innerOf,
    moreOf,
    nextOf,
    radiusOf,
    untagged,
    wideOf,
  )
import Tern.Schema (jsonSchema, typeScript)
import Tern.Shape (theShape)
import Tern.Wire (shapeOf)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))

type Untagged = '[D.SumUntaggedValue]

-- | By hand.
things :: Codec Thing
things =
  Codec.untagged
    ( \case
        Nothing' -> Codec.is @"Nothing'" ()
        Count n -> Codec.is @"Count" n
        Name t -> Codec.is @"Name" t
        Several ts -> Codec.is @"Several" ts
        Pair' a b -> Codec.is @"Pair'" (a, b)
        r@(Round _) -> Codec.is @"Round" r
        s@(Box _ _) -> Codec.is @"Box" s
    )
    ( Codec.constant @"Nothing'" Nothing'
        <+> Codec.contents @"Count" Count codec
        <+> Codec.contents @"Name" Name codec
        <+> Codec.contents @"Several" Several codec
        <+> Codec.contents @"Pair'" (uncurry Pair') codec
        <+> Codec.fields @"Round" (Round <$> Codec.field @"radius" radiusOf codec)
        <+> Codec.fields @"Box"
          ( Box
              <$> Codec.field @"wide" wideOf codec <.> Codec.field @"inner" innerOf codec
          )
    )

-- | Either of two sums, whose alternatives have the same tags.
both :: Codec (Either [Either [Int] Int] [Either [Text] Text])
both = sided (Codec.listOf (sided codec codec)) (Codec.listOf (sided codec codec))

sided :: (Typeable a, Typeable b) => Codec a -> Codec b -> Codec (Either a b)
sided a b =
  Codec.untagged
    (either (Codec.is @"A") (Codec.is @"B"))
    (Codec.contents @"A" Left a <+> Codec.contents @"B" Right b)
{-# INLINE sided #-}

values :: [Thing]
values =
  [ Nothing',
    Count 3,
    Name "x",
    Name "Nothing",
    Several [Count 1, Several [], Name "y"],
    Several [],
    Pair' 1 True,
    Round 2.5,
    Box 3 Nothing,
    Box 3 (Just (Box 4 (Just (Round 1))))
  ]

tests :: TestTree
tests =
  testGroup
    "sums without tags"
    ( [ testGroup
          who
          [ testCase "JSON" $
              map toJson values
                @?= [ "\"Nothing'\"",
                      "3",
                      "\"x\"",
                      "\"Nothing\"",
                      "[1,[],\"y\"]",
                      "[]",
                      "[1,true]",
                      "{\"radius\":2.5}",
                      "{\"wide\":3,\"inner\":null}",
                      "{\"wide\":3,\"inner\":{\"wide\":4,\"inner\":{\"radius\":1.0}}}"
                    ],
            testCase "read again, in every format" $
              map roundTrips values @?= [replicate 4 (Right v) | v <- values]
          ]
        | (who, toJson, roundTrips) <-
            [ ("by Template Haskell", encodeJson, through),
              ( "by options as types",
                encodeJson . D.WithOptions @Untagged,
                map (fmap (\(D.WithOptions a) -> a)) . through . D.WithOptions @Untagged
              ),
              ( "by hand",
                Codec.encodeJson things,
                \v ->
                  [ Codec.decodeJson things defaultLimits (Codec.encodeJson things v),
                    Codec.decodeMessagePack things defaultLimits (Codec.encodeMessagePack things v),
                    Codec.decodeCbor things defaultLimits (Codec.encodeCbor things v),
                    Codec.decodeNative things defaultLimits (Codec.encodeNative things v)
                  ]
              )
            ]
      ]
        <> [ testCase "the shape is the same" $
               [shapeOf @(D.WithOptions Untagged Thing), theShape (codecShape things)]
                 @?= replicate 2 (shapeOf @Thing),
             testCase "its schema and its TypeScript" $ do
               assertBool
                 (T.unpack (encodeJsonText (jsonSchema (shapeOf @Thing))))
                 ( "\"anyOf\":[{\"const\":\"Nothing'\"},{\"type\":\"integer\""
                     `T.isInfixOf` encodeJsonText (jsonSchema (shapeOf @Thing))
                 )
               assertBool
                 (T.unpack (typeScript "Thing" (shapeOf @Thing)))
                 ( "| \"Nothing'\"\n  | number\n  | string\n"
                     `T.isInfixOf` typeScript "Thing" (shapeOf @Thing)
                 ),
             testCase "the laws hold of it" $
               [said | v <- values, law <- laws, Just said <- [broken law v]] @?= [],
             testCase "the first that a document can be is meant" $
               [ decodeJson "[]" :: Either Error Thing,
                 decodeJson " \"Nothing'\" ",
                 decodeJson "{\"inner\":null,\"radius\":1,\"wide\":2}"
               ]
                 @?= [Right (Several []), Right Nothing', Right (Round 1)],
             testCase "several could be: each is named, with its reason, at the value" $
               told "[1, {\"radius\": \"x\", \"wide\": true}, 2]"
                 @?= "line 1, column 5, at $[1]: no alternative fits: \"Round\", 11 bytes on: \
                     \expected a number; \"Box\", 24 bytes on: expected an integer; \
                     \\"Nothing'\": expected a string; \"Count\": expected an integer; \
                     \\"Name\": expected a string; \"Several\": expected an array; \"Pair'\": \
                     \expected an array",
             testCase "none could be: all are named" $
               told "true"
                 @?= "line 1, column 1, at $: no alternative fits: \"Nothing'\": expected a \
                     \string; \"Count\": expected an integer; \"Name\": expected a string; \
                     \\"Several\": expected an array; \"Pair'\": expected an array; \"Round\": \
                     \expected an object; \"Box\": expected an object",
             testCase "one could be: what is wrong is said of it" $
               toldOf @Word' "{\"a\": {\"b\": \"x\"}}"
                 @?= "line 1, column 13, at $.a.b: expected an integer, found \"\\\"x\\\"}}\"",
             testCase "a limit is so for all alternatives" $
               (decodeJsonWith defaultLimits {maxDepth = 3} (nested 4) :: Either Error Thing)
                 @?= Left (Error 3 [Index 0, Index 0, Index 0] (LimitExceeded (TooDeep 3))),
             testCase "what failed attempts opened is closed again" $
               -- At each level the first alternative fails after what is in it was read.
               fmap depthOf (decodeJsonWith defaultLimits {maxDepth = 50} (chain 50))
                 @?= Right 50,
             testCase "two codecs of equal tags and different types keep apart what they found" $ do
               -- The second reads what the first one has read within the same attempt.
               either (const "refused") show (Codec.decodeJson both defaultLimits "[[1],[\"x\"]]")
                 @?= "refused"
               either
                 (const "refused")
                 show
                 ( Codec.decodeCbor
                     both
                     defaultLimits
                     "\x82\x81\x01\x81\x61x"
                 )
                 @?= "refused"
               Codec.decodeJson both defaultLimits "[[\"x\"],\"y\"]"
                 @?= Right (Right [Left ["x"], Right "y"]),
             testGroup "what is never read is refused when compiled" (map refused neverRead),
             testGroup
               "nested sums without tags cost linear time"
               [ testCase name $ do
                   [a, b, c] <- mapM (allocatedFor . decode') [100, 200, 400]
                   -- Twice as much, and what a table of logarithmic depth adds.
                   assertBool (show (a, b, c)) (b < 3 * a && c < 3 * b)
                 | (name, decode') <- hostile
               ],
             testCase "a million bytes deep" $
               fmap depthOf (decodeJsonWith unlimited (chain 100000) :: Either Error Chain)
                 @?= Right 100000
           ]
    )
  where
    refused (name, ok) = testCase name (ok @?= True)

-- | Through all formats.
through :: (Wire a) => a -> [Either Error a]
through a =
  [ decodeJson (encodeJson a),
    decodeMessagePack (encodeMessagePack a),
    decodeCbor (encodeCbor a),
    decodeNative (encodeNative a)
  ]

told :: ByteString -> Text
told = toldOf @Thing

toldOf :: forall a. (Wire a) => ByteString -> Text
toldOf input = either (renderError input) (const "") (decodeJson input :: Either Error a)

nested :: Int -> ByteString
nested n = B.replicate n 91 <> B.replicate n 93

-- | What Template Haskell refuses.
neverRead :: [(String, Bool)]
neverRead =
  [ ("two of one type", $(recover [|True|] (deriveWire untagged ''Twice >> [|False|]))),
    ("a name after a text", $(recover [|True|] (deriveWire untagged ''AfterText >> [|False|]))),
    ("more fields", $(recover [|True|] (deriveWire untagged ''MoreFields >> [|False|]))),
    ("and others are not", $(recover [|False|] (deriveWire untagged ''FewerFields >> [|True|])))
  ]

-- | Documents whose outer alternatives fail after their inner ones were read.
hostile :: [(String, Int -> IO Bool)]
hostile =
  [ ( "JSON, that decodes",
      \n ->
        pure (right (decodeJsonWith unlimited (chain n) :: Either Error Chain))
    ),
    ( "JSON, that does not",
      \n ->
        pure (right (decodeJsonWith unlimited (wrongChain n) :: Either Error Chain))
    ),
    ( "MessagePack",
      \n ->
        pure
          ( right
              ( decodeMessagePackWith unlimited (encodeMessagePack (chained n)) ::
                  Either Error Chain
              )
          )
    ),
    ( "CBOR",
      \n ->
        pure (right (decodeCborWith unlimited (encodeCbor (chained n)) :: Either Error Chain))
    ),
    ( "by options as types",
      \n -> pure (right (decodeJsonWith unlimited (chain n) :: Either Error ChainOfTypes))
    ),
    ( "two sums within each other",
      \n -> pure (right (decodeJsonWith unlimited (turns n) :: Either Error Even))
    ),
    ( "by hand",
      \n -> pure (right (Codec.decodeJson chains unlimited (chain n)))
    )
  ]
  where
    right = either (const False) (const True)

allocatedFor :: IO Bool -> IO Int
allocatedFor action = do
  setAllocationCounter 0
  _ <- action >>= evaluate
  fromIntegral . negate <$> getAllocationCounter

chains :: Codec Chain
chains =
  Codec.recursive $ \self ->
    Codec.untagged
      ( \case
          End n -> Codec.is @"End" n
          l@(Long _ _) -> Codec.is @"Long" l
          s@(Short _) -> Codec.is @"Short" s
      )
      ( Codec.contents @"End" End codec
          <+> Codec.fields @"Long"
            ( Long
                <$> Codec.field @"next" nextOf self <.> Codec.field @"more" moreOf codec
            )
          <+> Codec.fields @"Short" (Short <$> Codec.field @"next" nextOf self)
      )

-- | Each is tried as what has a second field first, after its inner one was read.
chain, wrongChain, turns :: Int -> ByteString
chain n = B.concat (replicate n "{\"next\":") <> "1" <> B.replicate n 125
wrongChain n = B.concat (replicate n "{\"next\":") <> "true" <> B.replicate n 125
turns n = B.concat (replicate n "{\"odd\":{\"even\":") <> "1" <> B.replicate (2 * n) 125

chained :: Int -> Chain
chained n = iterate Short (End 1) !! n

depthOf :: Chain -> Int
depthOf = go 0
  where
    go !n = \case
      End _ -> n
      Long c _ -> go (n + 1) c
      Short c -> go (n + 1) c
