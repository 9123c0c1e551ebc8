{-# LANGUAGE OverloadedStrings #-}

-- | A value's bytes as an answer: compressed if that is wanted, with length and entity
-- tag, or the 304 or 412 that the request's conditions ask for instead.
--
-- The idea: what is done with bytes after a format has made them is the same for every
-- format and every framework, and stands here once. They come in the encoder's
-- chunks, and are sent as they come.
--
-- Start at 'represent'.
module Tern.Http.Representation
  ( Manner (..),
    represent,
    unlessUnwanted,
    currentOf,
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
-- of this name. Its length is said where all of it is there before it is sent: where it
-- has a tag, or is but one chunk. Where there are tags, one that the headers bring is not sent: it would say
-- of all formats that they are the same bytes.
represent ::
  Settings -> Request -> Manner -> ByteString -> Status -> ResponseHeaders -> BL.ByteString -> Response
represent settings request manner format status headers bytes =
  unlessUnwanted settings request status (tags <> others) $
    responseLBS
      status
      (varied (described <> others))
      ( if mannerHeadOnly manner
          then BL.empty
          else sent
      )
  where
    coding
      | bytes `shorterThan` settingsCompressFrom settings, mannerPlainToo manner = Nothing
      | otherwise = mannerCoding manner
    sent = maybe bytes (`encodingChunks` bytes) coding
    tagged = settingsTags settings && isConditional request status
    tags = [(hETag, renderTag (tagOf format coding bytes)) | tagged]
    others
      | tagged = filter ((/= hETag) . fst) headers
      | otherwise = headers
    described =
      [(hContentLength, BC.pack (show (BL.length sent))) | (tagged && null coding) || isOneChunk sent]
        <> [(hContentEncoding, codingName' one) | Just one <- [coding]]
        <> tags

-- | Whether there are fewer bytes, without a look at the others.
shorterThan :: BL.ByteString -> Int -> Bool
shorterThan bytes n = BL.length (BL.take (fromIntegral n) bytes) < fromIntegral n

-- | Whether there is nothing after the first chunk.
isOneChunk :: BL.ByteString -> Bool
isOneChunk = null . drop 1 . BL.toChunks

-- | An answer of this status, whose headers say the tag and the date that it has; or 304
-- or 412, where the request's conditions say so.
unlessUnwanted :: Settings -> Request -> Status -> ResponseHeaders -> Response -> Response
unlessUnwanted settings request status headers answer
  | isConditional
      request
      status =
      case outcome True (requestConditions (requestHeaders request)) (Just (currentOf headers)) of
        Perform -> answer
        NotModified ->
          responseLBS notModified304 (varied (filter ((/= hContentType) . fst) headers)) BL.empty
        PreconditionFailed -> unmet settings request (filter ((== hETag) . fst) headers)
  | otherwise = answer

-- | RFC 9110, section 13.2.1: conditions count where the answer would be a success.
isConditional :: Request -> Status -> Bool
isConditional request status = onlyReads request && statusCode status == 200

-- | What an answer's headers say of the resource.
currentOf :: ResponseHeaders -> Current
currentOf headers =
  Current
    { currentTags = maybe [] pure (parseTag =<< lookup hETag headers),
      currentModified = parseDate (Date 0) =<< lookup hLastModified headers
    }

-- | 412, with these headers: what the request demands of the resource does not hold.
unmet :: Settings -> Request -> ResponseHeaders -> Response
unmet settings request headers =
  respondProblem
    settings
    request
    headers
    ( problem
        preconditionFailed412
        "the resource is not as the request wants it to be"
    )

-- | Is the request's method one that only reads, and has an answer to be read?
onlyReads :: Request -> Bool
onlyReads request = requestMethod request `elem` [methodGet, methodHead]

-- | A strong tag: by the bytes before they are compressed, by the format's name, and by
-- the coding, so that no two representations have the same.
tagOf :: ByteString -> Maybe Coding -> BL.ByteString -> Tag
tagOf format coding bytes = strong (B.intercalate "." (digest bytes : format : [codingName' kind | Just kind <- [coding]]))

-- | As a header has it.
codingName' :: Coding -> ByteString
codingName' = foldMap codingText . codingNames . pure
