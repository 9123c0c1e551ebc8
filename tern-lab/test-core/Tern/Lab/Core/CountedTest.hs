{-# LANGUAGE OverloadedStrings #-}

-- | What is counted in modules that others import, and what is said by it.
--
-- A function that other modules cannot read is compiled with its calls counted, exported or not:
-- then a call in a branch that is hardly taken is told from one that is made in each round. The
-- second part is of findings that are one, and of advice that somebody could follow.
module Tern.Lab.Core.CountedTest (tests) where

import Control.Monad (forM)
import Data.List (nub, sort)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Core.Advice (kindName, renderAdvice, renderWhat)
import Tern.Lab.Core.Command (sharedCache)
import Tern.Lab.Core.Facts (WhyBoxed (..))
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), Spent (..), worthShowing)
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Library (Cost (..))
import Tern.Lab.Core.Measured (measuredBy)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Workbench (Build (..), Run (..), gatherFacts, gatherTicky)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "what others import"
    [ testCase "calls in exported loops are counted, by the names that they have become" exported,
      testCase "what was inlined into another module has the calls that are made there" elsewhere,
      testCase "a call of the program's own is made no more often than what it calls" own,
      testCase "a box that is stored is not cured by a bang alone" stored,
      testCase "a list that is made from the right keeps no fields" fromTheRight,
      testCase "the pragma that callers ask for is a part of the cure below it" one,
      testCase "a method that is reached by unknown instances has no cure of its own" byInstance,
      testCase "a version of a library's function has its name" version,
      testCase "an equality between types is no instance" equality,
      testCase "a parameter that callers hand on is no instance" implicit,
      testCase "the loop that a fold became is spoken of at the fold" ofFold,
      testCase "who made no function was not where one is made" noFunction,
      testCase "what a cell is given is counted where it is given" cell,
      testCase "a thunk in each round is said by what the rounds have made" eachRound,
      testCase "a text is read as slowly as a number" (readFor "(sum . map (length . text)) xs"),
      testCase "what is composed with others is done as often as they are" $
        readFor "(sum . map (length . text)) xs + (sum . map (fromEnum . last . text)) xs",
      testCase "a field that its module makes strict keeps nothing" strictData,
      testCase "what waits for a function that is given, and gives a number" waitsForGiven,
      testCase "a fold among other loops is the one that hands on what waits" amongLoops,
      testCase "who hands on what another makes has no cure of its own" handsOnFunctions,
      testCase "findings of one function claim no more than it makes" claimed,
      testCase "the methods of one instance are one finding" oneInstance,
      testCase "what is made from the right, of whatever type, is no accumulator" fromRight,
      testCase "a choice among parsers of another package is no list to unroll" choices,
      testCase "short texts are appended as cheaply as the rest is handed on" short,
      testCase "branches that meet again and again take no more memory each time" meetings,
      testCase "what is written for others and is too large for them is counted" tooLarge,
      testCase "a step of a record that others go on with keeps its fields waiting" steps,
      testCase "a fold that another module took is spoken of where it is written" taken,
      testCase "a fold is done in each of its rounds, and not as often as who has it" inMain
    ]

type Files = [(FilePath, [Text])]

inFolder :: Files -> (Target -> Build -> IO a) -> IO a
inFolder = inFolderWith []

-- | With options for GHC.
inFolderWith :: [Text] -> Files -> (Target -> Build -> IO a) -> IO a
inFolderWith options files use = withSystemTempDirectory "tern-lab-counted" $ \folder -> do
  cache <- sharedCache
  mapM_ (\(name, rows) -> T.writeFile (folder </> name) (T.unlines rows)) files
  use (SourceFile (folder </> "Main.hs")) (Build "ghc" options [] False False cache)

-- | Without a run.
found :: Files -> IO [Finding]
found files = inFolder files $ \target build ->
  gatherFacts build target
    >>= either (assertFailure . T.unpack . renderCoreProblem) (pure . findings)

-- | After one.
measured :: Files -> IO [Finding]
measured = measuredWith []

measuredWith :: [Text] -> Files -> IO [Finding]
measuredWith options files = inFolderWith options files $ \target build -> do
  (modules, counters, whole) <-
    gatherTicky build target (Run "{exe}" Nothing)
      >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  pure (measuredBy whole modules counters (findings modules))

told :: [Finding] -> String
told = unlines . map (T.unpack . renderWhat)

-- | The functions that a finding of a kind is about which is worth showing.
sayers :: Text -> [Finding] -> [Text]
sayers kind every =
  [findingBinding f | f <- every, worthShowing f, kindName (findingKind f) == kind]

-- | How often what a finding of a kind is about was done, by the function that it is in.
entries :: Text -> Text -> [Finding] -> [Double]
entries kind name every =
  [ spentEntries spent
    | f <- every,
      kindName (findingKind f) == kind,
      findingBinding f == name,
      Just spent <- [findingMeasured f]
  ]

