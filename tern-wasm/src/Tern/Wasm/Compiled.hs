-- | Modules that may be instantiated, with the code of their functions.
--
-- The idea: a function is lowered when it is first called, by whichever instance calls it, and
-- its code is all instances'. So a compiled module knows of no store; it holds the
-- code, and whose code an address is in.
--
-- Start at 'Compiled'.
module Tern.Wasm.Compiled
  ( Compiled (..),
    compile,
    remember,
    codeAt,
    stubOf,
  )
where

import Control.Concurrent.MVar (MVar, newMVar)
import Data.ByteString qualified as B
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.Text (Text)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Word (Word32, Word64)
import Foreign.ForeignPtr (mallocForeignPtrBytes)
import Tern.Wasm.Binary.Instr (instructions)
import Tern.Wasm.Byte (opNumber)
import Tern.Wasm.Code (Lowered (..), Op (..), unit)
import Tern.Wasm.Fields (Fields, fieldsOf)
import Tern.Wasm.Image (Image, newImage)
import Tern.Wasm.Lasting (Keeper, Lasting, address, at, lasting, newKeeper)
import Tern.Wasm.Layout (Layout, layout)
import Tern.Wasm.Lower (Options (..))
import Tern.Wasm.Names (functionNames)
import Tern.Wasm.Prim (Ptr, minusPtr, nullPtr, plusPtr, pokeByteOff)
import Tern.Wasm.Syntax
  ( Data (..),
    DataMode (..),
    Functions (..),
    Import (..),
    ImportDesc (..),
    Index,
    Instr (..),
    Limits (..),
    MemoryType (..),
    Module (..),
  )
import Tern.Wasm.Type (CompType (..), FuncType (..), SubType (..))
import Tern.Wasm.Valid (Spaces (..), Valid (..))

-- | A validated module with the code of its functions, lowered when each is
-- first called and shared by all instances.
data Compiled = Compiled
  { compiledValid :: !Valid,
    compiledLayout :: !Layout,
    compiledCode :: !(MV.IOVector (Maybe Lowered)),
    -- | By the address where it begins, whose code it is.
    compiledPlaces :: !(IORef (IntMap (Index, Lowered))),
    -- | The numbers of its types in the store that it was last instantiated in.
    compiledNumbers :: !(IORef (Maybe (IORef Int, Vector Int))),
    -- | For each function an instruction that asks for it to be lowered.
    compiledStubs :: !Lasting,
    -- | Holds the code; every store with an instance holds the module.
    compiledKeeper :: !Keeper,
    -- | Held while native code is made: one thread writes to the bytecode.
    compiledLock :: !(MVar ()),
    -- | How many functions have native code.
    compiledNatives :: !(IORef Int),
    compiledOptions :: !Options,
    -- | What the name section calls the functions.
    compiledNames :: IntMap Text,
    -- | What its active data segments make of a memory of its own, and of which; where there is
    -- one, each of them is in it.
    compiledImage :: !(Maybe (Index, Image)),
    -- | The fields of each type. Lazy, and each lazily: only structures and arrays are
    -- asked for.
    compiledFields :: Vector Fields,
    -- | How many parameters, results and fields its types have in all.
    compiledParts :: Int
  }

-- | Make a module ready for instances; no body is looked at yet. Linear in the functions, the
-- types and the data. Where it has a mebibyte of active data and more, they are kept once more, for
-- instances to share.
compile :: Options -> Valid -> IO Compiled
compile how valid = do
  let sp = validSpaces valid
      n = V.length (spaceFuncs sp)
  code <- MV.replicate (functionCount (moduleFuncs (validModule valid))) Nothing
  keeper <- newKeeper
  stubs <- mallocForeignPtrBytes (max unit (n * unit)) >>= lasting keeper
  at stubs $ \p -> mapM_ (stub p) [0 .. n - 1]
  places <- newIORef IntMap.empty
  numbers <- newIORef Nothing
  lock <- newMVar ()
  natives <- newIORef 0
  image <- imageOf (validModule valid)
  pure
    ( Compiled
        valid
        (layout sp)
        code
        places
        numbers
        stubs
        keeper
        lock
        natives
        how
        (functionNames (validModule valid))
        image
        (V.map (fieldsOf . subComp) (spaceTypes sp))
        (V.sum (V.map (parts . subComp) (spaceTypes sp)))
    )
  where
    parts = \case
      CompFunc (FuncType ps rs) -> length ps + length rs
      CompStruct fields -> length fields
      CompArray _ -> 1
    stub :: Ptr () -> Int -> IO ()
    stub p x = do
      pokeByteOff p (x * unit) (fromIntegral (opNumber Lower) :: Word64)
      pokeByteOff p (x * unit + 8) (fromIntegral x :: Word32)
      pokeByteOff p (x * unit + 12) (0 :: Word32)

-- | The image of a module's active data segments, where they are all of one memory of its own, at
-- constant addresses, and inside of what it begins with: then they are copied whatever happens,
-- and nobody sees the order.
imageOf :: Module -> IO (Maybe (Index, Image))
imageOf m = case sequence (V.toList (V.mapMaybe part (moduleDatas m))) of
  Just parts@((x, _, _) : _)
    | Just (MemoryType _ (Limits low _)) <- moduleMems m V.!? (x - imported),
      all (inside (toInteger low * 65536) x) parts ->
        fmap (x,) <$> newImage [(fromIntegral from, bytes) | (_, from, bytes) <- parts]
  _ -> pure Nothing
  where
    imported = length [() | Import _ _ (ImportMem _) <- V.toList (moduleImports m)]
    part d = case dataMode d of
      DataPassive -> Nothing
      DataActive x offset -> Just ((x,,dataInit d) <$> begin offset)
    begin offset = case map snd (instructions offset) of
      [I32Const v, End] -> Just (toInteger (fromIntegral v :: Word32))
      [I64Const v, End] -> Just (toInteger (fromIntegral v :: Word64))
      _ -> Nothing
    inside size x (y, from, bytes) = y == x && from + toInteger (B.length bytes) <= size

-- | Remember whose code a block is: a function's, by its index.
remember :: Compiled -> Index -> Lowered -> IO ()
remember c x l =
  atomicModifyIORef'
    (compiledPlaces c)
    ( \m ->
        (IntMap.insert (addressOf (address (loweredCode l))) (x, l) m, ())
    )

-- | The function whose code is at an address, and the distance from its start.
codeAt :: Compiled -> Ptr () -> IO (Maybe (Index, Lowered, Int))
codeAt c p = do
  m <- readIORef (compiledPlaces c)
  pure $ case IntMap.lookupLE (addressOf p) m of
    Just (start, (x, l)) | addressOf p - start <= loweredSize l -> Just (x, l, addressOf p - start)
    _ -> Nothing

addressOf :: Ptr a -> Int
addressOf p = p `minusPtr` nullPtr

-- | Where the code of a function begins that is not lowered yet, by its index, imports counted.
stubOf :: Compiled -> Index -> Ptr ()
stubOf c x = address (compiledStubs c) `plusPtr` (x * unit)
