{-# LANGUAGE OverloadedStrings #-}

-- | Reports of builds that have no marks: functions of one name cannot be told apart there.
--
-- What they spent is said of all of them, as theirs together.
module Tern.Lab.Core.OtherReportTest (tests) where

import Data.Binary (encode)
import Data.ByteString.Lazy qualified as L
import Data.List (sort)
import Data.Maybe (mapMaybe)
import Data.Text qualified as T
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Core.Facts
  ( Binding (..),
    ModuleFacts (..),
    Origin (..),
    Part (..),
    Place (..),
    Pragma (..),
    Sight (..),
    Spot (..),
    Unfolding (..),
    factsVersion,
  )
import Tern.Lab.Core.Finding (Finding (..), Spent (..))
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Kept (readFacts)
import Tern.Lab.Core.Measured (measuredBy)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Ticky (Counter (..), Sort (..), parseTicky)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "reports of other builds"
    [ testCase "functions of one name are said together" otherBuild,
      testCase "a profile's centres of one name are said together" profile,
      testCase "all that a build left has its places named from here" kept
    ]

-- | Without marks a local @go@ could be any of the module's.
otherBuild :: Assertion
otherBuild = do
  let modules = [facts]
      counters =
        parseTicky
          ( T.unlines
              ( header
                  <> [ "  11  480  0  1 L  Main.clear{v r1} (fun)",
                       "  12  240  0  1 L  go{v s1} (Main) (LNE) in r1",
                       "   5  100  0  0    sat_s9{v} (Main) (thk) in s1"
                     ]
              )
          )
      spent =
        [ ( findingBinding
              f,
            fmap (\s -> (spentEntries s, spentBytes s, spentAmong s)) (findingMeasured f)
          )
          | f <- measuredBy Nothing modules counters (findings modules)
        ]
  sort spent
    @?= [("clear", Just (11, 480, 1)), ("one", Just (12, 240, 2)), ("two", Just (12, 240, 2))]
  where
    header = ["    Entries      Alloc    Alloc'd  Non-void Arguments      STG Name", "------"]

profile :: Assertion
profile = do
  let counters =
        [ Counter
            "Main"
            "one.go"
            Nothing
            ""
            Nothing
            CostCentre
            12
            240,
          Counter "Main" "clear" Nothing "" Nothing CostCentre 11 480
        ]
      spent =
        [ ( findingBinding
              f,
            fmap (\s -> (spentEntries s, spentBytes s, spentAmong s)) (findingMeasured f)
          )
          | f <- measuredBy Nothing [facts] counters (findings [facts])
        ]
  sort spent @?= [("clear", Just (11, 480, 1)), ("one", Just (12, 240, 1)), ("two", Nothing)]

-- | A package's folder is another than the one that we stand in.
kept :: Assertion
kept = withSystemTempDirectory "tern-lab-kept" $ \folder -> do
  L.writeFile
    (folder </> "Main.facts")
    (encode factsVersion <> encode facts {factsFolder = "elsewhere"})
  modules <- readFacts folder >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  let bindings = concatMap factsBindings modules
      places =
        mapMaybe bindingPlace bindings
          <> concatMap (mapMaybe partPlace . bindingParts) bindings
          <> concatMap (mapMaybe spotPlace . bindingSpots) bindings
  map placeFile places @?= replicate 7 "elsewhere/Main.hs"

-- | Two functions with a local @go@, and one without.
facts :: ModuleFacts
facts =
  ModuleFacts
    "unit"
    "Main"
    "3f"
    "Main.hs"
    Nothing
    ""
    "9.6.6"
    True
    True
    90
    True
    False
    []
    []
    []
    []
    []
    []
    []
    []
    [ binding
        "one"
        0
        2
        (Just (10, 3)),
      binding "two" 1 6 (Just (11, 7)),
      binding "clear" 2 9 Nothing
    ]
  where
    binding name key line inner =
      Binding
        { bindingName = name,
          bindingKey = key,
          bindingUnique = "",
          bindingParts =
            [Part k "go" (Just (Place "Main.hs" l 3)) key True | Just (k, l) <- [inner]],
          bindingPlace = Just (Place "Main.hs" line 1),
          bindingOrigin = Written,
          bindingOwner = Nothing,
          bindingArity = 1,
          bindingRecursive = True,
          bindingSpecialised = False,
          bindingPragma = NoPragma,
          bindingUnfolding = NoUnfolding,
          bindingSize = 0,
          bindingUses = 1,
          bindingGeneric = [],
          bindingGenericType = False,
          bindingSpots =
            [ Spot
                (RecursiveAppend "go")
                ("go" <$ inner)
                ((\(_, l) -> Place "Main.hs" l 3) <$> inner)
                (maybe key fst inner)
                1
                1
            ]
        }
