{-# LANGUAGE TemplateHaskell #-}

-- | Three hundred constructors without fields, by Template Haskell.
module Tern.Derive.NamesTemplate (Names (..), tests) where

import Tern (defaultOptions, deriveWire)
import Tern.Derive.Wide (namesDocuments, namesValues, wideNames, wideTests)
import Test.Tasty (TestTree)

wideNames [''Eq]

deriveWire defaultOptions ''Names

values :: [Names]
values = $namesValues

tests :: [TestTree]
tests = wideTests values namesDocuments
