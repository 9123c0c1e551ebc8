-- | A record of the kinds of field that documents have.
module Tern.Bench.Mixed.Record
  ( Mixed (..),
    sample,
    different,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern.Lab.Random (below, integers, letters, seed)

data Mixed by = Mixed
  { count :: !Int,
    name :: !Text,
    active :: !Bool,
    ratio :: !Double,
    limit :: !(Maybe Int)
  }
  deriving stock (Eq, Generic, Show)

sample :: Mixed by
sample =
  Mixed
    { count =
        1234,
      name = T.pack "Sterna paradisaea",
      active = True,
      ratio = 0.6180339887,
      limit = Just 30
    }
{-# NOINLINE sample #-}

-- | The n-th of many: numbers of one digit to ten, names of 3 to 24 letters, ratios of at
-- most nine decimals, from a tenth on.
different :: Int -> Mixed by
different n = case integers state4 of
  count : limited : _ ->
    Mixed
      { count,
        name,
        active = active == 0,
        ratio = fromIntegral (100000000 + part) / 1000000000,
        limit =
          if present == 0
            then Nothing
            else Just limited
      }
  _ -> sample
  where
    (name, state1) = letters 3 24 (seed n)
    (active, state2) = below 2 state1
    (part, state3) = below 900000000 state2
    (present, state4) = below 3 state3
