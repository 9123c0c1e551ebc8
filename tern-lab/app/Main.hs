-- | Arguments, plan, run: the verbs that @tern-lab@ has.
module Main (main) where

import Data.Version (showVersion)
import Paths_tern_lab (version)
import System.Environment (getExecutablePath)
import System.Info (compilerName, fullCompilerVersion)
import Tern.Lab.Peak (Peaks (..))
import Tern.Lab.Verb (perform)
import Tern.Lab.Verb.Budget qualified as Budget
import Tern.Lab.Verb.Compare qualified as Compare
import Tern.Lab.Verb.Container qualified as Container
import Tern.Lab.Verb.Core qualified as Core
import Tern.Lab.Verb.Demo qualified as Demo
import Tern.Lab.Verb.Diff qualified as Diff
import Tern.Lab.Verb.Floor qualified as Floor
import Tern.Lab.Verb.Grow qualified as Grow
import Tern.Lab.Verb.History qualified as History
import Tern.Lab.Verb.List qualified as List
import Tern.Lab.Verb.Peak qualified as Peak
import Tern.Lab.Verb.Report qualified as Report
import Tern.Lab.Verb.Schema qualified as Schema

main :: IO ()
main = do
  peaks <- PeaksBy <$> getExecutablePath
  perform
    ( unwords
        [ "tern-lab",
          showVersion version
            <> ", compiled by",
          compilerName <> "-" <> showVersion fullCompilerVersion
        ]
    )
    [ Budget.acceptVerb,
      Budget.checkVerb,
      Compare.verb peaks,
      Container.verb,
      Core.verb,
      Demo.verb peaks,
      Diff.verb peaks,
      Floor.verb,
      Grow.verb,
      History.verb,
      History.mergeVerb,
      History.bisectVerb,
      List.verb,
      Peak.verb,
      Report.verb,
      Schema.verb
    ]
