{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UndecidableInstances #-}

-- | The content types of values, for servers and clients.
--
-- The idea: a content type is a format's name, with the codec that the type has for it;
-- servers and clients of the same API agree by it. The native format's content type has
-- the type of the values in it, since its media type says their schema. A client of all
-- formats asks for the cheapest first and reads what the answer says that it is.
--
-- A format joins here by its content type and by its place in 'Formats'.
--
-- Start at 'AllFormats'.
module Tern.Servant.Format
  ( AllFormats,
    Formats,
    AsJson,
    AsMessagePack,
    AsCbor,
    AsNative,
    media,
    ranges,
    failing,
  )
where

import Data.Bifunctor (first)
import Data.ByteString.Lazy qualified as BL
import Data.Foldable (toList)
import Data.Kind (Type)
import Data.List.NonEmpty (NonEmpty)
import Data.Proxy (Proxy (..))
import Data.Sequence qualified as Seq
import GHC.TypeLits (KnownNat)
import Network.HTTP.Media qualified as Media
import Network.HTTP.Types (unsupportedMediaType415)
import Servant.API (ReflectMethod (..), ReqBody', Verb, (:>))
import Servant.API.ContentTypes (Accept (..), MimeRender (..), MimeUnrender (..))
import Servant.API.Status (statusFromNat)
import Servant.Client.Core
  ( ClientError (..),
    HasClient (..),
    Request,
    RequestF (..),
    Response,
    ResponseF (..),
    RunClient (..),
    setRequestBodyLBS,
  )
import Tern (Wire, defaultLimits)
import Tern.Http.Answer
  ( Failure (..),
    Named (..),
    Weighted,
    acceptValue,
    answered,
    cheapest,
    contentOf,
    ranged,
    readContent,
    renderFailure,
  )
import Tern.Http.Format (Entry (..), Format (..), entry, offersOf)
import Tern.Negotiate (MediaType (..), Offer (..), parseMediaType)
import Tern.Servant.Trouble (saying)

-- * Content types

-- | A verb or body of Servant's with every format, for values of a type: @AllFormats Get
-- Bird@, @AllFormats ReqBody Bird@.
type AllFormats (verb :: [Type] -> Type -> k) a = verb (Formats a) a

-- | Every format, for values of a type.
type Formats a = '[AsJson, AsMessagePack, AsCbor, AsNative a]

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

-- | As Servant has media types.
media :: MediaType -> Media.MediaType
media (MediaType kind subtype values) = foldl (Media./:) (kind Media.// subtype) values

rendered :: (Wire a) => Format -> a -> BL.ByteString
rendered format = entryChunks (entry format)

unrendered :: (Wire a) => Format -> Media.MediaType -> BL.ByteString -> Either String a
unrendered format named lazy = do
  given <- maybe (Left "not a media type") Right (parseMediaType (Media.renderHeader named))
  first saying (readContent defaultLimits format given (BL.toStrict lazy))

-- * Clients

-- | A client of every format asks for the cheapest first, and reads what comes. That of
-- Servant's would ask for the first of the list alone.
instance
  {-# OVERLAPPING #-}
  (RunClient m, Wire a, ReflectMethod method, KnownNat status) =>
  HasClient m (Verb method status (Formats a) a)
  where
  type Client m (Verb method status (Formats a) a) = m a
  clientWithRoute _ _ request =
    readAs
      =<< runRequestAcceptStatus
        (Just [statusFromNat (Proxy @status)])
        (asking @a (Proxy @method) request)
  hoistClientMonad _ _ f = f

-- | A request of this method for a value in every format, the cheapest first.
asking :: forall a method. (Wire a, ReflectMethod method) => Proxy method -> Request -> Request
asking method request =
  request {requestAccept = ranges (acceptValue @a cheapest), requestMethod = reflectMethod method}

-- | By what an answer says that it is.
readAs :: (RunClient m, Wire a) => Response -> m a
readAs response =
  either (failing response) pure $
    answered
      defaultLimits
      (responseStatusCode response)
      (toList (responseHeaders response))
      (BL.toStrict (responseBody response))

-- | Content in every format is sent as MessagePack: each service of the same API reads
-- it, also one whose type has another version, and it is small.
instance
  {-# OVERLAPPING #-}
  (Wire a, HasClient m api) =>
  HasClient m (ReqBody' modifiers (Formats a) a :> api)
  where
  type Client m (ReqBody' modifiers (Formats a) a :> api) = a -> Client m api
  clientWithRoute monad _ request value =
    clientWithRoute
      monad
      (Proxy @api)
      ( setRequestBodyLBS
          (BL.fromStrict bytes)
          (media named)
          request
      )
    where
      Named named bytes = contentOf MessagePack value
  hoistClientMonad monad _ f client = hoistClientMonad monad (Proxy @api) f . client

-- | Where an answer in every format comes of it, content whose type is refused by 415 is sent
-- again in the next format: the service has not looked at it.
instance
  {-# OVERLAPPING #-}
  (RunClient m, Wire a, Wire b, ReflectMethod method, KnownNat status) =>
  HasClient m (ReqBody' modifiers (Formats a) a :> Verb method status (Formats b) b)
  where
  type
    Client m (ReqBody' modifiers (Formats a) a :> Verb method status (Formats b) b) =
      a -> Client m (Verb method status (Formats b) b)
  clientWithRoute _ _ request value = go (contentOf MessagePack value) [Cbor, Json]
    where
      go (Named named bytes) others = do
        response <-
          runRequestAcceptStatus
            (Just (wanted : [unsupportedMediaType415 | not (null others)]))
            ( setRequestBodyLBS
                (BL.fromStrict bytes)
                (media named)
                (asking @b (Proxy @method) request)
            )
        case others of
          next : rest
            | responseStatusCode response == unsupportedMediaType415 ->
                go (contentOf next value) rest
          _ -> readAs response
      wanted = statusFromNat (Proxy @status)
  hoistClientMonad _ _ f client = f . client

-- | What to accept, as clients of Servant's have it.
ranges :: [Weighted] -> Seq.Seq Media.MediaType
ranges = Seq.fromList . map (media . ranged)

-- | An answer that no value could be made of.
failing :: (RunClient m) => Response -> Failure -> m a
failing response = \case
  NotRead Nothing -> throwClientError (InvalidContentTypeHeader response)
  why -> throwClientError (DecodeFailure (renderFailure why) response)
