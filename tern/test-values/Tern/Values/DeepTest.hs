{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Values far down, without a limit: work and memory for a level are the same at any depth.
--
-- The collector looks at each mutable array in each of its rounds, so that as many open arrays as
-- there are levels cost the square of that. It is no allocation; but an array that is open has
-- room for more than it holds, which is ('Tern.Internal.Read.isDeep').
module Tern.Values.DeepTest (tests) where

import Control.Exception (evaluate)
import Control.Monad (forM_, void)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Either (isLeft)
import Data.Text qualified as T
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import GHC.Exts (isTrue#, mutableByteArrayContents#, newPinnedByteArray#, touch#)
import GHC.Generics (Generic)
import Tern
import Tern.Cbor.Value qualified as Cbor
import Tern.Internal.Read (Reader (..), enter, isDeep, runReader, setNotes)
import Tern.Json (fromValue, toValue)
import Tern.Json.Canonical (canonical)
import Tern.Json.Pointer (Pointer (..), valueAt)
import Tern.Json.Pretty (defaultLayout, pretty)
import Tern.MessagePack.Value qualified as MessagePack
import Tern.Testkit.Allocation (optimised)
import Tern.Value (Value (..))
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))

newtype Lists = Lists [Lists]
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

newtype Record = Record {inner :: Maybe Record}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Sum = Leaf | Branch Sum | Node {node :: Sum}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

tests :: TestTree
tests =
  testGroup
    "values far down"
    [ testGroup
        "a level costs the same at any depth"
        [ testCase name $ do
            -- What is made once, has been.
            _ <- perLevel job 3000
            near <- perLevel job 20000
            far <- perLevel job 400000
            assertBool (show (near, far)) (far < 1.25 * near && (not optimised || far < most))
          | (name, most, job) <- jobs
        ],
      testCase "a million levels are read, and an error there has its place" $ do
        let n = 1000000
        void (decodeJsonWith unlimited (brackets n) :: Either Error Value) @?= Right ()
        let broken = B.replicate n 91 <> "x"
        assertBool "no error" (isLeft (decodeJsonWith unlimited broken :: Either Error Value))
        either
          (T.length . renderError broken)
          (const 0)
          (decodeJsonWith unlimited broken :: Either Error Value)
          `seq` either
            (length . errorPath)
            (const 0)
            (decodeJsonWith unlimited broken :: Either Error Value)
            @?= n,
      testCase "1,025 open levels are many, and 1,024 are not" $
        forM_ [(limit, noted) | limit <- [2000, maxDepth unlimited], noted <- [False, True]] $
          \(limit, noted) -> do
            let many n =
                  runReader unlimited {maxDepth = limit} (,) (isDeepAfter n noted) B.empty
            (limit, noted, map many [0, 1, 1024, 1025, 1026, 2000])
              @?= (limit, noted, map Right [False, False, False, True, True, True]),
      testCase "a limit beyond a thousand levels holds to the level" $
        [ (most, levels, either (Just . errorReason) (const Nothing) (decoded most levels))
          | most <- [1023, 1024, 1025, 1026, 5000],
            levels <- [most, most + 1]
        ]
          @?= [ ( most,
                  levels,
                  if levels > most
                    then Just (LimitExceeded (TooDeep most))
                    else Nothing
                )
                | most <- [1023, 1024, 1025, 1026, 5000],
                  levels <- [most, most + 1]
              ]
    ]
  where
    decoded most levels =
      decodeJsonWith defaultLimits {maxDepth = most} (brackets levels) :: Either Error Value

