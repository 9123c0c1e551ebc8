{-# LANGUAGE OverloadedStrings #-}

-- | Where a container can be split, for engines that give out work by offsets.
--
-- The idea: a part of a file has the blocks that begin in it, so any offsets will do. Those
-- that blocks begin at make parts without a search, and say how many elements each has.
--
-- Start at 'splits'; 'placesIn' finds the blocks that it takes.
module Tern.Lab.Container
  ( Split (..),
    splits,
    Places (..),
    placesIn,
  )
where

import Control.Monad.Trans.Except (ExceptT, throwE)
import Data.ByteString qualified as B
import Data.List (sortOn)
import Data.Maybe (isNothing)
import Data.Text (Text)
import Data.Text qualified as T
import System.IO (Handle, IOMode (..), withBinaryFile)
import Tern.Container (Damage (..), Fault (..), defaultBounds, renderFault)
import Tern.Internal.Container.Format (Head (..))
import Tern.Internal.Container.Frames (Frame (..), Frames, nextFrame, placesOf)
import Tern.Lab.Complaint (Complaint (..), readingFile)

-- | A part of a file: the blocks that begin at an offset or after it, and before another one.
data Split = Split
  { splitFrom, splitTo :: !Int,
    -- | Elements of the file before this part's.
    splitFirst :: !Int,
    splitElements, splitBlocks :: !Int
  }
  deriving stock (Eq, Show)

-- | The parts of a file of @size@ bytes, by where its blocks begin: each but the last has at
-- least @least@ bytes, and no two have a block in common. Together they are the file.
--
-- >>> splits 100 300 []
-- [Split {splitFrom = 0, splitTo = 300, splitFirst = 0, splitElements = 0, splitBlocks = 0}]
splits :: Int -> Int -> [(Int, Head)] -> [Split]
splits least size = go (Split 0 size 0 0 0) . sortOn fst
  where
    go now [] = [now]
    go now ((at, h) : rest)
      | splitBlocks now > 0,
        at - splitFrom now >= least =
          now {splitTo = at} : go (Split at size (headFirst h) (headCount h) 1) rest
      | otherwise = go (with now h) rest
    with now h =
      now
        { splitFirst = if splitBlocks now == 0 then headFirst h else splitFirst now,
          splitElements = splitElements now + headCount h,
          splitBlocks = splitBlocks now + 1
        }

-- | What is known of a file's blocks.
data Places = Places
  { placesSize :: !Int,
    -- | Where each block begins, with its head.
    placesFound :: [(Int, Head)],
    -- | What is wrong first, if something is.
    placesWrong :: !(Maybe Text)
  }

-- | The blocks of a file, all of whose bytes are checked, in the memory of a block.
placesIn :: FilePath -> ExceptT Complaint IO Places
placesIn path = do
  found <- readingFile path "a container" (withBinaryFile path ReadMode reading)
  either (throwE . DataComplaint . ((path <> ": ") <>) . T.unpack) pure found

reading :: Handle -> IO (Either Text Places)
reading h = go 0 [] Nothing (placesOf defaultBounds)
  where
    go :: Int -> [(Int, Head)] -> Maybe Text -> Frames () -> IO (Either Text Places)
    go size met wrong now = case nextFrame now of
      Opened _ later -> go size met wrong later
      Block at one () later -> go size ((at, one) : met) wrong later
      Broken (Fault _ _ _ NoContainer) _ ->
        pure (Left "it is no container; expected a file of writeContainerFile")
      Broken fault later ->
        go size met (if isNothing wrong then Just (renderFault fault) else wrong) later
      Passed _ later -> go size met wrong later
      Lacking feed ->
        B.hGetSome h 262144 >>= \chunk -> go (size + B.length chunk) met wrong (feed chunk)
      Complete -> pure (Right (Places size met wrong))
