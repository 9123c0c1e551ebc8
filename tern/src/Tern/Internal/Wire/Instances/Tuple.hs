{-# LANGUAGE TemplateHaskell #-}
-- The class is in "Tern.Internal.Wire.Class", as for "Tern.Internal.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Tuples of eight to fifteen: what "Tern.Internal.Wire.Container" has of smaller ones, for types
-- that few programs have. They are put together from an array's elements.
module Tern.Internal.Wire.Instances.Tuple () where

import Tern.Internal.Wire.Instances.Arity (tupleInstance)

concat <$> traverse tupleInstance [8 .. 15]
