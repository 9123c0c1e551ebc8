{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UndecidableInstances #-}

-- | Sequences of values in an API, element by element and in constant memory, in
-- requests and in answers, of servers and of clients.
--
-- The idea: Servant's own streams have one content type and a framing that knows nothing
-- of the elements, so that they could neither be negotiated nor be containers, whose
-- header is the elements' schema. Here the type says only that there is a sequence; how it
-- is written is chosen for each request, from "Tern.Http.Series".
--
-- A handler reads a sequence as a source. Where what comes is damaged or too large the
-- source throws, which ends the handler, and 'Tern.Servant.serveEvery' answers with the
-- problem. A source that a handler gives is run while it is sent: what ends it ends the
-- answer, and the client then sees that it is not whole.
--
-- Start at 'GetEach' and 'BodyEach'.
module Tern.Servant.Sequence
  ( Each,
    Pace (..),
    GetEach,
    PostEach,
    GetLive,
    BodyEach,
    wholeRequest,
  )
where

import Control.Exception (throwIO)
import Control.Monad.IO.Class (liftIO)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Foldable (toList)
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.Kind (Type)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (fromMaybe)
import Data.Proxy (Proxy (..))
import Data.Vault.Lazy qualified as Vault
import GHC.TypeLits (KnownNat, Nat)
import Network.HTTP.Types (StdMethod (..), hContentType)
import Network.Wai (Request, requestHeaders, responseStream, vault)
import Servant.API (ReflectMethod (..), SourceIO, (:>))
import Servant.API.Status (statusFromNat)
import Servant.Client.Core
  ( HasClient (..),
    RequestBody (..),
    RequestF (requestAccept, requestMethod),
    ResponseF (..),
    RunStreamingClient (..),
    setRequestBody,
  )
import Servant.Server (HasContextEntry (..), HasServer (..), ServerError (..))
import Servant.Server.Internal
  ( RouteResult (..),
    addAcceptCheck,
    addBodyCheck,
    addMethodCheck,
    delayedFail,
    leafRouter,
    methodCheck,
    runAction,
    withRequest,
  )
import Servant.Types.SourceT (SourceT (..), StepT (..), foreach, fromStepT, mapStepT)
import Tern (Wire, defaultLimits)
import Tern.Http (ContentLimits (..), Settings (..))
import Tern.Http.Answer (Failure (..), acceptSeries, answeredEach, cheapestSeries)
import Tern.Http.Coding (Source, codingNames)
import Tern.Http.Content (contentSource)
import Tern.Http.Live (liveTo)
import Tern.Http.Problem (ofRefusal)
import Tern.Http.Pulled (withPulled)
import Tern.Http.Representation (coded)
import Tern.Http.Sending (gathered, live)
import Tern.Http.Series
  ( Series (..),
    SeriesEntry (..),
    Steps (..),
    largeChunk,
    series,
    seriesOffers,
    seriesRanges,
    smallChunk,
  )
import Tern.Http.Trouble (accepted)
import Tern.Negotiate
  ( Coding (..),
    Content (..),
    Offer (..),
    Refusal (..),
    choose,
    encodingFor,
    recognise,
    refusalHeaders,
    renderMediaType,
    typePreference,
    varied,
  )
import Tern.Servant.Asked (asItCame)
import Tern.Servant.Format (media, ranges)
import Tern.Servant.Trouble (Interrupted (..), problemErrorFor)

-- * Answers

-- | An answer to this method with this status: values one by one.
data Each (pace :: Pace) (method :: StdMethod) (status :: Nat) (a :: Type)

-- | When values are sent.
data Pace
  = -- | Many together: they are there.
    Gathered
  | -- | Each at once, for as long as the client listens: they come to be. See
    -- 'Tern.Http.respondLive'.
    Live

-- | Values one by one, for GET.
type GetEach = Each 'Gathered 'GET 200

-- | Values one by one, for POST.
type PostEach = Each 'Gathered 'POST 200

-- | Values as they come to be, for GET.
type GetLive = Each 'Live 'GET 200

-- | A pace of a type.
class KnownPace (pace :: Pace) where
  pace :: Pace

instance KnownPace 'Gathered where
  pace = Gathered

instance KnownPace 'Live where
  pace = Live

instance
  ( KnownPace
      pace,
    Wire a,
    ReflectMethod method,
    KnownNat status,
    HasContextEntry context Settings
  ) =>
  HasServer (Each pace method status a) context
  where
  type ServerT (Each pace method status a) m = m (SourceIO a)
  hoistServerWithContext _ _ natural = natural
  route _ context action = leafRouter $ \env request reply ->
    let chosen = choose (typePreference (accepted request)) (toList those)
        checked =
          action
            `addMethodCheck` methodCheck method request
            `addAcceptCheck` maybe (delayedFail (refusal request)) (const (pure ())) chosen
     in runAction
          checked
          env
          request
          reply
          ( Route
              . answer (codingFor request) (fromMaybe (NonEmpty.head those) chosen)
          )
    where
      settings = getContextEntry context
      method = reflectMethod (Proxy @method)
      those = settingsSeries settings >>= seriesOffers
      refusal request =
        problemErrorFor
          settings
          request
          ( ofRefusal
              (NoTypeAcceptable (toList (offerType <$> those)))
          )
      answer coding (Offer kind named _) source =
        responseStream
          (statusFromNat (Proxy @status))
          (varied (coded coding [(hContentType, renderMediaType named)]))
          (sent (series kind) coding source)
      codingFor request = case pace @pace of
        Gathered ->
          either (const Nothing) (fmap codingKind . fst) $
            encodingFor (codingNames (settingsCodings settings)) (requestHeaders request)
        Live -> Nothing
      sent kind coding source = case pace @pace of
        Gathered -> gathered coding (\put -> seriesPut kind smallChunk put (`eachOf` source))
        Live -> live (\put -> liveTo kind (settingsSilence settings) put (`eachOf` source))

-- | Put out the elements of a source. Its own complaint is thrown.
eachOf :: (a -> IO ()) -> SourceIO a -> IO ()
eachOf put = foreach (throwIO . userError) put

instance
  (RunStreamingClient m, Wire a, ReflectMethod method, KnownNat status) =>
  HasClient m (Each pace method status a)
  where
  type Client m (Each pace method status a) = m (SourceIO a)
  clientWithRoute _ _ request =
    withStreamingRequest
      request
        { requestAccept =
            ranges (acceptSeries cheapestSeries),
          requestMethod = reflectMethod (Proxy @method)
        }
      $ \response ->
        case answeredEach
          defaultLimits
          (responseStatusCode response)
          ( toList
              (responseHeaders response)
          ) of
          Left why -> throwIO . why =<< collected (responseBody response)
          Right found -> pure (overChunks (responseBody response) found)
    where
      collected source = do
        chunks <- newIORef []
        foreach fail (\chunk -> modifyIORef' chunks (chunk :)) source
        B.concat . reverse <$> readIORef chunks
  hoistClientMonad _ _ f = f

-- | The elements that a source of chunks has by these steps.
overChunks :: SourceIO ByteString -> Steps a -> SourceIO a
overChunks chunks found = mapStepT (go found) chunks
  where
    go steps input = case steps of
      Element a later -> Yield a (go later input)
      Spoilt wrong -> Effect (throwIO (Malformed wrong))
      Done -> Stop
      Hungry feed -> case input of
        Yield chunk rest
          | B.null chunk -> go steps rest
          | otherwise -> go (feed chunk) rest
        Stop -> go (feed B.empty) Stop
        Error why -> Error why
        Skip rest -> Skip (go steps rest)
        Effect more -> Effect (go steps <$> more)

-- * Requests

-- | A request whose content is values one by one.
data BodyEach (a :: Type)

instance
  (Wire a, HasServer api context, HasContextEntry context Settings) =>
  HasServer (BodyEach a :> api) context
  where
  type ServerT (BodyEach a :> api) m = SourceIO a -> ServerT api m
  hoistServerWithContext _ context natural server =
    hoistServerWithContext (Proxy @api) context natural . server
  route _ context server = route (Proxy @api) context (addBodyCheck server recognised opened)
    where
      settings = getContextEntry context
      limits = settingsSequenceLimits settings
      kinds = concatMap seriesRanges (settingsSeries settings)
      recognised =
        withRequest $
          \request -> case recognise kinds every (requestHeaders (wholeRequest request)) of
            Left refusal ->
              let refused = problemErrorFor settings request (ofRefusal refusal)
               in delayedFail
                    refused
                      { errHeaders =
                          errHeaders refused
                            <> filter (`notElem` errHeaders refused) (refusalHeaders [] refusal)
                      }
            Right found -> pure found
      opened found = withRequest $ \request -> do
        source <-
          liftIO
            ( contentSource
                limits
                (map codingKind (contentCodings found))
                (wholeRequest request)
            )
        pure
          ( fromStepT
              ( drawn
                  source
                  ( seriesRead
                      (series (contentFormat found))
                      (contentLimits limits)
                  )
              )
          )
      every = codingNames [minBound ..]

-- | The elements of a source by these steps.
drawn :: Source -> Steps a -> StepT IO a
drawn source = \case
  Element a later -> Yield a (drawn source later)
  Hungry feed -> Effect (drawn source . feed <$> source)
  Spoilt wrong -> Effect (throwIO (Interrupted wrong))
  Done -> Stop

-- | A request as it came, whatever a middleware has done to its content.
wholeRequest :: Request -> Request
wholeRequest request = fromMaybe request (Vault.lookup asItCame (vault request))

instance (Wire a, HasClient m api) => HasClient m (BodyEach a :> api) where
  type Client m (BodyEach a :> api) = SourceIO a -> Client m api
  clientWithRoute monad _ request source =
    clientWithRoute
      monad
      (Proxy @api)
      ( setRequestBody
          (RequestBodySource written)
          (media (NonEmpty.head (seriesTypes kind)))
          request
      )
    where
      -- Each service of the same API reads it, whatever the version of its type.
      kind = series MessagePackValues
      written =
        SourceT $ \use ->
          withPulled (\put -> seriesPut kind largeChunk put (`eachOf` source)) (use . fromChunks)
      fromChunks chunks =
        Effect
          ( ( \chunk ->
                if B.null chunk
                  then Stop
                  else Yield (BL.fromStrict chunk) (fromChunks chunks)
            )
              <$> chunks
          )
  hoistClientMonad monad _ f client = hoistClientMonad monad (Proxy @api) f . client
