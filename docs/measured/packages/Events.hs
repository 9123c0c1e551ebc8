-- | The event logs of some runs: read, put in order, checked, and shown.
module Main (main) where

import qualified Data.ByteString.Lazy as L
import Data.Either (rights)
import Data.List (isSuffixOf, sort)
import GHC.RTS.Events
import GHC.RTS.Events.Analysis
import GHC.RTS.Events.Analysis.Capability
import GHC.RTS.Events.Analysis.Thread
import GHC.RTS.Events.Merge (mergeEventLogs)
import System.Directory (listDirectory)

main :: IO ()
main = do
  files <- sort . filter (".eventlog" `isSuffixOf`) <$> listDirectory "test"
  logs <- mapM (\f -> readEventLogFromFile ("test/" ++ f)) files
  let read' = rights logs
      ordered = map (sortEvents . events . dat) read'
  print (length read', sum (map length ordered))
  print (sum (map (length . ppEventLog) read'))
  print (length (filter valid ordered))
  print (sum (map (length . events . dat) (zipWith mergeEventLogs read' read')))
  print (sum [L.length (serialiseEventLog l) | l <- read', all (known . evSpec) (events (dat l))])

known :: EventInfo -> Bool
known UnknownEvent {} = False
known _ = True

valid :: [Event] -> Bool
valid es = either (const False) (const True) (validate capabilityThreadRunMachine es)
