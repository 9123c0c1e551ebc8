module Main (main) where

import Data.Either (fromRight)
import qualified Data.HashMap.Strict as HashMap
import Data.Ini
import qualified Data.Text as T
import Data.Text.Read (decimal)

-- | The settings of services, a section for each, with remarks.
services :: Int -> T.Text
services n = T.concat (map service [1 .. n])
  where
    service i =
      T.concat
        ( ["# service ", number i, "\n[service ", number i, "]\nport = ", number (8000 + i), "\n"]
            ++ ["name: The service with number ", number i, " of all\n; where it listens\n"]
            ++ concat [["host", number k, " = host", number k, ".example.org\n"] | k <- [1 .. 9]]
        )
    number = T.pack . show :: Int -> T.Text

main :: IO ()
main = case parseIni (services 2500) of
  Left e -> putStrLn e
  Right ini -> do
    print (HashMap.size (iniSections ini), T.length (printIni ini))
    let ports = [fromRight 0 (readValue s "port" decimal ini) | s <- sections ini]
        hosts = [lookupValue s "host7" ini | s <- sections ini]
    print (sum ports :: Int, length (filter (== Right "host7.example.org") hosts))
    print (fmap (T.length . printIniWith (WriteIniSettings EqualsKeySeparator)) (parseIni (printIni ini)))
