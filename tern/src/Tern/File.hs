-- | Values in files, in any format.
--
-- The idea: a file has all of a value or what it had before. What is written goes to a
-- file of another name in the same folder, is on the disk before it gets the file's name,
-- and has the permissions of the file that it replaces. What is read and does not decode
-- is an error with the file's name in it. That a file cannot be opened, read or written is
-- thrown, as all of @System.IO@ does.
--
-- Sequences that need not fit into memory are read by "Tern.Stream" and "Tern.Container".
module Tern.File
  ( -- * Formats
    Format (..),

    -- * Whole values
    decodeFile,
    decodeFileWith,
    encodeFile,
    FileError (..),
    renderFileError,

    -- * JSON
    decodeJsonFile,
    encodeJsonFile,

    -- * JSON Lines
    decodeJsonLinesFile,
    encodeJsonLinesFile,

    -- * Bytes
    writeWhole,
  )
where

import Control.Exception (IOException, mask, onException, try)
import Control.Monad (when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder qualified as Builder
import Data.ByteString.Lazy qualified as BL
import Data.Text (Text)
import Data.Text qualified as T
import GHC.IO.Exception (IOErrorType (InappropriateType))
import System.Directory (canonicalizePath, copyPermissions, doesFileExist, removeFile, renameFile)
import System.FilePath (takeDirectory)
import System.IO
import System.IO.Error (ioeGetErrorType)
import Tern.Cbor (decodeCborWith, encodeCbor)
import Tern.Error
import Tern.Json (decodeJsonWith, encodeJson)
import Tern.Limits
import Tern.MessagePack (decodeMessagePackWith, encodeMessagePack)
import Tern.Native (decodeNativeWith, encodeNative)
import Tern.Prim.Disk (syncHandle)
import Tern.Wire (Wire)

-- | What a file's bytes are.
data Format = Json | MessagePack | Cbor | Native
  deriving stock (Bounded, Enum, Eq, Ord, Show)

-- | A file that does not decode.
data FileError = FileError
  { fileName :: !FilePath,
    -- | What is wrong; the offset counts from the start of the file.
    fileError :: !Error,
    -- | The same in words, with the line and the column where the format has lines.
    fileWords :: !Text
  }
  deriving stock (Eq, Show)

-- | As compilers do: the file's name, a colon, what is wrong.
renderFileError :: FileError -> Text
renderFileError e = T.concat [T.pack (fileName e), T.pack ": ", fileWords e]

-- * Whole values

-- | The value that a file has, within 'defaultLimits'. The file is read at once.
decodeFile :: (Wire a) => Format -> FilePath -> IO (Either FileError a)
decodeFile = decodeFileWith defaultLimits

-- | As 'decodeFile', within the limits given.
decodeFileWith :: (Wire a) => Limits -> Format -> FilePath -> IO (Either FileError a)
decodeFileWith limits format path = do
  bytes <- B.readFile path
  pure (either (Left . wrong format path bytes) Right (decode bytes))
  where
    decode = case format of
      Json -> decodeJsonWith limits
      MessagePack -> decodeMessagePackWith limits
      Cbor -> decodeCborWith limits
      Native -> decodeNativeWith limits

wrong :: Format -> FilePath -> ByteString -> Error -> FileError
wrong format path bytes e = FileError path e (render bytes e)
  where
    render = case format of
      Json -> renderError
      MessagePack -> renderBinaryError
      Cbor -> renderBinaryError
      Native -> renderBinaryError

-- | A file that has the value and nothing else: written whole or not at all.
encodeFile :: (Wire a) => Format -> FilePath -> a -> IO ()
encodeFile format path a = writeWhole path . BL.fromStrict $ case format of
  Json -> encodeJson a
  MessagePack -> encodeMessagePack a
  Cbor -> encodeCbor a
  Native -> encodeNative a

-- * JSON

-- | The value that a JSON file has.
decodeJsonFile :: (Wire a) => FilePath -> IO (Either FileError a)
decodeJsonFile = decodeFile Json

-- | A JSON file: compact, with a line feed at its end.
encodeJsonFile :: (Wire a) => FilePath -> a -> IO ()
encodeJsonFile path a = writeWhole path (BL.fromChunks [encodeJson a, B.singleton 10])

-- * JSON Lines

-- | The values of a file that has one a line. Lines of white space count for nothing. The
-- first line that does not decode is an error, which says the line's number in the file;
-- the limits hold for each line.
decodeJsonLinesFile :: (Wire a) => FilePath -> IO (Either FileError [a])
decodeJsonLinesFile path = do
  bytes <- B.readFile path
  pure (either (Left . wrong Json path bytes) Right (traverse one (linesOf 0 bytes)))
  where
    one (start, line) = either (\e -> Left e {errorOffset = start + errorOffset e}) Right (decodeJsonWith defaultLimits line)
    linesOf start rest
      | B.null rest = []
      | otherwise = case B.break (== 10) rest of
          (line, more) -> [(start, line) | not (B.all (`B.elem` blank) line)] <> linesOf (start + B.length line + 1) (B.drop 1 more)
    blank = B.pack [32, 9, 13]

-- | A file of one value a line.
encodeJsonLinesFile :: (Wire a) => FilePath -> [a] -> IO ()
encodeJsonLinesFile path as = writeWhole path (Builder.toLazyByteString (foldMap (\a -> Builder.byteString (encodeJson a) <> Builder.char7 '\n') as))

-- * Bytes

-- | Put bytes into a file whole or not at all: after an exception, also from the bytes
-- themselves, the file is as it was, and no other file is left. A link leads to the same
-- file as before. What is no ordinary file, as a pipe or a terminal, cannot be replaced and
-- is written to directly.
writeWhole :: FilePath -> BL.ByteString -> IO ()
writeWhole link bytes = do
  path <- canonicalizePath link
  there <- doesFileExist path
  ordinary <- if there then isOrdinary path else pure True
  if ordinary then replace there path else BL.writeFile path bytes
  where
    replace there path = mask $ \restore -> do
      (temporary, h) <- openBinaryTempFileWithDefaultPermissions (takeDirectory path) ".tern-part"
      restore
        ( do
            BL.hPut h bytes
            hFlush h
            syncHandle h
            hClose h
            when there (copyPermissions path temporary)
            renameFile temporary path
        )
        `onException` (hClose h >> removeFile temporary)
    -- Of other files there is no size. What cannot be read here may be an ordinary file.
    isOrdinary path =
      either (\e -> ioeGetErrorType (e :: IOException) /= InappropriateType) (const True)
        <$> try (withBinaryFile path ReadMode hFileSize)
