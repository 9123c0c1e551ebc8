-- | Monitors of an aircraft: filters, counters and alarms over what sensors
-- gave, in a run of three hundred steps.
module Main (main) where

import Copilot.Language hiding (Int, min)
import qualified Copilot.Language as C
import Prelude (Double, IO, Int, fromIntegral, map, mapM_, ($))
import qualified Prelude as P

-- What stands before a stream is a list, and the stream is none.
{-# HLINT ignore "Use :" #-}

altitudes, speeds :: [Double]
altitudes = [1000 P.+ 40 P.* P.sin (fromIntegral k P./ 9) P.+ fromIntegral (k `P.mod` 7) | k <- [1 :: Int ..]]
speeds = [200 P.+ fromIntegral (k P.* 7 `P.mod` 31) | k <- [1 :: Int ..]]

altitude, speed, smooth, climb :: Stream Double
altitude = extern "altitude" (P.Just altitudes)
speed = extern "speed" (P.Just speeds)
smooth = [1000] ++ (smooth * 0.75 + altitude * 0.25)
climb = smooth - ([1000, 1000] ++ smooth)

ticks, stalls :: Stream Word32
ticks = [0] ++ (ticks + 1)
stalls = [0] ++ mux (speed < 205) (stalls + 1) stalls

lately :: Stream Bool -> Stream Bool
lately s = once
  where
    once = [False, False, False] ++ (s || drop 1 once)

-- | The channels vote, as three computers do.
vote :: Stream Int64 -> Stream Int64 -> Stream Int64 -> Stream Int64
vote a b c = local (mux (a == b || a == c) a b) (\m -> mux (b == c) b m)

channel :: Int64 -> Stream Int64
channel k = own
  where
    own = [k] ++ ((own * 3 + constant k) `C.mod` 97)

spec :: Spec
spec = do
  let voted = vote (channel 3) (channel 5) (channel 7)
  trigger "stall" (speed < 203 && climb < 0) [arg speed, arg climb, arg stalls]
  trigger "terrain" (lately (altitude < 970) && climb < constant (P.negate 1)) [arg altitude, arg ticks]
  trigger "vote" (voted `C.mod` 5 == 0) [arg voted]
  mapM_ (\k -> observer ("level" P.++ P.show k) (abs (smooth - constant (fromIntegral k P.* 100)))) [8 .. 12 :: Int]
  observer "climb" climb
  observer "fast" (speed > 220 || ticks `C.mod` 10 == 3)

main :: IO ()
main = do
  interpret 300 spec
  csv 300 spec
