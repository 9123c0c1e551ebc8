{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingStrategies #-}
-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | What wrote the files of "Tern.Container.StepOverTest".
module Tern.Container.StepOverOld
  ( Event (..),
    Note (..),
  )
where

import Data.Map.Strict (Map)
import Data.Text (Text)
import GHC.Generics (Generic)
import Tern

data Event
  = Quiet
  | Retired Int
  | Sighted {name :: Text, times :: Int}
  | Moved [Event] (Map Text Int)
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

newtype Note = Note {event :: Event}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)
