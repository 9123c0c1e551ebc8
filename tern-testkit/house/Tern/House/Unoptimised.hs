-- | Modules that are compiled without optimisation beside others that are.
--
-- Such a module reads interfaces without what is to be inlined of them, and GHC keeps an
-- interface for all modules that it compiles in one go: whichever comes after it is hardly
-- optimised either (docs/decisions/123). A flag says that it reads them whole.
--
-- Start at 'readUnoptimised'.
module Tern.House.Unoptimised
  ( Unoptimised (..),
    readUnoptimised,
    unoptimisedIn,
    renderUnoptimised,
  )
where

import System.FilePath (takeExtension)
import Tern.House.Source (readOptions, readOwn)

-- | A pragma, or a line of a file of options, that asks for no optimisation, without the flag.
data Unoptimised = Unoptimised
  { unoptimisedPath :: FilePath,
    -- | From 1 on.
    unoptimisedLine :: Int
  }
  deriving stock (Eq, Show)

-- | Those of all Haskell sources and files of options of a checkout.
readUnoptimised :: FilePath -> IO [Unoptimised]
readUnoptimised root =
  concatMap (uncurry unoptimisedIn) <$> ((<>) <$> readOwn root <*> readOptions root)

-- | Those of one source, or of one file of options.
unoptimisedIn :: FilePath -> String -> [Unoptimised]
unoptimisedIn path source =
  [ Unoptimised path number
    | (number, line) <- zip [1 ..] (lines source),
      let options = words line,
      take 2 options == ["{-#", "OPTIONS_GHC"] || takeExtension path == ".options",
      "-O0" `elem` options,
      flag `notElem` options
  ]

flag :: String
flag = "-fno-ignore-interface-pragmas"

-- | In words, with what is to be done.
renderUnoptimised :: Unoptimised -> String
renderUnoptimised (Unoptimised path number) =
  concat [path, ":", show number, ": modules beside this one lose their inlining; add ", flag]
