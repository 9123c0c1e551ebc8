{-# LANGUAGE OverloadedStrings #-}

-- | Where a change in allocation comes from, the most first.
--
-- Its one idea: two runs with counters say by how much each written binding changed, and
-- two sets of facts say why ("Tern.Lab.Core.Cause"). Bytes move between a function and
-- those that it is inlined into, so that these are one row, whose bytes are their sum.
-- The rows are complete: what is not shown is a row, and so is what no counter saw.
--
-- Start at 'contributions'.
module Tern.Lab.Core.Contribution
  ( Side (..),
    Contributions (..),
    Contribution (..),
    contributions,
    renderContributions,
  )
where

import Data.List (partition, sortOn)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, listToMaybe)
import Data.Ord (Down (..))
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Attribution (Attribution (..), attributed)
import Tern.Lab.Core.Cause
  ( Cause (..),
    Ground (..),
    calleeIn,
    causesOf,
    groundIn,
    sourceChange,
    sureness,
  )
import Tern.Lab.Core.Cause.Words (renderCause, renderSourceChange)
import Tern.Lab.Core.Compiled
  ( Compiled,
    Name,
    between,
    bindings,
    compiledOf,
    compiledOwner,
    newer,
    renderName,
  )
import Tern.Lab.Core.Facts (ModuleFacts)
import Tern.Lab.Core.Ticky (Counter (..), Sort (..))
import Tern.Lab.Core.Traits (telling)
import Tern.Lab.Quantity (Unit (..), renderQuantity, renderRough)

-- | One of two compilations, and a run of it.
data Side = Side
  { sideModules :: ![ModuleFacts],
    -- | None where nothing was counted.
    sideCounters :: ![Counter],
    -- | Bytes that the whole run allocated.
    sideWhole :: !(Maybe Double)
  }

-- | Bindings that belong together.
data Contribution = Contribution
  { -- | What the row is about, and whose bytes are in it too, the most first.
    contributionOf :: !Name,
    contributionWith :: ![Name],
    -- | More bytes than before, or fewer.
    contributionBytes :: !Double,
    contributionCause :: !Cause,
    -- | What its source no longer calls, and what it calls now.
    contributionSource :: !(Set Text, Set Text)
  }
  deriving stock (Eq, Show)

-- | What changed between two sides: the rows, the bindings that are in none of them, and what no
-- counter saw.
data Contributions = Contributions
  { -- | The greatest first.
    contributionRows :: ![Contribution],
    -- | How many bindings are in no row, and their bytes together.
    contributionOthers :: !(Int, Double),
    -- | What no counter saw: libraries, primitive operations, the stack where it is deep.
    contributionUncounted :: !Double,
    -- | Bytes that the older run allocated; nothing where the rows are in the order of what
    -- they say, for want of counters or of any change that they show.
    contributionWhole :: !(Maybe Double)
  }
  deriving stock (Eq, Show)

-- | What several bindings have in common whose bytes belong together.
data Subject
  = OfModule !Text
  | -- | Those of a module that have versions for known types now, or none any more.
    OfVersions !Text
  | OfFunction !Name
  deriving stock (Eq, Ord, Show)

