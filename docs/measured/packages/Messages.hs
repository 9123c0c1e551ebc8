-- | What a desktop says on its bus: notes, players and networks, as messages
-- that are written as bytes in both orders, and read again.
module Main (main) where

import DBus
import qualified Data.ByteString as B
import Data.Int (Int32, Int64)
import qualified Data.Map as Map
import Data.Word (Word32, Word8)

note :: Int -> MethodCall
note n =
  (methodCall (objectPath_ "/org/freedesktop/Notifications") (interfaceName_ "org.freedesktop.Notifications") (memberName_ "Notify"))
    { methodCallDestination = Just (busName_ "org.freedesktop.Notifications"),
      methodCallBody =
        [ toVariant "mail",
          toVariant (fromIntegral n :: Word32),
          toVariant ("Message " ++ show n),
          toVariant (concat (replicate 8 ("line " ++ show n ++ "; "))),
          toVariant ["default", "open", "later"],
          toVariant (Map.fromList [("urgency", toVariant (1 :: Word8)), ("category", toVariant "email.arrived"), ("value", toVariant (fromIntegral n :: Int64))]),
          toVariant (-1 :: Int32)
        ]
    }

changed :: Int -> Signal
changed n =
  (signal (objectPath_ ("/org/mpris/player" ++ show (n `mod` 9))) (interfaceName_ "org.freedesktop.DBus.Properties") (memberName_ "PropertiesChanged"))
    { signalBody =
        [ toVariant "org.mpris.MediaPlayer2.Player",
          toVariant (Map.fromList [("Metadata", toVariant (Map.fromList [(key, toVariant (key ++ show n)) | key <- ["title", "artist", "album", "url"]])), ("Volume", toVariant (fromIntegral n / 7 :: Double)), ("Length", toVariant [fromIntegral k :: Int32 | k <- [1 .. 20 :: Int]])]),
          toVariant ([] :: [String])
        ]
    }

main :: IO ()
main = do
  let written = concat [[sent e n | e <- [LittleEndian, BigEndian]] | n <- [1 .. 400 :: Int]]
      sent e n
        | even n = check (marshal e firstSerial (note n))
        | otherwise = check (marshal e firstSerial (changed n))
      check = either (error . show) id
      received = map (either (error . show) id . unmarshal) written
  print (length written, sum (map B.length written))
  print (sum (map (length . receivedMessageBody) received))
  print (length (concatMap (concatMap (show . variantType) . receivedMessageBody) received))
  print (sum [length (show (receivedMessageBody m)) | m <- take 200 received])
  print (sum [length (p :: String) | m <- received, [Just p] <- [map fromVariant (take 1 (receivedMessageBody m))]])
