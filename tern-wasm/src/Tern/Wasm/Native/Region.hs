-- | Memory for native code, and the way in and out of it.
--
-- The idea: code is written to fresh pages of its own, which then lose the right to
-- be written and get the right to be run; never have they both. A function's pages
-- are freed when nothing refers to them any more. A few instructions that all code
-- shares are written once.
--
-- What a caller owes: code that is entered was made by "Tern.Wasm.Native.Emit" for
-- the instance whose block is given, and is kept while it runs; memory, frame and
-- block are as for "Tern.Wasm.Exec". Why it is safe, given that: the same as there.
--
-- Start at 'executable' and 'run'.
module Tern.Wasm.Native.Region
  ( available,
    processor,
    executable,
    run,
    returnStub,
    callStub,
  )
where

import Control.Monad (forM_, void)
import Data.Bits (bit, complement, testBit, (.|.))
import Data.Maybe (isJust)
import Foreign.C.Types (CInt (..), CSize (..))
import Foreign.Concurrent qualified as Concurrent
import Foreign.Ptr (FunPtr, castPtrToFunPtr)
import System.IO.Unsafe (unsafePerformIO)
import System.Info (arch, os)
import System.Posix.Types (COff (..))
import Tern.Wasm.Code (exitCall, exitLeave, exitUnreachable, gateAddress)
import Tern.Wasm.Lasting (Keeper, Lasting, lasting)
import Tern.Wasm.Layout
  ( instCode,
    instExitFrame,
    instExitIp,
    instFuel,
    instMemoryEnd,
    instMemoryEnds,
    instReturns,
    instReturnsEnd,
  )
import Tern.Wasm.Native.Assembler
  ( Arithmetic (..),
    Assembler,
    Condition (..),
    Operand (..),
    Shift (..),
    Size (..),
    address,
    arithmetic,
    arithmeticImmediate,
    finish,
    identify,
    jump,
    jumpIf,
    jumpTo,
    load,
    loadImmediate,
    loadLabel,
    new,
    newLabel,
    place,
    placeOf,
    pop,
    push,
    rax,
    rbp,
    rbx,
    rcx,
    rdi,
    rdx,
    ret,
    rsi,
    rsp,
    savedState,
    shiftBy,
    store,
  )
import Tern.Wasm.Native.Processor (Processor (..), oldest)
import Tern.Wasm.Prim (Ptr, minusPtr, nullPtr, plusPtr)

foreign import ccall unsafe "mmap"
  mapPages ::
    Ptr () -> CSize -> CInt -> CInt -> CInt -> COff -> IO (Ptr ())

foreign import ccall unsafe "mprotect" protectPages :: Ptr () -> CSize -> CInt -> IO CInt

foreign import ccall unsafe "munmap" unmapPages :: Ptr () -> CSize -> IO CInt

-- Unsafe: the code runs for a slice of fuel at most, and calls nothing.
foreign import ccall unsafe "dynamic"
  callIn ::
    FunPtr (Ptr () -> Ptr () -> Int -> Ptr () -> Ptr () -> IO Int) ->
    Ptr () ->
    Ptr () ->
    Int ->
    Ptr () ->
    Ptr () ->
    IO Int

foreign import ccall unsafe "dynamic" callPlain :: FunPtr (IO Int) -> IO Int

-- | Code at pages of its own that can be run and not be written, held by a keeper;
-- 'Nothing' where the system does not give any.
executable :: Keeper -> Assembler -> IO (Maybe Lasting)
executable keeper a = pages a >>= mapM held
  where
    held (Pages p size begin) =
      Concurrent.newForeignPtr (p `plusPtr` begin) (void (unmapPages p size)) >>= lasting keeper

-- | Pages with code: where they are, their bytes, and after how many of these it begins.
data Pages = Pages !(Ptr ()) !CSize !Int

-- | The same, never given back.
--
-- Code begins somewhere in its first page, where it has room: what begins at the same place of
-- very many pages is all in the same few sets of the processor's caches.
pages :: Assembler -> IO (Maybe Pages)
pages a
  | arch /= "x86_64" || os /= "linux" = pure Nothing
  | otherwise = finish a >>= maybe (pure Nothing) (uncurry mapped)
  where
    mapped :: Int -> (Ptr () -> IO ()) -> IO (Maybe Pages)
    mapped n write = do
      -- Linux's numbers: read and write, then read and execute; private, anonymous.
      p <- mapPages nullPtr size (1 .|. 2) (0x02 .|. 0x20) (-1) 0
      if p == nullPtr `plusPtr` (-1)
        then pure Nothing
        else do
          let begin = 64 * ((p `minusPtr` nullPtr) `div` page * 17 `mod` (left `div` 64 + 1))
          write (p `plusPtr` begin)
          refused <- protectPages p size (1 .|. 4)
          if refused /= 0
            then Nothing <$ unmapPages p size
            else pure (Just (Pages p size begin))
      where
        size = fromIntegral (n + left)
        left = negate n `mod` page
    page = 4096

-- | What all native code shares: how it is entered, what a return to code that is
-- not native leads to, and what a call of a function without native code leads to.
data Shared = Shared
  { -- | Never given back.
    sharedCode :: !(Ptr ()),
    sharedReturn :: !Int,
    sharedCall :: !Int,
    sharedProcessor :: !Processor
  }

-- | How many bytes of the system's stack return addresses may take. Those that were
-- pushed before are forgotten where there is no more room: a return then goes by the
-- frame's link.
mostReturns :: Int
mostReturns = 65536

