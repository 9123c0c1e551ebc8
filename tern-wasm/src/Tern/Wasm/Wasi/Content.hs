{-# LANGUAGE OverloadedStrings #-}

-- | WASI's functions over open descriptors: reading, writing, places in files, what a
-- descriptor is.
--
-- The idea: bytes go between the system and the guest's memory in pieces, each paid
-- for before it is moved; where nothing is there yet, the program waits in pieces of
-- time ("Tern.Wasm.Wasi.Wait"), so that its limits hold meanwhile.
--
-- Start at 'transfer'.
module Tern.Wasm.Wasi.Content
  ( contentFunctions,
    putStatus,
    timeBits,
  )
where

import Control.Monad (unless, void, when)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (runExceptT)
import Data.Bits (complement, testBit, (.&.), (.|.))
import Data.ByteString qualified as B
import Data.Int (Int64)
import Data.Word (Word32, Word64, Word8)
import Tern.Wasm.Metered (Metered, pieceBytes)
import Tern.Wasm.Prim (Ptr, peekByteOff, pokeByteOff)
import Tern.Wasm.Wasi.Errno (Errno (..))
import Tern.Wasm.Wasi.Rights (Right_ (..), has)
import Tern.Wasm.Wasi.State
  ( Act,
    Descriptor (..),
    Edition (..),
    Form (..),
    Function,
    WasiState,
    access,
    at,
    callBytes,
    changeDescriptor,
    descriptorAt,
    done,
    dropDescriptor,
    function,
    io,
    pay,
    permit,
    put,
    putBytes,
    refuse,
    renumber,
  )
import Tern.Wasm.Wasi.System
  ( Fd,
    Interest (..),
    Ready (..),
    Status (..),
    Whence (..),
    poll,
    readAt,
    readFile,
    readStream,
    resize,
    seek,
    setAppend,
    setTimes,
    status,
    synchronise,
    using,
    writeAt,
    writeFile,
  )
import Tern.Wasm.Wasi.Wait (aside, awaiting, persistently)
import Prelude hiding (readFile, writeFile)

-- | The functions whose names begin with @fd_@, but for @fd_readdir@.
contentFunctions :: Edition -> WasiState -> [Function]
contentFunctions edition st =
  [ function "fd_advise" advise,
    function "fd_allocate" allocate,
    function "fd_close" (\fd -> done (dropDescriptor st fd)),
    function "fd_datasync" (sync FdDatasync False),
    function "fd_fdstat_get" fdStat,
    function "fd_fdstat_set_flags" setFlags,
    function "fd_fdstat_set_rights" setRights,
    function
      "fd_filestat_get"
      ( \fd to ->
          done
            ( access st fd [FdFilestatGet] >>= \d ->
                io (using (descriptorOwned d) status) >>= putStatus edition st to
            )
      ),
    function "fd_filestat_set_size" resized,
    function "fd_filestat_set_times" timed,
    function
      "fd_pread"
      ( \fd vs n o to ->
          done (moved fd [FdRead, FdSeek] vs n to (Placed readAt o))
      ),
    function "fd_prestat_get" prestat,
    function "fd_prestat_dir_name" prestatName,
    function
      "fd_pwrite"
      ( \fd vs n o to ->
          done (moved fd [FdWrite, FdSeek] vs n to (Placed writeAt o))
      ),
    function "fd_read" (\fd vs n to -> done (moved fd [FdRead] vs n to Reading)),
    function "fd_renumber" (\from to -> done (renumber st from to)),
    function "fd_seek" seeking,
    function "fd_sync" (sync FdSync True),
    function "fd_tell" (\fd to -> done (placed fd FdTell 0 FromHere to)),
    function "fd_write" (\fd vs n to -> done (moved fd [FdWrite] vs n to Writing))
  ]
  where
    advise :: Word32 -> Word64 -> Word64 -> Word32 -> Metered Word32
    advise fd from n advice = done $ do
      _ <- fileOf fd [FdAdvise] EBADF
      _ <- extent from n
      when (advice > 5) (refuse EINVAL)

    -- Room on a disk is not given ahead.
    allocate :: Word32 -> Word64 -> Word64 -> Metered Word32
    allocate fd from n = done $ do
      _ <- fileOf fd [FdAllocate] EBADF
      _ <- extent from n
      when (n == 0) (refuse EINVAL)
      refuse ENOTSUP

    sync :: Right_ -> Bool -> Word32 -> Metered Word32
    sync right everything fd = done $ do
      d <- access st fd [right]
      aside (using (descriptorOwned d) (synchronise everything))

    fdStat :: Word32 -> Word32 -> Metered Word32
    fdStat fd to = done $ do
      d <- descriptorAt st fd
      s <- io (using (descriptorOwned d) status)
      at st to 24 $ \p -> do
        pokeByteOff p 0 (fromIntegral (fromEnum (statusKind s)) :: Word64)
        pokeByteOff p 2 (descriptorFlags d)
        pokeByteOff p 8 (descriptorRights d)
        pokeByteOff p 16 (descriptorInheriting d)
        pure (Right ())

    setFlags :: Word32 -> Word32 -> Metered Word32
    setFlags fd flags = done $ do
      d <- access st fd [FdFdstatSetFlags]
      when (flags > 31) (refuse EINVAL)
      -- What is written through to the disk is settled when a file is opened.
      when ((flags .&. 26) /= fromIntegral (descriptorFlags d .&. 26)) (refuse ENOTSUP)
      case descriptorForm d of
        File -> io (using (descriptorOwned d) (setAppend (testBit flags 0)))
        -- The host shares how its streams are open.
        _ -> when (testBit flags 0 /= testBit (descriptorFlags d) 0) (refuse ENOTSUP)
      changeDescriptor st fd (\e -> e {descriptorFlags = fromIntegral flags})

    setRights :: Word32 -> Word64 -> Word64 -> Metered Word32
    setRights fd base inheriting = done $ do
      d <- descriptorAt st fd
      let more =
            (base .&. complement (descriptorRights d))
              .|. (inheriting .&. complement (descriptorInheriting d))
      unless (more == 0) (refuse ENOTCAPABLE)
      changeDescriptor
        st
        fd
        ( \e ->
            e
              { descriptorRights =
                  descriptorRights e .&. base,
                descriptorInheriting = descriptorInheriting e .&. inheriting
              }
        )

    resized :: Word32 -> Word64 -> Metered Word32
    resized fd n = done $ do
      d <- fileOf fd [FdFilestatSetSize] EINVAL
      to <- offset n
      io (using (descriptorOwned d) (`resize` to))

    timed :: Word32 -> Word64 -> Word64 -> Word32 -> Metered Word32
    timed fd a m bits = done $ do
      d <- access st fd [FdFilestatSetTimes]
      timeBits bits
      io (using (descriptorOwned d) (\h -> setTimes h a m (fromIntegral bits)))

    prestat :: Word32 -> Word32 -> Metered Word32
    prestat fd to = done $ do
      name <- given_ fd
      at st to 8 $ \p -> do
        pokeByteOff p 0 (0 :: Word32)
        pokeByteOff p 4 (fromIntegral (B.length name) :: Word32)
        pure (Right ())

    prestatName :: Word32 -> Word32 -> Word32 -> Metered Word32
    prestatName fd to n = done $ do
      name <- given_ fd
      when (fromIntegral n < B.length name) (refuse ENAMETOOLONG)
      putBytes st to name

    given_ fd =
      descriptorAt st fd >>= \d -> case descriptorForm d of
        Folder (Just name) _ -> pure name
        Folder Nothing _ -> refuse EBADF
        Stream -> refuse EBADF
        Shared -> refuse EBADF
        File -> refuse EBADF

    seeking :: Word32 -> Word64 -> Word32 -> Word32 -> Metered Word32
    seeking fd by from to = done $ do
      whence <- maybe (refuse EINVAL) pure (lookup from (zip [0 ..] (whences edition)))
      placed fd FdSeek (fromIntegral by) whence to

    placed fd right by whence to = do
      d <- descriptorAt st fd
      case descriptorForm d of
        Stream -> refuse ESPIPE
        Shared -> refuse ESPIPE
        Folder _ _ -> refuse EBADF
        File -> unless (has (descriptorRights d) right) (refuse ENOTCAPABLE)
      new <- io (using (descriptorOwned d) (\h -> seek h by whence))
      put st to (fromIntegral new :: Word64)

    fileOf fd wanted other = do
      d <- access st fd wanted
      case descriptorForm d of
        File -> pure d
        Stream -> refuse other
        Shared -> refuse other
        Folder _ _ -> refuse EISDIR

    moved :: Word32 -> [Right_] -> Word32 -> Word32 -> Word32 -> Move -> Act ()
    moved fd wanted vs n to move = do
      d <- descriptorAt st fd
      case descriptorForm d of
        Folder _ _ -> refuse EISDIR
        Stream -> inOrder
        Shared -> inOrder
        File -> pure ()
      permit d wanted
      buffers <- vectors st vs n
      k <- transfer st d buffers move
      put st to k
      where
        inOrder = case move of
          Placed _ _ -> refuse ESPIPE
          Reading -> pure ()
          Writing -> pure ()

-- | Where @fd_seek@ counts from, by its number.
whences :: Edition -> [Whence]
whences = \case
  Preview1 -> [FromStart, FromHere, FromEnd]
  Unstable -> [FromHere, FromEnd, FromStart]

-- | An offset that the system can have.
offset :: Word64 -> Act Int64
offset n
  | n > fromIntegral (maxBound :: Int64) = refuse EINVAL
  | otherwise = pure (fromIntegral n)

-- | Where a part of a file ends.
extent :: Word64 -> Word64 -> Act Int64
extent from n = do
  o <- offset from
  k <- offset n
  if k > maxBound - o then refuse EINVAL else pure (o + k)

-- * Moving bytes

-- | What is done with buffers: read or write where the file is, or at an offset.
data Move
  = Reading
  | Writing
  | Placed !(Int64 -> Fd -> Ptr Word8 -> Int -> IO (Either Errno Int)) !Word64

-- | The buffers of a scattered read or write: address and length. Together they have
-- no more bytes than a number of 32 bits can say.
vectors :: WasiState -> Word32 -> Word32 -> Act [(Word32, Int)]
vectors st address n
  | n > 1024 = refuse EINVAL
  | otherwise = do
      -- Those without bytes are paid for nowhere else.
      pay (rowBytes * fromIntegral n)
      buffers <- at st address (8 * fromIntegral n) $ \p ->
        Right
          <$> mapM
            ( \k ->
                (,) <$> peekByteOff p (8 * k) <*> peekByteOff p (8 * k + 4)
            )
            [0 .. fromIntegral n - 1]
      let sizes = map (\(_, k) -> fromIntegral (k :: Word32)) buffers
      when (sum sizes > 0xFFFFFFFF) (refuse EINVAL)
      -- All are looked at before any is used.
      mapM_ (\(a, k) -> at st a (fromIntegral k) (const (pure (Right ())))) buffers
      pure (zip (map fst buffers) sizes)
  where
    -- What it costs to look at a buffer.
    rowBytes = 64

-- | Pass buffers to the system, piece by piece, until one is not used whole; the bytes
-- in all. An error after some bytes ends it too, and is left for the next call.
transfer :: WasiState -> Descriptor -> [(Word32, Int)] -> Move -> Act Word32
transfer st d buffers move = do
  case move of
    Placed _ o -> void (extent o (fromIntegral (sum (map snd buffers))))
    Reading -> pure ()
    Writing -> pure ()
  fromIntegral <$> go 0 buffers
  where
    go :: Int -> [(Word32, Int)] -> Act Int
    go total [] = pure total
    go total ((_, 0) : rest) = go total rest
    go total ((address, n) : rest) = do
      let k = min n most
      pay (k + (if total == 0 then 0 else callBytes))
      r <- (if total == 0 && waits then persistently else id) (oneMove total address k)
      case r of
        Left e | total == 0 -> refuse e
        Left _ -> pure total
        Right m
          | m < k || (stream && reading) -> pure (total + m)
          | otherwise -> go (total + m) ((address + fromIntegral m, n - m) : rest)
    oneMove total address k = lift . runExceptT $ do
      when stream $
        if waits && (total == 0 || not reading)
          then awaiting d interest
          else do
            ready <- io (using (descriptorOwned d) (\h -> poll [(h, interest)] 0))
            unless (any isReady ready) (refuse EAGAIN)
      at st address k (\p -> using (descriptorOwned d) (\h -> system total h p k))
    system total h p k = case move of
      Reading -> if stream then readStream h p k else readFile h p k
      Writing -> writeFile h p k
      Placed f o -> f (fromIntegral o + fromIntegral total) h p k
    stream = case descriptorForm d of
      Stream -> True
      Shared -> False
      File -> False
      Folder _ _ -> False
    reading = case move of
      Reading -> True
      Writing -> False
      Placed _ _ -> False
    interest = if reading then ToRead else ToWrite
    waits = not (testBit (descriptorFlags d) 2)
    -- A pipe that has room at all has room for 4096 bytes.
    most = if stream && not reading then 4096 else pieceBytes

-- * What a file is

-- | Refuses two times for one place.
timeBits :: Word32 -> Act ()
timeBits bits = when (bits > 15 || bits .&. 3 == 3 || bits .&. 12 == 12) (refuse EINVAL)

-- | Write what the system says of a file to an address.
putStatus :: Edition -> WasiState -> Word32 -> Status -> Act ()
putStatus edition st address s =
  at st address bytes $ \p -> do
    pokeByteOff p 0 (statusDevice s)
    pokeByteOff p 8 (statusNode s)
    pokeByteOff p 16 (fromIntegral (fromEnum (statusKind s)) :: Word64)
    case edition of
      Preview1 -> pokeByteOff p 24 (statusLinks s)
      Unstable -> pokeByteOff p 20 (fromIntegral (min 0xFFFFFFFF (statusLinks s)) :: Word32)
    pokeByteOff p after (statusSize s)
    mapM_ (uncurry (pokeByteOff p)) (zip [after + 8, after + 16, after + 24] [a, m, c])
    pure (Right ())
  where
    (bytes, after) = case edition of
      Preview1 -> (64, 32)
      Unstable -> (56, 24) :: (Int, Int)
    (a, m, c) = statusTimes s
