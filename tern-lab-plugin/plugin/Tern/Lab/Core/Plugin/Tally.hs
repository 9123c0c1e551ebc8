{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TupleSections #-}

-- | Functions that do nothing but be entered, so that GHC counts them.
--
-- Its one idea: the name of such a function says what it counts, and in which part of the program.
--
-- Start at 'tallyOf'.
module Tern.Lab.Core.Plugin.Tally
  ( Around (..),
    Counts (..),
    Counted (..),
    Counting (..),
    variable,
    tallyOf,
    entered,
    operation,
    number,
  )
where

import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Builtin.PrimOps (PrimOp (..))
import GHC.Builtin.PrimOps.Ids (primOpId)
import GHC.Builtin.Types.Prim (intPrimTy)
import GHC.Plugins hiding ((<>))
import Tern.Lab.Core.Facts (callName, enteredName, marked)

data Around = Around
  { aroundModule :: !Module,
    aroundMark :: !Text,
    -- | The number of the function that it stands in.
    aroundPart :: !Int,
    -- | In a recursive function: its last call may be one of its rounds.
    aroundRecursive :: !Bool,
    -- | What was bound around to what is not evaluated.
    aroundWaiting :: !VarSet
  }

-- | The call after one entry of the function that counts it. What is called last still is.
entered :: Around -> Text -> CoreExpr -> Counting CoreExpr
entered around name e = do
  tally <- tallyOf EachCall around name
  ignored <- variable "z" intPrimTy
  pure (Case (App (Var tally) (number 1)) ignored (exprType e) [Alt DEFAULT [] e])

operation :: PrimOp -> [CoreExpr] -> CoreExpr
operation = mkApps . Var . primOpId

number :: Integer -> CoreExpr
number = Lit . mkLitIntUnchecked

-- | What is handed on: numbers that nobody has, and the functions that count, by what they
-- count, the part of the program and what it calls.
data Counts = Counts
  { countsUniques :: !UniqSupply,
    countsTallies :: !(Map (Counted, Int, Text) (Id, CoreExpr))
  }

data Counted = EachKibibyte | EachCall
  deriving stock (Eq, Ord)

newtype Counting a = Counting {run :: Counts -> (a, Counts)}

instance Functor Counting where
  fmap f (Counting g) = Counting (\c -> let (a, c') = g c in (f a, c'))

instance Applicative Counting where
  pure a = Counting (a,)
  Counting f <*> Counting g = Counting (\c -> let (h, c') = f c; (a, c'') = g c' in (h a, c''))

instance Monad Counting where
  Counting g >>= f = Counting (\c -> let (a, c') = g c in run (f a) c')

fresh :: Counting Unique
fresh = Counting $ \c ->
  let (u, rest) = takeUniqFromSupply (countsUniques c) in (u, c {countsUniques = rest})

variable :: String -> Type -> Counting Id
variable name t = (\u -> mkSysLocal (fsLit name) u manyDataConTy t) <$> fresh

-- | It is entered @n@ times when it is called with @n@.
tallyOf :: Counted -> Around -> Text -> Counting Id
tallyOf counted around name = Counting $ \c -> case Map.lookup key (countsTallies c) of
  Just (f, _) -> (f, c)
  Nothing ->
    let (pair, c') = run made c
     in (fst pair, c' {countsTallies = Map.insert key pair (countsTallies c')})
  where
    key = (counted, aroundPart around, name)
    prefix = case counted of
      EachKibibyte -> callName
      EachCall -> enteredName
    made = do
      u <- fresh
      n <- variable "n" intPrimTy
      less <- variable "n" intPrimTy
      let f =
            mkLocalId
              ( mkInternalName
                  u
                  ( mkVarOcc
                      ( T.unpack
                          (marked (aroundMark around) (prefix <> name) (aroundPart around))
                      )
                  )
                  noSrcSpan
              )
              manyDataConTy
              (exprType (Lam n (Var n)))
              `setIdArity` 1
          body =
            Case
              (operation IntSubOp [Var n, number 1])
              less
              intPrimTy
              [ Alt DEFAULT [] (App (Var f) (Var less)),
                Alt (LitAlt (mkLitIntUnchecked 0)) [] (Var n)
              ]
      pure (f, Lam n body)
