{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}

-- | One request and its answer, in whatever formats the two sides agree on.
--
-- The idea: 'exchange' negotiates before the handler runs and answers by itself what
-- cannot be handled; the handler then has an 'Exchange', from which 'receive' takes a
-- value and to which 'respond' gives one, and knows no format.
--
-- Start at 'exchange'.
module Tern.Http.Exchange
  ( -- * Settings
    Settings (..),
    defaultSettings,

    -- * Exchanges
    Exchange (..),
    exchange,
    receive,
    respond,
    respondEmpty,
    respondProblem,

    -- * Conditions
    guarded,
    tagsOf,
  )
where

import Control.Applicative ((<|>))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.List.NonEmpty (NonEmpty (..))
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (fromMaybe)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Network.HTTP.Types
import Network.HTTP.Types.Header (hETag)
import Network.Wai
import Tern (Wire)
import Tern.Http.Coding
import Tern.Http.Content
import Tern.Http.Digest
import Tern.Http.Format
import Tern.Http.Problem
import Tern.Negotiate hiding (Coding)

-- * Settings

-- | How a service exchanges values.
data Settings = Settings
  { -- | The formats that it speaks, the one it likes best first.
    settingsFormats :: !(NonEmpty Format),
    -- | How it compresses answers, the coding it likes best first.
    settingsCodings :: ![Coding],
    -- | Answers of fewer bytes are not compressed, where the client lets the choice.
    settingsCompressFrom :: !Int,
    -- | What requests' content may cost.
    settingsLimits :: !ContentLimits,
    -- | Whether answers to @GET@ and @HEAD@ have an entity tag.
    settingsTags :: !Bool
  }

-- | Every format, every coding from 1,024 bytes on, 'defaultContentLimits', and tags.
defaultSettings :: Settings
defaultSettings =
  Settings
    { settingsFormats = minBound :| drop 1 [minBound ..],
      settingsCodings = [minBound ..],
      settingsCompressFrom = 1024,
      settingsLimits = defaultContentLimits,
      settingsTags = True
    }

-- * Exchanges

-- | A request that can be answered.
data Exchange = Exchange
  { exchangeRequest :: !Request,
    exchangeSettings :: !Settings,
    exchangePlan :: !(Plan Format Coding)
  }

-- | An application that negotiates, for a resource with these methods. Requests that
-- cannot be handled, and @OPTIONS@, are answered without the handler.
exchange :: Settings -> [Method] -> (Exchange -> (Response -> IO ResponseReceived) -> IO ResponseReceived) -> Application
exchange settings known handler request send = case negotiate service (requestMethod request) (requestHeaders request) of
  Proceed plan -> handler Exchange {exchangeRequest = request, exchangeSettings = settings, exchangePlan = plan} send
  Describe -> send (responseLBS noContent204 (optionsHeaders service) BL.empty)
  Refuse refusal -> send (respondProblem settings request (refusalHeaders service refusal) (ofRefusal refusal))
  where
    formats = NonEmpty.toList (settingsFormats settings)
    service =
      Service
        { methods = known,
          offers = fromMaybe (pure (offer Json (NonEmpty.head (entryTypes (entry Json))))) (NonEmpty.nonEmpty (formatOffers formats)),
          codings = codingNames (settingsCodings settings),
          receives = formatRanges formats,
          decodings = codingNames [minBound ..]
        }

