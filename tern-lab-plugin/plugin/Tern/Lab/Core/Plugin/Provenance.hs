-- | Where the text of a module came from, when a generator wrote it.
--
-- Its one idea: GHC knows which file it read and where it looks for sources. What the generator was
-- given lies there under the same name, or where a line of the module says; and what somebody
-- wrote of the module is said to stand there.
--
-- Start at 'provenanceOf'.
module Tern.Lab.Core.Plugin.Provenance
  ( Provenance,
    provenanceOf,
    fromGenerator,
  )
where

import Control.Applicative ((<|>))
import Control.Exception (IOException, try)
import Control.Monad (filterM)
import Data.ByteString qualified as B
import Data.List (nub)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust, listToMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Plugins (DynFlags (importPaths), moduleName, moduleNameSlashes)
import GHC.Unit.Module.Location (ml_hs_file)
import GHC.Unit.Module.ModSummary (ModSummary (..))
import System.Directory (doesFileExist)
import System.FilePath (normalise, takeDirectory, takeFileName, (<.>), (</>))
import Tern.Lab.Core.Facts
  ( Binding (..),
    Generated (..),
    Global (..),
    ModuleFacts (..),
    Part (..),
    Place (..),
    SourceCall (..),
    Spot (..),
    Use (..),
  )
import Tern.Lab.Core.Generator (Generator (..), generatorOf, inputEndings)
import Tern.Lab.Core.Generator.Line
  ( Lines,
    actionsThatSay,
    isActing,
    isAction,
    linesOf,
    ownByPragma,
    ownLine,
  )

data Provenance = Provenance
  { provenanceTold :: !Generated,
    -- | The module's own file.
    provenanceModule :: !Text,
    -- | What its lines call the input.
    provenanceCalled :: !Text,
    -- | Those that somebody wrote, where the input is in sight.
    provenanceLines :: !(Maybe Lines)
  }

-- | Of a module that GHC has read; nothing, where somebody wrote it.
provenanceOf :: ModSummary -> IO (Maybe Provenance)
provenanceOf summary = case ml_hs_file (ms_location summary) of
  Nothing -> pure Nothing
  Just file -> do
    text <- textOf file
    case generatorOf file text of
      Nothing -> pure Nothing
      Just generator -> do
        there <- filterM doesFileExist (filter (/= normalise file) (inputs file generator))
        known <- case there of
          input : _ -> Just . linesOf (generatorName generator) text <$> textOf input
          [] -> pure Nothing
        pure . Just $
          Provenance
            { provenanceTold =
                Generated
                  { generatedBy = generatorName generator,
                    generatedFrom = case there of
                      input : _ -> T.pack input
                      [] -> generatorInput generator,
                    generatedWithout = generatorOption generator
                  },
              provenanceModule = T.pack file,
              provenanceCalled = generatorInput generator,
              provenanceLines = known
            }
  where
    name = moduleNameSlashes (moduleName (ms_mod summary))
    inputs file generator =
      nub . map normalise $
        [f | not (null f)]
          <> [takeDirectory file </> takeFileName f | not (null f)]
          <> [ folder </> name <.> drop 1 (T.unpack ending)
               | folder <- importPaths (ms_hspp_opts summary) <> [below file],
                 (ending, by) <- inputEndings,
                 by == generatorName generator
             ]
      where
        f = T.unpack (generatorInput generator)
    -- The folder that the module's name is below.
    below file = foldr (const takeDirectory) file ('/' : filter (== '/') name)

textOf :: FilePath -> IO Text
textOf file = either unread T.decodeUtf8Lenient <$> try (B.readFile file)
  where
    unread :: IOException -> Text
    unread _ = T.empty

-- | What somebody wrote of a module is placed in the generator's input, and nothing else is. Given
-- where the first local names of those bindings stand that GHC made. An action is run for each part
-- of what is read, so that a loop is around it.
fromGenerator :: Map Int Place -> Provenance -> ModuleFacts -> ModuleFacts
fromGenerator inner from facts =
  facts
    { factsGenerated = Just (provenanceTold from),
      factsUses =
        [ u
            { useIn = useIn u <|> (fst <$> melted),
              usePlace = (snd <$> melted) <|> (settled <$> usePlace u),
              useLoops =
                useLoops u + (if isJust melted || maybe False inAction (usePlace u) then 1 else 0)
            }
          | u <- factsUses facts,
            let melted = meltedAction u
        ],
      factsCalls =
        [ c {callLoops = callLoops c + (if isAction generator (callFrom c) then 1 else 0)}
          | c <- factsCalls facts
        ],
      factsBindings = map binding (factsBindings facts)
    }
  where
    generator = generatedBy (provenanceTold from)
    input = generatedFrom (provenanceTold from)
    binding b =
      b
        { bindingPlace = settled <$> (Map.lookup (bindingKey b) inner <|> bindingPlace b),
          bindingParts = [p {partPlace = settled <$> partPlace p} | p <- bindingParts b],
          bindingSpots = [s {spotPlace = settled <$> spotPlace s} | s <- bindingSpots b]
        }
    -- An action that is used once is gone before anybody looks, and where no variable of its own
    -- stands around the call, its text tells which one it was.
    meltedAction u
      | isAction generator (useBinding u),
        not (maybe False (byPerson . settled) (usePlace u)),
        Just known <- provenanceLines from =
          listToMaybe
            [ (action, place)
              | (action, (line, column)) <- actionsThatSay (globalName (useCallee u)) known,
                action `elem` factsMelted facts,
                let place = Place input line column,
                place `notElem` placesKnown (useCallee u)
            ]
      | otherwise = Nothing
    byPerson place = placeFile place == input
    -- Those of the same callee that variables have told.
    placesKnown callee =
      [ place
        | other <- factsUses facts,
          useCallee other == callee,
          Just place <- [settled <$> usePlace other],
          byPerson place
      ]
    inAction place =
      isModule (placeFile place)
        && maybe False (`isActing` placeLine place) (provenanceLines from)
    settled place
      | isModule (placeFile place) =
          fromMaybe place $ do
            known <- provenanceLines from
            (line, column) <- ownLine known (placeLine place, placeColumn place)
            pure (Place input line column)
      | isInput (placeFile place) = case provenanceLines from of
          Nothing -> place {placeFile = input}
          Just known -> case ownByPragma known (placeLine place) of
            Just line -> Place input line (placeColumn place)
            -- Tables that come after such a line are said to be of the input, too.
            Nothing -> place {placeFile = provenanceModule from}
      | otherwise = place
    same a b = normalise (T.unpack a) == normalise (T.unpack b)
    isModule = same (provenanceModule from)
    isInput file = not (T.null (provenanceCalled from)) && same (provenanceCalled from) file
