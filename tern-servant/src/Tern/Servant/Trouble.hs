{-# LANGUAGE OverloadedStrings #-}

-- | Problem details (RFC 9457) as Servant's errors, of servers and of clients.
--
-- The idea: a problem stays a value until the answer is written. Where Servant lets a
-- reader say no more than a string, the string is the problem in JSON, so that its place
-- in the document is not lost on the way.
--
-- Start at 'problemFormatters' and 'problemError'.
module Tern.Servant.Trouble
  ( problemError,
    problemErrorFor,
    problemFormatters,
    said,
    saying,
    problemOf,
    Interrupted (..),
  )
where

import Control.Exception (Exception)
import Data.ByteString (ByteString)
import Data.ByteString.Lazy qualified as BL
import Data.Either (fromRight)
import Data.Foldable (toList)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Network.HTTP.Types (RequestHeaders, Status, badRequest400, hContentType, notFound404)
import Network.Wai (Request)
import Servant.Client.Core (ClientError (..), ResponseF (..))
import Servant.Server (ErrorFormatters (..), ServerError (..), defaultErrorFormatters)
import Tern (decodeJson, defaultLimits, encodeJson)
import Tern.Http (Format (..), Problem (..), Settings, problem)
import Tern.Http.Answer (Failure (..), answered)
import Tern.Http.Exchange (problemContent)
import Tern.Http.Format (Entry (..), entry)
import Tern.Negotiate (renderMediaType)

-- | A problem for a handler to throw. It is in JSON; 'Tern.Servant.serveEvery' turns it
-- into the format that the request accepts.
problemError :: Problem -> ServerError
problemError wrong =
  errorOf wrong [(hContentType, renderMediaType (entryProblem (entry Json)))] (encodeJson wrong)

-- | A problem in the format that a request accepts.
problemErrorFor :: Settings -> Request -> Problem -> ServerError
problemErrorFor settings request wrong =
  uncurry (errorOf wrong) (problemContent settings request wrong)

errorOf :: Problem -> RequestHeaders -> ByteString -> ServerError
errorOf wrong headers content =
  ServerError
    { errHTTPCode =
        problemCode wrong,
      errReasonPhrase = maybe "" T.unpack (problemTitle wrong),
      errBody = BL.fromStrict content,
      errHeaders = headers
    }

-- | Problem details for what Servant itself refuses, in the format that the request
-- accepts.
problemFormatters :: Settings -> ErrorFormatters
problemFormatters settings =
  defaultErrorFormatters
    { bodyParserErrorFormatter =
        \_ request -> problemErrorFor settings request . said badRequest400,
      urlParseErrorFormatter = \_ request -> problemErrorFor settings request . said badRequest400,
      headerParseErrorFormatter =
        \_ request -> problemErrorFor settings request . said badRequest400,
      notFoundErrorFormatter =
        \request -> problemErrorFor settings request (problem notFound404 "nothing is here")
    }

-- | The problem that a string says, or one of this status with the string as its detail.
said :: Status -> String -> Problem
said status text =
  fromRight (problem status (T.pack text)) (decodeJson (T.encodeUtf8 (T.pack text)))

-- | A string that says the problem.
saying :: Problem -> String
saying = T.unpack . T.decodeUtf8Lenient . encodeJson

-- | The problem that a client was answered with, if it was one.
problemOf :: ClientError -> Maybe Problem
problemOf = \case
  FailureResponse _ response -> refusal response
  DecodeFailure _ response -> refusal response
  UnsupportedContentType _ response -> refusal response
  InvalidContentTypeHeader response -> refusal response
  ConnectionError _ -> Nothing
  where
    refusal
      response =
        case answered @()
          defaultLimits
          (responseStatusCode response)
          (toList (responseHeaders response))
          ( BL.toStrict
              (responseBody response)
          ) of
          Left (Rejected wrong) -> Just wrong
          _ -> Nothing

-- | What ends a handler that reads a sequence which cannot be read further.
newtype Interrupted = Interrupted Problem
  deriving stock (Eq, Show)

instance Exception Interrupted
