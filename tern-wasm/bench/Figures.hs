{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What was measured of engines, as data and as the table of the README.
--
-- Start at 'renderFigures'.
module Figures
  ( Figures (..),
    figuresVersion,
    Engine (..),
    Row (..),
    renderFigures,
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
    figuresRows :: [Row]
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

-- | Nanoseconds an instruction, their geometric means, and the loop of article 001 in
-- milliseconds.
renderFigures :: Figures -> Text
renderFigures figures =
  T.unlines
    ( markdown
        (ToLeft : map (const ToRight) engines)
        ( ("program" : map engineName engines)
            : [rowProgram r : map digits (each r) | r <- rows]
              <> ["geometric mean" : map (digits . mean) (transpose (map each rows))]
        )
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
        <> [ T.concat
               [ "Measured with ",
                 T.intercalate
                   ", "
                   ( [compiler machine, system machine, processor machine]
                       <> [told e | e <- engines, not (T.null (engineVersion e))]
                   ),
                 "."
               ]
           ]
    )
  where
    engines = figuresEngines figures
    rows = figuresRows figures
    machine = figuresMachine figures
    each r = [s * 1e9 / fromIntegral (rowInstructions r) | s <- rowSeconds r]
    mean :: [Double] -> Double
    mean xs = exp (sum (map log xs) / fromIntegral (max 1 (length xs)))
    told e = T.unwords [engineName e, engineVersion e]
    -- To three places where it is small: native code takes some hundredths.
    digits x = T.pack (showFFloat (Just (if x < 0.2 then 3 else 2)) x "")
