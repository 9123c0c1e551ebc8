-- | Lowering: from a validated body to the register bytecode.
--
-- The idea: the operand stack is walked through, not run. Each operand has a
-- home slot by its height; constants and reads of locals stay in mind until an
-- instruction takes them as operands, a computed value goes to its home, and a
-- @local.set@ right behind redirects it into the local. A comparison right
-- before a branch becomes a compare-and-jump. At every label all operands that
-- cross it are in their homes, so that all ways to it agree.
--
-- Start at 'lower'; 'step' has a case for each instruction.
module Tern.Wasm.Lower
  ( lower,
  )
where

import Control.Monad (forM_, unless, void, when, zipWithM_)
import Data.Bits (shiftL, (.&.), (.|.))
import Data.IORef
import Data.Int (Int32)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.List qualified as List
import Data.Maybe (fromMaybe)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Unboxed.Mutable qualified as MU
import Data.Word (Word32, Word64, Word8)
import Foreign.ForeignPtr (ForeignPtr)
import Tern.Wasm.Binary.Instr (instrAt)
import Tern.Wasm.Buffer (Buffer)
import Tern.Wasm.Buffer qualified as Buffer
import Tern.Wasm.Code
import Tern.Wasm.Lower.Select
import Tern.Wasm.Opcode
import Tern.Wasm.Profile (Profile, nextBlock, noteInstr)
import Tern.Wasm.Syntax
import Tern.Wasm.Valid

-- | The bytecode of the function with an index among the module's own; with
-- counters for a profile, if there is one.
-- Linear in the body, up to a logarithm of the nesting.
lower :: Maybe Profile -> Valid -> Int -> IO (ForeignPtr Word8, Int)
lower counted valid x = do
  st <- start counted valid (x + spaceImportedFuncs (validSpaces valid)) (moduleFuncs (validModule valid) V.! x)
  beginBlock st
  walk st
  Buffer.freeze (code st)

-- * State

-- | An operand: its width, its home, and where its value is now.
data Entry = Entry !Width !Int !Place

data Place
  = Home
  | -- | Still in a local: its index and its slot.
    Alias !Int !Int
  | Constant !Word64

-- | A place in the code that holds a distance yet to be known: where the jump
-- that it belongs to begins, and where it is.
data Patch = Patch !Int !Int

data Frame = Frame
  { -- | The home of its first operand.
    frameBase :: !Int,
    -- | What a branch to it brings, and what it leaves.
    frameLabel :: ![Width],
    frameParams :: ![Width],
    frameResults :: ![Width],
    -- | Where a loop begins, or -1.
    frameStart :: !Int,
    framePatches :: !(IORef [Patch]),
    -- | The jump of an @if@ to what follows when its condition fails.
    frameElse :: !(IORef (Maybe Patch)),
    frameBelow :: ![Entry]
  }

data Env = Env
  { profile :: !(Maybe Profile),
    self :: !Index,
    counting :: !(IORef Int),
    code :: !Buffer,
    spaces :: !Spaces,
    places :: !Layout,
    body :: !Expr,
    locals :: !(Vector (Int, Width)),
    results :: ![Width],
    link :: !Int,
    stack :: !(IORef [Entry]),
    -- | The home of the next operand, and the end of all homes so far.
    top :: !(IORef Int),
    reach :: !(IORef Int),
    -- | Where the last instruction is and the home that it writes, if nothing
    -- has come between.
    out :: !(IORef (Int, Int)),
    -- | How many operands are aliases, all told and of each local.
    aliases :: !(IORef Int),
    aliasesOf :: !(MU.IOVector Int),
    frames :: !(IORef [Frame]),
    labels :: !(IORef (IntMap Frame)),
    depth :: !(IORef Int),
    -- | Whether the code here cannot be reached, and the blocks opened in it.
    dead :: !(IORef Bool),
    skipped :: !(IORef Int)
  }

