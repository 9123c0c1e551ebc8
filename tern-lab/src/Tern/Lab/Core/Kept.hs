-- | The facts that a build left in a folder.
--
-- Its one idea: a file of another version of the laboratory is none, and a place is named as it
-- is from where we stand.
--
-- Start at 'readFacts'.
module Tern.Lab.Core.Kept (readFacts) where

import Data.Binary (decodeOrFail)
import Data.ByteString.Lazy qualified as L
import Data.Either (partitionEithers)
import Data.List (sort)
import Data.Text qualified as T
import System.Directory (listDirectory, makeRelativeToCurrentDirectory)
import System.FilePath (isAbsolute, normalise, takeExtension, (</>))
import Tern.Lab.Core.Facts
  ( Binding (..),
    Generated (..),
    LocalCall (..),
    ModuleFacts (..),
    Part (..),
    Place (..),
    Spot (..),
    Use (..),
    factsVersion,
  )
import Tern.Lab.Core.Problem (CoreProblem, guarded)

-- | The facts in a folder, in order of the modules' names, with places as they
-- are called from here. Files of another version of the laboratory are left out.
readFacts :: FilePath -> IO (Either CoreProblem [ModuleFacts])
readFacts folder = guarded folder $ do
  names <- sort . filter ((== ".facts") . takeExtension) <$> listDirectory folder
  (_, facts) <- partitionEithers <$> mapM one names
  Right <$> mapM seenFromHere facts
  where
    one name = do
      bytes <- L.readFile (folder </> name)
      pure $ case decodeOrFail bytes of
        Right (rest, _, version) | version == factsVersion -> case decodeOrFail rest of
          Right (_, _, facts) -> Right facts
          Left (_, _, message) -> Left message
        _ -> Left "another version"

-- | GHC names a source as the build tool did, from the package's folder.
seenFromHere :: ModuleFacts -> IO ModuleFacts
seenFromHere facts = do
  near <- makeRelativeToCurrentDirectory (T.unpack (factsFolder facts))
  let named file
        | T.null file || isAbsolute (T.unpack file) = file
        | otherwise = T.pack (normalise (near </> T.unpack file))
      moved place = place {placeFile = named (placeFile place)}
      spot s = s {spotPlace = moved <$> spotPlace s}
      use u = u {usePlace = moved <$> usePlace u}
      part p = p {partPlace = moved <$> partPlace p}
      called = fmap (fmap moved)
      local c = LocalCall (called (localFrom c)) (called (localTo c))
      binding b =
        b
          { bindingPlace = moved <$> bindingPlace b,
            bindingParts = map part (bindingParts b),
            bindingSpots = map spot (bindingSpots b)
          }
  pure
    facts
      { factsSource =
          named (factsSource facts),
        factsGenerated =
          (\g -> g {generatedFrom = named (generatedFrom g)}) <$> factsGenerated facts,
        factsUses = map use (factsUses facts),
        factsLocals = map local (factsLocals facts),
        factsBindings = map binding (factsBindings facts)
      }
