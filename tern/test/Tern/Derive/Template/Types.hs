{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
-- Only Tern's instances of these are to be optimised. What others derive takes longer.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}
{-# OPTIONS_GHC -Wno-missing-export-lists #-}

-- | The types of "Tern.Derive.Template", with aeson's instances by Template Haskell.
module Tern.Derive.Template.Types where

import Data.Aeson.TH qualified as Aeson
import Tern.Derive.Declarations (declarations, names)

declarations

concat <$> mapM (Aeson.deriveJSON Aeson.defaultOptions) (names <> [''Rose, ''Forest, ''Term])
