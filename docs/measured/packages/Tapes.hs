module Main (main) where

import Language.Brainfuck

main :: IO ()
main = do
  memory <- core
  let program = concat (replicate 60 "++++++++[>++++++++<-]>[<+>-]<[-]>>+++[>++[>+++<-]<-]>[-]<<<") ++ concat (replicate 40 "++++[>+++++[>++++++[>+<-]<-]<-]>>>[-]<<<")
      loaded = loadProgram program
  execute loaded (length program) (BF memory 0 0)
