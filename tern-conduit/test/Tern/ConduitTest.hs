{-# LANGUAGE OverloadedStrings #-}
-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Conduits there and back.
module Tern.ConduitTest (tests) where

import Conduit (chunksOfCE, foldC, mapC, runConduit, sinkList, takeWhileC, yieldMany, (.|))
import Data.ByteString qualified as B
import Data.Either (isRight)
import Tern
import Tern.Conduit (decodeC, encodeC)
import Tern.Stream (Decoder, Fault (..), Sequence (..), decoderWith)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "conduits"
    [ testCase "what was encoded is decoded again, in chunks of any size" $ do
        let values = [1 .. 30000] :: [Int]
        sequence_
          [ do
              found <-
                runConduit
                  ( yieldMany values
                      .| encodeC order jsonW
                      .| chunksOfCE size
                      .| decodeC (decoderWith order defaultLimits jsonR)
                      .| sinkList
                  )
              found @?= map Right values
            | order <- [JsonLines, JsonValues, JsonArray],
              size <- [7, 32768]
          ],
      testCase "chunks have about 32 KiB" $ do
        sizes <-
          runConduit
            ( yieldMany [1 .. 30000 :: Int]
                .| encodeC JsonLines jsonW
                .| mapC B.length
                .| sinkList
            )
        assertBool
          (show sizes)
          ( length sizes > 3
              && all (\n -> n >= 32768 && n < 33000) (take (length sizes - 1) sizes)
          ),
      testCase "an empty chunk is not the end" $ do
        found <- runConduit (yieldMany ["[1", "", ",2]", ""] .| decodeC numbers .| sinkList)
        found @?= [Right 1, Right 2],
      testCase "nothing at all" $ do
        runConduit (yieldMany [] .| encodeC JsonArray (jsonW @Int) .| foldC) >>= (@?= "[]")
        found <- runConduit (yieldMany [] .| decodeC numbers .| sinkList)
        map (either (errorReason . faultError) (const TrailingInput)) found
          @?= [UnexpectedEnd AnArray],
      testCase "on after a damaged element, or not" $ do
        let input = yieldMany ["[1,null", ",3]"]
        found <- runConduit (input .| decodeC numbers .| sinkList)
        map (either (Left . faultIndex) Right) found @?= [Right 1, Left 1, Right 3]
        first <- runConduit (input .| decodeC numbers .| takeWhileC isRight .| sinkList)
        first @?= [Right 1]
    ]
  where
    numbers = decoderWith JsonArray defaultLimits jsonR :: Decoder Int
