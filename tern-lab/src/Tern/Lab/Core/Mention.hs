{-# LANGUAGE OverloadedStrings #-}

-- | What the source of each binding calls.
--
-- Its one idea: a change of the source is the surest cause of a change in a run. What the
-- optimiser left may differ in a hundred ways that follow from it.
--
-- Start at 'mentionsOf'.
module Tern.Lab.Core.Mention
  ( Mentions,
    mentionsOf,
    mentioned,
    costly,
  )
where

import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts (Global (..), ModuleFacts (..), SourceCall (..), Use (..))
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..))
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Index (sourceName)
import Tern.Lab.Core.Library (Cost)

-- | By module and binding.
data Mentions = Mentions
  { mentionsAll :: !(Map (Text, Text) (Set Text)),
    mentionsCostly :: !(Map (Text, Text) (Map Text Cost))
  }

-- | Of a program.
mentionsOf :: [ModuleFacts] -> Mentions
mentionsOf modules =
  Mentions
    { mentionsAll =
        Map.fromListWith
          (<>)
          [ ((factsModule m, sourceName binding), Set.singleton name)
            | m <- modules,
              (binding, name) <-
                [(useBinding u, globalName (useCallee u)) | u <- factsUses m]
                  <> [(callFrom c, globalName (callTo c)) | c <- factsCalls m],
              not ("$" `T.isPrefixOf` name)
          ],
      mentionsCostly =
        Map.fromListWith
          Map.union
          [ ((findingModule f, sourceName (findingBinding f)), Map.singleton callee cost)
            | f <- findings modules,
              CallsLibrary callee cost <- [findingKind f]
          ]
    }

-- | The functions that a binding calls, without their modules.
mentioned :: Mentions -> (Text, Text) -> Set Text
mentioned m name = Map.findWithDefault Set.empty name (mentionsAll m)

-- | Those of libraries that cost more than they look like.
costly :: Mentions -> (Text, Text) -> Map Text Cost
costly m name = Map.findWithDefault Map.empty name (mentionsCostly m)
