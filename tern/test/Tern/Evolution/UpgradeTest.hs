{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Values of older types that become those of newer ones by functions.
--
-- >      older value ----function----> newer value
-- >           |                             ^
-- >         encode                          |
-- >           v                             |
-- >         bytes ---the older's schema--> read     alone, in lists, in containers
module Tern.Evolution.UpgradeTest (tests) where

import Control.Monad (void)
import Data.ByteString qualified as B
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import GHC.Generics (Generic)
import Tern
import Tern.Container
  ( Blocks (..),
    Finding (..),
    Mark (..),
    Settings (..),
    containerDecoder,
    decodeContainer,
    defaultBlocks,
    defaultSettings,
    encodeContainer,
  )
import Tern.Evolution
import Tern.Shape qualified as Shape
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

-- * A field that is split

data Person1 = Person1 {name :: Text, age :: Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | A version between: the age has become a year.
data Person2 = Person2 {name :: Text, born :: Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Person = Person {first :: Text, family :: Text, born :: Int, note :: Maybe Text}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

second :: Person1 -> Person2
second (Person1 n a) = Person2 n (2000 - a)

third :: Person2 -> Either Text Person
third (Person2 n b) = case T.breakOn " " n of
  (_, "") -> Left "a name has two parts"
  (given, rest) -> Right (Person given (T.drop 1 rest) b Nothing)

-- * An enumeration that becomes a sum, and a pair a record

data Form1 = Round | Square
  deriving stock (Bounded, Enum, Eq, Generic, Ord, Show)
  deriving anyclass (Wire)

data Form = Round' {radius :: Double} | Square' {side :: Double}
  deriving stock (Eq, Generic, Ord, Show)
  deriving anyclass (Wire)

data Labelled = Labelled {label :: Text, number :: Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- * A list for one value, and all of these within others

data Club1 = Club1
  { chair ::
      Person1,
    forms :: Map Text Form1,
    marks :: [(Int, Text)],
    phone :: Text,
    parts :: [Club1],
    wild :: Kind1
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Club = Club
  { wild ::
      Kind,
    phones :: [Text],
    parts :: [Club],
    chair :: Person,
    marks :: [Labelled],
    forms :: Map Text Form,
    extra :: Maybe Int
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | The club as it was, of parts as they are: only what the bytes do not say of the club
-- itself is in its function.
data Between = Between
  { wild ::
      Kind,
    phone :: Text,
    parts :: [Between],
    chair :: Person,
    marks :: [Labelled],
    forms :: Map Text Form
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Kind1 = Sea | Lake {depth :: Int} | Moor Text Int
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Kind = Other {depth :: Maybe Int} | Sea'
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- * A type within itself

newtype Chain1 = Chain1 {link :: Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Chain = Chain {link :: Maybe Int, next :: Maybe Chain}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

changes :: Evolution
changes =
  upgrading second
    <> upgradingEither third
    <> upgrading (\case Round -> Round' 1; Square -> Square' 2)
    <> upgrading (\(n, t) -> Labelled t n)
    <> upgrading club
    <> evolving @Kind
      [ typeAlias
          ["Kind1"],
        constructorAlias "Sea'" ["Sea"],
        fallbackConstructor "Other"
      ]
    <> evolving @Person2 [typeAlias ["Person1"]]
    <> evolving @Person [typeAlias ["Person1", "Person2"]]
    <> evolving @Form [typeAlias ["Form1"]]
    <> evolving @Club [typeAlias ["Club1"]]
  where
    club :: Between -> Club
    club (Between w p ps c ms fs) = Club w [p] (map club ps) c ms fs Nothing

-- | What should come of it.
clubOf :: Club1 -> Either Text Club
clubOf (Club1 c fs ms p ps w) = do
  c' <- third (second c)
  ps' <- mapM clubOf ps
  pure
    ( Club
        (kind w)
        [p]
        ps'
        c'
        [Labelled t n | (n, t) <- ms]
        (fmap (\case Round -> Round' 1; Square -> Square' 2) fs)
        Nothing
    )
  where
    kind = \case
      Sea -> Sea'
      Lake d -> Other (Just d)
      Moor _ _ -> Other Nothing

tests :: TestTree
tests =
  testGroup
    "evolution by functions"
    [ testProperty
        "what is read is what the function makes, however deep, and errors are refusals"
        $ forAll (club1 3)
        $ \old ->
          case decoderFor @Club changes (shapeOf @Club1) of
            Left wrong -> counterexample (show (map renderMismatch wrong)) False
            Right decode -> case (decode defaultLimits (encodeNative old), clubOf old) of
              (Right new, Right wanted) -> new === wanted
              (Left (Error at _ (Refused message)), Left wanted) ->
                (T.unpack message, at < B.length (encodeNative old)) === (T.unpack wanted, True)
              other -> counterexample (show other) False,
      testProperty "in a container, where a refusal costs its element alone" $
        forAll (listOf (club1 1)) $ \olds ->
          forAll (choose (1, 400)) $ \size ->
            let found =
                  decodeContainer
                    (containerDecoder defaultSettings {evolution = changes})
                    ( encodeContainer
                        defaultBlocks {blockBytes = size}
                        (Mark 7)
                        olds
                    )
             in [(n + i, a) | Elements n as <- found, (i, a) <- zip [0 ..] as]
                  === [(i, a) | (i, Right a) <- zip [0 ..] (map clubOf olds)],
      testCase "the place of a refusal is that of the older value" $
        either (const (assertFailure "mismatches")) ($ ()) $ do
          decode <- decoderFor @[Person] changes (shapeOf @[Person1])
          pure $ \() ->
            decode defaultLimits (encodeNative [Person1 "Ann Lee" 3, Person1 "Bo" 4])
              @?= Left (Error 10 [Index 1, Key "name"] (Refused "a name has two parts")),
      testCase "what is damaged in an older value is where it was" $
        either (const (assertFailure "mismatches")) ($ ()) $ do
          decode <- decoderFor @[Person] changes (shapeOf @[Person1])
          pure $ \() -> do
            let whole = encodeNative [Person1 "Ann Lee" 3, Person1 "Bo Ek" 4]
            decode defaultLimits (B.take 12 whole <> "\xff" <> B.drop 13 whole)
              @?= Left (Error 12 [Index 1, Key "name"] InvalidUtf8)
            decode defaultLimits (B.init whole)
              @?= Left (Error 16 [Index 1, Key "age"] (UnexpectedEnd AValue))
            decode defaultLimits (whole <> "x") @?= Left (Error 17 [] TrailingInput),
      testCase "what is after an older value is where it was" $
        either (const (assertFailure "mismatches")) ($ ()) $ do
          decode <- decoderFor @([Person], Text) changes (shapeOf @([Person1], Text))
          pure $ \() -> do
            let whole = encodeNative ([Person1 "Ann Lee" 3], "ab" :: Text)
            decode defaultLimits (B.take 11 whole <> "\xff" <> B.drop 12 whole)
              @?= Left (Error 11 [Index 1] InvalidUtf8),
      testCase "own bytes are read as they are, and so are newer ones" $ do
        let people = [Person "a" "b" 3 (Just "c")]
        either
          (const Nothing)
          ( Just
              . (\decode -> decode defaultLimits (encodeNative people))
          )
          (decoderFor @[Person] changes (shapeOf @[Person]))
          @?= Just (Right people)
        either
          (const Nothing)
          ( Just
              . (\decode -> decode defaultLimits (encodeNative [Person2 "a b" 3]))
          )
          (decoderFor @[Person] changes (shapeOf @[Person2]))
          @?= Just (Right [Person "a" "b" 3 Nothing]),
      testCase "verdicts" $ do
        oldByNew (compatibility changes (shapeOf @Club1) (shapeOf @Club)) @?= Readable
        oldByNew (compatibility changes (shapeOf @Club) (shapeOf @Club)) @?= Identical
        isReadable
          ( oldByNew
              ( compatibility
                  (evolving @Club [typeAlias ["Club1"]])
                  (shapeOf @Club1)
                  (shapeOf @Club)
              )
          )
          @?= False,
      testCase "keys of maps are not made of others" $
        isReadable
          ( oldByNew
              ( compatibility
                  changes
                  (shapeOf @(Map Form1 Int))
                  (shapeOf @(Map Form Int))
              )
          )
          @?= False,
      testCase "a fallback that the type does not have" $
        isReadable
          ( oldByNew
              ( compatibility
                  (evolving @Kind [fallbackConstructor "Nowhere"])
                  (shapeOf @Kind)
                  (shapeOf @Kind)
              )
          )
          @?= False,
      testCase "a schema whose types are within each other costs what it is long" $ do
        let chain n =
              if n == (0 :: Int)
                then Shape.Declared (named 0) (Shape.Bare Shape.anyOthers (Shape.Record []))
                else
                  Shape.Declared
                    (named n)
                    ( Shape.Bare
                        Shape.anyOthers
                        ( Shape.Record
                            [Shape.Field "next" False (chain (n - 1))]
                        )
                    )
            named :: Int -> Shape.Reference
            named n = Shape.Reference "Else" (T.pack ("Chain#" <> show (n + 2))) []
            cost n = do
              setAllocationCounter 0
              _ <-
                pure $!
                  either
                    length
                    (const 0)
                    ( void
                        ( decoderFor
                            @Chain
                            (upgrading (\(Chain1 l) -> Chain (Just l) Nothing))
                            (chain n)
                        )
                    )
              negate . fromIntegral <$> getAllocationCounter :: IO Double
        few <- cost 1000
        many <- cost 4000
        assertBool (show (few, many)) (many < 6 * few),
      testCase "cost is in proportion to the number of values" $ do
        decode <-
          either
            (const (assertFailure "mismatches"))
            pure
            (decoderFor @[Person] changes (shapeOf @[Person1]))
        let cost n = do
              let input = encodeNative (replicate n (Person1 "Ann Lee" 3))
              _ <- pure $! B.length input
              setAllocationCounter 0
              _ <- pure $! either (const 0) length (decode defaultLimits input)
              negate . fromIntegral <$> getAllocationCounter :: IO Double
        few <- cost 1000
        many <- cost 4000
        assertBool (show (few, many)) (many < 5 * few)
    ]

club1 :: Int -> Gen Club1
club1 depth =
  Club1
    <$> ( Person1
            <$> frequency
              [ (20, (\a b -> T.pack (a <> " " <> b)) <$> word <*> word),
                (1, T.pack <$> word)
              ]
            <*> arbitrary
        )
    <*> (Map.fromList <$> listOf ((,) . T.pack <$> word <*> elements [Round, Square]))
    <*> listOf ((,) <$> arbitrary <*> (T.pack <$> word))
    <*> (T.pack <$> word)
    <*> (if depth > 0 then choose (0, 3) >>= \n -> vectorOf n (club1 (depth - 1)) else pure [])
    <*> oneof [pure Sea, Lake <$> arbitrary, Moor . T.pack <$> word <*> arbitrary]
  where
    word = listOf1 (elements "abcxyz\233")