exported :: Assertion
exported = do
  every <-
    measured
      [ ( "Code.hs",
          [ "module Code where",
            "import Data.List (nub)",
            "-- One round in 10,000, each round, and no round.",
            "seldom, often, never :: Int -> [Int] -> Int",
            "seldom n acc",
            "  | n == 0 = sum acc",
            "  | n `mod` 10000 == 17 = seldom (n - 1) (nub (n `mod` 7 : acc))",
            "  | otherwise = seldom (n - 1) (map (+ 1) acc)",
            "often n acc",
            "  | n == 0 = sum acc",
            "  | n `mod` 10000 == 17 = often (n - 1) (map (+ 1) acc)",
            "  | otherwise = often (n - 1) (nub (n `mod` 50 : acc))",
            "never n acc",
            "  | n == 0 = sum acc",
            "  | n < 0 = never (n - 1) (nub (n `mod` 7 : acc))",
            "  | otherwise = never (n - 1) (map (+ 1) acc)",
            "-- The same of lists that are searched.",
            "spared, searched :: [Int] -> Int -> Int -> Int",
            "spared kept n acc",
            "  | n == 0 = acc",
            "  | n `mod` 10000 == 17, n `notElem` kept = spared kept (n - 1) (acc + 1)",
            "  | otherwise = spared kept (n - 1) (acc + n `mod` 3)",
            "searched kept n acc",
            "  | n == 0 = acc",
            "  | n `mod` 10000 /= 17, n `notElem` kept = searched kept (n - 1) (acc + 1)",
            "  | otherwise = searched kept (n - 1) (acc + n `mod` 3)"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "main :: IO ()",
            "main = do",
            "  print (seldom 20000 [1], often 20000 [1], never 20000 [1])",
            "  print (spared [3, 9, 4] 20000 0, searched [3, 9, 4] 20000 0)"
          ]
        )
      ]
  let nubs name = entries "nub" name every
      walks name = entries "list-search" name every
  (nubs "seldom", nubs "often", nubs "never") @?= ([2], [19998], [])
  (walks "spared", walks "searched") @?= ([2], [19998])
  -- Twenty thousand times some fifty comparisons are more than two times eight.
  [ (findingBinding f, worthShowing f)
    | f <- every,
      kindName (findingKind f) == "nub"
    ]
    @?= [("often", True), ("seldom", False)]

-- | Each function is one call, so that it is inlined where it is used.
elsewhere :: Assertion
elsewhere = do
  every <-
    measured
      [ ( "Code.hs",
          [ "module Code (tags, spare) where",
            "import Data.List (nub)",
            "tags, spare :: [(Int, [Int])] -> [Int]",
            "tags posts = unique (concatMap snd posts)",
            "  where",
            "    unique = nub",
            "spare posts = nub (map fst posts)"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "posts :: Int -> [(Int, [Int])]",
            "posts n = [(k `mod` 3, [k * 7 `mod` 401, k * 13 `mod` 403]) | k <- [1 .. n]]",
            "main :: IO ()",
            "main = do",
            "  print (sum (tags (posts 4000)))",
            "  if length (posts 3) > 3 then print (spare (posts 9)) else pure ()"
          ]
        )
      ]
  let nubs =
        [ (findingBinding f, worthShowing f)
          | f <- every,
            kindName (findingKind f) == "nub"
        ]
  assertBool (show nubs <> told every) (("tags", True) `elem` nubs)

own :: Assertion
own = do
  every <-
    measured
      [ ( "Main.hs",
          [ "module Main (main) where",
            "common, rare :: Int -> Int -> Int",
            "common a b = a * 3 + b",
            "{-# NOINLINE common #-}",
            "rare a b = a * 5 - b",
            "{-# NOINLINE rare #-}",
            "loop, other :: Int -> Int -> Int",
            "loop n acc",
            "  | n == 0 = acc",
            "  | n < 0 = loop (n + 1) (rare n acc)",
            "  | otherwise = loop (n - 1) (common n acc)",
            "{-# NOINLINE loop #-}",
            "other n acc",
            "  | n == 0 = acc",
            "  | n `mod` 5000 == 17 = other (n - 1) (seldom n acc)",
            "  | otherwise = other (n - 1) (acc + n `mod` 3)",
            "{-# NOINLINE other #-}",
            "seldom :: Int -> Int -> Int",
            "seldom a b = a * 7 - b",
            "{-# NOINLINE seldom #-}",
            "main :: IO ()",
            "main = print (loop 20000 0, other 20000 0)"
          ]
        )
      ]
  let about name =
        [ spentEntries spent
          | f <- every,
            NotInlined callee _ <- [findingKind f],
            name `T.isSuffixOf` callee,
            Just spent <- [findingMeasured f]
        ]
  assertEqual (told every) ([20000], [], [4]) (about "common", about "rare", about "seldom")

stored :: Assertion
stored = do
  every <-
    found
      [ ( "Main.hs",
          [ "module Main (main) where",
            "place, count :: Int -> Int -> [Int] -> Maybe Int",
            "place _ _ [] = Nothing",
            "place i x (y : ys)",
            "  | x == y = Just i",
            "  | otherwise = let j = i + 1 in j `seq` place j x ys",
            "{-# NOINLINE place #-}",
            "count _ _ [] = Nothing",
            "count i x (y : ys)",
            "  | x == y = if i > 9 then Just x else Nothing",
            "  | otherwise = let j = i + 1 in j `seq` count j x ys",
            "{-# NOINLINE count #-}",
            "main :: IO ()",
            "main = print (place 0 7 [1 .. 9], count 0 7 [1 .. 9])"
          ]
        )
      ]
  assertEqual
    (told every)
    [("count", LazilyUsed), ("place", HandedOn)]
    [(loop, why) | KeepsBoxed loop _ why <- reversed (map findingKind every)]
  where
    reversed kinds =
      [k | name <- ["count", "place"], k@(KeepsBoxed loop _ _) <- kinds, loop == name]

