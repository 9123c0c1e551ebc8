-- | The files that sources need beside themselves.
--
-- Its one idea: a copy of some modules compiles only with what the preprocessor reads for them
-- and with the interfaces that break their cycles. Both are named in the sources.
--
-- Start at 'beside'.
module Tern.Lab.Core.Included
  ( beside,
    includes,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Maybe (mapMaybe)
import Data.Set qualified as Set
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.Directory (doesFileExist)
import System.FilePath (normalise, takeDirectory, takeExtension, (</>))

-- | Of some sources the files that they include, and those that these include; and @.hs-boot@
-- files. An included file is looked for in the folder of the file that names it, then in the
-- folders that are given. What is not there is the compiler's own. Reads each file once.
beside :: [FilePath] -> [FilePath] -> IO [FilePath]
beside folders sources = go (Set.fromList sources) sources
  where
    go _ [] = pure []
    go seen (file : more) = do
      present <- doesFileExist file
      content <- if present then B.readFile file else pure B.empty
      found <- concat <$> mapM (firstOf file) (includes content)
      boots <- filterThere [file <> "-boot" | takeExtension file `elem` [".hs", ".lhs"]]
      let new = Set.toList (Set.fromList (found <> boots) `Set.difference` seen)
      (new <>) <$> go (Set.union seen (Set.fromList new)) (new <> more)
    firstOf file name =
      take 1 <$> filterThere [normalise (at </> name) | at <- takeDirectory file : folders]
    filterThere paths = map fst . filter snd . zip paths <$> mapM doesFileExist paths

-- $setup
-- >>> import Data.ByteString.Char8 qualified as BC

-- | What the lines of a source include, in quotes or in angle brackets.
--
-- >>> includes (BC.pack "#include \"a.h\"\n  # include <sys/b.h> /* b */\n#define c\nx = 1")
-- ["a.h","sys/b.h"]
includes :: ByteString -> [FilePath]
includes = mapMaybe (named . BC.dropSpace) . BC.lines
  where
    named row = do
      directive <- BC.dropSpace <$> B.stripPrefix (BC.pack "#") row
      rest <- BC.dropSpace <$> B.stripPrefix (BC.pack "include") directive
      (open, name) <- BC.uncons rest
      end <- lookup open [('"', '"'), ('<', '>')]
      let (inner, after) = BC.break (== end) name
      if B.null inner || B.null after
        then Nothing
        else Just (T.unpack (T.decodeUtf8Lenient inner))
