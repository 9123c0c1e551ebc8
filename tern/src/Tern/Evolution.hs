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
import Tern.Error
import Tern.Evolution.Changes
import Tern.Evolution.Compatibility
import Tern.Evolution.Mismatch
import Tern.Evolution.Reading
import Tern.Limits
import Tern.Native
import Tern.Shape (Shape, referenceOf)
import Tern.Wire

-- $setup
-- >>> import Data.Int (Int8)
-- >>> import Data.Text qualified as T
-- >>> import Tern.Limits (defaultLimits)
-- >>> import Tern.Native (encodeNative)
-- >>> import Tern.Wire (shapeOf)

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

-- * Reading

-- | A decoder for documents of a writer's schema, or everything that does not fit. Keep
-- it: it is made once for a schema, and used for all of its documents.
--
-- INLINABLE: the reader is known where the type is.
--
-- Errors of a document have the offset and the path of the writer's.
--
-- >>> either (const "") (\decode -> show (decode defaultLimits (encodeNative [1 :: Int8, -2]))) (decoderFor @[Maybe Int] mempty (shapeOf @[Int8]))
-- "Right [Just 1,Just (-2)]"
-- >>> either (map (T.unpack . renderMismatch)) (const []) (decoderFor @[Int8] mempty (shapeOf @[Int]))
-- ["writer's $[*], reader's $[*]: integer -128..127 does not hold every integer -9223372036854775808..9223372036854775807"]
decoderFor :: forall a. (Wire a) => Evolution -> Shape -> Either [Mismatch] (Limits -> ByteString -> Either Error a)
decoderFor evolution theirs = (\reading -> decodeThrough reading decodeNativeWith) <$> readingOf evolution theirs (shapeOf @a)
{-# INLINEABLE decoderFor #-}
