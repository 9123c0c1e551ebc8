{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | UUIDs as text (RFC 9562, section 4): five groups of hexadecimal digits, in small
-- letters when written and in any when read.
module Tern.Internal.Form.Uuid
  ( uuidForm,
  )
where

import Data.UUID.Types (UUID, fromWords64, toWords64)
import GHC.Exts (isTrue#, minusAddr#, plusAddr#, word2Int#, word64ToWord#, (+#), (-#), (/=#))
import GHC.Word (Word64 (..))
import Tern.Internal.Form (Form (..), expectedAt)
import Tern.Internal.Read (Reader (..), Step, answer)
import Tern.Internal.Write (Writer (..))
import Tern.Prim.Bytes (pokeUuid, uuidHigh, uuidLow, uuidSize)

-- | 36 characters.
uuidForm :: Form UUID
uuidForm = Form (BoundedWriter uuidSize pokes) (Reader readUuid)
  where
    pokes uuid = case toWords64 uuid of
      (W64# high, W64# low) -> pokeUuid (word64ToWord# high) (word64ToWord# low)
{-# INLINE uuidForm #-}

-- | NOINLINE: a call for each, as for numbers.
readUuid :: Step UUID
readUuid ctx e c s
  | isTrue# (minusAddr# e c /=# 36#) = expectedAt "a UUID of 36 characters" c s
  | otherwise = case uuidHigh ctx c s of
      (# s1, high #) -> case answer ctx s1 of
        (# s2, 0## #) -> case uuidLow ctx c s2 of
          (# s3, low #) -> case answer ctx s3 of
            (# s4, 0## #) -> case fromWords64 high low of !uuid -> (# s4, e, uuid #)
            (# s4, wrong #) -> bad (17# +# word2Int# wrong) s4
        (# s2, wrong #) -> bad (word2Int# wrong -# 1#) s2
  where
    bad i =
      expectedAt "a hexadecimal digit, or a hyphen after 8, 4, 4 and 4 of them" (plusAddr# c i)
{-# NOINLINE readUuid #-}
