{-# LANGUAGE MagicHash #-}
{-# LANGUAGE PatternSynonyms #-}

-- | Addresses, each with what keeps its memory alive.
--
-- The idea: code, records and frames hold plain addresses, which keep nothing alive.
-- So an address is had only of memory that lasts: of a block that a 'Keeper' holds,
-- good for as long as somebody holds the keeper, or of one that is never freed
-- ('forever'). What holds a keeper says so by 'holding'; a constant of the program
-- holds nothing, since the collector takes constants too, and can only be 'forever'.
--
-- Nobody else in this package takes an address out of a foreign pointer but for the
-- length of an action; @.hlint.yaml@ sees to it.
--
-- Start at 'Keeper' and 'Lasting'.
module Tern.Wasm.Lasting
  ( -- * Keepers
    Keeper,
    newKeeper,
    keep,
    holding,
    keeping,

    -- * Memory that lasts
    Lasting,
    lasting,
    address,
    at,
    beside,
    forever,

    -- * Memory that ends
    Passing,
    passing,
    passingAddress,
    end,

    -- * Memory that moves
    Moving,
    newMoving,
    record,
    View (..),
    view,
    viewed,
    lookingAt,
    within,
    nowhere,
    move,
    movingAddress,
    movingSize,
  )
where

import Control.Exception (bracket, mask_)
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef)
import Foreign.ForeignPtr
  ( ForeignPtr,
    castForeignPtr,
    finalizeForeignPtr,
    newForeignPtr_,
    plusForeignPtr,
    withForeignPtr,
  )
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Marshal.Alloc qualified as Alloc
import GHC.Exts (Int (..), keepAlive#)
import GHC.IO (IO (..))
import GHC.IORef (IORef (..))
import GHC.STRef (STRef (..))
import System.IO.Unsafe (unsafePerformIO)
import Tern.Wasm.Agreed
  ( pattern MovingAddress#,
    pattern MovingSize#,
  )
import Tern.Wasm.Prim (Ptr, castPtr, nullPtr, pokeByteOff)

-- * Keepers

-- | Holds what must stay as long as itself.
newtype Keeper = Keeper (IORef [Kept])

data Kept = forall a. Kept a

-- | A keeper that holds nothing yet.
newKeeper :: IO Keeper
newKeeper = Keeper <$> newIORef []

-- | Hold a value as long as the keeper is held; it is not let go before. Threads may do so at
-- once.
keep :: Keeper -> a -> IO ()
keep (Keeper held) a = atomicModifyIORef' held (\ks -> (Kept a : ks, ()))

-- | Run an action that works with addresses of what a keeper holds.
holding :: Keeper -> IO a -> IO a
holding (Keeper held) = keeping held

-- | Run an action while a cell is held.
keeping :: IORef a -> IO b -> IO b
keeping (IORef (STRef held)) (IO action) = IO $ \s -> keepAlive# held s action

-- * Memory that lasts

-- | A block whose address may be written down.
newtype Lasting = Lasting (ForeignPtr ())

-- | Give a block to a keeper.
lasting :: Keeper -> ForeignPtr a -> IO Lasting
lasting keeper block = Lasting (castForeignPtr block) <$ keep keeper block

-- | Where a block begins: good while its keeper is held.
address :: Lasting -> Ptr a
address (Lasting block) = castPtr (unsafeForeignPtrToPtr block)

-- | Use a block now, whether its keeper is held or not.
at :: Lasting -> (Ptr a -> IO b) -> IO b
at (Lasting block) action = withForeignPtr block (action . castPtr)

-- | What is some bytes further on in the same block.
beside :: Lasting -> Int -> Lasting
beside (Lasting block) n = Lasting (block `plusForeignPtr` n)

-- | Zeroes that are never freed: for the few blocks that a program has one of.
forever :: Int -> IO (Ptr a)
forever = Alloc.callocBytes

-- * Memory that ends

-- | A block that is freed when its owner says so, or with whoever holds this.
newtype Passing = Passing (ForeignPtr ())

-- | A block that its finalizers free, at its 'end' or when nothing holds it any more.
passing :: ForeignPtr a -> Passing
passing = Passing . castForeignPtr

-- | Where it begins: good while this is held by a keeper, and until its end.
passingAddress :: Passing -> Ptr a
passingAddress (Passing block) = castPtr (unsafeForeignPtrToPtr block)

-- | Free it now: nobody has its address any more.
end :: Passing -> IO ()
end (Passing block) = finalizeForeignPtr block

-- * Memory that moves

-- | A block that is changed for a larger one as it grows, with the record that tells
-- code where it is ('movingAddress') and how much of it is in use ('movingSize'), in
-- the units of who made it.
--
-- One thread makes it grow, and uses it as 'viewed' says; others are 'lookingAt' it, and are
-- counted. Where nobody is when it moves, the old block is freed at once; otherwise
-- the collector does that, when the last one has looked.
--
-- Invariant: the record leads to the block in the view, which keeps it.
data Moving a = Moving
  { -- | 16 bytes, as 'movingAddress' and 'movingSize' say.
    record :: !Lasting,
    current :: !(IORef (Current a))
  }

-- | The block as it is now, and how many are looking at it.
data Current a = Current !(View a) !Int

-- | A block and how much of it is in use, read as one.
data View a = View {viewBlock :: !(ForeignPtr a), viewSize :: !Int}

-- | Where the record has what, in bytes.
movingAddress, movingSize :: Int
movingAddress = I# MovingAddress#
movingSize = I# MovingSize#

-- | Given a keeper and 16 bytes for the record.
newMoving :: Keeper -> ForeignPtr () -> View a -> IO (Moving a)
newMoving keeper block v = do
  moving <- Moving <$> lasting keeper block <*> newIORef (Current v 0)
  moving <$ move moving v

-- | The block as it is now, for who makes it grow: it is freed when it moves.
view :: Moving a -> IO (View a)
view moving = (\(Current v _) -> v) <$> readIORef (current moving)

-- | Use the block as it is now, in the thread that makes it grow; it does not grow meanwhile.
viewed :: Moving a -> (Ptr a -> Int -> IO b) -> IO b
viewed moving action = view moving >>= \v -> within v (action . castPtr)

-- | The same in any thread: the block is not freed meanwhile, though a larger one may be put
-- in its place.
lookingAt :: Moving a -> (Ptr a -> Int -> IO b) -> IO b
lookingAt moving action = bracket begin leave (\v -> within v (action . castPtr))
  where
    begin = atomicModifyIORef' (current moving) (\(Current v n) -> (Current v (n + 1), v))
    -- Those of an old block are counted no more. It is held until this is seen: a new one
    -- could have its address.
    leave v = within v $ \_ _ ->
      atomicModifyIORef' (current moving) $ \now@(Current v' n) ->
        (if viewBlock v' == viewBlock v then Current v' (n - 1) else now, ())

-- | Use a block and how much of it is in use.
--
-- INLINE: so that the action and its results are not allocated where the driver enters
-- code. Proof: api "running allocates nothing that grows with the run".
within :: View a -> (Ptr b -> Int -> IO c) -> IO c
within (View block size) action = withForeignPtr block (\p -> action (castPtr p) size)
{-# INLINE within #-}

-- | No bytes.
nowhere :: View a
nowhere = View nullBlock 0

-- NOINLINE: one for the program; it holds nothing.
nullBlock :: ForeignPtr a
nullBlock = unsafePerformIO (newForeignPtr_ nullPtr)
{-# NOINLINE nullBlock #-}

-- | Put another block in its place, or say that more of it is in use. One thread at a
-- time. An exception of another thread comes before or after.
move :: Moving a -> View a -> IO ()
move moving v@(View block size) = mask_ $ do
  withForeignPtr block $ \p -> at (record moving) $ \r -> do
    pokeByteOff r movingAddress p
    pokeByteOff r movingSize size
  left <- atomicModifyIORef' (current moving) $ \(Current (View old _) n) ->
    if old == block
      then (Current v n, Nothing)
      else (Current v 0, if n == 0 then Just old else Nothing)
  mapM_ finalizeForeignPtr left
