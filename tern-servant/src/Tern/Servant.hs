-- | Every format for Servant's APIs.
--
-- > type Birds =
-- >   "birds" :> GetEach Bird
-- >     :<|> "birds" :> BodyEach Bird :> AllFormats Post Int
-- >     :<|> "birds" :> Capture "number" Int :> AllFormats Get Bird
-- >     :<|> "birds" :> AllFormats ReqBody Bird :> AllFormats PostCreated Bird
-- >
-- > birds :: Application
-- > birds = serveEvery defaultSettings (Proxy @Birds) server
--
-- The idea: an API's type says once what is exchanged, and each client chooses the
-- format. Values go by Servant's own verbs with the content types of
-- "Tern.Servant.Format"; sequences go by 'GetEach' and 'BodyEach', element by element, in
-- each way that "Tern.Http.Series" has. 'serveEvery' adds what Servant's types cannot
-- say: limits, compression, entity tags, and problem details for all that goes wrong.
-- Clients of the same types ask for the cheapest format first and read what comes.
--
-- "Tern.Servant.OpenApi" describes an API from its type. Start at 'AllFormats'.
module Tern.Servant
  ( -- * Values
    AllFormats,
    Formats,
    AsJson,
    AsMessagePack,
    AsCbor,
    AsNative,

    -- * Sequences
    GetEach,
    PostEach,
    GetLive,
    Each,
    Pace (..),
    BodyEach,

    -- * Servers
    serveEvery,
    serving,
    problemFormatters,
    plainAccept,

    -- * Problems
    Problem (..),
    problem,
    problemError,
    problemOf,
    Interrupted (..),
  )
where

import Tern.Http (Problem (..), problem)
import Tern.Servant.Format (AllFormats, AsCbor, AsJson, AsMessagePack, AsNative, Formats)
import Tern.Servant.Plain (plainAccept)
import Tern.Servant.Sequence (BodyEach, Each, GetEach, GetLive, Pace (..), PostEach)
import Tern.Servant.Service (serveEvery, serving)
import Tern.Servant.Trouble (Interrupted (..), problemError, problemFormatters, problemOf)
