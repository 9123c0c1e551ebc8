-- | Step 7: a zipper. What is around the innermost block is a stack of its own, so
-- that no step walks down to it.
module Tern.Wasm.Story.Zipper
  ( run,
  )
where

import Data.Bits (shiftL, shiftR, (.|.))
import Data.Int (Int32)
import Tern.Wasm.Story.Ref (MonadRef (..))

-- * Syntax

data Instr
  = Const Int32
  | Load
  | Store
  | Add
  | Block [Instr]
  | Loop [Instr]
  | BrIf Int

-- | Around a block: how many values a branch brings, where it goes on, the operands
-- below, and the instructions after it.
data Around = Around Int [Instr] [Int32] [Instr]

-- | As in the steps before.
program :: Int32 -> [Instr]
program turns =
  [ Const 0,
    Const turns,
    Store,
    Loop
      [ Const
          0,
        Const 0,
        Load,
        Const (-1),
        Add,
        Store,
        Const 0,
        Load,
        BrIf 0
      ],
    Const 0,
    Load
  ]

-- * Running

run :: Int32 -> IO (Either String [Int32])
run turns = do
  m <- newBytes 65536
  eval m [] [] (program turns)

eval :: Bytes IO -> [Around] -> [Int32] -> [Instr] -> IO (Either String [Int32])
eval m = go
  where
    go around vs = \case
      [] -> case around of
        [] -> pure (Right vs)
        Around _ _ below after : outer -> let !vs1 = onto vs below in go outer vs1 after
      i : is -> case (i, vs) of
        (Const k, _) -> go around (k : vs) is
        (Load, a : vs') -> load m (fromIntegral a) >>= \v -> go around (v : vs') is
        (Store, v : a : vs') -> store m (fromIntegral a) v >> go around vs' is
        (Add, b : a : vs') -> let !c = a + b in go around (c : vs') is
        (Block body, _) -> go (Around 0 [] vs is : around) [] body
        (Loop body, _) -> go (Around 0 [i] vs is : around) [] body
        (BrIf k, c : vs')
          | c /= 0 -> case drop k around of
              Around n cont below after : outer ->
                let !vs1 =
                      onto (take n vs') below
                    !is1 = onto cont after
                 in go outer vs1 is1
              [] -> pure (Left "a branch to nowhere")
          | otherwise -> go around vs' is
        _ -> pure (Left "the stack is too small")

-- | As in the steps before.
onto :: [a] -> [a] -> [a]
onto xs ys = case xs of
  [] -> ys
  x : rest -> let !end = onto rest ys in x : end

load :: Bytes IO -> Int -> IO Int32
load m a = do
  bytes <- mapM (\k -> readByte m (a + k)) [0 .. 3]
  pure (foldr (\b v -> (v `shiftL` 8) .|. fromIntegral b) 0 bytes)

store :: Bytes IO -> Int -> Int32 -> IO ()
store m a v = mapM_ (\k -> writeByte m (a + k) (fromIntegral (v `shiftR` (8 * k)))) [0 .. 3]
