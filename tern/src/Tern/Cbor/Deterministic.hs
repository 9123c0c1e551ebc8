-- | CBOR's core deterministic encoding (RFC 8949, section 4.2.1): one document for
-- each value.
--
-- The idea: what is written is in the preferred serialization already, so that only
-- the pairs of maps are to be put into order: by the bytes of their keys. Whether a
-- document is deterministic is asked of its bytes, item by item.
module Tern.Cbor.Deterministic
  ( toDeterministic,
    checkDeterministic,
    deterministic,
  )
where

import Control.Monad (foldM, unless, void, when)
import Data.Bifunctor (first)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as BU
import Data.List (sortOn)
import Data.Text qualified as T
import Data.Vector qualified as V
import Data.Word (Word64)
import Tern.Error (Error (..), Reason (..))
import Tern.Internal.Binary.Item (Item (..))
import Tern.Internal.Cbor.Document (decodeWith, encodeWith)
import Tern.Internal.Cbor.Format (Argument (..), Head (..), Major (..), headAt, itemAt)
import Tern.Internal.Cbor.Path (pathTo)
import Tern.Internal.Cbor.Read qualified as Read
import Tern.Internal.Cbor.Value (Value)
import Tern.Internal.Cbor.Value qualified as Value
import Tern.Internal.Cbor.Write qualified as Write
import Tern.Internal.Read (Reader (..))
import Tern.Limits (Limits (..), unlimited)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Tern.Cbor.Value
-- >>> import Tern.Limits

-- | A document in its deterministic form. Refused are those that do not decode, and
-- those with a key that is repeated in its map: that error has the path to the map,
-- and for an offset the document's beginning.
--
-- >>> toDeterministic defaultLimits "\xbf\x61\x62\x01\x61\x61\x18\x02\xff"
-- Right "\162aa\STXab\SOH"
toDeterministic :: Limits -> ByteString -> Either Error ByteString
toDeterministic limits input = do
  document <- Value.encodeValue . deterministic <$> Value.decodeValueWith limits input
  document <$ first repeated (checkDeterministic limits {maxBytes = maxBound} document)
  where
    repeated found =
      Error
        0
        (errorPath found)
        ( Refused
            ( T.pack
                "a map has a key twice; deterministic CBOR has it once"
            )
        )

-- | The same value, with the pairs of its maps in the order of their keys' bytes,
-- and integers without tags where they need none.
deterministic :: Value -> Value
deterministic value = case value of
  Value.Array vs -> Value.Array (V.map deterministic vs)
  Value.Map pairs -> Value.Map (V.fromList (map snd (sortOn fst (map keyed (V.toList pairs)))))
  Value.Tag n v -> maybe (Value.Tag n (deterministic v)) Value.integer (Value.asInteger value)
  Value.Unsigned _ -> value
  Value.Negative _ -> value
  Value.Float _ -> value
  Value.Bool _ -> value
  Value.Null -> value
  Value.Undefined -> value
  Value.Simple _ -> value
  Value.Bytes _ -> value
  Value.Text _ -> value
  where
    keyed (k, v) = let key = deterministic k in (Value.encodeValue key, (key, deterministic v))

-- | Whether a document is in deterministic form: else the first place where it is
-- not ('NotDeterministic'), or a key that is not above the one before it in its map
-- ('KeyOutOfOrder').
--
-- >>> checkDeterministic defaultLimits "\x82\x00\x18\x17"
-- Left (Error {errorOffset = 2, errorPath = [Index 1], errorReason = NotDeterministic})
checkDeterministic :: Limits -> ByteString -> Either Error ()
checkDeterministic limits input = do
  decodeWith (Reader Read.skip) limits input
  first located (void (itemEnd input 0))
  where
    located (at, reason) = Error at (pathTo input at) reason

-- | From the item at an offset to the offset after it. The document is well-formed.
itemEnd :: ByteString -> Int -> Either (Int, Reason) Int
itemEnd input at = case headAt here of
  Just (Head size major (Given n)) -> do
    unless (isShortest size major (shortestSize n)) refuse
    case itemAt here of
      Just (Scalar header body) -> Right (at + header + body)
      Just (ArrayFrame header k) -> foldM (\now _ -> itemEnd input now) (at + header) [1 .. k]
      Just (MapFrame header k) -> fst <$> foldM pair (at + header, B.empty) [1 .. k]
      Just (Prefix header) -> do
        when (n == 2 || n == 3) (largeInteger (at + header))
        itemEnd input (at + header)
      _ -> refuse >> Right at
  _ -> refuse >> Right at
  where
    here = BU.unsafeDrop at input
    refuse = Left (at, NotDeterministic)
    isShortest size major shortest
      | major == Simple,
        size > 2 =
          Right (B.take size here)
            == ( encodeWith Write.double
                   <$> decodeWith (Reader Read.double) unlimited (B.take size here)
               )
      | otherwise = size == shortest
    -- A key is above the one before it, in order of bytes.
    pair (now, before) _ = do
      after <- itemEnd input now
      let key = B.take (after - now) (BU.unsafeDrop now input)
      when (not (B.null before) && key <= before) (Left (now, KeyOutOfOrder))
      end <- itemEnd input after
      Right (end, key)
    -- One of at most eight bytes, or with a zero before it, has a shorter form.
    largeInteger body = case headAt (BU.unsafeDrop body input) of
      Just (Head size Bytes (Given n)) | n <= 8 || BU.unsafeIndex input (body + size) == 0 -> refuse
      _ -> Right ()

-- | The bytes of the shortest head for an argument.
shortestSize :: Word64 -> Int
shortestSize n
  | n < 24 = 1
  | n < 0x100 = 2
  | n < 0x10000 = 3
  | n < 0x100000000 = 5
  | otherwise = 9
