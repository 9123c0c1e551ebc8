{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Every limit, one below it, at it and one above.
module Tern.LimitsTest (tests) where

import Control.Exception (evaluate)
import Control.Monad (void)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Map.Strict (Map)
import Data.Text (Text)
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import GHC.Generics (Generic)
import Tern
import Tern.Value (Value)
import Test.Tasty
import Test.Tasty.HUnit

-- Types of any depth, one for each frame that a reader opens.

newtype Lists = Lists [Lists]
  deriving stock (Generic)
  deriving anyclass (Wire)

newtype Maps = Maps (Map Text Maps)
  deriving stock (Generic)
  deriving anyclass (Wire)

newtype Record = Record {inner :: Maybe Record}
  deriving stock (Generic)
  deriving anyclass (Wire)

data Sum = Leaf | Node {node :: Sum} | Branch Sum
  deriving stock (Generic)
  deriving anyclass (Wire)

data Two = Two Int (Maybe Two)
  deriving stock (Generic)
  deriving anyclass (Wire)

newtype Choice = Choice (Maybe (Either Choice ()))
  deriving stock (Generic)
  deriving anyclass (Wire)

newtype Known = Known {known :: Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Known2 = KnownA {knownA :: Int} | KnownB
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

tests :: TestTree
tests =
  testGroup
    "limits"
    [ testCase "maxBytes" $ do
        let most = defaultLimits {maxBytes = 5}
        decodeJsonWith most "[12]" @?= Right [12 :: Int]
        decodeJsonWith most "[123]" @?= Right [123 :: Int]
        decodeJsonWith most "[1234]"
          @?= (Left (Error 5 [Index 0] (LimitExceeded (TooManyBytes 5))) :: Either Error [Int]),
      testGroup
        "maxDepth"
        [ testCase name $
            sequence_
              [ nested most levels
                | most <-
                    [2, 3, 512, 513, 1023, 1024, 1025, 5000],
                  levels <- [most - 1, most, most + 1]
              ]
          | (name, nested) <- frames
        ],
      testCase "maxDepth 0 is for scalars" $ do
        decodeJsonWith defaultLimits {maxDepth = 0} "1" @?= Right (1 :: Int)
        decodeJsonWith defaultLimits {maxDepth = 0} "[]"
          @?= (Left (Error 0 [] (LimitExceeded (TooDeep 0))) :: Either Error [Int]),
      testCase "what is stepped over costs memory in proportion to it" $ do
        let deep =
              "{" <> B.concat (replicate 200 ("\"x\":" <> arrays 1500 <> ",")) <> "\"known\":1}"
        -- What is made once, has been.
        evaluate (decodeJson "{\"x\":1,\"known\":1}" :: Either Error Known)
          >>= (@?= Right (Known 1))
        _ <- evaluate deep
        setAllocationCounter 0
        result <- evaluate (decodeJsonWith unlimited deep)
        used <- negate <$> getAllocationCounter
        result @?= Right (Known 1)
        assertBool
          (show used <> " bytes for " <> show (B.length deep))
          (fromIntegral used < B.length deep),
      testGroup
        "maxDigits"
        [ testCase "digits" $
            digits
              ["9999", "99999", "-99999", "0.99999e5"]
              [ "100000",
                "-100000",
                "999990e-1",
                "99999.0",
                "0.100000e6"
              ],
          testCase "powers of ten" $
            digits
              ["1e4", "9999e1", "0e99999", "0.000001e10", "-1E+4"]
              [ "1e5",
                "-1e5",
                "10e4",
                "99999e1",
                "1e99999999999999999999"
              ],
          testCase "4,096 by default" $ do
            let nines n = B.replicate n 57
            fmap (> 0) (decodeJson (nines 4095) :: Either Error Integer) @?= Right True
            fmap (> 0) (decodeJson (nines 4096) :: Either Error Integer) @?= Right True
            (decodeJson (nines 4097) :: Either Error Integer)
              @?= Left (Error 0 [] (LimitExceeded (TooManyDigits 4096)))
            fmap (> 0) (decodeJson "1e4095" :: Either Error Integer) @?= Right True
            (decodeJson "1e4096" :: Either Error Integer)
              @?= Left (Error 0 [] (LimitExceeded (TooManyDigits 4096))),
          testCase "machine integers and doubles are not concerned" $ do
            decodeJsonWith five "1234567890123456789" @?= Right (1234567890123456789 :: Int)
            decodeJsonWith five "12345678901234567890" @?= Right (12345678901234567890 :: Word)
            decodeJsonWith five "1234567890123456789.00"
              @?= (Left (Error 0 [] (LimitExceeded (TooManyDigits 5))) :: Either Error Int)
            decodeJsonWith five (B.replicate 5000 57)
              @?= (Left (Error 0 [] (OutOfRange "Int")) :: Either Error Int)
            decodeJsonWith five "1e18" @?= Right (1000000000000000000 :: Int)
            decodeJsonWith five "1.2345678901234567890e3" @?= Right (1234.567890123456789 :: Double)
        ],
      testCase "unlimited is what it says" $ do
        fmap (> 0) (decodeJsonWith unlimited (B.replicate 100000 57) :: Either Error Integer)
          @?= Right True
        void (decodeJsonWith unlimited (arrays 100000) :: Either Error Lists) @?= Right ()
        decodeJsonWith unlimited ("{\"x\":" <> arrays 1000000 <> ",\"known\":1}")
          @?= Right (Known 1)
    ]
  where
    five = defaultLimits {maxDigits = 5}
    digits allowed refused = do
      mapM_
        ( \text ->
            either
              (assertFailure . show)
              (const (pure ()))
              (decodeJsonWith five text :: Either Error Integer)
        )
        allowed
      mapM_
        ( \text ->
            (decodeJsonWith five text :: Either Error Integer)
              @?= Left (Error 0 [] (LimitExceeded (TooManyDigits 5)))
        )
        refused

-- | What can be nested, and a check of a depth against a limit.
frames :: [(String, Int -> Int -> Assertion)]
frames =
  [ ("lists", limited @Lists arrays),
    ("any values", limited @Value arrays),
    ("maps", limited @Maps (\n -> times (n - 1) "{\"a\":" <> "{}" <> times (n - 1) "}")),
    ("records", limited @Record (\n -> times (n - 1) "{\"inner\":" <> "{}" <> times (n - 1) "}")),
    ( "records after tags",
      limited @Sum
        ( \n ->
            times (n - 1) "{\"tag\":\"Node\",\"node\":" <> "{\"tag\":\"Leaf\"}" <> times (n - 1) "}"
        )
    ),
    ( "records, the tag after",
      limited @Sum
        ( \n ->
            times (n - 1) "{\"node\":" <> "{\"tag\":\"Leaf\"}" <> times (n - 1) ",\"tag\":\"Node\"}"
        )
    ),
    ( "contents",
      limited @Sum
        ( \n ->
            times (n - 1) "{\"tag\":\"Branch\",\"contents\":"
              <> "{\"tag\":\"Leaf\"}"
              <> times (n - 1) "}"
        )
    ),
    ( "fields without names",
      limited @Two
        ( \n ->
            times (n - 1) "[1," <> "[1,null]" <> times (n - 1) "]"
        )
    ),
    ("either", limited @Choice (\n -> times n "{\"Left\":" <> "null" <> times n "}")),
    ( "an unknown field's arrays",
      limited @Known (\n -> "{\"x\":" <> arrays (n - 1) <> ",\"known\":1}")
    ),
    ( "an unknown field's objects",
      limited @Known
        ( \n ->
            "{\"known\":1,\"x\":" <> times (n - 1) "{\"a\":" <> "1" <> times (n - 1) "}" <> "}"
        )
    ),
    ( "what is beside a tag",
      limited @Known2
        ( \n ->
            "{\"x\":" <> arrays (n - 1) <> ",\"tag\":\"KnownA\",\"knownA\":1}"
        )
    )
  ]
  where
    times n text = B.concat (replicate n text)

-- | Allowed up to the limit, and an error beyond that names it.
limited :: forall a. (Wire a) => (Int -> ByteString) -> Int -> Int -> Assertion
limited
  document
  most
  levels =
    case decodeJsonWith defaultLimits {maxDepth = most} (document levels) :: Either Error a of
      Right _ -> assertBool (show levels <> " levels were read") (levels <= most)
      Left (Error _ _ (LimitExceeded (TooDeep n))) -> (n, levels > most) @?= (most, True)
      Left other -> assertFailure (show other)

arrays :: Int -> ByteString
arrays n
  | n == 0 = "1"
  | otherwise = B.replicate n 91 <> B.replicate n 93
