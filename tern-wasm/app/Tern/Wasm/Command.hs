{-# LANGUAGE OverloadedStrings #-}

-- | What the command line asks for, and doing it.
--
-- The idea: arguments become a 'Plan', a plain value; 'execute' carries it out
-- and says how to exit.
module Tern.Wasm.Command
  ( Plan (..),
    Verb (..),
    plan,
    execute,
  )
where

import Control.Exception (try)
import Control.Monad (forM_, zipWithM)
import Data.Bifunctor (first)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.Char (isAscii)
import Data.Foldable (fold)
import Data.List (intercalate, sortOn)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Ord (Down (..))
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (decodeUtf8', decodeUtf8Lenient, encodeUtf8)
import Data.Text.IO qualified as T
import GHC.Float (castWord32ToFloat, castWord64ToDouble)
import GHC.Foreign qualified as Foreign
import GHC.IO.Encoding (getFileSystemEncoding)
import GHC.IO.Exception (IOException (ioe_description))
import Options.Applicative hiding (value)
import System.Exit (ExitCode (..))
import System.FilePath (takeFileName)
import System.IO (hPutStrLn, stderr)
import System.IO.Error (ioeGetErrorString, isDoesNotExistError, isPermissionError)
import System.Posix.Env.ByteString (getEnvironment)
import Tern.Internal.WholeFile (writeWhole)
import Tern.Wasm
import Tern.Wasm.Flame (flameGraph)
import Tern.Wasm.Text.Number (float32, float64, integer)
import Tern.Wasm.Text.Print (printModule)
import Tern.Wasm.Text.Script (Outcome (..), runScriptWith)
import Tern.Wasm.Wasi (Wasi (..), defaultWasi, newWasi, wasiExitCode, wasiImports, wasiMemory)
import Text.Printf (printf)
import Text.Read (readMaybe)

-- * Plans

-- | What to do, within which bounds, and by which tier.
data Plan = Plan {planVerb :: Verb, planBounds :: Bounds, planTier :: Tier}
  deriving stock (Eq, Show)

data Verb
  = -- | A WASI program, its arguments, the folders as FILE or NAME=FILE, and
    -- whether it sees the environment.
    Run FilePath [String] [String] Bool
  | -- | File, function, arguments.
    Invoke FilePath String [String]
  | Validate [FilePath]
  | Print FilePath
  | Wast [FilePath]
  | -- | File, function (or the program's start), arguments, and where to write a
    -- flame graph.
    Profile FilePath (Maybe String) [String] (Maybe FilePath)
  deriving stock (Eq, Show)

data Bounds = Bounds
  { boundFuel :: Maybe Int,
    boundPages :: Maybe Int,
    boundStack :: Maybe Int,
    boundSeconds :: Maybe Double
  }
  deriving stock (Eq, Show)

plan :: Parser Plan
plan =
  hsubparser $
    mconcat
      [ command
          "run"
          ( info
              ( Plan
                  <$> ( Run
                          <$> file
                          <*> arguments
                          <*> folders
                          <*> switch (long "env" <> help "let the program see the environment")
                      )
                  <*> bounds
                  <*> tier
              )
              (progDesc "Run a WASI program")
          ),
        command
          "invoke"
          ( info
              ( Plan
                  <$> ( Invoke
                          <$> moduleOption
                          <*> strOption
                            ( short 'f'
                                <> long "function"
                                <> metavar "NAME"
                                <> help "the exported function"
                            )
                          <*> arguments
                      )
                  <*> bounds
                  <*> tier
              )
              (progDesc "Call an exported function, numbers as arguments")
          ),
        command
          "validate"
          ( info
              ( Plan . Validate
                  <$> some file
                  <*> timed
                  <*> pure Auto
              )
              (progDesc "Decode and validate modules")
          ),
        command
          "print"
          ( info
              (Plan . Print <$> file <*> pure unbounded <*> pure Auto)
              (progDesc "Print a module in the text format")
          ),
        command
          "wast"
          ( info
              ( Plan . Wast
                  <$> some (argument str (metavar "FILE" <> help "a script of the text format"))
                  <*> pure unbounded
                  <*> tier
              )
              (progDesc "Run scripts and check what they assert")
          ),
        command
          "profile"
          ( info
              ( Plan
                  <$> ( Profile
                          <$> moduleOption
                          <*> optional
                            ( strOption
                                ( short 'f'
                                    <> long "function"
                                    <> metavar "NAME"
                                    <> help "the exported function; without, the WASI program"
                                )
                            )
                          <*> arguments
                          <*> optional
                            ( strOption
                                ( long "flame"
                                    <> metavar "FILE"
                                    <> help "write a flame graph (SVG) of the calls"
                                )
                            )
                      )
                  <*> bounds
                  <*> tier
              )
              (progDesc "Count instructions by function and by kind")
          )
      ]
  where
    file =
      argument str (metavar "FILE" <> help "a module, binary or text, or - for the standard input")
    moduleOption =
      strOption
        ( short 'w'
            <> long "wasm"
            <> metavar "FILE"
            <> help "the module, or - for the standard input"
        )
    arguments = many (argument str (metavar "ARGS"))
    folders =
      many (strOption (long "dir" <> metavar "[NAME=]DIR" <> help "open a folder for the program"))
    unbounded = Bounds Nothing Nothing Nothing Nothing
    tier =
      option
        (eitherReader tierNamed)
        ( long "tier"
            <> metavar "interpreter|native|auto"
            <> help
              "how to run functions: interpreted, as native code where there is any, or as is \
              \best here (auto)"
        )
        <|> pure Auto
    bounds =
      Bounds
        <$> optional
          ( option
              (whole 0 maxBound)
              ( long "fuel"
                  <> metavar "N"
                  <> help "jumps and calls that may be made"
              )
          )
        <*> optional
          ( option
              (whole 0 65536)
              ( long "max-memory"
                  <> metavar "PAGES"
                  <> help "pages of 64 KiB that all memories together may have, at most 65536"
              )
          )
        <*> optional
          ( option
              (whole 4096 maxBound)
              ( long "stack"
                  <> metavar "BYTES"
                  <> help ("bytes of the stack (" <> show usualStack <> ")")
              )
          )
        <*> timeout
    timed = Bounds Nothing Nothing Nothing <$> timeout
    timeout =
      optional
        ( option
            seconds
            ( long "timeout"
                <> metavar "SECONDS"
                <> help "stop after this time, in seconds, that of loading included"
            )
        )

-- | A number from @least@ to @most@; what is beyond is refused, and not cut to fit.
whole :: Int -> Int -> ReadM Int
whole least most = eitherReader $ \text -> case readMaybe text of
  Just n | n >= toInteger least && n <= toInteger most -> Right (fromInteger n)
  _ ->
    Left
      ( "expected a whole number from "
          <> show least
          <> " to "
          <> show most
          <> ", found \""
          <> text
          <> "\""
      )

seconds :: ReadM Double
seconds = eitherReader $ \text -> case readMaybe text of
  Just n | n >= 0 && not (isInfinite n) -> Right n
  _ -> Left ("expected seconds, 0 or more (0.5), found \"" <> text <> "\"")

usualStack :: Int
usualStack = settingStack defaultSettings

tierNamed :: String -> Either String Tier
tierNamed = \case
  "interpreter" -> Right Interpreter
  "native"
    | available -> Right NativeCode
    | otherwise -> Left "there is no native code on this machine: use interpreter or auto"
  "auto" -> Right Auto
  other -> Left ("expected interpreter, native or auto, found \"" <> other <> "\"")

-- * Doing it

execute :: Plan -> IO ExitCode
execute (Plan verb bounds tier) = case verb of
  Run path args folders env ->
    bounded bounds $ \store ->
      withModule store how path $ \m -> program store path args folders env m
  Invoke path name args ->
    bounded bounds $ \store -> withModule store how path (calling store name args)
  Validate paths ->
    bounded bounds $ \store ->
      worst <$> mapM (\p -> withModule store defaultLoading p (const (pure ExitSuccess))) paths
  Print path ->
    fileBytes path $ \bytes ->
      either
        (failure path)
        (\t -> ExitSuccess <$ T.putStr t)
        (binaryOf bytes >>= first MalformedModule . printModule)
  Wast paths -> worst <$> mapM (script how) paths
  Profile path name args flame ->
    bounded bounds $ \store ->
      withModule store how {loadingProfile = True} path $ \m -> do
        sampleStacks store 1000
        r <- maybe (program store path args [] False m) (\f -> calling store f args m) name
        report m
        written <- maybe (pure ExitSuccess) (draw store) flame
        pure (if r == ExitSuccess then written else r)
  where
    how = defaultLoading {loadingTier = tier}
    worst codes = if all (== ExitSuccess) codes then ExitSuccess else ExitFailure 1

-- | Counts by kind, and a line for each assertion that fails.
script :: Loading -> FilePath -> IO ExitCode
script how path =
  try (if path == "-" then B.getContents else B.readFile path) >>= \case
    Left e -> complain (refusal path e)
    Right source ->
      runScriptWith how defaultSettings source >>= \case
        Left e -> complain (path <> ": " <> T.unpack e)
        Right outcomes -> do
          let failures = [o | o <- outcomes, Just _ <- [outcomeComplaint o]]
              counts = Map.toList (Map.fromListWith (+) [(outcomeKind o, 1 :: Int) | o <- outcomes])
          forM_ failures $ \o ->
            T.putStrLn
              ( T.concat
                  [ T.pack
                      path,
                    ":",
                    T.pack (show (outcomeLine o)),
                    ": ",
                    outcomeKind o,
                    ": ",
                    fold (outcomeComplaint o)
                  ]
              )
          T.putStrLn
            ( T.concat
                [ T.pack
                    path,
                  ": ",
                  T.intercalate ", " [T.concat [T.pack (show n), " ", k] | (k, n) <- counts],
                  "; ",
                  T.pack (show (length failures)),
                  " failed"
                ]
            )
          pure (if null failures then ExitSuccess else ExitFailure 1)

fileBytes :: FilePath -> (ByteString -> IO ExitCode) -> IO ExitCode
fileBytes path f =
  try (if path == "-" then B.getContents else B.readFile path)
    >>= either (complain . refusal path) f

-- | A module in either format, loaded within the time that the store has for everything.
withModule :: Store -> Loading -> FilePath -> (Compiled -> IO ExitCode) -> IO ExitCode
withModule store how path f =
  fileBytes path $ \bytes ->
    inTime store (either (pure . Left) (loadWith how) (binaryOf bytes))
      >>= either (failure path) f

failure :: FilePath -> Error -> IO ExitCode
failure path e = do
  code <- complain (path <> ": " <> T.unpack (renderError e))
  mapM_ (\p -> T.hPutStrLn stderr ("  in " <> renderPlace p)) (errorTrace e)
  pure code

-- | Why a file was not read or written.
refusal :: FilePath -> IOException -> String
refusal path e
  | isDoesNotExistError e = path <> ": there is no such file or folder"
  | isPermissionError e = path <> ": permission denied"
  | otherwise = path <> ": " <> ioe_description e

complain :: String -> IO ExitCode
complain text = ExitFailure 1 <$ hPutStrLn stderr ("tern-wasm: " <> text)

-- | A new store with these bounds.
bounded :: Bounds -> (Store -> IO ExitCode) -> IO ExitCode
bounded b use =
  try (newStore settings) >>= \case
    Left e ->
      complain
        ( "there is no memory for a stack of "
            <> show (settingStack settings)
            <> " bytes ("
            <> ioeGetErrorString (e :: IOException)
            <> "); without --stack it has "
            <> show usualStack
        )
    Right store -> do
      mapM_ (setFuel store) (boundFuel b)
      setDeadline store (boundSeconds b)
      use store
  where
    settings =
      defaultSettings
        { settingStack = fromMaybe usualStack (boundStack b),
          settingPages = maybe (settingPages defaultSettings) fromIntegral (boundPages b)
        }

program :: Store -> FilePath -> [String] -> [String] -> Bool -> Compiled -> IO ExitCode
program store path args folders env m = do
  arguments <- mapM given (takeFileName path : args)
  variables <- if env then getEnvironment else pure []
  named <- mapM folder folders
  either complain (started arguments variables) (sequence named)
  where
    started arguments variables opened =
      try
        ( newWasi
            defaultWasi
              { wasiArguments = arguments,
                wasiEnvironment = variables,
                wasiFolders = opened
              }
        )
        >>= \case
          Left e -> complain (ioeGetErrorString (e :: IOException))
          Right st -> do
            imports <- wasiImports store st
            instantiate store m imports >>= \case
              Left e -> failure path e
              Right i | Just (ExternFunc _) <- exportNamed i "_start" -> do
                wasiMemory st i
                outcome <- invoke i "_start" []
                wasiExitCode st >>= \case
                  Just 0 -> pure ExitSuccess
                  Just n -> pure (ExitFailure (fromIntegral n))
                  Nothing -> either (failure path) (const (pure ExitSuccess)) outcome
              Right _ -> complain (path <> ": it is no WASI program; " <> unlike m "_start")
    folder text = do
      let (name, place) = case break (== '=') text of
            (n, '=' : p) -> (n, p)
            _ -> (text, text)
      either (const (Left (unnamed text))) (\n -> Right (n, place)) . decodeUtf8' <$> given name
    unnamed text =
      "--dir: a program knows a folder by a name in UTF-8, which \""
        <> text
        <> "\" is not; give NAME=DIR"

-- | The bytes that a word of the command line was given as, whatever the locale.
given :: String -> IO ByteString
given word = do
  encoding <- getFileSystemEncoding
  Foreign.withCStringLen encoding word B.packCStringLen

calling :: Store -> String -> [String] -> Compiled -> IO ExitCode
calling store word args m = do
  -- No module has a name that is not UTF-8; what is said of it can be shown.
  name <- decodeUtf8Lenient <$> given word
  instantiate store m noImports >>= \case
    Left e -> failure word e
    Right i -> case exportNamed i name of
      Just (ExternFunc f) -> case values (funcParams (funcSignature f)) args of
        Left problem -> ExitFailure 2 <$ hPutStrLn stderr ("tern-wasm: " <> problem)
        Right vs ->
          callFunc store f vs
            >>= either (failure word) (\rs -> ExitSuccess <$ mapM_ (T.putStrLn . shown) rs)
      _ -> complain (unlike m name)

-- | That a module exports no function of a name, and which ones it does.
unlike :: Compiled -> Text -> String
unlike m name =
  "it exports no function "
    <> quoted name
    <> case [n | (n, FuncExtern _) <- exportTypes m] of
      [] -> ", and no other"
      names ->
        "; tern-wasm invoke calls "
          <> intercalate ", " (map quoted (take 8 names))
          <> case length names - 8 of
            more | more > 0 -> " and " <> show more <> " more"
            _ -> ""
  where
    quoted n = "\"" <> T.unpack (renderName n) <> "\""

values :: [ValType] -> [String] -> Either String [Value]
values ts args
  | length ts /= length args =
      Left
        ( "the function takes "
            <> T.unpack (renderTypes ts)
            <> "; arguments given: "
            <> show (length args)
        )
  | otherwise = zipWithM value ts args

-- | A number as the text format writes it.
value :: ValType -> String -> Either String Value
value t text = case t of
  I32 -> maybe (wrong "-1, 0xff") (Right . I32Value . fromIntegral) (integer 32 bytes)
  I64 -> maybe (wrong "-1, 0xff") (Right . I64Value . fromIntegral) (integer 64 bytes)
  F32 -> maybe (wrong float) (Right . F32Value . castWord32ToFloat) (float32 bytes)
  F64 -> maybe (wrong float) (Right . F64Value . castWord64ToDouble) (float64 bytes)
  V128 -> Left unlike_
  Ref {} -> Left unlike_
  where
    bytes = if all isAscii text then BC.pack text else B.empty
    float = "-1.5, 1e-3, 0x1p-3, inf, nan"
    wrong examples =
      Left
        ( "expected a number of "
            <> type_
            <> " as the text format writes it ("
            <> examples
            <> "), found \""
            <> text
            <> "\""
        )
    unlike_ = "an argument of " <> type_ <> " cannot be given on the command line"
    type_ = T.unpack (T.dropAround (`elem` ['[', ']']) (renderTypes [t]))

shown :: Value -> Text
shown = \case
  I32Value n -> "i32:" <> decimal n
  I64Value n -> "i64:" <> decimal n
  F32Value x -> "f32:" <> decimal x
  F64Value x -> "f64:" <> decimal x
  V128Value low high -> T.pack (printf "v128:0x%016x%016x" high low)
  FuncValue f -> "funcref:" <> maybe "null" (const "function") f
  ExternValue n -> "externref:" <> maybe "null" decimal n
  HostValue n -> "anyref:" <> decimal n
  RefValue h _ _ -> renderHeap h <> "ref"
  NullValue h -> renderHeap h <> "ref:null"
  where
    decimal :: (Show a) => a -> Text
    decimal = T.pack . show

-- | A flame graph as a file, whole or not at all.
draw :: Store -> FilePath -> IO ExitCode
draw store path =
  try (stackSamples store >>= writeWhole path . BL.fromStrict . encodeUtf8 . flameGraph) >>= \case
    Left e -> complain (refusal path e)
    Right () -> pure ExitSuccess

-- | Functions and instructions, the busiest first.
report :: Compiled -> IO ()
report m = do
  entries <- profileOf m
  let total = sum (map entryTotal entries)
      share :: Integer -> Double
      share n = 100 * fromIntegral n / fromIntegral (max 1 total)
      mix = Map.unionsWith (+) (map entryMix entries)
  printf "%16s instructions\n" (show total)
  putStrLn "        function    instructions       %"
  forM_ (take 20 (sortOn (Down . entryTotal) entries)) $ \e ->
    printf
      "%16s %15d %7.2f\n"
      ( maybe
          (show (entryFunc e))
          (T.unpack . renderName)
          (functionName m (entryFunc e))
      )
      (entryTotal e)
      (share (entryTotal e))
  putStrLn "     instruction           count       %"
  forM_ (take 30 (sortOn (Down . snd) (Map.toList mix))) $ \(n, k) ->
    printf "%16s %15d %7.2f\n" n k (share k)
