{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What a call is given, as the rounds of the loops around it know it.
--
-- Its one idea: a local variable is what earlier rounds have made, or a
-- computation that waits for it, or comes from outside the loop; and a function
-- is what it makes of what it is given.
--
-- Start at 'classified'.
module Tern.Lab.Core.Plugin.Given
  ( -- * What is known where a call stands
    Scope (..),
    Known (..),
    Sort (..),
    bound,
    letBound,
    partsOf,
    deeper,

    -- * What it is given
    classified,
    classifiedFor,
    functionSort,
    madeOfCarried,
    handsWaiting,
  )
where

import Control.Applicative ((<|>))
import Data.List (isInfixOf, isPrefixOf)
import Data.Map.Strict (Map)
import Data.Maybe (listToMaybe, mapMaybe)
import Data.Text (Text)
import GHC.Core.Class (classAllSelIds)
import GHC.Core.Multiplicity (Scaled (..), scaledThing)
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Role,
    Unfolding (NoUnfolding),
    (<>),
  )
import Tern.Lab.Core.Facts (Argument (..), Global (..), Place)
import Tern.Lab.Core.Plugin.Compat (isDictionaryType)
import Tern.Lab.Core.Plugin.Enclosed (insideOf)
import Tern.Lab.Core.Plugin.Lengthened (Fields)
import Tern.Lab.Core.Plugin.Parted (Parts, partOf, partsIn)
import Tern.Lab.Core.Plugin.Roles (Role)
import Tern.Lab.Core.Plugin.Rounds (callOf, constructors, isConstructor, isLibrary)
import Tern.Lab.Core.Plugin.Shape
  ( Own,
    bare,
    endsInError,
    globalOf,
    isFunction,
    isFunctional,
    occurrence,
    parametersOf,
    placeOf,
  )
import Tern.Lab.Core.Plugin.Value
  ( calledAlone,
    isConstant,
    isLiteralMaker,
    isMadeNow,
    isPipeline,
    isRange,
    takenApart,
  )

-- * What is known where a call stands

data Scope = Scope
  { scopeOwn :: !Own,
    scopeModule :: !Module,
    -- | What is given by name to functions that call it.
    scopeGiven :: !(VarEnv Role),
    scopeTop :: !(VarEnv CoreExpr),
    -- | The functions there that call a parameter in each of their rounds: which.
    scopeAgain :: !(VarEnv [Int]),
    scopeBinding :: !Text,
    scopeIn :: !(Maybe Text),
    scopePlace :: !(Maybe Place),
    -- | Of the innermost variable around that the source has.
    scopeNear :: !(Maybe Place),
    -- | The functions at the top by where they stand, and whether nothing is left of each.
    scopeMelted :: !(Map Place (Text, Bool)),
    scopeLoops :: !Int,
    scopeKnown :: !(VarEnv Known),
    scopeUnder :: ![Global],
    -- | In a value that is defined by itself?
    scopeTied :: !Bool,
    -- | Which field of a function's result its caller hands on, where that is one alone.
    scopeField :: !(Maybe Int),
    -- | Is a function's result a Maybe whose value its caller evaluates?
    scopeValue :: !Bool,
    -- | The recursive functions around: their parameters and bodies.
    scopeRounds :: !(VarEnv ([Id], CoreExpr)),
    -- | The newtype of a text that the function at the top gives, if it is one.
    scopeText :: !(Maybe TyCon),
    -- | The variables that are texts of it without it.
    scopeInside :: !VarSet,
    scopeParts :: !Parts,
    -- | The record that matters in a function's result, wherever in that it stands.
    scopeRecord :: !(Maybe TyCon),
    scopeFields :: !Fields
  }

-- | A local variable: how many loops are around its binding, and what it is.
data Known = Known !Int !Sort

data Sort
  = -- | What earlier rounds have made, or a field of it.
    Carried
  | -- | Unevaluated, and made of that.
    Pending
  | -- | Let-bound.
    Bound' CoreExpr
  | Other

