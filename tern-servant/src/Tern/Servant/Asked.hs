-- | A request as it came, beside the one that Servant sees.
--
-- The idea: Servant reads a value's content from the request that it is given, whose
-- content a middleware has decompressed within the limits of values. A sequence has other
-- limits, and is read from the request before that.
--
-- Why the key's making is safe: it is made once, whoever asks for it first, and is equal
-- to no other key.
module Tern.Servant.Asked
  ( asItCame,
  )
where

import Data.Vault.Lazy qualified as Vault
import Network.Wai (Request)
import System.IO.Unsafe (unsafePerformIO)

-- | Where the request as it came is kept.
--
-- NOINLINE: there must be one key. Proof: the servant suite, "a sequence has limits of its
-- own".
asItCame :: Vault.Key Request
asItCame = unsafePerformIO Vault.newKey
{-# NOINLINE asItCame #-}
