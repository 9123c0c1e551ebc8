{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE UndecidableInstances #-}

-- | The methods that an API has at a path, from its type.
--
-- The idea: Servant's router says of a wrong method that it is wrong, and not which ones
-- would be right, which HTTP wants to be told. So the type is walked once more, with the
-- segments of a path instead of a request: what takes a segment takes it here as well, and
-- what says nothing of paths is passed over, whatever it is.
--
-- Start at 'endpointsAt'.
module Tern.Servant.Resource
  ( Resources (..),
    Endpoint (..),
    methodsAt,
    readAt,
    givenAt,
    endsOf,
  )
where

import Data.Foldable (toList)
import Data.Kind (Type)
import Data.List (nub)
import Data.Maybe (mapMaybe)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Text qualified as T
import GHC.TypeLits (KnownSymbol, Symbol, symbolVal)
import Network.HTTP.Media qualified as Media
import Network.HTTP.Types (Method)
import Servant.API
  ( Accept (..),
    Capture',
    CaptureAll,
    EmptyAPI,
    FromHttpApiData (..),
    NamedRoutes,
    NoContentVerb,
    Raw,
    ReflectMethod (..),
    ReqBody',
    Stream,
    StreamBody',
    ToServantApi,
    UVerb,
    Verb,
    (:<|>),
    (:>),
  )
import Servant.API.ContentTypes (AllMime (..))
import Servant.API.Modifiers (FoldLenient)
import Tern.Http.Format (Entry (..), entry, formatRanges)
import Tern.Http.Series (seriesOffers, seriesRanges)
import Tern.Negotiate (MediaType, Receive (..), isConcrete, offerType, parseMediaType)
import Tern.Servant.Flag (Flag (..))
import Tern.Servant.Sequence (BodyEach, Each)

-- | One method at a path.
data Endpoint = Endpoint
  { -- | 'Nothing' is whatever comes, as for 'Raw'.
    endpointMethod :: !(Maybe Method),
    -- | What content it reads.
    endpointReads :: ![MediaType],
    -- | What it answers with.
    endpointGives :: ![MediaType]
  }
  deriving stock (Eq, Show)

-- | The methods of some endpoints, or nothing where one takes whatever comes.
methodsAt :: [Endpoint] -> Maybe [Method]
methodsAt = traverse endpointMethod

-- | What content a method reads.
readAt :: Method -> [Endpoint] -> [MediaType]
readAt method those = concat [endpointReads one | one <- those, endpointMethod one == Just method]

-- | What a method answers with.
givenAt :: Method -> [Endpoint] -> [MediaType]
givenAt method those = concat [endpointGives one | one <- those, endpointMethod one == Just method]

-- | An API that says what it has at a path.
class Resources (api :: Type) where
  -- | By the segments of the path, decoded.
  endpointsAt :: [Text] -> [Endpoint]

instance (Resources a, Resources b) => Resources (a :<|> b) where
  endpointsAt path = endpointsAt @a path <> endpointsAt @b path

instance Resources EmptyAPI where
  endpointsAt _ = []

instance (Resources (ToServantApi routes)) => Resources (NamedRoutes routes) where
  endpointsAt = endpointsAt @(ToServantApi routes)

instance Resources Raw where
  endpointsAt _ = [Endpoint Nothing [] []]

-- * Paths

instance (KnownSymbol segment, Resources api) => Resources ((segment :: Symbol) :> api) where
  endpointsAt = \case
    one : rest | one == T.pack (symbolVal (Proxy @segment)) -> endpointsAt @api rest
    _ -> []

instance
  (FromHttpApiData a, Flag (FoldLenient modifiers), Resources api) =>
  Resources (Capture' modifiers name a :> api)
  where
  endpointsAt = \case
    one : rest | flag @(FoldLenient modifiers) || isThere @a one -> endpointsAt @api rest
    _ -> []

instance (FromHttpApiData a, Resources api) => Resources (CaptureAll name a :> api) where
  endpointsAt path
    | all (isThere @a) path = endpointsAt @api []
    | otherwise = []

isThere :: forall a. (FromHttpApiData a) => Text -> Bool
isThere segment = case parseUrlPiece @a segment of
  Right _ -> True
  Left _ -> False

-- | What says nothing of the path: headers, parameters, authentication and more.
instance {-# OVERLAPPABLE #-} (Resources api) => Resources (other :> api) where
  endpointsAt = endpointsAt @api

-- * Contents

instance (AllMime types, Resources api) => Resources (ReqBody' modifiers types a :> api) where
  endpointsAt = map (reading (suffixed (mapMaybe ours (allMime (Proxy @types))))) . endpointsAt @api

instance
  (Accept kind, Resources api) =>
  Resources (StreamBody' modifiers framing kind a :> api)
  where
  endpointsAt =
    map (reading (mapMaybe ours (toList (contentTypes (Proxy @kind))))) . endpointsAt @api

instance (Resources api) => Resources (BodyEach a :> api) where
  endpointsAt =
    map (reading (map receiveRange (concatMap seriesRanges [minBound ..]))) . endpointsAt @api

-- | With the ranges of the types that are read with them by the ends of their names.
suffixed :: [MediaType] -> [MediaType]
suffixed types = nub (types <> concatMap endsOf types)

-- | The range of the types that are written as this one is, by the end of their names.
endsOf :: MediaType -> [MediaType]
endsOf media =
  [ end
    | format <- [minBound ..],
      media `elem` entryTypes (entry format),
      Receive end _ <- formatRanges format,
      not (isConcrete end)
  ]

reading :: [MediaType] -> Endpoint -> Endpoint
reading types one = one {endpointReads = types <> endpointReads one}

-- | A media type as "Tern.Negotiate" has it.
ours :: Media.MediaType -> Maybe MediaType
ours = parseMediaType . Media.renderHeader

-- * Verbs

instance (AllMime types, ReflectMethod method) => Resources (Verb method status types a) where
  endpointsAt = ended (Proxy @method) (mapMaybe ours (allMime (Proxy @types)))

instance (ReflectMethod method) => Resources (NoContentVerb method) where
  endpointsAt = ended (Proxy @method) []

instance (AllMime types, ReflectMethod method) => Resources (UVerb method types results) where
  endpointsAt = ended (Proxy @method) (mapMaybe ours (allMime (Proxy @types)))

instance
  (Accept kind, ReflectMethod method) =>
  Resources (Stream method status framing kind a)
  where
  endpointsAt = ended (Proxy @method) (mapMaybe ours (toList (contentTypes (Proxy @kind))))

instance (ReflectMethod method) => Resources (Each pace method status a) where
  endpointsAt =
    ended (Proxy @method) (concatMap (toList . fmap offerType . seriesOffers) [minBound ..])

-- | As Servant, with or without a slash at the end.
ended :: (ReflectMethod method) => Proxy method -> [MediaType] -> [Text] -> [Endpoint]
ended method gives path
  | all T.null path, length path <= 1 = [Endpoint (Just (reflectMethod method)) [] gives]
  | otherwise = []
