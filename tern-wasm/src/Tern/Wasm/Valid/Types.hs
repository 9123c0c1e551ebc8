{-# LANGUAGE OverloadedStrings #-}

-- | Validation of the types that a module defines.
module Tern.Wasm.Valid.Types
  ( definitions,
  )
where

import Control.Monad (foldM_, unless, when)
import Data.Foldable (forM_)
import Data.IntMap.Strict qualified as IntMap
import Data.Vector qualified as V
import Tern.Wasm.Error (Invalid (..), InvalidPlace (..), InvalidReason (..))
import Tern.Wasm.Syntax
import Tern.Wasm.Valid.Spaces (Rules (..), Spaces (..), knownType)

-- | Each type refers to its own group and what is before it, has few enough
-- parts, and matches the type that it is to stand below.
definitions :: Spaces -> Either Invalid ()
definitions sp = do
  forM_ types $ \(end, x, t) -> do
    let within what most n = when (n > most) (refuse x (BeyondLimit what most))
    forM_ (mentioned (subComp t)) $ \y -> unless (y < end) (refuse x (Unknown "type" y))
    case subComp t of
      CompFunc (FuncType ps rs) -> do
        within "parameters" 1000 (length ps)
        within "results" (if spaceRules sp == Rules1 then 1 else 1000) (length rs)
      CompStruct fields -> within "fields" 10000 (length fields)
      CompArray _ -> Right ()
    within "supertypes" 1 (length (subSupers t))
    forM_ (subSupers t) $ \y -> unless (y < x) (refuse x (Unknown "type" y))
  -- Supertypes come before their subtypes now, so that nothing goes round.
  foldM_ deeper IntMap.empty types
  forM_ types $ \(_, x, t) -> forM_ (subSupers t) $ \y -> do
    let above = spaceTypes sp V.! y
    when
      ( subFinal above
          || not (matchesComp (knownType sp) (subComp (spaceTypes sp V.! x)) (subComp above))
      )
      $ refuse x (BadSuper y)
  where
    refuse x = Left . Invalid (InPart "type" x)
    types =
      [(from + length group, x, t) | (from, group) <- spaceGroups sp, (x, t) <- zip [from ..] group]
    -- Matching walks up the supertypes, so their number is bounded.
    deeper depths (_, x, t) = do
      let depth = maximum (0 : [1 + IntMap.findWithDefault 0 y depths | y <- subSupers t]) :: Int
      when (depth > 63) (refuse x (BeyondLimit "levels of subtypes" 63))
      Right (IntMap.insert x depth depths)

mentioned :: CompType -> [Index]
mentioned = \case
  CompFunc (FuncType ps rs) -> concatMap inType (ps <> rs)
  CompStruct fields -> concatMap inField fields
  CompArray f -> inField f
  where
    inField f = case fieldStorage f of
      Whole t -> inType t
      _ -> []
    inType = \case
      Ref (RefType _ (Defined x)) -> [x]
      _ -> []
