{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Strings that are known when a program is compiled, as UTF-8.
--
-- Each operation has an obvious definition over the characters and a rule for
-- string constants: there the bytes stand in the program's read-only data,
-- their number is a compile-time constant, and writing or comparing them is a
-- load and a store (or a comparison) for each eight bytes. Without
-- optimisation the definitions run; they give the same bytes.
--
-- A constant that is not ASCII is looked at first: GHC writes U+0000 as two bytes, and
-- surrogates as three, neither of which is UTF-8. Of those the definitions run as well.
-- Proof: laws "what no UTF-8 has is written by the definitions".
--
-- Every function is kept from inlining, so that its rule can meet the constant
-- in whatever phase it appears. Proof: inspect "names are constants".
module Tern.Prim.Literal
  ( size,
    poke,
    matches,
    matchesHere,
    pokeAddr,
    matchesAddr,
    matchesHereAddr,

    -- * Constants that are not ASCII
    sizeUtf8,
    pokeUtf8,
    matchesUtf8,
    matchesHereUtf8,

    -- * Bytes that are known when a program runs
    pokeBytes,
    matchesBytes,

    -- * Words of constants
    chunks,
    store,
    same,

    -- * Constants that are passed on
    Constant (..),
    constant,
  )
where

import Data.ByteString.Internal (ByteString (..))
import Data.Char (ord)
import GHC.Exts
import GHC.ForeignPtr (ForeignPtr (..))
import GHC.Word (Word8 (..))
import Tern.Prim.Buffer (Poke)

-- | How many bytes of UTF-8.
size :: String -> Int
size = sizeOf
{-# NOINLINE size #-}

{-# RULES
"literal/size" forall a. size (unpackCString# a) = I# (cstringLength# a)
"literal/size/utf8" forall a. size (unpackCStringUtf8# a) = I# (sizeUtf8 a (cstringLength# a))
  #-}

-- | By its definition, for which there are no rules.
sizeOf :: String -> Int
sizeOf = go 0
  where
    go !n string = case string of
      [] -> n
      c : rest -> go (n + length (utf8 c)) rest
{-# NOINLINE sizeOf #-}

-- | Write the bytes.
poke :: String -> Poke
poke = pokeString
{-# NOINLINE poke #-}

{-# RULES
"literal/poke" forall a. poke (unpackCString# a) = pokeAddr a (cstringLength# a)
"literal/poke/utf8" forall a. poke (unpackCStringUtf8# a) = pokeUtf8 a (cstringLength# a)
  #-}

-- | By its definition, for which there are no rules.
pokeString :: String -> Poke
pokeString string = \op s -> case string of
  [] -> (# s, op #)
  c : rest -> case write (utf8 c) op s of (# s1, op1 #) -> pokeString rest op1 s1
  where
    write bytes op s = case bytes of
      [] -> (# s, op #)
      W8# w : more -> case writeWord8OffAddr# op 0# w s of s1 -> write more (plusAddr# op 1#) s1
{-# NOINLINE pokeString #-}

-- | Does the input from the cursor (the second address; the first is its end)
-- begin with these bytes? 1 or 0. In the state, so that no part of the constant
-- is floated out of the function that compares with it, and boxed.
matches :: String -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matches = matchesString
{-# NOINLINE matches #-}

{-# RULES
"literal/matches" forall a. matches (unpackCString# a) = matchesAddr a (cstringLength# a)
"literal/matches/utf8" forall a.
  matches (unpackCStringUtf8# a) =
    matchesUtf8 a (cstringLength# a)
  #-}

-- | By its definition, for which there are no rules.
matchesString :: String -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesString string e c s = case string of
  [] -> (# s, 1# #)
  char : rest -> go (utf8 char) c
    where
      go bytes at = case bytes of
        [] -> matchesString rest e at s
        W8# w : more
          | isTrue# (ltAddr# at e),
            isTrue# (eqWord8# (indexWord8OffAddr# at 0#) w) ->
              go more (plusAddr# at 1#)
          | otherwise -> (# s, 0# #)
{-# NOINLINE matchesString #-}

-- | The same where it is known that as many bytes are left. A caller that asks
-- for the room itself has its two ways to fail as two jumps, and not one result
-- that the way to succeed must wait for.
matchesHere :: String -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesHere string c s = case size string of I# n -> matches string (plusAddr# c n) c s
{-# NOINLINE matchesHere #-}

{-# RULES
"literal/matchesHere" forall a.
  matchesHere (unpackCString# a) =
    matchesHereAddr a (cstringLength# a)
"literal/matchesHere/utf8" forall a.
  matchesHere (unpackCStringUtf8# a) =
    matchesHereUtf8 a (cstringLength# a)
  #-}

-- | A string for a function that is not inlined: its rules must meet the string
-- where it still is a constant. The string, its size and 'matches'.
data Constant
  = Constant String Int (Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #))

-- | INLINE: see there. Of a constant nothing is made at run time.
constant :: String -> Constant
constant string = Constant string (size string) (matches string)
{-# INLINE constant #-}

-- | The bytes of one character; surrogates, which UTF-8 cannot hold, as U+FFFD.
utf8 :: Char -> [Word8]
utf8 char
  | c < 0x80 = [byte c]
  | c < 0x800 = [byte (0xc0 + c `div` 0x40), low c]
  | c >= 0xd800, c < 0xe000 = [0xef, 0xbf, 0xbd]
  | c < 0x10000 = [byte (0xe0 + c `div` 0x1000), low (c `div` 0x40), low c]
  | otherwise = [byte (0xf0 + c `div` 0x40000), low (c `div` 0x1000), low (c `div` 0x40), low c]
  where
    c = ord char
    byte = fromIntegral
    low x = byte (0x80 + x `mod` 0x40)

-- * Constants of known length

-- | Copy @n@ bytes from a constant. With a constant @n@ this is straight-line
-- code: words from the front, and a last one that overlaps them. The bytes are
-- read in the state: as pure constants they would be floated out and boxed.
pokeAddr :: Addr# -> Int# -> Poke
pokeAddr from n = \op s -> case copyAddr from n op s of s1 -> (# s1, plusAddr# op n #)
{-# INLINE pokeAddr #-}

-- One function for each range of lengths: the compiler looks at the one that a
-- constant needs and at no other.
copyAddr :: Addr# -> Int# -> Addr# -> State# RealWorld -> State# RealWorld
copyAddr from n op s
  | isTrue# (n ># 32#) = copyWords from n op s
  | isTrue# (n ># 16#) = copyTo32 from n op s
  | isTrue# (n >=# 8#) = case copyWord from op 0# s of s1 -> copyWord from op (n -# 8#) s1
  | otherwise = copyTo7 from n op s
{-# INLINE copyAddr #-}

copyTo32 :: Addr# -> Int# -> Addr# -> State# RealWorld -> State# RealWorld
copyTo32 from n op s = case copyWord from op 0# s of
  s1 -> case copyWord from op 8# s1 of
    s2
      | isTrue# (n ># 24#) -> case copyWord from op 16# s2 of s3 -> copyWord from op (n -# 8#) s3
      | otherwise -> copyWord from op (n -# 8#) s2
{-# INLINE copyTo32 #-}

copyTo7 :: Addr# -> Int# -> Addr# -> State# RealWorld -> State# RealWorld
copyTo7 from n op s
  | isTrue# (n >=# 4#) = case half 0# s of s1 -> half (n -# 4#) s1
  | isTrue# (n >=# 2#) = case pair 0# s of s1 -> pair (n -# 2#) s1
  | isTrue# (n >=# 1#) = case readWord8OffAddr# from 0# s of
      (# s1, w #) ->
        writeWord8OffAddr# op 0# w s1
  | otherwise = s
  where
    half i t = case readWord32OffAddr# (plusAddr# from i) 0# t of
      (# t1, w #) ->
        writeWord32OffAddr# (plusAddr# op i) 0# w t1
    pair i t = case readWord16OffAddr# (plusAddr# from i) 0# t of
      (# t1, w #) ->
        writeWord16OffAddr# (plusAddr# op i) 0# w t1
{-# INLINE copyTo7 #-}

copyWord :: Addr# -> Addr# -> Int# -> State# RealWorld -> State# RealWorld
copyWord from op i s = case readWord64OffAddr# (plusAddr# from i) 0# s of
  (# s1, w #) -> writeWord64OffAddr# (plusAddr# op i) 0# w s1
{-# INLINE copyWord #-}

copyWords :: Addr# -> Int# -> Addr# -> State# RealWorld -> State# RealWorld
copyWords from n op = go 0#
  where
    go i s
      | isTrue# ((i +# 8#) <=# n) = case word i s of s1 -> go (i +# 8#) s1
      | otherwise = word (n -# 8#) s
    word i = writeWord64OffAddr# (plusAddr# op i) 0# (indexWord64OffAddr# (plusAddr# from i) 0#)
{-# NOINLINE copyWords #-}

-- | 'matches' for the @n@ bytes of a constant. Where the input has fewer left, none is compared.
matchesAddr :: Addr# -> Int# -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesAddr from n e c s
  | isTrue# (minusAddr# e c <# n) = (# s, 0# #)
  | otherwise = matchesHereAddr from n c s
{-# INLINE matchesAddr #-}

-- | 'matchesHere' for the @n@ bytes of a constant: the caller owes that as many are left. With a
-- constant @n@ this is straight-line code up to 32 bytes, by words as in 'pokeAddr'.
matchesHereAddr :: Addr# -> Int# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesHereAddr from n c s
  | isTrue# (n ># 32#) = matchesWords from n c s
  | isTrue# (n ># 16#) = matchesTo32 from n c s
  | isTrue# (n >=# 8#) = case matchesWord from c 0# s of
      (# s1, m1 #) -> case matchesWord from c (n -# 8#) s1 of
        (# s2, m2 #) ->
          (# s2, m1 `andI#` m2 #)
  | otherwise = matchesTo7 from n c s
{-# INLINE matchesHereAddr #-}

matchesTo32 :: Addr# -> Int# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesTo32 from n c s = case matchesWord from c 0# s of
  (# s1, m1 #) -> case matchesWord from c 8# s1 of
    (# s2, m2 #) -> case matchesWord from c (n -# 8#) s2 of
      (# s3, m3 #)
        | isTrue# (n ># 24#) -> case matchesWord from c 16# s3 of
            (# s4, m4 #) ->
              (# s4, m1 `andI#` m2 `andI#` m3 `andI#` m4 #)
        | otherwise -> (# s3, m1 `andI#` m2 `andI#` m3 #)
{-# INLINE matchesTo32 #-}

matchesTo7 :: Addr# -> Int# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesTo7 from n c s
  | isTrue# (n >=# 4#) = case half 0# s of
      (# s1, m1 #) -> case half (n -# 4#) s1 of (# s2, m2 #) -> (# s2, m1 `andI#` m2 #)
  | isTrue# (n >=# 2#) = case pair 0# s of
      (# s1, m1 #) -> case pair (n -# 2#) s1 of (# s2, m2 #) -> (# s2, m1 `andI#` m2 #)
  | isTrue# (n >=# 1#) = case readWord8OffAddr# from 0# s of
      (# s1, w #) -> (# s1, eqWord8# w (indexWord8OffAddr# c 0#) #)
  | otherwise = (# s, 1# #)
  where
    half i t = case readWord32OffAddr# (plusAddr# from i) 0# t of
      (# t1, w #) -> (# t1, eqWord32# w (indexWord32OffAddr# (plusAddr# c i) 0#) #)
    pair i t = case readWord16OffAddr# (plusAddr# from i) 0# t of
      (# t1, w #) -> (# t1, eqWord16# w (indexWord16OffAddr# (plusAddr# c i) 0#) #)
{-# INLINE matchesTo7 #-}

matchesWord :: Addr# -> Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesWord from c i s = case readWord64OffAddr# (plusAddr# from i) 0# s of
  (# s1, w #) -> (# s1, eqWord64# w (indexWord64OffAddr# (plusAddr# c i) 0#) #)
{-# INLINE matchesWord #-}

matchesWords :: Addr# -> Int# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesWords from n c = go 0#
  where
    go :: Int# -> State# RealWorld -> (# State# RealWorld, Int# #)
    go i s
      | isTrue# ((i +# 8#) <=# n) = case word i of
          1# -> go (i +# 8#) s
          _ -> (# s, 0# #)
      | otherwise = (# s, word (n -# 8#) #)
    word i =
      eqWord64# (indexWord64OffAddr# (plusAddr# from i) 0#) (indexWord64OffAddr# (plusAddr# c i) 0#)
{-# NOINLINE matchesWords #-}

-- * Constants that are not ASCII

-- Each is given the constant as GHC writes it, and how many bytes that has.

-- | How many bytes of UTF-8.
sizeUtf8 :: Addr# -> Int# -> Int#
sizeUtf8 a n = case isUtf8 a n of
  1# -> n
  _ -> case sizeOf (unpackCStringUtf8# a) of I# m -> m
{-# NOINLINE sizeUtf8 #-}

-- | Write the bytes.
pokeUtf8 :: Addr# -> Int# -> Poke
pokeUtf8 a n = \op s -> case isUtf8 a n of
  1# -> pokeAddr a n op s
  _ -> pokeString (unpackCStringUtf8# a) op s
{-# INLINE pokeUtf8 #-}

-- | As 'matches'.
matchesUtf8 :: Addr# -> Int# -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesUtf8 a n e c s = case isUtf8 a n of
  1# -> matchesAddr a n e c s
  _ -> matchesString (unpackCStringUtf8# a) e c s
{-# INLINE matchesUtf8 #-}

-- | As 'matchesHere'.
matchesHereUtf8 :: Addr# -> Int# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesHereUtf8 a n c s = case isUtf8 a n of
  1# -> matchesHereAddr a n c s
  _ -> case sizeUtf8 a n of m -> matchesString (unpackCStringUtf8# a) (plusAddr# c m) c s
{-# INLINE matchesHereUtf8 #-}

-- | Are the bytes UTF-8? 1 or 0. They are, but where a character is U+0000 (0xc0 0x80) or a
-- surrogate (0xed, and then 0xa0 or more). Eight bytes at a time are looked through for those
-- that begin such a one. O(n).
isUtf8 :: Addr# -> Int# -> Int#
isUtf8 a n = words' 0#
  where
    words' :: Int# -> Int#
    words' i
      | isTrue# ((i +# 8#) ># n) = bytes i n
      | otherwise = case word64ToWord# (indexWord64OffAddr# (plusAddr# a i) 0#) of
          w -> case has 0xc0c0c0c0c0c0c0c0## w `or#` has 0xedededededededed## w of
            0## -> words' (i +# 8#)
            _ -> case bytes i (i +# 8#) of
              1# -> words' (i +# 8#)
              _ -> 0#
    bytes :: Int# -> Int# -> Int#
    bytes i end
      | isTrue# (i >=# end) = 1#
      | otherwise = case byteOf i of
          0xc0## -> 0#
          -- Two bytes more belong to it: they are there.
          0xed## | isTrue# (geWord# (byteOf (i +# 1#)) 0xa0##) -> 0#
          _ -> bytes (i +# 1#) end
    byteOf i = word8ToWord# (indexWord8OffAddr# (plusAddr# a i) 0#)
    -- A bit for each byte that is the same; above one that is, perhaps for others.
    has wanted w = case xor# w wanted of
      x ->
        minusWord# x 0x0101010101010101## `and#` not# x `and#` 0x8080808080808080##
{-# NOINLINE isUtf8 #-}

-- * Bytes that are known when a program runs

-- | Write the bytes. NOINLINE, as below: of a length that is not known there would be the
-- code for each range of lengths wherever one is written.
pokeBytes :: ByteString -> Poke
pokeBytes (BS (ForeignPtr from held) (I# n)) = \op s -> case pokeAddr from n op s of
  (# s1, op1 #) -> case touch# held s1 of s2 -> (# s2, op1 #)
{-# NOINLINE pokeBytes #-}

-- | Are they at an address, where it is known that as many are left? 1 or 0.
matchesBytes :: ByteString -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesBytes (BS (ForeignPtr from held) (I# n)) c s = case matchesHereAddr from n c s of
  (# s1, m #) -> case touch# held s1 of s2 -> (# s2, m #)
{-# NOINLINE matchesBytes #-}

-- * Words of constants

-- | Bytes that are known to a program that makes code, as words that stand in the code itself:
-- at each offset a word and how many bytes it has, 8, 4, 2 or 1. The last may overlap the
-- one before it. Nothing for more than 32 bytes, which are better copied from where they stand.
--
-- The words are little-endian, as the machines are that this library compiles for
-- ("Tern.Prim.Buffer").
chunks :: [Word8] -> Maybe [(Int, Int, Integer)]
chunks bytes
  | n > 32 = Nothing
  | otherwise = Just [(at, width, word (take width (drop at bytes))) | at <- offsets]
  where
    n = length bytes
    width = last (1 : takeWhile (<= n) [2, 4, 8])
    offsets = case n of
      0 -> []
      _ -> takeWhile (< n - width) [0, width ..] <> [n - width]
    word = foldr (\b w -> toInteger b + 256 * w) 0

-- | Write a word of 8, 4, 2 or 1 bytes. The number is a constant: what is left is one store.
store :: Int# -> Addr# -> Word# -> State# RealWorld -> State# RealWorld
store width op w s = case width of
  8# -> writeWord64OffAddr# op 0# (wordToWord64# w) s
  4# -> writeWord32OffAddr# op 0# (wordToWord32# w) s
  2# -> writeWord16OffAddr# op 0# (wordToWord16# w) s
  _ -> writeWord8OffAddr# op 0# (wordToWord8# w) s
{-# INLINE store #-}

-- | Does such a word stand at an address? 1 or 0.
same :: Int# -> Addr# -> Word# -> Int#
same width a w = case width of
  8# -> eqWord64# (indexWord64OffAddr# a 0#) (wordToWord64# w)
  4# -> eqWord32# (indexWord32OffAddr# a 0#) (wordToWord32# w)
  2# -> eqWord16# (indexWord16OffAddr# a 0#) (wordToWord16# w)
  _ -> eqWord8# (indexWord8OffAddr# a 0#) (wordToWord8# w)
{-# INLINE same #-}
