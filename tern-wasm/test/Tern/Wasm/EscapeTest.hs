{-# LANGUAGE OverloadedStrings #-}

-- | Tricks by which guests have left sandboxes or brought their hosts down, each played
-- here by a guest's own code: in every tier with directories found by the kernel, and
-- once with directories opened one by one.
--
-- The idea: a row says what is tried, where it is known from, and what must happen;
-- beside it stands the play. Names in brackets are advisories and issues of other
-- runtimes, cases of the suite of WASI's own, or what a row was thought of for.
--
-- What goes over the limits of time and fuel is in "Tern.Wasm.DeadlineTest".
module Tern.Wasm.EscapeTest
  ( tests,
  )
where

import Control.Concurrent
  ( forkIO,
    getNumCapabilities,
    killThread,
    newEmptyMVar,
    putMVar,
    setNumCapabilities,
    takeMVar,
    yield,
  )
import Control.Exception (bracket)
import Control.Monad (forM_, forever, replicateM, replicateM_, void, when, (>=>))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Either (isLeft)
import Data.List (sort)
import Data.Maybe (isJust)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word32, Word64)
import System.Directory
  ( createDirectory,
    createDirectoryLink,
    doesDirectoryExist,
    doesFileExist,
    doesPathExist,
    listDirectory,
    removeFile,
    renameDirectory,
    renameFile,
  )
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Posix.Files
  ( createNamedPipe,
    createSymbolicLink,
    fileID,
    getFdStatus,
    getFileStatus,
    getSymbolicLinkStatus,
    isSymbolicLink,
    modificationTimeHiRes,
  )
import System.Posix.IO (OpenMode (..), closeFd, defaultFileFlags, dup, openFd, stdError)
import System.Posix.Process (ProcessStatus (..), exitImmediately, forkProcess, getProcessStatus)
import System.Posix.Resource
  ( Resource (..),
    ResourceLimit (..),
    ResourceLimits (..),
    getResourceLimit,
    setResourceLimit,
  )
import System.Timeout (timeout)
import Tern.Testkit.Descriptors (openBelow)
import Tern.Wasm
import Tern.Wasm.Program
  ( Program (..),
    allRights,
    call,
    contents,
    expect,
    open,
    openWith,
    other,
    path,
    peek32,
    peekBytes,
    poke,
    program,
    programOf,
    room,
    word32,
  )
import Tern.Wasm.Wasi (Wasi (..), closeWasi, defaultWasi, newWasi)
import Tern.Wasm.Wasi.Path (Resolver (..))
import Tern.Wasm.Wasi.State (newWasiBy)
import Test.Tasty (TestTree, testGroup, withResource)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  withResource (getNumCapabilities <* setNumCapabilities 2) setNumCapabilities . const $
    testGroup
      "escapes"
      [ testGroup
          (show how <> ", " <> show tier)
          [ testCase (what <> " [" <> from <> "]: " <> must) (within how tier play)
            | Trick what from must play <-
                tricks
          ]
        | (how, tier) <- ((ByKernel,) <$> [Interpreter, Auto, NativeCode]) <> [(ByWalk, Auto)]
      ]

-- | What is tried, where it is known from, what must happen.
data Trick = Trick String String String (Stage -> Assertion)

-- | A guest with the folders @given@ (3) and @bare@ (4), below a folder of the host that
-- has what it must not see, @secret@ and @outside@.
data Stage = Stage {stageGuest :: Program, stageHost :: FilePath}

within :: Resolver -> Tier -> (Stage -> Assertion) -> Assertion
within how tier play = withSystemTempDirectory "tern-escape" $ \folder -> do
  mapM_
    (createDirectory . (folder </>))
    [ "given",
      "given/a",
      "given/a/b",
      "bare",
      "outside",
      "outside/b"
    ]
  forM_ ["secret", "outside/file", "outside/b/file"] $ \name -> B.writeFile (folder </> name) secret
  B.writeFile (folder </> "given/file") "inside"
  B.writeFile (folder </> "given/a/file") "inside a"
  B.writeFile (folder </> "given/a/b/file") "inside b"
  bracket
    ( newWasiBy
        how
        defaultWasi
          { wasiFolders =
              [("/", folder </> "given"), ("/bare", folder </> "bare")]
          }
    )
    closeWasi
    (programOf "wasi_snapshot_preview1" tier "" >=> \g -> play (Stage g folder))
  -- Whatever was played, nothing outside has changed.
  forM_ ["secret", "outside/file", "outside/b/file"] $ \name ->
    B.readFile (folder </> name) >>= (@?= secret)
  listDirectory (folder </> "outside") >>= (@?= ["b", "file"]) . sort

secret :: ByteString
secret = "SECRET"

-- * The table

