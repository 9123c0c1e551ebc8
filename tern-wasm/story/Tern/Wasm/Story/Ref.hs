{-# LANGUAGE TypeFamilies #-}

-- | References and bytes that can change, in any monad that has them: what the
-- steps of the story run over.
module Tern.Wasm.Story.Ref
  ( MonadRef (..),
  )
where

import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Kind (Type)
import Data.Vector.Unboxed.Mutable qualified as MU
import Data.Word (Word8)

class (Monad m) => MonadRef m where
  type Ref m :: Type -> Type
  type Bytes m :: Type
  newRef :: a -> m (Ref m a)
  readRef :: Ref m a -> m a
  writeRef :: Ref m a -> a -> m ()
  newBytes :: Int -> m (Bytes m)
  readByte :: Bytes m -> Int -> m Word8
  writeByte :: Bytes m -> Int -> Word8 -> m ()

instance MonadRef IO where
  type Ref IO = IORef
  type Bytes IO = MU.IOVector Word8
  newRef = newIORef
  readRef = readIORef
  writeRef = writeIORef
  newBytes n = MU.replicate n 0
  readByte = MU.read
  writeByte = MU.write
