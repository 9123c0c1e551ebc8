{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}
{-# OPTIONS_GHC -Wno-missing-export-lists #-}

-- | Types with parameters of every kind, by generics.
module Tern.Derive.ParametersGenerics where

import Data.Kind (Type)
import Data.Text (Text)
import Data.Typeable (Typeable)
import Tern
import Tern.Derive.Parameters (parameterChecks, parameters)
import Test.Tasty (TestTree)

parameters

deriving anyclass instance (Typeable f, Wire (f Int), Wire (f [Text])) => Wire (Higher f)

deriving anyclass instance
  (Typeable j, Typeable k, Typeable a, Typeable f, Typeable g, Wire (f (g a))) =>
  Wire (Composed (f :: k -> Type) g (a :: j))

deriving anyclass instance (Typeable f, Wire a, Wire (f (Program f a))) => Wire (Program f a)

deriving anyclass instance (Wire a) => Wire (Even a)

deriving anyclass instance (Wire a) => Wire (Odd a)

deriving anyclass instance (Typeable k, Typeable p) => Wire (Phantom (p :: k))

deriving anyclass instance (Typeable f, Typeable p) => Wire (Kinded p f)

deriving anyclass instance Wire Empty

deriving anyclass instance Wire Emptier

deriving anyclass instance (Wire a, Wire b) => Wire (a :/> b)

deriving anyclass instance Wire Strange

tests :: [TestTree]
tests = $parameterChecks
