{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}

-- | A server of an API in every format, with what Servant's types do not say.
--
-- The idea: what holds for each resource alike is done around Servant, by a middleware:
-- requests' content is decompressed within limits before Servant reads it; what Servant
-- answers is compressed and tagged, and what it refuses becomes a problem in the format
-- that the client accepts, with what would have been right.
--
-- Start at 'serveEvery'.
module Tern.Servant.Service
  ( serveEvery,
    serving,
  )
where

import Control.Exception (Handler (..), catches, throwIO, toException)
import Data.ByteString qualified as B
import Data.ByteString.Builder (toLazyByteString)
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (isJust, isNothing, listToMaybe, mapMaybe)
import Data.Proxy (Proxy)
import Data.Text (Text)
import Data.Vault.Lazy qualified as Vault
import Network.HTTP.Types
import Network.HTTP.Types.Header
  ( hAllow,
    hContentRange,
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
    Response,
    mapResponseHeaders,
    responseLBS,
    responseToStream,
    setRequestBodyChunks,
  )
import Network.Wai.Internal (Response (..), ResponseReceived (..))
import Servant.Server (Context (..), ErrorFormatters, HasServer, Server, serveWithContext)
import Tern (decodeJson)
import Tern.Http (Coding, Format (..), Settings (..), respondProblem)
import Tern.Http.Coding (codingNames)
import Tern.Http.Content (ContentFault (..), contentSource)
import Tern.Http.Format (Entry (..), entry)
import Tern.Http.Problem (ofFault, ofRefusal)
import Tern.Http.Representation
  ( Manner (..),
    Written (..),
    currentOf,
    onlyReads,
    represent,
    tagOf,
    unlessUnwanted,
    unmet,
  )
import Tern.Negotiate
  ( Current (..),
    Outcome (..),
    Receive (..),
    Refusal (..),
    acceptHeaders,
    allowed,
    codingKind,
    codingsOf,
    encodingFor,
    fieldValue,
    hasContent,
    isUnconditional,
    longHeader,
    outcome,
    parseMediaType,
    receiving,
    refusalHeaders,
    renderMediaType,
    requestConditions,
    varied,
  )
import Tern.Servant.Asked (asItCame)
import Tern.Servant.Plain (plainly)
import Tern.Servant.Resource (Endpoint (..), Resources (..), givenAt, methodsAt, readAt)
import Tern.Servant.Trouble (Interrupted (..), problemFormatters)

