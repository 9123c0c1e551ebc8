{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Other implementations of a format, which are programs: they read what Tern
-- writes, and Tern reads what they write.
module Tern.Peer
  ( Peer (..),
    python,
    built,
    there,
  )
where

import Control.Monad (when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text qualified as T
import System.Directory (findExecutable)
import System.Environment (lookupEnv)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)
import Tern.Error (Error, renderBinaryError)
import Test.QuickCheck (Gen, vectorOf)
import Test.QuickCheck.Gen (unGen)
import Test.QuickCheck.Random (mkQCGen)
import Test.Tasty
import Test.Tasty.HUnit

-- | Another implementation.
data Peer = Peer
  { -- | What is said where it is not there.
    unavailable :: String,
    -- | The program and its first arguments, where it is there. It reads the file
    -- that is named next, and writes the one after that.
    command :: IO (Maybe (FilePath, [String])),
    -- | Does it write each value as Tern does?
    sameBytes :: Bool
  }

-- | A module of Python, and a script that has the files in @sys.argv@.
python :: String -> [String] -> Peer
python name script = Peer ("Python's " <> name <> " is not installed") found False
  where
    found =
      findExecutable "python3" >>= \case
        Nothing -> pure Nothing
        Just program ->
          ( \(code, _, _) ->
              if code == ExitSuccess
                then Just (program, ["-c", unlines script])
                else Nothing
          )
            <$> readProcessWithExitCode program ["-c", "import " <> name] ""

-- | A program of ours (@test\/peers@) that an environment variable names where it was
-- built, and its first argument.
built :: String -> String -> String -> Peer
built variable what argument =
  Peer
    ( variable
        <> " does not name a program with "
        <> what
        <> " (tern/test/peers)"
    )
    (fmap (,[argument]) <$> lookupEnv variable)
    True

-- | A thousand values to a peer and back.
there ::
  (Eq a) =>
  Peer ->
  TestName ->
  ([a] -> ByteString) ->
  (ByteString -> Either Error [a]) ->
  Gen a ->
  TestTree
there peer name encode decode gen =
  testCaseInfo name $
    command peer >>= \case
      Nothing -> pure ("skipped: " <> unavailable peer <> ", 0 cases ran")
      Just (program, arguments) -> withSystemTempDirectory "tern" $ \folder -> do
        let values = unGen (vectorOf 1000 gen) (mkQCGen 7) 20
            input = encode values
        B.writeFile (folder </> "in") input
        (code, _, complaint) <-
          readProcessWithExitCode program (arguments <> [folder </> "in", folder </> "out"]) ""
        assertEqual complaint ExitSuccess code
        back <- B.readFile (folder </> "out")
        when (sameBytes peer) $ assertBool "other bytes came back" (back == input)
        case decode back of
          Left failure -> assertFailure (T.unpack (renderBinaryError back failure))
          Right found -> do
            length found @?= length values
            assertBool "other values came back" (found == values)
            pure (show (length found) <> " cases ran")
