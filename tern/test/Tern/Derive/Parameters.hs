{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UndecidableInstances #-}

-- | Declarations with parameters of every kind, and the rarer forms, spliced
-- into the modules that derive their instances in different ways. aeson's
-- instances are generic in both.
module Tern.Derive.Parameters
  ( parameters,
    parameterChecks,
  )
where

import Data.Aeson qualified as Aeson
import Data.Kind (Type)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import GHC.Generics (Generic)
import Language.Haskell.TH (Dec, Exp, Q, conT, listE, mkName, stringE)
import Tern.Derive.Declarations (Any, agree)

parameters :: Q [Dec]
parameters =
  [d|
    data Higher f = Higher {wrapped :: f Int, both :: f [Text], plainField :: Int}
      deriving stock (Generic)

    deriving stock instance (Eq (f Int), Eq (f [Text])) => Eq (Higher f)

    deriving stock instance (Show (f Int), Show (f [Text])) => Show (Higher f)

    deriving stock instance (Read (f Int), Read (f [Text])) => Read (Higher f)

    deriving anyclass instance (Any (f Int), Any (f [Text])) => Any (Higher f)

    deriving anyclass instance
      (Aeson.ToJSON (f Int), Aeson.ToJSON (f [Text])) =>
      Aeson.ToJSON (Higher f)

    deriving anyclass instance
      (Aeson.FromJSON (f Int), Aeson.FromJSON (f [Text])) =>
      Aeson.FromJSON (Higher f)

    newtype Composed f g a = Composed {getComposed :: f (g a)}
      deriving stock (Generic)

    deriving stock instance (Eq (f (g a))) => Eq (Composed f g a)

    deriving stock instance (Show (f (g a))) => Show (Composed f g a)

    deriving stock instance (Read (f (g a))) => Read (Composed f g a)

    deriving anyclass instance (Any (f (g a))) => Any (Composed f g a)

    deriving anyclass instance (Aeson.ToJSON (f (g a))) => Aeson.ToJSON (Composed f g a)

    deriving anyclass instance (Aeson.FromJSON (f (g a))) => Aeson.FromJSON (Composed f g a)

    data Program f a = Done a | Step (f (Program f a))
      deriving stock (Generic)

    deriving stock instance (Eq a, Eq (f (Program f a))) => Eq (Program f a)

    deriving stock instance (Show a, Show (f (Program f a))) => Show (Program f a)

    deriving stock instance (Read a, Read (f (Program f a))) => Read (Program f a)

    deriving anyclass instance (Any a, Any (f (Program f a))) => Any (Program f a)

    deriving anyclass instance
      (Aeson.ToJSON a, Aeson.ToJSON (f (Program f a))) =>
      Aeson.ToJSON (Program f a)

    deriving anyclass instance
      (Aeson.FromJSON a, Aeson.FromJSON (f (Program f a))) =>
      Aeson.FromJSON (Program f a)

    -- Each holds the other.
    data Even a = NoneLeft | OneMore a (Odd a)
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any, Aeson.ToJSON, Aeson.FromJSON)

    data Odd a = Odd {oddHead :: a, oddTail :: Even a}
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any, Aeson.ToJSON, Aeson.FromJSON)

    -- A parameter that no field has, of a type without instances.
    data Phantom p = Phantom {phantom :: Int, phantoms :: [Int]}
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any, Aeson.ToJSON, Aeson.FromJSON)

    data Kinded (p :: Bool) (f :: Type -> Type) = Kinded Int | AlsoKinded {kinded :: Text}
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any, Aeson.ToJSON, Aeson.FromJSON)

    -- A record without fields, alone and among others.
    data Empty = Empty {}
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any, Aeson.ToJSON, Aeson.FromJSON)

    data Emptier = Emptier {} | Fuller {fuller :: Bool}
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any, Aeson.ToJSON, Aeson.FromJSON)

    -- A type, a constructor and a field that are operators.
    infixr 5 :>

    data a :/> b = a :> b | (:@) {(<|) :: a, (|>) :: b}
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any, Aeson.ToJSON, Aeson.FromJSON)

    data Strange where
      (:!) :: {-# UNPACK #-} !Int -> !Bool -> Strange
      Strange' :: {strange'1 :: !Int, strange_ :: Bool, _strange :: [Strange]} -> Strange
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any, Aeson.ToJSON, Aeson.FromJSON)
    |]

-- | A type that nothing is known of.
parameterChecks :: Q Exp
parameterChecks =
  listE
    [ check "Higher Maybe" [t|$(t "Higher") Maybe|],
      check "Higher []" [t|$(t "Higher") []|],
      check "Higher (Either Int)" [t|$(t "Higher") (Either Int)|],
      check "Composed" [t|$(t "Composed") Maybe [] Bool|],
      check "Program" [t|$(t "Program") Maybe Int|],
      check "Even" [t|$(t "Even") Text|],
      check "Odd" [t|$(t "Odd") (Maybe Int)|],
      check "Phantom" [t|$(t "Phantom") (Int -> Int)|],
      check "Kinded" [t|$(t "Kinded") 'True Maybe|],
      check "Empty" (t "Empty"),
      check "Emptier" (t "Emptier"),
      check "operators" [t|$(t ":/>") Int Text|],
      check "Strange" (t "Strange")
    ]
  where
    t = conT . mkName
    check name typ = [|agree $(stringE name) (Proxy :: Proxy $typ)|]
