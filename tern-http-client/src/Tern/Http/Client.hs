{-# LANGUAGE OverloadedStrings #-}

-- | Values over http-client, in the cheapest format that a service has.
--
-- > client <- newClient defaultClientSettings =<< newManager defaultManagerSettings
-- > found <- fetch client "http://127.0.0.1:8080/birds/1" :: IO (Either Failure Bird)
-- > told <- send client "POST http://127.0.0.1:8080/birds" (Bird "skua" 1)
-- >   :: IO (Either Failure Bird)
--
-- The idea: one request says which formats are read, the cheapest first, and the answer
-- is read by what it says that it is. Content is sent in the cheapest format too; a
-- service that refuses its type with 415 has not looked at it, and is sent the next
-- format, and no more of the first.
--
-- What the network does wrong is thrown, as http-client does; retries are the user's.
-- What a service says is a 'Failure'. Start at 'fetch' and 'send'.
module Tern.Http.Client
  ( -- * Clients
    Client,
    newClient,
    ClientSettings (..),
    defaultClientSettings,

    -- * Values
    fetch,
    send,
    perform,

    -- * Sequences
    fetchEach,
    sendEach,

    -- * What goes wrong
    Failure (..),
    renderFailure,

    -- * Other clients
    bounding,
  )
where

import Control.Exception (throwIO, toException)
import Control.Monad ((>=>))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef)
import Data.List.NonEmpty (NonEmpty (..))
import Data.List.NonEmpty qualified as NonEmpty
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Set (Set)
import Data.Set qualified as Set
import Network.HTTP.Client
  ( BodyReader,
    HttpException (..),
    HttpExceptionContent (..),
    Manager,
    ManagerSettings (..),
    Request (..),
    RequestBody (..),
    Response (..),
    brRead,
    getOriginalRequest,
    withResponse,
  )
import Network.HTTP.Types
import Network.HTTP.Types.Header (hAcceptEncoding)
import Tern (Wire)
import Tern.Http.Answer
  ( Failure (..),
    Named (..),
    Weighted,
    acceptSeries,
    acceptValue,
    answered,
    answeredEach,
    cheapest,
    cheapestSeries,
    contentOf,
    renderAccept,
    renderFailure,
  )
import Tern.Http.Coding (Source, codingNames)
import Tern.Http.Content
  ( ContentLimits (..),
    boundedSource,
    defaultContentLimits,
    faultsOf,
    wholeOf,
  )
import Tern.Http.Format (Format)
import Tern.Http.Pulled (withPulled)
import Tern.Http.Series
  ( Series (MessagePackValues),
    SeriesEntry (..),
    foldSteps,
    largeChunk,
    series,
  )
import Tern.Http.Settings (Settings (..), defaultSettings)
import Tern.Negotiate (MediaType, codingKind, codingText, codingsOf, renderMediaType)

-- * Clients

-- | What values are exchanged by, and what is known of services.
data Client = Client
  { clientSettings :: !ClientSettings,
    clientManager :: !Manager,
    -- | The types of content that a host has refused to read.
    clientRefused :: !(IORef (Map Host (Set MediaType)))
  }

type Host = (Bool, ByteString, Int)

-- | A client with this manager.
newClient :: ClientSettings -> Manager -> IO Client
newClient settings manager = Client settings manager <$> newIORef Map.empty

-- | How a client exchanges values.
data ClientSettings = ClientSettings
  { -- | The formats that it asks for and sends, the one it likes best first.
    clientFormats :: !(NonEmpty Format),
    -- | The ways to write sequences that it asks for, likewise.
    clientSeries :: !(NonEmpty Series),
    -- | How it sends sequences, of which there is one try.
    clientSends :: !Series,
    -- | What the content of an answer may cost.
    clientLimits :: !ContentLimits,
    -- | What it may cost if it is a sequence, which is not kept.
    clientSequenceLimits :: !ContentLimits
  }

