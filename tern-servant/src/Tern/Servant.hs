{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Every format for Servant's APIs.
--
-- > type Birds = "birds" :> Get (AllFormats [Bird]) [Bird]
-- >         :<|> "birds" :> ReqBody (AllFormats Bird) Bird :> PostCreated (AllFormats Bird) Bird
-- >
-- > birds :: Application
-- > birds = plainAccept (serveWithContext (Proxy @Birds) (problemFormatters :. EmptyContext) server)
--
-- The idea: a content type is a format's name, with the codec that the type has for it;
-- servers and clients of the same API agree by it. The native format's content type has
-- the type of the values in it, since its media type says their schema.
--
-- Start at 'AllFormats'.
module Tern.Servant
  ( -- * Content types
    AllFormats,
    AsJson,
    AsMessagePack,
    AsCbor,
    AsNative,

    -- * Errors
    problemFormatters,

    -- * Accept
    plainAccept,
  )
where

import Data.Bifunctor (first)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.List.NonEmpty (NonEmpty)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Network.HTTP.Media qualified as Media
import Network.HTTP.Types (Status, badRequest400, hAccept, notFound404)
import Network.Wai (Middleware, Request, requestHeaders)
import Servant.API.ContentTypes
import Servant.Server
import Tern (Wire, defaultLimits)
import Tern.Http (Problem (..), defaultSettings, problem)
import Tern.Http.Exchange (problemContent)
import Tern.Http.Format
import Tern.Negotiate hiding (Accept)

-- * Content types

-- | Every format, for values of a type.
type AllFormats a = '[AsJson, AsMessagePack, AsCbor, AsNative a]

-- | JSON, by the type's codec.
data AsJson

-- | MessagePack, by the type's codec.
data AsMessagePack

-- | CBOR, by the type's codec.
data AsCbor

-- | The native format of values of a type.
data AsNative a

instance Accept AsJson where
  contentTypes _ = typesOf Json

instance Accept AsMessagePack where
  contentTypes _ = typesOf MessagePack

instance Accept AsCbor where
  contentTypes _ = typesOf Cbor

-- The schema is a part of the type: Servant hands a reader the type that it knows, not
-- the one that came, so that content of another schema, or of none that is named, must
-- not fit. An @Accept@ without a schema fits it all the same.
instance (Wire a) => Accept (AsNative a) where
  contentTypes _ = media . offerType <$> offersOf @a Native

instance (Wire a) => MimeRender AsJson a where
  mimeRender _ = rendered Json

instance (Wire a) => MimeRender AsMessagePack a where
  mimeRender _ = rendered MessagePack

instance (Wire a) => MimeRender AsCbor a where
  mimeRender _ = rendered Cbor

instance (Wire a) => MimeRender (AsNative a) a where
  mimeRender _ = rendered Native

instance (Wire a) => MimeUnrender AsJson a where
  mimeUnrenderWithType _ = unrendered Json

instance (Wire a) => MimeUnrender AsMessagePack a where
  mimeUnrenderWithType _ = unrendered MessagePack

instance (Wire a) => MimeUnrender AsCbor a where
  mimeUnrenderWithType _ = unrendered Cbor

instance (Wire a) => MimeUnrender (AsNative a) a where
  mimeUnrenderWithType _ = unrendered Native

typesOf :: Format -> NonEmpty Media.MediaType
typesOf format = media <$> entryTypes (entry format)

media :: MediaType -> Media.MediaType
media (MediaType kind subtype values) = foldl (Media./:) (kind Media.// subtype) values

rendered :: (Wire a) => Format -> a -> BL.ByteString
rendered format = BL.fromStrict . entryEncode (entry format)

unrendered :: forall a. (Wire a) => Format -> Media.MediaType -> BL.ByteString -> Either String a
unrendered format said lazy = do
  given <- maybe (Left "not a media type") Right (parseMediaType (Media.renderHeader said))
  first (\schema -> "the content was written by another schema; this one is read: " <> BC.unpack schema) (sameSchema @a format given)
  first (T.unpack . entryExplain (entry format) bytes) (entryDecode (entry format) defaultLimits bytes)
  where
    bytes = BL.toStrict lazy

-- * Errors

-- | Problem details (RFC 9457) for what Servant itself refuses, in the format that the
-- request accepts.
problemFormatters :: ErrorFormatters
problemFormatters =
  defaultErrorFormatters
    { bodyParserErrorFormatter = \_ request what -> refused badRequest400 (T.pack what) request,
      urlParseErrorFormatter = \_ request what -> refused badRequest400 (T.pack what) request,
      headerParseErrorFormatter = \_ request what -> refused badRequest400 (T.pack what) request,
      notFoundErrorFormatter = refused notFound404 "nothing is here"
    }

refused :: Status -> Text -> Request -> ServerError
refused status what request =
  ServerError {errHTTPCode = problemCode wrong, errReasonPhrase = maybe "" T.unpack (problemTitle wrong), errBody = BL.fromStrict content, errHeaders = headers}
  where
    wrong = problem status what
    (headers, content) = problemContent defaultSettings request wrong

-- * Accept

-- | Makes @Accept@ such that Servant's parser understands it as RFC 9110 does: without
-- elements that are malformed, without a character set, which no format here has, and
-- gone if it says nothing.
plainAccept :: Middleware
plainAccept app request = app request {requestHeaders = plain <> filter ((/= hAccept) . fst) (requestHeaders request)}
  where
    plain = case parseAccept (fieldValue hAccept (requestHeaders request)) of
      Anything -> []
      Ranges ranges -> [(hAccept, B.intercalate ", " (NonEmpty.toList (orNothing (map range (filter (understood . fst) ranges)))))]
    range (it, Quality weight) = renderMediaType it {mediaParameters = filter ((/= "charset") . fst) (mediaParameters it) <> [("q", thousandths weight)]}
    -- What no offer can match, and what would make all of the header malformed.
    understood it = (mediaType it /= "*" || mediaSubtype it == "*") && all ((`elem` ["charset", "schema"]) . fst) (mediaParameters it)
    orNothing = fromMaybe (NonEmpty.singleton "application/x-nothing") . NonEmpty.nonEmpty
    thousandths weight
      | weight >= 1000 = "1"
      | otherwise = "0." <> BC.pack (drop 1 (show (1000 + weight)))
