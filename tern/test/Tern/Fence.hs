{-# LANGUAGE CApiFFI #-}
{-# LANGUAGE CPP #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Input that nothing may be read beside.
--
-- The idea: its bytes lie at the end of a page, or at the start of one, and the page that
-- follows or comes before may not be looked at. A reader that reads a byte too many ends
-- the process there, and does not find what happens to lie beside it. On Windows, which has
-- other calls for it, there is no fence.
module Tern.Fence
  ( fenced,
    Side (..),
  )
where

#if defined(mingw32_HOST_OS)
import Data.ByteString (ByteString)
#else
import Control.Exception (bracket, evaluate)
import Control.Monad (void, when)
import Data.Bits ((.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Internal qualified as B (fromForeignPtr)
import Data.ByteString.Unsafe qualified as B (unsafeUseAsCStringLen)
import Foreign.C.Types (CInt (..), CLong (..), CSize (..))
import Foreign.ForeignPtr (newForeignPtr_)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (Ptr, castPtr, nullPtr, plusPtr)
import System.IO.Unsafe (unsafePerformIO)
#endif

-- | On which side of the input the fence stands right beside it.
data Side = Before | After
  deriving stock (Eq, Show)

#if defined(mingw32_HOST_OS)
fenced :: Side -> ByteString -> (ByteString -> b) -> b
fenced _ input f = f input
#else
-- | What a function gives of a copy of the input that is fenced in on both sides. The
-- copy is gone when that is evaluated, so that nothing in it may hold the input.
fenced :: Side -> ByteString -> (ByteString -> b) -> b
fenced side input f = unsafePerformIO . bracket (mapped size) (`unmapped` size) $ \base -> do
  closed base
  closed (base `plusPtr` (page + inner))
  let start = base `plusPtr` (page + if side == After then inner - B.length input else 0)
  B.unsafeUseAsCStringLen input (\(from, n) -> copyBytes start (castPtr from) n)
  owner <- newForeignPtr_ start
  evaluate (f (B.fromForeignPtr owner 0 (B.length input)))
  where
    inner = max 1 ((B.length input + page - 1) `div` page) * page
    size = inner + 2 * page
    closed at = do
      failed <- c_mprotect (at :: Ptr ()) (fromIntegral page) c_none
      when (failed /= 0) (ioError (userError "mprotect failed"))

-- | Of the largest of the platforms that are tested.
page :: Int
page = 65536

mapped :: Int -> IO (Ptr a)
mapped size = do
  base <- c_mmap nullPtr (fromIntegral size) readWrite privately (-1) 0
  when (base == nullPtr `plusPtr` (-1)) (ioError (userError "mmap failed"))
  pure base

unmapped :: Ptr a -> Int -> IO ()
unmapped base size = void (c_munmap base (fromIntegral size))

foreign import capi unsafe "sys/mman.h mmap"
  c_mmap :: Ptr a -> CSize -> CInt -> CInt -> CInt -> CLong -> IO (Ptr a)

foreign import capi unsafe "sys/mman.h munmap" c_munmap :: Ptr a -> CSize -> IO CInt

foreign import capi unsafe "sys/mman.h mprotect" c_mprotect :: Ptr a -> CSize -> CInt -> IO CInt

foreign import capi "sys/mman.h value PROT_NONE" c_none :: CInt

foreign import capi "sys/mman.h value PROT_READ" c_read :: CInt

foreign import capi "sys/mman.h value PROT_WRITE" c_write :: CInt

foreign import capi "sys/mman.h value MAP_PRIVATE" c_map_private :: CInt

foreign import capi "sys/mman.h value MAP_ANONYMOUS" c_anonymous :: CInt

readWrite, privately :: CInt
readWrite = c_read .|. c_write
privately = c_map_private .|. c_anonymous
#endif
