{-# LANGUAGE OverloadedStrings #-}

-- | Nothing that a guest says in a few bytes takes the host long, or much memory: not
-- code without jumps, not a structure of ten thousand fields, not a path that leads over
-- links.
--
-- The idea: no clock is asked. What must be paid for is seen by its fuel; what must be
-- linear is done with one and with two of something, and what the host allocated
-- meanwhile is compared.
module Tern.Wasm.CostTest
  ( tests,
  )
where

import Control.Exception (evaluate)
import Control.Monad (forM, forM_)
import Data.ByteString qualified as B
import Data.Containers.ListUtils (nubOrd)
import Data.IntMap.Strict qualified as IntMap
import Data.List qualified as List
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Mem (getAllocationCounter)
import System.Posix.Directory (createDirectory)
import System.Posix.Files (createSymbolicLink)
import System.Timeout (timeout)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Observed (observed)
import Tern.Wasm.Program (Program (..), call, path, poke, program, room, word32)
import Tern.Wasm.Wasi (Wasi (..), closeWasi, defaultWasi)
import Tern.Wasm.Wasi.Opened qualified as Opened
import Tern.Wasm.Wasi.Path (Resolver (..))
import Tern.Wasm.Wasi.State (newWasiBy)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "costs"
    [ testGroup
        "code in a row takes fuel, the same in every tier"
        [ testCase (T.unpack name) $ do
            used <- forM tiers $ \tier -> do
              (store, i) <- made tier source
              setFuel store 10000000
              _ <- invoke i "f" [] >>= orFail
              (10000000 -) <$> fuelLeft store
            assertBool (show used) (minimum used >= least)
            length (nubOrd used) @?= 1
          | (name, source, least) <- rows
        ],
      testCase "a loop after code in a row takes one for each turn" $
        forM_ tiers $ \tier -> do
          used <- forM [10, 1010] $ \n -> do
            (store, i) <- made tier (looping n)
            setFuel store 10000000
            _ <- invoke i "f" [] >>= orFail
            (10000000 -) <$> fuelLeft store
          assertEqual (show tier) [1000] (zipWith (-) (drop 1 used) used),
      testCase "code in a row is suspended in the middle, and goes on there" $
        forM_ tiers $ \tier -> do
          (store, i) <-
            made tier (inRow "(global $n (export \"n\") (mut i32) (i32.const 0))" (adding 10000))
          setFuel store 50
          s <- invoke i "f" [] >>= suspension
          readGlobal i "n" >>= \case
            Right (I32Value n) -> assertBool (show n) (n > 100 && n < 9000)
            _ -> assertFailure "no global"
          setFuel store 10000000
          _ <- continue s >>= orFail
          readGlobal i "n" >>= (@?= "i32 10000") . observed . fmap pure,
      testCase "a short function takes one, as before" $
        forM_ tiers $ \tier -> do
          (store, i) <- made tier (inRow "(global $n (mut i32) (i32.const 0))" (adding 20))
          setFuel store 1000
          _ <- invoke i "f" [] >>= orFail
          fuelLeft store >>= (@?= 999),
      testCase "who throws pays for what its function catches" $
        forM_ tiers $ \tier -> do
          (store, i) <- made tier (catching 20000)
          setFuel store 10000000
          _ <- invoke i "f" [] >>= orFail
          used <- (10000000 -) <$> fuelLeft store
          assertBool (show used) (used >= 5000),
      testGroup
        "values are paid for where the driver moves them"
        [ testCase (T.unpack name) $ do
            used <- forM tiers $ \tier -> forM [1, 1000] $ \n -> do
              (store, i) <- made tier (source n)
              setFuel store 10000000
              _ <- invoke i "f" [] >>= orFail
              (10000000 -) <$> fuelLeft store
            length (nubOrd used) @?= 1
            -- A thousand of 16 bytes, beside what the code in a row takes.
            forM_ used $ \each -> assertBool (show each) (last each - sum (take 1 each) >= 250)
          | (name, source) <- moving
        ],
      testCase "very many blocks that catch are lowered and looked through in linear time" $
        linear "handlers" (2000, 4000) $ \n -> do
          (_, i) <- made Interpreter (catchers n)
          costing (invoke i "f" [] >>= orFail),
      testCase "locals cost what declares them, and not each what it is" $
        forM_ ["(ref struct)", "(ref null struct)", "i64"] $ \t -> do
          costs <- forM [1, 50000] $ \n -> do
            bytes <- orFail (binaryOf (encodeUtf8 (declaring t n))) >>= evaluate
            costing (load bytes >>= orFail)
          case costs of
            [few, many] -> assertBool (show (t, few, many)) (many <= 2 * few)
            _ -> assertFailure (show costs),
      testCase "a structure is paid for by its size" $
        forM_ tiers $ \tier -> do
          (store, i) <- made tier (structure 10000)
          setFuel store 10000000
          _ <- invoke i "f" [] >>= orFail
          used <- (10000000 -) <$> fuelLeft store
          -- 80,000 bytes.
          assertBool (show used) (used >= 1250),
      testCase "a few bytes do not make very many operands" $ do
        -- Each block leaves a thousand that nobody takes.
        _ <- loadText (encodeUtf8 (operands 90)) >>= orFail
        _ <- loadText (encodeUtf8 (dropped 300)) >>= orFail
        loadText (encodeUtf8 (operands 300)) >>= \case
          Left (InvalidModule (Invalid _ (BeyondLimit "operands" _))) -> pure ()
          Left e -> assertFailure (T.unpack (renderError e))
          Right _ -> assertFailure "it was valid",
      testCase "numbers of what is open are the lowest that are free" $ do
        -- Against a search through all, for a hundred of each: open, close, renumber.
        let step (k, o, m) n = case n `mod` 7 of
              r | r < 4 -> case Opened.place 40 n o of
                Just (x, o') ->
                  (k && IntMap.size m < 40 && x == lowest m, o', IntMap.insert x n m)
                Nothing -> (k && IntMap.size m == 40, o, m)
              r
                | r < 6 ->
                    let x = (n * n) `mod` 45 in (k, Opened.remove x o, IntMap.delete x m)
                | otherwise -> (k, Opened.replace 5 n o, IntMap.adjust (const n) 5 m)
            lowest m = until (`IntMap.notMember` m) (+ 1) 3
            start = [(0, 0), (2, 2), (3, 3), (6, 6)]
            states = scanl step (True, Opened.opened start, IntMap.fromList start) [7 .. 2000]
        forM_ states $ \(k, o, m) -> do
          assertBool "another number" k
          Opened.everything o @?= IntMap.elems m
          map (`Opened.find` o) [0 .. 50] @?= map (`IntMap.lookup` m) [0 .. 50],
      testCase "who has very many open opens one more as soon" $ do
        -- Ten seconds: going through all of them for each would take minutes.
        let add o k = maybe o snd (Opened.place maxBound k o)
        r <- timeout 10000000 . evaluate $ List.foldl' add (Opened.opened []) [0 .. 399999 :: Int]
        fmap (Opened.find 400002) r @?= Just (Just 399999),
      testCase "when the time is over no code is made any more" $
        forM_ tiers $ \tier -> do
          (store, i) <- made tier "(module (func (export \"f\")))"
          setDeadline store (Just 0)
          r <- invoke i "f" []
          case r of
            Left (Exhausted TimeExhausted _) -> pure ()
            _ -> assertFailure (T.unpack (observed r))
          setDeadline store Nothing
          invoke i "f" [] >>= orFail >>= (@?= 0) . length,
      testGroup
        "names that links lead over are paid for"
        [ testCase (show how) $
            linked how $ \g -> do
              used <- fuelOf g (stat g "long") 0
              -- 1,600 names, each as much as 2,560 bytes.
              assertBool (show used) (used >= 1600 * 40)
              -- The same where the link is on the way.
              middle <- fuelOf g (stat g "folder/file") 0
              assertBool (show middle) (middle >= 1600 * 40)
              short <- fuelOf g (stat g "a/file") 0
              assertBool (show short) (short < 1000)
              -- And no more of them than a path may have in all.
              forM_ ["longer", "m1/file"] $ \name -> fuelOf g (stat g name) 37
              -- Two links of 1,600 names each, and the second is not the last name.
              twice <- fuelOf g (stat g "m3/file") 0
              assertBool (show twice) (twice >= 3200 * 40)
          | how <- [ByKernel, ByWalk]
        ],
      testCase "who waits for very many descriptors pays for each" $
        linked ByKernel $ \g -> do
          let n = 1000 :: Int
              toWrite = [B.replicate 8 0, B.pack [2], B.replicate 7 0, word32 1, B.replicate 28 0]
              places = [room, room + 100000, fromIntegral n, 8]
          poke g room (B.concat (concat (replicate n toWrite)))
          used <- fuelOf g (call g "poll_oneoff" (map I32Value places)) 0
          assertBool (show used) (used >= 100 * n),
      testCase "buffers without bytes are paid for, each" $
        linked ByKernel $ \g -> forM_ ["fd_write", "fd_read"] $ \name -> do
          poke g room (B.replicate 8192 0)
          used <- forM [1, 1024] $ \n -> fuelOf g (call g name (map I32Value [1, room, n, 8])) 0
          assertBool (show (name, used)) (sum (drop 1 used) - sum (take 1 used) >= 1000)
    ]
  where
    stat g name = do
      p <- path g name
      call g "path_filestat_get" ([I32Value 3, I32Value 1] <> p <> [I32Value room])
    fuelOf g action expected = do
      setFuel (programStore g) 100000000
      action >>= (@?= expected)
      (100000000 -) <$> fuelLeft (programStore g)

-- | Functions whose code is long and does not jump: fields, and what it takes at least.
rows :: [(Text, Text, Int)]
rows =
  [ ("arithmetic", inRow "(global $n (mut i32) (i32.const 0))" (adding 10000), 10000 `div` 128),
    ( "a branch that is not taken",
      inRow
        "(global $n (mut i32) (i32.const 0))"
        (T.concat ["(block $b ", T.replicate 5000 "(br_if $b (global.get $n))", ")"]),
      5000 `div` 128
    ),
    ( "vectors",
      inRow
        "(memory 1)"
        ( T.replicate
            1000
            "(v128.store (i32.const 0) (i32x4.add (v128.load (i32.const 0)) (v128.load \
            \(i32.const 16))))"
        ),
      3000 * 16 `div` 160
    ),
    ( "another memory",
      inRow
        "(memory 1) (memory $m 1)"
        (T.replicate 1000 "(i32.store $m (i32.const 0) (i32.load $m (i32.const 8)))"),
      2000 * 16 `div` 160
    ),
    ( "rounding",
      inRow
        "(global $x (mut f64) (f64.const 1.5))"
        (T.replicate 1000 "(global.set $x (f64.nearest (global.get $x)))"),
      1000 * 16 `div` 160
    ),
    ( "what the driver does",
      inRow "(table $t 1 funcref)" (T.replicate 1000 "(drop (table.get $t (i32.const 0)))"),
      1000 * 16 `div` 160
    ),
    ( "locals that are set to zero",
      inRow "" (T.concat ["(local", T.replicate 40000 " i64", ")"]),
      40000 `div` 4 `div` 128
    )
  ]

-- | So many turns of a loop that is nearly as long as code in a row may be, after about as much.
looping :: Int -> Text
looping n =
  inRow
    "(global $n (mut i32) (i32.const 0))"
    ( T.concat
        [ "(local $k i32) ",
          adding 30,
          "(loop $l ",
          adding 30,
          "(br_if $l (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (i32.const ",
          T.pack (show n),
          "))))"
        ]
    )

adding :: Int -> Text
adding n = T.replicate n "(global.set $n (i32.add (global.get $n) (i32.const 1)))"

inRow :: Text -> Text -> Text
inRow fields body = T.concat ["(module ", fields, " (func (export \"f\") ", body, "))"]

-- | A block with very many clauses of which only the last one fits.
catching :: Int -> Text
catching n =
  T.concat
    [ "(module (tag $e) (tag $other) (func (export \"f\") (block $h (try_table",
      T.replicate n " (catch $other $h)",
      " (catch_all $h) (throw $e)))))"
    ]

-- | Very many blocks, and the last one catches.
catchers :: Int -> Text
catchers n =
  T.concat
    [ "(module (tag $e) (tag $other) (func (export \"f\") (block $h",
      T.replicate n "(try_table (catch $other $h))",
      "(try_table (catch $e $h) (throw $e)))))"
    ]

-- | Twenty functions that each declare @n@ locals of a type.
declaring :: Text -> Int -> Text
declaring t n =
  T.concat
    ["(module ", T.replicate 20 (T.concat ["(func (local ", T.replicate n (t <> " "), "))"]), ")"]

-- | A structure of @n@ fields.
structure :: Int -> Text
structure n =
  T.concat
    [ "(module (type $s (struct",
      T.replicate n " (field i64)",
      ")) (func (export \"f\") (drop (struct.new_default $s))))"
    ]

-- | Each block leaves a thousand operands, and nobody takes them; or a branch leaves them
-- behind.
operands, dropped :: Int -> Text
operands n = thousands (T.replicate n "(block (type $t) (unreachable))")
dropped n = thousands (T.replicate n "(block $o (block (type $t) (unreachable)) (br $o))")

thousands :: Text -> Text
thousands body =
  T.concat
    [ "(module (type $t (func (result",
      T.replicate 1000 " i32",
      -- A reference is for the whole check, not the quick one.
      "))) (func (drop (ref.null func)) ",
      body,
      "(unreachable)))"
    ]

-- | A folder with links that lead over very many names, for a guest.
linked :: Resolver -> (Program -> Assertion) -> Assertion
linked how play = withSystemTempDirectory "tern-links" $ \folder -> do
  createDirectory (folder </> "a") 0o700
  B.writeFile (folder </> "a/file") "inside"
  let over = concat (replicate 800 "a/../")
  createSymbolicLink (over <> "a/file") (folder </> "long")
  createSymbolicLink (over <> "a") (folder </> "folder")
  forM_ [1 .. 4 :: Int] $ \k ->
    createSymbolicLink (over <> "l" <> show (k + 1)) (folder </> ("l" <> show k))
  createSymbolicLink "a/file" (folder </> "l5")
  forM_ [1 .. 4 :: Int] $ \k ->
    createSymbolicLink (over <> "m" <> show (k + 1)) (folder </> ("m" <> show k))
  createSymbolicLink "a" (folder </> "m5")
  createSymbolicLink "l1" (folder </> "longer")
  st <- newWasiBy how defaultWasi {wasiFolders = [("/", folder)]}
  program st >>= play
  closeWasi st

-- * Counting

-- | What an action makes the host allocate, in bytes.
costing :: IO a -> IO Int
costing action = do
  before <- getAllocationCounter
  _ <- action >>= evaluate
  after <- getAllocationCounter
  pure (fromIntegral (before - after))

-- | Of more of something the host allocates no more than in proportion, and a half.
linear :: String -> (Int, Int) -> (Int -> IO Int) -> Assertion
linear what (few, many) cost = do
  a <- cost few
  b <- cost many
  assertBool
    (what <> ": " <> show (few, a) <> ", " <> show (many, b))
    (2 * b * few <= 3 * a * many)

tiers :: [Tier]
tiers = Interpreter : concat [[NativeCode, Auto] | available]

made :: Tier -> Text -> IO (Store, Instance)
made tier source = do
  bytes <- orFail (binaryOf (encodeUtf8 source))
  m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
  store <- newStore defaultSettings
  (,) store <$> (instantiate store m noImports >>= orFail)

suspension :: Either Error a -> IO Suspended
suspension = \case
  Left (OutOfFuel s) -> pure s
  Left e -> assertFailure (T.unpack (renderError e))
  Right _ -> assertFailure "it returned"

-- * Values that the driver moves

-- | By what, and a module that does it once with so many vectors.
moving :: [(Text, Int -> Text)]
moving =
  [ ( "thrown and caught",
      \n ->
        T.concat
          [ "(module (tag $t (param",
            vectors n,
            ")) (func (export \"f\") (block $h (result",
            vectors n,
            ") (try_table (catch $t $h) (throw $t ",
            constants n,
            ")) (unreachable)) ",
            T.replicate n "(drop)",
            "))"
          ]
    ),
    ( "thrown again",
      \n ->
        T.concat
          [ "(module (tag $t (param",
            vectors n,
            ")) (func (export \"f\") (block $done (try_table (catch_all $done) (throw_ref \
            \(block $h (result exnref) (try_table (result exnref) (catch_all_ref $h) (throw $t ",
            constants n,
            "))))))))"
          ]
    ),
    ( "handed on in place of a function",
      \n ->
        T.concat
          [ "(module (type $v (func (param",
            vectors n,
            "))) (table $t i64 funcref (elem $g)) (func $g (type $v)) (func (export \"f\") \
            \(return_call_indirect $t (type $v) ",
            constants n,
            "(i64.const 0))))"
          ]
    ),
    ( "given to a function of a table",
      \n ->
        T.concat
          [ "(module (type $v (func (param",
            vectors n,
            "))) (table $t i64 funcref (elem $g)) (func $g (type $v)) (func (export \"f\") \
            \(call_indirect $t (type $v) ",
            constants n,
            "(i64.const 0))))"
          ]
    )
  ]
  where
    vectors n = T.replicate n " v128"
    constants n = T.replicate n "(v128.const i64x2 1 2) "
