{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | A plug-in in C, built by clang when the tests run, that is asked in JSON and in
-- MessagePack.
module Tern.Wasm.PluginTest
  ( tests,
  )
where

import Data.Aeson (FromJSON, ToJSON, eitherDecodeStrict, encode)
import Data.Bifunctor (first)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import System.Directory (findExecutable)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)
import Tern (Wire)
import Tern.Error (renderBinaryError)
import Tern.MessagePack (decodeMessagePack, encodeMessagePack)
import Tern.Testkit.Tally (skip)
import Tern.Wasm (defaultSettings, instantiate, load, newStore, noImports)
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Plugin (Codec (..), PluginError (..), ask, plugin, renderPluginError)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

newtype Question = Question {text :: Text}
  deriving stock (Generic)
  deriving anyclass (ToJSON, Wire)

data Answer = Answer {words :: Int, longest :: Int}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (FromJSON, Wire)

json :: Codec Question Answer
json = Codec (BL.toStrict . encode) (first T.pack . eitherDecodeStrict)

messagePack :: Codec Question Answer
messagePack =
  Codec encodeMessagePack (\bytes -> first (renderBinaryError bytes) (decodeMessagePack bytes))

tests :: IO TestTree
tests = testGroup "plug-ins" . (: [inWords]) <$> inC

inWords :: TestTree
inWords =
  testCase "what a plug-in's answer brings into an error stays on its line, and is not obeyed" $
    renderPluginError (BadAnswer "a field \"\ESC[2J\"\nof an object")
      @?= "the plug-in's answer: a field \"?[2J\"?of an object"

inC :: IO TestTree
inC =
  findExecutable "clang" >>= \case
    Nothing -> pure (skip "a plug-in in C" "clang is not installed: 1 case")
    Just _ ->
      pure . testCase "a plug-in in C, asked in JSON and in MessagePack" $
        withSystemTempDirectory "tern-wasm" $ \folder -> do
          let file = folder </> "plugin.wasm"
          (code, _, complaints) <-
            readProcessWithExitCode
              "clang"
              [ "--target=wasm32",
                "-O2",
                "-nostdlib",
                "-fno-builtin",
                "-Wl,--no-entry",
                "-o",
                file,
                "test/programs/plugin.c"
              ]
              ""
          case code of
            ExitFailure _ -> assertFailure (take 300 complaints)
            ExitSuccess -> pure ()
          m <- B.readFile file >>= load >>= orFail
          store <- newStore defaultSettings
          i <- instantiate store m noImports >>= orFail
          p <- either (assertFailure . T.unpack . renderPluginError) pure (plugin i)
          answered (Answer 4 6) =<< ask json p "count" (Question "fast codecs and terns")
          answered (Answer 1000 3)
            =<< ask json p "count" (Question (T.unwords (replicate 1000 "sea")))
          answered (Answer 4 6)
            =<< ask messagePack p "count_packed" (Question "fast codecs and terns")
          answered (Answer 100000 3)
            =<< ask messagePack p "count_packed" (Question (T.unwords (replicate 100000 "sea")))
          refused
            "the plug-in spoke of 4294967280 bytes at address 4294967280, which its memory does \
            \not have"
            =<< ask json p "lies" (Question "")
          refused "there is no export \"other\" of that kind" =<< ask json p "other" (Question "")
  where
    answered a = either (assertFailure . T.unpack . renderPluginError) (@?= a)
    refused e = either ((@?= e) . renderPluginError) (const (assertFailure "answered"))
