{-# LANGUAGE OverloadedStrings #-}

-- | Entity tags and the conditions that requests make with them, as RFC 9110, sections
-- 8.8.3 and 13, has them.
--
-- The idea: whoever answers knows the tags that the resource has now, and perhaps when it
-- was changed; the request's headers become a value, 'Conditions'; and one function says
-- whether to go on.
--
-- Start at 'conditions' and 'outcome'.
module Tern.Negotiate.Condition
  ( -- * Entity tags
    Tag (..),
    Strength (..),
    strong,
    parseTag,
    renderTag,

    -- * Conditions
    Conditions (..),
    Tags (..),
    conditions,
    isUnconditional,
    Current (..),
    Outcome (..),
    outcome,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Maybe (isJust, mapMaybe)
import Data.Word (Word8)
import Network.HTTP.Types.Header
  ( HeaderName,
    hIfMatch,
    hIfModifiedSince,
    hIfNoneMatch,
    hIfUnmodifiedSince,
  )
import Tern.Negotiate.Date (Date, parseDate)
import Tern.Negotiate.Header (elementsOfTags, trimmed)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Tern.Negotiate.Date

-- * Entity tags

-- | The bytes between a tag's quotes, and how much the tag says.
data Tag = Tag {tagStrength :: !Strength, tagText :: !ByteString}
  deriving stock (Eq, Show)

-- | Whether equal tags mean equal bytes, or no more than an equal meaning.
data Strength = Weak | Strong
  deriving stock (Eq, Show)

-- | A tag of equal bytes. Bytes that no tag can have are left out of the text.
strong :: ByteString -> Tag
strong = Tag Strong . B.filter inTag

-- | One tag and nothing else.
--
-- >>> map parseTag ["\"a,b\"", "W/\"\"", "a", "\"a\"b\""]
-- [Just (Tag {tagStrength = Strong, tagText = "a,b"}),Just (Tag {tagStrength = Weak, tagText =
-- ""}),Nothing,Nothing]
parseTag :: ByteString -> Maybe Tag
parseTag text = case B.stripPrefix "W/" text of
  Just rest -> Tag Weak <$> opaque rest
  Nothing -> Tag Strong <$> opaque text
  where
    opaque quoted = do
      inside <- B.stripSuffix "\"" =<< B.stripPrefix "\"" quoted
      if B.all inTag inside then Just inside else Nothing

-- | Every byte but controls, the space and the quote.
inTag :: Word8 -> Bool
inTag b = b > 32 && b /= 34 && b /= 127

-- | As a header has it.
--
-- >>> renderTag (strong "x1")
-- "\"x1\""
renderTag :: Tag -> ByteString
renderTag (Tag strength text) =
  B.concat [case strength of Weak -> "W/"; Strong -> "", "\"", text, "\""]

-- * Conditions

-- | What a request demands of the resource as it is now.
data Conditions = Conditions
  { -- | @If-Match@: one of these must be the resource's.
    mustMatch :: !(Maybe Tags),
    -- | @If-None-Match@: none of these may be.
    mustNotMatch :: !(Maybe Tags),
    -- | @If-Unmodified-Since@, as it came.
    unmodifiedSince :: !(Maybe ByteString),
    -- | @If-Modified-Since@, as it came.
    modifiedSince :: !(Maybe ByteString)
  }
  deriving stock (Eq, Show)

-- | The tags of a condition.
data Tags
  = -- | @*@: any tag, so that the question is whether there is a resource.
    AnyTag
  | -- | These; none where the header is malformed as a whole.
    These ![Tag]
  deriving stock (Eq, Show)

-- | The conditions in some headers, each of which is found by its name. Malformed tags
-- are left out.
--
-- >>> let conditionsOf headers = conditions (`lookup` headers)
-- >>> mustMatch (conditionsOf [("If-Match", "\"a\", b, \"c\"")])
-- Just (These [Tag {tagStrength = Strong, tagText = "a"},Tag {tagStrength = Strong, tagText =
-- "c"}])
-- >>> mustNotMatch (conditionsOf [("If-None-Match", " * ")])
-- Just AnyTag
conditions :: (HeaderName -> Maybe ByteString) -> Conditions
conditions header =
  Conditions
    { mustMatch = tags <$> header hIfMatch,
      mustNotMatch = tags <$> header hIfNoneMatch,
      unmodifiedSince = header hIfUnmodifiedSince,
      modifiedSince = header hIfModifiedSince
    }
  where
    tags value
      | trimmed value == "*" = AnyTag
      | otherwise = These (mapMaybe parseTag (elementsOfTags value))

-- | Nothing is demanded.
isUnconditional :: Conditions -> Bool
isUnconditional = (== Conditions Nothing Nothing Nothing Nothing)

-- | A resource as it is now.
data Current = Current
  { -- | The tags of its representations.
    currentTags :: ![Tag],
    -- | When it was changed last, if that is known.
    currentModified :: !(Maybe Date)
  }
  deriving stock (Eq, Show)

-- | Whether to go on.
data Outcome
  = -- | Do what is asked for.
    Perform
  | -- | Answer 304: the client has what there is.
    NotModified
  | -- | Answer 412: the resource is not as the client wants it to be.
    PreconditionFailed
  deriving stock (Eq, Show)

-- | Whether to go on, in the order of RFC 9110, section 13.2.2: is the method one that
-- only reads, what does the request demand, and what is the resource, if it is there.
-- Dates count where tags are not asked for, and only those that are well-formed.
--
-- A condition on tags that is there but cannot be understood does not hold for a method
-- that changes something: what was to be guarded is not changed unguarded.
--
-- >>> let current = Just (Current [strong "v2"] Nothing)
-- >>> let demanding header value = conditions (`lookup` [(header, value)])
-- >>> outcome True (demanding "If-None-Match" "\"v1\", \"v2\"") current
-- NotModified
-- >>> outcome False (demanding "If-Match" "\"v1\"") current
-- PreconditionFailed
-- >>> map (outcome False (demanding "If-None-Match" "*")) [current, Nothing]
-- [PreconditionFailed,Perform]
-- >>> :{
-- outcome True (demanding "If-Modified-Since" "Sun, 06 Nov 1994 08:49:37 GMT")
--   (Just (Current [] (Just (Date 784111777))))
-- :}
-- NotModified
outcome :: Bool -> Conditions -> Maybe Current -> Outcome
outcome reads' (Conditions match noneMatch unmodified modified) current
  | Just wanted <- match, not (holds strongly wanted) = PreconditionFailed
  | Nothing <- match, Just limit <- dateIn unmodified, changedAfter limit = PreconditionFailed
  | Just unwanted <- noneMatch,
    holds weakly unwanted =
      if reads'
        then NotModified
        else PreconditionFailed
  | Just (These []) <- noneMatch, not reads' = PreconditionFailed
  | Nothing <- noneMatch,
    reads',
    Just limit <- dateIn modified,
    not (changedAfter limit) =
      NotModified
  | otherwise = Perform
  where
    holds same = \case
      AnyTag -> isJust current
      These tags -> or [same tag tag' | tag <- tags, tag' <- maybe [] currentTags current]
    strongly a b = a == b && tagStrength a == Strong
    weakly a b = tagText a == tagText b
    changed = currentModified =<< current
    changedAfter limit = maybe False (> limit) changed
    -- Where it is not known when the resource was changed no date says anything.
    dateIn value = changed >>= \date -> parseDate date . trimmed =<< value
