{-# LANGUAGE OverloadedStrings #-}

-- | Classes of noise, as pairs of functions.
--
-- Each has a function of which nothing of its kind may be said, and beside it one that is like it
-- and leaks, so that the silence is about the first alone.
--
-- Start at 'pairs'.
module Tern.Lab.Core.NoisePair
  ( Pair (..),
    pairs,
    belowRows,
  )
where

import Data.Text (Text)
import Data.Text qualified as T

-- | What it is about, the kind, and rows of a module with the functions @healthy@ and @leaks@.
data Pair = Pair Text Text [Text]

pairs :: [Pair]
pairs =
  [ Pair
      "of what takes continuations by a type of its own"
      "arity-too-low"
      [ "newtype P a = P (forall r. (String -> r) -> (a -> r) -> r)",
        "newtype R a = R (Int -> a)",
        "hard :: Int -> Int",
        "hard n = length (show n) + n `div` 3",
        "{-# NOINLINE hard #-}",
        "healthy :: Int -> P Int",
        "healthy n = case hard n of",
        "  7 -> P (\\bad _ -> bad \"seven\")",
        "  m -> P (\\_ good -> good (m + n))",
        "{-# NOINLINE healthy #-}",
        "leaks :: Int -> R Int",
        "leaks n = case hard n of",
        "  7 -> R (\\x -> x + 1)",
        "  m -> R (\\x -> x * m)",
        "{-# NOINLINE leaks #-}"
      ],
    Pair
      "of what is done once for each part, below a lambda that is written"
      "arity-too-low"
      [ "data Rule = One Int | Both Rule Rule | Either Rule Rule",
        "newtype R = R (Int -> Int)",
        "run :: R -> Int -> Int",
        "run (R f) = f",
        "hard :: Int -> Int",
        "hard n = length (show n) + n `div` 3",
        "{-# NOINLINE hard #-}",
        "healthy :: Rule -> Int -> Int",
        "healthy rule = case rule of",
        "  One n -> let m = hard n in \\k -> m + k",
        "  Both a b -> let { f = healthy a; g = healthy b } in \\k -> g (f k) * f (k + 1)",
        "  Either a b -> let { f = healthy a; g = healthy b } in \\k -> max (f k) (g (k + 1))",
        "leaks :: Rule -> R",
        "leaks rule = case rule of",
        "  One n -> let m = hard n in R (\\k -> m + k)",
        "  Both a b -> let { f = leaks a; g = leaks b } in R (\\k -> run g (run f k) + k)",
        "  Either a b -> let { f = leaks a; g = leaks b } in R (\\k -> max (run f k) (run g k))"
      ],
    Pair
      "of elements that nothing is made of, beside a state that is there"
      "lazy-fields"
      [ "import Data.List (mapAccumL)",
        "healthy :: String -> [Int]",
        "healthy = snd . mapAccumL step True",
        "  where",
        "    step s c = if c > 'a' then (False, 2) else (True, if s then 1 else fromEnum c)",
        "{-# NOINLINE healthy #-}",
        "leaks :: String -> (Int, [Int])",
        "leaks = mapAccumL step 0",
        "  where",
        "    step s c = if c > 'a' then (s + 1, fromEnum c) else (s * 3, 1)",
        "{-# NOINLINE leaks #-}"
      ],
    Pair
      "of literals of another type of texts"
      "nub"
      [ "import Data.List (nub)",
        "import Data.String (fromString)",
        "import Data.Text (Text)",
        "healthy :: [Int] -> [[Text]]",
        "healthy = map (\\_ -> nub [fromString \"a\", fromString \"b\", fromString \"c\"])",
        "{-# NOINLINE healthy #-}",
        "leaks :: [[Text]] -> [[Text]]",
        "leaks = map (\\ts -> nub (fromString \"a\" : ts))",
        "{-# NOINLINE leaks #-}"
      ],
    Pair
      "of a text that stands before the rest"
      "growing-accumulator"
      [ "healthy :: String -> String -> String",
        "healthy acc text = case text of",
        "  [] -> reverse acc",
        "  '<' : more -> healthy (\"tl&\" ++ acc) more",
        "  c : more -> healthy (c : acc) more",
        "leaks :: Int -> String -> (Int, Bool)",
        "leaks acc text = case text of",
        "  [] -> (acc, True)",
        "  c : more -> leaks (acc + fromEnum c) more"
      ],
    Pair
      "of a function that is made of a function"
      "growing-accumulator"
      [ "healthy :: ([Int] -> [Int]) -> [Int] -> [Int]",
        "healthy acc values = case values of",
        "  [] -> acc []",
        "  x : more -> healthy (acc . (x :)) more",
        "leaks :: Int -> [Int] -> (Int, Bool)",
        "leaks acc values = case values of",
        "  [] -> (acc, True)",
        "  x : more -> leaks (acc * 3 + x) more"
      ],
    Pair
      "of the rest of a list"
      "growing-accumulator"
      [ "data Tree = Leaf Int | Fork Tree Tree",
        "healthy :: Tree -> [Int] -> [Int]",
        "healthy tree rest = case tree of",
        "  Leaf n -> n : rest",
        "  Fork a b -> healthy a (healthy b rest)",
        "leaks :: Tree -> Int -> [Tree] -> (Int, Bool)",
        "leaks tree n more = case (tree, more) of",
        "  (Fork a b, _) -> leaks a n (b : more)",
        "  (Leaf k, []) -> (n + k, True)",
        "  (Leaf k, t : ts) -> leaks t (n + k) ts"
      ],
    Pair
      "of what a method looks at in each round"
      "growing-accumulator"
      [ "class Line s where",
        "  isEnd :: s -> Bool",
        "  rest :: Int -> s -> s",
        "healthy :: (Line s) => s -> [s]",
        "healthy inp = if isEnd inp then [inp] else healthy (rest 1 inp)",
        "{-# NOINLINE healthy #-}",
        "leaks :: (Line s) => s -> s -> [Int] -> (s, Bool)",
        "leaks kept inp values = case values of",
        "  [] -> (kept, isEnd inp)",
        "  x : more -> leaks (if isEnd inp then inp else rest x kept) inp more",
        "{-# NOINLINE leaks #-}"
      ],
    Pair
      "of what seq has evaluated"
      "lazy-state"
      [ "import Control.Monad (forM_)",
        "import Control.Monad.State.Strict",
        "healthy :: [Int] -> State Int ()",
        "healthy values = forM_ values $ \\x -> do",
        "  n <- get",
        "  let m = n + x",
        "  m `seq` put m",
        "leaks :: [Int] -> State Int ()",
        "leaks values = forM_ values $ \\x -> do",
        "  n <- get",
        "  let m = n + x",
        "  put m"
      ],
    Pair
      "of a field that the next round takes apart"
      "lazy-fields"
      [ "data Node = Leaf Int | Two Node Node | With (Int -> Node)",
        "data Stack = Cons Int Node Stack | Nil",
        "healthy :: Int -> Stack -> Int",
        "healthy !n stack = case stack of",
        "  Nil -> n",
        "  Cons i node rest -> case node of",
        "    Leaf k -> healthy (n + k + i) rest",
        "    Two a b -> healthy n (Cons i a (Cons i b rest))",
        "    With f -> healthy n (Cons i (f i) rest)",
        "data Way = Way {legs :: Int, far :: Int}",
        "leaks :: [Int] -> (Int, Int)",
        "leaks values = go values Way {legs = 0, far = 0}",
        "  where",
        "    go [] way = (legs way, far way)",
        "    go (x : more) way@(Way l f) = go more way {legs = l + 1, far = f + x}"
      ],
    Pair
      "of a result that is made as it is asked for"
      "loop-allocates"
      [ "data Steps = Done | Step Int Steps",
        "f :: Int -> Int -> Int",
        "f a b = length (replicate a b)",
        "{-# NOINLINE f #-}",
        "healthy :: Int -> Steps",
        "healthy n = if n == 0 then Done else Step n (healthy (n - 1))",
        "data Few = End | Few Int Int Int Int Few",
        "leaks :: Int -> Few",
        "leaks n = if n == 0 then End else Few (f n 1) (f n 2) (f n 3) (f n 4) (leaks (n - 1))"
      ],
    Pair
      "of a function that a tree keeps"
      "unknown-calls"
      [ "data Doc = Empty | Cat Doc Doc | Column (Int -> Doc)",
        "healthy :: Doc -> Int -> Int",
        "healthy doc !k = case doc of",
        "  Empty -> k + 1",
        "  Cat a b -> healthy b (healthy a k)",
        "  Column f -> healthy (f k) 1 + healthy (f (k + 1)) 2 + healthy (f (k + 2)) 3",
        "leaks :: (Int -> Int) -> Int -> Int -> Int",
        "leaks f n !acc =",
        "  if n == 0 then acc else leaks f (n - 1) (acc + f n + f (n + 1) + f (n + 2))"
      ],
    Pair
      "of a function that goes into a tree"
      "loop-allocates"
      [ "data Doc = Empty | Cat Doc Doc | Column (Int -> Doc) | Nesting (Int -> Doc)",
        "healthy :: Doc -> Doc",
        "healthy doc = case doc of",
        "  Empty -> Empty",
        "  Cat a b -> case healthy a of c -> c `seq` (case healthy b of d -> d `seq` Cat c d)",
        "  Column f -> Column (\\k -> healthy (f k))",
        "  Nesting f -> Nesting (\\k -> healthy (f k))",
        "data Two = Two (Int -> Int) (Int -> Int)",
        "leaks :: Int -> [Two]",
        "leaks n = if n == 0 then [] else Two (\\k -> k + n) (\\k -> k * n) : leaks (n - 1)"
      ],
    Pair
      "of a list that a class asks for"
      "not-unrolled"
      [ "class Pick t where",
        "  pick :: t -> [Int] -> Int",
        "newtype Fixed = Fixed Int",
        "instance Pick Fixed where",
        "  pick f@(Fixed k) xs = case xs of",
        "    [] -> k",
        "    y : ys -> if y > k then y else pick f ys + 1",
        "own :: Int -> [Int] -> Int",
        "own k xs = case xs of",
        "  [] -> k",
        "  y : ys -> if y > k then y * 3 else own k ys + y",
        "healthy :: Int -> Int -> Int",
        "healthy n !acc =",
        "  if n == 0 then acc else healthy (n - 1) (acc + pick (Fixed n) [n - 2, n - 1, n + 1])",
        "leaks :: Int -> Int -> Int",
        "leaks n !acc = if n == 0 then acc else leaks (n - 1) (acc * own n [n - 2, n - 1, n + 3])"
      ],
    Pair
      "of a list of literals"
      "boxed-elements"
      [ "import qualified Data.Vector as V",
        "healthy :: Int -> Double",
        "healthy n = table V.! (n `mod` 4)",
        "  where",
        "    table = V.fromList [1.5, 2.25, 3, 4.125]",
        "leaks :: [Int] -> Int -> Double",
        "leaks values n = table V.! n",
        "  where",
        "    table = V.fromList (map fromIntegral values)"
      ],
    Pair
      "of a list that becomes a map"
      "through-list"
      [ "import qualified Data.Map.Strict as M",
        "import qualified Data.Vector as V",
        "healthy :: V.Vector (Int, Int) -> M.Map Int Int",
        "healthy v = M.fromList (map (fmap (+ 1)) (V.toList v))",
        "leaks :: V.Vector Int -> V.Vector Int",
        "leaks v = V.fromList (map (+ 1) (V.toList v))"
      ],
    Pair
      "of many objects"
      "loop-allocates"
      [ "data Row = Row Int Int Int Int Int Int Int Int Int Int",
        "f :: Int -> Int -> Int",
        "f a b = length (replicate a b)",
        "{-# NOINLINE f #-}",
        "healthy :: Int -> [Row]",
        "healthy n",
        "  | n == 0 = []",
        "  | otherwise =",
        "      Row (f n 1) (f n 2) (f n 3) (f n 4) (f n 5)",
        "        (f n 6) (f n 7) (f n 8) (f n 9) (f n 10)",
        "        : healthy (n - 1)",
        "data Few = Few Int Int Int Int",
        "leaks :: Int -> [Few]",
        "leaks n",
        "  | n == 0 = []",
        "  | otherwise = Few (f n 1) (f n 2) (f n 3) (f n 4) : leaks (n - 1)"
      ],
    Pair
      "of what would be a call without its pragma too"
      "not-inlined"
      ( [ "large :: Int -> Int",
          "large n = case n of"
        ]
          <> [ T.concat ["  ", shown i, " -> length (show (n * ", shown (i * 7), ")) + ", shown i]
               | i <- [1 .. 120 :: Int]
             ]
          <> [ "  _ -> 0",
               "{-# NOINLINE large #-}",
               "small :: Int -> Int",
               "small n = n * 3 + 1",
               "{-# NOINLINE small #-}",
               "healthy :: Int -> Int -> Int",
               "healthy n !acc = if n == 0 then acc else healthy (n - 1) (acc + large n)",
               "leaks :: Int -> Int -> Int",
               "leaks n !acc = if n == 0 then acc else leaks (n - 1) (acc + small n)"
             ]
      ),
    Pair
      "of what only its own package could specialise"
      "not-specialised"
      [ "import qualified Data.Map as M",
        "import Below",
        "healthy :: [(String, Int)] -> [String] -> Int",
        "healthy table = go 0",
        "  where",
        "    go !n names = case names of",
        "      [] -> n",
        "      name : more -> go (n + maybe 0 id (lookup name table)) more",
        "leaks :: Int -> Int -> Int",
        "leaks n !acc = if n == 0 then acc else leaks (n - 1) (acc + overloaded n)"
      ]
  ]

-- | What the modules above may import.
belowRows :: [Text]
belowRows =
  [ "module Below (overloaded) where",
    "overloaded :: (Integral a, Show a) => a -> a",
    "overloaded n = go n 0",
    "  where",
    "    go k acc",
    "      | k <= 0 = acc",
    "      | even k = go (k `div` 2) (acc + fromIntegral (length (show k)))",
    "      | otherwise = go (k - 1) (acc * 3 + k)",
    "{-# NOINLINE [1] overloaded #-}"
  ]

shown :: Int -> Text
shown = T.pack . show
