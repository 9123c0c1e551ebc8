-- | What a module's data make of a new memory, kept once for all of its instances.
--
-- The idea: a file without a name has the bytes as they are when all segments are copied, and
-- each instance has them in its memory as a copy on write. So an instance pays for the pages
-- that it touches, and for none of the others. Nobody can change the file any more when the
-- first instance has it.
--
-- Only Linux has such files. Where there is none, segments are copied.
--
-- Start at 'newImage' and 'lay'.
module Tern.Wasm.Image
  ( Image,
    newImage,
    lay,
  )
where

import Control.Exception (mask_)
import Control.Monad (forM_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B
import Data.Word (Word8)
import Foreign.C.Types (CInt (..), CSize (..))
import Foreign.ForeignPtr
  ( FinalizerPtr,
    ForeignPtr,
    finalizeForeignPtr,
    newForeignPtr,
    withForeignPtr,
  )
import Foreign.Marshal.Alloc (alloca)
import Tern.Wasm.Block (Memory, ownPages, pagesAt)
import Tern.Wasm.Lasting (View (..))
import Tern.Wasm.Metered (pieceBytes)
import Tern.Wasm.Prim (Ptr, castPtr, copyBytes, minusPtr, nullPtr, peekByteOff, plusPtr)

-- | A file with bytes for a part of a memory, where they begin there, and how many they are: whole
-- pages of WebAssembly, and so of the system.
data Image = Image !File !Int !Int

-- | A descriptor as an address, closed when nobody holds it.
newtype File = File (ForeignPtr ())

-- | The image of pieces of a memory, each with where it begins, copied in their order. 'Nothing'
-- where they are less than a mebibyte or have wide gaps, so that it takes at most twice what they
-- take, and 128 KiB; and where the system has no such file. One descriptor is held.
newImage :: [(Int, ByteString)] -> IO (Maybe Image)
newImage parts
  | total < pieceBytes || size > 2 * total + 2 * page = pure Nothing
  | otherwise =
      newFile size >>= \case
        Nothing -> pure Nothing
        Just (file, bytes) -> do
          withForeignPtr bytes $ \p ->
            forM_ parts $ \(at, part) -> copied (p `plusPtr` (at - from)) part
          finalizeForeignPtr bytes
          sealed <- descriptor file seal
          pure (if sealed == 0 then Just (Image file from size) else Nothing)
  where
    total = sum (map (B.length . snd) parts)
    from = minimum (map fst parts) `div` page * page
    size = (maximum [at + B.length part | (at, part) <- parts] - from + page - 1) `div` page * page
    page = 65536

-- | In pieces, so that an exception of another thread does not wait for the end.
copied :: Ptr Word8 -> ByteString -> IO ()
copied to bytes
  | B.null bytes = pure ()
  | otherwise = do
      let (piece, rest) = B.splitAt pieceBytes bytes
      B.unsafeUseAsCStringLen piece (\(q, n) -> copyBytes to (castPtr q) n)
      copied (to `plusPtr` B.length piece) rest

-- | Put an image into a new memory that nobody has written to; whether it is there. It is
-- where the memory has pages of its own, and room for all of the image.
lay :: Image -> Memory -> IO Bool
lay (Image file from size) m =
  ownPages m >>= \case
    Just (View block n) | from + size <= n -> do
      laid <- withForeignPtr block $ \p ->
        descriptor file (\f -> layPages (p `plusPtr` from) f (fromIntegral size))
      pure (laid == 0)
    _ -> pure False

-- * The system

-- | A file of zeroes and its bytes, as long as it is not sealed.
newFile :: Int -> IO (Maybe (File, ForeignPtr Word8))
newFile size = mask_ . alloca $ \place -> do
  file <- newPlain (fromIntegral size) place
  if file < 0
    then pure Nothing
    else do
      held <- newForeignPtr closeFile (nullPtr `plusPtr` fromIntegral file)
      bytes <- peekByteOff place 0 >>= pagesAt size
      pure (Just (File held, bytes))

descriptor :: File -> (CInt -> IO a) -> IO a
descriptor (File held) action =
  withForeignPtr held (\p -> action (fromIntegral (p `minusPtr` nullPtr)))

foreign import ccall unsafe "tern_wasm_image" newPlain :: CSize -> Ptr (Ptr Word8) -> IO CInt

foreign import ccall unsafe "tern_wasm_seal" seal :: CInt -> IO CInt

foreign import ccall unsafe "tern_wasm_lay" layPages :: Ptr Word8 -> CInt -> CSize -> IO CInt

foreign import ccall unsafe "&tern_wasm_end_image" closeFile :: FinalizerPtr ()
