{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

module Tern.Values.FileTest (tests) where

import Control.Exception (ErrorCall (..), try)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory
  ( Permissions (..),
    createFileLink,
    emptyPermissions,
    getPermissions,
    listDirectory,
    pathIsSymbolicLink,
    setOwnerExecutable,
    setOwnerReadable,
    setOwnerWritable,
    setPermissions,
  )
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Error (Error (..))
import Tern.File
  ( FileError (..),
    decodeFile,
    decodeJsonFile,
    decodeJsonLinesFile,
    encodeFile,
    encodeJsonFile,
    encodeJsonLinesFile,
    renderFileError,
    writeWhole,
  )
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "files"
    [ testCase "every format there and back, over what was there" . folder $ \dir -> do
        let path = dir </> "a"
        results <-
          mapM
            ( \format ->
                encodeFile format path value >> decodeFile format path
            )
            [minBound .. maxBound]
        names <- listDirectory dir
        (results, names) @?= (replicate 4 (Right value), ["a"]),
      testCase "an error has the file's name, and the line and column" . folder $ \dir -> do
        let path = dir </> "a.json"
        B.writeFile path "{\"a\":\n [1, tru]}"
        result <- decodeJsonFile path
        either
          (Left . T.replace (T.pack dir) "DIR" . renderFileError)
          Right
          (result :: Either FileError [Int])
          @?= Left "DIR/a.json: line 1, column 1, at $: expected an array, found \"{\\\"a\\\":\"",
      testCase
        "a fault in JSON Lines says the line's number, empty lines counted"
        . folder
        $ \dir -> do
          let path = dir </> "a.jsonl"
          B.writeFile path "[1]\n\r\n  \n[2,x]\n[3]"
          result <- decodeJsonLinesFile path
          either
            ( \e ->
                Left
                  ( errorOffset
                      (fileError e),
                    T.drop (T.length (T.pack path)) (renderFileError e)
                  )
            )
            Right
            (result :: Either FileError [[Int]])
            @?= Left (12, ": line 4, column 4, at $[1]: expected an integer, found \"x]\""),
      testCase "JSON Lines there and back" . folder $ \dir -> do
        let path = dir </> "a.jsonl"
        encodeJsonLinesFile path [value, [], value]
        bytes <- B.readFile path
        result <- decodeJsonLinesFile path
        (B.count 10 bytes, result) @?= (3, Right [value, [], value]),
      testCase "after an exception the file is as it was, and alone" . folder $ \dir -> do
        let path = dir </> "a"
        B.writeFile path "before"
        result <- try (writeWhole path (BL.fromChunks [B.replicate 100000 0, error "half"]))
        after <- B.readFile path
        names <- listDirectory dir
        (either (\(ErrorCall said) -> said) (const "written") result, after, names)
          @?= ("half", "before", ["a"]),
      testCase "permissions are kept, and a link is left as it is" . folder $ \dir -> do
        let path = dir </> "a"
            link = dir </> "link"
        B.writeFile path "before"
        setPermissions
          path
          ( setOwnerExecutable
              True
              ( setOwnerReadable
                  True
                  (setOwnerWritable True emptyPermissions)
              )
          )
        createFileLink path link
        encodeJsonFile link value
        permissions <- getPermissions path
        isLink <- pathIsSymbolicLink link
        result <- decodeJsonFile path
        (executable permissions, isLink, result) @?= (True, True, Right value)
    ]
  where
    value = [("tern", 2), ("\x1f426", -1)] :: [(Text, Int)]
    folder = withSystemTempDirectory "tern-values"
