{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -Wno-missing-export-lists #-}

-- | Types with parameters of every kind, by generics.
module Tern.Derive.ParametersGenerics where

import Data.Text (Text)
import Tern
import Tern.Derive.Parameters
import Test.Tasty (TestTree)

parameters

deriving anyclass instance (Wire (f Int), Wire (f [Text])) => Wire (Higher f)

deriving anyclass instance (Wire (f (g a))) => Wire (Composed f g a)

deriving anyclass instance (Wire a, Wire (f (Program f a))) => Wire (Program f a)

deriving anyclass instance (Wire a) => Wire (Even a)

deriving anyclass instance (Wire a) => Wire (Odd a)

deriving anyclass instance Wire (Phantom p)

deriving anyclass instance Wire (Kinded p f)

deriving anyclass instance Wire Empty

deriving anyclass instance Wire Emptier

deriving anyclass instance (Wire a, Wire b) => Wire (a :/> b)

deriving anyclass instance Wire Strange

tests :: [TestTree]
tests = $parameterChecks
