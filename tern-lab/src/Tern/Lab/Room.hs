{-# LANGUAGE OverloadedStrings #-}

-- | Is there room for a build?
--
-- Its one idea: a full disk is asked for before a compiler finds out. GHC can
-- wait for ever after a write that failed, and what it says of it may not fit
-- into the log either.
module Tern.Lab.Room
  ( roomFor,
    tooLittle,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import System.Exit (ExitCode (..))
import Tern.Lab.Process (capture)
import Tern.Lab.Quantity (Unit (..), renderQuantity)
import Text.Read (readMaybe)

-- | The bytes that can be written below a folder, as far as @df@ can tell.
roomFor :: FilePath -> IO (Maybe Double)
roomFor folder = do
  (code, out, _) <- capture folder "df" ["-Pk", "."]
  pure $ case (code, map T.words (drop 1 (T.lines out))) of
    (ExitSuccess, (_ : _ : _ : free : _) : _) -> (* 1024) <$> readMaybe (T.unpack free)
    _ -> Nothing

-- | Why no build can be begun there, if so: less than 32 MB are free.
tooLittle :: FilePath -> IO (Maybe Text)
tooLittle folder = do
  room <- roomFor folder
  pure $ case room of
    Just free
      | free < 32e6 ->
          Just
            ( T.concat
                [ "only ",
                  renderQuantity Bytes free,
                  " are free, and a build needs 32 MB or more"
                ]
            )
    _ -> Nothing
