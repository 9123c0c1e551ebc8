{-# LANGUAGE OverloadedStrings #-}

-- | What is known of functions of libraries.
--
-- Its one idea: some functions cost more than they look like, and each has a
-- better one beside it. What a call costs is decided by the function, by the
-- types that it is used at, by what it is given, and by how often it is called;
-- a call that costs little and runs once is nobody's affair.
--
-- Start at 'costOf'; the words are in "Tern.Lab.Core.Advice".
module Tern.Lab.Core.Library
  ( Cost (..),
    Called (..),
    costOf,
    weightOf,
    waits,
  )
where

import Data.Char (isUpper)
import Data.Maybe (listToMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts (Argument (..), Global (..), Use (..), givenName)

data Cost
  = -- | Walks a list to a number.
    WalksToIndex
  | -- | Walks a list to its end.
    WalksToLength
  | -- | Walks a list in search of an element.
    SearchesList
  | -- | Compares each element with all before it.
    ComparesAll
  | -- | Copies a text, for one more piece.
    CopiesAll
  | -- | Copies a vector or array, for one more element.
    CopiesVector
  | -- | Puts computations into a container, where the next is made of the last.
    KeepsValues
  | -- | Puts computations into a cell or a state.
    KeepsState
  | -- | The same of a record whose fields are computations too.
    KeepsRecord
  | -- | Evaluates an accumulator, and not its fields.
    KeepsFields
  | -- | A writer's log is put together after all has run.
    GathersLog
  | -- | Copies a list, for some more elements at its end.
    CopiesList
  | -- | Goes steps without evaluating any of them.
    KeepsSteps
  | -- | A vector is made, since it is used again.
    KeepsPipeline
  | -- | A range of numbers becomes a list, since it is used again.
    KeepsRange
  | -- | From packed text to a list of characters and back.
    ThroughString
  | -- | From a vector to a list and back.
    ThroughList
  | -- | Parses by the grammar of Haskell.
    ParsesByRead
  | -- | Makes characters of a number in order to look at them.
    ShowsToLook
  | -- | Interprets its format at run time.
    InterpretsFormat
  | -- | Keeps a pointer to a box for each number.
    BoxesElements
  | -- | Counts in a type that nobody has chosen.
    DefaultsInteger
  deriving stock (Eq, Ord, Show, Enum, Bounded)

-- | A use with what is known of the program around it.
data Called = Called
  { calledUse :: !Use,
    -- | How many loops are around it, those around its callers among them.
    calledLoops :: !Int,
    -- | Does the source speak of @Integer@?
    calledInteger :: !Bool,
    -- | The unit that the use is in.
    calledUnit :: !Text
  }

-- | What a use costs, with how many loops it runs in; some are loops
-- themselves.
costOf :: Called -> Maybe (Cost, Int)
costOf called = listToMaybe (concatMap judged rules)
  where
    loops = calledLoops called
    judged (Rule cost own applies)
      | loops + own > 0 || oftenIn cost, applies called = [(cost, loops + own)]
      | otherwise = []
    -- These cost by the size of what they are given, wherever they stand.
    oftenIn = \case
      ComparesAll -> True
      ThroughString -> True
      ThroughList -> True
      BoxesElements -> True
      KeepsRange -> True
      KeepsPipeline -> True
      _ -> False

-- | What a finding of it weighs outside loops.
weightOf :: Cost -> Double
weightOf = \case
  WalksToIndex -> 4
  WalksToLength -> 4
  SearchesList -> 3
  ComparesAll -> 12
  CopiesAll -> 6
  CopiesVector -> 8
  KeepsValues -> 5
  KeepsState -> 5
  KeepsRecord -> 5
  KeepsFields -> 5
  GathersLog -> 5
  KeepsRange -> 10
  CopiesList -> 5
  KeepsSteps -> 3
  KeepsPipeline -> 10
  ThroughString -> 11
  ThroughList -> 11
  ParsesByRead -> 4
  ShowsToLook -> 2
  InterpretsFormat -> 3
  BoxesElements -> 10
  DefaultsInteger -> 2

-- | Does it cost only where something is left unevaluated in the end? GHC may
-- have seen that all is needed.
waits :: Cost -> Bool
waits = \case
  KeepsState -> True
  KeepsRecord -> True
  KeepsFields -> True
  _ -> False

-- * Rules

-- | What a use costs, how many loops it is itself, and when.
data Rule = Rule !Cost !Int !(Called -> Bool)

rules :: [Rule]
rules =
  [ Rule
      WalksToIndex
      0
      ( both
          (calls lists ["!!"])
          (\c -> given 0 [Invariant] c || (given 0 [OfRound] c && not (given 1 [Literally] c)))
      ),
    Rule
      SearchesList
      0
      (both (calls folds ["elem", "notElem"]) (both (given 1 [Invariant]) (at isList))),
    Rule SearchesList 0 (both (calls lists ["elem", "notElem", "lookup"]) (given 1 [Invariant])),
    Rule WalksToLength 0 (both (calls folds ["length"]) (both (given 0 [Invariant]) (at isList))),
    Rule
      ComparesAll
      0
      ( both
          (calls lists ["nub", "nubBy"])
          (both (not . at isSmall) (not . given 0 [Literally]))
      ),
    Rule CopiesAll 0 (both (calls texts ["append", "snoc", "cons", "concat"]) hasCarried),
    Rule CopiesAll 0 (both (calls ["GHC.Base"] ["<>", "mappend"]) (both (at isPacked) hasCarried)),
    Rule CopiesAll 1 (both (calls folds folding) (givenFunction copiesText)),
    Rule
      CopiesVector
      0
      ( both
          ( calls
              vectors
              [ "modify",
                "//",
                "update",
                "update_",
                "unsafeUpd",
                "snoc",
                "cons",
                "++",
                "accum",
                "unsafeAccum"
              ]
          )
          hasCarried
      ),
    Rule CopiesVector 0 (both (calls arrays ["//", "accum"]) hasCarried),
    -- Who is given the vector, or reads it from a cell, and is called again and again.
    Rule
      CopiesVector
      0
      ( \c ->
          useLoops (calledUse c) == 0
            && ( (calls vectors changing c && oneOf 0 c)
                   || (calls vectors ["modify", "cons"] c && oneOf 1 c)
                   || (calls arrays ["//"] c && oneOf 0 c)
               )
      ),
    Rule CopiesVector 1 (both (calls folds folding) (givenFunction copiesVector)),
    Rule
      KeepsValues
      0
      ( both
          ( calls
              lazyContainers
              [ "insertWith",
                "insertWithKey",
                "adjust",
                "adjustWithKey",
                "unionWith",
                "unionWithKey"
              ]
          )
          (both (not . given 0 [Conses]) (not . keepsOne))
      ),
    -- Their functions may evaluate the value before they give it.
    Rule
      KeepsValues
      0
      ( both
          ( calls
              lazyContainers
              ["alter", "update", "updateWithKey"]
          )
          (given 0 [Builds])
      ),
    Rule
      KeepsValues
      1
      ( both
          ( calls
              lazyContainers
              [ "fromListWith",
                "fromListWithKey",
                "fromAscListWith",
                "unionsWith"
              ]
          )
          (both (not . given 0 [Conses]) (not . keepsOne))
      ),
    Rule KeepsValues 0 (both (calls lazyContainers ["insert"]) (given 1 [FromAccumulated])),
    Rule
      KeepsFields
      0
      ( both
          ( calls
              strictContainers
              [ "insertWith",
                "insertWithKey",
                "adjust",
                "adjustWithKey",
                "alter"
              ]
          )
          (given 0 [Builds])
      ),
    Rule
      KeepsFields
      1
      ( both
          ( calls
              strictContainers
              [ "fromListWith",
                "fromListWithKey",
                "fromAscListWith",
                "unionsWith"
              ]
          )
          (given 0 [Builds])
      ),
    Rule
      KeepsRecord
      0
      ( both
          (calls states ["modify", "modifyIORef", "modifySTRef", "modifyTVar", "atomicModifyIORef"])
          hasBuilder
      ),
    Rule
      KeepsRecord
      0
      (both (calls states ["put", "writeIORef", "writeSTRef", "writeTVar", "putMVar"]) hasBuilder),
    Rule
      KeepsState
      0
      ( both
          ( calls
              states
              [ "modify",
                "modifyIORef",
                "modifySTRef",
                "modifyTVar",
                "atomicModifyIORef"
              ]
          )
          hasLazyFunction
      ),
    Rule KeepsState 0 (both (calls states ["modifyMVar_", "modifyMVar"]) hasBuilder),
    Rule
      KeepsState
      0
      ( both
          ( calls
              states
              [ "put",
                "writeIORef",
                "writeSTRef",
                "writeTVar",
                "putMVar"
              ]
          )
          (elem FromAccumulated . arguments)
      ),
    Rule
      KeepsFields
      0
      ( both
          ( calls
              states
              [ "modify'",
                "modifyIORef'",
                "modifySTRef'",
                "modifyTVar'"
              ]
          )
          hasBuilder
      ),
    Rule KeepsFields 1 (both (calls (folds <> ["GHC.Base"]) (folding <> ["until"])) hasBuilder),
    Rule
      GathersLog
      0
      ( both
          (calls writers ["tell"])
          ( \c ->
              definedIn c "Control.Monad.Trans." || at' isWriter c
          )
      ),
    Rule
      KeepsRange
      0
      ( both
          ( calls
              folds
              [ "mapM_",
                "forM_",
                "for_",
                "traverse_",
                "foldM",
                "foldM_",
                "foldlM",
                "foldl'",
                "mapM",
                "forM",
                "traverse"
              ]
          )
          (elem NamedRange . arguments)
      ),
    Rule CopiesList 1 (both (calls folds ["foldl", "foldl'"]) (givenFunction appendsList)),
    Rule
      CopiesList
      0
      ( both
          ( \c ->
              calls ["GHC.Base"] ["++"] c || (calls ["GHC.Base"] ["<>", "mappend"] c && at isList c)
          )
          (both (given 0 [Accumulated]) (given 1 [Compound, FromAccumulated]))
      ),
    Rule KeepsSteps 1 (both (calls lists ["iterate"]) stepped),
    Rule
      KeepsFields
      1
      ( both
          (calls (folds <> ["Data.Traversable"]) ["mapAccumL", "mapAccumR", "mapAccum"])
          hasBuilder
      ),
    Rule
      KeepsValues
      0
      ( both
          (calls ["Data.Sequence.Internal"] ["adjust"])
          (not . given 0 [Conses])
      ),
    Rule
      KeepsPipeline
      0
      ( both
          ( calls
              vectors
              [ "sum",
                "product",
                "maximum",
                "minimum",
                "maximumBy",
                "minimumBy",
                "foldl'",
                "foldl",
                "foldr",
                "ifoldl'",
                "all",
                "any",
                "and",
                "or",
                "mapM_",
                "forM_",
                "foldM",
                "elem",
                "length",
                "map",
                "imap",
                "zipWith",
                "filter"
              ]
          )
          (elem NamedPipeline . arguments)
      ),
    Rule ThroughString 0 (both (calls texts ["unpack"]) (through ["pack"])),
    Rule ThroughList 0 (both (calls vectors ["toList"]) (through ["fromList", "fromListN"])),
    Rule
      ParsesByRead
      0
      ( both
          ( calls
              ["Text.Read"]
              ["read", "readMaybe", "readEither"]
          )
          (at isNumber)
      ),
    Rule ShowsToLook 0 (both (calls ["GHC.Show"] ["show"]) (both (at isNumber) looked)),
    Rule InterpretsFormat 0 (calls ["Text.Printf"] ["printf", "hPrintf"]),
    Rule
      BoxesElements
      0
      ( both
          ( calls
              boxedVectors
              [ "generate",
                "replicate",
                "fromList",
                "fromListN",
                "unfoldr",
                "unfoldrN",
                "iterateN",
                "enumFromTo",
                "enumFromN",
                "generateM",
                "replicateM",
                "constructN",
                "new",
                "unsafeNew",
                "scanl",
                "scanl'",
                "prescanl'",
                "postscanl'"
              ]
          )
          (both (lastAt isUnboxable) stored)
      ),
    Rule
      BoxesElements
      0
      ( both
          (calls ["GHC.Arr"] ["listArray", "array", "accumArray"])
          (both (secondAt isUnboxable) stored)
      ),
    Rule
      DefaultsInteger
      0
      ( both
          (not . calledInteger)
          ( both
              (calls ["GHC.Num"] ["+", "-", "*"])
              ( both
                  (at isInteger)
                  ( any (`elem` [Accumulated, FromAccumulated])
                      . arguments
                  )
              )
          )
      ),
    Rule
      DefaultsInteger
      1
      (both (not . calledInteger) (both (calls folds ["sum", "product"]) (secondAt isInteger))),
    Rule
      DefaultsInteger
      1
      ( both
          (not . calledInteger)
          ( both
              (calls ["GHC.Enum"] ["enumFromTo", "enumFromThenTo"])
              (both (at isInteger) gone)
          )
      ),
    Rule
      DefaultsInteger
      0
      ( both
          (not . calledInteger)
          ( both
              (\c -> globalUnit (callee c) == calledUnit c)
              (any isInteger . useTypes . calledUse)
          )
      )
  ]
  where
    both f g c = f c && g c
    changing = ["//", "update", "unsafeUpd", "snoc", "accum", "unsafeAccum"]
    oneOf n c = take 1 (drop n (arguments c)) == [OfRound]
    at' p = any p . useTypes . calledUse
    at p = any p . take 1 . useTypes . calledUse
    lastAt p = any p . take 1 . reverse . useTypes . calledUse
    secondAt p = any p . take 1 . drop 1 . useTypes . calledUse
    definedIn c prefix = prefix `T.isPrefixOf` globalModule (callee c)

callee :: Called -> Global
callee = useCallee . calledUse

arguments :: Called -> [Argument]
arguments = useArguments . calledUse

-- | A function of one of these modules and names.
calls :: [Text] -> [Text] -> Called -> Bool
calls modules names c =
  globalName (callee c) `elem` names && movedBack (globalModule (callee c)) `elem` modules

-- | GHC 9.10 moved base's modules.
movedBack :: Text -> Text
movedBack name = maybe name restored (T.stripPrefix "GHC.Internal." name)
  where
    restored rest
      | T.takeWhile (/= '.') rest `elem` ["Control", "Data", "Text"] = rest
      | otherwise = "GHC." <> rest

lists,
  folds,
  texts,
  vectors,
  boxedVectors,
  arrays,
  lazyContainers,
  strictContainers,
  states,
  writers ::
    [Text]
lists = ["GHC.List", "Data.OldList", "Data.List"]
folds =
  [ "Data.Foldable",
    "Data.Traversable",
    "GHC.List",
    "GHC.Base",
    "Control.Monad",
    "Data.OldList",
    "Data.Vector",
    "Data.Vector.Unboxed",
    "Data.Map.Internal",
    "Data.Map.Strict.Internal",
    "Data.IntMap.Internal",
    "Data.Set.Internal",
    "Data.IntSet.Internal",
    "Data.Text",
    "Data.ByteString"
  ]
texts =
  [ "Data.Text",
    "Data.Text.Internal",
    "Data.Text.Show",
    "Data.ByteString",
    "Data.ByteString.Char8",
    "Data.ByteString.Internal",
    "Data.ByteString.Internal.Type"
  ]
vectors =
  [ "Data.Vector",
    "Data.Vector.Unboxed",
    "Data.Vector.Storable",
    "Data.Vector.Primitive",
    "Data.Vector.Generic"
  ]
boxedVectors = ["Data.Vector", "Data.Vector.Mutable"]
arrays = ["GHC.Arr", "Data.Array.Base"]
lazyContainers = ["Data.Map.Internal", "Data.IntMap.Internal", "Data.HashMap.Internal"]
strictContainers =
  ["Data.Map.Strict.Internal", "Data.IntMap.Strict.Internal", "Data.HashMap.Internal.Strict"]
states =
  [ "Data.IORef",
    "GHC.IORef",
    "Data.STRef",
    "GHC.STRef",
    "Control.Monad.ST.Lazy",
    "GHC.Conc.Sync",
    "GHC.Conc",
    "Control.Concurrent.STM.TVar",
    "Control.Concurrent.MVar",
    "GHC.MVar",
    "Control.Monad.State.Class",
    "Control.Monad.Trans.State.Lazy",
    "Control.Monad.Trans.State.Strict",
    "Control.Monad.Trans.RWS.Lazy",
    "Control.Monad.Trans.RWS.Strict"
  ]
writers = ["Control.Monad.Writer.Class"] <> writerModules

writerModules :: [Text]
writerModules =
  ["Control.Monad.Trans." <> m <> "." <> s | m <- ["Writer", "RWS"], s <- ["Lazy", "Strict"]]

-- | What goes over all elements, and hands on what it has made.
folding :: [Text]
folding =
  [ "foldl'",
    "foldl",
    "foldr",
    "foldr'",
    "foldM",
    "foldM_",
    "foldlM",
    "foldlM'",
    "foldM'",
    "foldlWithKey'",
    "foldlWithKey",
    "foldrWithKey",
    "ifoldl'"
  ]

-- * What it is given

given :: Int -> [Argument] -> Called -> Bool
given n sorts c = case drop n (arguments c) of
  a : _ -> a `elem` sorts
  [] -> False

-- | What was made before, as it is or in a computation.
hasCarried :: Called -> Bool
hasCarried = any (`elem` [Accumulated, FromAccumulated]) . arguments

hasBuilder :: Called -> Bool
hasBuilder = elem Builds . arguments

-- | A function whose result is not there at once.
hasLazyFunction :: Called -> Bool
hasLazyFunction = any lazily . arguments
  where
    lazily = \case
      Builds -> True
      Compound -> True
      Given g _ -> globalName g `notElem` ["id", "const", "[]", "Nothing"]
      _ -> False

givenFunction :: (Global -> [[Text]] -> Bool) -> Called -> Bool
givenFunction p c = or [p g types | Given g types <- take 1 (arguments c)]

copiesText :: Global -> [[Text]] -> Bool
copiesText g types =
  (globalName g `elem` ["<>", "mappend"] && any isPacked (take 1 types))
    || (globalName g `elem` ["append", "snoc", "cons"] && globalModule g `elem` texts)

appendsList :: Global -> [[Text]] -> Bool
appendsList g types =
  globalName g == "++"
    || (globalName g `elem` ["<>", "mappend"] && any isList (take 1 types))

copiesVector :: Global -> [[Text]] -> Bool
copiesVector g _ = globalName g `elem` ["snoc", "cons", "++"] && globalModule g `elem` vectors

-- | Of the old and the new value it keeps the one or the other, or a list that
-- has both.
keepsOne :: Called -> Bool
keepsOne c =
  or
    [ globalName g `elem` ["const", "++", "<|>"]
        || (globalName g `elem` ["<>", "mappend"] && any isList (take 1 types))
      | Given g types <-
          take 1 (arguments c)
    ]

-- | Only functions of lists stand between it and one of these.
through :: [Text] -> Called -> Bool
through ends c = case break (`elem` ends) (useUnder (calledUse c)) of
  (before, _ : _) -> all isBetween before
  (_, []) -> False
  where
    -- A variable here stands for a function that is given, or one of the program's own.
    isBetween name = name `elem` between || name == givenName
    between =
      [ "map",
        "fmap",
        "<$>",
        "filter",
        "reverse",
        "dropWhile",
        "takeWhile",
        "dropWhileEnd",
        "drop",
        "take",
        "concatMap",
        "concat",
        "unwords",
        "words",
        "unlines",
        "lines",
        "++",
        "<>",
        "init",
        "tail",
        "zipWith",
        "sort",
        "sortBy",
        "sortOn",
        "intersperse",
        "intercalate"
      ]

-- | Only what comes after many steps is looked at.
stepped :: Called -> Bool
stepped c = case useUnder (calledUse c) of
  "!!" : _ -> True
  "drop" : "head" : _ -> True
  "take" : "last" : _ -> True
  _ -> False

-- | A loop goes through it.
gone :: Called -> Bool
gone c =
  any
    ( `elem` ["forM_", "mapM_", "for_", "traverse_", "foldM", "foldM_", "foldl'", "sum", "product"]
    )
    (take 1 (useUnder (calledUse c)))

-- | Somebody looks at the characters.
looked :: Called -> Bool
looked =
  any
    ( `elem`
        [ "digitToInt",
          "sum",
          "product",
          "length",
          "read",
          "==",
          "/=",
          "compare",
          "elem",
          "notElem",
          "all",
          "any",
          "lookup",
          "member",
          "notMember",
          "findWithDefault",
          "maximum",
          "minimum",
          "insertWith"
        ]
    )
    . useUnder
    . calledUse

-- | It stands by itself: it is no step of a pipeline that is fused, not a few
-- literals, and no value that is defined by itself.
stored :: Called -> Bool
stored c =
  not (useTied (calledUse c))
    && all (`notElem` consumers) (take 1 (useUnder (calledUse c)))
    && Literally
      `notElem` filter
        ( const
            (globalName (callee c) `elem` ["fromList", "fromListN"])
        )
        (arguments c)
  where
    consumers =
      [ "sum",
        "product",
        "map",
        "imap",
        "filter",
        "foldl'",
        "foldr",
        "foldl",
        "ifoldl'",
        "mapM_",
        "forM_",
        "and",
        "or",
        "all",
        "any",
        "length",
        "zip",
        "zipWith",
        "maximum",
        "minimum",
        "concatMap",
        "toList",
        "convert",
        "elem"
      ]

-- * Types

isList, isPacked, isSmall, isNumber, isUnboxable, isInteger, isWriter :: [Text] -> Bool
isList = headed ["[]", "List"]
isPacked types =
  any
    ( `elem`
        [ "Data.Text.Internal.Text",
          "Data.ByteString.Internal.Type.ByteString",
          "Data.ByteString.Internal.ByteString"
        ]
    )
    (take 1 types)
isSmall = headed ["Bool", "Ordering", "()", "Unit"]
isNumber = headed ("Integer" : "Natural" : "Ratio" : unboxable)
isUnboxable = headed unboxable
isInteger = headed ["Integer"]
isWriter types =
  any
    ( `elem` [m <> "T" | w <- writerModules, let m = w <> "." <> T.takeWhile (/= '.') (T.drop 20 w)]
    )
    types

unboxable :: [Text]
unboxable =
  [ "Int",
    "Word",
    "Double",
    "Float",
    "Char",
    "Bool",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Word8",
    "Word16",
    "Word32",
    "Word64"
  ]

-- | The outermost constructor of a type, without its module.
headed :: [Text] -> [Text] -> Bool
headed names types = any ((`elem` names) . name) (take 1 types)
  where
    name full = case T.breakOn "." full of
      (part, rest)
        | T.length rest > 1,
          maybe False (isUpper . fst) (T.uncons part) ->
            name (T.drop 1 rest)
      _ -> full
