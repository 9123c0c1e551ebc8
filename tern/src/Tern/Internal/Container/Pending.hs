-- | Input that has come and is not used yet, in pieces.
--
-- The idea: nothing is joined before it is asked for as a whole. Small pieces are
-- joined by doubling, so that input that comes byte by byte costs a few copies of
-- each byte and no list of bytes. A value can be gone on from twice.
module Tern.Internal.Container.Pending
  ( Pending,
    empty,
    arrived,
    returned,
    size,
    taking,
    searched,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B

-- | The first pieces in order, the later ones in reverse, and how many bytes there
-- are in all. No piece is empty.
data Pending = Pending [ByteString] [ByteString] !Int

-- | Nothing has come.
empty :: Pending
empty = Pending [] [] 0

-- | A piece after the others.
arrived :: ByteString -> Pending -> Pending
arrived piece (Pending front back n)
  | B.null piece = Pending front back n
  | otherwise = Pending front (joined piece back) (n + B.length piece)
  where
    joined now = \case
      before : rest
        | B.length before <= 2 * B.length now,
          B.length before + B.length now <= small ->
            joined (before <> now) rest
      rest -> now : rest

-- | A piece before the others.
returned :: ByteString -> Pending -> Pending
returned piece (Pending front back n)
  | B.null piece = Pending front back n
  | otherwise = Pending (piece : front) back (n + B.length piece)

-- | Larger pieces are not joined before they must be.
small :: Int
small = 4096

-- | Bytes in all.
size :: Pending -> Int
size (Pending _ _ n) = n

-- | The first @k@ bytes as one string, if there are as many, and the others. What
-- lies in one piece is not copied.
taking :: Int -> Pending -> Maybe (ByteString, Pending)
taking k (Pending front back n)
  | k > n = Nothing
  | otherwise = Just (go k [] (front <> reverse back))
  where
    go left taken = \case
      piece : rest
        | left < B.length piece ->
            (whole (B.take left piece : taken), Pending (B.drop left piece : rest) [] (n - k))
        | otherwise -> go (left - B.length piece) (piece : taken) rest
      [] -> (whole taken, Pending [] [] (n - k))
    whole = \case
      [piece] -> piece
      pieces -> B.concat (reverse (filter (not . B.null) pieces))

-- | Drop what comes before the first place from an offset on that a search finds
-- (in a string, from an offset on, which has the position given), and how many bytes
-- those were. A place has @width@ bytes; where none is found, all is dropped but the
-- beginning of one that may be cut off.
searched ::
  Int -> (Int -> Int -> ByteString -> Maybe Int) -> Int -> Int -> Pending -> (Bool, Int, Pending)
searched width find position from (Pending front back n) = go 0 from (front <> reverse back)
  where
    -- After @passed@ bytes, the first piece to be looked at from the offset @at@ on.
    go !passed at = \case
      [] -> (False, passed, Pending [] [] (n - passed))
      piece : rest
        | at >= B.length piece -> go (passed + B.length piece) (at - B.length piece) rest
        | Just found <- find (position + passed) at piece ->
            (True, passed + found, Pending (B.drop found piece : rest) [] (n - passed - found))
        | otherwise -> across (passed + cut) (B.drop cut piece) rest
        where
          -- What is left of the piece could begin a place.
          cut = max at (B.length piece - (width - 1))
    across !passed tail' = \case
      [] -> (False, passed, Pending [tail'] [] (n - passed))
      piece : rest
        | B.length piece < width -> go passed 0 ((tail' <> piece) : rest)
        | Just found <- find (position + passed) 0 bridge ->
            ( True,
              passed
                + found,
              Pending (B.drop found tail' : piece : rest) [] (n - passed - found)
            )
        | otherwise -> go (passed + B.length tail') 0 (piece : rest)
        where
          bridge = tail' <> B.take (width - 1) piece
