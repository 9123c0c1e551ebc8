{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
-- The optimiser takes more than a minute and 2 GB; those by Template Haskell are optimised.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Three hundred constructors without fields, by generics.
module Tern.Derive.NamesGenerics (Names (..), tests) where

import GHC.Generics (Generic)
import Tern (Wire)
import Tern.Derive.Wide (namesDocuments, namesValues, wideNames, wideTests)
import Test.Tasty (TestTree)

wideNames [''Eq, ''Generic]

deriving anyclass instance Wire Names

values :: [Names]
values = $namesValues

tests :: [TestTree]
tests = wideTests values namesDocuments
