-- | Blocks, labels and branches.
--
-- The idea: at every label all operands that cross it are in their homes, so that
-- all ways to it agree. A comparison right before a branch becomes a
-- compare-and-jump.
--
-- Start at 'open', 'end' and 'branch'.
module Tern.Wasm.Lower.Block
  ( -- * Blocks
    beginBlock,
    finish,
    skip,
    die,
    open,
    tryTable,
    otherwise_,
    end,

    -- * Branches
    leave,
    branch,
    branchIf,
    branchOn,
    branchTable,
    Condition (..),
    popCondition,
    comparisonAt,
    jumpOn,
    swap,
  )
where

import Control.Monad (forM, forM_, join, unless, when, zipWithM_)
import Data.Bits ((.&.))
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet qualified as IntSet
import Data.List qualified as List
import Data.Maybe (fromMaybe)
import Data.Vector qualified as V
import Tern.Wasm.Buffer qualified as Buffer
import Tern.Wasm.Byte (opNumber, opNumbered)
import Tern.Wasm.Code (Handler (..), Op (..))
import Tern.Wasm.Lower.Select (Width (..), width, widthBytes)
import Tern.Wasm.Lower.State
  ( Entry (..),
    Env (..),
    Frame (..),
    Held (..),
    Options (..),
    Patch (..),
    breakBefore,
    emit,
    emit_,
    forgetConstants,
    gate,
    move,
    newFrame,
    nothing,
    offsets,
    operand,
    patchHere,
    pop,
    push,
    setTop,
    settleAliases,
    settleTop,
  )
import Tern.Wasm.Meaning (Branches (..), Order (..), branches)
import Tern.Wasm.Profile (nextBlock)
import Tern.Wasm.Syntax
import Tern.Wasm.Valid (Spaces (..))

-- | For a profile, count from here on as another block.
beginBlock :: Env -> IO ()
beginBlock st = do
  unreachable <- readIORef (dead st)
  unless unreachable . forM_ (optionProfile (options st)) $ \p -> do
    n <- nextBlock p (self st)
    writeIORef (counting st) n
    emit_ st Tally (8 * n) 0 0

-- | The end of the code: the first instruction gets how many bytes the frame reaches, which it
-- compares with the stack's end, and 'depth' becomes -1, so that the walk stops.
finish :: Env -> IO ()
finish st = do
  writeIORef (depth st) (-1)
  furthest <- readIORef (reach st)
  Buffer.put32 (code st) 4 furthest

-- | In code that cannot be reached only the nesting matters.
skip :: Env -> Instr -> IO ()
skip st i = do
  n <- readIORef (skipped st)
  case nesting i of
    Opens -> writeIORef (skipped st) (n + 1)
    OpensTwo -> writeIORef (skipped st) (n + 1)
    Divides -> when (n == 0) (otherwise_ st False)
    Closes -> if n == 0 then end st False else writeIORef (skipped st) (n - 1)
    Within -> pure ()

-- | After a jump: what the innermost block had on the stack is gone.
die :: Env -> IO ()
die st = do
  frame <- innermost st
  drops (frameBase frame)
  writeIORef (dead st) True
  writeIORef (skipped st) 0
  writeIORef (out st) nothing
  where
    drops base = do
      o <- readIORef (top st)
      entries <- readIORef (stack st)
      when (o > base && not (null entries)) $ pop st >> drops base

innermost :: Env -> IO Frame
innermost st =
  readIORef (frames st) >>= \case
    f : _ -> pure f
    [] -> newFrame 0 [] [] (-1) [] []

-- * Blocks

-- | Open a block of a type: whether branches to it lead to its beginning, the jump of an @if@ that
-- is taken where its condition fails, and what it catches. Its parameters and all aliases are put
-- in their homes first.
open :: Env -> FuncType -> Bool -> Maybe Patch -> [Handler] -> IO ()
open st (FuncType params rs) loops other catches = do
  let n = length params
  settleTop st n
  settleAliases st
  when loops (breakBefore st)
  here <- Buffer.position (code st)
  when loops (writeIORef (out st) nothing >> forgetConstants st >> gate st)
  entries <- readIORef (stack st)
  o <- readIORef (top st)
  let ws = map width params
      base = o - sum (map widthBytes ws)
  frame <- newFrame base ws (map width rs) (if loops then here else -1) (drop n entries) catches
  writeIORef (frameElse frame) other
  d <- (+ 1) <$> readIORef (depth st)
  writeIORef (depth st) d
  modifyIORef' (frames st) (frame :)
  modifyIORef' (labels st) (IntMap.insert d frame)

-- | Set the stack to the operands of a block above what lies below it.
restack :: Env -> Frame -> [Width] -> IO ()
restack st frame ws = do
  writeIORef
    (stack st)
    ( List.foldl'
        (\es (o, w) -> Entry w o Home : es)
        (frameBelow frame)
        (offsets (frameBase frame) ws)
    )
  setTop st (frameBase frame + sum (map widthBytes ws))

