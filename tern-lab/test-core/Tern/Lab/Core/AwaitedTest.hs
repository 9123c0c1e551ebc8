{-# LANGUAGE OverloadedStrings #-}

-- | What packages of parsers, dates and templates taught: pairs of programs after a run.
--
-- Each has a function that must be said, and one beside it that is like it and must not be.
module Tern.Lab.Core.AwaitedTest (tests) where

import Data.Text qualified as T
import Tern.Lab.Core.Advice (kindName, renderAdvice, renderWhat)
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..))
import Tern.Lab.Core.Shown (functionsOf, shown, told)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "what waits for callers"
    [ testCase "a result that waits, and that every call evaluates" awaited,
      testCase "overloaded functions that one cure mends are one finding" oneCure,
      testCase "an overloaded function and the calls of it are one finding" sameCure,
      testCase "who only hands an instance on to a library is one of them" handedOn,
      testCase "a builder in a state is as large evaluated" builders,
      testCase "an action in a value is kept apart for a reason" acting,
      testCase "a list that another package asks for is nobody's to write otherwise" asked
    ]

-- | Two machines: one evaluates the state that a step gives, the other keeps what it gives.
awaited :: Assertion
awaited = do
  every <-
    shown
      [ ( "Main.hs",
          [ "module Main (main) where",
            "import Data.IORef",
            "data State = State !Int !Int",
            "step, note :: IORef Int -> State -> IO State",
            "step cell (State a b) = do",
            "  n <- readIORef cell",
            "  if even a",
            "    then pure (State (a `div` 3 + n) b)",
            "    else pure (State (a + 1) (b + n `rem` 7))",
            "{-# NOINLINE step #-}",
            "note cell (State a b) = do",
            "  n <- readIORef cell",
            "  if even a",
            "    then pure (State (a `div` 3 + n) b)",
            "    else pure (State (a + 1) (b + n `rem` 7))",
            "{-# NOINLINE note #-}",
            "run :: IORef Int -> Int -> State -> IO Int",
            "run _ 0 (State a b) = pure (a + b)",
            "run cell n s = step cell s >>= run cell (n - 1)",
            "notes :: IORef Int -> Int -> [State] -> IO Int",
            "notes _ 0 kept = pure (length kept)",
            "notes cell n kept = do",
            "  s <- note cell (State n n)",
            "  notes cell (n - 1) (s : kept)",
            "main :: IO ()",
            "main = do",
            "  cell <- newIORef 5",
            "  run cell 20000 (State 1 2) >>= print",
            "  notes cell 20000 [] >>= print"
          ]
        )
      ]
  assertEqual (told every) ["step"] (functionsOf "waiting-result" every)

-- | A parser's functions by a class, each called by the next, and two of them by @main@.
oneCure :: Assertion
oneCure = do
  every <-
    shown
      [ ( "Padded.hs",
          [ "module Padded (padded, spaced, total) where",
            "padded, spaced :: (Show a, Integral a) => Int -> a -> String",
            "padded n v",
            "  | n <= 0 = show v",
            "  | v < 10 ^ n = '0' : padded (n - 1) v",
            "  | otherwise = show (v `mod` 1000) ++ spaced (n - 1) (v `div` 3)",
            "spaced n v",
            "  | n <= 0 = show v",
            "  | even v = ' ' : spaced (n - 1) (v `div` 2)",
            "  | otherwise = padded (n - 1) (v + 1)",
            "total :: (Integral a) => [a] -> a",
            "total = go 0",
            "  where",
            "    go acc [] = acc",
            "    go acc (x : xs) = go (acc + x `mod` 7 * 2) xs"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Padded",
            "main :: IO ()",
            "main = do",
            "  print (sum [length (padded 6 k) + length (spaced 4 k) | k <- [1 .. 3000 :: Int]])",
            "  print (total [1 .. 20000 :: Int])"
          ]
        )
      ]
  let kinds = ["unknown-instance", "not-specialised"]
      overloaded = [f | f <- every, kindName (findingKind f) `elem` kinds]
  case overloaded of
    [f] | OverloadedTogether names modules <- findingKind f -> do
      assertBool (show names) ("Padded.padded" `elem` names && "Padded.spaced" `elem` names)
      modules @?= ["Padded"]
      assertBool (T.unpack (renderAdvice f)) ("give Padded {-#" `T.isPrefixOf` renderAdvice f)
    _ -> assertFailure (told every)

-- | One function that nobody marked, called at a known type by two others.
sameCure :: Assertion
sameCure = do
  every <-
    shown
      [ ( "Septets.hs",
          [ "module Septets (septets) where",
            "import Data.Bits",
            "septets :: (Integral a, Bits a) => a -> [Int]",
            "septets n",
            "  | n > 0x7f = go (n `shiftR` 7) [fromIntegral (n .&. 0x7f)]",
            "  | n == 0x7f = [0x7f, 0]",
            "  | otherwise = [fromIntegral n, 1]",
            "  where",
            "    go m made",
            "      | m > 0x7f = go (m `shiftR` 7) (fromIntegral ((m .&. 0x7f) .|. 0x80) : made)",
            "      | otherwise = fromIntegral m : made"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Septets",
            "import Data.List (foldl')",
            "header, trailer :: Int -> Int",
            "header n = sum (septets (n * 977))",
            "{-# NOINLINE header #-}",
            "trailer n = length (septets (n * 31))",
            "{-# NOINLINE trailer #-}",
            "main :: IO ()",
            "main = print (foldl' (\\acc k -> acc + header k + trailer k) 0 [1 .. 20000 :: Int])"
          ]
        )
      ]
  let about = ["unknown-instance", "not-specialised"]
      overloaded = [f | f <- every, kindName (findingKind f) `elem` about]
  assertEqual (told every) 1 (length overloaded)

