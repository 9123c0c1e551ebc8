{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | What the system refuses of files: said as an error that names the path, with nothing left
-- open or locked. What goes well is tried where files are written.
module Tern.Prim.DiskTest (tests) where

import Control.Exception (try)
import Control.Monad (forM_)
import Data.ByteString qualified as B
import Data.List (isPrefixOf)
import System.Directory (createDirectory, createFileLink)
import System.FilePath ((</>))
import System.IO (IOMode (..), withBinaryFile)
import System.IO.Error (ioeGetFileName, isAlreadyInUseError)
import System.IO.Temp (withSystemTempDirectory)
import Tern.Prim.Disk
  ( Found (..),
    isAt,
    likeFile,
    lockHandle,
    lockingPath,
    lookAt,
    lookHere,
    mustBeWritable,
    syncFolder,
    unlockHandle,
    writeHandle,
  )
import Tern.Testkit.Descriptors (openBelow)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "files"
    [ inFolder "what stands at a path, and what it leads to" $ \folder -> do
        writeFile (folder </> "file") ""
        createDirectory (folder </> "folder")
        forM_ [("link", "file"), ("dangling", "none"), ("circle", "circle")] $ \(name, to) ->
          createFileLink to (folder </> name)
        forM_
          [ ("none", Nowhere, Nowhere),
            ("file", RegularFile, RegularFile),
            ("folder", Folder, Folder),
            ("link", Link, RegularFile),
            ("dangling", Link, Nowhere)
          ]
          $ \(name, itself, there) -> do
            lookHere (folder </> name) >>= (@?= itself)
            lookAt (folder </> name) >>= (@?= there)
        lookAt "/dev/null" >>= (@?= Special)
        lookHere (folder </> "circle") >>= (@?= Link)
        refused (folder </> "circle") (lookAt (folder </> "circle")),
      inFolder "a path that leads to nothing" $ \folder -> do
        let none = folder </> "none"
        -- There is nobody to wait for.
        lockingPath none (pure 'a') >>= (@?= 'a')
        refused none (mustBeWritable none)
        failed (syncFolder none)
        withBinaryFile (folder </> "file") WriteMode $ \h -> do
          refused none (likeFile none h)
          isAt none h >>= (@?= False)
          isAt (folder </> "file") h >>= (@?= True),
      inFolder "a file that is open to be read alone" $ \folder -> do
        writeFile (folder </> "file") ""
        withBinaryFile (folder </> "file") ReadMode $ \h -> failed (writeHandle h (B.pack [1])),
      inFolder "a path that cannot be opened" $ \folder -> do
        createFileLink "circle" (folder </> "circle")
        refused (folder </> "circle") (lockingPath (folder </> "circle") (pure ())),
      inFolder "a file that somebody has locked" $ \folder -> do
        let file = folder </> "file"
        writeFile file ""
        withBinaryFile file ReadMode $ \h -> do
          lockHandle file h
          locked <- try (lockingPath file (pure ()))
          either isAlreadyInUseError (const False) locked @?= True
          refused file (lockingPath file (pure ()))
          withBinaryFile file ReadMode $ \other -> refused file (lockHandle file other)
          openBelow folder >>= (@?= 1)
          unlockHandle h
          lockingPath file (pure ())
        openBelow folder >>= (@?= 0)
    ]

inFolder :: String -> (FilePath -> Assertion) -> TestTree
inFolder name act = testCase name (withSystemTempDirectory "disk" act)

-- | An error of a path.
refused :: FilePath -> IO a -> Assertion
refused path act =
  try act >>= either said (const (assertFailure "not refused"))
  where
    said e = do
      ioeGetFileName e @?= Just path
      -- Words come after the path.
      assertBool (show e) (path `isPrefixOf` show e && length (show e) > length path + 10)

failed :: IO a -> Assertion
failed act = try act >>= either said (const (assertFailure "not refused"))
  where
    said :: IOError -> Assertion
    said e = assertBool "no words" (length (show e) > 10)
