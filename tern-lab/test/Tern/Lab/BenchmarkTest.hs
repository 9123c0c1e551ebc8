{-# LANGUAGE OverloadedStrings #-}

-- | Benchmarks of any code, measured as a user's program measures them.
module Tern.Lab.BenchmarkTest (tests, apart) where

import Control.Exception (evaluate)
import Data.ByteString qualified as B
import Data.IORef (atomicModifyIORef', modifyIORef', newIORef, readIORef)
import Data.List (isInfixOf)
import Data.Text qualified as T
import System.Directory (findExecutable)
import Tern.Lab.Benchmark
  ( Benchmark,
    bench,
    bgroup,
    env,
    envWithCleanup,
    group,
    nf,
    nfAppIO,
    nfGiving,
    nfOver,
    perBatchEnvWithCleanup,
    perRunEnv,
    perRunEnvWithCleanup,
    sizes,
    whnf,
  )
import Tern.Lab.Benchmark.Alone (Wanted (..), enriched)
import Tern.Lab.Benchmark.Definition (limited, names)
import Tern.Lab.Benchmark.Run (Found (..), measured, onlyLookedAt, renderFound, sheetsOf)
import Tern.Lab.Measure (Settings (..))
import Tern.Lab.Progress (silent)
import Tern.Lab.Result
  ( Cost
      ( allocated,
        collections,
        copied,
        instructions,
        mostHeld,
        mostLive,
        time
      ),
  )
import Tern.Lab.Stats (Spread (median))
import Tern.Lab.Tasty (benchmarks)
import Tern.Testkit.Allocation (optimised)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "benchmark"
    [ testCase "an empty benchmark takes nothing" $ do
        found <- all' [bench "empty" (nf id ())]
        case concatMap costs found of
          [(_, cost)] -> do
            allocated cost @?= 0
            assertBool (show (median (time cost))) (median (time cost) < 20)
          other -> assertFailure (show (map fst other)),
      testCase "bytes are exact, of functions, actions and several inputs" $ do
        found <-
          all'
            [ bench
                "pair"
                (nf two 7),
              bench "action" (nfAppIO (\n -> evaluate (B.replicate n 7)) 10000),
              bench "inputs" (nfOver two [1, 2, 3])
            ]
        let bytes = [(name, allocated cost) | one <- found, (name, cost) <- costs one]
        lookup "pair" bytes @?= Just 24
        lookup "inputs" bytes @?= Just 24
        assertBool
          (show bytes)
          ( maybe
              False
              (\b -> b > 10000 && b < (if optimised then 10200 else 11000))
              (lookup "action" bytes)
          ),
      testCase "groups, sizes and environments have paths; those that are wanted are measured" $ do
        let some =
              [ group
                  "a"
                  [ bench
                      "x"
                      (nf not True),
                    bgroup "b" [bench "x" (whnf not True)]
                  ],
                sizes "c" [1, 10] (\n -> nf (`replicate` 'a') n),
                env (pure "text") (\text -> bench "d" (nf reverse text))
              ]
        concatMap names some @?= [["a", "x"], ["a", "b", "x"], ["c", "1"], ["c", "10"], ["d"]]
        found <- measuredWith (isInfixOf ["b"]) some
        [(path one, map fst (costs one)) | one <- found] @?= [(["a", "b"], ["x"])],
      testCase
        "what is made before is made once a group and cleared away after it, also when a \
        \benchmark throws"
        $ do
          events <- newIORef []
          let note what = modifyIORef' events (what :)
          found <-
            all'
              [ envWithCleanup
                  (note "made" >> pure 'x')
                  (\_ -> note "cleared")
                  ( \c ->
                      group
                        "g"
                        [ bench
                            "bad"
                            (nf (\_ -> error "oh dear" :: Char) c),
                          bench "good" (nf succ c)
                        ]
                  )
              ]
          readIORef events >>= (@?= ["cleared", "made" :: String])
          [ (map fst (costs one), [(name, T.take 7 what) | (name, what) <- threw one])
            | one <-
                found
            ]
            @?= [(["good"], [("bad", "oh dear")])]
          assertBool
            "it is said"
            ( any
                ( ("bad is left out: oh dear" `T.isInfixOf`)
                    . renderFound
                )
                found
            ),
      testCase "what was computed once and is then only looked at is said so" $ do
        found <- all' [bench "empty" (nf id ()), bench "pair" (nf two 7)]
        case concatMap costs found of
          (_, nothing) : (_, something) : _ -> do
            let taking each one = one {time = (time one) {median = each}}
            [ onlyLookedAt first one
              | (first, one) <-
                  [ (80000, taking 1 nothing),
                    -- It takes time: it works on what it made.
                    (80000, taking 50 nothing),
                    -- It allocates each time.
                    (80000, taking 1 something),
                    -- It made next to nothing at first.
                    (64, taking 1 nothing)
                  ]
              ]
              @?= [True, False, False, False]
          other -> assertFailure (show (map fst other))
        let said = [renderFound one {shared = Just [("pair", 80000)]} | one <- found]
        assertBool
          (show said)
          ( any
              ( "pair is computed once and then only looked at: its first time allocated 80,000 \
                \B"
                  `T.isInfixOf`
              )
              said
          ),
      testCase "a wrong result is said, and not measured" $ do
        found <-
          all'
            [ bench
                "right"
                (nfGiving 6 sum [1, 2, 3 :: Int]),
              bench "wrong" (nfGiving 7 sum [1, 2, 3 :: Int])
            ]
        [(map fst (costs one), threw one) | one <- found]
          @?= [(["right"], [("wrong", "it gives a wrong result")])],
      testCase "what does not end is ended, and the others go on" $ do
        found <-
          all' (limited 0.3 [group "g" [bench "endless" (nf endless 1), bench "short" (nf two 7)]])
        [(map fst (costs one), threw one) | one <- found]
          @?= [(["short"], [("endless", "once took more than 0.3 s")])],
      testCase "what is made for a batch is cleared away after each" $ do
        open <- newIORef (0 :: Int)
        most <- newIORef (0 :: Int)
        let make _ =
              atomicModifyIORef' open (\n -> (n + 1, n + 1)) >>= \n -> modifyIORef' most (max n)
        _ <-
          all'
            [ bench
                "batch"
                ( perBatchEnvWithCleanup
                    make
                    (\_ () -> modifyIORef' open (subtract 1))
                    (\() -> pure ())
                )
            ]
        mapM readIORef [open, most] >>= (@?= [0, 1]),
      testCase "what is made for each run is fresh, cleared away after it, and not measured" $ do
        events <- newIORef (0 :: Int, 0 :: Int, 0 :: Int)
        let make =
              modifyIORef' events (\(made, used, cleared) -> (made + 1, used, cleared))
                >> evaluate (B.replicate 100000 7)
                >> pure ()
            clear () = modifyIORef' events (\(made, used, cleared) -> (made, used, cleared + 1))
        found <-
          all'
            [ bench "nothing" (perRunEnvWithCleanup make clear (\() -> pure ())),
              bench
                "copy"
                ( perRunEnv
                    (pure (B.replicate 50 7))
                    (evaluate . B.copy)
                )
            ]
        (made, _, cleared) <- readIORef events
        assertBool (show made) (made > 4)
        cleared @?= made
        let bytes = [(name, allocated cost) | one <- found, (name, cost) <- costs one]
        lookup "nothing" bytes @?= Just 0
        assertBool (show bytes) (maybe False (\b -> b >= 50 && b < 200) (lookup "copy" bytes)),
      testCase "copied bytes and collections are told of what keeps its results" $ do
        found <-
          all' [bench "kept" (nf (\n -> reverse [1 .. n :: Int]) 1000000), bench "empty" (nf id ())]
        case [(name, (copied cost, collections cost)) | one <- found, (name, cost) <- costs one] of
          [(_, (Just kept, Just several)), (_, (Just nothing, Just none))] -> do
            assertBool (show (kept, several)) (kept > 1000000 && several > 1)
            assertBool (show (nothing, none)) (nothing < 1000 && none < 0.01)
          other -> assertFailure (show other),
      testCase "the most that is alive and the most memory are those of a process of each" $ do
        found <- enrichedWith (const True) (Wanted True False)
        case [ (name, (mostLive cost, mostHeld cost, instructions cost))
               | one <-
                   found,
                 (name, cost) <- costs one
             ] of
          ("kept", (Just much, Just held, Nothing))
            : ("small", (Just little, Just less, Nothing))
            : _ ->
              do
                assertBool (show (much, held)) (much > 5000000 && held > much)
                assertBool (show (little, less)) (little < 100000 && less < held)
          other -> assertFailure (show other),
      testCaseInfo "instructions are those of one operation, also of several inputs" $
        findExecutable "valgrind" >>= \case
          Nothing -> pure "skipped: no valgrind on PATH"
          Just _ -> do
            -- Each is two processes under valgrind.
            found <- enrichedWith ((`elem` ["small", "inputs"]) . last) (Wanted False True)
            let counted = [(name, instructions cost) | one <- found, (name, cost) <- costs one]
            case (lookup "small" counted, lookup "inputs" counted) of
              (Just (Just one), Just (Just several)) -> do
                assertBool
                  (show counted)
                  ( one > 2000
                      && one < (if optimised then 20000 else 2000000)
                      && several > one / 2
                      && several < 2 * one
                  )
                pure (show counted)
              _ -> assertFailure (show counted),
      testCase "a group of sizes says how it grows, and other groups do not" $ do
        found <-
          all'
            [ sizes
                "square"
                [20, 40, 80, 160]
                ( \n ->
                    nf (\m -> [(a, b) | a <- [1 .. m], b <- [1 .. m]]) n
                ),
              group "other" [bench "a" (nf two 7)]
            ]
        let shown = map renderFound found
        map (T.isInfixOf "grows faster than n") shown @?= [True, False]
        -- Each size is a sheet of its own, so that pages and differences know it.
        map (length . sheetsOf) found @?= [4, 1],
      benchmarks
        [ bench "alone" (nf two 7),
          group
            "outer"
            [ group
                "inner"
                [bench "a" (nf two 7), bench "b" (nf two 8)]
            ]
        ],
      testCase "of the same code no difference is seen" $ do
        found <- all' [bench "one" (nf two 7), bench "other" (nf two 8)]
        -- What takes as long as an empty benchmark has no ratio to be told.
        let none text = any (`T.isInfixOf` text) ["no difference seen", "0.00 ns"]
        assertBool (show (map renderFound found)) (all (none . renderFound) found)
    ]
  where
    all' = measuredWith (const True)

measuredWith :: ([String] -> Bool) -> [Benchmark] -> IO [Found]
measuredWith wanted some = do
  done <- newIORef []
  measured
    Settings {rounds = 2, batch = 1e5}
    (\_ _ -> pure)
    silent
    wanted
    some
    (\found -> modifyIORef' done (found :))
  reverse <$> readIORef done

-- | As 'labMain' measures them that is asked for more.
enrichedWith :: ([String] -> Bool) -> Wanted -> IO [Found]
enrichedWith matching wanted = do
  done <- newIORef []
  measured
    Settings {rounds = 2, batch = 1e5}
    (enriched wanted)
    silent
    matching
    apart
    (\found -> modifyIORef' done (found :))
  reverse <$> readIORef done

-- | What this suite runs when it is started with @--alone@.
apart :: [Benchmark]
apart =
  [ env (pure (1000 :: Int)) $ \n ->
      group
        "apart"
        [ bench
            "kept"
            (nf (\m -> reverse [1 .. 300 * m]) n),
          bench "small" (nf counting n),
          bench "inputs" (nfOver counting [n, n, n])
        ]
  ]
  where
    counting m = length (filter odd [1 .. m `div` 2])

-- | It allocates, so that it can be ended.
endless :: Integer -> Integer
endless n = if n < 0 then n else endless (n * 3 + 2 ^ (64 :: Int) `mod` 7)
{-# NOINLINE endless #-}

two :: Int -> (Int, Int)
two n = (n, n)
{-# NOINLINE two #-}
