-- | One service, every format: values in and out of web requests, in the format that each
-- client wants.
--
-- > birds :: Application
-- > birds = exchange defaultSettings ["GET", "POST"] $ \x send -> case requestMethod (exchangeRequest x) of
-- >   "POST" -> receive x >>= \case
-- >     Left wrong -> send (respondProblem defaultSettings (exchangeRequest x) [] wrong)
-- >     Right bird -> add bird >> send (respond x created201 [] bird)
-- >   _ -> all >>= send . respond x ok200 []
--
-- That answers in JSON, MessagePack or the native format, compressed or not, as the
-- request's headers ask; it reads them all, within limits; it has strong entity tags,
-- answers to @OPTIONS@, and problem details for what goes wrong. The rules are in
-- "Tern.Negotiate", the formats in "Tern.Http.Format".
module Tern.Http
  ( -- * Exchanges
    module Tern.Http.Exchange,

    -- * Formats and codings
    Format (..),
    Coding (..),

    -- * Limits
    ContentLimits (..),
    defaultContentLimits,

    -- * Problems
    Problem (..),
    problem,
    problemStatus,
  )
where

import Tern.Http.Coding
import Tern.Http.Content
import Tern.Http.Exchange
import Tern.Http.Format
import Tern.Http.Problem
