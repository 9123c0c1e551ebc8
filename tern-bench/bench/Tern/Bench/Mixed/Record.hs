-- | A record of the kinds of field that documents have.
module Tern.Bench.Mixed.Record
  ( Mixed (..),
    sample,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)

data Mixed by = Mixed
  { count :: !Int,
    name :: !Text,
    active :: !Bool,
    ratio :: !Double,
    limit :: !(Maybe Int)
  }
  deriving stock (Eq, Generic, Show)

sample :: Mixed by
sample = Mixed {count = 1234, name = T.pack "Sterna paradisaea", active = True, ratio = 0.6180339887, limit = Just 30}
{-# NOINLINE sample #-}