tricks :: [Trick]
tricks =
  [ Trick
      "a descriptor renumbered to itself"
      "CVE-2025-53901 of wasmtime; own finding"
      "it stays open, and the host's next file is not behind it"
      $ \s -> do
        fd <- opened s 3 "file"
        expect (stageGuest s) 0 "fd_renumber" [i32 fd, i32 fd]
        h <- openFd (stageHost s </> "secret") ReadOnly defaultFileFlags
        contents (stageGuest s) fd >>= (@?= Right "inside")
        closeFd h,
    Trick
      "renumbering to a number that is not open, and from one"
      "CVE-2025-53901 of wasmtime"
      "EBADF, and opening goes on"
      $ \s -> do
        fd <- opened s 3 "file"
        forM_ [99, 0x7FFFFFFF, 0xFFFFFFFF] $ \n -> do
          expect (stageGuest s) ebadf "fd_renumber" [i32 fd, i32 n]
          expect (stageGuest s) ebadf "fd_renumber" [i32 n, i32 fd]
        expect (stageGuest s) 0 "fd_close" [i32 fd]
        expect (stageGuest s) ebadf "fd_renumber" [i32 fd, i32 fd]
        void (opened s 3 "file"),
    Trick
      "renumbering over an open file"
      "wasi-testsuite: renumber"
      "the other one is closed, once"
      $ \s -> do
        x <- opened s 3 "file"
        y <- opened s 3 "a/file"
        before <- openNow s
        expect (stageGuest s) 0 "fd_renumber" [i32 x, i32 y]
        openNow s >>= (@?= before - 1)
        contents (stageGuest s) y >>= (@?= Right "inside")
        expect (stageGuest s) ebadf "fd_close" [i32 x]
        expect (stageGuest s) 0 "fd_close" [i32 y]
        openNow s >>= (@?= before - 2),
    Trick
      "a root renumbered, or something over a root"
      "wasi-testsuite: overwrite_preopen"
      "ENOTSUP, and both are as they were"
      $ \s -> do
        fd <- opened s 3 "file"
        expect (stageGuest s) enotsup "fd_renumber" [i32 3, i32 fd]
        expect (stageGuest s) enotsup "fd_renumber" [i32 fd, i32 3]
        expect (stageGuest s) enotsup "fd_renumber" [i32 3, i32 4]
        contents (stageGuest s) fd >>= (@?= Right "inside")
        void (opened s 3 "a/file"),
    Trick
      "a file closed twice, while the host opens its own"
      "any runtime with bare numbers"
      "EBADF, and the host's file stays open"
      $ \s -> do
        fd <- opened s 3 "file"
        expect (stageGuest s) 0 "fd_close" [i32 fd]
        h <- openFd (stageHost s </> "secret") ReadOnly defaultFileFlags
        expect (stageGuest s) ebadf "fd_close" [i32 fd]
        contents (stageGuest s) fd >>= (@?= Left ebadf)
        closeFd h,
    Trick "a stream closed" "wasi-testsuite: stdio" "the host's stream stays open" $ \s -> do
      expect (stageGuest s) 0 "fd_close" [i32 2]
      _ <- getFdStatus stdError
      expect (stageGuest s) ebadf "fd_close" [i32 2],
    Trick
      "a directory held while a link takes its parent's place"
      "own finding"
      "what was held is held"
      $ \s -> do
        fd <- folderOf s 3 "a/b"
        renameDirectory (stageHost s </> "given/a") (stageHost s </> "given/moved")
        createDirectoryLink (stageHost s </> "outside") (stageHost s </> "given/a")
        h <- opened s fd "file"
        contents (stageGuest s) h >>= (@?= Right "inside b")
        nothingFrom s 3 "a/b/file"
        refused s fd "../file",
    Trick
      "a root moved away by the host, with a link in its place"
      "own finding"
      "the guest goes on in the directory that it was given"
      $ \s -> do
        renameDirectory (stageHost s </> "given") (stageHost s </> "elsewhere")
        createDirectoryLink (stageHost s </> "outside") (stageHost s </> "given")
        h <- opened s 3 "file"
        contents (stageGuest s) h >>= (@?= Right "inside"),
    Trick
      "a root moved by its own name"
      "own finding"
      "refused, whatever the name looks like"
      $ \s ->
        forM_ [".", "./", "a/..", "a/b/../..", "./."] $ \name -> do
          rename_ s 3 name 4 "new" >>= isNot 0
          rename_ s 3 name 3 "a/new" >>= isNot 0
          rename_ s 4 "." 3 name >>= isNot 0
          doesDirectoryExist (stageHost s </> "given") >>= assertBool "gone",
    Trick "a root removed" "own finding" "refused, whatever the name looks like" $ \s ->
      forM_ [".", "./", "..", "", "/", "./."] $ \name -> do
        one s 4 "path_remove_directory" name >>= isNot 0
        one s 4 "path_unlink_file" name >>= isNot 0
        doesDirectoryExist (stageHost s </> "bare") >>= assertBool "gone",
    Trick
      "names above a root"
      "WAMR and wasm3 joined texts; wazero #2321"
      "ENOTCAPABLE, at once or after going down"
      $ \s -> do
        forM_
          [ "..",
            "../",
            "../secret",
            "a/../../secret",
            "a/b/../../../secret",
            "./../secret",
            "a/./../../outside/file",
            "../given/../secret"
          ]
          $ \name -> do
            nothingFrom s 3 name
            openWith (stageGuest s) 3 name 1 0 allRights >>= (@?= Left enotcapable)
            one s 3 "path_create_directory" (name <> "/x") >>= isNot 0
        openWith (stageGuest s) 3 "a/../../given/file" 1 0 allRights >>= (@?= Left enotcapable)
        sub <- folderOf s 3 "a"
        openWith (stageGuest s) sub "../file" 1 0 allRights >>= (@?= Left enotcapable),
    Trick "absolute names" "wasi-testsuite: interesting_paths" "ENOTCAPABLE" $ \s -> do
      forM_
        [ "/",
          "//",
          "/etc/passwd",
          "/../secret",
          "//file",
          BC.pack (stageHost s </> "secret")
        ]
        $ \name -> do
          nothingFrom s 3 name
          openWith (stageGuest s) 3 name 1 0 allRights >>= (@?= Left enotcapable)
      one s 3 "path_create_directory" "/tmp/tern-made-by-a-guest" >>= (@?= enotcapable),
    Trick
      "names that are not names"
      "wasi-testsuite: interesting_paths"
      "ENOENT, EINVAL, ENAMETOOLONG, and repeated slashes are one"
      $ \s -> do
        openWith (stageGuest s) 3 "" 1 0 allRights >>= (@?= Left enoent)
        openWith (stageGuest s) 3 "file\0" 1 0 allRights >>= (@?= Left einval)
        openWith (stageGuest s) 3 "\0" 1 0 allRights >>= (@?= Left einval)
        openWith (stageGuest s) 3 "a\0/../file" 1 0 allRights >>= (@?= Left einval)
        openWith (stageGuest s) 3 (B.replicate 256 97) 1 0 allRights >>= (@?= Left enametoolong)
        forM_ [4096, 5000, 16000] $ \n ->
          openWith (stageGuest s) 3 (B.replicate n 97) 1 0 allRights >>= (@?= Left enametoolong)
        openWith (stageGuest s) 3 (BC.concat (replicate 1000 "./") <> "file") 1 0 allRights
          >>= (@?= Right 5)
        openWith (stageGuest s) 3 "a////b//.//file" 1 0 allRights >>= (@?= Right 6)
        openWith (stageGuest s) 3 "file/" 1 0 allRights >>= (@?= Left enotdir)
        openWith (stageGuest s) 3 "file/." 1 0 allRights >>= (@?= Left enotdir)
        openWith (stageGuest s) 3 "file/../file" 1 0 allRights >>= (@?= Left enotdir),
    Trick
      "a link that is there and leads out"
      "CVE-2024-38358 of wasmer: with O_CREAT and writing"
      "ENOTCAPABLE, nothing is read, made or cut"
      $ \s -> do
        let links =
              [ ("one", "../secret"),
                ("two", "../outside/file"),
                ("three", stageHost s </> "secret"),
                ("four", "a/../../secret"),
                ("five", "one"),
                ("six", "a/b/../../../secret")
              ]
        forM_ links $ \(name, to) -> createSymbolicLink to (stageHost s </> "given" </> name)
        createSymbolicLink "../outside" (stageHost s </> "given/dir")
        createSymbolicLink (stageHost s </> "outside") (stageHost s </> "given/absolute")
        createSymbolicLink "../made" (stageHost s </> "given/dangling")
        forM_
          ( map (BC.pack . fst) links
              <> [ "dir/file",
                   "absolute/file",
                   "dir/b/file",
                   "dir/b/../file",
                   "dangling",
                   "dir/made",
                   "absolute/"
                 ]
          )
          (nothingFrom s 3)
        doesPathExist (stageHost s </> "made") >>= (@?= False)
        openWith (stageGuest s) 3 "one" 1 1 allRights >>= (@?= Left enotcapable)
        forM_ ["dir/new", "absolute/new"] $ \name -> do
          one s 3 "path_create_directory" name >>= (@?= enotcapable)
          rename_ s 3 "file" 3 name >>= (@?= enotcapable)
          link_ s 3 "file" 3 name >>= (@?= enotcapable)
          symlink_ s "x" 3 name >>= (@?= enotcapable)
        forM_ ["dir/file", "absolute/file"] $ \name -> do
          one s 3 "path_unlink_file" name >>= (@?= enotcapable)
          rename_ s 3 name 3 "got" >>= (@?= enotcapable)
          link_ s 3 name 3 "got" >>= (@?= enotcapable)
          status_ s 3 1 name >>= (@?= enotcapable)
          times_ s 3 1 name >>= (@?= enotcapable)
          readlink_ s 3 name >>= (@?= Left enotcapable)
        one s 3 "path_remove_directory" "dir/b" >>= (@?= enotcapable),
    Trick
      "a link that begins at the root of all, where a folder below has such names"
      "links were joined to the folder that they are in"
      "ENOTCAPABLE, on the way and at the end"
      $ \s -> do
        createSymbolicLink "/file" (stageHost s </> "given/a/last")
        createSymbolicLink "/b" (stageHost s </> "given/a/way")
        createSymbolicLink "/file" (stageHost s </> "given/last")
        forM_ ["a/last", "last", "a/way/file", "a/way/", "a/b/../last"] $ \name -> do
          openWith (stageGuest s) 3 name 1 0 2 >>= (@?= Left enotcapable)
          status_ s 3 1 name >>= (@?= enotcapable),
    Trick
      "status and times through a last link"
      "erlang_wasm: the final name was followed by the kernel"
      "ENOTCAPABLE, the outside file keeps its times"
      $ \s -> do
        createSymbolicLink "../secret" (stageHost s </> "given/link")
        before <- modificationTimeHiRes <$> getFileStatus (stageHost s </> "secret")
        status_ s 3 1 "link" >>= (@?= enotcapable)
        times_ s 3 1 "link" >>= (@?= enotcapable)
        times_ s 3 0 "link" >>= (@?= 0)
        status_ s 3 0 "link" >>= (@?= 0)
        kind <- peekBytes (stageGuest s) (room + 16) 1
        kind @?= "\7"
        getFileStatus (stageHost s </> "secret") >>= (@?= before) . modificationTimeHiRes,
    Trick
      "a link to its own directory, then one up"
      "erlang_wasm: depth was counted wrongly"
      "ENOTCAPABLE"
      $ \s -> do
        symlink_ s "." 3 "here" >>= (@?= 0)
        symlink_ s "here/here/a" 3 "down" >>= (@?= 0)
        forM_
          [ "here/../secret",
            "here/here/../../secret",
            "down/../../secret",
            "down/../../given/file"
          ]
          (nothingFrom s 3)
        h <- opened s 3 "here/here/file"
        contents (stageGuest s) h >>= (@?= Right "inside")
        -- One up from where a link leads, not from where it is.
        k <- opened s 3 "down/b/../../file"
        contents (stageGuest s) k >>= (@?= Right "inside"),
    Trick
      "links that the guest makes and follows"
      "wazero #2321"
      "one that begins at the root of all is not made, one that leads out is not followed"
      $ \s -> do
        forM_ ["/etc/passwd", "/", "//", BC.pack (stageHost s)] $ \text ->
          symlink_ s text 3 "link" >>= (@?= enotcapable)
        symlink_ s "../../../../../../etc/passwd" 3 "up" >>= (@?= 0)
        symlink_ s "../secret" 3 "near" >>= (@?= 0)
        symlink_ s "a/../../secret" 3 "far" >>= (@?= 0)
        forM_ ["up", "near", "far"] (nothingFrom s 3)
        symlink_ s "" 3 "empty" >>= (@?= enoent)
        symlink_ s "x\0y" 3 "zero" >>= (@?= einval)
        symlink_ s (B.replicate 5000 120) 3 "long" >>= (@?= enametoolong),
    Trick "links in a circle, and very many" "wasi-testsuite: symlink_loop" "ELOOP" $ \s -> do
      symlink_ s "loop" 3 "loop" >>= (@?= 0)
      symlink_ s "pong" 3 "ping" >>= (@?= 0)
      symlink_ s "ping" 3 "pong" >>= (@?= 0)
      forM_ ["loop", "ping", "loop/x", "ping/../file"] $ \name ->
        openWith (stageGuest s) 3 name 1 0 allRights >>= (@?= Left eloop)
      -- Each doubles the way of the one before.
      symlink_ s "." 3 "l0" >>= (@?= 0)
      forM_ [1 .. 30 :: Int] $ \k ->
        symlink_
          s
          (BC.pack ("l" <> show (k - 1) <> "/l" <> show (k - 1)))
          3
          (BC.pack ("l" <> show k))
          >>= (@?= 0)
      openWith (stageGuest s) 3 "l30/file" 1 0 allRights >>= (@?= Left eloop),
    Trick
      "a link that is not to be followed"
      "wasi-testsuite: nofollow_errors, dangling_symlink"
      "ELOOP; a dangling one is ENOENT, and with O_EXCL it is there"
      $ \s -> do
        symlink_ s "file" 3 "link" >>= (@?= 0)
        symlink_ s "a" 3 "dir" >>= (@?= 0)
        symlink_ s "nowhere" 3 "dangling" >>= (@?= 0)
        openWith (stageGuest s) 3 "link" 0 0 allRights >>= (@?= Left eloop)
        openWith (stageGuest s) 3 "dir" 0 2 allRights >>= (@?= Left eloop)
        openWith (stageGuest s) 3 "dangling" 1 0 allRights >>= (@?= Left enoent)
        openWith (stageGuest s) 3 "dangling" 1 5 allRights >>= (@?= Left eexist)
        h <- either (assertFailure . show) pure =<< openWith (stageGuest s) 3 "link" 1 0 allRights
        contents (stageGuest s) h >>= (@?= Right "inside")
        -- A link that a slash follows is what it leads to.
        void (either (assertFailure . show) pure =<< openWith (stageGuest s) 3 "dir/" 0 2 allRights)
        -- A file that is made through a link is made below the root.
        void
          ( either (assertFailure . show) pure
              =<< openWith (stageGuest s) 3 "dangling" 1 1 allRights
          )
        doesFileExist (stageHost s </> "given/nowhere") >>= (@?= True),
    Trick
      "a name that the host swaps between a directory and a link"
      "wasmer #2432: looks and opens apart"
      "whatever is opened is inside"
      $ \s -> do
        let place = stageHost s </> "given/swapped"
        createDirectory (stageHost s </> "given/kept")
        B.writeFile (stageHost s </> "given/kept/file") "inside"
        swapper <- forkIO . void . forever $ do
          renameDirectory (stageHost s </> "given/kept") place
          renameDirectory place (stageHost s </> "given/kept")
          createSymbolicLink "../outside" place
          yield
          removeFile place
        found <- replicateM 1500 $ do
          r <- openWith (stageGuest s) 3 "swapped/file" 1 0 allRights
          case r of
            Left _ -> pure Nothing
            Right h -> do
              c <- contents (stageGuest s) h
              expect (stageGuest s) 0 "fd_close" [i32 h]
              pure (Just c)
        killThread swapper
        assertBool "a secret was read" (Just (Right secret) `notElem` found)
        assertBool (show found) (and [c == Right "inside" | Just c <- found]),
    Trick
      "a last name that the host swaps between a file and a link"
      "wasmer #2432"
      "whatever is opened is inside, and nothing outside is cut"
      $ \s -> do
        let place = stageHost s </> "given/swapped"
        B.writeFile (stageHost s </> "given/kept") "inside"
        swapper <- forkIO . void . forever $ do
          renameFile (stageHost s </> "given/kept") place
          yield
          renameFile place (stageHost s </> "given/kept")
          createSymbolicLink "../secret" place
          yield
          removeFile place
        forM_ [1 .. 1500 :: Int] $ \k -> do
          r <- openWith (stageGuest s) 3 "swapped" 1 (if even k then 8 else 0) allRights
          forM_ r $ \h -> do
            contents (stageGuest s) h >>= \c ->
              assertBool (show c) (c `elem` [Right "inside", Right ""])
            expect (stageGuest s) 0 "fd_close" [i32 h]
        killThread swapper,
    Trick
      "a hard link to a link that leads out"
      "wasi-testsuite: path_link"
      "it is a link like the first, and not followed"
      $ \s -> do
        createSymbolicLink "../secret" (stageHost s </> "given/link")
        link_ s 3 "link" 3 "again" >>= (@?= 0)
        nothingFrom s 3 "again"
        p <- path (stageGuest s) "link"
        q <- other (stageGuest s) "third"
        expect (stageGuest s) enotcapable "path_link" ([i32 3, i32 1] <> p <> [i32 3] <> q)
        symlink_ s "file" 3 "inner" >>= (@?= 0)
        p' <- path (stageGuest s) "inner"
        q' <- other (stageGuest s) "hard"
        expect (stageGuest s) 0 "path_link" ([i32 3, i32 1] <> p' <> [i32 3] <> q')
        getSymbolicLinkStatus (stageHost s </> "given/hard") >>= (@?= False) . isSymbolicLink,
    Trick
      "rights gained by a name in another folder"
      "RUSTSEC-2026-0188 of wasmtime"
      "ENOTCAPABLE for linking and renaming"
      $ \s -> do
        p <- path (stageGuest s) "a"
        -- A folder whose files may only be read.
        expect
          (stageGuest s)
          0
          "path_open"
          ( [i32 3, i32 0]
              <> p
              <> [i32 2, I64Value allRights, I64Value 2, i32 0, i32 room]
          )
        less <- peek32 (stageGuest s) room
        openWith (stageGuest s) less "file" 0 0 66 >>= (@?= Left enotcapable)
        link_ s less "file" 3 "more" >>= (@?= enotcapable)
        rename_ s less "file" 3 "more" >>= (@?= enotcapable),
    Trick
      "rights that a folder gave up, by a name in another folder"
      "the same, of what folders give themselves"
      "ENOTCAPABLE for linking and renaming"
      $ \s -> do
        -- Its files are neither opened nor cut by it; they may be moved and linked.
        expect
          (stageGuest s)
          0
          "fd_fdstat_set_rights"
          [i32 3, I64Value 0x31800, I64Value 0x3FFFFFFF]
        openWith (stageGuest s) 3 "file" 0 8 2 >>= (@?= Left enotcapable)
        openWith (stageGuest s) 3 "file" 0 0 2 >>= (@?= Left enotcapable)
        link_ s 3 "file" 4 "got" >>= (@?= enotcapable)
        rename_ s 3 "file" 4 "got" >>= (@?= enotcapable)
        openWith (stageGuest s) 4 "got" 0 0 2 >>= isLeft_
        -- But not the other way round, nor in the same folder.
        h <- either (assertFailure . show) pure =<< openWith (stageGuest s) 4 "own" 0 1 2
        expect (stageGuest s) 0 "fd_close" [i32 h]
        link_ s 4 "own" 3 "linked" >>= (@?= 0)
        rename_ s 4 "own" 3 "moved" >>= (@?= 0)
        rename_ s 3 "moved" 3 "renamed" >>= (@?= 0)
        B.readFile (stageHost s </> "given/file") >>= (@?= "inside"),
    Trick
      "rights of another folder, whose number it gets while a path is paid for"
      "own finding"
      "ENOTCAPABLE, as the folder allows at which the path begins"
      $ \s -> do
        let folderWith fd name inheriting = do
              p <- path (stageGuest s) name
              expect
                (stageGuest s)
                0
                "path_open"
                ( [i32 fd, i32 0]
                    <> p
                    <> [i32 2, I64Value allRights, I64Value inheriting, i32 0, i32 room]
                )
              peek32 (stageGuest s) room
            store = programStore (stageGuest s)
            -- The call has looked at the folder's rights when its fuel is used up.
            meanwhile f args fuel = do
              less <- folderWith 3 "a" 2
              spare <- folderWith 3 "a/b" 0
              p <- path (stageGuest s) "file"
              q <- other (stageGuest s) "got"
              setFuel store fuel
              invoke (programInstance (stageGuest s)) f (args less p q) >>= \case
                Left (OutOfFuel rest) -> do
                  setFuel store maxBound
                  expect (stageGuest s) 0 "fd_renumber" [i32 less, i32 spare]
                  folderWith 3 "a/b" allRights >>= (@?= less)
                  continue rest
                    >>= either (assertFailure . T.unpack . renderError) (@?= [i32 enotcapable])
                r -> assertFailure ("not suspended: " <> show (either (const ()) (const ()) r))
        meanwhile
          "path_open"
          (\fd p _ -> [i32 fd, i32 0] <> p <> [i32 0, I64Value 66, I64Value 0, i32 0, i32 room])
          150
        forM_ [150, 550] $ meanwhile "path_link" (\fd p q -> [i32 fd, i32 0] <> p <> [i32 3] <> q)
        forM_ [150, 550] $ meanwhile "path_rename" (\fd p q -> [i32 fd] <> p <> [i32 3] <> q)
        openWith (stageGuest s) 3 "got" 0 0 2 >>= isLeft_
        B.readFile (stageHost s </> "given/a/file") >>= (@?= "inside a"),
    Trick
      "rights that were not given"
      "wasi-testsuite: truncation_rights; rights that were only for show"
      "ENOTCAPABLE, and they never grow"
      $ \s -> do
        h <- either (assertFailure . show) pure =<< openWith (stageGuest s) 3 "file" 0 0 2
        poke (stageGuest s) room (word32 (room + 64) <> word32 4)
        expect (stageGuest s) enotcapable "fd_write" [i32 h, i32 room, i32 1, i32 (room + 8)]
        expect (stageGuest s) enotcapable "fd_filestat_set_size" [i32 h, I64Value 0]
        expect (stageGuest s) enotcapable "fd_seek" [i32 h, I64Value 0, i32 0, i32 room]
        expect (stageGuest s) enotcapable "fd_fdstat_set_rights" [i32 h, I64Value 66, I64Value 0]
        expect (stageGuest s) 0 "fd_fdstat_set_rights" [i32 3, I64Value 0x2000, I64Value allRights]
        openWith (stageGuest s) 3 "made" 0 1 allRights >>= (@?= Left enotcapable)
        openWith (stageGuest s) 3 "file" 0 8 allRights >>= (@?= Left enotcapable)
        one s 3 "path_unlink_file" "file" >>= (@?= enotcapable)
        one s 3 "path_create_directory" "new" >>= (@?= enotcapable)
        rename_ s 3 "file" 4 "got" >>= (@?= enotcapable)
        link_ s 3 "file" 4 "got" >>= (@?= enotcapable)
        symlink_ s "x" 3 "y" >>= (@?= enotcapable)
        status_ s 3 0 "file" >>= (@?= enotcapable)
        B.readFile (stageHost s </> "given/file") >>= (@?= "inside"),
    Trick
      "directories where files are asked for, and files for directories"
      "wasi-testsuite: path_open_create_existing, dir_fd_op_failures"
      "EISDIR, ENOTDIR, EINVAL, and nothing is made"
      $ \s -> do
        openWith (stageGuest s) 3 "new" 0 3 allRights >>= (@?= Left einval)
        doesPathExist (stageHost s </> "given/new") >>= (@?= False)
        openWith (stageGuest s) 3 "file" 0 2 allRights >>= (@?= Left enotdir)
        openWith (stageGuest s) 3 "a" 0 8 allRights >>= (@?= Left eisdir)
        openWith (stageGuest s) 3 "a" 0 1 allRights >>= (@?= Left eisdir)
        openWith (stageGuest s) 3 "a" 0 5 allRights >>= (@?= Left eexist)
        openWith (stageGuest s) 3 "new/" 0 1 allRights >>= (@?= Left eisdir)
        openWith (stageGuest s) 3 "." 0 9 allRights >>= isLeft_
        d <- folderOf s 3 "a"
        contents (stageGuest s) d >>= (@?= Left eisdir)
        forM_ ["fd_seek"] $ \f ->
          call (stageGuest s) f [i32 d, I64Value 0, i32 0, i32 room] >>= isNot 0
        call (stageGuest s) "fd_filestat_set_size" [i32 d, I64Value 0] >>= isNot 0
        h <- opened s 3 "file"
        openWith (stageGuest s) h "x" 0 0 allRights >>= (@?= Left enotdir)
        one s h "path_create_directory" "x" >>= (@?= enotdir)
        expect (stageGuest s) enotdir "fd_readdir" [i32 h, i32 room, i32 100, I64Value 0, i32 4],
    Trick
      "slashes after names that are made, moved and removed"
      "wasi-testsuite: path_symlink_trailing_slashes, unlink_file_trailing_slashes"
      "as Linux does, and nothing else is touched"
      $ \s -> do
        symlink_ s "file" 3 "new/" >>= isNot 0
        doesPathExist (stageHost s </> "given/new") >>= (@?= False)
        one s 3 "path_unlink_file" "file/" >>= (@?= enotdir)
        one s 3 "path_unlink_file" "a/" >>= (@?= eisdir)
        one s 3 "path_unlink_file" "a" >>= (@?= eisdir)
        rename_ s 3 "file/" 3 "x" >>= (@?= enotdir)
        rename_ s 3 "file" 3 "x/" >>= (@?= enotdir)
        link_ s 3 "file" 3 "x/" >>= isNot 0
        one s 3 "path_create_directory" "made/" >>= (@?= 0)
        rename_ s 3 "made/" 3 "moved/" >>= (@?= 0)
        one s 3 "path_remove_directory" "moved/" >>= (@?= 0)
        let times n bits = do
              p <- path (stageGuest s) n
              call (stageGuest s) "path_filestat_set_times" $
                [i32 3, i32 0] <> p <> [I64Value 1000000000, I64Value 1000000000, i32 bits]
        before <- modificationTimeHiRes <$> getFileStatus (stageHost s </> "given/file")
        times "file/" 5 >>= (@?= enotdir)
        getFileStatus (stageHost s </> "given/file")
          >>= (@?= before) . modificationTimeHiRes
        times "none/" 5 >>= (@?= enoent)
        times "a/" 5 >>= (@?= 0)
        B.readFile (stageHost s </> "given/file") >>= (@?= "inside"),
    Trick
      "a directory moved into itself, or over a full one"
      "wasi-testsuite: path_rename"
      "EINVAL and ENOTEMPTY"
      $ \s -> do
        rename_ s 3 "a" 3 "a/b/c" >>= (@?= einval)
        one s 3 "path_create_directory" "c" >>= (@?= 0)
        rename_ s 3 "c" 3 "a" >>= (@?= enotempty)
        one s 3 "path_remove_directory" "a" >>= (@?= enotempty)
        rename_ s 3 "file" 3 "a" >>= (@?= eisdir),
    Trick
      "a pipe that nobody writes to"
      "opening waits for the other end"
      "opening returns, and so does reading"
      $ \s -> do
        createNamedPipe (stageHost s </> "given/pipe") 0o600
        r <- timeout 5000000 (openWith (stageGuest s) 3 "pipe" 0 0 2)
        h <- maybe (assertFailure "opening waits") (either (assertFailure . show) pure) r
        expect (stageGuest s) espipe "fd_seek" [i32 h, I64Value 0, i32 0, i32 room]
        w <- timeout 5000000 (openWith (stageGuest s) 3 "pipe" 0 8 64)
        assertBool "opening to write waits" (isJust w),
    Trick
      "devices and sockets"
      "what is below a folder is not always a file"
      "ENOTCAPABLE"
      $ \s -> do
        st <- newWasi defaultWasi {wasiFolders = [("/dev", "/dev")]}
        g <- program st
        forM_ ["null", "zero", "tty", "urandom"] $ \name ->
          openWith g 3 name 1 0 allRights >>= isLeft_
        openWith g 3 "null" 0 0 allRights >>= (@?= Left enotcapable)
        nothingFrom s {stageGuest = g} 3 "fd/0"
        closeWasi st,
    Trick
      "links of /proc, which lead where no name does"
      "RESOLVE_NO_MAGICLINKS"
      "ENOTCAPABLE"
      $ \_ -> do
        st <- newWasi defaultWasi {wasiFolders = [("/proc", "/proc/self")]}
        g <- program st
        forM_ ["root/etc/passwd", "cwd/.", "root", "exe", "fd/0"] $ \name ->
          openWith g 3 name 1 0 2 >>= isLeft_
        openWith g 3 "root/" 1 2 allRights >>= isLeft_
        closeWasi st,
    Trick
      "a link's text into too little room"
      "readlink does not say how long it was"
      "as much as there is room for, and not a byte more"
      $ \s -> do
        symlink_ s "0123456789" 3 "link" >>= (@?= 0)
        p <- path (stageGuest s) "link"
        forM_ [0, 1, 9, 10, 11, 4096] $ \n -> do
          poke (stageGuest s) room (B.replicate 16 0xEE)
          expect (stageGuest s) 0 "path_readlink" ([i32 3] <> p <> [i32 room, i32 n, i32 4])
          k <- peek32 (stageGuest s) 4
          k @?= min n 10
          after <- peekBytes (stageGuest s) room 16
          after @?= B.take (fromIntegral k) "0123456789" <> B.replicate (16 - fromIntegral k) 0xEE
        readlink_ s 3 "file" >>= (@?= Left einval)
        readlink_ s 3 "." >>= (@?= Left einval),
    Trick
      "a folder read with very little room"
      "loops of libraries never ended"
      "each entry once with any room for one, and the end is told"
      $ \s -> do
        forM_ [1 .. 300 :: Int] $ \k ->
          B.writeFile (stageHost s </> "given/a/b" </> ("entry" <> show k)) ""
        d <- folderOf s 3 "a/b"
        names <- listing s d 40
        sort names
          @?= sort (["..", ".", "file"] <> [BC.pack ("entry" <> show k) | k <- [1 .. 300 :: Int]])
        whole <- listing s d 60000
        sort whole @?= sort names
        forM_ [0, 1, 23] $ \n -> do
          expect (stageGuest s) 0 "fd_readdir" [i32 d, i32 room, i32 n, I64Value 0, i32 4]
          peek32 (stageGuest s) 4 >>= (@?= n),
    Trick
      "places in a folder that were never given"
      "fd_readdir with a cookie from elsewhere"
      "an error or entries, and the program goes on"
      $ \s -> do
        d <- folderOf s 3 "a"
        forM_ [1, 12345, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, maxBound] $ \c -> do
          n <- call (stageGuest s) "fd_readdir" [i32 d, i32 room, i32 1000, I64Value c, i32 4]
          when (c > 0x7FFFFFFFFFFFFFFF) (n @?= einval)
        listing s d 1000 >>= (@?= [".", "..", "b", "file"]) . sort,
    Trick
      "what is above a root, told by its number"
      "the node of \"..\""
      "it is the folder's own"
      $ \s -> do
        expect (stageGuest s) 0 "fd_readdir" [i32 3, i32 room, i32 4000, I64Value 0, i32 4]
        n <- peek32 (stageGuest s) 4
        bytes <- peekBytes (stageGuest s) room (fromIntegral n)
        own <- fileID <$> getFileStatus (stageHost s </> "given")
        let nodes = [node | (node, name) <- entriesOf bytes, name `elem` [".", ".."]]
        nodes @?= [fromIntegral own, fromIntegral own],
    Trick
      "offsets and sizes from 2^63 on, and sums beyond"
      "wasi-testsuite: file_allocate, fd_advise"
      "EINVAL"
      $ \s -> do
        h <- opened s 3 "file"
        poke (stageGuest s) room (word32 (room + 64) <> word32 4)
        forM_ [0x8000000000000000, maxBound, 0x7FFFFFFFFFFFFFFF] $ \o -> do
          forM_ ["fd_pread", "fd_pwrite"] $ \f ->
            expect (stageGuest s) einval f [i32 h, i32 room, i32 1, I64Value o, i32 4]
          forM_ ["fd_advise"] $ \f ->
            expect (stageGuest s) einval f [i32 h, I64Value o, I64Value 1, i32 0]
          expect (stageGuest s) einval "fd_allocate" [i32 h, I64Value o, I64Value 1]
          expect (stageGuest s) einval "fd_allocate" [i32 h, I64Value 1, I64Value o]
        forM_ [0x8000000000000000, maxBound] $ \n -> do
          expect (stageGuest s) einval "fd_filestat_set_size" [i32 h, I64Value n]
          expect (stageGuest s) einval "fd_seek" [i32 h, I64Value n, i32 0, i32 room]
        expect (stageGuest s) einval "fd_advise" [i32 h, I64Value 0, I64Value 0, i32 6]
        expect (stageGuest s) einval "fd_seek" [i32 h, I64Value 0, i32 3, i32 room]
        B.readFile (stageHost s </> "given/file") >>= (@?= "inside"),
    Trick
      "buffers outside of the memory, or more than a number can count"
      "iovecs that overflow"
      "EFAULT or EINVAL before a byte is moved"
      $ \s -> do
        h <- opened s 3 "file"
        let rows =
              [ (0xFFFFFFFF, 2),
                (0xFFFFFFF0, 0xFFFFFFFF),
                (1048570, 7),
                (1048576, 1),
                (0, 0xFFFFFFFF)
              ]
        forM_ rows $ \(a, n) -> forM_ ["fd_read", "fd_write"] $ \f -> do
          -- The second is good, and comes first.
          poke (stageGuest s) room (word32 (room + 64) <> word32 4 <> word32 a <> word32 n)
          call (stageGuest s) f [i32 h, i32 room, i32 2, i32 4] >>= isNot 0
        poke (stageGuest s) room (B.concat (replicate 1024 (word32 0 <> word32 1048576)))
        forM_ ["fd_read", "fd_write"] $ \f -> do
          expect (stageGuest s) einval f [i32 h, i32 room, i32 1025, i32 4]
          expect (stageGuest s) efault f [i32 h, i32 1048570, i32 1, i32 4]
          expect (stageGuest s) efault f [i32 h, i32 0xFFFFFFF8, i32 1024, i32 4]
        expect (stageGuest s) einval "fd_write" [i32 h, i32 room, i32 4096, i32 4]
        B.readFile (stageHost s </> "given/file") >>= (@?= "inside"),
    Trick
      "results outside of the memory"
      "every pointer of the interface"
      "EFAULT, and nothing was made or opened on the way"
      $ \s -> do
        p <- path (stageGuest s) "made"
        before <- openNow s
        expect
          (stageGuest s)
          efault
          "path_open"
          ( [i32 3, i32 0]
              <> p
              <> [i32 1, I64Value allRights, I64Value 0, i32 0, i32 1048574]
          )
        doesPathExist (stageHost s </> "given/made") >>= (@?= False)
        openNow s >>= (@?= before)
        let out = 0xFFFFFFFC
        forM_
          [ ("clock_time_get", [i32 0, I64Value 0, i32 out]),
            ("clock_res_get", [i32 0, i32 out]),
            ("fd_fdstat_get", [i32 3, i32 out]),
            ("fd_filestat_get", [i32 3, i32 out]),
            ("fd_prestat_get", [i32 3, i32 out]),
            ("args_sizes_get", [i32 out, i32 0]),
            ("environ_sizes_get", [i32 0, i32 out]),
            ("random_get", [i32 1048575, i32 2]),
            ("random_get", [i32 0, i32 0xFFFFFFFF]),
            ( "fd_readdir",
              [i32 3, i32 1048575, i32 2, I64Value 0, i32 4]
            ),
            ("poll_oneoff", [i32 out, i32 0, i32 1, i32 0])
          ]
          $ uncurry (expect (stageGuest s) efault)
        expect (stageGuest s) enametoolong "path_create_directory" [i32 3, i32 0, i32 0xFFFFFFFF]
        expect (stageGuest s) efault "path_create_directory" [i32 3, i32 0xFFFFFFFF, i32 16],
    Trick
      "very many open files"
      "a guest uses up what the process may open"
      "EMFILE at the limit, and all is given back"
      $ \s -> do
        before <- openNow s
        found <- replicateM 300 (open (stageGuest s) 3 "file")
        length [() | Right _ <- found] @?= 256 - 5
        last found @?= Left emfile
        openNow s >>= (@?= before + 256 - 5)
        open (stageGuest s) 3 "file" >>= (@?= Left emfile)
        forM_ found (mapM_ (\h -> expect (stageGuest s) 0 "fd_close" [i32 h]))
        openNow s >>= (@?= before)
        -- So are their numbers.
        again <- replicateM 300 (open (stageGuest s) 3 "file")
        again @?= found,
    Trick
      "a file larger than the host lets its process write"
      "the system's signal SIGXFSZ"
      "EFBIG, and the process lives"
      $ \s -> do
        child <- forkProcess $ do
          limits <- getResourceLimit ResourceFileSize
          setResourceLimit ResourceFileSize limits {softLimit = ResourceLimit 4096}
          h <- opened s 3 "file"
          poke (stageGuest s) room (word32 (room + 64) <> word32 5)
          rows <-
            sequence
              [ call (stageGuest s) "fd_pwrite" [i32 h, i32 room, i32 1, I64Value 8192, i32 4],
                call (stageGuest s) "fd_filestat_set_size" [i32 h, I64Value 8192],
                call (stageGuest s) "fd_seek" [i32 h, I64Value 8192, i32 0, i32 8],
                call (stageGuest s) "fd_write" [i32 h, i32 room, i32 1, i32 4]
              ]
          exitImmediately (if rows == [22, 22, 0, 22] then ExitSuccess else ExitFailure 3)
        getProcessStatus True False child >>= (@?= Just (Exited ExitSuccess)),
    Trick
      "nothing is left open"
      "leaks on the way of errors"
      "as many descriptors as before"
      $ \s -> do
        symlink_ s "loop" 3 "loop" >>= (@?= 0)
        before <- openNow s
        forM_
          [ "a/b/file",
            "a/b/none",
            "a/../../x",
            "loop/x",
            "file/x",
            "a/b/../../a/b",
            "a/b/..",
            "a/b/../../.."
          ]
          $ \name ->
            replicateM_ 20 $ do
              open (stageGuest s) 3 name
                >>= mapM_ (\h -> expect (stageGuest s) 0 "fd_close" [i32 h])
              status_ s 3 1 name
        openNow s >>= (@?= before),
    Trick
      "a file closed by one thread while others use it"
      "numbers that the host gives away again"
      "EBADF or the file's own bytes"
      $ \s -> do
        st <- newWasi defaultWasi {wasiFolders = [("/", stageHost s </> "given")]}
        two_ <- program st
        -- The memory that functions write to is the last one's.
        one_ <- program st
        h <- openFd (stageHost s </> "secret") ReadOnly defaultFileFlags
        finished <- newEmptyMVar
        _ <- forkIO $ do
          replicateM_ 500 $ do
            _ <- call two_ "fd_close" [i32 4]
            -- The host's numbers come and go.
            k <- dup h
            yield
            closeFd k
          putMVar finished ()
        forM_ [1 .. 500 :: Int] $ \_ -> do
          _ <- open one_ 3 "file"
          c <- contents one_ 4
          assertBool (show c) (c `elem` [Right "inside", Right "", Left ebadf])
        takeMVar finished
        closeFd h
        closeWasi st
  ]

