{-# LANGUAGE AllowAmbiguousTypes #-}

-- | Types that change while their documents stay: reading what an older or newer
-- version of a type has written in the native format.
--
-- The idea: a writer's schema is held against the reader's type once, before any
-- document is read. What comes of it is a program that makes the writer's bytes into the
-- reader's, and nothing at all where they are the same; then the type's own reader
-- runs. What a schema cannot say, the type's older names and the values of fields that
-- were not there, is said beside the type by an 'Evolution', which costs whoever needs
-- none nothing.
--
-- > sightings :: Evolution
-- > sightings =
-- >   evolving @Sighting
-- >     [ fieldDefault "observer" ("unknown" :: Text),
-- >       fieldAlias "count" ["number"]
-- >     ]
--
-- The rules are on the page @docs\/spec\/evolution.md@. Containers do all this by
-- themselves ("Tern.Container"); start here for documents, at 'decoderFor', and for
-- the question what is compatible, at 'compatibility'.
module Tern.Evolution
  ( -- * What changed
    Evolution,
    Change,
    evolving,
    fieldDefault,
    fieldAlias,
    constructorAlias,
    typeAlias,
    soleConstructor,
    fallbackConstructor,
    upgrading,
    upgradingEither,

    -- * Reading
    decoderFor,
    Mismatch (..),
    Difference (..),
    Route,
    Part (..),
    renderMismatch,
    renderRoute,

    -- * Compatibility
    compatibility,
    Compatibility (..),
    Verdict (..),
    isReadable,
    renderCompatibility,
    renderVerdict,
    Condition (..),
    Refused (..),
    renderCondition,
  )
where

import Data.ByteString (ByteString)
import Data.Text (Text)
import Tern.Error (Error (..), Reason (..))
import Tern.Internal.Evolution.Changes
  ( Change,
    Default (..),
    Evolution,
    Older (..),
    constructorNames,
    defaultOf,
    fieldNames,
    insteadOfUnknown,
    madeFromOlder,
    ofType,
    onlyOne,
    typeNames,
  )
import Tern.Internal.Evolution.Compatibility
  ( Compatibility (..),
    Verdict (..),
    compatibility,
    isReadable,
    renderCompatibility,
    renderVerdict,
  )
import Tern.Internal.Evolution.Mismatch
  ( Condition (..),
    Difference (..),
    Mismatch (..),
    Part (..),
    Refused (..),
    Route,
    renderCondition,
    renderMismatch,
    renderRoute,
  )
import Tern.Internal.Evolution.Reading (decodeThrough, readingOf)
import Tern.Limits (Limits)
import Tern.Native (decodeNativeWith, encodeNative)
import Tern.Shape (Shape, referenceOf)
import Tern.Wire (Wire, shapeOf)

-- $setup
-- >>> :set -XDeriveAnyClass -XDerivingStrategies
-- >>> import GHC.Generics (Generic)
-- >>> import Data.Int (Int8)
-- >>> import Data.Text qualified as T
-- >>> import Tern.Limits (defaultLimits)
-- >>> import Tern.Native (encodeNative)
-- >>> import Tern.Wire (Wire, shapeOf)

-- * What changed

-- | Changes of a declared type, as it is now. Evolutions of several types are put
-- together by '<>', and those of types that a document does not have do no harm.
evolving :: forall a. (Wire a) => [Change] -> Evolution
evolving = ofType (referenceOf @a)

-- | The value of a field in documents whose writer did not have it. It must have the
-- field's type, or one of the same shape. A field that may be 'Nothing' needs none.
fieldDefault :: (Wire b) => Text -> b -> Change
fieldDefault name (value :: b) = defaultOf name (Default (shapeOf @b) (encodeNative value))

-- | A field, and the names that it had.
fieldAlias :: Text -> [Text] -> Change
fieldAlias = fieldNames

-- | A constructor, and the names that it had.
constructorAlias :: Text -> [Text] -> Change
constructorAlias = constructorNames

-- | The names that the type had.
typeAlias :: [Text] -> Change
typeAlias = typeNames

-- | Of a type that had one constructor and has several now, or the other way round: the
-- name of the one, which no schema keeps.
soleConstructor :: Text -> Change
soleConstructor = onlyOne

-- | The constructor that stands for those of a writer's that the type does not have. Its fields
-- have names, or there are none; they are found as those of any other are, by their
-- names and by defaults. Not within keys of maps and elements of sets, where it might stand for
-- several.
fallbackConstructor :: Text -> Change
fallbackConstructor = insteadOfUnknown

-- | How values of a declared type are made of those of an older one that was in its place,
-- wherever that was: where no names and defaults say what became of it. The older type is
-- declared beside the type as it is now, under any name. Where the writer's bytes are those of
-- the older type, or where its type cannot be read as the type as it is, it is read as
-- the older one, by all else that is said of changes, and the function makes the value. Not within
-- keys of maps and elements of sets, two of which might become one.
-- So each version needs a function from the one before it alone.
--
-- >>> :{
-- data Stay = Stay {from :: Int, nights :: Int} deriving stock (Generic, Show) deriving anyclass
--   (Wire)
-- :}
-- >>> stays = upgrading (\(first, end) -> Stay first (end - first))
-- >>> :{
-- either (const "") (\decode -> show (decode defaultLimits (encodeNative [(3 :: Int, 5 :: Int)])))
--   (decoderFor @[Stay] stays (shapeOf @[(Int, Int)]))
-- :}
-- "Right [Stay {from = 3, nights = 2}]"
upgrading :: forall old new. (Wire old, Wire new) => (old -> new) -> Evolution
upgrading f = upgradingEither (Right . f)

-- | The same where not all values have a new one: why not, in the program's words. The refusal
-- is an error at the value's place, and in a container costs that element alone.
upgradingEither :: forall old new. (Wire old, Wire new) => (old -> Either Text new) -> Evolution
upgradingEither f =
  ofType (referenceOf @new) [madeFromOlder (Older (shapeOf @old) (shapeOf @new) made)]
  where
    made limits bytes = case decodeNativeWith limits bytes of
      Left (Error offset _ reason) -> Left (offset, reason)
      Right old -> either (Left . (0,) . Refused) (Right . encodeNative) (f old)

-- * Reading

-- | A decoder for documents of a writer's schema, or everything that does not fit. Keep
-- it: it is made once for a schema, and used for all of its documents.
--
-- INLINABLE: the reader is known where the type is.
--
-- Errors of a document have the offset and the path of the writer's.
--
-- >>> :{
-- either (const "") (\decode -> show (decode defaultLimits (encodeNative [1 :: Int8, -2])))
--   (decoderFor @[Maybe Int] mempty (shapeOf @[Int8]))
-- :}
-- "Right [Just 1,Just (-2)]"
-- >>> :{
-- either (map (T.unpack . renderMismatch)) (const []) (decoderFor @[Int8] mempty (shapeOf @[Int]))
-- :}
-- ["writer's $[*], reader's $[*]: integer -128..127 does not hold every integer
-- -9223372036854775808..9223372036854775807"]
decoderFor ::
  forall a.
  (Wire a) =>
  Evolution ->
  Shape ->
  Either [Mismatch] (Limits -> ByteString -> Either Error a)
decoderFor evolution theirs =
  (\reading -> decodeThrough reading decodeNativeWith) <$> readingOf evolution theirs (shapeOf @a)
{-# INLINEABLE decoderFor #-}
