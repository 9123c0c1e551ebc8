-- | How much a store may have, and what it has left of it.
--
-- Start at 'Settings'.
module Tern.Wasm.Settings
  ( Settings (..),
    defaultSettings,
    Account (..),
    newAccount,
  )
where

import Data.Word (Word32)
import Tern.Wasm.Allowance (Allowance, newAllowance)

-- | How much a store may have and its code may use.
data Settings = Settings
  { -- | Bytes of the stack for the frames of WebAssembly functions.
    settingStack :: !Int,
    -- | Pages of 64 KiB that all memories together may have.
    settingPages :: !Word32,
    -- | Elements that all tables together may have.
    settingElements :: !Word32,
    -- | Bytes of whatever else a guest can make the host hold: structures, arrays,
    -- exceptions that are referred to, globals, element segments, functions and their
    -- code, and the records of memories, tables and instances.
    settingHeap :: !Int,
    -- | Whether to collect before each object is made, and to spoil what was taken away:
    -- slow, for tests of who holds what.
    settingEagerly :: !Bool
  }
  deriving stock (Eq, Show)

-- | 1 MiB of stack, 4 GiB of memories, ten million elements of tables, 256 MiB of
-- everything else, collected when it is time to.
defaultSettings :: Settings
defaultSettings = Settings 1048576 65536 10000000 268435456 False

-- | What a store may have in all: pages of memories, elements of tables, and bytes of
-- the rest ('settingHeap').
data Account = Account
  { accountPages :: !Allowance,
    accountElements :: !Allowance,
    accountHeap :: !Allowance,
    -- | Bytes of native code, as many as of the heap: where they are used up code is
    -- interpreted.
    accountNative :: !Allowance
  }

-- | What a store with these settings may take, of which nothing is taken yet.
newAccount :: Settings -> IO Account
newAccount settings =
  Account
    <$> newAllowance (fromIntegral (settingPages settings))
    <*> newAllowance (fromIntegral (settingElements settings))
    <*> newAllowance (settingHeap settings)
    <*> newAllowance (settingHeap settings)