start :: Maybe Profile -> Valid -> Index -> Func -> IO Env
start counted valid x (Func t groups e) = do
  b <- Buffer.new
  entry <- Buffer.reserve b unit
  Buffer.put16 b entry (fromEnum Enter)
  zeroes b (linkEnd, base)
  block <- newIORef 0
  st <-
    Env counted x block b sp (layout sp) e slots (map width (funcResults ft)) (linkOffset ft)
      <$> newIORef []
      <*> newIORef base
      <*> newIORef (base + 8)
      <*> newIORef nothing
      <*> newIORef 0
      <*> MU.replicate (V.length slots) 0
      <*> newIORef []
      <*> newIORef IntMap.empty
      <*> newIORef 0
      <*> newIORef False
      <*> newIORef 0
  frame <- newFrame base [] (map width (funcResults ft)) (-1) []
  writeIORef (frames st) [frame]
  writeIORef (labels st) (IntMap.singleton 0 frame)
  pure st
  where
    sp = validSpaces valid
    ft = spaceTypes sp V.! t
    linkEnd = linkOffset ft + linkSize
    paramSlots = offsets 0 (map width (funcParams ft))
    localSlots = offsets linkEnd (concatMap (\(n, ty) -> replicate n (width ty)) groups)
    slots = V.fromList (paramSlots <> localSlots)
    base = List.foldl' (\_ (o, w) -> o + widthBytes w) linkEnd localSlots

offsets :: Int -> [Width] -> [(Int, Width)]
offsets from ws = zip (scanl (+) from (map widthBytes ws)) ws

-- | Write zeroes to the slots between two offsets.
zeroes :: Buffer -> (Int, Int) -> IO ()
zeroes b (from, to)
  | n >= 4 = zero Zero4 >> zeroes b (from + 32, to)
  | n >= 2 = zero Zero2 >> zeroes b (from + 16, to)
  | n >= 1 = zero Zero1
  | otherwise = pure ()
  where
    n = (to - from) `div` 8
    zero op = do
      at <- Buffer.reserve b unit
      Buffer.put16 b at (fromEnum op)
      Buffer.put32 b (at + 4) from

newFrame :: Int -> [Width] -> [Width] -> Int -> [Entry] -> IO Frame
newFrame base params rs from below =
  (\patches other -> Frame base (if from >= 0 then params else rs) params rs from patches other below)
    <$> newIORef []
    <*> newIORef Nothing

nothing :: (Int, Int)
nothing = (-1, -1)

-- * Emitting

-- | Append an instruction of 16 bytes: op, d, a, b, c; where it is.
emit :: Env -> Op -> Int -> Int -> Int -> Int -> IO Int
emit st op d a b c = do
  writeIORef (out st) nothing
  at <- Buffer.reserve (code st) unit
  Buffer.put16 (code st) at (fromEnum op)
  Buffer.put16 (code st) (at + 2) d
  Buffer.put32 (code st) (at + 4) a
  Buffer.put32 (code st) (at + 8) b
  Buffer.put32 (code st) (at + 12) c
  pure at

emit_ :: Env -> Op -> Int -> Int -> Int -> IO ()
emit_ st op a b c = void (emit st op 0 a b c)

-- | Append an instruction of 32 bytes with two words behind the first 16.
emitWide :: Env -> Op -> Int -> Int -> Int -> Int -> (Word64, Word64) -> IO Int
emitWide st op d a b c (low, high) = do
  at <- emit st op d a b c
  _ <- Buffer.reserve (code st) unit
  Buffer.put64 (code st) (at + 16) low
  Buffer.put64 (code st) (at + 24) high
  pure at

-- | Two 32-bit fields as one word.
fields :: Int -> Int -> Word64
fields low high = (fromIntegral low .&. 0xFFFFFFFF) .|. (fromIntegral high `shiftL` 32)

-- | Push what an instruction writes to the next home.
result :: Env -> Width -> (Int -> IO Int) -> IO ()
result st w instruction = do
  home <- readIORef (top st)
  at <- instruction home
  push st w Home
  writeIORef (out st) (at, home)

-- | Fill in the distances of jumps to the present position.
patchHere :: Env -> [Patch] -> IO ()
patchHere st patches = unless (null patches) $ do
  here <- Buffer.position (code st)
  forM_ patches $ \(Patch base at) -> Buffer.put32 (code st) at (here - base)
  writeIORef (out st) nothing

-- * The operand stack

