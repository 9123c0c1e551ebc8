{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}

-- | A truth value of a type, as Servant's modifiers of parameters are.
module Tern.Servant.Flag
  ( Flag (..),
  )
where

-- | A type of the kind 'Bool', and which of the two it is.
class Flag (b :: Bool) where
  flag :: Bool

instance Flag 'True where
  flag = True

instance Flag 'False where
  flag = False
