{-# LANGUAGE OverloadedStrings #-}

-- | All modules of a program together.
--
-- Its one idea: a call that stayed here can be explained by the pragma, the
-- size or the recursion that another module has, and what would help may have to
-- be written there.
--
-- Start at 'indexed'; 'explain' and 'remedy' are what it is for.
module Tern.Lab.Core.Index
  ( -- * The index
    Index (..),
    indexed,
    inModule,
    inProject,
    global,
    bindingOf,

    -- * Reasons
    Why (..),
    explain,
    Remedy (..),
    remedy,
    writtenOf,
    deliberate,

    -- * Names
    sourceName,
    ownerName,
    calleeOf,
    calleeName,
    writtenName,
  )
where

import Data.Char (isDigit)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (listToMaybe, mapMaybe)
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( Binding (..),
    Callee (..),
    Global (..),
    ModuleFacts (..),
    Origin (..),
    Owner (..),
    Pragma (..),
    Reason (..),
    Sight (..),
    SourceCall (..),
    Spot (..),
    Use (..),
    keptApart,
    unmarked,
  )
import Tern.Lab.Core.Library (runsLog)

-- * The index

-- | Two components of a package may have modules of one name, so that a binding
-- is known by its unit too.
data Index = Index
  { indexBindings :: !(Map Global Binding),
    -- | Modules by unit and name.
    indexOptimised :: !(Map (Text, Text) Bool),
    -- | Those with versions for known types.
    indexSpecialised :: !(Set Global),
    -- | Around how many loops of other bindings each is called.
    indexHeat :: !(Map Global Int),
    -- | The same by the source, in which nothing has been inlined yet.
    indexSourceHeat :: !(Map Global Int),
    -- | Does any module run a monad that gathers a log lazily?
    indexLogs :: !Bool,
    -- | By whom, in which other modules, a function is called in the source.
    indexCallers :: !(Map Global [(ModuleFacts, Text)]),
    -- | What functions that somebody wrote call by its name, and not through an instance.
    indexNamed :: !(Set Global),
    -- | What does an action in a value: its NOINLINE has a reason.
    indexActing :: !(Set Global)
  }

-- | Of all modules of a program. Loops are followed through three calls in a row, in the source
-- through five, and more than two of them count as two.
indexed :: [ModuleFacts] -> Index
indexed modules =
  Index
    { -- A part that GHC made may have the name of what it was made of.
      indexBindings =
        Map.fromListWith
          ( \later earlier ->
              if bindingOrigin earlier == Made
                then later
                else earlier
          )
          [(inModule m (bindingName b), b) | m <- modules, b <- factsBindings m],
      indexOptimised =
        Map.fromList [((factsUnit m, factsModule m), factsOptimised m) | m <- modules],
      indexSpecialised =
        Set.fromList
          [ inModule m (maybe (bindingName b) ownerName (bindingOwner b))
            | m <-
                modules,
              b <- factsBindings m,
              bindingSpecialised b
          ],
      indexHeat = heated callsFrom (3 :: Int) Map.empty,
      indexSourceHeat = heated sourceCalls (5 :: Int) Map.empty,
      indexLogs = any (any runsLog . factsUses) modules,
      indexCallers =
        Map.fromListWith
          (<>)
          [ (callTo c, [(m, callFrom c)])
            | m <- modules,
              c <- factsCalls m,
              globalModule (callTo c) /= factsModule m
          ],
      indexNamed =
        Set.fromList
          [ global m callee
            | m <- modules,
              b <- factsBindings m,
              not (ofInstance b),
              s <- bindingSpots b,
              Just callee <- [calleeOf (spotSight s)]
          ],
      indexActing =
        Set.fromList
          [ inModule m (useBinding u)
            | m <- modules,
              u <- factsUses m,
              "unsafe" `T.isPrefixOf` globalName (useCallee u),
              any (`T.isSuffixOf` globalName (useCallee u)) ["PerformIO", "InterleaveIO"]
          ]
    }
  where
    ofInstance b = case bindingOrigin b of
      Instance _ -> True
      Written -> False
      Made -> any (("$" `T.isPrefixOf`) . ownerName) (bindingOwner b)
    -- Callers of callers, as far as the weight can tell.
    heated _ 0 known = known
    heated from n known =
      heated from (n - 1) (Map.fromListWith max (concatMap (from known) modules))
    sourceCalls known m =
      [ (callTo c, min 2 loops)
        | c <- factsCalls m,
          let loops = callLoops c + Map.findWithDefault 0 (inModule m (callFrom c)) known,
          loops > 0
      ]
    callsFrom known m =
      [ (callee, min 2 loops)
        | b <- factsBindings m,
          let self = inModule m (bindingName b),
          spot <- bindingSpots b,
          Just callee <- [global m <$> calleeOf (spotSight spot)],
          callee /= self,
          let loops = spotLoops spot + Map.findWithDefault 0 self known,
          loops > 0
      ]

-- | A binding of a module.
inModule :: ModuleFacts -> Text -> Global
inModule m = Global (factsUnit m) (factsModule m)

-- | A callee by its unit and module. One that is not exported is of the module that is given.
global :: ModuleFacts -> Callee -> Global
global m = \case
  CalleeGlobal g -> g
  CalleeHere name -> inModule m name

-- | Is it in a module that was looked at?
inProject :: Index -> Callee -> Bool
inProject index = \case
  CalleeHere _ -> True
  CalleeGlobal g -> Map.member (globalUnit g, globalModule g) (indexOptimised index)

-- * Reasons

-- | A reason, as far as all modules together know it.
data Why
  = BecausePragma !Pragma
  | BecauseRecursive
  | -- | Size and threshold.
    BecauseBig !Int !Int
  | BecauseHuge
  | -- | Its module was compiled without optimisation.
    BecauseUnoptimised !Text
  | -- | In another package, whose interface has no unfolding.
    BecauseNoUnfolding
  | -- | The arity.
    BecauseUnsaturated !Int
  | BecauseNoGain
  deriving stock (Eq, Ord, Show)

-- | What would let an overloaded function be specialised.
data Remedy
  = -- | A pragma in this module of the project.
    MarkInlinable !Text
  | -- | It is marked already: ask for the type where it is used.
    AskSpecialise
  | -- | The pragma that stands in the way must go.
    RemovePragma !Text
  | -- | It is another package's business.
    Upstream
  deriving stock (Eq, Ord, Show)

-- | Why a call stayed, by what its module knows.
explain :: Index -> Callee -> Reason -> Why
explain index callee reason = case reason of
  Pragmatic pragma -> BecausePragma pragma
  Recursive -> BecauseRecursive
  TooBig size threshold -> BecauseBig size threshold
  Huge -> BecauseHuge
  Unsaturated arity -> BecauseUnsaturated arity
  NoGain -> BecauseNoGain
  NoUnfoldingThere -> case callee of
    CalleeGlobal g
      | Map.lookup (globalUnit g, globalModule g) (indexOptimised index) == Just False ->
          BecauseUnoptimised (globalModule g)
      | Just b <- bindingOf index g -> known b
    _ -> BecauseNoUnfolding
  where
    known b
      | keptApart (bindingPragma b) = BecausePragma (bindingPragma b)
      | bindingRecursive b = BecauseRecursive
      | otherwise = BecauseHuge

-- | What would help, for a call in this module: to the written function that
-- the callee is, or is a part of.
remedy :: Index -> ModuleFacts -> Callee -> Remedy
remedy
  index
  m
  callee = case Map.lookup (global m (writtenOf index m callee)) (indexBindings index) of
    Just b -> case bindingPragma b of
      NoInline _ -> RemovePragma (globalModule g)
      Inlinable -> AskSpecialise
      Inline -> AskSpecialise
      NoPragma -> MarkInlinable (globalModule g)
    Nothing
      | inProject index callee -> MarkInlinable (globalModule g)
      | otherwise -> Upstream
    where
      g = global m callee

-- | What a name of an interface stands for. A part that GHC exports because
-- something inlinable calls it is called by what needs it and itself, @f_go@ or
-- @f_go1@, while its own module knows it as @go@.
bindingOf :: Index -> Global -> Maybe Binding
bindingOf index g =
  listToMaybe . mapMaybe (\name -> Map.lookup g {globalName = name} (indexBindings index)) $
    globalName g : concat [[part, T.dropWhileEnd isDigit part] | (_, part) <- halves (globalName g)]

-- | The function in the source that a part belongs to, where this is known; a
-- pragma can only be given to that.
writtenOf :: Index -> ModuleFacts -> Callee -> Callee
writtenOf index m = \case
  CalleeHere name -> CalleeHere (globalName (writtenGlobal index (inModule m name)))
  CalleeGlobal g -> CalleeGlobal (writtenGlobal index g)

writtenGlobal :: Index -> Global -> Global
writtenGlobal index g = go (8 :: Int) (globalName g)
  where
    go 0 name = named name
    go n name = case Map.lookup (named name) (indexBindings index) of
      Just b | Just owner <- bindingOwner b, ownerName owner /= name -> go (n - 1) (ownerName owner)
      Just b | bindingOrigin b == Written -> named name
      _ | sourceName name /= name -> go (n - 1) (sourceName name)
      Just _ -> named name
      Nothing ->
        case [ owner
               | (owner, _) <- halves name,
                 any (\o -> Map.member (named o) (indexBindings index)) [owner, sourceName owner]
             ] of
          owner : _ -> go (n - 1) owner
          [] -> named name
    named name = g {globalName = name}

-- | A name split at each underline, the longest first half first.
halves :: Text -> [(Text, Text)]
halves name =
  [ (T.dropEnd 1 before, after)
    | (before, after) <- reverse (map (`T.splitAt` name) [1 .. T.length name - 1]),
      T.length before > 1,
      T.last before == '_'
  ]

-- | Is it kept apart on purpose?
deliberate :: Index -> Callee -> Bool
deliberate index = \case
  callee@(CalleeGlobal g) -> Set.member (globalName g) barriers && not (inProject index callee)
  CalleeHere _ -> False

-- | Calls that libraries keep apart on purpose.
barriers :: Set Text
barriers =
  Set.fromList
    [ "toLazyByteString",
      "toLazyByteStringWith",
      "hPutBuilder",
      "unsafePerformIO",
      "unsafeDupablePerformIO",
      "noDuplicate",
      "runRW#",
      "lazy",
      "seq",
      "unpackCString#",
      "unpackAppendCString#",
      "unpackFoldrCString#",
      "mallocPlainForeignPtrBytes",
      "atomicModifyIORef'",
      "toStrict",
      "raiseIO#",
      "keepAlive#",
      "traceEvent"
    ]

-- * Names

-- | The name in the source: a worker and a specialisation are called by what
-- they were made of.
--
-- >>> map sourceName ["$wgo", "$sloop", "$w$cshow", "f"]
-- ["go","loop","show","f"]
sourceName :: Text -> Text
sourceName name = case mapMaybe (`T.stripPrefix` plain) ["$w", "$s", "$c", "$dm"] of
  rest : _ | not (T.null rest) -> sourceName rest
  _ -> plain
  where
    plain = unmarked name

-- | The name of the owner, whatever makes it one.
ownerName :: Owner -> Text
ownerName = \case
  MadeOf name -> name
  UsedBy name -> name

-- | Who is called, if a known function is.
calleeOf :: Sight -> Maybe Callee
calleeOf = \case
  Stayed c _ _ -> Just c
  Overloaded c _ _ -> Just c
  LiteralList c _ -> Just c
  _ -> Nothing

-- | With its module before it; one that is not exported has its name alone, without a mark.
calleeName :: Callee -> Text
calleeName = \case
  CalleeGlobal g -> T.concat [globalModule g, ".", globalName g]
  CalleeHere name -> unmarked name

-- | The same as somebody would write it: a version that a library has of its own function has the
-- name of that function twice, as @++_$s++@.
writtenName :: Callee -> Text
writtenName = \case
  CalleeGlobal g
    | (owner, _) : _ <- [h | h@(o, part) <- halves (globalName g), sourceName part == o] ->
        calleeName (CalleeGlobal g {globalName = owner})
  callee -> calleeName callee
