{-# LANGUAGE OverloadedStrings #-}

-- | The official suite: every command of every script, in order.
module Tern.Wasm.SpecTest
  ( tests,
  )
where

import Control.Exception (IOException, try)
import Control.Monad (forM)
import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.ByteString qualified as B
import Data.IORef (IORef, modifyIORef, newIORef, readIORef, writeIORef)
import Data.List (isInfixOf, isPrefixOf, isSuffixOf, sort)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word64)
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble)
import System.Directory (doesDirectoryExist, listDirectory)
import System.FilePath (takeDirectory, takeFileName, (<.>), (</>))
import System.Timeout (timeout)
import Tern.Testkit.Suites (suiteTest)
import Tern.Wasm qualified as Wasm
import Tern.Wasm.Binary (decode, decodeBy)
import Tern.Wasm.Lasting (newKeeper)
import Tern.Wasm.Lower (Options (..), lower)
import Tern.Wasm.Meaning (Meaning (..), meaning)
import Tern.Wasm.Native (emitted, processor)
import Tern.Wasm.Native.Located (Located (..), allSteps, steps)
import Tern.Wasm.Script
  ( Action (..),
    Command (..),
    Lane (..),
    Script (..),
    Value (..),
    Verb (..),
    readScript,
  )
import Tern.Wasm.Spectest (spectest)
import Tern.Wasm.Syntax (Functions (..), Module (..))
import Tern.Wasm.Text.Parse (assemble, assembleFields, renderTextError)
import Tern.Wasm.Text.Print (printModule)
import Tern.Wasm.Text.Script (Outcome (..), runScriptWith)
import Tern.Wasm.Text.Tree (Tree (..), readTrees)
import Tern.Wasm.Valid (Valid (..), validate)
import Test.Tasty (TestTree, testGroup)

tests :: TestTree
tests =
  testGroup
    "official suite"
    ( [ suiteTest (version <> label) ("wasm" </> version) (runFolder (Way version text tier))
        | version <- ["spec-1.0", "spec-2.0"],
          (label, text, tier) <-
            [("", False, Wasm.Interpreter), (" through the text format", True, Wasm.Interpreter)]
              <> [(" as native code", False, Wasm.NativeCode) | Wasm.available]
      ]
        <> [ suiteTest ("spec-3.0" <> label) ("wasm" </> "spec-3.0-wast") (runTexts tier Nothing)
             | (label, tier) <-
                 tiers
           ]
        <> [ suiteTest
               ("spec-3.0, collecting before each object" <> label)
               ("wasm" </> "spec-3.0-wast")
               (runTexts tier (Just hasObjects))
             | (label, tier) <-
                 tiers
           ]
        <> [ suiteTest
               "spec-3.0, its modules printed and read again"
               ("wasm" </> "spec-3.0-wast")
               printTexts
           ]
        <> [ suiteTest
               "spec-3.0, every function has native code"
               ("wasm" </> "spec-3.0-wast")
               compileTexts
             | Wasm.available
           ]
    )
  where
    tiers =
      ("", Wasm.Interpreter)
        : concat
          [ [ (" as native code", Wasm.NativeCode),
              (" as it gets warm", Wasm.Auto)
            ]
            | Wasm.available
          ]

-- * Scripts in the text format

-- | Whether a script makes structures, arrays or references to exceptions.
hasObjects :: B.ByteString -> Bool
hasObjects source = any (`B.isInfixOf` source) ["struct.new", "array.new", "_ref"]

