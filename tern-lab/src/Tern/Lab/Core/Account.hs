{-# LANGUAGE OverloadedStrings #-}

-- | Where all bytes of a run went.
--
-- Its one idea: an account is complete. Each counted function has a row by its
-- name, whether there is a finding in it or not, and what no counter saw is a
-- row too; together they are what the run allocated.
--
-- Start at 'accountOf'.
module Tern.Lab.Core.Account
  ( Entry (..),
    Post (..),
    accountOf,
    renderAccount,
    libraryName,
  )
where

import Control.Applicative ((<|>))
import Data.List (partition, sortOn)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Ord (Down (..))
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Numeric (showFFloat)
import Tern.Lab.Core.Attribution (Attribution (..), attributed)
import Tern.Lab.Core.Facts (Binding (..), Generated (..), ModuleFacts (..), Part (..), Place (..))
import Tern.Lab.Core.Finding (Finding (..), PartId (..))
import Tern.Lab.Core.Finding.People (byPeople)
import Tern.Lab.Core.Index (ownerName, sourceName)
import Tern.Lab.Core.Ticky (Collector (..), Counter (..), Sort (..))
import Tern.Lab.Quantity (Unit (..), renderQuantity)

-- | Whose the bytes of a row are. Names have their module before them.
data Post
  = -- | A function by its name and place; is there a finding in it?
    OfFunction !Text !(Maybe Place) !Bool
  | -- | A library's function, for the calls in a function by its name and place; is there a
    -- finding in that?
    OfLibrary !Text !Text !(Maybe Place) !Bool
  | -- | All code of a module that a generator wrote: the generator, what it was given or,
    -- if that is not in sight, what it wrote, and an option that it was not given, or nothing.
    OfGenerated !Text !Text !Text
  | -- | Of one of several functions of a name.
    OfOneOf !Text
  | -- | All functions and calls that have less than those shown: how many they are.
    OfOthers !Int
  | -- | What no counter saw: the start, and what is no call of the program's.
    Uncounted
  deriving stock (Eq, Show)

-- | Bytes and, where they were counted, entries.
data Entry = Entry
  { entryPost :: !Post,
    entryBytes :: !Double,
    entryEntries :: !(Maybe Double)
  }
  deriving stock (Eq, Show)

-- | The rows of a run, the largest first, for what the run allocated in all and
-- the findings that a reader is shown. Functions below a hundredth are one row.
accountOf :: Double -> [ModuleFacts] -> [Counter] -> [Finding] -> [Entry]
accountOf whole modules counters shown =
  sortOn
    (Down . entryBytes)
    ( functions
        <> [Entry (OfOthers (length small)) (sum (map entryBytes small)) Nothing | not (null small)]
        <> [Entry Uncounted left Nothing | left > 0]
    )
  where
    attribution = attributed modules counters
    -- Counters whose owners are the same are one row, and those of one library's function there.
    byOwners =
      Map.fromListWith
        (<>)
        ( [ (maybe (Right (owners, callee c)) Left (generated owners), [c])
            | (owners, c) <- attributionCounters attribution,
              counterSort c /= Calls
          ]
            <> [ (Right (Set.empty, callee c), [c])
                 | c <- attributionStray attribution,
                   counterBytes c > 0
               ]
        )
    callee c = if counterSort c == Call then Just (counterName c) else Nothing
    rows = [row key (sum (map counterBytes cs)) cs | (key, cs) <- Map.toList byOwners]
    row key bytes cs = case key of
      Left (tool, file, option) -> Entry (OfGenerated tool file option) bytes Nothing
      Right (owners, Just called) -> Entry (ofLibrary called (post owners)) bytes Nothing
      Right (owners, Nothing) ->
        Entry (post owners) bytes (Just (sum [counterEntries c | c <- cs, counterSort c /= Data]))
    -- Whatever it is that a counter may count, nobody wrote it.
    generated owners = case Set.toList (Set.map (`Map.lookup` byGenerators) owners) of
      [Just from] -> Just from
      _ -> Nothing
    byGenerators = generatedIn modules
    (functions, small) = partition (\e -> entryBytes e >= 0.01 * whole) rows
    left = whole - sum (map counterBytes counters)
    found = Set.unions (map findingCode shown)
    ofLibrary name = \case
      OfFunction around place isFound -> OfLibrary name around place isFound
      OfOneOf names -> OfLibrary name names Nothing False
      other -> other
    post owners = case Set.toList owners of
      [part]
        | Just (name, place) <- Map.lookup part known ->
            OfFunction name place (Set.member part found)
      parts ->
        OfOneOf
          ( T.intercalate
              ", "
              ( take
                  3
                  ( unique
                      [ maybe "code that was not looked at" fst (Map.lookup part known)
                        | part <-
                            parts
                      ]
                  )
              )
          )
    unique = Set.toList . Set.fromList
    known = functionsOf modules

-- | The functions that generators wrote: by which, of which file, and what it was not told.
generatedIn :: [ModuleFacts] -> Map PartId (Text, Text, Text)
generatedIn modules =
  Map.fromList
    [ ( PartId (factsUnit m) (factsModule m) key,
        (generatedBy made, shownFile made m, generatedWithout made)
      )
      | m <- modules,
        Just made <- [factsGenerated m],
        b <- factsBindings m,
        (key, place) <-
          (bindingKey b, bindingPlace b) : [(partKey p, partPlace p) | p <- bindingParts b],
        not (byPeople m (place <|> bindingPlace b))
    ]
  where
    shownFile made m = if T.null (generatedFrom made) then factsSource m else generatedFrom made

-- | Functions by name, those around them first, and place.
functionsOf :: [ModuleFacts] -> Map PartId (Text, Maybe Place)
functionsOf modules =
  Map.fromList
    [ (PartId (factsUnit m) (factsModule m) key, (T.concat [factsModule m, ".", name], place))
      | m <- modules,
        b <- factsBindings m,
        let top = sourceName (maybe (bindingName b) ownerName (bindingOwner b))
            inside inner = if inner == top then top else T.concat [top, " (in ", inner, ")"],
        (key, name, place) <-
          (bindingKey b, inside (sourceName (bindingName b)), bindingPlace b)
            : [(partKey p, inside (sourceName (partName p)), partPlace p) | p <- bindingParts b]
    ]

-- | Lines for a terminal.
renderAccount :: Maybe Collector -> Double -> [Entry] -> [Text]
renderAccount collector whole entries
  | whole <= 0 = []
  | otherwise =
      T.concat ["where the ", renderQuantity Bytes whole, " of the run were allocated:"]
        : map row entries
          <> [ T.concat
                 [ "  the collector ran ",
                   renderQuantity Count times,
                   if times == 1 then " time" else " times",
                   " and copied ",
                   renderQuantity Bytes copied,
                   "; at most ",
                   renderQuantity Bytes alive,
                   " were alive"
                 ]
               | Just (Collector times copied alive) <- [collector]
             ]
  where
    row (Entry post bytes times) =
      T.concat
        [ "  ",
          T.justifyRight 6 ' ' (percent (100 * bytes / whole)),
          " %  ",
          words' post,
          maybe
            ""
            ( \n ->
                T.concat [", entered ", renderQuantity Count n, " times"]
            )
            times,
          note post
        ]
    percent x = T.pack (showFFloat (Just 1) x "")
    words' = \case
      OfFunction name place _ ->
        T.concat
          [ name,
            maybe
              ""
              ( \(Place file line _) ->
                  T.concat ["  ", file, ":", T.pack (show line)]
              )
              place
          ]
      OfOneOf names -> T.concat ["one of several functions of a name: ", names]
      OfLibrary callee around place _ ->
        T.concat [libraryName callee, ", called by ", around, maybe "" at place]
      OfGenerated tool file option ->
        T.concat
          [ "in generated code (",
            tool,
            ", ",
            file,
            ")",
            if T.null option
              then ""
              else T.concat ["; ", tool, " ", option, " may make it allocate less"]
          ]
      OfOthers n ->
        T.concat
          [ T.pack (show n),
            if n == 1 then " other function or call" else " other functions and calls"
          ]
      Uncounted -> "the runtime system, and libraries where the program does not call them itself"
    at (Place file line _) = T.concat ["  ", file, ":", T.pack (show line)]
    note = \case
      OfFunction _ _ False -> "  (hot, no finding)"
      OfLibrary _ _ _ False -> "  (hot, no finding)"
      _ -> ""

-- | As the source would call it: without what GHC puts before a part of it.
--
-- >>> map libraryName ["Data.Map.Internal.$winsert", "GHC.Exts.newByteArray#"]
-- ["Data.Map.Internal.insert","a new byte array"]
libraryName :: Text -> Text
libraryName name
  | Just rest <- T.stripPrefix "GHC.Exts." name = fromMaybe rest (lookup rest arrays)
  | otherwise = T.append m (sourceName own)
  where
    (m, own) = T.breakOnEnd "." name
    arrays =
      [("newByteArray#", "a new byte array"), ("newPinnedByteArray#", "a new byte array")]
        <> [ (T.concat [verb', kind, "#"], word)
             | (verb', word) <-
                 [("new", "a new array"), ("clone", "a copy of an array")]
                   <> [(v, "a copy of an array") | v <- ["freeze", "thaw"]],
               kind <- ["Array", "SmallArray", "MutableArray", "SmallMutableArray"]
           ]