-- | Are many levels open after the first @n@? Perhaps with notes.
isDeepAfter :: Int -> Bool -> Reader Bool
isDeepAfter n noted = Reader $ \ctx _ c s -> case newPinnedByteArray# 64# s of
  (# s1, keeper #) ->
    let inwards 0 t = t
        inwards k t = case enter ctx c t of t1 -> inwards (k - 1 :: Int) t1
        begun t = if noted then setNotes ctx (mutableByteArrayContents# keeper) t else t
     in case isDeep ctx (inwards n (begun s1)) of
          (# s2, found #) -> case touch# keeper s2 of s3 -> (# s3, c, isTrue# found #)

-- | What is done with as many levels, and the most that a level may allocate.
jobs :: [(String, Double, Int -> Int)]
jobs =
  [ ( "JSON, any value",
      260,
      \n ->
        ok (decodeJsonWith unlimited (brackets n) :: Either Error Value)
    ),
    ( "JSON, open brackets alone",
      230,
      \n ->
        ok (decodeJsonWith unlimited (B.replicate n 91) :: Either Error Value)
    ),
    ("JSON, lists", 120, \n -> ok (decodeJsonWith unlimited (brackets n) :: Either Error Lists)),
    ( "JSON, records",
      400,
      \n ->
        ok (decodeJsonWith unlimited (around n "{\"inner\":" "null" "}") :: Either Error Record)
    ),
    ( "JSON, sums",
      480,
      \n ->
        ok
          ( decodeJsonWith
              unlimited
              ( around
                  n
                  "{\"tag\":\"Node\",\"node\":"
                  "{\"tag\":\"Leaf\"}"
                  "}"
              ) ::
              Either Error Sum
          )
    ),
    ( "JSON, members",
      420,
      \n ->
        ok (decodeJsonWith unlimited (around n "{\"a\":" "1" "}") :: Either Error Value)
    ),
    ( "JSON, stepped over",
      20,
      \n ->
        ok (decodeJsonWith unlimited ("{\"x\":" <> brackets n <> "}") :: Either Error Record)
    ),
    ( "MessagePack, any value",
      260,
      \n ->
        ok (MessagePack.decodeValueWith unlimited (B.replicate n 0x91 <> "\xc0"))
    ),
    ( "MessagePack, stepped over",
      20,
      \n ->
        ok
          ( decodeMessagePackWith unlimited ("\x81\xa1x" <> B.replicate n 0x91 <> "\xc0") ::
              Either Error Record
          )
    ),
    ( "CBOR, any value",
      260,
      \n ->
        ok (Cbor.decodeValueWith unlimited (B.replicate n 0x81 <> "\xf6"))
    ),
    ( "CBOR, stepped over",
      20,
      \n ->
        ok
          ( decodeCborWith unlimited ("\xa1\x61x" <> B.replicate n 0x81 <> "\xf6") ::
              Either Error Record
          )
    ),
    ( "native, lists",
      400,
      \n ->
        ok (decodeNativeWith unlimited (encodeNative (listed n)) :: Either Error Lists)
    ),
    ("written", 500, \n -> B.length (encodeJson (valued n))),
    ( "toValue and fromValue",
      900,
      \n ->
        ok (toValue (listed n) >>= fromValue :: Either Error Lists)
    ),
    ("pretty", 1400, \n -> B.length (pretty defaultLayout (valued n))),
    ("canonical", 1200, \n -> either (const 0) B.length (canonical (valued n))),
    -- With a logarithm.
    ( "a pointer",
      600,
      \n ->
        maybe 0 (const 1) (valueAt (Pointer (replicate (n - 1) "0")) (valued n))
    ),
    ("compared", 600, \n -> fromEnum (valued n == valued n))
  ]
  where
    ok = either (const 0) (const 1)
    around n before middle after =
      B.concat (replicate n before) <> middle <> B.concat (replicate n after)
    listed n = iterate (\x -> Lists [x]) (Lists []) !! n
    valued :: Int -> Value
    valued n = either (error . show) id (decodeJsonWith unlimited (brackets n))

brackets :: Int -> ByteString
brackets n = B.replicate n 91 <> B.replicate n 93

-- | Bytes allocated for a level.
perLevel :: (Int -> Int) -> Int -> IO Double
perLevel job n = do
  setAllocationCounter 0
  _ <- evaluate (job n)
  used <- negate <$> getAllocationCounter
  pure (fromIntegral used / fromIntegral n)
{-# NOINLINE perLevel #-}