fromTheRight :: Assertion
fromTheRight = do
  every <-
    found
      [ ( "Main.hs",
          [ "module Main (main) where",
            "import Data.List (foldl')",
            "data Item = Item !Int Int",
            "merge :: [Item] -> [Item] -> [Item]",
            "merge [] js = js",
            "merge is [] = is",
            "merge (i@(Item a x) : is) (j@(Item b y) : js)",
            "  | a < b = i : merge is (j : js)",
            "  | b < a = j : merge (i : is) js",
            "  | otherwise = Item a (x + y) : merge is js",
            "healthy :: [[Item]] -> [Item]",
            "healthy = foldr merge []",
            "{-# NOINLINE healthy #-}",
            "leaks :: [Int] -> (Int, Int)",
            "leaks = foldl' (\\(a, b) x -> (a + x, b * x)) (0, 1)",
            "{-# NOINLINE leaks #-}",
            "main :: IO ()",
            "main = do",
            "  print (sum [x | Item _ x <- healthy [[Item k k] | k <- [1 .. 100]]])",
            "  print (leaks [1 .. 100])"
          ]
        )
      ]
  assertEqual
    (told every)
    ["leaks"]
    [findingBinding f | f <- every, kindName (findingKind f) == "lazy-fields"]

-- | An overloaded function that calls another, called at a known instance.
one :: Assertion
one = do
  every <-
    found
      [ ( "Sets.hs",
          [ "module Sets (Ranges (..), member) where",
            "data Ranges a = Ranges [(a, a)]",
            "member :: (Ord a) => Ranges a -> a -> Bool",
            "member (Ranges []) _ = False",
            "member (Ranges (r : rs)) x = within (3 :: Int) r x || member (Ranges rs) x",
            "within :: (Ord a) => Int -> (a, a) -> a -> Bool",
            "within n (a, b) x",
            "  | n == 0 = a <= x && x <= b",
            "  | otherwise = within (n - 1) (min a b, max a b) x"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Sets",
            "main :: IO ()",
            "main = print (length (filter (member (Ranges [(1, 3), (7, 9)])) [1 .. 100 :: Int]))"
          ]
        )
      ]
  let below = [root | OverloadedBelow root _ <- map findingKind every]
      asked = [written | NotSpecialised _ _ _ written _ <- map findingKind every]
  assertEqual (told every) (["Sets.member"], []) (below, filter ("Sets.member" ==) asked)

byInstance :: Assertion
byInstance = do
  every <-
    found
      [ ( "Code.hs",
          [ "module Code (T (..), Tick (..), loop) where",
            "newtype T m a = T {runT :: Int -> m (a, Int)}",
            "class (Monad m) => Tick m where",
            "  tick :: Int -> m ()",
            "instance (Monad m) => Functor (T m) where",
            "  fmap f (T g) = T (\\s -> g s >>= \\(a, t) -> pure (f a, t))",
            "instance (Monad m) => Applicative (T m) where",
            "  pure a = T (\\s -> pure (a, s))",
            "  T f <*> T g = T (\\s -> f s >>= \\(h, t) -> g t >>= \\(a, u) -> pure (h a, u))",
            "instance (Monad m) => Monad (T m) where",
            "  T f >>= k = T (\\s -> f s >>= \\(a, t) -> runT (k a) t)",
            "instance (Monad m) => Tick (T m) where",
            "  tick n = T (\\s -> pure ((), s + n))",
            "loop :: (Tick m) => Int -> m ()",
            "loop n = if n == 0 then pure () else tick n >>= \\_ -> loop (n - 1)"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "main :: IO ()",
            "main = runT (loop 100) 0 >>= print . snd"
          ]
        )
      ]
  let said = [findingBinding f | f <- every, kindName (findingKind f) == "unknown-instance"]
  assertBool (told every) ("loop" `elem` said)
  assertBool (told every) (">>=" `notElem` said && not (any ("$f" `T.isPrefixOf`) said))

version :: Assertion
version = do
  every <-
    found
      [ ( "Main.hs",
          [ "module Main (main) where",
            "hex :: Int -> String",
            "hex n = digits (n `mod` 256) ++ digits (n `div` 256)",
            "digits :: Int -> String",
            "digits n = ['.', 'x', digit (n `div` 16), digit (n `mod` 16)]",
            "digit :: Int -> Char",
            "digit n = toEnum (if n <= 9 then 48 + n else 87 + n)",
            "main :: IO ()",
            "main = putStrLn (concatMap hex [1 .. 100])"
          ]
        )
      ]
  let said = [f | f@Finding {findingKind = NotUnrolled _ _} <- every]
  assertBool (told every) (not (null said))
  -- GHC.Base.++, which GHC 9.10 has in GHC.Internal.Base.
  assertBool
    (told said)
    (and ["Base.++" `T.isSuffixOf` name | NotUnrolled name _ <- map findingKind said])
  assertBool (told said) (all (("x : y : rest" `T.isInfixOf`) . renderAdvice) said)

equality :: Assertion
equality = do
  every <-
    found
      [ ( "Code.hs",
          [ "{-# LANGUAGE TypeFamilies #-}",
            "module Code (plain, over) where",
            "plain :: (a ~ Int) => Int -> a -> a",
            "plain n a = if n == 0 then a else plain (n - 1) (a * 3 + n)",
            "over :: (Integral a) => Int -> a -> a",
            "over n a = if n == 0 then a else over (n - 1) (a * 3 + 1)",
            "{-# NOINLINE over #-}"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "main :: IO ()",
            "main = print (sum [plain k 1 + over k 1 | k <- [1 .. 100]])"
          ]
        )
      ]
  let about = [callee | NotSpecialised callee _ _ _ _ <- map findingKind every]
      isSaid name = any (name `T.isSuffixOf`) about
  assertEqual (told every) (True, False) (isSaid "over", isSaid "plain")

