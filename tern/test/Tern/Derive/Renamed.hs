{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
-- The same as in Tern.Derive.Template but for the options: the optimiser has nothing to add.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}
{-# OPTIONS_GHC -Wno-missing-export-lists -Wno-missing-signatures #-}

-- | Instances with other names, objects with one field, absent fields left away.
module Tern.Derive.Renamed where

import Data.Aeson qualified as Aeson (camelTo2)
import Data.Aeson.TH qualified as Aeson
import Tern.Derive
import Tern.Derive.Declarations (checks, declarations, names)
import Test.Tasty (TestTree)

declarations

concat
  <$> mapM
    ( deriveWire
        defaultOptions
          { fieldLabelModifier =
              camelTo2 '_',
            constructorTagModifier = camelTo2 '-',
            sumEncoding = ObjectWithSingleField,
            omitNothingFields = True,
            unwrapUnaryRecords = True
          }
    )
    (names <> [''Rose, ''Forest, ''Term])

concat
  <$> mapM
    ( Aeson.deriveJSON
        Aeson.defaultOptions
          { Aeson.fieldLabelModifier =
              Aeson.camelTo2 '_',
            Aeson.constructorTagModifier = Aeson.camelTo2 '-',
            Aeson.sumEncoding = Aeson.ObjectWithSingleField,
            Aeson.omitNothingFields = True,
            Aeson.unwrapUnaryRecords = True
          }
    )
    (names <> [''Rose, ''Forest, ''Term])

tests :: [TestTree]
tests = $checks
