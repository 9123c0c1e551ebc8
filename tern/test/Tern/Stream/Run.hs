-- | Running decoders over chunks, for the tests.
module Tern.Stream.Run
  ( outcomesOf,
    documents,
    decoderOf,
    chunksOf,
    splits,
    pieces,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Tern
import Tern.Cbor.Value qualified as Cbor
import Tern.Internal.Read (Reader)
import Tern.MessagePack.Value qualified as MessagePack
import Tern.Stream
import Tern.Stream.Model (Ending (..), Outcome)
import Tern.Value (Value)
import Test.QuickCheck

-- | All that a decoder finds in chunks, and how it ends.
outcomesOf :: Decoder a -> [ByteString] -> ([Outcome a], Ending)
outcomesOf d chunks = case next d of
  Element a d' -> let (rest, ending) = outcomesOf d' chunks in (Right a : rest, ending)
  Damaged found (Just d') ->
    let (rest, ending) =
          outcomesOf d' chunks
     in (Left found : rest, ending)
  Damaged found Nothing -> ([Left found], GivenUp)
  NeedMore feed -> case chunks of
    [] -> outcomesOf (feed B.empty) []
    chunk : later -> outcomesOf (feed chunk) later
  End -> ([], Complete)

-- | Documents of any shape, as the bytes that they are written in again.
documents :: Sequence -> Limits -> ByteString -> Either Error ByteString
documents order limits input = case order of
  MessagePackValues -> MessagePack.encodeValue <$> MessagePack.decodeValueWith limits input
  CborValues -> Cbor.encodeValue <$> Cbor.decodeValueWith limits input
  _ -> encodeJson <$> (decodeJsonWith limits input :: Either Error Value)

-- | The same, as a stream's elements.
decoderOf :: Sequence -> Limits -> Decoder ByteString
decoderOf order limits = decoderWith order limits $ case order of
  MessagePackValues -> MessagePack.encodeValue <$> MessagePack.valueR
  CborValues -> Cbor.encodeValue <$> Cbor.valueR
  _ -> encodeJson <$> (jsonR :: Reader Value)

-- | Chunks of @n@ bytes.
chunksOf :: Int -> ByteString -> [ByteString]
chunksOf n input
  | B.null input = []
  | otherwise = let (chunk, rest) = B.splitAt n input in chunk : chunksOf n rest

-- | In two chunks, at every place.
splits :: ByteString -> [[ByteString]]
splits input =
  [filter (not . B.null) [a, b] | n <- [0 .. B.length input], let (a, b) = B.splitAt n input]

-- | In chunks of any sizes.
pieces :: ByteString -> Gen [ByteString]
pieces input
  | B.null input = pure []
  | otherwise = do
      n <- frequency [(3, choose (1, 3)), (2, choose (1, 20)), (1, choose (1, B.length input))]
      let (chunk, rest) = B.splitAt n input
      (chunk :) <$> pieces rest
