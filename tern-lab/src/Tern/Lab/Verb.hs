-- | What every command of the laboratory has in common.
--
-- The idea: a verb is three functions in a row, from arguments to options, from
-- options to a plan, and from a plan to what happens. The first two are pure,
-- so that a test can look at a plan without running anything, and a complaint
-- is a value that only 'perform' turns into a line and an exit code.
--
-- Start at 'Verb'; a new one is a module of its own below @Tern.Lab.Verb@ and
-- one entry of the list in @app\/Main.hs@.
module Tern.Lab.Verb
  ( -- * Verbs
    Verb (..),
    perform,
  )
where

import Control.Concurrent (myThreadId, throwTo)
import Control.Exception (try)
import Control.Monad.Trans.Except (ExceptT (..), runExceptT)
import Data.List (isPrefixOf)
import GHC.IO.Encoding
  ( getLocaleEncoding,
    setFileSystemEncoding,
    setForeignEncoding,
    setLocaleEncoding,
  )
import Options.Applicative hiding (action, help)
import Options.Applicative qualified as Options (help)
import Options.Applicative.Common (mapParser)
import Options.Applicative.Help.Chunk (Chunk (unChunk), paragraph, stringChunk, vsepChunks)
import Options.Applicative.Types (OptName (..), OptReader (..), Option (..))
import System.Environment (getArgs)
import System.Exit (ExitCode (..), exitWith)
import System.IO (hFlush, hPutStrLn, hSetEncoding, mkTextEncoding, stderr, stdout, utf8)
import System.IO.Error (ioeGetFileName, ioeGetHandle, isResourceVanishedError)
import System.Posix.Signals
  ( Handler (CatchOnce, Ignore),
    fileSizeLimitExceeded,
    installHandler,
    sigHUP,
    sigTERM,
  )
import Tern.Lab.Complaint (Complaint (..), complaintCode, refusal, renderComplaint)
import Tern.Lab.Manual (manual)

-- | One command of a program.
data Verb = forall options plan.
  Verb
  { verbName :: String,
    -- | One line for the list of verbs.
    verbSummary :: String,
    -- | Paragraphs for its own @--help@: what to expect, and examples, which
    -- begin with spaces.
    verbLesson :: [String],
    verbOptions :: Parser options,
    -- | What will be done, or what is wrong with the options taken together.
    verbPlan :: options -> Either Complaint plan,
    verbRun :: plan -> ExceptT Complaint IO ()
  }