-- | Every command of every script that is wanted; assertions are counted. Objects are
-- collected before each one where not all scripts are.
runTexts :: Wasm.Tier -> Maybe (B.ByteString -> Bool) -> FilePath -> IO ([String], Int)
runTexts tier wanted folder = do
  outcomes <- scriptsOf folder >>= mapM one
  let counts = Map.unionsWith (+) (map snd outcomes)
  putStrLn
    ( "spec-3.0 "
        <> show tier
        <> ": "
        <> unwords [k <> " " <> show n | (k, n) <- Map.toList counts]
    )
  pure (concatMap fst outcomes, sum [n | (k, n) <- Map.toList counts, "assert" `isPrefixOf` k])
  where
    one name = do
      source <- B.readFile (folder </> name)
      if maybe True ($ source) wanted then run name source else pure ([], Map.empty)
    run name source = do
      answer <-
        timeout
          300000000
          ( runScriptWith
              Wasm.defaultLoading {Wasm.loadingTier = tier}
              Wasm.defaultSettings {Wasm.settingEagerly = isJust wanted}
              source
          )
      pure $ case answer of
        Nothing -> ([name <> ": took more than five minutes"], Map.empty)
        Just (Left problem) -> ([name <> ": " <> T.unpack problem], Map.empty)
        Just (Right outcomes) ->
          ( [ name
                <> ":"
                <> show (outcomeLine o)
                <> ", "
                <> T.unpack (outcomeKind o)
                <> ": "
                <> T.unpack c
              | o <-
                  outcomes,
                Just c <- [outcomeComplaint o]
            ],
            Map.fromListWith (+) [(T.unpack (outcomeKind o), 1 :: Int) | o <- outcomes]
          )

-- | Every module that is written in the scripts, as text and back, must print as the
-- same text again.
printTexts :: FilePath -> IO ([String], Int)
printTexts folder = do
  outcomes <- scriptsOf folder >>= mapM one
  pure (concatMap fst outcomes, sum (map snd outcomes))
  where
    one name = do
      modules <- modulesOf (folder </> name)
      pure
        ( [ name <> ": " <> problem
            | bytes <-
                modules,
              Just problem <- [reprinted bytes]
          ],
          length modules
        )
    reprinted bytes = case printModule bytes of
      Left e -> Just (show e)
      Right text -> case assemble (encodeUtf8 text) of
        Left e -> Just (T.unpack (renderTextError (encodeUtf8 text) e))
        Right again
          | printModule again == Right text -> Nothing
          | otherwise -> Just "the text changed when it was read and printed again"

-- | The modules that are written in a script, as bytes.
modulesOf :: FilePath -> IO [B.ByteString]
modulesOf file = do
  trees <- readTrees <$> B.readFile file
  pure
    [ bytes
      | Right ts <-
          [trees],
        List _ (Atom _ "module" : fields) <- ts,
        Right bytes <- [assembleFields (dropWhile isAtom fields)]
    ]
  where
    isAtom = \case
      Atom _ _ -> True
      _ -> False

-- | Every function of every module that is valid gets native code; those that are over
-- vectors are counted.
compileTexts :: FilePath -> IO ([String], Int)
compileTexts folder = do
  outcomes <- scriptsOf folder >>= mapM one
  let functions = concat outcomes
  putStrLn
    ( show (length functions)
        <> " functions, of which "
        <> show (length [() | (_, True, _) <- functions])
        <> " are over vectors"
    )
  pure ([what | (what, _, False) <- functions], length functions)
  where
    one name = do
      modules <- modulesOf (folder </> name)
      concat
        <$> sequence
          [ forM [0 .. functionCount (moduleFuncs (validModule valid)) - 1] (function name valid)
            | bytes <- modules,
              Right m <- [decode bytes],
              Right valid <- [validate m]
          ]
    function name valid x = do
      keeper <- newKeeper
      l <- lower maxBound keeper (Options Nothing False Nothing Wasm.NativeCode processor) valid x
      (vectors, native) <- case l of
        Nothing -> pure (False, False)
        Just code -> do
          over <- any (overVectors . meaning . stepOp) . allSteps <$> steps code
          (,) over . isJust <$> emitted processor 0 0 code
      pure (name <> ", function " <> show x <> " has no native code", vectors, native)
    overVectors = \case
      OverVectors _ -> True
      _ -> False

-- | All below a folder, in order of name.
scriptsOf :: FilePath -> IO [FilePath]
scriptsOf folder = do
  names <- sort <$> listDirectory folder
  concat
    <$> forM
      names
      ( \name ->
          doesDirectoryExist (folder </> name) >>= \case
            True -> map (name </>) <$> scriptsOf (folder </> name)
            False -> pure [name | ".wast" `isSuffixOf` name]
      )

-- * Scripts as command JSON

