{-# LANGUAGE OverloadedStrings #-}

-- | Both editions of WASI: where their structures have other places, and waiting for
-- clocks and descriptors. What is expected stands in the interfaces' own descriptions.
module Tern.Wasm.EditionTest
  ( tests,
  )
where

import Control.Concurrent (forkIO, threadDelay)
import Control.Exception (IOException, try)
import Control.Monad (forM_, void)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.List (isPrefixOf)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Word (Word16, Word32, Word64)
import GHC.Clock (getMonotonicTimeNSec)
import System.Directory (listDirectory)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Posix.Files
  ( createLink,
    deviceID,
    fileExist,
    fileID,
    fileSize,
    getFileStatus,
    linkCount,
    modificationTimeHiRes,
    readSymbolicLink,
  )
import System.Posix.IO (closeFd, createPipe, fdWrite, stdError)
import System.Timeout (timeout)
import Tern.Wasm
import Tern.Wasm.Program
  ( Program (..),
    allRights,
    contents,
    expect,
    open,
    openWith,
    other,
    path,
    peek32,
    peek64,
    peekBytes,
    poke,
    program,
    programOf,
    room,
    word32,
    word64,
  )
import Tern.Wasm.Wasi (Wasi (..), closeWasi, defaultWasi, newWasi, wasiImports)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "editions of WASI"
    [ testCase "the earlier edition has the later one's functions but one" $ do
        store <- newStore defaultSettings
        imports <- newWasi defaultWasi >>= wasiImports store
        let named m = [f | (n, f) <- Map.keys imports, n == m]
        length (named "wasi_snapshot_preview1") @?= 46
        named "wasi_unstable" @?= filter (/= "sock_accept") (named "wasi_snapshot_preview1"),
      testCase "what the runtime waits with is no stream that a guest has" $ do
        -- The threaded runtime has some of them; a guest's would be what a closed stream became.
        numbers <- map read <$> listDirectory "/proc/self/fd"
        links <- mapM (\n -> try (readSymbolicLink ("/proc/self/fd/" <> show n))) (numbers :: [Int])
        let waits = [n | (n, Right l) <- zip numbers links, "anon_inode:" `isPrefixOf` l]
            _ = links :: [Either IOException FilePath]
        assertBool "the runtime waits with nothing" (not (null waits))
        forM_ waits $ \n -> do
          let fd = fromIntegral n
          st <- newWasi defaultWasi {wasiStreams = (fd, fd, fd)}
          g <- program st
          forM_ [0, 1, 2] $ \k -> expect g 8 "fd_fdstat_get" [I32Value k, I32Value room]
          closeWasi st,
      testCase "a file's state has its parts in each edition's places" . in_ $ \folder g -> do
        B.writeFile (folder </> "file") (B.replicate 12345 120)
        createLink (folder </> "file") (folder </> "again")
        s <- getFileStatus (folder </> "file")
        p <- path g "file"
        poke g room (B.replicate 128 0xEE)
        expect g 0 "path_filestat_get" ([I32Value 3, I32Value 0] <> p <> [I32Value room])
        peek64 g room >>= (@?= fromIntegral (deviceID s))
        peek64 g (room + 8) >>= (@?= fromIntegral (fileID s))
        peekBytes g (room + 16) 1 >>= (@?= "\4")
        let time = truncate (toRational (modificationTimeHiRes s) * 1000000000) :: Word64
        case programEdition g of
          "wasi_unstable" -> do
            peek32 g (room + 20) >>= (@?= 2)
            peek64 g (room + 24) >>= (@?= 12345)
            peek64 g (room + 40) >>= (@?= time)
            peekBytes g (room + 56) 8 >>= (@?= B.replicate 8 0xEE)
          _ -> do
            peek64 g (room + 24) >>= (@?= 2)
            peek64 g (room + 32) >>= (@?= 12345)
            peek64 g (room + 48) >>= (@?= time)
            peekBytes g (room + 64) 8 >>= (@?= B.replicate 8 0xEE),
      testCase "places are counted from where each edition's numbers say" . in_ $ \folder g -> do
        B.writeFile (folder </> "file") "0123456789"
        Right fd <- open g 3 "file"
        let (start, here, end) =
              if programEdition g == "wasi_unstable"
                then (2, 0, 1)
                else (0, 1, 2)
            seek_ by from to =
              expect g 0 "fd_seek" [I32Value fd, I64Value by, I32Value from, I32Value room]
                >> peek64 g room
                >>= (@?= to)
        seek_ 4 start 4
        seek_ 3 here 7
        seek_ (maxBound - 1) end 8
        seek_ 100 end 110
        expect
          g
          28
          "fd_seek"
          [ I32Value
              fd,
            I64Value (maxBound - 200),
            I32Value here,
            I32Value room
          ],
      testCase "a file is written, read, cut, moved, linked and removed" . in_ $ \folder g -> do
        fd <- either (assertFailure . show) pure =<< openWith g 3 "new" 0 1 allRights
        poke g room (word32 (room + 64) <> word32 3 <> word32 (room + 67) <> word32 2)
        poke g (room + 64) "hello"
        expect g 0 "fd_write" [I32Value fd, I32Value room, I32Value 2, I32Value 4]
        peek32 g 4 >>= (@?= 5)
        B.readFile (folder </> "new") >>= (@?= "hello")
        expect g 0 "fd_pwrite" [I32Value fd, I32Value room, I32Value 1, I64Value 10, I32Value 4]
        B.readFile (folder </> "new") >>= (@?= "hello\0\0\0\0\0hel")
        expect g 0 "fd_tell" [I32Value fd, I32Value room]
        peek64 g room >>= (@?= 5)
        expect g 0 "fd_filestat_set_size" [I32Value fd, I64Value 4]
        expect
          g
          0
          "fd_filestat_set_times"
          [ I32Value
              fd,
            I64Value 1000000001,
            I64Value 2000000002,
            I32Value 5
          ]
        getFileStatus (folder </> "new") >>= (@?= 2.000000002) . modificationTimeHiRes
        expect g 0 "fd_sync" [I32Value fd]
        expect g 0 "fd_datasync" [I32Value fd]
        expect g 0 "fd_fdstat_set_flags" [I32Value fd, I32Value 1]
        poke g room (word32 (room + 64) <> word32 1)
        expect
          g
          0
          "fd_seek"
          [ I32Value
              fd,
            I64Value 0,
            I32Value (if programEdition g == "wasi_unstable" then 2 else 0),
            I32Value 8
          ]
        expect g 0 "fd_write" [I32Value fd, I32Value room, I32Value 1, I32Value 4]
        B.readFile (folder </> "new") >>= (@?= "hellh")
        p <- path g "new"
        q <- other g "moved"
        expect g 0 "path_rename" ([I32Value 3] <> p <> [I32Value 3] <> q)
        p' <- path g "moved"
        q' <- other g "hard"
        expect g 0 "path_link" ([I32Value 3, I32Value 0] <> p' <> [I32Value 3] <> q')
        getFileStatus (folder </> "hard") >>= (@?= 2) . linkCount
        expect g 0 "path_unlink_file" (I32Value 3 : p')
        fileExist (folder </> "moved") >>= (@?= False)
        -- What was held goes on.
        expect g 0 "fd_close" [I32Value fd],
      testCase "a clock is waited for, from now and by its time" . in_ $ \_ g -> do
        before <- getMonotonicTimeNSec
        events <- polling g [clock g 7 1 30000000 0]
        after <- getMonotonicTimeNSec
        events @?= [(7, 0, 0, 0, 0)]
        assertBool "too soon" (after - before >= 30000000)
        -- In the past, on both clocks.
        polling g [clock g 8 1 1 1, clock g 9 0 1 1, clock g 10 1 3600000000000 0]
          >>= (@?= [(8, 0, 0, 0, 0), (9, 0, 0, 0, 0)])
        expect g 0 "clock_time_get" [I32Value 0, I64Value 0, I32Value room]
        now <- peek64 g room
        polling g [clock g 11 0 (now + 20000000) 1] >>= (@?= [(11, 0, 0, 0, 0)])
        -- Times of the processor are not waited for; there is no clock 4.
        polling g [clock g 1 2 1 0, clock g 2 3 1 0, clock g 3 4 1 0]
          >>= (@?= [(1, 58, 0, 0, 0), (2, 58, 0, 0, 0), (3, 28, 0, 0, 0)]),
      testCase
        "descriptors are waited for: bytes, an end, room, a file, none"
        . both_
        $ \edition -> do
          (from, to) <- createPipe
          st <- newWasi defaultWasi {wasiStreams = (from, to, stdError), wasiFolders = [("/", ".")]}
          g <- programOf edition Auto "" st
          polling g [descriptor g 1 1 0, clock g 2 1 20000000 0] >>= (@?= [(2, 0, 0, 0, 0)])
          polling g [descriptor g 1 1 0, descriptor g 2 2 1] >>= (@?= [(2, 0, 2, 0, 0)])
          _ <- forkIO (threadDelay 30000 >> void (fdWrite to "12345"))
          polling g [descriptor g 1 1 0, clock g 2 1 3600000000000 0] >>= (@?= [(1, 0, 1, 5, 0)])
          Right fd <- open g 3 "tern-wasm.cabal"
          n <- fromIntegral . fileSize <$> getFileStatus "tern-wasm.cabal"
          polling g [descriptor g 3 1 fd, descriptor g 4 2 fd]
            >>= (@?= [(3, 0, 1, n, 0), (4, 0, 2, 0, 0)])
          -- A wrong one is an event, and the others are told as well.
          polling g [descriptor g 5 1 99, descriptor g 6 1 0, descriptor g 7 1 3]
            >>= (@?= [(5, 8, 1, 0, 0), (6, 0, 1, 5, 0), (7, 8, 1, 0, 0)])
          _ <- contents g 0
          expect g 0 "fd_close" [I32Value 1]
          closeFd to
          polling g [descriptor g 8 1 0] >>= (@?= [(8, 0, 1, 0, 1)])
          closeWasi st
          closeFd from,
      testCase "subscriptions that are none" . in_ $ \_ g -> do
        expect g 28 "poll_oneoff" [I32Value room, I32Value 4096, I32Value 0, I32Value 4]
        expect g 28 "poll_oneoff" [I32Value room, I32Value 4096, I32Value 0xFFFFFFFF, I32Value 4]
        poke g room (word64 5 <> "\9" <> B.replicate 60 0)
        poke g 4 (word32 0)
        expect g 0 "poll_oneoff" [I32Value room, I32Value 4096, I32Value 1, I32Value 4]
        event g 0 >>= \(user, e, _, _, _) -> (user, e) @?= (5, 28),
      testCase "without clocks every clock stands, and sleep ends" $ do
        st <- newWasi defaultWasi {wasiClocks = False}
        g <- program st
        forM_ [0 .. 3] $ \c -> do
          expect g 0 "clock_time_get" [I32Value c, I64Value 0, I32Value room]
          peek64 g room >>= (@?= 0)
        expect g 28 "clock_time_get" [I32Value 4, I64Value 0, I32Value room]
        r <- timeout 10000000 (polling g [clock g 1 1 1000000 0])
        r @?= Just [(1, 0, 0, 0, 0)],
      testCase "arguments and environment lie one after the other, each with a zero" $ do
        st <-
          newWasi
            defaultWasi
              { wasiArguments =
                  ["one", "", "three"],
                wasiEnvironment = [("K", "v"), ("L", "")]
              }
        g <- program st
        expect g 0 "args_sizes_get" [I32Value 4, I32Value 8]
        (,) <$> peek32 g 4 <*> peek32 g 8 >>= (@?= (3, 11))
        expect g 0 "args_get" [I32Value 16, I32Value room]
        peekBytes g room 11 >>= (@?= "one\0\0three\0")
        mapM (peek32 g) [16, 20, 24] >>= (@?= [room, room + 4, room + 5])
        expect g 0 "environ_get" [I32Value 16, I32Value room]
        peekBytes g room 7 >>= (@?= "K=v\0L=\0")
        expect g 21 "args_get" [I32Value 16, I32Value 1048570]
        expect g 21 "args_get" [I32Value 1048570, I32Value room]
        expect g 21 "environ_get" [I32Value 16, I32Value 0xFFFFFFFF]
    ]

-- | In each edition, with a folder as 3.
in_ :: (FilePath -> Program -> Assertion) -> Assertion
in_ action = both_ $ \edition -> withSystemTempDirectory "tern-edition" $ \folder -> do
  st <- newWasi defaultWasi {wasiFolders = [("/", folder)]}
  programOf edition Auto "" st >>= action folder
  closeWasi st

both_ :: (Text -> Assertion) -> Assertion
both_ = forM_ ["wasi_snapshot_preview1", "wasi_unstable"]

-- | What a program waits for: a user's number, a clock, nanoseconds and flags.
clock :: Program -> Word64 -> Word32 -> Word64 -> Word16 -> ByteString
clock g user which time flags
  | programEdition g == "wasi_unstable" =
      B.concat
        [ word64
            user,
          word64 0,
          word64 user,
          word64 (fromIntegral which),
          word64 time,
          word64 0,
          word64 (fromIntegral flags)
        ]
  | otherwise =
      B.concat
        [ word64
            user,
          word64 0,
          word64 (fromIntegral which),
          word64 time,
          word64 0,
          word64 (fromIntegral flags)
        ]

-- | A user's number, 1 to read or 2 to write, and a descriptor.
descriptor :: Program -> Word64 -> Word64 -> Word32 -> ByteString
descriptor g user kind fd =
  B.take
    (if programEdition g == "wasi_unstable" then 56 else 48)
    ( B.concat
        [ word64
            user,
          word64 kind,
          word64 (fromIntegral fd),
          B.replicate 56 0
        ]
    )

-- | Wait; the events: user's number, error, kind, bytes and flags.
polling :: Program -> [ByteString] -> IO [(Word64, Word64, Word64, Word64, Word64)]
polling g subscriptions = do
  poke g room (B.concat subscriptions)
  poke g 8192 (B.replicate (32 * length subscriptions) 0xEE)
  expect
    g
    0
    "poll_oneoff"
    [ I32Value
        room,
      I32Value 8192,
      I32Value (fromIntegral (length subscriptions)),
      I32Value 4
    ]
  n <- peek32 g 4
  mapM (eventAt g 8192) [0 .. fromIntegral n - 1]

event :: Program -> Int -> IO (Word64, Word64, Word64, Word64, Word64)
event g = eventAt g 4096

eventAt :: Program -> Word32 -> Int -> IO (Word64, Word64, Word64, Word64, Word64)
eventAt g at k = do
  bytes <- peekBytes g (at + 32 * fromIntegral k) 32
  let field o n = B.foldr (\b v -> v * 256 + fromIntegral b) 0 (B.take n (B.drop o bytes))
  pure (field 0 8, field 8 2, field 10 1, field 16 8, field 24 2)
