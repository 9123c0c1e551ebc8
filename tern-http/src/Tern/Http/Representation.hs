{-# LANGUAGE OverloadedStrings #-}

-- | A value's bytes as an answer: compressed if that is wanted, with length and entity
-- tag, or the 304 or 412 that the request's conditions ask for instead.
--
-- The idea: what is done with bytes after a format has made them is the same for every
-- format and every framework, and stands here once. A short answer is made before it is
-- sent, and so is one with a tag, which stands before it. Any other is made while it is
-- sent, and is never whole in memory.
--
-- Start at 'represent'.
module Tern.Http.Representation
  ( Manner (..),
    Written (..),
    written,
    represent,
    unlessUnwanted,
    coded,
    currentOf,
    onlyReads,
    tagOf,
    codingName',
    unmet,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (byteString)
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.Maybe (isJust)
import Network.HTTP.Types
import Network.HTTP.Types.Header (hETag)
import Network.Wai (Request (..), Response, responseLBS, responseStream)
import Tern (Wire)
import Tern.Http.Coding (Coding, codingNames, encodingChunks, encodingTo)
import Tern.Http.Digest (digest)
import Tern.Http.Format (Entry (..), Format, entry)
import Tern.Http.Problem (problem)
import Tern.Http.Settings (Settings (..))
import Tern.Http.Trouble (respondProblem)
import Tern.Negotiate
  ( Current (..),
    Date (..),
    Outcome (..),
    Tag,
    codingText,
    outcome,
    parseDate,
    parseTag,
    renderTag,
    requestConditions,
    strong,
    varied,
  )

-- | How to hand over an answer's bytes.
data Manner = Manner
  { -- | The coding that the client likes best.
    mannerCoding :: !(Maybe Coding),
    -- | Whether none would do as well, so that short answers need none.
    mannerPlainToo :: !Bool,
    -- | Whether the answer ends with its head.
    mannerHeadOnly :: !Bool
  }

-- | An answer's content, which may not be made yet.
data Written
  = -- | It is there.
    There BL.ByteString
  | -- | As a whole; if it is short; and while it is sent.
    ToMake BL.ByteString (Maybe ByteString) ((ByteString -> IO ()) -> IO ())

-- | A value in a format.
written :: (Wire a) => Format -> a -> Written
written format value =
  ToMake
    (entryChunks (entry format) value)
    (entryShort (entry format) value)
    (\consume -> entryTo (entry format) consume value)

-- | An answer of this status and these headers, with this content, which is in a format of
-- this name. Its length is said where all of it is there before it is sent. Where there
-- are tags, one that the headers bring is not sent: it would say of all formats that they
-- are the same bytes.
represent ::
  Settings -> Request -> Manner -> ByteString -> Status -> ResponseHeaders -> Written -> Response
represent settings request manner format status headers content
  | isConditional request status && settingsTags settings =
      let coding = codingOf manner settings whole
          tag = (hETag, renderTag (tagOf format coding whole))
          others = filter ((/= hETag) . fst) headers
       in unlessUnwanted settings request status (tag : others) $
            sent (tag : others) coding whole
  | otherwise = unlessUnwanted settings request status headers $ case content of
      There bytes -> sent headers (codingOf manner settings bytes) bytes
      ToMake _ (Just bytes) _
        | chunk <- BL.fromStrict bytes -> sent headers (codingOf manner settings chunk) chunk
      -- What is not short has 2 KiB, mostly. Who compresses only what is longer has to know how
      -- long it is.
      ToMake _ Nothing make
        | settingsCompressFrom settings > 2048,
          isJust (mannerCoding manner) ->
            sent headers (codingOf manner settings whole) whole
        | otherwise -> sentWhileMade make
  where
    whole = case content of
      There bytes -> bytes
      ToMake bytes _ _ -> bytes
    sent others coding bytes =
      responseLBS
        status
        ( varied
            ( [(hContentLength, BC.pack (show (BL.length body))) | null coding || isOneChunk body]
                <> coded coding others
            )
        )
        (if mannerHeadOnly manner then BL.empty else body)
      where
        body = maybe bytes (`encodingChunks` bytes) coding
    -- It is longer than what is left uncompressed for its length.
    sentWhileMade make
      | mannerHeadOnly manner = responseLBS status described BL.empty
      | otherwise = responseStream status described $ \send _ ->
          let consume = send . byteString
           in case mannerCoding manner of
                Nothing -> make consume
                Just coding -> encodingTo coding consume make
      where
        described = varied (coded (mannerCoding manner) headers)

-- | With the coding that the content has.
coded :: Maybe Coding -> ResponseHeaders -> ResponseHeaders
coded coding headers = [(hContentEncoding, codingName' one) | Just one <- [coding]] <> headers

-- | How to compress an answer: not at all where it is short and the client leaves the choice.
codingOf :: Manner -> Settings -> BL.ByteString -> Maybe Coding
codingOf manner settings bytes
  | mannerPlainToo manner, bytes `shorterThan` settingsCompressFrom settings = Nothing
  | otherwise = mannerCoding manner

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
tagOf format coding bytes =
  strong (B.intercalate "." (digest bytes : format : [codingName' kind | Just kind <- [coding]]))

-- | As a header has it.
codingName' :: Coding -> ByteString
codingName' = foldMap codingText . codingNames . pure
