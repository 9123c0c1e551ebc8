{-# LANGUAGE OverloadedStrings #-}

-- | What a client accepts: the headers @Accept@ and @Accept-Encoding@, as RFC 9110,
-- sections 12.5.1 and 12.5.3, has them.
--
-- The idea: a header is parsed once, to data; what it says of one offer is a pure
-- function of both. Where several ranges fit an offer, the most specific one decides,
-- and of equally specific ones that with the highest weight.
--
-- Start at 'parseAccept' and 'typePreference'.
module Tern.Negotiate.Accept
  ( -- * Media types
    Accept (..),
    parseAccept,
    Offer (..),
    offer,
    typePreference,

    -- * Content codings
    AcceptEncoding (..),
    parseAcceptEncoding,
    codingName,
    codingPreference,
  )
where

import Control.Applicative ((<|>))
import Data.ByteString (ByteString)
import Data.List.NonEmpty (nonEmpty)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Tern.Negotiate.Header (elements, folded, isToken, parameters, token)
import Tern.Negotiate.MediaType (MediaType (..), describing, matches, parseMediaType)
import Tern.Negotiate.Preference (Preference (..), Quality, highest, preferred, weighted)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.Maybe
-- >>> import Tern.Negotiate.MediaType

-- * Media types

-- | What a client accepts of media types.
data Accept
  = -- | Everything: it does not say, or nothing that can be understood.
    Anything
  | -- | These ranges, in the header's order, and there is at least one.
    Ranges ![(MediaType, Quality)]
  deriving stock (Eq, Show)

-- | The header's value, if there is one. Malformed elements are left out. A header
-- without any element that can be understood says as much as none: RFC 9110, section
-- 12.1, lets a server disregard it, and a client that sends an empty one is better
-- served by an answer than by a refusal.
--
-- >>> parseAccept (Just "text/*;q=0.5, nonsense, */*;q=7")
-- Ranges [(MediaType {mediaType = "text", mediaSubtype = "*", mediaParameters = []},500)]
-- >>> map parseAccept [Nothing, Just "", Just "nonsense"]
-- [Anything,Anything,Anything]
parseAccept :: Maybe ByteString -> Accept
parseAccept value = case mapMaybe range (maybe [] elements value) of
  [] -> Anything
  ranges -> Ranges ranges
  where
    range element = do
      media <- parseMediaType element
      (quality, others) <- weighted (mediaParameters media)
      Just (media {mediaParameters = others}, quality)

-- | A media type that a server can answer with, and what it stands for.
data Offer format = Offer
  { offerFormat :: !format,
    offerType :: !MediaType,
    -- | Names of parameters that say nothing of this type: a range that asks for them
    -- matches as if it did not. @charset@ is one for JSON (RFC 8259, section 11).
    offerIgnores :: ![ByteString]
  }
  deriving stock (Eq, Show, Functor)

-- | An offer of a type all of whose parameters count.
offer :: format -> MediaType -> Offer format
offer format media = Offer {offerFormat = format, offerType = media, offerIgnores = []}

-- | What the header says of an offer. For an offer that it does not name, time is in
-- proportion to the logarithm of the header's length, after the first; else also to how
-- many ranges name it.
--
-- >>> let header = parseAccept (Just "text/*;q=0.3, text/html;q=0.7, text/html;level=1")
-- >>> :{
-- map (typePreference header . offer () . fromJust . parseMediaType)
--   ["text/html;level=1", "text/html", "text/plain", "image/png"]
-- :}
-- [Preferred 1000,Preferred 700,Preferred 300,Refused]
typePreference :: Accept -> Offer format -> Preference
typePreference accept = case accept of
  Anything -> const Tolerated
  Ranges ranges ->
    -- A header may have a thousand ranges, and a service a dozen offers: many ranges are found by
    -- their names.
    let few = null (drop 8 ranges)
        named =
          Map.fromListWith
            (<>)
            [((mediaType range, mediaSubtype range), [each]) | each@(range, _) <- ranges]
        near media
          | few = ranges
          | otherwise =
              concat
                [ Map.findWithDefault [] names named
                  | names <-
                      (,) <$> describing (mediaType media) <*> describing (mediaSubtype media)
                ]
     in \(Offer _ media ignored) ->
          let meant range
                | null ignored = range
                | otherwise =
                    range
                      { mediaParameters = filter ((`notElem` ignored) . fst) (mediaParameters range)
                      }
           in decided
                [ (specificity, quality)
                  | (range, quality) <- near media,
                    Just specificity <- [matches (meant range) media]
                ]

-- | By the most specific, and among those the highest.
decided :: (Ord specificity) => [(specificity, Quality)] -> Preference
decided = maybe Refused (preferred . snd . maximum) . nonEmpty

-- * Content codings

-- | What a client accepts of content codings.
data AcceptEncoding
  = -- | It does not say: everything, and no coding at all is best.
    AnyCoding
  | -- | Names in lower case, or @*@, in the header's order; there may be none.
    Codings ![(ByteString, Quality)]
  deriving stock (Eq, Show)

-- | The header's value, if there is one. Malformed elements are left out.
--
-- >>> parseAcceptEncoding (Just "GZip;q=0.5, a b, *;q=0")
-- Codings [("gzip",500),("*",0)]
parseAcceptEncoding :: Maybe ByteString -> AcceptEncoding
parseAcceptEncoding = maybe AnyCoding (Codings . mapMaybe coding . elements)
  where
    coding element
      | (name, rest) <- token element,
        isToken name = do
          (quality, _) <- weighted =<< parameters rest
          Just (codingName name, quality)
      | otherwise = Nothing

-- | In lower case, and by the newer of two names (RFC 9110, section 8.4.1).
--
-- >>> map codingName ["GZIP", "x-gzip", "zstd"]
-- ["gzip","gzip","zstd"]
codingName :: ByteString -> ByteString
codingName name = case folded name of
  "x-gzip" -> "gzip"
  "x-compress" -> "compress"
  other -> other

-- | What the header says of a coding, by its name; @identity@ is none. That is
-- acceptable unless it is refused, though what is asked for comes before it.
--
-- >>> map (codingPreference (parseAcceptEncoding (Just "gzip;q=0.5"))) ["gzip", "identity", "zstd"]
-- [Preferred 500,Tolerated,Refused]
-- >>> map (codingPreference (parseAcceptEncoding (Just "gzip, *;q=0"))) ["gzip", "identity"]
-- [Preferred 1000,Refused]
codingPreference :: AcceptEncoding -> ByteString -> Preference
codingPreference accept name = case accept of
  AnyCoding
    | isIdentity -> Preferred highest
    | otherwise -> Tolerated
  Codings codings -> case said wanted codings <|> said "*" codings of
    Just quality -> preferred quality
    Nothing
      | isIdentity -> Tolerated
      | otherwise -> Refused
  where
    wanted = codingName name
    isIdentity = wanted == "identity"
    said which codings =
      maximum <$> nonEmpty [quality | (coding, quality) <- codings, coding == which]
