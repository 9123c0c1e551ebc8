{-# LANGUAGE OverloadedStrings #-}

-- | The path to a place in a document, found from its offset.
--
-- The idea: nothing is recorded while a document is decoded; after a failure
-- the document is walked once more, up to the offset, keeping the keys and
-- indices of what is open. What is malformed lies at the offset or after it,
-- so the walk may take the syntax for granted.
module Tern.Internal.Json.Path
  ( pathTo,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as BU
import Data.Either (fromRight)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error (lenientDecode)
import Tern.Error (Expected (..), Path, Reason (..), Segment (..))
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Read (Reader (..), runReader)
import Tern.Limits (unlimited)

-- | What is open.
data Frame
  = Root
  | -- | At the element of this index.
    InArray !Int
  | -- | Before a key.
    InObject
  | -- | At the value of the key between two offsets, which are those of its quotes' insides.
    InMember !Int !Int

-- | The path to what an error at an offset is about: the value that begins
-- there or surrounds it; after an element or a member that has ended, the array
-- or object that it belongs to. Linear time in the offset.
pathTo :: ByteString -> Int -> Reason -> Path
pathTo input offset reason = go 0 Root []
  where
    stop = min offset (B.length input)
    hasEnded = case reason of
      Unexpected expected -> endsElement expected
      UnexpectedEnd expected -> endsElement expected
      _ -> False
    endsElement expected = expected == CommaOrBracket || expected == CommaOrBrace
    -- The innermost frame by itself, so that what is neither a frame's end nor a comma
    -- allocates nothing. Proof: "a fault at the end costs no more memory than success".
    go !at !frame outer
      | at >= stop = foldl (flip segment) [] (if hasEnded then outer else frame : outer)
      | otherwise = case BU.unsafeIndex input at of
          0x5b -> go (at + 1) (InArray 0) (frame : outer)
          0x7b -> go (at + 1) InObject (frame : outer)
          0x5d -> close at outer
          0x7d -> close at outer
          0x2c -> go (at + 1) (next frame) outer
          0x22 ->
            let !end = stringEnd (at + 1)
             in -- A place inside a key belongs to the object, as its colon does.
                if end >= stop
                  then go stop frame outer
                  else go (end + 1) (named (at + 1) end frame) outer
          _ -> go (at + 1) frame outer
    close at outer = case outer of
      frame : rest -> go (at + 1) frame rest
      [] -> go (at + 1) Root []
    next frame = case frame of
      InArray i -> InArray (i + 1)
      InMember _ _ -> InObject
      InObject -> InObject
      Root -> Root
    named from to frame = case frame of
      InObject -> InMember from to
      InMember _ _ -> frame
      InArray _ -> frame
      Root -> frame
    segment frame path = case frame of
      InArray i -> Index i : path
      InMember from to -> Key (unescaped (B.take (to - from) (B.drop from input))) : path
      InObject -> path
      Root -> path
    stringEnd at
      | at >= stop = stop
      | otherwise = case BU.unsafeIndex input at of
          0x22 -> at
          0x5c -> stringEnd (at + 2)
          _ -> stringEnd (at + 1)

-- | The key that a string stands for. It was read as one on the way to the failure; what
-- is no string all the same stands as it is.
unescaped :: ByteString -> T.Text
unescaped body
  | B.elem 0x5c body =
      fromRight
        text
        ( runReader
            unlimited
            (const id)
            (Reader Json.text)
            (B.concat ["\"", body, "\""])
        )
  | otherwise = text
  where
    text = T.decodeUtf8With lenientDecode body
