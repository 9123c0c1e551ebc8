{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
-- The types are those of twitter-types.
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Statuses as a service sends them, made from their numbers.
--
-- The idea: no two are alike, and each has about what a real one has: a user, a text with what
-- stands in it, now and then a place, a picture, or a status that is passed on. Start at
-- 'statusOf'.
module Tern.Moved.Twitter.Timeline
  ( statusOf,
    rnfStatuses,
  )
where

import Control.DeepSeq (NFData, rnf)
import Data.Bits (xor, (.&.))
import Data.HashMap.Strict qualified as HashMap
import Data.Text (Text)
import Data.Text qualified as T
import Data.Time (UTCTime)
import Data.Time.Clock.POSIX (posixSecondsToUTCTime)
import Data.Word (Word64)
import Web.Twitter.Types

-- | The status of a number.
statusOf :: Word64 -> Status
statusOf i =
  Status
    { statusContributors = Nothing,
      statusCoordinates = whole 16 (Coordinates [east, north] "Point"),
      statusCreatedAt = timeOf (mixed (3 * i)),
      statusCurrentUserRetweet = Nothing,
      statusEntities = Just (entitiesOf i),
      statusExtendedEntities = Nothing,
      statusFavoriteCount = toInteger (mixed (5 * i) .&. 0xff),
      statusFavorited = Just (mixed (7 * i) .&. 7 == 0),
      statusFilterLevel = Nothing,
      statusId = numberOf i,
      statusInReplyToScreenName = whole 4 (nameOf (i + 1)),
      statusInReplyToStatusId = whole 4 (numberOf (i + 1)),
      statusInReplyToUserId = whole 4 (numberOf (i + 2)),
      statusLang = Just "en",
      statusPlace = whole 8 (placeOf i),
      statusPossiblySensitive = Just False,
      statusScopes = Nothing,
      statusQuotedStatusId = Nothing,
      statusQuotedStatus = Nothing,
      statusRetweetCount = toInteger (mixed (11 * i) .&. 0x3f),
      statusRetweeted = Just False,
      -- One that was passed on is not passed on again.
      statusRetweetedStatus =
        if i .&. 7 == 3 then Just (statusOf (8 * (i + 1000000))) else Nothing,
      statusSource = "<a href=\"https://example.org/bird-notes\" rel=\"nofollow\">Bird Notes</a>",
      statusText = sentence 14 i,
      statusTruncated = False,
      statusUser = userOf (mixed i .&. 0xffff),
      statusWithheldCopyright = Nothing,
      statusWithheldInCountries = Nothing,
      statusWithheldScope = Nothing,
      statusDisplayTextRange = Just (DisplayTextRange 0 (T.length (sentence 14 i)))
    }
  where
    whole n value = if i `mod` n == 0 then Just value else Nothing
    east = fromIntegral (mixed (13 * i) .&. 0xffff) / 1000
    north = fromIntegral (mixed (17 * i) .&. 0xffff) / 1000

userOf :: Word64 -> User
userOf i =
  User
    { userContributorsEnabled = False,
      userCreatedAt = timeOf (mixed (19 * i)),
      userDefaultProfile = even i,
      userDefaultProfileImage = False,
      userDescription = Just (sentence 9 (23 * i)),
      userEmail = Nothing,
      userFavoritesCount = countOf 29,
      userFollowRequestSent = Just False,
      userFollowing = Just (odd i),
      userFollowersCount = countOf 31,
      userFriendsCount = countOf 37,
      userGeoEnabled = True,
      userId = numberOf i,
      userIsTranslator = False,
      userLang = Just "en",
      userListedCount = countOf 41,
      userLocation = Just (sentence 2 i),
      userName = sentence 2 (43 * i),
      userNotifications = Just False,
      userProfileBackgroundColor = Just "C0DEED",
      userProfileBackgroundImageURL = Just (picture "http"),
      userProfileBackgroundImageURLHttps = Just (picture "https"),
      userProfileBackgroundTile = Just False,
      userProfileBannerURL = Nothing,
      userProfileImageURL = Just (picture "http"),
      userProfileImageURLHttps = Just (picture "https"),
      userProfileLinkColor = "0084B4",
      userProfileSidebarBorderColor = "C0DEED",
      userProfileSidebarFillColor = "DDEEF6",
      userProfileTextColor = "333333",
      userProfileUseBackgroundImage = True,
      userProtected = False,
      userScreenName = nameOf i,
      userShowAllInlineMedia = Nothing,
      userStatusesCount = countOf 47,
      userTimeZone = Just "Amsterdam",
      userURL = Just (linkOf i),
      userUtcOffset = Just 7200,
      userVerified = False,
      userWithheldInCountries = Nothing,
      userWithheldScope = Nothing
    }
  where
    countOf n = fromIntegral (mixed (n * i) .&. 0xfff)
    picture scheme =
      T.concat [scheme, "://example.org/pictures/", nameOf i, "_", T.pack (show i), ".png"]

entitiesOf :: Word64 -> Entities
entitiesOf i =
  Entities
    { enHashTags = [Entity (HashTagEntity (nameOf (5 * i))) [10, 17] | even i],
      enUserMentions = [Entity (mentionOf i) [0, 9] | odd i],
      enURLs = [Entity (URLEntity (linkOf i) (linkOf (2 * i)) "example.org/\8230") [40, 62]],
      enMedia = [Entity (mediaOf i) [63, 85] | i .&. 7 == 0]
    }
  where
    mentionOf n = UserEntity (numberOf n) (sentence 2 n) (nameOf n)

mediaOf :: Word64 -> MediaEntity
mediaOf i =
  MediaEntity
    { meType = "photo",
      meId = numberOf i,
      meSizes =
        HashMap.fromList
          [ (name, MediaSize width (width * 3 `div` 4) "fit")
            | (name, width) <- [("small", 340), ("medium", 600), ("large", 1024)]
          ],
      meMediaURL = linkOf (3 * i),
      meMediaURLHttps = linkOf (3 * i),
      meURL = URLEntity (linkOf i) (linkOf (5 * i)) "example.org/\8230"
    }

placeOf :: Word64 -> Place
placeOf i =
  Place
    { placeAttributes = HashMap.empty,
      placeBoundingBox = Just (BoundingBox [[[4.5, 52.25], [5.125, 52.5]]] "Polygon"),
      placeCountry = "The Netherlands",
      placeCountryCode = "NL",
      placeFullName = sentence 3 i,
      placeId = T.pack (show (mixed i)),
      placeName = sentence 1 i,
      placeType = "city",
      placeURL = linkOf i
    }

-- * What looks like chance

-- | Each bit depends on all of the number's (the last step of SplitMix, Steele, Lea and Flood
-- 2014).
mixed :: Word64 -> Word64
mixed = step 31 1 . step 27 0x94d049bb133111eb . step 30 0xbf58476d1ce4e5b9 . (* 0x9e3779b97f4a7c15)
  where
    step shift factor n = (n `xor` (n `div` (2 ^ (shift :: Int)))) * factor

