{-# LANGUAGE OverloadedStrings #-}

-- | The clock of bytes that each thread has.
--
-- Its one idea: it is read before and after a call, without allocating anything, and what has gone
-- by is entered in a tally.
--
-- Start at 'measured'.
module Tern.Lab.Core.Plugin.Clock
  ( measured,
  )
where

import Data.Text (Text)
import GHC.Builtin.PrimOps (PrimOp (..))
import GHC.Builtin.PrimOps.Ids (primOpId)
import GHC.Builtin.Types.Prim (int64PrimTy, intPrimTy, realWorldStatePrimTy, realWorldTy)
import GHC.Plugins hiding ((<>))
import GHC.Types.ForeignCall
import GHC.Types.Id.Make (mkFCallId, realWorldPrimId)
import GHC.Types.SourceText (SourceText (..))
import GHC.Types.Unique (mkUniqueGrimily)
import Tern.Lab.Core.Plugin.Tally
  ( Around (..),
    Counted (..),
    Counting (..),
    number,
    operation,
    tallyOf,
    variable,
  )

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

-- | What was laid to calls of libraries already: the first word of a histogram that GHC's
-- counters have, and that neither its code nor its runtime systems fill. (@-ticky@ links the one
-- with counters, and that of GHC 9.10 adds the words of each array to @ALLOC_RTS_tot@.)
takenCell :: CoreExpr
takenCell = cell "RET_NEW_hst"

cell :: String -> CoreExpr
cell name = Lit (LitLabel (fsLit name) Nothing IsData)
