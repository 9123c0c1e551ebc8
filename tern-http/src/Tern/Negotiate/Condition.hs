{-# LANGUAGE OverloadedStrings #-}

-- | Entity tags and the conditions that requests make with them, as RFC 9110, sections
-- 8.8.3 and 13, has them.
--
-- The idea: whoever answers knows the tags that the resource has now; the request's
-- headers become a value, 'Conditions'; and one function says whether to go on.
-- Conditions on dates are not known here, as a tag says more and comes first.
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
    Outcome (..),
    outcome,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Maybe (fromMaybe, isJust, mapMaybe)
import Data.Word (Word8)
import Tern.Negotiate.Header

-- $setup
-- >>> :set -XOverloadedStrings

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
-- [Just (Tag {tagStrength = Strong, tagText = "a,b"}),Just (Tag {tagStrength = Weak, tagText = ""}),Nothing,Nothing]
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
renderTag (Tag strength text) = B.concat [case strength of Weak -> "W/"; Strong -> "", "\"", text, "\""]

-- * Conditions

-- | What a request demands of the tags that the resource has now.
data Conditions = Conditions
  { -- | @If-Match@: one of these must be the resource's.
    mustMatch :: !(Maybe Tags),
    -- | @If-None-Match@: none of these may be.
    mustNotMatch :: !(Maybe Tags)
  }
  deriving stock (Eq, Show)

-- | The tags of a condition.
data Tags
  = -- | @*@: any tag, so that the question is whether there is a resource.
    AnyTag
  | -- | These; none where the header is malformed as a whole.
    These ![Tag]
  deriving stock (Eq, Show)

-- | The values of @If-Match@ and @If-None-Match@. Malformed elements are left out.
--
-- >>> conditions (Just "\"a\", b, \"c\"") (Just "*")
-- Conditions {mustMatch = Just (These [Tag {tagStrength = Strong, tagText = "a"},Tag {tagStrength = Strong, tagText = "c"}]), mustNotMatch = Just AnyTag}
conditions :: Maybe ByteString -> Maybe ByteString -> Conditions
conditions match noneMatch = Conditions (tags <$> match) (tags <$> noneMatch)
  where
    tags value
      | trimmed value == "*" = AnyTag
      | otherwise = These (mapMaybe parseTag (elementsOfTags value))

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
-- only reads, what does the request demand, which tags has the resource, if it is there.
-- A resource may have several, of its representations.
--
-- A condition that is there but cannot be understood does not hold for a method that
-- changes something: what was to be guarded is not changed unguarded.
--
-- >>> let current = Just [strong "v2"]
-- >>> outcome True (conditions Nothing (Just "\"v1\", \"v2\"")) current
-- NotModified
-- >>> outcome False (conditions (Just "\"v1\"") Nothing) current
-- PreconditionFailed
-- >>> map (outcome False (conditions Nothing (Just "*"))) [current, Nothing]
-- [PreconditionFailed,Perform]
outcome :: Bool -> Conditions -> Maybe [Tag] -> Outcome
outcome reads' (Conditions match noneMatch) current
  | Just wanted <- match, not (holds strongly wanted) = PreconditionFailed
  | Just unwanted <- noneMatch, holds weakly unwanted = if reads' then NotModified else PreconditionFailed
  | Just (These []) <- noneMatch, not reads' = PreconditionFailed
  | otherwise = Perform
  where
    holds same = \case
      AnyTag -> isJust current
      These tags -> or [same tag tag' | tag <- tags, tag' <- fromMaybe [] current]
    strongly a b = a == b && tagStrength a == Strong
    weakly a b = tagText a == tagText b