push :: Env -> Width -> Place -> IO ()
push st w place = do
  home <- readIORef (top st)
  case place of
    Alias x _ -> modifyIORef' (aliases st) (+ 1) >> MU.modify (aliasesOf st) (+ 1) x
    _ -> pure ()
  modifyIORef' (stack st) (Entry w home place :)
  setTop st (home + widthBytes w)

setTop :: Env -> Int -> IO ()
setTop st o = do
  writeIORef (top st) o
  reaches st o

reaches :: Env -> Int -> IO ()
reaches st o = modifyIORef' (reach st) (max o)

pop :: Env -> IO Entry
pop st =
  readIORef (stack st) >>= \case
    e@(Entry _ home place) : rest -> do
      case place of
        Alias x _ -> modifyIORef' (aliases st) (subtract 1) >> MU.modify (aliasesOf st) (subtract 1) x
        _ -> pure ()
      writeIORef (stack st) rest
      writeIORef (top st) home
      pure e
    -- Validation has seen to it that there is one.
    [] -> do
      home <- readIORef (top st)
      pure (Entry W64 home (Constant 0))

-- | The slot from which an operand can be read; a constant is put in its home.
operand :: Env -> Entry -> IO Int
operand st (Entry w home place) = case place of
  Home -> pure home
  Alias _ slot -> pure slot
  Constant _ -> home <$ move st w place home home

-- | Put a value of a width, at a place or its home, into a slot.
move :: Env -> Width -> Place -> Int -> Int -> IO ()
move st w place home to = case place of
  Home -> copy home
  Alias _ slot -> copy slot
  Constant v -> case w of
    W32 -> emit_ st Const32 to (fromIntegral (fromIntegral v :: Int32)) 0
    _ -> do
      at <- emit st Const64 0 to 0 0
      Buffer.put64 (code st) (at + 8) v
  where
    copy from = when (from /= to) $ emit_ st (copyOp w) to from 0

-- | Put operands in their homes: the top ones of a number, or as many as are
-- aliases (of one local or of any).
settleTop :: Env -> Int -> IO ()
settleTop st n = do
  (upper, lower_) <- splitAt n <$> readIORef (stack st)
  unless (all atHome upper) $ do
    upper' <- mapM (settle st) (reverse upper)
    writeIORef (stack st) (List.foldl' (flip (:)) lower_ upper')
  where
    atHome = \case
      Entry _ _ Home -> True
      _ -> False

settle :: Env -> Entry -> IO Entry
settle st e@(Entry w home place) = case place of
  Home -> pure e
  _ -> do
    move st w place home home
    forget st place
    pure (Entry w home Home)

forget :: Env -> Place -> IO ()
forget st = \case
  Alias x _ -> modifyIORef' (aliases st) (subtract 1) >> MU.modify (aliasesOf st) (subtract 1) x
  _ -> pure ()

settleAliases :: Env -> IO ()
settleAliases st = do
  n <- readIORef (aliases st)
  when (n > 0) $ do
    entries <- readIORef (stack st)
    entries' <- go n entries
    writeIORef (stack st) entries'
  where
    go :: Int -> [Entry] -> IO [Entry]
    go 0 rest = pure rest
    go n (e@(Entry _ _ (Alias _ _)) : rest) = (:) <$> settle st e <*> go (n - 1) rest
    go n (e : rest) = (e :) <$> go n rest
    go _ [] = pure []

-- | The same for one local that is about to change. Where its aliases are not
-- near the top all aliases are settled, so that the search is paid for once.
settleAliasesOf :: Env -> Int -> IO ()
settleAliasesOf st x = do
  n <- MU.read (aliasesOf st) x
  when (n > 0) $ do
    entries <- readIORef (stack st)
    if length (filter ofLocal (take 64 entries)) == n
      then go n entries >>= writeIORef (stack st)
      else settleAliases st
  where
    ofLocal = \case
      Entry _ _ (Alias y _) -> x == y
      _ -> False
    go :: Int -> [Entry] -> IO [Entry]
    go 0 rest = pure rest
    go n (e : rest)
      | ofLocal e = (:) <$> settle st e <*> go (n - 1) rest
      | otherwise = (e :) <$> go n rest
    go _ [] = pure []

-- * Walking

