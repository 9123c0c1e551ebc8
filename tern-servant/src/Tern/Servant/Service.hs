{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}

-- | A server of an API in every format, with what Servant's types do not say.
--
-- The idea: what holds for each resource alike is done around Servant, by a middleware:
-- requests' content is decompressed within limits before Servant reads it; what Servant
-- answers is compressed and tagged, and what it refuses becomes a problem in the format
-- that the client accepts.
--
-- Start at 'serveEvery'.
module Tern.Servant.Service
  ( serveEvery,
    serving,
    plainAccept,
  )
where

import Control.Exception (Handler (..), catches, throwIO, toException)
import Data.ByteString qualified as B
import Data.ByteString.Builder (toLazyByteString)
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.IORef
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (fromMaybe, isJust, isNothing)
import Data.Proxy (Proxy)
import Data.Vault.Lazy qualified as Vault
import Network.HTTP.Types
import Network.HTTP.Types.Header (hVary)
import Network.Wai
import Network.Wai.Internal (Response (..))
import Servant.Server hiding (Handler)
import Tern (decodeJson)
import Tern.Http
import Tern.Http.Coding (codingNames)
import Tern.Http.Content (ContentFault (..), contentSource)
import Tern.Http.Format (Entry (..), entry)
import Tern.Http.Problem (ofFault, ofRefusal)
import Tern.Http.Representation
import Tern.Negotiate hiding (Accept, Coding)
import Tern.Servant.Asked
import Tern.Servant.Trouble

-- | An application of an API, with 'problemFormatters' and 'serving'.
serveEvery :: (HasServer api '[Settings, ErrorFormatters]) => Settings -> Proxy api -> Server api -> Application
serveEvery settings api server = serving settings (serveWithContext api (settings :. problemFormatters settings :. EmptyContext) server)

-- | What each resource has, around an application of Servant's:
--
-- * content is decompressed, within the limits of values ('settingsLimits'); that of
--   'Tern.Servant.BodyEach' comes as it is, within those of sequences;
-- * answers are compressed as the request accepts it, and those to @GET@ have an entity
--   tag, or are 304 or 412 by the request's conditions;
-- * a refusal without content, as Servant's for a wrong method, a wrong @Accept@ and a
--   wrong @Content-Type@, becomes a problem, and a problem in JSON one in the format that
--   the request accepts.
serving :: Settings -> Middleware
serving settings app request send = case (,) <$> maybe (Right ()) (Left . HeaderTooLong) (longHeader headers) <*> ((,) <$> encodingFor (codingNames (settingsCodings settings)) headers <*> codingsOf (codingNames [minBound ..]) headers) of
  Left refusal -> send (respondProblem settings request (refusalHeaders [] refusal) (ofRefusal refusal))
  Right ((), ((coding, plainToo), undone)) -> do
    begun <- newIORef False
    let manner = Manner {mannerCoding = codingKind <$> coding, mannerPlainToo = plainToo, mannerHeadOnly = requestMethod request == methodHead}
        answer response = writeIORef begun True >> send (finished settings request manner response)
        -- Once an answer has begun there can be no other.
        refuse' why wrong = readIORef begun >>= \late -> if late then throwIO why else send (respondProblem settings request [] wrong)
    readable <- within settings (map codingKind undone) request
    plainAccept app readable answer
      `catches` [ Handler (\fault -> refuse' (toException fault) (ofFault fault)),
                  Handler (\broken -> refuse' (toException broken) (ofFault (NotDecoded broken))),
                  Handler (\why@(Interrupted wrong) -> refuse' (toException why) wrong)
                ]
  where
    headers = requestHeaders request

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
      { requestMethod = if requestMethod request == methodHead then methodGet else requestMethod request,
        requestHeaders = filter ((/= hContentEncoding) . fst) (requestHeaders request),
        vault = Vault.insert asItCame request (vault request)
      }

-- | An answer as it is sent.
finished :: Settings -> Request -> Manner -> Response -> Response
finished settings request manner response = case response of
  ResponseBuilder status headers builder
    | Just media <- parseMediaType =<< lookup hContentType headers,
      media == entryProblem (entry Json),
      Right wrong <- decodeJson (bytesOf builder) ->
        respondProblem settings request (others headers) wrong
    | isNothing (lookup hContentType headers),
      status `elem` map fst bare,
      BL.null (toLazyByteString builder) ->
        respondProblem settings request (others headers) (problem status (fromMaybe "" (lookup status bare)))
    | isNothing (lookup hContentType headers) || isJustly hContentEncoding headers -> ResponseBuilder status (varied headers) builder
    | otherwise -> represent settings request manner (nameOf headers) status (without [hContentLength, hVary] headers) (bytesOf builder)
  ResponseStream status headers body -> ResponseStream status (varied headers) (if mannerHeadOnly manner then \_ _ -> pure () else body)
  ResponseFile {} -> response
  ResponseRaw {} -> response
  where
    bytesOf = BL.toStrict . toLazyByteString
    others = without [hContentType, hContentLength, hVary]
    without names = filter ((`notElem` names) . fst)
    isJustly name = isJust . lookup name
    varied headers = if isJustly hVary headers then headers else varyHeader : headers
    -- Of the media type what may stand in a tag, and tells formats apart.
    nameOf = maybe "other" (BC.map (\c -> if c == '/' then '.' else c) . BC.takeWhile (/= ';')) . lookup hContentType
    bare =
      [ (methodNotAllowed405, "this resource does not have that method"),
        (notAcceptable406, "no media type on offer is acceptable"),
        (unsupportedMediaType415, "content of this media type is not read here")
      ]

-- | Makes @Accept@ such that Servant's parser understands it as RFC 9110 does: without
-- elements that are malformed, without a character set, which no format here has, and
-- gone if it says nothing.
plainAccept :: Middleware
plainAccept app request = app request {requestHeaders = plain <> filter ((/= hAccept) . fst) (requestHeaders request)}
  where
    plain = case accepted request of
      Anything -> []
      Ranges given -> [(hAccept, B.intercalate ", " (NonEmpty.toList (orNothing (map range (filter (understood . fst) given)))))]
    range (it, Quality weight) = renderMediaType it {mediaParameters = filter ((/= "charset") . fst) (mediaParameters it) <> [("q", thousandths weight)]}
    -- What no offer can match, and what would make all of the header malformed.
    understood it = (mediaType it /= "*" || mediaSubtype it == "*") && all ((`elem` ["charset", "schema"]) . fst) (mediaParameters it)
    orNothing = fromMaybe (NonEmpty.singleton "application/x-nothing") . NonEmpty.nonEmpty
    thousandths weight
      | weight >= 1000 = "1"
      | otherwise = "0." <> BC.pack (drop 1 (show (1000 + weight)))