-- | An application of an API, with 'problemFormatters' and 'serving', which knows by the
-- API's type what is at a path: it answers @OPTIONS@, unless the API does, and says in
-- what is refused which methods and contents there would be.
serveEvery ::
  forall api.
  (HasServer api '[Settings, ErrorFormatters], Resources api) =>
  Settings ->
  Proxy api ->
  Server api ->
  Application
serveEvery settings api server =
  servingAt
    (endpointsAt @api)
    settings
    ( serveWithContext
        api
        (settings :. problemFormatters settings :. EmptyContext)
        server
    )

-- | What each resource has, around an application of Servant's:
--
-- * content is decompressed, within the limits of values ('settingsLimits'); that of
--   'Tern.Servant.BodyEach' comes as it is, within those of sequences;
-- * answers are compressed as the request accepts it, and those to @GET@ have an entity
--   tag, or are 304 or 412 by the request's conditions;
-- * a change that has conditions is preceded by a @GET@ of the same path in each format,
--   whose tags are compared; between that and the change others may come, which a handler
--   prevents that compares numbers of versions in its own transaction;
-- * a refusal without content, as Servant's for a wrong method, a wrong @Accept@ and a
--   wrong @Content-Type@, becomes a problem, and a problem in JSON one in the format that
--   the request accepts.
serving :: Settings -> Middleware
serving = servingAt (const [])

-- | The same, by what there is at a path.
servingAt :: ([Text] -> [Endpoint]) -> Settings -> Middleware
servingAt endpoints settings app request send = case taken of
  _ | Just described <- optionsAt here request -> send (responseLBS noContent204 described BL.empty)
  Left refusal ->
    send (respondProblem settings request (refusalHeaders [] refusal) (ofRefusal refusal))
  Right ((coding, plainToo), undone) -> do
    begun <- newIORef False
    let manner =
          Manner
            { mannerCoding =
                codingKind <$> coding,
              mannerPlainToo = plainToo,
              mannerHeadOnly = requestMethod request == methodHead
            }
        answer response =
          writeIORef begun True >> send (finished here settings request manner response)
        -- Once an answer has begun there can be no other.
        refuse' why wrong =
          readIORef begun >>= \late ->
            if late
              then throwIO why
              else send (respondProblem settings request [] wrong)
    allowed' <-
      if isMeant here request then permitted settings (plainly here app) request else pure Nothing
    readable <- within settings (map codingKind undone) request
    maybe (plainly here app readable answer) send allowed'
      `catches` [ Handler (\fault -> refuse' (toException fault) (ofFault fault)),
                  Handler (\broken -> refuse' (toException broken) (ofFault (NotDecoded broken))),
                  Handler (\why@(Interrupted wrong) -> refuse' (toException why) wrong)
                ]
  where
    headers = requestHeaders request
    here = endpoints (pathInfo request)
    -- How to encode the answer, and which codings of the content to undo.
    taken = do
      maybe (Right ()) (Left . HeaderTooLong) (longHeader headers)
      manner <- encodingFor (codingNames (settingsCodings settings)) headers
      undone <-
        if hasContent (requestMethod request) headers
          then whole >> codingsOf (codingNames [minBound ..]) headers
          else Right []
      Right (manner, undone)
    whole = if isJust (lookup hContentRange headers) then Left PartialContent else Right ()

-- | What @OPTIONS@ is answered with, where there is something that does not answer it
-- itself.
optionsAt :: [Endpoint] -> Request -> Maybe ResponseHeaders
optionsAt here request = do
  known <- methodsAt here
  if requestMethod request == methodOptions && not (null known) && methodOptions `notElem` known
    then Just (varied (allowOf known : contentsOf here))
    else Nothing

allowOf :: [Method] -> Header
allowOf known = (hAllow, B.intercalate ", " (allowed known))

-- | What content there may be.
contentsOf :: [Endpoint] -> ResponseHeaders
contentsOf here =
  concat
    [ acceptHeaders [method] types
      | method <- [methodPost, methodPatch],
        let types = readAt method here,
        not (null types)
    ]

-- | Whether the request is one that is done here, as far as its method and the type of its
-- content say: else it is refused for that, and not for its conditions (RFC 9110, section
-- 13.2.1). Where nothing is known of the path it may be.
isMeant :: [Endpoint] -> Request -> Bool
isMeant here request = null here || any fits here
  where
    fits one =
      maybe True (== requestMethod request) (endpointMethod one)
        && (null (endpointReads one) || isRead (endpointReads one))
    isRead types =
      isJust
        ( receiving [Receive range () | range <- types]
            =<< parseMediaType
            =<< fieldValue hContentType (requestHeaders request)
        )

-- | The answer to a change whose conditions do not hold. What the resource is now its own
-- @GET@ says, in each format.
permitted :: Settings -> Application -> Request -> IO (Maybe Response)
permitted settings app request
  | onlyReads request || not (settingsTags settings) || isUnconditional demanded = pure Nothing
  | otherwise = do
      seen <- mapM looked (NonEmpty.toList (settingsFormats settings))
      let current = case concat seen of
            [] -> Nothing
            those ->
              Just
                ( Current
                    (concatMap currentTags those)
                    (listToMaybe (mapMaybe currentModified those))
                )
      pure $ case outcome False demanded current of
        Perform -> Nothing
        NotModified -> Just (unmet settings request [])
        PreconditionFailed -> Just (unmet settings request [])
  where
    demanded = requestConditions (requestHeaders request)
    looked format = do
      found <- newIORef []
      _ <- app (reader (NonEmpty.head (entryTypes (entry format)))) $ \response -> do
        let (status, headers, _) = responseToStream response
        ResponseReceived
          <$ writeIORef
            found
            [ (currentOf headers)
                { currentTags = tagsIn headers response
                }
              | statusIsSuccessful status
            ]
      readIORef found
    reader media =
      setRequestBodyChunks (pure B.empty) $
        request
          { requestMethod = methodGet,
            requestHeaders =
              (hAccept, renderMediaType media)
                : without
                  ( hAccept
                      : hContentType
                      : hContentLength
                      : hContentEncoding
                      : hTransferEncoding
                      : [hIfMatch, hIfNoneMatch, hIfModifiedSince, hIfUnmodifiedSince]
                  )
                  (requestHeaders request),
            requestBodyLength = KnownLength 0
          }
    -- What is sent piece by piece has no tag.
    tagsIn headers = \case
      ResponseBuilder _ _ builder ->
        [ tagOf (nameOf headers) coding (toLazyByteString builder)
          | coding <- Nothing : map Just (settingsCodings settings)
        ]
      ResponseStream {} -> []
      ResponseFile {} -> []
      ResponseRaw {} -> []

-- | The request with its content decompressed, as it is drawn, and itself as it came. A
-- @HEAD@ becomes a @GET@, for it has the headers of one.
within :: Settings -> [Coding] -> Request -> IO Request
within settings undone request = do
  opened <- newIORef Nothing
  let draw =
        readIORef opened >>= \case
          Just source -> source
          Nothing -> do
            source <- contentSource (settingsLimits settings) undone request
            writeIORef opened (Just source)
            source
  pure . setRequestBodyChunks draw $
    request
      { requestMethod =
          if requestMethod request == methodHead
            then methodGet
            else requestMethod request,
        requestHeaders = filter ((/= hContentEncoding) . fst) (requestHeaders request),
        vault = Vault.insert asItCame request (vault request)
      }

-- | An answer as it is sent.
finished :: [Endpoint] -> Settings -> Request -> Manner -> Response -> Response
finished here settings request manner response = case response of
  ResponseBuilder status headers builder
    | Just media <- parseMediaType =<< lookup hContentType headers,
      media == entryProblem (entry Json),
      Right wrong <- decodeJson (BL.toStrict (toLazyByteString builder)) ->
        respondProblem settings request (others headers) wrong
    | isNothing (lookup hContentType headers),
      Just (refusal, more) <- lookup status bare,
      BL.null (toLazyByteString builder) ->
        respondProblem settings request (more <> others headers) (ofRefusal refusal)
    | isNothing (lookup hContentType headers) || isJustly hContentEncoding headers ->
        ResponseBuilder status (varied headers) builder
    | otherwise ->
        represent
          settings
          request
          manner
          (nameOf headers)
          status
          (without [hContentLength] headers)
          (There (toLazyByteString builder))
  ResponseStream status headers body
    | not (mannerPlainToo manner || isJustly hContentEncoding headers),
      onlyReads request ->
        respondProblem settings request [] (ofRefusal (NoCodingAcceptable ["identity"]))
    | otherwise ->
        unlessUnwanted settings request status headers $
          ResponseStream
            status
            (varied headers)
            (if mannerHeadOnly manner then \_ _ -> pure () else body)
  ResponseFile {} -> mapResponseHeaders varied response
  ResponseRaw {} -> response
  where
    others = without [hContentType, hContentLength]
    isJustly name = isJust . lookup name
    bare =
      [ ( methodNotAllowed405,
          ( MethodNotAllowed
              (maybe [] allowed (methodsAt here)),
            maybe [] (pure . allowOf) (methodsAt here)
          )
        ),
        (notAcceptable406, (NoTypeAcceptable (givenAt asked here), [])),
        ( unsupportedMediaType415,
          ( UnsupportedType types,
            [(hAccept, B.intercalate ", " (map renderMediaType types)) | not (null types)]
              <> contentsOf here
          )
        )
      ]
    types = readAt asked here
    asked = if requestMethod request == methodHead then methodGet else requestMethod request

without :: [HeaderName] -> [Header] -> [Header]
without names = filter ((`notElem` names) . fst)

-- | Of the media type what may stand in a tag, and tells formats apart.
nameOf :: ResponseHeaders -> B.ByteString
nameOf =
  maybe "other" (BC.map (\c -> if c == '/' then '.' else c) . BC.takeWhile (/= ';'))
    . lookup hContentType
