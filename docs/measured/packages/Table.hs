-- | A table of readings: read, checked, three of its columns chosen, and written again.
module Main (main) where

import Text.CSV.Lazy.String

row :: Int -> String
row n =
  show n
    ++ ",\"Gannet \"\"Rock\"\", "
    ++ show (n `mod` 17)
    ++ "\","
    ++ show (n * 7919 `mod` 1009)
    ++ ".5,1970-01-0"
    ++ show (1 + n `mod` 9)
    ++ (if n `mod` 400 == 0 then ",fog" else ",fog and rain,ok")
    ++ "\n"

main :: IO ()
main = do
  let result = parseCSV ("number,station,height,day,weather,state\n" ++ concatMap row [1 .. 40000])
  print (length (csvErrors result))
  mapM_ (putStrLn . ppCSVError) (take 2 (csvErrors result))
  case selectFields ["day", "station", "height"] (csvTable result) of
    Left missing -> print missing
    Right table -> do
      print (length (ppCSVTable table))
      print (length (fst (toCSVTable (fromCSVTable table))))
  print (length (ppDSVTable True ';' (csvTableFull result)))
