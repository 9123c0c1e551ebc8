{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
-- The same as in Tern.Derive.Template but for the options: the optimiser has nothing to add.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}
{-# OPTIONS_GHC -Wno-missing-export-lists -Wno-missing-signatures #-}

-- | Instances with tags and names that must be escaped.
module Tern.Derive.Retagged where

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
              TaggedObject "the \\type" "\955\\",
            allNullaryToStringTag = False,
            tagSingleConstructors = True,
            omitNothingFields = True,
            fieldLabelModifier = (<> "\n\"")
          }
    )
    (names <> [''Rose, ''Forest, ''Term])

concat
  <$> mapM
    ( Aeson.deriveJSON
        Aeson.defaultOptions
          { Aeson.sumEncoding =
              Aeson.TaggedObject "the \\type" "\955\\",
            Aeson.allNullaryToStringTag = False,
            Aeson.tagSingleConstructors = True,
            Aeson.omitNothingFields = True,
            Aeson.fieldLabelModifier = (<> "\n\"")
          }
    )
    (names <> [''Rose, ''Forest, ''Term])

tests :: [TestTree]
tests = $checks
