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
import Data.Maybe (isNothing)
import Data.Word (Word8)
import Tern
import Tern.Internal.Binary.Item (Item (..))
import Tern.Internal.Cbor.Format (Argument (..), Head (..), Major (..), headAt)
import Tern.Internal.Cbor.Path qualified as Cbor
import Tern.Internal.MessagePack.Format (itemAt)
import Tern.Internal.MessagePack.Path qualified as MessagePack
import Tern.Stream (Fault (..), Sequence (..))

-- | An element or a fault.
type Outcome a = Either Fault a

-- | Was all of the input decoded, or was the rest of it given up?
data Ending = Complete | GivenUp
  deriving stock (Eq, Show)

-- | What a sequence holds, by a decoder of documents.
outcomes ::
  Sequence -> Limits -> (ByteString -> Either Error a) -> ByteString -> ([Outcome a], Ending)
outcomes order limits decode input = case order of
  JsonLines -> textLines 0 0
  JsonValues -> values 0 0
  JsonArray -> array
  MessagePackValues -> packed packEnd MessagePack.pathTo 0 0
  CborValues -> packed cborEnd Cbor.pathTo 0 0
  where
    at offset = B.drop offset input
    size = B.length input
    one index start bytes = case decode bytes of
      Right a -> Right a
      Left (Error offset path reason) ->
        Left (Fault index start (Error (start + offset) path reason) (lineAt start))
    tooLong index start =
      Left
        ( Fault
            index
            start
            ( Error
                (start + maxBytes limits)
                []
                (LimitExceeded (TooManyBytes (maxBytes limits)))
            )
            (lineAt start)
        )
    between index start reason = Left (Fault index start (Error start [] reason) (lineAt start))
    lineAt start =
      if order == JsonLines
        then Just (1 + B.count 10 (B.take start input))
        else Nothing
    given outcome = ([outcome], GivenUp)
    outcome `andThen` (rest, ending) = (outcome : rest, ending)

    textLines index start
      | start' >= size = ([], Complete)
      | B.length line > maxBytes limits =
          tooLong index start' `andThen` textLines (index + 1) (start' + B.length line)
      | otherwise = one index start' line `andThen` textLines (index + 1) (start' + B.length line)
      where
        start' = start + length (takeWhile isSpace (B.unpack (at start)))
        line = B.takeWhile (/= 10) (at start')

    values index start
      | start' >= size = ([], Complete)
      | otherwise =
          element
            index
            start'
            (\n -> values (index + 1) (start' + n))
            $ \bytes -> case one index start' bytes of
              Right a -> ([Right a], Complete)
              Left found -> ([Left found], Complete)
      where
        start' = spaced start

    array = case B.uncons (at start) of
      Nothing -> given (between 0 start (UnexpectedEnd AnArray))
      Just (0x5b, _) -> case B.uncons (at first) of
        Just (0x5d, _) -> closed 0 (first + 1)
        _ -> following 0 first
      Just _ -> given (between 0 start (Unexpected AnArray))
      where
        start = spaced 0
        first = spaced (start + 1)
    following index start
      | start >= size = given (between index start (UnexpectedEnd AValue))
      | otherwise =
          element
            index
            start
            (\n -> separating (index + 1) (spaced (start + n)))
            $ \bytes -> case one index start bytes of
              Right _ -> given (between index size (UnexpectedEnd CommaOrBracket))
              Left found -> given (Left found)
    separating index start = case B.uncons (at start) of
      Nothing -> given (between index start (UnexpectedEnd CommaOrBracket))
      Just (0x2c, _) -> following index (spaced (start + 1))
      Just (0x5d, _) -> closed index (start + 1)
      Just _ -> given (between index start (Unexpected CommaOrBracket))
    closed index start
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

    -- An element of a binary format.
    packed end pathTo = go
      where
        go index start
          | start >= size = ([], Complete)
          | otherwise = case end limits (at start) of
              PackEnds n ->
                one index start (B.take n (at start)) `andThen` go (index + 1) (start + n)
              PackLong -> given (tooLong index start)
              PackUnfinished -> ([one index start (at start)], Complete)
              PackStuck n reason ->
                given
                  ( Left
                      ( Fault
                          index
                          start
                          (Error (start + n) (pathTo (at start) n) reason)
                          (lineAt start)
                      )
                  )

isSpace :: Word8 -> Bool
isSpace = (`elem` [0x20, 0x0a, 0x0d, 0x09])

data End = Ends Int | Unfinished | Stuck Int

-- | Where a JSON value ends, at most @levels@ deep.
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
        | b `elem` [0x5b, 0x7b] ->
            if length open >= levels
              then Stuck n
              else inside (n + 1) (b + 2 : open) rest
        | b `elem` [0x5d, 0x7d] -> case open of
            c : outer
              | b == c -> if null outer then Ends (n + 1) else inside (n + 1) outer rest
            _ -> Stuck n
        | otherwise -> inside (n + 1) open rest
    string n open = \case
      0x5c : _ : rest -> string (n + 2) open rest
      0x22 : rest -> if null open then Ends (n + 1) else inside (n + 1) open rest
      [0x5c] -> Unfinished
      _ : rest -> string (n + 1) open rest
      [] -> Unfinished
    delimits b = isSpace b || b `elem` [0x22, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d]

data PackEnd = PackEnds Int | PackUnfinished | PackStuck Int Reason | PackLong

-- | Where a MessagePack value ends, within limits.
packEnd :: Limits -> ByteString -> PackEnd
packEnd limits input = go 0 [1]
  where
    -- How many values each open level wants, the innermost first.
    go at = \case
      [] -> PackEnds at
      0 : outer -> go at outer
      n : outer
        | at >= B.length input -> PackUnfinished
        | B.index input at == 0xc1 -> PackStuck at (Unexpected AValue)
        | at + headerSize (B.index input at) > maxBytes limits -> PackLong
        | otherwise -> case itemAt (B.drop at input) of
            Nothing -> PackUnfinished
            Just (Scalar header size)
              | at + header + size + sum levels > maxBytes limits -> PackLong
              | at + header + size > B.length input -> PackUnfinished
              | otherwise -> go (at + header + size) levels
            Just (ArrayFrame header size) -> frame (at + header) size
            Just (MapFrame header size) -> frame (at + header) (2 * size)
            Just _ -> PackUnfinished
        where
          levels = n - 1 : outer
          frame body size
            | length levels > maxDepth limits =
                PackStuck at (LimitExceeded (TooDeep (maxDepth limits)))
            | body + size + sum levels > maxBytes limits = PackLong
            | otherwise = go body (size : levels)
    -- The type of an extension counts as its first byte.
    headerSize b = length (takeWhile tooShort [1 .. 5]) + 1 - (if isExtension b then 1 else 0)
      where
        tooShort k = isNothing (itemAt (B.take k (B.cons b (B.replicate 5 0))))
    isExtension b = b `elem` [0xc7, 0xc8, 0xc9]

-- | What an open level of a CBOR item wants.
data Wanted
  = Items Int
  | Elements
  | AKeyOrBreak
  | AValueOfAKey
  | Chunks Major
  deriving stock (Eq)

-- | Where a CBOR item ends, within limits.
cborEnd :: Limits -> ByteString -> PackEnd
cborEnd limits input = go 0 [Items 1]
  where
    -- What each open level wants, the innermost first.
    go at = \case
      [] -> PackEnds at
      Items 0 : outer -> go at outer
      wanted : outer
        | at >= B.length input -> PackUnfinished
        | headLength (B.index input at) == 0 -> stuck (Unexpected AValue)
        | at + headLength (B.index input at) > maxBytes limits -> PackLong
        | at + headLength (B.index input at) > B.length input -> PackUnfinished
        | otherwise -> case (headAt (B.drop at input), wanted) of
            (Nothing, _) -> stuck (Unexpected AValue)
            (Just (Head _ Simple Indefinite), _)
              | wanted `elem` [Elements, AKeyOrBreak, Chunks Bytes, Chunks Text] ->
                  go (at + 1) outer
              | otherwise -> stuck (Unexpected AValue)
            (Just (Head size major (Given n)), Chunks kind)
              | major == kind -> body size n (wanted : outer)
            (Just _, Chunks _) -> stuck (Unexpected AValue)
            (Just (Head size major argument), _) -> case (major, argument) of
              (Bytes, Given n) -> body size n consumed
              (Text, Given n) -> body size n consumed
              (Bytes, Indefinite) -> opened size (Chunks Bytes)
              (Text, Indefinite) -> opened size (Chunks Text)
              (Array, Given n) -> frame size (counted n)
              (Array, Indefinite) -> frame size Elements
              (Map, Given n) -> frame size (counted (if n > 2 ^ (62 :: Int) then n else 2 * n))
              (Map, Indefinite) -> frame size AKeyOrBreak
              (Tag, _) -> frame size (Items 1)
              _ -> body size (0 :: Int) consumed
        where
          stuck = PackStuck at
          consumed = case wanted of
            Items n -> Items (n - 1) : outer
            Elements -> Elements : outer
            AKeyOrBreak -> AValueOfAKey : outer
            AValueOfAKey -> AKeyOrBreak : outer
            Chunks _ -> wanted : outer
          body size n levels
            | toInteger at + toInteger size + toInteger n + least levels
                > toInteger (maxBytes limits) =
                PackLong
            | toInteger at + toInteger size + toInteger n > toInteger (B.length input) =
                PackUnfinished
            | otherwise = go (at + size + fromIntegral n) levels
          frame size inner
            | length consumed > maxDepth limits = stuck (LimitExceeded (TooDeep (maxDepth limits)))
            | otherwise = opened size inner
          opened size inner
            | toInteger at + toInteger size + least (inner : consumed)
                > toInteger (maxBytes limits) =
                PackLong
            | otherwise = go (at + size) (inner : consumed)
    -- How many bytes there must be at least: a break is one.
    least levels = sum (map wants levels) :: Integer
    wants = \case
      Items n -> toInteger n
      _ -> 1
    counted n = Items (fromIntegral (min n (2 ^ (62 :: Int))))
    headLength b = case b `mod` 32 of
      info
        | info < 24 -> 1
        | info < 28 -> 1 + 2 ^ (info - 24)
        | info == 31, b `div` 32 `elem` [2, 3, 4, 5, 7] -> 1
        | otherwise -> 0 :: Int
