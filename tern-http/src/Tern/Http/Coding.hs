{-# LANGUAGE OverloadedStrings #-}

-- | The content codings that a service puts on answers and takes off requests.
--
-- The idea: what comes in is decompressed piece by piece from a source of chunks to a
-- source of chunks, so that whoever draws from it decides how far it goes, and a bomb
-- costs no more than what is drawn. What is wrong with the compressed bytes is thrown
-- where they are drawn, as 'Broken'.
--
-- Start at 'decoding' and 'encodingTo'.
module Tern.Http.Coding
  ( Coding (..),
    codingNames,
    encoding,
    encodingChunks,
    encodingTo,
    Source,
    decoding,
    Broken (..),
  )
where

import Codec.Compression.GZip qualified as Gzip
import Codec.Compression.Zlib.Internal qualified as Zlib
import Codec.Compression.Zstd qualified as Zstd
import Codec.Compression.Zstd.Lazy qualified as Zstd.Lazy
import Codec.Compression.Zstd.Streaming qualified as Zstd.Streaming
import Control.Exception (Exception, throwIO)
import Control.Monad (unless, (<=<))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Http.Turns (turns)
import Tern.Http.Zstd (Complaint (..), Frames, betweenFrames, frames, walk)
import Tern.Negotiate qualified as Negotiate

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.ByteString qualified as B
-- >>> import Data.ByteString.Lazy qualified as BL
-- >>> import Tern.Negotiate qualified as Negotiate

-- | In the order that a service prefers where a client likes them alike.
data Coding = Zstandard | Gzip
  deriving stock (Bounded, Enum, Eq, Ord, Show)

-- | The codings by their names.
--
-- >>> map Negotiate.codingText (codingNames [minBound ..])
-- ["zstd","gzip"]
codingNames :: [Coding] -> [Negotiate.Coding Coding]
codingNames = map (\coding -> Negotiate.Coding (name coding) coding)
  where
    name = \case
      Zstandard -> "zstd"
      Gzip -> "gzip"

-- | Compressed, by the levels that are quick: what is answered is compressed each time.
--
-- >>> B.length (encoding Gzip (B.replicate 10000 7)) < 100
-- True
encoding :: Coding -> ByteString -> ByteString
encoding = \case
  Zstandard -> Zstd.compress 3
  Gzip -> BL.toStrict . gzipped . BL.fromStrict

-- | The same of chunks, as they are asked for: no more than a few are in memory. Of one
-- chunk the whole, in one chunk.
--
-- >>> take 1 (BL.toChunks (encodingChunks Zstandard (BL.cycle "tern "))) /= []
-- True
encodingChunks :: Coding -> BL.ByteString -> BL.ByteString
encodingChunks coding bytes = case BL.toChunks bytes of
  [] -> BL.fromStrict (encoding coding B.empty)
  [whole] -> BL.fromStrict (encoding coding whole)
  _ -> case coding of
    Zstandard -> Zstd.Lazy.compress 3 bytes
    Gzip -> gzipped bytes

gzipped :: BL.ByteString -> BL.ByteString
gzipped = Gzip.compressWith gzipParameters

gzipParameters :: Zlib.CompressParams
gzipParameters = Zlib.defaultCompressParams {Zlib.compressLevel = Zlib.compressionLevel 4}

-- | The same of chunks that an action hands on, to a consumer, which gets compressed ones as
-- they come to be. None of them is empty.
--
-- >>> :{
-- encodingTo Gzip (\chunk -> print (B.length chunk < 100)) (\hand -> hand (B.replicate 10000 7))
-- :}
-- True
encodingTo :: Coding -> (ByteString -> IO ()) -> ((ByteString -> IO ()) -> IO ()) -> IO ()
encodingTo coding consume act = do
  state <- newIORef =<< drained =<< compressor coding
  let feed chunk =
        readIORef state >>= \case
          Wants supply -> supply chunk >>= drained >>= writeIORef state
          Gives _ _ -> pure ()
          Ended -> pure ()
      -- zlib wants to hear of the end again after each chunk that it gives.
      end =
        readIORef state >>= \case
          Wants _ -> feed B.empty >> end
          Gives _ _ -> pure ()
          Ended -> pure ()
  act (\chunk -> unless (B.null chunk) (feed chunk))
  end
  where
    drained = \case
      Gives chunk later -> unless (B.null chunk) (consume chunk) >> later >>= drained
      other -> pure other

-- | What compresses: it wants the next chunk, an empty one being the end; or gives one.
data Compressor
  = Wants (ByteString -> IO Compressor)
  | Gives !ByteString (IO Compressor)
  | Ended

compressor :: Coding -> IO Compressor
compressor = \case
  Gzip -> pure (gzipping (Zlib.compressIO Zlib.gzipFormat gzipParameters))
  Zstandard -> zstandarding =<< Zstd.Streaming.compress 3
  where
    gzipping = \case
      Zlib.CompressInputRequired supply -> Wants (fmap gzipping . supply)
      Zlib.CompressOutputAvailable chunk later -> Gives chunk (gzipping <$> later)
      Zlib.CompressStreamEnd -> Ended
    zstandarding = \case
      Zstd.Streaming.Consume supply -> pure (Wants (zstandarding <=< supply))
      Zstd.Streaming.Produce chunk later -> pure (Gives chunk (zstandarding =<< later))
      Zstd.Streaming.Done chunk -> pure (Gives chunk (pure Ended))
      Zstd.Streaming.Error _ what -> throwIO (Broken Zstandard (T.pack what))

-- | An action that gives the next chunk, and an empty one at the end and after it.
type Source = IO ByteString

-- | What is not the coding that it says it is.
data Broken = Broken !Coding !Text
  deriving stock (Eq, Show)

instance Exception Broken

-- | The decompressed chunks of a source, each of bounded length and none of them empty
-- but the last. Of Zstandard's windows up to 8 MiB are taken, as RFC 9659 demands.
-- Chunks beyond the first are made in turn with those of others: who sends a bomb waits for all
-- who do not.
decoding :: Coding -> Source -> IO Source
decoding coding source = do
  state <- newIORef =<< start coding source
  pure $ do
    step <- readIORef state
    next state step
  where
    next state step =
      run step >>= \case
        Just (chunk, later)
          | B.null chunk -> next state later
          | otherwise -> chunk <$ writeIORef state later
        Nothing -> B.empty <$ writeIORef state step

-- | What can be drawn: a chunk and what comes after it, or the end.
newtype Steps = Steps {run :: IO (Maybe (ByteString, Steps))}

start :: Coding -> Source -> IO Steps
start coding source = case coding of
  Gzip -> do
    inTurn <- turns 2
    pure (gzip inTurn source (Zlib.decompressIO Zlib.gzipFormat parameters))
  Zstandard -> do
    inTurn <- turns 2
    zstandard inTurn source frames <$> Zstd.Streaming.decompress
  where
    -- A piece is as long as others wait for it.
    parameters = Zlib.defaultDecompressParams {Zlib.decompressBufferSize = 8192}

-- | How to do a piece of work.
type InTurn state = IO state -> IO state

gzip :: InTurn (Zlib.DecompressStream IO) -> Source -> Zlib.DecompressStream IO -> Steps
gzip inTurn source stream = Steps $ case stream of
  Zlib.DecompressInputRequired supply -> do
    chunk <- source
    later <- inTurn (supply chunk)
    run (gzip inTurn source later)
  Zlib.DecompressOutputAvailable chunk further -> do
    later <- inTurn further
    pure (Just (chunk, gzip inTurn source later))
  Zlib.DecompressStreamEnd rest -> do
    more <- source
    unless (B.null rest && B.null more) $ throwIO (Broken Gzip "bytes after the end")
    pure Nothing
  Zlib.DecompressStreamError what -> throwIO (Broken Gzip (T.pack (show what)))

zstandard ::
  InTurn Zstd.Streaming.Result -> Source -> Frames -> Zstd.Streaming.Result -> Steps
zstandard inTurn source before result = Steps $ case result of
  Zstd.Streaming.Consume supply -> do
    chunk <- source
    after <- either refused pure (walk (8 * 1024 * 1024) chunk before)
    unless (not (B.null chunk) || betweenFrames after) $
      throwIO (Broken Zstandard "ends within a frame")
    later <- inTurn (supply chunk)
    run (zstandard inTurn source after later)
  Zstd.Streaming.Produce chunk further -> do
    later <- inTurn further
    pure (Just (chunk, zstandard inTurn source before later))
  Zstd.Streaming.Done chunk
    | B.null chunk -> pure Nothing
    | otherwise -> pure (Just (chunk, Steps (pure Nothing)))
  Zstd.Streaming.Error _ what -> throwIO (Broken Zstandard (T.pack what))
  where
    refused complaint = throwIO . Broken Zstandard $ case complaint of
      NoFrame -> "no frame begins where one should"
      BadFrame -> "a frame that the format does not have"
      WindowTooLarge n -> T.pack ("a frame that needs " <> show n <> " bytes of memory")
