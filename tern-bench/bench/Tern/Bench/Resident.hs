{-# LANGUAGE OverloadedStrings #-}

-- | The most that a process had in memory, as the kernel (Linux) counts it.
module Tern.Bench.Resident
  ( residentPeak,
  )
where

import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Maybe (listToMaybe)

-- | In bytes, of a process by its number, or of @self@. Nothing where the kernel does not
-- say so.
residentPeak :: String -> IO (Maybe Int)
residentPeak process = do
  status <- BC.lines <$> B.readFile ("/proc/" <> process <> "/status")
  pure
    ( listToMaybe
        [ 1024 * kilobytes
          | line <- status,
            "VmHWM:" : text : _ <- [BC.words line],
            Just (kilobytes, _) <- [BC.readInt text]
        ]
    )
