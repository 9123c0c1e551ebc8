{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -Wno-missing-export-lists -Wno-missing-signatures #-}
{-# OPTIONS_GHC -fplugin=Test.Inspection.Plugin #-}

-- | What the compiler made of instances by Template Haskell.
module Tern.Inspect.Template where

import Tern (defaultOptions, deriveWire)
import Tern.Inspect.Checks (checks, functions, types)
import Test.Tasty (TestTree)

types

concat
  <$> mapM
    (deriveWire defaultOptions)
    [ ''Five,
      ''TwentyFive,
      ''Hundred,
      ''Mixed,
      ''Shape,
      ''Colour,
      ''Pair,
      ''Holder
    ]

functions

tests :: [TestTree]
tests = $checks
