{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -Wno-missing-export-lists -Wno-missing-signatures #-}

-- | Instances by Template Haskell with the default options.
module Tern.Derive.Template where

import Data.Aeson.TH qualified as Aeson
import Tern.Derive
import Tern.Derive.Declarations (checks, declarations, names)
import Test.Tasty (TestTree)

declarations

concat <$> mapM (deriveWire defaultOptions) (names <> [''Rose, ''Forest, ''Term])

concat <$> mapM (Aeson.deriveJSON Aeson.defaultOptions) (names <> [''Rose, ''Forest, ''Term])

tests :: [TestTree]
tests = $checks
