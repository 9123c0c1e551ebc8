{-# LANGUAGE OverloadedStrings #-}

-- | What is memory before and after: unboxed vectors of 'Int', whose numbers are as short as
-- they can be, of a fixed width, or as the package @store@ has them, which are the bytes of
-- memory; and a long text.
module Tern.Bench.Native.Vectors (vectorCases) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Store (Store)
import Data.Store qualified as Store
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Vector.Unboxed qualified as VU
import Tern (FixedWidth, decodeCborWith, encodeCbor, unlimited)
import Tern.Bench.Case (Case (..), Role (..), decoder, writer)
import Tern.Bench.Native.Codec (deserialised, serialised)
import Tern.Wire (fixedUnboxed)

vectorCases :: [Case]
vectorCases =
  [ Case
      "native: encode an unboxed vector of 100,000 Int"
      "of a fixed width no slower than store"
      [ writer "fixed width" Own deserialised serialised fixed,
        writer "varints" Plain deserialised serialised plain,
        writer "store" Peer stored Store.encode plain,
        writer "copied as one" ByHand Just B.copy memory
      ],
    Case
      "native: decode an unboxed vector of 100,000 Int"
      "of a fixed width no slower than store"
      [ decoder "fixed width" Own (`seq` ()) deserialised (serialised fixed) fixed,
        decoder "varints" Plain (`seq` ()) deserialised (serialised plain) plain,
        decoder "store" Peer (`seq` ()) stored (Store.encode plain) plain,
        decoder "copied as one" ByHand (`seq` ()) (Just . B.copy) memory memory
      ],
    Case
      "native: encode a text of 64 MB"
      "1.3 times store's time"
      [ writer "native" Own deserialised serialised text,
        writer "CBOR" Plain inCbor encodeCbor text,
        writer "store" Peer stored Store.encode text,
        writer "copied as one" ByHand Just B.copy (T.encodeUtf8 text)
      ],
    Case
      "native: decode a text of 64 MB"
      "1.3 times store's time"
      [ decoder "native" Own (`seq` ()) deserialised (serialised text) text,
        decoder "CBOR" Plain (`seq` ()) inCbor (encodeCbor text) text,
        decoder "decodeUtf8' of text" Plain (`seq` ()) checked (T.encodeUtf8 text) text,
        decoder "store, which checks nothing" Peer (`seq` ()) stored (Store.encode text) text
      ]
  ]
  where
    -- Most of it is ASCII, as most documents are.
    text :: Text
    text =
      T.replicate
        744186
        "Sterna paradisaea, the Arctic tern; Küstenseeschwalbe; 北極鰺刺. A gull \
        \is none.\n"
    checked :: ByteString -> Maybe Text
    checked = either (const Nothing) Just . T.decodeUtf8'
    inCbor :: ByteString -> Maybe Text
    inCbor = either (const Nothing) Just . decodeCborWith unlimited
    plain :: VU.Vector Int
    plain = VU.generate 100000 (\i -> (i * i) `rem` 20011 - 5000)
    fixed :: VU.Vector (FixedWidth Int)
    fixed = fixedUnboxed plain
    stored :: (Store a) => ByteString -> Maybe a
    stored = either (const Nothing) Just . Store.decode
    -- As many bytes as the elements have.
    memory = B.replicate 800000 7
