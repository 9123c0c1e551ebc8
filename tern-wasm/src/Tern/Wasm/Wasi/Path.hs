{-# LANGUAGE OverloadedStrings #-}

-- | Where a guest's path leads, below a directory that it holds.
--
-- The idea: a path is never given to the system whole. All but its last name is
-- resolved to an open directory, and what is done with the last name is done in that
-- directory by a call that follows no link. Links are read here, and what they say is
-- resolved as if the guest had said it: so a link is never more than its text, and
-- nothing is above the directory that the path began at. If another process moves
-- things about meanwhile, a name may be another thing than it was, but it is a name
-- below that directory.
--
-- The kernel finds directories where it can (@openat2@ of Linux 5.6, which refuses
-- what would lead out), and where no link is on the way; else they are opened one after
-- the other. A path of a few bytes may lead over links to very many names, so names are
-- counted, and who asks says how many it has paid for ('Steps').
--
-- Start at 'resolve'.
module Tern.Wasm.Wasi.Path
  ( Resolver (..),
    Target (..),
    Last (..),
    Steps,
    newSteps,
    allow,
    sufficed,
    mostSteps,
    resolve,
    linkBytes,
  )
where

import Control.Exception (mask_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Tern.Wasm.Wasi.Errno (Errno (..))
import Tern.Wasm.Wasi.System
  ( Fd,
    FileType (..),
    Status (..),
    beneath,
    closeQuietly,
    linkText,
    look,
    opened,
    status,
  )

-- | Who finds directories: the kernel where it can, or always 'walk'.
data Resolver = ByKernel | ByWalk
  deriving stock (Eq, Show)

-- | A name in a directory, and whether it was said to be a directory's; or the
-- directory itself.
data Target = Entry !Fd !ByteString !Bool | Itself !Fd

-- | What a link means that is the last name.
data Last
  = -- | Itself: names are made and removed, not what they stand for.
    Named
  | -- | Itself, unless the path ends with a slash, which asks for a directory there.
    Kept
  | -- | What it leads to.
    Followed
  deriving stock (Eq, Show)

-- | Bytes of a path or of a link, at most.
linkBytes :: Int
linkBytes = 4095

-- | Links that may be followed for one path.
mostLinks :: Int
mostLinks = 40

-- | How many names may still be looked at; below 0 where that was not enough.
newtype Steps = Steps (IORef Int)

-- | No name may be looked at, until 'allow' says otherwise.
newSteps :: IO Steps
newSteps = Steps <$> newIORef 0

-- | From now on there are as many steps as the number says.
allow :: Steps -> Int -> IO ()
allow (Steps ref) = writeIORef ref

-- | Whether there were enough since 'allow'. Where there were not, nothing was done but
-- to look.
sufficed :: Steps -> IO Bool
sufficed (Steps ref) = (>= 0) <$> readIORef ref

-- | Names that are looked at for one path, at most.
mostSteps :: Int
mostSteps = 4096

-- | Take some; whether they were there.
take_ :: Steps -> Int -> IO Bool
take_ (Steps ref) n = do
  have <- readIORef ref
  writeIORef ref (if n <= have then have - n else -1)
  pure (n <= have)

-- | The target of a path below a directory. It is open as long as the action runs. Where
-- the steps do not suffice, the action does not run, and the error means nothing.
resolve ::
  Resolver ->
  Steps ->
  Fd ->
  ByteString ->
  Last ->
  (Target -> IO (Either Errno a)) ->
  IO (Either Errno a)
resolve resolver steps base whole last_ f = go mostLinks whole
  where
    go links path = case parse path of
      Left e -> pure (Left e)
      Right (Directly names) -> directory resolver steps base names (f . Itself)
      Right (Within above name slash) -> do
        r <- directory resolver steps base above $ \dir ->
          if last_ == Followed || (last_ == Kept && slash)
            then
              linkAt dir name >>= \case
                Left e -> pure (Left e)
                Right (Just text) -> pure (Right (Left (continued above text slash)))
                Right Nothing -> fmap Right <$> f (Entry dir name slash)
            else fmap Right <$> f (Entry dir name slash)
        case r of
          Left e -> pure (Left e)
          Right (Right a) -> pure (Right a)
          Right (Left next)
            | links <= 0 -> pure (Left ELOOP)
            | otherwise -> either (pure . Left) (go (links - 1)) next
    continued above text slash
      | BC.isPrefixOf "/" text = Left ENOTCAPABLE
      | B.null text = Left ENOENT
      | otherwise = Right (BC.intercalate "/" (above <> [text]) <> (if slash then "/" else B.empty))

-- | What a name says if it is a link.
linkAt :: Fd -> ByteString -> IO (Either Errno (Maybe ByteString))
linkAt dir name =
  linkText dir name linkBytes >>= \case
    Right text -> pure (Right (Just text))
    -- No link, or nothing yet.
    Left e | e `elem` [EINVAL, ENOENT] -> pure (Right Nothing)
    Left e -> pure (Left e)

-- * Paths as names

-- | The names of directories and a last name with whether a slash is after it; or
-- names of directories alone.
data Parsed = Within ![ByteString] !ByteString !Bool | Directly ![ByteString]

parse :: ByteString -> Either Errno Parsed
parse path
  | B.null path = Left ENOENT
  | B.length path > linkBytes = Left ENAMETOOLONG
  | B.elem 0 path = Left EINVAL
  | BC.head path == '/' = Left ENOTCAPABLE
  | otherwise = Right $ case unsnoc names of
      Nothing -> Directly []
      Just (above, name)
        | name == ".." -> Directly names
        | otherwise -> Within above name (BC.last path == '/' || "/." `BC.isSuffixOf` path)
  where
    names = split path
    unsnoc ns = if null ns then Nothing else Just (init ns, last ns)

-- | The names of a path that say something.
split :: ByteString -> [ByteString]
split = filter (\n -> not (B.null n) && n /= ".") . BC.split '/'

-- * Directories

directory ::
  Resolver -> Steps -> Fd -> [ByteString] -> (Fd -> IO (Either Errno a)) -> IO (Either Errno a)
directory resolver steps base names f = do
  -- One more for the last name.
  there <- take_ steps (1 + length names)
  if not there
    then pure (Left ELOOP)
    else if null names then f base else opened find f
  where
    find = case resolver of
      ByWalk -> walk steps base names
      ByKernel ->
        beneath base (BC.intercalate "/" names) >>= \case
          Left ENOSYS -> walk steps base names
          r -> pure r

-- | Open the directory of some names one after the other, which are paid for. Those on
-- the way stay open, so that @..@ is where the walk came from, wherever that is meanwhile.
--
-- Masked: the descriptors on the way have no other owner. No call waits.
walk :: Steps -> Fd -> [ByteString] -> IO (Either Errno Fd)
walk steps base = mask_ . go mostLinks []
  where
    go _ open [] = case open of
      [] -> look base "."
      d : ds -> Right d <$ mapM_ closeQuietly ds
    go links open (name : rest)
      | name == ".." = case open of
          [] -> refuse ENOTCAPABLE
          d : ds -> closeQuietly d >> go links ds rest
      | otherwise =
          look (foldr const base open) name >>= \case
            Left e -> refuse e
            Right fd -> do
              kind <- fmap statusKind <$> status fd
              case kind of
                Right Directory
                  | length open >= 128 -> closeQuietly fd >> refuse ENAMETOOLONG
                  | otherwise -> go links (fd : open) rest
                Right SymbolicLink -> do
                  text <- linkText fd B.empty linkBytes
                  closeQuietly fd
                  case text of
                    Left e -> refuse e
                    Right t
                      | links <= 0 -> refuse ELOOP
                      | BC.isPrefixOf "/" t -> refuse ENOTCAPABLE
                      | otherwise -> do
                          let more = split t
                          there <- take_ steps (length more)
                          if there then go (links - 1) open (more <> rest) else refuse ELOOP
                Right _ -> closeQuietly fd >> refuse ENOTDIR
                Left e -> closeQuietly fd >> refuse e
      where
        refuse e = Left e <$ mapM_ closeQuietly open