-- | Of an older and a newer side; is the change for the better? Rows that are less than a
-- fiftieth of what all rows moved are among the others.
contributions :: Bool -> Side -> Side -> Contributions
contributions better old new
  | counted = byBytes
  | otherwise = bySaying
  where
    was = compiledOf (sideModules old)
    is = compiledOf (sideModules new)
    known = between was is
    bytesOld = newly (spentBy was old)
    bytesNew = spentBy is new
    newly = Map.mapKeysWith both (newer known)
    delta =
      Map.filter ((>= 1) . abs) $
        Map.unionWith (+) (fst <$> bytesNew) (negate . fst <$> bytesOld)
    moved = sum (map abs (Map.elems delta))
    whole side = fromMaybe (sum (map counterBytes (sideCounters side))) (sideWhole side)
    counted =
      not (null (sideCounters old) || null (sideCounters new))
        && moved >= 0.001 * whole old
    -- All causes, also of what allocates as much as before: who calls what.
    causes =
      Map.fromList
        [ (name, found)
          | name <- Set.toList (bindings known <> Map.keysSet delta),
            let found = causesOf known (maybe better (< 0) (Map.lookup name delta)) name,
            not (null found)
        ]
    sizeOf name = abs (Map.findWithDefault 0 name delta)
    -- Of several calls that are others now, the surest, and then that of most bytes.
    chosen =
      Map.mapMaybe
        (listToMaybe . sortOn (\c -> (Down (sureness c), Down (maybe 0 sizeOf (calleeIn c)))))
        causes
    subjectOfCause name cause = case groundIn cause of
      Just (_, List m _) -> OfModule m
      Just (callee, _) -> OfFunction callee
      Nothing -> case cause of
        Listed _ -> OfModule (fst name)
        Versions -> OfVersions (fst name)
        _ -> OfFunction name
    -- A function that is inlined no longer belongs to those who call it.
    called =
      Map.fromListWith
        min
        [ (callee, subjectOfCause name cause)
          | (name, cause) <- Map.toList chosen,
            Just callee <- [calleeIn cause]
        ]
    subjectOf name =
      fromMaybe
        (maybe (OfFunction name) (subjectOfCause name) (Map.lookup name chosen))
        (Map.lookup name called)
    groups wanted = Map.fromListWith (flip (<>)) [(subjectOf name, [name]) | name <- wanted]
    -- Members without bytes may hold the cause.
    members = groups (Set.toList (Map.keysSet causes <> Map.keysSet delta))
    row subject names =
      let ordered = sortOn (Down . sizeOf) names
          among = Map.findWithDefault names subject members
          found =
            sortOn
              (\(n, c) -> (Down (sureness c), Down (sizeOf n)))
              [(n, c) | n <- among, Just c <- [Map.lookup n chosen]]
          (about, cause) = case found of
            (n, c) : _ -> (fromMaybe n (calleeIn c), c)
            [] -> (fromMaybe ("", "") (listToMaybe ordered), same ordered)
       in Contribution
            { contributionOf = about,
              contributionWith = filter (/= about) ordered,
              contributionBytes = sum [Map.findWithDefault 0 n delta | n <- names],
              contributionCause = cause,
              contributionSource = sourceChange known about
            }
    same = \case
      name : _
        | Just before <- snd <$> Map.lookup name bytesOld,
          Just after <- snd <$> Map.lookup name bytesNew,
          before > 0,
          after > 0,
          abs (after / before - 1) > 0.005 ->
            Entered (after / before)
      _ -> SameCode
    rowsOf = map (uncurry row) . Map.toList
    byBytes =
      let every = sortOn (Down . abs . contributionBytes) (rowsOf (groups (Map.keys delta)))
          -- Not what moved between those of one row.
          moving = sum (map (abs . contributionBytes) every)
          (large, small) = partition ((>= 0.02 * moving) . abs . contributionBytes) every
          (shown, more) = splitAt 6 large
          left = more <> small
       in Contributions
            { contributionRows = shown,
              contributionOthers =
                ( Set.size
                    ( Set.intersection
                        (Map.keysSet delta)
                        (Set.fromList (concatMap everyone left))
                    ),
                  sum (map contributionBytes left)
                ),
              contributionUncounted =
                whole new - whole old - sum (Map.elems delta),
              contributionWhole = Just (whole old)
            }
    everyone c = contributionOf c : contributionWith c
    bySaying =
      let ordered = sortOn (Down . saying) (rowsOf (groups (Map.keys chosen)))
          (shown, left) = splitAt 3 ordered
       in Contributions shown (length left, 0) 0 Nothing
    saying c =
      ( sureness (contributionCause c),
        contributionSource c /= (Set.empty, Set.empty),
        case contributionCause c of
          Lazy _ _ -> 45
          Does now trait -> (if now == better then 1 else 2) * telling trait
          _ -> 0
      )

-- | Bytes and entries by written binding, as far as it is certain whose they are.
spentBy :: Compiled -> Side -> Map Name (Double, Double)
spentBy compiled side =
  Map.fromListWith
    both
    [ (name, (counterBytes c, if counterSort c == Code then counterEntries c else 0))
      | (owners, c) <- attributionCounters (attributed (sideModules side) (sideCounters side)),
        [Just name] <- [Set.toList (Set.map (compiledOwner compiled) owners)]
    ]

both :: (Double, Double) -> (Double, Double) -> (Double, Double)
both (a, b) (c, d) = (a + c, b + d)

-- | A line for each row. The parts are of the older run's bytes, so that they add up to
-- the change.
renderContributions :: Contributions -> [Text]
renderContributions found = case (contributionWhole found, contributionRows found) of
  (_, []) -> ["no difference in the optimised code: constants, data or a library have changed"]
  (Nothing, rows) ->
    map said rows
      <> [ T.concat [others count, " also differ; what each allocates was not counted"]
           | (count, _) <- [contributionOthers found],
             count > 0
         ]
  (Just whole, rows) ->
    map (\r -> T.concat [amount whole (contributionBytes r), "  ", said r]) rows
      <> [ T.concat [amount whole left, "  ", others count]
           | (count, left) <- [contributionOthers found],
             count > 0
         ]
      <> [ T.concat
             [ amount
                 whole
                 left,
               "  libraries, primitive operations and the stack, which have no counters"
             ]
           | left <- [contributionUncounted found],
             abs left >= 0.0005 * whole
         ]
  where
    said r =
      T.concat
        [ renderName (contributionOf r),
          " ",
          renderCause (contributionOf r) (contributionCause r),
          if explained (contributionCause r)
            then ""
            else renderSourceChange (contributionSource r),
          case contributionWith r of
            [] -> ""
            some
              | length some > 3 ->
                  T.concat
                    [ " (with ",
                      T.intercalate ", " (map renderName (take 2 some)),
                      " and ",
                      T.pack (show (length some - 2)),
                      " more)"
                    ]
              | otherwise -> T.concat [" (with ", T.intercalate ", " (map renderName some), ")"]
        ]
    -- These say it themselves.
    explained = \case
      Costs {} -> True
      Versions -> True
      Listed _ -> True
      Exists _ -> True
      Inlined {} -> True
      Specialised {} -> True
      Lazy _ _ -> False
      Does _ _ -> False
      Entered _ -> False
      SameCode -> False
    amount whole bytes =
      T.concat
        [ renderRough (if whole > 0 then bytes / whole else 0),
          " (",
          if bytes < 0 then "-" else "+",
          renderQuantity Bytes (abs bytes),
          ")"
        ]
    others n = T.concat ["other ", T.pack (show n), if n == 1 then " binding" else " bindings"]
