-- | The path to a place in a MessagePack document, found from its offset.
--
-- The idea is that of "Tern.Json.Path": nothing is recorded while a document is
-- decoded; after a failure it is walked once more, from header to header, up to
-- the offset. What lies before the offset was read already.
module Tern.MessagePack.Path
  ( pathTo,
  )
where

import Data.Bits (shiftL, (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as BU
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error (lenientDecode)
import Tern.Error
import Tern.MessagePack.Format

-- | What is open.
data Frame
  = -- | The number of the element at hand, and how many there are.
    InArray !Int !Int
  | -- | The key of the value at hand, or that a key is at hand; how many values
    -- (two a pair) are still to come, this one among them.
    InMap !(Maybe Text) !Int

-- | The path to the value that begins at an offset or surrounds it. What is
-- inside a key belongs to the map. Linear time in the offset.
--
-- A key that is no string is shown as text: an integer by its digits, others by
-- the name of their format.
pathTo :: ByteString -> Int -> Path
pathTo input offset = go 0 []
  where
    -- At a value of the innermost frame, if there is one.
    go at frames
      | at >= offset = path frames
      | otherwise = case itemAt (BU.unsafeDrop at input) of
          Nothing -> path frames
          Just (Scalar header n)
            | n > offset - at - header -> path frames
            | otherwise -> go (at + header + n) (valueEnds (keyText at header n) frames)
          Just (ArrayFrame header n)
            | n > 0 -> go (at + header) (InArray 0 n : frames)
            | otherwise -> go (at + header) (valueEnds (name at) frames)
          Just (MapFrame header n)
            | n > 0 -> go (at + header) (InMap Nothing (2 * n) : frames)
            | otherwise -> go (at + header) (valueEnds (name at) frames)
    -- A value has ended, which as a key would be shown as given.
    valueEnds key frames = case frames of
      [] -> []
      InArray i n : rest
        | i + 1 < n -> InArray (i + 1) n : rest
        | otherwise -> valueEnds (T.pack "array") rest
      InMap key' n : rest
        | n > 1 -> InMap (maybe (Just key) (const Nothing) key') (n - 1) : rest
        | otherwise -> valueEnds (T.pack "map") rest
    path = segments . reverse
    segments = \case
      InArray i _ : rest -> Index i : segments rest
      InMap (Just key) _ : rest -> Key key : segments rest
      _ -> []
    name at = formatName (formatOf (BU.unsafeIndex input at))
    keyText at header n = case formatOf (BU.unsafeIndex input at) of
      PositiveFixint -> digits (toInteger first)
      NegativeFixint -> digits (toInteger first - 256)
      Uint8 -> digits bits
      Uint16 -> digits bits
      Uint32 -> digits bits
      Uint64 -> digits bits
      Int8 -> digits (toInteger (fromInteger bits :: Int8))
      Int16 -> digits (toInteger (fromInteger bits :: Int16))
      Int32 -> digits (toInteger (fromInteger bits :: Int32))
      Int64 -> digits (toInteger (fromInteger bits :: Int64))
      FixStr -> string
      Str8 -> string
      Str16 -> string
      Str32 -> string
      _ -> name at
      where
        first = BU.unsafeIndex input at
        body = B.take n (BU.unsafeDrop (at + header) input)
        bits = B.foldl' (\acc b -> acc `shiftL` 8 .|. toInteger b) 0 body
        digits = T.pack . show
        string = T.decodeUtf8With lenientDecode body