-- * What the plays are made of

i32 :: Word32 -> Value
i32 = I32Value

ebadf,
  eexist,
  efault,
  einval,
  eisdir,
  eloop,
  emfile,
  enametoolong,
  enoent,
  enotcapable,
  enotdir,
  enotempty,
  enotsup,
  espipe ::
    Word32
ebadf = 8
eexist = 20
efault = 21
einval = 28
eisdir = 31
eloop = 32
emfile = 33
enametoolong = 37
enoent = 44
enotdir = 54
enotempty = 55
enotsup = 58
espipe = 70
enotcapable = 76

opened, folderOf :: Stage -> Word32 -> ByteString -> IO Word32
opened s fd name =
  open (stageGuest s) fd name >>= either (assertFailure . ((show name <> ": ") <>) . show) pure
folderOf s fd name =
  openWith (stageGuest s) fd name 0 2 allRights
    >>= either (assertFailure . ((show name <> ": ") <>) . show) pure

-- | A function of one path.
one :: Stage -> Word32 -> Text -> ByteString -> IO Word32
one s fd f name = path (stageGuest s) name >>= \p -> call (stageGuest s) f (i32 fd : p)

rename_, link_ :: Stage -> Word32 -> ByteString -> Word32 -> ByteString -> IO Word32
rename_ s fd from fd' to = do
  p <- path (stageGuest s) from
  q <- other (stageGuest s) to
  call (stageGuest s) "path_rename" ([i32 fd] <> p <> [i32 fd'] <> q)
link_ s fd from fd' to = do
  p <- path (stageGuest s) from
  q <- other (stageGuest s) to
  call (stageGuest s) "path_link" ([i32 fd, i32 0] <> p <> [i32 fd'] <> q)

symlink_ :: Stage -> ByteString -> Word32 -> ByteString -> IO Word32
symlink_ s text fd name = do
  p <- path (stageGuest s) text
  q <- other (stageGuest s) name
  call (stageGuest s) "path_symlink" (p <> [i32 fd] <> q)

-- | With lookup flags.
status_, times_ :: Stage -> Word32 -> Word32 -> ByteString -> IO Word32
status_ s fd look_ name =
  path (stageGuest s) name >>= \p ->
    call (stageGuest s) "path_filestat_get" ([i32 fd, i32 look_] <> p <> [i32 room])
times_ s fd look_ name =
  path (stageGuest s) name >>= \p ->
    call
      (stageGuest s)
      "path_filestat_set_times"
      ( [i32 fd, i32 look_]
          <> p
          <> [I64Value 1, I64Value 1, i32 5]
      )

readlink_ :: Stage -> Word32 -> ByteString -> IO (Either Word32 ByteString)
readlink_ s fd name = do
  p <- path (stageGuest s) name
  n <- call (stageGuest s) "path_readlink" ([i32 fd] <> p <> [i32 room, i32 4096, i32 4])
  if n == 0
    then peek32 (stageGuest s) 4 >>= fmap Right . peekBytes (stageGuest s) room . fromIntegral
    else pure (Left n)

isNot :: Word32 -> Word32 -> Assertion
isNot n found = assertBool ("not " <> show n) (n /= found)

isLeft_ :: Either Word32 Word32 -> Assertion
isLeft_ r = assertBool (show r) (isLeft r)

refused :: Stage -> Word32 -> ByteString -> Assertion
refused s fd name = openWith (stageGuest s) fd name 1 0 allRights >>= isLeft_

-- | Nothing of what is outside comes from opening a name, whichever way; writing to it
-- and cutting it is tried as well.
nothingFrom :: Stage -> Word32 -> ByteString -> Assertion
nothingFrom s fd name = forM_ [0, 1] $ \look_ -> forM_ [0, 1, 2, 5, 8, 9] $ \how ->
  openWith (stageGuest s) fd name look_ how allRights >>= \case
    Left _ -> pure ()
    Right h -> do
      c <- contents (stageGuest s) h
      assertBool ("read through " <> show name) (c /= Right secret)
      void (call (stageGuest s) "fd_close" [i32 h])

-- | How many of this process's descriptors lead into the stage's folder. Those of other
-- tests do not count: the collector closes theirs at any moment.
openNow :: Stage -> IO Int
openNow = openBelow . stageHost

-- | A folder's names, read with room for @n@ bytes at a time.
listing :: Stage -> Word32 -> Word32 -> IO [ByteString]
listing s d n = go 0 (2000 :: Int)
  where
    go cookie turns
      | turns <= 0 = assertFailure "no end"
      | otherwise = do
          expect (stageGuest s) 0 "fd_readdir" [i32 d, i32 room, i32 n, I64Value cookie, i32 4]
          used <- peek32 (stageGuest s) 4
          bytes <- peekBytes (stageGuest s) room (fromIntegral used)
          let found = nexts bytes
          case (found, used < n) of
            (_, True) -> pure (map snd found)
            ([], False) -> assertFailure "no room for one entry"
            _ -> (map snd found <>) <$> go (fst (last found)) (turns - 1)
    -- Only whole entries.
    nexts bytes
      | B.length bytes < 24 || B.length bytes < 24 + size_ = []
      | otherwise =
          (little 0 8 bytes, B.take size_ (B.drop 24 bytes)) : nexts (B.drop (24 + size_) bytes)
      where
        size_ = fromIntegral (little 16 4 bytes)

-- | Nodes and names.
entriesOf :: ByteString -> [(Word64, ByteString)]
entriesOf bytes
  | B.length bytes < 24 = []
  | otherwise = (little 8 8 bytes, B.take n (B.drop 24 bytes)) : entriesOf (B.drop (24 + n) bytes)
  where
    n = fromIntegral (little 16 4 bytes)

little :: Int -> Int -> ByteString -> Word64
little at n = B.foldr (\b v -> v * 256 + fromIntegral b) 0 . B.take n . B.drop at
