-- | Evolution against the slow model, on types, changes and values of any shape.
--
-- > older value --grown--> newer value
-- >      |                     |
-- >    model                 model
-- >      v                     v
-- >    bytes --translated--> the same bytes
module Tern.Evolution.StoryTest (tests) where

import Control.Exception (evaluate)
import Data.Bits (complementBit)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Either (isLeft)
import Data.IntMap qualified as IntMap
import Data.Text qualified as T
import Tern (Error (..), defaultLimits)
import Tern.Error (Reason (..))
import Tern.Evolution.Story (Story (..), story)
import Tern.Fence (Side (..), fenced)
import Tern.Internal.Container.Schema (readSchema, schemaBytes)
import Tern.Internal.Evolution.Code (Code (codeMoves, codePieces), codeOf)
import Tern.Internal.Evolution.Mismatch (renderMismatch)
import Tern.Internal.Evolution.Plan (circles, identical)
import Tern.Internal.Evolution.Reading (Reading, readingOf, sameBytes, translate)
import Tern.Internal.Evolution.Resolve (Resolved (..), resolve)
import Tern.Json.Seeded (seeded)
import Tern.Native.Described (typeOf)
import Tern.Native.Model (Tree, readDocument, written)
import Test.QuickCheck.Gen (unGen)
import Test.QuickCheck.Random (mkQCGen)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCaseInfo)
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "evolution against the model"
    [ seeded
        "what an older version wrote becomes what the newer one would have written"
        6000
        . example
        $ \s reading t bytes ->
          outcome reading bytes === wanted s t,
      seeded
        "a schema that was read back says the same"
        2000
        . example
        $ \s _ t bytes -> case readSchema defaultLimits (schemaBytes (older s)) of
          Left problem -> counterexample (show problem) False
          Right shape -> case readingOf (said s) shape (newer s) of
            Left problems ->
              counterexample (unlines (map (T.unpack . renderMismatch) problems)) False
            Right reading -> outcome reading bytes === wanted s t,
      seeded "documents cut short at every byte" 1500 . example $ \s reading _ bytes ->
        conjoin
          [ counterexample
              (show (n, s'))
              ( sameBytes reading
                  || fenced After (B.take n bytes) (isLeft . translate reading defaultLimits)
              )
            | let s' = show (older s),
              n <- [0 .. B.length bytes - 1]
          ],
      seeded
        "documents with faults: what is one is read as it should be"
        6000
        . example
        $ \s reading _ bytes ->
          forAll (mutated bytes) $ \bad ->
            case ( readDocument
                     (typeOf (older s))
                     (B.unpack bad),
                   translate reading defaultLimits bad
                 ) of
              (Just t, result) -> either (Left . errorReason') Right result === wanted s t
              (Nothing, Right made) -> ioProperty (True <$ evaluate (B.length made))
              (Nothing, Left problem) ->
                counterexample
                  (show problem)
                  ( errorOffset problem >= 0
                      && errorOffset problem <= B.length bad
                  ),
      testCaseInfo "every kind of change is met" $ do
        let plans = unGen (vectorOf 3600 (story "T" 3)) (mkQCGen 20240229) 60
            counted =
              [ length
                  ( filter
                      what
                      [ r
                        | s <-
                            plans,
                          Right r <- [resolve (said s) (older s) (newer s)]
                      ]
                  )
                | what <-
                    [ identical
                        . plan,
                      codeMoves . codeOf . plan,
                      (> 0) . codePieces . codeOf . plan,
                      not . null . conditions,
                      not . IntMap.null . circles . plan
                    ]
              ]
        assertBool (show counted) (all (> 100) counted)
        pure
          ( "the same bytes, fields that change places afterwards and at once, constructors \
            \that are refused, types within themselves: "
              <> show counted
          ),
      seeded
        "a type is read as itself, byte by byte"
        500
        . forAll (sized (story "T" . min 4 . (`div` 12)))
        $ \s ->
          either (const False) sameBytes (readingOf (said s) (newer s) (newer s))
    ]
  where
    outcome reading bytes =
      either (Left . errorReason') Right (translate reading defaultLimits bytes)
    errorReason' problem = case errorReason problem of
      UnknownConstructor _ _ -> refusal
      other -> show other
    wanted s t = maybe (Left refusal) (Right . B.pack . written (typeOf (newer s))) (grown s t)
    refusal = "refused"

example :: (Testable p) => (Story -> Reading -> Tree -> ByteString -> p) -> Property
example f =
  forAll
    (sized (story "T" . min 4 . (`div` 12)))
    $ \s -> case readingOf (said s) (older s) (newer s) of
      Left problems -> counterexample (unlines (map (T.unpack . renderMismatch) problems)) False
      Right reading -> forAll (trees s 4) $ \t ->
        let bytes =
              B.pack (written (typeOf (older s)) t)
         in counterexample (show (B.unpack bytes)) (f s reading t bytes)

mutated :: ByteString -> Gen ByteString
mutated bytes
  | B.null bytes = pure bytes
  | otherwise = do
      at <- choose (0, B.length bytes - 1)
      let (before, after) = B.splitAt at bytes
      bit <- choose (0, 7)
      elements
        [ before <> B.map (`complementBit` bit) (B.take 1 after) <> B.drop 1 after,
          before <> B.drop 1 after,
          before <> B.singleton 0 <> after,
          before <> B.singleton 255 <> B.drop 1 after,
          before <> B.take 3 after <> after
        ]
