module Main (main) where

import Data.ASN1.BinaryEncoding
import Data.ASN1.Encoding
import Data.ASN1.Types
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C

doc :: Int -> [ASN1]
doc n = [Start Sequence] ++ concat [[Start Sequence, IntVal (fromIntegral (k * k * k)), OID [1, 2, 840, 113549, 1, fromIntegral (k `mod` 400)], Start Set, ASN1String (asn1CharacterString UTF8 ("name " ++ show k)), OctetString (C.pack (show (k * 31))), Boolean (even k), End Set, End Sequence] | k <- [1 .. n]] ++ [End Sequence]

main :: IO ()
main = mapM_ one [1500, 2500]
  where
    one n = do
      let b = encodeASN1' DER (doc n)
      print (B.length b)
      case decodeASN1' DER b of
        Left e -> print e
        Right xs -> print (length xs, sum [i | IntVal i <- xs], xs == doc n)
