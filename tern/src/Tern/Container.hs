{-# LANGUAGE AllowAmbiguousTypes #-}

-- | The container of the native format: files and streams of values of one type, with
-- their schema, in blocks that are checked, compressed, found from anywhere and
-- recovered one by one.
--
-- The idea is on the page @docs\/spec\/container.md@. Start at
-- 'writeContainerFile' and 'containerDecoder'. What ends in @With@ takes a codec that
-- was put together by hand, with its shape.
module Tern.Container
  ( -- * Encoding
    Blocks (..),
    defaultBlocks,
    Compression (..),
    Mark (..),
    newMark,
    encodeContainer,
    encodeContainerTo,
    encodeContainerWith,
    encodeContainerToWith,

    -- * Decoding
    Settings (..),
    defaultSettings,
    Bounds (..),
    defaultBounds,
    Decoder,
    containerDecoder,
    partDecoder,
    containerDecoderWith,
    partDecoderWith,

    -- ** By pull
    Finding (..),
    foldContainer,
    foldFindings,
    foldParallel,
    reduceParallel,
    decodeContainer,

    -- ** By push
    Step (..),
    nextStep,
    decoderPosition,

    -- * Faults
    Fault (..),
    Damage (..),
    renderFault,
    Loss (..),
    renderLoss,

    -- * Files
    writeContainerFile,
    appendContainerFile,
    writeDurably,
    appendDurably,
    resumeDurably,
    Durability (..),
    Often (..),
    Reach (..),
    whenFull,
    Sink (..),
    module Tern.Internal.Container.File,
    Header (..),

    -- * Schemas
    schemaBytes,
    readSchema,
    schemaText,
    readSchemaText,
    SchemaFault (..),
    renderSchemaFault,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Lazy qualified as BL
import Tern.Internal.Container.Compression (Compression (..))
import Tern.Internal.Container.Decoder
  ( Decoder,
    Finding (..),
    Settings (..),
    Step (..),
    containerDecoderWith,
    decoderPosition,
    defaultSettings,
    nextStep,
    partDecoderWith,
  )
import Tern.Internal.Container.Durability
  ( Durability (..),
    Often (..),
    Reach (..),
    Sink (..),
    whenFull,
  )
import Tern.Internal.Container.Encoder
  ( Blocks (..),
    defaultBlocks,
    encodeContainerToWith,
    encodeContainerWith,
  )
import Tern.Internal.Container.Fault (Damage (..), Fault (..), Loss (..), renderFault, renderLoss)
import Tern.Internal.Container.File
  ( Recovery (..),
    Refusal (..),
    Summary (..),
    Tail (..),
    appendContainerFileWith,
    appendDurablyWith,
    containerHeader,
    inspectContainerFile,
    recoverContainerFile,
    renderRefusal,
    resumeDurablyWith,
    writeContainerFileWith,
    writeDurablyWith,
  )
import Tern.Internal.Container.Format (Header (..), Mark (..), newMark)
import Tern.Internal.Container.Frames (Bounds (..), defaultBounds)
import Tern.Internal.Container.Pull
  ( decodeContainer,
    foldContainer,
    foldFindings,
    foldParallel,
    reduceParallel,
  )
import Tern.Internal.Container.Schema (readSchema, schemaBytes)
import Tern.Internal.Container.SchemaText
  ( SchemaFault (..),
    readSchemaText,
    renderSchemaFault,
    schemaText,
  )
import Tern.Internal.Native.Shaped (layoutOf)
import Tern.Wire (Wire, nativeR, nativeW, shapeOf)

-- | The values of a list as a container, whose blocks are made as they are asked for.
-- Equal marks give equal bytes: it is for whoever wants a file that can be made again
-- to choose one that does not come up in it ('Mark'), and 'newMark' draws one.
--
-- INLINE, here and below: the codec is known where the type is.
--
-- >>> let birds = encodeContainer defaultBlocks (Mark 7) [("tern" :: String, 2 :: Int), ("auk", 1)]
-- >>> decodeContainer (containerDecoder @(String, Int) defaultSettings) birds
-- [Elements 0 [("tern",2),("auk",1)]]
-- >>> :{
-- [renderFault fault | Damaged fault <- decodeContainer
--   (containerDecoder @(String, Bool) defaultSettings) birds]
-- :}
-- ["element 0, block 0, byte 24: the file was written with schema bcb7aba2f9c73d69, expected
-- 6b7fb134bd84b553: writer's $[1], reader's $[1]: integer -9223372036854775808..9223372036854775807
-- is not read as boolean"]
-- >>> decodeContainer (containerDecoder @(String, Maybe Integer) defaultSettings) birds
-- [Elements 0 [("tern",Just 2),("auk",Just 1)]]
encodeContainer :: forall a. (Wire a) => Blocks -> Mark -> [a] -> BL.ByteString
encodeContainer blocks mark = encodeContainerWith blocks mark (shapeOf @a) nativeW
{-# INLINE encodeContainer #-}

-- | Run an action that is given a way to put out one value after the other, as a
-- container whose bytes go to a consumer: see 'encodeContainerToWith'.
encodeContainerTo ::
  forall a r. (Wire a) => Blocks -> (ByteString -> IO ()) -> ((a -> IO ()) -> IO r) -> IO r
encodeContainerTo blocks = encodeContainerToWith blocks (shapeOf @a) nativeW
{-# INLINE encodeContainerTo #-}

-- | A decoder for a whole container at its start. What another version of the type has
-- written is read by its schema and by what 'evolution' says ("Tern.Evolution"); a
-- file that cannot be read so is refused at its header, with the reasons.
containerDecoder :: forall a. (Wire a) => Settings -> Decoder a
containerDecoder settings =
  containerDecoderWith settings (shapeOf @a) (layoutOf (shapeOf @a)) nativeR
{-# INLINE containerDecoder #-}

-- | A decoder for a part of a container: see 'partDecoderWith'.
partDecoder :: forall a. (Wire a) => Settings -> Header -> (Int, Int) -> Decoder a
partDecoder settings header part =
  partDecoderWith settings header part (shapeOf @a) (layoutOf (shapeOf @a)) nativeR
{-# INLINE partDecoder #-}

-- | Run an action that is given a way to put out one value after the other, as a
-- container in a file. It is written to a temporary name beside the file's and renamed
-- when it is complete, so that the file is there as a whole or as it was before.
writeContainerFile :: forall a r. (Wire a) => Blocks -> FilePath -> ((a -> IO ()) -> IO r) -> IO r
writeContainerFile blocks = writeContainerFileWith blocks (shapeOf @a) nativeW
{-# INLINE writeContainerFile #-}

-- | The same, after the values that a file has: see 'appendContainerFileWith'.
appendContainerFile ::
  forall a r.
  (Wire a) =>
  Blocks ->
  Bounds ->
  Tail ->
  FilePath ->
  ((a -> IO ()) -> IO r) ->
  IO (Either Refusal (Maybe Loss, r))
appendContainerFile blocks bounds damaged =
  appendContainerFileWith blocks bounds damaged (shapeOf @a) nativeW
{-# INLINE appendContainerFile #-}

-- | 'writeContainerFile' with a choice of when what was put is safe: see 'writeDurablyWith'.
writeDurably :: forall a r. (Wire a) => Durability -> Blocks -> FilePath -> (Sink a -> IO r) -> IO r
writeDurably durability blocks = writeDurablyWith durability blocks (shapeOf @a) nativeW
{-# INLINE writeDurably #-}

-- | The same, after the values that a file has: see 'appendDurablyWith'.
appendDurably ::
  forall a r.
  (Wire a) =>
  Durability ->
  Blocks ->
  Bounds ->
  Tail ->
  FilePath ->
  (Sink a -> IO r) ->
  IO (Either Refusal (Maybe Loss, r))
appendDurably durability blocks bounds damaged =
  appendDurablyWith durability blocks bounds damaged (shapeOf @a) nativeW
{-# INLINE appendDurably #-}

-- | Go on with what a writer that was killed has left: see 'resumeDurablyWith'.
resumeDurably ::
  forall a r.
  (Wire a) =>
  Durability ->
  Blocks ->
  Bounds ->
  FilePath ->
  (Sink a -> IO r) ->
  IO (Either Refusal (Maybe Loss, r))
resumeDurably durability blocks bounds =
  resumeDurablyWith durability blocks bounds (shapeOf @a) nativeW
{-# INLINE resumeDurably #-}
