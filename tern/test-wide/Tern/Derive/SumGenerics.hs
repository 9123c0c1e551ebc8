{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
-- Optimised, this module alone takes as long to compile as the library.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Three hundred constructors, by generics.
module Tern.Derive.SumGenerics (Many (..), tests) where

import GHC.Generics (Generic)
import Tern (Wire)
import Tern.Derive.Wide (manyDocuments, manyValues, wideSum, wideTests)
import Test.Tasty (TestTree)

wideSum [''Eq, ''Generic]

deriving anyclass instance Wire Many

values :: [Many]
values = $manyValues

tests :: [TestTree]
tests = wideTests values manyDocuments
