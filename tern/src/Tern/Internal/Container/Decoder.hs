{-# LANGUAGE RecordWildCards #-}

-- | Decoding a container whose bytes come in chunks of any size.
--
-- The idea: "Tern.Internal.Container.Frames" finds blocks and knows no elements;
-- "Tern.Internal.Container.Block" reads the elements of a block and knows no chunks. Between
-- them stands what is decoded at once: some elements, in a list that is complete.
--
-- A decoder is a value. It can be kept, and gone on from twice.
--
-- Start at 'nextStep'.
module Tern.Internal.Container.Decoder
  ( -- * Settings
    Settings (..),
    defaultSettings,

    -- * Decoders
    Decoder,
    containerDecoderWith,
    partDecoderWith,
    Step (..),
    Finding (..),
    nextStep,

    -- * Where a decoder is
    decoderPosition,

    -- * Block by block
    Stage (..),
    nextStage,
    Work,
    workSize,
    worked,
  )
where

import Data.ByteString (ByteString)
import Data.Word (Word64)
import Tern.Internal.Container.Block
  ( Batch,
    Contents,
    Part (..),
    batchWith,
    contents,
    evolved,
    nextPart,
  )
import Tern.Internal.Container.Compression (Compression)
import Tern.Internal.Container.Fault (Damage (..), Fault (..), Loss (..))
import Tern.Internal.Container.Format (Head (..), Header (..), headSize)
import Tern.Internal.Container.Frames
  ( Bounds (..),
    Frame (..),
    Frames,
    defaultBounds,
    frames,
    framesOf,
    framesPosition,
    nextFrame,
  )
import Tern.Internal.Container.Schema (readSchema)
import Tern.Internal.Evolution.Changes (Evolution)
import Tern.Internal.Evolution.Reading (readingOf)
import Tern.Internal.Native.Layout (Layout)
import Tern.Internal.Native.Reader (NativeReader)
import Tern.Limits (Limits (..), defaultLimits)
import Tern.Shape (Shape, fingerprint)

-- | What a reader allows and understands.
data Settings = Settings
  { -- | Of each element by itself. 'maxBytes' bounds what it takes in its block.
    elementLimits :: !Limits,
    -- | Of blocks and of the schema.
    readBounds :: !Bounds,
    -- | Ways to decompress. None is needed for blocks that are not compressed.
    understood :: [Compression],
    -- | What changed in the types of elements, for files of their older versions.
    evolution :: Evolution
  }

-- | 'defaultLimits', 'defaultBounds', no compression, and nothing said of changes.
defaultSettings :: Settings
defaultSettings =
  Settings
    { elementLimits =
        defaultLimits,
      readBounds = defaultBounds,
      understood = [],
      evolution = mempty
    }

-- | How far a container has been decoded.
data Decoder a = Decoder
  { plan :: !(Plan a),
    source :: !(Frames ByteString),
    -- | What is left of a block, and what is to be said when nothing is.
    current :: !Current,
    -- | The header's schema is not one that can be read.
    refusal :: !(Maybe Fault)
  }

-- | What does not change.
data Plan a = Plan
  { settings :: !Settings,
    batch :: !(Batch a),
    ours :: Shape,
    expected :: !Word64
  }

data Current
  = None
  | Reading !Contents !Loss
  | Losing !Loss !Current

-- | A decoder for a whole container at its start. Where the file's schema is not that of
-- the shape given, it is held against it, once, and elements are read as those of
-- another version of the type, or the header is a fault.
--
-- INLINE: the reader is known where it is given.
containerDecoderWith :: Settings -> Shape -> Layout -> NativeReader a -> Decoder a
containerDecoderWith settings shape layout r =
  decoderOver settings shape (batchWith layout r) (frames (readBounds settings))
{-# INLINE containerDecoderWith #-}

-- | A decoder for a part of a container: for the blocks that begin at the first
-- position or after it, and before the second one. Its input begins at the first
-- position and goes on at least to the end of the last of those blocks. Parts that
-- border on each other have each block once. The header is that of the file.
--
-- INLINE: the reader is known where it is given.
partDecoderWith ::
  Settings -> Header -> (Int, Int) -> Shape -> Layout -> NativeReader a -> Decoder a
partDecoderWith settings header (from, to) shape layout r =
  opened
    header
    ( decoderOver
        settings
        shape
        (batchWith layout r)
        ( framesOf
            (readBounds settings)
            (headerMark header)
            from
            to
        )
    )
{-# INLINE partDecoderWith #-}

decoderOver :: Settings -> Shape -> Batch a -> Frames ByteString -> Decoder a
decoderOver settings ours batch source =
  Decoder {plan = Plan {expected = fingerprint ours, ..}, current = None, refusal = Nothing, ..}

-- | For the writer's schema.
opened :: Header -> Decoder a -> Decoder a
opened header d@Decoder {plan = it@Plan {..}}
  | headerFingerprint header == expected = d
  | otherwise =
      case readSchema
        defaultLimits
          { maxBytes =
              maxSchema (readBounds settings)
          }
        (headerSchema header) of
        Right theirs
          | fingerprint theirs == headerFingerprint header ->
              either
                refused
                ( \reading ->
                    d {plan = it {batch = evolved reading (maxBlock (readBounds settings)) batch}}
                )
                (readingOf (evolution settings) theirs ours)
        _ -> refused []
  where
    refused why =
      d {refusal = Just (Fault 0 0 24 (OtherSchema (headerFingerprint header) expected why))}

-- | What a decoder has found next.
data Step a
  = -- | Something, and where to go on, if anything can be read after it.
    Next !(Finding a) !(Maybe (Decoder a))
  | -- | Nothing before there is more input: give the next chunk, or an empty one at
    -- the end of the input.
    NeedMore (ByteString -> Decoder a)
  | -- | There is nothing more.
    End

-- | What there is in a container.
data Finding a
  = -- | The number of the first of some elements, and they: at least one.
    Elements !Int [a]
  | -- | Something that is wrong. Whoever goes on after a damaged header takes it on
    -- himself that the file has elements of the type.
    Damaged !Fault
  | -- | What is lost because of it.
    Lost !Loss
  deriving stock (Eq, Show, Functor)

-- | Go on. Time is linear in the bytes that have come; memory is that of the chunk, of
-- a block and of the elements that are read from it at once.
nextStep :: Decoder a -> Step a
nextStep d@Decoder {..} = case current of
  Losing loss rest -> Next (Lost loss) (Just d {current = rest})
  Reading at loss -> case nextPart (elementLimits (settings plan)) (batch plan) at of
    Part n as rest -> Next (Elements n as) (Just d {current = Reading rest loss})
    Bad fault n rest ->
      Next (Damaged fault) (Just d {current = Losing (within n loss) (Reading rest loss)})
    Leftover fault -> Next (Damaged fault) (Just d {current = None})
    Finished -> nextStep d {current = None}
  None -> case nextStage d of
    Ready work later -> case unpacked work of
      Right at -> nextStep later {current = Reading at (extent work)}
      Left fault -> Next (Damaged fault) (Just later {current = Losing (extent work) None})
    Beside finding later -> Next finding later
    Hungry feed -> NeedMore feed
    Done -> End

-- | Bytes of the file before those that have come and were not used. Before
-- 'NeedMore' it is where the next chunk begins, less what is kept.
decoderPosition :: Decoder a -> Int
decoderPosition = framesPosition . source

-- * Block by block

-- | What comes next in the file, before elements are read.
data Stage a
  = Ready !(Work a) !(Decoder a)
  | -- | No elements.
    Beside !(Finding a) !(Maybe (Decoder a))
  | Hungry (ByteString -> Decoder a)
  | Done

-- | A block that is there and not read yet: where it begins, its head, its bytes.
data Work a = Work !(Plan a) !Int !Head !ByteString

-- | The next block, for a decoder that is between two of them.
nextStage :: Decoder a -> Stage a
nextStage Decoder {refusal = Just fault} = Beside (Damaged fault) Nothing
nextStage d@Decoder {..} = case nextFrame source of
  Opened header later -> nextStage (opened header (at later))
  Block begins h bytes later -> Ready (Work plan begins h bytes) (at later)
  Broken fault later -> Beside (Damaged fault) (Just (at later))
  Passed loss later -> Beside (Lost loss) (Just (at later))
  Lacking feed -> Hungry (at . feed)
  Complete -> Done
  where
    at later = d {source = later}

unpacked :: Work a -> Either Fault Contents
unpacked (Work Plan {..} at h bytes) =
  contents (understood settings) (elementLimits settings) at h bytes

-- | Bytes of the block's elements, as its head says.
workSize :: Work a -> Int
workSize (Work _ _ h _) = headRaw h

-- | The block as something that is lost.
extent :: Work a -> Loss
extent (Work _ at h _) = Loss at (at + headSize + headStored h) (Just 1) (Just (headCount h))

-- | @n@ elements of it.
within :: Int -> Loss -> Loss
within n loss = loss {lossBlocks = Just 0, lossElements = Just n}

-- | All that there is in a block, as 'nextStep' would find it.
worked :: Work a -> [Finding a]
worked work@(Work Plan {..} _ _ _) = case unpacked work of
  Left fault -> [Damaged fault, Lost (extent work)]
  Right at -> go at
  where
    go at = case nextPart (elementLimits settings) batch at of
      Part n as rest -> Elements n as : go rest
      Bad fault n rest -> Damaged fault : Lost (within n (extent work)) : go rest
      Leftover fault -> [Damaged fault]
      Finished -> []
