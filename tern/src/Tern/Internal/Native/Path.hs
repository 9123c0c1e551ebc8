-- | The path to a place in a native document, found from its offset.
--
-- The idea is that of "Tern.Internal.Json.Path": nothing is recorded while a document is
-- decoded; after a failure it is walked once more up to the offset, here by the
-- layout of its type, which also knows the names.
module Tern.Internal.Native.Path
  ( pathTo,
  )
where

import Data.Bits (testBit)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error (lenientDecode)
import Tern.Error (Path, Segment (..))
import Tern.Internal.Native.Layout (Layout (..))

-- | What is still to come at some level.
data Rest
  = Fields [(Segment, Layout)]
  | -- | Elements of a chunk: the number of the next, how many more, and whether
    -- another chunk follows.
    Elements !Int !Int !Bool Layout
  | -- | The same of a map: a key comes next.
    Pairs !Int !Bool Layout Layout
  | -- | Its value comes next, which is called by the key.
    ValueOf Segment !Int !Bool Layout Layout

-- | The path to the value that begins at an offset or surrounds it. What is
-- inside a key belongs to the map. Linear time in the offset.
pathTo :: Layout -> ByteString -> Int -> Path
pathTo root input offset = value 0 root [] []
  where
    -- At a value, below the segments given (innermost first); the rests are those
    -- of the levels around, each with the segments that lead to it.
    value at layout path around = case layout of
      -- A record has no bytes of its own: what is wrong is its first field.
      Record fields -> next at (Fields (named fields)) path around
      _ | at >= offset -> reverse path
      Varint -> over (varintSize at)
      Bytes n -> over (Just n)
      Magnitude
        | input B.!? at == Just 255 -> over ((+ 1) <$> stringSize (at + 1))
        | otherwise -> over (varintSize at)
      String -> over (stringSize at)
      List element -> chunk at (\n more -> Elements 0 n more element) path around
      Map k v -> chunk at (\n more -> Pairs n more k v) path around
      Sum constructors -> case constructorAt at constructors of
        Just (at', fields) | at' <= offset -> next at' (Fields (named fields)) path around
        _ -> reverse path
      -- Nobody knows where it ends.
      Unknown -> reverse path
      where
        over = \case
          Just n | n <= offset - at -> finished (at + n) around
          _ -> reverse path
    -- At the beginning of a chunk.
    chunk at make path around = case varintAt at of
      Just (n, at') | n <= 4096, at' <= offset -> next at' (make n (n == 4096)) path around
      _ -> reverse path
    -- What comes next of a level.
    next at rest path around = case rest of
      Fields ((segment, layout) : others) ->
        value at layout (segment : path) ((Fields others, path) : around)
      Fields [] -> finished at around
      Elements i n more layout
        | n > 0 ->
            value at layout (Index i : path) ((Elements (i + 1) (n - 1) more layout, path) : around)
        | more -> chunk at (\n' more' -> Elements i n' more' layout) path around
        | otherwise -> finished at around
      Pairs n more k v
        | n > 0 -> value at k path ((ValueOf (key at k) (n - 1) more k v, path) : around)
        | more -> chunk at (\n' more' -> Pairs n' more' k v) path around
        | otherwise -> finished at around
      ValueOf segment n more k v -> value at v (segment : path) ((Pairs n more k v, path) : around)
    -- A value has ended.
    finished at = \case
      [] -> []
      (rest, path) : around -> next at rest path around
    named fields = [(maybe (Index i) Key name, layout) | (i, (name, layout)) <- zip [0 ..] fields]
    key at = \case
      Varint | Just (n, _) <- varintAt at -> Key (T.pack (show n))
      String
        | Just (n, at') <- varintAt at ->
            Key (T.decodeUtf8With lenientDecode (B.take n (B.drop at' input)))
      _ -> Key (T.pack "key")
    constructorAt at constructors = do
      let width = if length constructors <= 256 then 1 else 2
          found = B.take width (B.drop at input)
          n = B.foldr (\b rest -> fromIntegral b + 256 * rest) 0 found
      fields : _ <- Just (drop n constructors)
      if B.length found == width then Just (at + width, fields) else Nothing
    varintSize at = sizeFrom <$> input B.!? at
    sizeFrom b = length (takeWhile (testBit b) [7, 6 .. 0]) + 1
    stringSize at = do
      (n, at') <- varintAt at
      Just (n + at' - at)
    -- A varint that is no length, because it is too large, is of no use here.
    varintAt :: Int -> Maybe (Int, Int)
    varintAt at = do
      size <- varintSize at
      let found = B.take size (B.drop at input)
          bits =
            B.foldl' (\acc b -> acc * 256 + toInteger b) 0 found
              `mod` 2 ^ (if size == 9 then 64 else 7 * size)
      if B.length found == size && bits < 2 ^ (62 :: Int)
        then Just (fromInteger bits, at + size)
        else Nothing
