{-# LANGUAGE OverloadedStrings #-}

-- | What trying a cure gave.
--
-- Its one idea: advice that was followed has a figure, and a figure overrules a
-- guess. Bytes are exact; memory at the peak and instructions move a little, so
-- that more must change before it counts.
--
-- Start at 'Tried'; 'savingOf' decides the order of findings.
module Tern.Lab.Core.Tried
  ( Tried (..),
    Costs (..),
    helped,
    savingOf,
    wasInVain,
    renderTried,
  )
where

import Data.Maybe (catMaybes, fromMaybe, isJust)
import Data.Text (Text)
import Data.Text qualified as T
import Numeric (showFFloat)

-- | One change, and what it did.
data Tried = Tried
  { -- | In words: what was changed.
    change :: !Text,
    before :: !Costs,
    -- | Nothing where it came to no figures.
    after :: !(Maybe Costs),
    -- | Why not: the compiler's first error, another output, how the run ended.
    problem :: !(Maybe Text)
  }
  deriving stock (Eq, Show)

-- | Of one run, and of compiling it.
data Costs = Costs
  { -- | Bytes.
    allocated :: !Double,
    -- | Bytes that the runtime held at most.
    peak :: !Double,
    -- | Where valgrind is, and the run is short.
    instructions :: !(Maybe Double),
    -- | Bytes that the compiler allocated for the modules that were compiled again.
    compiling :: !(Maybe Double)
  }
  deriving stock (Eq, Show)

-- | Did it save anything that is no accident, and cost nothing as large?
helped :: Tried -> Bool
helped t = case after t of
  Nothing -> False
  Just later ->
    let bytes = changeOf (allocated (before t)) (allocated later)
        memory = changeOf (peak (before t)) (peak later)
        work = maybe 0 (uncurry changeOf) ((,) <$> instructions (before t) <*> instructions later)
     in (bytes <= -0.001 && work < 0.05)
          || (memory <= -0.1 && bytes < 0.05)
          || (work <= -0.005 && bytes < 0.05)

-- | By what part something grew, or shrank where it is below nought.
changeOf :: Double -> Double -> Double
changeOf old new
  | old == 0 = if new == 0 then 0 else 1
  | otherwise = new / old - 1

-- | The part of the run's bytes that the best change saved; nothing, if none
-- helped.
savingOf :: [Tried] -> Maybe Double
savingOf tries = case filter helped tries of
  [] -> Nothing
  good ->
    Just
      ( maximum
          [ negate (maybe 0 (changeOf (allocated (before t)) . allocated) (after t))
            | t <- good
          ]
      )

-- | Was something tried to its end, and nothing helped?
wasInVain :: [Tried] -> Bool
wasInVain tries = any (isJust . after) tries && not (any helped tries)

-- | In one line.
renderTried :: Tried -> Text
renderTried t = T.concat [outcome, " by ", change t]
  where
    outcome = case after t of
      Nothing -> fromMaybe "nothing came of it" (problem t)
      Just later
        | helped t -> T.concat [figures later]
        | otherwise -> T.concat ["no help, ", figures later]
    figures later =
      T.intercalate ", " $
        [percent (allocated (before t)) (allocated later) <> " bytes"]
          <> catMaybes
            [ (\a b -> percent a b <> " instructions")
                <$> instructions (before t)
                <*> instructions later,
              if abs (changeOf (peak (before t)) (peak later)) < 0.05
                then Nothing
                else Just (percent (peak (before t)) (peak later) <> " memory at the peak"),
              (\a b -> percent a b <> " compiling") <$> compiling (before t) <*> compiling later
            ]
    percent a b =
      let x = 100 * changeOf a b
       in T.concat
            [ if x >= 0.05
                then "+"
                else "",
              T.pack (showFFloat (Just 1) (if abs x < 0.05 then 0 else x) " %")
            ]
