{-# LANGUAGE OverloadedStrings #-}

-- | What a run of a program says of each function: the counters in a ticky
-- report, or the cost centres of a profile.
--
-- Its one idea: a row is read as it stands. Whose it is, is asked in
-- "Tern.Lab.Core.Measured".
--
-- Start at 'parseTicky'.
module Tern.Lab.Core.Ticky
  ( Counter (..),
    Sort (..),
    parseTicky,
    parseProfile,
    allocatedIn,
    Collector (..),
    collectorIn,
  )
where

import Data.Char (isAlphaNum, isDigit, isSpace, isUpper)
import Data.List (find, tails)
import Data.Maybe (fromMaybe, listToMaybe, mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts (callName, enteredName, markOf, unmarked)
import Text.Read (readMaybe)

-- | One row.
data Counter = Counter
  { counterModule :: !Text,
    -- | As GHC has it, without a mark. GHC does not write all letters of other
    -- alphabets into a report.
    counterName :: !Text,
    -- | The mark of the module and the number there, in a counting build.
    counterMark :: !(Maybe (Text, Int)),
    -- | In its module, for example @s1Ab@; none of a cost centre.
    counterUnique :: !Text,
    -- | The unique of the code around it.
    counterIn :: !(Maybe Text),
    counterSort :: !Sort,
    counterEntries :: !Double,
    -- | Bytes that its code allocated.
    counterBytes :: !Double
  }
  deriving stock (Eq, Show)

-- | What the entries and bytes of a row are of.
data Sort
  = -- | A function, or a place to jump to.
    Code
  | -- | A thunk or a constructor.
    Data
  | -- | What a library allocated for a call: its function is the name.
    Call
  | -- | How often a library's function was called.
    Calls
  | CostCentre
  deriving stock (Eq, Show)

-- | The rows of a report that @+RTS -r@ wrote; empty when it is none.
--
-- A row has entries, bytes, bytes of the closures themselves, arguments, and a
-- name: @Main.mean{v rgT} (fun)@ or, of what is not exported,
-- @$wgo{v r1Ob} (Main) (fun)@. What stands in other code ends in
-- @in s1Rj@; what has no name of its own has its unique in it,
-- @sat_s1Ri{v}@.
parseTicky :: Text -> [Counter]
parseTicky text = case break ("Non-void Arguments" `T.isInfixOf`) (T.lines text) of
  (_, _ : rows) -> mapMaybe row (takeWhile (not . ("****" `T.isPrefixOf`)) (drop 1 rows))
  _ -> []
  where
    row line = do
      entries : bytes : _ <- pure (T.words line)
      e <- readMaybe (T.unpack entries)
      b <- readMaybe (T.unpack bytes)
      (before, after) <- pure (T.breakOn "{v" line)
      if T.null after then Nothing else Just ()
      let name = T.takeWhileEnd (not . isSpace) before
          inBraces = T.strip (T.takeWhile (/= '}') (T.drop 2 after))
          rest = T.drop 1 (T.dropWhile (/= '}') after)
          groups = bracketed rest
          named = find (maybe False (isUpper . fst) . T.uncons) groups
          (qualifier, own) = qualified name
      Just . ofCall (unmarked name) $
        Counter
          { counterModule = fromMaybe qualifier named,
            counterName =
              ( if T.null inBraces
                  then T.dropEnd 1 . T.dropWhileEnd (/= '_')
                  else id
              )
                (unmarked (maybe own (const name) named)),
            counterMark = markOf name,
            counterUnique = if T.null inBraces then T.takeWhileEnd (/= '_') name else inBraces,
            counterIn =
              listToMaybe [u | (_, u) <- [T.breakOnEnd ") in " rest], not (T.null u), u /= rest],
            counterSort =
              if any (\g -> any (`T.isPrefixOf` g) ["fun", "LNE"]) groups
                then Code
                else Data,
            counterEntries = e,
            counterBytes = b
          }
    ofCall name c
      -- An entry of it is a kibibyte.
      | (_, called) <- T.breakOn callName name,
        Just callee <- T.stripPrefix callName called =
          c
            { counterName = callee,
              counterSort = Call,
              counterEntries = 0,
              counterBytes = 1024 * counterEntries c
            }
      | (_, called) <- T.breakOn enteredName name,
        Just callee <- T.stripPrefix enteredName called =
          c {counterName = callee, counterSort = Calls, counterBytes = 0}
      | otherwise = c
    bracketed rest = case T.breakOn "(" rest of
      (_, after) | T.null after -> []
      (_, after) ->
        let (inner, more) =
              T.breakOn ")" (T.drop 1 after)
         in inner : bracketed (T.drop 1 more)

-- | The module and the name.
--
-- > map qualified ["Data.Rose.mean", "Main..+.", "Main.."]
-- >   == [("Data.Rose", "mean"), ("Main", ".+."), ("Main", ".")]
qualified :: Text -> (Text, Text)
qualified = go []
  where
    go path name = case T.break (== '.') name of
      (part, rest)
        | T.length rest > 1,
          maybe False (isUpper . fst) (T.uncons part),
          T.all (\c -> isAlphaNum c || c `elem` ("_'" :: String)) part ->
            go (part : path) (T.drop 1 rest)
      _ -> (T.intercalate "." (reverse path), name)

-- | The cost centres in a profile that @+RTS -p@ wrote; empty when it is none.
-- Bytes are as exact as its per cents.
--
-- A row ends in the centre's number, entries, and four per cents: time and
-- bytes of its own, and with what it calls.
parseProfile :: Text -> [Counter]
parseProfile text = case [ rows
                           | row' : rows <-
                               tails (T.lines text),
                             "COST CENTRE" `T.isPrefixOf` row',
                             " no. " `T.isInfixOf` row'
                         ] of
  rows : _ -> mapMaybe row rows
  [] -> []
  where
    whole = case [ T.filter isDigit (T.takeWhile (/= 'b') rest)
                   | line <-
                       T.lines text,
                     Just rest <- [T.stripPrefix "total alloc =" (T.stripStart line)]
                 ] of
      digits : _ | Just n <- readMaybe (T.unpack digits) -> n
      _ -> 0 :: Double
    row line = case (T.words line, reverse (T.words line)) of
      (name : m : _, _ : _ : bytes : _ : entries : _)
        | Just e <- readMaybe (T.unpack entries),
          Just percent <- readMaybe (T.unpack bytes) ->
            Just (Counter m name Nothing T.empty Nothing CostCentre e (whole * percent / 100))
      _ -> Nothing

-- | The bytes that a whole run allocated, in what @+RTS -t --machine-readable@
-- wrote.
--
-- >>> allocatedIn "[(\"bytes allocated\", \"758\")\n ,(\"num_GCs\", \"1\")"
-- Just 758.0
allocatedIn :: Text -> Maybe Double
allocatedIn = figureIn "bytes allocated"

-- | What the collector did in a run.
data Collector = Collector
  { collectorTimes :: !Double,
    collectorCopied :: !Double,
    -- | Bytes that were alive when the most were.
    collectorAlive :: !Double
  }
  deriving stock (Eq, Show)

-- | The same file says it.
--
-- >>> collectorIn "(\"num_GCs\", \"3\")\n(\"max_live_bytes\", \"7\")\n(\"copied_bytes\", \"8\")"
-- Just (Collector {collectorTimes = 3.0, collectorCopied = 8.0, collectorAlive = 7.0})
collectorIn :: Text -> Maybe Collector
collectorIn text =
  Collector
    <$> figureIn "num_GCs" text
    <*> figureIn "copied_bytes" text
    <*> figureIn "max_live_bytes" text

figureIn :: Text -> Text -> Maybe Double
figureIn name text = case [ T.takeWhile isDigit rest
                            | (_, after) <- [T.breakOn key text],
                              Just rest <- [T.stripPrefix key after]
                          ] of
  digits : _ -> readMaybe (T.unpack digits)
  [] -> Nothing
  where
    key = T.concat ["\"", name, "\", \""]
