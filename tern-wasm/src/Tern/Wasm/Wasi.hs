{-# LANGUAGE OverloadedStrings #-}

-- | WASI preview 1, and the edition before it: what a program compiled for a command
-- line imports.
--
-- The idea: a program can reach only what it is given: arguments, environment,
-- the three standard streams, and folders that are opened for it before it
-- starts. A path leads from a folder that the program holds to what is below it, and
-- nowhere else, whatever links say and whatever others move meanwhile.
--
-- Start at 'wasiImports'. Files are in "Tern.Wasm.Wasi.Content" and
-- "Tern.Wasm.Wasi.Folder", what all is made of in "Tern.Wasm.Wasi.State".
module Tern.Wasm.Wasi
  ( Wasi (..),
    defaultWasi,
    WasiState,
    newWasi,
    closeWasi,
    wasiImports,
    wasiMemory,
    wasiExitCode,
  )
where

import Control.Concurrent (yield)
import Control.Monad (when)
import Control.Monad.IO.Class (liftIO)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Word (Word32, Word64)
import Tern.Wasm (Extern (..), Imports, Metered, Store, Trap (..), importsFrom, price)
import Tern.Wasm.Metered (pieceBytes, refused)
import Tern.Wasm.Prim (castPtr, copyBytes, plusPtr, pokeByteOff)
import Tern.Wasm.Wasi.Content (contentFunctions)
import Tern.Wasm.Wasi.Errno (Errno (..))
import Tern.Wasm.Wasi.Folder (folderFunctions)
import Tern.Wasm.Wasi.Poll (pollFunctions)
import Tern.Wasm.Wasi.State
  ( Edition (..),
    Function,
    Wasi (..),
    WasiState (..),
    at,
    callBytes,
    closeWasi,
    defaultWasi,
    descriptorAt,
    done,
    exitWith,
    function,
    io,
    newWasi,
    pay,
    put,
    refuse,
    wasiExitCode,
    wasiMemory,
  )
import Tern.Wasm.Wasi.System (Clock, clockResolution, clockTime, random)

-- | The functions of both editions, as imports for a store.
wasiImports :: Store -> WasiState -> IO Imports
wasiImports store st = Map.unions <$> mapM edition [minBound .. maxBound]
  where
    edition e = importsFrom (editionName e) <$> mapM (made e) (functions e st)
    made :: Edition -> Function -> IO (Text, Extern)
    made _ (name, make) = (,) name . ExternFunc <$> make store

editionName :: Edition -> Text
editionName = \case
  Preview1 -> "wasi_snapshot_preview1"
  Unstable -> "wasi_unstable"

functions :: Edition -> WasiState -> [Function]
functions edition st =
  processFunctions st
    <> contentFunctions edition st
    <> folderFunctions edition st
    <> pollFunctions edition st
    <> sockets
  where
    -- There are none, and @sock_accept@ came with the later edition.
    sockets =
      [function "sock_accept" (\fd (_ :: Word32) (_ :: Word32) -> none fd) | edition == Preview1]
        <> [ function
               "sock_recv"
               ( \fd (_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) ->
                   none fd
               ),
             function
               "sock_send"
               ( \fd (_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) ->
                   none fd
               ),
             function "sock_shutdown" (\fd (_ :: Word32) -> none fd)
           ]
    none :: Word32 -> Metered Word32
    none fd = done (descriptorAt st fd >> refuse ENOTSOCK)

-- | Arguments, environment, clocks, chance and the end.
processFunctions :: WasiState -> [Function]
processFunctions st =
  [ function "args_get" (strings (wasiArguments w)),
    function "args_sizes_get" (sizes (wasiArguments w)),
    function "environ_get" (strings environment),
    function "environ_sizes_get" (sizes environment),
    function "clock_res_get" (clock clockResolution 1),
    function "clock_time_get" (\which (_ :: Word64) to -> clock clockTime 0 which to),
    function
      "proc_exit"
      ( \n ->
          price callBytes
            >> liftIO (exitWith st n)
            >> refused (HostTrap "the program has exited") ::
            Metered ()
      ),
    function "proc_raise" (\(_ :: Word32) -> done (refuse ENOTSUP)),
    function "random_get" chance,
    function "sched_yield" (done (liftIO yield))
  ]
  where
    w = given st
    environment = [k <> "=" <> v | (k, v) <- wasiEnvironment w]

    -- Addresses of texts, and the texts one after the other, each with a byte 0.
    strings :: [ByteString] -> Word32 -> Word32 -> Metered Word32
    strings texts pointers buffer = done $ do
      let all_ = map (`B.snoc` 0) texts
          total = sum (map B.length all_)
          starts = scanl (+) (fromIntegral buffer) (map B.length all_)
      pay (total + 4 * length texts)
      at st buffer total (const (pure (Right ())))
      at
        st
        pointers
        (4 * length texts)
        ( \p ->
            Right
              <$> mapM_
                ( \(k, a) ->
                    pokeByteOff p (4 * k) (fromIntegral a :: Word32)
                )
                (zip [0 ..] (zipWith const starts texts))
        )
      at st buffer total $ \p ->
        Right
          <$> mapM_
            ( \(a, t) ->
                B.unsafeUseAsCStringLen
                  t
                  ( \(q, n) ->
                      copyBytes (p `plusPtr` (a - fromIntegral buffer)) (castPtr q) n
                  )
            )
            (zip starts all_)

    sizes :: [ByteString] -> Word32 -> Word32 -> Metered Word32
    sizes texts n total = done $ do
      let bytes = sum (map ((+ 1) . B.length) texts)
      when (bytes > 0xFFFFFFFF || length texts > 0xFFFFFFF) (refuse EOVERFLOW)
      put st n (fromIntegral (length texts) :: Word32)
      put st total (fromIntegral bytes :: Word32)

    clock :: (Clock -> IO (Either Errno Word64)) -> Word64 -> Word32 -> Word32 -> Metered Word32
    clock ask still which to = done $ do
      c <- maybe (refuse EINVAL) pure (lookup which (zip [0 ..] [minBound .. maxBound]))
      if wasiClocks w then io (ask c) >>= put st to else put st to still

    chance :: Word32 -> Word32 -> Metered Word32
    chance to n = done $ do
      at st to (fromIntegral n) (const (pure (Right ())))
      let go from
            | from >= fromIntegral n = pure ()
            | otherwise = do
                let k = min chanceBytes (fromIntegral n - from)
                -- Slower than copying.
                pay (8 * k)
                at st (to + fromIntegral from) k (`random` k)
                go (from + k)
      go (0 :: Int)
    chanceBytes = pieceBytes `div` 8
