-- | Which objects and exceptions of a store can still be reached, and the others taken
-- away.
--
-- The idea: marking begins at what may lead to an object: the words of the store's stack
-- up to where the innermost operands end, tables, globals, element segments, and what
-- Haskell holds ("Tern.Wasm.Held"). Of the stack it is not known which words are
-- references. It need not be: a reference has the heap's secret in it, so a word that is
-- one was one. What is left of an operand that has been taken may so keep an object; it
-- can free none.
--
-- Objects and exceptions are marked in pieces; between them the action says whether there
-- is time. A collection that is given up takes nothing away that was to stay.
--
-- Start at 'collect'.
module Tern.Wasm.Collect
  ( collect,
    collectSoon,
    stillFull,
  )
where

import Control.Concurrent.MVar (withMVar)
import Control.Exception (mask_)
import Control.Monad (forM_, void, when, (>=>))
import Data.ByteString.Unsafe qualified as B
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import Data.IntMap.Strict qualified as IntMap
import Data.Maybe (isJust)
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Vector.Unboxed qualified as U
import Data.Word (Word32, Word64)
import Tern.Wasm.Allowance (left)
import Tern.Wasm.Fields (Fields (..), fieldsOf)
import Tern.Wasm.Heap (Heap (..), Word_ (..), wordIs)
import Tern.Wasm.Heap.Mark (begin, finish, isObject, looked, mark, sweep)
import Tern.Wasm.Heap.Place (isDue, refused, worthwhile)
import Tern.Wasm.Held (Asleep (..), stillWatched)
import Tern.Wasm.Lasting (address, at)
import Tern.Wasm.Object (objectHead, objectLength)
import Tern.Wasm.Prim (Ptr, castPtr, minusPtr, peekByteOff, peekElemOff, plusPtr)
import Tern.Wasm.Settings (Account (..))
import Tern.Wasm.Store
  ( AllThrown (..),
    Roots (..),
    Store (..),
    Thrown (..),
    costOfGlobal,
    costOfPart,
    isTraced,
    noneThrown,
    oneMoreThrown,
    refundHeap,
    typeCount,
    typeOfNumber,
    withTable,
  )
import Tern.Wasm.Type
  ( CompType (..),
    FieldType (..),
    Known,
    Storage (..),
    SubType (..),
  )

