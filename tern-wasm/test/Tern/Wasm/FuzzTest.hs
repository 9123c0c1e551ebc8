{-# LANGUAGE OverloadedStrings #-}

-- | Mutated modules: whatever the bytes, a result or an error, never an
-- exception and never a crash.
--
-- The mutations are made from a seed, so that a failure can be repeated. The
-- environment variable @TERN_WASM_FUZZ@ sets how many there are.
module Tern.Wasm.FuzzTest
  ( tests,
  )
where

import Control.Exception (SomeException, evaluate, try)
import Control.Monad (forM, void, when)
import Data.Bits (shiftL, shiftR, xor, (.&.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.IORef (IORef, modifyIORef', newIORef, readIORef)
import Data.List (isSuffixOf, sort)
import Data.Map.Strict qualified as Map
import Data.Text qualified as T
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Word (Word64)
import System.Directory (listDirectory)
import System.Environment (lookupEnv)
import System.FilePath ((</>))
import System.Timeout (timeout)
import Tern.Testkit.Drawn (drawn, drawnUnless)
import Tern.Testkit.Suites (suiteTest)
import Tern.Wasm
import Tern.Wasm.Binary (decode, decodeBy)
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Observed (observed)
import Tern.Wasm.Seed (mix)
import Tern.Wasm.Syntax (CompType (..), Import (..), ImportDesc (..), Module (..), SubType (..))
import Tern.Wasm.Text.Parse (assembleFields)
import Tern.Wasm.Text.Script (runScript)
import Tern.Wasm.Text.Tree (Tree (..), readTrees)
import Tern.Wasm.Valid (validate, validateBy)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit
import Text.Read (readMaybe)

tests :: TestTree
tests =
  testGroup
    "mutated"
    [ binaries,
      texts,
      testCase "nesting has a bound, and an error that says so" nesting
    ]

-- | The scripts of the third edition with a few bytes changed, taken out or put
-- twice, read as text and run as scripts.
texts :: TestTree
texts = testCaseInfo "mutated texts" $ do
  wanted <- lookupEnv "TERN_WASM_FUZZ"
  names <- sort . filter (".wast" `isSuffixOf`) <$> listDirectory "test/scripts"
  seeds <- V.fromList . concat <$> mapM (fmap pieces . B.readFile . ("test/scripts" </>)) names
  rounds <- maybe (drawn 3000) (pure . (`div` 10)) (wanted >>= readMaybe)
  complaints <- forM [1 .. rounds] $ \n -> do
    outcome <- try (scripted (mutantText seeds n))
    pure $ case outcome of
      Right () -> []
      Left e -> ["mutation " <> show n <> ": " <> show (e :: SomeException)]
  assertEqual "exceptions" [] (concat complaints)
  pure (show rounds <> " texts")
  where
    -- Top-level forms begin a line.
    pieces source = filter ((> 20) . B.length) (map (B.append "(") (splitOn "\n(" source))
    splitOn by text = case B.breakSubstring by text of
      (x, rest) | B.null rest -> [x]
      (x, rest) -> x : splitOn by (B.drop (B.length by) rest)
    scripted source = do
      outcome <- timeout 5000000 (runScript (Settings 65536 20 10000 1000000 False) source)
      case outcome of
        Just (Right outcomes) -> void (evaluate (length (show outcomes)))
        Just (Left e) -> void (evaluate (T.length e))
        -- A mutant may loop for ever; that it can be stopped is the point.
        Nothing -> pure ()

mutantText :: Vector ByteString -> Int -> ByteString
mutantText seeds n =
  foldl
    change
    ( seeds
        V.! fromIntegral (draw 0 `mod` fromIntegral (V.length seeds))
    )
    [1 .. 1 + draw 1 `mod` 3]
  where
    draw :: Word64 -> Word64
    draw k = mix (fromIntegral n * 1000033 + k * 7919)
    change text k
      | B.null text = text
      | otherwise =
          let r = draw (10 * k)
              at = fromIntegral ((r `shiftR` 8) `mod` fromIntegral (B.length text))
              run = 1 + fromIntegral ((r `shiftR` 40) .&. 15)
              (before, after) = B.splitAt at text
           in case r .&. 3 of
                0 -> before <> B.drop run after
                1 -> before <> B.take run after <> after
                2 -> before <> B.singleton (fromIntegral (r `shiftR` 48)) <> B.drop 1 after
                _ -> before <> "(" <> after

nesting :: Assertion
nesting = do
  refused
    (BC.replicate 1000000 '(')
    "line 1, column 10001: expected parentheses that are nested less deeply"
  refused
    ("(func " <> B.concat (replicate 20000 "block ") <> ")")
    "line 1, column 60013: expected blocks that are nested less deeply"
  -- What is nested within the bound is read, checked and run.
  let deep =
        "(func (export \"f\") (result i32) "
          <> B.concat (replicate 3000 "(i32.add (i32.const 1) ")
          <> "(i32.const 0)"
          <> BC.replicate 3001 ')'
  m <- loadText deep >>= orFail
  store <- newStore defaultSettings
  i <- instantiate store m noImports >>= orFail
  invoke i "f" [] >>= \case
    Right [I32Value n] -> n @?= 3000
    _ -> assertFailure "gave something else"
  where
    refused source e =
      loadText source
        >>= either
          ((@?= "malformed text: " <> e) . renderError)
          (const (assertFailure "was accepted"))

binaries :: TestTree
binaries = suiteTest "mutated modules" ("wasm" </> "spec-2.0") $ \folder -> do
  -- Half of the mutants come from the modules of the third edition's scripts.
  old <- modulesBelow folder
  new <- scriptModules
  let seeds = old <> V.concat (replicate (V.length old `div` max 1 (V.length new)) new)
  rounds <- drawnUnless "TERN_WASM_FUZZ" 20000
  ran <- newIORef (0 :: Int)
  complaints <- forM [1 .. rounds] $ \n -> do
    let bytes = mutant seeds n
    -- Looked at here, so that what was seen is not kept.
    outcome <- try $ do
      differences <- (<>) <$> exercise ran bytes <*> judged bytes
      differences <$ evaluate (length differences)
    pure $ case outcome of
      Right differences -> map (("mutation " <> show n <> ": ") <>) differences
      Left e -> ["mutation " <> show n <> ": " <> show (e :: SomeException)]
  valid <- readIORef ran
  putStrLn ("mutated modules: " <> show rounds <> ", of which valid and run: " <> show valid)
  pure (concat complaints, rounds)

scriptModules :: IO (Vector ByteString)
scriptModules = do
  names <- sort . filter (".wast" `isSuffixOf`) <$> listDirectory "test/scripts"
  sources <- mapM (B.readFile . ("test/scripts" </>)) names
  pure $
    V.fromList
      [ bytes
        | source <- sources,
          Right trees <- [readTrees source],
          List _ (Atom _ "module" : fields) <- trees,
          Right bytes <- [assembleFields (dropWhile isAtom fields)]
      ]
  where
    isAtom = \case
      Atom _ _ -> True
      _ -> False

modulesBelow :: FilePath -> IO (Vector ByteString)
modulesBelow folder = do
  names <- sort <$> listDirectory folder
  files <- forM names $ \n ->
    map ((folder </> n) </>) . filter (".wasm" `isSuffixOf`) . sort <$> listDirectory (folder </> n)
  V.fromList . filter accepted <$> mapM B.readFile (concat files)
  where
    accepted = either (const False) (either (const False) (const True) . validate) . decode

-- | A module with one to four bytes changed, most of them in its second half,
-- where the code is.
mutant :: Vector ByteString -> Int -> ByteString
mutant seeds n =
  foldl
    change
    ( seeds
        V.! fromIntegral (draw 0 `mod` fromIntegral (V.length seeds))
    )
    [1 .. 1 + fromIntegral (draw 1 .&. 3)]
  where
    draw :: Word64 -> Word64
    draw k = mix (fromIntegral n * 1000003 + k * 7919)
    change bytes k
      | B.length bytes < 9 = bytes
      | otherwise = B.concat [B.take at bytes, B.singleton new, B.drop (at + 1) bytes]
      where
        r = draw (10 * k)
        size = B.length bytes
        from = if r .&. 3 == 0 then 8 else size `div` 2
        at = from + fromIntegral ((r `shiftR` 8) `mod` fromIntegral (size - from))
        old = B.index bytes at
        new = case (r `shiftR` 4) .&. 3 of
          0 -> fromIntegral (r `shiftR` 40)
          1 -> old + 1
          2 -> old - 1
          _ -> old `xor` (1 `shiftL` fromIntegral ((r `shiftR` 50) .&. 7))

-- | Whether loading, which asks for a quick answer first, judges as decoding and
-- validation in full do, by all editions.
judged :: ByteString -> IO [String]
judged bytes = concat <$> mapM one [Rules1, Rules2, Rules3]
  where
    one rules = do
      soon <- either (Just . renderError) (const Nothing) <$> loadBy rules bytes
      let full = case decodeBy rules bytes of
            Left e -> Just (renderMalformed e)
            Right m -> either (Just . renderInvalid) (const Nothing) (validateBy rules m)
      pure
        [ show rules <> ": loading said " <> show soon <> ", and in full " <> show full
          | soon
              /= full
        ]

-- | Load; if that works, instantiate with whatever it imports, and call every
-- exported function with zeroes, by both tiers; what they did otherwise.
exercise :: IORef Int -> ByteString -> IO [String]
exercise ran bytes = do
  seen <- mapM (exercised bytes) (Interpreter : concat [[NativeCode, Auto] | available])
  case seen of
    (did : _) | not (null did) -> modifyIORef' ran (+ 1)
    _ -> pure ()
  pure
    [ "one tier: " <> show a <> ", another: " <> show b
      | (a, b) <-
          zip seen (drop 1 seen),
        a /= b
    ]

exercised :: ByteString -> Tier -> IO [T.Text]
exercised bytes tier =
  loadWith defaultLoading {loadingTier = tier} bytes >>= \case
    Left e -> [] <$ evaluate (T.length (renderError e))
    Right m -> do
      store <- newStore (Settings 65536 20 10000 1000000 False)
      setFuel store 20000
      when (tier == Auto) (sampleStacks store 50)
      imports <- either (const (pure noImports)) (provide store) (decode bytes)
      instantiate store m imports >>= \case
        Left e -> pure [renderError e]
        Right i ->
          fmap (T.pack "made" :) . forM (exportNames i) $ \name -> case exportNamed i name of
            Just (ExternFunc f) -> do
              seen <- observed <$> invoke i name (map zero (funcParams (funcSignature f)))
              left <- fuelLeft store
              pure (seen <> T.pack (' ' : show left))
            _ -> pure T.empty

zero :: ValType -> Value
zero = \case
  I32 -> I32Value 0
  I64 -> I64Value 0
  F32 -> F32Value 0
  F64 -> F64Value 0
  V128 -> V128Value 0 0
  Ref FuncRef -> FuncValue Nothing
  Ref ExternRef -> ExternValue Nothing
  Ref (RefType _ h) -> NullValue h

provide :: Store -> Module -> IO Imports
provide store m = Map.fromList . concat <$> mapM one (V.toList (moduleImports m))
  where
    types = V.fromList (concat (V.toList (moduleTypes m)))
    one (Import from name desc) = map ((from, name),) <$> thing desc
    funcAt t = case subComp <$> types V.!? t of
      Just (CompFunc ft) -> ft
      _ -> FuncType [] []
    thing = \case
      ImportFunc t -> do
        let ft = funcAt t
        f <- hostFunc store ft (const (pure (Right (map zero (funcResults ft)))))
        pure [ExternFunc f]
      ImportTable t -> maybe [] (pure . ExternTable) <$> hostTable store t
      ImportMem l -> maybe [] (pure . ExternMemory) <$> hostMemory store l
      ImportGlobal (GlobalType mutability t) ->
        maybe [] (pure . ExternGlobal) <$> hostGlobal store mutability (zero t)
      ImportTag t -> pure . ExternTag <$> hostTag store (funcParams (funcAt t))
