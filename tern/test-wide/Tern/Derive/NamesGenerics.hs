{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}

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
