-- | A slow container, for Tern to be compared with.
--
-- The idea: the rules of @docs\/spec\/container.md@ over lists of bytes and unbounded
-- integers, on a file that is all there. What is read is found by dropping bytes from
-- the file's beginning, and a checksum is computed bit by bit.
--
-- Start at 'readFile'' and 'fileOf'.
module Tern.Container.Model
  ( -- * Reading
    Event (..),
    Wrong (..),
    Given (..),
    readFile',

    -- * Writing
    Piece (..),
    fileOf,
    checksum,
  )
where

import Data.Bits (complement, shiftR, testBit, xor)
import Data.List (find, unfoldr)
import Data.List qualified as List
import Data.Maybe (isJust)
import Data.Word (Word32, Word8)
import Tern.Native.Model (Tree, Type, readDocument)

-- * Reading

-- | What is found: elements behind so many others; what is wrong behind so many
-- elements and blocks and bytes; what is lost from a byte to another, in blocks and
-- elements.
data Event
  = Read Int [Tree]
  | Wrong Int Int Int Wrong
  | Gone Int Int (Maybe Int) (Maybe Int)
  deriving stock (Eq, Show)

data Wrong
  = IsNone
  | HasVersion
  | BrokenHeader
  | LongSchema
  | HasOtherSchema
  | BadHead
  | Misplaced
  | LongBlock
  | BadBody
  | NoSuchCompression
  | BadCompression
  | BadElement
  | BytesLeft
  | Cut
  | HasNoEnd
  | HasMore
  deriving stock (Eq, Show)

-- | What a reader is given: the elements' type, the fingerprint, how long a block and a
-- schema may be, and ways to decompress.
data Given = Given
  { typeOf :: Type,
    fingerprintOf :: [Word8],
    longestBlock :: Integer,
    longestSchema :: Integer,
    ways :: [(Word8, [Word8] -> Maybe [Word8])]
  }

-- | A file that is read as far as anything is.
data At = At
  { file :: [Word8],
    mark :: Maybe [Word8],
    blocks, elements, shift, again :: Integer
  }

-- | All that there is in a file.
readFile' :: Given -> [Word8] -> [Event]
readFile' given whole
  | size < 40 = [Wrong 0 0 0 Cut]
  | take 8 whole /= magic = Wrong 0 0 0 IsNone : anyhow
  | whole !! 8 /= 1 = Wrong 0 0 8 HasVersion : anyhow
  | checksum (part 0 36) /= part 36 4 || part 9 3 /= [0, 0, 0] = Wrong 0 0 0 BrokenHeader : anyhow
  | schemaSize > longestSchema given = Wrong 0 0 12 LongSchema : search given known 40 0
  | size < 40 + schemaSize = Wrong 0 0 (fromInteger size) Cut : search given known 0 0
  | checksum (part 40 schemaSize) /= part 32 4 = Wrong 0 0 40 BrokenHeader : atHead given known (40 + schemaSize)
  | part 24 8 /= fingerprintOf given = [Wrong 0 0 24 HasOtherSchema]
  | otherwise = atHead given known (40 + schemaSize)
  where
    size = toInteger (length whole)
    part from n = slice from n whole
    schemaSize = number (part 12 4)
    unknown = At whole Nothing 0 0 0 0
    known = unknown {mark = Just (part 16 8)}
    anyhow = search given unknown 0 0

magic :: [Word8]
magic = [0x89, 0x54, 0x65, 0x72, 0x6e, 0x0d, 0x0a, 0x1a]

-- | A head: its mark, kind, elements, sizes, numbers, place and the checksum of its
-- bytes.
data Head = Head [Word8] Word8 Integer Integer Integer Integer Integer Integer [Word8]

headAt :: [Word8] -> Integer -> Maybe Head
headAt whole at
  | length bytes == 64, checksum (take 60 bytes) == drop 60 bytes, slice 9 3 bytes == [0, 0, 0], all (< 2 ^ (62 :: Int)) [stored, raw, n, first, place], sensible = Just (Head (take 8 bytes) kind count stored raw n first place (slice 56 4 bytes))
  | otherwise = Nothing
  where
    bytes = slice at 64 whole
    kind = bytes !! 8
    count = number (slice 12 4 bytes)
    (stored, raw, n, first, place) = (size 16, size 24, size 32, size 40, size 48)
    size from = number (slice from 8 bytes)
    sensible
      | kind == 0xff = count == 0 && stored == 0 && raw == 0 && slice 56 4 bytes == [0, 0, 0, 0]
      | otherwise = 1 <= count && count <= raw && stored >= 1 && (kind /= 0 || stored == raw)

atHead :: Given -> At -> Integer -> [Event]
atHead given at here
  | here == size = [wrong at here HasNoEnd]
  | size < here + 64 = wrong at size Cut : search given at here here
  | otherwise = case headAt (file at) here of
      Just h@(Head its _ _ _ _ n first place _)
        | Just its == mark at -> case () of
            _
              | n == blocks at, first == elements at, place == here + shift at -> atBody given (entered at h here) h here
              | n == blocks at, first == elements at -> wrong at here Misplaced : atBody given (entered at h here) h here
              | forward at h -> wrong at here Misplaced : Gone (int here) (int here) (Just (int (n - blocks at))) (Just (int (first - elements at))) : atBody given (entered at h here) h here
              | otherwise -> wrong at here Misplaced : search given at here (here + 1)
      _ -> wrong at here BadHead : search given at here (here + 1)
  where
    size = toInteger (length (file at))

