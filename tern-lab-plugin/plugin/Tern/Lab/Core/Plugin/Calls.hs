{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What libraries allocate, by the calls that make them do so, in a counting build.
--
-- Its one idea: a library has no counters, but each thread has a clock of bytes. It is
-- read before and after a call of a library's function, and of a primitive operation
-- that makes an array. Each kibibyte that has gone by is one entry of a function that
-- does nothing, and whose name says which call it was; so the counters that GHC writes
-- anyway hold the bytes. Reading the clock allocates nothing. Another such function is entered
-- once for each call.
--
-- What is inlined elsewhere stays as it is: there it is a call of that module's.
--
-- Start at 'callsCounted'.
module Tern.Lab.Core.Plugin.Calls
  ( callsCounted,
  )
where

import Control.Applicative ((<|>))
import Control.Monad (foldM)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust, isNothing)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Plugins hiding ((<>))
import GHC.Types.Demand (isStrUsedDmd)
import Tern.Lab.Core.Facts (comparedName, handedName, madeName)
import Tern.Lab.Core.Plugin.Clock (measured)
import Tern.Lab.Core.Plugin.Compat (isDictionaryType)
import Tern.Lab.Core.Plugin.Mark (Marked (..), keyOf)
import Tern.Lab.Core.Plugin.Shape
  ( application,
    bare,
    isAppend,
    isFunction,
    occurrence,
    strictArguments,
  )
import Tern.Lab.Core.Plugin.Tally
  ( Around (..),
    Counted (..),
    Counting (..),
    Counts (..),
    entered,
    variable,
  )

-- | Given the module, and what of it others can read: its program with the calls counted, the
-- functions that count, and which calls they are: the number of the part that they stand in, and
-- what is called.
callsCounted ::
  Module ->
  VarSet ->
  UniqSupply ->
  Marked ->
  (UniqSupply, [(Id, CoreExpr)], [(Int, Text)], CoreProgram)
