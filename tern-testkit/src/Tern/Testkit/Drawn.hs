-- | How many cases are drawn of what there is without end.
--
-- The idea: where a suite runs a second time, without optimisation, it is to find wrong
-- assumptions of the code and not rare documents, and each case takes some times as long. So who
-- runs it may say that a part of the cases is enough.
module Tern.Testkit.Drawn
  ( drawn,
    drawnUnless,
  )
where

import Data.Maybe (fromMaybe)
import System.Environment (lookupEnv)
import Text.Read (readMaybe)

-- | This number of cases, or the part of it that @TERN_FEWER@ says: an Nth; at least one.
drawn :: Int -> IO Int
drawn count = do
  said <- lookupEnv "TERN_FEWER"
  let part = max 1 (fromMaybe 1 (said >>= readMaybe))
  pure (min count (max 1 (count `div` part)))

-- | The number that a variable of the environment says, or 'drawn' of another.
drawnUnless :: String -> Int -> IO Int
drawnUnless name count = do
  said <- lookupEnv name
  maybe (drawn count) pure (said >>= readMaybe)