-- | The value that is the request's content, or what is wrong with it.
--
-- No more is read than the limits allow, before and after decompression.
receive :: forall a. (Wire a) => Exchange -> IO (Either Problem a)
receive (Exchange request settings plan) = case planContent plan of
  Nothing -> pure (Left (problem badRequest400 "the request has no content"))
  Just (Content format media codings')
    | Left schema <- sameSchema @a format media ->
        pure (Left (problem unsupportedMediaType415 (T.concat ["the content was written by another schema; this one is read: ", T.decodeUtf8Lenient schema])))
    | otherwise -> do
        content <- faultsOf (wholeOf =<< contentSource limits (map codingKind codings') request)
        pure $ case content of
          Left fault -> Left (ofFault fault)
          Right bytes -> either (Left . ofError (entryExplain (entry format)) bytes) Right (entryDecode (entry format) (contentLimits limits) bytes)
  where
    limits = settingsLimits settings

-- | A value in the format that was agreed on, with its length, its type, @Vary@ and,
-- where it answers a @GET@ or @HEAD@, its entity tag; and 304 or 412 in its stead where
-- the request's conditions say so.
respond :: forall a. (Wire a) => Exchange -> Status -> ResponseHeaders -> a -> Response
respond x@(Exchange request settings plan) status headers value
  | tagged, Just answer <- conditional request headers tag = answer
  | otherwise = responseLBS status (varyHeader : described <> headers) (if planHeadOnly plan then BL.empty else BL.fromStrict sent)
  where
    chosen = agreed @a x
    bytes = entryEncode (entry (offerFormat chosen)) value
    coding = compressing settings plan bytes
    sent = maybe bytes (`encoding` bytes) coding
    tag = tagOf (offerFormat chosen) coding bytes
    -- RFC 9110, section 13.2.1: conditions count where the answer would be a success.
    tagged = settingsTags settings && requestMethod request `elem` [methodGet, methodHead] && statusCode status == 200
    described =
      [(hContentType, renderMediaType (offerType chosen)), (hContentLength, BC.pack (show (B.length sent)))]
        <> [(hContentEncoding, codingText name) | Just kind <- [coding], name <- codingNames [kind]]
        <> [(hETag, renderTag tag) | tagged]

-- | The offer to answer with values of a type. Only a schema that the client does not
-- have can have made another choice necessary than was planned; where nothing else was
-- acceptable it is answered with what the service likes best (RFC 9110, section 12.1).
agreed :: forall a. (Wire a) => Exchange -> Offer Format
agreed (Exchange request settings plan) =
  fromMaybe (planOffer plan) (choose (typePreference (parseAccept (fieldValue hAccept (requestHeaders request)))) those <|> firstOf those)
  where
    those = offersOf @a (NonEmpty.toList (settingsFormats settings))
    firstOf = \case
      one : _ -> Just one
      [] -> Nothing

-- | How an answer is compressed.
compressing :: Settings -> Plan Format Coding -> ByteString -> Maybe Coding
compressing settings plan bytes
  | B.length bytes < settingsCompressFrom settings, planPlainToo plan = Nothing
  | otherwise = codingKind <$> planCoding plan

-- | 304 or 412, where the request's conditions say so of a resource with this tag.
conditional :: Request -> ResponseHeaders -> Tag -> Maybe Response
conditional request headers tag = case outcome True (requestConditions (requestHeaders request)) (Just [tag]) of
  Perform -> Nothing
  NotModified -> Just (responseLBS notModified304 (varyHeader : (hETag, renderTag tag) : headers) BL.empty)
  PreconditionFailed -> Just (responseLBS preconditionFailed412 [varyHeader, (hETag, renderTag tag)] BL.empty)

-- | An answer without content.
respondEmpty :: Status -> ResponseHeaders -> Response
respondEmpty status headers = responseLBS status (varyHeader : headers) BL.empty

-- | A problem, in the format that the request accepts, or else in the one that the
-- service likes best.
respondProblem :: Settings -> Request -> ResponseHeaders -> Problem -> Response
respondProblem settings request headers what =
  responseLBS
    (problemStatus what)
    ((hContentType, renderMediaType (entryProblem spoken)) : (hContentLength, BC.pack (show (B.length bytes))) : [varyHeader | lookup "Vary" headers /= Just (snd varyHeader)] <> headers)
    (if requestMethod request == methodHead then BL.empty else BL.fromStrict bytes)
  where
    formats = settingsFormats settings
    those = concat [offer format (entryProblem (entry format)) : formatOffers [format] | format <- NonEmpty.toList formats]
    spoken = entry (maybe (NonEmpty.head formats) offerFormat (choose (typePreference (parseAccept (fieldValue hAccept (requestHeaders request)))) those))
    bytes = entryEncode spoken what

-- * Conditions

-- | Whether a request that would change a resource may do so, by its conditions and what
-- the resource is now, if it is there; or the answer that it may not.
guarded :: (Wire a) => Exchange -> Maybe a -> Either Response ()
guarded x@(Exchange request settings _) current =
  case outcome False (requestConditions (requestHeaders request)) (tagsOf x <$> current) of
    Perform -> Right ()
    NotModified -> refused
    PreconditionFailed -> refused
  where
    refused = Left (respondProblem settings request [] (problem preconditionFailed412 "the resource is not as the request wants it to be"))

-- | The entity tags of a value: of its representation in each format and coding. They are
-- made as they are asked for.
tagsOf :: (Wire a) => Exchange -> a -> [Tag]
tagsOf (Exchange _ settings _) value =
  [ tagOf format coding bytes
    | format <- NonEmpty.toList (settingsFormats settings),
      let bytes = entryEncode (entry format) value,
      coding <- Nothing : map Just (settingsCodings settings)
  ]

-- | A strong tag: by the bytes before they are compressed, by the format, and by the
-- coding, so that no two representations have the same.
tagOf :: Format -> Maybe Coding -> ByteString -> Tag
tagOf format coding bytes = strong (B.intercalate "." (digest bytes : entryName (entry format) : [codingText name | Just kind <- [coding], name <- codingNames [kind]]))
