-- | All reports of a history, written into one folder.
--
-- @history.json@, @history.md@ and @history.html@ are about all benchmarks;
-- @NAME.csv@, @NAME.svg@ and @NAME.tex@ about one. Each file is written whole
-- or not at all.
module Tern.Lab.History.Report
  ( writeReports,
    mayWriteReports,
  )
where

import Control.Exception (IOException, try)
import Data.ByteString.Lazy qualified as L
import Data.Foldable (for_)
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.Directory (createDirectoryIfMissing)
import System.FilePath ((<.>), (</>))
import System.IO.Error (ioeGetFileName)
import Tern.File (writeWhole)
import Tern.Lab.Complaint (refusal)
import Tern.Lab.History.Metric (Thresholds)
import Tern.Lab.History.Problem (Problem (..))
import Tern.Lab.History.Record (Results (..))
import Tern.Lab.History.Record.Json (encodeResults)
import Tern.Lab.History.Report.Graph (graph, pgfplots, svg)
import Tern.Lab.History.Report.Page (page)
import Tern.Lab.History.Report.Table (csv, markdown)
import Tern.Lab.Outlet (ready)

-- | Before anything is measured: can those be written that every history has?
mayWriteReports :: FilePath -> IO (Either Problem ())
mayWriteReports folder = either (Left . refused folder) Right <$> try tried
  where
    tried = do
      createDirectoryIfMissing True folder
      for_ ["history.json", "history.md", "history.html"] (ready . (folder </>))

refused :: FilePath -> IOException -> Problem
refused folder e = CannotWrite (fromMaybe folder (ioeGetFileName e)) (T.pack (refusal e))

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
  pure (either (Left . refused folder) Right written)
  where
    text :: FilePath -> Text -> IO ()
    text name = writeWhole (folder </> name) . L.fromStrict . T.encodeUtf8
