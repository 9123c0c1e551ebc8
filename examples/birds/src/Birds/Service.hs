{-# LANGUAGE OverloadedStrings #-}

-- | The service: the API, its description, and the page that shows one resource in every
-- format.
module Birds.Service
  ( birds,
  )
where

import Birds.Api (Api, about)
import Birds.Observation (Change (..), Kept (..), Page (..), corrected, faultOf)
import Birds.Page (formatsPage)
import Birds.Store (Store, Wanted (..), added, changesAfter, correctedAt, found, listed)
import Control.Exception (throwIO)
import Control.Monad.IO.Class (liftIO)
import Data.ByteString.Lazy qualified as BL
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Maybe (fromMaybe)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Text qualified as T
import Network.HTTP.Types
import Network.HTTP.Types.Header (hAllow)
import Network.Wai (Application, Request (..), responseLBS)
import Servant (throwError)
import Servant.API ((:<|>) (..))
import Servant.Server (Handler, Server)
import Servant.Types.SourceT (StepT (..), foreach, fromStepT)
import Tern (encodeJson)
import Tern.Http (Settings, respondProblem)
import Tern.Servant (Interrupted (..), Problem (..), problem, problemError, serveEvery)
import Tern.Servant.OpenApi (openApi)
import Tern.Servant.Page (openApiPage)

-- | The application over a store.
birds :: Settings -> Store -> Application
birds settings store request send = case rawPathInfo request of
  "/" -> page (formatsPage =<< listed store (wanting Nothing Nothing Nothing (Just 100)))
  "/api" -> page (pure (openApiPage @Api about))
  "/openapi.json" ->
    shown [(hContentType, "application/json")] $
      pure (BL.fromStrict (encodeJson (openApi @Api about)))
  _ -> serveEvery settings (Proxy @Api) (server store) request send
  where
    page =
      shown
        [ (hContentType, "text/html; charset=utf-8"),
          ( "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'"
          )
        ]
    -- It is read, and has one format.
    shown headers content
      | requestMethod request == methodGet = content >>= send . responseLBS ok200 headers
      | requestMethod request == methodHead = send (responseLBS ok200 headers BL.empty)
      | otherwise =
          send . respondProblem settings request [(hAllow, "GET, HEAD")] $
            problem methodNotAllowed405 "this page is read"

server :: Store -> Server Api
server store = paged :<|> one :<|> each :<|> many :<|> changes :<|> byNumber :<|> correct
  where
    paged species' place' after size = liftIO (listed store (wanting species' place' after size))
    one observed = fitting observed >> liftIO (added store observed)
    each species' place' = pure (fromStepT (pages (wanting species' place' Nothing (Just 500))))
    pages wanted = Effect $ do
      some <- listed store wanted
      pure
        ( foldr
            Yield
            ( maybe
                Stop
                (\after -> pages wanted {wantedAfter = after})
                (next some)
            )
            (items some)
        )
    many observed = liftIO $ do
      n <- newIORef 0
      foreach
        fail
        ( \it -> do
            index <- readIORef n
            mapM_ (throwIO . Interrupted . unfit (T.pack ("$[" <> show index <> "]"))) (faultOf it)
            _ <- added store it
            writeIORef n (index + 1)
        )
        observed
      readIORef n
    changes after = pure (fromStepT (follow (fromMaybe 0 after)))
    follow after = Effect $ do
      those <- changesAfter store after
      pure (foldr Yield (follow (foldl (\_ it -> change it) after those)) those)
    byNumber n = liftIO (found store n) >>= maybe (missing n) pure
    correct n how = do
      old <- liftIO (found store n) >>= maybe (missing n) pure
      fitting (corrected how (observation old))
      liftIO (correctedAt store n how) >>= maybe (missing n) pure
    fitting it = mapM_ (throwError . problemError . unfit "$") (faultOf it)
    missing :: Int -> Handler a
    missing n =
      throwError
        ( problemError
            (problem notFound404 "no observation has this number")
              { problemInstance =
                  Just (T.pack ("/observations/" <> show n))
              }
        )

-- | What has the right type and is refused all the same, in a value at this path.
unfit :: Text -> (Text, Text) -> Problem
unfit path (field, why) =
  (problem unprocessableEntity422 why) {problemPath = Just (T.concat [path, ".", field])}

wanting :: Maybe Text -> Maybe Text -> Maybe Int -> Maybe Int -> Wanted
wanting species' place' after size =
  Wanted species' place' (fromMaybe 0 after) (max 1 (min 500 (fromMaybe 50 size)))
