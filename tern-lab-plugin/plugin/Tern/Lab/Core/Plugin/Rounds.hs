{-# LANGUAGE OverloadedStrings #-}

-- | What goes from one round of a loop to the next.
--
-- Its one idea: a loop is a recursive function, or some that call one another, or a function of
-- a library that calls what it is given again and again. Of each it is known which parameters
-- carry what earlier rounds have made.
--
-- Start at 'handedOn'.
module Tern.Lab.Core.Plugin.Rounds
  ( -- * Functions that are given to others
    rolesIn,
    plusRoles,

    -- * Recursive functions
    handedOn,
    handedBetween,
    unchanged,
    isAction,
    isOverloadedLoop,
    isOverloadedRecursive,

    -- * Calls
    callOf,
    isLibrary,
    isConstructor,
    constructors,
    typeName,
    isTree,
  )
where

import Data.List (nub)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (isJust)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Core.Multiplicity (scaledThing)
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Role,
    Unfolding (NoUnfolding),
    (<>),
  )
import Tern.Lab.Core.Plugin.Compat (isDictionaryType)
import Tern.Lab.Core.Plugin.Roles (Role (..), roleOf)
import Tern.Lab.Core.Plugin.Shape (bare, bindsWithin, occurrence, parametersOf, parametersWithin)

-- * Functions that call what they are given

-- | Those functions that are given by name.
rolesIn :: CoreExpr -> VarEnv Role
rolesIn e = case e of
  Var _ -> emptyVarEnv
  Lit _ -> emptyVarEnv
  Type _ -> emptyVarEnv
  Coercion _ -> emptyVarEnv
  Lam _ r -> rolesIn r
  Cast r _ -> rolesIn r
  Tick _ r -> rolesIn r
  Let bs r -> plusRoles (rolesIn r : map rolesIn (rhssOfBind bs))
  Case r _ _ alternatives -> plusRoles (rolesIn r : [rolesIn inner | Alt _ _ inner <- alternatives])
  App _ _ ->
    let (f, _, arguments) = callOf e
        here = case f of
          Var v
            | Just (Role often carried) <- roleOf v ->
                [ unitVarEnv g (Role often (map (+ length as) carried))
                  | a <-
                      arguments,
                    (g, as) <- composedOf a,
                    isFunTy (dropForAlls (idType g)) || often
                ]
          _ -> []
     in plusRoles (here <> (case f of Var _ -> []; _ -> [rolesIn f]) <> map rolesIn arguments)

-- | The functions that a given one consists of, each with what it is given already: itself, or
-- those that are composed.
composedOf :: CoreExpr -> [(Id, [CoreExpr])]
composedOf e = case callOf e of
  (Var f, _, parts)
    | isLibrary "." f -> concatMap composedOf parts
    | otherwise -> [(f, parts)]
  _ -> []

plusRoles :: [VarEnv Role] -> VarEnv Role
plusRoles =
  foldr (plusVarEnv_C (\(Role a p) (Role b q) -> Role (a || b) (nub (p <> q)))) emptyVarEnv

-- * Recursive functions

-- | By the type: is it done each time that it is mentioned?
isAction :: Type -> Bool
isAction t = case splitTyConApp_maybe (dropForAlls t) of
  Just (c, _ : _) ->
    let name =
          occNameString (getOccName c)
     in name `elem` ["IO", "ST", "STM"] || drop (length name - 1) name == "T"
  _ -> False

-- | The parameters of a recursive function of which its calls hand on something
-- made of them.
handedOn :: Id -> [Id] -> CoreExpr -> [Int]
handedOn self parameters body =
  Set.toList . Set.fromList $
    [ i
      | Handing v i origin True <- handings (unitVarSet self) body,
        v == self,
        p : _ <- [drop i parameters],
        elemVarSet p origin
    ]