-- NOINLINE: there is one.
shared :: Maybe Shared
shared = unsafePerformIO $ do
  a <- new
  probe a
  pages a >>= \case
    Nothing -> pure Nothing
    Just (Pages probing size begin) -> do
      features <- callPlain (castPtrToFunPtr (probing `plusPtr` begin))
      void (unmapPages probing size)
      -- SSSE3, SSE4.1 and SSE4.2 for vectors and rounding, and the counting of bits.
      if all (testBit features) [9, 19, 20, 23]
        then common (Processor (testBit features 28) (testBit features 40) (testBit features 35))
        else pure Nothing
  where
    -- What the processor has: the third register of its answer to question 1, and above it
    -- the second of that to question 7, if there is one. Vectors of AVX are not there where the
    -- system does not save them.
    probe a = do
      few <- newLabel a
      unsaved <- newLabel a
      known <- newLabel a
      push a rbx
      loadImmediate a rax 0
      identify a
      load a Half 8 (Reg rax)
      loadImmediate a rax 1
      identify a
      load a Half rsi (Reg rcx)
      arithmetic a Xor Half rdi (Reg rdi)
      arithmeticImmediate a Cmp Half (Reg 8) 7
      jumpIf a Below few
      loadImmediate a rax 7
      arithmetic a Xor Half rcx (Reg rcx)
      identify a
      load a Half rdi (Reg rbx)
      shiftBy a ShiftLeft Full (Reg rdi) 32
      place a few
      load a Half rax (Reg rsi)
      arithmeticImmediate a And Half (Reg rax) (bit 27)
      jumpIf a Equal unsaved
      arithmetic a Xor Half rcx (Reg rcx)
      savedState a
      arithmeticImmediate a And Half (Reg rax) 6
      arithmeticImmediate a Cmp Half (Reg rax) 6
      jumpIf a Equal known
      place a unsaved
      arithmeticImmediate a And Half (Reg rsi) (complement (bit 28))
      place a known
      load a Half rax (Reg rsi)
      arithmetic a Or Full rax (Reg rdi)
      pop a rbx
      ret a
    common has = do
      a <- new
      mapM_ (push a) [rbp, rbx, 12, 13, 14, 15]
      load a Full 14 (Reg rdi)
      load a Full 12 (Reg rsi)
      -- A memory that is as large as it was has what follows from that. A new block has zeros,
      -- as is right for no memory and for an empty one; any other has 64 KiB.
      known <- newLabel a
      arithmetic a Cmp Full rdx (Mem 14 instMemoryEnd)
      jumpIf a Equal known
      store a Full (Mem 14 instMemoryEnd) rdx
      forM_ instMemoryEnds $ \(n, at) -> do
        address a Full rax (Mem rdx (1 - n))
        store a Full (Mem 14 at) rax
      place a known
      load a Full rbp (Reg rcx)
      load a Full 15 (Mem 14 instFuel)
      -- Below all return addresses is one that leads by the frame's link.
      under <- newLabel a
      loadLabel a rax under
      push a rax
      store a Full (Mem 14 instReturns) rsp
      address a Full rax (Mem rsp (negate mostReturns))
      store a Full (Mem 14 instReturnsEnd) rax
      jumpTo a (Reg 8)
      place a under
      loadLabel a rcx under
      push a rcx
      load a Full rcx (Indexed rbp rax 8)
      load a Full rax (Indexed rbp rax 0)
      jumpTo a (Mem rax gateAddress)
      out <- newLabel a
      back <- newLabel a
      place a back
      load a Full rsi (Reg rax)
      load a Full rbp (Reg rcx)
      loadImmediate a rax (fromIntegral exitLeave)
      jump a out
      called <- newLabel a
      place a called
      load a Full rcx (Mem 14 instCode)
      load a Full rsi (Indexed rcx rax 0)
      loadImmediate a rax (fromIntegral exitCall)
      place a out
      store a Full (Mem 14 instExitIp) rsi
      store a Full (Mem 14 instExitFrame) rbp
      store a Full (Mem 14 instFuel) 15
      load a Full rsp (Mem 14 instReturns)
      mapM_ (pop a) [rcx, 15, 14, 13, 12, rbx, rbp]
      ret a
      code <- fmap (\(Pages p _ begin) -> p `plusPtr` begin) <$> pages a
      back' <- placeOf a back
      called' <- placeOf a called
      pure (Shared <$> code <*> back' <*> called' <*> pure has)
{-# NOINLINE shared #-}

-- | Whether native code can be made and run here: on x86-64 under Linux, on a
-- processor of 2008 or later, where the system gives memory for it.
available :: Bool
available = isJust shared

-- | What this machine's processor has.
processor :: Processor
processor = maybe oldest sharedProcessor shared

-- | Where a return to code that is not native leads, and a call of a function that
-- has no native code; null where there is none at all.
returnStub, callStub :: Ptr ()
returnStub = maybe nullPtr (\s -> sharedCode s `plusPtr` sharedReturn s) shared
callStub = maybe nullPtr (\s -> sharedCode s `plusPtr` sharedCall s) shared

-- | Run from an address of native code: the frame, the memory and its size in bytes,
-- and the instance's block, which afterwards says where it left; why it did.
run :: Ptr () -> Ptr () -> Ptr () -> Int -> Ptr () -> IO Int
run target frame memory size block = case shared of
  Nothing -> pure exitUnreachable
  Just s -> callIn (castPtrToFunPtr (sharedCode s)) block memory size frame target
