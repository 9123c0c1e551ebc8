{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What an expression makes on the heap.
--
-- Its one idea: what is not evaluated at once, and is no value, waits in an object.
--
-- Start at 'objectOf'.
module Tern.Lab.Core.Plugin.Object
  ( objectOf,
    allocates,
    wordsOf,
    cells,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Unfolding (NoUnfolding),
    (<>),
  )
import Tern.Lab.Core.Facts
  ( HeapObject (..),
    Sight (..),
  )
import Tern.Lab.Core.Plugin.Rounds (typeName)
import Tern.Lab.Core.Plugin.Seen
  ( Loop (..),
    Scope (..),
    Seen,
    see,
  )
import Tern.Lab.Core.Plugin.Shape
  ( application,
    bare,
    endsInError,
    isBoxedNumber,
    isFunction,
  )

allocates :: Scope -> CoreExpr -> Seen
allocates scope r = case objectOf scope r of
  -- A part of the result that is made as it is asked for.
  Just Thunk
    | (Var f, _ : _) <- application (bare r),
      any ((== f) . loopName) (scopeLoops scope) ->
        id
  Just Thunk -> see scope (Allocated Thunk (typeName (exprType r)))
  Just object -> see scope (Allocated object T.empty)
  Nothing -> id

objectOf :: Scope -> CoreExpr -> Maybe HeapObject
objectOf scope r
  | isFunction r = if null (freeLocals scope r) then Nothing else Just Closure
  | (Var f, arguments) <- application (bare r),
    Just constructor <- isDataConWorkId_maybe f =
      let name = T.pack (occNameString (getOccName constructor))
       in if null arguments || all isStatic arguments
            then Nothing
            else Just (if isBoxedNumber name then BoxedNumber name else Constructor name)
  | endsInError r = Nothing
  | (Var f, arguments) <- application (bare r),
    not (null arguments),
    length arguments < idArity f =
      Just Partial
  | exprIsHNF r = Nothing
  | otherwise = Just Thunk
  where
    isStatic a = case bare a of
      Lit _ -> True
      Var v -> not (inScope v)
      _ -> False
    inScope v = elemVarEnv v (scopeLocals scope)

-- | How many words the object takes, its header among them.
wordsOf :: Scope -> CoreExpr -> Int
wordsOf scope r = case objectOf scope r of
  Nothing -> 0
  -- One word is kept free for its value.
  Just Thunk -> 2 + length (freeLocals scope r)
  Just Closure -> 1 + length (freeLocals scope r)
  Just Partial -> 2 + given
  Just (BoxedNumber _) -> 1 + given
  Just (Constructor _) -> 1 + given
  where
    given = length (snd (application (bare r)))

-- | A function without free local variables is made once, at compile time.
freeLocals :: Scope -> CoreExpr -> [Id]
freeLocals scope r = [v | v <- nonDetEltsUniqSet (exprFreeIds r), elemVarEnv v (scopeLocals scope)]

-- | The primitive operations that store in a cell, and what it is called.
cells :: [(Text, Text)]
cells = [("writeMutVar#", "IORef"), ("writeTVar#", "TVar"), ("putMVar#", "MVar")]
