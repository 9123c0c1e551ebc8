{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import Control.Monad
import Data.BEncode
import Data.BEncode.Reader
import qualified Data.ByteString.Lazy.Char8 as L
import qualified Data.Map as Map

torrent :: Int -> BEncode
torrent n =
  BDict
    ( Map.fromList
        [ ("announce", BString "http://tracker.invalid/announce"),
          ("info", BDict (Map.fromList [("files", BList [BDict (Map.fromList [("length", BInt (fromIntegral (k * 7919 `mod` 100003))), ("path", BList [BString (L.pack ("folder" ++ show (k `mod` 17))), BString (L.pack ("file" ++ show k))])]) | k <- [1 .. n]]), ("name", BString "many"), ("piece length", BInt 65536)]))
        ]
    )

files :: BReader [(Integer, [String])]
files = dict "info" (dict "files" (list ((,) <$> dict "length" bint <*> dict "path" (list bstring))))

main :: IO ()
main = forM_ [2000, 3000] $ \n -> do
  let packed = bPack (torrent n)
  case bRead packed of
    Nothing -> putStrLn "bad"
    Just b -> do
      case runBReader files b of
        Left e -> putStrLn e
        Right fs -> print (sum (map fst fs), length (concatMap snd fs))
      print (length (bShow b ""), L.length (bPack b))
