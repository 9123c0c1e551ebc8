{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
-- The same as in Tern.Derive.Template but for the options: the optimiser has nothing to add.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}
{-# OPTIONS_GHC -Wno-missing-export-lists -Wno-missing-signatures #-}

-- | Instances whose records are arrays in MessagePack.
module Tern.Derive.Placed where

import Tern.Derive
import Tern.Derive.Declarations (declarations, names, packChecks)
import Test.Tasty (TestTree)

declarations

concat
  <$> mapM
    ( deriveWire
        defaultOptions
          { messagePackRecords =
              Positions,
            sumEncoding = TwoElemArray
          }
    )
    (names <> [''Rose, ''Forest, ''Term])

tests :: [TestTree]
tests = $packChecks
