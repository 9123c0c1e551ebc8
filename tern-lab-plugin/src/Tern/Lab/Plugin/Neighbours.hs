-- | What is known of the modules that a module calls.
--
-- Its one idea: facts lie beside GHC's interfaces and live as long. A module that GHC does not
-- compile again is explained by what was written when it did.
--
-- Start at 'neighbours'.
module Tern.Lab.Plugin.Neighbours
  ( keep,
    neighbours,
  )
where

import Control.Exception (IOException, try)
import Data.Binary (decodeOrFail, encode)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.List (stripPrefix)
import Data.Maybe (catMaybes, mapMaybe)
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (createDirectoryIfMissing, renameFile)
import System.FilePath (dropExtension, splitDirectories, takeDirectory, (<.>), (</>))
import System.FilePath qualified as FilePath
import Tern.Lab.Core.Facts
  ( Binding (..),
    Callee (..),
    Global (..),
    ModuleFacts (..),
    SourceCall (..),
    Spot (..),
    factsVersion,
  )
import Tern.Lab.Core.Index (calleeOf)

-- | Beside this interface.
keep :: FilePath -> ModuleFacts -> IO ()
keep interface facts = do
  createDirectoryIfMissing True (takeDirectory file)
  L.writeFile (file <.> "part") (encode factsVersion <> encode facts)
  renameFile (file <.> "part") file
  where
    file = factsFile (dropExtension interface)

-- | Of the modules of the same unit that one calls, as far as they have left facts.
neighbours :: FilePath -> ModuleFacts -> IO [ModuleFacts]
neighbours interface facts = case rootOf interface (factsModule facts) of
  Nothing -> pure []
  Just root -> do
    found <- mapM (read' . factsFile . (root </>) . pathOf) (Set.toList (called facts))
    pure [f | f <- catMaybes found, factsUnit f == factsUnit facts]
  where
    read' file = do
      content <- try (B.readFile file)
      pure (either absent (decoded . L.fromStrict) content)
    absent :: IOException -> Maybe ModuleFacts
    absent _ = Nothing

-- | Nothing where another version of this package wrote it.
decoded :: L.ByteString -> Maybe ModuleFacts
decoded content = case decodeOrFail content of
  Right (rest, _, version)
    | version == factsVersion,
      Right (_, _, facts) <- decodeOrFail rest ->
        Just facts
  _ -> Nothing

called :: ModuleFacts -> Set Text
called facts =
  Set.delete
    (factsModule facts)
    ( Set.fromList
        [ globalModule g
          | g <- map callTo (factsCalls facts) <> mapMaybe left spots,
            globalUnit g == factsUnit facts
        ]
    )
  where
    spots = concatMap bindingSpots (factsBindings facts)
    left spot = case calleeOf (spotSight spot) of
      Just (CalleeGlobal g) -> Just g
      Just (CalleeHere _) -> Nothing
      Nothing -> Nothing

-- | The folder that interfaces of a unit lie below, given one of them and its module.
rootOf :: FilePath -> Text -> Maybe FilePath
rootOf interface name =
  FilePath.joinPath . reverse
    <$> stripPrefix
      (reverse (splitDirectories (pathOf name)))
      (reverse (splitDirectories (dropExtension interface)))

pathOf :: Text -> FilePath
pathOf = FilePath.joinPath . map T.unpack . T.splitOn (T.pack ".")

factsFile :: FilePath -> FilePath
factsFile = (<.> "tern-facts")
