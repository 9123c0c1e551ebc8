{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The straight line that writes a record of Ints, spelt out for a number of
-- fields: keys as immediate words, one call a number, one bound for all.
module Tern.Bench.Limit.Encode
  ( encodeInts,
    keyOf,
    expectKeyOf,
    keyWords,
  )
where

import Data.Bits (shiftL, (.|.))
import Data.Char (ord)
import Language.Haskell.TH
import Tern.Bench.Declare (fieldNames)
import Tern.Bench.Limit.Straight

-- | @Ints5 by -> ByteString@.
encodeInts :: String -> Int -> Q Exp
encodeInts name count = do
  xs <- mapM (const (newName "x")) (fieldNames count)
  op <- newName "op"
  s <- newName "s"
  let steps = concat (zipWith3 (\before field x -> [keyOf (before <> "\"" <> field <> "\":"), [|int $(varE x)|]]) ("{" : repeat ",") (fieldNames count) xs)
      line = foldr1 (\f rest -> [|\o t -> case $f o t of (# t1, o1 #) -> $rest o1 t1|]) (steps <> [[|byte 125|]])
  lamE
    [conP (mkName name) (map varP xs)]
    [|cut $(litE (integerL (fromIntegral (32 * count)))) (\ $(varP op) $(varP s) -> $line $(varE op) $(varE s))|]

-- | Writes a constant of 8 to 16 bytes.
keyOf :: String -> Q Exp
keyOf text = let (n, first, final) = keyWords text in [|key n first final|]

-- | Reads what 'keyOf' writes.
expectKeyOf :: String -> Q Exp
expectKeyOf text = let (n, first, final) = keyWords text in [|expectKey n first final|]

-- | The length of a key of 8 to 16 bytes, its first eight and its last eight.
keyWords :: String -> (Int, Word, Word)
keyWords text = (n, word (take 8 text), word (drop (n - 8) text))
  where
    n = length text
    word = foldr (\c w -> (w `shiftL` 8) .|. fromIntegral (ord c)) 0
