{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -Wno-missing-export-lists -Wno-missing-signatures #-}
{-# OPTIONS_GHC -fplugin=Test.Inspection.Plugin #-}

-- | What the compiler made of instances by generics.
module Tern.Inspect.Generics where

import Tern (Wire)
import Tern.Inspect.Checks (checks, functions, types)
import Test.Tasty (TestTree)

types

deriving anyclass instance Wire Five

deriving anyclass instance Wire TwentyFive

deriving anyclass instance Wire Hundred

deriving anyclass instance Wire Mixed

deriving anyclass instance Wire Shape

deriving anyclass instance Wire Colour

deriving anyclass instance (Wire a) => Wire (Pair a)

deriving anyclass instance Wire Holder

functions

tests :: [TestTree]
tests = $checks
