{-# LANGUAGE OverloadedStrings #-}

-- | Media types and ranges of them, as RFC 9110, sections 8.3.1 and 12.5.1, has them.
--
-- The idea: a range is written like a type, with @*@ where anything fits, so that both
-- are one data type. Which range fits a type best is one comparison of 'Specificity'.
--
-- Start at 'parseMediaType' and 'matches'.
module Tern.Negotiate.MediaType
  ( MediaType (..),
    parseMediaType,
    renderMediaType,
    isConcrete,
    Specificity,
    matches,
    describing,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Tern.Negotiate.Header (Parameter, folded, parameters, renderParameter, token, trimmed)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.Maybe

-- | A type such as @text\/html;level=1@, or a range such as @text\/*@. Names are in
-- lower case, values as they were written.
data MediaType = MediaType
  { mediaType :: !ByteString,
    mediaSubtype :: !ByteString,
    mediaParameters :: ![Parameter]
  }
  deriving stock (Eq, Ord, Show)

-- | One type or range, with spaces and tabs around it.
--
-- >>> parseMediaType "Text/HTML; Level=1"
-- Just (MediaType {mediaType = "text", mediaSubtype = "html", mediaParameters = [("level","1")]})
-- >>> map parseMediaType ["text", "text/", "text/html/x", "text/html; level"]
-- [Nothing,Nothing,Nothing,Nothing]
parseMediaType :: ByteString -> Maybe MediaType
parseMediaType text = do
  let (kind, rest) = token (trimmed text)
  (subtype, others) <- token <$> B.stripPrefix "/" rest
  if B.null kind || B.null subtype
    then Nothing
    else MediaType (folded kind) (folded subtype) <$> parameters others

-- | As a header has it.
--
-- >>> renderMediaType <$> parseMediaType "text/html ; level=\"1\""
-- Just "text/html;level=1"
renderMediaType :: MediaType -> ByteString
renderMediaType (MediaType kind subtype values) =
  B.concat (kind : "/" : subtype : map renderParameter values)

-- | A type that a message can have: no name has a @*@ in it (RFC 6838, section 4.2).
--
-- >>> map (fmap isConcrete . parseMediaType) ["text/html", "text/*", "text/html**"]
-- [Just True,Just False,Just False]
isConcrete :: MediaType -> Bool
isConcrete (MediaType kind subtype _) = not (BC.elem '*' kind || BC.elem '*' subtype)

-- | How closely a range describes a type that it matches; what is greater decides.
data Specificity = Specificity
  { _type :: !Precision,
    _subtype :: !Precision,
    -- | How many parameters the range asks for.
    _parameters :: !Int
  }
  deriving stock (Eq, Ord, Show)

-- | How a name is described: not at all, by its end after a @+@, or wholly.
data Precision = Any | Suffix | Exact
  deriving stock (Eq, Ord, Show)

-- | Whether a range, the first, has a type in it, and how closely it describes it. What
-- the range asks for in its parameters, the type must have. @*+json@ describes the
-- subtypes that end in @+json@, as libraries for other languages have it.
--
-- >>> :{
-- let fits range = isJust . (`matches` fromJust (parseMediaType "application/hal+json;v=1"))
--       . fromJust . parseMediaType $ range
-- :}
-- >>> :{
-- filter fits ["*/*", "application/*", "*/*+json", "application/hal+json",
--   "application/hal+json;v=1"]
-- :}
-- ["*/*","application/*","*/*+json","application/hal+json","application/hal+json;v=1"]
-- >>> :{
-- filter fits ["text/*", "application/json", "application/hal+json;v=2",
--   "application/hal+json;v=1;w=1"]
-- :}
-- []
matches :: MediaType -> MediaType -> Maybe Specificity
matches (MediaType kind subtype wanted) (MediaType kind' subtype' had)
  | all (`isIn` had) wanted =
      Specificity <$> describes kind kind' <*> describes subtype subtype' <*> Just (length wanted)
  | otherwise = Nothing
  where
    isIn (name, value) = any (\(name', value') -> name == name' && sameValue name value value')
    -- RFC 9110, section 8.3.2: names of character sets have no case.
    sameValue name a b
      | name == "charset" = folded a == folded b
      | otherwise = a == b

describes :: ByteString -> ByteString -> Maybe Precision
describes range name
  | range == name = Just Exact
  | range == "*" = Just Any
  | Just suffix <- B.stripPrefix "*" range,
    "+" `B.isPrefixOf` suffix,
    suffix `B.isSuffixOf` name =
      Just Suffix
  | otherwise = Nothing

-- | What a range may have in place of a name to describe it: the name, @*@, and @*@ with
-- each end of the name that begins with a @+@.
--
-- >>> describing "hal+json"
-- ["hal+json","*","*+json"]
describing :: ByteString -> [ByteString]
describing name = name : "*" : ["*" <> B.drop i name | i <- BC.elemIndices '+' name]