-- | Where it was called, and a number that is given without a name: neither has methods, whatever
-- its type is called.
implicit :: Assertion
implicit = do
  every <-
    found
      [ ( "Code.hs",
          [ "{-# LANGUAGE ConstraintKinds, ImplicitParams #-}",
            "module Code (Scale, traced, scaled, over) where",
            "import GHC.Stack (HasCallStack)",
            "type Scale = (?by :: Int)",
            "traced :: HasCallStack => Int -> Int -> Int",
            "traced n a",
            "  | n == 0 = a",
            "  | a < 0 = error \"below\"",
            "  | otherwise = traced (n - 1) (a * 3 + n)",
            "{-# NOINLINE traced #-}",
            "scaled :: Scale => Int -> Int -> Int",
            "scaled n a = if n == 0 then a else scaled (n - 1) (a * ?by + n)",
            "{-# NOINLINE scaled #-}",
            "over :: (Integral a) => Int -> a -> a",
            "over n a = if n == 0 then a else over (n - 1) (a * 3 + 1)",
            "{-# NOINLINE over #-}"
          ]
        ),
        ( "Main.hs",
          [ "{-# LANGUAGE ImplicitParams #-}",
            "module Main (main) where",
            "import Code",
            "import GHC.Stack (HasCallStack)",
            "both :: HasCallStack => Int -> Int",
            "both k = traced k 1 + over k 1",
            "{-# NOINLINE both #-}",
            "again :: Scale => Int -> Int",
            "again k = if k == 0 then 0 else scaled k 1 + again (k - 1)",
            "{-# NOINLINE again #-}",
            "passed :: Integral a => a -> Int -> a",
            "passed a k = if k == 0 then a else over k a + passed a (k - 1)",
            "{-# NOINLINE passed #-}",
            "main :: IO ()",
            "main = let ?by = 3 in print (sum [both k + again k + passed k k | k <- [1 .. 100]])"
          ]
        )
      ]
  let about = [callee | NotSpecialised callee _ _ _ _ <- map findingKind every]
      isSaid name = any (name `T.isSuffixOf`) about
      handing = [findingBinding f | f@Finding {findingKind = PassesInstances _ _} <- every]
  assertEqual (told every) (True, False, False) (isSaid "over", isSaid "traced", isSaid "scaled")
  assertEqual (told every) ["passed"] (nub handing)

ofFold :: Assertion
ofFold = do
  every <-
    found
      [ ( "Main.hs",
          [ "module Main (main) where",
            "import Control.Monad (foldM)",
            "longest :: (Foldable t) => Int -> t Int -> Either Int (Int, Int)",
            "longest most = foldM go (0, 0)",
            "  where",
            "    go (n, total) x",
            "      | x > most = Left total",
            "      | otherwise = Right (n + 1, total + x)",
            "{-# SPECIALIZE longest :: Int -> [Int] -> Either Int (Int, Int) #-}",
            "main :: IO ()",
            "main = print (longest 99 [1 .. 98], longest 9 (Just 3))"
          ]
        )
      ]
  let kinds = map (kindName . findingKind) every
  assertEqual
    (told every)
    (True, False)
    ("lazy-fields" `elem` kinds, "growing-accumulator" `elem` kinds)

noFunction :: Assertion
noFunction = do
  every <-
    measured
      [ ( "Main.hs",
          [ "module Main (main) where",
            "newtype State a = State (Int -> (a, Int))",
            "never, always :: Int -> Int -> State Int",
            "never a b = case rest a of",
            "  9 -> State (\\s -> (a + b, s + a))",
            "  _ -> fixed",
            "{-# NOINLINE never #-}",
            "always a b = case rest a of",
            "  9 -> fixed",
            "  _ -> State (\\s -> (a + b, s + a))",
            "{-# NOINLINE always #-}",
            "rest :: Int -> Int",
            "rest a = a `mod` 7",
            "{-# NOINLINE rest #-}",
            "fixed :: State Int",
            "fixed = State (\\s -> (1, s))",
            "{-# NOINLINE fixed #-}",
            "loop :: (Int -> Int -> State Int) -> Int -> Int -> Int",
            "loop f n s",
            "  | n == 0 = s",
            "  | State g <- f n s = case g s of (a, t) -> loop f (n - 1) (a `mod` 5 + t `mod` 3)",
            "{-# NOINLINE loop #-}",
            "main :: IO ()",
            "main = print (loop never 20000 1, loop always 20000 1)"
          ]
        )
      ]
  let arity =
        [ (findingBinding f, worthShowing f)
          | f <- every,
            kindName (findingKind f) == "arity-too-low"
        ]
  assertBool (show arity) (("always", True) `elem` arity && ("never", True) `notElem` arity)

