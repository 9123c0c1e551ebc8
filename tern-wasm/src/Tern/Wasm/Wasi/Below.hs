-- | A guest's path, below a folder that it has.
--
-- The idea: rights are looked at and the path's names paid for before it is resolved
-- ("Tern.Wasm.Wasi.Path"); where links lead to more names, those are paid for as well.
--
-- Start at 'below' and 'reaching'.
module Tern.Wasm.Wasi.Below
  ( Below,
    below,
    begun,
    folderAt,
    lastOf,
    target,
    reaching,
    reached,
    pathBytes,
  )
where

import Control.Monad.IO.Class (liftIO)
import Data.Bits (testBit)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Word (Word32)
import Tern.Wasm.Wasi.Errno (Errno (..))
import Tern.Wasm.Wasi.Path
  ( Last (..),
    Resolver,
    Steps,
    Target,
    allow,
    mostSteps,
    newSteps,
    resolve,
    sufficed,
  )
import Tern.Wasm.Wasi.Rights (Right_)
import Tern.Wasm.Wasi.State
  ( Act,
    Descriptor (..),
    Form (..),
    WasiState (..),
    callBytes,
    descriptorAt,
    getBytes,
    io,
    pay,
    permit,
    refuse,
  )
import Tern.Wasm.Wasi.System (using)

-- | A path below a folder: the folder, who finds directories, the path, and how many names may be
-- looked at for it.
data Below = Below !Descriptor !Resolver !ByteString !Steps

-- | The folder that a path begins at, as it was when its rights were looked at. Its number may
-- stand for another one since then: the path was paid for meanwhile.
begun :: Below -> Descriptor
begun (Below d _ _ _) = d

-- | Look at a folder's rights and at the path's bytes, and pay for its names.
below :: WasiState -> Word32 -> Right_ -> Word32 -> Word32 -> Act Below
below st fd right p n = do
  d <- folderAt st fd right
  path <- getBytes st p n
  found <- Below d (resolver st) path <$> liftIO newSteps
  found <$ pay (pathBytes found)

-- | How many names a path may have, and a few for links: what every path is paid for.
ownNames :: ByteString -> Int
ownNames path = 4 + (B.length path + 1) `div` 2

-- | What a name of a path is paid for as: it may be a directory to open, and a link to
-- read.
nameBytes :: Int
nameBytes = 2560

-- | Do something with what a path leads to, by 'resolve'. It is for 'reaching' or 'reached', which
-- say how many names may be looked at.
target :: Below -> Last -> (Target -> IO (Either Errno a)) -> IO (Either Errno a)
target (Below d how path steps) last_ f =
  using (descriptorOwned d) (\base -> resolve how steps base path last_ f)

-- | Do what needs the targets of paths. Where links lead to more names than were paid
-- for, twice as many are paid for, and the way is gone once more from its beginning.
reaching :: [Below] -> IO (Either Errno a) -> Act a
reaching paths action = reached paths action >>= io . pure

-- | The same, but an error of the action is a result.
reached :: [Below] -> IO (Either Errno a) -> Act (Either Errno a)
reached paths action = go (maximum (1 : [ownNames path | Below _ _ path _ <- paths]))
  where
    go n = do
      liftIO (mapM_ (\(Below _ _ _ steps) -> allow steps n) paths)
      r <- liftIO action
      enough <- liftIO (and <$> mapM (\(Below _ _ _ steps) -> sufficed steps) paths)
      case () of
        _
          | enough -> pure r
          | n >= mostSteps -> refuse ENAMETOOLONG
          | otherwise -> pay (2 * n * nameBytes * length paths) >> go (2 * n)

-- | By WASI's @lookupflags@: with bit 0 a link that is the last name is followed.
lastOf :: Word32 -> Last
lastOf flags = if testBit flags 0 then Followed else Kept

-- | A folder with a right; 'ENOTDIR' for what is no folder, whatever its rights.
folderAt :: WasiState -> Word32 -> Right_ -> Act Descriptor
folderAt st fd right = do
  d <- descriptorAt st fd
  case descriptorForm d of
    Folder _ _ -> d <$ permit d [right]
    File -> refuse ENOTDIR
    Shared -> refuse ENOTDIR
    Stream -> refuse ENOTDIR

-- | What a path is paid for as.
pathBytes :: Below -> Int
pathBytes (Below _ _ path _) = callBytes + nameBytes * ownNames path
