-- | The Core of a target, to be read.
--
-- Its one idea: what the optimiser left is read beside what Template Haskell and deriving wrote.
--
-- Start at 'gatherReading'.
module Tern.Lab.Core.Reading
  ( Reading (..),
    gatherReading,
  )
where

import Control.Monad.Trans.Class (lift)
import Data.Binary (decodeOrFail)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text.Encoding qualified as T
import System.Directory (listDirectory)
import System.FilePath (takeExtension, (</>))
import Tern.Lab.Core.Code (Definition)
import Tern.Lab.Core.Facts (ModuleFacts, factsVersion)
import Tern.Lab.Core.Problem (CoreProblem)
import Tern.Lab.Core.Produced (Produced, producedIn)
import Tern.Lab.Core.Target (Target)
import Tern.Lab.Core.Workbench
  ( Build (..),
    Grain (..),
    Watched (..),
    everyFileBelow,
    watched,
  )

-- | What is needed to read a program's Core.
data Reading = Reading
  { readingModules :: ![ModuleFacts],
    -- | By unit and module, in the order of its bindings.
    readingCode :: !(Map (Text, Text) [Definition]),
    -- | What Template Haskell and deriving wrote.
    readingProduced :: ![Produced]
  }

-- | The facts and the Core itself.
gatherReading :: Build -> Target -> IO (Either CoreProblem Reading)
gatherReading build target =
  watched WholeBindings build {buildText = True} target $ \seen -> lift $ do
    let place = watchedPlace seen
    files <- filter ((== ".code") . takeExtension) <$> listDirectory (place </> "facts")
    trees <- mapM (\name -> decodedCode <$> L.readFile (place </> "facts" </> name)) files
    dumps <- everyFileBelow (place </> "dumps")
    written <-
      mapM
        (fmap T.decodeUtf8Lenient . B.readFile)
        [ f
          | f <-
              dumps,
            takeExtension f `elem` [".dump-splices", ".dump-deriv"]
        ]
    pure (Reading (watchedFacts seen) (Map.fromList (concat trees)) (concatMap producedIn written))
  where
    decodedCode bytes = case decodeOrFail bytes of
      Right (_, _, (version, unit, name, trees))
        | version == factsVersion ->
            [((unit, name), trees)]
      _ -> []
