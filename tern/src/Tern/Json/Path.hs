{-# LANGUAGE OverloadedStrings #-}

-- | The path to a place in a document, found from its offset.
--
-- The idea: nothing is recorded while a document is decoded; after a failure
-- the document is walked once more, up to the offset, keeping the keys and
-- indices of what is open. What is malformed lies at the offset or after it,
-- so the walk may take the syntax for granted.
module Tern.Json.Path
  ( pathTo,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as BU
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error (lenientDecode)
import Tern.Error

-- | What is open, innermost first.
data Frame
  = InArray !Int
  | -- | The bytes of the key whose value is being walked, without quotes.
    InObject !(Maybe ByteString)

-- | The path to what an error at an offset is about: the value that begins
-- there or surrounds it; after an element or a member that has ended, the array
-- or object that it belongs to. Linear time in the offset.
pathTo :: ByteString -> Int -> Reason -> Path
pathTo input offset reason = go 0 []
  where
    stop = min offset (B.length input)
    hasEnded = case reason of
      Unexpected expected -> endsElement expected
      UnexpectedEnd expected -> endsElement expected
      _ -> False
    endsElement expected = expected == CommaOrBracket || expected == CommaOrBrace
    go at frames
      | at >= stop = foldl (flip segment) [] (if hasEnded then drop 1 frames else frames)
      | otherwise = case BU.unsafeIndex input at of
          0x5b -> go (at + 1) (InArray 0 : frames)
          0x7b -> go (at + 1) (InObject Nothing : frames)
          0x5d -> go (at + 1) (close frames)
          0x7d -> go (at + 1) (close frames)
          0x2c -> go (at + 1) (next frames)
          0x22 ->
            let end = stringEnd (at + 1)
                body = B.take (end - at - 1) (B.drop (at + 1) input)
             in -- A place inside a key belongs to the object, as its colon does.
                go (end + 1) (if end >= stop then frames else key body frames)
          _ -> go (at + 1) frames
    close = drop 1
    next frames = case frames of
      InArray i : rest -> InArray (i + 1) : rest
      InObject _ : rest -> InObject Nothing : rest
      [] -> []
    key body frames = case frames of
      InObject Nothing : rest -> InObject (Just body) : rest
      _ -> frames
    segment frame path = case frame of
      InArray i -> Index i : path
      InObject (Just body) -> Key (unescaped body) : path
      InObject Nothing -> path
    stringEnd at
      | at >= stop = stop
      | otherwise = case BU.unsafeIndex input at of
          0x22 -> at
          0x5c -> stringEnd (at + 2)
          _ -> stringEnd (at + 1)

-- | A key for people to read: its plain escapes resolved, others as they stand.
unescaped :: ByteString -> T.Text
unescaped body
  | B.elem 0x5c body = T.replace "\\\"" "\"" (T.replace "\\/" "/" text)
  | otherwise = text
  where
    text = T.decodeUtf8With lenientDecode body
