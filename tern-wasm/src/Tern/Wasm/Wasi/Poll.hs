{-# LANGUAGE OverloadedStrings #-}

-- | Waiting for clocks and descriptors: @poll_oneoff@.
--
-- The idea: subscriptions are read once, as data; then the program looks at all of
-- them, and waits for a piece of time if none has happened, until one has. Between the
-- pieces its limits hold.
module Tern.Wasm.Wasi.Poll
  ( pollFunctions,
  )
where

import Control.Monad (forM, when)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (runExceptT)
import Data.Bits (testBit)
import Data.Either (fromRight)
import Data.Word (Word16, Word32, Word64, Word8)
import Tern.Wasm.Metered (Metered)
import Tern.Wasm.Prim (Ptr, fillBytes, peekByteOff, plusPtr, pokeByteOff)
import Tern.Wasm.Wasi.Errno (Errno (..), errnoNumber)
import Tern.Wasm.Wasi.Rights (Right_ (..))
import Tern.Wasm.Wasi.State
  ( Descriptor (..),
    Edition (..),
    Form (..),
    Function,
    Wasi (..),
    WasiState (..),
    access,
    at,
    callBytes,
    done,
    function,
    io,
    pause,
    pay,
    put,
    refuse,
  )
import Tern.Wasm.Wasi.System
  ( Clock (..),
    Interest (..),
    Ready (..),
    Status (..),
    Whence (..),
    clockTime,
    poll,
    seek,
    status,
    using,
    waiting,
  )
import Tern.Wasm.Wasi.Wait (waitMilliseconds)

-- | The function @poll_oneoff@, as an edition lays out its structures.
pollFunctions :: Edition -> WasiState -> [Function]
pollFunctions edition st = [function "poll_oneoff" (pollOneoff edition st)]

-- | Something waited for, and what the program calls it.
data Subscription = Subscription !Word64 !Subject

data Subject
  = -- | A clock's number, nanoseconds, and whether they are a time of the clock's.
    Alarm !Word32 !Word64 !Bool
  | Open !Interest !Word32
  | -- | A tag that the interface does not have.
    Other

-- | When something has happened: a time of the monotonic clock, or when a descriptor
-- is ready; or it has happened already.
data Awaited = Until !Word64 | Of !Descriptor !Interest | Now !Event

-- | An error, bytes that can be read, and whether the other end is gone.
data Event = Event !Errno !Word64 !Bool

pollOneoff :: Edition -> WasiState -> Word32 -> Word32 -> Word32 -> Word32 -> Metered Word32
pollOneoff edition st from to n count = done $ do
  when (n == 0 || n > 1024) (refuse EINVAL)
  let size = subscriptionBytes edition
      rows = fromIntegral n :: Int
  pay (rows * size)
  subscriptions <- at st from (rows * size) $ \p ->
    Right <$> mapM (\k -> subscription edition (p `plusPtr` (k * size))) [0 .. rows - 1]
  -- The system is asked about each descriptor, of files twice.
  pay (callBytes * length [() | Subscription _ (Open _ _) <- subscriptions])
  at st to (32 * rows) (const (pure (Right ())))
  put st count (0 :: Word32)
  awaited <- forM subscriptions $ \s@(Subscription _ subject) -> (,) s <$> begun subject
  happened <- go awaited 0
  at st to (32 * rows) $ \p -> do
    mapM_ (\(k, (s, e)) -> writeEvent (p `plusPtr` (32 * k)) s e) (zip [0 ..] happened)
    pure (Right ())
  put st count (fromIntegral (length happened) :: Word32)
  where
    -- A subscription's error is its event; it does not end the call.
    begun = \case
      Other -> pure (Now (Event EINVAL 0 False))
      Open interest fd ->
        lift (runExceptT (access st fd [PollFdReadwrite])) >>= \case
          Left e -> pure (Now (Event e 0 False))
          Right d -> case descriptorForm d of
            Stream -> pure (Of d interest)
            -- A file never keeps anybody waiting.
            File -> Now <$> ofFile d interest
            Shared -> Now <$> ofFile d interest
            Folder _ _ -> pure (Now (Event EBADF 0 False))
      Alarm which time absolute -> case which of
        0 -> alarm Realtime time absolute
        1 -> alarm Monotonic time absolute
        2 -> pure (Now (Event ENOTSUP 0 False))
        3 -> pure (Now (Event ENOTSUP 0 False))
        _ -> pure (Now (Event EINVAL 0 False))
    alarm clock time absolute = do
      start <- io (clockTime Monotonic)
      here <- if wasiClocks (given st) then io (clockTime clock) else pure 0
      let wait = if absolute then (if time > here then time - here else 0) else time
      pure (Until (if wait > maxBound - start then maxBound else start + wait))
    ofFile d interest = case interest of
      ToWrite -> pure (Event SUCCESS 0 False)
      ToRead -> do
        left <- io . using (descriptorOwned d) $ \h -> do
          s <- status h
          o <- seek h 0 FromHere
          pure
            ( Right
                ( fromRight
                    0
                    ( ( \a b ->
                          if fromIntegral b > statusSize a
                            then 0
                            else statusSize a - fromIntegral b
                      )
                        <$> s
                        <*> o
                    )
                )
            )
        pure (Event SUCCESS left False)

    -- First without waiting, so that what has happened already is found with the rest.
    go awaited milliseconds = do
      states <- look_ awaited milliseconds
      now <- io (clockTime Monotonic)
      let happened = [(s, e) | (s, a, r) <- states, Just e <- [event now a r]]
      if null happened
        then do
          pause
          let next = minimum (maxBound : [t | (_, Until t) <- awaited])
              left = if next > now then (next - now) `div` 1000000 else 0
          go awaited (fromIntegral (min (fromIntegral waitMilliseconds) (max 1 left)))
        else pure happened

    event now awaited ready = case awaited of
      Until t -> if t <= now then Just (Event SUCCESS 0 False) else Nothing
      Now e -> Just e
      Of _ _ -> ready

    -- The streams' states, each asked of the system.
    look_ awaited milliseconds = do
      let some = any (\case (_, Now _) -> True; (_, Until _) -> False; (_, Of _ _) -> False) awaited
      found <- io (held [(d, i) | (_, Of d i) <- awaited] (if some then 0 else milliseconds))
      pure (matched awaited found)
    matched awaited found = case awaited of
      [] -> []
      (s, a@(Of _ _)) : rest -> case found of
        r : rs -> (s, a, r) : matched rest rs
        [] -> (s, a, Nothing) : matched rest []
      (s, a) : rest -> (s, a, Nothing) : matched rest found

-- | Ask the system about streams, all in use meanwhile; one that was given back is an
-- event of its own.
held :: [(Descriptor, Interest)] -> Int -> IO (Either Errno [Maybe Event])
held wanted milliseconds = go wanted []
  where
    go [] handles = do
      let order = reverse handles
          open = [(h, i) | Just (h, i) <- order]
      poll open (if length open < length order then 0 else milliseconds) >>= \case
        Left e -> pure (Left e)
        Right ready -> Right <$> told order ready
    go ((d, i) : rest) handles =
      using (descriptorOwned d) (\h -> go rest (Just (h, i) : handles)) >>= \case
        Left EBADF -> go rest (Nothing : handles)
        r -> pure r
    told [] _ = pure []
    told (Nothing : rest) ready = (Just (Event EBADF 0 False) :) <$> told rest ready
    told (Just (h, i) : rest) (r : rs) = do
      n <- if i == ToRead then waiting h else pure 0
      ( if isReady r
          then (Just (Event (if isBroken r && not (isGone r) then EIO else SUCCESS) n (isGone r)) :)
          else (Nothing :)
        )
        <$> told rest rs
    told (Just _ : rest) [] = (Nothing :) <$> told rest []

-- * Layout

-- | Bytes of a subscription.
subscriptionBytes :: Edition -> Int
subscriptionBytes = \case
  Preview1 -> 48
  Unstable -> 56

subscription :: Edition -> Ptr Word8 -> IO Subscription
subscription edition p = do
  user <- peekByteOff p 0
  tag <- peekByteOff p 8 :: IO Word8
  Subscription user <$> case tag of
    0 -> do
      -- The earlier edition has the user's number once more.
      let o = case edition of
            Preview1 -> 16
            Unstable -> 24
      which <- peekByteOff p o
      time <- peekByteOff p (o + 8)
      flags <- peekByteOff p (o + 24) :: IO Word16
      pure (Alarm which time (testBit flags 0))
    1 -> Open ToRead <$> peekByteOff p 16
    2 -> Open ToWrite <$> peekByteOff p 16
    _ -> pure Other

writeEvent :: Ptr Word8 -> Subscription -> Event -> IO ()
writeEvent p (Subscription user subject) (Event e n gone) = do
  fillBytes p 0 32
  pokeByteOff p 0 user
  pokeByteOff p 8 (fromIntegral (errnoNumber e) :: Word16)
  pokeByteOff p 10 (tag :: Word8)
  pokeByteOff p 16 n
  pokeByteOff p 24 (if gone then 1 else 0 :: Word16)
  where
    tag = case subject of
      Alarm {} -> 0
      Open ToRead _ -> 1
      Open ToWrite _ -> 2
      Other -> 0