walk :: Env -> IO ()
walk st = go 0
  where
    go p = do
      d <- readIORef (depth st)
      when (d >= 0) $ case instrAt (body st) p of
        Right (i, next) -> do
          unreachable <- readIORef (dead st)
          if unreachable then skip st i else count i >> step st i
          when (begins i) (beginBlock st)
          go next
        -- The decoder has read these bytes.
        Left _ -> emit_ st Stop 0 0 0 >> finish st

    count i = case i of
      Block _ -> pure ()
      Loop _ -> pure ()
      Else -> pure ()
      End -> pure ()
      _ -> mapM_ (\p -> readIORef (counting st) >>= \n -> noteInstr p n i) (profile st)
    begins = \case
      Loop _ -> True
      If _ -> True
      Else -> True
      End -> True
      BrIf _ -> True
      _ -> False

-- | For a profile, count from here on as another block.
beginBlock :: Env -> IO ()
beginBlock st = do
  unreachable <- readIORef (dead st)
  unless unreachable . forM_ (profile st) $ \p -> do
    n <- nextBlock p (self st)
    writeIORef (counting st) n
    emit_ st Tally (8 * n) 0 0

finish :: Env -> IO ()
finish st = do
  writeIORef (depth st) (-1)
  furthest <- readIORef (reach st)
  Buffer.put32 (code st) 4 furthest

-- | In code that cannot be reached only the nesting matters.
skip :: Env -> Instr -> IO ()
skip st i = do
  n <- readIORef (skipped st)
  case i of
    Block _ -> writeIORef (skipped st) (n + 1)
    Loop _ -> writeIORef (skipped st) (n + 1)
    If _ -> writeIORef (skipped st) (n + 1)
    Else | n == 0 -> otherwise_ st False
    End
      | n == 0 -> end st False
      | otherwise -> writeIORef (skipped st) (n - 1)
    _ -> pure ()

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
    [] -> newFrame 0 [] [] (-1) []

-- * Blocks

open :: Env -> FuncType -> Bool -> Maybe Patch -> IO ()
open st (FuncType params rs) loops other = do
  let n = length params
  settleTop st n
  settleAliases st
  here <- Buffer.position (code st)
  when loops (writeIORef (out st) nothing)
  entries <- readIORef (stack st)
  o <- readIORef (top st)
  let ws = map width params
      base = o - sum (map widthBytes ws)
  frame <- newFrame base ws (map width rs) (if loops then here else -1) (drop n entries)
  writeIORef (frameElse frame) other
  d <- (+ 1) <$> readIORef (depth st)
  writeIORef (depth st) d
  modifyIORef' (frames st) (frame :)
  modifyIORef' (labels st) (IntMap.insert d frame)

