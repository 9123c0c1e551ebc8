{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE OverloadedStrings #-}

-- | A binding's Core as a tree for reading.
--
-- Its one idea: a name is shown as the source has it. Where GHC has made
-- several of one name, those that meet in a scope are told apart by a number,
-- in the order in which they are bound, so that two compilations of the same
-- code read the same. A dictionary is shown by its constraint.
--
-- Start at 'codeOf'.
module Tern.Lab.Core.Plugin.Read
  ( codeOf,
  )
where

import Data.Maybe (fromMaybe, isJust)
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Unfolding (NoUnfolding),
    (<>),
  )
import GHC.Types.Demand (isStrUsedDmd)
import Tern.Lab.Core.Code
  ( Alternative (..),
    Binder (..),
    Code (Apply, Lambda, Literal, Name, TypeArgument),
    Equation (..),
    Group (..),
    Subject (..),
  )
import Tern.Lab.Core.Code qualified as Code
import Tern.Lab.Core.Facts (Bound (ByLambda), HeapObject (Thunk))
import Tern.Lab.Core.Plugin.Compat (isDictionaryType)
import Tern.Lab.Core.Plugin.Shape (calleeOf, occurrence, oneLine, plain)
import Tern.Lab.Core.Plugin.Walk (Scope (..), boundBy, objectOf)

-- | What local variables are called here, and the names that are taken.
data Names = Names
  { namesScope :: !Scope,
    namesKnown :: !(VarEnv Text),
    namesTaken :: !(Set Text)
  }

codeOf :: Scope -> CoreExpr -> Code
codeOf scope = code (Names scope emptyVarEnv Set.empty)

code :: Names -> CoreExpr -> Code
code names e = case e of
  Var v -> Name (shown names v) (subject names v)
  Lit l -> Literal (T.pack (plain (ppr l)))
  App {} -> case collected e of
    (f, arguments) -> case map (argument names) (filter (not . isCoercionArgument) arguments) of
      [] -> code names f
      given -> Apply (code names f) given
  Lam _ _ ->
    let (vs, body) = collectBinders e
        (inner, binders) = bind names (filter isId vs)
     in if null binders then code inner body else Lambda binders (code inner body)
  Let (NonRec b r) body ->
    let (inner, binders) = bind names [b]
     in Code.Let
          (if isJoinId b then Jump else Plain)
          (zipWith (equation names (made b)) binders [r])
          (code inner body)
  Let (Rec pairs) body ->
    let (inner, binders) = bind names (map fst pairs)
     in Code.Let
          (if any (isJoinId . fst) pairs then JumpLoop else Cyclic)
          [ equation inner (made b) binder r
            | (binder, (b, r)) <-
                zip binders pairs
          ]
          (code inner body)
  Case scrutinee b _ alternatives ->
    let (inner, binders) = bind names [b]
     in case binders of
          binder : _ ->
            Code.Case (code names scrutinee) binder (map (alternative inner) alternatives)
          [] -> code names scrutinee
  Cast inner _ -> code names inner
  Tick _ inner -> code names inner
  Type t -> TypeArgument (typeText t)
  Coercion _ -> Literal "coercion"
  where
    -- What is needed at once is not made.
    made b r
      | isJoinId b || exprIsTrivial r || isUnliftedType (idType b) = Nothing
      | isStrUsedDmd (idDemandInfo b), object r == Just Thunk = Nothing
      | otherwise = object r
    object = objectOf (namesScope names)

equation :: Names -> (CoreExpr -> Maybe HeapObject) -> Binder -> CoreExpr -> Equation
equation names made binder r = Equation binder (made r) (code names r)

alternative :: Names -> CoreAlt -> Alternative
alternative names (Alt con vs r) = Alternative pattern' binders (code inner r)
  where
    (inner, binders) = bind names (filter isId vs)
    pattern' = case con of
      DataAlt c -> T.pack (occNameString (getOccName c))
      LitAlt l -> T.pack (plain (ppr l))
      DEFAULT -> "_"

argument :: Names -> CoreExpr -> Code
argument names = \case
  Type t -> TypeArgument (typeText t)
  a -> code names a

isCoercionArgument :: CoreExpr -> Bool
isCoercionArgument = \case
  Coercion _ -> True
  _ -> False

-- | The head and all arguments, through casts and ticks.
collected :: CoreExpr -> (CoreExpr, [CoreExpr])
collected = go []
  where
    go arguments = \case
      App f a -> go (a : arguments) f
      Cast inner _ -> go arguments inner
      Tick _ inner -> go arguments inner
      f -> (f, arguments)

typeText :: Type -> Text
typeText = T.pack . oneLine . plain . ppr

-- | New variables with names that nothing in scope has.
bind :: Names -> [Id] -> (Names, [Binder])
bind names vs = (outer {namesScope = boundBy ByLambda vs (namesScope names)}, reverse binders)
  where
    (outer, binders) = foldl one (names, []) vs
    one (known, done) v =
      let name = free (namesTaken known) (base v)
       in ( known
              { namesKnown =
                  extendVarEnv (namesKnown known) v name,
                namesTaken = Set.insert name (namesTaken known)
              },
            Binder (if isDeadBinder v then "_" else name) (typeText (idType v)) : done
          )
    free taken name = case filter
      (`Set.notMember` taken)
      ( name
          : [T.concat [name, "_", T.pack (show n)] | n <- [2 :: Int ..]]
      ) of
      first : _ -> first
      [] -> name
    base v
      | isDictionaryType (idType v) = T.concat ["{", typeText (idType v), "}"]
      | otherwise = occurrence v

shown :: Names -> Id -> Text
shown names v
  | Just name <- lookupVarEnv (namesKnown names) v = name
  | Just name <- lookupVarEnv (scopeTwins (namesScope names)) v = name
  | isDictionaryType (idType v) && isGlobalId v = T.concat ["{", typeText (idType v), "}"]
  | isJust (isFCallId_maybe v) = foreignName (plain (ppr v))
  | otherwise = occurrence v
  where
    -- Between the package and the type: @{__ffi_… unit:name :: type}@.
    foreignName written = case concatMap
      (take 1 . words . drop 1 . dropWhile (/= ':'))
      ( take
          1
          [ unwords (drop 1 ws)
            | ws <-
                [words written],
              length ws > 1
          ]
      ) of
      name : _ -> T.pack name
      [] -> T.pack (oneLine written)

subject :: Names -> Id -> Subject
subject names v
  | elemVarEnv v (namesKnown names) = OfBinding (occurrence v)
  | isJust (isDataConWorkId_maybe v) || isJust (isDataConWrapId_maybe v) = OfType
  | isJust (isClassOpId_maybe v) = OfClass (occurrence v)
  | isJust (isPrimOpId_maybe v) || isJust (isFCallId_maybe v) = OfMachine
  | otherwise =
      OfModule
        ( calleeOf
            (scopeOwn (namesScope names))
            ( fromMaybe
                v
                (lookupVarEnv (scopeTop (namesScope names)) v)
            )
        )