-- | An edition, whether each module that is run is first printed as text and read
-- again, and the tier that runs it.
data Way = Way {edition :: String, throughText :: Bool, tierOf :: Wasm.Tier}

type Counts = Map String Int

runFolder :: Way -> FilePath -> IO ([String], Int)
runFolder way folder = do
  names <- sort <$> listDirectory folder
  outcomes <- mapM (\n -> runScript way (folder </> n </> n <.> "json")) names
  let counts = Map.unionsWith (+) (map snd outcomes)
  putStrLn (edition way <> ": " <> unwords [k <> " " <> show n | (k, n) <- Map.toList counts])
  pure (concatMap fst outcomes, sum counts)

-- | The store of one script, what is registered in it, and the modules so far.
data World = World
  { store :: Wasm.Store,
    registered :: IORef Wasm.Imports,
    current :: IORef (Maybe Wasm.Instance),
    named :: IORef (Map Text Wasm.Instance),
    -- | Modules without an instance, the last one under no name.
    definitions :: IORef (Map Text FilePath)
  }

runScript :: Way -> FilePath -> IO ([String], Counts)
runScript way path =
  readScript path >>= \case
    Left problem -> pure ([path <> ": " <> problem], Map.empty)
    Right script -> do
      world <- newWorld
      outcomes <- mapM (one world) (scriptCommands script)
      pure (concatMap fst outcomes, Map.fromListWith (+) [(k, 1) | (_, k) <- outcomes])
  where
    one world (Command line verb) = do
      answer <-
        timeout 60000000 (either failed id <$> try (check way (takeDirectory path) world verb))
      let (kind, complaint) = fromMaybe ("timeout", Just "took more than a minute") answer
          here =
            edition way <> " " <> takeFileName path <> " line " <> show line <> ", " <> kind <> ": "
      pure ([here <> c | Just c <- [complaint]], kind)

failed :: IOException -> (String, Maybe String)
failed e = ("module", Just (show e))

newWorld :: IO World
newWorld = do
  s <- Wasm.newStore Wasm.defaultSettings
  World s
    <$> (spectest s >>= newIORef)
    <*> newIORef Nothing
    <*> newIORef Map.empty
    <*> newIORef Map.empty

