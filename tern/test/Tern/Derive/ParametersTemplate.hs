{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}
{-# OPTIONS_GHC -Wno-missing-export-lists #-}

-- | Types with parameters of every kind, by Template Haskell.
module Tern.Derive.ParametersTemplate where

import Tern
import Tern.Derive.Parameters (parameterChecks, parameters)
import Test.Tasty (TestTree)

parameters

concat
  <$> mapM
    (deriveWire defaultOptions)
    [ ''Higher,
      ''Composed,
      ''Program,
      ''Even,
      ''Odd,
      ''Phantom,
      ''Kinded,
      ''Empty,
      ''Emptier,
      ''(:/>),
      ''Strange
    ]

tests :: [TestTree]
tests = $parameterChecks
