{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | What went wrong with a request, for programs: the problem details of RFC 9457.
--
-- The idea: a problem is a value with formats like any other, so that a client hears of
-- it in the format that it speaks. What was wrong with a document is told by its place,
-- in the bytes and in the value.
--
-- Start at 'Problem'.
module Tern.Http.Problem
  ( Problem (..),
    problem,
    ofError,
    errorStatus,
    ofFault,
    ofRefusal,
    problemStatus,
  )
where

import Data.ByteString (ByteString)
import Data.List (nub)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Network.HTTP.Types (Status (..), badRequest400, requestEntityTooLarge413)
import Tern
  ( Error (..),
    Exceeded (..),
    Options (..),
    Reason (..),
    camelTo2,
    defaultOptions,
    deriveWire,
    renderPath,
  )
import Tern.Http.Coding (Broken (..))
import Tern.Http.Content (ContentFault (..))
import Tern.Negotiate (Refusal (..), refusalStatus, renderMediaType)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Network.HTTP.Types
-- >>> import Tern
-- >>> import Tern.Http.Content
-- >>> import Tern.Negotiate

-- | The members of RFC 9457, section 3.1, and those that tell of a document or of what
-- would have been right. Members that are 'Nothing' are left out.
data Problem = Problem
  { -- | A URI that names the kind of problem; none is @about:blank@, where the status
    -- says all.
    problemType :: !(Maybe Text),
    problemTitle :: !(Maybe Text),
    problemCode :: !Int,
    problemDetail :: !(Maybe Text),
    -- | A URI of this occurrence.
    problemInstance :: !(Maybe Text),
    -- | Where in the value, as @$.readings[0]@.
    problemPath :: !(Maybe Text),
    -- | Where in the document, in bytes from its start.
    problemOffset :: !(Maybe Int),
    -- | What would have been acceptable: media types, codings or methods.
    problemOffers :: !(Maybe [Text])
  }
  deriving stock (Eq, Show)

deriveWire
  defaultOptions
    { omitNothingFields = True,
      fieldLabelModifier = \name ->
        if name == "problemCode"
          then "status"
          else camelTo2 '-' (drop 7 name)
    }
  ''Problem

-- | A problem of this status in these words.
--
-- >>> encodeJson (problem notFound404 "no such bird")
-- "{\"title\":\"Not Found\",\"status\":404,\"detail\":\"no such bird\"}"
problem :: Status -> Text -> Problem
problem (Status code title) detail =
  Problem
    { problemType = Nothing,
      problemTitle = Just (T.decodeUtf8Lenient title),
      problemCode = code,
      problemDetail = if T.null detail then Nothing else Just detail,
      problemInstance = Nothing,
      problemPath = Nothing,
      problemOffset = Nothing,
      problemOffers = Nothing
    }

-- | The status, with its usual words.
problemStatus :: Problem -> Status
problemStatus = toEnum . problemCode

-- | A document that does not decode, by a function that puts the error into words.
ofError :: (ByteString -> Error -> Text) -> ByteString -> Error -> Problem
ofError explain document found =
  (problem (errorStatus found) (explain document found))
    { problemPath = Just (renderPath (errorPath found)),
      problemOffset = Just (errorOffset found)
    }

-- | The status of a document that does not decode: 413 if it is too long, else 400.
errorStatus :: Error -> Status
errorStatus found = case errorReason found of
  LimitExceeded (TooManyBytes _) -> requestEntityTooLarge413
  _ -> badRequest400

-- | Content that could not be taken.
--
-- >>> problemDetail (ofFault (TooLarge 100))
-- Just "the content has more than 100 bytes"
ofFault :: ContentFault -> Problem
ofFault = \case
  TooLarge most ->
    problem
      requestEntityTooLarge413
      ( T.concat
          ["the content has more than ", number most, " bytes"]
      )
  TooLargeDecoded most ->
    problem
      requestEntityTooLarge413
      ( T.concat
          [ "the content has more than ",
            number most,
            " bytes once it is decompressed"
          ]
      )
  NotDecoded (Broken coding what) ->
    problem
      badRequest400
      ( T.concat
          [ "the content is not compressed by ",
            T.toLower (T.pack (show coding)),
            ": ",
            what
          ]
      )
  where
    number = T.pack . show

-- | A request that is not handled, with what would have been acceptable.
--
-- >>> problemOffers (ofRefusal (MethodNotAllowed ["GET"]))
-- Just ["GET"]
ofRefusal :: Refusal -> Problem
ofRefusal refusal =
  (problem (refusalStatus refusal) detail) {problemOffers = Just (map T.decodeUtf8Lenient offers)}
  where
    (detail, offers) = case refusal of
      MethodNotAllowed methods -> ("this resource does not have that method", methods)
      NoTypeAcceptable types ->
        ("no media type on offer is acceptable", map renderMediaType (nub types))
      NoCodingAcceptable names -> ("no content coding on offer is acceptable", names)
      UnsupportedType ranges ->
        ("content of this media type is not read here", map renderMediaType (nub ranges))
      UnsupportedCoding names -> ("content of this coding is not read here", names)
      PartialContent -> ("the content is a part, and only the whole is taken here", [])
      HeaderTooLong _ -> ("a header is longer than those that are read here", [])
