-- | Three programs of the package's own, loaded and run.
module Main (main) where

import Data.Array (bounds)
import Language.Brainfuck
import Language.Brainfuck.Examples

main :: IO ()
main = mapM_ run [helloWorld, helloum, bottles]

run :: String -> IO ()
run source = do
  memory <- core
  let program = loadProgram source
  execute program (snd (bounds program)) (BF memory 0 0)