-- | The cheapest formats first; sequences are sent as MessagePack values, for every
-- service of Tern's reads them, whatever the version of its type. The limits are those of
-- services.
defaultClientSettings :: ClientSettings
defaultClientSettings =
  ClientSettings
    { clientFormats = cheapest,
      clientSeries = cheapestSeries,
      clientSends = MessagePackValues,
      clientLimits = defaultContentLimits,
      clientSequenceLimits = settingsSequenceLimits defaultSettings
    }

-- * Values

-- | The value that a request is answered with.
fetch :: forall a. (Wire a) => Client -> Request -> IO (Either Failure a)
fetch client request =
  exchanged client (acceptValue @a (clientFormats (clientSettings client))) request (valueOf client)

-- | The value that a request with this content is answered with.
send ::
  forall content a. (Wire content, Wire a) => Client -> Request -> content -> IO (Either Failure a)
send client request content =
  offered
    client
    (acceptValue @a (clientFormats (clientSettings client)))
    request
    content
    (valueOf client)

-- | The same for a request whose answer has no content, or none that matters.
perform :: (Wire content) => Client -> Request -> content -> IO (Either Failure ())
perform client request content =
  offered
    client
    ( acceptValue
        @()
        (clientFormats (clientSettings client))
    )
    request
    content
    $ \response source ->
      if statusIsSuccessful (responseStatus response)
        then pure (Right ())
        else valueOf client response source

valueOf :: (Wire a) => Client -> Response BodyReader -> Source -> IO (Either Failure a)
valueOf client response source =
  answered
    (contentLimits (clientLimits (clientSettings client)))
    (responseStatus response)
    (responseHeaders response)
    <$> wholeOf source

-- | Send content in the first format that the host does not refuse.
offered ::
  (Wire content) =>
  Client ->
  [Weighted] ->
  Request ->
  content ->
  (Response BodyReader -> Source -> IO (Either Failure a)) ->
  IO (Either Failure a)
offered client accept request content use = do
  refused <- Map.findWithDefault Set.empty place <$> readIORef (clientRefused client)
  let those = (`contentOf` content) <$> clientFormats (clientSettings client)
  go
    ( fromMaybe
        (NonEmpty.last those :| [])
        ( NonEmpty.nonEmpty
            ( NonEmpty.filter
                ((`Set.notMember` refused) . namedType)
                those
            )
        )
    )
  where
    place = (secure request, host request, port request)
    go (Named kind bytes :| others) = do
      outcome <- exchanged client accept (with kind bytes) $ \response source ->
        if responseStatus response == unsupportedMediaType415 && not (null others)
          then pure (Right Nothing)
          else fmap Just <$> use response source
      case (outcome, others) of
        (Left why, _) -> pure (Left why)
        (Right (Just a), _) -> pure (Right a)
        (Right Nothing, next : rest) -> do
          atomicModifyIORef'
            (clientRefused client)
            ( \known ->
                (Map.insertWith Set.union place (Set.singleton kind) known, ())
            )
          go (next :| rest)
        -- Where there is no other the answer was used.
        (Right Nothing, []) -> pure (Left (Unsuccessful unsupportedMediaType415 B.empty))
    with kind bytes =
      request
        { requestBody =
            RequestBodyBS bytes,
          requestHeaders =
            (hContentType, renderMediaType kind) : without [hContentType] (requestHeaders request)
        }

-- * Sequences

-- | Fold over the values that a request is answered with, in constant memory.
fetchEach :: (Wire a) => Client -> Request -> (s -> a -> IO s) -> s -> IO (Either Failure s)
fetchEach client request f start =
  exchangedWithin
    (clientSequenceLimits settings)
    client
    (acceptSeries (clientSeries settings))
    request
    $ \response source ->
      case answeredEach
        ( contentLimits
            (clientSequenceLimits settings)
        )
        (responseStatus response)
        (responseHeaders response) of
        Left why -> Left . why <$> wholeOf source
        Right found ->
          (\(end, wrong) -> maybe (Right end) (Left . Malformed) wrong)
            <$> foldSteps f start source found
  where
    settings = clientSettings client

