{-# LANGUAGE OverloadedStrings #-}

-- | One request and its answer, in whatever formats the two sides agree on.
--
-- The idea: 'exchange' negotiates before the handler runs and answers by itself what
-- cannot be handled; the handler then has an 'Exchange', from which 'receive' takes a
-- value and to which 'respond' gives one, and knows no format. Sequences go by
-- 'receiveEach' and 'respondEach', element by element, and by 'respondLive' while they
-- come to be.
--
-- What is acceptable before the handler runs is acceptable for some kind of answer. Which
-- kind it is the handler decides. Where that one is not acceptable a @GET@ is refused
-- after all; what may have changed something is answered with what the service likes
-- best, as RFC 9110, section 12.1, allows: the change is told in any case.
--
-- Start at 'exchange'.
module Tern.Http.Exchange
  ( -- * Exchanges
    Exchange (..),
    exchange,

    -- * Requests
    receive,
    receiveEach,

    -- * Answers
    respond,
    respondEach,
    respondLive,
    respondEmpty,
    refuse,
    respondProblem,
    problemContent,

    -- * Conditions
    guarded,
    guardedBy,
    tagsOf,
  )
where

import Control.Monad (void)
import Data.ByteString.Lazy qualified as BL
import Data.List.NonEmpty (NonEmpty, toList)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Network.HTTP.Types
import Network.Wai
  ( Application,
    Request (..),
    Response,
    ResponseReceived,
    StreamingBody,
    responseLBS,
    responseStream,
  )
import Tern (Wire)
import Tern.Http.Coding (Coding, codingNames)
import Tern.Http.Content (ContentLimits (..), contentSource, faultsOf, wholeOf)
import Tern.Http.Format
  ( Entry (..),
    Format,
    entry,
    formatOffers,
    formatRanges,
    offersOf,
    sameSchema,
  )
import Tern.Http.Live (liveTo)
import Tern.Http.Problem (Problem, ofError, ofFault, ofRefusal, problem)
import Tern.Http.Representation
  ( Manner (..),
    coded,
    onlyReads,
    represent,
    tagOf,
    unlessUnwanted,
    unmet,
    written,
  )
import Tern.Http.Sending (gathered, live)
import Tern.Http.Series
  ( Series,
    SeriesEntry (..),
    foldSteps,
    series,
    seriesOffers,
    seriesRanges,
    smallChunk,
  )
import Tern.Http.Settings (Settings (..))
import Tern.Http.Trouble (accepted, problemContent, respondProblem, respondProblemTo)
import Tern.Negotiate
  ( Content (..),
    Current (..),
    Decision (..),
    Offer (..),
    Outcome (..),
    Plan (..),
    Receive (..),
    Refusal (..),
    Service (..),
    Tag,
    choose,
    codingKind,
    negotiateWith,
    optionsHeaders,
    outcome,
    receiving,
    refusalHeaders,
    renderMediaType,
    requestConditions,
    typePreference,
    varied,
  )

-- * Exchanges

-- | A request that can be answered.
data Exchange = Exchange
  { exchangeRequest :: !Request,
    exchangeSettings :: !Settings,
    -- | The methods of the resource.
    exchangeMethods :: ![Method],
    exchangePlan :: !(Plan () Coding)
  }

-- | An application that negotiates, for a resource with these methods. Requests that
-- cannot be handled, and @OPTIONS@, are answered without the handler.
exchange ::
  Settings ->
  [Method] ->
  (Exchange -> (Response -> IO ResponseReceived) -> IO ResponseReceived) ->
  Application
exchange
  settings
  known
  handler
  request
  send = case negotiateWith accept service (requestMethod request) (requestHeaders request) of
    Proceed plan ->
      handler
        Exchange
          { exchangeRequest =
              request,
            exchangeSettings = settings,
            exchangeMethods = known,
            exchangePlan = plan
          }
        send
    Describe -> send (responseLBS noContent204 (optionsHeaders service) BL.empty)
    Refuse refusal ->
      send
        ( respondProblemTo
            accept
            settings
            request
            (refusalHeaders known refusal)
            (ofRefusal refusal)
        )
    where
      accept = accepted request
      service =
        Service
          { methods = known,
            offers =
              (void <$> (settingsFormats settings >>= formatOffers))
                <> (void <$> (settingsSeries settings >>= seriesOffers)),
            codings = codingNames (settingsCodings settings),
            receives =
              [Receive range () | Receive range _ <- valueRanges settings]
                <> [Receive range () | Receive range _ <- sequenceRanges settings],
            decodings = codingNames [minBound ..]
          }

valueRanges :: Settings -> [Receive Format]
valueRanges = concatMap formatRanges . settingsFormats

sequenceRanges :: Settings -> [Receive Series]
sequenceRanges = concatMap seriesRanges . settingsSeries

-- * Requests

-- | The value that is the request's content, or what is wrong with it, which 'refuse'
-- answers with.
--
-- No more is read than the limits allow, before and after decompression.
receive :: forall a. (Wire a) => Exchange -> IO (Either Problem a)
receive x = case contentOf x (valueRanges settings) of
  Left wrong -> pure (Left wrong)
  Right (Content format media undone)
    | Left schema <- sameSchema @a format media ->
        pure
          ( Left
              ( problem
                  unsupportedMediaType415
                  ( T.concat
                      [ "the content was written by another schema; this one is read: ",
                        T.decodeUtf8Lenient schema
                      ]
                  )
              )
          )
    | otherwise -> do
        content <-
          faultsOf (wholeOf =<< contentSource limits (map codingKind undone) (exchangeRequest x))
        pure $ case content of
          Left fault -> Left (ofFault fault)
          Right bytes ->
            either
              (Left . ofError (entryExplain (entry format)) bytes)
              Right
              ( entryDecode
                  (entry format)
                  (contentLimits limits)
                  bytes
              )
  where
    settings = exchangeSettings x
    limits = settingsLimits settings

-- | Fold over the values that are the request's content, in constant memory, until it
-- ends; or what is wrong with it or with one of them.
receiveEach :: (Wire a) => Exchange -> (s -> a -> IO s) -> s -> IO (Either Problem s)
receiveEach x f start = case contentOf x (sequenceRanges settings) of
  Left wrong -> pure (Left wrong)
  Right (Content kind _ undone) -> do
    result <-
      faultsOf
        ( contentSource limits (map codingKind undone) (exchangeRequest x) >>= \source ->
            foldSteps f start source (seriesRead (series kind) (contentLimits limits))
        )
    pure $ case result of
      Left fault -> Left (ofFault fault)
      Right (_, Just wrong) -> Left wrong
      Right (end, Nothing) -> Right end
  where
    settings = exchangeSettings x
    limits = settingsSequenceLimits settings

-- | What the request's content is, among what can be read here.
contentOf :: Exchange -> [Receive format] -> Either Problem (Content format Coding)
contentOf x ranges = case planContent (exchangePlan x) of
  Nothing -> Left (problem badRequest400 "the request has no content")
  Just (Content _ media undone) -> case receiving ranges media of
    Just format -> Right (Content format media undone)
    Nothing -> Left (ofRefusal (UnsupportedType (map receiveRange ranges)))

-- * Answers

-- | A value in the format that was agreed on, with its type, @Vary@ and, where it answers a
-- @GET@ or @HEAD@, its entity tag; and 304 or 412 in its stead where the request's
-- conditions say so.
--
-- What is short is made before it is sent, and so is what has an entity tag, which
-- 'settingsTags' says. Any other answer is made while it is sent, 3 KiB at a time, those
-- of the native format apart. An exception within the value is one of the server
-- before there is a head, else the answer ends, and the client sees that it is not whole.
respond :: forall a. (Wire a) => Exchange -> Status -> ResponseHeaders -> a -> Response
respond
  x@(Exchange request settings _ plan)
  status
  headers
  value = case agreed x (settingsFormats settings >>= offersOf @a) of
    Left refusal -> refuse x (ofRefusal refusal)
    Right (Offer format media _) ->
      represent
        settings
        request
        ( Manner
            (codingKind <$> planCoding plan)
            (planPlainToo plan)
            (planHeadOnly plan)
        )
        (entryName (entry format))
        status
        ((hContentType, renderMediaType media) : headers)
        (written format value)

-- | The values that an action hands on, as a sequence in the way that was agreed on,
-- compressed as it was agreed on. It is sent as the server's buffer fills, which Warp's does
-- with 16 KiB; what is shorter goes out whole.
--
-- Where the client goes away, sending throws and so ends the action: what it holds it
-- should hold by 'Control.Exception.bracket'. An exception of its own ends the answer;
-- the client then sees that it is not whole. For @HEAD@ the action is not run.
respondEach ::
  (Wire a) => Exchange -> Status -> ResponseHeaders -> ((a -> IO ()) -> IO ()) -> Response
respondEach x status headers act =
  sequenced coding x status headers $ \kind ->
    gathered coding (\consume -> seriesPut kind smallChunk consume act)
  where
    coding = codingKind <$> planCoding (exchangePlan x)

-- | The same for values that come to be while the client listens: each is sent when it is
-- handed on, and so none is compressed. Where nothing was sent for 'settingsSilence' a sign of
-- life is, so that the connection lasts and a client that went away is noticed; in a format that
-- has no such sign the answer ends, and the client asks again.
respondLive ::
  (Wire a) => Exchange -> Status -> ResponseHeaders -> ((a -> IO ()) -> IO ()) -> Response
respondLive x status headers act
  | not (planPlainToo (exchangePlan x)),
    onlyReads (exchangeRequest x) =
      refuse x (ofRefusal (NoCodingAcceptable ["identity"]))
  | otherwise =
      sequenced Nothing x status headers $ \kind ->
        live (\consume -> liveTo kind (settingsSilence (exchangeSettings x)) consume act)

sequenced ::
  Maybe Coding ->
  Exchange ->
  Status ->
  ResponseHeaders ->
  (SeriesEntry -> StreamingBody) ->
  Response
sequenced coding x@(Exchange request settings _ plan) status headers content =
  case agreed x (settingsSeries settings >>= seriesOffers) of
    Left refusal -> refuse x (ofRefusal refusal)
    Right (Offer kind media _) ->
      unlessUnwanted settings request status headers $
        if planHeadOnly plan
          then responseLBS status (described media) BL.empty
          else responseStream status (described media) (content (series kind))
  where
    described media = varied (coded coding ((hContentType, renderMediaType media) : headers))

-- | The offer to answer with. Where none is acceptable a request that only reads is
-- refused, and another is answered with what the service likes best.
agreed :: Exchange -> NonEmpty (Offer format) -> Either Refusal (Offer format)
agreed
  (Exchange request _ _ plan)
  those = case choose (typePreference (planAccept plan)) (toList those) of
    Just one -> Right one
    Nothing
      | onlyReads request -> Left (NoTypeAcceptable (map offerType (toList those)))
      | otherwise -> Right (NonEmpty.head those)

-- | An answer without content.
respondEmpty :: Status -> ResponseHeaders -> Response
respondEmpty status headers = responseLBS status (varied headers) BL.empty

-- | A problem, as 'respondProblem'.
refuse :: Exchange -> Problem -> Response
refuse x =
  respondProblemTo (planAccept (exchangePlan x)) (exchangeSettings x) (exchangeRequest x) []

-- * Conditions

-- | Whether a request that would change a resource may do so, by its conditions and what
-- the resource is now, if it is there; or the answer that it may not.
guarded :: (Wire a) => Exchange -> Maybe a -> Either Response ()
guarded x = guardedBy x . fmap (\value -> Current (tagsOf x value) Nothing)

-- | The same, for a resource whose date is known as well, or whose tags are its own.
guardedBy :: Exchange -> Maybe Current -> Either Response ()
guardedBy (Exchange request settings _ _) current =
  case outcome False (requestConditions (requestHeaders request)) current of
    Perform -> Right ()
    NotModified -> refused
    PreconditionFailed -> refused
  where
    refused = Left (unmet settings request [])

-- | The entity tags of a value: of its representation in each format and coding. They are
-- made as they are asked for.
tagsOf :: (Wire a) => Exchange -> a -> [Tag]
tagsOf (Exchange _ settings _ _) value =
  [ tagOf (entryName (entry format)) coding bytes
    | format <- toList (settingsFormats settings),
      let bytes = entryChunks (entry format) value,
      coding <- Nothing : map Just (settingsCodings settings)
  ]
