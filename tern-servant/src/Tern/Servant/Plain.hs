{-# LANGUAGE OverloadedStrings #-}

-- | A request's headers, such that Servant understands them as RFC 9110 does.
--
-- The idea: Servant reads @Accept@ and @Content-Type@ by rules of its own. So what they mean
-- is decided by "Tern.Negotiate", and Servant is told the outcome in words that leave it
-- nothing to decide: of what a path gives what is acceptable, each with a weight that no
-- other has; and of what it reads the one type that the content's is.
--
-- Start at 'plainly'.
module Tern.Servant.Plain
  ( plainly,
    plainAccept,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.List (find, nub, sortOn)
import Data.Maybe (fromMaybe, isJust)
import Data.Ord (Down (..))
import Network.HTTP.Types (RequestHeaders, hAccept, hContentType)
import Network.Wai (Middleware, Request (..))
import Tern.Http.Trouble (accepted)
import Tern.Negotiate
  ( Accept (..),
    MediaType (..),
    Offer (..),
    Preference (..),
    Quality (..),
    Receive (..),
    fieldValue,
    isConcrete,
    parseMediaType,
    receiving,
    renderMediaType,
    typePreference,
  )
import Tern.Negotiate.Header (isToken)
import Tern.Servant.Resource (Endpoint (..), endsOf, givenAt, readAt)

-- | The request for Servant, by what there is at its path; nothing is where that is not known.
plainly :: [Endpoint] -> Middleware
plainly here app request =
  app
    request
      { requestHeaders =
          accepting here request
            <> containing here request
            <> filter ((`notElem` [hAccept, hContentType]) . fst) (requestHeaders request)
      }

-- | The same where nothing is known of paths: @Accept@ is left without elements that are malformed
-- or that nothing can match, and without a character set, which no format here has.
plainAccept :: Middleware
plainAccept = plainly []

-- * Accept

-- | No header where it says nothing.
accepting :: [Endpoint] -> Request -> RequestHeaders
accepting here request = case accepted request of
  Anything -> []
  accept@(Ranges given) ->
    [ ( hAccept,
        B.intercalate ", " . orNothing $
          if null gives then map range (filter plain (map named given)) else ranked accept
      )
    ]
  where
    gives
      | all (isJust . endpointMethod) here = nub (givenAt (requestMethod request) here)
      -- What takes whatever comes gives what nobody knows.
      | otherwise = []
    ranked accept =
      zipWith
        (\weight (_, media) -> weighing weight media)
        [1000, 999 .. 1]
        ( sortOn
            (Down . fst)
            [ (preference, media)
              | media <- gives,
                let preference = typePreference accept (Offer () media ["charset"]),
                preference > Refused
            ]
        )
    named (media, weight) =
      (media {mediaParameters = filter ((/= "charset") . fst) (mediaParameters media)}, weight)
    range (media, Quality weight) = weighing weight media
    -- What is not would make all of the header malformed for Servant.
    plain (media, _) =
      (mediaType media /= "*" || mediaSubtype media == "*") && all isPlain (mediaParameters media)
    orNothing those = if null those then [nothing] else those

-- | A type that nobody reads or gives.
nothing :: ByteString
nothing = "application/x-nothing"

weighing :: Int -> MediaType -> ByteString
weighing weight media =
  renderMediaType media {mediaParameters = mediaParameters media <> [("q", thousandths)]}
  where
    thousandths
      | weight >= 1000 = "1"
      | otherwise = "0." <> BC.pack (drop 1 (show (1000 + weight)))

-- | Servant's parser cuts parameters at each semicolon and equals sign.
isPlain :: (ByteString, ByteString) -> Bool
isPlain (_, value) = isToken value

-- * Content-Type

-- | One header, of the type that is read there; what is no type, or several, is one that nobody
-- reads.
containing :: [Endpoint] -> Request -> RequestHeaders
containing here request
  | null types = filter ((== hContentType) . fst) (requestHeaders request)
  | otherwise = case fieldValue hContentType (requestHeaders request) of
      Nothing -> []
      Just value -> [(hContentType, maybe nothing (renderMediaType . named) (parseMediaType value))]
  where
    types = readAt (requestMethod request) here
    named media =
      (maybe media (called media) (receiving [Receive range range | range <- types] media))
        { mediaParameters = filter isPlain (mediaParameters media)
        }
    -- By the end of its name it is what the first type of its format is.
    called media range
      | isConcrete range = media
      | otherwise = fromMaybe media (find ((range `elem`) . endsOf) types)
