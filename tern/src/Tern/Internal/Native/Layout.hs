-- | What a type's values look like in the native format, as data.
--
-- The idea: the format says nothing of itself, so whoever walks a document
-- without its type needs to be told: for the path to an error, for stepping over
-- what a reader does not want, for showing bytes to people. A layout is lazy, and
-- a recursive type's has no end; a document has one.
module Tern.Internal.Native.Layout
  ( Layout (..),
  )
where

import Data.Text (Text)

-- | How far a value goes, and what is within it, for whoever does not know its type.
data Layout
  = -- | One to nine bytes.
    Varint
  | -- | Always this number of bytes.
    Bytes !Int
  | -- | A number of any size: a varint, or the byte @ff@, a length and as much.
    Magnitude
  | -- | A length and as many bytes.
    String
  | -- | Chunks of elements. Also a set.
    List Layout
  | -- | Chunks of pairs.
    Map Layout Layout
  | -- | Fields, with their names where they have any.
    Record [(Maybe Text, Layout)]
  | -- | A constructor's number and its fields.
    Sum [[(Maybe Text, Layout)]]
  | -- | What nobody said: a codec by hand.
    Unknown
