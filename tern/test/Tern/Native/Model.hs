-- | A slow native format, for Tern to be compared with.
--
-- The idea: the rules of @docs\/spec\/native-format.md@ over lists of bytes and
-- unbounded integers, driven by a description of the type. What is read is
-- written again, and refused where that gives other bytes: so the rule of the
-- one spelling needs no checks of its own.
--
-- Start at 'readDocument' and 'written'.
module Tern.Native.Model
  ( Type (..),
    Tree (..),
    readDocument,
    written,
  )
where

import Data.Char (chr)
import Data.List (unfoldr)
import Data.Word (Word8)
import Tern.Json.Model (utf8)

data Type
  = -- | A varint up to a greatest number.
    Unsigned Integer
  | -- | Zigzag, and of how many bits.
    Signed Int
  | -- | A number of bytes, the lowest first.
    Raw Int
  | -- | The same in two's complement.
    Complement Int
  | Character
  | String
  | Binary
  | Natural
  | Integer
  | ListOf Type
  | SetOf Type
  | MapOf Type Type
  | Tuple [Type]
  | Sum [[Type]]

-- | A value. Reals and fixed integers are their bits; sets and maps are lists,
-- of pairs; a constructor has a number and fields.
data Tree
  = Number Integer
  | Chars String
  | Bytes [Word8]
  | Several [Tree]
  | Constructor Int [Tree]
  deriving stock (Eq, Ord, Show)

-- * Writing

written :: Type -> Tree -> [Word8]
written t tree = case (t, tree) of
  (Unsigned _, Number n) -> varint n
  (Signed _, Number n) -> varint (folded n)
  (Raw size, Number n) -> low size n
  (Complement size, Number n) -> low size n
  (Character, Number n) -> varint n
  (String, Chars s) -> let body = concatMap utf8 s in counted body <> body
  (Binary, Bytes body) -> counted body <> body
  (Natural, Number n) -> magnitude n
  (Integer, Number n) -> magnitude (folded n)
  (ListOf e, Several es) -> chunks (written e) es
  (SetOf e, Several es) -> chunks (written e) es
  (MapOf k v, Several es) -> chunks (written (Tuple [k, v])) es
  (Tuple ts, Several es) -> concat (zipWith written ts es)
  (Sum options, Constructor i es) ->
    low (if length options <= 256 then 1 else 2) (toInteger i)
      <> concat (zipWith written (options !! i) es)
  _ -> []
  where
    counted body = varint (toInteger (length body))

-- | As many bytes as are needed for seven bits each, but for the ninth, which
-- has eight: the ones that the first begins with say how many follow.
varint :: Integer -> [Word8]
varint n = case [w | w <- [1 .. 8], n < 2 ^ (7 * w)] of
  w : _ -> high w (n + (256 - 2 ^ (9 - w)) * 256 ^ (w - 1))
  [] -> 255 : high 8 n

high, low :: Int -> Integer -> [Word8]
high size = reverse . low size
low size n = take size (unfoldr (\m -> Just (fromInteger (m `mod` 256), m `div` 256)) n)

magnitude :: Integer -> [Word8]
magnitude n
  | n < 2 ^ (56 :: Int) = varint n
  | otherwise =
      let body =
            unfoldr
              ( \m ->
                  if m == 0
                    then Nothing
                    else Just (fromInteger (m `mod` 256), m `div` 256)
              )
              n
       in 255 : varint (toInteger (length body)) <> body

folded, unfolded :: Integer -> Integer
folded n = if n < 0 then -2 * n - 1 else 2 * n
unfolded n = if even n then n `div` 2 else negate ((n + 1) `div` 2)

chunks :: (a -> [Word8]) -> [a] -> [Word8]
chunks one es = case splitAt 4096 es of
  (now, later)
    | length now == 4096 -> varint 4096 <> concatMap one now <> chunks one later
    | otherwise -> varint (toInteger (length now)) <> concatMap one now

-- * Reading

-- | A whole document.
readDocument :: Type -> [Word8] -> Maybe Tree
readDocument t bytes = case taken t bytes of
  Just (tree, []) | ordered t tree, written t tree == bytes -> Just tree
  _ -> Nothing

