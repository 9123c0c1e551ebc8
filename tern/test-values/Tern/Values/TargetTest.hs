{-# LANGUAGE OverloadedStrings #-}
-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | What becomes of whatever stands at the path that a file is written to.
--
-- The idea: every writer of the library is tried with everything that may be there, by one
-- table. What only another user, or a disk without room, would meet is tried by this
-- program once more, as a writer that says what it was told.
module Tern.Values.TargetTest (tests, orWriter) where

import Control.Concurrent (threadDelay)
import Control.Exception (IOException, try)
import Control.Monad (forM_, unless, void, when)
import Data.Bits ((.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.List (isInfixOf)
import Data.Text qualified as T
import System.Directory (createDirectory, doesDirectoryExist, doesPathExist, listDirectory)
import System.Environment (getEnvironment, getExecutablePath, lookupEnv)
import System.Exit (ExitCode (..), exitWith)
import System.FilePath ((</>))
import System.IO (IOMode (..), hPutStrLn, stderr, withBinaryFile)
import System.IO.Error (isFullError)
import System.IO.Temp (withSystemTempDirectory, withTempDirectory)
import System.Posix.Files
  ( characterSpecialMode,
    createDevice,
    createLink,
    createNamedPipe,
    createSymbolicLink,
    fileGroup,
    fileMode,
    fileOwner,
    getFileStatus,
    getSymbolicLinkStatus,
    isCharacterDevice,
    isNamedPipe,
    isSocket,
    readSymbolicLink,
    setFileMode,
    setOwnerAndGroup,
    socketMode,
  )
import System.Posix.Types (FileMode)
import System.Posix.User (getEffectiveUserID, setGroupID, setGroups, setUserID)
import System.Process (CreateProcess (..), StdStream (..), proc, waitForProcess, withCreateProcess)
import Tern.Container
  ( Durability (..),
    Finding (..),
    Often (..),
    Reach (..),
    Sink (..),
    Tail (..),
    appendContainerFile,
    containerDecoder,
    decodeContainer,
    defaultBlocks,
    defaultBounds,
    defaultSettings,
    recoverContainerFile,
    renderFault,
    resumeDurably,
    whenFull,
    writeContainerFile,
    writeDurably,
  )
import Tern.File (Format (..), canWriteWhole, encodeFile, encodeJsonFile, encodeJsonLinesFile)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

-- | A way to write 'values' to a path.
data Writer = Writer
  { called :: String,
    writes :: FilePath -> IO ()
  }

writers :: [Writer]
writers =
  [ Writer "a value" (\path -> encodeFile MessagePack path values),
    Writer "a JSON file" (`encodeJsonFile` values),
    Writer "JSON Lines" (`encodeJsonLinesFile` values),
    Writer "a container" (\path -> writeContainerFile defaultBlocks path (`mapM_` values)),
    Writer
      "a container, to the disk"
      ( \path ->
          writeDurably
            (Durability (EachElements 50000) ToDisk)
            defaultBlocks
            path
            (\sink -> mapM_ (put sink) values)
      ),
    Writer "a container, recovered" recovered
  ]
  where
    recovered path = withSystemTempDirectory "tern-source" $ \dir -> do
      writeContainerFile defaultBlocks (dir </> "source") (`mapM_` values)
      recoverContainerFile defaultBounds Nothing (dir </> "source") path
        >>= either (assertFailure . T.unpack . renderFault) (const (pure ()))

-- | Enough for a pipe to be full of.
values :: [Int]
values = [0 .. 99999]

tests :: TestTree
tests =
  testGroup
    "what stands at a path"
    [ testGroup
        called
        [ inFolder "nothing" $ \path -> do
            writes path
            isWritten path
            aloneIn path ["a"],
          inFolder "a regular file, with permissions" $ \path -> do
            B.writeFile path "before"
            setFileMode path 0o640
            writes path
            isWritten path
            modeOf path >>= (@?= 0o640)
            aloneIn path ["a"],
          inFolder "a link to a file in another folder" $ \path -> do
            createDirectory (path <> "-other")
            let target = path <> "-other/target"
            B.writeFile target "before"
            setFileMode target 0o600
            createSymbolicLink "a-other/target" path
            writes path
            readSymbolicLink path >>= (@?= "a-other/target")
            isWritten target
            modeOf target >>= (@?= 0o600)
            listDirectory (path <> "-other") >>= (@?= ["target"]),
          inFolder "links that lead to nothing yet" $ \path -> do
            createSymbolicLink "b" path
            createSymbolicLink "c" (beside path "b")
            writes path
            readSymbolicLink path >>= (@?= "b")
            readSymbolicLink (beside path "b") >>= (@?= "c")
            isWritten (beside path "c")
            aloneIn path ["a", "b", "c"],
          inFolder "a link into a folder that is not there" $ \path -> do
            createSymbolicLink "nowhere/b" path
            refused writes path "does not exist"
            aloneIn path ["a"],
          inFolder "links in a circle" $ \path -> do
            createSymbolicLink "b" path
            createSymbolicLink "a" (beside path "b")
            refused writes path "ymbolic link"
            readSymbolicLink path >>= (@?= "b")
            aloneIn path ["a", "b"],
          inFolder "a folder" $ \path -> do
            createDirectory path
            refused writes path "it is a folder"
            aloneIn path ["a"],
          inFolder "a socket" $ \path -> do
            createDevice path (socketMode .|. 0o666) 0
            refused writes path "nobody reads it"
            getSymbolicLinkStatus path >>= (@? "it is no socket any more") . isSocket
            aloneIn path ["a"],
          inFolder "a pipe that nobody reads" $ \path -> do
            createNamedPipe path 0o666
            refused writes path "nobody reads it"
            isPipe path,
          inFolder "a pipe that somebody reads" $ \path -> do
            createNamedPipe path 0o666
            withCreateProcess
              ( proc
                  "sh"
                  ["-c", "exec cat \"$0\" > \"$0-read\"", path]
              )
              $ \_ _ _ reader -> do
                soon (writes path)
                isPipe path
                waitForProcess reader >>= (@?= ExitSuccess)
            isWritten (path <> "-read"),
          withDevice "a device that takes all" 3 $ \device path -> forM_ [device, path] $ \to -> do
            writes to
            isDevice device
            readSymbolicLink path >>= (@?= device),
          withDevice "a device that is full" 7 $ \device path -> forM_ [device, path] $ \to -> do
            result <- try (writes to)
            either isFullError (const False) result @? show result
            isDevice device
            readSymbolicLink path >>= (@?= device),
          inFolder "a file of several names: the others keep what they had" $ \path -> do
            B.writeFile path "before"
            createLink path (beside path "b")
            writes path
            isWritten path
            B.readFile (beside path "b") >>= (@?= "before"),
          inFolder "a file of another owner, written by root" . asRoot $ \path -> do
            B.writeFile path "before"
            setOwnerAndGroup path 1234 4321
            setFileMode path 0o4750
            writes path
            status <- getFileStatus path
            (fileOwner status, fileGroup status, fileMode status .&. 0o7777)
              @?= (1234, 4321, 0o4750),
          inFolder "its standard output, a pipe" $ \path -> do
            createSymbolicLink "/proc/self/fd/1" path
            (code, out, err) <- again [] called path
            (code, err) @?= (ExitSuccess, "")
            isWhole out,
          inFolder "its standard output, a file that has something" $ \path -> do
            B.writeFile (beside path "b") "before\n"
            createSymbolicLink "/proc/self/fd/1" path
            (code, _, err) <- again ["exec >>" <> beside path "b"] called path
            (code, err) @?= (ExitSuccess, "")
            bytes <- B.readFile (beside path "b")
            B.take 7 bytes @?= "before\n"
            isWhole (B.drop 7 bytes),
          inFolder "a disk that is full" $ \path -> do
            B.writeFile path "before"
            (code, _, err) <- again ["trap '' XFSZ", "ulimit -f 8"] called path
            (code, "File too large" `isInfixOf` BC.unpack err) @?= (ExitFailure 1, True)
            B.readFile path >>= (@?= "before")
            aloneIn path ["a"],
          inFolder "a file without permission to write, in a folder that has it" $ \path -> do
            B.writeFile path "before"
            setFileMode path 0o444
            byNobody called path >>= told "ermission denied"
            B.readFile path >>= (@?= "before")
            aloneIn path ["a"],
          inFolder "a folder without permission to write" $ \path -> do
            B.writeFile path "before"
            setFileMode path 0o666
            setFileMode (beside path "") 0o555
            result <- byNobody called path
            setFileMode (beside path "") 0o777
            told "ermission denied" result
            B.readFile path >>= (@?= "before")
            aloneIn path ["a"],
          inFolder "a file of another owner, written by somebody" $ \path -> do
            B.writeFile path "before"
            setFileMode path 0o6706
            (code, _, err) <- byNobody called path
            (code, err) @?= (ExitSuccess, "")
            isWritten path
            -- The group is another one now, and may do what everybody might.
            root <- (== 0) <$> getEffectiveUserID
            modeOf path >>= (@?= if root then 0o766 else 0o6706)
        ]
      | Writer {called, writes} <- writers
    ]
    `also` [ testCase
               "whether a file can be written is found without touching it"
               . folder
               $ \dir -> do
                 let path = dir </> "a"
                 canWriteWhole path
                 listDirectory dir >>= (@?= [])
                 B.writeFile path "before"
                 canWriteWhole path
                 B.readFile path >>= (@?= "before")
                 createDirectory (dir </> "b")
                 refused canWriteWhole (dir </> "b") "it is a folder"
                 refused canWriteWhole (dir </> "c/d") "does not exist"
                 listDirectory (dir </> "b") >>= (@?= []),
             testGroup
               "the name that a container has while it is written"
               [ testCase what . folder $ \dir -> do
                   B.writeFile (dir </> "other") "before"
                   make (dir </> "a.part")
                   refused (writes container) (dir </> "a") "it is no regular file"
                   B.readFile (dir </> "other") >>= (@?= "before")
                   doesPathExist (dir </> "a") >>= (@?= False)
                 | container <- filter (isInfixOf "container" . called) writers,
                   (what, make) <-
                     [ ( called container
                           <> ", a link",
                         createSymbolicLink "other"
                       ),
                       (called container <> ", a pipe", (`createNamedPipe` 0o666))
                     ]
               ],
             testCase "nothing is appended to what is no regular file" . folder $ \dir -> do
               let path = dir </> "a"
               createNamedPipe path 0o666
               refused
                 ( \to ->
                     void
                       ( appendContainerFile
                           defaultBlocks
                           defaultBounds
                           RefuseTail
                           to
                           (\put' -> put' (1 :: Int))
                       )
                 )
                 path
                 "it is no regular file"
               refused
                 ( \to ->
                     void
                       ( resumeDurably
                           whenFull
                           defaultBlocks
                           defaultBounds
                           to
                           (\sink -> put sink (1 :: Int))
                       )
                 )
                 path
                 "it is no regular file"
               isPipe path,
             testCase "a link is appended to where it leads" . folder $ \dir -> do
               let path = dir </> "a"
               createSymbolicLink "b" path
               writeContainerFile defaultBlocks path (\put' -> put' (1 :: Int))
               result <-
                 appendContainerFile
                   defaultBlocks
                   defaultBounds
                   RefuseTail
                   path
                   (\put' -> put' (2 :: Int))
               result @?= Right (Nothing, ())
               readSymbolicLink path >>= (@?= "b")
               bytes <- B.readFile (dir </> "b")
               elements bytes @?= [1, 2]
           ]
  where
    also tree more = testGroup "writers of files" (tree : more)

-- * Cases

inFolder :: String -> (FilePath -> Assertion) -> TestTree
inFolder name act = testCase name (folder (\dir -> act (dir </> "a")))

-- | With a device of the kind of @\/dev\/null@ (3) or @\/dev\/full@ (7), and a link to it. Root has
-- one of its own: a writer that is wrong would take the system's away.
withDevice :: String -> Int -> (FilePath -> FilePath -> Assertion) -> TestTree
withDevice name minor act = testCaseInfo name $ do
  root <- (== 0) <$> getEffectiveUserID
  shared <- doesDirectoryExist "/dev/shm"
  let within = if root && shared then withTempDirectory "/dev/shm" else withSystemTempDirectory
  within "tern-device" $ \dir -> do
    let own = dir </> "device"
        path = dir </> "a"
        device
          | root = own
          | minor == 3 = "/dev/null"
          | otherwise = "/dev/full"
    when root (createDevice own (characterSpecialMode .|. 0o666) (fromIntegral (256 + minor)))
    usable <- try (withBinaryFile device AppendMode (const (pure ())))
    case usable of
      Left e -> pure ("skipped: no device can be opened here, " <> show (e :: IOException))
      Right () -> createSymbolicLink device path >> act device path >> pure device

-- | Others may come in, and write.
folder :: (FilePath -> IO a) -> IO a
folder act = withSystemTempDirectory "tern-target" $ \dir -> setFileMode dir 0o777 >> act dir

beside :: FilePath -> FilePath -> FilePath
beside path name = reverse (dropWhile (/= '/') (reverse path)) <> name

aloneIn :: FilePath -> [FilePath] -> Assertion
aloneIn path names = do
  there <- listDirectory (beside path "")
  length there @?= length names
  all (`elem` there) names @? show there

modeOf :: FilePath -> IO FileMode
modeOf path = (.&. 0o7777) . fileMode <$> getFileStatus path

isPipe, isDevice :: FilePath -> Assertion
isPipe path = getSymbolicLinkStatus path >>= (@? "it is no pipe any more") . isNamedPipe
isDevice path = getSymbolicLinkStatus path >>= (@? "it is no device any more") . isCharacterDevice

refused :: (FilePath -> IO ()) -> FilePath -> String -> Assertion
refused act path why = do
  result <- try (act path)
  case result of
    Right () -> assertFailure "it was written"
    Left e ->
      (beside path "" `isInfixOf` show e && why `isInfixOf` show e) @? show (e :: IOException)

told :: String -> (ExitCode, ByteString, ByteString) -> Assertion
told why (code, _, err) = (code, why `isInfixOf` BC.unpack err) @?= (ExitFailure 1, True)

asRoot :: (FilePath -> Assertion) -> FilePath -> Assertion
asRoot act path = getEffectiveUserID >>= \user -> when (user == 0) (act path)

-- | Until somebody reads.
soon :: IO () -> Assertion
soon act = go (2000 :: Int)
  where
    go n =
      try act >>= \case
        Right () -> pure ()
        Left e
          | n > 0,
            "nobody reads it" `isInfixOf` show (e :: IOException) ->
              threadDelay 5000 >> go (n - 1)
          | otherwise -> assertFailure (show e)

-- * What was written

isWritten :: FilePath -> Assertion
isWritten path = B.readFile path >>= isWhole

-- | The bytes are those of 'values' in one of the ways that a writer has.
isWhole :: ByteString -> Assertion
isWhole bytes =
  (readsAs bytes == Just values) @? (show (B.length bytes) <> " bytes that are not the values")

readsAs :: ByteString -> Maybe [Int]
readsAs bytes
  | B.isPrefixOf "[" bytes || B.isPrefixOf "0" bytes =
      mapM
        (fmap fst . BC.readInt)
        ( filter
            (not . B.null)
            (BC.splitWith (`elem` ("[],\n" :: String)) bytes)
        )
  | B.isPrefixOf "\xdd" bytes = if B.length bytes == packed then Just values else Nothing
  | otherwise = Just (elements bytes)
  where
    -- MessagePack: a header of five bytes, then 128 numbers of one byte, 128 of two, those
    -- below 65,536 of three and the others of five.
    packed = 5 + 128 + 128 * 2 + (65536 - 256) * 3 + (length values - 65536) * 5

elements :: ByteString -> [Int]
elements bytes =
  concat
    [ ns
      | Elements _ ns <-
          decodeContainer (containerDecoder defaultSettings) (BL.fromStrict bytes)
    ]

-- * Once more, as a writer

-- | This program, after some commands of the shell, as the writer of that name.
again :: [String] -> String -> FilePath -> IO (ExitCode, ByteString, ByteString)
again commands name path = do
  self <- getExecutablePath
  running (proc "sh" ["-c", unlines (commands <> ["exec \"$0\""]), self]) name path

-- | The same as nobody in particular, where the process is root.
byNobody :: String -> FilePath -> IO (ExitCode, ByteString, ByteString)
byNobody name path = do
  (code, out, err) <- again ["TERN_VALUES_NOBODY=1", "export TERN_VALUES_NOBODY"] name path
  pure (code, out, BC.unlines (filter (not . ofTicker) (BC.lines err)))
  where
    -- To become nobody interrupts the runtime's ticker, which GHC 9.10's tells.
    ofTicker line = BC.pack "Ticker: poll failed" `B.isInfixOf` line

running :: CreateProcess -> String -> FilePath -> IO (ExitCode, ByteString, ByteString)
running process name path = withSystemTempDirectory "tern-said" $ \dir -> do
  before <- getEnvironment
  setFileMode dir 0o777
  withBinaryFile (dir </> "err") WriteMode $ \err ->
    withCreateProcess
      process
        { std_out =
            CreatePipe,
          std_err = UseHandle err,
          cwd = Just "/",
          env = Just (("TERN_VALUES_WRITER", name <> "\n" <> path) : before)
        }
      $ \_ out _ handle -> case out of
        Nothing -> assertFailure "no pipe"
        Just h -> do
          bytes <- B.hGetContents h
          code <- waitForProcess handle
          said <- B.readFile (dir </> "err")
          pure (code, bytes, said)

-- | As a writer, where the environment says so.
orWriter :: IO () -> IO ()
orWriter otherwise' =
  lookupEnv "TERN_VALUES_WRITER" >>= \case
    Nothing -> otherwise'
    Just said ->
      forM_ [one | one <- writers, [called one] == take 1 (lines said)] $ \Writer {writes} -> do
        root <- (== 0) <$> getEffectiveUserID
        nobody <- lookupEnv "TERN_VALUES_NOBODY"
        when (root && nobody == Just "1") (setGroups [] >> setGroupID 65534 >> setUserID 65534)
        result <- try (writes (concat (drop 1 (lines said))))
        unless (either (const False) (const True) result) $ do
          hPutStrLn stderr (either (show :: IOException -> String) (const "") result)
          exitWith (ExitFailure 1)
