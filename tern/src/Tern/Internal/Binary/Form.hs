{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Texts of plain ASCII as the strings of a binary format.
--
-- INLINE on the shells, as in "Tern.Internal.MessagePack.Codec".
module Tern.Internal.Binary.Form
  ( Headers (..),
    mpackHeaders,
    cborHeaders,
    formW,
    formR,
  )
where

import Data.Text (Text)
import Data.Text.Encoding qualified as T
import GHC.Exts
import Tern.Error (Reason)
import Tern.Internal.Binary.Syntax (Syntax (..))
import Tern.Internal.Form (Form (..), readForm, writeForm)
import Tern.Internal.Read (Reader (..), failAt)
import Tern.Internal.Write (Writer (..), contramapWriter)
import Tern.Prim.Buffer (Poke)

-- | How a format begins a string of at most 255 bytes: how many bytes can be counted in
-- the first byte, that byte of an empty string, and the first of two bytes for a longer
-- one, whose second counts.
data Headers = Headers Int Word Word

-- | MessagePack's fixstr and str 8; CBOR's major type 3 with the length in the first byte, or in
-- the one after it (RFC 8949, section 3).
mpackHeaders, cborHeaders :: Headers
mpackHeaders = Headers 31 0xa0 0xd9
{-# INLINE mpackHeaders #-}
cborHeaders = Headers 23 0x60 0x78
{-# INLINE cborHeaders #-}

-- | The text as a string; one that may have more than 255 bytes by the writer of any text.
formW :: Headers -> Writer Text -> Form a -> Writer a
formW headers text form = case formWriter form of
  BoundedWriter n poke | n <= 255 -> BoundedWriter (n + 2) (\a -> afterHeader headers (poke a))
  _ -> contramapWriter (T.decodeUtf8Lenient . writeForm form) text
{-# INLINE [2] formW #-}

-- | At most 255 bytes after a header. Most texts are short enough for one byte; a text
-- that is not is written again, a byte further on.
afterHeader :: Headers -> Poke -> Poke
afterHeader (Headers (I# most) (W# short) (W# long)) poke op s = case poke (plusAddr# op 1#) s of
  (# s1, op1 #) ->
    let !n = minusAddr# op1 op -# 1#
     in case n <=# most of
          1# -> case writeWord8OffAddr# op 0# (wordToWord8# (short `or#` int2Word# n)) s1 of
            s2 ->
              (# s2, op1 #)
          _ -> case poke (plusAddr# op 2#) s1 of
            (# s2, op2 #) -> case writeWord8OffAddr# op 0# (wordToWord8# long) s2 of
              s3 -> case writeWord8OffAddr# op 1# (wordToWord8# (int2Word# n)) s3 of
                s4 ->
                  (# s4, op2 #)
{-# INLINE afterHeader #-}

-- | A string that is such a text, read where it stands. One whose bytes do not stand
-- together is copied first.
formR :: forall f a. (Syntax f) => Form a -> Reader a
formR form = Reader $ \ctx e c s -> case isOpenText @f e c of
  1# -> case readText @f ctx e c s of
    (# s1, c1, text #) -> case readForm form text of
      Right a -> (# s1, c1, a #)
      Left reason -> refused c reason s1
  _ -> case textHeader @f e c s of
    (# s1, body, n #) -> case step ctx (plusAddr# body n) body s1 of
      (# s2, _, a #) ->
        (# s2, plusAddr# body n, a #)
  where
    !(Reader step) = formReader form
{-# INLINE [2] formR #-}

refused :: Addr# -> Reason -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
refused = failAt
{-# NOINLINE refused #-}
