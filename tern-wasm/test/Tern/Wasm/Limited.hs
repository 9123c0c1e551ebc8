-- | Less of what the system gives, for a moment.
module Tern.Wasm.Limited (limited) where

import Control.Exception (bracket_)
import System.Posix.Resource
  ( Resource,
    ResourceLimit (..),
    ResourceLimits (..),
    getResourceLimit,
    setResourceLimit,
  )

-- | Run an action while the process may have so much of a resource.
limited :: Resource -> Integer -> IO a -> IO a
limited resource most action = do
  limits <- getResourceLimit resource
  bracket_
    (setResourceLimit resource limits {softLimit = ResourceLimit most})
    (setResourceLimit resource limits)
    action