-- | An accumulator, what each round makes and what it takes apart lazily are the same bytes.
claimed :: Assertion
claimed = do
  every <-
    measured
      [ ( "Code.hs",
          [ "module Code (D (..), Stats (..), offset, walk) where",
            "import Control.Monad.Trans.State.Strict",
            "data D = T Int | N | G [D]",
            "data Stats = Stats {total :: Int, peak :: Int}",
            "offset :: (Int -> Bool) -> (Int, Int) -> [D] -> (Int, Int)",
            "offset p (l, c) ds = case ds of",
            "  [] -> (l, c)",
            "  T n : rest",
            "    | p n -> offset p (l, c + n) rest",
            "    | otherwise -> (l, c + n)",
            "  N : rest -> offset p (l + 1, 0) rest",
            "  G inner : rest ->",
            "    let (k, d) = offset p (l, c) inner in offset p (k + 0, d * 1) rest",
            "{-# NOINLINE offset #-}",
            "walk :: [Int] -> Stats -> State Stats Int",
            "walk xs s = case xs of",
            "  [] -> pure (total s)",
            "  x : rest -> do",
            "    modify (\\t -> t {total = total t + x})",
            "    put s {peak = peak s + x}",
            "    n <- walk rest s {total = total s + x}",
            "    pure (n * 2 + x)",
            "{-# NOINLINE walk #-}"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "import Control.Monad.Trans.State.Strict",
            "main :: IO ()",
            "main = do",
            "  let ds k = concat (replicate 50 [T k, N, T 3, G [T 4, N]])",
            "  print (sum [a + b | k <- [1 .. 300], let (a, b) = offset (> 0) (k, 1) (ds k)])",
            "  let (n, Stats a b) = runState (walk [1 .. 20000] (Stats 3 7)) (Stats 1 2)",
            "  print (n, a, b)"
          ]
        )
      ]
  let spentBy name = [s | f <- every, findingBinding f == name, Just s <- [findingMeasured f]]
      within name =
        assertBool
          (T.unpack name <> show (map spentSaves (spentBy name)) <> told every)
          ( length (spentBy name) > 1
              && sum (map spentSaves (spentBy name))
                <= maximum (map spentShare (spentBy name)) + 0.000001
          )
  within "offset"
  within "walk"

short :: Assertion
short = do
  every <-
    measured
      [ ( "Main.hs",
          [ "module Main (main) where",
            "data Type = Name String | List Type",
            "shown, deep :: Type -> String",
            "shown t = case t of",
            "  Name s -> s",
            "  List u -> '[' : shown u ++ \"]\"",
            "{-# NOINLINE shown #-}",
            "deep t = case t of",
            "  Name s -> s",
            "  List u -> '[' : deep u ++ \"]\"",
            "{-# NOINLINE deep #-}",
            "nested :: Int -> Type",
            "nested n = if n == 0 then Name \"t\" else List (nested (n - 1))",
            "main :: IO ()",
            "main = do",
            "  print (sum [length (shown (nested (k `mod` 2))) | k <- [1 .. 20000]])",
            "  print (length (deep (nested 400)))"
          ]
        )
      ]
  let said = sayers "appends-recursively" every
  assertEqual (told every) ["deep"] said

-- | Thirty places, each of which is come to in two ways: a list of ways would double with each.
-- The compiler has a gigabyte.
meetings :: Assertion
meetings = do
  every <-
    measuredWith
      ["+RTS", "-M1g", "-RTS"]
      [ ( "Main.hs",
          [ "module Main (main) where",
            "next :: Int -> Int -> Int",
            "next a b = a * b + 1",
            "{-# NOINLINE next #-}",
            "along :: [Int] -> Int -> Int -> Int",
            "along ws = place0",
            "  where"
          ]
            <> concat
              [ [ T.concat ["    place", this, " x = case ws of"],
                  T.concat ["      y : _ | y == ", this, " -> place", later, " (next x 3)"],
                  T.concat ["      y : _ | y == 1", this, " -> place", later, " (next x 7)"],
                  T.concat ["      _ | x > ", this, " -> place", later, " (x + 1)"],
                  "      _ -> \\z -> next z x"
                ]
                | n <- [0 .. 29 :: Int],
                  let this = T.pack (show n)
                      later = T.pack (show (n + 1))
              ]
            <> [ "    place30 x = \\z -> z + x",
                 "{-# NOINLINE along #-}",
                 "main :: IO ()",
                 "main = print (sum [sum (map (along [k `mod` 9] k) [1, 2]) | k <- [1 .. 10000]])"
               ]
        )
      ]
  let said = nub [findingBinding f | f <- every, kindName (findingKind f) == "arity-too-low"]
  assertEqual (told every) ["along"] said

-- | Two steps in a module of their own, taken in another's loop: one of a record with strict
-- fields. A third is taken once, and a fourth in its own module, where its call is spoken of.
steps :: Assertion
steps = do
  every <-
    measured
      [ ( "Series.hs",
          [ "module Series where",
            "import Data.List (foldl')",
            "data Series = Series {total :: Double, peak :: Double, seen :: Int}",
            "data Tight = Tight {whole :: !Double, top :: !Double}",
            "record, once, inside :: Series -> Double -> Series",
            "record s x = s {total = total s + x, peak = max (peak s) x, seen = seen s + 1}",
            "{-# NOINLINE record #-}",
            "once s x = s {total = total s - x}",
            "{-# NOINLINE once #-}",
            "inside s x = s {total = total s * x}",
            "{-# NOINLINE inside #-}",
            "tightly :: Tight -> Double -> Tight",
            "tightly s x = s {whole = whole s + x, top = max (top s) x}",
            "{-# NOINLINE tightly #-}",
            "all' :: [Double] -> Series",
            "all' = foldl' (\\s x -> inside s x) (Series 1 0 0)"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Control.Monad.Trans.State.Strict",
            "import Data.List (foldl')",
            "import Series",
            "main :: IO ()",
            "main = do",
            "  let xs = [fromIntegral (k `mod` 100) | k <- [1 .. 60000 :: Int]]",
            "      s = execState (mapM_ (\\x -> modify' (\\r -> record r x)) xs) (Series 0 0 0)",
            "  print (total s, peak s, seen s)",
            "  print (whole (foldl' tightly (Tight 0 0) xs))",
            "  print (total (once s 3), total (all' xs))"
          ]
        )
      ]
  let said =
        [ findingBinding f
          | f <- every,
            worthShowing f,
            CallsLibrary _ GivesFields <- [findingKind f]
        ]
  assertEqual (told every) ["record"] said