-- | Set the stack to the operands of a block above what lies below it.
restack :: Env -> Frame -> [Width] -> IO ()
restack st frame ws = do
  writeIORef (stack st) (List.foldl' (\es (o, w) -> Entry w o Home : es) (frameBelow frame) (offsets (frameBase frame) ws))
  setTop st (frameBase frame + sum (map widthBytes ws))

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
      let all_ = maybe id (:) other patches
      patchHere st all_
      restack st frame (frameResults frame)
      modifyIORef' (frames st) (drop 1)
      modifyIORef' (labels st) (IntMap.delete d)
      writeIORef (depth st) (d - 1)
      writeIORef (dead st) False
      unless (live || not (null all_)) (die st)

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
  zipWithM_ (\(o, _) (Entry w home place) -> move st w place home o) (offsets base ws) (reverse entries)

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

branchIf :: Env -> Index -> IO ()
branchIf st x = do
  was <- popCondition st
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
data Condition = Slot !Int | Compared !Int !Op

popCondition :: Env -> IO Condition
popCondition st = do
  (at, home) <- readIORef (out st)
  e@(Entry _ h place) <- pop st
  op <- toEnum <$> if at >= 0 then Buffer.get16 (code st) at else pure 0
  case place of
    Home | at >= 0, home == h, isComparison op -> pure (Compared at op)
    _ -> Slot <$> operand st e

-- | Jump if the condition is as said; the distance is yet to be filled in.
-- A comparison becomes the jump in place, so nothing may be written between.
jumpOn :: Env -> Bool -> Condition -> IO Patch
jumpOn st sense = \case
  Slot slot -> do
    at <- emit st (if sense then JumpIf else JumpIfNot) 0 0 slot 0
    pure (Patch at (at + 4))
  Compared at op -> do
    let (jump, swapped) = comparisonJump sense op
    Buffer.put16 (code st) at (fromEnum jump)
    when swapped (swap st at)
    writeIORef (out st) nothing
    pure (Patch at (at + 4))

-- | Exchange the operands b and c of an instruction.
swap :: Env -> Int -> IO ()
swap st at = do
  b <- Buffer.get32 (code st) (at + 8)
  c <- Buffer.get32 (code st) (at + 12)
  Buffer.put32 (code st) (at + 8) c
  Buffer.put32 (code st) (at + 12) b

branchTable :: Env -> [Index] -> Index -> IO ()
branchTable st xs x = do
  slot <- pop st >>= operand st
  _ <- settleResults st (Slot slot)
  at <- emit st JumpTable 0 0 slot (length xs)
  _ <- Buffer.reserve (code st) (((length xs + 1) * 4 + 15) .&. (-16))
  stubs <- newIORef IntMap.empty
  forM_ (zip [at + 16, at + 20 ..] (xs <> [x])) $ \(place, l) -> do
    (frame, function) <- target st l
    ready <- inPlace st frame
    if ready && not function
      then aim st frame (Patch at place)
      else modifyIORef' stubs (IntMap.insertWith (<>) l [Patch at place])
  readIORef stubs >>= \m -> forM_ (IntMap.toList m) $ \(l, patches) -> do
    patchHere st patches
    branch st l
  die st

-- * Instructions

step :: Env -> Instr -> IO ()
step st i = case i of
  LocalGet x -> let (slot, w) = local x in push st w (Alias x slot)
  LocalSet x -> void (setLocal x)
  LocalTee x -> do
    place <- setLocal x
    push st (snd (local x)) place
  I32Const v -> push st W32 (Constant (fromIntegral (fromIntegral v :: Word32)))
  I64Const v -> push st W64 (Constant (fromIntegral v))
  F32Const v -> push st W32 (Constant (fromIntegral v))
  F64Const v -> push st W64 (Constant v)
  Plain op -> plain st op
  Access op m -> access st op m
  Block bt -> open st (signature bt) False Nothing
  Loop bt -> open st (signature bt) True Nothing
  If bt -> do
    let ft = signature bt
    e <- popCondition st
    -- Settling writes instructions, which must not come between a comparison and
    -- its jump; and what it settles is not what the comparison reads.
    quiet <- settled (length (funcParams ft))
    condition <-
      if quiet
        then pure e
        else case e of
          Slot _ -> pure e
          Compared compared _ -> Slot <$> Buffer.get32 (code st) (compared + 4)
    settleTop st (length (funcParams ft))
    settleAliases st
    patch <- jumpOn st False condition
    open st ft False (Just patch)
  Else -> otherwise_ st True
  End -> end st True
  Br x -> branch st x >> die st
  BrIf x -> branchIf st x
  BrTable xs x -> branchTable st xs x
  Return -> leave st >> die st
  Unreachable -> emit_ st Stop 0 0 0 >> die st
  Nop -> pure ()
  Call x -> do
    let ft = spaceFuncs sp V.! x
    calls ft $ \delta ->
      if x < spaceImportedFuncs sp
        then emit_ st CallImport delta x 0
        else emit_ st CallOwn delta (8 * x) (linkOffset ft)
  CallIndirect x t -> do
    let ft = spaceTypes sp V.! t
    index <- pop st >>= operand st
    calls ft $ \delta ->
      void (emitWide st CallTable 0 delta index (layoutTables at + 8 * x) (fields (layoutTypes at + 8 * t) (linkOffset ft), 0))
  Drop -> void (pop st)
  Select -> select
  SelectT _ -> select
  GlobalGet x -> do
    let w = globalWidth x
    result st w $ \home -> emit st (globalOp (x < spaceImportedGlobals sp) False w) 0 home (layoutGlobals at + 16 * x) 0
  GlobalSet x -> do
    slot <- pop st >>= operand st
    emit_ st (globalOp (x < spaceImportedGlobals sp) True (globalWidth x)) slot (layoutGlobals at + 16 * x) 0
  TableGet x -> driven DoTableGet 1 [W64] x 0
  TableSet x -> driven DoTableSet 2 [] x 0
  TableGrow x -> driven DoTableGrow 2 [W32] x 0
  TableSize x -> driven DoTableSize 0 [W32] x 0
  TableFill x -> driven DoTableFill 3 [] x 0
  TableCopy x y -> driven DoTableCopy 3 [] x y
  TableInit x y -> driven DoTableInit 3 [] x y
  ElemDrop x -> driven DoElemDrop 0 [] x 0
  MemorySize -> result st W32 $ \home -> emit st CountPages 0 home 0 0
  MemoryGrow -> driven DoMemoryGrow 1 [W32] 0 0
  MemoryInit x -> driven DoMemoryInit 3 [] x 0
  MemoryCopy -> driven DoMemoryCopy 3 [] 0 0
  MemoryFill -> driven DoMemoryFill 3 [] 0 0
  DataDrop x -> driven DoDataDrop 0 [] x 0
  RefNull _ -> push st W64 (Constant 0)
  RefIsNull -> do
    slot <- pop st >>= operand st
    result st W32 $ \home -> emit st EqI64 0 home slot 0
  RefFunc x -> result st W64 $ \home -> emit st Global64 0 home (layoutFuncs at + 8 * x) 0
  AccessLane op m lane -> do
    let loads = op < 0x258
    vector <- pop st >>= operand st
    address <- pop st >>= operand st
    let immediate = (fields (offsetOf m) (fromIntegral lane), 0)
    if loads
      then result st W128 $ \home -> emitWide st Simd (op - 0x200) home address vector immediate
      else void (emitWide st Simd (op - 0x200) 0 address vector immediate)
  Lane op lane -> simd op (const (fields 0 (fromIntegral lane), 0))
  V128Const low high -> result st W128 $ \home -> emitWide st Simd 0x0C home 0 0 (low, high)
  I8x16Shuffle low high -> vectors 0x20D [V128] 2 (const (low, high))
  where
    sp = spaces st
    at = places st
    local x = locals st V.! x
    signature = \case
      BlockNone -> FuncType [] []
      BlockValue t -> FuncType [] [t]
      BlockIndex x -> spaceTypes sp V.! x
    globalWidth x = width (globalValue (spaceGlobals sp V.! x))
    settled n = do
      k <- readIORef (aliases st)
      entries <- take n <$> readIORef (stack st)
      pure (k == 0 && all home_ entries)
    home_ = \case
      Entry _ _ Home -> True
      _ -> False
    -- Where the value can be read afterwards.
    setLocal x = do
      let (slot, w) = local x
      (place, home) <- readIORef (out st)
      e@(Entry _ h was) <- pop st
      n <- MU.read (aliasesOf st) x
      case was of
        Home
          | n == 0,
            place >= 0,
            home == h -> do
              Buffer.put32 (code st) (place + 4) slot
              writeIORef (out st) nothing
              pure (Alias x slot)
        _ -> do
          settleAliasesOf st x
          let Entry _ from _ = e
          move st w was from slot
          writeIORef (out st) nothing
          pure $ case was of
            Home -> Alias x slot
            _ -> was
    calls ft instruction = do
      settleTop st (length (funcParams ft))
      forM_ (funcParams ft) $ \_ -> pop st
      delta <- readIORef (top st)
      () <- instruction delta
      reaches st (delta + linkOffset ft + linkSize)
      forM_ (funcResults ft) $ \t -> push st (width t) Home
    -- An instruction that the driver runs: so many operands in their homes.
    driven op n rs b c = do
      settleTop st n
      forM_ [1 .. n] $ \_ -> pop st
      home <- readIORef (top st)
      reaches st (home + 32)
      emit_ st op home b c
      forM_ rs $ \w -> push st w Home
    select = do
      condition <- pop st >>= operand st
      y <- pop st
      x@(Entry w _ _) <- pop st
      b <- operand st x
      c <- operand st y
      result st w $ \home -> emitWide st (selectOp w) 0 home b c (fields condition 0, 0)
    simd op = vectors op rs (length ps)
      where
        (ps, rs) = maybe ([], []) (\o -> (operatorParams o, operatorResults o)) (operator op)
    vectors op rs n immediate = vectorOp st op (map width rs) n immediate

offsetOf :: MemArg -> Int
offsetOf = fromIntegral . memOffset

-- | A vector operator with so many operands; the third, if there is one, stands
-- in the immediate.
vectorOp :: Env -> Opcode -> [Width] -> Int -> (Int -> (Word64, Word64)) -> IO ()
vectorOp st op rs n immediate = do
  entries <- reverse <$> mapM (const (pop st)) [1 .. n]
  slots <- mapM (operand st) entries
  let (b, c, third) = case slots of
        [x, y, z] -> (x, y, z)
        [x, y] -> (x, y, 0)
        [x] -> (x, 0, 0)
        _ -> (0, 0, 0)
  case rs of
    [w] -> result st w $ \home -> emitWide st Simd (op - 0x200) home b c (immediate third)
    _ -> void (emitWide st Simd (op - 0x200) 0 b c (immediate third))

access :: Env -> Opcode -> MemArg -> IO ()
access st op m
  | op >= 0x200 =
      if op == 0x20B
        then vectorOp st op [] 2 (const (fields offset 0, 0))
        else vectorOp st op [W128] 1 (const (fields offset 0, 0))
  | op <= 0x35 = do
      e <- pop st
      case constantAddress e of
        Just address
          | Just fixed <- loadAt load ->
              result st w $ \home -> emit st fixed 0 home 0 address
        _ -> do
          slot <- operand st e
          result st w $ \home -> emit st load 0 home slot offset
  | otherwise = do
      value <- pop st >>= operand st
      e <- pop st
      case constantAddress e of
        Just address
          | Just fixed <- storeAt store -> emit_ st fixed value 0 address
        _ -> do
          slot <- operand st e
          emit_ st store value slot offset
  where
    offset = offsetOf m
    (load, w) = loadOp op
    store = storeOp op
    constantAddress = \case
      Entry _ _ (Constant v) | address <- fromIntegral v + offset, address < 0x100000000 -> Just address
      _ -> Nothing

plain :: Env -> Opcode -> IO ()
plain st op = case selection op of
  Same w -> do
    Entry _ _ place <- pop st
    o <- readIORef (out st)
    push st w place
    writeIORef (out st) o
  Unary f w -> do
    slot <- pop st >>= operand st
    result st w $ \home -> emit st f 0 home slot 0
  SlowUnary w -> do
    slot <- pop st >>= operand st
    result st w $ \home -> emit st Slow op home slot 0
  SlowBinary w -> do
    y <- pop st
    x <- pop st
    b <- operand st x
    c <- operand st y
    result st w $ \home -> emit st Slow op home b c
  IsZero f -> do
    (at, home) <- readIORef (out st)
    e@(Entry _ h place) <- pop st
    before <- toEnum <$> if at >= 0 then Buffer.get16 (code st) at else pure 0
    case (place, negated before) of
      (Home, Just (opposite, swapped))
        | at >= 0,
          home == h -> do
            Buffer.put16 (code st) at (fromEnum opposite)
            when swapped (swap st at)
            push st W32 Home
            writeIORef (out st) (at, home)
      _ -> do
        slot <- operand st e
        result st W32 $ \dst -> emit st f 0 dst slot 0
  Binary f immediate swapped w -> do
    y@(Entry yw _ yp) <- pop st
    x@(Entry _ _ xp) <- pop st
    case (yp, xp) of
      (Constant v, _) | Just (g, k) <- immediate False yw v -> constant g k x w
      (_, Constant v) | Just (g, k) <- immediate True yw v -> constant g k y w
      _ -> do
        b <- operand st x
        c <- operand st y
        result st w $ \home -> if swapped then emit st f 0 home c b else emit st f 0 home b c
  Vector n w -> vectorOp st op [w] n (\third -> (fields third 0, 0))
  where
    constant g k e w = do
      slot <- operand st e
      result st w $ \home -> emit st g 0 home slot k
