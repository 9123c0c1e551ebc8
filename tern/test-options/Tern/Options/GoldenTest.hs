{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Wire forms in files.
module Tern.Options.GoldenTest (tests) where

import Data.Text qualified as T
import System.Directory (listDirectory)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Laws (golden, goldenWith)
import Tern.Options.Declarations (Place (..), Ring (..), Sighting (..), Sky (..))
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "golden files"
    [ testCase "Sky" $
        golden "test-options/golden/sky.txt" [Clouds 3, Fog 40 (Just 2), Wind 2.5 "NW", Clear]
          >>= (@?= Nothing),
      testCase "Sighting" $
        golden
          "test-options/golden/sighting.txt"
          [Sighting "tern" 2 (Place 1.5 (-3)) (Just "loud") 7]
          >>= (@?= Nothing),
      testCase
        "what is not there is said, accepted, and then the same; and what is different is said \
        \by its line"
        $ withSystemTempDirectory "tern"
        $ \folder -> do
          let path = folder </> "ring.txt"
          missing <- goldenWith False path [Ring 3]
          accepted <- goldenWith True path [Ring 3]
          same <- goldenWith False path [Ring 3]
          other <- goldenWith False path [Ring 4]
          more <- goldenWith False path [Ring 3, Ring 4]
          files <- listDirectory folder
          ( fmap
              (T.isInfixOf "is not there; TERN_ACCEPT=1 writes it")
              missing,
            accepted,
            same,
            files
            )
            @?= (Just True, Nothing, Nothing, ["ring.txt"])
          assertBool
            (show other)
            ( maybe
                False
                ( T.isInfixOf
                    "ring.txt, line 7: expected\n  JSON         3\nfound\n  JSON         4\n"
                )
                other
            )
          assertBool
            (show more)
            ( maybe
                False
                (T.isInfixOf ", line 11: expected\n\nfound\nvalue\n")
                more
            )
    ]
