{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What was measured of engines, as data and as the table of the README.
--
-- Start at 'renderFigures', 'renderVectors', 'renderCosts' and 'renderProgram'; the suite
-- @figures@ holds the README to them.
module Figures
  ( Figures (..),
    figuresVersion,
    Engine (..),
    Row (..),
    Vectors (..),
    Cost (..),
    Program (..),
    Ran (..),
    renderFigures,
    renderVectors,
    renderCosts,
    renderProgram,
  )
where

import Data.List (transpose)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Numeric (showFFloat)
import Tern (Wire)
import Tern.Lab.Result (Machine (..))
import Tern.Lab.Table (Align (..), markdown)

-- | All of one run: each row has the times of the engines, in their order.
data Figures = Figures
  { figuresFormat :: Text,
    figuresMachine :: Machine,
    figuresEngines :: [Engine],
    figuresRows :: [Row],
    -- | Of loops over vectors; of figures that are older than the field they are unknown.
    figuresVectors :: Maybe Vectors,
    -- | What is around a run; of figures that are older than the field it is unknown.
    figuresCosts :: Maybe [Cost],
    -- | Of a large program; where nobody named one it is unknown.
    figuresProgram :: Maybe Program
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

figuresVersion :: Text
figuresVersion = "tern-wasm 1"

data Engine = Engine {engineName :: Text, engineVersion :: Text}
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | A program: how many instructions of WebAssembly it runs, and seconds.
data Row = Row {rowProgram :: Text, rowInstructions :: Int, rowSeconds :: [Double]}
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | Loops over vectors, beside the engines that have them.
data Vectors = Vectors {vectorsEngines :: [Engine], vectorsRows :: [Row]}
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | Something that is done around a run, and seconds.
data Cost = Cost {costOf :: Text, costSeconds :: Double}
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | Ruby's build for WASI: how many bytes it has, what it was given to run, and the engines.
data Program = Program
  { programMachine :: Machine,
    programBytes :: Int,
    programText :: Text,
    programRan :: [Ran]
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | Seconds of the processor that loading took, the first run and the next one of a new
-- instance; and the most megabytes of memory.
data Ran = Ran
  { ranEngine :: Engine,
    ranLoad :: Double,
    ranFirst :: Double,
    ranAgain :: Double,
    ranMegabytes :: Double
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | Nanoseconds an instruction, their geometric means, and the loop of article 001 in
-- milliseconds.
renderFigures :: Figures -> Text
renderFigures figures =
  T.unlines
    ( eachInstruction engines rows
        <> [""]
        <> [ T.concat
               [ "Nanoseconds an instruction of WebAssembly, counted exactly; the least of \
                 \interleaved runs. The loop of article 001 takes ",
                 T.intercalate
                   ", "
                   [ T.concat [digits (1000 * s), " ms (", engineName e, ")"]
                     | (e, s) <- zip engines (rowSeconds r)
                   ],
                 "."
               ]
             | r <- rows,
               rowProgram r == "loop"
           ]
        <> [measuredWith (figuresMachine figures) engines]
    )
  where
    engines = figuresEngines figures
    rows = figuresRows figures

-- | A table of nanoseconds an instruction, with their geometric means.
eachInstruction :: [Engine] -> [Row] -> [Text]
eachInstruction engines rows =
  markdown
    (ToLeft : map (const ToRight) engines)
    ( ("program" : map engineName engines)
        : [rowProgram r : map digits (each r) | r <- rows]
          <> ["geometric mean" : map (digits . mean) (transpose (map each rows))]
    )
  where
    each r = [s * 1e9 / fromIntegral (rowInstructions r) | s <- rowSeconds r]
    mean :: [Double] -> Double
    mean xs = exp (sum (map log xs) / fromIntegral (max 1 (length xs)))

-- | To three places where it is small: native code takes some hundredths.
digits :: Double -> Text
digits x = T.pack (showFFloat (Just (if x < 0.2 then 3 else 2)) x "")

-- | Nanoseconds an instruction of loops over vectors.
renderVectors :: Figures -> Text
renderVectors figures = case figuresVectors figures of
  Nothing -> noneKept
  Just (Vectors engines rows) ->
    T.unlines
      (eachInstruction engines rows <> ["", measuredWith (figuresMachine figures) engines])

noneKept :: Text
noneKept = "No figures of a quiet machine are kept of them yet.\n"

measuredWith :: Machine -> [Engine] -> Text
measuredWith machine engines =
  T.concat
    [ "Measured with ",
      T.intercalate
        ", "
        ( [compiler machine, system machine, processor machine]
            <> [T.unwords [n, version] | Engine n version <- engines, not (T.null version)]
        ),
      "."
    ]

-- | What is around a run, each in the unit that it is read best in.
renderCosts :: Figures -> Text
renderCosts figures = case figuresCosts figures of
  Nothing -> noneKept
  Just costs ->
    T.unlines
      ( markdown
          [ToLeft, ToRight]
          (["what", "time"] : [[costOf c, time (costSeconds c)] | c <- costs])
      )
  where
    time s
      | s >= 1e-3 = T.pack (showFFloat (Just 1) (1e3 * s) " ms")
      | s >= 1e-5 = T.pack (showFFloat (Just 0) (1e6 * s) " µs")
      | otherwise = T.pack (showFFloat (Just 2) (1e6 * s) " µs")

-- | Loading a large program, running a text by it, and once more in a new instance.
renderProgram :: Figures -> Text
renderProgram figures = case figuresProgram figures of
  Nothing -> "No figures of a quiet machine are kept of it yet.\n"
  Just (Program machine bytes text rows) ->
    T.unlines
      ( markdown
          (ToLeft : replicate 4 ToRight)
          ( ["engine", "load", "first run", "next run", "memory"]
              : [ engineName (ranEngine r)
                    : map seconds [ranLoad r, ranFirst r, ranAgain r]
                      <> [T.pack (showFFloat (Just 0) (ranMegabytes r) " MB")]
                  | r <- rows
                ]
          )
          <> [ "",
               T.concat
                 [ "Seconds of the processor for a module of ",
                   T.pack (showFFloat (Just 1) (fromIntegral bytes / 1e6 :: Double) " MB"),
                   " that runs `",
                   text,
                   "`; a run is an instance of its own, started and asked. The least of three \
                   \interleaved processes. ",
                   measuredWith machine (map ranEngine rows)
                 ]
             ]
      )
  where
    seconds s = T.pack (showFFloat (Just 2) s " s")
