{-# LANGUAGE OverloadedStrings #-}

-- | The page of figures, which benchmarks keep theirs in, and others that show some of them.
-- Start at 'page'.
module Tern.Bench.Page
  ( page,
    pageAt,
    version,
  )
where

import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.Exit (die)
import Tern.File (writeWhole)
import Tern.Lab.Report (intoPage)
import Tern.Lab.Result (Machine (..))

-- | Put a text between its marks in the page of figures.
page :: Text -> Text -> IO ()
page = pageAt "docs/performance.md"

-- | Put a text between its marks in a page. The whole page is written anew, or
-- nothing; where it has no such marks, the program ends with 1.
pageAt :: FilePath -> Text -> Text -> IO ()
pageAt path mark text = do
  old <- T.decodeUtf8 <$> B.readFile path
  case intoPage mark text old of
    Just new -> writeWhole path (L.fromStrict (T.encodeUtf8 new))
    Nothing ->
      die
        ( concat
            [ "tern-bench: ",
              path,
              " has no marks <!-- ",
              T.unpack mark,
              " --> to put the text between"
            ]
        )

-- | The compiler without its patch level, which is a part of marks and names of files.
version :: Machine -> Text
version = T.intercalate "." . take 2 . T.splitOn "." . compiler
