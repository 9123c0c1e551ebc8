-- | Values in files, in any format.
--
-- The idea: a file has all of a value or what it had before. What is written goes to a
-- file of another name in the same folder, is on the disk before it gets the file's name,
-- and has the owner and the permissions of the file that it replaces, as far as the process
-- may give them. A link stays, and what it leads to is replaced; of a file with several names
-- (hard links) the one given alone has the new bytes. What is no regular file, as a pipe or
-- a device, is written into and never replaced; a folder, a socket, a pipe that nobody reads
-- and a file without permission to write are errors. What is read and does not decode
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
    canWriteWhole,
    isReplaced,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder qualified as Builder
import Data.ByteString.Lazy qualified as BL
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Cbor (decodeCborWith, encodeCbor)
import Tern.Error (Error (..), renderBinaryError, renderError)
import Tern.Internal.WholeFile (canWriteWhole, isReplaced, writeWhole)
import Tern.Json (decodeJsonWith, encodeJson)
import Tern.Limits (Limits, defaultLimits)
import Tern.MessagePack (decodeMessagePackWith, encodeMessagePack)
import Tern.Native (decodeNativeWith, encodeNative)
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
    one (start, line) =
      either
        (\e -> Left e {errorOffset = start + errorOffset e})
        Right
        (decodeJsonWith defaultLimits line)
    linesOf start rest
      | B.null rest = []
      | otherwise = case B.break (== 10) rest of
          (line, more) ->
            [(start, line) | not (B.all (`B.elem` blank) line)]
              <> linesOf (start + B.length line + 1) (B.drop 1 more)
    blank = B.pack [32, 9, 13]

-- | A file of one value a line.
encodeJsonLinesFile :: (Wire a) => FilePath -> [a] -> IO ()
encodeJsonLinesFile path as =
  writeWhole
    path
    ( Builder.toLazyByteString
        ( foldMap
            ( \a ->
                Builder.byteString (encodeJson a) <> Builder.char7 '\n'
            )
            as
        )
    )
