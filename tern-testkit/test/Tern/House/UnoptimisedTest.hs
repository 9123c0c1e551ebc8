-- | A module without optimisation takes it from no other.
module Tern.House.UnoptimisedTest (tests) where

import Tern.House.Unoptimised
  ( Unoptimised (..),
    readUnoptimised,
    renderUnoptimised,
    unoptimisedIn,
  )
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "without optimisation"
    [ testCase "a pragma that reads interfaces without their pragmas is named" $
        unoptimisedIn
          "A.hs"
          ( unlines
              [ "{-# LANGUAGE MagicHash #-}",
                "{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas #-}",
                "{-# OPTIONS_GHC -Wall -O0 #-}",
                "{-# OPTIONS_GHC -O1 #-}"
              ]
          )
          @?= [Unoptimised "A.hs" 3],
      testCase "so is a line of a file of options" $
        unoptimisedIn "a.options" "-O0 -fno-ignore-interface-pragmas\n-O0\n"
          @?= [Unoptimised "a.options" 2],
      testCase "it is said in words" $
        renderUnoptimised (Unoptimised "A.hs" 3)
          @?= "A.hs:3: modules beside this one lose their inlining; add \
              \-fno-ignore-interface-pragmas",
      testCase "no module of this checkout takes optimisation from others" $ do
        found <- readUnoptimised ".."
        unlines (map renderUnoptimised found) @?= ""
    ]
