-- | Operators, loads and stores.
--
-- Start at 'plain' and 'access'.
module Tern.Wasm.Lower.Operator
  ( plain,
    access,
    vectorOp,
    vectorAccess,
    wideMemory,
    wideTable,
  )
where

import Control.Monad (void, when)
import Data.Bits (shiftR)
import Data.IORef
import Data.List (isPrefixOf)
import Data.Vector qualified as V
import Data.Word (Word64)
import Tern.Wasm.Buffer qualified as Buffer
import Tern.Wasm.Code
import Tern.Wasm.Layout
import Tern.Wasm.Lower.Block
import Tern.Wasm.Lower.Select
import Tern.Wasm.Lower.State
import Tern.Wasm.Meaning (Branches (..), Order (..))
import Tern.Wasm.Opcode
import Tern.Wasm.Syntax
import Tern.Wasm.Valid

offsetOf :: MemArg -> Int
offsetOf = fromIntegral . memOffset

-- | Whether the loop's own registers do not serve a memory: it is not the first,
-- or has 64-bit addresses.
farMemory :: Env -> Index -> Bool
farMemory st x = x > 0 || wideMemory st x

wideMemory, wideTable :: Env -> Index -> Bool
wideMemory st x = maybe False ((== Address64) . memoryAddress) (spaceMems (spaces st) V.!? x)
wideTable st x = maybe False ((== Address64) . tableAddress) (spaceTables (spaces st) V.!? x)

-- | Where the instance's block has a memory's record.
recordOf :: Env -> Index -> Int
recordOf st x = layoutMems (places st) + 8 * x

-- | A vector access: the instruction, and its immediate with a lane.
vectorAccess :: Env -> MemArg -> Int -> (Op, (Word64, Word64))
vectorAccess st m@(MemArg _ k _) lane
  | farMemory st k = (SimdFar, (fields offset lane, fields (2 * recordOf st k + fromEnum (wideMemory st k)) (offset `shiftR` 32)))
  | otherwise = (Simd, (fields offset lane, 0))
  where
    offset = offsetOf m

-- | A vector operator with @n@ operands, at most three; the third, if there is one,
-- stands in the immediate.
vectorOp :: Env -> Op -> Opcode -> [Width] -> Int -> (Int -> (Word64, Word64)) -> IO ()
vectorOp st how op rs n immediate = do
  entries <- reverse <$> mapM (const (pop st)) [1 .. n]
  slots <- mapM (operand st) entries
  let (b, c, third) = case slots of
        [x, y, z] -> (x, y, z)
        [x, y] -> (x, y, 0)
        [x] -> (x, 0, 0)
        _ -> (0, 0, 0)
  case rs of
    [w] -> result st w $ \home -> emitWide st how (determined op - 0x200) home b c (immediate third)
    _ -> void (emitWide st how (determined op - 0x200) 0 b c (immediate third))

-- | Where the specification leaves a choice to a relaxed operator, the operator
-- that makes one of the choices.
determined :: Opcode -> Opcode
determined op = case op of
  0x300 -> 0x20E
  0x301 -> 0x2F8
  0x302 -> 0x2F9
  0x303 -> 0x2FC
  0x304 -> 0x2FD
  0x30D -> 0x2E8
  0x30E -> 0x2E9
  0x30F -> 0x2F4
  0x310 -> 0x2F5
  0x311 -> 0x282
  _
    | op >= 0x309 && op <= 0x30C -> 0x252
    | otherwise -> op

access :: Env -> Opcode -> MemArg -> IO ()
access st op m
  | op >= 0x200 =
      let (how, immediate) = vectorAccess st m 0
       in if op == 0x20B
            then vectorOp st how op [] 2 (const immediate)
            else vectorOp st how op [W128] 1 (const immediate)
  | farMemory st (memIndex m) = do
      let immediate = (fromIntegral (memOffset m), if wideMemory st (memIndex m) then 1 else 0)
      if op <= 0x35
        then do
          slot <- pop st >>= operand st
          result st w $ \home -> emitWide st Far op home slot (recordOf st (memIndex m)) immediate
        else do
          y <- pop st
          x <- pop st
          slot <- operand st x
          value <- operand st y
          void (emitWide st Far op value slot (recordOf st (memIndex m)) immediate)
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
plain st op = do
  operator_ st op
  when (optionCanonical (options st)) (canonical st op)

-- | Where an operator can make a NaN, make that the canonical one.
canonical :: Env -> Opcode -> IO ()
canonical st op
  | scalar 0x8D 0x97 || op == 0xB6 = one Canonical32 W32
  | scalar 0x9B 0xA5 || op == 0xBB = one Canonical64 W64
  | op >= 0x200, "f32x4." `isPrefixOf` name, makesNaN = vectorOp st Simd 0x3F0 [W128] 1 (const (0, 0))
  | op >= 0x200, "f64x2." `isPrefixOf` name, makesNaN = vectorOp st Simd 0x3F1 [W128] 1 (const (0, 0))
  | otherwise = pure ()
  where
    scalar a b = op >= a && op <= b
    name = operatorName op
    makesNaN = any (`isPrefixOf` drop 6 name) ["ceil", "floor", "trunc", "nearest", "sqrt", "add", "sub", "mul", "div", "min", "max", "demote", "promote", "relaxed_m", "relaxed_n"]
    one how w = do
      slot <- pop st >>= operand st
      result st w $ \home -> emit st how 0 home slot 0

operator_ :: Env -> Opcode -> IO ()
operator_ st op = case selection op of
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
    before <- comparisonAt st at
    case (place, before) of
      (Home, Just compared)
        | home == h,
          Just opposite <- branchOpposite compared -> do
            Buffer.put16 (code st) at (fromEnum opposite)
            when (branchOrder compared == Swapped) (swap st at)
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
  Vector n w -> vectorOp st Simd op [w] n (\third -> (fields third 0, 0))
  where
    constant g k e w = do
      slot <- operand st e
      result st w $ \home -> emit st g 0 home slot k
