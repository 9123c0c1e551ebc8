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

import Control.Monad (mfilter, void, when)
import Data.Bits (shiftR)
import Data.IORef (readIORef, writeIORef)
import Data.Maybe (fromMaybe, listToMaybe)
import Data.Vector qualified as V
import Data.Word (Word64)
import Tern.Wasm.Buffer qualified as Buffer
import Tern.Wasm.Byte (opNumber)
import Tern.Wasm.Code (Op (..))
import Tern.Wasm.Layout (Layout (..))
import Tern.Wasm.Lower.Block (comparisonAt, swap)
import Tern.Wasm.Lower.Select
  ( Accessing (..),
    Selection (..),
    Width (..),
    accessing,
    selection,
    width,
  )
import Tern.Wasm.Lower.State
  ( Entry (..),
    Env (..),
    Held (..),
    Options (..),
    constantOf,
    emit,
    emitWide,
    emit_,
    fields,
    operand,
    pop,
    push,
    result,
  )
import Tern.Wasm.Meaning (Branches (..), Order (..))
import Tern.Wasm.Opcode
  ( AccessOp,
    NaN (..),
    Operator (..),
    ScalarOp,
    VectorOp,
    scalarOperator,
    vectorOperator,
  )
import Tern.Wasm.Syntax
import Tern.Wasm.Valid (Spaces (..))

offsetOf :: MemArg -> Int
offsetOf = fromIntegral . memOffset

-- | Whether the loop's own registers do not serve a memory: it is not the first,
-- or has 64-bit addresses.
farMemory :: Env -> Index -> Bool
farMemory st x = x > 0 || wideMemory st x

-- | Whether a memory, or a table, by its index, has addresses of 64 bits; False where there is none
-- with the index.
wideMemory, wideTable :: Env -> Index -> Bool
wideMemory st x = maybe False ((== Address64) . memoryAddress) (spaceMems (spaces st) V.!? x)
wideTable st x = maybe False ((== Address64) . tableAddress) (spaceTables (spaces st) V.!? x)

-- | Where the instance's block has a memory's record.
recordOf :: Env -> Index -> Int
recordOf st x = layoutMems (places st) + 8 * x

-- | A vector access: the instruction, and its immediate with a lane.
vectorAccess :: Env -> MemArg -> Int -> (Op, (Word64, Word64))
vectorAccess st m@(MemArg _ k _) lane
  | farMemory st k =
      ( SimdFar,
        ( fields
            offset
            lane,
          fields (2 * recordOf st k + fromEnum (wideMemory st k)) (offset `shiftR` 32)
        )
      )
  | otherwise = (Simd, (fields offset lane, 0))
  where
    offset = offsetOf m

-- | A vector operator, with at most three operands; the third, if there is one, is given
-- to what makes the immediate.
vectorOp :: Env -> Op -> VectorOp -> (Int -> (Word64, Word64)) -> IO ()
vectorOp st how op immediate = do
  entries <- reverse <$> mapM (const (pop st)) (operatorParams o)
  slots <- mapM (operand st) entries
  let slot k = fromMaybe 0 (listToMaybe (drop k slots))
      put home = emitWide st how (fromEnum op) home (slot 0) (slot 1) (immediate (slot 2))
  case operatorResults o of
    [t] -> result st (width t) put
    _ -> void (put 0)
  canonical st o
  where
    o = vectorOperator op

-- | A load or a store; 'Far' in another memory than the first, or by addresses of 64 bits. Else, at
-- an address that is known and with its offset is below 4 GiB, it is one at a constant address
-- where there is an instruction for that.
access :: Env -> AccessOp -> MemArg -> IO ()
access st op m = case accessing op of
  Loading load at w
    | far -> do
        slot <- pop st >>= operand st
        result st w $ \home ->
          emitWide st Far (fromEnum op) home slot (recordOf st (memIndex m)) immediate
    | otherwise -> do
        e <- pop st
        known <- constantAddress e
        case (,) <$> at <*> known of
          Just (fixed, address) -> result st w $ \home -> emit st fixed 0 home 0 address
          Nothing -> do
            slot <- operand st e
            result st w $ \home -> emit st load 0 home slot offset
  Storing store at
    | far -> do
        y <- pop st
        x <- pop st
        slot <- operand st x
        value <- operand st y
        void (emitWide st Far (fromEnum op) value slot (recordOf st (memIndex m)) immediate)
    | otherwise -> do
        value <- pop st >>= operand st
        e <- pop st
        known <- constantAddress e
        case (,) <$> at <*> known of
          Just (fixed, address) -> emit_ st fixed value 0 address
          Nothing -> do
            slot <- operand st e
            emit_ st store value slot offset
  where
    far = farMemory st (memIndex m)
    immediate = (fromIntegral (memOffset m), if wideMemory st (memIndex m) then 1 else 0)
    offset = offsetOf m
    constantAddress e =
      mfilter (< 0x100000000) . fmap ((+ offset) . fromIntegral) <$> constantOf st e

-- | An operator of numbers. A NaN that it makes is canonical where 'optionCanonical' says so.
plain :: Env -> ScalarOp -> IO ()
plain st op = operator_ st op >> canonical st (scalarOperator op)

-- | Where an operator can make a NaN, and that is wanted, make it the canonical one.
canonical :: Env -> Operator -> IO ()
canonical st o = when (optionCanonical (options st)) $ case (operatorNaN o, operatorResults o) of
  (NaN32, [V128]) -> one CanonicalLanes32 W128
  (NaN64, [V128]) -> one CanonicalLanes64 W128
  (NaN32, _) -> one Canonical32 W32
  (NaN64, _) -> one Canonical64 W64
  (NoNaN, _) -> pure ()
  where
    one how w = do
      slot <- pop st >>= operand st
      result st w $ \home -> emit st how 0 home slot 0

operator_ :: Env -> ScalarOp -> IO ()
operator_ st op = case selection op of
  Same w -> do
    Entry _ _ place <- pop st
    o <- readIORef (out st)
    push st w place
    writeIORef (out st) o
  Unary f w -> do
    slot <- pop st >>= operand st
    result st w $ \home -> emit st f 0 home slot 0
  SlowUnary f w -> do
    slot <- pop st >>= operand st
    result st w $ \home -> emit st Slow (fromEnum f) home slot 0
  SlowBinary f w -> do
    y <- pop st
    x <- pop st
    b <- operand st x
    c <- operand st y
    result st w $ \home -> emit st Slow (fromEnum f) home b c
  IsZero f -> do
    (at, home) <- readIORef (out st)
    e@(Entry _ h place) <- pop st
    before <- comparisonAt st at
    case (place, before) of
      (Home, Just compared)
        | home == h,
          Just opposite <- branchOpposite compared -> do
            Buffer.put16 (code st) at (opNumber opposite)
            when (branchOrder compared == Swapped) (swap st at)
            push st W32 Home
            writeIORef (out st) (at, home)
      _ -> do
        slot <- operand st e
        result st W32 $ \dst -> emit st f 0 dst slot 0
  Binary f immediate swapped w -> do
    y@(Entry yw _ _) <- pop st
    x <- pop st
    yv <- constantOf st y
    xv <- constantOf st x
    case (yv, xv) of
      (Just v, _) | Just (g, k) <- immediate False yw v -> constant g k x w
      (_, Just v) | Just (g, k) <- immediate True yw v -> constant g k y w
      _ -> do
        b <- operand st x
        c <- operand st y
        result st w $ \home -> if swapped then emit st f 0 home c b else emit st f 0 home b c
  where
    constant g k e w = do
      slot <- operand st e
      result st w $ \home -> emit st g 0 home slot k
