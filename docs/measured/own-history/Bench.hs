{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ImportQualifiedPost #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Put beside each commit of this project's own history and measured there.
module Main (main) where

import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import System.Environment (getArgs)
import Tern

data Station = Station {name :: Text, readings :: [Reading]}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Reading = Reading {hour :: Int, celsius :: Double, note :: Maybe Text}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

main :: IO ()
main = do
  arguments <- getArgs
  let station n = Station ("station " <> T.pack (show n)) [Reading h (fromIntegral (h * n) / 8) (if even h then Just "fog" else Nothing) | h <- [0 .. 23]]
      bytes = encodeJson (map station [1 .. 400])
  case arguments of
    ["decode"] -> print [fmap length (decodeJson bytes :: Either Error [Station]) == Right 400 | _ <- [1 .. 5 :: Int]]
    _ -> print (sum [B.length (encodeJson (map station [k .. k + 400])) | k <- [1 .. 5]])
