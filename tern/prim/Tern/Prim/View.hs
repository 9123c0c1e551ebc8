{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Pieces of a document as values of their own, without a copy.
--
-- The idea: a piece lies in memory that the document's bytes keep, and lives as long as
-- whoever keeps them. A reader knows addresses alone; so who keeps them is written down at
-- an address too, that of a 'Keeper', by a stable pointer.
--
-- A caller owes that the keeper's address is used before 'releaseKeeper' alone, and that
-- pieces lie in the memory that it was made of. Nobody writes to a document's bytes: that is
-- what makes an array of them a text's.
module Tern.Prim.View
  ( Keeper,
    newKeeper,
    keeperAddress,
    releaseKeeper,
    bytesAt,
    textAt,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Internal (ByteString (..))
import Data.Text (Text)
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import Foreign.ForeignPtr (finalizeForeignPtr)
import Foreign.StablePtr
  ( StablePtr,
    castPtrToStablePtr,
    castStablePtrToPtr,
    deRefStablePtr,
    freeStablePtr,
    newStablePtr,
  )
import Foreign.Storable (pokeByteOff)
import GHC.Exts
import GHC.ForeignPtr
  ( ForeignPtr (..),
    ForeignPtrContents (..),
    addForeignPtrConcFinalizer,
    mallocForeignPtrBytes,
    unsafeWithForeignPtr,
  )
import GHC.IO (IO (..))
import Tern.Prim.Text (fromValid)

-- | Two words: one that is whoever's that has the address, and the stable pointer.
newtype Keeper = Keeper (ForeignPtr ())

-- | Of a document's memory. The stable pointer is freed by 'releaseKeeper'; or by the
-- collector, where a reader was stopped from outside and nobody goes on with it.
newKeeper :: ByteString -> IO Keeper
newKeeper (BS (ForeignPtr _ contents) _) = do
  stable <- newStablePtr contents
  words' <- mallocForeignPtrBytes 16
  unsafeWithForeignPtr words' (\p -> pokeByteOff p 8 (castStablePtrToPtr stable))
  addForeignPtrConcFinalizer words' (freeStablePtr stable)
  pure (Keeper words')

-- | What 'bytesAt' and 'textAt' are given. The address does not keep the keeper: 'releaseKeeper'
-- does, which comes after its last use.
keeperAddress :: Keeper -> Ptr ()
keeperAddress (Keeper (ForeignPtr a _)) = Ptr a

-- | The address may have been used up to here, and not afterwards.
releaseKeeper :: Keeper -> IO ()
releaseKeeper (Keeper words') = finalizeForeignPtr words'

-- | The memory that a keeper's address stands for.
contentsAt :: Addr# -> State# RealWorld -> (# State# RealWorld, ForeignPtrContents #)
contentsAt keeper s = case readAddrOffAddr# keeper 1# s of
  (# s1, stable #) -> case deRefStablePtr
    ( castPtrToStablePtr (Ptr stable) ::
        StablePtr ForeignPtrContents
    ) of
    IO f -> f s1

-- | @n@ bytes at an address, by the keeper's address.
bytesAt :: Addr# -> Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, ByteString #)
bytesAt keeper a n s = case contentsAt keeper s of
  (# s1, contents #) -> (# s1, BS (ForeignPtr a contents) (I# n) #)

-- | The text of @n@ bytes that are well formed. Where the memory is none of Haskell's own it
-- is a copy.
textAt :: Addr# -> Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Text #)
textAt keeper a n s = case contentsAt keeper s of
  (# s1, contents #) -> case contents of
    PlainPtr array -> (# s1, piece array #)
    MallocPtr array _ -> (# s1, piece array #)
    PlainForeignPtr _ -> fromValid a n s1
    FinalPtr -> fromValid a n s1
  where
    piece array =
      Text
        (TA.ByteArray (unsafeCoerce# array))
        (I# (minusAddr# a (mutableByteArrayContents# array)))
        (I# n)
