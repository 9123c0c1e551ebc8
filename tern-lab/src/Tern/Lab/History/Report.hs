-- | All reports of a history, written into one folder.
--
-- @history.json@, @history.md@ and @history.html@ are about all benchmarks;
-- @NAME.csv@, @NAME.svg@ and @NAME.tex@ about one. Each file is written whole
-- or not at all.
module Tern.Lab.History.Report
  ( writeReports,
  )
where

import Control.Exception (IOException, try)
import Data.ByteString.Lazy qualified as L
import Data.Foldable (for_)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.Directory
import System.FilePath ((<.>), (</>))
import Tern.File (writeWhole)
import Tern.Lab.History.Metric (Thresholds)
import Tern.Lab.History.Problem
import Tern.Lab.History.Record
import Tern.Lab.History.Record.Json
import Tern.Lab.History.Report.Graph
import Tern.Lab.History.Report.Page
import Tern.Lab.History.Report.Table

-- | Write them all.
writeReports :: FilePath -> Thresholds -> Results -> IO (Either Problem ())
writeReports folder thresholds results = do
  written <- try $ do
    createDirectoryIfMissing True folder
    writeWhole (folder </> "history.json") (encodeResults results)
    text "history.md" (markdown thresholds results)
    text "history.html" (page thresholds results)
    for_ (resultsBenchmarks results) $ \(name, _) -> do
      let drawn = graph thresholds name results
          place = T.unpack name
      text (place <.> "csv") (csv thresholds name results)
      text (place <.> "svg") (svg drawn)
      text (place <.> "tex") (pgfplots drawn)
  pure (either refused Right written)
  where
    refused e = Left (CannotWrite folder (T.pack (show (e :: IOException))))
    text :: FilePath -> Text -> IO ()
    text name = writeWhole (folder </> name) . L.fromStrict . T.encodeUtf8
