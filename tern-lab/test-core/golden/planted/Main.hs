-- | The planted set: leaks that the tests must see, and code beside them that
-- must not be spoken of. An argument MODULE.NAME runs one of them.
module Main (main) where

import Boxes qualified
import Copies qualified
import Defaults qualified
import Helpers qualified
import LazyContainers qualified
import LazyFields qualified
import LazyState qualified
import Lists qualified
import Logs qualified
import Overloaded qualified
import Registers qualified
import Rounds qualified
import Shapes qualified
import Specialised qualified
import SpecialisedCured qualified
import Strangers qualified
import Strings qualified
import System.Environment (getArgs)
import Variants qualified

main :: IO ()
main = getArgs >>= mapM_ (\name -> maybe (error name) id (lookup name every))

every :: [(String, IO ())]
every =
  concat
    [ named "Boxes" Boxes.runs,
      named "Copies" Copies.runs,
      named "Defaults" Defaults.runs,
      named "Helpers" Helpers.runs,
      named "LazyContainers" LazyContainers.runs,
      named "LazyFields" LazyFields.runs,
      named "LazyState" LazyState.runs,
      named "Lists" Lists.runs,
      named "Logs" Logs.runs,
      named "Overloaded" Overloaded.runs,
      named "Registers" Registers.runs,
      named "Rounds" Rounds.runs,
      named "Shapes" Shapes.runs,
      named "Specialised" Specialised.runs,
      named "Specialised" SpecialisedCured.runs,
      named "Strangers" Strangers.runs,
      named "Strings" Strings.runs,
      named "Variants" Variants.runs
    ]
  where
    named m runs = [(m <> "." <> name, run) | (name, run) <- runs]
