{-# LANGUAGE OverloadedStrings #-}

-- | Numbers that go through characters, boxes or a type that nobody has chosen.
--
-- Its one idea: a number is a register; where it becomes a list, an object or an @Integer@,
-- somebody should have asked for that.
--
-- Start at 'numbers'.
module Tern.Lab.Core.Library.Numbers
  ( numbers,
  )
where

import Data.Text qualified as T
import Tern.Lab.Core.Facts (Argument (..), Global (..), Use (..))
import Tern.Lab.Core.Fused (consumers)
import Tern.Lab.Core.Library.Call
  ( Called (..),
    Rule (..),
    allOf,
    arguments,
    at,
    at2,
    atLast,
    callee,
    calls,
    folds,
    headed,
    isInteger,
    isNumber,
    isUnboxable,
    under,
  )
import Tern.Lab.Core.Library.Cost (Cost (..))

-- | The rules that are asked last. Of a use the first that holds decides.
numbers :: [Rule]
numbers =
  [ Rule ParsesByRead 0 (allOf [calls ["Text.Read"] "read readMaybe readEither", at isKnown]),
    Rule ShowsToFind 0 (allOf [calls ["GHC.Show"] "show", found]),
    Rule ShowsToLook 0 (allOf [calls ["GHC.Show"] "show", at isNumber, looked]),
    Rule InterpretsFormat 0 (calls ["Text.Printf"] "printf hPrintf"),
    Rule
      BoxesElements
      0
      ( allOf
          [ calls
              ["Data.Vector", "Data.Vector.Mutable"]
              "generate replicate fromList fromListN unfoldr unfoldrN iterateN enumFromTo \
              \enumFromN generateM replicateM constructN new unsafeNew scanl scanl' prescanl' \
              \postscanl' map imap zipWith zipWith3 izipWith",
            atLast isUnboxable,
            stored
          ]
      ),
    Rule
      BoxesElements
      0
      (allOf [calls ["GHC.Arr"] "listArray array accumArray", at2 isUnboxable, stored]),
    Rule
      BoxesElements
      0
      ( allOf
          [ calls ["Data.Array.Base"] "newArray newListArray newGenArray newArray_",
            at (headed ["STArray", "IOArray"]),
            at2 isUnboxable
          ]
      ),
    Rule
      DefaultsInteger
      0
      (unspoken [calls ["GHC.Num"] "+ - *", at isInteger, any handedOn . arguments]),
    Rule DefaultsInteger 1 (unspoken [calls folds "sum product", at2 isInteger]),
    Rule
      DefaultsInteger
      1
      (unspoken [calls ["GHC.Enum"] "enumFromTo enumFromThenTo", at isInteger, gone]),
    Rule DefaultsInteger 0 (unspoken [ofProgram, any isInteger . useTypes . calledUse])
  ]
  where
    unspoken questions = allOf ((not . calledInteger) : questions)
    -- Texts and records of the program's own are read by the same parser.
    isKnown = not . null
    handedOn = (`elem` [Accumulated, FromAccumulated])
    ofProgram c = globalUnit (callee c) == calledUnit c

-- | A loop goes through it.
gone :: Called -> Bool
gone c =
  any
    (`elem` T.words "forM_ mapM_ for_ traverse_ foldM foldM_ foldl' sum product")
    (take 1 (under c))

-- | Somebody looks at the characters, and not only at the text that they are packed into.
looked :: Called -> Bool
looked =
  any
    ( `elem`
        T.words
          "digitToInt sum product length read == /= compare elem notElem all any lookup member \
          \notMember findWithDefault maximum minimum insertWith"
    )
    . takeWhile (/= "pack")
    . under

-- | Its characters are a key. Where they are compared, a number's may be turned before.
found :: Called -> Bool
found c = any (`elem` keyed) before || (not (at isNumber c) && any (`elem` ["==", "/="]) before)
  where
    before = takeWhile (/= "pack") (under c)
    keyed = T.words "lookup member notMember findWithDefault insert insertWith adjust alter delete"

-- | It stands by itself: it is no step of a pipeline that is fused, not a few
-- literals, and no value that is defined by itself.
stored :: Called -> Bool
stored c =
  not (useTied (calledUse c))
    && all (`notElem` passing) (take 1 (under c))
    && Literally `notElem` filter (const fromElements) (arguments c)
  where
    fromElements = globalName (callee c) `elem` ["fromList", "fromListN"]
    passing = consumers <> T.words "zip zip3 zip4 zip5 zip6 indexed concatMap toList convert"
