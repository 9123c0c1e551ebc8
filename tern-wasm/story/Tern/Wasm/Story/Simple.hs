-- | Step 6: simpler code: no transformers, only what the program needs.
module Tern.Wasm.Story.Simple
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

data Admin
  = Plain Instr
  | Label Int [Instr] Code
  | Breaking Int [Int32]

data Code = Code [Int32] [Admin]

-- | @i = turns; while (--i) {}@, with i in memory: ten instructions a turn.
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
  eval m (Code [] (map Plain (program turns)))

eval :: Bytes IO -> Code -> IO (Either String [Int32])
eval m c = case c of
  Code vs [] -> pure (Right vs)
  _ -> step m c >>= either (pure . Left) (eval m)

step :: Bytes IO -> Code -> IO (Either String Code)
step m (Code vs admins) = case admins of
  [] -> pure (Right (Code vs []))
  Plain i : es -> instr m vs i es
  Breaking _ _ : _ -> pure (Left "a branch to nowhere")
  Label n cont code : es -> case code of
    Code vs' [] -> let !vs1 = onto vs' vs in pure (Right (Code vs1 es))
    Code _ (Breaking 0 vs0 : _) ->
      let !vs1 =
            onto (take n vs0) vs
          !es1 = onto (map Plain cont) es
       in pure (Right (Code vs1 es1))
    Code _ (Breaking k vs0 : _) -> pure (Right (Code vs (Breaking (k - 1) vs0 : es)))
    _ -> fmap (\code' -> Code vs (Label n cont code' : es)) <$> step m code

-- | Values before others, now: what is put off would keep all that was before.
onto :: [a] -> [a] -> [a]
onto xs ys = case xs of
  [] -> ys
  x : rest -> let !end = onto rest ys in x : end

instr :: Bytes IO -> [Int32] -> Instr -> [Admin] -> IO (Either String Code)
instr m vs i es = case (i, vs) of
  (Const k, _) -> pure (Right (Code (k : vs) es))
  (Load, a : vs') -> do
    v <- load m (fromIntegral a)
    pure (Right (Code (v : vs') es))
  (Store, v : a : vs') -> do
    store m (fromIntegral a) v
    pure (Right (Code vs' es))
  (Add, b : a : vs') -> pure (Right (Code (a + b : vs') es))
  (Block is, _) -> pure (Right (Code vs (Label 0 [] (Code [] (map Plain is)) : es)))
  (Loop is, _) -> pure (Right (Code vs (Label 0 [Loop is] (Code [] (map Plain is)) : es)))
  (BrIf k, c : vs')
    | c /= 0 -> pure (Right (Code vs' (Breaking k vs' : es)))
    | otherwise -> pure (Right (Code vs' es))
  _ -> pure (Left "the stack is too small")

load :: Bytes IO -> Int -> IO Int32
load m a = do
  bytes <- mapM (\k -> readByte m (a + k)) [0 .. 3]
  pure (foldr (\b v -> (v `shiftL` 8) .|. fromIntegral b) 0 bytes)

store :: Bytes IO -> Int -> Int32 -> IO ()
store m a v = mapM_ (\k -> writeByte m (a + k) (fromIntegral (v `shiftR` (8 * k)))) [0 .. 3]
