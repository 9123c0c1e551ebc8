{-# LANGUAGE UndecidableInstances #-}

-- | Haskell functions as imports, and exports as Haskell functions.
--
-- The idea: a function's Haskell type is its WebAssembly type. Arguments are
-- peeked from the frame's slots and results poked there, without a list of
-- values between.
--
-- > imports <- hostFunction store (\a b -> pure (a + b) :: IO Word32)
-- > add <- exportFunction i "add"
-- >   :: IO (Either Error (Word32 -> Word32 -> IO (Either Error Word32)))
--
-- Start at 'Host' and 'Guest'.
module Tern.Wasm.Host
  ( -- * Values
    Scalar (..),
    Row (..),

    -- * Imports
    Host (..),
    hostCode,

    -- * Exports
    Guest (..),
  )
where

import Control.Monad.IO.Class (liftIO)
import Data.Int (Int32, Int64)
import Data.Proxy (Proxy (..))
import Data.Word (Word32, Word64)
import Tern.Wasm.Error (Trap)
import Tern.Wasm.Metered (Metered (..), Outcome (..))
import Tern.Wasm.Prim (Ptr, peekByteOff, plusPtr, pokeByteOff)
import Tern.Wasm.Store (HostCode)
import Tern.Wasm.Syntax (FuncType (..), ValType (..))

-- * Values

-- | A type that fills one slot.
class Scalar a where
  scalarType :: Proxy a -> ValType
  readScalar :: Ptr () -> IO a
  writeScalar :: Ptr () -> a -> IO ()

instance Scalar Word32 where
  scalarType _ = I32
  readScalar p = peekByteOff p 0
  writeScalar p = pokeByteOff p 0

instance Scalar Int32 where
  scalarType _ = I32
  readScalar p = peekByteOff p 0
  writeScalar p = pokeByteOff p 0

instance Scalar Word64 where
  scalarType _ = I64
  readScalar p = peekByteOff p 0
  writeScalar p = pokeByteOff p 0

instance Scalar Int64 where
  scalarType _ = I64
  readScalar p = peekByteOff p 0
  writeScalar p = pokeByteOff p 0

instance Scalar Float where
  scalarType _ = F32
  readScalar p = peekByteOff p 0
  writeScalar p = pokeByteOff p 0

instance Scalar Double where
  scalarType _ = F64
  readScalar p = peekByteOff p 0
  writeScalar p = pokeByteOff p 0

-- | Results: none, one or several.
class Row r where
  rowTypes :: Proxy r -> [ValType]
  readRow :: Ptr () -> IO r
  writeRow :: Ptr () -> r -> IO ()

instance Row () where
  rowTypes _ = []
  readRow _ = pure ()
  writeRow _ () = pure ()

instance {-# OVERLAPPABLE #-} (Scalar a) => Row a where
  rowTypes = pure . scalarType
  readRow = readScalar
  writeRow = writeScalar

instance (Scalar a, Scalar b) => Row (a, b) where
  rowTypes _ = [scalarType (Proxy @a), scalarType (Proxy @b)]
  readRow p = (,) <$> readScalar p <*> readScalar (p `plusPtr` 8)
  writeRow p (a, b) = writeScalar p a >> writeScalar (p `plusPtr` 8) b

instance (Scalar a, Scalar b, Scalar c) => Row (a, b, c) where
  rowTypes _ = [scalarType (Proxy @a), scalarType (Proxy @b), scalarType (Proxy @c)]
  readRow p = (,,) <$> readScalar p <*> readScalar (p `plusPtr` 8) <*> readScalar (p `plusPtr` 16)
  writeRow p (a, b, c) =
    writeScalar p a >> writeScalar (p `plusPtr` 8) b >> writeScalar (p `plusPtr` 16) c

-- * Imports

-- | A Haskell function that WebAssembly can call: scalars to an action that
-- returns its results, or a trap instead of them.
class Host f where
  hostParams :: Proxy f -> [ValType]
  hostResults :: Proxy f -> [ValType]

  -- | Arguments from the first address on, results to the second.
  hostRun :: f -> Ptr () -> HostCode

instance {-# OVERLAPPABLE #-} (Row r) => Host (IO r) where
  hostParams _ = []
  hostResults _ = rowTypes (Proxy @r)
  hostRun action _ p = Done <$> (action >>= writeRow p)

instance (Row r) => Host (IO (Either Trap r)) where
  hostParams _ = []
  hostResults _ = rowTypes (Proxy @r)
  hostRun action _ p = action >>= either (pure . Refused) (fmap Done . writeRow p)

-- | One that pays for what it does.
instance (Row r) => Host (Metered r) where
  hostParams _ = []
  hostResults _ = rowTypes (Proxy @r)
  hostRun action _ p = runMetered (action >>= liftIO . writeRow p)

instance (Scalar a, Host f) => Host (a -> f) where
  hostParams _ = scalarType (Proxy @a) : hostParams (Proxy @f)
  hostResults _ = hostResults (Proxy @f)
  hostRun f args p = do
    a <- readScalar args
    hostRun (f a) (args `plusPtr` 8) p

-- | The type of a Haskell function and the code that calls it.
hostCode :: forall f. (Host f) => f -> (FuncType, HostCode)
hostCode f = (FuncType (hostParams (Proxy @f)) (hostResults (Proxy @f)), \p -> hostRun f p p)

-- * Exports

-- | A Haskell function that calls WebAssembly: scalars to an action that gives
-- the results or an error.
class Guest e f where
  guestParams :: Proxy e -> Proxy f -> [ValType]
  guestResults :: Proxy e -> Proxy f -> [ValType]

  -- | Given how to call with something that writes the arguments, and something
  -- that reads the results.
  guestCall ::
    (forall r. (Ptr () -> IO ()) -> (Ptr () -> IO r) -> IO (Either e r)) ->
    (Ptr () -> IO ()) ->
    Int ->
    f

instance (Row r, e ~ e') => Guest e (IO (Either e' r)) where
  guestParams _ _ = []
  guestResults _ _ = rowTypes (Proxy @r)
  guestCall call write _ = call write readRow

instance (Scalar a, Guest e f) => Guest e (a -> f) where
  guestParams e _ = scalarType (Proxy @a) : guestParams e (Proxy @f)
  guestResults e _ = guestResults e (Proxy @f)
  guestCall call write n a =
    guestCall call (\p -> write p >> writeScalar (p `plusPtr` (8 * n)) a) (n + 1)
