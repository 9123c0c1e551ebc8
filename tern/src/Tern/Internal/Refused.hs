{-# LANGUAGE DataKinds #-}
{-# LANGUAGE TypeFamilies #-}

-- | What a declaration cannot be: an error of the compiler that says why.
--
-- The idea: it is an equality that does not hold. Of a deriving clause GHC takes what it cannot
-- solve into the instance's context, so that a 'TypeError' alone would be said where the instance
-- is used, and never of a type that its package only exports. An equality it does not take: the
-- error stands at the clause.
module Tern.Internal.Refused
  ( Refused,
  )
where

import GHC.TypeLits (ErrorMessage, TypeError)

data Verdict = Accepted

-- | Does not hold, for this reason.
type Refused (why :: ErrorMessage) = (TypeError why :: Verdict) ~ 'Accepted
