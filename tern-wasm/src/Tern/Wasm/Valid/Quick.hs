-- | A quick answer to "is this body well-formed and valid?" for ordinary code.
--
-- The idea: most bodies are valid, and use only numbers, one 32-bit memory, tables
-- of functions, blocks and calls. For these one pass over the bytes, with types as
-- small numbers in flat arrays and no instruction ever built, can say "yes". For
-- everything else (another instruction, a type with a reference, or anything that
-- is wrong) it says "I do not know", and "Tern.Wasm.Binary" and
-- "Tern.Wasm.Valid.Body" decide, which also know what to complain of. So this
-- module need not be complete, only right where it says yes. It is the algorithm of
-- the specification's appendix once more.
--
-- Why its unchecked reads and writes are safe: a byte is read behind a comparison
-- with the body's end, a type is pushed behind one with 'stackRoom', a block is
-- opened behind one with 'blockRoom', and what is below the base of the innermost
-- block is never popped. Proof: the property "what is quickly valid is valid", over
-- all modules of the suites and their mutants.
--
-- Start at 'quickly'; 'instructions' has a case for each instruction.
module Tern.Wasm.Valid.Quick
  ( Signatures,
    signatures,
    quickly,
  )
where

import Control.Monad.ST (ST, runST)
import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B (unsafeIndex)
import Data.Maybe (fromMaybe)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Unboxed qualified as U
import Data.Vector.Unboxed.Mutable qualified as MU
import Data.Word (Word8)
import Tern.Wasm.Opcode
import Tern.Wasm.Syntax
import Tern.Wasm.Valid.Spaces

-- * Types as numbers

-- | A value's type: 1 to 5; 0 is any type, of operands that cannot be reached.
typeCode :: ValType -> Maybe Word8
typeCode = \case
  I32 -> Just 1
  I64 -> Just 2
  F32 -> Just 3
  F64 -> Just 4
  V128 -> Just 5
  Ref _ -> Nothing

-- | The same for the byte that stands for it; 0 for others.
byteType :: Word8 -> Int
byteType b
  | b >= 0x7B && b <= 0x7F = fromIntegral (0x80 - b)
  | otherwise = 0

-- | A row of types: where it begins among 'rowTypes', and its length, as one
-- number; -1 where it is not known here.
type Row = Int

row :: Int -> Int -> Row
row at n = at `shiftL` 12 .|. n

rowAt, rowLength :: Row -> Int
rowAt r = r `shiftR` 12
rowLength r = r .&. 0xFFF

-- | What a module's bodies refer to.
data Signatures = Signatures
  { -- | All rows, one behind the other; the first are 1 to 5 for themselves.
    rowTypes :: !(U.Vector Word8),
    -- | Of each type and each function the parameters and the results.
    typeRows :: !(U.Vector (Row, Row)),
    funcRows :: !(U.Vector (Row, Row)),
    -- | Of each global the type (0 where not known here) and whether it varies.
    globalTypes :: !(U.Vector (Word8, Bool)),
    -- | Whether each table holds functions, by 32 bits.
    funcTables :: !(U.Vector Bool),
    -- | Whether the first memory is there and has 32-bit addresses.
    plainMemory :: !Bool
  }

-- | Of a module's index spaces. Linear in the types and functions.
signatures :: Spaces -> Signatures
signatures sp =
  Signatures
    { rowTypes = U.fromList ([0 .. 5] <> concatMap snd known),
      typeRows = rows,
      funcRows = U.convert (V.map (\x -> fromMaybe (-1, -1) (rows U.!? x)) (spaceFuncTypes sp)),
      globalTypes = U.convert (V.map (\(GlobalType m t) -> (fromMaybe 0 (typeCode t), m == Var)) (spaceGlobals sp)),
      funcTables = U.convert (V.map (\t -> tableAddress t == Address32 && tableRef t == FuncRef) (spaceTables sp)),
      plainMemory = maybe False ((== Address32) . memoryAddress) (spaceMems sp V.!? 0)
    }
  where
    -- The rows of each type, and what they are.
    known = map ofType (V.toList (spaceTypes sp))
    rows = U.fromList (zipWith place (scanl (+) 6 (map (length . snd) known)) known)
    place at (shape, _) = case shape of
      Just (n, k) -> (row at n, row (at + n) k)
      Nothing -> (-1, -1)
    ofType :: SubType -> (Maybe (Int, Int), [Word8])
    ofType t = case subComp t of
      CompFunc (FuncType ps rs)
        | Just ps' <- mapM typeCode ps,
          Just rs' <- mapM typeCode rs,
          length ps < 4096,
          length rs < 4096 ->
            (Just (length ps, length rs), ps' <> rs')
      _ -> (Nothing, [])

