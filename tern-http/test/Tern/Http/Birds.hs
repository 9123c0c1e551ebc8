{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O1 -fmax-simplifier-iterations=4 #-}

-- | A service of one type, and requests to it without a network.
module Tern.Http.Birds
  ( Bird (..),
    tern,
    birds,
    Answer (..),
    ask,
    header,
    pieces,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (toLazyByteString)
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.IORef (atomicModifyIORef', modifyIORef', newIORef, readIORef, writeIORef)
import Data.Maybe (isNothing)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Network.HTTP.Types
import Network.Wai
  ( Application,
    Request (..),
    RequestBodyLength (..),
    defaultRequest,
    responseToStream,
    setRequestBodyChunks,
  )
import Network.Wai.Internal (ResponseReceived (..))
import Tern
import Tern.Http

data Bird = Bird {name :: Text, seen :: Int, weights :: [Double]}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

tern :: Bird
tern = Bird {name = T.replicate 300 "tern ", seen = 3, weights = [0.1, 0.125]}

-- | One bird, which can be looked at, replaced if the conditions hold, and echoed.
birds :: Settings -> Application
birds settings =
  exchange settings ["GET", "POST", "PUT"] $ \x send -> case requestMethod (exchangeRequest x) of
    "POST" ->
      receive x
        >>= either
          (send . respondProblem settings (exchangeRequest x) [])
          (send . respond @Bird x created201 [])
    "PUT" -> either send (\_ -> send (respondEmpty noContent204 [])) (guarded x (Just tern))
    _ -> send (respond x ok200 [("Cache-Control", "no-cache")] tern)

data Answer = Answer
  { answerStatus ::
      Int,
    answerHeaders :: ResponseHeaders,
    answerBody :: ByteString
  }
  deriving stock (Show)

-- | An answer's header, if it has it.
header :: HeaderName -> Answer -> Maybe ByteString
header wanted = lookup wanted . answerHeaders

-- | Ask an application, with content in these chunks.
ask :: Application -> Method -> RequestHeaders -> [ByteString] -> IO Answer
ask app method headers chunks = do
  left <- newIORef chunks
  result <- newIORef Nothing
  let size = B.length (B.concat chunks)
      request =
        setRequestBodyChunks (atomicModifyIORef' left (\cs -> (drop 1 cs, mconcat (take 1 cs)))) $
          defaultRequest
            { requestMethod = method,
              requestHeaders =
                [ ("Content-Length", BC.pack (show size))
                  | not (null chunks),
                    isNothing (lookup "Transfer-Encoding" headers)
                ]
                  <> headers,
              requestBodyLength =
                if isNothing (lookup "Transfer-Encoding" headers)
                  then KnownLength (fromIntegral size)
                  else ChunkedBody
            }
  _ <- app request $ \response -> do
    let (status, responseHeaders', withBody) = responseToStream response
    body <- newIORef mempty
    withBody (\stream -> stream (\part -> modifyIORef' body (<> part)) (pure ()))
    bytes <- BL.toStrict . toLazyByteString <$> readIORef body
    writeIORef result (Just (Answer (statusCode status) responseHeaders' bytes))
    pure ResponseReceived
  readIORef result >>= maybe (fail "no answer") pure

-- | In chunks of @size@ bytes.
pieces :: Int -> ByteString -> [ByteString]
pieces size bytes
  | B.null bytes = []
  | (chunk, rest) <- B.splitAt size bytes = chunk : pieces size rest
