-- | Containers through conduits, there and back.
module Tern.Conduit.ContainerTest (tests) where

import Conduit (chunksOfCE, foldC, runConduit, sinkList, takeC, yield, yieldMany, (.|))
import Data.ByteString qualified as B
import Data.Maybe (mapMaybe)
import Tern.Conduit.Container (decodeContainerC, encodeContainerC)
import Tern.Container
  ( Blocks (..),
    Damage (..),
    Decoder,
    Fault (..),
    Finding (..),
    Loss (..),
    Mark (..),
    containerDecoder,
    defaultBlocks,
    defaultSettings,
    encodeContainer,
  )
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "containers in conduits"
    [ testCase "what was encoded is decoded again, in chunks of any size" $
        sequence_
          [ do
              found <-
                runConduit
                  ( yieldMany values
                      .| encodeContainerC small
                      .| chunksOfCE size
                      .| decodeContainerC numbers
                      .| sinkList
                  )
              concat [as | Elements _ as <- found] @?= values
              length found @?= length [() | Elements _ _ <- found]
            | size <- [7, 32768]
          ],
      testCase "it is the container that the library makes" $ do
        bytes <- runConduit (yieldMany values .| encodeContainerC small .| foldC)
        -- But for the mark, which is drawn.
        B.length bytes @?= B.length (B.toStrict (encodeContainer small (Mark 7) values)),
      testCase "nothing at all" $ do
        found <-
          runConduit
            ( yieldMany ([] :: [Int])
                .| encodeContainerC small
                .| decodeContainerC numbers
                .| sinkList
            )
        found @?= []
        runConduit (yieldMany [] .| decodeContainerC numbers .| sinkList)
          >>= (@?= [Just CutOff]) . map damage,
      testCase "blocks go out as they are full" $ do
        -- A header, and for each block a head and its bytes; no more than is asked for.
        first <-
          runConduit (yieldMany [0 :: Int ..] .| encodeContainerC small .| takeC 5 .| sinkList)
        map B.length (drop 1 first) @?= [64, 100, 64, 100],
      testCase "on after a damaged block" $ do
        bytes <- runConduit (yieldMany values .| encodeContainerC small .| foldC)
        let bad =
              B.concat
                [ B.take
                    300
                    bytes,
                  B.map (+ 1) (B.take 1 (B.drop 300 bytes)),
                  B.drop 301 bytes
                ]
        found <- runConduit (yield bad .| decodeContainerC numbers .| sinkList)
        mapMaybe damage found @?= [BodyDamaged]
        [n | Lost loss <- found, Just n <- [lossElements loss]]
          @?= [length values - sum [length as | Elements _ as <- found]]
    ]
  where
    values = [0 .. 3000] :: [Int]
    numbers = containerDecoder defaultSettings :: Decoder Int
    damage = \case
      Damaged fault -> Just (faultDamage fault)
      _ -> Nothing

small :: Blocks
small = defaultBlocks {blockBytes = 100}
