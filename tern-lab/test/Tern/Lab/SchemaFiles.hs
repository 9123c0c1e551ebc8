{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Containers of two versions of a type, and schemas that mean harm.
module Tern.Lab.SchemaFiles
  ( -- * Two versions
    Sighting0 (..),
    Sex0 (..),
    Sighting (..),
    Sex (..),
    older,
    newer,
    olderShape,
    newerShape,
    sexes,
    headerLength,

    -- * Harm
    hostile,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word16)
import GHC.Generics (Generic)
import Tern (Wire)
import Tern.Container (Header (..), Mark (..), defaultBlocks, encodeContainer, schemaBytes)
import Tern.Internal.Container.Format (headerBytes, newHeader)
import Tern.Shape (Definition (..), Reference (..), Shape (..))
import Tern.Wire (shapeOf)

data Sighting0 = Sighting0 {species :: Text, number :: Word16, sex :: Sex0}
  deriving stock (Generic)
  deriving anyclass (Wire)

data Sex0 = F | M
  deriving stock (Generic)
  deriving anyclass (Wire)

data Sighting = Sighting {species :: Text, count :: Int, sex :: Sex, observer :: Text}
  deriving stock (Generic)
  deriving anyclass (Wire)

data Sex = Female | Male | Unknown
  deriving stock (Generic)
  deriving anyclass (Wire)

older, newer :: ByteString
older =
  L.toStrict (encodeContainer defaultBlocks (Mark 7) [Sighting0 "tern" 2 F, Sighting0 "auk" 1 M])
newer =
  L.toStrict
    ( encodeContainer
        defaultBlocks
        (Mark 8)
        [ Sighting
            "tern"
            2
            Female
            "Ann",
          Sighting "auk" 1 Male "Bob",
          Sighting "gull" 1 Unknown "Cy"
        ]
    )

olderShape, newerShape :: Shape
olderShape = shapeOf @Sighting0
newerShape = shapeOf @Sighting

-- | A type of these constructors.
sexes :: [Text] -> Shape
sexes = Declared (Reference "" "Sex" []) . Names

-- | The bytes before the older one's first block.
headerLength :: Int
headerLength = B.length (headerBytes (newHeader (Mark 7) olderShape))

-- | Files with a right checksum each, and what is said of them.
hostile :: [(String, ByteString, String)]
hostile =
  [ ("ten thousand levels", with (B.replicate 10000 9), "levels"),
    ("a type that is not defined", with "\x0c\x00\x00", "a type that it does not define"),
    ( "a name of escapes",
      headerBytes (newHeader (Mark 1) (named "\ESC[2J")),
      "characters that are not printed"
    ),
    ( "a long name again and again",
      headerBytes
        ( newHeader
            (Mark 1)
            (Tuple (replicate 200 (named (T.replicate 200000 "N"))))
        ),
      "too long for how often"
    ),
    ("a schema that is too long", with (B.replicate 1100000 9), "at most 1048576 are allowed"),
    ("a list of 2^60", with ("\x0b" <> B.replicate 9 0xff), "a chunk has at most 4096"),
    ( "another fingerprint",
      headerBytes (newHeader (Mark 1) Text) {headerSchema = schemaBytes Boolean},
      "byte 24: the fingerprint"
    )
  ]
  where
    with schema = headerBytes (newHeader (Mark 1) Text) {headerSchema = schema}
    named name = Declared (Reference "" name []) (Names ["A"])
