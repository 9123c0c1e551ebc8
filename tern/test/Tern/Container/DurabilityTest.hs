{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | What is safe when: writers that are killed, disks that refuse, two writers at once.
--
-- The idea: this program runs itself again as a writer, which says after each element that
-- it has been put, and kills it at some moment. Whatever it had said and been promised has
-- to be in the file, and somebody else can go on with that.
--
-- @TERN_KILLS=1000@ kills a thousand writers; else it is a few.
module Tern.Container.DurabilityTest (tests, orWriter) where

import Control.Concurrent (threadDelay)
import Control.Exception (IOException, evaluate, try)
import Control.Monad (forM_, unless, when)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.List (isInfixOf)
import Data.Text qualified as T
import System.Directory
  ( canonicalizePath,
    createDirectory,
    doesFileExist,
    findExecutable,
    listDirectory,
  )
import System.Environment (getEnvironment, getExecutablePath, lookupEnv)
import System.Exit (ExitCode (..), die)
import System.FilePath (takeDirectory, (</>))
import System.IO
  ( BufferMode (..),
    Handle,
    IOMode (..),
    hFlush,
    hGetContents,
    hGetLine,
    hSetBuffering,
    stdout,
    withBinaryFile,
  )
import System.IO.Error (isAlreadyInUseError, isFullError)
import System.IO.Temp (withSystemTempDirectory)
import System.Process
  ( CreateProcess (..),
    ProcessHandle,
    StdStream (..),
    callProcess,
    createProcess,
    proc,
    readCreateProcessWithExitCode,
    terminateProcess,
    waitForProcess,
    withCreateProcess,
  )
import Tern.Container
import Tern.Testkit.Damage (oneOf, rolled, upTo)
import Test.Tasty
import Test.Tasty.HUnit
import Text.Read (readMaybe)

tests :: TestTree
tests =
  testGroup
    "containers, durable"
    [ inFolder "what is flushed is in the file, before that is full" $ \path -> do
        writeDurably whenFull defaultBlocks path $ \sink -> do
          forM_ [0 .. 9 :: Int] (put sink)
          inFile (path <> ".part") >>= (@?= [])
          flush sink
          inFile (path <> ".part") >>= (@?= [0 .. 9])
          put sink 10
          sync sink
          inFile (path <> ".part") >>= (@?= [0 .. 10])
          flush sink
        whole path >>= (@?= [0 .. 10]),
      inFolder "after each element, and after each seven" $ \path ->
        forM_ [1, 7] $ \n -> forM_ [ToSystem, ToDisk] $ \far -> do
          writeDurably (Durability (EachElements n) far) defaultBlocks path $ \sink ->
            forM_ [0 .. 20 :: Int] $ \i -> do
              put sink i
              inFile (path <> ".part") >>= (@?= [0 .. (i + 1) `quot` n * n - 1])
          whole path >>= (@?= [0 .. 20]),
      inFolder "after some time" $ \path -> do
        writeDurably (Durability (EachSeconds 0.01) ToSystem) defaultBlocks path $ \sink -> do
          forM_ [0 .. 9 :: Int] (put sink)
          soon (inFile (path <> ".part")) [0 .. 9]
          put sink 10
          soon (inFile (path <> ".part")) [0 .. 10]
        whole path >>= (@?= [0 .. 10]),
      inFolder "after what was there" $ \path -> do
        writeContainerFile defaultBlocks path (\put' -> mapM_ put' [0 .. 9 :: Int])
        result <-
          appendDurably
            (Durability (EachElements 1) ToDisk)
            defaultBlocks
            defaultBounds
            RefuseTail
            path
            $ \sink -> do
              already sink @?= 10
              put sink (10 :: Int)
              inFile path >>= (@?= [0 .. 10])
        result @?= Right (Nothing, ())
        whole path >>= (@?= [0 .. 10]),
      inFolder "two writers in one process" $ \path -> do
        writeContainerFile defaultBlocks path (\put' -> put' (0 :: Int))
        writeContainerFile defaultBlocks path $ \put' -> do
          second <- anew path
          either isAlreadyInUseError (const False) second @? show second
          put' (1 :: Int)
        whole path >>= (@?= [1])
        result <- append path $ \put' -> do
          append path (const (pure ())) >>= (@?= Left InUse)
          -- Nor can it be written anew in the meantime.
          second <- anew path
          either isAlreadyInUseError (const False) second @? show second
          put' 2
        result @?= Right (Nothing, ())
        whole path >>= (@?= [1, 2]),
      inFolder "two writers in two processes" $ \path -> do
        writeContainerFile defaultBlocks path (\put' -> mapM_ put' [0 .. 9 :: Int])
        withWriter path ["append", "hold"] $ \_ out -> do
          hGetLine out >>= (@?= "10")
          before <- B.readFile path
          append path (const (pure ())) >>= (@?= Left InUse)
          B.readFile path >>= (@?= before)
        -- The other one is dead, and its lock with it.
        appendContainerFile defaultBlocks defaultBounds RepairTail path (\put' -> put' (77 :: Int))
          >>= either (assertFailure . T.unpack . renderRefusal) (const (pure ()))
        withWriter (path <> "2") ["write", "hold"] $ \_ out -> do
          hGetLine out >>= (@?= "0")
          second <- anew (path <> "2")
          either isAlreadyInUseError (const False) second @? show second,
      testGroup
        "killed at any moment"
        [ inFolder (unwords (verb : how)) $ \path -> do
            kills <- maybe 6 (max 1 . (`quot` 8)) . (>>= readMaybe) <$> lookupEnv "TERN_KILLS"
            forM_ [1 .. kills] $ \n -> killed (path <> show n) verb how promised n
          | verb <- ["write", "append"],
            (how, promised) <-
              [(["full"], 200), (["each", "1"], 1), (["each", "25"], 25), (["disk", "3"], 3)]
        ],
      inFolder "a disk that is full, while a file is written" $ \path -> do
        (code, _, err) <- limited path "write"
        (code, null err) @?= (ExitFailure 1, False)
        listDirectory (takeDirectory path) >>= (@?= []),
      inFolder "a disk that is full, while a file is appended to" $ \path -> do
        writeContainerFile defaultBlocks path (\put' -> mapM_ put' [0 .. 99 :: Int])
        before <- B.readFile path
        (code, _, err) <- limited path "append"
        (code, null err) @?= (ExitFailure 1, False)
        B.readFile path >>= (@?= before),
      testGroup
        "what is synced"
        [ syncs "full blocks, for the system" ["few", "system"] [],
          syncs
            "full blocks, for the disk: the file before it has its name, and the name"
            ["few", "disk"]
            ["numbers.tern.part", ""],
          -- Of some 540 bytes 200 go out at a time.
          syncs
            "blocks as they are full, for the disk"
            ["many", "disk"]
            [ "numbers.tern.part",
              "numbers.tern.part",
              "numbers.tern.part",
              ""
            ],
          syncs
            "each element, for the disk: the file and the name each time"
            ["few", "each"]
            ( ["numbers.tern.part", "", "numbers.tern.part", ""]
                <> ["numbers.tern.part", ""]
            )
        ],
      preloaded "a file that got another name before it was locked is left to who has it" rival $
        \place run -> do
          run ["few", "system"] >>= \(code, _, err) -> (code, err) @?= (ExitSuccess, "")
          whole (place </> "numbers.tern") >>= (@?= [0, 1])
          B.readFile (place </> "numbers.tern.rival") >>= (@?= B.empty),
      preloaded "what goes wrong by the clock is told where something is put next" failing $
        \place run -> do
          (code, _, err) <- run ["timed"]
          (code, "write" `isInfixOf` err) @?= (ExitFailure 1, True)
          listDirectory place >>= (@?= []),
      testCase "a device that refuses what is written" $ do
        there <- doesFileExist "/dev/full"
        when there $ do
          result <-
            try
              ( withBinaryFile
                  "/dev/full"
                  WriteMode
                  ( \h ->
                      encodeContainerTo
                        defaultBlocks
                        (\chunk -> B.hPut h chunk >> hFlush h)
                        (\put' -> mapM_ put' [0 .. 9 :: Int])
                  )
              )
          either isFullError (const False) (result :: Either IOException ()) @? "it was taken"
    ]

inFolder :: TestName -> (FilePath -> Assertion) -> TestTree
inFolder name act =
  testCase name (withSystemTempDirectory "durable" (\folder -> act (folder </> "numbers.tern")))

append :: FilePath -> ((Int -> IO ()) -> IO ()) -> IO (Either Refusal (Maybe Loss, ()))
append = appendContainerFile defaultBlocks defaultBounds RefuseTail

-- | Write a file of its own.
anew :: FilePath -> IO (Either IOException ())
anew path = try (writeContainerFile defaultBlocks path (\put' -> put' (7 :: Int)))

-- | What a crash would leave to be read.
inFile :: FilePath -> IO [Int]
inFile path =
  concatMap (\case Elements _ ns -> ns; _ -> [])
    . decodeContainer (containerDecoder defaultSettings)
    . BL.fromStrict
    <$> bytesNow path

-- | The language's own library does not let anybody read what is being written.
bytesNow :: FilePath -> IO B.ByteString
bytesNow path = do
  (_, Just out, _, process) <- createProcess (proc "cat" [path]) {std_out = CreatePipe}
  bytes <- B.hGetContents out
  _ <- waitForProcess process
  pure bytes

whole :: FilePath -> IO [Int]
whole path = do
  found <- decodeContainer (containerDecoder defaultSettings) . BL.fromStrict <$> B.readFile path
  forM_ found $ \case
    Damaged fault -> assertFailure (T.unpack (renderFault fault))
    _ -> pure ()
  pure (concat [ns | Elements _ ns <- found])

soon :: (Eq a, Show a) => IO a -> a -> Assertion
soon act wanted = go (2000 :: Int)
  where
    go n = do
      a <- act
      if a == wanted || n == 0 then a @?= wanted else threadDelay 5000 >> go (n - 1)

-- * What is synced

-- | A writer syncs these, in their order: names in its folder, or the folder
-- itself. A library that stands before the system's own tells what it is asked to sync.
syncs :: TestName -> [String] -> [FilePath] -> TestTree
syncs name how wanted = preloaded name teller $ \place run -> do
  (code, _, err) <- run how
  (code, err) @?= (ExitSuccess, "")
  synced <- lines <$> readFile (takeDirectory place </> "told")
  real <- canonicalizePath place
  synced @?= map (\file -> if null file then real else real </> file) wanted

-- | With a folder, and a way to write a container in it: by a process in which a library of
-- this source stands before the system's own.
preloaded ::
  TestName ->
  String ->
  (FilePath -> ([String] -> IO (ExitCode, String, String)) -> Assertion) ->
  TestTree
preloaded name source check =
  testCaseInfo name . withSystemTempDirectory "preloaded" $ \folder -> do
    let library = folder </> "before.so"
        place = folder </> "files"
    createDirectory place
    writeFile (folder </> "before.c") source
    found <- findExecutable "cc"
    case found of
      Nothing -> pure "skipped: there is no cc to make a library with"
      Just cc -> do
        callProcess cc ["-shared", "-fPIC", "-o", library, folder </> "before.c"]
        writeFile (folder </> "told") ""
        self <- getExecutablePath
        before <- getEnvironment
        let run how =
              readCreateProcessWithExitCode
                ( (proc self [])
                    { env =
                        Just
                          ( [ ( "TERN_TEST_WRITER",
                                unwords ((place </> "numbers.tern") : "write" : how)
                              ),
                              ("LD_PRELOAD", library),
                              ("TERN_TEST_TOLD", folder </> "told")
                            ]
                              <> before
                          )
                    }
                )
                ""
        "" <$ check place run

-- | Writes to a file what is synced, and does not sync it.
teller :: String
teller =
  unlines
    [ "#include <stdio.h>",
      "#include <stdlib.h>",
      "#include <unistd.h>",
      "int fsync(int fd) {",
      "  char from[64], path[4096];",
      "  snprintf(from, sizeof from, \"/proc/self/fd/%d\", fd);",
      "  ssize_t n = readlink(from, path, sizeof path);",
      "  FILE *told = fopen(getenv(\"TERN_TEST_TOLD\"), \"a\");",
      "  if (n < 0 || told == NULL) abort();",
      "  fprintf(told, \"%.*s\\n\", (int)n, path);",
      "  return fclose(told);",
      "}"
    ]

-- | The first to lock a file under its temporary name finds that it has just got another.
rival :: String
rival =
  unlines
    [ "#define _GNU_SOURCE",
      "#include <stdio.h>",
      "#include <string.h>",
      "#include <sys/syscall.h>",
      "#include <unistd.h>",
      "int flock(int fd, int how) {",
      "  static int once;",
      "  char from[64], path[4096], other[4200];",
      "  snprintf(from, sizeof from, \"/proc/self/fd/%d\", fd);",
      "  ssize_t n = readlink(from, path, sizeof path - 1);",
      "  if (n > 5 && memcmp(path + n - 5, \".part\", 5) == 0 && once++ == 0) {",
      "    path[n] = 0;",
      "    snprintf(other, sizeof other, \"%.*s.rival\", (int)n - 5, path);",
      "    rename(path, other);",
      "  }",
      "  return (int)syscall(SYS_flock, fd, how);",
      "}"
    ]

-- | After the header one write of a file fails, and none after that.
failing :: String
failing =
  unlines
    [ "#define _GNU_SOURCE",
      "#include <errno.h>",
      "#include <stdio.h>",
      "#include <string.h>",
      "#include <sys/syscall.h>",
      "#include <unistd.h>",
      "ssize_t write(int fd, const void *p, size_t size) {",
      "  static int count;",
      "  char from[64], path[4096];",
      "  snprintf(from, sizeof from, \"/proc/self/fd/%d\", fd);",
      "  ssize_t n = readlink(from, path, sizeof path);",
      "  if (n > 5 && memcmp(path + n - 5, \".part\", 5) == 0 && count++ == 1) {",
      "    errno = EIO;",
      "    return -1;",
      "  }",
      "  return syscall(SYS_write, fd, p, size);",
      "}"
    ]

-- * Writers that are killed

-- | Kill one, and go on with what it left. At most @n@ of the elements that it put may be
-- missing at the end.
killed :: FilePath -> String -> [String] -> Int -> Int -> Assertion
killed path verb how promised n = do
  let early = if verb == "append" then [0 .. 99] else [] :: [Int]
      delay = rolled n (oneOf [0, 100, 1000, 20000] >>= upTo)
  when (verb == "append") $
    writeContainerFile defaultBlocks {blockBytes = 50} path (\put' -> mapM_ put' early)
  said <- withWriter path (verb : how) $ \process out -> do
    first <- hGetLine out
    threadDelay delay
    terminateProcess process
    _ <- waitForProcess process
    rest <- hGetContents out
    _ <- evaluate (length rest)
    -- The last line may be half of one.
    pure (length early + length (filter (== '\n') (first <> "\n" <> rest)))
  let left = if verb == "append" then path else path <> ".part"
  found <- inFile left
  unless (found == take (length found) [0 ..]) $
    assertFailure ("wrong values, delay " <> show delay)
  unless (length found > said - promised) $
    assertFailure
      ( "of "
          <> show said
          <> " elements "
          <> show (length found)
          <> " are there, delay "
          <> show delay
      )
  outcome <- case verb of
    "append" ->
      appendDurably
        whenFull
        defaultBlocks
        defaultBounds
        RepairTail
        path
        ( \sink ->
            (,) (already sink) <$> put sink (already sink)
        )
    _ ->
      resumeDurably
        whenFull
        defaultBlocks
        defaultBounds
        path
        ( \sink ->
            (,) (already sink) <$> put sink (already sink)
        )
  case outcome of
    Right (_, (k, ())) -> do
      unless (k == length found) $
        assertFailure ("gone on after " <> show k <> " of " <> show (length found))
      whole path >>= (@?= [0 .. k])
      doesFileExist (path <> ".part") >>= (@?= False)
    Left refusal -> assertFailure (T.unpack (renderRefusal refusal))

withWriter :: FilePath -> [String] -> (ProcessHandle -> Handle -> IO r) -> IO r
withWriter path how act = do
  self <- getExecutablePath
  withCreateProcess
    (proc self [])
      { std_out =
          CreatePipe,
        env = Just [("TERN_TEST_WRITER", unwords (path : how)), ("LANG", "C.UTF-8")]
      }
    $ \_ out _ process -> case out of
      Just h -> do
        result <- act process h
        terminateProcess process
        _ <- waitForProcess process
        pure result
      Nothing -> assertFailure "there is no pipe"

-- | A writer that may make a file of four kilobytes.
limited :: FilePath -> String -> IO (ExitCode, String, String)
limited path verb = do
  self <- getExecutablePath
  readCreateProcessWithExitCode
    ( proc
        "sh"
        [ "-c",
          "trap '' XFSZ; ulimit -f 8; TERN_TEST_WRITER=\"$1\" exec \"$0\" > /dev/null",
          self,
          unwords [path, verb, "full"]
        ]
    )
    ""

-- | As a writer, where the environment says so: numbers without end, each of them printed
-- once it is put.
orWriter :: IO () -> IO ()
orWriter otherwise' =
  lookupEnv "TERN_TEST_WRITER" >>= \case
    Nothing -> otherwise'
    Just said -> case words said of
      path : verb : how -> do
        hSetBuffering stdout LineBuffering
        let durability = case how of
              ["each", n] -> Durability (EachElements (read n)) ToSystem
              ["disk", n] -> Durability (EachElements (read n)) ToDisk
              ["few", "disk"] -> Durability WhenFull ToDisk
              ["many", "disk"] -> Durability WhenFull ToDisk
              ["few", "each"] -> Durability (EachElements 1) ToDisk
              ["timed"] -> Durability (EachSeconds 0.01) ToSystem
              _ -> whenFull
            blocks = defaultBlocks {blockBytes = 200}
            numbers sink = case how of
              ["hold"] -> print (already sink) >> threadDelay 60000000
              "few" : _ -> mapM_ (put sink) [0, 1]
              "many" : _ -> mapM_ (put sink) [0 .. 299]
              "timed" : _ -> put sink 0 >> threadDelay 300000 >> put sink 1
              _ -> forM_ [already sink ..] (\i -> put sink i >> print i)
        case verb of
          "append" ->
            appendDurably durability blocks defaultBounds RefuseTail path numbers
              >>= either (die . T.unpack . renderRefusal) (const (pure ()))
          _ -> writeDurably durability blocks path numbers
      _ -> die "TERN_TEST_WRITER: a path, what to do, and how"
