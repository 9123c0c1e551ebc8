{-# LANGUAGE OverloadedStrings #-}

-- | Where in the source a finding's call stands, and where all bytes of a run
-- went.
module Tern.Lab.Core.SourceTest (tests) where

import Control.Monad (forM_)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (getTemporaryDirectory)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Core.Account (Entry (..), Post (..), accountOf, renderAccount)
import Tern.Lab.Core.Facts (Place (..), Round (..))
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), worthShowing)
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Index (Why (..))
import Tern.Lab.Core.Library (Cost (..))
import Tern.Lab.Core.Measured (measuredBy)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Source (pinned, pinnedApart)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Token (Token (..), tokensOf)
import Tern.Lab.Core.Workbench (Build (..), Run (..), gatherTicky)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "places and accounts"
    ( [ testCase ("a call's place: " <> name) (pinnedAt rows from kind to)
        | (name, rows, from, kind, to) <-
            places
      ]
        <> [ testCase "comments, strings and characters hold no calls" $
               map
                 tokenText
                 ( tokensOf
                     "f' x = \"go \\\" go\" {- go {- go -} go -} 'g' '\\'' '\\n' go -- go\n--> a"
                 )
                 @?= ["f'", "x", "=", "go", "-->", "a"],
             testCase "calls in functions of which one stands in another are different ones" apart,
             testCase "an account is complete, and says what is hot without a finding" complete
           ]
    )

-- | A name, the source, where the function begins, what is found, where it is
-- then said to be.
places :: [(TestName, [Text], (Int, Int), FindingKind, (Int, Int))]
places =
  [ ( "on a later line",
      [ "f :: Int -> Int",
        "f x =",
        "  let y = x",
        "   in Data.Map.insertWith",
        "        y"
      ],
      (2, 1),
      called "Data.Map.Internal.insertWith",
      (4, 7)
    ),
    ( "after the parameters",
      ["go go' = 1", "go x = go' (go x)"],
      (1, 1),
      GrowingAccumulator "go" ["x"] AtOnce,
      (2, 13)
    ),
    ( "in a local function, not beside it",
      [ "f n = go n ++ g",
        "  where",
        "    go 0 = []",
        "    go k = h k",
        "      ++ go (k - 1)",
        "    g = [] ++ []"
      ],
      (3, 5),
      AppendsRecursively "go",
      (5, 7)
    ),
    ( "in the second of two local functions",
      [ "f n = one n ++ two n",
        "  where one k = k",
        "        two k = k ++ k"
      ],
      (3, 9),
      AppendsLeft,
      (3, 19)
    ),
    ( "of an operator's binding",
      ["[] <+> b = b", "(a : as) <+> b = a : (as `more` b)"],
      (1, 4),
      called "M.more",
      (2, 27)
    ),
    ( "of an instance's binding",
      [ "instance C A where",
        "  c x = x",
        "  d x = $wwork x + work x",
        "e = work"
      ],
      (1, 10),
      called "A.$wwork",
      (3, 20)
    ),
    ("what is not written there", ["f x = g x", "g x = h x"], (1, 1), called "M.h", (1, 1)),
    ( "in the one function that has it, which is a part of this one",
      ["import L (h)", "f = g 1", "g :: Int -> Int", "g x =", "  h x + h 2"],
      (2, 1),
      CallsLibrary "L.h" ComparesAll,
      (5, 3)
    ),
    ( "in one of two functions that have it: nobody knows in which",
      ["f = g 1 + k 2", "g x = h x", "k x = h x"],
      (1, 1),
      CallsLibrary "L.h" ComparesAll,
      (1, 1)
    ),
    ( "an operator that is called",
      ["f x = x", "  Seq.|> y", "  |> z"],
      (1, 1),
      called "Data.Sequence.Internal.|>",
      (2, 3)
    )
  ]
  where
    called name = NotInlined name BecauseRecursive

pinnedAt :: [Text] -> (Int, Int) -> FindingKind -> (Int, Int) -> Assertion
pinnedAt rows from kind expected =
  placeOf (pinned (T.unlines rows) (findingAt from kind)) @?= Just expected

placeOf :: Finding -> Maybe (Int, Int)
placeOf = fmap (\p -> (placeLine p, placeColumn p)) . findingPlace

-- | Of a function that begins there.
findingAt :: (Int, Int) -> FindingKind -> Finding
findingAt (line, column) kind =
  Finding
    { findingModule = "M",
      findingBinding = "f",
      findingIn = Nothing,
      findingPlace = Just (Place "M.hs" line column),
      findingKind = kind,
      findingTimes = 1,
      findingLoops = 0,
      findingWeight = 1,
      findingPart = "f",
      findingCode = Set.empty,
      findingCallers = Set.empty,
      findingEntered = Set.empty,
      findingCalls = Set.empty,
      findingCallsThere = Set.empty,
      findingCallees = Set.empty,
      findingMeasured = Nothing,
      findingTried = [],
      findingNumber = 0
    }

-- | The outer one has the call that is left; a third, which has none of its own, the first.
apart :: Assertion
apart =
  map placeOf (pinnedApart [(Just text, findingAt from kind) | from <- [(1, 1), (3, 5), (1, 1)]])
    @?= map Just [(5, 24), (3, 20), (3, 20)]
  where
    kind = CallsLibrary "GHC.Base.<>" CopiesList
    text =
      T.unlines
        [ "f (key : rest) path =",
          "  let",
          "    below k = path <> [(key, k)]",
          "   in foldl add [] (map below rest)",
          "     where add r k = r <> k"
        ]

-- | All that a run allocated is in the rows; a function that allocates much by
-- constructors alone has no finding, and a row all the same.
complete :: Assertion
complete = withSystemTempDirectory "tern-lab-account" $ \folder -> do
  temporary <- getTemporaryDirectory
  T.writeFile (folder </> "Main.hs") . T.unlines $
    [ "module Main (main) where",
      "data Tree = Leaf | Node !Tree !Tree",
      "grow :: Int -> Tree",
      "grow n | n < 1 = Leaf",
      "grow n = Node (grow (n - 1)) (grow (n - 2))",
      "size :: Tree -> Int",
      "size Leaf = 1",
      "size (Node a b) = size a + size b",
      "main :: IO ()",
      "main = print (size (grow 20)) >> print (sum (concatMap show [1 .. 20000 :: Int] `seq` [1 \
      \:: Int]))"
    ]
  (modules, counters, whole) <-
    gatherTicky
      ( Build
          "ghc"
          []
          []
          False
          False
          (temporary </> "tern-lab-core-test")
      )
      (SourceFile (folder </> "Main.hs"))
      (Run "{exe}" Nothing)
      >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  all' <- maybe (assertFailure "no statistics") pure whole
  let entries =
        accountOf
          all'
          modules
          counters
          ( filter
              worthShowing
              (measuredBy whole modules counters (findings modules))
          )
  sum (map entryBytes entries) @?= all'
  forM_ entries $ \e -> assertBool (show e) (entryBytes e >= 0)
  case [ (name, fmap placeLine place, found, e)
         | e <-
             entries,
           OfFunction name place found <- [entryPost e]
       ] of
    (name, line, found, e) : _ -> do
      (name, line, found) @?= ("Main.grow", Just 4, False)
      entryEntries e @?= Just 35421
    [] -> assertFailure (show entries)
  assertBool "said" (any ("(hot, no finding)" `T.isSuffixOf`) (renderAccount Nothing all' entries))
