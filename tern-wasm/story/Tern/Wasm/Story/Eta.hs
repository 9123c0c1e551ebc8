-- | Step 5: the function below the reader takes its environment as an argument.
module Tern.Wasm.Story.Eta
  ( run,
  )
where

import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT, runExceptT, throwE)
import Control.Monad.Trans.Reader (ReaderT (..), ask)
import Data.Bits (shiftL, shiftR, (.|.))
import Data.Int (Int32)
import GHC.Exts (oneShot)
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

type Eval m = ReaderT (Config m) (ExceptT String m)

newtype Config m = Config {memory :: Ref m (Bytes m)}

run :: (MonadRef m) => Int32 -> m (Either String [Int32])
run turns = do
  m <- newBytes 65536 >>= newRef
  runExceptT (runReaderT (eval (Code [] (map Plain (program turns)))) (Config m))

eval :: (MonadRef m) => Code -> Eval m [Int32]
eval c = case c of
  Code vs [] -> pure vs
  _ -> step c >>= eval

step :: (MonadRef m) => Code -> Eval m Code
step (Code vs admins) = eta $ case admins of
  [] -> pure (Code vs [])
  Plain i : es -> instr vs i es
  Breaking _ _ : _ -> lift (throwE "a branch to nowhere")
  Label n cont code : es -> case code of
    Code vs' [] -> let !vs1 = onto vs' vs in pure (Code vs1 es)
    Code _ (Breaking 0 vs0 : _) ->
      let !vs1 =
            onto (take n vs0) vs
          !es1 = onto (map Plain cont) es
       in pure (Code vs1 es1)
    Code _ (Breaking k vs0 : _) -> pure (Code vs (Breaking (k - 1) vs0 : es))
    _ -> do
      code' <- step code
      pure (Code vs (Label n cont code' : es))

-- | Values before others, now: what is put off would keep all that was before.
onto :: [a] -> [a] -> [a]
onto xs ys = case xs of
  [] -> ys
  x : rest -> let !end = onto rest ys in x : end

instr :: (MonadRef m) => [Int32] -> Instr -> [Admin] -> Eval m Code
instr vs i es = eta $ case (i, vs) of
  (Const k, _) -> pure (Code (k : vs) es)
  (Load, a : vs') -> do
    v <- load (fromIntegral a)
    pure (Code (v : vs') es)
  (Store, v : a : vs') -> do
    store (fromIntegral a) v
    pure (Code vs' es)
  (Add, b : a : vs') -> pure (Code (a + b : vs') es)
  (Block is, _) -> pure (Code vs (Label 0 [] (Code [] (map Plain is)) : es))
  (Loop is, _) -> pure (Code vs (Label 0 [Loop is] (Code [] (map Plain is)) : es))
  (BrIf k, c : vs')
    | c /= 0 -> pure (Code vs' (Breaking k vs' : es))
    | otherwise -> pure (Code vs' es)
  _ -> lift (throwE "the stack is too small")

-- | The lambda of the environment may be moved out of a case: it is entered once.
eta :: ReaderT r m a -> ReaderT r m a
eta = ReaderT . oneShot . runReaderT

load :: (MonadRef m) => Int -> Eval m Int32
load a = do
  m <- ask >>= lift . lift . readRef . memory
  bytes <- mapM (\k -> lift (lift (readByte m (a + k)))) [0 .. 3]
  pure (foldr (\b v -> (v `shiftL` 8) .|. fromIntegral b) 0 bytes)

store :: (MonadRef m) => Int -> Int32 -> Eval m ()
store a v = do
  m <- ask >>= lift . lift . readRef . memory
  mapM_ (\k -> lift (lift (writeByte m (a + k) (fromIntegral (v `shiftR` (8 * k)))))) [0 .. 3]

{-# SPECIALIZE eval :: Code -> Eval IO [Int32] #-}

{-# SPECIALIZE step :: Code -> Eval IO Code #-}

{-# SPECIALIZE instr :: [Int32] -> Instr -> [Admin] -> Eval IO Code #-}

{-# SPECIALIZE load :: Int -> Eval IO Int32 #-}

{-# SPECIALIZE store :: Int -> Int32 -> Eval IO () #-}

{-# SPECIALIZE run :: Int32 -> IO (Either String [Int32]) #-}
