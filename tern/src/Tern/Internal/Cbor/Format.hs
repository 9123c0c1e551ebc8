-- | The heads of CBOR (RFC 8949, section 3), and how far an item of each
-- reaches.
--
-- The idea: one slow and obvious view, for whoever explains a document and does
-- not hurry. Readers and writers have the same knowledge in their code.
module Tern.Internal.Cbor.Format
  ( -- * Heads
    Head (..),
    Major (..),
    Argument (..),
    headAt,

    -- * Items
    itemAt,
    claimAt,
    chunksAt,
    headName,
  )
where

import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word64)
import Tern.Internal.Binary.Item (Item (..), claim)

-- $setup
-- >>> :set -XOverloadedStrings

-- | What an item begins with.
data Head = Head
  { -- | Bytes of the head: 1, 2, 3, 5 or 9.
    headSize :: !Int,
    headMajor :: !Major,
    headArgument :: !Argument
  }
  deriving stock (Eq, Show)

-- | The major types, by their numbers from 0 on.
data Major = Unsigned | Negative | Bytes | Text | Array | Map | Tag | Simple
  deriving stock (Bounded, Enum, Eq, Ord, Show)

-- | What a head says besides.
data Argument
  = -- | A number: a value, a length, a tag, or a floating-point number's bits.
    Given !Word64
  | -- | That the item goes on to a break; of 'Simple', the break itself.
    Indefinite
  deriving stock (Eq, Show)

-- | The head that the input begins with; 'Nothing' where it is cut off or
-- reserved.
--
-- >>> headAt "\x19\x01\x00"
-- Just (Head {headSize = 3, headMajor = Unsigned, headArgument = Given 256})
headAt :: ByteString -> Maybe Head
headAt input = do
  (b, rest) <- B.uncons input
  let major = toEnum (fromIntegral (b `shiftR` 5))
      info = fromIntegral (b .&. 31) :: Int
      number width
        | B.length rest >= width =
            Just (Head (1 + width) major (Given (bigEndian (B.take width rest))))
        | otherwise = Nothing
  if info < 24
    then Just (Head 1 major (Given (fromIntegral info)))
    else case info of
      24 | major == Simple, Just (n, _) <- B.uncons rest, n < 32 -> Nothing
      24 -> number 1
      25 -> number 2
      26 -> number 4
      27 -> number 8
      31 | major `elem` [Bytes, Text, Array, Map, Simple] -> Just (Head 1 major Indefinite)
      _ -> Nothing

bigEndian :: ByteString -> Word64
bigEndian = B.foldl' (\n b -> n `shiftL` 8 .|. fromIntegral b) 0

-- | The item that the input begins with, as it claims to be; 'Nothing' where its
-- head is cut off or reserved. A string in chunks is one scalar.
--
-- >>> itemAt "\xa1\x61\x61\x01"
-- Just (MapFrame 1 1)
itemAt :: ByteString -> Maybe Item
itemAt input = do
  Head size major argument <- headAt input
  case (argument, major) of
    (Given _, Unsigned) -> Just (Scalar size 0)
    (Given _, Negative) -> Just (Scalar size 0)
    (Given n, Bytes) -> Just (Scalar size (counted n))
    (Given n, Text) -> Just (Scalar size (counted n))
    (Given n, Array) -> Just (ArrayFrame size (counted n))
    (Given n, Map) -> Just (MapFrame size (counted n))
    (Given _, Tag) -> Just (Prefix size)
    (Given _, Simple) -> Just (Scalar size 0)
    (Indefinite, Array) -> Just (OpenArray size)
    (Indefinite, Map) -> Just (OpenMap size)
    (Indefinite, Simple) -> Just (Break size)
    (Indefinite, Bytes) -> inChunks
    (Indefinite, Text) -> inChunks
    (Indefinite, Unsigned) -> Nothing
    (Indefinite, Negative) -> Nothing
    (Indefinite, Tag) -> Nothing
  where
    inChunks = do
      (chunks, rest) <- chunksAt input
      -- The break is of the body.
      Just (Scalar 1 (B.length input - B.length rest - 1)) <* Just chunks

-- | No count is beyond an 'Int': what is, no input can hold.
counted :: Word64 -> Int
counted n = fromIntegral (min n (fromIntegral (maxBound :: Int)))

-- | How many bytes a head has, and what it claims.
claimAt :: ByteString -> Maybe (Int, Int)
claimAt input = claim <$> itemAt input

-- | The chunks of a string without a length, with which the input begins, and
-- what follows its break.
chunksAt :: ByteString -> Maybe ([ByteString], ByteString)
chunksAt input = headAt input >>= \(Head size kind _) -> go kind (B.drop size input)
  where
    go kind rest = do
      Head size major argument <- headAt rest
      case argument of
        Indefinite | major == Simple -> Just ([], B.drop size rest)
        Given n
          | major == kind,
            counted n <= B.length rest - size -> do
              (chunks, after) <- go kind (B.drop (size + counted n) rest)
              Just (B.take (counted n) (B.drop size rest) : chunks, after)
        _ -> Nothing

-- | What an item is, in a word or two.
--
-- >>> headName <$> headAt "\xc1\x00"
-- Just "tag"
headName :: Head -> Text
headName (Head size major argument) = T.pack $ case major of
  Unsigned -> "integer"
  Negative -> "integer"
  Bytes -> "byte string"
  Text -> "text string"
  Array -> "array"
  Map -> "map"
  Tag -> "tag"
  Simple -> case argument of
    Indefinite -> "break"
    Given n
      | size > 2 -> "float"
      | n == 20 -> "false"
      | n == 21 -> "true"
      | n == 22 -> "null"
      | n == 23 -> "undefined"
      | otherwise -> "simple value"
