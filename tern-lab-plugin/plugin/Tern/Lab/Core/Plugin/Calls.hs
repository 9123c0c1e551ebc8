{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TupleSections #-}

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

import Control.Monad (foldM)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust, isNothing)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Builtin.PrimOps (PrimOp (..))
import GHC.Builtin.PrimOps.Ids (primOpId)
import GHC.Builtin.Types.Prim (int64PrimTy, intPrimTy, realWorldStatePrimTy, realWorldTy)
import GHC.Plugins hiding ((<>))
import GHC.Types.Demand (isStrUsedDmd)
import GHC.Types.ForeignCall
import GHC.Types.Id.Make (mkFCallId, realWorldPrimId)
import GHC.Types.SourceText (SourceText (..))
import GHC.Types.Unique (mkUniqueGrimily)
import Tern.Lab.Core.Facts (callName, enteredName, handedName, madeName, marked)
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

-- | Given the module: its program with the calls counted, the functions that count, and which
-- calls they are: the number of the part that they stand in, and what is called.
callsCounted ::
  Module -> UniqSupply -> Marked -> (UniqSupply, [(Id, CoreExpr)], [(Int, Text)], CoreProgram)
callsCounted this uniques known =
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
      | otherwise = inlinable (flattenBinds (markedBinds known))

-- | What other modules may inline: what they can see, and what that needs.
inlinable :: [(Id, CoreExpr)] -> VarSet
inlinable every = go emptyVarSet [b | (b, _) <- every, isExternalName (idName b)]
  where
    exposed = mkVarEnv [(b, e) | (b, e) <- every, canUnfold (realIdUnfolding b)]
    go known = \case
      [] -> known
      b : more
        | not (elemVarSet b known),
          Just e <- lookupVarEnv exposed b ->
            go (extendVarSet known b) (nonDetEltsUniqSet (exprFreeIds e) <> more)
        | otherwise -> go known more

-- * Where a call stands

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
-- of one constructor, and what waits for such.
makes :: Around -> CoreExpr -> [Text]
makes around e = Set.toList . Set.fromList $ case e of
  Let bs _ -> [name | (b, r) <- flattenBinds [bs], isObject b r, Just name <- [recordOf (idType b)]]
  App _ _ ->
    [ name
      | a <- e : filter isValArg (snd (application e)),
        (Var c, _ : _) <- [application a],
        isJust (isDataConWorkId_maybe c),
        Just name <- [recordOf (exprType a)]
    ]
      <> [handedName | (Var f, given) <- [application e], isOwn f, or (zipWith waiting given (strictArguments f (length given)))]
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
    recordOf t = do
      (c, _) <- splitTyConApp_maybe t
      m <- nameModule_maybe (tyConName c)
      case tyConDataCons c of
        [_] | isDataTyCon c, moduleUnit m == moduleUnit (aroundModule around) -> Just (named m c)
        _ -> Nothing
    named m c =
      madeName
        (T.pack (moduleNameString (moduleName m) <> "." <> occNameString (getOccName c)))

-- | The same, where nothing is evaluated: it is a value as it stands.
walked :: Around -> Position -> CoreExpr -> Counting CoreExpr
walked around position e = case e of
  Var _ -> pure e
  Lit _ -> pure e
  Type _ -> pure e
  Coercion _ -> pure e
  App _ _ -> do
    new <- arguments e
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

-- | May it be called within another function's frame? Rounds that go through a library's function
-- must not: the stack would grow.
harmless :: Around -> CoreExpr -> Bool
harmless around e =
  not (aroundRecursive around) || all closed (snd (application e))
  where
    closed a = not (mayCall (exprType a)) || isEmptyVarSet (exprFreeIds a)
    mayCall t = case splitTyConApp_maybe t of
      Just (c, _) -> isNewTyCon c || isDictionaryType t
      Nothing -> True

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

-- * The clock

