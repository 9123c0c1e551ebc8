-- | What is known of functions of libraries.
--
-- Its one idea: some functions cost more than they look like, and each has a
-- better one beside it. What a call costs is decided by the function, by the
-- types that it is used at, by what it is given, and by how often it is called;
-- a call that costs little and runs once is nobody's affair.
--
-- Start at 'costOf'; the rules are in the modules below this one, the words in
-- "Tern.Lab.Core.Advice".
module Tern.Lab.Core.Library
  ( Cost (..),
    Called (..),
    costOf,
    weightOf,
    waits,
    runsLog,
  )
where

import Data.Maybe (listToMaybe)
import Tern.Lab.Core.Library.Call (Called (..), Rule (..))
import Tern.Lab.Core.Library.Copying (copying)
import Tern.Lab.Core.Library.Cost (Cost (..), bySize, waits, weightOf)
import Tern.Lab.Core.Library.Keeping (keeping, runsLog)
import Tern.Lab.Core.Library.Numbers (numbers)

-- | What a use costs, with how many loops it runs in; some are loops
-- themselves.
costOf :: Called -> Maybe (Cost, Int)
costOf called = listToMaybe (concatMap judged (copying <> keeping <> numbers))
  where
    loops = calledLoops called
    judged (Rule cost own applies)
      | loops + own > 0 || bySize cost, applies called = [(cost, loops + own)]
      | otherwise = []