-- | An @else@; where it is @live@, control comes to it from above and jumps to the block's end. The
-- stack is then as it was after the @if@, with the block's parameters in their homes.
otherwise_ :: Env -> Bool -> IO ()
otherwise_ st live = do
  frame <- innermost st
  when live $ do
    settleTop st (length (frameResults frame))
    at <- emit st Jump 0 0 0 0
    modifyIORef' (framePatches frame) (Patch at (at + 4) :)
  other <- readIORef (frameElse frame)
  writeIORef (frameElse frame) Nothing
  patchHere st (maybe [] pure other)
  writeIORef (out st) nothing
  restack st frame (frameParams frame)
  writeIORef (dead st) False

-- | An @end@, of a block or of the function, which returns there; @live@ is whether control comes
-- to it from above. After a block its results are in their homes. Where neither that nor a jump
-- leads on, what follows cannot be reached.
end :: Env -> Bool -> IO ()
end st live = do
  frame <- innermost st
  d <- readIORef (depth st)
  if d == 0
    then do
      when live (leave st)
      finish st
    else do
      when live (settleTop st (length (frameResults frame)))
      patches <- readIORef (framePatches frame)
      other <- readIORef (frameElse frame)
      closeCatches st frame
      let all_ = maybe id (:) other patches
      patchHere st all_
      restack st frame (frameResults frame)
      modifyIORef' (frames st) (drop 1)
      modifyIORef' (labels st) (IntMap.delete d)
      writeIORef (depth st) (d - 1)
      writeIORef (dead st) False
      unless (live || not (null all_)) (die st)

-- | The code of a block that catches ends here.
closeCatches :: Env -> Frame -> IO ()
closeCatches st frame = unless (null (frameCatches frame)) $ do
  here <- Buffer.position (code st)
  -- Each is evaluated: what was put off would hold the one that it is made of.
  let ended before h = let !one = h {handlerTo = here} in one : before
  modifyIORef' (handlers st) (\before -> List.foldl' ended before (frameCatches frame))

-- | Open a block that catches. Each way on from an exception is written here, in
-- front of the block, and jumped over: it finds the exception's values where the
-- block's own operands begin, and moves them to its label.
tryTable :: Env -> FuncType -> [Catch] -> IO ()
tryTable st ft@(FuncType params _) catches = do
  settleTop st (length params)
  settleAliases st
  over <- emit st Jump 0 0 0 0
  entries <- readIORef (stack st)
  o <- readIORef (top st)
  let base = o - sum (map (widthBytes . width) params)
      below = drop (length params) entries
  pads <- forM catches $ \(Catch kind x) -> do
    writeIORef (stack st) below
    setTop st base
    let (tag, ref) = case kind of
          CatchTag r t -> (Just t, r)
          CatchAll r -> (Nothing, r)
        values = maybe [] (funcParams . (spaceTags (spaces st) V.!)) tag
    forM_ values $ \t -> push st (width t) Home
    when ref (push st W64 Home)
    pad <- Buffer.position (code st)
    gate st
    branch st x
    pure (Handler 0 0 tag ref pad base)
  writeIORef (stack st) entries
  setTop st o
  patchHere st [Patch over (over + 4)]
  here <- Buffer.position (code st)
  open st ft False Nothing =<< mapM (\h -> pure $! h {handlerFrom = here}) pads

-- | Return from the function with the operands on top.
leave :: Env -> IO ()
leave st = do
  let ws = results st
  case ws of
    [] -> emit_ st Ret (link st) 0 0
    [w] | w /= W128 -> do
      entries <- readIORef (stack st)
      case entries of
        e : _ -> do
          slot <- operand st e
          emit_ st (if w == W32 then Ret32 else Ret64) (link st) slot 0
        [] -> pure ()
    _ -> do
      -- The results go where arguments are, which may still be read from there.
      settleTop st (length ws)
      moves st 0 ws
      emit_ st Ret (link st) 0 0

-- | Copy the operands on top, of these widths, to slots that begin at an offset
-- not above their homes. The lowest first: none is overwritten before its turn.
moves :: Env -> Int -> [Width] -> IO ()
moves st base ws = do
  entries <- take (length ws) <$> readIORef (stack st)
  zipWithM_
    (\(o, _) (Entry w home place) -> move st w place home o)
    (offsets base ws)
    (reverse entries)

-- | Whether a branch to a frame finds its operands in place already.
inPlace :: Env -> Frame -> IO Bool
inPlace st frame = do
  let ws = frameLabel frame
  entries <- take (length ws) <$> readIORef (stack st)
  pure (and (zipWith here (offsets (frameBase frame) ws) (reverse entries)))
  where
    here (o, _) = \case
      Entry _ home Home -> home == o
      _ -> False

-- | The frame of a label, and whether it is the function's.
target :: Env -> Index -> IO (Frame, Bool)
target st x = do
  d <- readIORef (depth st)
  fs <- readIORef (labels st)
  f <- innermost st
  pure (fromMaybe f (IntMap.lookup (d - x) fs), d == x)

