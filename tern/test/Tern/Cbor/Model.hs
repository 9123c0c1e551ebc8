-- | A slow CBOR, for Tern to be compared with.
--
-- The idea: RFC 8949's own sentences over lists of bytes, those of its appendices C
-- and D first. An item has many encodings: 'spelled' makes any of them, 'shortest'
-- the preferred one. Reading recurses as the items do.
--
-- Start at 'readDocument' and 'spelled'.
module Tern.Cbor.Model
  ( Item (..),
    readDocument,
    shortest,
    deterministic,
    spelled,
    fromHalf,
    fromSingle,
  )
where

import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.Char (chr)
import Data.List (sortOn)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Word (Word64, Word8)
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord64ToDouble, double2Float)
import Tern.Json.Model (utf8)
import Test.QuickCheck (Gen, choose, elements, frequency, vectorOf)

-- | A value of the data model. A floating-point number is the bits of the double
-- that it is; false, true, null and undefined are simple values by their numbers.
data Item
  = Integer Integer
  | Bytes [Word8]
  | Text String
  | Array [Item]
  | Map [(Item, Item)]
  | Tag Integer Item
  | Simple Integer
  | Float Word64
  deriving stock (Eq, Show)

-- * Floating-point numbers

-- | Appendix D, with NaNs as well.
fromHalf :: Integer -> Word64
fromHalf h
  | power == 31 = sign .|. 0x7ff0000000000000 .|. fromInteger fraction `shiftL` 42
  | power == 0 = sign .|. castDoubleToWord64 (encodeFloat fraction (-24))
  | otherwise = sign .|. castDoubleToWord64 (encodeFloat (fraction + 1024) (fromInteger power - 25))
  where
    sign = fromInteger (h `div` 32768) `shiftL` 63
    power = h `div` 1024 `mod` 32
    fraction = h `mod` 1024

fromSingle :: Integer -> Word64
fromSingle w
  | power == 255 = sign .|. 0x7ff0000000000000 .|. fromInteger fraction `shiftL` 29
  | power == 0 = sign .|. castDoubleToWord64 (encodeFloat fraction (-149))
  | otherwise =
      sign .|. castDoubleToWord64 (encodeFloat (fraction + 8388608) (fromInteger power - 150))
  where
    sign = fromInteger (w `div` 2147483648) `shiftL` 63
    power = w `div` 8388608 `mod` 256
    fraction = w `mod` 8388608

halves :: Map Word64 Integer
halves = Map.fromList [(fromHalf h, h) | h <- [0 .. 65535]]

-- | What a double could be in four bytes, if it is that.
single :: Word64 -> [Integer]
single bits = [w | w <- [byValue, byPattern], fromSingle w == bits]
  where
    byValue = toInteger (castFloatToWord32 (double2Float (castWord64ToDouble bits)))
    byPattern =
      toInteger (bits `shiftR` 32 .&. 0x80000000 .|. 0x7f800000 .|. bits `shiftR` 29 .&. 0x7fffff)

-- * Reading

unsigned :: [Word8] -> Integer
unsigned = foldl (\n b -> n * 256 + toInteger b) 0

-- | A whole document of at most @levels@ levels.
readDocument :: Int -> [Word8] -> Maybe Item
readDocument levels input = case readItem levels input of
  Just (Just item, []) -> Just item
  _ -> Nothing

