{-# LANGUAGE OverloadedStrings #-}

-- | Where containers are split: the parts have each element once.
module Tern.Lab.ContainerTest (tests) where

import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Container
  ( Blocks (..),
    Finding (..),
    Mark (..),
    containerHeader,
    decodeContainer,
    defaultBlocks,
    defaultBounds,
    defaultSettings,
    encodeContainer,
    partDecoder,
  )
import Tern.Lab.Program (complains, lab)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "container splits"
    [ inFiles "parts are the file, and have each element once" $ \at -> do
        (code, out, err) <- lab ["container", "splits", at "whole.tern", "--bytes", "700"]
        (code, err) @?= (ExitSuccess, "")
        let parts = map (map read . words) (lines out) :: [[Int]]
        assertBool out (length parts > 5)
        [from | from : _ <- parts] <> [B.length whole] @?= 0 : [to | _ : to : _ <- parts]
        assertBool out (and [to - from >= 700 | from : to : _ <- init parts])
        Right header <- containerHeader defaultBounds (at "whole.tern")
        found <- mapM (read' header) parts
        concat found @?= [0 .. 2999]
        map length found @?= [count | [_, _, _, count, _] <- parts]
        [first | [_, _, first, _, _] <- parts] @?= scanl (+) 0 (init (map length found)),
      inFiles "as lines of JSON" $ \at -> do
        (code, out, _) <- lab ["container", "splits", at "whole.tern", "--json"]
        (code, take 26 out, length (lines out))
          @?= (ExitSuccess, "{\"from\":0,\"to\":" <> take 11 (drop 15 out), 1),
      inFiles "damage is said after the parts that are whole" $ \at -> do
        (code, out, err) <- lab ["container", "splits", at "damaged.tern", "--bytes", "700"]
        (code, length (lines err)) @?= (ExitFailure 1, 1)
        let parts = map (map read . words) (lines out) :: [[Int]]
        assertBool out (sum [count | [_, _, _, count, _] <- parts] `elem` [2500 .. 2999]),
      inFiles "what is no container is refused" $ \at -> do
        (code, out, err) <- lab ["container", "splits", at "none.tern"]
        (code, out, length (lines err)) @?= (ExitFailure 1, "", 1),
      complains
        "a part of no bytes"
        ["container", "splits", "--bytes", "0", "a.tern"]
        2
        "is no number of bytes"
    ]
  where
    read' header part = case part of
      from : to : _ -> do
        let bytes = L.fromStrict (B.drop from whole)
        pure
          ( concat
              [ all'
                | Elements _ all' <-
                    decodeContainer (partDecoder defaultSettings header (from, to)) bytes
              ]
          ) ::
          IO [Int]
      _ -> assertFailure "a part has five numbers"

inFiles :: String -> ((FilePath -> FilePath) -> Assertion) -> TestTree
inFiles name act = testCase name . withSystemTempDirectory "tern-lab" $ \folder -> do
  let half = B.length whole `div` 2
  B.writeFile (folder </> "whole.tern") whole
  B.writeFile (folder </> "damaged.tern") (B.take half whole <> "x" <> B.drop (half + 1) whole)
  B.writeFile (folder </> "none.tern") "nothing of that kind, however long it may be"
  act (folder </>)

whole :: B.ByteString
whole = L.toStrict (encodeContainer defaultBlocks {blockBytes = 200} (Mark 77) [0 .. 2999 :: Int])
