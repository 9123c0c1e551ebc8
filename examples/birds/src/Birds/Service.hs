{-# LANGUAGE OverloadedStrings #-}

-- | The service: the API, its description, and the page that shows one resource in every
-- format.
module Birds.Service
  ( birds,
  )
where

import Birds.Api (Api, about)
import Birds.Observation (Change (..), Page (..))
import Birds.Page (formatsPage)
import Birds.Store (Store, Wanted (..), added, changesAfter, correctedAt, found, listed)
import Control.Monad.IO.Class (liftIO)
import Data.ByteString.Lazy qualified as BL
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.Maybe (fromMaybe)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Text qualified as T
import Network.HTTP.Types
import Network.Wai (Application, Request (..), responseLBS)
import Servant (throwError)
import Servant.API ((:<|>) (..))
import Servant.Server (Handler, Server)
import Servant.Types.SourceT (StepT (..), foreach, fromStepT)
import Tern (encodeJson)
import Tern.Http (Settings)
import Tern.Servant (Problem (..), problem, problemError, serveEvery)
import Tern.Servant.OpenApi (openApi)
import Tern.Servant.Page (openApiPage)

-- | The application over a store.
birds :: Settings -> Store -> Application
birds settings store request send = case rawPathInfo request of
  "/" -> page =<< formatsPage =<< listed store (wanting Nothing Nothing Nothing (Just 100))
  "/api" -> page (openApiPage @Api about)
  "/openapi.json" ->
    send
      ( responseLBS
          ok200
          [(hContentType, "application/json")]
          (BL.fromStrict (encodeJson (openApi @Api about)))
      )
  _ -> serveEvery settings (Proxy @Api) (server store) request send
  where
    page =
      send
        . responseLBS
          ok200
          [ (hContentType, "text/html; charset=utf-8"),
            ( "Content-Security-Policy",
              "default-src 'none'; style-src 'unsafe-inline'"
            )
          ]

server :: Store -> Server Api
server store = paged :<|> one :<|> each :<|> many :<|> changes :<|> byNumber :<|> correct
  where
    paged species' place' after size = liftIO (listed store (wanting species' place' after size))
    one observed = liftIO (added store observed)
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
      foreach fail (\it -> added store it >> modifyIORef' n (+ 1)) observed
      readIORef n
    changes after = pure (fromStepT (follow (fromMaybe 0 after)))
    follow after = Effect $ do
      those <- changesAfter store after
      pure (foldr Yield (follow (foldl (\_ it -> change it) after those)) those)
    byNumber n = liftIO (found store n) >>= maybe (missing n) pure
    correct n how = liftIO (correctedAt store n how) >>= maybe (missing n) pure
    missing :: Int -> Handler a
    missing n =
      throwError
        ( problemError
            (problem notFound404 "no observation has this number")
              { problemInstance =
                  Just (T.pack ("/observations/" <> show n))
              }
        )

wanting :: Maybe Text -> Maybe Text -> Maybe Int -> Maybe Int -> Wanted
wanting species' place' after size =
  Wanted species' place' (fromMaybe 0 after) (max 1 (min 500 (fromMaybe 50 size)))