numberOf :: Word64 -> Integer
numberOf i = toInteger (mixed i .&. 0x3fffffffffffff)

nameOf :: Word64 -> Text
nameOf i = T.concat [word (mixed i), "_", word (mixed (i + 1))]

linkOf :: Word64 -> Text
linkOf i = T.concat ["https://example.org/", T.pack (show (mixed i .&. 0xffffff)), "?a=1&b=2"]

-- | A second of the years from 2006 to 2026.
timeOf :: Word64 -> UTCTime
timeOf n = posixSecondsToUTCTime (fromIntegral (1136073600 + n `mod` 630720000))

sentence :: Int -> Word64 -> Text
sentence count i = T.unwords [word (mixed (i + 31 * k)) | k <- [1 .. fromIntegral count]]

word :: Word64 -> Text
word n = vocabulary !! fromIntegral (n `mod` 24)
  where
    vocabulary =
      T.words
        "gannet skua tern auk fulmar petrel shearwater puffin the a of on with over was seen \
        \na\239ve caf\233 \8220quoted\8221 rock cliff north-west between 2,500"

-- * Whole values

-- | Evaluates them whole.
rnfStatuses :: [Status] -> ()
rnfStatuses = rnf

deriving anyclass instance NFData Status

deriving anyclass instance NFData User

deriving anyclass instance NFData Contributor

deriving anyclass instance NFData Coordinates

deriving anyclass instance NFData Entities

deriving anyclass instance NFData ExtendedEntities

deriving anyclass instance NFData ExtendedEntity

deriving anyclass instance NFData VideoInfo

deriving anyclass instance NFData Variant

deriving anyclass instance (NFData a) => NFData (Entity a)

deriving anyclass instance NFData HashTagEntity

deriving anyclass instance NFData UserEntity

deriving anyclass instance NFData URLEntity

deriving anyclass instance NFData MediaEntity

deriving anyclass instance NFData MediaSize

deriving anyclass instance NFData Place

deriving anyclass instance NFData BoundingBox

deriving anyclass instance NFData DisplayTextRange
