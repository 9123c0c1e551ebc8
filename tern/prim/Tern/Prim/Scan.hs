{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- | The passes over bytes that are written in C (@cbits\/tern_scan.c@).
--
-- All are unsafe foreign calls: they do not call back, and an array that is
-- passed cannot move while they run. A caller owes addresses with @start <=
-- end@ of memory that it keeps alive.
module Tern.Prim.Scan
  ( plainPrefix,
    escapes,
    escape,
    stringEnd,
    utf8Prefix,
    utf8Copied,
    unescape,
    skipSpaces,
    skipValue,
    shallow,
    skipDeepValue,

    -- * Stepping over what will be read
    newSeen,
    seenAttempts,
    skipSeenValue,
    seenStepped,
  )
where

import GHC.Exts
import GHC.IO (IO (..))
import GHC.Word (Word64 (..))

foreign import ccall unsafe "tern_json_plain" c_plain :: ByteArray# -> Int -> Int -> IO Int

foreign import ccall unsafe "tern_json_escapes" c_escapes :: ByteArray# -> Int -> Int -> IO Int

foreign import ccall unsafe "tern_json_escape"
  c_escape ::
    ByteArray# -> Int -> Int -> Addr# -> IO (Ptr ())

foreign import ccall unsafe "tern_json_space" c_space :: Addr# -> Addr# -> Ptr ()

foreign import ccall unsafe "tern_json_string"
  c_string ::
    Addr# -> Addr# -> MutableByteArray# RealWorld -> IO (Ptr ())

foreign import ccall unsafe "tern_utf8" c_utf8 :: Addr# -> Int -> IO Int

foreign import ccall unsafe "tern_utf8_copy"
  c_utf8_copy ::
    Addr# -> Int -> MutableByteArray# RealWorld -> IO Int

foreign import ccall unsafe "tern_json_unescape"
  c_unescape ::
    Addr# -> Addr# -> Word64 -> MutableByteArray# RealWorld -> Int -> IO Int

foreign import ccall unsafe "tern_json_skip"
  c_skip ::
    Addr# -> Addr# -> Word64 -> Word64 -> MutableByteArray# RealWorld -> IO (Ptr ())

foreign import ccall unsafe "tern_json_skip_deep"
  c_skip_deep ::
    Addr# ->
    Addr# ->
    Word64 ->
    Word64 ->
    MutableByteArray# RealWorld ->
    MutableByteArray# RealWorld ->
    IO (Ptr ())

foreign import ccall unsafe "tern_json_skip_seen"
  c_skip_seen ::
    Addr# ->
    Addr# ->
    Word64 ->
    Word64 ->
    Addr# ->
    Addr# ->
    MutableByteArray# RealWorld ->
    IO (Ptr ())

foreign import ccall unsafe "tern_seen_new" c_seen_new :: IO (Ptr ())

foreign import ccall unsafe "&tern_seen_free" c_seen_free :: FunPtr (Ptr () -> IO ())

foreign import ccall unsafe "tern_seen_attempts" c_seen_attempts :: Addr# -> IO (Ptr ())

foreign import ccall unsafe "tern_seen_stepped" c_seen_stepped :: Addr# -> IO Int

-- | How many of the @n@ bytes from an offset on can stand in a JSON string as
-- they are.
plainPrefix :: ByteArray# -> Int# -> Int# -> State# RealWorld -> (# State# RealWorld, Int# #)
plainPrefix array off n s = case c_plain array (I# off) (I# n) of
  IO f -> case f s of (# s1, I# k #) -> (# s1, k #)
{-# INLINE plainPrefix #-}

-- | How many bytes more the @n@ bytes from an offset on take in a JSON string,
-- escaped.
escapes :: ByteArray# -> Int# -> Int# -> State# RealWorld -> (# State# RealWorld, Int# #)
escapes array off n s = case c_escapes array (I# off) (I# n) of
  IO f -> case f s of (# s1, I# k #) -> (# s1, k #)
{-# INLINE escapes #-}

-- | Write them, escaped; the address after them.
escape :: ByteArray# -> Int# -> Int# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)
escape array off n op s = case c_escape array (I# off) (I# n) op of
  IO f -> case f s of (# s1, Ptr end #) -> (# s1, end #)
{-# INLINE escape #-}

-- | The first address from the cursor on (the second; the first is the input's
-- end) that is not white space, or the end.
skipSpaces :: Addr# -> Addr# -> Addr#
skipSpaces e c = case c_space c e of Ptr a -> a
{-# INLINE skipSpaces #-}

-- | From after a string's opening quote: the address of its closing quote. The
-- first word of the array is set to flags: bit 0, it has escapes; bit 1, it
-- has bytes above 0x7f; bit 2, it does not close, and the address is where a
-- control character stands or the end.
stringEnd ::
  MutableByteArray# RealWorld -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)
stringEnd flags e c s = case c_string c e flags of
  IO f -> case f s of (# s1, Ptr a #) -> (# s1, a #)
{-# INLINE stringEnd #-}

-- | How many leading bytes are well-formed UTF-8.
utf8Prefix :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Int# #)
utf8Prefix a n s = case c_utf8 a (I# n) of
  IO f -> case f s of (# s1, I# k #) -> (# s1, k #)
{-# INLINE utf8Prefix #-}

-- | The same, and these bytes are copied to the beginning of an array of @n@ bytes or more.
-- What is in its first @n@ bytes after them is anything.
utf8Copied ::
  Addr# ->
  Int# ->
  MutableByteArray# RealWorld ->
  State# RealWorld ->
  (# State# RealWorld, Int# #)
utf8Copied a n array s = case c_utf8_copy a (I# n) array of
  IO f -> case f s of (# s1, I# k #) -> (# s1, k #)
{-# INLINE utf8Copied #-}

-- | The body of a string between two addresses, unescaped into an array that
-- has room for as many bytes. The length written, or @-1 - offset@ of a bad
-- escape. With 1 for @replace@ a lone surrogate becomes U+FFFD.
unescape ::
  Word64 ->
  Addr# ->
  Addr# ->
  MutableByteArray# RealWorld ->
  State# RealWorld ->
  (# State# RealWorld, Int# #)
unescape replace from to array s = case c_unescape from to replace array 0 of
  IO f -> case f s of (# s1, I# k #) -> (# s1, k #)
{-# INLINE unescape #-}

-- | Step over a JSON value, checking all of it. The address after it; the
-- array's first word is set to 0, or to what is wrong at that address. More
-- levels than 'shallow' are too many, whatever @depth@ says.
skipValue ::
  Int# ->
  Word64 ->
  MutableByteArray# RealWorld ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr# #)
skipValue depth replace out e c s = case c_skip c e (W64# (intToWord64 depth)) replace out of
  IO f -> case f s of (# s1, Ptr a #) -> (# s1, a #)
  where
    intToWord64 d = wordToWord64# (int2Word# d)
{-# INLINE skipValue #-}

-- | How many levels 'skipValue' has room for.
shallow :: Int
shallow = 1024

-- | As 'skipValue', with an array that has a bit for each level of @depth@.
skipDeepValue ::
  MutableByteArray# RealWorld ->
  Int# ->
  Word64 ->
  MutableByteArray# RealWorld ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr# #)
skipDeepValue
  levels
  depth
  replace
  out
  e
  c
  s = case c_skip_deep c e (W64# (wordToWord64# (int2Word# depth))) replace levels out of
    IO f -> case f s of (# s1, Ptr a #) -> (# s1, a #)
{-# INLINE skipDeepValue #-}

-- | Notes for 'skipSeenValue' (@cbits\/tern_seen.h@), or null where there is no
-- memory. They live as long as the array, whose weak pointer frees them; their
-- first word is the caller's.
newSeen :: MutableByteArray# RealWorld -> State# RealWorld -> (# State# RealWorld, Addr# #)
newSeen owner s = case c_seen_new of
  IO f -> case f s of
    (# s1, Ptr seen #) -> case eqAddr# seen nullAddr# of
      1# -> (# s1, seen #)
      _ -> case mkWeakNoFinalizer# owner () s1 of
        (# s2, weak #) -> case addCFinalizerToWeak# free seen 0# nullAddr# weak s2 of
          (# s3, _ #) -> (# s3, seen #)
  where
    !(FunPtr free) = c_seen_free
{-# NOINLINE newSeen #-}

-- | Where notes have a word of "Tern.Internal.Attempt"; it is null at first.
seenAttempts :: Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)
seenAttempts seen s = case c_seen_attempts seen of
  IO f -> case f s of (# s1, Ptr word #) -> (# s1, word #)
{-# INLINE seenAttempts #-}

-- | As 'skipValue', of any depth, for a value of the object at an address: by
-- notes, which the caller keeps alive. Where there is no memory for them, the
-- array's first word is set to 7.
skipSeenValue ::
  Addr# ->
  Addr# ->
  Int# ->
  Word64 ->
  MutableByteArray# RealWorld ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr# #)
skipSeenValue
  seen
  object
  depth
  replace
  out
  e
  c
  s = case c_skip_seen c e (W64# (wordToWord64# (int2Word# depth))) replace object seen out of
    IO f -> case f s of (# s1, Ptr a #) -> (# s1, a #)
{-# INLINE skipSeenValue #-}

-- | How many bytes have been stepped over with these notes.
seenStepped :: Addr# -> State# RealWorld -> (# State# RealWorld, Int #)
seenStepped seen s = case c_seen_stepped seen of
  IO f -> f s
{-# INLINE seenStepped #-}
