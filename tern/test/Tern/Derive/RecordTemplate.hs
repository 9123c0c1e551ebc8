{-# LANGUAGE TemplateHaskell #-}

-- | Two hundred fields, by Template Haskell.
module Tern.Derive.RecordTemplate (Wide (..), tests) where

import Tern (defaultOptions, deriveWire)
import Tern.Derive.Wide (wideMembers, wideRecord, wideTests, wideValues)
import Tern.Json.Model (Document (Object))
import Test.Tasty (TestTree)

wideRecord [''Eq]

deriveWire defaultOptions ''Wide

values :: [Wide]
values = $wideValues

tests :: [TestTree]
tests = wideTests values (map Object wideMembers)