-- | The same of functions that call one another: a round goes through several of them, and what
-- comes back to a parameter was made of it on the way.
handedBetween :: CoreProgram -> VarEnv Role
handedBetween binds =
  plusRoles [ofGroup pairs | Rec pairs@(_ : _ : _) <- bindsWithin binds]
  where
    ofGroup pairs =
      mkVarEnv
        [ (f, Role False carried)
          | (n, (f, e)) <- zip [0 ..] pairs,
            let carried =
                  [i | i <- take (length (fst (parametersWithin e))) [0 ..], comesBack way (n, i)],
            not (null carried)
        ]
      where
        way = waysIn pairs
    -- From a parameter of one to those of others that are given something made of it.
    waysIn :: [(Id, CoreExpr)] -> Map (Int, Int) [((Int, Int), Bool)]
    waysIn pairs =
      Map.fromListWith
        (<>)
        [ ((n, j), [((m, i), made)])
          | (n, (_, e)) <- zip [0 ..] pairs,
            let (parameters, body) = parametersWithin e,
            Handing f i origin made <- handings (mkVarSet (map fst pairs)) body,
            m : _ <- [[k | (k, (g, _)) <- zip [0 ..] pairs, g == f]],
            (j, p) <- zip [0 ..] parameters,
            elemVarSet p origin
        ]
    -- By a way that leaves the function, and makes something.
    comesBack way start@(n, _) =
      Set.member (start, True, True) (reached [(start, False, False)] Set.empty)
      where
        reached [] done = done
        reached (at : next) done
          | Set.member at done = reached next done
          | otherwise = reached (steps at <> next) (Set.insert at done)
        steps (node, made, away) =
          [ (to, made || more, away || m /= n)
            | (to@(m, _), more) <- Map.findWithDefault [] node way
          ]

-- | What a call of a function hands to a parameter: the variables that it is made of, and whether
-- it is made, or a variable as it came.
data Handing = Handing !Id !Int !VarSet !Bool

-- | The calls of these functions.
handings :: VarSet -> CoreExpr -> [Handing]
handings called = go emptyVarEnv
  where
    go known e = case e of
      Var _ -> []
      Lit _ -> []
      Type _ -> []
      Coercion _ -> []
      Lam _ r -> go known r
      Cast r _ -> go known r
      Tick _ r -> go known r
      Let bs r ->
        concatMap (go known) (rhssOfBind bs)
          <> go
            ( extendVarEnvList
                known
                [ (b, (True, origin known x))
                  | (b, x) <-
                      flattenBinds [bs]
                ]
            )
            r
      Case r b _ alternatives ->
        let from = origin known r
            made = case bare r of Var _ -> False; _ -> True
         in go known r
              <> concat
                [ go
                    ( extendVarEnvList
                        known
                        ((b, (made, from)) : [(v, (made, from)) | v <- vs])
                    )
                    inner
                  | Alt _ vs inner <-
                      alternatives
                ]
      App _ _ -> case callOf e of
        (f, _, arguments) ->
          [ Handing v i (origin known a) (isMade known a)
            | Var v <- [f],
              elemVarSet v called,
              (i, a) <- zip [0 ..] arguments
          ]
            <> concatMap (go known) (f : arguments)
    origin known r =
      unionVarSets
        [ maybe (unitVarSet v) snd (lookupVarEnv known v)
          | v <-
              nonDetEltsUniqSet (exprFreeIds r)
        ]
    isMade known a = case bare a of
      Var v -> maybe False fst (lookupVarEnv known v)
      _ -> True

-- | The parameters of a recursive function that all its calls hand on as they
-- are.
unchanged :: Id -> [Id] -> CoreExpr -> [Int]
unchanged self parameters body =
  [i | not (null calls), (i, p) <- zip [0 ..] parameters, all (handsOn i p) calls]
  where
    calls = callsIn body
    handsOn i p arguments = case drop i arguments of
      a : _ | Var v <- bare a -> v == p
      _ -> False
    callsIn e = case e of
      Var v -> [[] | v == self]
      Lit _ -> []
      Type _ -> []
      Coercion _ -> []
      Lam _ r -> callsIn r
      Cast r _ -> callsIn r
      Tick _ r -> callsIn r
      Let bs r -> concatMap callsIn (r : rhssOfBind bs)
      Case r _ _ alternatives -> callsIn r <> concat [callsIn inner | Alt _ _ inner <- alternatives]
      App _ _ -> case callOf e of
        (Var f, _, arguments) | f == self -> arguments : concatMap callsIn arguments
        (f, _, arguments) -> concatMap callsIn (f : arguments)

