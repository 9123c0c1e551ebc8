{-# LANGUAGE NamedFieldPuns #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE NoFieldSelectors #-}

-- | Article 002's table, its record there and back, and what it leaves to its reader: simple
-- and complex data, payloads of all lengths, short and long lists, compressed and not.
--
-- The idea: the record is the laboratory's subject of that name, with all its codecs; the
-- rest are lists of three kinds, as long as gives a wanted number of bytes of JSON.
--
-- Start at 'record' and 'onWire'.
module Tern.Bench.Article.Two
  ( -- * There and back
    Row (..),
    published,
    record,

    -- * What is left to the reader
    Sent (..),
    onWire,
  )
where

import Codec.Compression.GZip qualified as GZip
import Codec.Compression.Zstd qualified as Zstd
import Control.DeepSeq (NFData, force)
import Control.Exception (evaluate)
import Control.Monad (forM)
import Data.Aeson (FromJSON, ToJSON)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Coerce (coerce)
import Data.Text (Text)
import Data.Text qualified as T
import System.Exit (die)
import Tern qualified
import Tern.Lab.Measure
import Tern.Lab.Random (integers, seed)
import Tern.Lab.Sample.Deriving (ByTemplate)
import Tern.Lab.Sample.Everything (Everything, different)
import Tern.Lab.Sample.EverythingCodecs qualified as Everything
import Tern.Lab.Stats (Spread (median), spread)
import Tern.Lab.Subject

-- * There and back

-- | Encoded and decoded again: who, nanoseconds, bytes allocated, bytes of the payload.
data Row = Row
  { who :: Text,
    time :: Double,
    allocated :: Double,
    payload :: Int
  }
  deriving stock (Eq, Show)

-- | As the article has them: criterion's time, weigh's bytes.
published :: [Row]
published =
  [ Row "aeson, as published" 54430 76904 183,
    Row "msgpack, as published" 26100 61608 37
  ]

-- | The same of all codecs of the record, whose names are a little longer here.
record :: Settings -> IO [Row]
record settings = case Everything.subject of
  Subject {subjectCodecs, subjectValue = Just given} -> do
    let works = map (\codec -> (codecName codec, thereAndBack codec given, encoded codec given)) subjectCodecs
    bytes <- mapM (\(_, work, _) -> allocatedBy work) works
    times <- timings settings (const (pure ())) [work | (_, work, _) <- works]
    pure
      [ Row name (median (spread (cpuTimes taken))) each (B.length output)
        | ((name, _, output), each, taken) <- zip3 works bytes times
      ]
  Subject {} -> die "articles: the record has no value"

thereAndBack :: Codec a -> a -> Operation
thereAndBack Codec {..} given =
  operation (decode . toBytes . encode) (either (const ()) settleModel) (toModel given)

-- * What is left to the reader

-- | One codec's output of one list. Times in nanoseconds, lengths in bytes.
data Sent = Sent
  { content :: Text,
    elements :: Int,
    codec :: Text,
    encoding :: Double,
    decoding :: Double,
    raw :: Int,
    gzipped :: Int,
    gzipping :: Double,
    zstandard :: Int,
    zstandarding :: Double
  }
  deriving stock (Eq, Show)

-- | Three kinds of list, each as long as makes about this many bytes of JSON: a long one of
-- numbers, one of many short ones, and one of records with fields of all sorts.
onWire :: Settings -> Int -> IO [Sent]
onWire settings wanted =
  concat
    <$> sequence
      [ ofList settings wanted "numbers, one long list" (five @[Int]) (\n -> take n (integers (seed 1))),
        ofList settings wanted "numbers, lists of four" (five @[[Int]]) (\n -> fours (take (4 * n) (integers (seed 2)))),
        ofList settings wanted "records (complex)" (five @[Everything ByTemplate]) (\n -> map (coerce . different) [1 .. n])
      ]
  where
    fours = \case
      [] -> []
      some -> let (four, rest) = splitAt 4 some in four : fours rest

-- | INLINE, as the codecs are: their code is then that of one type, as in a program. Without
-- it the figures are those of dictionaries.
five :: forall a. (NFData a, ToJSON a, FromJSON a, Tern.Wire a) => [Codec a]
five =
  [ tern @a "JSON",
    ternMessagePack @a "MessagePack",
    ternCbor @a "CBOR",
    ternNative @a "native",
    aeson @a "aeson"
  ]
{-# INLINE five #-}

ofList :: (Eq a, NFData a) => Settings -> Int -> Text -> [Codec [a]] -> (Int -> [a]) -> IO [Sent]
ofList settings wanted content codecs made = do
  value <- evaluate (force (made count))
  forM codecs $ \one -> do
    let bytes = encoded one value
    _ <- evaluate (B.length bytes)
    case decoded one bytes of
      Right again | again == value -> pure ()
      _ -> die (T.unpack (T.concat ["articles: ", codecName one, " does not read what it wrote"]))
    let small = gzip bytes
        smaller = zstd bytes
    taken <-
      timings
        settings
        (const (pure ()))
        [ encodingOf one value,
          decodingOf one bytes,
          operation gzip (`seq` ()) bytes,
          operation zstd (`seq` ()) bytes
        ]
    case map (median . spread . cpuTimes) taken of
      [encoding, decoding, gzipping, zstandarding] ->
        pure
          Sent
            { content,
              elements = count,
              codec = codecName one,
              encoding,
              decoding,
              raw = B.length bytes,
              gzipped = B.length small,
              gzipping,
              zstandard = B.length smaller,
              zstandarding
            }
      _ -> die "articles: nothing was timed"
  where
    -- By the mean of some hundred elements as JSON, the first codec, without the brackets.
    count = max 1 (wanted * 200 `div` max 1 (sum [B.length (encoded one (made 200)) - 2 | one <- take 1 codecs]))

encodingOf :: Codec a -> a -> Operation
encodingOf Codec {..} given = operation encode settleOutput (toModel given)

decodingOf :: Codec a -> ByteString -> Operation
decodingOf Codec {..} = operation decode (either (const ()) settleModel)

-- | As a web server does, at its usual level; and Zstandard at its own.
gzip, zstd :: ByteString -> ByteString
gzip = L.toStrict . GZip.compressWith GZip.defaultCompressParams {GZip.compressLevel = GZip.compressionLevel 6} . L.fromStrict
{-# NOINLINE gzip #-}
zstd = Zstd.compress 3
{-# NOINLINE zstd #-}