-- | Functions of a parser that take its stream by a class, and give it to the library alone.
handedOn :: Assertion
handedOn = do
  every <-
    shown
      [ ( "Words.hs",
          [ "{-# LANGUAGE FlexibleContexts #-}",
            "module Words (line) where",
            "import Text.Parsec",
            "line :: (Stream s m Char) => ParsecT s u m [String]",
            "line = many1 (spaced word <|> spaced number)",
            "spaced :: (Stream s m Char) => ParsecT s u m a -> ParsecT s u m a",
            "spaced p = p <* many (satisfy (== ' ') <?> \"a space\")",
            "{-# NOINLINE spaced #-}",
            "word, number :: (Stream s m Char) => ParsecT s u m String",
            "word = many1 (satisfy (\\c -> c >= 'a' && c <= 'z') <?> \"a letter\") <?> \"a word\"",
            "{-# NOINLINE word #-}",
            "number = many1 (satisfy (\\c -> c >= '0' && c <= '9') <?> \"a digit\")",
            "{-# NOINLINE number #-}"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Text.Parsec",
            "import Words",
            "main :: IO ()",
            "main = print (fmap length (parse line \"\" text))",
            "  where",
            "    text = concat (replicate 2000 \"some words 12 \")"
          ]
        )
      ]
  case [names | OverloadedTogether names _ <- map findingKind every] of
    [names] -> assertBool (show names) ("Words.word" `elem` names)
    _ -> assertFailure (told every)

-- | Two states that a strict change leaves with lazy fields: of a builder and of numbers.
builders :: Assertion
builders = do
  every <-
    shown
      [ ( "Main.hs",
          [ "module Main (main) where",
            "import Control.Monad.Trans.State.Strict",
            "import Data.Text.Lazy.Builder (Builder, fromString, toLazyText)",
            "import qualified Data.Text.Lazy as L",
            "data Written = Written Builder ([Int] -> [Int])",
            "data Counted = Counted Int Int",
            "write :: Int -> State Written ()",
            "write n = modify' (\\(Written b k) -> Written (b <> fromString (show n)) (k . (n :)))",
            "{-# NOINLINE write #-}",
            "count :: Int -> State Counted ()",
            "count n = modify' (\\(Counted a b) -> Counted (a + n) (b * 3 + n))",
            "{-# NOINLINE count #-}",
            "main :: IO ()",
            "main = do",
            "  let Written b k = execState (mapM_ write [1 .. 5000]) (Written mempty id)",
            "  print (L.length (toLazyText b), length (k []))",
            "  let Counted x y = execState (mapM_ count [1 .. 5000]) (Counted 0 0)",
            "  print (x, y)"
          ]
        )
      ]
  assertEqual (told every) ["count"] (functionsOf "lazy-fields" every)

-- | Both are kept apart by a pragma: one for what it does, one for no reason.
acting :: Assertion
acting = do
  every <-
    shown
      [ ( "Main.hs",
          [ "module Main (main) where",
            "import Data.IORef",
            "import Foreign",
            "import System.IO.Unsafe (unsafePerformIO)",
            "fetched, doubled :: Int -> Int",
            "fetched n = unsafePerformIO $ alloca $ \\p -> poke p n >> peek p",
            "{-# NOINLINE fetched #-}",
            "doubled n = n * 2 + 1",
            "{-# NOINLINE doubled #-}",
            "loop :: IORef [Int] -> Int -> IO ()",
            "loop _ 0 = pure ()",
            "loop cell n = do",
            "  modifyIORef' cell (\\xs -> take 3 (fetched n : doubled n : xs))",
            "  loop cell (n - 1)",
            "main :: IO ()",
            "main = do",
            "  cell <- newIORef []",
            "  loop cell 20000",
            "  readIORef cell >>= print . sum"
          ]
        )
      ]
  let kept = [renderWhat f | f <- every, kindName (findingKind f) == "not-inlined"]
      asks name = any (name `T.isInfixOf`) kept
  assertEqual (told every) (False, True) (asks "fetched", asks "doubled")

-- | A text of pieces that stand there, and a function of the program's own over such a list.
asked :: Assertion
asked = do
  every <-
    shown
      [ ( "Main.hs",
          [ "module Main (main) where",
            "import qualified Data.Text as T",
            "joined :: T.Text -> T.Text -> T.Text",
            "joined a b = T.concat [a, b, T.reverse a]",
            "{-# NOINLINE joined #-}",
            "totals :: Int -> Int",
            "totals n = summed [n + 1, n * 2, n - 3]",
            "{-# NOINLINE totals #-}",
            "summed :: [Int] -> Int",
            "summed [] = 0",
            "summed (x : xs) = x + 2 * summed xs",
            "main :: IO ()",
            "main = print (sum [T.length (joined a a) + totals n | (n, a) <- zip numbers texts])",
            "  where",
            "    numbers = [1 .. 5000]",
            "    texts = cycle [T.singleton 'a', T.singleton 'b']"
          ]
        )
      ]
  assertEqual (told every) ["totals"] (functionsOf "not-unrolled" every)
