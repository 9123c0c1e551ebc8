{-# LANGUAGE TemplateHaskell #-}
-- The class is in "Tern.Wire.Class", as for "Tern.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Tuples of eight to fifteen: what "Tern.Wire.Container" has of smaller ones, for types
-- that few programs have. They are put together from an array's elements.
module Tern.Wire.Instances.Tuple () where

import Tern.Wire.Instances.Arity (tupleInstance)

concat <$> traverse tupleInstance [8 .. 15]