-- | Jump to a label, its operands moved into place.
branch :: Env -> Index -> IO ()
branch st x = do
  (frame, function) <- target st x
  if function
    then leave st
    else do
      moves st (frameBase frame) (frameLabel frame)
      at <- emit st Jump 0 0 0 0
      aim st frame (Patch at (at + 4))

-- | Let a distance lead to a frame's label.
aim :: Env -> Frame -> Patch -> IO ()
aim st frame patch@(Patch base at)
  | frameStart frame >= 0 = Buffer.put32 (code st) at (frameStart frame - base)
  | otherwise = modifyIORef' (framePatches frame) (patch :)

-- | Pop a condition and branch to a label where it is not 0 (@br_if@).
branchIf :: Env -> Index -> IO ()
branchIf st x = popCondition st >>= branchOn st x

-- | Branch to a label on a condition.
branchOn :: Env -> Index -> Condition -> IO ()
branchOn st x was = do
  (frame, function) <- target st x
  condition <- if function then settleResults st was else pure was
  ready <- inPlace st frame
  if ready && not function
    then jumpOn st True condition >>= aim st frame
    else do
      over <- jumpOn st False condition
      branch st x
      patchHere st [over]

-- | Before a jump over a return: several results are put in their homes on both
-- ways. That writes instructions, so a comparison is then no longer the last.
settleResults :: Env -> Condition -> IO Condition
settleResults st condition = case results st of
  [] -> pure condition
  [w] | w /= W128 -> pure condition
  ws -> do
    settleTop st (length ws)
    case condition of
      Slot _ -> pure condition
      Compared at _ -> Slot <$> Buffer.get32 (code st) (at + 4)

-- | What decides a jump: a slot, or the comparison just written.
data Condition = Slot !Int | Compared !Int !Branches

-- | Pop what decides a jump: 'Compared' where the last instruction is a comparison that wrote the
-- operand to its home, and else a 'Slot'. A constant is put in its home, by an instruction.
popCondition :: Env -> IO Condition
popCondition st = do
  (at, home) <- readIORef (out st)
  e@(Entry _ h place) <- pop st
  before <- comparisonAt st at
  case (place, before) of
    (Home, Just compared) | home == h -> pure (Compared at compared)
    _ -> Slot <$> operand st e

-- | What the instruction at an offset becomes where it is jumped on, if there is one and
-- it is a comparison.
comparisonAt :: Env -> Int -> IO (Maybe Branches)
comparisonAt st at
  | at < 0 = pure Nothing
  | otherwise = branches . opNumbered <$> Buffer.get16 (code st) at

-- | Jump if the condition is as said; the distance is yet to be filled in.
-- A comparison becomes the jump in place, so nothing may be written between.
jumpOn :: Env -> Bool -> Condition -> IO Patch
jumpOn st sense = \case
  Slot slot -> do
    at <- emit st (if sense then JumpIf else JumpIfNot) 0 0 slot 0
    pure (Patch at (at + 4))
  Compared at compared -> do
    Buffer.put16
      (code st)
      at
      ( opNumber
          ( if sense
              then branchHolding compared
              else branchFailing compared
          )
      )
    when (not sense && branchOrder compared == Swapped) (swap st at)
    writeIORef (out st) nothing
    pure (Patch at (at + 4))

-- | Exchange the operands b and c of an instruction.
swap :: Env -> Int -> IO ()
swap st at = do
  b <- Buffer.get32 (code st) (at + 8)
  c <- Buffer.get32 (code st) (at + 12)
  Buffer.put32 (code st) (at + 8) c
  Buffer.put32 (code st) (at + 12) b

-- | Pop an index and branch by it (@br_table@): the labels by index, and the one for every other
-- index. An entry takes four bytes; a label whose operands must be moved has that code once. What
-- follows cannot be reached.
branchTable :: Env -> [Index] -> Index -> IO ()
branchTable st xs x = do
  slot <- pop st >>= operand st
  _ <- settleResults st (Slot slot)
  at <- emit st JumpTable 0 0 slot (length xs)
  _ <- Buffer.reserve (code st) (((length xs + 1) * 4 + 15) .&. (-16))
  stubs <- newIORef IntMap.empty
  -- Each label is looked at once: there may be a million indices of one.
  ways <- forM (IntMap.fromSet id (IntSet.fromList (x : xs))) $ \l -> do
    (frame, function) <- target st l
    ready <- inPlace st frame
    pure (if ready && not function then Just frame else Nothing)
  forM_ (zip [at + 16, at + 20 ..] (xs <> [x])) $ \(place, l) ->
    case join (IntMap.lookup l ways) of
      Just frame -> aim st frame (Patch at place)
      Nothing -> modifyIORef' stubs (IntMap.insertWith (<>) l [Patch at place])
  readIORef stubs >>= \m -> forM_ (IntMap.toList m) $ \(l, patches) -> do
    patchHere st patches
    branch st l
  die st
