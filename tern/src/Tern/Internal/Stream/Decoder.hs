{-# LANGUAGE RecordWildCards #-}

-- | Decoding a sequence of values whose bytes come in chunks of any size.
--
-- The idea: readers never wait for input. The next element is read where it
-- stands, in the chunk itself. Most often that succeeds; where it does not, the
-- element may only be cut off, and so its end is searched for, by brackets or
-- headers and over as many chunks as it takes, before its reader runs again
-- over all of it. Every byte is thus searched once, and read at most twice.
--
-- A decoder is a value. It can be kept, and gone on from twice; then what the
-- first has found out is found out again.
--
-- Start at 'next'.
module Tern.Internal.Stream.Decoder
  ( -- * Decoders
    Decoder,
    decoderWith,
    Step (..),
    next,

    -- * Where a decoder is
    elementsBefore,
    position,
    unread,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as BU
import Data.Word (Word8)
import System.IO.Unsafe (unsafePerformIO)
import Tern.Error (Error (..), Exceeded (..), Expected (..), Reason (..))
import Tern.Internal.Cbor.Path qualified as Cbor
import Tern.Internal.Json.Path qualified as Json
import Tern.Internal.MessagePack.Path qualified as MessagePack
import Tern.Internal.Read (Reader)
import Tern.Internal.Stream.Attempt (Attempt (..), Entry, attempt, countedEntry, jsonEntry)
import Tern.Internal.Stream.Fault (Fault (..))
import Tern.Internal.Stream.Sequence (Notation (..), Sequence (..), notation)
import Tern.Limits (Limits (..))
import Tern.Prim.Boundary
  ( Held,
    Search,
    Verdict (..),
    append,
    held,
    heldBytes,
    heldLength,
    isDelimiter,
    look,
    newSearch,
    roomier,
  )
import Tern.Prim.Boundary qualified as Boundary

-- | Where in a sequence the input has been decoded to.
data Decoder a = Decoder
  { plan :: !(Plan a),
    place :: !Expecting,
    -- | How many elements have begun and ended.
    elements :: !Int,
    -- | The stream's bytes before what is held and before the window.
    before :: !Int,
    -- | In JSON Lines, the line feeds among them.
    lineFeeds :: !Int,
    -- | Input that has come and is not used yet; it comes after what is held.
    window :: !ByteString,
    -- | Whether an element may be read before its end has been found.
    trusting :: !Bool,
    -- | The length of the last element. Less is likely to be cut off, and to be
    -- stopped at the end of the window costs more than to search it.
    usual :: !Int,
    -- | The window is the last one.
    final :: !Bool
  }

-- | What does not change.
data Plan a = Plan
  { order :: !Sequence,
    limits :: !Limits,
    reader :: !(Entry a)
  }

-- | What comes next.
data Expecting
  = -- | An element or the end of the input.
    Between
  | -- | The bracket that opens the array.
    Opening
  | -- | The first element, or the bracket that closes an empty array.
    First
  | -- | An element, after a comma.
    Following
  | -- | A comma or the bracket that closes the array.
    Separating
  | -- | White space until the input ends.
    AfterArray
  | -- | The rest of an element of which some is held.
    Within !Search !Held
  | -- | The rest of a line that is too long.
    Oversized
  | -- | Nothing: no further element can be found.
    Lost

-- | A decoder for a sequence at its start. The limits hold for each element by
-- itself: 'maxBytes' is how many bytes of it are kept at most.
--
-- The reader must read exactly one value of the sequence's format, as those of
-- all instances do.
--
-- INLINE: the reader is known where it is given.
decoderWith :: Sequence -> Limits -> Reader a -> Decoder a
decoderWith order limits reader = begin order limits $ case notation order of
  Json -> jsonEntry reader
  MessagePack -> countedEntry reader
  Cbor -> countedEntry reader
{-# INLINE decoderWith #-}

begin :: Sequence -> Limits -> Entry a -> Decoder a
begin order limits reader =
  Decoder
    { plan = Plan {..},
      place = if order == JsonArray then Opening else Between,
      elements = 0,
      before = 0,
      lineFeeds = 0,
      window = B.empty,
      trusting = True,
      usual = 0,
      final = False
    }

-- | What a decoder has found next.
data Step a
  = -- | An element, and where to go on.
    Element a !(Decoder a)
  | -- | An element that does not decode, or damage between elements; and where to
    -- go on, if the next element can be found.
    --
    -- It always can in 'JsonLines'. In the other sequences it can where the
    -- element's end was found, so that only its reader refused it. It cannot
    -- where brackets do not match, an element is too long or too deep, a header
    -- is none, elements are not separated by commas, or an array's input ends.
    Damaged !Fault !(Maybe (Decoder a))
  | -- | Nothing before there is more input: give the next chunk, or an empty one
    -- at the end of the input.
    NeedMore (ByteString -> Decoder a)
  | -- | The sequence is complete.
    End

-- | Go on. Time is linear in the bytes that have come; memory is that of the
-- chunk, and of one element that is spread over several.
next :: Decoder a -> Step a
next d = case place d of
  Between
    | B.null (window d1) -> orAtEnd d1 End
    | otherwise -> element d1 Between
  Separating -> case B.uncons (window d1) of
    Nothing -> orAtEnd d1 (lost d1 (UnexpectedEnd CommaOrBracket))
    Just (0x2c, rest) -> next (stepped 1 rest) {place = Following}
    Just (0x5d, rest) -> next (stepped 1 rest) {place = AfterArray}
    Just _ -> lost d1 (Unexpected CommaOrBracket)
  Following
    | B.null (window d1) -> orAtEnd d1 (lost d1 (UnexpectedEnd AValue))
    | otherwise -> element d1 Separating
  First -> case B.uncons (window d1) of
    Nothing -> orAtEnd d1 (lost d1 (UnexpectedEnd AValue))
    Just (0x5d, rest) -> next (stepped 1 rest) {place = AfterArray}
    Just _ -> element d1 Separating
  Opening -> case B.uncons (window d1) of
    Nothing -> orAtEnd d1 (lost d1 (UnexpectedEnd AnArray))
    Just (0x5b, rest) -> next (stepped 1 rest) {place = First}
    Just _ -> lost d1 (Unexpected AnArray)
  AfterArray
    | B.null (window d1) -> orAtEnd d1 End
    | otherwise -> lost d1 TrailingInput
  Within state kept
    | final d -> cutOff d (heldBytes kept)
    | otherwise -> continue d state kept
  Oversized -> case B.elemIndex 0x0a (window d) of
    Just k -> next (used k d) {place = Between}
    Nothing -> orAtEnd (used (B.length (window d)) d) End
  Lost -> End
  where
    -- White space means nothing between the values of JSON.
    d1 = case notation (order (plan d)) of
      MessagePack -> d
      Cbor -> d
      Json -> case spaces (window d) of
        0 -> d
        n -> usedSpace n d
    stepped n rest = d1 {before = before d1 + n, window = rest}

-- | The input's end, where a step is made of it, or more input.
orAtEnd :: Decoder a -> Step a -> Step a
orAtEnd d atEnd
  | final d = atEnd
  | otherwise = NeedMore (more d)

-- | The next chunk, the window being used up.
more :: Decoder a -> ByteString -> Decoder a
more d chunk = d {window = chunk, final = B.null chunk, trusting = True}

-- | The first bytes of the window are done with.
used :: Int -> Decoder a -> Decoder a
used n d = d {before = before d + n, window = B.drop n (window d)}

-- | The same of white space. In JSON Lines no line feed is anywhere else.
usedSpace :: Int -> Decoder a -> Decoder a
usedSpace n d = case order (plan d) of
  JsonLines -> (used n d) {lineFeeds = lineFeeds d + fed}
  JsonValues -> used n d
  JsonArray -> used n d
  MessagePackValues -> used n d
  CborValues -> used n d
  where
    fed
      | n == 1 = if BU.unsafeHead (window d) == 0x0a then 1 else 0
      | otherwise = B.count 0x0a (B.take n (window d))

-- * Elements

-- | The element that begins with the window, which is not empty; and what comes
-- after it.
element :: Decoder a -> Expecting -> Step a
element d@Decoder {plan = Plan {..}, ..} after
  | order == JsonLines = case B.elemIndex 0x0a window of
      Just k -> whole d (BU.unsafeTake k window) (BU.unsafeDrop k window) after
      Nothing -> search d
  | trusting,
    B.length window >= usual = case attempt limits reader (B.take (maxBytes limits) window) of
      Taken n a
        | n > 0,
          endsAt order n window ->
            Element a (ended d n (BU.unsafeDrop n window) after)
      -- Either it is cut off or damaged. From now on ends are found first, until
      -- there is more input: what a reader has prepared for all of the window is
      -- wasted once.
      _ -> search d {trusting = False}
  | otherwise = search d

-- | Whether a value that was read has all its bytes: a number could go on.
endsAt :: Sequence -> Int -> ByteString -> Bool
endsAt order n window = case notation order of
  MessagePack -> True
  Cbor -> True
  Json ->
    closes (BU.unsafeIndex window (n - 1))
      || (n < B.length window && isDelimiter (BU.unsafeIndex window n))
  where
    closes b = b == 0x7d || b == 0x5d || b == 0x22

-- | The decoder after an element of @n@ bytes, which @rest@ follows.
ended :: Decoder a -> Int -> ByteString -> Expecting -> Decoder a
ended d n rest after =
  d {place = after, elements = elements d + 1, before = before d + n, window = rest, usual = n}

-- | An element that is all there: its bytes, and what follows them.
whole :: Decoder a -> ByteString -> ByteString -> Expecting -> Step a
whole d@Decoder {plan = Plan {..}} bytes rest after
  | B.length bytes > maxBytes limits =
      Damaged (tooLong d) (if order == JsonLines then Just onward else Nothing)
  | otherwise = case attempt limits reader bytes of
      Taken n a
        | n' == B.length bytes -> Element a onward
        | otherwise -> Damaged (fault d bytes n' TrailingInput) (Just onward)
        where
          n' = case notation order of
            MessagePack -> n
            Cbor -> n
            Json -> n + spaces (BU.unsafeDrop n bytes)
      Stopped offset reason -> Damaged (fault d bytes offset reason) (Just onward)
  where
    onward = ended d (B.length bytes) rest after

-- | Search the window for the end of the element that begins with it.
search :: Decoder a -> Step a
search d = unsafePerformIO $ do
  state <- newSearch
  pure (continue d state (held B.empty))

-- | Search the window for the end of the element of which some is held.
--
-- A search that others have gone on from, or that has no room, begins afresh
-- with what is held. Room is missing only where more levels are open than it had
-- room for, and each of them took a byte; and the room grows by a factor. So this
-- too is linear.
continue :: Decoder a -> Search -> Held -> Step a
continue d@Decoder {plan = Plan {..}, ..} from kept = unsafePerformIO (go from kept)
  where
    go state bytes = do
      verdict <- look kind (maxDepth limits) (maxBytes limits) state (heldLength bytes) window
      case verdict of
        Stale -> newSearch >>= again (held (heldBytes bytes))
        Cramped -> roomier state >>= again bytes
        Short
          | heldLength bytes + B.length window > maxBytes limits ->
              pure $ Damaged (tooLong d) (if order == JsonLines then Just oversized else Nothing)
          | otherwise -> do
              now <- if heldLength bytes == 0 then pure (held window) else append bytes window
              pure (NeedMore (more d {place = Within state now, window = B.empty}))
        Found n -> do
          let k = n - heldLength bytes
          value <-
            if heldLength bytes == 0
              then pure (BU.unsafeTake k window)
              else heldBytes <$> append bytes (BU.unsafeTake k window)
          pure (whole d value (BU.unsafeDrop k window) after)
        Wrong n -> stuck n bytes (Unexpected AValue)
        Deep n -> stuck n bytes (LimitExceeded (TooDeep (maxDepth limits)))
        Long -> pure (Damaged (tooLong d) Nothing)
    again bytes state
      | heldLength bytes == 0 = go state bytes
      | otherwise = do
          verdict <- look kind (maxDepth limits) (maxBytes limits) state 0 (heldBytes bytes)
          case verdict of
            Cramped -> roomier state >>= again bytes
            _ -> go state bytes
    -- JSON's reader knows best what is wrong there, or before it. Those of binary
    -- formats would complain of what is missing after it.
    stuck n bytes reason
      | n > maxBytes limits = pure (Damaged (tooLong d) Nothing)
      | otherwise = do
          value <-
            heldBytes <$> append (held (heldBytes bytes)) (B.take (n + 1 - heldLength bytes) window)
          pure . flip Damaged Nothing $ case notation order of
            Json
              | Stopped offset reason' <- attempt limits reader value ->
                  fault d value offset reason'
            Json -> fault d value n reason
            MessagePack -> fault d value n reason
            Cbor -> fault d value n reason
    kind = case order of
      JsonLines -> Boundary.Line
      JsonValues -> Boundary.Json
      JsonArray -> Boundary.Json
      MessagePackValues -> Boundary.MessagePack
      CborValues -> Boundary.Cbor
    after = if order == JsonArray then Separating else Between
    oversized =
      (used (B.length window) d)
        { place = Oversized,
          elements = elements + 1,
          before = before + heldLength kept + B.length window
        }

-- | The input ends with these bytes of an element: with a last number or line,
-- or in the middle of it.
cutOff :: Decoder a -> ByteString -> Step a
cutOff d bytes = case order (plan d) of
  JsonArray -> case whole d bytes B.empty Lost of
    Damaged found _ -> Damaged found Nothing
    _ -> lost d {before = before d + B.length bytes} (UnexpectedEnd CommaOrBracket)
  JsonLines -> whole d bytes B.empty Lost
  JsonValues -> whole d bytes B.empty Lost
  MessagePackValues -> whole d bytes B.empty Lost
  CborValues -> whole d bytes B.empty Lost

-- * Faults

-- | Damage between elements, at the window's start.
lost :: Decoder a -> Reason -> Step a
lost d reason =
  Damaged (Fault (elements d) (before d) (Error (before d) [] reason) (lineOf d)) Nothing

-- | In the element that has these bytes.
fault :: Decoder a -> ByteString -> Int -> Reason -> Fault
fault d bytes offset reason =
  Fault (elements d) (before d) (Error (before d + offset) path reason) (lineOf d)
  where
    path = case notation (order (plan d)) of
      Json -> Json.pathTo bytes offset reason
      MessagePack -> MessagePack.pathTo bytes offset
      Cbor -> Cbor.pathTo bytes offset

-- | The line that an element begins in.
lineOf :: Decoder a -> Maybe Int
lineOf d = case order (plan d) of
  JsonLines -> Just (lineFeeds d + 1)
  JsonValues -> Nothing
  JsonArray -> Nothing
  MessagePackValues -> Nothing
  CborValues -> Nothing

tooLong :: Decoder a -> Fault
tooLong d =
  Fault
    (elements d)
    (before d)
    ( Error
        (before d + most)
        []
        (LimitExceeded (TooManyBytes most))
    )
    (lineOf d)
  where
    most = maxBytes (limits (plan d))

-- * Places

-- | How many elements have been passed, damaged ones too.
elementsBefore :: Decoder a -> Int
elementsBefore = elements

-- | How many bytes of the stream come before what is 'unread'.
position :: Decoder a -> Int
position = before

-- | The bytes that have come and belong to no element that was passed.
unread :: Decoder a -> ByteString
unread d = case place d of
  Within _ kept -> heldBytes kept <> window d
  _ -> window d

-- | How many bytes of white space come first.
spaces :: ByteString -> Int
spaces bytes
  | B.null bytes || BU.unsafeHead bytes > 0x20 = 0
  | otherwise = B.length (B.takeWhile isSpace bytes)

isSpace :: Word8 -> Bool
isSpace b = b == 0x20 || b == 0x0a || b == 0x0d || b == 0x09
