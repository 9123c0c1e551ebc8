module Main (main) where

import Data.Ini
import Data.Ini.Reader
import Data.Ini.Types
import qualified Data.Map as M

-- | The units of a system, each a section, with long values that go on.
units :: Int -> String
units n = concatMap unit [1 .. n]
  where
    unit i =
      "# the unit "
        ++ show i
        ++ "\n[unit "
        ++ show i
        ++ "]\nDescription = what number "
        ++ show i
        ++ " does\n"
        ++ "ExecStart=/usr/bin/serve --port "
        ++ show (1000 + i)
        ++ "\n"
        ++ concat ["Allow" ++ show k ++ " = host" ++ show k ++ ".example.org and what is behind it\n" | k <- [1 .. 12 :: Int]]
        ++ "Restart=on-failure\nAfter=network.target\n\n"

main :: IO ()
main = case parse (units 700) of
  Left e -> print e
  Right config -> do
    let names = sections config
        changed = foldr (\s c -> setOption s "Restart" "always" (delOption s "After" c)) config names
    print (length names, sum (map (length . concatMap snd . (`allItems` changed)) names))
    print (getOption "unit 7" "ExecStart" changed)
    print (sum (map M.size (M.elems (changed :: Config))))
