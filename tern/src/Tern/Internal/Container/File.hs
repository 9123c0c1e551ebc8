{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE RecordWildCards #-}

-- | Containers in files: written whole, appended to, looked at without being read,
-- and made whole again.
--
-- The idea: what is looked for is found by seeking from head to head, so that no
-- block is read that nobody wants; and what is there is touched only once it has
-- been found right.
--
-- Files that cannot be opened, read or written are exceptions, as everywhere in 'IO'.
module Tern.Internal.Container.File
  ( -- * Writing
    writeContainerFileWith,
    writeDurablyWith,
    resumeDurablyWith,

    -- * Appending
    appendContainerFileWith,
    appendDurablyWith,
    Tail (..),
    Refusal (..),
    renderRefusal,

    -- * Looking
    inspectContainerFile,
    Summary (..),
    containerHeader,

    -- * Making whole
    recoverContainerFile,
    Recovery (..),
  )
where

import Control.Exception (bracket, finally, mask, onException, tryJust)
import Control.Monad (foldM, forM_, guard, unless, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.List (dropWhileEnd)
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (removePathForcibly, renameFile)
import System.IO
  ( Handle,
    IOMode (..),
    SeekMode (..),
    hClose,
    hFileSize,
    hSeek,
    hSetFileSize,
    openBinaryFile,
    withBinaryFile,
  )
import System.IO.Error (isAlreadyInUseError)
import Tern.Internal.Container.Block (NextBlock (..), ended, replaced)
import Tern.Internal.Container.Durability (Durability (..), Reach (..), Sink (..), sinkTo, whenFull)
import Tern.Internal.Container.Encoder (Blocks, conclude, newContainer, newOutlet)
import Tern.Internal.Container.Fault (Damage (..), Fault (..), Loss (..), renderFault)
import Tern.Internal.Container.Format
  ( BlockKind (..),
    Head (..),
    Header (..),
    Mark,
    headAt,
    headSize,
    headerBytes,
    newHeader,
    newMark,
  )
import Tern.Internal.Container.Frames (Bounds (..), Frame (..), Frames, nextFrame, placesOf)
import Tern.Internal.Container.Order (Next (..))
import Tern.Internal.Container.Scan (nextFound, scanBehind, scanWhole)
import Tern.Internal.Container.Scan qualified as Scan
import Tern.Internal.WholeFile (Target (..), openWithin, targetOf, unfit)
import Tern.Internal.Write (Writer)
import Tern.Prim.Checksum (crc32c)
import Tern.Prim.Disk
  ( Found (..),
    isAt,
    likeFile,
    lockHandle,
    lockingPath,
    lookAt,
    lookHere,
    syncFolder,
    syncHandle,
    unlockHandle,
    writeHandle,
  )
import Tern.Shape (Shape, fingerprint)

-- * Writing

-- | Run an action that is given a way to put out one value after the other, as a
-- container in a file. It is written to a temporary name beside the file's and renamed
-- when it is complete, so that the file is there as a whole or as it was before.
--
-- INLINE: the writer is known where it is given.
writeContainerFileWith :: Blocks -> Shape -> Writer a -> FilePath -> ((a -> IO ()) -> IO r) -> IO r
writeContainerFileWith blocks shape writer path act =
  writeDurablyWith whenFull blocks shape writer path (act . put)
{-# INLINE writeContainerFileWith #-}

-- | The same, with a choice of when what was put is safe. With 'ToDisk' the file is on the
-- disk, under its name, when this returns.
--
-- What is no regular file, as a pipe or a device, is written into and never replaced; a
-- link stays, and what it leads to is replaced; owner and permissions stay, as far as the
-- process may keep them.
--
-- An exception leaves nothing. A process that is killed leaves the file under its
-- temporary name, which ends with @.part@, and 'resumeDurablyWith' goes on with it;
-- whoever writes the file anew takes it away. Of two that write one file at the same time
-- the second gets an error of which 'System.IO.Error.isAlreadyInUseError' holds, in
-- whatever process it is.
--
-- INLINE: the writer is known where it is given.
writeDurablyWith ::
  Durability -> Blocks -> Shape -> Writer a -> FilePath -> (Sink a -> IO r) -> IO r
writeDurablyWith durability blocks shape writer path act =
  writingAnew durability path $ \nameSafe h -> do
    (header, outlet) <- newContainer blocks shape
    writeHandle h header
    result <- sinkTo durability nameSafe h outlet writer act
    result <$ (conclude outlet >>= mapM_ (writeHandle h))
{-# INLINE writeDurablyWith #-}

-- | Go on with a file whose writer was killed: with what it left under the temporary name, as
-- 'appendDurablyWith' with 'RepairTail' does, and then as 'writeDurablyWith'. What was
-- not whole at its end comes with the result. After an exception what was left is there
-- again. What is no regular file has nothing to go on with, and is an error.
--
-- INLINE: the writer is known where it is given.
resumeDurablyWith ::
  Durability ->
  Blocks ->
  Bounds ->
  Shape ->
  Writer a ->
  FilePath ->
  (Sink a -> IO r) ->
  IO (Either Refusal (Maybe Loss, r))
resumeDurablyWith durability blocks bounds shape writer path act =
  replaceable path >>= \there ->
    appending
      bounds
      RepairTail
      shape
      (partOf there)
      `flip` named durability there
      $ \h mark place -> do
        outlet <- newOutlet blocks mark place
        result <- sinkTo durability (syncFolder (folderOf there)) h outlet writer act
        result <$ (conclude outlet >>= mapM_ (writeHandle h))
{-# INLINE resumeDurablyWith #-}

-- | Run an action with what a whole container goes to, and with what makes its name safe. It is
-- replaced where it can be, by the rule of "Tern.Internal.WholeFile", and else written into.
writingAnew :: Durability -> FilePath -> (IO () -> Handle -> IO r) -> IO r
writingAnew durability path act =
  targetOf path >>= \case
    Within there -> bracket (openWithin there) hClose (act (pure ()))
    Replaced there old ->
      withPart there $ \h -> (`onException` removePathForcibly (partOf there)) $ do
        hSetFileSize h 0
        when old (likeFile there h)
        result <- act (syncFolder (folderOf there)) h
        result <$ named durability there h

-- | With the file that is written until another one gets its bytes, which is made where it is
-- not there. A link in its place would lead to a file that nobody named.
withPart :: FilePath -> (Handle -> IO r) -> IO r
withPart there act = regular lookHere (partOf there) >> withLocked (partOf there) act

-- | Fail unless a regular file is there, or nothing.
regular :: (FilePath -> IO Found) -> FilePath -> IO ()
regular look path = do
  what <- look path
  unless (what `elem` [Nowhere, RegularFile]) $
    ioError (unfit path "it is no regular file")

-- | What a path leads to, where that is a regular file or can become one.
replaceable :: FilePath -> IO FilePath
replaceable path =
  targetOf path >>= \case
    Replaced there _ -> there <$ regular lookHere (partOf there)
    Within there -> ioError (unfit there "it is no regular file")

-- | What a file is called while it is written.
partOf :: FilePath -> FilePath
partOf = (<> ".part")

folderOf :: FilePath -> FilePath
folderOf path = case dropWhileEnd (/= '/') path of
  "" -> "."
  folder -> folder

-- | Give a file that is complete its name. Nobody may be appending to the one that has it.
named :: Durability -> FilePath -> Handle -> IO ()
named durability path h = do
  when toDisk (syncHandle h)
  lockingPath path (renameFile (partOf path) path)
  when toDisk (syncFolder (folderOf path))
  where
    toDisk = reach durability == ToDisk

-- | With a file that nobody else writes; it is made where it is not there.
withLocked :: FilePath -> (Handle -> IO r) -> IO r
withLocked path = bracket (openLocked path) closeLocked

closeLocked :: Handle -> IO ()
closeLocked h = unlockHandle h `finally` hClose h

openLocked :: FilePath -> IO Handle
openLocked path = do
  h <- openBinaryFile path ReadWriteMode
  -- It may have got another name, or be gone, before it was locked.
  there <- (lockHandle path h >> isAt path h) `onException` hClose h
  if there then pure h else hClose h >> openLocked path

-- * Appending

-- | What to do with a file that was cut off, or whose writer did not finish.
data Tail
  = -- | Leave it as it is.
    RefuseTail
  | -- | Take away what is no whole block at the end, and go on there.
    RepairTail
  deriving stock (Eq, Show)

-- | Why nothing was appended. The file is as it was.
data Refusal
  = -- | It is no container of this version and schema.
    BadHeader !Fault
  | -- | It was cut off or not finished: what is wrong, after how many whole bytes,
    -- and how many there are. 'RepairTail' would go on.
    BadTail !Fault !Int !Int
  | -- | It is damaged before its last block, and 'recoverContainerFile' makes a whole one
    -- of it; or nobody may look whether a block is whole, for it is too long.
    BadBlock !Fault
  | -- | Somebody else has it open: another writer, or a reader in this process.
    InUse
  deriving stock (Eq, Show)

-- | In one line.
renderRefusal :: Refusal -> Text
renderRefusal = \case
  BadHeader fault -> "nothing was appended: " <> renderFault fault
  BadTail fault good size ->
    T.concat
      [ "nothing was appended: ",
        renderFault fault,
        "; repairing would take away bytes ",
        number good,
        " to ",
        number size
      ]
  BadBlock fault ->
    T.concat
      [ "nothing was appended: ",
        renderFault fault,
        case faultDamage fault of
          BlockTooLong _ _ -> "; it may be whole"
          _ -> "; more blocks follow, recover the file first"
      ]
  InUse -> "nothing was appended: the file is in use"
  where
    number = T.pack . show

-- | Run an action that is given a way to put out one value after the other, after
-- those that a container has. What was taken away to repair its end comes with the
-- result.
--
-- An exception leaves the file's elements as they were. A crash leaves a file that was
-- not finished, which the next one to append can repair.
--
-- INLINE: the writer is known where it is given.
appendContainerFileWith ::
  Blocks ->
  Bounds ->
  Tail ->
  Shape ->
  Writer a ->
  FilePath ->
  ((a -> IO ()) -> IO r) ->
  IO (Either Refusal (Maybe Loss, r))
appendContainerFileWith blocks bounds damaged shape writer path act =
  appendDurablyWith whenFull blocks bounds damaged shape writer path (act . put)
{-# INLINE appendContainerFileWith #-}

-- | The same, with a choice of when what was put is safe. Nobody else may write the file in
-- the meantime, in whatever process.
--
-- INLINE: the writer is known where it is given.
appendDurablyWith ::
  Durability ->
  Blocks ->
  Bounds ->
  Tail ->
  Shape ->
  Writer a ->
  FilePath ->
  (Sink a -> IO r) ->
  IO (Either Refusal (Maybe Loss, r))
appendDurablyWith durability blocks bounds damaged shape writer path act =
  appending bounds damaged shape path `flip` synced $ \h mark place -> do
    outlet <- newOutlet blocks mark place
    result <- sinkTo durability (pure ()) h outlet writer act
    result <$ (conclude outlet >>= mapM_ (writeHandle h))
  where
    synced h = when (reach durability == ToDisk) (syncHandle h)
{-# INLINE appendDurablyWith #-}

-- | The last action is for when all is written, and nothing is taken back.
appending ::
  Bounds ->
  Tail ->
  Shape ->
  FilePath ->
  (Handle -> Mark -> NextBlock -> IO r) ->
  (Handle -> IO ()) ->
  IO (Either Refusal (Maybe Loss, r))
appending bounds damaged shape path act finish = mask $ \unmasked -> do
  -- A file that is not there is not made.
  regular lookAt path
  opened <-
    tryJust
      (guard . isAlreadyInUseError)
      ( withBinaryFile path ReadMode (const (pure ()))
          >> openLocked path
      )
  case opened of
    Left () -> pure (Left InUse)
    Right h ->
      unmasked (through h >>= \result -> result <$ mapM_ (const (finish h)) result)
        `onException` closeLocked h
        <* closeLocked h
  where
    through h = do
      size <- fromInteger <$> hFileSize h
      headerIn bounds h >>= \case
        Left fault -> pure (Left (BadHeader fault))
        Right (header, start)
          | headerFingerprint header /= fingerprint shape ->
              pure
                ( Left
                    ( BadHeader
                        ( Fault
                            0
                            0
                            24
                            ( OtherSchema
                                (headerFingerprint header)
                                (fingerprint shape)
                                []
                            )
                        )
                    )
                )
          | otherwise ->
              ending bounds h (headerMark header) start size >>= \case
                Left fault -> pure (Left (BadBlock fault))
                Right (place, Nothing) -> Right . (,) Nothing <$> go h header size place
                Right (place, Just fault)
                  | damaged == RefuseTail -> pure (Left (BadTail fault (placeOffset place) size))
                  | otherwise ->
                      Right . (,) (Just (Loss (placeOffset place) size Nothing Nothing))
                        <$> go h header size place
    go h header size place = mask $ \restore -> do
      old <- restore (at h (placeOffset place) (size - placeOffset place))
      let begins = toInteger (placeOffset place)
          back = hSetFileSize h begins >> hSeek h AbsoluteSeek begins >> writeHandle h old
      restore
        (hSetFileSize h begins >> hSeek h AbsoluteSeek begins >> act h (headerMark header) place)
        `onException` back

-- | Where the blocks of a file end, and what is wrong there, if anything is. Damage
-- before other blocks is a fault.
ending :: Bounds -> Handle -> Mark -> Int -> Int -> IO (Either Fault (NextBlock, Maybe Fault))
ending bounds h mark start size = do
  end <- at h (size - headSize) headSize
  case headAt end of
    Just (found, Head {headKind = Ending, ..})
      | found == mark,
        headOffset == size - headSize,
        headOffset >= start ->
          pure (Right (NextBlock headNumber headFirst headOffset, Nothing))
    _ -> walk h mark start size >>= trimmed
  where
    -- What was written last may have come to the disk in part, although its head did.
    trimmed (place, known, damage) = case (damage, known) of
      (Just _, (begins, Head {..}) : earlier)
        | headStored > maxBlock bounds ->
            -- It may be whole.
            pure (Left (Fault headFirst headNumber begins (tooLong headStored)))
        | otherwise -> do
            body <- at h (begins + headSize) headStored
            if crc32c body == headChecksum
              then judged place damage
              else trimmed (NextBlock headNumber headFirst begins, earlier, Just BodyDamaged)
      _ -> judged place damage
    tooLong n = BlockTooLong n (maxBlock bounds)
    judged place@(NextBlock n first begins) = \case
      Nothing -> pure (Right (place, Nothing))
      Just damage -> do
        later <- blockBehind bounds h mark place
        pure $ case later of
          TooLong found -> Left found
          WholeBlock -> Left (fault damage)
          NothingMore -> Right (place, Just (fault damage))
      where
        fault = Fault first n begins

-- | From head to head, as long as each is where it should be and its block is within
-- the file: the place after them, the heads and where they begin, the last one first,
-- and what is wrong there, if it is not the end.
walk :: Handle -> Mark -> Int -> Int -> IO (NextBlock, [(Int, Head)], Maybe Damage)
walk h mark start size = go (NextBlock 0 0 start) []
  where
    go place@(NextBlock n first begins) known
      | begins == size = pure (place, known, Just Unended)
      | otherwise = do
          bytes <- at h begins headSize
          case headAt bytes of
            Just (found, block)
              | found == mark,
                (headNumber block, headFirst block, headOffset block) == (n, first, begins) ->
                  case headKind block of
                    Ending ->
                      pure
                        ( place,
                          known,
                          if begins + headSize == size
                            then Nothing
                            else Just BytesAfterEnd
                        )
                    Holding _
                      | headStored block <= size - begins - headSize ->
                          go
                            ( NextBlock
                                (n + 1)
                                (first + headCount block)
                                (begins + headSize + headStored block)
                            )
                            ((begins, block) : known)
                      | otherwise -> pure (place, known, Just CutOff)
            _ ->
              pure (place, known, Just (if B.length bytes < headSize then CutOff else HeadDamaged))

-- | What stands after a place and may not be taken away: a whole block that belongs there, or one
-- that is too long to be looked at.
data Following
  = NothingMore
  | WholeBlock
  | TooLong !Fault

blockBehind :: Bounds -> Handle -> Mark -> NextBlock -> IO Following
blockBehind bounds h mark (NextBlock n first begins) = do
  hSeek h AbsoluteSeek (toInteger begins)
  go (scanBehind bounds mark begins (Next n first (Just begins)))
  where
    go f = case nextFound f of
      Scan.Opened _ _ later -> go later
      Scan.Whole _ found _ later
        | headNumber found >= n -> pure WholeBlock
        | otherwise -> go later
      Scan.Finish _ _ later -> go later
      Scan.Broken fault@(Fault _ _ _ BlockTooLong {}) _ -> pure (TooLong fault)
      Scan.Broken _ later -> go later
      Scan.Rubbish _ _ later -> go later
      Scan.Lacking feed -> B.hGetSome h (64 * 1024) >>= go . feed
      Scan.Complete -> pure NothingMore

-- | @n@ bytes at a position, fewer at the end.
at :: Handle -> Int -> Int -> IO ByteString
at h begins n
  | n <= 0 || begins < 0 = pure B.empty
  | otherwise = hSeek h AbsoluteSeek (toInteger begins) >> B.hGet h n

-- * Looking

-- | What is in a container, by its header and the heads of its blocks.
data Summary = Summary
  { summaryHeader :: !Header,
    summaryBlocks :: !Int,
    summaryElements :: !Int,
    -- | Bytes of all elements.
    summaryRaw :: !Int,
    -- | The same as they are stored.
    summaryStored :: !Int,
    -- | Blocks that are compressed.
    summaryCompressed :: !Int,
    -- | Bytes of the file.
    summarySize :: !Int,
    -- | Where heads can no longer be followed, if that is before the end. Blocks are
    -- not looked into.
    summaryFault :: !(Maybe Fault)
  }
  deriving stock (Eq, Show)

-- | Look at a file without reading its blocks. Time and memory are linear in the number
-- of blocks, whatever their sizes.
inspectContainerFile :: Bounds -> FilePath -> IO (Either Fault Summary)
inspectContainerFile bounds path = withBinaryFile path ReadMode $ \h -> do
  size <- fromInteger <$> hFileSize h
  headerIn bounds h >>= \case
    Left fault -> pure (Left fault)
    Right (header, start) -> do
      (NextBlock n first begins, known, damage) <- walk h (headerMark header) start size
      pure . Right $
        Summary
          { summaryHeader = header,
            summaryBlocks = n,
            summaryElements = first,
            summaryRaw = sum (map (headRaw . snd) known),
            summaryStored = sum (map (headStored . snd) known),
            summaryCompressed = length (filter ((/= Holding 0) . headKind . snd) known),
            summarySize = size,
            summaryFault = Fault first n begins <$> damage
          }

-- | The header of a file.
containerHeader :: Bounds -> FilePath -> IO (Either Fault Header)
containerHeader bounds path = withBinaryFile path ReadMode (fmap (fmap fst) . headerIn bounds)

-- | The header, and where the first block begins.
headerIn :: Bounds -> Handle -> IO (Either Fault (Header, Int))
headerIn bounds h = hSeek h AbsoluteSeek 0 >> go (scanWhole bounds)
  where
    go f = case nextFound f of
      Scan.Opened header begins _ -> pure (Right (header, begins))
      Scan.Broken fault _ -> pure (Left fault)
      Scan.Lacking feed -> B.hGetSome h 4096 >>= go . feed
      _ -> pure (Left (Fault 0 0 0 HeaderDamaged))

-- * Making whole

-- | What became of a damaged file.
data Recovery = Recovery
  { -- | Blocks and elements that are in the new file.
    recoveredBlocks :: !Int,
    recoveredElements :: !Int,
    -- | What was wrong, and what was lost, in the order of the file.
    recoveredFaults :: [Fault],
    recoveredLosses :: [Loss]
  }
  deriving stock (Eq, Show)

-- | Make a whole container of all blocks of a file whose checksums are right, in the order
-- in which they were written, wherever they stand now. They are neither decompressed nor
-- decoded. A shape is needed where the header is damaged; it is taken for the file's own,
-- and must be where it is not damaged.
--
-- The file is read twice: to find what is believed, and to copy it. Memory is a few words
-- for each block. The new file is written to a temporary name and renamed; it must not
-- be the old one.
recoverContainerFile :: Bounds -> Maybe Shape -> FilePath -> FilePath -> IO (Either Fault Recovery)
-- Not withBinaryFile, which would say of errors of the new file that they are the old one's.
recoverContainerFile bounds shape from to = bracket reading hClose $ \source -> do
  found <- headerIn bounds source
  case (found, shape) of
    (Left fault, Nothing) -> pure (Left fault)
    (Left _, Just ours) -> Right <$> copied source (\mark -> newHeader mark ours)
    (Right (header, _), Just ours)
      | headerFingerprint header /= fingerprint ours ->
          pure (Left (Fault 0 0 24 (OtherSchema (headerFingerprint header) (fingerprint ours) [])))
    (Right (header, _), _) -> Right <$> copied source (\mark -> header {headerMark = mark})
  where
    reading = openBinaryFile from ReadMode
    copied source remade = do
      hSeek source AbsoluteSeek 0
      Survey blocks faults losses <- surveyed source (placesOf bounds)
      writingAnew whenFull to $ \_ h -> do
        mark <- newMark
        let header = headerBytes (remade mark)
        writeHandle h header
        place@(NextBlock n first _) <-
          foldM (copiedTo h source mark) (NextBlock 0 0 (B.length header)) (reverse blocks)
        writeHandle h (ended mark place)
        pure (Recovery n first (reverse faults) (reverse losses))
    copiedTo h source mark place (begins, block) = do
      body <- at source (begins + headSize) (headStored block)
      let (again, next) = replaced mark place block
      forM_ [again, body] (writeHandle h)
      pure next

-- | What there is of a file, the last first.
data Survey = Survey [(Int, Head)] [Fault] [Loss]

surveyed :: Handle -> Frames () -> IO Survey
surveyed source = go (Survey [] [] [])
  where
    go survey@(Survey blocks faults losses) f = case nextFrame f of
      Opened _ later -> go survey later
      Block begins block () later -> go (Survey ((begins, block) : blocks) faults losses) later
      Broken fault later -> go (Survey blocks (fault : faults) losses) later
      Passed loss later -> go (Survey blocks faults (loss : losses)) later
      Lacking feed -> B.hGetSome source (64 * 1024) >>= go survey . feed
      Complete -> pure survey
