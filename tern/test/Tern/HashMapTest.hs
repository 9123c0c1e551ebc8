{-# LANGUAGE OverloadedStrings #-}

-- | Hash maps of keys that collide.
module Tern.HashMapTest (tests) where

import Control.Exception (evaluate)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.HashMap.Internal.Debug (Validity (Valid), valid)
import Data.HashMap.Strict (HashMap)
import Data.HashMap.Strict qualified as HashMap
import Data.Hashable (Hashable (..))
import Data.Int (Int64)
import Data.List (isSuffixOf, sort)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import System.Directory (listDirectory)
import System.FilePath ((</>))
import Tern
import Tern.Internal.HashMap (fromPairs)
import Tern.Testkit.Suites (readTsv, suiteTest)
import Tern.Value (Value)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

-- | A text whose hash is that of its last letter: an enemy's dream.
newtype Colliding = Colliding Text
  deriving stock (Eq, Ord, Show)
  deriving newtype (Wire)

instance Hashable Colliding where
  hashWithSalt salt (Colliding text) = hashWithSalt salt (T.takeEnd 1 text)

tests :: TestTree
tests =
  testGroup
    "hash maps"
    [ testProperty "the same as from unordered-containers" $
        forAll (resize 400 (listOf pair)) $ \pairs ->
          let ours = fromPairs (reverse pairs)
              theirs = HashMap.fromList pairs
           in conjoin
                [ valid ours === Valid,
                  sort (HashMap.toList ours) === sort (HashMap.toList theirs),
                  conjoin [HashMap.lookup k ours === Just v | (k, v) <- HashMap.toList theirs],
                  property (ours == theirs)
                ],
      testCase "twice as many colliding keys allocate about twice as much" $ do
        small <- allocation (decodeJson @(HashMap Colliding Int)) (keys 2000)
        large <- allocation (decodeJson @(HashMap Colliding Int)) (keys 4000)
        assertBool
          (show (small, large))
          ( fromIntegral large
              < (2.5 :: Double) * fromIntegral small
          ),
      testCase "colliding keys allocate no more than four times what others do" $ do
        colliding <- allocation (decodeJson @(HashMap Colliding Int)) (keys 4000)
        plain <- allocation (decodeJson @(HashMap Text Int)) (keys 4000)
        assertBool (show (colliding, plain)) (colliding < 4 * plain),
      -- Squared, this would not end.
      testCase "two hundred thousand colliding keys" $
        fmap HashMap.size (decodeJson (keys 200000) :: Either Error (HashMap Colliding Int))
          @?= Right 200000,
      testCase "of a key that is repeated very often the last value counts" $
        decodeJson (object [("k" <> T.pack (show (i `mod` 3)), i) | i <- [1 .. 1000]])
          @?= Right
            ( HashMap.fromList
                [ (Colliding "k0", 999),
                  (Colliding "k1", 1000),
                  (Colliding "k2", 998)
                ] ::
                HashMap Colliding Int
            ),
      testCase "ordered maps need no such care" $ do
        small <- allocation (decodeJson @(Map.Map Text Int)) (keys 2000)
        large <- allocation (decodeJson @(Map.Map Text Int)) (keys 4000)
        assertBool
          (show (small, large))
          ( fromIntegral large
              < (2.5 :: Double) * fromIntegral small
          ),
      suiteTest "documents whose keys collide" "adversarial/hash" hostile
    ]
  where
    pair = (,) . Colliding . T.pack . show <$> choose (0, 300 :: Int) <*> (arbitrary :: Gen Int)

-- | Every object of the suite, and one of 4,096 keys made of its colliding
-- blocks: read into a hash map they must hold what they hold in an ordered map,
-- and allocate at most four times what as many other keys of the same lengths
-- do.
hostile :: FilePath -> IO ([String], Int)
hostile folder = do
  names <- sort . filter (".json" `isSuffixOf`) <$> listDirectory folder
  documents <- mapM (\name -> (,) name <$> B.readFile (folder </> name)) names
  blocks <- readTsv (folder </> "fnv1a-64.blocks.tsv")
  let made =
        object
          ( zip
              ( map
                  (T.decodeUtf8 . B.concat)
                  (sequence [[a, b] | [a, b] <- take 12 blocks])
              )
              [1 ..]
          )
  complaints <- mapM (uncurry judge) (("fnv1a-64.blocks.tsv", made) : documents)
  pure (concat complaints, length complaints)
  where
    judge name document = case (decodeJson document, decodeJson document) of
      (Right hashed, Right ordered)
        | Map.fromList (HashMap.toList (hashed :: HashMap Text Value)) /= ordered ->
            pure [name <> ": not what an ordered map holds"]
        | or [HashMap.lookup k hashed /= Just v | (k, v) <- Map.toList ordered] ->
            pure [name <> ": a key is not found"]
        | otherwise -> do
            colliding <- allocation (decodeJson @(HashMap Text Value)) document
            plain <-
              allocation
                (decodeJson @(HashMap Text Value))
                ( object
                    [ (other i (T.length k), i)
                      | (i, k) <-
                          zip [1 ..] (Map.keys ordered)
                    ]
                )
            pure
              [ concat [name, ": ", show colliding, " bytes, others ", show plain]
                | Map.size ordered
                    > 100,
                  colliding > 4 * plain + 1000000
              ]
      (Left failure, _) -> pure [name <> ": " <> show failure]
      (_, Left failure) -> pure [name <> ": " <> show failure]
    -- A key of the same length.
    other :: Int -> Int -> Text
    other i n = T.take (max 8 n) (T.pack (show (i * 7919 + 10000019)) <> T.replicate n "x")

-- | An object of @n@ keys, all with one hash.
keys :: Int -> ByteString
keys n = object [(T.pack (show i) <> "k", i) | i <- [1 .. n]]

-- | A document with its members in their order.
object :: [(Text, Int)] -> ByteString
object members =
  "{" <> B.intercalate "," [encodeJson k <> ":" <> encodeJson v | (k, v) <- members] <> "}"

-- | Bytes allocated by one evaluation.
allocation :: (ByteString -> Either Error a) -> ByteString -> IO Int64
allocation f input = do
  -- What is made once, has been.
  _ <- evaluate (f "{}")
  _ <- evaluate input
  setAllocationCounter 0
  result <- evaluate (f input)
  used <- negate <$> getAllocationCounter
  either (assertFailure . show) (const (pure used)) result
{-# NOINLINE allocation #-}
