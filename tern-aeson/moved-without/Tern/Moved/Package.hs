-- | What there is to show where twitter-types is not there: nothing.
module Tern.Moved.Package
  ( moved,
    apart,
    timeline,
  )
where

import Tern.Moved (Apart, Measured, Moved)

-- | The package's types.
moved :: [Moved]
moved = []

-- | Documents that are read otherwise.
apart :: [Apart]
apart = []

-- | So many statuses, no two of them alike.
timeline :: Maybe (Int -> Measured)
timeline = Nothing
