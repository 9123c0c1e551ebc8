{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Cases of the suite beside programs in Rust that do the same.
--
-- The idea: a program says what it measured as JSON Lines, under the names of our cases. The
-- programs and our cases run in turn, some rounds, so that a machine that becomes slower does so
-- for both.
--
-- Start at 'besidePeers'.
module Tern.Bench.Peers
  ( besidePeers,
    Compared,
    renderPeers,
    renderPeersPage,
    heard,
  )
where

import Control.Monad (forM, unless)
import Data.ByteString.Lazy qualified as L
import Data.List.NonEmpty (NonEmpty)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Generics (Generic)
import System.Directory (doesFileExist)
import System.Exit (ExitCode (..), die)
import System.FilePath ((</>))
import System.Process (readProcessWithExitCode)
import Tern (Wire, defaultLimits)
import Tern.Bench.Case (Case (..), Result (..), Role (..), Row (..), measure)
import Tern.Bench.Progress (inTurn)
import Tern.Lab.Measure (Settings (..), defaultSettings)
import Tern.Lab.Result (Machine (..))
import Tern.Lab.Stats (Spread (..), spread)
import Tern.Lab.Table (Align (..), columns, duration, markdown, ratio)
import Tern.Stream (Sequence (..), decodeLazy, decoder, renderFault)

-- | What a program says of a case: by which library, and the least time in nanoseconds.
data Said = Said {what :: Text, by :: Text, least :: Double}
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | A case, what was promised, and the least time of each library in each round.
data Compared = Compared Text Text (NonEmpty Double) [(Text, NonEmpty Double)]

-- | The cases that the programs of a folder do as well, in this number of rounds; what they
-- read are these documents.
besidePeers :: Int -> FilePath -> [FilePath] -> [Case] -> IO [Compared]
besidePeers times programs documents cases = do
  found <- inTurn (const "a round") [1 .. times] $ \_ -> do
    theirs <- (<>) <$> says "tern-postcard" [] <*> says "tern-serde-json" documents
    ours <- forM [one | one <- cases, caseName one `elem` map what theirs] $ \one ->
      (caseName one,) . own <$> measure defaultSettings {rounds = 5} (const (pure ())) one
    pure (theirs, ours)
  let theirs = gathered [((what, by), least) | (those, _) <- found, Said {..} <- those]
      ours = gathered [(name', time') | (_, those) <- found, (name', Just time') <- those]
  pure
    [ Compared
        caseName
        caseGoal
        mine
        [(who, each) | ((name', who), each) <- Map.toList theirs, name' == caseName]
      | Case {..} <- cases,
        Just mine <- [Map.lookup caseName ours]
    ]
  where
    says name' = heard (programs </> name')
    own Result {..} = best . time <$> firstOf [row | row <- rows, part row == Own]
    firstOf = fmap NonEmpty.head . NonEmpty.nonEmpty

gathered :: (Ord k) => [(k, Double)] -> Map k (NonEmpty Double)
gathered found = Map.fromListWith (<>) [(k, pure each) | (k, each) <- found]

-- | Runs a program, and reads what it says.
heard :: (Wire a) => FilePath -> [String] -> IO [a]
heard program arguments = do
  there <- doesFileExist program
  unless there $ die ("tern-bench: " <> program <> " is not there; ./dev bench --peers builds it")
  readProcessWithExitCode program arguments "" >>= \case
    (ExitSuccess, output, _) ->
      either (die . (("tern-bench: " <> program <> ": ") <>) . T.unpack . renderFault) pure $
        sequence
          ( decodeLazy
              (decoder JsonLines defaultLimits)
              (L.fromStrict (T.encodeUtf8 (T.pack output)))
          )
    (ExitFailure _, _, complaint) -> die complaint

renderPeers :: [Compared] -> Text
renderPeers = T.unlines . columns aligns . table

-- | Markdown, with the machine and the libraries' versions.
renderPeersPage :: Machine -> Int -> Text -> [Compared] -> Text
renderPeersPage Machine {..} times versions compared =
  T.unlines
    ( markdown aligns (table compared)
        <> [ "",
             T.concat
               [ "Least CPU time, median of ",
                 T.pack (show times),
                 " rounds in which the programs and the suite run in turn. Measured with ",
                 versions,
                 "; ",
                 compiler,
                 ", ",
                 system,
                 ", ",
                 processor,
                 "."
               ]
           ]
    )

table :: [Compared] -> [[Text]]
table compared =
  ["case", "tern", "peer", "its time", "tern's, of that", "goal"]
    : [ [ name',
          duration (middle mine),
          who,
          duration (middle its),
          ratio (middle mine) (middle its),
          goal'
        ]
        | Compared name' goal' mine others <- compared,
          (who, its) <- others
      ]
  where
    middle = median . spread

aligns :: [Align]
aligns = [ToLeft, ToRight, ToLeft, ToRight, ToRight, ToLeft]
