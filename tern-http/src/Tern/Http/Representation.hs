{-# LANGUAGE OverloadedStrings #-}

-- | A value's bytes as an answer: compressed if that is wanted, with length and entity
-- tag, or the 304 or 412 that the request's conditions ask for instead.
--
-- The idea: what is done with bytes after a format has made them is the same for every
-- format and every framework, and stands here once.
--
-- Start at 'represent'.
module Tern.Http.Representation
  ( Manner (..),
    represent,
    onlyReads,
    tagOf,
    codingName',
    unmet,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Network.HTTP.Types
import Network.HTTP.Types.Header (hETag)
import Network.Wai
import Tern.Http.Coding
import Tern.Http.Digest
import Tern.Http.Problem
import Tern.Http.Settings
import Tern.Http.Trouble
import Tern.Negotiate hiding (Coding)

-- | How to hand over an answer's bytes.
data Manner = Manner
  { -- | The coding that the client likes best.
    mannerCoding :: !(Maybe Coding),
    -- | Whether none would do as well, so that short answers need none.
    mannerPlainToo :: !Bool,
    -- | Whether the answer ends with its head.
    mannerHeadOnly :: !Bool
  }

-- | An answer of this status and these headers, with these bytes, which are in a format
-- of this name. Where there are tags, one that the headers bring is not sent: it would say
-- of all formats that they are the same bytes.
represent :: Settings -> Request -> Manner -> ByteString -> Status -> ResponseHeaders -> ByteString -> Response
represent settings request manner format status headers bytes
  | conditional = case outcome True (requestConditions (requestHeaders request)) (Just current) of
      Perform -> answer
      NotModified -> responseLBS notModified304 (varied (tags <> filter ((/= hContentType) . fst) others)) BL.empty
      PreconditionFailed -> unmet settings request tags
  | otherwise = answer
  where
    answer = responseLBS status (varied (described <> others)) (if mannerHeadOnly manner then BL.empty else BL.fromStrict sent)
    coding
      | B.length bytes < settingsCompressFrom settings, mannerPlainToo manner = Nothing
      | otherwise = mannerCoding manner
    sent = maybe bytes (`encoding` bytes) coding
    -- RFC 9110, section 13.2.1: conditions count where the answer would be a success.
    conditional = onlyReads request && statusCode status == 200
    tagged = settingsTags settings && conditional
    tag = tagOf format coding bytes
    tags = [(hETag, renderTag tag) | tagged]
    others
      | tagged = filter ((/= hETag) . fst) headers
      | otherwise = headers
    current =
      Current
        { currentTags = if tagged then [tag] else maybe [] pure (parseTag =<< lookup hETag headers),
          currentModified = parseDate (Date 0) =<< lookup hLastModified headers
        }
    described =
      (hContentLength, BC.pack (show (B.length sent)))
        : [(hContentEncoding, codingName' one) | Just one <- [coding]]
          <> tags

-- | 412, with these headers: what the request demands of the resource does not hold.
unmet :: Settings -> Request -> ResponseHeaders -> Response
unmet settings request headers = respondProblem settings request headers (problem preconditionFailed412 "the resource is not as the request wants it to be")

-- | Is the request's method one that only reads, and has an answer to be read?
onlyReads :: Request -> Bool
onlyReads request = requestMethod request `elem` [methodGet, methodHead]

-- | A strong tag: by the bytes before they are compressed, by the format's name, and by
-- the coding, so that no two representations have the same.
tagOf :: ByteString -> Maybe Coding -> ByteString -> Tag
tagOf format coding bytes = strong (B.intercalate "." (digest bytes : format : [codingName' kind | Just kind <- [coding]]))

-- | As a header has it.
codingName' :: Coding -> ByteString
codingName' = foldMap codingText . codingNames . pure
