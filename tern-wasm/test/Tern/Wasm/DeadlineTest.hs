{-# LANGUAGE OverloadedStrings #-}

-- | Fuel and deadlines hold for whatever a guest can do, in every tier: bulk work is
-- paid for before it is done and in pieces, and who waits is looked at.
--
-- The idea: what can be counted is counted (bytes that were written, calls that were
-- made, fuel that was used). Where only a clock can tell, a test gives a deadline of
-- some hundredths of a second and fails after ten seconds; a fault would be endless.
module Tern.Wasm.DeadlineTest
  ( tests,
  )
where

import Control.Concurrent (forkIO, threadDelay)
import Control.Monad (forM_, replicateM_, void, when)
import Control.Monad.IO.Class (liftIO)
import Data.ByteString qualified as B
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word32)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Posix.Files (createNamedPipe)
import System.Posix.IO
  ( OpenMode (..),
    closeFd,
    createPipe,
    defaultFileFlags,
    fdWrite,
    openFd,
    stdError,
    stdInput,
    stdOutput,
  )
import System.Posix.Types (Fd)
import System.Timeout (timeout)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Program
  ( Program (..),
    contents,
    openWith,
    peekBytes,
    poke,
    program,
    programOf,
    room,
    word32,
  )
import Tern.Wasm.Store (Store (..))
import Tern.Wasm.Wasi (Wasi (..), closeWasi, defaultWasi, newWasi)
import Tern.Wasm.Wasi.Errno (Errno (..))
import Tern.Wasm.Wasi.State qualified as State
import Tern.Wasm.Wasi.Wait (persistently)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "fuel and deadlines"
    [ testCase "a fill of a gibibyte does nothing before it is paid for, and goes on where it was" $
        forM_ tiers $ \tier -> do
          (store, i, m) <-
            module_
              tier
              ( T.concat
                  [ "(memory (export \"memory\") 16384)",
                    func "f" "(memory.fill (i32.const 0) (i32.const 7) (i32.const 1073741824))"
                  ]
              )
          setFuel store 1000
          stopped <- invoke i "f" [] >>= suspension
          readMemory m 0 1 >>= (@?= Just "\0")
          -- A piece is a mebibyte: 16,384 of fuel.
          setFuel store 20000
          again <- continue stopped >>= suspension
          readMemory m 0 1 >>= (@?= Just "\7")
          readMemory m 1048575 2 >>= (@?= Just "\7\0")
          setFuel store 100000000
          continue again >>= void . orFail
          readMemory m 1073741823 1 >>= (@?= Just "\7")
          used <- (100000000 -) <$> fuelLeft store
          -- All but what was paid before.
          assertBool (show used) (used + 21000 >= 16777216 && used + 21000 < 16777216 + 100),
      testCase "thousands of fills of a gibibyte are stopped in the middle of one" $
        forM_ tiers $ \tier -> do
          (store, i, m) <-
            module_
              tier
              ( T.concat
                  [ "(memory (export \"memory\") 16384)",
                    func
                      "f"
                      "(loop $l (memory.fill (i32.const 0) (i32.const 7) (i32.const \
                      \1073741824)) (br $l))"
                  ]
              )
          setDeadline store (Just 0.001)
          invoke i "f" [] >>= late "fills"
          -- A gibibyte takes a tenth of a second at the very least.
          readMemory m 1073741823 1 >>= (@?= Just "\0"),
      testCase "bulk work under a deadline is stopped, whatever it goes over" $
        forM_ tiers $ \tier -> forM_ heavy $ \(name, fields, body) -> do
          (store, i, _) <-
            module_
              tier
              ( T.concat
                  [ "(memory (export \"memory\") 1)",
                    fields,
                    func "f" (T.concat ["(loop $l ", body, " (br $l))"])
                  ]
              )
          setDeadline store (Just 0.02)
          within (T.unpack name <> ", " <> show tier) (invoke i "f" []) >>= late name,
      testCase "code without jumps is stopped in the middle of what the driver does" $
        forM_ tiers $ \tier -> forM_ straight $ \(name, fields, body) -> do
          (store, i, _) <-
            module_
              tier
              ( T.concat
                  [ "(memory (export \"memory\") 1)",
                    fields,
                    func "f" (T.concat [T.replicate 5000 body, " unreachable"])
                  ]
              )
          -- Once for its code, which is not made any more when the time is over.
          invoke i "f" [] >>= \case
            Left (Trapped TrapUnreachable _) -> pure ()
            _ -> assertFailure (T.unpack name <> " did not come to its end")
          setDeadline store (Just 0)
          invoke i "f" [] >>= late name,
      testCase "bulk work with little fuel does little" $
        forM_ tiers $ \tier -> forM_ heavy $ \(name, fields, body) -> do
          (store, i, _) <-
            module_
              tier
              ( T.concat
                  [ "(memory (export \"memory\") 1)",
                    fields,
                    "(global $n (export \"n\") (mut i32) (i32.const 0))",
                    func
                      "f"
                      ( T.concat
                          [ "(loop $l (global.set $n (i32.add (global.get $n) (i32.const 1))) ",
                            body,
                            " (br $l))"
                          ]
                      )
                  ]
              )
          setFuel store 5000
          _ <- invoke i "f" [] >>= suspension
          n <- readGlobal i "n"
          case n of
            Right (I32Value k) -> assertBool (T.unpack name <> ": " <> show k) (k <= 2)
            _ -> assertFailure "no global",
      testCase "copies over themselves, in pieces, are as if in one" $ do
        let before = B.pack [fromIntegral (k * 7 + k `div` 251) | k <- [0 .. 6553599 :: Int]]
        forM_ tiers $ \tier ->
          forM_
            [ (0, 1),
              (1, 0),
              (0, 1048576),
              (1048576, 0),
              (5, 2000000),
              (2000000, 5),
              (3, 3)
            ]
            $ \(to, from) -> do
              let n = 3000000
              (_, i, m) <-
                module_
                  tier
                  ( T.concat
                      [ "(memory (export \"memory\") 100)",
                        func
                          "f"
                          ( T.concat
                              [ "(memory.copy (i32.const ",
                                shown to,
                                ") (i32.const ",
                                shown from,
                                ") (i32.const ",
                                shown n,
                                "))"
                              ]
                          )
                      ]
                  )
              True <- writeMemory m 0 before
              invoke i "f" [] >>= void . orFail
              after <- readMemory m 0 6553600
              let expected =
                    B.concat
                      [ B.take
                          to
                          before,
                        B.take n (B.drop from before),
                        B.drop (to + n) before
                      ]
              assertBool (show (tier, to, from)) (after == Just expected),
      testCase "a table copied over itself, in pieces, is as if in one" $
        forM_ tiers $ \tier -> forM_ [(0, 1), (1, 0), (0, 150000), (150000, 0)] $ \(to, from) -> do
          -- Every third element is a function.
          let fields =
                T.concat
                  [ "(memory (export \"memory\") 1) (table $t 700000 funcref) (elem declare \
                    \func $x) (func $x)",
                    func
                      "f"
                      ( T.concat
                          [ "(local $k i32) (loop $l (table.set $t (local.get $k) (ref.func \
                            \$x)) (br_if $l (i32.lt_u (local.tee $k (i32.add (local.get $k) \
                            \(i32.const 3))) (i32.const 700000)))) (table.copy (i32.const ",
                            shown to,
                            ") (i32.const ",
                            shown from,
                            ") (i32.const 500000))"
                          ]
                      ),
                    "(func (export \"g\") (param i32) (result i32) (ref.is_null (table.get $t \
                    \(local.get 0))))"
                  ]
          (_, i, _) <- module_ tier fields
          invoke i "f" [] >>= void . orFail
          let isFunction k
                | k >= to && k < to + 500000 = (k - to + from) `mod` 3 == 0
                | otherwise = k `mod` 3 == (0 :: Int)
          forM_
            ( [0 .. 20]
                <> [to - 1, to, to + 1, 131071, 131072, 131073, 300000, 499999]
                <> [to + 499998 .. to + 500002]
            )
            $ \k ->
              when (k >= 0) $ do
                r <- invoke i "g" [I32Value (fromIntegral k)]
                case r of
                  Right [I32Value v] ->
                    assertEqual (show (tier, to, from, k)) (isFunction k) (v == 0)
                  _ -> assertFailure "no answer",
      testCase "a host function that pays is suspended between its pieces, and goes on once" $
        forM_ tiers $ \tier -> forM_ ["f", "g", "h"] $ \name -> do
          done <- newIORef (0 :: Int)
          store <- newStore defaultSettings
          -- A thousand of fuel each.
          work <-
            hostFunction
              store
              ( \n ->
                  replicateM_ (fromIntegral n) (price 64000 >> liftIO (modifyIORef' done (+ 1)))
                    >> pure (n + 1) ::
                    Metered Word32
              )
          bytes <-
            orFail . binaryOf . encodeUtf8 $
              "(module (import \"host\" \"work\" (func $w (param i32) (result i32))) (export \
              \\"f\" (func $w)) (func (export \"g\") (param i32) (result i32) (i32.add (call $w \
              \(local.get 0)) (i32.const 0))) (func (export \"h\") (param i32) (result i32) \
              \(return_call $w (local.get 0))))"
          m <-
            loadWith defaultLoading {loadingTier = tier} bytes
              >>= orFail
          i <-
            instantiate store m (importsFrom "host" [("work", ExternFunc work)])
              >>= orFail
          setFuel store 2500
          s1 <- invoke i name [I32Value 5] >>= suspension
          readIORef done >>= (@?= 2)
          setFuel store 1000
          s2 <- continue s1 >>= suspension
          readIORef done >>= (@?= 3)
          setFuel store 100000
          r <- continue s2
          case r of
            Right [I32Value 6] -> pure ()
            Right _ -> assertFailure "another result"
            Left e -> assertFailure (T.unpack (renderError e))
          readIORef done >>= (@?= 5)
          left <- fuelLeft store
          -- Five thousand in all, and what calls take.
          assertBool (show left) (left >= 100000 - 1500 - 10 && left <= 100000 - 1500)
          -- A second time is an error, and nothing is done.
          _ <- continue s1
          readIORef done >>= (@?= 5),
      testCase "an exception that goes over very many frames is stopped on the way" $
        forM_ tiers $ \tier -> forM_ [(100, False), (30000, True)] $ \(frames, isLate) -> do
          store <- newStore defaultSettings {settingStack = 8388608}
          -- The time is over where it is thrown, and was looked at just before.
          over <-
            hostFunction
              store
              (setDeadline store (Just 0) >> writeIORef (storeSpent store) 0 :: IO ())
          bytes <-
            orFail . binaryOf . encodeUtf8 $
              "(module (import \"host\" \"over\" (func $over)) (tag $e) \
              \(func $deep (param $n i32) \
              \(if (local.get $n) (then (call $deep (i32.sub (local.get $n) (i32.const 1)))) \
              \(else (call $over) (throw $e)))) \
              \(func (export \"f\") (param $n i32) \
              \(block $h (try_table (catch $e $h) (call $deep (local.get $n))))))"
          m <-
            loadWith defaultLoading {loadingTier = tier} bytes
              >>= orFail
          i <-
            instantiate store m (importsFrom "host" [("over", ExternFunc over)])
              >>= orFail
          invoke i "f" [I32Value frames] >>= \case
            Left (Exhausted TimeExhausted _) | isLate -> pure ()
            Left e -> assertFailure (T.unpack (renderError e))
            Right _ -> assertBool (show (tier, frames)) (not isLate),
      testCase "a gibibyte for a stream that takes everything is stopped on the way" $
        forM_ tiers $ \tier -> do
          null_ <- openFd "/dev/null" WriteOnly defaultFileFlags
          st <- newWasi defaultWasi {wasiStreams = (stdInput, null_, stdError)}
          g <-
            programOf
              "wasi_snapshot_preview1"
              tier
              ( T.concat
                  [ "(data (i32.const 0) \"\\00\\00\\00\\00\\00\\00\\10\\00\")",
                    func
                      "f"
                      "(loop $l (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) \
                      \(i32.const 64))) (i32.store (i32.const 0) (i32.const 0)) (br $l))"
                  ]
              )
              st
          setFuel (programStore g) 10000
          _ <- invoke (programInstance g) "f" [] >>= suspension
          setFuel (programStore g) maxBound
          setDeadline (programStore g) (Just 0.02)
          within "fd_write" (invoke (programInstance g) "f" []) >>= late "fd_write"
          closeWasi st
          closeFd null_,
      testCase "calls of WASI are paid for, each" $
        forM_ tiers $ \tier -> forM_ calls $ \(name, body) -> do
          g <- counting tier body
          setFuel (programStore g) 20000
          _ <- invoke (programInstance g) "f" [] >>= suspension
          n <- made g
          assertBool (T.unpack name <> ": " <> show n <> " calls") (n >= 1 && n <= 200),
      testCase "loops of calls of WASI are stopped by a deadline" $
        forM_ tiers $ \tier -> forM_ calls $ \(name, body) -> do
          g <- counting tier body
          setDeadline (programStore g) (Just 0.02)
          within (T.unpack name) (invoke (programInstance g) "f" []) >>= late name,
      testCase "random bytes for a whole memory come in pieces that are paid for" $ do
        g <-
          programOf
            "wasi_snapshot_preview1"
            Auto
            ( func
                "f"
                "(drop (call $random_get (i32.const 0) (i32.const 1048576)))"
            )
            =<< newWasi defaultWasi
        setFuel (programStore g) 1000
        stopped <- invoke (programInstance g) "f" [] >>= suspension
        peekBytes g 0 1000 >>= (@?= B.replicate 1000 0)
        setFuel (programStore g) 10000000
        continue stopped >>= void . orFail
        end <- peekBytes g (1048576 - 32) 32
        assertBool "no random bytes" (end /= B.replicate 32 0),
      testCase "bytes that are written and read come in pieces that are paid for" $
        withSystemTempDirectory "tern-deadline" $ \folder -> forM_ tiers $ \tier -> do
          let path = folder </> "bytes"
              moving name fd streams act = do
                st <- newWasi defaultWasi {wasiStreams = streams}
                g <-
                  programOf
                    "wasi_snapshot_preview1"
                    tier
                    ( T.concat
                        [ "(data (i32.const 0) \"\\00\\04\\00\\00\\00\\00\\01\\00\")",
                          func "f" . T.concat $
                            [ "(drop (call $",
                              name,
                              " (i32.const ",
                              fd,
                              ") (i32.const 0) (i32.const 1) (i32.const 64)))"
                            ]
                        ]
                    )
                    st
                setFuel (programStore g) 1000
                stopped <- invoke (programInstance g) "f" [] >>= suspension
                () <- act g $ do
                  setFuel (programStore g) 10000
                  continue stopped >>= orFail . void
                closeWasi st
          B.writeFile path B.empty
          out <- openFd path WriteOnly defaultFileFlags
          moving "fd_write" "1" (stdInput, out, stdError) $ \_ onward -> do
            some <- B.length <$> B.readFile path
            assertBool (show some <> " bytes at once") (some < 65536)
            onward
            B.readFile path >>= (@?= 65536) . B.length
          closeFd out
          B.writeFile path (B.replicate 65536 7)
          from <- openFd path ReadOnly defaultFileFlags
          moving "fd_read" "0" (from, stdOutput, stdError) $ \g onward -> do
            peekBytes g 1024 1000 >>= (@?= B.replicate 1000 0)
            onward
            peekBytes g 1024 1000 >>= (@?= B.replicate 1000 7)
          closeFd from,
      testCase
        "who reads from a silent pipe is stopped by the deadline, by another thread, and by an \
        \exception"
        $ forM_ tiers
        $ \tier ->
          withPipe $ \(from, _) ->
            waiting
              tier
              from
              "(drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 64)))",
      testCase "what is ready and says again each time is paid for each time" $
        forM_ [(Just 1000, Nothing), (Nothing, Just (-1))] $ \(fuel, seconds) -> do
          store <- newStore defaultSettings
          tries <- newIORef (0 :: Int)
          -- It would come to an end, far away.
          let once = liftIO $ do
                n <- (+ 1) <$> readIORef tries
                writeIORef tries n
                pure (if n < 1000000 then Left EAGAIN else Right ())
          f <- hostFunction store (State.done (void (persistently once)))
          mapM_ (setFuel store) fuel
          setDeadline store seconds
          callFunc store f [] >>= \case
            Left (OutOfFuel _) | Just _ <- fuel -> pure ()
            r -> late "again and again" r
          n <- readIORef tries
          assertBool (show n) (n <= 10),
      testCase "who writes to a full pipe is stopped as well" $
        withPipe $
          \(_, to) ->
            waiting
              Auto
              to
              "(drop (call $fd_write (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 64)))",
      testCase "who sleeps for an hour is stopped as well" $
        forM_ ["(i32.const 0)", "(i32.const 1)"] $ \clock -> withPipe $ \(from, _) ->
          waiting
            Auto
            from
            ( T.concat
                [ "(i32.store (i32.const 144) ",
                  clock,
                  ") (i64.store (i32.const 152) (i64.const 3600000000000)) (drop (call \
                  \$poll_oneoff (i32.const 128) (i32.const 256) (i32.const 1) (i32.const 64)))"
                ]
            ),
      testCase "who waits for a silent pipe among others is stopped as well" $
        withPipe $ \(from, _) ->
          waiting
            Auto
            from
            "(i32.store8 (i32.const 136) (i32.const 1)) (i32.store (i32.const 144) (i32.const \
            \0)) (drop (call $poll_oneoff (i32.const 128) (i32.const 256) (i32.const 1) \
            \(i32.const 64)))",
      testCase "who reads from a named pipe that nobody writes to is stopped as well" $
        withSystemTempDirectory "tern-pipe" $ \folder -> do
          createNamedPipe (folder </> "pipe") 0o600
          -- Somebody could write.
          h <- openFd (folder </> "pipe") ReadWrite defaultFileFlags
          st <- newWasi defaultWasi {wasiFolders = [("/", folder)]}
          g <- programOf "wasi_snapshot_preview1" Auto "" st
          Right 4 <- openWith g 3 "pipe" 0 0 2
          poke g room (word32 (room + 64) <> word32 64)
          setDeadline (programStore g) (Just 0.02)
          within
            "fd_read"
            ( invoke
                (programInstance g)
                "fd_read"
                [ I32Value
                    4,
                  I32Value room,
                  I32Value 1,
                  I32Value (room + 8)
                ]
            )
            >>= late "fd_read"
          closeWasi st
          closeFd h,
      testCase "who waits for input gets it when it comes, for no more fuel" $
        withPipe $ \(from, to) -> do
          st <- newWasi defaultWasi {wasiStreams = (from, stdOutput, stdError)}
          g <- program st
          setFuel (programStore g) 1000
          _ <- forkIO (threadDelay 60000 >> void (fdWrite to "late"))
          r <- timeout 10000000 (contents g 0)
          r @?= Just (Right "late")
          left <- fuelLeft (programStore g)
          assertBool (show left) (left > 500)
          closeWasi st
    ]

-- | What goes over many bytes: fields and a body. One turn takes much more than a
-- deadline, and than the fuel that is given for it.
heavy :: [(Text, Text, Text)]
heavy =
  [ ( "memory.fill",
      "(memory $m 8192)",
      "(memory.fill $m (i32.const 0) (i32.const 1) (i32.const 536870912))"
    ),
    ( "memory.copy",
      "(memory $m 8192)",
      "(memory.copy $m $m (i32.const 0) (i32.const 1) (i32.const 536870911))"
    ),
    ( "memory.init",
      T.concat
        [ "(data $d \"",
          T.replicate 700000 "x",
          "\")",
          "(memory $m 16)"
        ],
      "(memory.init $m $d (i32.const 0) (i32.const 0) (i32.const 700000))"
    ),
    ("memory.grow", "(memory $m 1 60000)", "(drop (memory.grow $m (i32.const 1000)))"),
    ( "table.fill",
      "(table $t 5000000 funcref)",
      "(table.fill $t (i32.const 0) (ref.null func) (i32.const 5000000))"
    ),
    ( "table.copy",
      "(table $t 5000000 funcref)",
      "(table.copy $t $t (i32.const 1) (i32.const 0) (i32.const 4999999))"
    ),
    ( "table.init",
      T.concat
        [ "(table $t 100000 funcref) (func $x) (elem $e func ",
          T.replicate 50000 "$x ",
          ")"
        ],
      "(table.init $t $e (i32.const 0) (i32.const 0) (i32.const 50000))"
    ),
    ( "table.grow",
      "(table $t 1 9000000 funcref)",
      "(drop (table.grow $t (ref.null func) (i32.const 100000)))"
    ),
    ("array.new", bytes, "(drop (array.new $b (i32.const 1) (i32.const 100000)))"),
    ("array.new_default", bytes, "(drop (array.new_default $b (i32.const 100000)))"),
    ( "array.fill",
      array,
      "(array.fill $b (global.get $a) (i32.const 0) (i32.const 7) (i32.const 50000000))"
    ),
    ( "array.new_data",
      T.concat [bytes, data_],
      "(drop (array.new_data $b $d (i32.const 0) (i32.const 700000)))"
    ),
    ( "array.init_data",
      T.concat [array, data_],
      "(array.init_data $b $d (global.get $a) (i32.const 0) (i32.const 0) (i32.const 700000))"
    ),
    ( "array.new_elem",
      T.concat [refs, elements],
      "(drop (array.new_elem $r $e (i32.const 0) (i32.const 50000)))"
    ),
    ( "array.init_elem",
      T.concat
        [ refs,
          elements,
          "(global $a (ref $r) (array.new_default $r (i32.const 50000)))"
        ],
      "(array.init_elem $r $e (global.get $a) (i32.const 0) (i32.const 0) (i32.const 50000))"
    ),
    ( "memory.fill of 64 bits",
      "(memory $m i64 8192)",
      "(memory.fill $m (i64.const 0) (i32.const 1) (i64.const 536870912))"
    ),
    ( "array.copy",
      array,
      "(array.copy $b $b (global.get $a) (i32.const 1) (global.get $a) (i32.const 0) (i32.const \
      \49999999))"
    )
  ]
  where
    bytes = "(type $b (array (mut i8)))"
    refs = "(type $r (array (mut funcref)))"
    data_ = T.concat ["(data $d \"", T.replicate 700000 "x", "\")"]
    elements = T.concat ["(func $x) (elem $e func ", T.replicate 50000 "$x ", ")"]
    array =
      "(type $b (array (mut i8))) (global $a (ref $b) (array.new_default $b (i32.const 50000000)))"

-- | What has no jumps and is left to the driver.
straight :: [(Text, Text, Text)]
straight =
  [ ("table.get", "(table $t 1 funcref)", "(drop (table.get $t (i32.const 0)))"),
    ("memory.fill", "", "(memory.fill (i32.const 0) (i32.const 1) (i32.const 1))"),
    ("struct.new", "(type $s (struct))", "(drop (struct.new $s))"),
    ("throw", "(tag $e)", "(block $h (try_table (catch $e $h) (throw $e)))")
  ]

-- | Calls of WASI that return at once. The memory has a buffer of 64 bytes at 1024,
-- which the row at 0 names.
calls :: [(Text, Text)]
calls =
  [ ("random_get", "(drop (call $random_get (i32.const 1024) (i32.const 64)))"),
    ( "fd_readdir",
      "(drop (call $fd_readdir (i32.const 3) (i32.const 1024) (i32.const 64) (i64.const 0) \
      \(i32.const 64)))"
    ),
    ("sched_yield", "(drop (call $sched_yield))"),
    ("clock_time_get", "(drop (call $clock_time_get (i32.const 1) (i64.const 0) (i32.const 64)))"),
    ("fd_fdstat_get", "(drop (call $fd_fdstat_get (i32.const 3) (i32.const 1024)))"),
    ( "path_filestat_get",
      "(drop (call $path_filestat_get (i32.const 3) (i32.const 0) (i32.const 2048) (i32.const \
      \1) (i32.const 1024)))"
    ),
    ( "path_open",
      "(drop (call $path_open (i32.const 3) (i32.const 0) (i32.const 2048) (i32.const 1) \
      \(i32.const 0) (i64.const 0) (i64.const 0) (i32.const 0) (i32.const 64)))"
    ),
    ("fd_read", "(drop (call $fd_read (i32.const 3) (i32.const 0) (i32.const 1) (i32.const 64)))"),
    ("environ_get", "(drop (call $environ_get (i32.const 1024) (i32.const 2048)))"),
    ( "poll_oneoff",
      "(drop (call $poll_oneoff (i32.const 512) (i32.const 1024) (i32.const 1) (i32.const 64)))"
    ),
    ("a wrong descriptor", "(drop (call $fd_close (i32.const 77)))")
  ]

-- | A program that calls something for ever and counts.
counting :: Tier -> Text -> IO Program
counting tier body = do
  st <- newWasi defaultWasi {wasiFolders = [("/", ".")]}
  programOf
    "wasi_snapshot_preview1"
    tier
    ( T.concat
        [ "(data (i32.const 0) \"\\00\\04\\00\\00\\40\\00\\00\\00\") (data (i32.const 2048) \
          \\".\") (global $n (export \"n\") (mut i32) (i32.const 0))",
          func
            "f"
            ( T.concat
                [ "(loop $l ",
                  body,
                  " (global.set $n (i32.add (global.get $n) (i32.const 1))) (br $l))"
                ]
            )
        ]
    )
    st

made :: Program -> IO Int
made g =
  readGlobal (programInstance g) "n" >>= \case
    Right (I32Value n) -> pure (fromIntegral n)
    _ -> assertFailure "no count"

-- | A program whose standard input is a descriptor does something for ever; it is
-- stopped in three ways. The row at 0 names 64 KiB.
waiting :: Tier -> Fd -> Text -> Assertion
waiting tier fd body = do
  st <- newWasi defaultWasi {wasiStreams = (fd, stdOutput, stdError)}
  g <-
    programOf
      "wasi_snapshot_preview1"
      tier
      ( T.concat
          [ "(data (i32.const 0) \"\\00\\00\\01\\00\\00\\00\\01\\00\")",
            func "f" (T.concat ["(loop $l ", body, " (br $l))"])
          ]
      )
      st
  setDeadline (programStore g) (Just 0.02)
  within "a deadline" (run g) >>= late body
  -- One that is set while it waits.
  setDeadline (programStore g) Nothing
  _ <- forkIO (threadDelay 30000 >> setDeadline (programStore g) (Just 0))
  within "a deadline from another thread" (run g) >>= late body
  setDeadline (programStore g) Nothing
  r <- within "an exception" (timeout 30000 (run g))
  either_ r
  closeWasi st
  where
    run g = invoke (programInstance g) "f" []
    either_ = maybe (pure ()) (const (assertFailure "it returned"))

withPipe :: ((Fd, Fd) -> IO a) -> IO a
withPipe action = do
  (from, to) <- createPipe
  r <- action (from, to)
  mapM_ closeFd [from, to]
  pure r

tiers :: [Tier]
tiers = Interpreter : concat [[NativeCode, Auto] | available]

func :: Text -> Text -> Text
func name body = T.concat ["(func (export \"", name, "\") ", body, ")"]

shown :: Int -> Text
shown = T.pack . show

-- | A module with a memory.
module_ :: Tier -> Text -> IO (Store, Instance, Memory)
module_ tier fields = do
  bytes <- orFail (binaryOf (encodeUtf8 (T.concat ["(module ", fields, ")"])))
  m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
  store <- newStore defaultSettings
  i <- instantiate store m noImports >>= orFail
  case exportNamed i "memory" of
    Just (ExternMemory memory) -> pure (store, i, memory)
    _ -> assertFailure "no memory"

suspension :: Either Error a -> IO Suspended
suspension = \case
  Left (OutOfFuel s) -> pure s
  Left e -> assertFailure (T.unpack (renderError e))
  Right _ -> assertFailure "it returned"

late :: Text -> Either Error a -> Assertion
late name = \case
  Left (Exhausted TimeExhausted _) -> pure ()
  -- What grows and what is made is also at an end some time.
  Left (Exhausted HeapExhausted _) -> pure ()
  Left e -> assertFailure (T.unpack (T.concat [name, ": ", renderError e]))
  Right _ -> assertFailure (T.unpack name <> " returned")

within :: String -> IO a -> IO a
within name action =
  timeout 10000000 action >>= maybe (assertFailure (name <> ": not stopped")) pure
