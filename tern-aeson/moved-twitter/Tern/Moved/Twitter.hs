{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}
-- Neither the class nor the types are this package's: that is what it shows.
{-# OPTIONS_GHC -Wno-orphans #-}

-- | The types of twitter-types get Tern's instances, and are not changed: what a social network's
-- service answers, in records whose instances for aeson are written by hand.
--
-- The idea: a declaration for each record, with the names that follow no rule; and a codec by
-- hand where a document is not made as the type is. Start at the long declaration.
module Tern.Moved.Twitter () where

import Data.Maybe (fromMaybe)
import Data.Text qualified as T
import Data.Time (UTCTime)
import Data.Time.Clock.POSIX (posixSecondsToUTCTime, utcTimeToPOSIXSeconds)
import Data.Typeable (Typeable)
import GHC.TypeLits (Symbol)
import Tern
import Tern.Aeson.Instances ()
import Tern.Codec ((<+>), (<.), (<.>))
import Tern.Codec qualified as Codec
import Tern.Moved.Twitter.Time (serviceTime)
import Text.Read (readMaybe)
import Web.Twitter.Types

-- * Fields that are not written as their types are

-- | A number as a string.
inDigits :: Codec Integer
inDigits = Codec.refine number (T.pack . show) codec
  where
    number text = maybe (Left "expected a number in a string") Right (readMaybe (T.unpack text))

-- | Milliseconds since 1970, as a string.
inMilliseconds :: Codec UTCTime
inMilliseconds = Codec.mapCodec fromMilliseconds toMilliseconds inDigits
  where
    fromMilliseconds n = posixSecondsToUTCTime (fromInteger n / 1000)
    toMilliseconds = floor . (* 1000) . utcTimeToPOSIXSeconds

-- | What null stands for, and nothing at all.
orElse :: (Wire a) => a -> Codec a
orElse value = Codec.mapCodec (fromMaybe value) Just codec

-- | The number of a status twice, the second time as Haskell shows it.
ownRetweet :: Codec (Maybe StatusId)
ownRetweet =
  Codec.object
    (Codec.field @"id" id codec <. Codec.computed @"id_str" (T.pack . show) codec)

-- | An object with one member. It has a type of its own, by whose name schemas know it: they have
-- one declaration for each type.
newtype Under (name :: Symbol) a = Under {beneath :: a}

under :: forall n a. (Codec.FieldName n, Typeable a) => Codec a -> Codec a
under inner =
  Codec.mapCodec beneath Under $
    Codec.object (Under @n <$> Codec.field @n beneath inner)

-- * Types by hand, of no other ones

-- | Older documents have a number alone.
instance Wire Contributor where
  codec =
    Codec.untagged
      (Codec.is @"record")
      ( Codec.fields @"record"
          ( Contributor
              <$> Codec.field @"id" contributorId codec
                <.> Codec.field @"screen_name" contributorScreenName codec
          )
          <+> Codec.contents @"number" (`Contributor` Nothing) codec
      )

instance Wire DisplayTextRange where
  codec =
    Codec.mapCodec
      (uncurry DisplayTextRange)
      (\(DisplayTextRange start end) -> (start, end))
      codec

instance Wire Delete where
  codec = under @"delete" (under @"status" deleted)
    where
      deleted =
        Codec.object
          ( Delete
              <$> Codec.field @"id" delId codec
                <.> Codec.field @"user_id" delUserId codec
          )

-- * Records, and a sum without tags

concat
  <$> sequence
    ( let -- Words apart after a prefix of so many characters, but for some fields.
          named n others =
            defaultOptions
              { fieldLabelModifier = \field ->
                  fromMaybe (camelTo2 '_' (drop n field)) (lookup field others)
              }
          -- Where something stands in a text, beside what it is.
          placed options = (named 6 []) {fieldsFlattened = [("entityBody", options)]}
          created field = [(field, [|serviceTime|])]
          link = named 2 [("ueExpanded", "expanded_url"), ("ueDisplay", "display_url")]
          hashTag = named 7 []
          mention = named 14 []
          media = (named 2 []) {fieldsFlattened = [("meURL", link)]}
          extended = (named 3 []) {fieldsFlattened = [("exeURL", link)]}
       in [ deriveWire (named 1 []) ''Variant,
            deriveWire
              (named 2 [])
                { fieldCodecs = [("vsAspectRatio", [|orElse []|]), ("vsVariants", [|orElse []|])]
                }
              ''VideoInfo,
            deriveWire (named 2 [("msWidth", "w"), ("msHeight", "h")]) ''MediaSize,
            deriveWire link ''URLEntity,
            deriveWire hashTag ''HashTagEntity,
            deriveWire mention ''UserEntity,
            deriveWire media ''MediaEntity,
            deriveWire extended ''ExtendedEntity,
            deriveWireFor (placed link) [t|Entity URLEntity|],
            deriveWireFor (placed hashTag) [t|Entity HashTagEntity|],
            deriveWireFor (placed mention) [t|Entity UserEntity|],
            deriveWireFor (placed media) [t|Entity MediaEntity|],
            deriveWireFor (placed extended) [t|Entity ExtendedEntity|],
            deriveWire
              (named 2 [("enHashTags", "hashtags"), ("enURLs", "urls")])
                { fieldCodecs =
                    [ (field, [|orElse []|])
                      | field <- ["enHashTags", "enUserMentions", "enURLs", "enMedia"]
                    ]
                }
              ''Entities,
            deriveWire
              (named 3 []) {fieldCodecs = [("exeMedia", [|orElse []|])]}
              ''ExtendedEntities,
            deriveWire (named 11 [("coordinates", "coordinates")]) ''Coordinates,
            deriveWire (named 11 []) ''BoundingBox,
            deriveWire (named 5 [("placeType", "place_type")]) ''Place,
            deriveWire
              (named 4 [("userFavoritesCount", "favourites_count")])
                { fieldCodecs = created "userCreatedAt"
                }
              ''User,
            deriveWire
              (named 6 [])
                { fieldAliases = \field -> ["full_text" | field == "statusText"],
                  fieldDefaults = [("statusCurrentUserRetweet", [|Nothing|])],
                  fieldCodecs =
                    created "statusCreatedAt"
                      <> [ ("statusCurrentUserRetweet", [|ownRetweet|]),
                           ("statusFavoriteCount", [|orElse 0|]),
                           ("statusRetweetCount", [|orElse 0|])
                         ]
                }
              ''Status,
            deriveWire (named 2 []) {fieldCodecs = created "rsCreatedAt"} ''RetweetedStatus,
            deriveWire (named 4 []) ''List,
            deriveWire defaultOptions {sumEncoding = UntaggedValue} ''EventTarget,
            deriveWire (named 2 []) {fieldCodecs = created "evCreatedAt"} ''Event,
            deriveWire
              (named 12 []) {fieldCodecs = created "searchStatusCreatedAt"}
              ''SearchStatus,
            deriveWire (named 14 []) ''SearchMetadata,
            deriveWire (named 12 []) ''SearchResult,
            deriveWire
              ( named
                  13
                  [ ("imageSizeTypeWidth", "w"),
                    ("imageSizeTypeHeight", "h"),
                    ("imageSizeTypeType", "image_type")
                  ]
              )
              ''ImageSizeType,
            deriveWire (named 13 [("uploadedMediaId", "media_id")]) ''UploadedMedia
          ]
    )

-- * Types by hand, of the others

-- | What the service sends is within objects that the type does not have.
instance Wire DirectMessage where
  codec =
    Codec.object
      ( made
          <$> Codec.field @"id" dmId inDigits
            <.> Codec.field @"created_timestamp" dmCreatedTimestamp inMilliseconds
            <.> Codec.field
              @"message_create"
              (\m -> (dmTargetRecipientId m, dmSenderId m, (dmText m, dmEntities m)))
              message
      )
    where
      made number time (recipient, sender, (text, entities)) =
        DirectMessage number time recipient sender text entities
      message =
        Codec.object
          ( (,,)
              <$> Codec.field @"target" (\(to, _, _) -> to) (under @"recipient_id" inDigits)
                <.> Codec.field @"sender_id" (\(_, sender, _) -> sender) inDigits
                <.> Codec.field @"message_data" (\(_, _, content) -> content) said
          )
      said =
        Codec.object
          ((,) <$> Codec.field @"text" fst codec <.> Codec.field @"entities" snd codec)

-- | Friends and messages are read from objects of one member, and written without these, as the
-- package does it.
instance Wire StreamingAPI where
  codec =
    Codec.untagged
      ( \case
          SRetweetedStatus s -> Codec.is @"retweeted" s
          SStatus s -> Codec.is @"status" s
          SEvent e -> Codec.is @"event" e
          SDelete d -> Codec.is @"delete" d
          SFriends f -> Codec.is @"friends" f
          SDirectMessage m -> Codec.is @"message" m
          SUnknown v -> Codec.is @"unknown" v
      )
      ( Codec.contents @"retweeted" SRetweetedStatus codec
          <+> Codec.contents @"status" SStatus codec
          <+> Codec.contents @"event" SEvent codec
          <+> Codec.contents @"delete" SDelete codec
          <+> Codec.contents @"friends, named" SFriends (under @"friends" codec)
          <+> Codec.contents @"message, named" SDirectMessage (under @"direct_message" codec)
          <+> Codec.contents @"friends" SFriends codec
          <+> Codec.contents @"message" SDirectMessage codec
          <+> Codec.contents @"unknown" SUnknown codec
      )
