-- | How a service exchanges values: its formats, codings and limits.
--
-- Start at 'defaultSettings'.
module Tern.Http.Settings
  ( Settings (..),
    defaultSettings,
  )
where

import Data.List.NonEmpty (NonEmpty (..))
import Tern (Limits (..), defaultLimits)
import Tern.Http.Coding (Coding)
import Tern.Http.Content (ContentLimits (..), defaultContentLimits)
import Tern.Http.Format (Format)
import Tern.Http.Series (Series)

-- | How a service exchanges values.
data Settings = Settings
  { -- | The formats that it speaks, the one it likes best first.
    settingsFormats :: !(NonEmpty Format),
    -- | The ways to write sequences that it speaks, the one it likes best first.
    settingsSeries :: !(NonEmpty Series),
    -- | How it compresses answers, the coding it likes best first.
    settingsCodings :: ![Coding],
    -- | Answers of fewer bytes are not compressed, where the client leaves the choice.
    settingsCompressFrom :: !Int,
    -- | What requests' content may cost.
    settingsLimits :: !ContentLimits,
    -- | What it may cost if it is a sequence, which is not kept.
    settingsSequenceLimits :: !ContentLimits,
    -- | Whether answers to @GET@ and @HEAD@ have an entity tag.
    settingsTags :: !Bool,
    -- | The microseconds without a value after which an answer that is sent while it
    -- happens gets a sign of life, or ends.
    settingsSilence :: !Int
  }

-- | Every format, every coding from 1,024 bytes on, 'defaultContentLimits', and tags. Of
-- a sequence 1 GiB may come, 4 GiB decompressed, and 16 MiB an element. A sign of life
-- comes after 15 seconds, which is less than servers and proxies wait.
defaultSettings :: Settings
defaultSettings =
  Settings
    { settingsFormats = minBound :| drop 1 [minBound ..],
      settingsSeries = minBound :| drop 1 [minBound ..],
      settingsCodings = [minBound ..],
      settingsCompressFrom = 1024,
      settingsLimits = defaultContentLimits,
      settingsSequenceLimits =
        ContentLimits
          { maxReceived =
              gib,
            maxDecoded = 4 * gib,
            maxExpansion = maxBound,
            contentLimits = defaultLimits {maxBytes = 16 * 1024 * 1024}
          },
      settingsTags = True,
      settingsSilence = 15000000
    }
  where
    gib = 1024 * 1024 * 1024
