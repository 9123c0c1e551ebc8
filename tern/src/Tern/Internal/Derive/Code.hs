{-# LANGUAGE TemplateHaskellQuotes #-}

-- | Pieces of the code that is made for any format.
--
-- No type of a field is written in codecs, so that they need no extension where
-- they are used but @TemplateHaskell@ itself.
module Tern.Internal.Derive.Code
  ( joined,
    dispatch,
    slotted,
    tableE,
  )
where

import Data.List (nub, zip4)
import Language.Haskell.TH hiding (Body)
import Language.Haskell.TH.Datatype
import Tern.Internal.Derive.Options
import Tern.Internal.Record qualified as Record
import Tern.Internal.Wire.Class (absent)

-- | Writes, one after the other.
joined :: [Q Exp] -> Q Exp
joined = \case
  [] -> [|mempty|]
  [x] -> x
  x : rest -> [|$x <> $(joined rest)|]

-- | By a number that is one of the alternatives'.
dispatch :: Name -> [Q Exp] -> Q Exp
dispatch i alternatives = caseE (varE i) (zipWith alternative [0 ..] alternatives)
  where
    final = length alternatives - 1
    alternative k e
      | k == final = match wildP (normalB e) []
      | otherwise = match (litP (intPrimL (fromIntegral k))) (normalB e) []

-- | What makes a record's table of its fields: which names may stand beside them.
tableE :: Options -> [String] -> Q Exp
tableE options beside
  | rejectUnknownFields options = [|Record.closedTable $(listE (map stringE beside))|]
  | otherwise = [|Record.table|]

-- | A record from its options; what makes its table; its table, the number of its fields, its hot path
-- and how it is built from slots, all of which the third argument puts together; the method
-- that reads a field; each field's name, and how the hot path reads it from its
-- reader and goes on.
--
-- The readers, one for each type among the fields, are arguments of a lambda,
-- which ties them to the fields that they fill without writing their types.
slotted :: Options -> Q Exp -> (Q Exp -> Q Exp -> Q Exp -> Q Exp -> Q Exp) -> Name -> [(String, Q Exp -> Q Exp -> Q Exp)] -> ConstructorInfo -> Q Exp
slotted options tableOf use method fields constructor = do
  named <- mapM (\t -> (,) t <$> ((,) <$> newName "r" <*> newName "e")) (nub (constructorFields constructor))
  let (readers, entries) = unzip [pair | t <- constructorFields constructor, Just pair <- [lookup t named]]
      names = [|$tableOf $(listE [row field beside r e | ((field, _), beside, r, e) <- zip4 fields (besideOf options constructor) readers entries])|]
      run = foldr (\((_, step), r) rest -> step (varE r) rest) [|Record.endFields|] (zip fields readers)
      whole = use names [|$(litE (integerL (fromIntegral (length fields))))|] run (fromSlots readers)
      -- Those that a field without a value of its own for absence has.
      shared = [pair | (t, pair) <- named, t `elem` [t' | (t', Beside _ Nothing) <- zip (constructorFields constructor) (besideOf options constructor)]]
      withEntries = foldl appE (lamE [varP e | (_, e) <- shared] whole) [[|Record.entry $(varE r) absent|] | (r, _) <- shared]
  foldl appE (lamE [varP r | (_, (r, _)) <- named] withEntries) [varE method | _ <- named]
  where
    -- A field with a value of its own for absence has an entry of its own.
    row field (Beside others missing) r e =
      [|Record.Field $(stringE field) $(listE (map stringE others)) $(maybe (varE e) (\value -> [|Record.entry $(varE r) (Just $value)|]) missing)|]
    fromSlots readers = do
      slots <- newName "slots"
      s0 <- newName "s"
      lamE [varP slots, varP s0] (go slots s0 [] (zip [0 ..] readers))
    go slots s xs = \case
      [] -> unboxedTupE [varE s, foldl appE (conE (constructorName constructor)) (map varE (reverse xs))]
      (i, r) : rest -> do
        x <- newName "x"
        s' <- newName "s"
        caseE
          [|Record.getSlotOf $(varE r) $(varE slots) $(litE (intPrimL i)) $(varE s)|]
          [match (unboxedTupP [varP s', varP x]) (normalB (go slots s' (x : xs) rest)) []]
