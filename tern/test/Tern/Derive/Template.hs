{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Instances by Template Haskell with the default options.
module Tern.Derive.Template
  ( module Tern.Derive.Template.Types,
    tests,
  )
where

import Tern.Derive (defaultOptions, deriveWire)
import Tern.Derive.Declarations (checks, names)
import Tern.Derive.Template.Types
import Test.Tasty (TestTree)

concat <$> mapM (deriveWire defaultOptions) (names <> [''Rose, ''Forest, ''Term])

tests :: [TestTree]
tests = $checks
