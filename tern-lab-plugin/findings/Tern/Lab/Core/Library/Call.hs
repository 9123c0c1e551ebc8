{-# LANGUAGE OverloadedStrings #-}

-- | What the rules ask of a call.
--
-- Its one idea: a rule is a question that is made of few questions: which function, at which
-- types, given what, and who takes its result. Names of modules are those of GHC 9.6; the
-- others' are brought back to them.
--
-- Start at 'Rule'.
module Tern.Lab.Core.Library.Call
  ( Called (..),
    Rule (..),
    allOf,

    -- * Which function
    calls,
    callee,
    lists,
    folds,
    folding,
    texts,
    vectors,

    -- * Given what
    given,
    arguments,
    hasCarried,
    hasBuilder,
    givenFunction,

    -- * Who takes its result
    under,
    takers,
    movedBack,

    -- * At which types
    at,
    at2,
    atLast,
    isList,
    isPacked,
    isNumber,
    isUnboxable,
    isInteger,
    headed,
  )
where

import Data.Char (isUpper)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts (Argument (..), Global (..), Use (..))
import Tern.Lab.Core.Library.Cost (Cost)

-- | A use with what is known of the program around it.
data Called = Called
  { calledUse :: !Use,
    -- | How many loops are around it, those around its callers among them.
    calledLoops :: !Int,
    -- | Does the source speak of @Integer@?
    calledInteger :: !Bool,
    -- | Does the program run a monad that gathers a log lazily?
    calledLogs :: !Bool,
    -- | The unit that the use is in.
    calledUnit :: !Text
  }

-- | What a use costs, how many loops it is itself, and when.
data Rule = Rule !Cost !Int !(Called -> Bool)

-- | Does each of the questions hold? Of none, yes.
allOf :: [Called -> Bool] -> Called -> Bool
allOf questions c = all ($ c) questions

-- * Which function

-- | The function that is called, in the module where this compiler has it.
callee :: Called -> Global
callee = useCallee . calledUse

-- | A function of one of these modules, and one of these names, with spaces between.
calls :: [Text] -> Text -> Called -> Bool
calls modules names c =
  globalName (callee c) `elem` T.words names && movedBack (globalModule (callee c)) `elem` modules

-- | GHC 9.10 moved base's modules.
movedBack :: Text -> Text
movedBack name = maybe name restored (T.stripPrefix "GHC.Internal." name)
  where
    restored rest
      | T.takeWhile (/= '.') rest `elem` ["Control", "Data", "Text"] = rest
      | otherwise = "GHC." <> rest

-- | Modules for 'calls': of lists, of whatever can be folded, of packed texts and bytes, of
-- vectors.
lists, folds, texts, vectors :: [Text]
lists = ["GHC.List", "Data.OldList", "Data.List"]
folds =
  T.words
    "Data.Foldable Data.Traversable GHC.List GHC.Base Control.Monad Data.OldList Data.Vector \
    \Data.Vector.Unboxed Data.Map.Internal Data.Map.Strict.Internal Data.IntMap.Internal \
    \Data.Set.Internal Data.IntSet.Internal Data.Text Data.ByteString"
texts =
  T.words
    "Data.Text Data.Text.Internal Data.Text.Show Data.ByteString Data.ByteString.Char8 \
    \Data.ByteString.Internal Data.ByteString.Internal.Type"
vectors =
  T.words
    "Data.Vector Data.Vector.Unboxed Data.Vector.Storable Data.Vector.Primitive \
    \Data.Vector.Generic"

-- | What goes over all elements, and hands on what it has made.
folding :: Text
folding =
  "foldl' foldl foldr foldr' foldM foldM_ foldlM foldlM' foldM' foldlWithKey' foldlWithKey \
  \foldrWithKey ifoldl'"

-- * Given what

-- | In their order, without types and dictionaries.
arguments :: Called -> [Argument]
arguments = useArguments . calledUse

-- | Counted from 0.
given :: Int -> [Argument] -> Called -> Bool
given n sorts c = case drop n (arguments c) of
  a : _ -> a `elem` sorts
  [] -> False

-- | What was made before, as it is or in a computation.
hasCarried :: Called -> Bool
hasCarried = any (`elem` [Accumulated, FromAccumulated]) . arguments

-- | Is it given a function that makes a constructor with unevaluated fields?
hasBuilder :: Called -> Bool
hasBuilder = elem Builds . arguments

-- | The first argument is a function of a library, at such types.
givenFunction :: (Global -> [[Text]] -> Bool) -> Called -> Bool
givenFunction p c = or [p g types | Given g types <- take 1 (arguments c)]

-- * Who takes its result

-- | The functions that its result is given to, the nearest first.
takers :: Called -> [Global]
takers = useUnder . calledUse

-- | Their names.
under :: Called -> [Text]
under = map globalName . takers

-- * At which types

-- | The first, the second, the last type that it is used at.
at, at2, atLast :: ([Text] -> Bool) -> Called -> Bool
at p = any p . take 1 . useTypes . calledUse
at2 p = any p . take 1 . drop 1 . useTypes . calledUse
atLast p = any p . take 1 . reverse . useTypes . calledUse

-- | Of a type by its outermost constructor. 'isPacked' holds of strict text and bytes,
-- 'isUnboxable' of Bool and Char too, and 'isNumber' of all that 'isUnboxable' holds of.
isList, isPacked, isNumber, isUnboxable, isInteger :: [Text] -> Bool
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
isNumber = headed ("Integer" : "Natural" : "Ratio" : unboxable)
isUnboxable = headed unboxable
isInteger = headed ["Integer"]

unboxable :: [Text]
unboxable =
  T.words
    "Int Word Double Float Char Bool Int8 Int16 Int32 Int64 Word8 Word16 Word32 Word64"

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
