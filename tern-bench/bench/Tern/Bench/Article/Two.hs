{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE NamedFieldPuns #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE NoFieldSelectors #-}

-- | Article 002's table, its record there and back, and what it leaves to its reader: simple
-- and complex data, payloads of all lengths, short and long lists, compressed and not.
--
-- The idea: the record is the laboratory's subject of that name, with all its codecs; the
-- rest are lists of three kinds, as long as gives a wanted number of bytes of JSON. One codec
-- is measured on one of them at a time, so that a process of its own can do it, in memory that
-- is bounded.
--
-- Start at 'record' and 'onWire'.
module Tern.Bench.Article.Two
  ( -- * There and back
    Row (..),
    published,
    record,

    -- * What is left to the reader
    Sent (..),
    contents,
    wireCodecs,
    onWire,
  )
where

import Codec.Compression.GZip qualified as GZip
import Codec.Compression.Zstd qualified as Zstd
import Control.DeepSeq (NFData, force)
import Control.Exception (evaluate)
import Data.Aeson (FromJSON, ToJSON)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Coerce (coerce)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import GHC.Stats (RTSStats (max_mem_in_use_bytes), getRTSStats)
import System.Exit (die)
import Tern qualified
import Tern.Lab.Measure (Operation, Settings, Timing (..), allocatedBy, operation, timings)
import Tern.Lab.Random (integers, seed)
import Tern.Lab.Sample.Deriving (ByTemplate)
import Tern.Lab.Sample.Everything (Everything, different)
import Tern.Lab.Sample.EverythingCodecs qualified as Everything
import Tern.Lab.Stats (Spread (median), spread)
import Tern.Lab.Subject
  ( Codec (..),
    Subject (..),
    aeson,
    decoded,
    encoded,
    tern,
    ternCbor,
    ternMessagePack,
    ternNative,
  )

-- * There and back

-- | Encoded and decoded again: who, nanoseconds, bytes allocated, bytes of the payload.
data Row = Row
  { who :: Text,
    time :: Double,
    allocated :: Double,
    payload :: Int
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Tern.Wire)

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
    let works =
          map
            ( \codec ->
                (codecName codec, thereAndBack codec given, encoded codec given)
            )
            subjectCodecs
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
    zstandarding :: Double,
    -- | The most memory of the process that measured it.
    held :: Int
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Tern.Wire)

-- | A kind of list: its name, the codecs, and a list of some length.
data Content = forall a. (Eq a, NFData a) => Content Text [Codec [a]] (Int -> [a])

-- | A long list of numbers, one of many short ones, and one of records with fields of all
-- sorts.
kinds :: [Content]
kinds =
  [ Content "numbers, one long list" (five @[Int]) (\n -> take n (integers (seed 1))),
    Content
      "numbers, lists of four"
      (five @[[Int]])
      (\n -> fours (take (4 * n) (integers (seed 2)))),
    Content
      "records (complex)"
      (five @[Everything ByTemplate])
      (\n -> map (coerce . different) [1 .. n])
  ]
  where
    fours = \case
      [] -> []
      some -> let (four, rest) = splitAt 4 some in four : fours rest

-- | What there is, and by which codecs, in the order in which 'onWire' counts them.
contents, wireCodecs :: [Text]
contents = [name | Content name _ _ <- kinds]
wireCodecs = take 5 (concat [map codecName codecs | Content _ codecs _ <- kinds])

-- | The content and the codec of these numbers, from 0, as long as makes about this many bytes
-- of JSON. Nothing where there is none.
onWire :: Settings -> Int -> Int -> Int -> IO (Maybe Sent)
onWire settings wanted content codec = case drop content kinds of
  Content name codecs made : _
    | one : _ <- drop codec codecs ->
        Just <$> ofList settings (lengthFor wanted codecs made) name one made
  _ -> pure Nothing

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

-- | By the mean of some hundred elements as JSON, the first codec, without the brackets.
lengthFor :: Int -> [Codec [a]] -> (Int -> [a]) -> Int
lengthFor wanted codecs made =
  max
    1
    ( wanted
        * 200
        `div` max 1 (sum [B.length (encoded one (made 200)) - 2 | one <- take 1 codecs])
    )

ofList :: (Eq a, NFData a) => Settings -> Int -> Text -> Codec [a] -> (Int -> [a]) -> IO Sent
ofList settings count content one made = do
  value <- evaluate (force (made count))
  let bytes = encoded one value
  _ <- evaluate (B.length bytes)
  case decoded one bytes of
    Right again | again == value -> pure ()
    _ -> die (T.unpack (T.concat ["articles: ", codecName one, " does not read what it wrote"]))
  small <- evaluate (B.length (gzip bytes))
  smaller <- evaluate (B.length (zstd bytes))
  taken <-
    timings
      settings
      (const (pure ()))
      [ encodingOf one value,
        decodingOf one bytes,
        operation gzip (`seq` ()) bytes,
        operation zstd (`seq` ()) bytes
      ]
  most <- max_mem_in_use_bytes <$> getRTSStats
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
            gzipped = small,
            gzipping,
            zstandard = smaller,
            zstandarding,
            held = fromIntegral most
          }
    _ -> die "articles: nothing was timed"

encodingOf :: Codec a -> a -> Operation
encodingOf Codec {..} given = operation encode settleOutput (toModel given)

decodingOf :: Codec a -> ByteString -> Operation
decodingOf Codec {..} = operation decode (either (const ()) settleModel)

-- | As a web server does, at its usual level; and Zstandard at its own.
gzip, zstd :: ByteString -> ByteString
gzip =
  L.toStrict
    . GZip.compressWith GZip.defaultCompressParams {GZip.compressLevel = GZip.compressionLevel 6}
    . L.fromStrict
{-# NOINLINE gzip #-}
zstd = Zstd.compress 3
{-# NOINLINE zstd #-}
