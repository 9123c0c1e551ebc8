module Main (main) where

import Crypto.Cipher.Camellia.Primitive
import Data.Bits (xor)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import qualified Data.List as List

-- | Messages of different lengths, each filled up to whole blocks.
messages :: [B.ByteString]
messages =
  [ padded (C.pack (concat ["tern " ++ show (i * j) ++ " flies " | j <- [1 .. 1 + i `mod` 9]]))
    | i <- [1 .. 400 :: Int]
  ]

padded :: B.ByteString -> B.ByteString
padded b = b <> B.replicate n (fromIntegral n)
  where
    n = 16 - B.length b `mod` 16

blocks :: B.ByteString -> [B.ByteString]
blocks = List.unfoldr (\b -> if B.null b then Nothing else Just (B.splitAt 16 b))

-- | Cipher block chaining, by the one block that the package gives.
chained :: Camellia -> B.ByteString -> B.ByteString -> B.ByteString
chained key start = B.concat . snd . List.foldl' step (start, []) . blocks
  where
    step (before, done) b =
      let c = encrypt key (B.packZipWith xor before b)
       in c `seq` (c, c : done)

checksum :: B.ByteString -> Int
checksum = B.foldl' (\s w -> (s * 31 + fromIntegral w) `mod` 1000003) 7

main :: IO ()
main = case initCamellia (C.pack "a key of 16 byte") of
  Left e -> putStrLn e
  Right key -> do
    let sealed = map (encrypt key) messages
    print (sum (map checksum sealed))
    print (map (decrypt key) sealed == messages)
    print (sum (map (checksum . chained key (B.replicate 16 9)) messages))
    let keys = [k | i <- [100 .. 400 :: Int], Right k <- [initCamellia (C.pack (show i ++ "56789abcdefgh"))]]
    print (length keys, checksum (B.concat [encrypt k (B.replicate 32 1) | k <- keys]))