-- | It is the whole program, and what stands around the loop runs once.
inMain :: Assertion
inMain = do
  every <-
    measured
      [ ( "Main.hs",
          [ "module Main (main) where",
            "import Data.List (foldl')",
            "main :: IO ()",
            "main = print (foldl' (\\(a, b) x -> (a + x, b + 1)) (0 :: Int, 0 :: Int) [1 .. 50000])"
          ]
        )
      ]
  assertEqual (told every) ["main"] (sayers "lazy-fields" every)
  assertEqual "rounds" [50000] (entries "lazy-fields" "main" every)

-- | Loops that stand in another function than they were written in: each is of the one whose types
-- wait there, and of no other.
taken :: Assertion
taken = do
  every <-
    measured
      [ ( "Stats.hs",
          [ "module Stats (moments, extent) where",
            "import Data.List (foldl')",
            "moments :: [Double] -> (Double, Int)",
            "moments = foldl' step (0, 0)",
            "  where",
            "    step (s, n) x = (s + x, n + 1)",
            "extent :: [Int] -> (Int, Float)",
            "extent = foldl' step (0, 0)",
            "  where",
            "    step (n, s) k = (max n k, s + fromIntegral k)"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main, tally, letters, width) where",
            "import Control.Monad.Trans.State.Strict",
            "import Data.List (foldl')",
            "import Stats",
            "tally :: [Double] -> State (Maybe Integer) ()",
            "tally xs = mapM_ (\\x -> modify (fmap (+ round x))) xs",
            "letters :: [Char] -> (Char, Int)",
            "letters cs = foldl' (\\(m, n) c -> (max m c, n + fromEnum c)) ('a', 0) cs",
            "width :: [Word] -> (Word, Float)",
            "width ws = foldl' (\\(m, n) w -> (max m w, n + fromIntegral w)) (0, 0) ws",
            "main :: IO ()",
            "main = do",
            "  let xs = [fromIntegral (k `mod` 100) | k <- [1 .. 60000 :: Int]]",
            "  print (moments xs)",
            "  print (extent (map truncate (take 50000 xs)))",
            "  print (letters (map (toEnum . truncate) (take 30000 xs)))",
            "  print (width (map (fromIntegral . truncate) (take 20000 xs)))",
            "  print (execState (tally (take 40000 xs)) (Just 0))"
          ]
        )
      ]
  let folds = ["extent", "letters", "moments", "width"]
  assertEqual (told every) folds (sort (sayers "lazy-fields" every))
  assertEqual (told every) ["tally"] (sayers "lazy-state" every)
  assertEqual (told every) [] (sayers "growing-accumulator" every)
  -- The last round only sees that there is none.
  let thousands name kind = map (round . (/ 1000)) (entries kind name every) :: [Int]
  assertEqual "rounds" [[50], [30], [60], [20]] [thousands name "lazy-fields" | name <- folds]
  assertEqual "rounds of the state" [40] (thousands "tally" "lazy-state")

-- | Its code stands in the interface, and GHC inlines nothing of its size.
tooLarge :: Assertion
tooLarge = do
  every <-
    measured
      [ ( "Lines.hs",
          [ "module Lines (filled) where",
            "import Data.List (foldl')",
            "import qualified Data.Text as T",
            "filled :: Int -> [T.Text] -> T.Text",
            "filled width = foldl' join T.empty",
            "  where",
            "    join acc w",
            "      | T.length acc `mod` width == 0 = acc <> T.pack \"\\n\" <> w",
            "      | otherwise = acc <> T.pack \" \" <> w"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import qualified Data.Text as T",
            "import Lines",
            "main :: IO ()",
            "main = print (T.length (filled 40 [T.pack (show k) | k <- [1 .. 1000 :: Int]]))"
          ]
        )
      ]
  let said = sayers "copies-all" every
  assertEqual (told every) ["filled"] said

-- | In each of two hundred rounds a loop makes two hundred things that wait, which are not
-- the cell's.
cell :: Assertion
cell = do
  every <-
    measured
      [ ( "Code.hs",
          [ "module Code (rounds) where",
            "import Control.Monad.ST",
            "import Data.List (delete)",
            "import Data.STRef",
            "rounds :: Int -> Int",
            "rounds n = runST (newSTRef [1 .. n] >>= go n 0)",
            "  where",
            "    go k acc left",
            "      | k == 0 = pure acc",
            "      | otherwise = do",
            "          xs <- readSTRef left",
            "          more <- inner xs (acc, 0)",
            "          writeSTRef left (delete k xs)",
            "          go (k - 1) (acc + fst more) left",
            "    inner [] best = pure best",
            "    inner (x : xs) best = inner xs (if x * 7 > snd best then (x, x * 7) else best)"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "main :: IO ()",
            "main = print (rounds 200)"
          ]
        )
      ]
  -- The round that ends is one of those in which it stands.
  entries "lazy-state" "rounds" every @?= [201]

