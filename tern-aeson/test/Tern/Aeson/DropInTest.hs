{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Each function does what aeson's of that name does.
module Tern.Aeson.DropInTest (tests) where

import Control.Exception (ErrorCall, try)
import Data.Aeson qualified as A
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Either (isLeft)
import Data.Text.Encoding qualified as T
import System.Directory (createDirectory, listDirectory)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Aeson.DropIn
  ( Undecodable (..),
    decode,
    decode',
    decodeFileStrict,
    decodeStrict,
    decodeStrict',
    decodeStrictText,
    eitherDecode,
    eitherDecode',
    eitherDecodeFileStrict,
    eitherDecodeStrict,
    eitherDecodeStrict',
    eitherDecodeStrictText,
    encode,
    encodeFile,
    throwDecode,
    throwDecodeStrict,
    throwDecodeStrictText,
  )
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

type Tree = [Maybe (Either Bool [(Int, Double)])]

tests :: TestTree
tests =
  testGroup
    "functions by aeson's names"
    [ testProperty "encode" $ \(t :: Tree) -> A.decode (encode t) === Just t,
      testProperty "decode, in each way" $ \(t :: Tree) ->
        reads' (BL.toStrict (A.encode t)) === replicate 12 (Just t),
      testCase "what is no document, in each way" $
        mapM_
          (\input -> reads' input @?= replicate 12 Nothing)
          ["", "[1", "[1,true]", "{}", "[] []"],
      testCase "a message has line, column and path" $
        (eitherDecode "[1,\n true]" :: Either String [Int])
          @?= Left "line 2, column 2, at $[1]: expected an integer, found \"true]\"",
      testCase "exceptions" $ do
        throwDecode "[1]" >>= (@?= [1 :: Int])
        other <- try (throwDecodeStrict "[") :: IO (Either Undecodable [Int])
        other
          @?= Left
            ( Undecodable
                "line 1, column 2, at $[0]: expected an integer, found the end of the input"
            )
        throwDecodeStrictText "[2]" >>= (@?= [2 :: Int]),
      testCase "files, written whole or not at all" $
        withSystemTempDirectory "drop-in" $ \folder -> do
          let path = folder </> "a.json"
          encodeFile path [1 :: Int]
          encodeFile path [1 :: Int, 2]
          listDirectory folder >>= (@?= ["a.json"])
          B.readFile path >>= (@?= "[1,2]")
          decodeFileStrict path >>= (@?= Just [1 :: Int, 2])
          eitherDecodeFileStrict path >>= (@?= Right [1 :: Int, 2])
          -- What throws when it is made leaves the file as it was.
          broken <- try (encodeFile path [1 :: Int, error "no number"]) :: IO (Either ErrorCall ())
          assertBool (show broken) (isLeft broken)
          listDirectory folder >>= (@?= ["a.json"])
          B.readFile path >>= (@?= "[1,2]")
          createDirectory (folder </> "b.json")
          refused <- try (encodeFile (folder </> "b.json") [3 :: Int]) :: IO (Either IOError ())
          assertBool (show refused) (isLeft refused)
          listDirectory folder >>= (@?= 2) . length
          B.readFile path >>= (@?= "[1,2]")
    ]
  where
    reads' input =
      [decode lazy, decode' lazy, decodeStrict input, decodeStrict' input, decodeStrictText text]
        <> map
          right
          [ eitherDecode
              lazy,
            eitherDecode' lazy,
            eitherDecodeStrict input,
            eitherDecodeStrict' input,
            eitherDecodeStrictText text
          ]
        <> [A.decode lazy, A.decodeStrict input] ::
        [Maybe Tree]
      where
        lazy = BL.fromStrict input
        text = T.decodeUtf8 input
    right = either (const Nothing) Just
