-- | Checks the modules against the table in @ARCHITECTURE.md@, the proofs that comments cite
-- against the tests, lines against a page's width, and what is asked of the compiler, and
-- draws the modules.
--
-- > house          check, then write the pictures, docs/house*.svg
-- > house --check  check, and fail where a picture is out of date
module Main (main) where

import Control.Monad (unless)
import System.Environment (getArgs)
import System.Exit (ExitCode (..), exitWith)
import System.IO (hPutStrLn, stderr)
import Tern.House (found, readHouse, renderComplaint, stalePictures, writePictures)
import Tern.House.Proofs (readProofs, renderUnproved, unproved)
import Tern.House.Unoptimised (readUnoptimised, renderUnoptimised)
import Tern.House.Width (readWide, renderWide)

main :: IO ()
main =
  getArgs >>= \case
    [] -> checked >>= writePictures "."
    ["--check"] -> do
      stale <- stalePictures "." =<< checked
      unless
        (null stale)
        ( stop
            1
            [ path <> ": shows other modules than there are; run ./dev house"
              | path <-
                  stale
            ]
        )
    _ -> stop 2 ["expected no argument, or --check"]
  where
    checked = do
      house <- readHouse "."
      proofs <- unproved <$> readProofs "."
      wide <- readWide "."
      slow <- readUnoptimised "."
      case concat
        [ map renderComplaint (found house),
          map renderUnproved proofs,
          map renderWide wide,
          map renderUnoptimised slow
        ] of
        [] -> pure house
        wrong -> stop 1 wrong
    stop code complaint =
      mapM_ (hPutStrLn stderr . ("house: " <>)) complaint >> exitWith (ExitFailure code)
