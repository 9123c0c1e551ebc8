{-# LANGUAGE OverloadedStrings #-}

-- | Unboxed vectors of 'Int': numbers as short as they can be, of a fixed width, and as the
-- package @store@ has them, which are the bytes of memory.
module Tern.Bench.Native.Vectors (vectorCases) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Store qualified as Store
import Data.Vector.Unboxed qualified as VU
import Tern (FixedWidth)
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
      ]
  ]
  where
    plain :: VU.Vector Int
    plain = VU.generate 100000 (\i -> (i * i) `rem` 20011 - 5000)
    fixed :: VU.Vector (FixedWidth Int)
    fixed = fixedUnboxed plain
    stored :: ByteString -> Maybe (VU.Vector Int)
    stored = either (const Nothing) Just . Store.decode
    -- As many bytes as the elements have.
    memory = B.replicate 800000 7
