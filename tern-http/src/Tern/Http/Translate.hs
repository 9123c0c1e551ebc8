{-# LANGUAGE OverloadedStrings #-}

-- | The other formats for a service that speaks JSON, without a change to it.
--
-- The idea: a middleware knows the types of a resource's content and answers. It reads
-- what a client sends in any format into the one type, and hands it to the service as
-- JSON; it reads the service's JSON into the other type, and hands it to the client in
-- the format that the client accepts. What the service says besides its values stays as
-- it is.
--
-- Start at 'translating'.
module Tern.Http.Translate
  ( translating,
  )
where

import Control.Monad ((<=<))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (toLazyByteString)
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.IORef
import Data.Maybe (isJust)
import Data.Proxy (Proxy)
import Network.HTTP.Types
import Network.HTTP.Types.Header (hAcceptEncoding, hETag, hIfMatch, hIfNoneMatch, hTransferEncoding, hVary)
import Network.Wai
import Tern (Error, Wire, decodeJson, encodeJson)
import Tern.Http.Exchange
import Tern.Http.Settings
import Tern.Negotiate (MediaType (..), parseMediaType, planContent)

-- | Every format for a service whose resources have these methods, take content of the
-- first type and answer with values of the second. What needs different types needs
-- different middlewares; 'Tern.Value.Value' is the type of any JSON.
--
-- An answer that is not a success, is not JSON or is no such value goes on as it is.
-- Entity tags are made anew, since those of the service are of its JSON; they serve @GET@
-- and @HEAD@, and conditions of other methods reach the service as they are.
translating :: forall content answer. (Wire content, Wire answer) => Proxy content -> Proxy answer -> Settings -> [Method] -> Middleware
translating _ _ settings known app = exchange settings known $ \x send -> do
  let plain = forJson (exchangeRequest x)
      handed request = app request (send <=< answered x)
  if isJust (planContent (exchangePlan x))
    then receive x >>= either (send . refuse x) (\value -> handed =<< withContent (encodeJson (value :: content)) plain)
    else handed plain
  where
    answered x response
      | statusIsSuccessful status,
        Just (MediaType "application" "json" _) <- parseMediaType =<< lookup hContentType headers = do
          bytes <- withBody collected
          pure (either (const response) (respond x status others) (decodeJson bytes :: Either Error answer))
      | otherwise = pure response
      where
        (status, headers, withBody) = responseToStream response
        others = filter ((`notElem` [hContentType, hContentLength, hETag, hVary]) . fst) headers

-- | The request as a service sees it that speaks JSON alone. A @HEAD@ becomes a @GET@, for
-- the length of an answer is that of its content.
forJson :: Request -> Request
forJson request = request {requestMethod = method, requestHeaders = (hAccept, "application/json") : filter ((`notElem` left) . fst) (requestHeaders request)}
  where
    method = if requestMethod request == methodHead then methodGet else requestMethod request
    left = [hAccept, hAcceptEncoding] <> (if method == methodGet then [hIfMatch, hIfNoneMatch] else [])

-- | The request with other content, which is JSON.
withContent :: ByteString -> Request -> IO Request
withContent bytes request = do
  left <- newIORef bytes
  pure . setRequestBodyChunks (atomicModifyIORef' left (B.empty,)) $
    request
      { requestHeaders = (hContentType, "application/json") : (hContentLength, BC.pack (show (B.length bytes))) : filter ((`notElem` [hContentType, hContentLength, hContentEncoding, hTransferEncoding]) . fst) (requestHeaders request),
        requestBodyLength = KnownLength (fromIntegral (B.length bytes))
      }

-- | All of an answer's content.
collected :: StreamingBody -> IO ByteString
collected stream = do
  body <- newIORef mempty
  stream (\part -> modifyIORef' body (<> part)) (pure ())
  BL.toStrict . toLazyByteString <$> readIORef body
