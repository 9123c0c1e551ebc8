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
import Data.IORef (atomicModifyIORef', modifyIORef', newIORef, readIORef, writeIORef)
import Data.Maybe (isJust)
import Data.Proxy (Proxy)
import Network.HTTP.Types
import Network.HTTP.Types.Header
  ( hAcceptEncoding,
    hETag,
    hIfMatch,
    hIfNoneMatch,
    hIfUnmodifiedSince,
    hTransferEncoding,
  )
import Network.Wai
  ( Application,
    Middleware,
    Request (..),
    RequestBodyLength (..),
    StreamingBody,
    mapResponseHeaders,
    responseToStream,
    setRequestBodyChunks,
  )
import Network.Wai.Internal (Response (..), ResponseReceived (..))
import Tern (Error, Wire, decodeJson, encodeJson)
import Tern.Http.Exchange (Exchange (..), exchange, guardedBy, receive, refuse, respond, tagsOf)
import Tern.Http.Representation (currentOf, onlyReads)
import Tern.Http.Settings (Settings)
import Tern.Negotiate
  ( Current (..),
    MediaType (..),
    isUnconditional,
    parseMediaType,
    planContent,
    requestConditions,
    varied,
  )

-- | Every format for a service whose resources have these methods, take content of the
-- first type and answer with values of the second. What needs different types needs
-- different middlewares; 'Tern.Value.Value' is the type of any JSON.
--
-- An answer that is not a success, is not JSON or is no such value goes on as it is.
-- Entity tags are made anew, since those of the service are of its JSON. So a change that
-- has conditions is preceded by a @GET@ of the resource, for what it is now; the service
-- sees no conditions.
translating ::
  forall content answer.
  (Wire content, Wire answer) =>
  Proxy content ->
  Proxy answer ->
  Settings ->
  [Method] ->
  Middleware
translating _ _ settings known app = exchange settings known $ \x send -> do
  let plain = forJson (exchangeRequest x)
      handed request = app request (send <=< answered x)
      handled
        | isJust (planContent (exchangePlan x)) =
            receive x
              >>= either
                (send . refuse x)
                ( \value ->
                    handed =<< withContent (encodeJson (value :: content)) plain
                )
        | otherwise = handed plain
  if onlyReads (exchangeRequest x)
    || isUnconditional (requestConditions (requestHeaders (exchangeRequest x)))
    then handled
    else current x plain >>= either send (const handled) . guardedBy x
  where
    answered x response
      | statusIsSuccessful status,
        Just (MediaType "application" "json" _) <-
          parseMediaType =<< lookup hContentType headers = do
          bytes <- withBody collected
          pure
            ( either
                (const asItIs)
                (respond x status others)
                (decodeJson bytes :: Either Error answer)
            )
      | otherwise = pure asItIs
      where
        (status, headers, withBody) = responseToStream response
        others = filter ((`notElem` [hContentType, hContentLength, hETag]) . fst) headers
        asItIs = mapResponseHeaders varied response
    current x plain = looked app plain $ \status headers bytes ->
      if statusIsSuccessful status
        then
          Just
            (currentOf headers)
              { currentTags =
                  either (const []) (tagsOf x) (decodeJson bytes :: Either Error answer)
              }
        else Nothing

-- | What a service says of a resource by @GET@: the status, the headers and the content,
-- which is nothing where it is sent piece by piece.
looked :: Application -> Request -> (Status -> ResponseHeaders -> ByteString -> a) -> IO a
looked app request use = do
  said <- newIORef (use notFound404 [] B.empty)
  _ <- app (withoutContent request {requestMethod = methodGet}) $ \response -> do
    let (status, headers, withBody) = responseToStream response
    bytes <- case response of
      ResponseStream {} -> pure B.empty
      ResponseFile {} -> withBody collected
      ResponseBuilder {} -> withBody collected
      ResponseRaw {} -> pure B.empty
    writeIORef said (use status headers bytes)
    pure ResponseReceived
  readIORef said

-- | The request as a service sees it that speaks JSON alone. A @HEAD@ becomes a @GET@, for
-- the length of an answer is that of its content.
forJson :: Request -> Request
forJson request =
  request
    { requestMethod =
        method,
      requestHeaders =
        (hAccept, "application/json") : filter ((`notElem` left) . fst) (requestHeaders request)
    }
  where
    method = if requestMethod request == methodHead then methodGet else requestMethod request
    left = [hAccept, hAcceptEncoding, hIfMatch, hIfNoneMatch, hIfModifiedSince, hIfUnmodifiedSince]

-- | The request with other content, which is JSON.
withContent :: ByteString -> Request -> IO Request
withContent bytes request = do
  left <- newIORef bytes
  pure . setRequestBodyChunks (atomicModifyIORef' left (B.empty,)) $
    bare
      { requestHeaders =
          (hContentType, "application/json")
            : (hContentLength, BC.pack (show (B.length bytes)))
            : requestHeaders bare,
        requestBodyLength = KnownLength (fromIntegral (B.length bytes))
      }
  where
    bare = withoutContent request

-- | The request as if it had no content.
withoutContent :: Request -> Request
withoutContent request =
  setRequestBodyChunks (pure B.empty) $
    request
      { requestHeaders =
          filter
            ( (`notElem` [hContentType, hContentLength, hContentEncoding, hTransferEncoding])
                . fst
            )
            (requestHeaders request),
        requestBodyLength = KnownLength 0
      }

-- | All of an answer's content.
collected :: StreamingBody -> IO ByteString
collected stream = do
  body <- newIORef mempty
  stream (\part -> modifyIORef' body (<> part)) (pure ())
  BL.toStrict . toLazyByteString <$> readIORef body
