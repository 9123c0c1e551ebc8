-- | The path to a place in a MessagePack document, found from its offset
-- ("Tern.Internal.Binary.Path" says how).
module Tern.Internal.MessagePack.Path
  ( pathTo,
  )
where

import Data.Bits (shiftL, (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as BU
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error (lenientDecode)
import Tern.Error (Path)
import Tern.Internal.Binary.Path qualified as Binary
import Tern.Internal.MessagePack.Format (Format (..), formatName, formatOf, itemAt)

-- | The path to the value that begins at an offset or surrounds it. Linear time
-- in the offset.
--
-- A key that is no string is shown as text: an integer by its digits, others by
-- the name of their format.
pathTo :: ByteString -> Int -> Path
pathTo = Binary.pathTo itemAt keyText

keyText :: ByteString -> Int -> Int -> Text
keyText item header n = case formatOf first of
  PositiveFixint -> digits (toInteger first)
  NegativeFixint -> digits (toInteger first - 256)
  Uint8 -> digits bits
  Uint16 -> digits bits
  Uint32 -> digits bits
  Uint64 -> digits bits
  Int8 -> digits (toInteger (fromInteger bits :: Int8))
  Int16 -> digits (toInteger (fromInteger bits :: Int16))
  Int32 -> digits (toInteger (fromInteger bits :: Int32))
  Int64 -> digits (toInteger (fromInteger bits :: Int64))
  FixStr -> string
  Str8 -> string
  Str16 -> string
  Str32 -> string
  other -> formatName other
  where
    first = BU.unsafeHead item
    body = B.take n (B.drop header item)
    bits = B.foldl' (\acc b -> acc `shiftL` 8 .|. toInteger b) 0 body
    digits = T.pack . show
    string = T.decodeUtf8With lenientDecode body
