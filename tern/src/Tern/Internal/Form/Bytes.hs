{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Bytes as text: base64, base64url and hexadecimal digits (RFC 4648).
--
-- The idea: one text for one string of bytes, but for what senders differ in. Padding
-- may be left away and hexadecimal digits may be large; bits that do not count are 0,
-- and neither white space nor another alphabet is let through.
module Tern.Internal.Form.Bytes
  ( Alphabet (..),
    bytesForm,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import GHC.Exts (Int (..), isTrue#, plusAddr#, (-#), (>=#))
import Tern.Internal.Form (Form (..), expectedAt, wholly)
import Tern.Internal.Read (Reader)
import Tern.Internal.Write (Writer (..))
import Tern.Prim.Buffer (Fill, ensure)
import Tern.Prim.Bytes (Alphabet (..), decode, encode, encodedSize)

-- | Linear time, and no copy of the text.
bytesForm :: Alphabet -> Form ByteString
bytesForm alphabet = Form (FillWriter (pokeBytes alphabet)) (readBytes alphabet)

pokeBytes :: Alphabet -> ByteString -> Fill
pokeBytes alphabet bytes mba op s = case encodedSize alphabet (B.length bytes) of
  I# n -> case ensure n mba op s of
    (# s1, mba1, op1 #) -> case encode alphabet bytes op1 s1 of (# s2, op2 #) -> (# s2, mba1, op2 #)

readBytes :: Alphabet -> Reader ByteString
readBytes alphabet = wholly $ \c n _ s -> case decode alphabet c n s of
  (# s1, k, bytes #)
    | isTrue# (k >=# 0#) -> (# s1, plusAddr# c n, bytes #)
    | otherwise -> expectedAt (digitOf alphabet) (plusAddr# c (-1# -# k)) s1

digitOf :: Alphabet -> Text
digitOf = \case
  Base64 -> "a character of base64"
  Base64Url -> "a character of base64url"
  Base16 -> "a hexadecimal digit"
