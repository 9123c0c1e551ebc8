-- | How the chunks of a sequence go to the server that sends them.
--
-- The idea: a server has a buffer of its own, and sends it when it is full or when it is told
-- to. What is gathered leaves that to the server, so that a short answer goes out at once: its
-- head, its content and its end. What happens while the client listens is sent chunk by chunk.
--
-- Start at 'gathered'.
module Tern.Http.Sending
  ( gathered,
    live,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Builder (byteString)
import Network.Wai (StreamingBody)
import Tern.Http.Coding (Coding, encodingTo)
import Tern.Http.Turns (paced)

-- | What is put to a consumer, compressed in this coding, as it fills the server's buffer.
gathered :: Maybe Coding -> ((ByteString -> IO ()) -> IO ()) -> StreamingBody
gathered coding write send _ = do
  consume <- paced (send . byteString)
  maybe (write consume) (\one -> encodingTo one consume write) coding

-- | The head before there is any content, and each chunk when it is put.
live :: ((ByteString -> IO ()) -> IO ()) -> StreamingBody
live write send flush = do
  consume <- paced (\chunk -> send (byteString chunk) >> flush)
  flush >> write consume
