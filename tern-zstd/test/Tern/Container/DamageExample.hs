{-# LANGUAGE OverloadedStrings #-}
-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Containers that are to be damaged.
--
-- The idea: a seed says what is in a file, in blocks of which size, and where it was appended
-- to; with it come an earlier state of the file and another file, pieces of which damage may
-- leave in it.
module Tern.Container.DamageExample
  ( Example (..),
    exampleOf,
    exampleMark,
  )
where

import Control.Monad (forM_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Container
import Tern.Internal.Container.Block (NextBlock (..))
import Tern.Internal.Container.Encoder (conclude, flushed, newOutlet, offer)
import Tern.Internal.Container.Format (headerBytes, newHeader)
import Tern.Internal.Native.Write qualified as Write
import Tern.Shape (Shape (Text))
import Tern.Testkit.Damage (Target (..), oneOf, rolled, upTo)

-- | A file, and the elements of each of its blocks.
data Example = Example {target :: Target, contents :: [[Text]], strangers :: [ByteString]}

exampleOf :: Maybe Compression -> Int -> IO Example
exampleOf compression seed = do
  let (size, many, longest) =
        rolled
          seed
          ( (,,)
              <$> oneOf [1, 60, 500, 500, 3000, 20000]
              <*> upTo 90
              <*> oneOf [10, 80, 300, 900]
          )
      elements' =
        [ T.take
            (rolled (seed * 1000 + i) (upTo longest))
            ( T.replicate
                100
                (T.pack ("a tern, " <> show i <> "; "))
            )
            <> T.pack (show i)
          | i <-
              [1 .. many]
        ]
      before = rolled (seed + 1) (upTo many)
  (first, blocks') <-
    written
      compression
      size
      (exampleMark seed)
      (take before elements')
      (drop before elements')
  (old, oldBlocks) <-
    written
      compression
      size
      (exampleMark seed)
      (take before elements')
      []
  (other, otherBlocks) <-
    written
      compression
      size
      (Mark (0x7722334455667700 + fromIntegral seed))
      []
      (map (<> "?") elements')
  pure
    Example
      { target =
          Target
            { start =
                first,
              blocks = map snd blocks',
              earlier = B.concat (old : map snd oldBlocks),
              stranger = B.concat (other : map snd otherBlocks),
              strangerBlocks = map snd otherBlocks
            },
        contents = map fst blocks',
        strangers = map snd otherBlocks
      }

exampleMark :: Int -> Mark
exampleMark seed = Mark (0x1122334455667700 + fromIntegral seed)

-- | A file's header and blocks, the end too, with what is in them. The second elements are
-- appended to the first.
written ::
  Maybe Compression -> Int -> Mark -> [Text] -> [Text] -> IO (ByteString, [([Text], ByteString)])
written compression size mark early late = do
  let header = headerBytes (newHeader mark Text)
  place <- newIORef []
  outlet <-
    newOutlet
      Blocks {blockBytes = size, compressed = compression}
      mark
      (NextBlock 0 0 (B.length header))
  made <- newIORef []
  let block = \case
        [] -> pure ()
        pieces -> do
          inside <- readIORef place
          writeIORef place []
          modifyIORef' made ((reverse inside, B.concat pieces) :)
  forM_ early $ \e -> modifyIORef' place (e :) >> offer outlet Write.text e >>= block
  flushed outlet >>= block
  forM_ late $ \e -> modifyIORef' place (e :) >> offer outlet Write.text e >>= block
  flushed outlet >>= block
  conclude outlet >>= block
  (,) header . reverse <$> readIORef made