-- | The call with the clock read around it.
measured :: Around -> Text -> CoreExpr -> Counting CoreExpr
measured around name e = do
  tally <- tallyOf EachKibibyte around name
  before <- clock
  later <- clock
  taken <- variable "taken" intPrimTy
  bytes <- variable "e" intPrimTy
  entries <- variable "n" intPrimTy
  isMore <- variable "b" intPrimTy
  isEntered <- variable "b" intPrimTy
  ignored <- variable "z" intPrimTy
  state <- variable "s" realWorldStatePrimTy
  let counted inner =
        readInto later t
          . into bytes (operation IntSubOp [Var (clockSum before), Var (clockSum later)])
          . when' isMore (operation IntGtOp [Var bytes, number 0]) inner
          . into taken (operation IntAddOp [Var (clockTaken later), Var bytes])
          . into
            state
            ( operation
                WriteOffAddrOp_Int
                [Type realWorldTy, takenCell, number 0, Var taken, Var realWorldPrimId]
            )
          . into entries (operation IntSubOp [kibibytes taken, kibibytes (clockTaken later)])
          . when' isEntered (operation IntGtOp [Var entries, number 0]) inner
          . into ignored (App (Var tally) (Var entries))
          $ inner
  readInto before t <$> case splitTyConApp_maybe t of
    Just (c, ts)
      | isUnboxedTupleTyCon c,
        [con] <- tyConDataCons c -> do
          whole <- variable "r" t
          parts <- mapM (variable "r") (dropRuntimeRepArgs ts)
          pure
            ( Case
                e
                whole
                t
                [ Alt
                    (DataAlt con)
                    parts
                    (counted (mkApps (Var (dataConWorkId con)) (map Type ts <> map Var parts)))
                ]
            )
    _ -> (\r -> into r e (counted (Var r))) <$> variable "r" t
  where
    t = exprType e
    into v r body = Case r v t [Alt DEFAULT [] body]
    when' v r otherwise' body =
      Case r v t [Alt DEFAULT [] otherwise', Alt (LitAlt (mkLitIntUnchecked 1)) [] body]
    kibibytes v = operation IntSraOp [Var v, number 10]

-- | The call after one entry of the function that counts it. What is called last still is.
entered :: Around -> Text -> CoreExpr -> Counting CoreExpr
entered around name e = do
  tally <- tallyOf EachCall around name
  ignored <- variable "z" intPrimTy
  pure (Case (App (Var tally) (number 1)) ignored (exprType e) [Alt DEFAULT [] e])

-- | The variables that a look at the clock binds: what it showed, and of that in all what was laid
-- to calls already.
data Clock = Clock
  { clockWhole :: !Id,
    clockState :: !Id,
    clockBytes :: !Id,
    clockHeap :: !Id,
    clockTaken :: !Id,
    clockSum :: !Id
  }

clock :: Counting Clock
clock =
  Clock
    <$> variable "c" (exprType theClock)
    <*> variable "s" realWorldStatePrimTy
    <*> variable "b" int64PrimTy
    <*> variable "h" intPrimTy
    <*> variable "t" intPrimTy
    <*> variable "k" intPrimTy

-- | What the thread may still allocate, before what follows.
readInto :: Clock -> Type -> CoreExpr -> CoreExpr
readInto here t body =
  Case
    theClock
    (clockWhole here)
    t
    [ Alt
        (DataAlt (tupleDataCon Unboxed 2))
        [clockState here, clockBytes here]
        ( into (clockHeap here) (operation IndexOffAddrOp_Int [heapCell, number 0])
            . into (clockTaken here) (operation IndexOffAddrOp_Int [takenCell, number 0])
            . into
              (clockSum here)
              ( operation
                  IntAddOp
                  [ App (Var (primOpId Int64ToIntOp)) (Var (clockBytes here)),
                    operation IntAddOp [Var (clockHeap here), Var (clockTaken here)]
                  ]
              )
            $ body
        )
    ]
  where
    into v r inner = Case r v t [Alt DEFAULT [] inner]

theClock :: CoreExpr
theClock = App (Var f) (Var realWorldPrimId)
  where
    f =
      mkFCallId
        (mkUniqueGrimily 0)
        ( CCall
            ( CCallSpec
                ( StaticTarget
                    NoSourceText
                    (fsLit "stg_getThreadAllocationCounterzh")
                    (Just rtsUnit)
                    True
                )
                PrimCallConv
                PlayRisky
            )
        )
        ( mkVisFunTyMany
            realWorldStatePrimTy
            (mkTupleTy Unboxed [realWorldStatePrimTy, int64PrimTy])
        )

-- | What the program's own code has allocated: GHC's counters have it in one word.
heapCell :: CoreExpr
heapCell = cell "ALLOC_HEAP_tot"

-- | What was laid to calls of libraries already: a word that GHC's counters have, and
-- only a runtime system with counters of its own uses.
takenCell :: CoreExpr
takenCell = cell "ALLOC_RTS_tot"

cell :: String -> CoreExpr
cell name = Lit (LitLabel (fsLit name) Nothing IsData)

operation :: PrimOp -> [CoreExpr] -> CoreExpr
operation = mkApps . Var . primOpId

number :: Integer -> CoreExpr
number = Lit . mkLitIntUnchecked

-- * Counters

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
