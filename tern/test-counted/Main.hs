{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The slots of records, compiled with program coverage: what is missing is still seen.
--
-- The idea: this suite has a copy of "Tern.Internal.Record" of its own, made with @-fhpc@,
-- which puts a counter around every variable. Its own cases are compiled likewise.
module Main (main) where

import Control.Exception (catch)
import Data.ByteString (ByteString)
import Foreign.C (CInt (..))
import GHC.Exts (Int (..), Int#)
import System.Exit (ExitCode (..))
import System.IO (hFlush, stderr, stdout)
import Tern.Error (Reason (..))
import Tern.Internal.Read (Reader (..), Step, runReader)
import Tern.Internal.Record (Table, field, fillAbsent, getSlot, newSlots, putSlot, table)
import Tern.Limits (defaultLimits)
import Tern.Testkit.Tally (runSuite)
import Test.Tasty
import Test.Tasty.HUnit

main :: IO ()
main =
  runSuite tests `catch` \code ->
    hFlush stdout
      >> hFlush stderr
      >> ended (case code of ExitSuccess -> 0; ExitFailure n -> fromIntegral n)

-- Without the file of counts, which the next build would not fit.
foreign import ccall "_exit" ended :: CInt -> IO ()

tests :: TestTree
tests =
  testGroup
    "slots, counted"
    [ testCase "all fields are there" (reading [0, 1, 2] @?= Right [10, 11, 12]),
      testCase
        "a field that is absent has the value for that"
        (reading [0, 1] @?= Right [10, 11, 7]),
      testCase "a field that is missing is an error" (reading [1, 2] @?= Left (MissingField "a")),
      testCase "nothing is there" (reading [] @?= Left (MissingField "a")),
      testCase
        "of 70 fields one is missing"
        ( wide 70 [n | n <- [0 .. 69], n /= 66]
            @?= Left (MissingField "f66")
        ),
      testCase "70 fields" (wide 70 [0 .. 69] @?= Right (map (+ 10) [0 .. 69]))
    ]

-- | The values of three fields, of which these were in the document.
reading :: [Int] -> Either Reason [Int]
reading =
  slotted (table [field "a" never Nothing, field "b" never Nothing, field "c" never (Just 7)]) 3

-- | The same of @n@ fields that all have to be there.
wide :: Int -> [Int] -> Either Reason [Int]
wide n = slotted (table [field ("f" <> show k) never Nothing | k <- [0 .. n - 1]]) n

never :: Reader Int
never = pure 0

-- | Put 10 more than its number into the slot of each field that is there, then fill the rest.
slotted :: Table -> Int -> [Int] -> Either Reason [Int]
slotted fields (I# n) there = runReader defaultLimits (const id) (Reader whole) ("" :: ByteString)
  where
    whole :: Step [Int]
    whole _ _ c s = case newSlots n s of
      (# s1, slots #) -> case putting slots there s1 of
        s2 -> case fillAbsent fields slots 0## c s2 of
          s3 -> case collected slots 0# s3 of
            (# s4, values #) -> (# s4, c, values #)
    putting slots ks s = case ks of
      [] -> s
      I# k : rest -> putting slots rest (putSlot slots k (I# k + 10) s)
    collected slots k s = if I# k >= I# n then (# s, [] #) else next slots k s
    next slots k s = case getSlot slots k s of
      (# s1, value #) -> case collected slots (successor k) s1 of
        (# s2, rest #) -> (# s2, value : rest #)
    successor :: Int# -> Int#
    successor k = case I# k + 1 of I# following -> following
