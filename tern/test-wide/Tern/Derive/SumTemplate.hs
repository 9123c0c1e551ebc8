{-# LANGUAGE TemplateHaskell #-}
-- What a derivation says does not depend on its level of optimisation, and the optimiser takes a
-- minute: names by Template Haskell are optimised.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Three hundred constructors, by Template Haskell.
module Tern.Derive.SumTemplate (Many (..), tests) where

import Tern (defaultOptions, deriveWire)
import Tern.Derive.Wide (manyDocuments, manyValues, wideSum, wideTests)
import Test.Tasty (TestTree)

wideSum [''Eq]

deriveWire defaultOptions ''Many

values :: [Many]
values = $manyValues

tests :: [TestTree]
tests = wideTests values manyDocuments
