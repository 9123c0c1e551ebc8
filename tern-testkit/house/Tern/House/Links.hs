-- | Links between the pages of a checkout, and those that lead nowhere.
module Tern.House.Links
  ( Link (..),
    readLinks,
    linksOf,
    packagePages,
    renderLink,
    broken,
  )
where

import Control.Monad (filterM)
import Data.ByteString qualified as B
import Data.List (isPrefixOf, sort)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.Directory (doesDirectoryExist, doesFileExist, doesPathExist, listDirectory)
import System.FilePath.Posix (takeDirectory, takeExtension, (</>))

-- | From a page to another file of the checkout.
data Link = Link
  { linkPage :: FilePath,
    -- | As the page says it, without the part after @#@.
    linkTarget :: FilePath
  }
  deriving stock (Eq, Ord, Show)

-- | The links of all pages at the root, of the packages, and below @docs@.
readLinks :: FilePath -> IO [Link]
readLinks root = do
  pages <- concat <$> sequence [markdown ".", packagePages root, below "docs"]
  concat
    <$> mapM
      ( \page ->
          linksOf page . T.unpack . T.decodeUtf8Lenient <$> B.readFile (root </> page)
      )
      (sort pages)
  where
    markdown folder =
      map (folder </>) . filter ((== ".md") . takeExtension) <$> listDirectory (root </> folder)
    below folder = do
      names <- map (folder </>) <$> listDirectory (root </> folder)
      deeper <-
        concat
          <$> mapM
            ( \name ->
                doesDirectoryExist (root </> name) >>= \is ->
                  if is
                    then below name
                    else pure []
            )
            names
      (<> deeper) <$> markdown folder

-- | The pages of packages.
packagePages :: FilePath -> IO [FilePath]
packagePages root = do
  folders <-
    (<>) <$> listDirectory root <*> (map ("examples" </>) <$> listDirectory (root </> "examples"))
  filterM (doesFileExist . (root </>)) (sort (map (</> "README.md") folders))

-- | The links of one page to files: targets in round brackets after a label in
-- square ones.
linksOf :: FilePath -> String -> [Link]
linksOf page text = case text of
  ']' : '(' : rest
    | (target, ')' : after) <- break (`elem` ")\n") rest ->
        [Link page (takeWhile (/= '#') target) | local target] <> linksOf page after
  _ : rest -> linksOf page rest
  [] -> []
  where
    local target = not (any (`isPrefixOf` target) ["http:", "https:", "mailto:", "#"])

-- | Those whose target is not there.
broken :: FilePath -> [Link] -> IO [Link]
broken root links = concat <$> mapM check links
  where
    check link = do
      there <- doesPathExist (root </> takeDirectory (linkPage link) </> linkTarget link)
      pure [link | not there]

-- | One line: where, what was expected, what to do.
renderLink :: Link -> String
renderLink Link {..} = concat [linkPage, ": the link to ", linkTarget, " leads nowhere; mend it"]
