{-# LANGUAGE TemplateHaskell #-}

-- | The source of the compiler plugin, as it was when this was compiled.
--
-- Its one idea: a plugin works in the one GHC alone that it was compiled by, and the
-- laboratory meets many; so its source goes where the laboratory goes.
module Tern.Lab.Core.PluginSource
  ( sources,
  )
where

import Data.Text (Text)
import Tern.Lab.Embed (embedText)

-- | Path and text of each module.
sources :: [(FilePath, Text)]
sources =
  [ ("Tern/Lab/Core/Code.hs", $(embedText "facts/Tern/Lab/Core/Code.hs")),
    ("Tern/Lab/Core/Facts.hs", $(embedText "facts/Tern/Lab/Core/Facts.hs")),
    ("Tern/Lab/Core/Fused.hs", $(embedText "facts/Tern/Lab/Core/Fused.hs")),
    ("Tern/Lab/Core/Plugin/Compat.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Compat.hs")),
    ("Tern/Lab/Core/Facts/Generated.hs", $(embedText "facts/Tern/Lab/Core/Facts/Generated.hs")),
    ("Tern/Lab/Core/Generator.hs", $(embedText "facts/Tern/Lab/Core/Generator.hs")),
    ("Tern/Lab/Core/Generator/Brace.hs", $(embedText "facts/Tern/Lab/Core/Generator/Brace.hs")),
    ("Tern/Lab/Core/Generator/Line.hs", $(embedText "facts/Tern/Lab/Core/Generator/Line.hs")),
    ( "Tern/Lab/Core/Plugin/Provenance.hs",
      $(embedText "plugin/Tern/Lab/Core/Plugin/Provenance.hs")
    ),
    ("Tern/Lab/Core/Facts/Name.hs", $(embedText "facts/Tern/Lab/Core/Facts/Name.hs")),
    ("Tern/Lab/Core/Facts/Use.hs", $(embedText "facts/Tern/Lab/Core/Facts/Use.hs")),
    ("Tern/Lab/Core/Plugin/Chosen.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Chosen.hs")),
    ("Tern/Lab/Core/Plugin/Clock.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Clock.hs")),
    ("Tern/Lab/Core/Plugin/Arity.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Arity.hs")),
    ("Tern/Lab/Core/Plugin/Applied.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Applied.hs")),
    ("Tern/Lab/Core/Plugin/Awaited.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Awaited.hs")),
    ("Tern/Lab/Core/Plugin/Handed.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Handed.hs")),
    ("Tern/Lab/Core/Plugin/Looked.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Looked.hs")),
    ("Tern/Lab/Core/Plugin/Noted.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Noted.hs")),
    ("Tern/Lab/Core/Plugin/Object.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Object.hs")),
    ("Tern/Lab/Core/Plugin/Owners.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Owners.hs")),
    ("Tern/Lab/Core/Plugin/OwnLoops.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/OwnLoops.hs")),
    ("Tern/Lab/Core/Plugin/Roles.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Roles.hs")),
    ("Tern/Lab/Core/Plugin/Seen.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Seen.hs")),
    ("Tern/Lab/Core/Plugin/Stayed.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Stayed.hs")),
    ("Tern/Lab/Core/Plugin/Tally.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Tally.hs")),
    ("Tern/Lab/Core/Plugin/Users.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Users.hs")),
    ("Tern/Lab/Core/Plugin/Value.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Value.hs")),
    ("Tern/Lab/Core/Plugin/Shape.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Shape.hs")),
    ("Tern/Lab/Core/Plugin/Mark.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Mark.hs")),
    ("Tern/Lab/Core/Plugin/Calls.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Calls.hs")),
    ("Tern/Lab/Core/Plugin/Count.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Count.hs")),
    ("Tern/Lab/Core/Plugin/Last.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Last.hs")),
    ("Tern/Lab/Core/Plugin/Walk.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Walk.hs")),
    ("Tern/Lab/Core/Plugin/Read.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Read.hs")),
    ("Tern/Lab/Core/Plugin/Renders.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Renders.hs")),
    ("Tern/Lab/Core/Plugin/Rounds.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Rounds.hs")),
    ("Tern/Lab/Core/Plugin/Enclosed.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Enclosed.hs")),
    ( "Tern/Lab/Core/Plugin/Lengthened.hs",
      $(embedText "plugin/Tern/Lab/Core/Plugin/Lengthened.hs")
    ),
    ("Tern/Lab/Core/Plugin/Parted.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Parted.hs")),
    ("Tern/Lab/Core/Plugin/Given.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Given.hs")),
    ("Tern/Lab/Core/Plugin/Erring.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Erring.hs")),
    ("Tern/Lab/Core/Plugin/Uses.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Uses.hs")),
    ("Tern/Lab/Core/Plugin/Exposed.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Exposed.hs")),
    ("Tern/Lab/Core/Plugin/Gather.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Gather.hs")),
    ("Tern/Lab/Core/Plugin.hs", $(embedText "plugin/Tern/Lab/Core/Plugin.hs"))
  ]
