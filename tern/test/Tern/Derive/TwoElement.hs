{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
-- The same as in Tern.Derive.Template but for the options: the optimiser has nothing to add.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}
{-# OPTIONS_GHC -Wno-missing-export-lists -Wno-missing-signatures #-}

-- | Instances with arrays of two elements, single constructors tagged too.
module Tern.Derive.TwoElement where

import Data.Aeson.TH qualified as Aeson
import Tern.Derive
import Tern.Derive.Declarations (checks, declarations, names)
import Test.Tasty (TestTree)

declarations

concat
  <$> mapM
    ( deriveWire
        defaultOptions
          { sumEncoding =
              TwoElemArray,
            tagSingleConstructors = True,
            constructorTagModifier = drop 1
          }
    )
    (names <> [''Rose, ''Forest, ''Term])

concat
  <$> mapM
    ( Aeson.deriveJSON
        Aeson.defaultOptions
          { Aeson.sumEncoding =
              Aeson.TwoElemArray,
            Aeson.tagSingleConstructors = True,
            Aeson.constructorTagModifier = drop 1
          }
    )
    (names <> [''Rose, ''Forest, ''Term])

tests :: [TestTree]
tests = $checks
