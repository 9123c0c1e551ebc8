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

import Data.ByteString qualified as B
import Data.List (isInfixOf)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.FilePath ((</>))
import Tern.House.Source (Module (modulePath), readCheckout)

-- | A pragma that asks for no optimisation, without the flag.
data Unoptimised = Unoptimised
  { unoptimisedPath :: FilePath,
    -- | From 1 on.
    unoptimisedLine :: Int
  }
  deriving stock (Eq, Show)

-- | Those of all Haskell sources of a checkout, but for programs that tests take as their
-- input, below @golden@.
readUnoptimised :: FilePath -> IO [Unoptimised]
readUnoptimised root = do
  paths <- filter (not . ("/golden/" `isInfixOf`)) . map modulePath <$> readCheckout root
  concat <$> mapM (\path -> unoptimisedIn path . text <$> B.readFile (root </> path)) paths
  where
    text = T.unpack . T.decodeUtf8Lenient

-- | Those of one source.
unoptimisedIn :: FilePath -> String -> [Unoptimised]
unoptimisedIn path source =
  [ Unoptimised path number
    | (number, line) <- zip [1 ..] (lines source),
      let options = words line,
      take 2 options == ["{-#", "OPTIONS_GHC"],
      "-O0" `elem` options,
      flag `notElem` options
  ]

flag :: String
flag = "-fno-ignore-interface-pragmas"

-- | In words, with what is to be done.
renderUnoptimised :: Unoptimised -> String
renderUnoptimised (Unoptimised path number) =
  concat [path, ":", show number, ": modules beside this one lose their inlining; add ", flag]
