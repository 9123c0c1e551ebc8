-- | The examples of the documentation, found and run.
--
-- The idea: an example is a question put to the interpreter, and the module
-- that it stands in answers from its compiled code, as it would answer a user.
-- One interpreter serves all modules, one after the other; it knows the
-- packages from the environment that @cabal exec@ makes. Each module begins
-- with nothing in scope but the Prelude and its own exports, with string
-- literals of any string type; more is imported by examples in a chunk called
-- @$setup@, which documentation does not show. A module that is not exposed imports there
-- the one that has its names.
--
-- Start at 'readExamples' and 'runExamples'.
module Tern.Testkit.Examples
  ( -- * Finding
    Example (..),
    Examples (..),
    readExamples,
    says,

    -- * Running
    runExamples,

    -- * Programs in pages
    Program (..),
    Outcome (..),
    readPrograms,
  )
where

import Data.Char (isSpace)
import Data.List (dropWhileEnd, inits, isPrefixOf, isSuffixOf, stripPrefix, tails)
import Data.Maybe (mapMaybe)
import System.IO (hClose, hGetContents', hPutStr, hSetEncoding, utf8)
import System.Process (CreateProcess (..), StdStream (..), proc, waitForProcess, withCreateProcess)

-- | A question and the lines that answer it.
data Example = Example
  { exampleLine :: Int,
    question :: [String],
    answer :: [String]
  }
  deriving stock (Eq, Show)

-- | Those of one module. The first ones are run before each of the others, and
-- what they answer does not matter.
data Examples = Examples
  { setup :: [Example],
    shown :: [Example]
  }
  deriving stock (Eq, Show)

-- * Finding

-- | From a module's text: the lines of its comments that begin with @>>>@, and
-- what follows each of them up to an empty line, another @>>>@ or the comment's
-- end. A question of several lines stands between @>>> :{@ and @:}@.
readExamples :: String -> Examples
readExamples text =
  Examples (concatMap snd (filter fst chunks)) (concatMap snd (filter (not . fst) chunks))
  where
    chunks = map chunk (comments (zip [1 ..] (lines text)))
    chunk found = (any ((== "$setup") . trimmed . snd) found, examplesOf found)
    trimmed = dropWhile (\c -> c == '|' || isSpace c)

-- | Does a page say what the interpreter answered? A line that is too long for a page
-- may be broken at its spaces.
--
-- >>> says ["[1, 2,", "3]", "4"] ["[1, 2, 3]", "4"]
-- True
says :: [String] -> [String] -> Bool
says page = \case
  [] -> null page
  line : rest ->
    or [says others rest | (mine, others) <- drop 1 (splits page), unwords mine == line]
  where
    splits lines' = zip (inits lines') (tails lines')

-- | Runs of lines that are comments, without their dashes.
comments :: [(Int, String)] -> [[(Int, String)]]
comments numbered = case dropWhile (not . isComment) numbered of
  [] -> []
  rest -> let (now, later) = span isComment rest in map stripped now : comments later
  where
    isComment (_, line) = "--" `isPrefixOf` dropWhile isSpace line
    stripped (n, line) = (n, drop 2 (dropWhile isSpace line))

examplesOf :: [(Int, String)] -> [Example]
examplesOf = \case
  [] -> []
  (n, line) : rest -> case asked line of
    Nothing -> examplesOf rest
    Just ":{" ->
      let (block, after) = break ((== ":}") . inner . snd) rest
          (said, others) = answers (drop 1 after)
       in Example n ([":{"] <> map (inner . snd) block <> [":}"]) said : examplesOf others
    Just first ->
      let (said, others) = answers rest
       in Example n [first] said : examplesOf others
  where
    asked line = strip <$> stripPrefix ">>>" (dropWhile isSpace line)
    inner line = maybe (drop 1 line) (drop 1) (stripPrefix ">>>" (dropWhile isSpace line))
    answers rest =
      let (said, others) =
            break
              (\(_, line) -> null (strip line) || ">>>" `isPrefixOf` dropWhile isSpace line)
              rest
       in (map (strip . snd) said, others)

strip :: String -> String
strip = dropWhileEnd isSpace . dropWhile isSpace

-- * Running

-- | What the interpreter answers to each example of each module, in order. The
-- modules' names come with their examples.
runExamples :: [(String, Examples)] -> IO [(String, [(Example, [String])])]
runExamples modules = do
  out <- interpreted script
  pure (collect modules (answersIn out))
  where
    script = unlines (start <> concatMap session modules)
    start =
      [ ":set prompt \"\"",
        ":set prompt-cont \"\"",
        unwords (":set -XGHC2021" : map ("-X" <>) always)
      ]
    always = ["DerivingStrategies", "LambdaCase", "OverloadedStrings"]
    session (name, Examples {setup, shown}) =
      [":module Prelude " <> name]
        <> concatMap question setup
        <> concatMap (asking . question) shown
        <> map without (extensions setup)
    -- What one module's examples ask for is not there for the next one's.
    extensions setup =
      [ extension
        | line <-
            concatMap question setup,
          ":set " `isPrefixOf` line,
          Just extension <- map (stripPrefix "-X") (words line),
          extension `notElem` always
      ]
    without extension = ":set -XNo" <> extension
    asking ask = [mark begin] <> ask <> [mark end]
    mark text = "Prelude.putStrLn \"\\n" <> text <> "\""

begin, end :: String
begin = "<<< tern example"
end = "tern example >>>"

-- | Run a script through an interpreter whose errors and answers come in order.
interpreted :: String -> IO String
interpreted script = do
  let process =
        ( proc
            "sh"
            [ "-c",
              "exec ghc --interactive -v0 -ignore-dot-ghci 2>&1"
            ]
        )
          { std_in = CreatePipe,
            std_out = CreatePipe
          }
  withCreateProcess process $ \input output _ handle -> case (input, output) of
    (Just i, Just o) -> do
      mapM_ (`hSetEncoding` utf8) [i, o]
      hPutStr i script
      hClose i
      said <- hGetContents' o
      _ <- waitForProcess handle
      pure said
    _ -> pure ""

-- | The lines between each pair of marks.
answersIn :: String -> [[String]]
answersIn out = go (lines out)
  where
    go rest = case drop 1 (dropWhile (/= begin) rest) of
      [] -> []
      inside ->
        let (said, after) =
              break (== end) inside
         in filter (not . null) (map strip said) : go after

collect :: [(String, Examples)] -> [[String]] -> [(String, [(Example, [String])])]
collect modules said = case modules of
  [] -> []
  (name, Examples {shown}) : rest ->
    let (now, later) = splitAt (length shown) said
     in (name, zip shown (now <> repeat ["the interpreter said nothing"])) : collect rest later

-- * Programs in pages

-- | A whole program in a page, and what comes of it.
data Program = Program
  { programText :: String,
    programOutcome :: Outcome
  }
  deriving stock (Eq, Show)

-- | What a program of a page is said to do.
data Outcome
  = -- | It prints just this.
    Prints String
  | -- | It does not compile, and this is in what the compiler says.
    Refused String
  deriving stock (Eq, Show)

-- | From Markdown: each block of Haskell that has a @main@ and is followed by a
-- block of text, or of the compiler's refusal.
readPrograms :: String -> [Program]
readPrograms = mapMaybe program . pairs . blocks . lines
  where
    pairs found = zip found (drop 1 found)
    program (("haskell", code), (kind, out))
      | any ("main ::" `isPrefixOf`) code = Program (unlines code) <$> outcome kind (unlines out)
    program _ = Nothing
    outcome kind out = case kind of
      "text" -> Just (Prints out)
      "refusal" -> Just (Refused out)
      _ -> Nothing
    blocks rest = case dropWhile (not . ("```" `isPrefixOf`)) rest of
      [] -> []
      open : inside ->
        let (body, after) = break ("```" `isSuffixOf`) inside
         in (drop 3 open, body) : blocks (drop 1 after)
