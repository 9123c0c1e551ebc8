module Main (main) where

import Control.Monad.State.Strict
import Machine

main :: IO ()
main = print (evalState (run 20000) 0)
