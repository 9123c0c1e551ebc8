{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -Wno-missing-export-lists -Wno-missing-signatures #-}

-- | Instances whose records are maps with integer keys in MessagePack.
module Tern.Derive.Numbered where

import Tern.Derive
import Tern.Derive.Declarations (declarations, names, packChecks)
import Test.Tasty (TestTree)

declarations

concat
  <$> mapM
    ( deriveWire
        defaultOptions
          { messagePackRecords =
              IntegerKeys (\place _ -> [-40, 0, 127, 128, 70000, -1] !! place),
            omitNothingFields = True
          }
    )
    (names <> [''Rose, ''Forest, ''Term])

tests :: [TestTree]
tests = $packChecks
