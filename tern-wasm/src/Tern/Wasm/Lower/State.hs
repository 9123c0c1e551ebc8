-- | What lowering knows at an instruction, and writing what it decides.
--
-- The idea: the operand stack is a list of entries; each has a home slot by its
-- height, and its value is there, still in a local, or a constant. 'push', 'pop'
-- and 'settle' keep count of the aliases of locals, so that a local can be
-- written without a search when nothing on the stack still reads it.
--
-- Start at 'Env', 'result' and 'operand'.
module Tern.Wasm.Lower.State
  ( -- * State
    Options (..),
    Env (..),
    Entry (..),
    Held (..),
    Patch (..),
    Frame (..),
    start,
    newFrame,
    offsets,
    nothing,

    -- * Emitting
    emit,
    emit_,
    emitWide,
    fields,
    result,
    patchHere,
    gate,
    breakStraight,
    breakBefore,

    -- * The operand stack
    push,
    pop,
    setTop,
    reaches,
    operand,
    constantOf,
    noteConstant,
    forgetConstants,
    move,
    settleTop,
    settleAliases,
    settleAliasesOf,
  )
where

import Control.Monad (forM_, unless, void, when)
import Data.Bits (shiftL, (.&.), (.|.))
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import Data.Int (Int32)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.List qualified as List
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Unboxed.Mutable qualified as MU
import Data.Word (Word64)
import Tern.Wasm.Buffer (Buffer)
import Tern.Wasm.Buffer qualified as Buffer
import Tern.Wasm.Byte (opNumber)
import Tern.Wasm.Code (Handler, Op (..), linkOffset, linkSize, unit)
import Tern.Wasm.Layout (Layout, layout)
import Tern.Wasm.Lower.Select (Width (..), copyOp, width, widthBytes)
import Tern.Wasm.Lower.Straight (straightBefore, straightMost, weighed)
import Tern.Wasm.Meaning (meaning)
import Tern.Wasm.Native.Processor (Processor)
import Tern.Wasm.Native.Tier (Tier (..))
import Tern.Wasm.Profile (Profile)
import Tern.Wasm.Syntax (Expr, Func (..), FuncType (..), Index)
import Tern.Wasm.Valid (Spaces, Valid (..), funcTypeAt)

-- * State

-- | An operand: its width, its home, and where its value is now.
data Entry = Entry !Width !Int !Held

-- | Where an operand's value is: in its home, in a local, or nowhere yet, as a constant, of which
-- the low bits count that its width has.
data Held
  = Home
  | -- | Still in a local: its index and its slot.
    Alias !Int !Int
  | Constant !Word64

-- | A place in the code that holds a distance yet to be known: where the jump
-- that it belongs to begins, and where it is.
data Patch = Patch !Int !Int

-- | What is known of an open block, or of the function's body, until its end.
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
    frameBelow :: ![Entry],
    -- | What it catches, each yet without where its code ends.
    frameCatches :: ![Handler]
  }

-- | What is known of the function that is lowered, what has been written of it, and what is on the
-- operand stack. Offsets are in bytes: of slots from the frame, of code from its beginning.
data Env = Env
  { options :: !Options,
    self :: !Index,
    -- | From which byte of the module the instruction comes that is looked for
    -- ('optionSought').
    origin :: !(IORef (Maybe Int)),
    -- | Of the blocks that have ended, the last first.
    handlers :: !(IORef [Handler]),
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
    skipped :: !(IORef Int),
    -- | How much has been written since the last instruction that takes fuel on every
    -- way through it, or that control does not come through. See 'straightMost'.
    straight :: !(IORef Int),
    -- | Locals that hold a constant here, whichever way control came: what was set since the
    -- last label. Who writes a label forgets them.
    constants :: !(IORef (IntMap Word64))
  }

-- | How to lower.
data Options = Options
  { -- | Count what runs.
    optionProfile :: !(Maybe Profile),
    -- | Every NaN that an operator makes is the canonical one.
    optionCanonical :: !Bool,
    -- | Find out which instruction the bytecode so far from the start comes from.
    optionSought :: !(Maybe Int),
    -- | Whether there may be native code, and when it is made: gates are put where
    -- it may be entered.
    optionTier :: !Tier,
    -- | Which processor native code is for.
    optionProcessor :: !Processor
  }

