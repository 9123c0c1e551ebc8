{-# LANGUAGE OverloadedStrings #-}

-- | The code that Template Haskell and deriving wrote, to stand beside the Core
-- that became of it.
--
-- Its one idea: GHC can write both to files as Haskell. A splice is found again
-- by its place, a derived instance by the class and the type in its head, and
-- both are shown without GHC's unique names and without module names.
--
-- Start at 'producedIn' and 'producedFor'.
module Tern.Lab.Core.Produced
  ( Produced (..),
    Mark (..),
    producedIn,
    producedFor,
  )
where

import Control.Applicative ((<|>))
import Data.Char (isAlphaNum, isDigit, isSpace, isUpper)
import Data.List (find)
import Data.Maybe (mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts (Binding (..), Owner (..), Place (..), unmarked)
import Text.Read (readMaybe)

-- | A piece of code that GHC wrote, without names of modules and unique names.
data Produced = Produced
  { producedMark :: !Mark,
    producedText :: !Text
  }
  deriving stock (Eq, Show)

-- | By what a piece is found again.
data Mark
  = -- | A splice: its file, its first and its last line.
    Splice !Text !Int !Int
  | -- | A derived instance: class and type, as in the name of its dictionary.
    Derived !Text
  deriving stock (Eq, Show)

-- | What stands in a file that @-ddump-splices@ or @-ddump-deriv@ wrote.
producedIn :: Text -> [Produced]
producedIn text = splices rows <> instances rows
  where
    rows = T.lines text

-- | A block begins with a place at the margin; the code follows the arrow.
splices :: [Text] -> [Produced]
splices = go
  where
    go [] = []
    go (row : rest) = case spliceHead row of
      Nothing -> go rest
      Just mark ->
        let (block, later) = break atMargin rest
            code = drop 1 (dropWhile ((/= "======>") . T.strip) block)
         in Produced mark (readable code) : go later
    atMargin row = not (T.null row) && not (isSpace (T.head row))

-- | @File.hs:6:2-213: Splicing declarations@ or @File.hs:(6,2)-(9,4): …@.
spliceHead :: Text -> Maybe Mark
spliceHead row = case T.breakOn ": Splicing " row of
  (place, rest)
    | not (T.null rest),
      (file, after) <- T.breakOn ":" place,
      not (T.null after) ->
        range file (T.drop 1 after)
  _ -> Nothing
  where
    range file at
      | "(" `T.isPrefixOf` at,
        (from, to) <- T.breakOn "-" at =
          Splice file <$> number (T.drop 1 from) <*> number (T.drop 2 to)
      | otherwise = (\n -> Splice file n n) <$> number at
    number digits = readMaybe (T.unpack (T.takeWhile isDigit digits))

-- | @  instance C (T a) where@ and the rows that are indented below it.
instances :: [Text] -> [Produced]
instances = go
  where
    go [] = []
    go (row : rest)
      | "  instance " `T.isPrefixOf` row =
          let (block, later) = span (\r -> "    " `T.isPrefixOf` r) rest
              (start, more) =
                if " where" `T.isSuffixOf` row
                  then (row, block)
                  else
                    ( T.unwords
                        ( row
                            : map
                              T.strip
                              ( takeWhile (not . T.isSuffixOf "where") block
                                  <> take 1 (dropWhile (not . T.isSuffixOf "where") block)
                              )
                        ),
                      drop 1 (dropWhile (not . T.isSuffixOf "where") block)
                    )
           in [Produced (Derived key) (readable (start : more)) | Just key <- [instanceKey start]]
                <> go later
      | otherwise = go rest

-- | @ShowColour@ of @instance Show Colour where@.
instanceKey :: Text -> Maybe Text
instanceKey row = case T.words
  ( T.filter
      (`notElem` ("()" :: String))
      (lastPart (withoutEnd (T.drop 9 (T.stripStart row))))
  ) of
  cls : types@(_ : _) ->
    Just (T.concat (unqualified cls : map unqualified (take 1 (filter isType types))))
  _ -> Nothing
  where
    lastPart = snd . T.breakOnEnd "=> "
    withoutEnd text = maybe text T.strip (T.stripSuffix "where" (T.strip text))
    isType name = maybe False (isUpper . fst) (T.uncons (unqualified name))

-- | Of a binding: what it was made from.
producedFor :: [Produced] -> Binding -> Maybe Text
producedFor every b = producedText <$> (byName <|> byPlace)
  where
    names =
      mapMaybe
        (T.stripPrefix "$f")
        ( unmarked (bindingName b)
            : maybe [] (pure . ownerOf) (bindingOwner b)
        )
    ownerOf = \case
      MadeOf name -> name
      UsedBy name -> name
    byName =
      find
        ( \p -> case producedMark p of
            Derived key ->
              key `elem` map (T.takeWhile (/= '_')) names
            Splice {} -> False
        )
        every
    byPlace = do
      Place file line _ <- bindingPlace b
      find
        ( \p -> case producedMark p of
            Splice f from to ->
              sameFile f file && from <= line && line <= to
            Derived _ -> False
        )
        every
    sameFile a c =
      a == c || T.isSuffixOf (T.dropWhile (== '.') a) c || T.isSuffixOf (T.dropWhile (== '.') c) a

-- | Without module names, unique names and common indentation.
readable :: [Text] -> Text
readable rows = T.unlines (map (cleaned . T.drop margin) rows')
  where
    rows' = dropWhileEnd' (T.null . T.strip) rows
    margin =
      minimum (80 : [T.length (T.takeWhile isSpace row) | row <- rows', not (T.null (T.strip row))])
    dropWhileEnd' p = reverse . dropWhile p . reverse

cleaned :: Text -> Text
cleaned text = case T.uncons text of
  Nothing -> T.empty
  Just (c, rest)
    | isNameCharacter c ->
        let (name, later) =
              T.span (\x -> isNameCharacter x || x == '.') text
         in withoutUnique (unqualified name) <> cleaned later
    | c == '"' -> let (string, later) = quoted rest in T.cons c string <> cleaned later
    | otherwise -> T.cons c (cleaned rest)
  where
    quoted t = case T.break (`elem` ['"', '\\']) t of
      (before, after) -> case T.uncons after of
        Just ('\\', more) ->
          let (string, later) =
                quoted (T.drop 1 more)
           in (T.concat [before, "\\", T.take 1 more, string], later)
        Just (_, more) -> (T.snoc before '"', more)
        Nothing -> (before, T.empty)

isNameCharacter :: Char -> Bool
isNameCharacter c = isAlphaNum c || c `elem` ['_', '\'', '#', '$']

-- | @GHC.Show.showsPrec@ is @showsPrec@; @(GHC.Base..)@ keeps its operator.
unqualified :: Text -> Text
unqualified name = case T.breakOn "." name of
  (start, rest)
    | maybe False (isUpper . fst) (T.uncons start), T.length rest > 1 -> unqualified (T.drop 1 rest)
    | maybe False (isUpper . fst) (T.uncons start), rest == "." -> T.empty
  _ -> name

-- | GHC tells @x_a2tO@ from other @x@; a name of the source rarely ends so.
withoutUnique :: Text -> Text
withoutUnique name = case T.breakOnEnd "_" name of
  (start, end)
    | T.length start > 1,
      Just ('a', rest) <- T.uncons end,
      T.length rest `elem` [2 .. 5],
      T.any (\c -> isDigit c || isUpper c) rest ->
        T.dropEnd 1 start
  _ -> name
