{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Texts of plain ASCII as strings of MessagePack.
--
-- INLINE on the shells, as in "Tern.MessagePack.Codec".
module Tern.MessagePack.Form
  ( formW,
    formR,
  )
where

import Data.Text.Encoding qualified as T
import GHC.Exts
import Tern.Form
import Tern.MessagePack.Codec (textW)
import Tern.MessagePack.Read qualified as Read
import Tern.Prim.Buffer (Poke)
import Tern.Read
import Tern.Write

-- | The text as a string.
formW :: Form a -> Writer a
formW form = case formWriter form of
  BoundedWriter n poke | n <= 255 -> BoundedWriter (n + 2) (\a -> behindHeader (poke a))
  _ -> contramapWriter (T.decodeUtf8Lenient . writeForm form) textW
{-# INLINE [2] formW #-}

-- | At most 255 bytes behind a header. Most texts are short enough for one byte; a text
-- that is not is written again, a byte further on.
behindHeader :: Poke -> Poke
behindHeader poke op s = case poke (plusAddr# op 1#) s of
  (# s1, op1 #) ->
    let !n = minusAddr# op1 op -# 1#
     in case n <# 32# of
          1# -> case writeWord8OffAddr# op 0# (wordToWord8# (0xa0## `or#` int2Word# n)) s1 of s2 -> (# s2, op1 #)
          _ -> case poke (plusAddr# op 2#) s1 of
            (# s2, op2 #) -> case writeWord8OffAddr# op 0# (wordToWord8# 0xd9##) s2 of
              s3 -> case writeWord8OffAddr# op 1# (wordToWord8# (int2Word# n)) s3 of s4 -> (# s4, op2 #)
{-# INLINE behindHeader #-}

-- | A string that is such a text, read where it stands.
formR :: Form a -> Reader a
formR form = Reader $ \ctx e c s -> case Read.strHeader e c s of
  (# s1, body, n #) -> case step ctx (plusAddr# body n) body s1 of (# s2, _, a #) -> (# s2, plusAddr# body n, a #)
  where
    !(Reader step) = formReader form
{-# INLINE [2] formR #-}