-- | The state before the first instruction of a function, given the most bytes that its code may
-- have and its index in the module, imports counted. Written so far: its entry, and zeroes to the
-- slots of its declared locals.
start :: Int -> Options -> Valid -> Index -> Func -> IO Env
start most how valid x (Func t groups e) = do
  b <- Buffer.new most
  entry <- Buffer.reserve b unit
  Buffer.put16 b entry (opNumber Enter)
  zeroes how b 0 (linkEnd, base)
  block <- newIORef 0
  from <- newIORef Nothing
  caught <- newIORef []
  st <-
    Env
      how
      x
      from
      caught
      block
      b
      sp
      (layout sp)
      e
      slots
      (map width (funcResults ft))
      (linkOffset ft)
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
      <*> newIORef 0
      <*> newIORef IntMap.empty
  frame <- newFrame base [] (map width (funcResults ft)) (-1) [] []
  writeIORef (frames st) [frame]
  writeIORef (labels st) (IntMap.singleton 0 frame)
  pure st
  where
    sp = validSpaces valid
    ft = funcTypeAt sp t
    linkEnd = linkOffset ft + linkSize
    paramSlots = offsets 0 (map width (funcParams ft))
    localSlots = offsets linkEnd (concatMap (\(n, ty) -> replicate n (width ty)) groups)
    slots = V.fromList (paramSlots <> localSlots)
    base = linkEnd + sum (map (widthBytes . snd) localSlots)

-- | Where values of such widths lie, in bytes, that follow each other from an offset on; each with
-- its width.
offsets :: Int -> [Width] -> [(Int, Width)]
offsets from ws = zip (scanl (+) from (map widthBytes ws)) ws

-- | Write zeroes to the slots between two offsets; @before@ instructions were written
-- already.
zeroes :: Options -> Buffer -> Int -> (Int, Int) -> IO ()
zeroes how b before (from, to)
  | before >= straightMost = onwards >> zeroes how b 0 (from, to)
  | n >= 4 = zero Zero4 >> zeroes how b (before + 1) (from + 32, to)
  | n >= 2 = zero Zero2 >> zeroes how b (before + 1) (from + 16, to)
  | n >= 1 = zero Zero1
  | otherwise = pure ()
  where
    n = (to - from) `div` 8
    zero op = do
      at <- Buffer.reserve b unit
      Buffer.put16 b at (opNumber op)
      Buffer.put32 b (at + 4) from
    onwards = do
      at <- Buffer.reserve b unit
      Buffer.put16 b at (opNumber Jump)
      Buffer.put32 b (at + 4) unit
      when (optionTier how /= Interpreter) $ do
        gate_ <- Buffer.reserve b unit
        Buffer.put16 b gate_ (opNumber Gate)

-- | A block to which nothing jumps yet: its base, the widths of its parameters and results, where
-- it begins if it is a loop (else -1), what lies below its parameters, and what it catches. A
-- branch to a loop brings parameters, to another block results.
newFrame :: Int -> [Width] -> [Width] -> Int -> [Entry] -> [Handler] -> IO Frame
newFrame base params rs from below catches =
  ( \patches other ->
      Frame base (if from >= 0 then params else rs) params rs from patches other below catches
  )
    <$> newIORef []
    <*> newIORef Nothing

-- | What 'out' holds where no instruction's result may be led elsewhere.
nothing :: (Int, Int)
nothing = (-1, -1)

-- * Emitting

-- | Append an instruction of 16 bytes: op, d, a, b, c; where it is.
emit :: Env -> Op -> Int -> Int -> Int -> Int -> IO Int
emit st op d a b c = do
  writeIORef (out st) nothing
  modifyIORef' (straight st) (weighed (meaning op))
  at <- Buffer.reserve (code st) unit
  Buffer.put16 (code st) at (opNumber op)
  Buffer.put16 (code st) (at + 2) d
  Buffer.put32 (code st) (at + 4) a
  Buffer.put32 (code st) (at + 8) b
  Buffer.put32 (code st) (at + 12) c
  pure at

-- | The same with a field d of 0, where nobody asks for the place.
emit_ :: Env -> Op -> Int -> Int -> Int -> IO ()
emit_ st op a b c = void (emit st op 0 a b c)

