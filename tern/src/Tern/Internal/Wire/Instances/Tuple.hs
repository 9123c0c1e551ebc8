{-# LANGUAGE TemplateHaskell #-}
-- The class is in "Tern.Internal.Wire.Class", as for "Tern.Internal.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}
-- At -O2 these two passes alone take ten minutes and 5 GB here, for copies of code that
-- nobody asks for.
{-# OPTIONS_GHC -fno-liberate-case -fno-spec-constr #-}

-- | Tuples of eight to fifteen: what "Tern.Internal.Wire.Container" has of smaller ones, for types
-- that few programs have. They are put together from an array's elements.
module Tern.Internal.Wire.Instances.Tuple () where

import Tern.Internal.Wire.Arity (tupleInstance)

concat <$> traverse tupleInstance [8 .. 15]
