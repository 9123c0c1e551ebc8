module Machine (run) where

import Control.Monad.State.Strict

run :: (MonadState Int m) => Int -> m Int
run n
  | n <= 0 = get
  | otherwise = do
      s <- get
      put $! (s + n)
      run (n - 1)
