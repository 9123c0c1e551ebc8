-- | Editions of the specification.
module Tern.Wasm.Rules
  ( Rules (..),
  )
where

-- | By which edition to judge.
data Rules
  = -- | At most one result and one table; the labels of a branch table have the
    -- same types.
    Rules1
  | -- | One memory, and only numbers, vectors and references to functions and
    -- to the host.
    Rules2
  | Rules3
  deriving stock (Eq, Ord, Show)
