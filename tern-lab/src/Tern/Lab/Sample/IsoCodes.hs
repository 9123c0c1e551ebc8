-- | How the documents of iso-codes name their fields.
--
-- A field whose name is a keyword of Haskell has an underscore at its end in
-- the program. The list of a document is named after its standard, which is no
-- name in Haskell at all. What is not there is left away.
module Tern.Lab.Sample.IsoCodes
  ( wireOptions,
    aesonOptions,
  )
where

import Data.Aeson qualified as Aeson
import Data.List (stripPrefix)
import Tern.Derive qualified as Tern

-- | For Tern's deriving: fields have the documents' names, and 'Nothing' has no member.
wireOptions :: Tern.Options
wireOptions =
  Tern.defaultOptions {Tern.fieldLabelModifier = inDocument, Tern.omitNothingFields = True}

-- | The same for aeson's.
aesonOptions :: Aeson.Options
aesonOptions =
  Aeson.defaultOptions {Aeson.fieldLabelModifier = inDocument, Aeson.omitNothingFields = True}

inDocument :: String -> String
inDocument name = case stripPrefix "entries_of_" name of
  Just standard -> map (\c -> if c == '_' then '-' else c) standard
  Nothing -> reverse (dropWhile (== '_') (reverse name))
