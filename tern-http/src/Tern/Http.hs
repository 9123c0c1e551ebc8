-- | One service, every format: values in and out of web requests, in the format that each
-- client wants.
--
-- > birds :: Application
-- > birds = exchange defaultSettings ["GET", "POST"] $ \x send ->
-- >   case requestMethod (exchangeRequest x) of
-- >     "POST" -> receive x >>= \case
-- >       Left wrong -> send (refuse x wrong)
-- >       Right bird -> add bird >> send (respond x created201 [] bird)
-- >     _ -> send (respondEach x ok200 [] (\put -> mapM_ put =<< birdsSeen))
--
-- That answers in JSON, MessagePack, CBOR or the native format, compressed or not, as the
-- request's headers ask; it reads them all, within limits; it has strong entity tags,
-- answers to @OPTIONS@, and problem details for what goes wrong. A sequence is read and
-- written element by element, as a JSON array, as lines, as a container and more. The
-- rules are in "Tern.Negotiate", the formats in "Tern.Http.Format" and
-- "Tern.Http.Series"; 'translating' gives them to a service that speaks JSON.
module Tern.Http
  ( -- * Exchanges
    module Tern.Http.Exchange,
    translating,

    -- * Settings
    Settings (..),
    defaultSettings,
    Format (..),
    Series (..),
    Coding (..),
    ContentLimits (..),
    defaultContentLimits,

    -- * Problems
    Problem (..),
    problem,
    problemStatus,
  )
where

import Tern.Http.Coding (Coding (..))
import Tern.Http.Content (ContentLimits (..), defaultContentLimits)
import Tern.Http.Exchange
import Tern.Http.Format (Format (..))
import Tern.Http.Problem (Problem (..), problem, problemStatus)
import Tern.Http.Series (Series (..))
import Tern.Http.Settings (Settings (..), defaultSettings)
import Tern.Http.Translate (translating)
