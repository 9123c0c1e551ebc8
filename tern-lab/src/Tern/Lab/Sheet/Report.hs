{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Sheets as people read them on a terminal or in Markdown.
--
-- Start at 'renderSheet'; 'growths' says how figures grow over several.
module Tern.Lab.Sheet.Report
  ( renderSheet,
    sheetMarkdown,
    growths,
    Grown (..),
    outgrows,
    renderGrowths,
  )
where

import Data.List (nub)
import Data.List qualified as List
import Data.List.NonEmpty (NonEmpty)
import Data.Maybe (fromMaybe, mapMaybe)
import Data.Ord (Down (..))
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Growth (Growth (..), growth, renderGrowth, superLinear)
import Tern.Lab.Interval (Interval (..), apart, fewestRounds, interval)
import Tern.Lab.Report (Style (..))
import Tern.Lab.Sheet
import Tern.Lab.Stats (Spread (..), difference, spread)
import Tern.Lab.Table (Align (..), bar, columns, duration, markdown, percent, ratio)
import Tern.Lab.Winner (quickest)
import Text.Read (readMaybe)

-- | A table with bars, what it answers, and what cannot be seen.
renderSheet :: Style -> Sheet -> Text
renderSheet style given =
  T.unlines $
    [ T.concat ["\ESC[1m" | style.colours]
        <> heading sheet
        <> T.concat ["\ESC[0m" | style.colours],
      ""
    ]
      <> legend
      <> zipWith
        (<>)
        ( map
            ("  " <>)
            (padded (columns aligns (headers : rows)))
        )
        ("" : zipWith drawn [0 :: Int ..] sheet.entries)
      <> [""]
      <> map ("  " <>) (said sheet)
      <> [""]
  where
    (legend, sheet) = lettered given
    (headers, aligns, rows) = cells sheet
    padded these = map (T.justifyLeft (maximum (map T.length these)) ' ') these
    slowest = List.foldl' max 0 (map times sheet.entries)
    times entry = maybe 0 medianOf (figureNamed (shownTime sheet) entry)
    drawn index entry
      | slowest <= 0 = ""
      | style.colours =
          T.concat
            [ "  \ESC[",
              if index == 0
                then "32"
                else "34",
              "m",
              bar 20 (times entry / slowest),
              "\ESC[0m"
            ]
      | otherwise = "  " <> bar 20 (times entry / slowest)

-- | The same as Markdown.
sheetMarkdown :: Sheet -> Text
sheetMarkdown given =
  T.unlines
    ( ["### " <> heading sheet, ""]
        <> map ("- " <>) (filter (not . T.null) legend)
        <> ["" | not (null legend)]
        <> markdown aligns (headers : rows)
        <> [""]
        <> map ("- " <>) (said sheet)
        <> [""]
    )
  where
    (legend, sheet) = lettered given
    (headers, aligns, rows) = cells sheet

-- | With letters for names where one is longer than a table bears, and what they stand
-- for.
lettered :: Sheet -> ([Text], Sheet)
lettered sheet
  | all ((<= 24) . T.length) names = ([], sheet)
  | otherwise =
      ( [T.concat ["  ", letter, ": ", name] | (letter, name) <- table] <> [""],
        sheet
          { entries =
              [ Entry {name = letter, figures = entry.figures}
                | (entry, letter) <-
                    zip sheet.entries letters
              ],
            remarks =
              map
                ( \remark ->
                    foldr (\(letter, name) -> T.replace name letter) remark table
                )
                sheet.remarks
          }
      )
  where
    names = map (.name) sheet.entries
    table = zip letters names
    letters =
      [ if n < 26
          then T.singleton (toEnum (65 + n))
          else T.pack (show n)
        | n <- [0 .. length names - 1]
      ]

-- | The time whose bars are drawn.
shownTime :: Sheet -> Text
shownTime sheet = fromMaybe cpuTime (List.find (`elem` namesIn sheet) [cpuTime, wallTime])

namesIn :: Sheet -> [Text]
namesIn sheet = nub [figure.name | entry <- sheet.entries, figure <- entry.figures]

cells :: Sheet -> ([Text], [Align], [[Text]])
cells sheet =
  ( ""
      : concatMap snd titled
        <> [ T.concat ["times ", first.name]
             | first : _ : _ <-
                 [sheet.entries]
           ],
    ToLeft : map (const ToRight) (concatMap snd titled) <> [ToRight],
    map row sheet.entries
  )
  where
    titled =
      [ (name, if name == shownTime sheet then [name, "quartiles"] else [name])
        | name <-
            namesIn sheet
      ]
    row entry =
      entry.name
        : concat
          [ maybe (map (const "-") headers) (one name) (figureNamed name entry)
            | (name, headers) <-
                titled
          ]
          <> [beside first entry | first : _ : _ <- [sheet.entries]]
    one name figure
      | name == shownTime sheet,
        Just found <- sample figure =
          let Spread {..} =
                spread found
           in [duration median, T.concat [duration lowerQuartile, " … ", duration upperQuartile]]
      | otherwise = [renderFigure figure.unit (medianOf figure)]
    beside first entry
      | entry == first = "1.00"
      | otherwise = fromMaybe "-" $ do
          mine <- figureNamed (shownTime sheet) entry >>= sample
          its <- figureNamed (shownTime sheet) first >>= sample
          pure $ case interval mine its of
            Just found -> ratio found.middle 1
            Nothing -> ratio (median (spread mine)) (median (spread its))

-- | Verdicts, floors and remarks.
said :: Sheet -> [Text]
said sheet =
  [ T.concat
      [ "How fast, by ",
        name,
        "? ",
        capital
          ( quickest
              (floorOf sheet name)
              [ (entry.name, figureNamed name entry >>= sample)
                | entry <-
                    sheet.entries
              ]
          ),
        "."
      ]
    | length sheet.entries > 1,
      name <- [cpuTime, wallTime],
      all (maybe False ((> 1) . length . samples) . figureNamed name) sheet.entries
  ]
    <> [ T.concat
           [ "Not seen here: differences below ",
             T.intercalate
               " and "
               [ T.concat [percent one.part, " of ", one.name]
                 | one <-
                     sheet.floors,
                   one.name `elem` [cpuTime, wallTime]
               ],
             " (the same against itself, ",
             T.pack (show sheet.rounds),
             " interleaved rounds)."
           ]
         | not (null sheet.floors)
       ]
    <> [ T.concat
           [ "Of fewer than ",
             T.pack (show fewestRounds),
             " rounds no verdict on times is given."
           ]
         | sheet.rounds
             < fewestRounds
       ]
    <> sheet.remarks
  where
    -- A name stays as it is.
    capital text =
      if "no " `T.isPrefixOf` text
        then T.toUpper (T.take 1 text) <> T.drop 1 text
        else text

-- | How one figure of one entry grows with one parameter.
data Grown = Grown
  { entryName :: !Text,
    figureName :: !Text,
    figureUnit :: !Unit,
    parameterName :: !Text,
    -- | What the other parameters are.
    others :: ![Choice],
    found :: !Growth,
    -- | The sizes with what was found there.
    points :: ![(Double, Double)],
    -- | The exponent from the last size but one to the last. Of times it is the least that
    -- the rounds allow, and nothing where there are too few of them to tell.
    lastStep :: !(Maybe Double)
  }
  deriving stock (Eq, Show)

-- | Of all parameters whose values are numbers above 0, all entries, and the figures that
-- say how much is done. What differs by less than the floor does not grow.
growths :: [Sheet] -> [Grown]
growths every =
  concat [together (filter ((== title) . (.title)) every) | title <- nub (map (.title) every)]

-- | The same of sheets that are of one thing.
together :: [Sheet] -> [Grown]
together sheets =
  [ Grown
      { entryName,
        figureName,
        figureUnit,
        parameterName,
        others,
        found,
        points =
          [(size, median (spread found')) | (size, found') <- measured],
        lastStep = stepOf figureUnit measured
      }
    | parameterName <- nub [choice.parameter | sheet <- sheets, choice <- sheet.setting],
      others <- nub [without parameterName sheet | sheet <- sheets],
      let here =
            [ (size, sheet)
              | sheet <-
                  sheets,
                without parameterName sheet == others,
                Just size <- [sizeOf parameterName sheet]
            ],
      length here == length (filter ((== others) . without parameterName) sheets),
      length here > 1,
      entryName <- nub [entry.name | (_, sheet) <- here, entry <- sheet.entries],
      figureName <- [cpuTime, "allocated", "instructions", "most live"],
      let measured =
            [ (size, found')
              | (size, sheet) <-
                  here,
                entry <- sheet.entries,
                entry.name == entryName,
                Just found' <- [figureNamed figureName entry >>= sample]
            ],
      length measured == length here,
      let hidden = maximum (0 : [floorOf sheet figureName | (_, sheet) <- here])
          middles = map (median . spread . snd) measured,
      figureUnit <-
        take
          1
          [ figure.unit
            | (_, sheet) <-
                here,
              entry <- sheet.entries,
              Just figure <- [figureNamed figureName entry]
          ],
      Just found <-
        [ if difference (minimum middles) (maximum middles) <= hidden
            then Just (Growth 0 0 0)
            else growth measured
        ]
  ]
  where
    without name sheet = filter ((/= name) . (.parameter)) sheet.setting
    sizeOf
      name
      sheet =
        case mapMaybe
          (readMaybe . number . T.unpack . (.value))
          ( filter
              ((== name) . (.parameter))
              sheet.setting
          ) of
          [size] | size > 0 -> Just size
          _ -> Nothing
    -- 1e6 and 10 are both read as they are.
    number = filter (/= '_')

-- | From the last size but one to the last. Sizes may have been measured one after the
-- other, so that their rounds are not pairs.
stepOf :: Unit -> [(Double, NonEmpty Double)] -> Maybe Double
stepOf unit measured = case List.sortOn (Down . fst) measured of
  (large, much) : (small, little) : _
    | large > small ->
        logBase (large / small) <$> grown much little
  _ -> Nothing
  where
    grown much little = case unit of
      Nanoseconds -> lower <$> apart much little
      Bytes -> exactly much little
      Count -> exactly much little
    exactly much little
      | median (spread little) > 0 = Just (median (spread much) / median (spread little))
      | otherwise = Nothing

-- | Does it grow faster than the size for certain, also from the last size but one to the
-- last? Of what hardly grows, noise and steps have large exponents; what goes over bytes
-- again and again does so most where there are most of them. Of times that were taken less
-- often than 'fewestRounds' nothing is certain: bytes and instructions alone decide then.
outgrows :: Grown -> Bool
outgrows one = superLinear one.found && maybe False (> 1.25) one.lastStep

-- | A line for each, with a warning beside what grows faster than the size, by the rule given.
renderGrowths :: (Grown -> Bool) -> [Grown] -> [Text]
renderGrowths steep all' =
  columns
    [ToLeft, ToLeft, ToLeft, ToLeft]
    [ [ if T.length one.entryName > 48 then T.take 47 one.entryName <> "…" else one.entryName,
        one.figureName,
        T.intercalate
          ", "
          ( T.replace "n^" (one.parameterName <> "^") (renderGrowth one.found)
              : [T.concat [choice.parameter, " = ", choice.value] | choice <- one.others]
          ),
        if steep one then "grows faster than " <> one.parameterName else ""
      ]
      | one <- all'
    ]