bound :: Sort -> [Var] -> Scope -> Scope
bound sort vs scope =
  scope
    { scopeKnown =
        extendVarEnvList (scopeKnown scope) [(v, Known (scopeLoops scope) sort) | v <- vs, isId v],
      scopeNear =
        listToMaybe (mapMaybe (placeOf . idName) (reverse (filter isId vs))) <|> scopeNear scope
    }

letBound :: Id -> CoreExpr -> Scope -> Scope
letBound b r around
  | isFunction r = bound (Bound' r) [b] scope
  | isMadeNow r = bound (if madeOfCarried scope r then Carried else Other) [b] scope
  | madeOfCarried scope r = bound Pending [b] scope
  | otherwise = bound (Bound' r) [b] scope
  where
    scope
      | Just own <- scopeText outer,
        insideOf own (scopeInside outer) r =
          outer {scopeInside = extendVarSet (scopeInside outer) b}
      | otherwise = outer
    outer = partsOf r b [] around

-- | Given the variable of what is taken apart, and those of its pattern: of which list they are
-- parts.
partsOf :: CoreExpr -> Id -> [Var] -> Scope -> Scope
partsOf r b vs scope = case partOf (scopeParts scope) r of
  Just part ->
    scope
      { scopeParts =
          extendVarEnvList (scopeParts scope) ((b, part) : partsIn part (exprType r) vs)
      }
  Nothing -> scope

deeper :: Scope -> Scope
deeper scope = scope {scopeLoops = scopeLoops scope + 1}

-- * What it is given

classified :: Scope -> CoreExpr -> Argument
classified = classifiedFor (const True)

-- | Given which parameters of a function carry what was made before.
classifiedFor :: (Int -> Bool) -> Scope -> CoreExpr -> Argument
classifiedFor carries scope a = case callOf (bare a) of
  (Let (NonRec b r) inner, _, [])
    | isFunTy (exprType inner) ->
        classifiedFor carries (letBound b r scope) inner
  (Lit _, _, _) -> Literally
  (Lam _ _, _, _) -> functionSort carries scope a
  -- A method of an instance of this module, by its name.
  (Var f, _, [])
    | Just _ <- isClassOpId_maybe f, Just r <- ownCallee scope a -> functionSort carries scope r
  (Var v, types, [])
    | Just (Known depth sort) <- lookupVarEnv (scopeKnown scope) v -> case sort of
        Carried -> Accumulated
        Pending -> FromAccumulated
        Bound' r
          | isFunction r -> functionSort carries scope r
          | isConstant r -> Literally
          -- One from outside of a loop is no range of that: GHC would take it out of it again.
          | isRange r, depth >= scopeLoops scope -> NamedRange
          | isPipeline r -> NamedPipeline
        _ | depth < scopeLoops scope -> Invariant
        _ -> OfRound
    | Just r <- lookupVarEnv (scopeTop scope) v, isFunction r -> functionSort carries scope r
    | Just r <- lookupVarEnv (scopeTop scope) v, isConstant r -> Literally
    | isLocalId v -> Invariant
    | Just m <- nameModule_maybe (idName v) ->
        if moduleUnit m == moduleUnit (scopeModule scope)
          then Invariant
          else
            if isConstructor v
              then Compound
              else Given (globalOf (scopeOwn scope) m (idName v)) (map constructors types)
    | otherwise -> Compound
  -- A function of this module with some of its arguments.
  (Var _, _, already@(_ : _))
    | isFunTy (exprType a),
      Just r <- ownCallee scope a,
      n <- length already ->
        functionSort (\i -> i >= n && carries (i - n)) scope r
  -- A record with other fields, which is taken apart first.
  (Case r b _ alternatives, _, [])
    | madeOfCarried scope a,
      inner@(_ : _) <-
        [ classifiedFor carries (bound Carried (b : vs) scope) e
          | madeOfCarried scope r,
            Alt _ vs e <- alternatives,
            not (endsInError e)
        ],
      all (== Builds) inner ->
        Builds
  -- A field is where its record is from.
  (Var f, _, [x])
    | isRecordSelector f,
      sort <- classified scope x,
      sort `elem` [Invariant, OfRound, Accumulated] ->
        sort
  (Var c, instantiated, arguments)
    | occurrence c == "build", isConstant a -> Literally
    | isConstructor c || isLiteralMaker c,
      all (\x -> classified scope x == Literally) arguments ->
        Literally
    | isConstructor c, madeOfCarried scope a, buildsLazily scope a -> Builds
    | isConstructor c, length arguments < idArity c -> Conses
    -- A list that is longer by an element is still what the rounds have made.
    | isCell a, madeOfCarried scope a, classified scope (endOf a) == Accumulated -> Accumulated
    -- It is there, whatever waits in it.
    | isConstructor c -> Compound
    | isLibrary "flip" c,
      [x] <- arguments,
      Given g types <- classified scope x ->
        Given g {globalName = "flip " <> globalName g} types
    | isLibrary "." c,
      outer : _ <- arguments,
      Just p <- calledAlone outer,
      occurrence p `elem` ["pure", "return", "Just"] ->
        inValue (drop 1 arguments)
    -- It gives a Just without a look at what is in it.
    | mapsMaybe c instantiated, length arguments == 1 -> inValue arguments
    | isLibrary "pure" c || isLibrary "return" c,
      [x] <- arguments ->
        if classified scope x == FromAccumulated
          then Builds
          else Compound
  _
    | isFunTy (exprType a) -> Compound
    | madeOfCarried scope a -> FromAccumulated
    | otherwise -> Compound
  where
    isCell e = case callOf (bare e) of
      (Var c, _, [_, _]) -> occurrence c == ":" && isConstructor c
      _ -> False
    -- Of a long list each rest is classified once, and not for each cell before it again.
    endOf e = case callOf (bare e) of
      (_, _, [_, rest])
        | isCell e, madeOfCarried scope rest, buildsLazily scope rest -> rest
        | isCell e -> endOf rest
      _ -> e
    -- Given what makes the value in a Just.
    inValue made
      | scopeValue scope = case made of
          f : _ -> classifiedFor carries scope {scopeValue = False} f
          [] -> Compound
      | otherwise = Builds

-- | What a function makes of what it is given, which counts as carried.
functionSort :: (Int -> Bool) -> Scope -> CoreExpr -> Argument
functionSort = functionSortWithin 4

-- | The same, through at most @fuel@ calls of the module's own functions.
functionSortWithin :: Int -> (Int -> Bool) -> Scope -> CoreExpr -> Argument
functionSortWithin fuel carries scope f =
  ends
    ( foldr
        ( \(i, v) ->
            bound (if carries i then Carried else Other) [v]
        )
        scope
        (zip [0 ..] vs)
    )
    body
  where
    (vs, body) = parametersOf f
    ends s e = case e of
      Let (NonRec b r) inner -> ends (letBound b r s) inner
      Let (Rec pairs) inner -> ends (bound Other (map fst pairs) s) inner
      Tick _ inner -> ends s inner
      Cast inner _ -> ends s inner
      Case r b _ alternatives ->
        let forced = case bare r of
              Var v -> (v :)
              _ -> id
            matched vars = if madeOfCarried s r then bound Carried vars s else bound Other vars s
            sorts =
              [ ends (evaluatedIn vs (forced [b]) (matched (b : vars))) inner
                | Alt _ vars inner <-
                    alternatives,
                  not (endsInError inner)
              ]
         in strongest sorts
      _ -> case callOf e of
        (Var c, _, [x]) | scopeValue s, occurrence c == "Just" -> ends s {scopeValue = False} x
        (Var c, _, arguments)
          | Just record <- scopeRecord s,
            isConstructor c || isReturn c ->
              if tyConAppTyCon_maybe (exprType e) == Just record
                then ends s {scopeRecord = Nothing} e
                else
                  strongest
                    [ ends s x
                      | x <- arguments,
                        elementOfUniqSet record (tyConsOfType (exprType x))
                    ]
        (Var c, _, arguments)
          | isConstructor c || isReturn c ->
              if any isBuilt (handed (zip [0 ..] arguments))
                || not (null (handed [(i, i) | i <- waitingFields s e]))
                then Builds
                else Conses
          where
            handed fields = [x | (i, x) <- fields, maybe True (== i) (scopeField s)]
            isBuilt x = case bare x of
              inner
                | (Var d, _, _ : _) <- callOf inner,
                  isConstructor d ->
                    ends s {scopeField = Nothing} inner == Builds
              _ -> False
        (Var c, _, [_]) | isSingle c -> Singles
        (Var c, types, [f', x])
          | mapsMaybe c types,
            madeOfCarried s x ->
              if scopeValue s then classified s {scopeValue = False} f' else Builds
        (_, _, arguments)
          | fuel > 0,
            Just r <- ownCallee s e ->
              functionSortWithin
                (fuel - 1)
                (\i -> or [madeOfCarried s a | a <- take 1 (drop i arguments)])
                s
                r
        _ -> Compound
    strongest sorts
      | Builds `elem` sorts = Builds
      | Conses `elem` sorts = Conses
      | Singles `elem` sorts = Singles
      | otherwise = Compound
    isReturn c = isLibrary "pure" c || isLibrary "return" c

-- | Given a function's parameters, and what has been evaluated: what is evaluated of a record is
-- the record, and none of its fields.
evaluatedIn :: [Id] -> [Id] -> Scope -> Scope
evaluatedIn parameters vars s =
  s
    { scopeKnown =
        extendVarEnvList
          (scopeKnown s)
          [ (v, Known n (if keepsFields v sort then Carried else Other))
            | v <-
                vars,
              not (v `elemVarSet` carriedSet),
              Just (Known n sort) <- [lookupVarEnv (scopeKnown s) v]
          ]
    }
  where
    keepsFields v = \case
      Carried -> hasLazyFields (idType v)
      Pending -> hasLazyFields (idType v)
      Bound' _ -> False
      Other -> False
    carriedSet =
      mkVarSet [v | v <- parameters, Just (Known _ Carried) <- [lookupVarEnv (scopeKnown s) v]]

-- | It makes a text, some bytes or a builder of one character.
isSingle :: Id -> Bool
isSingle c = case nameModule_maybe (idName c) of
  Just m
    | place <- moduleNameString (moduleName m) ->
        (occurrence c == "singleton" && any (`isPrefixOf` place) ["Data.Text", "Data.ByteString"])
          || ( "Builder" `isInfixOf` place
                 && occurrence c
                   `elem` [ "singleton",
                            "word8",
                            "char7",
                            "char8",
                            "charUtf8",
                            "fromWord8",
                            "fromChar"
                          ]
             )
  Nothing -> False

-- | A function, or a type of one constructor that has one among its fields, as some builders are.
holdsFunction :: Type -> Bool
holdsFunction t =
  isFunctional t
    || case splitTyConApp_maybe t >>= tyConSingleDataCon_maybe . fst of
      Just con -> any (isFunctional . scaledThing) (dataConOrigArgTys con)
      Nothing -> False

-- | A type of one constructor with a field that may wait.
hasLazyFields :: Type -> Bool
hasLazyFields t = case splitTyConApp_maybe t >>= tyConSingleDataCon_maybe . fst of
  Just con ->
    or
      [ isLazy && not (mightBeUnliftedType field)
        | (Scaled _ field, isLazy) <-
            zip (dataConOrigArgTys con) (map mayWait (dataConImplBangs con) <> repeat True)
      ]
  Nothing -> False

-- | No bang, nor are all fields of its module strict.
mayWait :: HsImplBang -> Bool
mayWait = \case
  HsStrict {} -> False
  HsUnpack {} -> False
  HsLazy -> True

-- | @fmap@ or @<$>@ of a Maybe, by the types that it is given.
mapsMaybe :: Id -> [Type] -> Bool
mapsMaybe c types =
  any (`isLibrary` c) ["fmap", "<$>"]
    && or [tc == maybeTyCon | Just tc <- [tyConAppTyCon_maybe =<< listToMaybe types]]

-- | What is called, where it is a function of this module, or a method of an instance here.
ownCallee :: Scope -> CoreExpr -> Maybe CoreExpr
ownCallee scope e = case headAndFirst (bare e) of
  (Var f, first)
    | Just cls <- isClassOpId_maybe f,
      Just d <- first,
      Var instance' <- bare d,
      Just made <- lookupVarEnv (scopeTop scope) instance',
      (Var con, fields) <- collectArgs made,
      con == dataConWorkId (classDataCon cls),
      (method : _) <- [m | (sel, m) <- zip (classAllSelIds cls) (filter isValArg fields), sel == f],
      Var own <- bare method ->
        plainFunction =<< lookupVarEnv (scopeTop scope) own
    | Just (Known _ (Bound' r)) <- lookupVarEnv (scopeKnown scope) f -> plainFunction r
    | otherwise -> plainFunction =<< lookupVarEnv (scopeTop scope) f
  _ -> Nothing
  where
    headAndFirst x = case collectArgs x of
      (h, given) -> (bare h, case filter isValArg given of a : _ -> Just a; [] -> Nothing)
    -- Which of its parameters are which is only known without dictionaries.
    plainFunction r = case parametersOf r of
      (v : _, _) | not (isDictionaryType (idType v)) -> Just r
      _ -> Nothing

-- | A constructor with a lazy field that waits for what is carried.
buildsLazily :: Scope -> CoreExpr -> Bool
buildsLazily scope = not . null . waitingFields scope

-- | Those fields, counted from 0.
waitingFields :: Scope -> CoreExpr -> [Int]
waitingFields scope e = case callOf (bare e) of
  (Var c, _, arguments)
    | Just con <- constructorOf c ->
        [ i
          | (i, x, mayBe) <-
              zip3 [0 ..] arguments (map mayWait (dataConImplBangs con) <> repeat True),
            mayBe || inMaybe x,
            not (isListType (exprType x)),
            -- What is a function inside (a builder) is as large evaluated.
            not (holdsFunction (exprType x)),
            lazyField x
        ]
    | otherwise -> [i | (i, x) <- zip [0 ..] arguments, lazyField x]
  _ -> []
  where
    constructorOf c = case isDataConWorkId_maybe c of
      Just con -> Just con
      Nothing -> isDataConWrapId_maybe c
    -- A bang evaluates the Just, and not what is in it.
    inMaybe x = case callOf (bare x) of
      (Var f, types, [_, _]) -> mapsMaybe f types
      _ -> False
    -- A record that is only made once another was taken apart waits itself.
    lazyField x = case (classified scope x, callOf (bare x)) of
      (FromAccumulated, _) -> True
      (Builds, (Case {}, _, _)) -> True
      _ -> False
    isListType t = case splitTyConApp_maybe t of
      Just (tc, _) -> tc == listTyCon
      Nothing -> False

-- | A call of a recursive function around, given a record of which a field waits for what earlier
-- rounds have made. A field that the function takes apart itself does not wait for long.
handsWaiting :: Scope -> Id -> [CoreExpr] -> Bool
handsWaiting scope f arguments = case lookupVarEnv (scopeRounds scope) f of
  Nothing -> False
  Just (parameters, body) ->
    or
      [ classified scope a == Builds && not (all (`elem` takenApart p body) (fieldsOf a))
        | (p, a) <- zip (map Just parameters <> repeat Nothing) arguments
      ]
  where
    -- Of a record with other fields it is not looked which.
    fieldsOf a = case waitingFields scope a of
      [] -> [-1]
      fields -> fields

-- | Is something that earlier rounds have made in it?
madeOfCarried :: Scope -> CoreExpr -> Bool
madeOfCarried scope r =
  or
    [ case known of
        Known _ Carried -> True
        Known _ Pending -> True
        _ -> False
      | v <- nonDetEltsUniqSet (exprFreeIds r),
        Just known <- [lookupVarEnv (scopeKnown scope) v]
    ]
