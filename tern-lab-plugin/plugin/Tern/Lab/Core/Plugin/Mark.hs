{-# LANGUAGE LambdaCase #-}

-- | A number for every binding of a module, local ones too.
--
-- Its one idea: names are not identities, so they are made so. GHC calls many
-- functions of a module @go@, renames what other modules can see and gives local
-- functions new unique numbers after the last pass of Core; but it keeps what
-- stands in a name. Here each let-bound name gets a mark that no other has. In a
-- counting build the marked program is the one that is compiled, so that each
-- counter says whose it is (see "Tern.Lab.Core.Plugin.Count"); in any other only
-- the facts are made of it, and the compiled code stays the same.
--
-- What other modules can see by its name keeps it: a counter knows it by its
-- unique number.
--
-- Start at 'marking'.
module Tern.Lab.Core.Plugin.Mark
  ( Marked (..),
    marking,
    unmarking,
    keyOf,
    markedOcc,
  )
where

import Data.ByteString.Short qualified as S
import Data.List (mapAccumL)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Plugins hiding ((<>))
import Tern.Lab.Core.Facts (markOf, marked, unmarked)

data Marked = Marked
  { markedMark :: !Text,
    markedBinds :: !CoreProgram,
    -- | The numbers of all bindings at the top.
    markedTop :: !(VarEnv Int)
  }

-- | With the mark of the module.
marking :: Text -> CoreProgram -> Marked
marking mark binds = Marked mark (snd (mapAccumL (group' True) (length top) binds)) numbers
  where
    top = bindersOfBinds binds
    numbers = mkVarEnv (zip top [0 ..])
    -- What is at the top is numbered first, for who exports it has no mark.
    group' atTop n = \case
      NonRec b r -> let (k, b') = named atTop n b; (k', r') = go k r in (k', NonRec b' r')
      Rec pairs ->
        let (k, bs) = mapAccumL (named atTop) n (map fst pairs)
            (k', rs) = mapAccumL go k (map snd pairs)
         in (k', Rec (zip bs rs))
    named atTop n b
      | atTop = (n, maybe b (renamed b) (lookupVarEnv numbers b))
      | otherwise = (n + 1, renamed b n)
    renamed b i
      | isExternalName (idName b) = b
      | otherwise = setVarName b (tidyNameOcc (idName b) (markedOcc mark b i))
    go n e = case e of
      Var _ -> (n, e)
      Lit _ -> (n, e)
      Type _ -> (n, e)
      Coercion _ -> (n, e)
      App f a -> let (k, f') = go n f; (k', a') = go k a in (k', App f' a')
      Lam b r -> Lam b <$> go n r
      Cast r c -> (`Cast` c) <$> go n r
      Tick t r -> Tick t <$> go n r
      Let bs r -> let (k, bs') = group' False n bs; (k', r') = go k r in (k', Let bs' r')
      Case r b t alternatives ->
        let (k, r') = go n r
            (k', alternatives') =
              mapAccumL (\i (Alt c vs inner) -> Alt c vs <$> go i inner) k alternatives
         in (k', Case r' b t alternatives')

-- | Numbers for the bindings at the top alone: a tenth of the work, for who has
-- no counters.
unmarking :: Text -> CoreProgram -> Marked
unmarking mark binds = Marked mark binds (mkVarEnv (zip (bindersOfBinds binds) [0 ..]))

-- | The number of a local binding of a marked program.
keyOf :: Id -> Maybe Int
keyOf b
  | not (S.null spelt),
    S.last spelt == 0x60 =
      snd <$> markOf (T.pack (occNameString (getOccName b)))
  | otherwise = Nothing
  where
    spelt = fastStringToShortByteString (occNameFS (getOccName b))

-- | A mark of its own in place of one that it may have brought from elsewhere.
markedOcc :: Text -> Id -> Int -> OccName
markedOcc mark b i =
  mkOccName (occNameSpace occ) (T.unpack (marked mark (unmarked (T.pack (occNameString occ))) i))
  where
    occ = getOccName b
