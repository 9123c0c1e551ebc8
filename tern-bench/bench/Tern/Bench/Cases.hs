{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Every case, with what was promised for it.
module Tern.Bench.Cases
  ( cases,
    nativeCases,
    messagePackCases,
    movedCases,
    documentCases,
    anyValueDocuments,
  )
where

import Control.DeepSeq (NFData, rnf)
import Data.Aeson (FromJSON, ToJSON)
import Data.Aeson qualified as Aeson
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as L
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (findFile)
import Tern (Wire, decodeJson, encodeJson)
import Tern.Bench.Case
  ( Case (..),
    Role (..),
    decoder,
    decoderOf,
    encoder,
    encoderOf,
    inThreeWays,
    writer,
  )
import Tern.Bench.Declare (ByCodec, ByGeneric, ByNames, ByTemplate)
import Tern.Bench.Documents (Canada, Twitter)
import Tern.Bench.Documents.Catalogue (Catalogue)
import Tern.Bench.Documents.Found (lookedAt)
import Tern.Bench.Documents.Proposals (Proposals)
import Tern.Bench.Ints100 (Ints100)
import Tern.Bench.Ints100 qualified as Ints100
import Tern.Bench.Ints25 (Ints25)
import Tern.Bench.Ints25 qualified as Ints25
import Tern.Bench.Ints5 (Ints5)
import Tern.Bench.Ints5 qualified as Ints5
import Tern.Bench.Limit.Binary (decodeArticle, decodeEntries, decodePacked)
import Tern.Bench.Limit.Ints (Digits (..))
import Tern.Bench.Limit.MessagePack (encodePackedLimit)
import Tern.Bench.Limit.Mixed (decodeMixed, encodeMixed)
import Tern.Bench.Limit.Native (encodeArticleLimit, encodeEntriesLimit)
import Tern.Bench.Limit.Room (Room (..))
import Tern.Bench.Mixed (Mixed)
import Tern.Bench.Mixed qualified as Mixed
import Tern.Bench.Moved (Line, documentOf, logOf)
import Tern.Bench.Native.Codec (ByPosition, deserialised, packed, serialised, unpacked)
import Tern.Bench.Native.Record (Article, Entry, article, entries)
import Tern.Bench.Native.Vectors (vectorCases)
import Tern.Bench.Question (questions)
import Tern.Moved (Measured (..))
import Tern.Moved.Package (timeline)
import Tern.Value (Value)
import Text.Pandoc.Definition (Pandoc)

-- | The cases that need nothing from outside.
cases :: [Case]
cases =
  concat
    [ inThreeWays
        "encode 5 Ints"
        100000
        encodeGoal
        encodeGoalOfMany
        [ encoderOf @(Ints5 ByGeneric) "generics" Own encodeJson Ints5.records,
          encoderOf @(Ints5 ByTemplate) "templates" Own encodeJson Ints5.records,
          encoderOf @(Ints5 ByCodec) "a codec as a value" Own encodeJson Ints5.records,
          encoderOf @(Ints5 ByNames) "names known at run time" Plain encodeJson Ints5.records,
          encoderOf
            @(Ints5 ByTemplate)
            "by hand"
            ByHand
            (Ints5.encodeLimit WithoutBranch Shared)
            Ints5.records,
          encoderOf
            @(Ints5 ByTemplate)
            "by hand, with branches"
            ByHand
            (Ints5.encodeLimit Foretold Shared)
            Ints5.records,
          encoderOf
            @(Ints5 ByTemplate)
            "by hand, for threads"
            ByHand
            (Ints5.encodeLimit WithoutBranch OfEachCall)
            Ints5.records,
          encoderOf @(Ints5 ByTemplate) "aeson-th" Peer aesonEncode Ints5.records
        ],
      inThreeWays
        "encode 25 Ints"
        20000
        encodeGoal
        encodeGoalOfMany
        [ encoderOf @(Ints25 ByGeneric) "generics" Own encodeJson Ints25.records,
          encoderOf @(Ints25 ByTemplate) "templates" Own encodeJson Ints25.records,
          encoderOf @(Ints25 ByCodec) "a codec as a value" Own encodeJson Ints25.records,
          encoderOf @(Ints25 ByNames) "names known at run time" Plain encodeJson Ints25.records,
          encoderOf
            @(Ints25 ByTemplate)
            "by hand"
            ByHand
            (Ints25.encodeLimit WithoutBranch Shared)
            Ints25.records,
          encoderOf
            @(Ints25 ByTemplate)
            "by hand, with branches"
            ByHand
            (Ints25.encodeLimit Foretold Shared)
            Ints25.records,
          encoderOf
            @(Ints25 ByTemplate)
            "by hand, for threads"
            ByHand
            (Ints25.encodeLimit WithoutBranch OfEachCall)
            Ints25.records,
          encoderOf @(Ints25 ByTemplate) "aeson-th" Peer aesonEncode Ints25.records
        ],
      inThreeWays
        "encode 100 Ints"
        5000
        encodeGoal
        encodeGoalOfMany
        [ encoderOf @(Ints100 ByGeneric) "generics" Own encodeJson Ints100.records,
          encoderOf @(Ints100 ByTemplate) "templates" Own encodeJson Ints100.records,
          encoderOf
            @(Ints100 ByTemplate)
            "by hand"
            ByHand
            (Ints100.encodeLimit WithoutBranch Shared)
            Ints100.records,
          encoderOf
            @(Ints100 ByTemplate)
            "by hand, with branches"
            ByHand
            (Ints100.encodeLimit Foretold Shared)
            Ints100.records,
          encoderOf
            @(Ints100 ByTemplate)
            "by hand, for threads"
            ByHand
            (Ints100.encodeLimit WithoutBranch OfEachCall)
            Ints100.records,
          encoderOf @(Ints100 ByTemplate) "aeson-th" Peer aesonEncode Ints100.records
        ],
      inThreeWays
        "encode mixed"
        100000
        encodeGoal
        encodeGoalOfMany
        [ encoderOf @(Mixed ByGeneric) "generics" Own encodeJson Mixed.records,
          encoderOf @(Mixed ByTemplate) "templates" Own encodeJson Mixed.records,
          encoderOf @(Mixed ByTemplate) "by hand" ByHand (encodeMixed Shared) Mixed.records,
          encoderOf
            @(Mixed ByTemplate)
            "by hand, for threads"
            ByHand
            (encodeMixed OfEachCall)
            Mixed.records,
          encoderOf @(Mixed ByTemplate) "aeson-th" Peer aesonEncode Mixed.records
        ],
      inThreeWays
        "decode 5 Ints"
        100000
        decodeGoal
        decodeGoalOfMany
        [ decoderOf @(Ints5 ByGeneric) "generics" Own whole ternDecode Ints5.records,
          decoderOf @(Ints5 ByTemplate) "templates" Own whole ternDecode Ints5.records,
          decoderOf @(Ints5 ByCodec) "a codec as a value" Own whole ternDecode Ints5.records,
          decoderOf @(Ints5 ByNames) "names known at run time" Plain whole ternDecode Ints5.records,
          decoderOf
            @(Ints5 ByTemplate)
            "by hand"
            ByHand
            whole
            (Ints5.decodeLimit Shared)
            Ints5.records,
          decoderOf
            @(Ints5 ByTemplate)
            "by hand, for threads"
            ByHand
            whole
            (Ints5.decodeLimit OfEachCall)
            Ints5.records,
          decoderOf @(Ints5 ByTemplate) "aeson-th" Peer whole Aeson.decodeStrict Ints5.records
        ],
      inThreeWays
        "decode 25 Ints"
        20000
        decodeGoal
        decodeGoalOfMany
        [ decoderOf @(Ints25 ByGeneric) "generics" Own whole ternDecode Ints25.records,
          decoderOf @(Ints25 ByTemplate) "templates" Own whole ternDecode Ints25.records,
          decoderOf @(Ints25 ByCodec) "a codec as a value" Own whole ternDecode Ints25.records,
          decoderOf
            @(Ints25 ByNames)
            "names known at run time"
            Plain
            whole
            ternDecode
            Ints25.records,
          decoderOf
            @(Ints25 ByTemplate)
            "by hand"
            ByHand
            whole
            (Ints25.decodeLimit Shared)
            Ints25.records,
          decoderOf
            @(Ints25 ByTemplate)
            "by hand, for threads"
            ByHand
            whole
            (Ints25.decodeLimit OfEachCall)
            Ints25.records,
          decoderOf @(Ints25 ByTemplate) "aeson-th" Peer whole Aeson.decodeStrict Ints25.records
        ],
      inThreeWays
        "decode 100 Ints"
        5000
        decodeGoal
        decodeGoalOfMany
        [ decoderOf @(Ints100 ByGeneric) "generics" Own whole ternDecode Ints100.records,
          decoderOf @(Ints100 ByTemplate) "templates" Own whole ternDecode Ints100.records,
          decoderOf
            @(Ints100 ByTemplate)
            "by hand"
            ByHand
            whole
            (Ints100.decodeLimit Shared)
            Ints100.records,
          decoderOf
            @(Ints100 ByTemplate)
            "by hand, for threads"
            ByHand
            whole
            (Ints100.decodeLimit OfEachCall)
            Ints100.records,
          decoderOf @(Ints100 ByTemplate) "aeson-th" Peer whole Aeson.decodeStrict Ints100.records
        ],
      inThreeWays
        "decode mixed"
        100000
        decodeGoal
        decodeGoalOfMany
        [ decoderOf @(Mixed ByGeneric) "generics" Own whole ternDecode Mixed.records,
          decoderOf @(Mixed ByTemplate) "templates" Own whole ternDecode Mixed.records,
          decoderOf @(Mixed ByTemplate) "by hand" ByHand whole (decodeMixed Shared) Mixed.records,
          decoderOf
            @(Mixed ByTemplate)
            "by hand, for threads"
            ByHand
            whole
            (decodeMixed OfEachCall)
            Mixed.records,
          decoderOf @(Mixed ByTemplate) "aeson-th" Peer whole Aeson.decodeStrict Mixed.records
        ],
      others
    ]
  where
    encodeGoal = "1.5 times the limit; allocates the output and 200 B"
    encodeGoalOfMany = "1.5 times the limit"
    decodeGoal = "2 times the limit"
    decodeGoalOfMany = "2 times the limit"

-- | Tasks of one input each.
others :: [Case]
others =
  [ Case
      "decode 25 Ints in any order, 5 unknown"
      "2 times the limit"
      [ decoder @(Ints25 ByGeneric) "generics" Own whole ternDecode shuffled Ints25.sample,
        decoder @(Ints25 ByTemplate) "templates" Own whole ternDecode shuffled Ints25.sample,
        decoder
          @(Ints25 ByTemplate)
          "by hand"
          ByHand
          whole
          (Ints25.decodeLimitAnyOrder Shared)
          shuffled
          Ints25.sample,
        decoder
          @(Ints25 ByTemplate)
          "by hand, for threads"
          ByHand
          whole
          (Ints25.decodeLimitAnyOrder OfEachCall)
          shuffled
          Ints25.sample,
        decoder @(Ints25 ByTemplate) "aeson-th" Peer whole Aeson.decodeStrict shuffled Ints25.sample
      ],
    Case
      "encode a megabyte of backslashes"
      "linear; allocates at most 3 times the output"
      [ encoder @Text "tern" Own encodeJson backslashes,
        encoder @Text "aeson" Peer aesonEncode backslashes
      ],
    Case
      "decode a megabyte of backslashes"
      "linear; allocates at most 3 times the output"
      [ decoder @Text "tern" Own whole ternDecode (encodeJson backslashes) backslashes,
        decoder @Text "aeson" Peer whole Aeson.decodeStrict (encodeJson backslashes) backslashes
      ]
  ]
  where
    shuffled = withStrangers (encodeJson (Ints25.sample @ByGeneric))
    backslashes = T.replicate 1048576 "\\"

-- | The native format: its records, and the questions that its design answers.
nativeCases :: [Case]
nativeCases =
  [ Case
      "native: encode the article's record"
      "1.5 times the limit"
      [ writer @(Article ByGeneric) "generics" Own deserialised serialised article,
        writer @(Article ByTemplate) "templates" Own deserialised serialised article,
        writer @(Article ByTemplate) "by hand" ByHand deserialised encodeArticleLimit article
      ],
    Case
      "native: decode the article's record"
      "2 times the limit"
      [ decoder @(Article ByGeneric) "generics" Own rnf deserialised written article,
        decoder @(Article ByTemplate) "templates" Own rnf deserialised written article,
        decoder @(Article ByTemplate) "by hand" ByHand rnf (decodeArticle Shared) written article
      ],
    Case
      "native: encode 10,000 mixed records"
      "1.3 ms"
      [ writer @[Entry ByGeneric] "generics" Own deserialised serialised entries,
        writer @[Entry ByTemplate] "templates" Own deserialised serialised entries,
        writer @[Entry ByTemplate] "by hand" ByHand deserialised encodeEntriesLimit entries
      ],
    Case
      "native: decode 10,000 mixed records"
      "3.3 ms"
      [ decoder @[Entry ByGeneric] "generics" Own rnf deserialised many' entries,
        decoder @[Entry ByTemplate] "templates" Own rnf deserialised many' entries,
        decoder @[Entry ByTemplate] "by hand" ByHand rnf (decodeEntries Shared) many' entries
      ]
  ]
    <> vectorCases
    <> questions
  where
    written = serialised (article @ByTemplate)
    many' = serialised (entries @ByTemplate)

-- | MessagePack: by names as derived without options, and by position, which is
-- what other libraries write.
messagePackCases :: [Case]
messagePackCases =
  [ Case
      "MessagePack: encode the article's record"
      "no slower than rmp-serde, 134 ns where the promise was made"
      [ writer @(Article ByPosition) "by position" Own unpacked packed article,
        writer @(Article ByGeneric) "by name, generics" Own unpacked packed article,
        writer @(Article ByTemplate) "by name, templates" Own unpacked packed article,
        writer @(Article ByPosition) "by hand" ByHand unpacked encodePackedLimit article
      ],
    Case
      "MessagePack: decode the article's record"
      "no slower than rmp-serde, 153 ns where the promise was made"
      [ decoder
          @(Article ByPosition)
          "by position"
          Own
          rnf
          unpacked
          (packed (article @ByPosition))
          article,
        decoder
          @(Article ByGeneric)
          "by name, generics"
          Own
          rnf
          unpacked
          (packed (article @ByGeneric))
          article,
        decoder
          @(Article ByTemplate)
          "by name, templates"
          Own
          rnf
          unpacked
          (packed (article @ByTemplate))
          article,
        decoder
          @(Article ByPosition)
          "by hand"
          ByHand
          rnf
          (decodePacked Shared)
          (packed (article @ByPosition))
          article
      ],
    Case
      "MessagePack: encode 10,000 mixed records"
      "2.0 ms"
      [ writer @[Entry ByPosition] "by position" Own unpacked packed entries,
        writer @[Entry ByTemplate] "by name, templates" Own unpacked packed entries
      ],
    Case
      "MessagePack: decode 10,000 mixed records"
      "5.0 ms"
      [ decoder
          @[Entry ByPosition]
          "by position"
          Own
          rnf
          unpacked
          (packed (entries @ByPosition))
          entries,
        decoder
          @[Entry ByTemplate]
          "by name, templates"
          Own
          rnf
          unpacked
          (packed (entries @ByTemplate))
          entries
      ]
  ]

-- | What a program moves over that used aeson.
movedCases :: [Case]
movedCases =
  [ Case
      "decode 150,000 lines of a log, with times and UUIDs"
      "5 times aeson"
      [ decoder @[Line] "generics" Own rnf ternDecode (encodeJson lines') lines',
        decoder @[Line] "aeson" Peer rnf Aeson.decodeStrict (encodeJson lines') lines'
      ],
    Case
      "encode 150,000 lines of a log, with times and UUIDs"
      "5 times aeson"
      [ encoder @[Line] "generics" Own encodeJson lines',
        encoder @[Line] "aeson" Peer aesonEncode lines'
      ],
    Case
      "decode a document of pandoc-types"
      "-"
      [ decoder @Pandoc "templates" Own rnf ternDecode (encodeJson document) document,
        decoder
          @Pandoc
          "aeson, by its own instances"
          Peer
          rnf
          Aeson.decodeStrict
          (encodeJson document)
          document
      ],
    Case
      "encode a document of pandoc-types"
      "-"
      [ encoder @Pandoc "templates" Own encodeJson document,
        encoder @Pandoc "aeson, by its own instances" Peer aesonEncode document
      ]
  ]
    <> maybe [] (statuses . ($ 1000)) timeline
  where
    lines' = logOf 150000
    document = documentOf 1000
    statuses (Measured value settle ternW aesonW ternR aesonR) =
      [ Case
          "decode 1,000 statuses of twitter-types"
          "-"
          [ decoder "templates" Own settle ternR (ternW value) value,
            decoder "aeson, by its own instances" Peer settle aesonR (ternW value) value
          ],
        Case
          "encode 1,000 statuses of twitter-types"
          "-"
          [ writer "templates" Own ternR ternW value,
            writer "aeson, by its own instances" Peer aesonR aesonW value
          ]
      ]

-- | Those of any shape, by the names of their files.
anyValueDocuments :: [FilePath]
anyValueDocuments =
  [ "twitter.json",
    "canada.json",
    "mesh.json",
    "update-center.json",
    "vega-movies.json",
    "citm_catalog.json",
    "gsoc-2018.json",
    "marine_ik.json",
    "random.json"
  ]

-- | Whole documents from folders of them, each from the first that has it, those that are
-- there.
documentCases :: [FilePath] -> IO [Case]
documentCases folders =
  concat
    <$> sequence
      ( [ document @Twitter "twitter.json" "0.5 ms" "-",
          document @Canada "canada.json" "7 ms" "4 ms",
          document @Catalogue "citm_catalog.json" "-" "-",
          document @Proposals "gsoc-2018.json" "-" "-"
        ]
          <> map ofAnyShape anyValueDocuments
      )
  where
    document ::
      forall a.
      (Eq a, Wire a, FromJSON a, ToJSON a, NFData a) =>
      FilePath ->
      Text ->
      Text ->
      IO [Case]
    document file decodeGoal encodeGoal = do
      bytes <- contentOf file
      pure $ case decodeJson bytes of
        Right value ->
          [ Case
              ("decode " <> T.pack file)
              decodeGoal
              [ decoder @a "tern" Own rnf ternDecode bytes value,
                decoder @a "aeson" Peer rnf Aeson.decodeStrict bytes value
              ],
            Case
              ("encode " <> T.pack file)
              encodeGoal
              [encoder @a "tern" Own encodeJson value, encoder @a "aeson" Peer aesonEncode value]
          ]
        Left _ -> []
    {-# INLINE document #-}
    -- What is decoded is asked for a name of each object, as a program would ask.
    ofAnyShape file = do
      bytes <- contentOf file
      pure $ case (decodeJson bytes, Aeson.decodeStrict bytes) of
        (Right value, Just other) ->
          [ Case
              (T.pack ("decode " <> file <> " as any value"))
              "0.7 times serde_json"
              [ decoder @Value "tern" Own lookedAt ternDecode bytes value,
                decoder @Aeson.Value "aeson" Peer rnf Aeson.decodeStrict bytes other
              ],
            Case
              (T.pack ("encode " <> file <> " as any value"))
              "level with serde_json"
              [ encoder @Value "tern" Own encodeJson value,
                writer @Aeson.Value "aeson" Peer Aeson.decodeStrict aesonEncode other
              ]
          ]
        _ -> []
    -- Nothing, which is no document, where the file is in none of the folders.
    contentOf file = findFile folders file >>= maybe (pure "") B.readFile

ternDecode :: (Wire a) => ByteString -> Maybe a
ternDecode bytes = either (const Nothing) Just (decodeJson bytes)
{-# INLINE ternDecode #-}

aesonEncode :: (ToJSON a) => a -> ByteString
aesonEncode value = L.toStrict (Aeson.encode value)
{-# INLINE aesonEncode #-}

-- | Enough for a record whose fields are strict.
whole :: a -> ()
whole = (`seq` ())

-- | The members of a flat object in another order, with five between them that
-- nobody asked for.
withStrangers :: ByteString -> ByteString
withStrangers object = B.concat ["{", B.intercalate "," (strangers 0 (reordered parts)), "}"]
  where
    parts = BC.split ',' (B.drop 1 (B.take (B.length object - 1) object))
    count = length parts
    reordered xs = [x | k <- [0 .. count - 1], x <- take 1 (drop (k * 7 `mod` count) xs)]
    strangers :: Int -> [ByteString] -> [ByteString]
    strangers k = \case
      x : rest
        | k `mod` 5 == 2 ->
            B.concat
              [ "\"stranger",
                BC.pack (show k),
                "\":",
                if even k
                  then "\"not asked for\""
                  else "-12.5e3"
              ]
              : x
              : strangers (k + 1) rest
        | otherwise -> x : strangers (k + 1) rest
      [] -> []
