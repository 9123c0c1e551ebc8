{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Values of the types of twitter-types, drawn from numbers.
--
-- The idea: what a record is made of is drawn in turn, by its representation; so that a field of
-- another version is drawn as well. Start at 'moved'.
module Tern.Moved.Twitter.Generated (moved) where

import Data.Aeson (Object, Value)
import Data.Aeson qualified as A
import Data.Aeson.Key qualified as AK
import Data.Aeson.KeyMap qualified as AM
import Data.HashMap.Strict (HashMap)
import Data.HashMap.Strict qualified as HashMap
import Data.Text (Text)
import Data.Text qualified as T
import Data.Time (UTCTime)
import Data.Time.Clock.POSIX (posixSecondsToUTCTime)
import GHC.Generics (C1, D1, Generic (Rep, to), K1 (..), M1 (..), S1, (:*:) (..), (:+:) (..))
import Tern.Moved (Moved (..))
import Tern.Moved.Twitter ()
import Test.QuickCheck (Gen, arbitrary, choose, elements, frequency, listOf, oneof, scale, sized)
import Test.QuickCheck.Gen (resize, unGen, vectorOf)
import Test.QuickCheck.Random (mkQCGen)
import Web.Twitter.Types

-- | Each type that has both of aeson's classes.
moved :: [Moved]
moved =
  [ Moved "Status" (from @Status),
    Moved "SearchResult" (from @(SearchResult [SearchStatus])),
    Moved "SearchStatus" (from @SearchStatus),
    Moved "SearchMetadata" (from @SearchMetadata),
    Moved "RetweetedStatus" (from @RetweetedStatus),
    Moved "DirectMessage" (from @DirectMessage),
    Moved "EventTarget" (from @EventTarget),
    Moved "Event" (from @Event),
    Moved "Delete" (from @Delete),
    Moved "User" (from @User),
    Moved "List" (from @List),
    Moved "Entities" (from @Entities),
    Moved "ExtendedEntities" (from @ExtendedEntities),
    Moved "Variant" (from @Variant),
    Moved "VideoInfo" (from @VideoInfo),
    Moved "ExtendedEntity" (from @ExtendedEntity),
    Moved "Entity" (from @(Entity MediaEntity)),
    Moved "HashTagEntity" (from @HashTagEntity),
    Moved "UserEntity" (from @UserEntity),
    Moved "URLEntity" (from @URLEntity),
    Moved "MediaEntity" (from @MediaEntity),
    Moved "MediaSize" (from @MediaSize),
    Moved "Coordinates" (from @Coordinates),
    Moved "Place" (from @Place),
    Moved "BoundingBox" (from @BoundingBox),
    Moved "Contributor" (from @Contributor),
    Moved "UploadedMedia" (from @UploadedMedia),
    Moved "ImageSizeType" (from @ImageSizeType),
    Moved "DisplayTextRange" (from @DisplayTextRange),
    Moved "StreamingAPI" (from @StreamingAPI)
  ]
  where
    from :: (Drawn a) => Int -> a
    from n = unGen drawn (mkQCGen n) 6

-- * Drawing

class Drawn a where
  drawn :: Gen a
  default drawn :: (Generic a, DrawnParts (Rep a)) => Gen a
  drawn = to <$> parts

class DrawnParts f where
  parts :: Gen (f p)

instance (DrawnParts f) => DrawnParts (D1 m f) where
  parts = M1 <$> parts

instance (DrawnParts f) => DrawnParts (C1 m f) where
  parts = M1 <$> parts

instance (Drawn a) => DrawnParts (S1 m (K1 i a)) where
  parts = M1 . K1 <$> drawn

instance (DrawnParts f, DrawnParts g) => DrawnParts (f :*: g) where
  parts = (:*:) <$> parts <*> parts

instance (DrawnParts f, DrawnParts g) => DrawnParts (f :+: g) where
  parts = oneof [L1 <$> parts, R1 <$> parts]

-- * What records are made of

instance Drawn Bool where
  drawn = arbitrary

instance Drawn Int where
  drawn = frequency [(5, arbitrary), (1, elements [minBound, maxBound])]

instance Drawn Integer where
  drawn = frequency [(5, arbitrary), (1, (2 ^ (70 :: Int) +) <$> arbitrary)]

instance Drawn Double where
  drawn = frequency [(5, arbitrary), (1, elements [0.01, -0.1, 1.0e-7, 1.0e21, 1.5e300])]

instance Drawn Float where
  drawn = arbitrary

instance Drawn Text where
  drawn = T.pack <$> listOf (frequency [(4, choose (' ', '~')), (1, elements "\"\\\n\0é‰𐍈\DEL")])

instance {-# OVERLAPPING #-} Drawn String where
  drawn = T.unpack <$> drawn

-- | Whole seconds, which is what the service's times have, of years with four digits.
instance Drawn UTCTime where
  drawn = posixSecondsToUTCTime . fromInteger <$> choose (0, 4102444800)

instance (Drawn a) => Drawn (Maybe a) where
  drawn = sized $ \n ->
    if n == 0 then pure Nothing else frequency [(1, pure Nothing), (2, Just <$> smaller drawn)]

instance {-# OVERLAPPABLE #-} (Drawn a) => Drawn [a] where
  drawn = sized $ \n -> choose (0, min 3 n) >>= \count -> smaller (vectorOf count drawn)

instance (Drawn a) => Drawn (HashMap Text a) where
  drawn = HashMap.fromList <$> smaller (listOf ((,) <$> drawn <*> drawn))

instance Drawn Object where
  drawn = AM.fromList <$> smaller (resize 3 (listOf ((,) . AK.fromText <$> drawn <*> drawn)))

-- | Of a document of any shape MessagePack keeps what fits its own numbers.
instance Drawn Value where
  drawn =
    oneof
      [ A.String <$> drawn,
        A.Bool <$> drawn,
        pure A.Null,
        A.Number . fromIntegral <$> drawn @Int
      ]

smaller :: Gen a -> Gen a
smaller = scale (`div` 2)

-- * The package's types

instance Drawn Status

instance (Drawn body) => Drawn (SearchResult body)

instance Drawn SearchStatus

instance Drawn SearchMetadata

instance Drawn RetweetedStatus

-- | Its numbers are strings of digits alone.
instance Drawn DirectMessage where
  drawn =
    DirectMessage
      <$> (abs <$> drawn)
      <*> drawn
      <*> (abs <$> drawn)
      <*> (abs <$> drawn)
      <*> drawn
      <*> drawn

-- | What is unknown is an object.
instance Drawn EventTarget where
  drawn =
    oneof
      [ ETUser <$> drawn,
        ETStatus <$> drawn,
        ETList <$> drawn,
        ETUnknown . A.Object <$> drawn
      ]

instance Drawn Event

instance Drawn Delete

instance Drawn User

instance Drawn List

instance Drawn Entities

instance Drawn ExtendedEntities

instance Drawn Variant

instance Drawn VideoInfo

instance Drawn ExtendedEntity

instance (Drawn a) => Drawn (Entity a)

instance Drawn HashTagEntity

instance Drawn UserEntity

instance Drawn URLEntity

instance Drawn MediaEntity

instance Drawn MediaSize

instance Drawn Coordinates

instance Drawn Place

instance Drawn BoundingBox

instance Drawn Contributor

instance Drawn UploadedMedia

instance Drawn ImageSizeType

instance Drawn DisplayTextRange

-- | Of those that aeson's instance reads again.
instance Drawn StreamingAPI where
  drawn =
    oneof
      [ SStatus . plain <$> drawn,
        SRetweetedStatus <$> drawn,
        SEvent <$> drawn,
        SDelete <$> drawn,
        SUnknown . A.Object <$> drawn
      ]
    where
      plain status = status {statusRetweetedStatus = Nothing}
