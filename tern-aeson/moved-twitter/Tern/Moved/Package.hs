-- | What there is to show of twitter-types. Start at "Tern.Moved.Twitter", the instances.
module Tern.Moved.Package
  ( moved,
    apart,
    timeline,
  )
where

import Data.Aeson qualified as A
import Data.ByteString.Lazy qualified as BL
import Tern (decodeJson, encodeJson)
import Tern.Moved (Apart, Measured (..), Moved)
import Tern.Moved.Twitter ()
import Tern.Moved.Twitter.Apart qualified as Apart
import Tern.Moved.Twitter.Generated qualified as Generated
import Tern.Moved.Twitter.Timeline (rnfStatuses, statusOf)

-- | The package's types.
moved :: [Moved]
moved = Generated.moved

-- | Documents that are read otherwise.
apart :: [Apart]
apart = Apart.apart

-- | So many statuses, no two of them alike.
timeline :: Maybe (Int -> Measured)
timeline = Just $ \n ->
  Measured
    { measuredValue = map statusOf [1 .. fromIntegral n],
      measuredWhole = rnfStatuses,
      ternWrites = encodeJson,
      aesonWrites = BL.toStrict . A.encode,
      ternReads = either (const Nothing) Just . decodeJson,
      aesonReads = A.decodeStrict
    }