-- | The kind of a command, and what is wrong with what it did.
check :: Way -> FilePath -> World -> Verb -> IO (String, Maybe String)
check way folder world = \case
  DefineModule name file ->
    ("module",) <$> do
      made <- define file
      case made of
        Left e -> Just (said e) <$ writeIORef (current world) Nothing
        Right i -> do
          writeIORef (current world) (Just i)
          mapM_ (\n -> modifyIORef (named world) (Map.insert n i)) name
          pure Nothing
  Register as name ->
    ("register",)
      <$> onInstance
        name
        ( \i ->
            Nothing <$ modifyIORef (registered world) (Map.union (Wasm.fromInstance as i))
        )
  Do action -> ("action",) . either (Just . said) (const Nothing) <$> perform action
  AssertReturn action expected ->
    ("assert_return",) . either (Just . said) (compared expected) <$> perform action
  AssertTrap action ->
    ("assert_trap",) . refused (\case Wasm.Trapped {} -> True; _ -> False) <$> perform action
  AssertExhaustion action ->
    ("assert_exhaustion",)
      . refused (\case Wasm.Exhausted Wasm.StackExhausted _ -> True; _ -> False)
      <$> perform action
  AssertException action ->
    ("assert_exception",) . refused (\case Wasm.UncaughtException {} -> True; _ -> False)
      <$> perform action
  DefineOnly name file -> do
    modifyIORef (definitions world) (maybe id (`Map.insert` file) name . Map.insert "" file)
    ("module_definition",) . either (Just . said) (const Nothing) <$> loaded file
  InstantiateAgain name definition -> do
    file <- Map.lookup (fromMaybe "" definition) <$> readIORef (definitions world)
    maybe
      ( pure
          ("module_instance", Just "there is no such definition")
      )
      (check way folder world . DefineModule name)
      file
  AssertInvalid file ->
    ("assert_invalid",) . refused (\case Wasm.InvalidModule _ -> True; _ -> False) <$> loaded file
  AssertMalformed file -> ("assert_malformed",) . refused malformed <$> loaded file
  AssertUnlinkable file ->
    ("assert_unlinkable",) . refused (\case Wasm.UnlinkableModule _ -> True; _ -> False)
      <$> define file
  AssertUninstantiable file ->
    ("assert_uninstantiable",) . refused (\case Wasm.Trapped {} -> True; _ -> False) <$> define file
  OverText kind file -> do
    source <- B.readFile (folder </> file)
    pure . ("text " <> T.unpack kind,) $ case assemble source of
      Left _ | kind == "assert_malformed" -> Nothing
      Left e -> Just (T.unpack (renderTextError source e))
      Right binary
        -- Where the text is well-formed its binary may still not be.
        | kind == "assert_malformed" ->
            either (const Nothing) (const (Just "was accepted")) (decodeBy rules binary)
        | otherwise -> either (Just . show) (const Nothing) (decodeBy rules binary)
  where
    version = edition way
    rules = rulesOf version
    loadedBy =
      Wasm.loadWith Wasm.defaultLoading {Wasm.loadingRules = rules, Wasm.loadingTier = tierOf way}
    loaded file = B.readFile (folder </> file) >>= loadedBy
    define file = do
      bytes <- B.readFile (folder </> file)
      made <-
        if throughText way
          then either (pure . Left . Wasm.MalformedModule) again (printModule bytes)
          else loadedBy bytes
      case made of
        Left e -> pure (Left e)
        Right m -> readIORef (registered world) >>= Wasm.instantiate (store world) m
    -- Text that was printed reads as a module that prints as the same text.
    again text = case assemble (encodeUtf8 text) of
      Left e -> fail (T.unpack (renderTextError (encodeUtf8 text) e))
      Right bytes
        | fmap (== text) (printModule bytes) == Right True -> loadedBy bytes
        | otherwise -> fail "the text changed when it was read and printed again"
    onInstance name f = do
      i <- maybe (readIORef (current world)) (\n -> Map.lookup n <$> readIORef (named world)) name
      maybe (pure (Just "there is no such module")) f i
    perform action = case action of
      Invoke name field args -> via name (\i -> Wasm.invoke i field (map argument args))
      Get name field -> via name (\i -> fmap pure <$> Wasm.readGlobal i field)
    via name f = do
      i <- maybe (readIORef (current world)) (\n -> Map.lookup n <$> readIORef (named world)) name
      maybe (pure (Left (Wasm.NoExport "module"))) f i
    -- The byte after call_indirect, reserved in 1.0, is a table's index in 2.0:
    -- another value is refused there too, but by validation.
    malformed = \case
      Wasm.MalformedModule _ -> True
      Wasm.InvalidModule e -> version == "spec-1.0" && "Unknown \"table\" 1" `isInfixOf` show e
      _ -> False

rulesOf :: String -> Wasm.Rules
rulesOf = \case
  "spec-1.0" -> Wasm.Rules1
  "spec-2.0" -> Wasm.Rules2
  _ -> Wasm.Rules3

said :: Wasm.Error -> String
said = T.unpack . Wasm.renderError

refused :: (Wasm.Error -> Bool) -> Either Wasm.Error a -> Maybe String
refused expected = \case
  Right _ -> Just "was accepted"
  Left e
    | expected e -> Nothing
    | otherwise -> Just (said e)

argument :: Value -> Wasm.Value
argument = \case
  I32 n -> Wasm.I32Value (fromIntegral n)
  I64 n -> Wasm.I64Value n
  F32 l -> Wasm.F32Value (castWord32ToFloat (fromIntegral (laneBits l)))
  F64 l -> Wasm.F64Value (castWord64ToDouble (laneBits l))
  V128 size _ lanes -> let (low, high) = halves size (map laneBits lanes) in Wasm.V128Value low high
  Reference "externref" n -> Wasm.ExternValue n
  Reference "anyref" (Just n) -> Wasm.HostValue n
  Reference kind _
    | kind `elem` ["funcref", "nullfuncref"] -> Wasm.FuncValue Nothing
    | kind == "nullexternref" -> Wasm.ExternValue Nothing
    | kind `elem` ["exnref", "nullexnref"] -> Wasm.NullValue Wasm.ExnHeap
  Reference _ _ -> Wasm.NullValue Wasm.AnyHeap
  Present _ -> Wasm.NullValue Wasm.AnyHeap
  OneOf _ -> Wasm.NullValue Wasm.AnyHeap

