{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The record that streams and containers are measured with: about a hundred bytes
-- of JSON, of five types. Start at 'sighting'.
module Tern.Bench.Sighting
  ( Sighting (..),
    sighting,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern (Wire)

data Sighting = Sighting
  { number :: !Int,
    species :: !Text,
    ringed :: !Bool,
    distance :: !Double,
    wing :: !(Maybe Int)
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | The n-th; each is another.
sighting :: Int -> Sighting
sighting n =
  Sighting
    n
    (T.append "Sterna paradisaea, ring " (T.pack (show n)))
    (even n)
    (fromIntegral n * 0.6180339887)
    (if n `rem` 3 == 0 then Nothing else Just (n `rem` 400))
