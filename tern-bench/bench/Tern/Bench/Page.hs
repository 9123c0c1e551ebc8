{-# LANGUAGE OverloadedStrings #-}

-- | The page of figures, which benchmarks keep theirs in, and others that show some of them.
-- Start at 'page'.
module Tern.Bench.Page
  ( page,
    pageAt,
    version,

    -- * Nurseries
    Nursery,
    thisNursery,
    series,
    nurseryWords,
  )
where

import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.RTS.Flags (GCFlags (minAllocAreaSize), getGCFlags)
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

-- * Nurseries

-- | How much this program allocates between two collections, in KiB.
newtype Nursery = Nursery Word
  deriving stock (Eq)

-- | The runtime counts in blocks of 4 KiB.
thisNursery :: IO Nursery
thisNursery = Nursery . (4 *) . fromIntegral . minAllocAreaSize <$> getGCFlags

-- | The default of GHC since 9.2.
usual :: Nursery
usual = Nursery 4096

-- | What figures are put together under: the compiler, and the nursery where it is not the
-- usual one.
series :: Machine -> Nursery -> Text
series machine nursery
  | nursery == usual = version machine
  | otherwise = T.concat [version machine, " ", option nursery]

-- | The nursery in words, where it is not the usual one.
nurseryWords :: Nursery -> Maybe Text
nurseryWords nursery
  | nursery == usual = Nothing
  | otherwise = Just (T.concat ["`", option nursery, "`"])

-- | As GHC's runtime takes it.
option :: Nursery -> Text
option (Nursery kibibytes) = case kibibytes `quotRem` 1024 of
  (mebibytes, 0) -> T.concat ["-A", T.pack (show mebibytes), "m"]
  _ -> T.concat ["-A", T.pack (show kibibytes), "k"]
