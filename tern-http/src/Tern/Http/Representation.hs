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
    accepted,
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
import Tern.Http.Settings
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
-- of this name.
represent :: Settings -> Request -> Manner -> ByteString -> Status -> ResponseHeaders -> ByteString -> Response
represent settings request manner format status headers bytes
  | tagged, Just answer <- conditional request headers tag = answer
  | otherwise = responseLBS status (described <> headers) (if mannerHeadOnly manner then BL.empty else BL.fromStrict sent)
  where
    coding
      | B.length bytes < settingsCompressFrom settings, mannerPlainToo manner = Nothing
      | otherwise = mannerCoding manner
    sent = maybe bytes (`encoding` bytes) coding
    tag = tagOf format coding bytes
    -- RFC 9110, section 13.2.1: conditions count where the answer would be a success.
    tagged = settingsTags settings && onlyReads request && statusCode status == 200
    described =
      varyHeader
        : (hContentLength, BC.pack (show (B.length sent)))
        : [(hContentEncoding, codingName' one) | Just one <- [coding]]
          <> [(hETag, renderTag tag) | tagged]

-- | 304 or 412, where the request's conditions say so of a resource with this tag.
conditional :: Request -> ResponseHeaders -> Tag -> Maybe Response
conditional request headers tag = case outcome True (requestConditions (requestHeaders request)) (Just [tag]) of
  Perform -> Nothing
  NotModified -> Just (responseLBS notModified304 (varyHeader : (hETag, renderTag tag) : filter ((/= hContentType) . fst) headers) BL.empty)
  PreconditionFailed -> Just (responseLBS preconditionFailed412 [varyHeader, (hETag, renderTag tag)] BL.empty)

-- | Is the request's method one that only reads, and has an answer to be read?
onlyReads :: Request -> Bool
onlyReads request = requestMethod request `elem` [methodGet, methodHead]

-- | A strong tag: by the bytes before they are compressed, by the format's name, and by
-- the coding, so that no two representations have the same.
tagOf :: ByteString -> Maybe Coding -> ByteString -> Tag
tagOf format coding bytes = strong (B.intercalate "." (digest bytes : format : [codingName' kind | Just kind <- [coding]]))

codingName' :: Coding -> ByteString
codingName' = foldMap codingText . codingNames . pure

-- | What media types a request accepts.
accepted :: Request -> Accept
accepted = parseAccept . fieldValue hAccept . requestHeaders
