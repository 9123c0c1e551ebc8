{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- | What a program moves over that used aeson: a log of lines with times and UUIDs, which
-- aeson has instances for, and the documents of pandoc-types, whose types and instances are
-- somebody else's and stay as they are. Tern writes the same bytes; @tern-aeson:aeson@,
-- "pandoc-types", holds it to that on documents of every kind.
module Tern.Bench.Moved
  ( Line,
    logOf,
    documentOf,
  )
where

import Control.DeepSeq (NFData)
import Data.Aeson qualified as Aeson
import Data.Bits (xor, (.&.))
import Data.Text (Text)
import Data.Text qualified as T
import Data.Time.Calendar (fromGregorian)
import Data.Time.Clock (UTCTime (..), addUTCTime)
import Data.UUID.Types (UUID, fromWords64)
import Data.Version (versionBranch)
import Data.Word (Word64)
import GHC.Generics (Generic)
import Tern
import Tern.Codec ((<.>))
import Tern.Codec qualified as Codec
import Text.Pandoc.Definition

-- * Numbers that look like chance

-- | Each bit depends on all of the number's (the last step of SplitMix, Steele, Lea and Flood
-- 2014).
mixed :: Word64 -> Word64
mixed = step 31 1 . step 27 0x94d049bb133111eb . step 30 0xbf58476d1ce4e5b9 . (* 0x9e3779b97f4a7c15)
  where
    step shift factor n = (n `xor` (n `div` (2 ^ (shift :: Int)))) * factor

chosen :: [a] -> Word64 -> a
chosen xs n = case drop (fromIntegral (n `mod` fromIntegral (length xs))) xs of
  x : _ -> x
  [] -> chosen xs n

-- * A log

data Line = Line
  { at :: !UTCTime,
    request :: !UUID,
    level :: !Text,
    path :: !Text,
    status :: !Int,
    micros :: !Int
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Aeson.FromJSON, NFData, Wire)

-- | With 'Aeson.toEncoding', as who cares for speed has it.
instance Aeson.ToJSON Line where
  toEncoding = Aeson.genericToEncoding Aeson.defaultOptions

-- | That many different lines.
logOf :: Int -> [Line]
logOf n = map line [1 .. fromIntegral n]
  where
    line i =
      Line
        { at = addUTCTime (fromIntegral (mixed i .&. 0xfffffff) / 1000) start,
          request = fromWords64 (mixed (3 * i)) (mixed (5 * i)),
          level = chosen ["debug", "info", "info", "info", "warning", "error"] (mixed i),
          path = T.concat ["/birds/", T.pack (show (mixed (7 * i) .&. 0xffff)), "/sightings"],
          status = chosen [200, 200, 200, 201, 304, 404, 500] (mixed (11 * i)),
          micros = fromIntegral (mixed (13 * i) .&. 0x1fffff)
        }
    start = UTCTime (fromGregorian 2026 1 31) 3661.5

-- * Documents

instance Wire Format where
  codec = Codec.mapCodec Format (\(Format t) -> t) codec

concat
  <$> traverse
    (deriveWire defaultOptions {allNullaryToStringTag = False, sumEncoding = TaggedObject "t" "c"})
    [ ''MetaValue,
      ''CitationMode,
      ''Citation,
      ''QuoteType,
      ''MathType,
      ''ListNumberStyle,
      ''ListNumberDelim,
      ''Alignment,
      ''ColWidth,
      ''RowHeadColumns,
      ''RowSpan,
      ''ColSpan,
      ''Row,
      ''Caption,
      ''TableHead,
      ''TableBody,
      ''TableFoot,
      ''Cell,
      ''Inline,
      ''Block
    ]

instance Wire Meta where
  codec = Codec.mapCodec Meta unMeta codec

instance Wire Pandoc where
  codec =
    Codec.object
      ( (\version meta blocks -> version `seq` Pandoc meta blocks)
          <$> Codec.field
            @"pandoc-api-version"
            (const (versionBranch pandocTypesVersion))
            (codec @[Int])
            <.> Codec.field @"meta" (\(Pandoc meta _) -> meta) codec
            <.> Codec.field @"blocks" (\(Pandoc _ blocks) -> blocks) codec
      )

-- | A document of that many sections, no two of them alike.
documentOf :: Int -> Pandoc
documentOf sections = Pandoc (Meta mempty) (concatMap section [1 .. fromIntegral sections])
  where
    section i =
      [ Header (1 + fromIntegral (mixed i .&. 3)) (name i, [], []) (sentence 4 i),
        Para (concatMap (sentence 11 . (i *)) [2, 3, 5, 7]),
        BulletList [[Plain (sentence 6 (i * k))] | k <- [11, 13, 17]],
        CodeBlock (name (i + 1), ["haskell"], [("startFrom", T.pack (show i))]) (code i),
        BlockQuote
          [Para (Link nullAttr (sentence 3 i) (link i, "a \"title\"") : sentence 9 (19 * i))]
      ]
    name i = T.concat ["section-", T.pack (show i)]
    link i = T.concat ["https://example.org/", T.pack (show (mixed i)), "?a=1&b=2"]
    code i =
      T.unlines
        ["main :: IO ()", T.concat ["main = print (", T.pack (show i), " :: Int)\t-- \\x"]]

-- | Words with spaces between them; some are set apart.
sentence :: Int -> Word64 -> [Inline]
sentence count i = drop 1 (concatMap word [1 .. fromIntegral count])
  where
    word k = [Space, dressed (mixed (i + 31 * k))]
    dressed n =
      let plain = Str (chosen vocabulary n)
       in case n .&. 31 of
            0 -> Emph [plain]
            1 -> Strong [plain, Space, Str "indeed"]
            2 -> Code nullAttr "x <- f"
            3 -> Math InlineMath "\\alpha"
            _ -> plain
    vocabulary =
      T.words
        "gannet skua tern auk fulmar petrel shearwater puffin the a of on with over was seen \
        \na\239ve caf\233 \8220quoted\8221 rock, cliff. north-west between 1987 2,500"
