-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Pages tried in a browser without a window, where there is one.
--
-- A test hands over a page and a script that plays a reader; what the script
-- returns comes back through the document.
module Tern.Lab.Browser
  ( inBrowser,
  )
where

import Data.Maybe (catMaybes, listToMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (findExecutable)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)
import System.Timeout (timeout)

-- | The text that the body of a function returns in the page, or why it could
-- not be asked, which skips the test.
inBrowser :: Text -> Text -> (Text -> IO ()) -> IO String
inBrowser page script use = do
  present <- mapM findExecutable ["chromium", "chromium-browser", "google-chrome", "chrome"]
  case listToMaybe (catMaybes present) of
    Nothing -> pure "skipped: no browser (chromium, google-chrome) on PATH"
    Just browser -> withSystemTempDirectory "tern-lab-browser" $ \folder -> do
      let file = folder </> "page.html"
      T.writeFile
        file
        ( T.replace
            (T.pack "</body>")
            ( T.concat
                [ T.pack
                    "<script>document.body.append(Object.assign(document.createElement('pre'), \
                    \{ id: 'answer', textContent: '<<' + (function () {",
                  script,
                  T.pack "})() + '>>' }));</script></body>"
                ]
            )
            page
        )
      let options =
            [ "--headless",
              "--no-sandbox",
              "--disable-gpu",
              "--user-data-dir=" <> folder
                </> "profile",
              "--virtual-time-budget=5000",
              "--window-size=1200,900",
              "--dump-dom",
              "file://" <> file
            ]
      ended <- timeout 60000000 (readProcessWithExitCode browser options "")
      case ended of
        Just (ExitSuccess, dom, _)
          | (_, found) <- T.breakOn (T.pack "id=\"answer\"") (T.pack dom),
            not (T.null found) -> do
              use
                ( T.replace
                    (T.pack "&amp;")
                    (T.pack "&")
                    ( fst
                        ( T.breakOn
                            (T.pack "&gt;&gt;")
                            (T.drop 8 (snd (T.breakOn (T.pack "&lt;&lt;") found)))
                        )
                    )
                )
              pure browser
        Just (ExitSuccess, _, _) -> use (T.pack "the page did not answer") >> pure browser
        Just (ExitFailure code, _, err) ->
          pure
            ( "skipped: "
                <> browser
                <> " does not run here ("
                <> show code
                <> ": "
                <> take 200 (concat (take 1 (lines err)))
                <> ")"
            )
        Nothing -> pure ("skipped: " <> browser <> " does not answer within a minute")