-- | Collect, given whether there is still time, where the operands on the stack end, and
-- words that are held beside it. Whether it came to an end. Linear in what is kept and
-- in the roots; the store's own thread asks.
collect :: Store -> IO Bool -> Ptr () -> [Word64] -> IO Bool
collect store timely end beside = withMVar (heapLock heap) $ \_ -> do
  begin heap
  AllThrown cost thrown <- readIORef (storeThrown store)
  stay <- newIORef noneThrown
  waiting <- newIORef []
  let reach = Reach heap (thrown IntMap.!?) stay waiting
  shapes <- shapesOf store
  mapM_ (reached reach) beside
  rooted <- fromRoots store timely reach end
  marked <- maybe (pure False) (const (spread reach timely shapes)) rooted
  if not marked
    then pure False
    else do
      caught@(AllThrown cost' _) <- readIORef stay
      -- No code of the store runs, so nobody has thrown meanwhile.
      mask_ $ do
        writeIORef (storeThrown store) caught
        refundHeap store (cost - cost')
      swept <- sweep heap timely
      let kept n = n + sum rooted + cost' + 8 * countShapes shapes
      mapM_ (finish heap . kept) swept
      pure (isJust swept)
  where
    heap = storeHeap store

-- | Collect before something that cannot, and needs @need@ bytes of the account: if it is
-- time to, or they are not there. Given where the stack ends.
collectSoon :: Store -> IO Bool -> Ptr () -> Int -> IO ()
collectSoon store timely end need = do
  due <- isDue (storeHeap store)
  room <- left (accountHeap (storeAccount store))
  wanted <- if due || need <= room then pure due else worthwhile (storeHeap store)
  when wanted (void (collect store timely end []))

-- | There was no room all the same: whoever needs some next collects.
stillFull :: Store -> IO ()
stillFull = refused . storeHeap

-- | What marking looks up and writes down: the heap, which exceptions there are, and
-- those that were reached, with those that are still to be looked into.
data Reach
  = Reach !Heap (Int -> Maybe Thrown) !(IORef AllThrown) !(IORef [Thrown])

-- | Mark what a word refers to, if it is a reference.
reached :: Reach -> Word64 -> IO ()
reached reach@(Reach heap _ _ _) w = case wordIs heap w of
  Plain -> pure ()
  ToObject p -> isObject heap p >>= \yes -> when yes (mark heap p)
  ToThrown n -> throwReached reach n

-- | The same for a word of a place that has references alone.
referred :: Reach -> Word64 -> IO ()
referred reach@(Reach heap _ _ _) w
  | w == 0 = pure ()
  | otherwise = case wordIs heap w of
      Plain -> pure ()
      ToObject p -> mark heap p
      ToThrown n -> throwReached reach n

throwReached :: Reach -> Int -> IO ()
throwReached (Reach _ thrown kept waiting) n = forM_ (thrown n) $ \e -> do
  known@(AllThrown _ es) <- readIORef kept
  when (IntMap.notMember n es) $ do
    writeIORef kept $! oneMoreThrown n e known
    modifyIORef' waiting (e :)

-- * Roots

-- | Mark what roots refer to; what going over them takes, in bytes, if there was time. A place
-- counts, however little stands there: a module has very many tables without elements in a few
-- bytes.
--
-- What the host has is looked up before the places: what another thread of it writes to a new
-- one meanwhile is found here or there.
fromRoots :: Store -> IO Bool -> Reach -> Ptr () -> IO (Maybe Int)
fromRoots store timely reach end = do
  asleep <- readIORef (storeAsleep store) >>= stillWatched
  copied <- readIORef (storeCopied store) >>= stillWatched
  held <- readIORef (storeHeld store) >>= stillWatched
  Roots tables cells segments <- readIORef (storeRoots store)
  let stack = address (storeStack store)
  overAll
    timely
    ( (0, row (reached reach) stack (end `minusPtr` stack))
        : map ((0,) . ofAsleep) asleep
          <> map ((costOfPart,) . ofTable) tables
          <> map ((costOfPart,) . ofSegment) segments
          <> map ((costOfPart,) . (readIORef >=> ofElements reached)) copied
          <> map ((costOfGlobal,) . ofCell) cells
          <> map ((costOfGlobal,) . ofHeld) held
    )
  where
    ofAsleep cell =
      readIORef cell >>= \case
        Nothing -> pure (Just 0)
        Just (Asleep stack beside) -> do
          mapM_ (reached reach) beside
          B.unsafeUseAsCStringLen stack $ \(p, n) -> row (reached reach) (castPtr p) n
    ofTable t = withTable t (\p n -> row (referred reach) (castPtr p) (8 * n))
    ofSegment (k, elements) = MV.read elements k >>= ofElements referred
    ofElements how values =
      overWhole (8 * V.length values)
        <$> inPieces timely (V.length values) (how reach . (values V.!))
    ofCell c = Just 0 <$ at c (\p -> peekByteOff p 0 >>= referred reach)
    ofHeld cell = Just 0 <$ (readIORef cell >>= referred reach)
    row = overRow timely

-- | Go over places, each with what it counts beside the bytes that it takes; all of that, if
-- there was time, which is looked at between a few.
overAll :: IO Bool -> [(Int, IO (Maybe Int))] -> IO (Maybe Int)
overAll timely = go 0 0
  where
    go !whole !since = \case
      [] -> pure (Just (whole :: Int))
      (count, action) : rest ->
        action >>= \case
          Nothing -> pure Nothing
          Just bytes
            | since + count + bytes < 65536 ->
                go (whole + count + bytes) (since + count + bytes) rest
            | otherwise -> do
                more <- timely
                if more then go (whole + count + bytes) 0 rest else pure Nothing

-- | Go over the words of @bytes@ bytes in pieces; 'Nothing' where there is no time.
overRow :: IO Bool -> (Word64 -> IO ()) -> Ptr () -> Int -> IO (Maybe Int)
overRow timely f from bytes =
  overWhole bytes <$> inPieces timely (bytes `div` 8) (peekElemOff (castPtr from) >=> f)

-- | What a row takes, if all of it was gone over.
overWhole :: Int -> Bool -> Maybe Int
overWhole bytes done = if done then Just bytes else Nothing

-- | Do something with each number from 0 on, in pieces; whether there was time.
inPieces :: IO Bool -> Int -> (Int -> IO ()) -> IO Bool
inPieces timely many f = go 0
  where
    go k
      | k >= many = pure True
      | otherwise = do
          let next = min many (k + 8192)
          each k next
          more <- timely
          if more then go next else pure False
    each k next
      | k >= next = pure ()
      | otherwise = f k >> each (k + 1) next

-- * Objects

-- | Where an object of a type has references.
data Shape
  = NoReferences
  | -- | In these places, in bytes.
    References !(U.Vector Int)
  | -- | In each element.
    Elements

-- | The shapes of a store's types, by their numbers. Each is worked out when an object has it, and
-- nothing is made for the others: there may be very many types.
data Shapes = Shapes !Known !(MV.IOVector (Maybe Shape))

shapesOf :: Store -> IO Shapes
shapesOf store = Shapes <$> typeOfNumber store <*> (typeCount store >>= (`MV.replicate` Nothing))

countShapes :: Shapes -> Int
countShapes (Shapes _ shapes) = MV.length shapes

-- | The shape of the type with a number; an object has the number of a type of the store.
shapeAt :: Shapes -> Int -> IO Shape
shapeAt (Shapes known shapes) n
  | n >= MV.length shapes = pure NoReferences
  | otherwise =
      MV.read shapes n >>= \case
        Just shape -> pure shape
        Nothing -> do
          let shape = maybe NoReferences (shapeOf known . subComp) (known n)
          shape <$ MV.write shapes n (Just shape)

shapeOf :: Known -> CompType -> Shape
shapeOf known comp = case comp of
  CompFunc _ -> NoReferences
  CompArray f | traced f -> Elements
  CompArray _ -> NoReferences
  CompStruct _ | U.null places -> NoReferences
  CompStruct _ -> References places
  where
    fields = fieldsOf comp
    places =
      U.fromList
        [ objectHead + place
          | (f, place) <- zip (V.toList (fieldTypes fields)) (U.toList (fieldPlaces fields)),
            traced f
        ]
    traced (FieldType _ s) = case s of
      Whole t -> isTraced known t
      Packed8 -> False
      Packed16 -> False

-- | Mark what the marked lead to, until there is no more; whether there was time.
spread :: Reach -> IO Bool -> Shapes -> IO Bool
spread reach@(Reach heap _ _ waiting) timely shapes = do
  steps <- newIORef (0 :: Int)
  let go = do
        on <- looked heap (look steps)
        thrown <- readIORef waiting
        case thrown of
          _ | not on -> pure False
          [] -> pure True
          Thrown _ values : rest -> do
            writeIORef waiting rest
            mapM_ (reached reach) values
            more <- counted steps (1 + length values)
            if more then go else pure False
  go
  where
    look steps p = do
      n <- peekByteOff p 0 :: IO Word32
      shapeAt shapes (fromIntegral n) >>= \case
        References places -> do
          U.forM_ places (peekByteOff p >=> referred reach)
          counted steps (U.length places)
        Elements -> do
          many <- objectLength p
          done <- overRow timely (referred reach) (p `plusPtr` objectHead) (8 * fromIntegral many)
          pure (isJust done)
        NoReferences -> counted steps 1
    counted steps k = do
      n <- readIORef steps
      if n < 8192 then True <$ (writeIORef steps $! n + k) else writeIORef steps 0 >> timely
