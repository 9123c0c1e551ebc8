-- | Whose instances a model carries.
--
-- Instances can come from GHC's generics or from Template Haskell, and a class
-- has one instance for a type. So each sample is declared once, with a
-- parameter that stands for nothing: its tag chooses the instances, and
-- 'Data.Coerce.coerce' leads from one to the other at no cost.
module Tern.Lab.Sample.Deriving
  ( ByGeneric,
    ByTemplate,
  )
where

-- | Instances by "GHC.Generics".
data ByGeneric

-- | Instances by Template Haskell.
data ByTemplate
