{-# LANGUAGE OverloadedStrings #-}

-- | @path_open@.
--
-- The idea: what is opened is a regular file, a pipe or a directory; devices and sockets are
-- not for guests.
module Tern.Wasm.Wasi.Open
  ( openPath,
  )
where

import Control.Concurrent.MVar (newMVar)
import Control.Monad (unless, when)
import Data.Bits (complement, testBit, (.&.))
import Data.Word (Word32, Word64)
import Tern.Wasm.Metered (Metered)
import Tern.Wasm.Wasi.Below (begun, below, lastOf, pathBytes, reached, target)
import Tern.Wasm.Wasi.Errno (Errno (..))
import Tern.Wasm.Wasi.Path (Last (..), Target (..))
import Tern.Wasm.Wasi.Rights (Right_ (..), fileRights, folderRights, has, rights, streamRights)
import Tern.Wasm.Wasi.State
  ( Descriptor (..),
    Form (..),
    WasiState,
    done,
    newDescriptor,
    pay,
    put,
    refuse,
  )
import Tern.Wasm.Wasi.System
  ( Access (..),
    FileType (..),
    Status (..),
    file,
    folder,
    release,
    status,
    statusAt,
    using,
  )

-- | Given the folder's number, @lookupflags@, the path's address and length, @oflags@, the rights
-- that are wanted and those for what is opened below, @fdflags@, and where the new number goes.
-- An error's number, or 0.
openPath ::
  WasiState ->
  Word32 ->
  Word32 ->
  Word32 ->
  Word32 ->
  Word32 ->
  Word64 ->
  Word64 ->
  Word32 ->
  Word32 ->
  Metered Word32
openPath st fd look_ p n how wanted inheriting flags to = done $ do
  when (how > 15 || flags > 31) (refuse EINVAL)
  -- Neither makes a directory; the system makes a file, or does not know either.
  when (creates && asFolder) (refuse EINVAL)
  b <- below st fd PathOpen p n
  let d = begun b
      allowed = descriptorInheriting d
  when (creates && not (has (descriptorRights d) PathCreateFile)) (refuse ENOTCAPABLE)
  when (truncates && not (has (descriptorRights d) PathFilestatSetSize)) (refuse ENOTCAPABLE)
  -- Bits that the interface does not have are not asked for.
  unless (wanted .&. rights [minBound .. maxBound] .&. complement allowed == 0) (refuse ENOTCAPABLE)
  -- The result has a place before anything is made.
  put st to (0 :: Word32)
  (o, form) <- again b (8 :: Int)
  let possible = case form of
        Folder _ _ -> folderRights
        File -> fileRights
        Shared -> streamRights
        Stream -> streamRights
  new <-
    newDescriptor
      st
      ( Descriptor
          o
          form
          (wanted .&. possible)
          (inheriting .&. allowed)
          (fromIntegral flags)
      )
  put st to new
  where
    creates = testBit how 0
    asFolder = testBit how 1
    exclusive = testBit how 2
    truncates = testBit how 3
    writes = has wanted FdWrite
    mode =
      Access
        { accessRead = has wanted FdRead || not writes,
          accessWrite = writes || truncates,
          accessCreate = creates,
          accessExclusive = creates && exclusive,
          accessTruncate = truncates,
          accessAppend = testBit flags 0,
          accessDataSync = testBit flags 1,
          accessSync = testBit flags 3 || testBit flags 4
        }
    -- A name may become a link between a look and a call: then once more.
    again b tries =
      reached [b] (target b (if exclusive && creates then Named else lastOf look_) one) >>= \case
        Right r -> pure r
        Left ELOOP | tries > 0 -> pay (pathBytes b) >> again b (tries - 1)
        Left e -> refuse e

    one = \case
      Itself dir
        | creates && exclusive -> pure (Left EEXIST)
        | creates || truncates || (writes && not asFolder) -> pure (Left EISDIR)
        | otherwise -> asFolder_ (folder dir ".")
      Entry dir name slash ->
        statusAt dir name >>= \case
          Left ENOENT
            | creates -> if slash then pure (Left EISDIR) else opening dir name
            | otherwise -> pure (Left ENOENT)
          Left e -> pure (Left e)
          Right s
            | creates && exclusive -> pure (Left EEXIST)
            | otherwise -> case statusKind s of
                Directory
                  | creates || truncates || (writes && not asFolder) -> pure (Left EISDIR)
                  | otherwise -> asFolder_ (folder dir name)
                RegularFile -> plain dir name slash
                Unknown | statusPipe s -> plain dir name slash
                SymbolicLink -> pure (Left ELOOP)
                BlockDevice -> pure (Left ENOTCAPABLE)
                CharacterDevice -> pure (Left ENOTCAPABLE)
                StreamSocket -> pure (Left ENOTCAPABLE)
                DatagramSocket -> pure (Left ENOTCAPABLE)
                Unknown -> pure (Left ENOTCAPABLE)
    plain dir name slash
      | slash || asFolder = pure (Left ENOTDIR)
      | otherwise = opening dir name
    asFolder_ open = open >>= mapM (\o -> (,) o . Folder Nothing <$> newMVar ())

    -- What was opened is looked at: between the look and the call it may have become
    -- something else.
    opening dir name =
      file dir name mode >>= \case
        Left e -> pure (Left e)
        Right o ->
          using o status >>= \case
            Right s | statusKind s == RegularFile -> pure (Right (o, File))
            Right s | statusPipe s -> pure (Right (o, Stream))
            Right _ -> Left ENOTCAPABLE <$ release o
            Left e -> Left e <$ release o