-- | The value at the front, in any spelling, and what follows it.
taken :: Type -> [Word8] -> Maybe (Tree, [Word8])
taken t bytes = case t of
  Unsigned most -> do
    (n, rest) <- number bytes
    if n <= most then Just (Number n, rest) else Nothing
  Signed bits -> do
    (n, rest) <- number bytes
    if n < 2 ^ bits then Just (Number (unfolded n), rest) else Nothing
  Raw size -> do
    (body, rest) <- several size bytes
    Just (Number (littleEndian body), rest)
  Complement size -> do
    (body, rest) <- several size bytes
    let n = littleEndian body
    Just (Number (if 2 * n < 256 ^ size then n else n - 256 ^ size), rest)
  Character -> case taken (Unsigned 0x10ffff) bytes of
    Just (Number n, _) | n >= 0xd800, n <= 0xdfff -> Nothing
    found -> found
  String -> do
    (body, rest) <- sized bytes
    s <- readUtf8 body
    Just (Chars s, rest)
  Binary -> do
    (body, rest) <- sized bytes
    Just (Bytes body, rest)
  Natural -> big id
  Integer -> big unfolded
  ListOf e -> elements e
  SetOf e -> elements e
  MapOf k v -> elements (Tuple [k, v])
  Tuple ts -> do
    (es, rest) <- inTurn ts bytes
    Just (Several es, rest)
  Sum options -> do
    (i, rest) <- several (if length options <= 256 then 1 else 2) bytes
    let constructor = fromInteger (littleEndian i)
    if constructor < length options
      then do
        (es, rest') <- inTurn (options !! constructor) rest
        Just (Constructor constructor es, rest')
      else Nothing
  where
    big f = case bytes of
      255 : rest -> do
        (body, rest') <- sized rest
        Just (Number (f (littleEndian body)), rest')
      _ -> do
        (n, rest) <- number bytes
        Just (Number (f n), rest)
    elements e = do
      (n, rest) <- number bytes
      if n > 4096
        then Nothing
        else do
          (es, rest') <- inTurn (replicate (fromInteger n) e) rest
          if n < 4096
            then Just (Several es, rest')
            else do
              (more, rest'') <- taken (ListOf e) rest'
              case more of
                Several es' -> Just (Several (es <> es'), rest'')
                _ -> Nothing

inTurn :: [Type] -> [Word8] -> Maybe ([Tree], [Word8])
inTurn ts bytes = case ts of
  [] -> Just ([], bytes)
  t : later -> do
    (e, rest) <- taken t bytes
    (es, rest') <- inTurn later rest
    Just (e : es, rest')

several :: Int -> [Word8] -> Maybe ([Word8], [Word8])
several n bytes
  | length now == n = Just (now, rest)
  | otherwise = Nothing
  where
    (now, rest) = splitAt n bytes

sized :: [Word8] -> Maybe ([Word8], [Word8])
sized bytes = do
  (n, rest) <- number bytes
  if n > toInteger (length rest) then Nothing else several (fromInteger n) rest

number :: [Word8] -> Maybe (Integer, [Word8])
number bytes = do
  (first, _) <- several 1 bytes
  let follow = length (takeWhile (\i -> sum first `div` 2 ^ i `mod` 2 == 1) [7, 6 .. 0 :: Int])
  (body, rest) <- several (follow + 1) bytes
  Just
    ( bigEndian body
        `mod` (if follow == 8 then 2 ^ (64 :: Int) else 2 ^ (7 * (follow + 1))),
      rest
    )

bigEndian, littleEndian :: [Word8] -> Integer
bigEndian = foldl (\n b -> 256 * n + toInteger b) 0
littleEndian = bigEndian . reverse

-- | Are the keys of all sets and maps within in ascending order?
ordered :: Type -> Tree -> Bool
ordered t tree = case (t, tree) of
  (ListOf e, Several es) -> all (ordered e) es
  (SetOf e, Several es) -> ascending es && all (ordered e) es
  (MapOf k v, Several es) ->
    ascending [key | Several (key : _) <- es] && all (ordered (Tuple [k, v])) es
  (Tuple ts, Several es) -> and (zipWith ordered ts es)
  (Sum options, Constructor i es) -> and (zipWith ordered (options !! i) es)
  _ -> True
  where
    ascending es = and (zipWith (<) es (drop 1 es))

-- | Characters whose own bytes are those that there are.
readUtf8 :: [Word8] -> Maybe String
readUtf8 = \case
  [] -> Just ""
  bytes@(b : _) -> case [ chr c
                          | n <-
                              [1 .. 4],
                            Just c <- [codePoint n (take n bytes)],
                            c <= 0x10ffff,
                            c < 0xd800 || c > 0xdfff,
                            utf8 (chr c) == take n bytes
                        ] of
    c : _ -> (c :) <$> readUtf8 (drop (length (utf8 c)) bytes)
    [] -> if b < 128 then (chr (fromIntegral b) :) <$> readUtf8 (drop 1 bytes) else Nothing
  where
    codePoint n found
      | length found /= n = Nothing
      | n == 1 = fromIntegral <$> lookup 0 (zip [0 :: Int ..] found)
      | otherwise =
          Just
            ( foldl
                (\acc f -> acc * 64 + fromIntegral f `mod` 64)
                ( sum (map fromIntegral (take 1 found))
                    `mod` 2 ^ (7 - n)
                )
                (drop 1 found)
            )
