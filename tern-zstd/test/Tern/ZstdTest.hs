{-# LANGUAGE OverloadedStrings #-}

-- | Compressed containers, and what compressed bytes may say of themselves.
module Tern.ZstdTest (tests) where

import Control.Exception (evaluate)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.IORef (atomicModifyIORef', newIORef)
import Data.Maybe (fromMaybe, isJust)
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import Tern.Container
  ( Blocks (..),
    Compression (..),
    Damage (..),
    Decoder,
    Fault (..),
    Finding (..),
    Loss (..),
    Mark (..),
    Settings (..),
    containerDecoderWith,
    decodeContainer,
    defaultBlocks,
    defaultSettings,
    encodeContainerWith,
    foldParallel,
  )
import Tern.Container.DamageTest qualified as DamageTest
import Tern.Container.ResumeTest qualified as ResumeTest
import Tern.Internal.Native.Layout qualified as Layout
import Tern.Internal.Native.Read qualified as Read
import Tern.Internal.Native.Write qualified as Write
import Tern.Shape (Shape (Text))
import Tern.Zstd (zstd)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "Zstandard"
    [ testProperty "there and back, at every level" $ \run -> forAll (choose (-3, 30)) $ \level ->
        let bytes = B.concat (replicate 20 (B.pack run))
         in case compress (zstd level) bytes of
              Just fewer ->
                (B.length fewer < B.length bytes, decompress (zstd 1) (B.length bytes) fewer)
                  === (True, Just bytes)
              -- A few bytes, or all different.
              Nothing -> property (B.length bytes < 100),
      testProperty "any bytes are refused, or as many as was said" $ \body n ->
        let bytes =
              "\x28\xb5\x2f\xfd" <> B.pack body
         in maybe True ((== n) . B.length) (decompress (zstd 1) n bytes),
      testProperty "every bit the other way" $ \run -> forAll (choose (0, 100000)) $ \at ->
        let bytes = B.concat (replicate 30 (B.pack (1 : run)))
            fewer = fromMaybe "" (compress (zstd 3) bytes)
            i = at `mod` max 1 (B.length fewer)
            bad =
              B.concat
                [ B.take
                    i
                    fewer,
                  B.map (+ 1) (B.take 1 (B.drop i fewer)),
                  B.drop (i + 1) fewer
                ]
         in maybe True ((== B.length bytes) . B.length) (decompress (zstd 1) (B.length bytes) bad),
      testCase "a bomb gets no more room than its head asks for" $ do
        let bomb = fromMaybe "" (compress (zstd 19) (B.replicate 100000000 0))
        _ <- evaluate (B.length bomb)
        setAllocationCounter 0
        result <- evaluate (decompress (zstd 1) 1000 bomb)
        used <- negate <$> getAllocationCounter
        result @?= Nothing
        assertBool (show used) (used < 20000)
        B.length <$> decompress (zstd 1) 100000000 bomb @?= Just 100000000
        decompress (zstd 1) 100000001 bomb @?= Nothing,
      testCase "containers, in any chunks and in parallel" $ do
        let input = written (Just (zstd 3))
        assertBool
          (show (BL.length input, BL.length (written Nothing)))
          (3 * BL.length input < BL.length (written Nothing))
        decodeContainer texts input
          @?= decodeContainer texts (BL.fromChunks (map B.singleton (BL.unpack input)))
        concat [bs | Elements _ bs <- decodeContainer texts input] @?= elements'
        source <- newIORef (BL.toChunks input)
        found <-
          foldParallel
            3
            (\s f -> pure (f : s))
            []
            ( atomicModifyIORef'
                source
                (\case [] -> ([], ""); c : later -> (later, c))
            )
            texts
        reverse found @?= decodeContainer texts input,
      testCase "a reader without it says so, block by block" $ do
        let found =
              decodeContainer
                ( containerDecoderWith
                    defaultSettings
                    Text
                    Layout.String
                    Read.bytes
                )
                (written (Just (zstd 3)))
        assertBool
          (show (take 2 found))
          ( length found > 4
              && and [faultDamage f == UnknownCompression 1 | Damaged f <- found]
              && sum [n | Lost (Loss _ _ (Just 1) (Just n)) <- found] == length elements'
          ),
      testCase "its number in heads is the specification's" $
        compressionCode (zstd 3) @?= 1,
      testCase "what does not become fewer is kept as it is" $ do
        compress (zstd 3) "" @?= Nothing
        compress (zstd 3) "a" @?= Nothing
        isJust (compress (zstd 3) (B.replicate 100 7)) @? "a hundred bytes",
      DamageTest.tests (zstd 3),
      ResumeTest.tests (zstd 3)
    ]

elements' :: [ByteString]
elements' = [B.concat (replicate (n `mod` 7) "sterna paradisaea ") | n <- [1 .. 4000]]

written :: Maybe Compression -> BL.ByteString
written way =
  encodeContainerWith
    defaultBlocks {blockBytes = 10000, compressed = way}
    (Mark 7)
    Text
    Write.bytes
    elements'

texts :: Decoder ByteString
texts = containerDecoderWith defaultSettings {understood = [zstd 3]} Text Layout.String Read.bytes
