{-# LANGUAGE OverloadedStrings #-}

-- | Validation of constant expressions: the few instructions that they may have,
-- checked like those of a body.
module Tern.Wasm.Valid.Constant
  ( constant,
  )
where

import Control.Monad (when)
import Data.IntMap.Strict qualified as IntMap
import Data.Maybe (isJust)
import Data.Text (Text)
import Data.Vector ((!))
import Tern.Wasm.Aggregate (Row (..), aggregate)
import Tern.Wasm.Error (Invalid, InvalidPlace (..), InvalidReason (..))
import Tern.Wasm.Opcode (VectorOp (..), constantly)
import Tern.Wasm.Syntax
import Tern.Wasm.Valid.Body (step, walk)
import Tern.Wasm.Valid.Spaces (Rules (..), Spaces (..))
import Tern.Wasm.Valid.State (Context (..), look, push, start)

-- | Check a constant expression of the type @t@, which may read the first @globals@
-- globals.
constant :: Spaces -> Int -> Text -> Index -> ValType -> Expr -> Either Invalid ()
constant sp globals part x t e = walk check (const (InPart part x)) e (start [t])
  where
    context = Context sp IntMap.empty 0 [t]
    third = spaceRules sp >= Rules3
    check i s = case i of
      I32Const _ -> step context i s
      I64Const _ -> step context i s
      F32Const _ -> step context i s
      F64Const _ -> step context i s
      VectorBytes V128Const _ _ -> step context i s
      RefNull _ -> step context i s
      -- Outside of bodies every function that is named is thereby declared.
      RefFunc f -> do
        _ <- look "function" f (spaceFuncs sp)
        Right (push (Ref (RefType False (Defined (spaceFuncTypes sp ! f)))) s)
      GlobalGet g -> do
        when (g >= globals) (Left (Unknown "global" g))
        GlobalType m _ <- look "global" g (spaceGlobals sp)
        when (m /= Const) (Left NotConstant)
        step context i s
      Plain op | third, isJust (constantly op) -> step context i s
      Aggregate g _ _ | third, rowConstant (aggregate g) -> step context i s
      End -> step context i s
      _ -> Left NotConstant
