{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UndecidableInstances #-}

-- | What an API's operations are, as data, from its type.
--
-- The idea: each combinator adds what it says to every operation after it, so that the
-- type is walked once. A combinator that is not known here is an error of the compiler,
-- and gets an instance beside its own declaration.
--
-- Start at 'operations'.
module Tern.Servant.Operation
  ( Operation (..),
    Parameter (..),
    ParameterIn (..),
    Content (..),
    Described (..),
    Spoken (..),
    operations,
  )
where

import Data.Kind (Type)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Text qualified as T
import GHC.TypeLits (KnownNat, KnownSymbol, Symbol, natVal, symbolVal)
import Network.HTTP.Types (Method)
import Servant.API
  ( Capture',
    Description,
    EmptyAPI,
    Header',
    Headers,
    NoContent,
    NoContentVerb,
    QueryFlag,
    QueryParam',
    QueryParams,
    ReflectMethod (..),
    ReqBody',
    Summary,
    Verb,
    (:<|>),
    (:>),
  )
import Servant.API.Modifiers (FoldRequired)
import Tern (Wire)
import Tern.Http (Format (..))
import Tern.Servant.Flag (Flag (..))
import Tern.Servant.Format (AsCbor, AsJson, AsMessagePack, AsNative)
import Tern.Servant.Sequence (BodyEach, Each)
import Tern.Shape (Shape (Boolean, List))
import Tern.Wire (shapeOf)

-- | One method of one resource.
data Operation = Operation
  { operationMethod :: !Method,
    -- | Its path's segments; a parameter's is its name in braces.
    operationPath :: ![Text],
    operationParameters :: ![Parameter],
    -- | What it takes as content.
    operationTakes :: !(Maybe Content),
    operationStatus :: !Int,
    -- | What it answers with.
    operationGives :: !(Maybe Content),
    operationSummary :: !(Maybe Text),
    operationDescription :: !(Maybe Text)
  }

-- | What a request says outside of its body: its name, where it stands, whether it must be there,
-- and what its values look like.
data Parameter = Parameter
  { parameterName ::
      !Text,
    parameterPlace :: !ParameterIn,
    parameterRequired :: !Bool,
    parameterShape :: Shape
  }

-- | Where a parameter stands.
data ParameterIn = InPath | InQuery | InHeader
  deriving stock (Eq, Show)

-- | What a message's content is.
data Content
  = -- | A value of this shape, in these formats.
    OneOf ![Format] Shape
  | -- | Values of this shape one by one, in each way to write them.
    Several Shape

-- | The operations of an API.
operations :: forall api. (Described api) => [Operation]
operations = described @api id

-- | An API that says what it does.
class Described (api :: Type) where
  -- | Its operations, with what was said before them.
  described :: (Operation -> Operation) -> [Operation]

instance (Described a, Described b) => Described (a :<|> b) where
  described before = described @a before <> described @b before

instance Described EmptyAPI where
  described _ = []

-- * Paths and parameters

instance (KnownSymbol name, Described api) => Described ((name :: Symbol) :> api) where
  described before = described @api (before . onPath (text @name))

instance
  (KnownSymbol name, Wire a, Described api) =>
  Described (Capture' modifiers name a :> api)
  where
  described before =
    described @api
      ( before
          . onPath (T.concat ["{", text @name, "}"])
          . with (Parameter (text @name) InPath True (shapeOf @a))
      )

instance
  (KnownSymbol name, Wire a, Flag (FoldRequired modifiers), Described api) =>
  Described (QueryParam' modifiers name a :> api)
  where
  described before =
    described @api
      ( before
          . with (Parameter (text @name) InQuery (required @modifiers) (shapeOf @a))
      )

instance (KnownSymbol name, Wire a, Described api) => Described (QueryParams name a :> api) where
  described before =
    described @api (before . with (Parameter (text @name) InQuery False (List 0 (shapeOf @a))))

instance (KnownSymbol name, Described api) => Described (QueryFlag name :> api) where
  described before = described @api (before . with (Parameter (text @name) InQuery False Boolean))

instance
  (KnownSymbol name, Wire a, Flag (FoldRequired modifiers), Described api) =>
  Described (Header' modifiers name a :> api)
  where
  described before =
    described @api
      ( before
          . with (Parameter (text @name) InHeader (required @modifiers) (shapeOf @a))
      )

instance (KnownSymbol words', Described api) => Described (Summary words' :> api) where
  described before = described @api (before . \o -> o {operationSummary = Just (text @words')})

instance (KnownSymbol words', Described api) => Described (Description words' :> api) where
  described before = described @api (before . \o -> o {operationDescription = Just (text @words')})

onPath :: Text -> Operation -> Operation
onPath segment o = o {operationPath = segment : operationPath o}

with :: Parameter -> Operation -> Operation
with one o = o {operationParameters = one : operationParameters o}

text :: forall name. (KnownSymbol name) => Text
text = T.pack (symbolVal (Proxy @name))

required :: forall modifiers. (Flag (FoldRequired modifiers)) => Bool
required = flag @(FoldRequired modifiers)

-- * Contents

-- | Content types with the formats that they are.
class Spoken (types :: [Type]) where
  spoken :: [Format]

instance Spoken '[] where
  spoken = []

instance (Spoken types) => Spoken (AsJson ': types) where
  spoken = Json : spoken @types

instance (Spoken types) => Spoken (AsMessagePack ': types) where
  spoken = MessagePack : spoken @types

instance (Spoken types) => Spoken (AsCbor ': types) where
  spoken = Cbor : spoken @types

instance (Spoken types) => Spoken (AsNative a ': types) where
  spoken = Native : spoken @types

instance
  (Spoken types, Wire a, Described api) =>
  Described (ReqBody' modifiers types a :> api)
  where
  described before =
    described @api (before . \o -> o {operationTakes = Just (OneOf (spoken @types) (shapeOf @a))})

instance (Wire a, Described api) => Described (BodyEach a :> api) where
  described before =
    described @api (before . \o -> o {operationTakes = Just (Several (shapeOf @a))})

-- * Verbs

instance
  {-# OVERLAPPABLE #-}
  (Spoken types, Wire a, ReflectMethod method, KnownNat status) =>
  Described (Verb method status types a)
  where
  described before = [before (bare @method @status (Just (OneOf (spoken @types) (shapeOf @a))))]

instance
  {-# OVERLAPPING #-}
  (Described (Verb method status types a)) =>
  Described (Verb method status types (Headers headers a))
  where
  described = described @(Verb method status types a)

instance
  {-# OVERLAPPING #-}
  (ReflectMethod method, KnownNat status) =>
  Described (Verb method status types NoContent)
  where
  described before = [before (bare @method @status Nothing)]

instance (ReflectMethod method) => Described (NoContentVerb method) where
  described before = [before (bare @method @204 Nothing)]

instance
  (Wire a, ReflectMethod method, KnownNat status) =>
  Described (Each pace method status a)
  where
  described before = [before (bare @method @status (Just (Several (shapeOf @a))))]

-- | An operation of which only its end is known.
bare :: forall method status. (ReflectMethod method, KnownNat status) => Maybe Content -> Operation
bare gives =
  Operation
    { operationMethod = reflectMethod (Proxy @method),
      operationPath = [],
      operationParameters = [],
      operationTakes = Nothing,
      operationStatus = fromIntegral (natVal (Proxy @status)),
      operationGives = gives,
      operationSummary = Nothing,
      operationDescription = Nothing
    }
