{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What a client asks for and what it makes of the answer, whatever it talks HTTP with.
--
-- The idea: a client says in one header which formats it reads, the cheapest first, and
-- reads what comes by what the answer says that it is. So there is one request where the
-- service has none of the better formats, and no state of what it has.
--
-- Start at 'acceptValue' and 'answered'.
module Tern.Http.Answer
  ( -- * Asking
    cheapest,
    cheapestSeries,
    Weighted,
    acceptValue,
    acceptSeries,
    renderAccept,
    ranged,
    Named (..),
    contentOf,

    -- * Reading
    Failure (..),
    renderFailure,
    answered,
    answeredEach,
    formatOf,
    seriesOf,
    readContent,
  )
where

import Control.Exception (Exception)
import Control.Monad (when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.List (dropWhileEnd)
import Data.List.NonEmpty (NonEmpty (..), toList)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (catMaybes)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Network.HTTP.Types
import Tern (Limits, Wire)
import Tern.Http.Content (ContentFault)
import Tern.Http.Format (Entry (..), Format, entry, formatRanges, offersOf, sameSchema)
import Tern.Http.Problem (Problem (..), ofError, ofFault, problem)
import Tern.Http.Series (Series, SeriesEntry (..), Steps, series, seriesRanges)
import Tern.Negotiate
  ( MediaType (..),
    Offer (..),
    Receive (..),
    fieldValue,
    parseMediaType,
    receiving,
    renderMediaType,
  )

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Network.HTTP.Types
-- >>> import Tern

-- * Asking

-- | Every format, those first that cost a client and the network the least.
cheapest :: NonEmpty Format
cheapest = NonEmpty.reverse (minBound :| drop 1 [minBound ..])

-- | Every way to write a sequence, likewise.
cheapestSeries :: NonEmpty Series
cheapestSeries = NonEmpty.reverse (minBound :| drop 1 [minBound ..])

-- | What is asked for, with its weight in thousandths.
type Weighted = (MediaType, Int)

-- | What to accept for a value of a type, by formats in the order of preference, and
-- problems in them.
--
-- >>> renderAccept (acceptValue @Bool cheapest)
-- "application/vnd.tern.native;schema=e975a4669c4ba17f, application/cbor;q=0.9,
-- application/msgpack;q=0.8, application/json;q=0.7, application/vnd.tern.problem;q=0.001,
-- application/problem+cbor;q=0.001, application/problem+msgpack;q=0.001,
-- application/problem+json;q=0.001"
acceptValue :: forall a. (Wire a) => NonEmpty Format -> [Weighted]
acceptValue formats =
  falling (offerType . NonEmpty.head . offersOf @a <$> formats) <> problems formats

-- | What to accept for a sequence.
acceptSeries :: NonEmpty Series -> [Weighted]
acceptSeries kinds = falling (NonEmpty.head . seriesTypes . series <$> kinds) <> problems cheapest

falling :: NonEmpty MediaType -> [Weighted]
falling types = zip (toList types) (map (max 100) [1000, 900 ..])

-- A problem is what nobody wants, but in a format that can be read.
problems :: NonEmpty Format -> [Weighted]
problems formats = [(entryProblem (entry format), 1) | format <- toList formats]

-- | As a header has it.
renderAccept :: [Weighted] -> ByteString
renderAccept = B.intercalate ", " . map one
  where
    one = renderMediaType . ranged

-- | As a range, with its weight as a parameter.
ranged :: Weighted -> MediaType
ranged (media, weight) =
  media
    { mediaParameters =
        mediaParameters media <> [("q", BC.pack ("0." <> digits)) | weight < 1000]
    }
  where
    digits = dropWhileEnd (== '0') (drop 1 (show (1000 + weight)))

-- | Content with the name of what it is.
data Named = Named {namedType :: !MediaType, namedBytes :: !ByteString}

-- | A value as the content of a request, in a format.
contentOf :: forall a. (Wire a) => Format -> a -> Named
contentOf format value =
  Named (offerType (NonEmpty.head (offersOf @a format))) (entryEncode (entry format) value)

-- * Reading

-- | Why there is no value.
data Failure
  = -- | The service says what is wrong.
    Rejected !Problem
  | -- | A status that is no success, and the first 1,000 bytes that came with it.
    Unsuccessful !Status !ByteString
  | -- | The answer is of no type that is read here; what it says that it is.
    NotRead !(Maybe ByteString)
  | -- | The answer does not decode; where and why.
    Malformed !Problem
  | -- | The answer is larger than the limits, or not compressed as it says.
    NotTaken !ContentFault
  deriving stock (Eq, Show)

instance Exception Failure

-- | In words.
--
-- >>> renderFailure (NotRead (Just "text/html"))
-- "the answer is text/html, which is not read here"
renderFailure :: Failure -> Text
renderFailure = \case
  Rejected wrong -> T.concat ["refused: ", inWords wrong]
  Unsuccessful status start ->
    T.concat ["status ", T.pack (show (statusCode status)), ": ", T.decodeUtf8Lenient start]
  NotRead said ->
    maybe
      "the answer does not say what it is"
      ( \what ->
          T.concat ["the answer is ", T.decodeUtf8Lenient what, ", which is not read here"]
      )
      said
  Malformed wrong -> T.concat ["the answer does not decode: ", inWords wrong]
  NotTaken fault -> T.concat ["the answer is not taken: ", inWords (ofFault fault)]
  where
    inWords wrong =
      T.intercalate
        ", "
        ( [T.pack (show (problemCode wrong))]
            <> catMaybes [problemTitle wrong, problemDetail wrong]
        )

-- | The value of an answer with this status, these headers and this content.
--
-- >>> :{
-- answered defaultLimits ok200 [("Content-Type", "application/json")] "[1,2]" :: Either Failure
--   [Int]
-- :}
-- Right [1,2]
-- >>> answered defaultLimits ok200 [("Content-Type", "text/html")] "<p>" :: Either Failure [Int]
-- Left (NotRead (Just "text/html"))
answered :: (Wire a) => Limits -> Status -> ResponseHeaders -> ByteString -> Either Failure a
answered limits status headers bytes
  | not (statusIsSuccessful status) = Left (failed limits status headers bytes)
  | otherwise = do
      (format, media) <-
        maybe (Left (NotRead (fieldValue hContentType headers))) Right (typeOf formatOf headers)
      either (Left . Malformed) Right (readContent limits format media bytes)

-- | By which steps to read the sequence of an answer with this status and these headers;
-- or what to make of all of its content instead.
answeredEach ::
  (Wire a) => Limits -> Status -> ResponseHeaders -> Either (ByteString -> Failure) (Steps a)
answeredEach limits status headers
  | not (statusIsSuccessful status) = Left (failed limits status headers)
  | otherwise = case typeOf seriesOf headers of
      Nothing -> Left (const (NotRead (fieldValue hContentType headers)))
      Just (kind, _) -> Right (seriesRead (series kind) limits)

-- | What an answer that is no success says.
failed :: Limits -> Status -> ResponseHeaders -> ByteString -> Failure
failed limits status headers bytes = case typeOf problemFormat headers of
  Just (format, _) | Right wrong <- entryDecode (entry format) limits bytes -> Rejected wrong
  _ -> Unsuccessful status (B.take 1000 bytes)

typeOf :: (MediaType -> Maybe kind) -> ResponseHeaders -> Maybe (kind, MediaType)
typeOf known headers = do
  media <- parseMediaType =<< fieldValue hContentType headers
  (,media) <$> known media

-- | The format of content of this type.
formatOf :: MediaType -> Maybe Format
formatOf = receiving (concatMap formatRanges [minBound ..])

-- | The way that a sequence of this type is written.
seriesOf :: MediaType -> Maybe Series
seriesOf = receiving (concatMap seriesRanges [minBound ..])

problemFormat :: MediaType -> Maybe Format
problemFormat = receiving [Receive (entryProblem (entry format)) format | format <- [minBound ..]]

-- | A value in content of this format and type, or what is wrong with it and where.
readContent :: forall a. (Wire a) => Limits -> Format -> MediaType -> ByteString -> Either Problem a
readContent limits format media bytes = do
  either
    ( \schema ->
        Left
          ( problem
              unsupportedMediaType415
              ( T.concat
                  [ "the content was written by another schema; this one is read: ",
                    T.decodeUtf8Lenient schema
                  ]
              )
          )
    )
    Right
    (sameSchema @a format media)
  when (B.null bytes) $ Left (problem badRequest400 "there is no content")
  either
    (Left . ofError (entryExplain (entry format)) bytes)
    Right
    (entryDecode (entry format) limits bytes)