callsCounted this exposed uniques known =
  ( countsUniques done,
    Map.elems (countsTallies done),
    [(part, callee) | (EachCall, part, callee) <- Map.keys (countsTallies done)],
    binds
  )
  where
    (binds, done) = run (mapM group' (markedBinds known)) (Counts uniques Map.empty)
    group' = \case
      NonRec b e -> NonRec b <$> top False b e
      Rec pairs -> Rec <$> mapM (\(b, e) -> (,) b <$> top True b e) pairs
    top isRecursive b e
      | elemVarSet b seen = pure e
      | isFunction e = function around e
      -- Data at the top is no computation.
      | exprIsHNF e = walked around Last e
      | otherwise = expression around Last e
      where
        around = Around this (markedMark known) n isRecursive emptyVarSet
        n = fromMaybe 0 (lookupVarEnv (markedTop known) b)
    seen
      | moduleNameString (moduleName this) == "Main" = emptyVarSet
      | otherwise = exposed

-- * Where a call stands

data Position = Last | Within
  deriving stock (Eq)

-- | Under its own parameters.
function :: Around -> CoreExpr -> Counting CoreExpr
function around e = case e of
  Lam v r -> Lam v <$> function around r
  _ -> expression around Last e

-- | What is evaluated here, with the records that it makes counted.
expression :: Around -> Position -> CoreExpr -> Counting CoreExpr
expression around position e =
  walked around position e >>= \new -> foldM (flip (entered around)) new (makes around e)

-- | What is made here, and not in what it binds or takes apart: values of the program's own types
-- of one constructor, and what waits for such, or for a library's container.
makes :: Around -> CoreExpr -> [Text]
makes around e = Set.toList . Set.fromList $ case e of
  Let bs _ ->
    [ name
      | (b, r) <- flattenBinds [bs],
        isObject b r,
        Just name <- [recordOf (idType b) <|> changed r (idType b)]
    ]
  App _ _ ->
    [ name
      | a <- e : filter isValArg (snd (application e)),
        (Var c, _ : _) <- [application a],
        isJust (isDataConWorkId_maybe c),
        Just name <- [recordOf (exprType a)]
    ]
      <> [ name
           | (Var f, given) <- [application e],
             (a, False) <- zip given (strictArguments f (length given)),
             isValArg a,
             Just name <- [changed a (exprType a)]
         ]
      <> [ handedName
           | (Var f, given) <- [application e],
             isOwn f,
             or (zipWith waiting given (strictArguments f (length given)))
         ]
  _ -> []
  where
    isObject b r = not (isJoinId b || isFunction r || exprIsTrivial r || isUnliftedType (idType b))
    isOwn f =
      isNothing (isDataConWorkId_maybe f)
        && maybe True (== aroundModule around) (nameModule_maybe (idName f))
    waiting a isStrict = not isStrict && isValArg a && not (isUnliftedType (exprType a)) && waits a
    waits a = case bare a of
      Var v -> elemVarSet v (aroundWaiting around)
      other -> not (exprIsHNF other)
    -- A library's container that waits for a change by the library: not one that is handed on.
    changed r t = do
      (c, _) <- splitTyConApp_maybe t
      m <- nameModule_maybe (tyConName c)
      home <- madeBy r
      if home /= aroundModule around
        && (moduleNameString (moduleName m), occNameString (getOccName c)) `elem` containers
        then Just (named m c)
        else Nothing
    madeBy r = case bare r of
      Case _ _ _ [Alt _ _ inner] -> madeBy inner
      Let _ inner -> madeBy inner
      other -> case application other of
        (Var f, _ : _) | isNothing (isDataConWorkId_maybe f) -> nameModule_maybe (idName f)
        _ -> Nothing
    recordOf t = do
      (c, _) <- splitTyConApp_maybe t
      m <- nameModule_maybe (tyConName c)
      case tyConDataCons c of
        [_] | isDataTyCon c, moduleUnit m == moduleUnit (aroundModule around) -> Just (named m c)
        _ -> Nothing
    named m c =
      madeName
        (T.pack (moduleNameString (moduleName m) <> "." <> occNameString (getOccName c)))

-- | Modules and types that states are often of.
containers :: [(String, String)]
containers =
  [ ("Data.Map.Internal", "Map"),
    ("Data.Set.Internal", "Set"),
    ("Data.IntMap.Internal", "IntMap"),
    ("Data.IntSet.Internal", "IntSet"),
    ("Data.Sequence.Internal", "Seq"),
    ("Data.HashMap.Internal", "HashMap")
  ]

-- | The same, where nothing is evaluated: it is a value as it stands.
walked :: Around -> Position -> CoreExpr -> Counting CoreExpr
walked around position e = case e of
  Var _ -> pure e
  Lit _ -> pure e
  Type _ -> pure e
  Coercion _ -> pure e
  App _ _ -> do
    new <- comparisons around =<< arguments e
    case calleeOf around e of
      Just name
        | position == Within || harmless around e ->
            measured around name new >>= entered around name
        | otherwise -> entered around name new
      Nothing -> pure new
  Lam v r -> Lam v <$> function around {aroundRecursive = True} r
  Cast r c -> (`Cast` c) <$> expression around position r
  Tick t r -> Tick t <$> expression around position r
  Let (NonRec b r) body ->
    (\r' -> Let (NonRec b r'))
      <$> bound False b r
      <*> expression
        ( if isJoinId b || exprIsHNF r || isStrUsedDmd (idDemandInfo b) || isUnliftedType (idType b)
            then around
            else around {aroundWaiting = extendVarSet (aroundWaiting around) b}
        )
        position
        body
  Let (Rec pairs) body ->
    (\pairs' -> Let (Rec pairs'))
      <$> mapM (\(b, r) -> (,) b <$> bound True b r) pairs
      <*> expression around position body
  Case r b t alternatives ->
    (\r' -> Case r' b t)
      <$> expression around Within r
      <*> mapM (\(Alt c vs inner) -> Alt c vs <$> expression around position inner) alternatives
  where
    arguments = \case
      App f a -> App <$> arguments f <*> (if isTypeArg a then pure a else argument a)
      Cast f c -> (`Cast` c) <$> arguments f
      Tick t f -> Tick t <$> arguments f
      f@(Var _) -> pure f
      f -> expression around Within f
    argument a
      | isFunction a = function around {aroundRecursive = True} a
      | exprIsHNF a = walked around Within a
      | otherwise = expression around Within a
    bound isRecursive b r
      | isJoinId b = joined (idJoinArity b) r
      | isFunction r = function inner r
      | exprIsHNF r = walked inner Within r
      | otherwise = expression inner Within r
      where
        inner =
          around
            { aroundPart =
                if isFunction r || isJoinId b
                  then fromMaybe (aroundPart around) (keyOf b)
                  else aroundPart around,
              aroundRecursive = isRecursive || aroundRecursive around
            }
        -- Its parameters, and what then is the last thing to do.
        joined n x
          | n > 0, Lam v y <- x = Lam v <$> joined (n - 1) y
          | otherwise = expression inner position x

