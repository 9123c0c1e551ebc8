{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | An element that is refused costs itself alone: those around it in its block are read.
--
-- The model is a list: what is written, and for each element whether the reader takes
-- it.
module Tern.Container.StepOverTest (tests) where

import Control.Monad (forM_, void)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.IORef (atomicModifyIORef', newIORef)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import GHC.Generics (Generic)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern
import Tern.Codec (refine)
import Tern.Container
import Tern.Container.StepOverOld qualified as Old
import Tern.Internal.Native.Document (encodeWith)
import Tern.Internal.Native.Shaped (layoutOf)
import Tern.Internal.Native.Size (sizeOf)
import Tern.Stream.Run (chunksOf)
import Tern.Testkit.Allocation (optimised)
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

-- | A reader's type, without what the writer calls @Retired@ and with a field more.
data Event
  = Sighted {name :: Text, times :: Maybe Int}
  | Moved [Event] (Map Text Int)
  | Quiet
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Note = Note {event :: Event, author :: Maybe Text}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | Of the same shape as a number, but refused where it is odd.
newtype Even = Even Int
  deriving stock (Eq, Show)

instance Wire Even where
  codec = refine (\n -> if even n then Right (Even n) else Left "odd") (\(Even n) -> n) codec

tests :: TestTree
tests =
  testGroup
    "elements that are refused"
    [ testCase "the third of a hundred has a constructor that the reader does not know" $ do
        let written =
              [ Old.Note (if n == 2 then Old.Retired 7 else Old.Sighted (T.pack (show n)) n)
                | n <-
                    [0 .. 99]
              ]
            found = decodeContainer notes (encodeContainer defaultBlocks (Mark 7) written)
        [void f | f@(Damaged _) <- found]
          @?= [ Damaged
                  ( Fault
                      2
                      0
                      (begins found)
                      ( Undecodable
                          ( Error
                              8
                              [Key "event"]
                              ( UnknownConstructor
                                  "Retired"
                                  ["Sighted", "Moved", "Quiet"]
                              )
                          )
                      )
                  )
              ]
        [lossElements l | Lost l <- found] @?= [Just 1]
        indexed found
          @?= [(n, Note (Sighted (T.pack (show n)) (Just n)) Nothing) | n <- [0 .. 99], n /= 2],
      testProperty "those that are not known, in blocks of any size, anywhere" $
        forAll (listOf oldNote) $ \written -> forAll (choose (1, 300)) $ \size squeezed ->
          let way = if squeezed then Just reversed else Nothing
              file =
                encodeContainer defaultBlocks {blockBytes = size, compressed = way} (Mark 7) written
              found = decodeContainer notes file
           in conjoin
                [ indexed found
                    === [(n, note) | (n, Just note) <- zip [0 ..] (map current written)],
                  map fst (refused found)
                    === [n | (n, Nothing) <- zip [0 ..] (map current written)],
                  sum [k | Lost (Loss _ _ (Just 0) (Just k)) <- found] === length (refused found),
                  decodeContainer notes (BL.fromChunks (chunksOf 13 (BL.toStrict file))) === found,
                  ioProperty $ do
                    source <- newIORef (chunksOf 100 (BL.toStrict file))
                    parallel <-
                      foldParallel
                        3
                        (\s f -> pure (f : s))
                        []
                        ( atomicModifyIORef'
                            source
                            (\case [] -> ([], B.empty); c : later -> (later, c))
                        )
                        notes
                    pure (reverse parallel === found)
                ],
      testProperty "a refusal by a codec of the user's own" $ \drawn ->
        forAll (choose (1, 100)) $ \size ->
          let numbers = [(n, filter (< '\xd800') t) | (n, t) <- drawn]
              found =
                decodeContainer
                  (containerDecoder defaultSettings)
                  ( encodeContainer
                      defaultBlocks {blockBytes = size}
                      (Mark 7)
                      [(n, T.pack t) | (n, t) <- numbers]
                  )
           in conjoin
                [ indexed found
                    === [(i, (Even n, T.pack t)) | (i, (n, t)) <- zip [0 ..] numbers, even n],
                  refused found
                    === [(i, ([Index 0], Refused "odd")) | (i, (n, _)) <- zip [0 ..] numbers, odd n]
                ],
      testCase "texts that are none, numbers that are written too long, maps out of order" $ do
        let input =
              B.concat [encodeNative ("a" :: Text), "\x02\xc3\x28", encodeNative ("b" :: Text)]
        sizeOf (layoutOf (shapeOf @Text)) (B.drop 2 input) @?= Just 3
        sizeOf (layoutOf (shapeOf @Word)) "\x80\x05\&more" @?= Just 2
        sizeOf (layoutOf (shapeOf @(Map Int Bool))) "\x02\x04\x01\x02\x00more" @?= Just 5,
      testCase "an element that goes too deep" $ do
        let deep n = if n == (0 :: Int) then Quiet else Moved [deep (n - 1)] Map.empty
            found =
              decodeContainer
                ( containerDecoder
                    defaultSettings {elementLimits = defaultLimits {maxDepth = 20}}
                )
                (encodeContainer defaultBlocks (Mark 7) (map deep [1, 2, 300, 3]))
        indexed found @?= [(0, deep 1), (1, deep 2), (3, deep 3)],
      testProperty "a value reaches as far as it was written" $ forAll oldNote $ \note more ->
        sizeOf (layoutOf (shapeOf @Old.Note)) (encodeNative note <> B.pack more)
          === Just (B.length (encodeNative note)),
      testProperty "any bytes have an end within them, or none" $ \bytes ->
        maybe True (<= length bytes) (sizeOf (layoutOf (shapeOf @Old.Note)) (B.pack bytes)),
      testCase "recovery keeps what a reader refuses" $
        withSystemTempDirectory "refused" $ \folder -> do
          let written =
                [ Old.Note (if n `mod` 7 == 2 then Old.Retired 7 else Old.Sighted "x" n)
                  | n <-
                      [0 .. 99]
                ]
          BL.writeFile
            (folder </> "a")
            ( encodeContainer
                defaultBlocks {blockBytes = 40}
                (Mark 7)
                written
            )
          recoverContainerFile defaultBounds Nothing (folder </> "a") (folder </> "b")
            >>= (@?= Right 100) . fmap recoveredElements
          found <- decodeContainer notes . BL.fromStrict <$> B.readFile (folder </> "b")
          map fst (indexed found) @?= [n | n <- [0 .. 99], n `mod` 7 /= 2],
      testCase "many that are refused cost in proportion to their number" $
        forM_ [2, 5, 64] $ \every -> do
          let cost n = do
                let file =
                      encodeContainer
                        defaultBlocks {blockBytes = maxBound}
                        (Mark 7)
                        [ Old.Note (if i `mod` every == 0 then Old.Retired 7 else Old.Sighted "x" i)
                          | i <-
                              [1 .. n]
                        ]
                _ <- pure $! BL.length file
                setAllocationCounter 0
                _ <- pure $! length (decodeContainer notes file)
                negate . fromIntegral <$> getAllocationCounter :: IO Double
          few <- cost 4000
          many <- cost 16000
          assertBool
            (show (every, few, many))
            ( many < 5 * few
                && many < 16000 * (if optimised then 16384 else 32768)
            ),
      testCase "every one refused, in one block" $ forM_ [1, 5000] $ \n -> do
        let found =
              decodeContainer
                notes
                ( encodeContainer
                    defaultBlocks {blockBytes = maxBound}
                    (Mark 7)
                    (replicate n (Old.Note (Old.Retired 1)))
                )
        length (refused found) @?= n
        indexed found @?= [],
      testCase "what is written one after the other is what is read" $
        encodeWith nativeW (Old.Note (Old.Retired 300))
          @?= encodeNative (Old.Note (Old.Retired 300))
    ]

notes :: Decoder Note
notes = containerDecoder defaultSettings {understood = [reversed]}

begins :: [Finding a] -> Int
begins found = case [lossFrom l | Lost l <- found] of
  at : _ -> at
  [] -> 0

indexed :: [Finding a] -> [(Int, a)]
indexed found = [(n + i, a) | Elements n as <- found, (i, a) <- zip [0 ..] as]

refused :: [Finding a] -> [(Int, (Path, Reason))]
refused found =
  [ (faultIndex f, (errorPath e, errorReason e))
    | Damaged f <-
        found,
      Undecodable e <- [faultDamage f]
  ]

-- | What the reader makes of a note, if it takes it.
current :: Old.Note -> Maybe Note
current (Old.Note e) = (`Note` Nothing) <$> go e
  where
    go = \case
      Old.Sighted n k -> Just (Sighted n (Just k))
      Old.Retired _ -> Nothing
      Old.Moved es m -> (`Moved` m) <$> mapM go es
      Old.Quiet -> Just Quiet

oldNote :: Gen Old.Note
oldNote = Old.Note <$> old (2 :: Int)
  where
    old depth =
      frequency
        [ (4, Old.Sighted . T.pack <$> listOf (elements "abcé") <*> arbitrary),
          (1, Old.Retired <$> arbitrary),
          ( if depth > 0
              then 2
              else 0,
            Old.Moved
              <$> (choose (0, 3) >>= \n -> vectorOf n (old (depth - 1)))
              <*> (Map.fromList <$> listOf ((,) . T.pack <$> listOf (elements "xy") <*> arbitrary))
          ),
          (1, pure Old.Quiet)
        ]

-- | A way to compress that only turns bytes round.
reversed :: Compression
reversed =
  Compression
    { compressionCode = 9,
      compress = Just . B.reverse,
      decompress = \n bytes ->
        if B.length bytes == n
          then Just (B.reverse bytes)
          else Nothing
    }