forward :: At -> Head -> Bool
forward at (Head _ _ _ _ _ n first _ _) = n >= blocks at && first - elements at >= n - blocks at

entered :: At -> Head -> Integer -> At
entered at (Head _ _ _ _ _ n first place _) here = at {blocks = n, elements = first, shift = place - here}

atBody :: Given -> At -> Head -> Integer -> [Event]
atBody given at (Head _ kind count stored raw n first _ sum') here
  | kind == 0xff = if size > body then wrong at body HasMore : search given at body body else []
  | max stored raw > longestBlock given = wrong at here LongBlock : search given at here body
  | size < behind = wrong at size Cut : search given at here body
  | checksum bytes /= sum' = wrong at here BadBody : if followed then Gone (int here) (int behind) (Just 1) (Just (int count)) : next else inside
  | otherwise = elementsOf given (int first) (int n) (int count) (int here) (int behind) kind bytes (int raw) <> next
  where
    size = toInteger (length (file at))
    body = here + 64
    behind = body + stored
    bytes = slice body stored (file at)
    after = at {blocks = n + 1, elements = first + count}
    next = atHead given after behind
    followed =
      size == behind || case headAt (file at) behind of
        Just (Head its _ _ _ _ n' _ _ _) -> Just its == mark at && n' > n
        Nothing -> False
    inside
      | again at + stored <= behind = search given at {again = again at + stored} here body
      | otherwise = search given at here behind

-- | The next head from a place on, for what lies behind another place is lost.
search :: Given -> At -> Integer -> Integer -> [Event]
search given at from = go
  where
    size = toInteger (length (file at))
    go here
      | here + 64 > size = [Gone (int from) (int size) Nothing Nothing]
      | otherwise = case headAt (file at) here of
          Just h@(Head its _ _ _ _ n first place _)
            | maybe (place == here) (== its) (mark at),
              forward at h ->
                Gone (int from) (int here) (Just (int (n - blocks at))) (Just (int (first - elements at)))
                  : atBody given (entered at {mark = Just its} h here) h here
          _ -> go (here + 1)

wrong :: At -> Integer -> Wrong -> Event
wrong at here = Wrong (int (elements at)) (int (blocks at)) (int here)

-- | The elements of a block.
elementsOf :: Given -> Int -> Int -> Int -> Int -> Int -> Word8 -> [Word8] -> Int -> [Event]
elementsOf given first n count from to kind stored raw = case kind of
  0 -> go first count stored
  _ -> case lookup kind (ways given) of
    Nothing -> [Wrong first n from NoSuchCompression, Gone from to (Just 1) (Just count)]
    Just way -> case way stored of
      Just bytes | length bytes == raw -> go first count bytes
      _ -> [Wrong first n from BadCompression, Gone from to (Just 1) (Just count)]
  where
    go i k bytes
      | k == 0 = [Wrong i n from BytesLeft | not (null bytes)]
      | otherwise = case find (\(_, tree) -> isJust tree) [(size, readDocument (typeOf given) (take size bytes)) | size <- [0 .. length bytes]] of
          Just (size, Just tree) -> Read i [tree] : go (i + 1) (k - 1) (drop size bytes)
          _ -> [Wrong i n from BadElement, Gone from to (Just 0) (Just k)]

-- * Writing

-- | A block to be: how many elements, their bytes, the kind, and what is stored.
data Piece = Piece
  { pieceCount :: Integer,
    pieceRaw :: [Word8],
    pieceKind :: Word8,
    pieceStored :: [Word8]
  }

-- | A file from its mark, fingerprint, schema and blocks; with the places where heads
-- begin, the end's too.
fileOf :: [Word8] -> [Word8] -> [Word8] -> [Piece] -> ([Word8], [Int])
fileOf its print' schema = go header 0 0 []
  where
    header = let start = magic <> [1, 0, 0, 0] <> low 4 (size schema) <> its <> print' <> checksum schema in start <> checksum start <> schema
    go made n first begins pieces = case pieces of
      [] -> (made <> headOf made n first 0xff 0 [] [], reverse (length made : begins))
      Piece count raw kind stored : rest -> go (made <> headOf made n first kind count raw stored <> stored) (n + 1) (first + count) (length made : begins) rest
    headOf made n first kind count raw stored =
      let start = its <> [kind, 0, 0, 0] <> low 4 count <> concatMap (low 8) [size stored, size raw, n, first, size made] <> checksum stored
       in start <> checksum start
    size = toInteger . length

-- * Numbers

slice :: Integer -> Integer -> [a] -> [a]
slice from n = take (int n) . drop (int from)

int :: Integer -> Int
int = fromInteger

number :: [Word8] -> Integer
number = foldr (\b rest -> toInteger b + 256 * rest) 0

low :: Int -> Integer -> [Word8]
low n = take n . unfoldr (\m -> Just (fromInteger (m `mod` 256), m `div` 256))

-- | CRC32C, lowest byte first.
checksum :: [Word8] -> [Word8]
checksum = low 4 . toInteger . complement . List.foldl' byte (complement 0 :: Word32)
  where
    byte c b = bit (bit (bit (bit (bit (bit (bit (bit (c `xor` fromIntegral b))))))))
    bit c = (c `shiftR` 1) `xor` (if testBit c 0 then 0x82f63b78 else 0)