laneBits :: Lane -> Word64
laneBits = \case
  Bits n -> n
  _ -> 0

halves :: Int -> [Word64] -> (Word64, Word64)
halves size lanes = (half (take n lanes), half (drop n lanes))
  where
    n = 8 `div` size
    half = foldr (\l acc -> if size == 8 then l else acc `shiftL` (8 * size) .|. l) 0

compared :: [Value] -> [Wasm.Value] -> Maybe String
compared expected given
  | length expected == length given && and (zipWith equal expected given) = Nothing
  | otherwise = Just ("expected " <> show expected <> ", found " <> unwords (map shown given))

equal :: Value -> Wasm.Value -> Bool
equal e v = case (e, v) of
  (I32 n, Wasm.I32Value m) -> n == fromIntegral m
  (I64 n, Wasm.I64Value m) -> n == m
  (F32 l, Wasm.F32Value x) -> lane 4 True l (fromIntegral (castFloatToWord32 x))
  (F64 l, Wasm.F64Value x) -> lane 8 True l (castDoubleToWord64 x)
  (V128 size float lanes, Wasm.V128Value low high) ->
    and (zipWith (lane size float) lanes (cut size low <> cut size high))
  (Reference "externref" n, Wasm.ExternValue m) -> n == m
  (Reference "funcref" (Just _), Wasm.FuncValue m) -> not (null m)
  (Reference "anyref" (Just n), Wasm.HostValue m) -> n == m
  (Reference _ Nothing, _) -> isNull v
  -- What kind of reference is not said in more detail than its hierarchy.
  (Present kind, Wasm.FuncValue m) -> kind == "funcref" && not (null m)
  (Present kind, Wasm.ExternValue m) -> kind == "externref" && not (null m)
  (Present kind, Wasm.HostValue _) -> kind == "anyref"
  (Present kind, Wasm.RefValue h _ _) -> case h of
    Wasm.ExternHeap -> kind == "externref"
    Wasm.ExnHeap -> kind == "exnref"
    Wasm.I31Heap -> kind `elem` ["i31ref", "eqref", "anyref"]
    _ -> kind `elem` ["structref", "arrayref", "eqref", "anyref"]
  (OneOf es, _) -> any (`equal` v) es
  _ -> False
  where
    isNull = \case
      Wasm.FuncValue m -> null m
      Wasm.ExternValue m -> null m
      Wasm.NullValue _ -> True
      _ -> False
    cut size w = [(w `shiftR` (8 * size * k)) .&. mask size | k <- [0 .. 8 `div` size - 1]]
    mask size = if size == 8 then maxBound else (1 `shiftL` (8 * size)) - 1
    lane size float l bits = case l of
      Bits n -> n == bits
      CanonicalNan -> float && (bits .&. magnitude size) == quiet size
      ArithmeticNan -> float && (bits .&. quiet size) == quiet size
    magnitude size = if size == (4 :: Int) then 0x7FFFFFFF else 0x7FFFFFFFFFFFFFFF
    quiet size = if size == (4 :: Int) then 0x7FC00000 else 0x7FF8000000000000

shown :: Wasm.Value -> String
shown = \case
  Wasm.I32Value n -> "i32 " <> show n
  Wasm.I64Value n -> "i64 " <> show n
  Wasm.F32Value x -> "f32 " <> show (castFloatToWord32 x)
  Wasm.F64Value x -> "f64 " <> show (castDoubleToWord64 x)
  Wasm.V128Value low high -> "v128 " <> show low <> " " <> show high
  Wasm.FuncValue f -> "funcref" <> maybe " null" (const "") f
  Wasm.ExternValue n -> "externref " <> show n
  Wasm.HostValue n -> "anyref " <> show n
  Wasm.RefValue h _ _ -> T.unpack (Wasm.renderHeap h) <> "ref"
  Wasm.NullValue h -> T.unpack (Wasm.renderHeap h) <> "ref null"
