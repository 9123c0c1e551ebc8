{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}

-- | Two hundred fields, by generics.
module Tern.Derive.RecordGenerics (Wide (..), tests) where

import GHC.Generics (Generic)
import Tern (Wire)
import Tern.Derive.Wide (wideMembers, wideRecord, wideTests, wideValues)
import Tern.Json.Model (Document (Object))
import Test.Tasty (TestTree)

wideRecord [''Eq, ''Generic]

deriving anyclass instance Wire Wide

values :: [Wide]
values = $wideValues

tests :: [TestTree]
tests = wideTests values (map Object wideMembers)
