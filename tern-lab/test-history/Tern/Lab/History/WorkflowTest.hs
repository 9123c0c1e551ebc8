-- | The workflow that is ready to be copied, with a program in the place of GitHub's.
module Tern.Lab.History.WorkflowTest (tests) where

import Data.List (isInfixOf, isPrefixOf)
import Data.Maybe (fromMaybe)
import System.Directory (doesFileExist)
import System.Environment (getEnvironment)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (CreateProcess (..), callProcess, proc, readCreateProcessWithExitCode)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "workflows"
    [ testCaseInfo "a comment is posted once, and changed after that" posted
    ]

posted :: IO String
posted = do
  there <- doesFileExist workflow
  if not there
    then pure "skipped: the workflow is in the repository, not in the package"
    else do
      script <- stepNamed "one comment" <$> readFile workflow
      assertBool "a step" (not (null script))
      withSystemTempDirectory "workflow" $ \folder -> do
        writeFile (folder </> "comment.md") "**worse** | `a` \"b\" $HOME\n"
        writeFile (folder </> "step.sh") (unlines script)
        -- It answers a listing with what is in "old", and keeps what it is told to post.
        writeFile
          (folder </> "gh")
          "#!/bin/sh\ncase \"$*\" in *--paginate*) cat old ;; *) echo \"$*\" >> calls; cat \
          \body.md >> sent ;; esac\n"
        callProcess "chmod" ["+x", folder </> "gh"]
        writeFile (folder </> "old") ""
        run folder
        writeFile (folder </> "old") "17\n18\n"
        run folder
        calls <- lines <$> readFile (folder </> "calls")
        map (unwords . take 4 . words) calls
          @?= [ "api --method POST repos/o/r/issues/5/comments",
                "api --method PATCH repos/o/r/issues/comments/17"
              ]
        sent <- readFile (folder </> "sent")
        assertBool
          sent
          ( "<!-- tern-lab check -->\n\n**worse** | `a` \"b\" $HOME\n"
              `isInfixOf` sent
          )
        pure ""
  where
    workflow = "../docs/how-to/check-github-actions.yml"
    run folder = do
      inherited <- getEnvironment
      let path = fromMaybe "" (lookup "PATH" inherited)
          given = [("PATH", folder <> ":" <> path), ("REPOSITORY", "o/r"), ("NUMBER", "5")]
      (code, _, err) <-
        readCreateProcessWithExitCode
          (proc "bash" ["-e", "step.sh"])
            { cwd = Just folder,
              env = Just (given <> filter ((`notElem` map fst given) . fst) inherited)
            }
          ""
      assertEqual err ExitSuccess code

-- | The lines of a step's script, without what they are indented by.
stepNamed :: String -> String -> [String]
stepNamed name text =
  case dropWhile (not . isInfixOf ("name: " <> name)) (lines text) of
    _ : rest -> case dropWhile (not . isInfixOf "run: |") rest of
      _ : script -> map (drop 10) (takeWhile (isPrefixOf "          ") script)
      [] -> []
    [] -> []
