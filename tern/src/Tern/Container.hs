-- | The container of the native format: files and streams of values of one type, with
-- their schema, in blocks that are checked, compressed, found from anywhere and
-- recovered one by one.
--
-- The idea is on the page @docs\/spec\/container.md@. Start at
-- 'encodeContainerToWith' and 'containerDecoder'; 'writeContainerFile' and its
-- neighbours are for files.
module Tern.Container
  ( -- * Encoding
    Blocks (..),
    defaultBlocks,
    Compression (..),
    Mark (..),
    newMark,
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

    -- ** By pull
    Finding (..),
    foldContainer,
    foldFindings,
    foldParallel,
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
    module Tern.Container.File,
    Header (..),
    readSchema,
  )
where

import Tern.Container.Compression
import Tern.Container.Decoder
import Tern.Container.Encoder
import Tern.Container.Fault
import Tern.Container.File
import Tern.Container.Format
import Tern.Container.Frames
import Tern.Container.Pull
import Tern.Container.Schema
