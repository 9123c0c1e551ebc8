{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -Wno-missing-export-lists -Wno-missing-signatures #-}
{-# OPTIONS_GHC -fplugin=Test.Inspection.Plugin #-}

-- | What the compiler made of instances with options as types.
module Tern.Inspect.Options where

import Tern
import Tern.Inspect.Checks (checks, functions, types)
import Test.Tasty (TestTree)

types

type Renamed =
  WithOptions '[FieldLabelModifier '[StripPrefix "field", CamelToSnake], RejectUnknownFields]

deriving via (Renamed Five) instance Wire Five

deriving via (Renamed TwentyFive) instance Wire TwentyFive

deriving via (Renamed Hundred) instance Wire Hundred

deriving via
  ( WithOptions
      '[ OmitNothingFields,
         FieldAlias "count" '["number"],
         FieldDefault "ratio" 1
       ]
      Mixed
  )
  instance
    Wire Mixed

deriving via
  ( WithOptions
      '[ SumTaggedObject
           "kind"
           "value",
         ConstructorTagModifier CamelToKebab
       ]
      Shape
  )
  instance
    Wire Shape

deriving via (WithOptions '[ConstructorTagModifier LowerFirst] Colour) instance Wire Colour

deriving via
  (WithOptions '[FieldLabelModifier UpperFirst] (Pair a))
  instance
    (Wire a) =>
    Wire (Pair a)

deriving via
  ( WithOptions
      '[ FieldFlattened
           "here"
           '[FieldLabelModifier (AddPrefix "here_")],
         FieldLabelModifier CamelToKebab
       ]
      Holder
  )
  instance
    Wire Holder

functions

tests :: [TestTree]
tests = $checks
