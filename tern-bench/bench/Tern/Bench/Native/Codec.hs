-- | The codecs of the native format's records, put together as deriving would.
module Tern.Bench.Native.Codec
  ( encodeArticle,
    decodeArticle,
    encodeEntries,
    decodeEntries,
  )
where

import Data.ByteString (ByteString)
import Tern.Bench.Native.Record
import Tern.Limits (defaultLimits)
import Tern.Native.Document
import Tern.Native.Layout
import Tern.Native.List
import Tern.Native.Read qualified as Read
import Tern.Native.Reader
import Tern.Native.Record
import Tern.Native.Write qualified as Write
import Tern.Write

articleW :: Writer Article
articleW = FillWriter $ \(Article c t i d f w m l) ->
  toFill $
    write choiceW c
      <> write Write.text t
      <> write Write.int i
      <> write Write.double d
      <> write Write.float f
      <> write Write.word w
      <> write (maybeW Write.text) m
      <> write (listW Write.text) l
{-# INLINE articleW #-}

choiceW :: Writer Choice
choiceW = oneOfW (orOption (\case Whole i -> Left i; Short f -> Right f) (option Write.int) (option Write.float))
{-# INLINE choiceW #-}

articleR :: NativeReader Article
articleR =
  record $
    Article
      <$> field choiceR
      <*> field Read.text
      <*> field Read.int
      <*> field Read.double
      <*> field Read.float
      <*> field Read.word
      <*> field (maybeR Read.text)
      <*> field (listR Read.text)
{-# INLINE articleR #-}

choiceR :: NativeReader Choice
choiceR = oneOf (alternative (Whole <$> field Read.int) `orElse` alternative (Short <$> field Read.float))
{-# INLINE choiceR #-}

encodeArticle :: Article -> ByteString
encodeArticle = encodeWith articleW
{-# NOINLINE encodeArticle #-}

decodeArticle :: ByteString -> Maybe Article
decodeArticle input = either (const Nothing) Just (decodeWith (Record []) articleR defaultLimits input)
{-# NOINLINE decodeArticle #-}

entryW :: Writer Entry
entryW = FillWriter $ \(Entry i n x k t f a c) ->
  toFill $
    write Write.int i
      <> write Write.text n
      <> write Write.double x
      <> write (maybeW Write.text) k
      <> write (listW Write.text) t
      <> write figureW f
      <> write Write.bool a
      <> write (listW Write.int) c
{-# INLINE entryW #-}

figureW :: Writer Figure
figureW = FillWriter $ \case
  Circle r -> toFill (Write.tag 0 <> write Write.double r)
  Rectangle a b -> toFill (Write.tag 1 <> write Write.double a <> write Write.double b)
  Polygon ps -> toFill (Write.tag 2 <> write (listW Write.int) ps)
  Empty -> toFill (Write.tag 3)
{-# INLINE figureW #-}

entryR :: NativeReader Entry
entryR =
  record $
    Entry
      <$> field Read.int
      <*> field Read.text
      <*> field Read.double
      <*> field (maybeR Read.text)
      <*> field (listR Read.text)
      <*> field figureR
      <*> field Read.bool
      <*> field (listR Read.int)
{-# INLINE entryR #-}

figureR :: NativeReader Figure
figureR =
  oneOf $
    alternative (Circle <$> field Read.double)
      `orElse` alternative (Rectangle <$> field Read.double <*> field Read.double)
      `orElse` alternative (Polygon <$> field (listR Read.int))
      `orElse` alternative (pure Empty)
{-# INLINE figureR #-}

encodeEntries :: [Entry] -> ByteString
encodeEntries = encodeWith (listW entryW)
{-# NOINLINE encodeEntries #-}

decodeEntries :: ByteString -> Maybe [Entry]
decodeEntries input = either (const Nothing) Just (decodeWith (List (Record [])) (listR entryR) defaultLimits input)
{-# NOINLINE decodeEntries #-}
