{-# LANGUAGE GADTs #-}

-- | What is shown of a package that moved over: its types, which have instances for aeson and
-- Tern's beside them.
--
-- The idea: of a type nothing is known but that it has all classes, and its values; so that tests
-- go through all of them, and have nothing to do where the package is not there. What there is
-- stands in "Tern.Moved.Package", of which one is empty.
module Tern.Moved
  ( Moved (..),
    Apart (..),
    Measured (..),
  )
where

import Data.Aeson (FromJSON, ToJSON)
import Data.ByteString (ByteString)
import Tern (Wire)

-- | A type by its name, and a value for each number.
data Moved where
  Moved :: (Eq a, Show a, FromJSON a, ToJSON a, Wire a) => String -> (Int -> a) -> Moved

-- | A document that is read otherwise: what it is, and what aeson's instance and Tern's make of
-- it, which is expected to be so; 'Nothing' where it is refused.
data Apart = Apart
  { apartName :: String,
    apartFound :: (Maybe String, Maybe String),
    apartExpected :: (Maybe String, Maybe String)
  }

-- | A value to be measured, with each library's functions for its type.
data Measured where
  Measured ::
    (Eq a) =>
    { measuredValue :: a,
      -- | Evaluates it whole.
      measuredWhole :: a -> (),
      ternWrites, aesonWrites :: a -> ByteString,
      ternReads, aesonReads :: ByteString -> Maybe a
    } ->
    Measured
