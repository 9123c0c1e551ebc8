-- | Memory by its address: reading, writing, copying and filling. Everybody in the
-- engine but the loop comes to memory through here; `./dev lint` refuses the functions of
-- "Foreign" elsewhere.
--
-- The idea: one door. What goes through it is watched where the package is built without
-- optimisation, as one run of the tests is: an address that is null, or a length or an
-- index below zero, is then an error of this module and not of the system. With
-- optimisation nothing is left of that.
--
-- What a caller owes: the bytes from the address on, as many as are read or written, belong to a
-- block that lives as long as the access ("Tern.Wasm.Lasting" says how addresses are
-- had), and nobody else writes them meanwhile, unless the block's owner has said how.
-- Who takes an address or a length from a guest has compared it with the block's size.
module Tern.Wasm.Prim
  ( -- * Addresses
    Ptr,
    nullPtr,
    plusPtr,
    minusPtr,
    castPtr,
    ptrToWordPtr,
    wordPtrToPtr,

    -- * One value
    Storable (sizeOf),
    peekByteOff,
    pokeByteOff,
    peekElemOff,
    pokeElemOff,

    -- * Bytes
    copyBytes,
    moveBytes,
    fillBytes,
  )
where

import Control.Exception (assert)
import Data.Word (Word8)
import Foreign.Marshal.Utils qualified as Foreign
import Foreign.Ptr (Ptr, castPtr, minusPtr, nullPtr, plusPtr, ptrToWordPtr, wordPtrToPtr)
import Foreign.Storable (Storable (sizeOf))
import Foreign.Storable qualified as Foreign

-- INLINE, here and below: each is one instruction of the processor, at a type that is known
-- where it is used.

-- * One value

-- | At a distance in bytes, which may be negative.
peekByteOff :: (Storable a) => Ptr b -> Int -> IO a
peekByteOff p o = assert (p /= nullPtr) (Foreign.peekByteOff p o)
{-# INLINE peekByteOff #-}

-- | Write at a distance in bytes, which may be negative.
pokeByteOff :: (Storable a) => Ptr b -> Int -> a -> IO ()
pokeByteOff p o x = assert (p /= nullPtr) (Foreign.pokeByteOff p o x)
{-# INLINE pokeByteOff #-}

-- | By an index into a row of values.
peekElemOff :: (Storable a) => Ptr a -> Int -> IO a
peekElemOff p k = assert (p /= nullPtr && k >= 0) (Foreign.peekElemOff p k)
{-# INLINE peekElemOff #-}

-- | Write by an index into a row of values.
pokeElemOff :: (Storable a) => Ptr a -> Int -> a -> IO ()
pokeElemOff p k x = assert (p /= nullPtr && k >= 0) (Foreign.pokeElemOff p k x)
{-# INLINE pokeElemOff #-}

-- * Bytes

-- | To, from, how many bytes. The two places do not overlap.
copyBytes :: Ptr a -> Ptr a -> Int -> IO ()
copyBytes to from n =
  assert (n == 0 || n > 0 && to /= nullPtr && from /= nullPtr) (Foreign.copyBytes to from n)
{-# INLINE copyBytes #-}

-- | The same for places that may overlap.
moveBytes :: Ptr a -> Ptr a -> Int -> IO ()
moveBytes to from n =
  assert (n == 0 || n > 0 && to /= nullPtr && from /= nullPtr) (Foreign.moveBytes to from n)
{-# INLINE moveBytes #-}

-- | To, with what, how many bytes.
fillBytes :: Ptr a -> Word8 -> Int -> IO ()
fillBytes to w n = assert (n == 0 || n > 0 && to /= nullPtr) (Foreign.fillBytes to w n)
{-# INLINE fillBytes #-}
