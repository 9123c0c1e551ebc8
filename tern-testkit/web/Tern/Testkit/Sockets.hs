-- | A real server on loopback, and clients that write to its socket whatever they like.
module Tern.Testkit.Sockets
  ( served,
    withSocket,
    talk,
    received,
    drained,
    statusOf,
    unlessGone,
  )
where

import Control.Exception (IOException, bracket, try)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Network.Socket
  ( Family (..),
    SockAddr (..),
    Socket,
    SocketType (..),
    close,
    connect,
    defaultProtocol,
    socket,
    tupleToHostAddress,
  )
import Network.Socket.ByteString (recv, sendAll)
import Network.Wai (Application)
import Network.Wai.Handler.Warp
  ( Port,
    defaultSettings,
    setOnException,
    setTimeout,
    withApplicationSettings,
  )

-- | Warp, which drops who says nothing for @seconds@.
served :: Int -> Application -> (Port -> IO a) -> IO a
served seconds app =
  withApplicationSettings
    ( setOnException
        (\_ _ -> pure ())
        (setTimeout seconds defaultSettings)
    )
    (pure app)

-- | A connection to a port of this machine, closed in any case.
withSocket :: Port -> (Socket -> IO a) -> IO a
withSocket port = bracket open close
  where
    open = do
      socket' <- socket AF_INET Stream defaultProtocol
      connect socket' (SockAddrInet (fromIntegral port) (tupleToHostAddress (127, 0, 0, 1)))
      pure socket'

-- | Send these bytes and read until the server closes, or drops what it has not read.
talk :: Port -> [ByteString] -> IO ByteString
talk port parts = withSocket port $ \socket' -> do
  mapM_ (unlessGone . sendAll socket') parts
  received socket'

-- | All that comes until the server closes.
received :: Socket -> IO ByteString
received socket' = B.concat <$> go
  where
    go = chunkOf socket' >>= \chunk -> if B.null chunk then pure [] else (chunk :) <$> go

-- | The start of what comes until the server closes; nothing if it goes on for more bytes
-- than this.
drained :: Int -> Socket -> IO (Maybe ByteString)
drained most socket' = chunkOf socket' >>= \start -> go start (B.length start)
  where
    go start n
      | n > most = pure Nothing
      | otherwise = do
          chunk <- chunkOf socket'
          if B.null chunk then pure (Just start) else go start (n + B.length chunk)

-- | What comes next; nothing where the server has closed or is gone.
chunkOf :: Socket -> IO ByteString
chunkOf socket' = either gone id <$> try (recv socket' 65536)
  where
    gone :: IOException -> ByteString
    gone _ = B.empty

-- | Where the server has hung up there is nobody to send to.
unlessGone :: IO () -> IO ()
unlessGone act = either (const () :: IOException -> ()) id <$> try act

-- | Of an answer; 0 if there is none.
statusOf :: ByteString -> Int
statusOf = maybe 0 fst . BC.readInt . B.drop 9
