-- | How far a native value reaches, by the layout of its type alone.
--
-- The idea: what a reader refuses has an end all the same, wherever its lengths, counts
-- and constructors are such as a writer of that layout writes. So one value can be
-- stepped over, and the next one be read.
module Tern.Internal.Native.Size
  ( sizeOf,
  )
where

import Data.Bits (shiftL, testBit, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Tern.Internal.Native.Layout (Layout (..))

-- | What is still to be stepped over.
data Rest
  = Values [Layout]
  | -- | How many times these, whether another chunk follows, and what they are.
    Times !Int !Bool [Layout]

-- | The bytes of the value that some bytes begin with. 'Nothing' where they are cut off,
-- where a chunk or a constructor is none, and where a codec by hand says nothing of its
-- layout. Linear time in the bytes of the value.
sizeOf :: Layout -> ByteString -> Maybe Int
sizeOf root input = value root 0 []
  where
    value layout at around = case layout of
      Varint -> varintEnd at >>= \end -> next end around
      Bytes n -> over n at
      Magnitude
        | input B.!? at == Just 255 -> string (at + 1)
        | otherwise -> varintEnd at >>= \end -> next end around
      String -> string at
      List element -> chunk [element] at around
      Map k v -> chunk [k, v] at around
      Record fields -> next at (Values (map snd fields) : around)
      Sum constructors -> do
        let width = if length (take 257 constructors) <= 256 then 1 else 2
        n <- fixed width at
        fields : _ <- Just (drop n constructors)
        next (at + width) (Values (map snd fields) : around)
      Unknown -> Nothing
      where
        over n from
          | n <= B.length input - from = next (from + n) around
          | otherwise = Nothing
        string from = varint from >>= uncurry over
    chunk parts at around = do
      (n, end) <- varint at
      if n <= 4096 && n <= B.length input - end
        then next end (Times n (n == 4096) parts : around)
        else Nothing
    next at = \case
      [] -> Just at
      Values [] : around -> next at around
      Values (layout : others) : around ->
        value layout at (if null others then around else Values others : around)
      Times 0 True parts : around -> chunk parts at around
      Times 0 False _ : around -> next at around
      Times n more parts : around -> next at (Values parts : Times (n - 1) more parts : around)
    -- What a varint says, and its end.
    varint at = do
      end <- varintEnd at
      let width = end - at
          number =
            B.foldl'
              (\acc b -> acc `shiftL` 8 .|. fromIntegral b)
              (0 :: Int)
              (B.take width (B.drop at input))
          said = if width == 9 then number else number .&. (1 `shiftL` (7 * width) - 1)
      if said >= 0 then Just (said, end) else Nothing
    varintEnd at = do
      b <- input B.!? at
      let end = at + length (takeWhile (testBit b) [7, 6 .. 0]) + 1
      if end <= B.length input then Just end else Nothing
    fixed width at
      | width <= B.length input - at =
          Just (B.foldr (\b rest -> fromIntegral b + 256 * rest) 0 (B.take width (B.drop at input)))
      | otherwise = Nothing
