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
import Data.Maybe (isJust, isNothing, listToMaybe)
import Data.Ord (Down (..))
import Data.Word (Word32, Word8)
import Tern.Native.Model (Tree, Type, readDocument)

-- * Reading

-- | What is found: elements, and how many were before; what is wrong, and after how many
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

-- | All that there is in a file: what is wrong as it is met, then elements and losses in
-- the order in which they were written.
readFile' :: Given -> [Word8] -> [Event]
readFile' given whole
  | size < 40 = [Wrong 0 0 0 Cut]
  | take 8 whole /= magic = put Nothing (Bad 0 0 0 IsNone : anyhow)
  | whole !! 8 /= 1 = put Nothing (Bad 0 0 8 HasVersion : anyhow)
  | checksum (part 0 36) /= part 36 4 || part 9 3 /= [0, 0, 0] =
      put Nothing (Bad 0 0 0 BrokenHeader : anyhow)
  | schemaSize > longestSchema given = put Nothing (Bad 0 0 12 LongSchema : search known 0 40)
  | size < 40 + schemaSize = put Nothing (Bad 0 0 size Cut : search known 0 0)
  | checksum (part 40 schemaSize) /= part 32 4 = put Nothing (Bad 0 0 40 BrokenHeader : anyhow)
  | part 24 8 /= fingerprintOf given = [Wrong 0 0 24 HasOtherSchema]
  | otherwise = put (Just (40 + schemaSize)) (atHead known (40 + schemaSize))
  where
    put = inOrder given size
    size = toInteger (length whole)
    part from n = slice from n whole
    schemaSize = number (part 12 4)
    known = At given whole (part 16 8) (Next 0 0 Nothing) 0
    anyhow = case likeliest whole of
      Just its -> search known {mark = its} 0 0
      Nothing -> [Nothing' 0 size]

magic :: [Word8]
magic = [0x89, 0x54, 0x65, 0x72, 0x6e, 0x0d, 0x0a, 0x1a]

-- | A head: its mark, kind, elements, sizes, numbers, place and the checksum of its
-- bytes.
data Head = Head [Word8] Word8 Integer Integer Integer Integer Integer Integer [Word8]

headAt :: [Word8] -> Integer -> Maybe Head
headAt whole at
  | length bytes == 64,
    checksum (take 60 bytes) == drop 60 bytes,
    slice 9 3 bytes == [0, 0, 0],
    all (< 2 ^ (62 :: Int)) [stored, raw, n, first, place],
    sensible =
      Just (Head (take 8 bytes) kind count stored raw n first place (slice 56 4 bytes))
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

-- * What stands there

-- | A block that is right, with its place and bytes; an end; what is wrong, and after how many
-- elements and blocks; and what is nothing.
data Item
  = Whole Integer Head [Word8]
  | Finish Integer Head
  | Bad Integer Integer Integer Wrong
  | Nothing' Integer Integer

-- | What a head would say, here and by how much farther on.
data At = At
  { given' :: Given,
    file :: [Word8],
    mark :: [Word8],
    next :: Next,
    shift :: Integer
  }

-- | A number of a block, of its first element, and its place, where that is known.
data Next = Next Integer Integer (Maybe Integer)

after :: Head -> Next
after (Head _ kind count stored _ n first place _)
  | kind == 0xff = Next n first (Just place)
  | otherwise = Next (n + 1) (first + count) (Just (place + 64 + stored))

fits :: Next -> Head -> Bool
fits (Next n first place) (Head _ _ _ _ _ n' first' place' _)
  | n' == n = first' == first && all (== place') place
  | otherwise = n' > n && first' - first >= n' - n && all (\p -> place' - p >= 65 * (n' - n)) place

follows :: Next -> Head -> Bool
follows next'@(Next n _ _) h@(Head _ _ _ _ _ n' _ _ _) = n == n' && fits next' h

atHead :: At -> Integer -> [Item]
atHead at here
  | here == size = [bad at here HasNoEnd]
  | size < here + 64 = bad at size Cut : search at here here
  | otherwise = case headAt (file at) here of
      Just h@(Head its _ _ _ _ _ _ place _)
        | its == mark at ->
            [bad at here Misplaced | not (follows (next at) h && place == here + shift at)]
              <> atBody at h here
      _ -> bad at here BadHead : search at here (here + 1)
  where
    size = toInteger (length (file at))

atBody :: At -> Head -> Integer -> [Item]
atBody before h@(Head _ kind _ stored raw n first place sum') here
  | kind == 0xff =
      Finish here h
        : if size > body
          then bad at body HasMore : search at body body
          else []
  | max stored raw > longestBlock (given' at) = Bad first n here LongBlock : search at here body
  | size < behind = Bad first n size Cut : search at here body
  | checksum bytes /= sum' = Bad first n here BadBody : search at here body
  | otherwise = Whole here h bytes : atHead at behind
  where
    at = before {next = after h, shift = place - here}
    size = toInteger (length (file at))
    body = here + 64
    behind = body + stored
    bytes = slice body stored (file at)

-- | The next head from a place on; what lies after another place is nothing.
search :: At -> Integer -> Integer -> [Item]
search at from = go
  where
    size = toInteger (length (file at))
    go here
      | here + 64 > size = [Nothing' from size | from < size]
      | otherwise = case headAt (file at) here of
          Just h@(Head its _ _ _ _ _ _ _ _)
            | its == mark at ->
                [Nothing' from here | here > from] <> atBody at h here
          _ -> go (here + 1)

bad :: At -> Integer -> Wrong -> Item
bad at = let Next n first _ = next at in Bad first n

-- | Of the marks that heads have, that of the first header that is right before them, or one
-- that stands before them, or that with most bytes in blocks.
likeliest :: [Word8] -> Maybe [Word8]
likeliest whole =
  listToMaybe
    [ its
      | Down (_, _, _, its) <-
          List.sort
            [ Down ((take 1 said == [its], its `List.isInfixOf` early), weight its, number its, its)
              | its <- List.nub (map fst found)
            ]
    ]
  where
    early = take (length (takeWhile (isNothing . headAt whole) [0 .. size - 64])) whole
    said =
      [ slice (at + 16) 8 early
        | at <- [0 .. toInteger (length early) - 40],
          slice at 8 early == magic,
          slice (at + 8) 4 early == [1, 0, 0, 0],
          checksum (slice at 36 early) == slice (at + 36) 4 early,
          let n = number (slice (at + 12) 4 early),
          at + 40 + n <= toInteger (length early),
          checksum (slice (at + 40) n early) == slice (at + 32) 4 early
      ]
    weight its = sum [n | (its', n) <- found, its' == its]
    size = toInteger (length whole)
    found = go 0
    go here
      | here + 64 > size = []
      | otherwise = case headAt whole here of
          Nothing -> go (here + 1)
          Just (Head its _ _ stored _ _ _ _ sum')
            | here + 64 + stored <= size,
              checksum (slice (here + 64) stored whole) == sum' ->
                (its, 64 + stored) : go (here + 64 + stored)
            | otherwise -> (its, 1) : go (here + 64)

-- * In order

-- | What comes next, runs of blocks that do not, what is nothing, the end that says most,
-- and what is found.
data Order = Order Next [[Item]] [(Integer, Integer)] [Item] [Event]

inOrder :: Given -> Integer -> Maybe Integer -> [Item] -> [Event]
inOrder given size begins items =
  [Wrong (int i) (int n) (int at) wrong | Bad i n at wrong <- items]
    <> finished (List.foldl' item (Order (Next 0 0 begins) [] [] [] []) items)
  where
    item order@(Order next' runs nothing ends found) = \case
      Bad {} -> order
      one@(Finish at _) -> case ends of
        known : _
          | rank known >= rank one -> Order next' runs (nothing <> [(at, at + 64)]) ends found
          | otherwise ->
              Order next' runs (nothing <> [(placeOf known, placeOf known + 64)]) [one] found
        [] -> Order next' runs nothing [one] found
      Nothing' from to -> Order next' runs (nothing <> [(from, to)]) ends found
      one@(Whole at h@(Head _ _ _ stored _ n _ _ _) _)
        | follows next' h -> drained (placed one order)
        | Next n' _ _ <- next',
          n < n' ->
            Order next' runs (nothing <> [(at, at + 64 + stored)]) ends found
        | otherwise -> Order next' (grown one runs) nothing ends found
    -- With the run that it follows and the one that follows it, of several the one that something
    -- came to last. A run began where its first block came.
    grown one runs =
      List.sortOn began $
        (concat early <> [one] <> concat late)
          : [run | run <- runs, map placeOf run `notElem` map (map placeOf) (early <> late)]
      where
        early = latest [run | run <- runs, b : _ <- [reverse run], b `precedes` one]
        late = latest [run | run <- runs, b : _ <- [run], one `precedes` b]
        precedes x y = follows (after (blockHead x)) (blockHead y)
        latest = take 1 . List.sortOn (negate . maximum . map placeOf)
    placed one (Order (Next n first _) runs nothing ends found) =
      Order
        (after (blockHead one))
        (filter (not . null) left)
        late
        ends
        (found <> losses <> elementsOf given one)
      where
        h@(Head _ _ _ _ _ n' first' _ _) = blockHead one
        Next wanted _ _ = after h
        (early, late) = List.partition ((< placeOf one) . fst) (nothing <> gone)
        losses = lossesOf (placeOf one) (joined early) (Just (n' - n, first' - first))
        left = map (filter ((>= wanted) . numberOf)) runs
        gone = [extent b | b <- concat runs, numberOf b < wanted, placeOf b /= placeOf one]
    drained order@(Order next' runs _ _ _) = case [ b
                                                    | b : _ <- List.sortOn heaviest runs,
                                                      follows next' (blockHead b)
                                                  ] of
      b : _ -> drained (placed b order)
      [] -> order
    finished order@(Order next' runs nothing ends found)
      | not (null runs) = finished $ case believed next' runs of
          [] ->
            Order next' (drop 1 runs) (nothing <> concatMap (map extent) (take 1 runs)) ends found
          chosen -> List.foldl' begun order chosen
      | otherwise =
          found <> lossesOf end (joined early) missing <> lossesOf size (joined late) Nothing
      where
        (early, late) = List.partition ((<= end) . fst) nothing
        (end, missing) = case (next', ends) of
          (Next n first _, Finish at h@(Head _ _ _ _ _ n' first' _ _) : _)
            | (n', first') == (n, first) -> (at, Just (0, 0))
            | fits next' h -> (at, Just (n' - n, first' - first))
          _ -> (size * 2, Nothing)
    rank one = let Head _ _ _ _ _ n _ place _ = blockHead one in (n, place == placeOf one)
    begun order@(Order next'@(Next n _ _) _ _ _ _) run = case dropWhile ((< n) . numberOf) run of
      b : _ | fits next' (blockHead b) -> drained (placed b order)
      _ -> order

heaviest :: [Item] -> (Integer, Integer)
heaviest run = (negate (heavy run), began run)

heavy, began :: [Item] -> Integer
heavy run = sum [stored | Whole _ (Head _ _ _ stored _ _ _ _ _) _ <- run]
began = minimum . map placeOf

-- | Of some runs the heaviest, and what fits of each other, in order.
believed :: Next -> [[Item]] -> [[Item]]
believed next' runs =
  List.sortOn (map numberOf . take 1) (List.foldl' believe [] (List.sortOn (negate . heavy) runs))
  where
    believe kept run =
      List.foldl'
        (\pieces other -> concatMap (beside other) pieces)
        [late next' run | not (null (late next' run))]
        kept
        <> kept
    beside other run =
      filter
        (not . null)
        ( concat
            [ [early (blockHead b) run, late (after (blockHead e)) run]
              | (b : _, e : _) <- [(other, reverse other)]
            ]
        )
    late from = dropWhile (not . fits from . blockHead)
    early to = List.dropWhileEnd (not . (`fits` to) . after . blockHead)

lossesOf :: Integer -> [(Integer, Integer)] -> Maybe (Integer, Integer) -> [Event]
lossesOf at nothing missing = case (nothing, missing) of
  ([], Nothing) -> []
  ([], Just (n, k)) -> [Gone (int at) (int at) (Just (int n)) (Just (int k)) | n /= 0]
  ((from, to) : more, _) ->
    Gone (int from) (int to) (int . fst <$> missing) (int . snd <$> missing)
      : [Gone (int a) (int b) (Just 0) (Just 0) | (a, b) <- more]

joined :: [(Integer, Integer)] -> [(Integer, Integer)]
joined = go . List.sort
  where
    go = \case
      (a, b) : (c, d) : rest | c <= b -> go ((a, max b d) : rest)
      one : rest -> one : go rest
      [] -> []

blockHead :: Item -> Head
blockHead = \case
  Whole _ h _ -> h
  Finish _ h -> h
  _ -> Head [] 0 0 0 0 0 0 0 []

placeOf, numberOf :: Item -> Integer
placeOf = \case
  Whole at _ _ -> at
  Finish at _ -> at
  Bad _ _ at _ -> at
  Nothing' at _ -> at
numberOf one = let Head _ _ _ _ _ n _ _ _ = blockHead one in n

extent :: Item -> (Integer, Integer)
extent one =
  let Head _ _ _ stored _ _ _ _ _ = blockHead one in (placeOf one, placeOf one + 64 + stored)

-- | The elements of a block.
elementsOf :: Given -> Item -> [Event]
elementsOf given = \case
  Whole at (Head _ kind count stored raw n first _ _) bytes ->
    elementsIn
      given
      (int first)
      (int n)
      (int count)
      (int at)
      (int (at + 64 + stored))
      kind
      bytes
      (int raw)
  _ -> []

elementsIn :: Given -> Int -> Int -> Int -> Int -> Int -> Word8 -> [Word8] -> Int -> [Event]
elementsIn given first n count from to kind stored raw = case kind of
  0 -> go first count stored
  _ -> case lookup kind (ways given) of
    Nothing -> [Wrong first n from NoSuchCompression, Gone from to (Just 1) (Just count)]
    Just way -> case way stored of
      Just bytes | length bytes == raw -> go first count bytes
      _ -> [Wrong first n from BadCompression, Gone from to (Just 1) (Just count)]
  where
    go i k bytes
      | k == 0 = [Wrong i n from BytesLeft | not (null bytes)]
      | otherwise = case find
          (\(_, tree) -> isJust tree)
          [ (size, readDocument (typeOf given) (take size bytes))
            | size <- [0 .. length bytes]
          ] of
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
    header =
      let start =
            magic <> [1, 0, 0, 0] <> low 4 (size schema) <> its <> print' <> checksum schema
       in start <> checksum start <> schema
    go made n first begins pieces = case pieces of
      [] -> (made <> headOf made n first 0xff 0 [] [], reverse (length made : begins))
      Piece count raw kind stored : rest ->
        go
          ( made
              <> headOf made n first kind count raw stored
              <> stored
          )
          (n + 1)
          (first + count)
          (length made : begins)
          rest
    headOf made n first kind count raw stored =
      let start =
            its
              <> [kind, 0, 0, 0]
              <> low 4 count
              <> concatMap (low 8) [size stored, size raw, n, first, size made]
              <> checksum stored
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
