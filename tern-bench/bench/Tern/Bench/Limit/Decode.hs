{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The straight line that reads a record of Ints back, and the loop that reads
-- its fields in any order with unknown ones between them.
module Tern.Bench.Limit.Decode
  ( decodeInts,
    decodeIntsAnyOrder,
  )
where

import Data.ByteString (ByteString)
import GHC.Exts hiding (build)
import GHC.IO (IO (..), unsafeDupablePerformIO)
import Language.Haskell.TH
import Tern.Bench.Declare (fieldNames)
import Tern.Bench.Limit.Encode (keyWords)
import Tern.Bench.Limit.Straight

-- | @ByteString -> Maybe (Ints5 by)@, of the fields in their order.
decodeInts :: String -> Int -> Q Exp
decodeInts name count = do
  xs <- mapM (const (newName "x")) (fieldNames count)
  let whole = foldl appE (conE (mkName name)) (map varE xs)
      step (before, field, x) rest =
        let (n, first, final) = keyWords (before <> "\"" <> field <> "\":")
         in [|expectKey n first final (takeInt $(lamE [varP x] rest))|]
  [|readAll $(foldr step [|close $whole|] (zip3 ("{" : repeat ",") (fieldNames count) xs))|]

-- | The same of the fields in any order, at most 64.
decodeIntsAnyOrder :: String -> Int -> Q Exp
decodeIntsAnyOrder name count = do
  slot <- newName "slot"
  w <- newName "w"
  let find = lamE [varP w] (caseE [|W# $(varE w)|] (zipWith known [0 ..] (fieldNames count) <> [match wildP (normalB [|-1#|]) []]))
      known i field =
        let (_, first, _) = keyWords (field <> "\"")
         in match (conP 'W# [litP (wordPrimL (fromIntegral first))]) (normalB (litE (intPrimL i))) []
      whole = foldl appE (conE (mkName name)) [[|$(varE slot) $(litE (intPrimL i))|] | i <- [0 .. fromIntegral count - 1]]
  [|anyOrder $(litE (integerL (fromIntegral count))) $find $(lamE [varP slot] whole)|]

-- | Members whose names of seven characters are told apart by one word, into an
-- array of numbers; what else there is, is stepped over.
anyOrder :: Int -> (Word# -> Int#) -> ((Int# -> Int) -> r) -> ByteString -> Maybe r
anyOrder (I# count) find build = readAll $ \e start -> unsafeDupablePerformIO . IO $ \s0 ->
  case newByteArray# (count *# 8#) s0 of
    (# s1, slots #) ->
      let member seen c s
            | isTrue# (minusAddr# e c <# 11#) || not (is 34## c) = (# s, Nothing #)
            | otherwise = case find (indexWordOffAddr# (plusAddr# c 1#) 0#) of
                -1# -> next seen (skipValue (skipString (plusAddr# c 1#))) s
                i
                  | is 58## (plusAddr# c 9#) -> case integer e (plusAddr# c 10#) of
                      (# after, x #)
                        | isTrue# (eqAddr# after nullAddr#) -> (# s, Nothing #)
                        | otherwise -> case writeIntArray# slots i x s of
                            s2 -> next (or# seen (uncheckedShiftL# 1## i)) after s2
                  | otherwise -> (# s, Nothing #)
          next seen c s
            | isTrue# (geAddr# c e) = (# s, Nothing #)
            | is 44## c = member seen (plusAddr# c 1#) s
            | is 125## c,
              isTrue# (eqAddr# (plusAddr# c 1#) e),
              isTrue# (eqWord# seen full) = case unsafeFreezeByteArray# slots s of
                (# s2, array #) -> case build (\i -> I# (indexIntArray# array i)) of !r -> (# s2, Just r #)
            | otherwise = (# s, Nothing #)
          skipString c
            | isTrue# (geAddr# c e) = c
            | is 34## c = plusAddr# c 1#
            | otherwise = skipString (plusAddr# c 1#)
          -- The colon and a number, a literal or a string.
          skipValue c
            | isTrue# (geAddr# c e) || is 44## c || is 125## c = c
            | is 34## c = skipString (plusAddr# c 1#)
            | otherwise = skipValue (plusAddr# c 1#)
       in member 0## (plusAddr# start 1#) s1
  where
    !full = case count of
      64# -> not# 0##
      _ -> minusWord# (uncheckedShiftL# 1## count) 1##
    is w c = isTrue# (eqWord# (word8ToWord# (indexWord8OffAddr# c 0#)) w)
{-# INLINE anyOrder #-}
