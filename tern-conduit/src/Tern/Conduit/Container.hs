-- | The containers of "Tern.Container" as conduits: 'decodeContainerC' from chunks to
-- what is found in them, 'encodeContainerC' from values to chunks.
--
-- The idea is that of "Tern.Conduit": a decoder asks for more where a conduit awaits. What
-- goes downstream are findings, as a damaged container has more to say than values.
module Tern.Conduit.Container
  ( decodeContainerC,
    encodeContainerC,
  )
where

import Conduit (ConduitT, MonadIO (..), await, yield, yieldMany)
import Data.ByteString (ByteString)
import Tern.Conduit.Chunk (nextChunk)
import Tern.Container (Blocks, Decoder, Finding, Step (..), nextStep)
import Tern.Internal.Container.Encoder (conclude, newContainer, offer)
import Tern.Wire (Wire, nativeW, shapeOf)

-- $setup
-- >>> import Conduit
-- >>> import Tern.Container

-- | Decode a container: its elements block by block, what is wrong with it, and what is
-- lost. It goes on after what is damaged wherever a block can be found.
--
-- >>> let numbers = containerDecoder defaultSettings :: Decoder Int
-- >>> :{
-- runConduit (yieldMany [1, 2, 3 :: Int] .| encodeContainerC defaultBlocks .| decodeContainerC
--   numbers .| sinkList)
-- :}
-- [Elements 0 [1,2,3]]
decodeContainerC :: (Monad m) => Decoder a -> ConduitT ByteString (Finding a) m ()
decodeContainerC d = case nextStep d of
  Next finding later -> yield finding >> mapM_ decodeContainerC later
  NeedMore feed -> nextChunk >>= decodeContainerC . feed
  End -> pure ()

-- | Encode values as a container: its header, each block when it is full, and the end. A
-- conduit that is given up leaves a container without an end, and its reader will say so.
--
-- INLINE: the writer is known where the type is.
encodeContainerC :: forall a m. (Wire a, MonadIO m) => Blocks -> ConduitT a ByteString m ()
encodeContainerC blocks = do
  (header, outlet) <- liftIO (newContainer blocks (shapeOf @a))
  let go =
        await >>= \case
          Nothing -> liftIO (conclude outlet) >>= yieldMany
          Just value -> liftIO (offer outlet nativeW value) >>= yieldMany >> go
  yield header >> go
{-# INLINE encodeContainerC #-}
