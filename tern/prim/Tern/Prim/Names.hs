{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- | A fixed set of names, and which of them stands at an address.
--
-- All of a set is one array, so that a lookup touches little memory and C can
-- do it (@cbits\/tern_scan.c@, where the layout is described). A name's place is
-- found from its length and its first and last eight bytes; the set is fixed
-- and belongs to the program, so that input can neither fill it nor make it
-- collide.
--
-- Safe given that a caller's addresses are in input that it keeps alive; the
-- foreign calls are unsafe ones, during which the array cannot move.
module Tern.Prim.Names
  ( Names,
    fromList,
    find,
    findIn,
    nextMember,
  )
where

import Control.Monad.ST (ST)
import Data.Bits (shiftL, (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Internal (ByteString (..))
import Data.Foldable (for_)
import Data.Primitive.ByteArray
  ( ByteArray (..),
    MutableByteArray,
    newPinnedByteArray,
    readByteArray,
    runByteArray,
    setByteArray,
    writeByteArray,
  )
import Data.Word (Word64)
import GHC.Exts hiding (fromList)
import GHC.ForeignPtr (unsafeWithForeignPtr)
import GHC.IO (IO (..), unsafeDupablePerformIO)

-- | See the C file.
data Names = Names ByteArray#

foreign import ccall unsafe "tern_name_hash" c_hash :: Ptr a -> Int -> IO Word64

foreign import ccall unsafe "tern_find_name" c_find :: ByteArray# -> Addr# -> Int -> IO Int

foreign import ccall unsafe "tern_find_name" c_findIn :: ByteArray# -> ByteArray# -> Int -> IO Int

foreign import ccall unsafe "tern_json_member"
  c_member ::
    Addr# -> Addr# -> ByteArray# -> Int -> Int -> MutableByteArray# RealWorld -> IO Int

-- | A set from its members in UTF-8, numbered from 0. Of two equal ones the
-- first is found.
fromList :: [ByteString] -> Names
fromList members = Names array
  where
    !(ByteArray array) = runByteArray $ do
      new <- newPinnedByteArray (start + sum lengths)
      writeByteArray new 0 count
      writeByteArray new 1 (size - 1)
      writeByteArray new 2 (fromEnum (all (B.all plain) members))
      setByteArray new (3 + 2 * count) (2 * size) (maxBound :: Word64)
      for_ (zip [0 ..] members) $ \(number, name) -> do
        putEntry new number number name
        insert new (number, name)
      for_
        ( zip
            [3 + 2 * (count + size) ..]
            (scanl (+) start lengths)
        )
        (uncurry (writeByteArray new))
      for_ (zip [start ..] (concatMap B.unpack members)) (uncurry (writeByteArray new))
      pure new
    count = length members
    lengths = map B.length members
    -- At most half full.
    size = until (>= 2 * count) (* 2) 2 :: Int
    start = 8 * (4 + 3 * count + 2 * size)
    -- As JSON has it in a string.
    plain byte = byte >= 32 && byte /= 34 && byte /= 92
    putEntry :: MutableByteArray s -> Int -> Int -> ByteString -> ST s ()
    putEntry new place number name = do
      writeByteArray new (3 + 2 * place) (leading name)
      writeByteArray
        new
        (4 + 2 * place)
        ( fromIntegral number `shiftL` 32 .|. fromIntegral (B.length name) ::
            Word64
        )
    insert new (number, name) = probe (fromIntegral (hash name) `mod` size)
      where
        probe p = do
          taken <- readByteArray new (4 + 2 * (count + p))
          if taken == (maxBound :: Word64)
            then putEntry new (count + p) number name
            else probe ((p + 1) `mod` size)

-- | The first eight bytes as a word, the first in its lowest bits.
leading :: ByteString -> Word64
leading = B.foldr (\b w -> w `shiftL` 8 .|. fromIntegral b) 0 . B.take 8

hash :: ByteString -> Word64
hash (BS contents n) = unsafeDupablePerformIO (unsafeWithForeignPtr contents (\p -> c_hash p n))

-- | The number of the name that is @n@ bytes at an address, or -1.
find :: Names -> Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Int# #)
find (Names array) c n s = case c_find array c (I# n) of
  IO f -> case f s of (# s1, I# i #) -> (# s1, i #)

-- | The number of the name that is @n@ bytes from an offset of an array, or -1.
findIn :: Names -> ByteArray# -> Int# -> Int# -> State# RealWorld -> (# State# RealWorld, Int# #)
findIn (Names array) text off n s = case newByteArray# n s of
  (# s1, copy #) -> case copyByteArray# text off copy 0# n s1 of
    s2 -> case unsafeFreezeByteArray# copy s2 of
      (# s3, whole #) -> case c_findIn array whole (I# n) of
        IO f -> case f s3 of (# s4, I# i #) -> (# s4, i #)

-- | In an object, from after its opening brace (with 1) or after a member's
-- value (with 0): on to the next member whose name is in the set, over those
-- whose names are not; or, with 2 more, to the next member. The number that is given is
-- tried first. The array's second word says how many levels may be opened.
--
-- The name's number, and the address after the member's colon in the array's
-- first word; or -1 and the address after the closing brace; -2 where a member
-- must begin that is to be looked at with care, for its name has escapes, or is not
-- in the set, or something is wrong with it; -3 where neither a comma nor a brace stands.
nextMember ::
  Names ->
  Int# ->
  Int# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Int# #)
nextMember
  (Names array)
  guess
  first
  out
  e
  c
  s = case c_member c e array (I# guess) (I# first) out of
    IO f -> case f s of (# s1, I# k #) -> (# s1, k #)
{-# INLINE nextMember #-}
