-- | What may be done with a descriptor.
module Tern.Wasm.Wasi.Rights
  ( Right_ (..),
    rights,
    has,
    folderRights,
    fileRights,
    streamRights,
    nameRights,
  )
where

import Data.Bits (setBit, testBit)
import Data.List qualified as List
import Data.Word (Word64)

-- | The interface's rights, by their bits.
data Right_
  = FdDatasync
  | FdRead
  | FdSeek
  | FdFdstatSetFlags
  | FdSync
  | FdTell
  | FdWrite
  | FdAdvise
  | FdAllocate
  | PathCreateDirectory
  | PathCreateFile
  | PathLinkSource
  | PathLinkTarget
  | PathOpen
  | FdReaddir
  | PathReadlink
  | PathRenameSource
  | PathRenameTarget
  | PathFilestatGet
  | PathFilestatSetSize
  | PathFilestatSetTimes
  | FdFilestatGet
  | FdFilestatSetSize
  | FdFilestatSetTimes
  | PathSymlink
  | PathRemoveDirectory
  | PathUnlinkFile
  | PollFdReadwrite
  | SockShutdown
  | SockAccept
  deriving stock (Eq, Show, Enum, Bounded)

-- | The rights as bits, each at its constructor's place.
rights :: [Right_] -> Word64
rights = List.foldl' (\bits r -> setBit bits (fromEnum r)) 0

-- | Whether a right is among the bits.
has :: Word64 -> Right_ -> Bool
has bits = testBit bits . fromEnum

-- | What can be done with a folder, a file and a stream.
folderRights, fileRights, streamRights :: Word64
folderRights =
  rights
    ( [ FdDatasync,
        FdFdstatSetFlags,
        FdSync,
        FdAdvise,
        FdFilestatGet,
        FdFilestatSetTimes,
        PollFdReadwrite
      ]
        <> [r | r <- [PathCreateDirectory .. PathUnlinkFile], r /= FdFilestatSetSize]
    )
fileRights =
  rights
    [ FdDatasync,
      FdRead,
      FdSeek,
      FdFdstatSetFlags,
      FdSync,
      FdTell,
      FdWrite,
      FdAdvise,
      FdAllocate,
      FdFilestatGet,
      FdFilestatSetSize,
      FdFilestatSetTimes,
      PollFdReadwrite
    ]
streamRights = rights [FdRead, FdFdstatSetFlags, FdWrite, FdFilestatGet, PollFdReadwrite]

-- | What is done to what is below a folder by its name.
nameRights :: Word64
nameRights =
  rights
    [ PathCreateDirectory,
      PathCreateFile,
      PathLinkSource,
      PathLinkTarget,
      PathOpen,
      PathReadlink,
      PathRenameSource,
      PathRenameTarget,
      PathFilestatGet,
      PathFilestatSetSize,
      PathFilestatSetTimes,
      PathSymlink,
      PathRemoveDirectory,
      PathUnlinkFile
    ]
