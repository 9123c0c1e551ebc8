{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Sums whose tag comes last, within each other: the work is counted.
module Tern.AheadTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import GHC.Generics (Generic)
import Tern
import Tern.Internal.Ahead qualified as Ahead
import Tern.Internal.Read (Reader (Reader))
import Tern.Internal.Write (contramapWriter)
import Tern.Wire (plain)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

data Sum = Leaf | Node {node :: Sum} | Branch Sum | Fork [Sum] Int
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | How many bytes were stepped over, by notes, when a 'Sum' was read.
newtype Counted = Counted Int

instance Wire Counted where
  codec =
    plain
      (opaque "Counted")
      (contramapWriter count jsonW)
      (counting jsonR)
      (contramapWriter count mpackW)
      (counting mpackR)
      (contramapWriter count cborW)
      (counting cborR)
      (contramapWriter count nativeW)
      (Counted <$> nativeR)
    where
      count (Counted n) = n

counting :: Reader Sum -> Reader Counted
counting (Reader step) = Reader $ \ctx e c s -> case step ctx e c s of
  (# s1, c1, !_ #) -> case Ahead.stepped ctx s1 of (# s2, !n #) -> (# s2, c1, Counted n #)

tests :: TestTree
tests =
  testGroup
    "the tag comes last"
    [ testGroup
        "twice the depth at the same size is not twice the work"
        [ testCase name $ do
            works <- mapM (work . padded frame 250000) [32, 64, 128, 256, 512]
            assertBool
              (show works)
              ( and
                  ( zipWith
                      (\few more -> 4 * more <= 5 * few)
                      works
                      (drop 1 works)
                  )
              )
          | (name, frame) <- levels
        ],
      testGroup
        "levels of a few bytes cost in proportion to them"
        [ testCase name $ do
            works <- mapM (work . (\n -> nested frame (replicate n ""))) [500, 5000, 50000]
            let sizes = [B.length (nested frame (replicate n "")) | n <- [500, 5000, 50000]]
            assertBool (show (works, sizes)) (and (zipWith (\n size -> n <= 8 * size) works sizes))
          | (name, frame) <- levels
        ],
      testCase "many of them, one after the other" $ do
        let one = padded branch 2000 64
            document n =
              "{\"contents\":[[" <> B.intercalate "," (replicate n one) <> "],1],\"tag\":\"Fork\"}"
        small <- work (document 10)
        large <- work (document 1000)
        assertBool (show (small, large)) (large <= 110 * small),
      testCase "too deep, the error names the limit all the same" $
        ( decodeJsonWith
            defaultLimits {maxDepth = 100}
            ( B.concat
                [ "[",
                  padded branch 10000 50,
                  ",",
                  padded branch 10000 101,
                  "]"
                ]
            ) ::
            Either Error [Sum]
        )
          `failsWith` LimitExceeded (TooDeep 100),
      testProperty "the same value as with the tag first" $ forAll (resize 60 sums) $ \x ->
        forAll (written x) $ \text ->
          decodeJsonWith unlimited text === Right x,
      testProperty "the same refusal as with the tag first" $ forAll (resize 60 sums) $ \x ->
        forAll (written x) $ \text ->
          forAll (choose (0, B.length text - 1)) $ \n ->
            either (const True) (const False) (decodeJson (B.take n text) :: Either Error Sum)
    ]
  where
    failsWith result reason = either errorReason (const TrailingInput) result @?= reason
    levels = [("fields", node'), ("contents", branch), ("contents in an array", fork)]
    node' = ("{\"node\":", "", ",\"tag\":\"Node\"}")
    branch = ("{\"contents\":", "", ",\"tag\":\"Branch\"}")
    fork = ("{\"contents\":[[", "],1]", ",\"tag\":\"Fork\"}")

-- | Levels around a leaf, each with padding before its tag.
nested :: (ByteString, ByteString, ByteString) -> [ByteString] -> ByteString
nested (opening, end, tag) paddings =
  B.concat
    ( [opening | _ <- paddings]
        <> ["{\"tag\":\"Leaf\"}"]
        <> [end <> padding <> tag | padding <- paddings]
    )

-- | @depth@ levels, in about @size@ bytes.
padded :: (ByteString, ByteString, ByteString) -> Int -> Int -> ByteString
padded frame size depth =
  nested
    frame
    ( replicate
        depth
        ( ",\"padding\":\""
            <> BC.replicate (size `div` depth - 48) 'x'
            <> "\""
        )
    )

work :: ByteString -> IO Int
work text = case decodeJsonWith unlimited text of
  Right (Counted n) -> do
    assertBool "nothing was counted" (n > 0)
    pure n
  Left failure -> assertFailure (show failure)

sums :: Gen Sum
sums = sized $ \n ->
  if n <= 0
    then pure Leaf
    else
      oneof
        [ Node <$> resize (max 0 (n - 1)) sums,
          Branch <$> resize (max 0 (n - 1)) sums,
          do
            k <- choose (0, 4)
            Fork <$> vectorOf k (resize (max 0 (n `div` max 1 k - 1)) sums) <*> arbitrary
        ]

-- | Written with the tag before or after, and unknown members.
written :: Sum -> Gen ByteString
written x = do
  (tag, members) <- case x of
    Leaf -> pure ("Leaf", [])
    Node inner -> (\text -> ("Node", [("node", text)])) <$> written inner
    Branch inner -> (\text -> ("Branch", [("contents", text)])) <$> written inner
    Fork inner n ->
      ( \texts ->
          ( "Fork",
            [ ( "contents",
                B.concat ["[[", B.intercalate "," texts, "],", encodeJson n, "]"]
              )
            ]
          )
      )
        <$> mapM written inner
  noise <-
    elements
      [ [],
        [("x", "[{\"tag\":1},[[]],{\"a\":{\"b\":[1,2,3]}}]")],
        [("y", BC.replicate 40 '7')]
      ]
  order <- shuffle (("tag", encodeJson (tag :: String)) : members <> noise)
  pure
    ( B.concat
        [ "{",
          B.intercalate
            ","
            [ B.concat ["\"", key, "\":", value]
              | (key, value) <-
                  order
            ],
          "}"
        ]
    )
