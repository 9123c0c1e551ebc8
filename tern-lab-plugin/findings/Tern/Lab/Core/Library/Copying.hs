{-# LANGUAGE OverloadedStrings #-}

-- | Functions that walk or copy all that there is.
--
-- Its one idea: a step costs by the size of the whole, so that a loop of such steps costs by its
-- square; and what is packed is unpacked only to be packed again.
--
-- Start at 'copying'.
module Tern.Lab.Core.Library.Copying
  ( copying,
  )
where

import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( Argument (..),
    Global (..),
    Use (..),
    anyFunction,
    singlesFunction,
    stringsFunction,
  )
import Tern.Lab.Core.Library.Call
  ( Called (..),
    Rule (..),
    allOf,
    arguments,
    at,
    callee,
    calls,
    folding,
    folds,
    given,
    givenFunction,
    hasCarried,
    headed,
    isList,
    isPacked,
    lists,
    movedBack,
    takers,
    texts,
    under,
    vectors,
  )
import Tern.Lab.Core.Library.Cost (Cost (..))

-- | The rules that are asked first. Of a use the first that holds decides.
copying :: [Rule]
copying =
  [ Rule WalksToIndex 0 (allOf [calls lists "!!", isWalked]),
    Rule ReversesToLook 0 (allOf [calls lists "reverse", forOne]),
    Rule RunsBuilder 0 (calls builders "toLazyByteString"),
    Rule RunsBuilder 0 (calls putting "runPut runPutLazy"),
    Rule SearchesList 0 (allOf [calls folds "elem notElem", given 1 kept, at isList]),
    Rule SearchesList 0 (allOf [calls lists "elem notElem lookup", given 1 kept]),
    Rule SearchesList 0 (allOf [calls lists "insert delete", given 1 kept]),
    Rule SearchesList 0 (allOf [calls lists "insertBy deleteBy", given 2 kept]),
    Rule SearchesList 0 (\c -> calls lists "\\\\ union intersect" c && any isKept (arguments c)),
    Rule SearchesList 1 (allOf [calls folds folding, givenFunction searchesList]),
    Rule SortsAgain 0 (\c -> calls lists "sort sortBy sortOn" c && any isMade (lastOf c)),
    Rule WalksToLength 0 (allOf [calls folds "length", given 0 [Invariant], at isList]),
    Rule
      WalksToCompare
      0
      (allOf [calls folds "length", given 0 [Accumulated], at isList, compared]),
    Rule
      ComparesAll
      0
      (allOf [calls lists "nub nubBy", not . at isSmall, not . given 0 [Literally]]),
    Rule CopiesAll 0 (allOf [calls texts "append snoc cons concat", hasCarried]),
    Rule CopiesAll 0 (allOf [calls ["GHC.Base"] "<> mappend", at isPacked, hasCarried]),
    Rule CopiesAll 1 (allOf [calls folds folding, givenFunction copiesText]),
    Rule CopiesVector 0 (allOf [calls vectors ("modify update_ cons ++ " <> changing), hasCarried]),
    Rule CopiesVector 0 (allOf [calls arrays "// accum", hasCarried]),
    -- Who is given the vector, or reads it from a cell, and is called again and again.
    Rule
      CopiesVector
      0
      ( \c ->
          useLoops (calledUse c) == 0
            && ( (calls vectors changing c && ofRound 0 c)
                   || (calls vectors "modify cons" c && ofRound 1 c)
                   || (calls arrays "//" c && ofRound 0 c)
               )
      ),
    Rule CopiesVector 1 (allOf [calls folds folding, givenFunction copiesVector]),
    Rule CopiesList 1 (allOf [calls folds "foldl foldl'", givenFunction appendsList]),
    Rule CopiesList 0 (allOf [inContainer "insertWith", givenFunction appendsAtEnd]),
    Rule CopiesList 1 (allOf [inContainer "fromListWith", givenFunction appendsAtEnd]),
    Rule
      CopiesList
      0
      (allOf [appends, given 0 [Accumulated], given 1 [Compound, FromAccumulated, Literally]]),
    Rule
      ChangesList
      0
      (allOf [calls ["GHC.Base"] "++", given 0 [Parted], not . at (headed ["Char"])]),
    Rule
      LengthensField
      0
      (allOf [calls ["GHC.Base"] "++", given 0 [Lengthened], not . at (headed ["Char"])]),
    Rule CopiesNested 0 (allOf [calls ["GHC.Base"] "++", given 0 [Enclosed]]),
    Rule CopiesNested 1 (allOf [calls folds "concatMap concat", given 0 [Enclosed]]),
    Rule MakesSingles 0 (allOf [calls (texts <> lazyTexts) "concatMap", given 0 [Singles]]),
    Rule MakesSingles 0 (allOf [calls (texts <> lazyTexts) "unpack", inSingles]),
    Rule TriesEnd 0 (allOf [calls combinators "manyTill", takesCharacters]),
    Rule ThroughString 0 (allOf [calls texts "unpack", through texts "pack"]),
    Rule ThroughList 0 (allOf [calls vectors "toList", through vectors "fromList fromListN"]),
    -- Once it may have a reason, in each round it has none.
    Rule
      ThroughList
      0
      ( allOf
          [ calls containers "toList toAscList assocs elems keys",
            given 0 [Accumulated],
            through containers "fromList fromListWith fromAscList fromDistinctAscList"
          ]
      )
  ]
  where
    isWalked c = given 0 [Invariant] c || (given 0 [OfRound] c && not (given 1 [Literally] c))
    appends c =
      calls ["GHC.Base"] "++" c || (calls ["GHC.Base"] "<> mappend" c && at isList c)
    forOne c = any (`elem` T.words "!! head last") (take 1 (under c))
    compared c = any (`elem` T.words "< <= > >= == /= compare") (take 1 (under c))
    -- The same in each round, or longer from one to the next.
    kept = [Invariant, Accumulated]
    isKept = (`elem` kept)
    isMade = (`elem` [Accumulated, FromAccumulated])
    lastOf = take 1 . reverse . arguments
    inContainer name c =
      globalName (callee c) == name
        && second (globalModule (callee c)) `elem` ["Map", "IntMap", "HashMap"]
    -- Of @Data.Map.Internal@ the second word.
    second = T.takeWhile (/= '.') . T.drop 5
    -- Each is put into the text or builder that all of them become.
    inSingles c = case takers c of
      g : next ->
        g == singlesFunction
          && any ((`elem` joining) . globalName) (take 2 next)
      [] -> False
    joining = T.words "mconcat foldMap foldMap' fold concat"
    changing = "// update unsafeUpd snoc accum unsafeAccum"
    ofRound n c = take 1 (drop n (arguments c)) == [OfRound]
    isSmall = headed ["Bool", "Ordering", "()", "Unit"]

arrays, builders, putting, containers, lazyTexts, combinators :: [Text]
-- bytestring 0.12 defines what runs a builder in the inner module.
builders = ["Data.ByteString.Builder", "Data.ByteString.Builder.Internal"]
putting = ["Data.Serialize.Put", "Data.Binary.Put"]
lazyTexts = ["Data.Text.Lazy", "Data.ByteString.Lazy"]
combinators =
  T.words
    "Text.Parsec.Combinator Control.Monad.Combinators Control.Applicative.Combinators \
    \Data.Attoparsec.Combinator"
arrays = ["GHC.Arr", "Data.Array.Base"]
containers =
  T.words
    "Data.Map.Internal Data.Map.Strict.Internal Data.IntMap.Internal Data.IntMap.Strict.Internal \
    \Data.Set.Internal Data.IntSet.Internal Data.HashMap.Internal Data.HashMap.Internal.Strict \
    \Data.HashSet.Internal"

copiesText :: Global -> [[Text]] -> Bool
copiesText g types =
  (globalName g `elem` ["<>", "mappend"] && any isPacked (take 1 types))
    || (unflipped g `elem` ["append", "snoc", "cons"] && globalModule g `elem` texts)

-- | What is taken again and again is one character: it and the end are the last two types.
takesCharacters :: Called -> Bool
takesCharacters c =
  any (headed ["Char", "Word8"]) (take 1 (drop 1 (reverse (useTypes (calledUse c)))))

appendsList :: Global -> [[Text]] -> Bool
appendsList g types =
  globalName g == "++"
    || (globalName g `elem` ["<>", "mappend"] && any isList (take 1 types))

-- | What is new comes after all that there is.
appendsAtEnd :: Global -> [[Text]] -> Bool
appendsAtEnd g types =
  case T.stripPrefix "flip " (globalName g) of
    Just name -> appendsList g {globalName = name} types
    Nothing -> False

copiesVector :: Global -> [[Text]] -> Bool
copiesVector g _ = unflipped g `elem` ["snoc", "cons", "++"] && globalModule g `elem` vectors

-- | The place of an element among those that are sorted, or just it among all.
searchesList :: Global -> [[Text]] -> Bool
searchesList g _ =
  unflipped g `elem` ["insert", "delete"] && movedBack (globalModule g) `elem` lists

-- | Whichever of its two arguments comes first.
unflipped :: Global -> Text
unflipped g = fromMaybe (globalName g) (T.stripPrefix "flip " (globalName g))

-- | Only functions of lists stand between it and one of these: modules, and names with spaces
-- between.
through :: [Text] -> Text -> Called -> Bool
through modules ends c = case break isEnd (takers c) of
  (before, _ : _) -> all isBetween before
  (_, []) -> False
  where
    isEnd g = globalName g `elem` T.words ends && movedBack (globalModule g) `elem` modules
    -- A variable here stands for a function that is given, or one of the program's own.
    isBetween g = globalName g `elem` between || g `elem` [anyFunction, stringsFunction]
    between =
      T.words
        "map fmap <$> filter reverse dropWhile takeWhile dropWhileEnd drop take concatMap concat \
        \unwords words unlines lines ++ <> init tail zipWith sort sortBy sortOn intersperse \
        \intercalate"