-- | Take the arguments, plan and run; @version@ is what @--version@ says. A complaint, and what
-- the system refuses,
-- goes to the standard error as one line.
perform :: String -> [Verb] -> IO ()
perform version verbs = do
  standardDescriptors
  anyLocale
  endingTogether
  -- A file that becomes larger than it may is an error like a full disk, and no end.
  _ <- installHandler fileSizeLimitExceeded Ignore Nothing
  arguments <- getArgs
  outcome <- try (runExceptT (act arguments) <* hFlush stdout)
  case outcome of
    Right (Right ()) -> pure ()
    Right (Left complaint) -> complain complaint
    Left failure
      -- Who read the output has enough.
      | isResourceVanishedError failure -> exitWith (ExitFailure 1)
      | otherwise ->
          complain
            (DataComplaint (maybe "" (<> ": ") (whereOf failure) <> refusal failure))
  where
    complain complaint = do
      hPutStrLn stderr (renderComplaint complaint)
      exitWith (ExitFailure (complaintCode complaint))
    whereOf failure = ioeGetFileName failure <|> (show <$> ioeGetHandle failure)
    act ["--man"] = ExceptT (Right <$> putStr (manual version (helpOf []) pages))
    act given = case execParserPure (prefs showHelpOnEmpty) (program version verbs) arguments of
      Success action -> action
      CompletionInvoked completion ->
        ExceptT (Right <$> (putStr =<< execCompletion completion "tern-lab"))
      Failure failure -> case renderFailure failure "tern-lab" of
        (help, ExitSuccess) -> ExceptT (Right <$> putStrLn help)
        _ -> ExceptT (pure (Left (UsageComplaint (oneLine arguments))))
      where
        arguments = withCommands verbs given
    pages = [(verbName verb, helpOf [verbName verb]) | verb <- verbs]
    helpOf words' =
      case execParserPure (prefs (columns 78)) (program version verbs) (words' <> ["--help"]) of
        Failure failure -> fst (renderFailure failure "tern-lab")
        _ -> ""
    -- Once more with room for the longest message, of which the first
    -- paragraph is the error and the others are the usage.
    oneLine
      arguments = case execParserPure (prefs (columns 4000)) (program version verbs) arguments of
        Failure failure ->
          unwords (takeWhile (/= "") (lines (fst (renderFailure failure "tern-lab"))))
            <> advice arguments
        _ -> "no command" <> advice arguments
    advice arguments = case [verbName verb | verb <- verbs, take 1 arguments == [verbName verb]] of
      name : _ -> "; see tern-lab " <> name <> " --help"
      [] -> "; see tern-lab --help"

-- | Of a verb that has the option @--command@, each word after @--@ is one: the parser
-- does not tell them from other words.
withCommands :: [Verb] -> [String] -> [String]
withCommands verbs arguments = case break (== "--") arguments of
  (before@(name : _), _ : commands)
    | or [takesCommands verb | verb <- verbs, verbName verb == name] ->
        before <> concatMap (\word -> ["--command", word]) commands
  _ -> arguments
  where
    takesCommands Verb {verbOptions} = or (mapParser (\_ one -> named (optMain one)) verbOptions)
    named :: OptReader a -> Bool
    named = \case
      OptReader names _ _ -> OptLong "command" `elem` names
      FlagReader {} -> False
      ArgReader {} -> False
      CmdReader {} -> False

-- | A signal to end is an exception like an interrupt: what was started ends too, and files
-- are left whole. The process ends with the code that shells give the signal.
endingTogether :: IO ()
endingTogether = do
  main <- myThreadId
  mapM_
    ( \signal ->
        installHandler
          signal
          (CatchOnce (throwTo main (ExitFailure (128 + fromIntegral signal))))
          Nothing
    )
    [sigTERM, sigHUP]

-- | Files and the output of other programs are UTF-8 whatever the locale; paths
-- and arguments are the bytes that they are. What is said is UTF-8 too where the locale
-- names no encoding of its own (that of C); what a chosen one cannot show is a question
-- mark, not an end.
anyLocale :: IO ()
anyLocale = do
  chosen <- takeWhile (/= '/') . show <$> getLocaleEncoding
  shown <-
    if chosen `elem` ["ANSI_X3.4-1968", "US-ASCII", "ASCII", "646"]
      then pure utf8
      else mkTextEncoding (chosen <> "//TRANSLIT")
  mapM_ (`hSetEncoding` shown) [stdout, stderr]
  setLocaleEncoding utf8
  bytes <- mkTextEncoding "UTF-8//ROUNDTRIP"
  -- The one is for paths; commands go by the other in newer libraries.
  setFileSystemEncoding bytes
  setForeignEncoding bytes

-- unsafe: it opens a file at most.
foreign import ccall unsafe "tern_lab_descriptors" standardDescriptors :: IO ()

program :: String -> [Verb] -> ParserInfo (ExceptT Complaint IO ())
program version verbs =
  info
    ( hsubparser (foldMap one verbs <> metavar "VERB")
        <**> helper
        <**> infoOption version (long "version" <> Options.help "Say which version this is")
        <**> infoOption
          ""
          ( long "man"
              <> Options.help "Print a page for man, alone: tern-lab --man > tern-lab.1"
          )
    )
    ( fullDesc
        <> header "tern-lab: how fast is it, how much does it allocate, and is that a fact"
        <> footer
          "Exit codes: 0 done, 1 for data that does not fit, 2 for a command line that does not."
    )
  where
    one Verb {..} =
      command
        verbName
        ( info
            (either (ExceptT . pure . Left) verbRun . verbPlan <$> verbOptions)
            ( fullDesc
                <> progDesc verbSummary
                <> footerDoc (unChunk (vsepChunks (map taught verbLesson)))
            )
        )
    -- An example stands as it is; prose is filled.
    taught text
      | " " `isPrefixOf` text = stringChunk text
      | otherwise = paragraph text
