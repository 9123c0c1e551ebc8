-- | A slow decoder of sequences, for Tern's to be compared with.
--
-- The idea: all of the input is there, as a list of bytes. Where a value ends is
-- found by looking at one byte after the other with a list of what is open; and
-- then Tern's own decoder of whole documents says what the value is, and what is
-- wrong with it. Of Tern's streams nothing is used.
--
-- Start at 'outcomes'.
module Tern.Stream.Model
  ( Outcome,
    Ending (..),
    outcomes,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Word (Word8)
import Tern
import Tern.MessagePack.Format (Item (..), itemAt)
import Tern.MessagePack.Path qualified as MessagePack
import Tern.Stream (Fault (..), Sequence (..))

-- | An element or a fault.
type Outcome a = Either Fault a

-- | Was all of the input decoded, or was the rest of it given up?
data Ending = Complete | GivenUp
  deriving stock (Eq, Show)

-- | What a sequence holds, by a decoder of documents.
outcomes :: Sequence -> Limits -> (ByteString -> Either Error a) -> ByteString -> ([Outcome a], Ending)
outcomes order limits decode input = case order of
  JsonLines -> textLines 0 0
  JsonValues -> values 0 0
  JsonArray -> array
  MessagePackValues -> packed 0 0
  where
    at offset = B.drop offset input
    size = B.length input
    one index start bytes = case decode bytes of
      Right a -> Right a
      Left (Error offset path reason) -> Left (Fault index start (Error (start + offset) path reason))
    tooLong index start = Left (Fault index start (Error (start + maxBytes limits) [] (LimitExceeded (TooManyBytes (maxBytes limits)))))
    between index start reason = Left (Fault index start (Error start [] reason))
    given outcome = ([outcome], GivenUp)
    outcome `andThen` (rest, ending) = (outcome : rest, ending)

    textLines index start
      | start' >= size = ([], Complete)
      | B.length line > maxBytes limits = tooLong index start' `andThen` textLines (index + 1) (start' + B.length line)
      | otherwise = one index start' line `andThen` textLines (index + 1) (start' + B.length line)
      where
        start' = start + length (takeWhile isSpace (B.unpack (at start)))
        line = B.takeWhile (/= 10) (at start')

    values index start
      | start' >= size = ([], Complete)
      | otherwise = element index start' (\n -> values (index + 1) (start' + n)) $ \bytes -> case one index start' bytes of
          Right a -> ([Right a], Complete)
          Left found -> ([Left found], Complete)
      where
        start' = spaced start

    array = case B.uncons (at start) of
      Nothing -> given (between 0 start (UnexpectedEnd AnArray))
      Just (0x5b, _) -> case B.uncons (at first) of
        Just (0x5d, _) -> behind 0 (first + 1)
        _ -> following 0 first
      Just _ -> given (between 0 start (Unexpected AnArray))
      where
        start = spaced 0
        first = spaced (start + 1)
    following index start
      | start >= size = given (between index start (UnexpectedEnd AValue))
      | otherwise = element index start (\n -> separating (index + 1) (spaced (start + n))) $ \bytes -> case one index start bytes of
          Right _ -> given (between index size (UnexpectedEnd CommaOrBracket))
          Left found -> given (Left found)
    separating index start = case B.uncons (at start) of
      Nothing -> given (between index start (UnexpectedEnd CommaOrBracket))
      Just (0x2c, _) -> following index (spaced (start + 1))
      Just (0x5d, _) -> behind index (start + 1)
      Just _ -> given (between index start (Unexpected CommaOrBracket))
    behind index start
      | spaced start >= size = ([], Complete)
      | otherwise = given (between index (spaced start) TrailingInput)

    spaced start = start + length (takeWhile isSpace (B.unpack (at start)))

    -- An element of JSON: what comes after its end, or what its bytes mean that
    -- are there.
    element index start after cut = case jsonEnd (maxDepth limits) (B.unpack (at start)) of
      Ends n
        | n > maxBytes limits -> given (tooLong index start)
        | otherwise -> one index start (B.take n (at start)) `andThen` after n
      Unfinished
        | size - start > maxBytes limits -> given (tooLong index start)
        | otherwise -> cut (at start)
      Stuck n
        | n > maxBytes limits -> given (tooLong index start)
        | otherwise -> given (one index start (B.take (n + 1) (at start)))

    packed index start
      | start >= size = ([], Complete)
      | otherwise = case packEnd (maxDepth limits) (at start) of
          PackEnds n -> one index start (B.take n (at start)) `andThen` packed (index + 1) (start + n)
          PackUnfinished -> ([one index start (at start)], Complete)
          PackStuck n reason -> given (Left (Fault index start (Error (start + n) (MessagePack.pathTo (at start) n) reason)))

isSpace :: Word8 -> Bool
isSpace = (`elem` [0x20, 0x0a, 0x0d, 0x09])

data End = Ends Int | Unfinished | Stuck Int

-- | Where a JSON value ends, at most so many levels deep.
jsonEnd :: Int -> [Word8] -> End
jsonEnd levels bytes = case bytes of
  0x22 : rest -> string 1 [] rest
  b : _
    | b `elem` [0x5b, 0x7b] -> inside 0 [] bytes
    | delimits b -> Stuck 0
    | otherwise -> case break delimits bytes of
        (_, []) -> Unfinished
        (token, _) -> Ends (length token)
  [] -> Unfinished
  where
    inside n open = \case
      [] -> Unfinished
      0x22 : rest -> string (n + 1) open rest
      b : rest
        | b `elem` [0x5b, 0x7b] -> if length open >= levels then Stuck n else inside (n + 1) (b + 2 : open) rest
        | b `elem` [0x5d, 0x7d] -> case open of
            c : outer
              | b == c -> if null outer then Ends (n + 1) else inside (n + 1) outer rest
            _ -> Stuck n
        | otherwise -> inside (n + 1) open rest
    string n open = \case
      0x5c : _ : rest -> string (n + 2) open rest
      0x22 : rest -> if null open then Ends (n + 1) else inside (n + 1) open rest
      0x5c : [] -> Unfinished
      _ : rest -> string (n + 1) open rest
      [] -> Unfinished
    delimits b = isSpace b || b `elem` [0x22, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d]

data PackEnd = PackEnds Int | PackUnfinished | PackStuck Int Reason

-- | Where a MessagePack value ends.
packEnd :: Int -> ByteString -> PackEnd
packEnd levels input = go 0 levels PackEnds
  where
    go at depth next
      | B.null (B.drop at input) = PackUnfinished
      | B.index input at == 0xc1 = PackStuck at (Unexpected AValue)
      | otherwise = case itemAt (B.drop at input) of
          Nothing -> PackUnfinished
          Just (Scalar header n)
            | at + header + n > B.length input -> PackUnfinished
            | otherwise -> next (at + header + n)
          Just (ArrayFrame header n) -> frame at depth (at + header) n next
          Just (MapFrame header n) -> frame at depth (at + header) (2 * n) next
    frame at depth body n next
      | depth == 0 = PackStuck at (LimitExceeded (TooDeep levels))
      | otherwise = times n (depth - 1) body next
    times n depth at next
      | n == (0 :: Int) = next at
      | otherwise = go at depth (\at' -> times (n - 1) depth at' next)