-- | The value that a request is answered with whose content is the values that an action
-- hands on. They are sent as they are handed on, in constant memory.
sendEach ::
  forall content a.
  (Wire content, Wire a) =>
  Client ->
  Request ->
  ((content -> IO ()) -> IO ()) ->
  IO (Either Failure a)
sendEach client request act =
  exchanged client (acceptValue @a (clientFormats settings)) with (valueOf client)
  where
    settings = clientSettings client
    kind = series (clientSends settings)
    with =
      request
        { requestBody =
            RequestBodyStreamChunked (withPulled (\put -> seriesPut kind largeChunk put act)),
          requestHeaders =
            (hContentType, renderMediaType (NonEmpty.head (seriesTypes kind)))
              : without [hContentType] (requestHeaders request)
        }

-- * Answers

exchanged ::
  Client ->
  [Weighted] ->
  Request ->
  (Response BodyReader -> Source -> IO (Either Failure a)) ->
  IO (Either Failure a)
exchanged client = exchangedWithin (clientLimits (clientSettings client)) client

-- | Ask, and use the answer's content while it comes, decompressed and within limits.
exchangedWithin ::
  ContentLimits ->
  Client ->
  [Weighted] ->
  Request ->
  (Response BodyReader -> Source -> IO (Either Failure a)) ->
  IO (Either Failure a)
exchangedWithin limits client accept request use =
  withResponse
    ( compressible
        request
          { requestHeaders =
              (hAccept, renderAccept accept) : without [hAccept] (requestHeaders request),
            checkResponse = \_ _ -> pure ()
          }
    )
    (clientManager client)
    $ \response ->
      case decompressed limits response of
        Nothing -> pure (Left (NotRead (lookup hContentEncoding (responseHeaders response))))
        Just opened -> either (Left . NotTaken) id <$> faultsOf (opened >>= use response)

-- | A request for an answer that is compressed as this module, and not http-client, undoes
-- it.
compressible :: Request -> Request
compressible request =
  request
    { decompress =
        const False,
      requestHeaders =
        (hAcceptEncoding, codings) : without [hAcceptEncoding] (requestHeaders request)
    }
  where
    codings = B.intercalate ", " (map codingText (codingNames [minBound ..]))

-- | An answer's content, decompressed and within limits, if its codings are known.
decompressed :: ContentLimits -> Response BodyReader -> Maybe (IO Source)
decompressed
  limits
  response = case codingsOf (codingNames [minBound ..]) (responseHeaders response) of
    Left _ -> Nothing
    Right undone ->
      Just (boundedSource limits (map codingKind undone) (brRead (responseBody response)))

without :: [HeaderName] -> [Header] -> [Header]
without names = filter ((`notElem` names) . fst)

-- * Other clients

-- | The same limits, and the same codings, for all that a manager is used for: give it to
-- servant-client. What goes over a limit is thrown as 'InternalException' of a
-- 'Tern.Http.Content.ContentFault'.
bounding :: ContentLimits -> ManagerSettings -> ManagerSettings
bounding limits settings =
  settings
    { managerModifyRequest = fmap compressible . managerModifyRequest settings,
      managerModifyResponse = managerModifyResponse settings >=> bounded
    }
  where
    bounded response = case decompressed limits response of
      Nothing ->
        thrown response (toException (NotRead (lookup hContentEncoding (responseHeaders response))))
      Just opened -> do
        source <- opened
        pure
          response
            { responseBody =
                faultsOf source >>= either (thrown response . toException) pure,
              responseHeaders =
                without [hContentEncoding, hContentLength] (responseHeaders response)
            }
    thrown response =
      throwIO . HttpExceptionRequest (getOriginalRequest response) . InternalException
