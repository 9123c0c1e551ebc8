-- | The path to a place in a document of a binary format, found from its offset.
--
-- The idea is that of "Tern.Internal.Json.Path": nothing is recorded while a document is
-- decoded; after a failure it is walked once more, from header to header, up to
-- the offset. What lies before the offset was read already.
module Tern.Internal.Binary.Path
  ( pathTo,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Unsafe qualified as BU
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Error (Path, Segment (..))
import Tern.Internal.Binary.Item (Item (..))

-- | What is open.
data Frame
  = -- | The number of the element at hand, and how many there are.
    InArray !Int !Int
  | -- | The key of the value at hand, or that a key is at hand; how many values
    -- (two a pair) are still to come, this one among them.
    InMap !(Maybe Text) !Int

-- | The path to the value that begins at an offset or surrounds it, from a
-- format's items, and from how it shows a scalar that is a key: the bytes from
-- there on, and how many of them are header and body. What is inside a key
-- belongs to the map. Linear time in the offset.
pathTo ::
  (ByteString -> Maybe Item) -> (ByteString -> Int -> Int -> Text) -> ByteString -> Int -> Path
pathTo itemAt keyText input offset = go 0 []
  where
    -- At a value of the innermost frame, if there is one.
    go at frames
      | at >= offset = path frames
      | otherwise = case itemAt (BU.unsafeDrop at input) of
          Nothing -> path frames
          Just (Scalar header n)
            | n > offset - at - header -> path frames
            | otherwise ->
                go (at + header + n) (valueEnds (keyText (BU.unsafeDrop at input) header n) frames)
          Just (Prefix header) -> go (at + header) frames
          Just (ArrayFrame header n)
            | n > 0 -> go (at + header) (InArray 0 n : frames)
            | otherwise -> go (at + header) (valueEnds array frames)
          Just (MapFrame header n)
            | n > 0 -> go (at + header) (InMap Nothing (2 * n) : frames)
            | otherwise -> go (at + header) (valueEnds mapping frames)
          -- These end by a break, and no document has 2^63 values.
          Just (OpenArray header) -> go (at + header) (InArray 0 maxBound : frames)
          Just (OpenMap header) -> go (at + header) (InMap Nothing maxBound : frames)
          Just (Break header) -> case frames of
            [] -> []
            InArray _ _ : rest -> go (at + header) (valueEnds array rest)
            InMap _ _ : rest -> go (at + header) (valueEnds mapping rest)
    -- A value has ended, which as a key would be shown as given.
    valueEnds key frames = case frames of
      [] -> []
      InArray i n : rest
        | i + 1 < n -> InArray (i + 1) n : rest
        | otherwise -> valueEnds array rest
      InMap key' n : rest
        | n > 1 -> InMap (maybe (Just key) (const Nothing) key') (n - 1) : rest
        | otherwise -> valueEnds mapping rest
    array = T.pack "array"
    mapping = T.pack "map"
    path = segments . reverse
    segments = \case
      InArray i _ : rest -> Index i : segments rest
      InMap (Just key) _ : rest -> Key key : segments rest
      _ -> []