-- | Each round takes apart what it is handed. On the way out one of the two loops does not.
eachRound :: Assertion
eachRound = do
  every <-
    measured
      [ ( "Code.hs",
          [ "{-# LANGUAGE BangPatterns #-}",
            "module Code (healthy, leaks) where",
            "import Control.Monad.ST (ST)",
            "import Data.STRef",
            "healthy, leaks :: STRef s Int -> [Int] -> (Int, Int) -> ST s (Int, Int)",
            "healthy ref (x : more) (i, most) = do",
            "  n <- readSTRef ref",
            "  healthy ref more (if x * n > most then (x, x * n) else (i, most))",
            "healthy _ [] !best = pure best",
            "leaks ref (x : more) (i, most) = do",
            "  n <- readSTRef ref",
            "  leaks ref more (if x * n > most then (x, x * n) else (i, most))",
            "leaks _ [] best = pure best"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "import Control.Monad.ST (runST)",
            "import Data.STRef",
            "main :: IO ()",
            "main = do",
            "  print (runST (newSTRef 3 >>= \\r -> healthy r [1 .. 20000] (0, 0)))",
            "  print (runST (newSTRef 3 >>= \\r -> leaks r [1 .. 20000] (0, 0)))"
          ]
        )
      ]
  [ (findingBinding f, worthShowing f)
    | f <- every,
      kindName (findingKind f) == "growing-accumulator"
    ]
    @?= [("leaks", True)]

-- | Given what is done with a text for each element.
readFor :: Text -> Assertion
readFor doing = do
  every <-
    measured
      [ ( "Code.hs",
          [ "module Code (quoted) where",
            "import Data.Maybe (fromMaybe)",
            "import Text.Read (readMaybe)",
            "quoted :: [String] -> Int",
            T.concat ["quoted xs = ", doing],
            "  where",
            "    text s = fromMaybe s (readMaybe ('\"' : s ++ \"\\\"\"))"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "main :: IO ()",
            "main = print (quoted (replicate 2000 \"by the harbour\"))"
          ]
        )
      ]
  [(findingBinding f, worthShowing f) | f <- every, kindName (findingKind f) == "read"]
    @?= [("quoted", True)]

-- | A function that is given, in what another function gives: of numbers, of lists, and inlined.
waitsForGiven :: Assertion
waitsForGiven = do
  every <-
    measured
      [ ( "Code.hs",
          [ "module Code (distances, ways, inlined) where",
            "import Data.Array (listArray, (!))",
            "distances, inlined :: [a] -> (a -> a -> Double) -> (Int, Int -> Int -> Double)",
            "distances xs far = (n, \\i j -> far (ys ! i) (ys ! j))",
            "  where",
            "    n = length xs",
            "    ys = listArray (1, n) xs",
            "inlined xs far = (n, \\i j -> far (ys ! i) (ys ! j))",
            "  where",
            "    n = length xs",
            "    ys = listArray (1, n) xs",
            "{-# INLINE inlined #-}",
            "ways :: [a] -> (a -> a -> [Int]) -> (Int, Int -> Int -> [Int])",
            "ways xs way = (n, \\i j -> way (ys ! i) (ys ! j))",
            "  where",
            "    n = length xs",
            "    ys = listArray (1, n) xs"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "points :: [(Int, Double)]",
            "points = [(k, fromIntegral (k * 7 `mod` 31)) | k <- [1 .. 150]]",
            "far :: (Int, Double) -> (Int, Double) -> Double",
            "far (_, a) (_, b) = abs (a - b)",
            "total :: (Int, Int -> Int -> Double) -> Double",
            "total (n, d) = go 1 1 0",
            "  where",
            "    go i j s",
            "      | i > n = s",
            "      | j > n = go (i + 1) 1 s",
            "      | otherwise = go i (j + 1) (s + d i j)",
            "{-# NOINLINE total #-}",
            "main :: IO ()",
            "main = do",
            "  print (total (distances points far), total (inlined points far))",
            "  let (n, w) = ways points (\\(a, _) (b, _) -> [a, b])",
            "  print (sum [length (w i i) | i <- [1 .. n], _ <- [1 .. n]])"
          ]
        )
      ]
  let said = sayers "unknown-calls" every
  assertEqual (told every) ["distances"] (filter (`elem` ["distances", "ways", "inlined"]) said)

-- | The same record, in a module of strict fields and in one of lazy fields.
strictData :: Assertion
strictData = do
  every <-
    found
      [ ("Strictly.hs", "{-# LANGUAGE StrictData #-}" : counting "Strictly"),
        ("Lazily.hs", counting "Lazily"),
        ( "Main.hs",
          [ "module Main (main) where",
            "import qualified Lazily",
            "import qualified Strictly",
            "main :: IO ()",
            "main = print (Lazily.ended [1 .. 1000], Strictly.ended [1 .. 1000])"
          ]
        )
      ]
  [findingModule f | f <- every, worthShowing f, kindName (findingKind f) == "lazy-fields"]
    @?= ["Lazily"]
  where
    counting name =
      [ T.concat ["module ", name, " (ended) where"],
        "import qualified Control.Monad.State.Strict as S",
        "data Seen = Seen {many :: Int, most :: Int}",
        "ended :: [Int] -> (Int, Int)",
        "ended xs = (\\s -> (many s, most s)) (S.execState (mapM_ step xs) (Seen 0 0))",
        "  where",
        "    step x = S.modify' (\\s -> s {many = many s + 1, most = max x (most s)})",
        "{-# NOINLINE ended #-}"
      ]

