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
    [ testCase "a pragma that reads interfaces without their pragmas, or inlines, is named" $
        unoptimisedIn
          "A.hs"
          ( unlines
              [ "{-# LANGUAGE MagicHash #-}",
                "{-# OPTIONS_GHC -O0 " <> whole <> " " <> plain <> " #-}",
                "{-# OPTIONS_GHC -Wall -O0 " <> plain <> " #-}",
                "{-# OPTIONS_GHC -O0 " <> whole <> " #-}",
                "{-# OPTIONS_GHC -O1 #-}"
              ]
          )
          @?= [Unoptimised "A.hs" 3 [whole], Unoptimised "A.hs" 4 [plain]],
      testCase "so is a line of a file of options" $
        unoptimisedIn "a.options" ("-O0 " <> plain <> " " <> whole <> "\n-O0\n")
          @?= [Unoptimised "a.options" 2 [whole, plain]],
      testCase "it is said in words" $
        renderUnoptimised (Unoptimised "A.hs" 3 [whole, plain])
          @?= "A.hs:3: modules beside this one lose their inlining, or this one is inlined for \
              \nothing; add -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0",
      testCase "no module of this checkout takes optimisation from others" $ do
        found <- readUnoptimised ".."
        unlines (map renderUnoptimised found) @?= ""
    ]
  where
    whole = "-fno-ignore-interface-pragmas"
    plain = "-fmax-simplifier-iterations=0"
