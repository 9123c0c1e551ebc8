{-# LANGUAGE OverloadedStrings #-}

-- | Documents that aeson's instances of twitter-types read otherwise than Tern's.
--
-- The idea: what differs is known, each with a document that shows it. Start at 'apart'.
module Tern.Moved.Twitter.Apart (apart) where

import Data.Aeson (FromJSON)
import Data.Aeson qualified as A
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Text qualified as T
import Data.Time (UTCTime (..))
import Tern (Wire, decodeJson, encodeJson)
import Tern.Moved (Apart (..))
import Tern.Moved.Twitter ()
import Tern.Moved.Twitter.Timeline (statusOf)
import Web.Twitter.Types

-- | What differs, and how.
apart :: [Apart]
apart =
  [ differing
      "of two names that a field has, the last counts, and aeson's instance prefers one"
      (T.unpack . statusText)
      (member "\"full_text\":\"long\"")
      (Just "long", Just (T.unpack (statusText status))),
    differing
      "an error beside all fields is a field that is not known"
      (show . statusId)
      (member "\"error\":\"no\"")
      (Nothing, Just (show (statusId status))),
    differing
      "what is read as nothing where it is something else"
      (show . statusCurrentUserRetweet)
      (member "\"current_user_retweet\":7")
      (Just "Nothing", Nothing),
    differing
      "a field of type Maybe may be missing"
      (show . vsAspectRatio)
      "{\"variants\":[]}"
      (Nothing, Just "[]"),
    differing
      "what is unknown is any document"
      (show :: EventTarget -> String)
      "7"
      (Nothing, Just (show (ETUnknown (A.Number 7)))),
    differing
      "letters after digits"
      (show . dmId)
      (message "12ab")
      (Just "12", Nothing),
    differing
      "what is written is read"
      (show :: StreamingAPI -> String)
      (encodeJson (SFriends [1, 2]))
      (Nothing, Just (show (SFriends [1, 2]))),
    differing
      "what is written is read as what it was"
      constructor
      (message "12")
      (Just "SUnknown", Just "SDirectMessage"),
    differing
      "a leap second is written as either reads it"
      (show . statusCreatedAt)
      (encodeJson status {statusCreatedAt = leap})
      (Just (show leap), Just (show leap))
  ]
  where
    status = statusOf 1
    leap = (statusCreatedAt status) {utctDayTime = 86400}
    -- Before the others.
    member text = B.concat ["{", text, ",", B.drop 1 (encodeJson status)]
    constructor :: StreamingAPI -> String
    constructor = takeWhile (/= ' ') . show
    message number =
      B.concat
        [ "{\"id\":",
          BC.pack (show (BC.unpack number)),
          ",\"created_timestamp\":\"0\",\"message_create\":{\"target\":{\"recipient_id\":\"1\"},",
          "\"sender_id\":\"2\",\"message_data\":{\"text\":\"\",\"entities\":{}}}}"
        ]

differing ::
  (FromJSON a, Wire a) =>
  String ->
  (a -> String) ->
  ByteString ->
  (Maybe String, Maybe String) ->
  Apart
differing name shown document =
  Apart
    name
    ( shown <$> A.decodeStrict document,
      either (const Nothing) (Just . shown) (decodeJson document)
    )
