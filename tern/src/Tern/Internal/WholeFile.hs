-- | Where the bytes for a path go: the one rule for all that writes files.
--
-- The idea: a regular file, or one that is not there yet, is there whole or as it was. Its
-- bytes go to another name in its folder, are on the disk, and get its name by a rename,
-- which puts one file in the place of another. So a rename is for regular files alone: a
-- device, a pipe with a name, and what the process has open (@\/dev\/stdout@) are written
-- into, and nothing is ever put in their place.
--
-- * A link stays, and what it leads to is replaced; one that leads to nothing makes that file.
--   Links in a circle are an error.
-- * A folder and a socket are errors, and so is a pipe that nobody reads: nobody is waited for.
-- * A file that may not be written to is an error, although its folder may allow to replace it;
--   and so is a folder that takes no file.
-- * Owner, group and permissions stay, as far as the process may keep them; they are those of
--   the new file before its first byte is written. Attributes and lists of access beyond them
--   are not kept.
-- * Of a file with several names (hard links) this one alone has the new bytes.
--
-- All errors are thrown as those of @System.IO@ are, with the path that was given or what it
-- leads to. Start at 'targetOf'.
module Tern.Internal.WholeFile
  ( Target (..),
    targetOf,
    writeWhole,
    canWriteWhole,
    isReplaced,
    openWithin,
    unfit,
  )
where

import Control.Exception (bracket, finally, mask, onException)
import Control.Monad (when)
import Data.ByteString.Lazy qualified as BL
import Data.List (isPrefixOf)
import Foreign.C (Errno (..), eNXIO)
import GHC.IO.Exception (IOErrorType (InappropriateType), IOException (..))
import System.Directory (canonicalizePath, getSymbolicLinkTarget, removeFile, renameFile)
import System.FilePath (takeDirectory, (</>))
import System.IO
  ( Handle,
    IOMode (..),
    hClose,
    openBinaryFile,
    openBinaryTempFileWithDefaultPermissions,
  )
import System.IO.Error (ioeSetErrorString, ioeSetFileName, mkIOError, modifyIOError)
import Tern.Prim.Disk
  ( Found (..),
    likeFile,
    lookAt,
    lookHere,
    mustBeWritable,
    syncHandle,
    writeHandle,
  )

-- | Where bytes go.
data Target
  = -- | They become the file at this path, which is no link; whether there is one already.
    Replaced !FilePath !Bool
  | -- | They are added to what stands at this path.
    Within !FilePath
  deriving stock (Eq, Show)

-- | Where the bytes for a path go, or an error where none can. Nothing is touched.
targetOf :: FilePath -> IO Target
targetOf path =
  lookAt path >>= \case
    Folder -> ioError (unfit path "it is a folder")
    -- Nothing leads to a link once links are followed.
    Link -> ioError (unfit path "it is a link that leads nowhere")
    Special -> Within path <$ mustBeWritable path
    RegularFile -> mustBeWritable path >> followed True path
    Nowhere -> followed False path
  where
    -- A circle is an error before this; what becomes one in the meantime ends too, after
    -- as many links as the system follows.
    followed there = go (40 :: Int)
      where
        go n here =
          lookHere here >>= \case
            Link | n > 0 -> do
              folder <- canonicalizePath (takeDirectory here)
              if ofOpenFiles folder
                then pure (Within path)
                else getSymbolicLinkTarget here >>= go (n - 1) . (takeDirectory here </>)
            _ -> pure (Replaced here there)
    -- The links in there are names of what is open, which may have none or another.
    ofOpenFiles folder = "/proc/" `isPrefixOf` folder || folder == "/dev/fd"

-- | Put bytes into a file whole or not at all: after an exception, also from the bytes
-- themselves, the file is as it was, and no other file is left. What is no regular file is
-- written into.
writeWhole :: FilePath -> BL.ByteString -> IO ()
writeWhole path bytes =
  targetOf path >>= \case
    Within there -> bracket (openWithin there) hClose (`BL.hPut` bytes)
    Replaced there old -> mask $ \restore -> do
      (part, h) <- partFile there
      restore
        ( do
            when old (likeFile there h)
            -- Past the handle's buffer, which would be written again when it is closed.
            mapM_ (writeHandle h) (BL.toChunks bytes)
            syncHandle h
            hClose h
            renameFile part there
        )
        `onException` (hClose h `finally` removeFile part)

-- | Fail as 'writeWhole' would before its first byte: with a file beside the one at the path,
-- which is gone again. Nothing that is there is touched.
canWriteWhole :: FilePath -> IO ()
canWriteWhole path =
  targetOf path >>= \case
    Within _ -> pure ()
    Replaced there _ ->
      bracket (partFile there) (\(part, h) -> hClose h >> removeFile part) (const (pure ()))

-- | Is what is written to a path put in the place of what was there? Then it can be written
-- again and again as it grows; else each time adds to what was there.
isReplaced :: FilePath -> IO Bool
isReplaced path =
  targetOf path >>= \case
    Replaced _ _ -> pure True
    Within _ -> pure False

-- | A new file in the folder of another.
partFile :: FilePath -> IO (FilePath, Handle)
partFile there =
  modifyIOError beside (openBinaryTempFileWithDefaultPermissions (takeDirectory there) ".tern-part")
  where
    beside e =
      ioeSetFileName
        e
          { ioe_description =
              ioe_description e <> "; a file beside it comes first"
          }
        there

-- | The error of a path that what is to be done does not fit.
unfit :: FilePath -> String -> IOException
unfit path = ioeSetErrorString (mkIOError InappropriateType "write" Nothing (Just path))

-- | Open what is written into.
openWithin :: FilePath -> IO Handle
openWithin path = modifyIOError unread (openBinaryFile path AppendMode)

-- | What the system calls no such device is a pipe without a reader, or a socket.
unread :: IOException -> IOException
unread e
  | fmap Errno (ioe_errno e) == Just eNXIO = e {ioe_description = "nobody reads it"}
  | otherwise = e
