{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | Sheets as one self-contained HTML page.
--
-- Its one idea: the page is the file @data\/compare.html@ with the figures as JSON in it,
-- each round of them; its script draws them. What needs statistics (bounds of ratios,
-- exponents) is worked out here and not again in the script. A browser without scripts
-- shows the pictures of "Tern.Lab.Sheet.Picture".
module Tern.Lab.Sheet.Page
  ( page,
  )
where

import Data.Maybe (isJust)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Generics (Generic)
import Tern (Wire, encodeJson)
import Tern.Lab.Embed (embedText)
import Tern.Lab.Growth (renderGrowth)
import Tern.Lab.Html (escaped, filledIn, inScript)
import Tern.Lab.Interval qualified as Interval
import Tern.Lab.Result (Machine (..))
import Tern.Lab.Sheet
  ( Entry,
    Figure,
    Floor,
    Sheet,
    Unit,
    cpuTime,
    figureNamed,
    floorOf,
    isTime,
    sample,
  )
import Tern.Lab.Sheet qualified as Sheet
import Tern.Lab.Sheet.Picture (picture)
import Tern.Lab.Sheet.Report qualified as Report

-- | The page of a title; it loads nothing from anywhere.
page :: Text -> Machine -> [Sheet] -> Text
page title machine shown =
  filledIn
    [ ("{{title}}", escaped title),
      ( "{{machine}}",
        escaped
          ( T.intercalate
              ", "
              ( filter
                  (not . T.null)
                  [ machine.processor,
                    T.concat
                      [ T.pack (show machine.cores),
                        if machine.cores == 1
                          then " core"
                          else " cores"
                      ],
                    machine.system,
                    machine.compiler
                  ]
              )
          )
      ),
      ("{{pictures}}", T.concat (map (picture cpuTime) shown)),
      ("{{data}}", inScript (T.decodeUtf8 (encodeJson (shownOf shown))))
    ]
    template

template :: Text
template = $(embedText "data/compare.html")

-- * What the script is given

data Shown = Shown
  { sheets :: [ShownSheet],
    growths :: [ShownGrowth]
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

data ShownSheet = ShownSheet
  { heading :: Text,
    rounds :: Int,
    floors :: [Floor],
    remarks :: [Text],
    entries :: [ShownEntry],
    control :: Maybe Entry
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

data ShownEntry = ShownEntry
  { name :: Text,
    figures :: [Figure],
    beside :: [Beside]
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | A time beside that of the first entry.
data Beside = Beside
  { figure :: Text,
    lower :: Double,
    middle :: Double,
    upper :: Double,
    -- | Is it a difference for certain?
    certain :: Bool
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

data ShownGrowth = ShownGrowth
  { entry :: Text,
    figure :: Text,
    unit :: Unit,
    parameter :: Text,
    others :: Text,
    text :: Text,
    steep :: Bool,
    points :: [Point]
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

data Point = Point
  { size :: Double,
    found :: Double
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

shownOf :: [Sheet] -> Shown
shownOf all' = Shown {sheets = map ofSheet all', growths = map ofGrowth (Report.growths all')}
  where
    ofSheet sheet =
      ShownSheet
        { heading = Sheet.heading sheet,
          rounds = sheet.rounds,
          floors = sheet.floors,
          remarks = sheet.remarks,
          entries =
            [ ShownEntry {name = one.name, figures = one.figures, beside = besideFirst sheet one}
              | one <-
                  sheet.entries
            ],
          control = sheet.control
        }
    besideFirst sheet one =
      [ Beside
          { figure =
              it.name,
            lower = bounds.lower,
            middle = bounds.middle,
            upper = bounds.upper,
            certain = isJust (Interval.seen (floorOf sheet it.name) mine its)
          }
        | first : _ <- [sheet.entries],
          it <- one.figures,
          isTime it,
          Just mine <- [sample it],
          Just its <- [figureNamed it.name first >>= sample],
          Just bounds <- [Interval.interval mine its]
      ]
    ofGrowth grown =
      ShownGrowth
        { entry = grown.entryName,
          figure = grown.figureName,
          unit = grown.figureUnit,
          parameter = grown.parameterName,
          others =
            T.intercalate
              ", "
              [ T.concat [choice.parameter, " = ", choice.value]
                | choice <-
                    grown.others
              ],
          text = renderGrowth grown.found,
          steep = Report.outgrows grown,
          points = [Point {size, found} | (size, found) <- grown.points]
        }
