{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
-- The optimiser takes a minute; that by Template Haskell is optimised.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

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
