{-# LANGUAGE OverloadedStrings #-}

-- | What WASI asks of the system, asked by the host itself: what a guest cannot bring about,
-- as a descriptor that is given back while it is used.
--
-- What guests bring about is in "Tern.Wasm.EscapeTest".
module Tern.Wasm.SystemTest
  ( tests,
  )
where

import Control.Concurrent (threadDelay)
import Control.Exception (bracket, throwIO, try)
import Control.Monad (forM_, void)
import Data.ByteString (ByteString)
import Data.List (sortOn)
import Data.Word (Word64, Word8)
import Foreign.C.Types (CInt (..))
import Foreign.Marshal.Alloc (allocaBytes)
import System.FilePath ((</>))
import System.IO.Error (isUserError)
import System.IO.Temp (withSystemTempDirectory)
import System.Mem (performMajorGC)
import System.Posix.Files (createNamedPipe, createSymbolicLink)
import System.Posix.IO (OpenMode (..), closeFd, createPipe, defaultFileFlags, openFd)
import System.Posix.Resource (Resource (..))
import System.Posix.Types (Fd (..))
import Tern.Testkit.Descriptors (openBelow)
import Tern.Wasm.Limited (limited)
import Tern.Wasm.Prim (Ptr, fillBytes, pokeByteOff)
import Tern.Wasm.Wasi.Errno (Errno (..))
import Tern.Wasm.Wasi.System
  ( Access (..),
    Clock (..),
    FileType (..),
    Interest (..),
    Owned,
    Ready (..),
    Status (..),
    Whence (..),
    beneath,
    clockResolution,
    clockTime,
    closeQuietly,
    duplicate,
    entries,
    file,
    link,
    linkText,
    look,
    makeFolder,
    opened,
    poll,
    random,
    readAt,
    readStream,
    release,
    removeFile,
    removeFolder,
    rename,
    resize,
    root,
    seek,
    setAppend,
    setTimes,
    setTimesAt,
    status,
    statusAt,
    symlink,
    synchronise,
    using,
    waiting,
    writeAt,
  )
import Tern.Wasm.Wasi.System qualified as System
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "the system"
    [ testCase "a descriptor that is given back is not used again" . within $ \_ o -> do
        release o >>= (@?= Right ())
        using o (const (pure (Right ()))) >>= (@?= Left EBADF)
        release o >>= (@?= Left EBADF),
      testCase "one that is given back while it is used is closed by its last user" . within $
        \_ o -> do
          inside <- using o $ \fd -> do
            again <- using o $ \_ -> do
              release o >>= (@?= Right ())
              -- It is given back once, and nobody begins to use it.
              release o >>= (@?= Left EBADF)
              using o (const (pure (Right ()))) >>= (@?= Left EBADF)
              pure (Right ())
            again @?= Right ()
            -- The outer user has it still.
            fmap statusKind <$> status fd
          inside @?= Right Directory
          release o >>= (@?= Left EBADF),
      testCase "an action that throws has used it" . within $ \_ o -> do
        thrown <- try (using o (const (throwIO (userError "thrown"))))
        either isUserError (const False) (thrown :: Either IOError (Either Errno ())) @?= True
        release o >>= (@?= Right ())
        release o >>= (@?= Left EBADF),
      testCase "one that nobody refers to is closed by the collector" $
        withSystemTempDirectory "tern-system" $ \folder -> do
          root folder >>= right >>= \o -> void (using o status >>= right)
          let closed tries = do
                performMajorGC
                n <- openBelow folder
                if n == 0 || tries == 0 then pure n else threadDelay 10000 >> closed (tries - 1)
          closed (1000 :: Int) >>= (@?= 0),
      testCase "a descriptor of the host, and its double" . within $ \folder _ -> do
        writeFile (folder </> "file") "inside"
        h <- openFd (folder </> "file") ReadOnly defaultFileFlags
        double <- duplicate h >>= right
        closeFd h
        size <- using double (fmap (fmap statusSize) . status)
        size @?= Right 6
        release double >>= (@?= Right ()),
      testCase "each call on a file says that it is done" . within $ \_ o -> done o $ \fd -> do
        h <- file fd "file" anew >>= right
        done h $ \f -> allocaBytes 16 $ \p -> do
          fillBytes p 120 16
          System.writeFile f p 8 >>= (@?= Right 8)
          writeAt 8 f p 8 >>= (@?= Right 8)
          seek f (-12) FromEnd >>= (@?= Right 4)
          System.readFile f p 16 >>= (@?= Right 12)
          readAt 14 f p 16 >>= (@?= Right 2)
          resize f 4 >>= (@?= Right ())
          status f >>= (@?= Right 4) . fmap statusSize
          setAppend True f >>= (@?= Right ())
          setAppend False f >>= (@?= Right ())
          synchronise True f >>= (@?= Right ())
          synchronise False f >>= (@?= Right ())
          setTimes f 1000 2000 5 >>= (@?= Right ())
          status f >>= (@?= Right 2000) . fmap changed
        setTimesAt fd "file" 1000 3000 5 >>= (@?= Right ())
        statusAt fd "file" >>= (@?= Right 3000) . fmap changed
        release h >>= (@?= Right ()),
      testCase "each call on a name says that it is done" . within $ \folder o -> done o $ \fd -> do
        writeFile (folder </> "file") ""
        makeFolder fd "made" >>= (@?= Right ())
        System.folder fd "made" >>= right >>= release >>= (@?= Right ())
        beneath fd "made" >>= mapM_ closeQuietly
        removeFolder fd "made" >>= (@?= Right ())
        rename fd "file" fd "other" >>= (@?= Right ())
        link fd "other" fd "third" >>= (@?= Right ())
        symlink "text" fd "symbolic" >>= (@?= Right ())
        linkText fd "symbolic" 10 >>= (@?= Right "text")
        removeFile fd "other" >>= (@?= Right ())
        listed o >>= (@?= ["symbolic", "third"]) . filter (`notElem` [".", ".."]) . map fst,
      testCase "a pipe is waited for, and read as far as it is full" $ do
        (from, to) <- createPipe
        o <- duplicate from >>= right
        q <- duplicate to >>= right
        mapM_ closeFd [from, to]
        done o $ \r -> allocaBytes 16 $ \p -> do
          poll [(r, ToRead)] 1 >>= (@?= Right [Ready False False False])
          random p 16 >>= (@?= Right ())
          done q $ \w -> System.writeFile w p 16 >>= (@?= Right 16)
          waiting r >>= (@?= 16)
          readStream r p 8 >>= (@?= Right 8)
          waiting r >>= (@?= 8)
          release q >>= (@?= Right ())
          poll [(r, ToRead)] 0 >>= (@?= Right [True]) . fmap (map isGone)
        release o >>= (@?= Right ()),
      testCase "what was not opened is not used" $ do
        r <- opened (pure (Left EMFILE)) (const (assertFailure "used"))
        r @?= (Left EMFILE :: Either Errno ())
        isLeft_ =<< duplicate (-1)
        isLeft_ =<< root "/there/is/none",
      testCase "all kinds of files, by their names and as a folder lists them" . within $
        \folder o -> do
          writeFile (folder </> "file") ""
          createNamedPipe (folder </> "pipe") 0o600
          createSymbolicLink "file" (folder </> "symbolic")
          bracket (socketAt (folder </> "socket")) closeFd . const $ do
            found <- listed o
            filter ((`notElem` [".", ".."]) . fst) found
              @?= [ ("file", RegularFile),
                    ("pipe", Unknown),
                    ("socket", StreamSocket),
                    ("symbolic", SymbolicLink)
                  ]
            forM_ [("file", RegularFile), ("pipe", Unknown), ("symbolic", SymbolicLink)] $
              \(name, kind) -> do
                itself <- using o (`statusAt` name)
                fmap statusKind itself @?= Right kind
                fmap statusPipe itself @?= Right (name == "pipe")
            void (using o (\fd -> opened (look fd "symbolic") status) >>= right),
      testCase "devices" $ do
        o <- root "/dev" >>= right
        found <- listed o
        lookup "null" found @?= Just CharacterDevice
        kind <- using o (`statusAt` "null")
        fmap statusKind kind @?= Right CharacterDevice
        release o >>= (@?= Right ()),
      testCase "no more is waited for than the process may open" . within $ \_ o -> do
        r <- using o $ \fd ->
          limited ResourceOpenFiles 200 (poll (replicate 201 (fd, ToRead)) 0)
        r @?= Left EINVAL
        one <- using o (\fd -> poll [(fd, ToRead), (fd, ToWrite)] 0)
        fmap (map isReady) one @?= Right [True, True],
      testCase "every clock goes, in steps that it says" . forM_ [minBound .. maxBound] $ \c -> do
        before <- clockTime (c :: Clock) >>= right
        after <- clockTime c >>= right
        assertBool (show (c, before, after)) (before <= after)
        step <- clockResolution c >>= right
        assertBool (show (c, step)) (step > 0)
    ]

-- | A folder, and it open.
within :: (FilePath -> Owned -> Assertion) -> Assertion
within play = withSystemTempDirectory "tern-system" $ \folder -> do
  o <- root folder >>= right
  play folder o
  void (release o)

-- | Use what is open.
done :: Owned -> (System.Fd -> Assertion) -> Assertion
done o play = using o (fmap Right . play) >>= (@?= Right ())

-- | A file that is made, to be read and written.
anew :: Access
anew = Access True True True True False False False False

-- | When the content was changed.
changed :: Status -> Word64
changed s = let (_, time, _) = statusTimes s in time

right :: (Show e) => Either e a -> IO a
right = either (assertFailure . show) pure

isLeft_ :: Either Errno Owned -> Assertion
isLeft_ = either (const (pure ())) (const (assertFailure "opened"))

-- | Names and what they are said to be.
listed :: Owned -> IO [(ByteString, FileType)]
listed o = sortOn fst . concat <$> go 0
  where
    go from =
      using o (\fd -> entries fd from 4096) >>= right >>= \case
        [] -> pure []
        rows ->
          ([(name, kind) | (_, _, kind, name) <- rows] :)
            <$> go (last [next | (_, next, _, _) <- rows])

-- | A socket with a name, which nobody answers at.
socketAt :: FilePath -> IO Fd
socketAt path = do
  fd <- c_socket 1 1 0
  bound <- allocaBytes 110 $ \p -> do
    fillBytes p 0 110
    pokeByteOff p 0 (1 :: Word8)
    fillName p
    c_bind fd p 110
  if fd < 0 || bound < 0 then assertFailure "no socket" else pure (Fd fd)
  where
    fillName p = forM_ (zip [2 ..] (take 107 path)) $ \(k, c) ->
      pokeByteOff p k (fromIntegral (fromEnum c) :: Word8)

foreign import ccall unsafe "socket" c_socket :: CInt -> CInt -> CInt -> IO CInt

foreign import ccall unsafe "bind" c_bind :: CInt -> Ptr () -> CInt -> IO CInt
