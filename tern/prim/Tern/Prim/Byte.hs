{-# LANGUAGE MagicHash #-}

-- | A byte of the input. A caller owes an address of memory that it keeps alive.
module Tern.Prim.Byte
  ( byteAt,
  )
where

import GHC.Exts (Addr#, Word#, indexWord8OffAddr#, word8ToWord#)

-- | The byte at an address.
byteAt :: Addr# -> Word#
byteAt a = word8ToWord# (indexWord8OffAddr# a 0#)
{-# INLINE byteAt #-}
