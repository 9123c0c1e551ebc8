{-# LANGUAGE OverloadedStrings #-}

-- | Content negotiation as one pure function, by RFC 9110.
--
-- The idea: what a service can do is a value ('Service'), a request's head is its method
-- and headers, and 'negotiate' says from both what to do ('Decision'): in which format
-- and coding to answer, in which ones the request's content is, or why not and what
-- would do instead. It knows neither WAI nor any format; what formats and codings are is
-- for its caller to say.
--
-- Every header costs time in proportion to its length, and none may be longer than
-- 'maxHeaderBytes'.
--
-- Start at 'negotiate'.
module Tern.Negotiate
  ( -- * What a service can do
    Service (..),
    Receive (..),
    Coding (..),

    -- * What to do with a request
    negotiate,
    negotiateWith,
    Decision (..),
    Plan (..),
    Content (..),
    encodingFor,
    recognise,
    receiving,
    codingsOf,
    hasContent,
    longHeader,
    maxHeaderBytes,
    maxCodings,

    -- * What to answer with
    Refusal (..),
    refusalStatus,
    refusalHeaders,
    optionsHeaders,
    varied,
    allowed,
    acceptHeaders,

    -- * The parts
    module Tern.Negotiate.MediaType,
    module Tern.Negotiate.Accept,
    module Tern.Negotiate.Preference,
    module Tern.Negotiate.Condition,
    module Tern.Negotiate.Date,
    requestConditions,
    fieldValue,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.CaseInsensitive (original)
import Data.List (find, nub)
import Data.List.NonEmpty (NonEmpty, toList)
import Data.Maybe (isJust)
import Network.HTTP.Types
import Network.HTTP.Types.Header
  ( hAcceptEncoding,
    hContentRange,
    hIfMatch,
    hIfNoneMatch,
    hTransferEncoding,
    hVary,
  )
import Tern.Negotiate.Accept
import Tern.Negotiate.Condition
import Tern.Negotiate.Date
import Tern.Negotiate.Header (elements, folded, trimmed)
import Tern.Negotiate.MediaType
import Tern.Negotiate.Preference

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.List.NonEmpty (NonEmpty (..))
-- >>> import Data.Maybe (fromJust)
-- >>> let media = fromJust . parseMediaType
-- >>> :{
-- let service = Service {methods = ["GET", "POST"], offers = offer 'j' (media "application/json")
--       :| [offer 'm' (media "application/msgpack")], codings = [Coding "gzip" 'z'],
--       receives = [Receive (media "application/json") 'j', Receive (media "*/*+json") 'j'],
--       decodings = [Coding "gzip" 'z']}
-- :}

-- * What a service can do

-- | What a service can do, with formats and codings of the caller's own types.
data Service format coding = Service
  { -- | The methods that it answers. @HEAD@ is one wherever @GET@ is, and @OPTIONS@
    -- always.
    methods :: ![Method],
    -- | What it can answer with, the one it likes best first.
    offers :: !(NonEmpty (Offer format)),
    -- | How it can encode what it answers, the best first, besides not at all.
    codings :: ![Coding coding],
    -- | Which content of requests it reads; the most specific that fits counts.
    receives :: ![Receive format],
    -- | Which codings of requests' content it can undo.
    decodings :: ![Coding coding]
  }

-- | A range of media types of requests, and what their content is.
data Receive format = Receive {receiveRange :: !MediaType, receiveFormat :: !format}
  deriving stock (Eq, Show)

-- | A content coding by its name in lower case.
data Coding coding = Coding {codingText :: !ByteString, codingKind :: !coding}
  deriving stock (Eq, Show)

-- * What to do with a request

-- | What to do with a request, as far as its method and headers say.
data Decision format coding
  = -- | Handle it.
    Proceed !(Plan format coding)
  | -- | It asks what can be done here: answer 204 with 'optionsHeaders'.
    Describe
  | -- | Answer with 'refusalStatus' and 'refusalHeaders'.
    Refuse !Refusal
  deriving stock (Eq, Show)

-- | How to handle a request.
data Plan format coding = Plan
  { -- | In what to answer.
    planOffer :: !(Offer format),
    -- | How to encode the answer; 'Nothing' is not at all.
    planCoding :: !(Maybe (Coding coding)),
    -- | Whether an answer that is not encoded would do as well.
    planPlainToo :: !Bool,
    -- | What the request's content is, if it has any.
    planContent :: !(Maybe (Content format coding)),
    -- | Whether the answer ends with its head, as for @HEAD@.
    planHeadOnly :: !Bool,
    -- | What the request accepts, for who has other offers than those of the service.
    planAccept :: !Accept
  }
  deriving stock (Eq, Show)

-- | What a request's content is.
data Content format coding = Content
  { contentFormat :: !format,
    contentType :: !MediaType,
    -- | The codings to undo, the one that was put on last first.
    contentCodings :: ![Coding coding]
  }
  deriving stock (Eq, Show)

-- | Why a request is not handled, and what would be.
data Refusal
  = -- | 405, and the methods that would do.
    MethodNotAllowed ![Method]
  | -- | 406, and the media types on offer.
    NoTypeAcceptable ![MediaType]
  | -- | 406, and the codings on offer.
    NoCodingAcceptable ![ByteString]
  | -- | 415, and the ranges that are read.
    UnsupportedType ![MediaType]
  | -- | 415, and the codings that are understood.
    UnsupportedCoding ![ByteString]
  | -- | 400: the content is a part of what would be put.
    PartialContent
  | -- | 431, and which header is longer than 'maxHeaderBytes'.
    HeaderTooLong !HeaderName
  deriving stock (Eq, Show)

-- | What to do with a request of this method and these headers.
--
-- >>> let ask method headers = negotiate service method headers
-- >>> :{
-- let Proceed plan = ask "GET" [("Accept", "application/msgpack, */*;q=0.5"),
--       ("Accept-Encoding", "gzip")]
-- :}
-- >>> (offerFormat (planOffer plan), codingKind <$> planCoding plan)
-- ('m',Just 'z')
-- >>> ask "GET" [("Accept", "image/png")]
-- Refuse (NoTypeAcceptable [MediaType {mediaType = "application", mediaSubtype = "json",
-- mediaParameters = []},MediaType {mediaType = "application", mediaSubtype = "msgpack",
-- mediaParameters = []}])
-- >>> ask "DELETE" []
-- Refuse (MethodNotAllowed ["GET","HEAD","POST","OPTIONS"])
negotiate :: Service format coding -> Method -> RequestHeaders -> Decision format coding
negotiate service method headers =
  negotiateWith (parseAccept (fieldValue hAccept headers)) service method headers

-- | The same for who has read @Accept@ already.
negotiateWith ::
  Accept -> Service format coding -> Method -> RequestHeaders -> Decision format coding
negotiateWith accept service method headers
  | Just name <- longHeader headers = Refuse (HeaderTooLong name)
  | method == methodOptions = Describe
  | not (isAllowed method (methods service)) =
      Refuse (MethodNotAllowed (allowed (methods service)))
  | otherwise = either Refuse Proceed $ do
      content <-
        if hasContent method headers
          then Just <$> recognise (receives service) (decodings service) headers
          else Right Nothing
      chosen <- choice NoTypeAcceptable offerType (typePreference accept) (toList (offers service))
      (coding, plainToo) <- encodingFor (codings service) headers
      Right
        Plan
          { planOffer =
              chosen,
            planCoding = coding,
            planPlainToo = plainToo,
            planContent = content,
            planHeadOnly = method == methodHead,
            planAccept = accept
          }

-- | How to encode the answer, where 'Nothing' is not at all; and whether not at all would
-- do as well.
--
-- >>> :{
-- fmap codingKind . fst <$> encodingFor (codings service) [("Accept-Encoding", "br, gzip;q=0.5")]
-- :}
-- Right (Just 'z')
encodingFor :: [Coding coding] -> RequestHeaders -> Either Refusal (Maybe (Coding coding), Bool)
encodingFor those headers = case parseAcceptEncoding (fieldValue hAcceptEncoding headers) of
  AnyCoding -> Right (Nothing, True)
  accept ->
    (,codingPreference accept "identity" > Refused)
      <$> choice
        NoCodingAcceptable
        name
        (codingPreference accept . name)
        (map Just those <> [Nothing])
  where
    name = maybe "identity" codingText

-- | What is preferred, or that nothing is acceptable of what is on offer.
choice :: ([name] -> Refusal) -> (a -> name) -> (a -> Preference) -> [a] -> Either Refusal a
choice none name preference those =
  maybe (Left (none (map name those))) Right (choose preference those)

-- | A header that is too long to be looked at, among those that negotiation looks at.
longHeader :: RequestHeaders -> Maybe HeaderName
longHeader headers
  -- Mostly all of them together are not too long, with a comma for each.
  | sum (map ((+ 2) . B.length . snd) headers) <= maxHeaderBytes = Nothing
  | otherwise =
      find
        tooLong
        [ hAccept,
          hAcceptEncoding,
          hContentType,
          hContentEncoding,
          hIfMatch,
          hIfNoneMatch
        ]
  where
    tooLong name = maybe 0 B.length (fieldValue name headers) > maxHeaderBytes

-- | What the request's content is, by @Content-Type@ and @Content-Encoding@. Content of
-- no type, or of a malformed one, is refused: nobody should guess.
--
-- >>> let ranges = receives service
-- >>> :{
-- contentFormat <$> recognise ranges (decodings service)
--   [("Content-Type", "application/vnd.birds+json; charset=utf-8")]
-- :}
-- Right 'j'
-- >>> :{
-- recognise ranges (decodings service)
--   [("Content-Type", "application/json"), ("Content-Encoding", "br")]
-- :}
-- Left (UnsupportedCoding ["gzip"])
recognise ::
  [Receive format] -> [Coding coding] -> RequestHeaders -> Either Refusal (Content format coding)
recognise ranges understood headers = do
  -- RFC 9110, section 14.5: who does not know what a part is must not take it for all.
  if isJust (fieldValue hContentRange headers) then Left PartialContent else Right ()
  (format, media) <- maybe (Left (UnsupportedType (map receiveRange ranges))) Right $ do
    media <- parseMediaType =<< fieldValue hContentType headers
    format <- receiving ranges media
    Just (format, media)
  undone <- codingsOf understood headers
  Right Content {contentFormat = format, contentType = media, contentCodings = undone}

-- | The codings to undo of the request's content, the one that was put on last first.
--
-- >>> map codingText <$> codingsOf (decodings service) [("Content-Encoding", "GZIP, identity")]
-- Right ["gzip"]
codingsOf :: [Coding coding] -> RequestHeaders -> Either Refusal [Coding coding]
codingsOf understood headers =
  maybe (Left (UnsupportedCoding (map codingText understood))) Right $ do
    found <-
      traverse (\name -> find ((== name) . codingText) understood) (take (maxCodings + 1) names)
    if length found > maxCodings then Nothing else Just (reverse found)
  where
    names =
      filter
        (/= "identity")
        ( map
            codingName
            ( maybe
                []
                elements
                (fieldValue hContentEncoding headers)
            )
        )

-- | The format of the most specific range that has a type in it, the first of several.
receiving :: [Receive format] -> MediaType -> Maybe format
receiving ranges media
  | not (isConcrete media) = Nothing
  -- Nothing is more specific than the type itself, where it has no parameters.
  | null (mediaParameters media),
    Just itself <- find ((== media) . receiveRange) ranges =
      Just (receiveFormat itself)
  | otherwise = receiveFormat . snd <$> foldr later Nothing fitting
  where
    fitting =
      [ (specificity, range)
        | range <-
            ranges,
          Just specificity <- [matches (receiveRange range) media]
      ]
    later one = \case
      Just best | fst best > fst one -> Just best
      _ -> Just one

-- | Whether a request of this method comes with content that means something, as far as
-- its headers say. HTTP/2 need not say how long content is, so that a type is taken as a
-- sign of it for methods that are meant to have some.
hasContent :: Method -> RequestHeaders -> Bool
hasContent method headers
  | method `elem` [methodGet, methodHead] = False
  -- RFC 9112, section 6.3: where both are there the length counts for nothing.
  | isJust (lookup hTransferEncoding headers) = True
  | Just size <- trimmed <$> lookup hContentLength headers = B.any (/= 48) size
  | otherwise =
      isJust (lookup hContentType headers)
        && method `elem` [methodPost, methodPut, methodPatch, "QUERY"]

-- | 65,536: as many bytes a header may have, all lines of it together. Servers have
-- limits of their own; Warp takes 50,000 for all headers.
maxHeaderBytes :: Int
maxHeaderBytes = 65536

-- | 3: as many codings may be on a request's content.
maxCodings :: Int
maxCodings = 3

-- * What to answer with

-- | The status of a refusal.
refusalStatus :: Refusal -> Status
refusalStatus = \case
  MethodNotAllowed _ -> methodNotAllowed405
  NoTypeAcceptable _ -> notAcceptable406
  NoCodingAcceptable _ -> notAcceptable406
  UnsupportedType _ -> unsupportedMediaType415
  UnsupportedCoding _ -> unsupportedMediaType415
  PartialContent -> badRequest400
  HeaderTooLong _ -> requestHeaderFieldsTooLarge431

-- | What a refusal's head says of what would do, for a resource with these methods:
-- @Allow@, @Accept@ with @Accept-Post@ and @Accept-Patch@ where the service has those
-- methods, or @Accept-Encoding@; and @Vary@.
refusalHeaders :: [Method] -> Refusal -> ResponseHeaders
refusalHeaders known refusal =
  varied $ case refusal of
    MethodNotAllowed those -> [("Allow", commas those)]
    NoTypeAcceptable _ -> []
    NoCodingAcceptable _ -> []
    UnsupportedType ranges ->
      (hAccept, listed ranges) : acceptHeaders known ranges
    UnsupportedCoding names ->
      [(hAcceptEncoding, commas (if null names then ["identity"] else names))]
    PartialContent -> []
    HeaderTooLong _ -> []

-- | What the answer to @OPTIONS@ says: the methods, and what content they take.
--
-- >>> optionsHeaders service
-- [("Vary","Accept, Accept-Encoding"),("Allow","GET, HEAD, POST,
-- OPTIONS"),("Accept-Post","application/json, */*+json")]
optionsHeaders :: Service format coding -> ResponseHeaders
optionsHeaders service =
  varied
    ( ("Allow", commas (allowed (methods service)))
        : acceptHeaders (methods service) (map receiveRange (receives service))
    )

-- | @Accept-Post@ and @Accept-Patch@, for those of the methods that these say something of
-- and with these ranges.
acceptHeaders :: [Method] -> [MediaType] -> ResponseHeaders
acceptHeaders known ranges =
  [ (name, listed ranges)
    | (method, name) <- [(methodPost, "Accept-Post"), (methodPatch, "Accept-Patch")],
      method `elem` known
  ]

-- | An answer's headers, with what every answer depends on, so that no cache gives one
-- client's answer to another. What they say it depends on besides stays.
--
-- >>> varied [("Vary", "Origin, accept")]
-- [("Vary","Accept, Accept-Encoding, Origin")]
-- >>> varied [("Vary", "*"), ("Age", "1")]
-- [("Vary","*"),("Age","1")]
varied :: ResponseHeaders -> ResponseHeaders
varied headers = case fieldValue hVary headers of
  Nothing -> (hVary, "Accept, Accept-Encoding") : headers
  Just value -> (hVary, commas (names (elements value))) : filter ((/= hVary) . fst) headers
  where
    names said
      | "*" `elem` said = ["*"]
      | otherwise = always <> filter ((`notElem` map folded always) . folded) said
    always = ["Accept", "Accept-Encoding"]

-- | Whether a method is one of these or goes without saying.
isAllowed :: Method -> [Method] -> Bool
isAllowed method known =
  method `elem` known || method == methodOptions || method == methodHead && methodGet `elem` known

-- | Methods, with those that go without saying.
allowed :: [Method] -> [Method]
allowed known =
  foldr
    (\method others -> method : filter (/= method) others)
    []
    (concatMap also known <> [methodOptions])
  where
    also method
      | method == methodGet = [methodGet, methodHead]
      | otherwise = [method]

listed :: [MediaType] -> ByteString
listed = commas . map renderMediaType . nub

commas :: [ByteString] -> ByteString
commas = B.intercalate ", "

-- * The parts

-- | What a request demands of the resource as it is now.
requestConditions :: RequestHeaders -> Conditions
requestConditions headers = conditions (`fieldValue` headers)

-- | A header's value; that of several lines is theirs with commas between them (RFC 9110,
-- section 5.3). Where a server has let the end of a line into it, or a zero, there is a space
-- (section 5.5). Where it has taken a line that goes on from the one before, which begins with
-- a space or a tab (RFC 9112, section 5.2), for a header of its own, the line is put back.
--
-- >>> fieldValue "Accept" [("Accept", "a/b"), ("Host", "x"), ("Accept", "c/d")]
-- Just "a/b, c/d"
-- >>> fieldValue "Accept" [("Accept", "a/b,\r\n c/d")]
-- Just "a/b,   c/d"
-- >>> fieldValue "Accept" [("Accept", "a/b,"), (" c/d;x=\"y", "z\""), ("Host", "x")]
-- Just "a/b, c/d;x=\"y:z\""
fieldValue :: HeaderName -> RequestHeaders -> Maybe ByteString
fieldValue name headers = case values headers of
  [] -> Nothing
  found -> Just (commas found)
  where
    values = \case
      [] -> []
      (name', value) : rest
        | name' == name,
          (more, others) <- span goesOn rest ->
            spaced (B.concat (value : map line more)) : values others
        | otherwise -> values rest
    goesOn (name', _) = case B.uncons (original name') of
      Just (b, _) -> b == 32 || b == 9
      Nothing -> False
    -- What was taken for a name ends before a colon.
    line (name', value)
      | B.null value = original name'
      | otherwise = B.concat [original name', ":", value]
    spaced value
      | B.any isEnd value = B.map (\b -> if isEnd b then 32 else b) value
      | otherwise = value
    isEnd b = b == 13 || b == 10 || b == 0
