{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -Wno-missing-export-lists -Wno-missing-signatures #-}
{-# OPTIONS_GHC -fplugin=Test.Inspection.Plugin #-}

-- | What the compiler made of the library's own types with parameters.
module Tern.Inspect.Instances where

import Tern.Inspect.Parameters (checks, functions)
import Test.Tasty (TestTree)

functions

tests :: [TestTree]
tests = $checks
