{-# LANGUAGE OverloadedStrings #-}

-- | A function with the parameters that it does not name.
--
-- Its one idea: a step of a fold may give a function, by @(x :)@, a section or a composition, and
-- what the fold hands to that is what the rounds have made. So it is given a variable of its own
-- wherever the step ends.
--
-- Start at 'applied'.
module Tern.Lab.Core.Plugin.Applied
  ( applied,
    wanted,
  )
where

import GHC.Core.Multiplicity (scaledThing)
import GHC.Plugins hiding ((<>))
import Tern.Lab.Core.Plugin.Compat (isDictionaryType)
import Tern.Lab.Core.Plugin.Rounds (callOf, isLibrary)

-- | How many parameters a function must have so that these are among them, counted from 0.
wanted :: [Int] -> Int
wanted = maximum . (0 :) . map (+ 1)

-- | Parameters and the body with @n@ parameters at least, where its type has them.
applied :: Int -> ([Id], CoreExpr) -> ([Id], CoreExpr)
applied n (parameters, body)
  | missing > 0, length more == missing = (parameters <> new, pushed (map Var new) body)
  | otherwise = (parameters, body)
  where
    missing = n - length parameters
    more =
      takeWhile
        (not . isDictionaryType)
        (map scaledThing (take missing (fst (splitFunTys (exprType body)))))
    new = zipWith mkTemplateLocal [1000 + length parameters ..] more

-- | Given to whatever it ends in.
pushed :: [CoreExpr] -> CoreExpr -> CoreExpr
pushed [] e = e
pushed given@(x : rest) e = case e of
  Case r b _ alternatives
    | Alt _ _ first : _ <- ends ->
        Case r b (exprType first) ends
    where
      ends = [Alt c vs (pushed given inner) | Alt c vs inner <- alternatives]
  Let bs inner -> Let bs (pushed given inner)
  Tick t inner -> Tick t (pushed given inner)
  Lam v inner | isId v -> Let (NonRec v x) (pushed rest inner)
  _
    | (Var c, _, [f, g]) <- callOf e, isLibrary "." c -> pushed (pushed [x] g : rest) f
    | otherwise -> mkApps e given
