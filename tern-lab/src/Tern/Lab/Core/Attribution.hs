{-# LANGUAGE OverloadedStrings #-}

-- | Whose each counter of a run is.
--
-- Its one idea: a counter is laid to a function only where it can be no other's. A counting build
-- marks every function, so that this is certain. In a report that somebody else's build wrote,
-- functions of one name cannot be told apart: then what they spent is said of all of them, as
-- theirs together.
--
-- Start at 'attributed'.
module Tern.Lab.Core.Attribution
  ( Attribution (..),
    attributed,
  )
where

import Data.Char (isDigit)
import Data.Map.Strict qualified as Map
import Data.Maybe (isJust)
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( Binding (..),
    ModuleFacts (..),
    Origin (..),
    Part (..),
    unmarked,
  )
import Tern.Lab.Core.Finding (PartId (..))
import Tern.Lab.Core.Index (ownerName, sourceName)
import Tern.Lab.Core.Ticky (Counter (..), Sort (..))

-- | The counters with the functions that may have them; one function, where it
-- is certain.
data Attribution = Attribution
  { attributionCounters :: ![(Set PartId, Counter)],
    -- | Those of no function that was looked at.
    attributionStray :: ![Counter]
  }
  deriving stock (Eq, Show)

-- | Of all modules and all counters of one run: each counter is in one of the two lists, in the
-- order given. If any counter has a mark, marks decide for all of them, else names do.
attributed :: [ModuleFacts] -> [Counter] -> Attribution
attributed modules counters =
  Attribution
    [(parts, c) | (parts, c) <- every, not (Set.null parts)]
    [c | (parts, c) <- every, Set.null parts]
  where
    every = [(owners c, c) | c <- counters]
    owners
      | any (isJust . counterMark) counters = byMark modules counters
      | otherwise = byName modules

-- | In a counting build: by the mark, by the unique of an exported function, or
-- as the code around it.
byMark :: [ModuleFacts] -> [Counter] -> Counter -> Set PartId
byMark modules counters = go (64 :: Int)
  where
    go 0 _ = Set.empty
    go fuel c
      | Just (mark, n) <- counterMark c,
        Just part <- Map.lookup (mark, counterModule c, n) numbered =
          Set.singleton part
      | Just parts <- Map.lookup (counterModule c, counterUnique c) unique = parts
      | Just around <- counterIn c =
          case [ other
                 | other <-
                     Map.findWithDefault [] (counterModule c, around) rows,
                   sameMark c other
               ] of
            [] -> Map.findWithDefault Set.empty (counterModule c, around) unique
            others -> Set.unions (map (go (fuel - 1)) others)
      | otherwise = Set.empty
    -- Modules of one name in two packages may have the same uniques.
    sameMark c other = case (counterMark c, counterMark other) of
      (Just (a, _), Just (b, _)) -> a == b
      _ -> True
    rows = Map.fromListWith (<>) [((counterModule c, counterUnique c), [c]) | c <- counters]
    numbered =
      Map.fromList
        [ ((factsMark m, factsModule m, key), PartId (factsUnit m) (factsModule m) key)
          | m <- modules,
            b <- factsBindings m,
            key <- bindingKey b : map partKey (bindingParts b)
        ]
    unique =
      Map.fromListWith
        (<>)
        [ ( (factsModule m, bindingUnique b),
            Set.singleton (PartId (factsUnit m) (factsModule m) (bindingKey b))
          )
          | m <- modules,
            b <- factsBindings m
        ]

-- | In any other: by what it is called. GHC calls what it exposes as what
-- exposes it, @main_go@ or @main1@.
byName :: [ModuleFacts] -> Counter -> Set PartId
byName modules c = case counterSort c of
  Data -> Set.empty
  -- Only a counting build counts them, and marks whose they are.
  Call -> Set.empty
  Calls -> Set.empty
  -- Only one binding that others can see has a name.
  Code | Just only <- Map.lookup (counterName c) exported -> only
  Code ->
    called
      [ name
        | before <-
            [counterName c],
          name <-
            before : [rest | (_, later) <- [T.breakOn "_" before], rest <- [later, T.drop 1 later]]
      ]
      (const True)
  -- A cost centre has the names of the source, with those around it.
  CostCentre -> case reverse (T.splitOn "." (counterName c)) of
    inner : around@(_ : _) | not (T.null inner) -> called [inner] ((`elem` around) . writtenName)
    _ -> called [counterName c] (const True)
  where
    exported =
      Map.fromListWith
        (<>)
        [ (bindingName b, Set.singleton (part m (bindingKey b)))
          | (m, b) <-
              bindings,
            bindingOrigin b == Written
        ]
    called names within =
      Set.fromList
        [ part m key
          | (m, b) <- bindings,
            within b,
            (key, own) <-
              (bindingKey b, bindingName b) : [(partKey p, partName p) | p <- bindingParts b],
            any
              ((`elem` map withoutNumber names) . withoutNumber)
              ( [unmarked own, sourceName own]
                  <> [writtenName b | key == bindingKey b, bindingOrigin b == Made]
              )
        ]
    bindings = [(m, b) | m <- modules, factsModule m == counterModule c, b <- factsBindings m]
    writtenName b = maybe (sourceName (bindingName b)) ownerName (bindingOwner b)
    part m = PartId (factsUnit m) (factsModule m)

withoutNumber :: Text -> Text
withoutNumber name = if T.all isDigit name then name else T.dropWhileEnd isDigit name
