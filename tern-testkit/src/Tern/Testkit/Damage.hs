{-# LANGUAGE OverloadedStrings #-}

-- | What happens to files of blocks, and which blocks are whole afterwards.
--
-- The idea: damage is a function of bytes that knows nothing of their format but where
-- blocks begin; and a block is whole if its bytes stand anywhere in what is left. So the
-- expectation of a reader owes nothing to how it reads.
--
-- Start at 'kinds' and 'wholeBlocks'.
module Tern.Testkit.Damage
  ( -- * Files
    Target (..),
    fileBytes,
    wholeBlocks,

    -- * Damage
    kinds,
    twice,

    -- * Chance
    Dice,
    rolled,
    upTo,
    oneOf,
    severalOf,
    noise,
  )
where

import Control.Monad (ap, liftM, replicateM)
import Data.Bits (shiftR, xor)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.List qualified as List
import Data.Word (Word64)

-- * Files

-- | A file, and what may come into its way.
data Target = Target
  { -- | What it begins with.
    start :: ByteString,
    -- | Its blocks, each with the same eight bytes first. The last one is the file's end.
    blocks :: [ByteString],
    -- | The same file before it was appended to.
    earlier :: ByteString,
    -- | Another file of the same kind, and its blocks.
    stranger :: ByteString,
    strangerBlocks :: [ByteString]
  }

-- | The whole file: what it begins with, then its blocks in their order.
fileBytes :: Target -> ByteString
fileBytes t = B.concat (start t : blocks t)

-- | For each block, the last one too, whether all of it stands anywhere in some bytes.
wholeBlocks :: Target -> ByteString -> [Bool]
wholeBlocks t bytes =
  [any (\at -> block == B.take (B.length block) (B.drop at bytes)) places | block <- blocks t]
  where
    mark = B.take 8 (B.concat (take 1 (blocks t)))
    places = occurrences mark bytes

occurrences :: ByteString -> ByteString -> [Int]
occurrences wanted = go 0
  where
    go from bytes = case B.breakSubstring wanted bytes of
      (passed, rest)
        | B.null rest -> []
        | otherwise -> let at = from + B.length passed in at : go (at + 1) (B.drop 1 rest)

-- * Damage

-- | By their names: what becomes of a file.
kinds :: [(String, Target -> Dice ByteString)]
kinds =
  [ ("bits flipped", plainly $ \bytes -> do n <- upTo 4; times (n + 1) flipped bytes),
    ( "bytes cut out",
      plainly $ \bytes -> do
        at <-
          place bytes
        n <- short
        pure (B.take at bytes <> B.drop (at + n) bytes)
    ),
    ( "bytes put in",
      plainly $ \bytes -> do
        at <-
          place bytes
        n <- short
        more <- noise n
        pure (inserted at more bytes)
    ),
    ( "blocks doubled",
      byBlock $ \list -> do
        b <-
          oneOf list
        (before, after) <- cut list
        pure (before <> [b] <> after)
    ),
    ( "blocks that change places",
      byBlock $ \list -> do
        i <-
          upTo (length list - 1)
        j <- upTo (length list - 1)
        pure (swapped (min i j) (max i j) list)
    ),
    ( "blocks moved elsewhere",
      byBlock $ \list -> do
        (a, rest) <-
          cut list
        (b, c) <- cut rest
        (d, e) <- cut c
        pure (a <> d <> b <> e)
    ),
    ("blocks in any order", byBlock shuffled),
    ("blocks in reverse", byBlock (pure . reverse)),
    ( "many blocks doubled",
      byBlock $ \list -> do
        n <- upTo 20
        times (n + 1) (doubledOf list) list
    ),
    ( "all blocks from one on once more after them",
      byBlock $ \list -> (list <>) . snd <$> cut list
    ),
    ( "heads without blocks put in",
      byBlock $ \list -> do
        b <- oneOf list
        (before, after) <- cut list
        pure (before <> [B.take 64 b] <> after)
    ),
    ( "blocks of another file with the same schema",
      \t -> do
        b <- oneOf (strangerBlocks t)
        more <- oneOf (strangerBlocks t)
        (before, after) <- cut (blocks t)
        (early, late) <- cut after
        pure (B.concat ((start t : before) <> [b] <> early <> [more] <> late))
    ),
    ( "a hole of zeros around a head",
      \t -> do
        at <- oneOf (scanl (+) (B.length (start t)) (map B.length (blocks t)))
        off <- upTo 140
        n <- oneOf [1, 7, 8, 9, 12, 56, 60, 63, 64, 65, 72, 128, 512]
        pure (overwritten (max 0 (at + off - 70)) (B.replicate n 0) (fileBytes t))
    ),
    ( "a torn end, and the file once more",
      \t -> do
        -- Not an earlier one: that is a whole file, and nothing says that there was more.
        at <- place (fileBytes t)
        pure (B.take at (fileBytes t) <> fileBytes t)
    ),
    ( "a later page over an earlier one",
      plainly $ \bytes -> do
        n <-
          page
        (to, from) <- ordered bytes
        pure (overwritten to (B.take n (B.drop from bytes)) bytes)
    ),
    ( "an earlier page over a later one",
      plainly $ \bytes -> do
        n <-
          page
        (from, to) <- ordered bytes
        pure (overwritten to (B.take n (B.drop from bytes)) bytes)
    ),
    ( "pages that change places",
      plainly $ \bytes -> do
        n <-
          page
        (a, b) <- ordered bytes
        pure
          ( if b - a < n
              then bytes
              else
                overwritten
                  a
                  (B.take n (B.drop b bytes))
                  (overwritten b (B.take n (B.drop a bytes)) bytes)
          )
    ),
    ( "a copied page put in",
      plainly $ \bytes -> do
        n <-
          page
        from <- place bytes
        to <- place bytes
        pure (inserted to (B.take n (B.drop from bytes)) bytes)
    ),
    ( "a page that was cut out put in elsewhere",
      plainly $ \bytes -> do
        n <-
          page
        from <- place bytes
        let rest = B.take from bytes <> B.drop (from + n) bytes
        to <- place rest
        pure (inserted to (B.take n (B.drop from bytes)) rest)
    ),
    ( "pages of zeros",
      plainly $ \bytes -> do
        n <-
          page
        at <- place bytes
        pure (overwritten at (B.replicate n 0) bytes)
    ),
    -- The header says which file it is, so that it stays.
    ( "pages of another file",
      \t -> do
        n <-
          page
        at <- max (B.length (start t)) <$> place (fileBytes t)
        pure (overwritten at (B.take n (B.drop at (stranger t))) (fileBytes t))
    ),
    ( "pages of another file put in",
      \t -> do
        n <-
          page
        at <- max (B.length (start t)) <$> place (fileBytes t)
        from <- place (stranger t)
        pure (inserted at (B.take n (B.drop from (stranger t))) (fileBytes t))
    ),
    ( "pages as they were before",
      \t -> do
        n <-
          page
        at <- place (fileBytes t)
        from <- oneOf [at, at, at + 1]
        to <- oneOf [at, at, 7]
        pure (overwritten to (B.take n (B.drop from (earlier t))) (fileBytes t))
    ),
    ( "a torn end",
      plainly $ \bytes -> do
        at <-
          place bytes
        n <- short
        tail' <- oneOf [B.empty, B.replicate n 0, B.take n (B.drop 100 bytes)]
        pure (B.take at bytes <> tail')
    ),
    ( "a file after it",
      \t -> do
        more <-
          oneOf [fileBytes t, earlier t, stranger t]
        n <- place more
        pure (fileBytes t <> B.drop n more)
    ),
    ( "a file before it",
      \t -> do
        n <-
          upTo (B.length (start t) - 1)
        more <- noise n
        begun <- oneOf [earlier t, more]
        pure (B.take n begun <> fileBytes t)
    ),
    ( "a piece of another file's header before it",
      \t -> do
        n <-
          upTo (B.length (start t) - 1)
        pure (B.take n (stranger t) <> fileBytes t)
    ),
    ( "the header damaged",
      plainly $ \bytes -> do
        n <-
          upTo 60
        more <- noise n
        m <- upTo 60
        at <- upTo 50
        pure (B.take at bytes <> more <> B.drop (at + m) bytes)
    ),
    ( "heads with what others hold",
      byBlock $ \list -> do
        a <- oneOf list
        b <- oneOf list
        (before, after) <- cut list
        pure (before <> [B.take 64 a <> B.drop 64 b] <> after)
    ),
    ("nothing", pure . fileBytes)
  ]
  where
    doubledOf list some = do
      b <- oneOf list
      (before, after) <- cut some
      pure (before <> [b] <> after)
    plainly f = f . fileBytes
    byBlock f t =
      if null (blocks t)
        then pure (fileBytes t)
        else (\list -> B.concat (start t : list)) <$> f (blocks t)

-- | Two of them, one after the other. Where blocks begin is known to the first alone.
twice :: (Target -> Dice ByteString) -> (Target -> Dice ByteString) -> Target -> Dice ByteString
twice one other t = do
  bytes <- one t
  other t {start = bytes, blocks = []}

times :: Int -> (a -> Dice a) -> a -> Dice a
times n f a
  | n <= 0 = pure a
  | otherwise = f a >>= times (n - 1) f

flipped :: ByteString -> Dice ByteString
flipped bytes = do
  at <- place bytes
  bit <- upTo 7
  pure
    ( B.take at bytes
        <> B.map (`xor` (2 ^ bit)) (B.take 1 (B.drop at bytes))
        <> B.drop (at + 1) bytes
    )

inserted, overwritten :: Int -> ByteString -> ByteString -> ByteString
inserted at more bytes = B.take at bytes <> more <> B.drop at bytes
-- A file does not grow by what is written within it.
overwritten at more bytes =
  B.take (B.length bytes) (B.take at bytes <> more <> B.drop (at + B.length more) bytes)

swapped :: Int -> Int -> [a] -> [a]
swapped i j list = case (splitAt i list, splitAt (j - i) (drop i list)) of
  ((before, _), (a : between, b : after)) -> before <> (b : between) <> (a : after)
  _ -> list

cut :: [a] -> Dice ([a], [a])
cut list = (`splitAt` list) <$> upTo (length list)

place :: ByteString -> Dice Int
place bytes = upTo (B.length bytes)

-- | Two places, in order. Often they are those of pages.
ordered :: ByteString -> Dice (Int, Int)
ordered bytes = do
  a <- place bytes
  b <- place bytes
  grain <- oneOf [1, 1, 512]
  let (c, d) = (min a b, max a b)
  pure (c `quot` grain * grain, d `quot` grain * grain)

short, page :: Dice Int
short = upTo 200
page = oneOf [512, 4096, 8192, 777]

-- * Chance

-- | Something drawn by numbers that only look like chance.
newtype Dice a = Dice (Word64 -> (a, Word64))

instance Functor Dice where
  fmap = liftM

instance Applicative Dice where
  pure a = Dice (a,)
  (<*>) = ap

instance Monad Dice where
  Dice f >>= g = Dice $ \s -> let (a, s1) = f s; Dice h = g a in h s1

-- | From a seed.
rolled :: Int -> Dice a -> a
rolled seed (Dice f) = fst (f (fromIntegral seed * 0x9e3779b97f4a7c15 + 1))

-- | From 0 to a number.
upTo :: Int -> Dice Int
upTo most = Dice $ \s ->
  let s1 = s * 6364136223846793005 + 1442695040888963407
      mixed = (s1 `xor` (s1 `shiftR` 29)) * 0xbf58476d1ce4e5b9
   in (fromIntegral ((mixed `shiftR` 33) `mod` fromIntegral (max 1 (most + 1))), s1)

-- | One of a list that is not empty.
oneOf :: [a] -> Dice a
oneOf list = do
  i <- upTo (length list - 1)
  case drop i list of
    one : _ -> pure one
    [] -> oneOf list

shuffled :: [a] -> Dice [a]
shuffled = \case
  [] -> pure []
  list -> do
    i <- upTo (length list - 1)
    case splitAt i list of
      (before, one : after) -> (one :) <$> shuffled (before <> after)
      (before, []) -> pure before

-- | At most @n@ elements of a list, in its order.
severalOf :: Int -> [a] -> Dice [a]
severalOf n list = do
  at <- replicateM n (upTo (length list - 1))
  pure (map snd (filter ((`elem` at) . fst) (zip [0 ..] (List.take (length list) list))))

-- | @n@ bytes, each of them drawn.
noise :: Int -> Dice ByteString
noise n = B.pack . map fromIntegral <$> replicateM n (upTo 255)