-- | Of the operators 0x45 to 0xC4: how many operands (one or two, of one type),
-- their type and the result's, as @operands * 64 + type * 8 + result@; 0 for none.
plainOperators :: U.Vector Word8
plainOperators = U.generate 256 $ \code -> case operator code of
  Just (Operator _ ps [r] NoImmediate) -> shaped ps r
  _ -> 0

-- | The same of the operators behind the prefix 0xFC.
prefixedOperators :: U.Vector Word8
prefixedOperators = U.generate 8 $ \code -> case operator (0x100 + code) of
  Just (Operator _ ps [r] NoImmediate) -> shaped ps r
  _ -> 0

shaped :: [ValType] -> ValType -> Word8
shaped ps r = case (ps, typeCode r) of
  ([t], Just r') | Just t' <- typeCode t -> 64 + 8 * t' + r'
  ([t, u], Just r') | t == u, Just t' <- typeCode t -> 128 + 8 * t' + r'
  _ -> 0

-- | Of the loads and stores: the natural alignment, the type, and whether it is a
-- store, as @alignment * 16 + type * 2 + store@.
accessOperators :: U.Vector Word8
accessOperators = U.generate 256 $ \code -> case operator code of
  Just (Operator _ _ [r] (MemoryImmediate n)) -> fromIntegral (16 * n) + 2 * fromMaybe 0 (typeCode r)
  Just (Operator _ [_, t] [] (MemoryImmediate n)) -> fromIntegral (16 * n) + 2 * fromMaybe 0 (typeCode t) + 1
  _ -> 0

-- * Numbers in the bytes

-- | An unsigned number of 32 bits and the position after it, as one number; -1
-- where there is none. Of a position that is not in the bytes too.
u32 :: ByteString -> Int -> Int
u32 b p
  | p >= B.length b = -1
  | w < 0x80 = packed (fromIntegral w) (p + 1)
  | otherwise = more (p + 1) 7 (fromIntegral (w .&. 0x7F))
  where
    w = B.unsafeIndex b p
    more :: Int -> Int -> Int -> Int
    more !q !shift !acc
      | q >= B.length b = -1
      | shift == 28 = if v < 0x10 then packed acc' (q + 1) else -1
      | v < 0x80 = packed acc' (q + 1)
      | otherwise = more (q + 1) (shift + 7) acc'
      where
        v = B.unsafeIndex b q
        acc' = acc .|. (fromIntegral (v .&. 0x7F) `shiftL` shift)

-- | Bodies are shorter than 2^31 bytes: 'quickly' sees to it.
packed :: Int -> Int -> Int
packed v p = p `shiftL` 32 .|. v

number, after :: Int -> Int
number r = r .&. 0xFFFFFFFF
after r = r `shiftR` 32

-- | The position after a signed number of 32 or 64 bits, or -1.
afterSigned :: Bool -> ByteString -> Int -> Int
afterSigned wide b = go (if wide then 9 else 4 :: Int)
  where
    go !k !p
      | p >= B.length b = -1
      | k == 0 = if wide then final (w == 0 || w == 0x7F) else final (w < 0x08 || w >= 0x78 && w < 0x80)
      | w < 0x80 = p + 1
      | otherwise = go (k - 1) (p + 1)
      where
        w = B.unsafeIndex b p
        final ok = if ok then p + 1 else -1

-- * Bodies

-- | Most operands and most open blocks that are looked at here, and most locals.
stackRoom, blockRoom, localRoom :: Int
stackRoom = 16384
blockRoom = 1024
localRoom = 4096

-- | What a body is checked with.
data Room s = Room
  { operandTypes :: !(MU.MVector s Word8),
    -- | Of each open block: where the operands of the one around it begin and
    -- whether that one is dead; what a branch takes; what it leaves; its
    -- parameters, or -1 but for an @if@.
    openBlocks :: !(MU.MVector s Int),
    localTypes :: !(MU.MVector s Word8)
  }

-- | For each function whether its body is certainly well-formed and valid. By the
-- rules of the second edition, and so by the third's. Linear in the bytes, but for
-- the rows of types that blocks and calls have.
quickly :: Signatures -> Vector Func -> U.Vector Bool
quickly known fs = runST $ do
  room <- Room <$> MU.new stackRoom <*> MU.new (4 * blockRoom) <*> MU.new localRoom
  U.generateM (V.length fs) (\k -> function known room (fs V.! k))

function :: Signatures -> Room s -> Func -> ST s Bool
function known room (Func t groups e) = case (typeRows known U.!? t, e) of
  (Just (params, results), Expr _ bytes)
    | params >= 0,
      B.length bytes < 0x7FFFFFFF -> do
        let n = rowLength params
        if n > localRoom
          then pure False
          else do
            mapM_ (\k -> MU.unsafeWrite (localTypes room) k (rowTypes known U.! (rowAt params + k))) [0 .. n - 1]
            total <- locals n groups
            if total < 0
              then pure False
              else do
                block room 0 0 False results results (-1)
                instructions known room bytes total
  _ -> pure False
  where
    locals !n = \case
      [] -> pure n
      (k, ty) : rest -> case typeCode ty of
        Just c | k <= localRoom - n -> MU.set (MU.unsafeSlice n k (localTypes room)) c >> locals (n + k) rest
        _ -> pure (-1 :: Int)

-- | Open a block at a depth below 'blockRoom'.
block :: Room s -> Int -> Int -> Bool -> Row -> Row -> Row -> ST s ()
block room depth base dead label results params = do
  MU.unsafeWrite (openBlocks room) (4 * depth) (2 * base + fromEnum dead)
  MU.unsafeWrite (openBlocks room) (4 * depth + 1) label
  MU.unsafeWrite (openBlocks room) (4 * depth + 2) results
  MU.unsafeWrite (openBlocks room) (4 * depth + 3) params

instructions :: forall s. Signatures -> Room s -> ByteString -> Int -> ST s Bool
instructions known room bytes localCount = go 0 0 0 False 0
  where
    end = B.length bytes
    no = pure False
    at q = if q < end then B.unsafeIndex bytes q else 0xFF

    -- The position, the height of the stack, where the innermost block's operands
    -- begin, whether the code here cannot be reached, and how many blocks are open
    -- around the innermost.
    go :: Int -> Int -> Int -> Bool -> Int -> ST s Bool
    go !p !top !base !dead !depth
      | p >= end = no
      | otherwise = case B.unsafeIndex bytes p of
          0x00 -> unreachable (p + 1)
          0x01 -> on (p + 1) top
          0x02 -> opening False False
          0x03 -> opening True False
          0x04 -> opening False True
          0x05 -> do
            params <- field 3
            results <- field 2
            pops results top $ \ !h ->
              if params < 0 || h /= base
                then no
                else do
                  MU.unsafeWrite (openBlocks room) (4 * depth + 3) (-1)
                  pushes params base $ \ !h' -> go (p + 1) h' base False depth
          0x0B -> do
            results <- field 2
            params <- field 3
            pops results top $ \ !h ->
              if h /= base || params >= 0 && not (sameRow params results)
                then no
                else
                  if depth == 0
                    then pure (p + 1 == end)
                    else do
                      around <- field 0
                      pushes results base $ \ !h' -> go (p + 1) h' (around `shiftR` 1) (odd around) (depth - 1)
          0x0C -> index $ \ !x !q -> labelled x $ \ !label -> pops label top $ \_ -> unreachable q
          0x0D -> index $ \ !x !q -> labelled x $ \ !label -> pop 1 top $ \ !h -> pops label h $ \ !h' -> pushes label h' (on q)
          0x0E -> index $ \ !n !q -> pop 1 top $ \ !h -> table n q (-1) h
          0x0F -> do
            results <- MU.unsafeRead (openBlocks room) 2
            pops results top $ \_ -> unreachable (p + 1)
          0x10 -> index $ \ !x !q ->
            if x >= U.length (funcRows known) then no else call q top (U.unsafeIndex (funcRows known) x)
          0x11 -> index $ \ !t !q0 -> with (u32 bytes q0) $ \ !x !q ->
            if t >= U.length (typeRows known) || x >= U.length (funcTables known) || not (U.unsafeIndex (funcTables known) x)
              then no
              else pop 1 top $ \ !h -> call q h (U.unsafeIndex (typeRows known) t)
          0x1A -> popAny top $ \_ !h -> on (p + 1) h
          0x1B -> pop 1 top $ \ !h -> popAny h $ \ !a !h1 -> popAny h1 $ \ !b !h2 ->
            if a /= 0 && b /= 0 && a /= b then no else push (max a b) (p + 1) h2
          0x20 -> local $ \ !t !q -> push t q top
          0x21 -> local $ \ !t !q -> pop t top (on q)
          0x22 -> local $ \ !t !q -> pop t top (push t q)
          0x23 -> index $ \ !x !q ->
            if x >= U.length (globalTypes known)
              then no
              else case fst (U.unsafeIndex (globalTypes known) x) of
                0 -> no
                t -> push t q top
          0x24 -> index $ \ !x !q ->
            if x >= U.length (globalTypes known)
              then no
              else case U.unsafeIndex (globalTypes known) x of
                (t, True) | t /= 0 -> pop t top (on q)
                _ -> no
          0x3F | plainMemory known, at (p + 1) == 0 -> push 1 (p + 2) top
          0x40 | plainMemory known, at (p + 1) == 0 -> operation (64 + 8 + 1) (p + 2)
          0x41 -> let q = afterSigned False bytes (p + 1) in if q < 0 then no else push 1 q top
          0x42 -> let q = afterSigned True bytes (p + 1) in if q < 0 then no else push 2 q top
          0x43 -> if p + 5 > end then no else push 3 (p + 5) top
          0x44 -> if p + 9 > end then no else push 4 (p + 9) top
          0xFC -> index $ \ !n !q -> case n of
            _ | n < 8 -> operation (U.unsafeIndex prefixedOperators n) q
            10 | plainMemory known, at q == 0, at (q + 1) == 0 -> three (q + 2)
            11 | plainMemory known, at q == 0 -> three (q + 1)
            _ -> no
          b
            | b >= 0x45 && b <= 0xC4 -> operation (U.unsafeIndex plainOperators (fromIntegral b)) (p + 1)
            | b >= 0x28 && b <= 0x3E,
              plainMemory known -> index $ \ !align !q0 -> with (u32 bytes q0) $ \_ !q -> do
                let o = U.unsafeIndex accessOperators (fromIntegral b)
                    t = (o `shiftR` 1) .&. 7
                if align > fromIntegral (o `shiftR` 4)
                  then no
                  else
                    if odd o
                      then pop t top $ \ !h -> pop 1 h (on q)
                      else pop 1 top (push t q)
            | otherwise -> no
      where
        -- INLINE, here and below: a case's text, written once. A name for the
        -- index itself would be a thunk that every instruction allocates.
        on !q !h = go q h base dead depth
        {-# INLINE on #-}
        unreachable !q = go q base base True depth
        {-# INLINE unreachable #-}
        with r k = if r < 0 then no else k (number r) (after r)
        {-# INLINE with #-}
        index = with (u32 bytes (p + 1))
        {-# INLINE index #-}
        field k = MU.unsafeRead (openBlocks room) (4 * depth + k)
        {-# INLINE field #-}
        local k = index $ \ !x !q -> if x >= localCount then no else MU.unsafeRead (localTypes room) x >>= \ !t -> k t q
        {-# INLINE local #-}
        push :: Word8 -> Int -> Int -> ST s Bool
        push !t !q !h
          | h >= stackRoom = no
          | otherwise = MU.unsafeWrite (operandTypes room) h t >> on q (h + 1)
        {-# INLINE push #-}
        pop :: Word8 -> Int -> (Int -> ST s Bool) -> ST s Bool
        pop !t !h k
          | h > base = do
              found <- MU.unsafeRead (operandTypes room) (h - 1)
              if found == t || found == 0 then k (h - 1) else no
          | dead = k h
          | otherwise = no
        {-# INLINE pop #-}
        popAny !h k
          | h > base = MU.unsafeRead (operandTypes room) (h - 1) >>= \ !t -> k t (h - 1)
          | dead = k 0 h
          | otherwise = no
        {-# INLINE popAny #-}
        pops !r !h k = popRow r h base dead >>= \ !h' -> if h' < 0 then no else k h'
        {-# INLINE pops #-}
        pushes !r !h k = pushRow r h >>= \ !h' -> if h' < 0 then no else k h'
        {-# INLINE pushes #-}
        operation :: Word8 -> Int -> ST s Bool
        operation !o !q
          | o >= 128 = pop t top $ \ !h -> pop t h (push (o .&. 7) q)
          | o >= 64 = pop t top (push (o .&. 7) q)
          | otherwise = no
          where
            t = (o `shiftR` 3) .&. 7
        three !q = pop 1 top $ \ !h -> pop 1 h $ \ !h1 -> pop 1 h1 (on q)
        call :: Int -> Int -> (Row, Row) -> ST s Bool
        call !q !h (params, results)
          | params < 0 = no
          | otherwise = pops params h $ \ !h1 -> pushes results h1 (on q)
        labelled !x k
          | x > depth = no
          | otherwise = MU.unsafeRead (openBlocks room) (4 * (depth - x) + 1) >>= k
        {-# INLINE labelled #-}
        -- So many labels and the default; all are checked against the stack, and
        -- against the first of them in length.
        table :: Int -> Int -> Int -> Int -> ST s Bool
        table !n !q !arity !h = with (u32 bytes q) $ \ !x !q' -> labelled x $ \ !label ->
          if arity >= 0 && rowLength label /= arity
            then no
            else pops label h $ \_ -> if n == 0 then unreachable q' else table (n - 1) q' (rowLength label) h
        opening :: Bool -> Bool -> ST s Bool
        opening loops tests
          | b == 0x40 = opened (p + 2) (row 0 0) (row 0 0)
          | b < 0x40 = typed (fromIntegral b) (p + 2)
          | t /= 0 = opened (p + 2) (row 0 0) (row t 1)
          -- An index of two bytes; longer ones are for others to read.
          | b >= 0x80, at (p + 2) < 0x40 = typed (fromIntegral (b .&. 0x7F) .|. fromIntegral (at (p + 2)) `shiftL` 7) (p + 3)
          | otherwise = no
          where
            b = at (p + 1)
            t = byteType b
            typed !x !q
              | x < U.length (typeRows known), (params, results) <- U.unsafeIndex (typeRows known) x, params >= 0 = opened q params results
              | otherwise = no
            opened :: Int -> Row -> Row -> ST s Bool
            opened !q !params !results
              | tests = pop 1 top below
              | otherwise = below top
              where
                below !h = pops params h $ \ !h' ->
                  if depth + 1 >= blockRoom
                    then no
                    else do
                      block room (depth + 1) base dead (if loops then params else results) results (if tests then params else -1)
                      pushes params h' $ \ !h'' -> go q h'' h' False (depth + 1)

    -- The height after a row's operands are popped, the last first, or -1.
    popRow :: Row -> Int -> Int -> Bool -> ST s Int
    popRow !r !h0 !base !dead = down (rowLength r - 1) h0
      where
        down !k !h
          | k < 0 = pure h
          | h > base = do
              found <- MU.unsafeRead (operandTypes room) (h - 1)
              if found == 0 || found == U.unsafeIndex (rowTypes known) (rowAt r + k) then down (k - 1) (h - 1) else pure (-1)
          | dead = pure h
          | otherwise = pure (-1)

    pushRow :: Row -> Int -> ST s Int
    pushRow !r !h0
      | h0 + rowLength r > stackRoom = pure (-1)
      | otherwise = up 0
      where
        up !k
          | k >= rowLength r = pure (h0 + k)
          | otherwise = MU.unsafeWrite (operandTypes room) (h0 + k) (U.unsafeIndex (rowTypes known) (rowAt r + k)) >> up (k + 1)

    sameRow a b = slice a == slice b
    slice r = U.slice (rowAt r) (rowLength r) (rowTypes known)
