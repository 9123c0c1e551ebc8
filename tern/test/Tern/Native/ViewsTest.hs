{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Texts and byte strings that are pieces of their document: the same values, without the
-- memory of copies, for as long as they are wanted and no longer; and what a reader that
-- wants few fields allocates.
module Tern.Native.ViewsTest (tests) where

import Control.Concurrent (threadDelay)
import Control.Exception (evaluate)
import Control.Monad (forM_, unless)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Internal (ByteString (..))
import Data.ByteString.Unsafe (unsafePackAddressLen)
import Data.Either (fromRight)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Foreign.Concurrent qualified as Concurrent
import Foreign.ForeignPtr (mallocForeignPtrBytes, withForeignPtr)
import Foreign.Marshal.Utils (copyBytes)
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import GHC.Generics (Generic)
import System.Mem (performMajorGC)
import Tern
import Tern.Evolution (decoderFor, evolving, typeAlias)
import Tern.Internal.Native.Document (decodeViewsWith, encodeWith)
import Tern.Internal.Native.Layout qualified as Layout
import Tern.Internal.Native.List (listR)
import Tern.Internal.Native.Read qualified as Read
import Tern.Internal.Native.Write qualified as Write
import Tern.Native (decodeNativeViews)
import Tern.Testkit.Allocation (optimised)
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

data Page = Page
  { title ::
      Text,
    links :: [Text],
    notes :: Map Text (Maybe Text),
    size :: Int,
    within :: [Page]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | Of twelve fields, and two of them.
data Row = Row {a, b, c, d, e, f, g, h, i, j :: Text, k :: Int, l :: Double}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Two = Two {l :: Double, k :: Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

newtype Rows a = Rows [a]
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

tests :: TestTree
tests =
  testGroup
    "native, pieces of the document"
    [ testProperty "the same values" $ forAll (page 3) $ \p -> forAll (choose (0, 9)) $ \skipped ->
        -- A document that does not begin where its memory does.
        let input = B.drop skipped (B.replicate skipped 0 <> encodeNative p)
         in (decodeNativeViews defaultLimits input === Right p)
              .&&. ( fmap encodeNative (decodeNativeViews defaultLimits input :: Either Error Page)
                       === Right input
                   ),
      testProperty "the same errors" $ forAll (page 2) $ \p ->
        forAll (choose (0, 1000)) $ \at byte ->
          let whole = encodeNative p
              input =
                B.take (at `mod` B.length whole) whole
                  <> B.cons byte (B.drop (at `mod` B.length whole + 1) whole)
           in (decodeNativeViews defaultLimits input :: Either Error Page) === decodeNative input,
      testCase "of levels there are as many" $ do
        let deep n =
              if n == (0 :: Int)
                then Page "" [] Map.empty 0 []
                else Page "" [] Map.empty 0 [deep (n - 1)]
        forM_ [1 .. 20] $ \n ->
          ( decodeNativeViews defaultLimits {maxDepth = 10} (encodeNative (deep n)) ::
              Either Error Page
          )
            @?= decodeNativeWith defaultLimits {maxDepth = 10} (encodeNative (deep n)),
      testCase "memory that is none of Haskell's own" $ do
        input <- unsafePackAddressLen 7 "\2\2ab\2cd"#
        decodeNativeViews defaultLimits input @?= Right ["ab", "cd" :: Text]
        decodeViewsWith (Layout.List Layout.String) (listR Read.bytes) defaultLimits input
          @?= Right ["ab", "cd"],
      testCase "nothing is allocated for their bytes" $ do
        let long = encodeNative (T.replicate 1000000 "e")
            many = encodeNative (replicate 10000 (T.replicate 100 "e"))
        text <- allocated (decodeNativeViews @Text defaultLimits) long
        copied <- allocated (decodeNative @Text) long
        texts <- allocated (decodeNativeViews @[Text] defaultLimits) many
        let few = if optimised then 2000 else 10000
        bytes <-
          allocated
            (decodeViewsWith Layout.String Read.bytes defaultLimits)
            (encodeWith Write.bytes (B.replicate 1000000 7))
        unless
          ( text < few
              && copied > 1000000
              && texts < 10000 * (if optimised then 80 else 800)
              && bytes < few
          )
          $ assertFailure (show (text, copied, texts, bytes)),
      -- Of more than 3 KiB: the collector keeps or drops small pinned arrays a page at a time.
      testCase "they keep what they are pieces of, and nothing else does" $ do
        gone <- newIORef False
        kept <- do
          input <- watched gone (encodeNative [T.replicate 5000 "one", "two"])
          evaluate (fromRight [] (decodeNativeViews @[Text] defaultLimits input))
        _ <- evaluate (length (show [1 .. 100000 :: Int]))
        performMajorGC
        threadDelay 10000
        readIORef gone >>= (@?= False)
        kept @?= [T.replicate 5000 "one", "two"]
        numbers <- do
          input <- watched gone (encodeNative [1 .. 10000 :: Int])
          evaluate (fromRight [] (decodeNativeViews @[Int] defaultLimits input))
        -- Finalizers have a thread of their own.
        let wait n = do
              performMajorGC
              threadDelay 10000
              it <- readIORef gone
              unless (it || n == (0 :: Int)) (wait (n - 1))
        wait 200
        readIORef gone >>= (@?= True)
        sum numbers @?= 50005000,
      testCase "fields that are not wanted are stepped over" $ do
        let row n =
              let t = T.replicate 20 (T.pack (show (n :: Int))) in Row t t t t t t t t t t n 0.5
            input = encodeNative (Rows (map row [1 .. 1000]))
        few <-
          either
            (const (assertFailure "mismatches"))
            pure
            ( decoderFor
                @[(Int, Double)]
                mempty
                (shapeOf @[(Int, Double)])
            )
        decode <-
          either
            (const (assertFailure "mismatches"))
            pure
            ( decoderFor
                @(Rows Two)
                (evolving @Two [typeAlias ["Row"]])
                (shapeOf @(Rows Row))
            )
        decode defaultLimits input @?= Right (Rows [Two 0.5 n | n <- [1 .. 1000]])
        wanted <-
          allocated
            (few defaultLimits)
            ( encodeNative
                [(n, 0.5 :: Double) | n <- [1 .. 1000 :: Int]]
            )
        two <- allocated (decode defaultLimits) input
        every <- allocated (decodeNative @(Rows Row)) input
        unless (if optimised then two < wanted + 100000 && two * 4 < every else two * 2 < every) $
          assertFailure (show (wanted, two, every))
    ]

allocated :: (ByteString -> Either Error x) -> ByteString -> IO Int
allocated run input = do
  _ <- evaluate (B.length input)
  setAllocationCounter 0
  result <- evaluate (run input)
  used <- negate <$> getAllocationCounter
  either (assertFailure . show) (const (pure ())) result
  pure (fromIntegral used)

-- | The same bytes in memory of their own, and whether it is gone.
watched :: IORef Bool -> ByteString -> IO ByteString
watched gone input = do
  memory <- mallocForeignPtrBytes (B.length input)
  Concurrent.addForeignPtrFinalizer memory (writeIORef gone True)
  let BS from n = input
  withForeignPtr memory $ \to -> withForeignPtr from $ \p -> copyBytes to p n
  pure (BS memory n)

page :: Int -> Gen Page
page depth =
  Page
    <$> text
    <*> listOf text
    <*> (Map.fromList <$> listOf ((,) <$> text <*> oneof [pure Nothing, Just <$> text]))
    <*> arbitrary
    <*> (if depth > 0 then choose (0, 3) >>= \n -> vectorOf n (page (depth - 1)) else pure [])
  where
    text = T.pack <$> (choose (0, 40) >>= \n -> vectorOf n (elements "abc\233\20013\128038"))