-- | A fold of few rounds and one of many, each beside a loop in which elements wait.
amongLoops :: Assertion
amongLoops = do
  every <-
    measured
      [ ( "Code.hs",
          [ "module Code (few, many) where",
            "import Data.List (foldl')",
            "few, many :: Int -> [Int] -> [Int] -> ((Int, Int), [Maybe Int])"
          ]
            <> concat
              [ [ name <> " k short long = (sums, go 0 " <> made <> ")",
                  "  where",
                  "    sums = foldl' (\\(s, n) x -> (s + x * k, n + k)) (0, 0) " <> folded,
                  "    go _ [] = []",
                  "    go i (x : xs)",
                  "      | i < 0 = []",
                  "      | otherwise = Just (i * k + x) : go (i + 1) xs"
                ]
                | (name, folded, made) <- [("few", "short", "long"), ("many", "long", "short")]
              ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "import Data.Maybe (catMaybes)",
            "main :: IO ()",
            "main = print (told (few 3 short long), told (many 3 short long))",
            "  where",
            "    (short, long) = ([1 .. 200], [1 .. 60000])",
            "    told (sums, xs) = (sums, sum (catMaybes xs))"
          ]
        )
      ]
  let heavy =
        [ (findingBinding f, spentBytes spent > 1_000_000)
          | f <- every,
            kindName (findingKind f) == "lazy-fields",
            Just spent <- [findingMeasured f]
        ]
  assertEqual (told every) [("few", False), ("many", True)] (sort heavy)

-- | A parser that makes a function in each call, and a choice among such.
handsOnFunctions :: Assertion
handsOnFunctions = do
  files <-
    forM ["Rules.hs", "Main.hs"] $ \name ->
      (,) name . T.lines <$> T.readFile ("test-core/golden/choice/before" </> name)
  every <- measured files
  assertEqual (told every) ["attempt"] (sayers "arity-too-low" every)

-- | Two methods of an instance, whose argument is only known at run time.
oneInstance :: Assertion
oneInstance = do
  every <-
    found
      [ ( "Tower.hs",
          [ "module Tower (Tower (..)) where",
            "data Tower a = Flat a | Tower a (Tower a)",
            "instance (Num a, Eq a) => Num (Tower a) where",
            "  Flat a + Flat b = Flat (a + b)",
            "  Flat a + Tower b bs = Tower (a + b) bs",
            "  Tower a as + Flat b = Tower (a + b) as",
            "  Tower a as + Tower b bs = Tower (a + b) (as + bs)",
            "  Flat 0 * _ = Flat 0",
            "  _ * Flat 0 = Flat 0",
            "  Flat a * Flat b = Flat (a * b)",
            "  p@(Flat a) * Tower b bs = Tower (a * b) (p * bs)",
            "  Tower a as * q@(Flat b) = Tower (a * b) (as * q)",
            "  p@(Tower a as) * q@(Tower b bs) = Tower (a * b) (as * q + p * bs)",
            "  negate (Flat a) = Flat (negate a)",
            "  negate (Tower a as) = Tower (negate a) (negate as)",
            "  abs = id",
            "  signum = id",
            "  fromInteger = Flat . fromInteger"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Tower",
            "top :: Tower a -> a",
            "top (Flat a) = a",
            "top (Tower a _) = a",
            "main :: IO ()",
            "main = print (top (sum [Tower k 1 * Tower 2 3 | k <- [1 .. 100 :: Int]]))"
          ]
        )
      ]
  let said = [f | f <- every, kindName (findingKind f) == "unknown-instance"]
  assertEqual (told every) 1 (length said)

-- | Parsers in a list that another package goes along, and a list of the program's own.
choices :: Assertion
choices = do
  every <-
    found
      [ ( "Main.hs",
          [ "module Main (main) where",
            "import Text.ParserCombinators.ReadP",
            "word :: Char -> Char -> ReadP Char",
            "word c d = choice [char c, char d, satisfy (> c)]",
            "{-# NOINLINE word #-}",
            "totals :: Int -> Int",
            "totals n = summed [n + 1, n * 2, n - 3]",
            "{-# NOINLINE totals #-}",
            "summed :: [Int] -> Int",
            "summed [] = 0",
            "summed (x : xs) = x + 2 * summed xs",
            "main :: IO ()",
            "main = print (readP_to_S (word 'a' 'b') \"aab\", totals 5)"
          ]
        )
      ]
  [findingBinding f | f <- every, kindName (findingKind f) == "not-unrolled"] @?= ["totals"]

-- | A walk that makes whatever its caller makes of elements, and a loop that hands that on.
fromRight :: Assertion
fromRight = do
  every <-
    found
      [ ( "Walk.hs",
          [ "module Walk (Tree (..), walked, piled) where",
            "data Tree a = None | One a | Two (Tree a) (Tree a)",
            "walked, piled :: (a -> r -> r) -> Tree a -> r -> r",
            "walked cons None rest = rest",
            "walked cons (One x) rest = cons x rest",
            "walked cons (Two a b) rest = walked cons a (walked cons b rest)",
            "piled cons None rest = rest",
            "piled cons (One x) rest = cons x rest",
            "piled cons (Two (One x) b) rest = piled cons b (cons x rest)",
            "piled cons (Two _ b) rest = piled cons b rest"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Walk",
            "main :: IO ()",
            "main = print (walked (+) tree 0, piled (+) tree (0 :: Int))",
            "  where",
            "    tree = foldr (Two . One) None [1 .. 100]"
          ]
        )
      ]
  [findingBinding f | f <- every, kindName (findingKind f) == "growing-accumulator"] @?= ["piled"]