-- * Straight code

-- | Where much has been written in a row, a jump to what follows: code that neither
-- jumps nor calls takes fuel too, and is looked at.
breakStraight :: Env -> IO ()
breakStraight st = do
  n <- readIORef (straight st)
  when (n >= straightMost) $ do
    at <- emit st Jump 0 0 0 0
    patchHere st [Patch at (at + 4)]

-- | The same before a loop, with less written: the jump leads to the loop's beginning, which is
-- written next.
breakBefore :: Env -> IO ()
breakBefore st = do
  n <- readIORef (straight st)
  when (n >= straightBefore) $ do
    at <- emit st Jump 0 0 0 0
    Buffer.put32 (code st) (at + 4) unit

-- | Append an instruction of 32 bytes with two words after the first 16.
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
  forgetConstants st
  writeIORef (out st) nothing
  gate st

-- | Let native code be entered here, if there may be any.
gate :: Env -> IO ()
gate st = when (optionTier (options st) /= Interpreter) $ emit_ st Gate 0 0 0

-- * The operand stack

-- | Push an operand, whose home is the present 'top'. An alias is counted.
push :: Env -> Width -> Held -> IO ()
push st w place = do
  home <- readIORef (top st)
  case place of
    Alias x _ -> modifyIORef' (aliases st) (+ 1) >> MU.modify (aliasesOf st) (+ 1) x
    _ -> pure ()
  modifyIORef' (stack st) (Entry w home place :)
  setTop st (home + widthBytes w)

-- | Let the next operand's home be at an offset; the frame reaches as far at least.
setTop :: Env -> Int -> IO ()
setTop st o = do
  writeIORef (top st) o
  reaches st o

-- | Let the frame reach as far as an offset at least.
reaches :: Env -> Int -> IO ()
reaches st o = modifyIORef' (reach st) (max o)

-- | Take the top operand, whose home is then the next one's; an alias is no longer counted. From an
-- empty stack, which validation rules out, a constant 0.
pop :: Env -> IO Entry
pop st =
  readIORef (stack st) >>= \case
    e@(Entry _ home place) : rest -> do
      case place of
        Alias x _ ->
          modifyIORef' (aliases st) (subtract 1) >> MU.modify (aliasesOf st) (subtract 1) x
        _ -> pure ()
      writeIORef (stack st) rest
      writeIORef (top st) home
      pure e
    -- Validation has seen to it that there is one.
    [] -> do
      home <- readIORef (top st)
      pure (Entry W64 home (Constant 0))

-- | The number that an operand is, where that is known: a constant, or a local that holds one.
-- Of an operand of 32 bits it is these bits: where a number was wrapped, its place still holds
-- all 64.
constantOf :: Env -> Entry -> IO (Maybe Word64)
constantOf st (Entry w _ place) = fmap (bitsOf w) <$> held
  where
    held = case place of
      Home -> pure Nothing
      Alias x _ -> IntMap.lookup x <$> readIORef (constants st)
      Constant v -> pure (Just v)
    bitsOf = \case
      W32 -> (.&. 0xffffffff)
      W64 -> id
      W128 -> id

-- | A local was set to an operand.
noteConstant :: Env -> Int -> Entry -> IO ()
noteConstant st x e =
  constantOf st e >>= \known -> modifyIORef' (constants st) (IntMap.alter (const known) x)

-- | Control may come here with other locals.
forgetConstants :: Env -> IO ()
forgetConstants st = writeIORef (constants st) IntMap.empty

-- | The slot from which an operand can be read; a constant is put in its home.
operand :: Env -> Entry -> IO Int
operand st (Entry w home place) = case place of
  Home -> pure home
  Alias _ slot -> pure slot
  Constant _ -> home <$ move st w place home home

-- | Put a value of a width, at a place or its home, into a slot.
move :: Env -> Width -> Held -> Int -> Int -> IO ()
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

-- | Put the top @n@ operands in their homes.
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

forget :: Env -> Held -> IO ()
forget st = \case
  Alias x _ -> modifyIORef' (aliases st) (subtract 1) >> MU.modify (aliasesOf st) (subtract 1) x
  _ -> pure ()

-- | The same for all aliases, of any local. The stack is gone through down to the lowest of them.
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
