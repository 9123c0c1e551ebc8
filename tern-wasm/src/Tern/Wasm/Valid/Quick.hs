-- -O2: 15 % fewer instructions of the processor, by callgrind, for a megabyte of code.
{-# OPTIONS_GHC -O2 #-}

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
-- Why its unchecked reads and writes are safe: a byte is read after a comparison
-- with the body's end, a type is pushed after one with 'stackRoom', a block is
-- opened after one with 'blockRoom', and what is below the base of the innermost
-- block is never popped. Proof: spec "mutated modules", over all modules of the
-- suites and their mutants.
--
-- Start at 'quickly'; 'instructions' has a case for each instruction.
module Tern.Wasm.Valid.Quick
  ( quickly,
  )
where

import Control.Monad (forM_)
import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.ByteString.Unsafe qualified as B (unsafeUseAsCStringLen)
import Data.Vector.Unboxed qualified as U
import Data.Vector.Unboxed.Mutable qualified as MU
import Data.Word (Word8)
import System.IO.Unsafe (unsafePerformIO)
import Tern.Wasm.Prim (Ptr, castPtr, fillBytes, plusPtr, pokeByteOff)
import Tern.Wasm.Syntax (Expr (..), Func (..), Functions (..))
import Tern.Wasm.Valid.Room
  ( Room,
    Row,
    accessAt,
    after,
    afterSigned,
    beginningsAt,
    blockRoom,
    blocksAt,
    byte,
    byteType,
    countsAt,
    int,
    localRoom,
    localsAt,
    memoryAt,
    number,
    ofFuncs,
    ofGlobals,
    ofTables,
    ofTypes,
    plainAt,
    prefixedAt,
    row,
    rowAt,
    rowLength,
    rowsAt,
    stackRoom,
    typeCode,
    u32,
    withRoom,
  )
import Tern.Wasm.Valid.Spaces (Spaces)

-- * Bodies

-- | For each function whether its body is certainly well-formed and valid. By the
-- rules of the second edition, and so by the third's. Linear in the bytes, but for
-- the rows of types that blocks and calls have.
quickly :: Spaces -> Functions -> U.Vector Bool
-- The room is made, used and given back within, so nothing else can see it.
quickly sp fs = unsafePerformIO . withRoom sp $ \room -> do
  found <- MU.new (functionCount fs)
  forM_ [0 .. functionCount fs - 1] $ \k -> function room (functionAt fs k) >>= MU.write found k
  U.unsafeFreeze found

function :: Room -> Func -> IO Bool
function room (Func t groups e) = do
  types <- int room (countsAt + ofTypes)
  begin <- int room (beginningsAt + ofTypes)
  case e of
    Expr _ body | t < types -> do
      params <- int room (begin + 16 * t)
      results <- int room (begin + 16 * t + 8)
      let n = rowLength params
      if params < 0 || n > localRoom
        then pure False
        else do
          forM_ [0 .. n - 1] $ \k ->
            byte room (rowAt params + k) >>= pokeByteOff room (localsAt + k)
          total <- locals n groups
          if total < 0
            then pure False
            else do
              block room 0 0 False results results (-1)
              B.unsafeUseAsCStringLen body $ \(p, size) ->
                if size < 0x7FFFFFFF
                  then instructions room (castPtr p) size total
                  else pure False
    _ -> pure False
  where
    locals !n = \case
      [] -> pure n
      (k, ty) : rest -> case typeCode ty of
        Just c
          | k <= localRoom - n ->
              fillBytes (room `plusPtr` (localsAt + n)) c k >> locals (n + k) rest
        _ -> pure (-1 :: Int)

-- | Open a block at a depth below 'blockRoom'.
block :: Room -> Int -> Int -> Bool -> Row -> Row -> Row -> IO ()
block room depth base dead label results params = do
  pokeByteOff room at (2 * base + fromEnum dead)
  pokeByteOff room (at + 8) label
  pokeByteOff room (at + 16) results
  pokeByteOff room (at + 24) params
  where
    at = blocksAt + 32 * depth

instructions :: Room -> Ptr Word8 -> Int -> Int -> IO Bool
instructions !room !code !end !localCount = go 0 0 0 False 0
  where
    no = pure False
    at q = if q < end then byte code q else pure 0xFF

    -- The position, the height of the stack, where the innermost block's operands
    -- begin, whether the code here cannot be reached, and how many blocks are open
    -- around the innermost.
    go :: Int -> Int -> Int -> Bool -> Int -> IO Bool
    go !p !top !base !dead !depth
      | p >= end = no
      | otherwise =
          byte code p >>= \w -> case fromIntegral w :: Int of
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
                    pokeByteOff room (blocksAt + 32 * depth + 24) (-1 :: Int)
                    pushes params base $ \ !h' -> go (p + 1) h' base False depth
            0x0B -> do
              results <- field 2
              params <- field 3
              pops results top $ \ !h ->
                if h /= base
                  then no
                  else do
                    fits <- if params >= 0 then sameRow params results else pure True
                    if not fits
                      then no
                      else
                        if depth == 0
                          then pure (p + 1 == end)
                          else do
                            around <- field 0
                            pushes results base $ \ !h' ->
                              go (p + 1) h' (around `shiftR` 1) (odd around) (depth - 1)
            0x0C -> index $ \ !x !q -> labelled x $ \ !label -> pops label top $ \_ -> unreachable q
            0x0D ->
              index $ \ !x !q ->
                labelled x $ \ !label ->
                  pop 1 top $ \ !h -> pops label h $ \ !h' -> pushes label h' (on q)
            0x0E -> index $ \ !n !q -> pop 1 top $ \ !h -> table n q (-1) h
            0x0F -> do
              results <- int room (blocksAt + 16)
              pops results top $ \_ -> unreachable (p + 1)
            0x10 -> index $ \ !x !q -> entry ofFuncs x $ \begin -> call q top (begin + 16 * x)
            0x11 -> index $ \ !t !q0 -> with (u32 code end q0) $ \ !x !q ->
              entry ofTypes t $ \types -> entry ofTables x $ \tables -> do
                functions <- byte room (tables + x)
                if functions == 0 then no else pop 1 top $ \ !h -> call q h (types + 16 * t)
            0x1A -> popAny top $ \_ !h -> on (p + 1) h
            0x1B -> pop 1 top $ \ !h -> popAny h $ \ !a !h1 -> popAny h1 $ \ !b !h2 ->
              if a /= 0 && b /= 0 && a /= b then no else push (max a b) (p + 1) h2
            0x20 -> local $ \ !t !q -> push t q top
            0x21 -> local $ \ !t !q -> pop t top (on q)
            0x22 -> local $ \ !t !q -> pop t top (push t q)
            0x23 -> index $ \ !x !q -> entry ofGlobals x $ \globals -> do
              t <- byte room (globals + 2 * x)
              if t == 0 then no else push t q top
            0x24 -> index $ \ !x !q -> entry ofGlobals x $ \globals -> do
              t <- byte room (globals + 2 * x)
              varies <- byte room (globals + 2 * x + 1)
              if t == 0 || varies == 0 then no else pop t top (on q)
            0x3F -> zeroes 1 (p + 1) $ push 1 (p + 2) top
            0x40 -> zeroes 1 (p + 1) $ operation (64 + 8 + 1) (p + 2)
            0x41 ->
              afterSigned False code end (p + 1) >>= \ !q ->
                if q < 0
                  then no
                  else push 1 q top
            0x42 -> afterSigned True code end (p + 1) >>= \ !q -> if q < 0 then no else push 2 q top
            0x43 -> if p + 5 > end then no else push 3 (p + 5) top
            0x44 -> if p + 9 > end then no else push 4 (p + 9) top
            0xFC -> index $ \ !n !q -> case n of
              _ | n < 8 -> byte room (prefixedAt + n) >>= \o -> operation o q
              10 -> zeroes 2 q $ three (q + 2)
              11 -> zeroes 1 q $ three (q + 1)
              _ -> no
            b
              | b >= 0x45 && b <= 0xC4 -> byte room (plainAt + b) >>= \o -> operation o (p + 1)
              | b >= 0x28 && b <= 0x3E ->
                  withMemory $ index $ \ !align !q0 -> with (u32 code end q0) $ \_ !q -> do
                    o <- byte room (accessAt + b)
                    let t = (o `shiftR` 1) .&. 7
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
        with find k = find >>= \ !r -> if r < 0 then no else k (number r) (after r)
        {-# INLINE with #-}
        index = with (u32 code end (p + 1))
        {-# INLINE index #-}
        field k = int room (blocksAt + 32 * depth + 8 * k)
        {-# INLINE field #-}
        local k = index $ \ !x !q ->
          if x >= localCount
            then no
            else byte room (localsAt + x) >>= \ !t -> k t q
        {-# INLINE local #-}
        push :: Word8 -> Int -> Int -> IO Bool
        push !t !q !h
          | h >= stackRoom = no
          | otherwise = pokeByteOff room h t >> on q (h + 1)
        {-# INLINE push #-}
        pop :: Word8 -> Int -> (Int -> IO Bool) -> IO Bool
        pop !t !h k
          | h > base = do
              found <- byte room (h - 1)
              if found == t || found == 0 then k (h - 1) else no
          | dead = k h
          | otherwise = no
        {-# INLINE pop #-}
        popAny !h k
          | h > base = byte room (h - 1) >>= \ !t -> k t (h - 1)
          | dead = k 0 h
          | otherwise = no
        {-# INLINE popAny #-}
        pops !r !h k = popRow r h base dead >>= \ !h' -> if h' < 0 then no else k h'
        {-# INLINE pops #-}
        pushes !r !h k = pushRow r h >>= \ !h' -> if h' < 0 then no else k h'
        {-# INLINE pushes #-}
        operation :: Word8 -> Int -> IO Bool
        operation !o !q
          | o >= 128 = pop t top $ \ !h -> pop t h (push (o .&. 7) q)
          | o >= 64 = pop t top (push (o .&. 7) q)
          | otherwise = no
          where
            t = (o `shiftR` 3) .&. 7
        three !q = pop 1 top $ \ !h -> pop 1 h $ \ !h1 -> pop 1 h1 (on q)
        call :: Int -> Int -> Int -> IO Bool
        call !q !h !place = do
          params <- int room place
          results <- int room (place + 8)
          if params < 0 then no else pops params h $ \ !h1 -> pushes results h1 (on q)
        -- Where the table of a kind of thing begins, if the index is in it.
        entry kind !x k = do
          n <- int room (countsAt + kind)
          if x >= n then no else int room (beginningsAt + kind) >>= k
        {-# INLINE entry #-}
        withMemory k = int room memoryAt >>= \m -> if m == 0 then no else k
        {-# INLINE withMemory #-}
        -- The n bytes of zero (one or two), each the index of the first memory.
        zeroes n !q k = withMemory $ do
          b <- at q
          b' <- if n > (1 :: Int) then at (q + 1) else pure 0
          if b == 0 && b' == 0 then k else no
        {-# INLINE zeroes #-}
        labelled !x k
          | x > depth = no
          | otherwise = int room (blocksAt + 32 * (depth - x) + 8) >>= k
        {-# INLINE labelled #-}
        -- The n labels and the default; all are checked against the stack, and
        -- against the first of them in length.
        table :: Int -> Int -> Int -> Int -> IO Bool
        table !n !q !arity !h = with (u32 code end q) $ \ !x !q' -> labelled x $ \ !label ->
          if arity >= 0 && rowLength label /= arity
            then no
            else pops label h $ \_ ->
              if n == 0
                then unreachable q'
                else table (n - 1) q' (rowLength label) h
        opening :: Bool -> Bool -> IO Bool
        opening loops tests = do
          b <- at (p + 1)
          -- An index of two bytes; longer ones are for others to read.
          b' <- at (p + 2)
          let t = byteType b
              choice
                | b == 0x40 = opened (p + 2) (row rowsAt 0) (row rowsAt 0)
                | b < 0x40 = typed (fromIntegral b) (p + 2)
                | t /= 0 = opened (p + 2) (row rowsAt 0) (row (rowsAt + t) 1)
                | b >= 0x80,
                  b' < 0x40 =
                    typed (fromIntegral (b .&. 0x7F) .|. (fromIntegral b' `shiftL` 7)) (p + 3)
                | otherwise = no
          choice
          where
            typed !x !q = entry ofTypes x $ \types -> do
              params <- int room (types + 16 * x)
              results <- int room (types + 16 * x + 8)
              if params < 0 then no else opened q params results
            opened :: Int -> Row -> Row -> IO Bool
            opened !q !params !results
              | tests = pop 1 top below
              | otherwise = below top
              where
                below !h = pops params h $ \ !h' ->
                  if depth + 1 >= blockRoom
                    then no
                    else do
                      block
                        room
                        (depth + 1)
                        base
                        dead
                        (if loops then params else results)
                        results
                        (if tests then params else -1)
                      pushes params h' $ \ !h'' -> go q h'' h' False (depth + 1)

    -- The height after a row's operands are popped, the last first, or -1.
    popRow :: Row -> Int -> Int -> Bool -> IO Int
    popRow !r !h0 !base !dead = down (rowLength r - 1) h0
      where
        down !k !h
          | k < 0 = pure h
          | h > base = do
              found <- byte room (h - 1)
              wanted <- byte room (rowAt r + k)
              if found == 0 || found == wanted then down (k - 1) (h - 1) else pure (-1)
          | dead = pure h
          | otherwise = pure (-1)

    pushRow :: Row -> Int -> IO Int
    pushRow !r !h0
      | h0 + rowLength r > stackRoom = pure (-1)
      | otherwise = up 0
      where
        up !k
          | k >= rowLength r = pure (h0 + k)
          | otherwise = byte room (rowAt r + k) >>= pokeByteOff room (h0 + k) >> up (k + 1)

    sameRow a b
      | rowLength a /= rowLength b = pure False
      | otherwise = same (rowLength a - 1)
      where
        same !k
          | k < 0 = pure True
          | otherwise = do
              x <- byte room (rowAt a + k)
              y <- byte room (rowAt b + k)
              if x == y then same (k - 1) else pure False