-- | What compares each element with those before it: its comparisons are its work.
comparisons :: Around -> CoreExpr -> Counting CoreExpr
comparisons around e = case collectArgs e of
  (Var f, Type a : equal : rest)
    | Just name <- calleeOf around e,
      "Data.OldList.nubBy" `T.isSuffixOf` name,
      exprIsTrivial equal || isFunction equal -> do
        x <- variable "x" a
        y <- variable "y" a
        compared <- entered around (comparedName name) (mkApps equal [Var x, Var y])
        pure (mkApps (Var f) (Type a : mkLams [x, y] compared : rest))
  _ -> pure e

-- | May it be called within another function's frame? Rounds that go through a library's function
-- must not: the stack would grow.
harmless :: Around -> CoreExpr -> Bool
harmless around e =
  not (aroundRecursive around) || all closed (snd (application e))
  where
    closed a = not (mayCall (exprType a)) || isEmptyVarSet (exprFreeIds a)
    mayCall t = case splitTyConApp_maybe t of
      Just (c, _) -> isNewTyCon c || isDictionaryType t
      -- Of a type that this function does not know the library's knows no more: it may hand it on,
      -- as the value of a map, and cannot call it.
      Nothing -> isNothing (getTyVar_maybe t)

-- | What is called, if it is a library's function with all its arguments, or makes an array.
calleeOf :: Around -> CoreExpr -> Maybe Text
calleeOf around e = case application e of
  (Var f, given)
    | Just _ <- isPrimOpId_maybe f ->
        if occurrence f `elem` makers && isPlain
          then Just (T.append "GHC.Exts." (occurrence f))
          else Nothing
    | isGlobalId f,
      Just m <- nameModule_maybe (idName f),
      moduleUnit m /= moduleUnit (aroundModule around),
      not (isJust (isDataConWorkId_maybe f) || isJust (isDataConWrapId_maybe f)),
      not (isJust (isFCallId_maybe f) || isJust (isClassOpId_maybe f) || isDFunId f),
      not (isDeadEndId f || isAppend f),
      moduleNameString (moduleName m) `notElem` ["GHC.Magic", "Unsafe.Coerce", "GHC.Prim"],
      idArity f > 0,
      length given >= idArity f,
      isPlain ->
        Just (T.concat [T.pack (moduleNameString (moduleName m)), ".", occurrence f])
  _ -> Nothing
  where
    isPlain = not (isFunTy (dropForAlls t)) && not (isUnboxedSumType t) && not (isDictionaryType t)
    t = exprType e

-- | The primitive operations that make arrays.
makers :: [Text]
makers =
  [ "newByteArray#",
    "newPinnedByteArray#",
    "newAlignedPinnedByteArray#",
    "newArray#",
    "newSmallArray#",
    "cloneArray#",
    "cloneMutableArray#",
    "cloneSmallArray#",
    "cloneSmallMutableArray#",
    "freezeArray#",
    "thawArray#",
    "freezeSmallArray#",
    "thawSmallArray#",
    "resizeMutableByteArray#"
  ]
