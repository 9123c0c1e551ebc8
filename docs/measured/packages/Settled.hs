{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import qualified Data.Configurator as C
import Data.Configurator.Types
import qualified Data.HashMap.Lazy as H
import qualified Data.Text as T
import qualified Data.Text.IO as T

-- | The settings of many services, in groups.
settings :: Int -> T.Text
settings n = T.concat (map service [1 .. n])
  where
    service i =
      T.concat
        [ "# service ",
          number i,
          "\nservice",
          number i,
          " {\n  port = ",
          number (8000 + i),
          "\n  host = \"host",
          number i,
          ".example.org\"\n  tls { enabled = on\n cert = \"/etc/$(HOME)/",
          number i,
          ".pem\"\n }\n  ratio = 0.",
          number (1 + i `mod` 97),
          "\n  peers = [ \"a",
          number i,
          "\", \"b\\t",
          number i,
          "\", \"c\" ]\n  limits = [1, 2, ",
          number i,
          "]\n}\n"
        ]
    number = T.pack . show

main :: IO ()
main = do
  T.writeFile "settings.cfg" (settings 3000)
  config <- C.load [C.Required "settings.cfg"]
  values <- C.getMap config
  ports <- mapM (\i -> C.lookupDefault 0 config (T.concat ["service", T.pack (show i), ".port"])) [1 .. 3000 :: Int]
  print (H.size values, sum (ports :: [Int]))
  print (sum [T.length t | String t <- H.elems values], length [() | List _ <- H.elems values])