-- | A function of dictionaries that has a recursive function of its own name.
isOverloadedLoop :: Id -> CoreExpr -> Bool
isOverloadedLoop f r = case parametersOf r of
  (d : _, body)
    | isDictionaryType (idType d) ->
        any (\b -> occurrence b == occurrence f) (recursiveIn body)
  _ -> False
  where
    recursiveIn e = case bare e of
      Let (Rec pairs) body -> map fst pairs <> recursiveIn body
      Let (NonRec _ _) body -> recursiveIn body
      _ -> []

-- | A function at the top that takes dictionaries and loops, itself or in what it calls.
isOverloadedRecursive :: VarEnv CoreExpr -> Id -> Bool
isOverloadedRecursive top f = go (3 :: Int) f
  where
    go fuel g = case lookupVarEnv top g of
      Just r
        | fst (splitDictionaries r) ->
            loops (snd (splitDictionaries r))
              || elemVarSet g (exprFreeIds r)
              || ( fuel > 0
                     && any (go (fuel - 1)) (filter (/= g) (nonDetEltsUniqSet (exprFreeIds r)))
                 )
      _ -> False
    splitDictionaries r = case parametersOf r of
      (d : _, body) -> (isDictionaryType (idType d), body)
      ([], body) -> (False, body)
    loops e = case e of
      Let (Rec _) _ -> True
      Let (NonRec _ r) body -> loops r || loops body
      Lam _ r -> loops r
      Cast r _ -> loops r
      Tick _ r -> loops r
      Case r _ _ alternatives -> loops r || or [loops inner | Alt _ _ inner <- alternatives]
      App g a -> loops g || loops a
      Var _ -> False
      Lit _ -> False
      Type _ -> False
      Coercion _ -> False

-- * Calls

-- | The function, its types and its arguments without dictionaries; @f $ x@ is
-- @f x@, and a constructor that is written as a lambda, as GHC does where it is given to a
-- function, is that constructor.
callOf :: CoreExpr -> (CoreExpr, [Type], [CoreExpr])
callOf = go [] []
  where
    go types arguments e = case e of
      App f (Type t) -> go (t : types) arguments f
      App f (Coercion _) -> go types arguments f
      App f a
        | isDictionaryType (exprType a) -> go types arguments f
        | otherwise -> go types (a : arguments) f
      Cast inner _ -> go types arguments inner
      Tick _ inner -> go types arguments inner
      Var v | isLibrary "$" v, f : rest <- arguments -> go [] rest f
      Lam _ _ | _ : _ <- arguments, Just (c, own) <- constructorOf e -> (Var c, own, arguments)
      _ -> (e, types, arguments)
    constructorOf e = case (parametersOf e, callOf (snd (parametersOf e))) of
      ((vs, _), (Var c, types, given))
        | isConstructor c, [v | a <- given, Var v <- [bare a]] == vs -> Just (c, types)
      _ -> Nothing

isLibrary :: Text -> Id -> Bool
isLibrary name v = isGlobalId v && occurrence v == name && isJust (nameModule_maybe (idName v))

isConstructor :: Id -> Bool
isConstructor c = isJust (isDataConWorkId_maybe c) || isJust (isDataConWrapId_maybe c)

-- | The outermost constructor of a type; empty for a variable or a function of types.
typeName :: Type -> Text
typeName = T.concat . take 1 . constructors

-- | All constructors of a type, the outermost first.
constructors :: Type -> [Text]
constructors t = case splitTyConApp_maybe t of
  Just (c, ts) -> qualified (tyConName c) : concatMap constructors ts
  Nothing -> []
  where
    qualified n =
      T.concat
        [ maybe
            ""
            ((<> ".") . T.pack . moduleNameString . moduleName)
            (nameModule_maybe n),
          T.pack (occNameString (getOccName n))
        ]

-- | A type of the program that has itself among its parts: who takes it apart goes down in it, and
-- its parts were there before.
isTree :: Type -> Bool
isTree t = case splitTyConApp_maybe t of
  Just (c, _) ->
    c /= listTyCon
      && isAlgTyCon c
      && or
        [ elementOfUniqSet c (tyConsOfType field)
          | con <- tyConDataCons c,
            field <- map scaledThing (dataConOrigArgTys con)
        ]
  Nothing -> False
