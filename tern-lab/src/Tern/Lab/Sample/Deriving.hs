-- | Whose instances a model carries.
--
-- The same declaration is given instances by GHC's generics and by Template
-- Haskell. A class has one instance for a type, so each way has a newtype.
module Tern.Lab.Sample.Deriving
  ( ByGeneric (..),
    ByTemplate (..),
  )
where

newtype ByGeneric a = ByGeneric a

newtype ByTemplate a = ByTemplate a
