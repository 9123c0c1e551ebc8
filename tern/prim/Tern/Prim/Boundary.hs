{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- | Where one value of a stream ends, when its bytes come in pieces; and the
-- bytes of it that have come.
--
-- The idea: both grow in place, and yet belong to values that may be used
-- again. Whoever goes on from a 'Search' says how many bytes it had looked at
-- then. If somebody has gone on from there before, the state is 'Stale', and
-- the caller begins afresh with the bytes that it 'Held'. Bytes are appended by
-- him alone who was the first to go on.
--
-- What callers owe: a 'Held' is only appended to after the search that belongs
-- to it has gone on from its length, and 'look' is run where no two threads
-- run one evaluation (@unsafePerformIO@, not its dupable sister). The C
-- (@cbits\/tern_boundary.c@) takes the state, looks and gives it back in one
-- call; bytes below a 'Held'\'s length are never written again.
module Tern.Prim.Boundary
  ( -- * Searching
    Search,
    newSearch,
    roomier,
    Grammar (..),
    Verdict (..),
    look,
    isDelimiter,

    -- * What has come
    Held,
    held,
    heldLength,
    heldBytes,
    append,
  )
where

import Data.Bits (unsafeShiftR, (.&.))
import Data.ByteString qualified as B
import Data.ByteString.Internal (ByteString (..))
import Foreign.ForeignPtr (ForeignPtr, plusForeignPtr)
import Foreign.Marshal.Utils (copyBytes)
import GHC.Exts
import GHC.ForeignPtr (mallocPlainForeignPtrBytes, unsafeWithForeignPtr)
import GHC.IO (IO (..))
import GHC.Word (Word64 (..), Word8)

-- * Searching

-- | What is known of a value's bytes that have been looked at: a mutable array of
-- eight words, and after them room for levels. A word has room for 64 levels of JSON
-- or for one of MessagePack or CBOR.
data Search = Search (MutableByteArray# RealWorld)

-- | Nothing is known, and there is room for a few levels.
newSearch :: IO Search
newSearch = searchWith 8

-- | Nothing is known, with room for eight times as many levels.
roomier :: Search -> IO Search
roomier search = roomOf search >>= \room -> searchWith (8 * room)

searchWith :: Int -> IO Search
searchWith room = IO $ \s -> case newByteArray# n s of
  (# s1, mba #) -> case setByteArray# mba 0# n 0# s1 of s2 -> (# s2, Search mba #)
  where
    !(I# n) = 8 * (headerWords + room)

headerWords :: Int
headerWords = 8

roomOf :: Search -> IO Int
roomOf (Search mba) = IO $ \s -> case getSizeofMutableByteArray# mba s of
  (# s1, n #) -> (# s1, I# n `quot` 8 - headerWords #)

-- | How values are told apart: by line feeds, by brackets, or by headers.
data Grammar = Line | Json | MessagePack | Cbor
  deriving stock (Eq, Show)

-- | What a look at further bytes has shown. Places are counted in bytes from the
-- value's start.
data Verdict
  = -- | The value is whole: how many bytes it has.
    Found !Int
  | -- | It goes on.
    Short
  | -- | What stands there cannot.
    Wrong !Int
  | -- | More levels are opened there than allowed.
    Deep !Int
  | -- | What is announced is more than so long a value can hold.
    Long
  | -- | The state belongs to somebody else.
    Stale
  | -- | There is no room for a level.
    Cramped
  deriving stock (Eq, Show)

foreign import ccall unsafe "tern_boundary_line"
  c_line ::
    MutableByteArray# RealWorld -> Word64 -> Ptr Word8 -> Int -> Int -> IO Word64

foreign import ccall unsafe "tern_boundary_json"
  c_json ::
    MutableByteArray# RealWorld ->
    Word64 ->
    Ptr Word8 ->
    Int ->
    Int ->
    Word64 ->
    Word64 ->
    IO Word64

foreign import ccall unsafe "tern_boundary_msgpack"
  c_msgpack ::
    MutableByteArray# RealWorld ->
    Word64 ->
    Ptr Word8 ->
    Int ->
    Int ->
    Word64 ->
    Word64 ->
    Word64 ->
    IO Word64

foreign import ccall unsafe "tern_boundary_cbor"
  c_cbor ::
    MutableByteArray# RealWorld ->
    Word64 ->
    Ptr Word8 ->
    Int ->
    Int ->
    Word64 ->
    Word64 ->
    Word64 ->
    IO Word64

foreign import ccall unsafe "tern_is_delimiter" c_delimiter :: Word64 -> Int

-- | Go on after the first @at@ bytes of a value, with the bytes given. At most @depth@
-- levels may be open, and the whole may have @limit@ bytes, which only the headers of
-- MessagePack and CBOR are held against. What is not 'Short' ends the search.
look :: Grammar -> Int -> Int -> Search -> Int -> ByteString -> IO Verdict
look kind depth limit search@(Search mba) at (BS from n) = do
  room <- roomOf search
  found <- unsafeWithForeignPtr from $ \p -> case kind of
    Line -> c_line mba (word at) p 0 n
    Json -> c_json mba (word at) p 0 n (word depth) (word room)
    MessagePack -> c_msgpack mba (word at) p 0 n (word depth) (word room) (word limit)
    Cbor -> c_cbor mba (word at) p 0 n (word depth) (word room) (word limit)
  let !place = fromIntegral (found `unsafeShiftR` 3)
  pure $ case found .&. 7 of
    0 -> Found place
    1 -> Short
    2 -> Wrong place
    3 -> Deep place
    4 -> Long
    5 -> Stale
    _ -> Cramped
  where
    word :: Int -> Word64
    word = fromIntegral

-- | Does a byte end a number or a literal of JSON?
isDelimiter :: Word8 -> Bool
isDelimiter b = c_delimiter (fromIntegral b) /= 0

-- * What has come

-- | Bytes of a value: full pieces, the last one first; a piece after them, and
-- how many bytes it has room for; how many bytes there are in all.
data Held = Held [ByteString] !ByteString !Int !Int

-- | A piece as it came; nothing is copied yet.
held :: ByteString -> Held
held piece = Held [] piece 0 (B.length piece)

-- | How many bytes have come, in all pieces together. In constant time.
heldLength :: Held -> Int
heldLength (Held _ _ _ n) = n

-- | They stay as they are, whatever is appended. What is in several pieces is
-- joined each time.
heldBytes :: Held -> ByteString
heldBytes (Held full piece _ _) = case full of
  [] -> piece
  _ -> B.concat (reverse (piece : full))

-- | Append a piece. A large one is kept as it is. Small ones are copied one
-- after the other into a new one, which grows with what is held: so a value costs
-- time and memory in proportion to its length, whatever the pieces.
append :: Held -> ByteString -> IO Held
append whole@(Held full behind@(BS to n) room total) piece@(BS from m)
  | m == 0 = pure whole
  | m <= room = do
      copyInto (to `plusForeignPtr` n) from m
      pure (Held full (BS to (n + m)) (room - m) (total + m))
  | m >= large = pure (Held (behind : full) piece 0 (total + m))
  | otherwise = do
      let !size = max m (max 64 (min large total))
      new <- mallocPlainForeignPtrBytes size
      copyInto new from m
      pure (Held (behind : full) (BS new m) (size - m) (total + m))

-- | A piece of this number of bytes or more is not copied before all are joined.
large :: Int
large = 4096

copyInto :: ForeignPtr Word8 -> ForeignPtr Word8 -> Int -> IO ()
copyInto to from n =
  unsafeWithForeignPtr to $ \q -> unsafeWithForeignPtr from $ \p -> copyBytes q p n