-- | The item at the front, 'Nothing' for a break, and what follows it.
readItem :: Int -> [Word8] -> Maybe (Maybe Item, [Word8])
readItem _ [] = Nothing
readItem levels (b : input) = case (major, info) of
  (7, 31) -> Just (Nothing, input)
  (7, 24) -> case input of
    n : rest | n >= 32 -> Just (Just (Simple (toInteger n)), rest)
    _ -> Nothing
  (7, 25) -> taken 2 input (Just . Float . fromHalf . unsigned)
  (7, 26) -> taken 4 input (Just . Float . fromSingle . unsigned)
  (7, 27) -> taken 8 input (Just . Float . fromInteger . unsigned)
  (_, 31)
    | major == 2 -> chunks input (Just . Bytes . concat)
    | major == 3 -> chunks input (fmap (Text . concat) . mapM readUtf8)
    | levels == 0 -> Nothing
    | major == 4 -> do
        (items, rest) <- toBreak input
        Just (Just (Array items), rest)
    | major == 5 -> do
        (items, rest) <- toBreak input
        pairs <- paired items
        Just (Just (Map pairs), rest)
    | otherwise -> Nothing
  _
    | info < 24 -> sized (toInteger info) input
    | info < 28,
      width <- 2 ^ (info - 24),
      length input >= width ->
        sized (unsigned (take width input)) (drop width input)
    | otherwise -> Nothing
  where
    major = b `div` 32
    info = b `mod` 32
    sized n rest = case major of
      0 -> Just (Just (Integer n), rest)
      1 -> Just (Just (Integer (-1 - n)), rest)
      2 -> taken n rest (Just . Bytes)
      3 -> taken n rest (fmap Text . readUtf8)
      7 -> Just (Just (Simple n), rest)
      _ | levels == 0 -> Nothing
      4 -> do
        (items, rest') <- several n rest
        Just (Just (Array items), rest')
      5 -> do
        (items, rest') <- several (2 * n) rest
        pairs <- paired items
        Just (Just (Map pairs), rest')
      _ -> do
        (item, rest') <- one rest
        Just (Just (Tag n item), rest')
    taken n rest make
      | n > toInteger (length rest) = Nothing
      | otherwise = do
          item <- make (take (fromInteger n) rest)
          Just (Just item, drop (fromInteger n) rest)
    one rest =
      readItem (levels - 1) rest >>= \case
        (Just item, rest') -> Just (item, rest')
        (Nothing, _) -> Nothing
    several :: Integer -> [Word8] -> Maybe ([Item], [Word8])
    several 0 rest = Just ([], rest)
    several n rest = do
      (item, rest') <- one rest
      (items, rest'') <- several (n - 1) rest'
      Just (item : items, rest'')
    toBreak rest =
      readItem (levels - 1) rest >>= \case
        (Nothing, rest') -> Just ([], rest')
        (Just item, rest') -> do
          (items, rest'') <- toBreak rest'
          Just (item : items, rest'')
    -- The chunks of a string, each with its bytes.
    chunks rest make = go [] rest
      where
        go acc (0xff : rest') = do
          item <- make (reverse acc)
          Just (Just item, rest')
        go acc (c : rest')
          | c `div` 32 == major, n <- c `mod` 32, n < 24 = chunk acc (toInteger n) rest'
          | c `div` 32 == major,
            n <- c `mod` 32,
            n < 28,
            width <- 2 ^ (n - 24),
            length rest' >= width =
              chunk acc (unsigned (take width rest')) (drop width rest')
        go _ _ = Nothing
        chunk acc n rest'
          | n > toInteger (length rest') = Nothing
          | otherwise = go (take (fromInteger n) rest' : acc) (drop (fromInteger n) rest')

paired :: [a] -> Maybe [(a, a)]
paired = \case
  [] -> Just []
  [_] -> Nothing
  a : b : rest -> ((a, b) :) <$> paired rest

-- | Characters whose own bytes are those that there are.
readUtf8 :: [Word8] -> Maybe String
readUtf8 = \case
  [] -> Just ""
  bytes@(b : _)
    | c <= 0x10ffff,
      c < 0xd800 || c > 0xdfff,
      utf8 (chr c) == take n bytes ->
        (chr c :) <$> readUtf8 (drop n bytes)
    | otherwise -> Nothing
    where
      n
        | b < 0xc0 = 1
        | b < 0xe0 = 2
        | b < 0xf0 = 3
        | otherwise = 4
      c =
        foldl
          (\acc f -> acc * 64 + fromIntegral f `mod` 64)
          ( if n == 1
              then fromIntegral b
              else fromIntegral b `mod` 2 ^ (7 - n)
          )
          (take (n - 1) (drop 1 bytes)) ::
          Int

-- * Writing

-- | @width@ bytes, the highest first.
big :: Int -> Integer -> [Word8]
big width n = [fromInteger (n `div` 256 ^ k) | k <- reverse [0 .. width - 1]]

-- | Every head of a major type with an argument, the shortest first.
heads :: Word8 -> Integer -> [[Word8]]
heads major n =
  [[32 * major + fromInteger n] | n < 24]
    <> [ 32 * major + info : big width n
         | (info, width) <-
             zip [24 ..] [1, 2, 4, 8],
           n < 256 ^ width
       ]

-- | Every encoding of a scalar's number, the shortest first.
floats :: Word64 -> [[Word8]]
floats bits =
  [0xf9 : big 2 h | Just h <- [Map.lookup bits halves]]
    <> [0xfa : big 4 w | w <- take 1 (single bits)]
    <> [0xfb : big 8 (toInteger bits)]

-- | How to write an item, from how to choose a head, how to write strings and
-- frames from their bodies, and how to write the items within.
writtenBy ::
  (Monad m) =>
  ([[Word8]] -> m [Word8]) ->
  (Word8 -> [[Word8]] -> m [Word8]) ->
  (Word8 -> Integer -> [[Word8]] -> m [Word8]) ->
  Item ->
  m [Word8]
writtenBy choice string frame = go
  where
    go = \case
      Integer n
        | n >= 0 -> choice (heads 0 n)
        | otherwise -> choice (heads 1 (-1 - n))
      Bytes body -> string 2 (map pure body)
      Text text -> string 3 (map utf8 text)
      Array items -> mapM go items >>= frame 4 (toInteger (length items))
      Map pairs ->
        mapM (\(k, v) -> (<>) <$> go k <*> go v) pairs >>= frame 5 (toInteger (length pairs))
      Tag n item -> (<>) <$> choice (heads 6 n) <*> go item
      Simple n
        | n < 24 -> pure [0xe0 + fromInteger n]
        | otherwise -> pure [0xf8, fromInteger n]
      Float bits -> choice (floats bits)

-- | The preferred serialization.
shortest :: Item -> [Word8]
shortest =
  concat
    . writtenBy
      first
      ( \major parts ->
          counted major (toInteger (length (concat parts))) parts
      )
      counted
  where
    first = take 1
    counted major n parts = first (map (<> concat parts) (heads major n))

-- | The core deterministic encoding: pairs by the bytes of their keys.
deterministic :: Item -> [Word8]
deterministic = shortest . sorted
  where
    sorted = \case
      Array items -> Array (map sorted items)
      Map pairs -> Map (sortOn (shortest . fst) [(sorted k, sorted v) | (k, v) <- pairs])
      Tag n (Bytes body)
        | n == 2 || n == 3,
          length (dropWhile (== 0) body) <= 8 ->
            Integer (if n == 2 then unsigned body else -1 - unsigned body)
        | n == 2 || n == 3 -> Tag n (Bytes (dropWhile (== 0) body))
      Tag n item -> Tag n (sorted item)
      item -> item

-- | Any way, inside as well.
spelled :: Item -> Gen [Word8]
spelled = writtenBy elements string frame
  where
    string major parts = frequency [(3, withLength major (concat parts)), (1, inChunks major parts)]
    withLength major body = (<> body) <$> elements (heads major (toInteger (length body)))
    -- A character is in one chunk.
    inChunks major parts = do
      chunks <- cutUp parts
      bodies <- mapM (withLength major . concat) chunks
      pure ([32 * major + 31] <> concat bodies <> [0xff])
    frame major n parts =
      frequency
        [ (3, (<> concat parts) <$> elements (heads major n)),
          (1, pure ([32 * major + 31] <> concat parts <> [0xff]))
        ]

-- | Anywhere, with empty pieces too.
cutUp :: [a] -> Gen [[a]]
cutUp whole = do
  count <- choose (0, 4)
  places <- vectorOf count (choose (0, length whole))
  let edges = sortOn id places
  pure
    ( if count == 0 && null whole
        then []
        else
          zipWith
            (\from to -> take (to - from) (drop from whole))
            (0 : edges)
            (edges <> [length whole])
    )
