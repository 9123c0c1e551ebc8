-- | What is copied whole for one more piece.
module Copies (runs) where

import Control.Monad
import Control.Monad.ST
import Data.Array (Array, (!))
import Data.Array qualified as A
import Data.ByteString qualified as B
import Data.ByteString.Builder qualified as Builder
import Data.ByteString.Lazy qualified as LB
import Data.IORef
import Data.List (foldl')
import Data.Sequence (Seq)
import Data.Sequence qualified as Seq
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector.Unboxed qualified as U
import Data.Vector.Unboxed.Mutable qualified as UM

runs :: [(String, IO ())]
runs =
  [ ("concatenated", print (T.length (concatenated pieces))),
    ("concatenatedCured", print (T.length (concatenatedCured pieces))),
    ("joined", print (T.length (joined pieces))),
    ("joinedCured", print (T.length (joinedCured pieces))),
    ("snocced", print (T.length (snocced T.empty (concatMap T.unpack pieces)))),
    ("snoccedCured", print (T.length (snoccedCured (concatMap T.unpack pieces)))),
    ("bytes", print (B.length (bytes 2000))),
    ("bytesCured", print (B.length (bytesCured 2000))),
    ("fromRight", print (T.length (fromRight pieces))),
    ("fromRightCured", print (T.length (fromRightCured pieces))),
    ("named", print (T.length (named pieces))),
    ("namedCured", print (T.length (namedCured pieces))),
    ("inCell", inCell pieces >>= print . T.length),
    ("inCellCured", inCellCured pieces >>= print . T.length),
    ("modified", print (U.sum (modified 500))),
    ("modifiedCured", print (U.sum (modifiedCured 500))),
    ("updated", print (U.sum (updated 500))),
    ("updatedCured", print (U.sum (updatedCured 500))),
    ("pushed", print (U.sum (pushed 500))),
    ("pushedCured", print (U.sum (pushedCured 500))),
    ("fronted", print (U.sum (fronted 500))),
    ("frontedCured", print (U.sum (frontedCured 500))),
    ("arrayed", print (sum (arrayed 500))),
    ("arrayedCured", print (sum (arrayedCured 500))),
    ("appended", print (U.sum (appended 500))),
    ("appendedCured", print (U.sum (appendedCured 500))),
    ("escaped", print (T.length (escaped (T.concat pieces)))),
    ("escapedCured", print (T.length (escapedCured (T.concat pieces)))),
    ("spaced", print (T.length (spaced pieces))),
    ("spacedCured", print (T.length (spacedCured pieces))),
    ("along", print (T.length (along (concatMap T.unpack pieces)))),
    ("alongCured", print (T.length (alongCured (concatMap T.unpack pieces)))),
    ("listed", print (T.length (listed pieces))),
    ("listedCured", print (T.length (listedCured pieces))),
    ("counted", print (T.length (counted 2000))),
    ("countedCured", print (T.length (countedCured 2000))),
    ("folded", print (T.length (folded (Fork (Leaf (T.pack "a")) (Leaf (T.pack "b")))))),
    ("marked", print (length (marked (T.concat pieces)))),
    ("greeted", print (T.length (greeted pieces))),
    ("oneUpdate", print (U.sum (oneUpdate (U.replicate 10 1)))),
    ("sequenced", print (length (sequenced [1 .. 100])))
  ]

pieces :: [Text]
pieces = replicate 1000 (T.pack "piece")
{-# NOINLINE pieces #-}

-- Found: copies-all
joined :: [Text] -> Text
joined = foldl' (\whole piece -> whole <> T.pack " " <> piece) T.empty
{-# NOINLINE joined #-}

-- Healthy
joinedCured :: [Text] -> Text
joinedCured = T.concat . concatMap (\piece -> [T.pack " ", piece])
{-# NOINLINE joinedCured #-}

-- Found: copies-all
snocced :: Text -> String -> Text
snocced whole cs = case cs of
  [] -> whole
  c : rest -> snocced (T.snoc whole c) rest
{-# NOINLINE snocced #-}

-- Healthy
snoccedCured :: String -> Text
snoccedCured = T.pack
{-# NOINLINE snoccedCured #-}

-- Found: copies-all
bytes :: Int -> B.ByteString
bytes n = foldl' (\whole i -> B.append whole (B.singleton (fromIntegral i))) B.empty [1 .. n]
{-# NOINLINE bytes #-}

-- Healthy
bytesCured :: Int -> B.ByteString
bytesCured n = LB.toStrict (Builder.toLazyByteString (foldMap (\i -> Builder.word8 (fromIntegral i)) [1 .. n]))
{-# NOINLINE bytesCured #-}

-- Found: copies-all
fromRight :: [Text] -> Text
fromRight = foldr (\piece rest -> piece <> T.pack "," <> rest) T.empty
{-# NOINLINE fromRight #-}

-- Healthy
fromRightCured :: [Text] -> Text
fromRightCured = T.concat . concatMap (\piece -> [piece, T.pack ","])
{-# NOINLINE fromRightCured #-}

-- A step that gives a function for what comes after.
-- Found: copies-all
escaped :: Text -> Text
escaped = T.foldr step T.empty
  where
    step c = case c of
      '<' -> T.append (T.pack "&lt;")
      'e' -> T.append (T.pack "e") . T.cons '.'
      _ -> T.cons c
{-# NOINLINE escaped #-}

-- Healthy
escapedCured :: Text -> Text
escapedCured = T.replace (T.pack "<") (T.pack "&lt;") . T.replace (T.pack "e") (T.pack "e.")
{-# NOINLINE escapedCured #-}

-- Found: copies-all
spaced :: [Text] -> Text
spaced = foldr (T.append . T.cons ' ') T.empty
{-# NOINLINE spaced #-}

-- Healthy
spacedCured :: [Text] -> Text
spacedCured = T.concat . map (T.cons ' ')
{-# NOINLINE spacedCured #-}

-- What comes after is copied again with each character before it.
-- Found: copies-all
along :: String -> Text
along cs = case cs of
  [] -> T.empty
  '<' : rest -> T.append (T.pack "&lt;") (along rest)
  c : rest -> T.cons c (along rest)
{-# NOINLINE along #-}

-- Healthy
alongCured :: String -> Text
alongCured = T.concat . map (\c -> if c == '<' then T.pack "&lt;" else T.singleton c)
{-# NOINLINE alongCured #-}

-- Found: copies-all
listed :: [Text] -> Text
listed ps = case ps of
  [] -> T.empty
  [p] -> p
  p : rest -> let later = listed rest in p <> T.pack ", " <> later
{-# NOINLINE listed #-}

-- Healthy
listedCured :: [Text] -> Text
listedCured = T.intercalate (T.pack ", ")
{-# NOINLINE listedCured #-}

-- Found: copies-all
counted :: Int -> Text
counted n = if n == 0 then T.empty else T.snoc (counted (n - 1)) (toEnum (48 + n `mod` 10))
{-# NOINLINE counted #-}

-- Healthy
countedCured :: Int -> Text
countedCured n = T.pack [toEnum (48 + k `mod` 10) | k <- [1 .. n]]
{-# NOINLINE countedCured #-}

data Tree = Leaf Text | Fork Tree Tree

-- No text is copied more often than the tree is deep.
-- Healthy
folded :: Tree -> Text
folded t = case t of
  Leaf p -> p
  Fork a b -> T.append (folded a) (folded b)
{-# NOINLINE folded #-}

-- Each text is made once, and what comes after is a list.
-- Healthy
marked :: Text -> [Text]
marked = T.foldr step []
  where
    step c = (:) (T.cons c (T.pack "!"))
{-# NOINLINE marked #-}

-- The function is given by its name.
-- Found: copies-all
named :: [Text] -> Text
named = foldl' (<>) T.empty
{-# NOINLINE named #-}

-- Healthy
namedCured :: [Text] -> Text
namedCured = mconcat
{-# NOINLINE namedCured #-}

-- Found: copies-all
inCell :: [Text] -> IO Text
inCell ps = do
  cell <- newIORef T.empty
  forM_ ps $ \p -> modifyIORef' cell (<> p)
  readIORef cell
{-# NOINLINE inCell #-}

-- Healthy
inCellCured :: [Text] -> IO Text
inCellCured ps = do
  cell <- newIORef []
  forM_ ps $ \p -> modifyIORef' cell (p :)
  T.concat . reverse <$> readIORef cell
{-# NOINLINE inCellCured #-}

-- Found: copies-vector
modified :: Int -> U.Vector Int
modified n = foldl' (\v i -> U.modify (\m -> UM.write m i (i * i)) v) (U.replicate n 0) [0 .. n - 1]
{-# NOINLINE modified #-}

-- Healthy
modifiedCured :: Int -> U.Vector Int
modifiedCured n = U.modify (\m -> forM_ [0 .. n - 1] (\i -> UM.write m i (i * i))) (U.replicate n 0)
{-# NOINLINE modifiedCured #-}

-- Found: copies-vector
updated :: Int -> U.Vector Int
updated n = go 0 (U.replicate n 0)
  where
    go :: Int -> U.Vector Int -> U.Vector Int
    go i v = if i >= n then v else go (i + 1) (v U.// [(i, i * 2)])
{-# NOINLINE updated #-}

-- Healthy
updatedCured :: Int -> U.Vector Int
updatedCured n = runST $ do
  m <- UM.replicate n 0
  forM_ [0 .. n - 1] $ \i -> UM.write m i (i * 2)
  U.unsafeFreeze m
{-# NOINLINE updatedCured #-}

-- Found: copies-vector
pushed :: Int -> U.Vector Int
pushed n = foldl' U.snoc U.empty [1 .. n]
{-# NOINLINE pushed #-}

-- Healthy
pushedCured :: Int -> U.Vector Int
pushedCured n = U.enumFromTo 1 n
{-# NOINLINE pushedCured #-}

-- Found: copies-vector
fronted :: Int -> U.Vector Int
fronted n = foldl' (flip U.cons) U.empty [1 .. n]
{-# NOINLINE fronted #-}

-- Healthy
frontedCured :: Int -> U.Vector Int
frontedCured n = U.fromList [n, n - 1 .. 1]
{-# NOINLINE frontedCured #-}

-- Found: copies-vector
arrayed :: Int -> Array Int Integer
arrayed n = foldl' (\a i -> a A.// [(i, a ! (i - 1) + 1)]) (A.listArray (0, n) (replicate (n + 1) 0)) [1 .. n]
{-# NOINLINE arrayed #-}

-- Healthy
arrayedCured :: Int -> Array Int Integer
arrayedCured n = A.listArray (0, n) [fromIntegral i | i <- [0 .. n]]
{-# NOINLINE arrayedCured #-}

-- Found: copies-vector
appended :: Int -> U.Vector Int
appended n = foldl' (\v i -> v U.++ U.fromList [i, i + 1]) U.empty [1 .. n]
{-# NOINLINE appended #-}

-- Healthy
appendedCured :: Int -> U.Vector Int
appendedCured n = U.concat [U.fromList [i, i + 1] | i <- [1 .. n]]
{-# NOINLINE appendedCured #-}

-- Each piece is new, and none grows.
-- Healthy
greeted :: [Text] -> Text
greeted ps = T.unlines (map (T.pack "dear " <>) ps)
{-# NOINLINE greeted #-}

-- Healthy
oneUpdate :: U.Vector Int -> U.Vector Int
oneUpdate v = v U.// [(3, 4)]
{-# NOINLINE oneUpdate #-}

-- One more at the end of a sequence copies nothing.
-- Healthy
sequenced :: [Int] -> Seq Int
sequenced = foldl' (Seq.|>) Seq.empty
{-# NOINLINE sequenced #-}

-- Found: copies-all
concatenated :: [Text] -> Text
concatenated = foldl' (\whole piece -> T.concat [whole, T.pack ";", piece]) T.empty
{-# NOINLINE concatenated #-}

-- Healthy
concatenatedCured :: [Text] -> Text
concatenatedCured = T.concat . concatMap (\piece -> [T.pack ";", piece])
{-# NOINLINE concatenatedCured #-}
