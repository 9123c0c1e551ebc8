{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Containers in files: written whole, appended to, looked at, recovered.
module Tern.Container.FileTest (tests) where

import Control.Exception (ErrorCall (..), IOException, throwIO, try)
import Control.Monad (forM_)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Either (isLeft)
import Data.Text qualified as T
import System.Directory (doesFileExist, listDirectory)
import System.FilePath ((</>))
import System.IO (IOMode (..), withBinaryFile)
import System.IO.Temp (withSystemTempDirectory)
import Tern (defaultLimits)
import Tern.Container
import Tern.Internal.Native.Layout qualified as Layout
import Tern.Internal.Native.Read qualified as Read
import Tern.Internal.Native.Write qualified as Write
import Tern.Shape (Shape (..), renderShape)
import Tern.Stream (chunksFrom)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "containers in files"
    [ inFolder "written whole, and read from a handle in any chunks" $ \path -> do
        wrote path [1 .. 1000]
        forM_ [1, 7, 4096] $ \size -> do
          (total, fault) <- withBinaryFile path ReadMode $ \h ->
            foldContainer (\s n -> pure (s + n)) 0 (chunksFrom size h) numbers
          (total, fault) @?= (sum [1 .. 1000], Nothing),
      inFolder "after an exception there is no file, or the old one" $ \path -> do
        let failing =
              try
                ( writeContainerFileWith
                    small
                    shape
                    Write.int
                    path
                    ( \put ->
                        mapM_ put [1 .. 100] >> throwIO (ErrorCall "enough")
                    )
                ) ::
                IO (Either ErrorCall ())
        failing >>= (@?= True) . isLeft
        doesFileExist path >>= (@?= False)
        wrote path [1, 2, 3]
        _ <- failing
        found path >>= (@?= [Elements 0 [1, 2, 3]]) . joined
        listDirectory (takeFolder path) >>= (@?= 1) . length,
      inFolder "appended to, again and again" $ \path -> do
        wrote path []
        forM_ [0 .. 9] $ \i ->
          appended RefuseTail path [10 * i .. 10 * i + 9] >>= (@?= Right (Nothing, ()))
        appended RefuseTail path [] >>= (@?= Right (Nothing, ()))
        found path >>= (@?= [Elements 0 [0 .. 99]]) . joined,
      inFolder
        "cut off at every byte: refused and left alone, or repaired and gone on"
        $ \path -> do
          wrote path [1 .. 60]
          whole <- B.readFile path
          -- What is whole in the first @n@ bytes.
          let kept n =
                [ a
                  | Elements _ as <-
                      decodeContainer numbers (BL.fromStrict (B.take n whole)),
                    a <- as
                ]
          forM_ [0 .. B.length whole - 1] $ \n -> do
            B.writeFile path (B.take n whole)
            refused <- appended RefuseTail path [100]
            B.readFile path >>= (@?= B.take n whole)
            result <- appended RepairTail path [100, 101]
            case (refused, result) of
              (Left (BadHeader _), Left (BadHeader _)) -> assertBool (show n) (n < headerEnd)
              (Left (BadTail fault good size), Right (Just loss, ())) -> do
                (lossFrom loss, lossTo loss, size) @?= (good, n, n)
                faultOffset fault @?= good
                found path >>= (@?= [Elements 0 (kept n <> [100, 101])]) . joined
              other -> assertFailure (show (n, other)),
      inFolder "garbage instead of what was written last" $ \path -> do
        wrote path [1 .. 60]
        whole <- B.readFile path
        let torn = B.take (B.length whole - 67) whole <> B.replicate 67 0
        B.writeFile path torn
        refused <- appended RefuseTail path [100]
        B.readFile path >>= (@?= torn)
        either (T.unpack . renderRefusal) show refused
          @?= "nothing was appended: element 54, block 6, byte 482: the block's checksum does \
              \not fit its bytes; repairing would take away bytes 482 to 616"
        appended RepairTail path [61] >>= (@?= Right (Just (Loss 482 616 Nothing Nothing), ()))
        found path >>= (@?= [Elements 0 ([1 .. 54] <> [61])]) . joined,
      inFolder "what another file has where a block should be is no block" $ \path -> do
        wrote path [1 .. 60]
        wrote (path <> ".other") [1 .. 60]
        whole <- B.readFile path
        other <- B.readFile (path <> ".other")
        -- The same elements at the same places, in blocks with another file's mark.
        let mixed = B.take 482 whole <> B.drop 482 other
        B.length whole @?= B.length other
        B.writeFile path mixed
        refused <- appended RefuseTail path [100]
        B.readFile path >>= (@?= mixed)
        either (T.unpack . renderRefusal) show refused
          @?= "nothing was appended: element 54, block 6, byte 482: expected the head of a block; \
              \repairing would take away bytes 482 to 616"
        appended RepairTail path [61] >>= (@?= Right (Just (Loss 482 616 Nothing Nothing), ()))
        found path >>= (@?= [Elements 0 ([1 .. 54] <> [61])]) . joined,
      inFolder "damaged before other blocks it is never cut" $ \path -> do
        wrote path [1 .. 60]
        whole <- B.readFile path
        forM_ [headerEnd, headerEnd + 20, headerEnd + 90] $ \i -> do
          let bad =
                B.concat
                  [ B.take
                      i
                      whole,
                    B.map (+ 1) (B.take 1 (B.drop i whole)),
                    B.drop (i + 1) (B.take (B.length whole - 64) whole)
                  ]
          B.writeFile path bad
          result <- appended RepairTail path [100]
          case result of
            -- What is in a block is only looked at where it may be the last.
            Left (BadBlock _) -> pure ()
            Right (Just loss, ()) | i == headerEnd + 90 -> lossFrom loss @?= B.length bad
            other -> assertFailure (show other),
      inFolder "another schema, another format, no file" $ \path -> do
        wrote path [1]
        result <-
          appendContainerFileWith
            small
            defaultBounds
            RepairTail
            Text
            Write.text
            path
            (\put -> put "x")
        case result of
          Left (BadHeader (Fault 0 0 24 (OtherSchema {}))) -> pure ()
          other -> assertFailure (show other)
        B.writeFile path (B.replicate 100 7)
        appended RepairTail path [1] >>= (@?= Left (BadHeader (Fault 0 0 0 NoContainer)))
        missing <-
          try (appended RepairTail (path <> ".not") [1]) ::
            IO (Either IOException (Either Refusal (Maybe Loss, ())))
        isLeft missing @? "a file was made"
        doesFileExist (path <> ".not") >>= (@?= False),
      inFolder "an exception while appending leaves what was there" $ \path -> do
        wrote path [1 .. 60]
        whole <- B.readFile path
        result <-
          try
            ( appendContainerFileWith
                small
                defaultBounds
                RefuseTail
                shape
                Write.int
                path
                ( \put ->
                    mapM_ put [1 .. 1000] >> throwIO (ErrorCall "enough")
                )
            )
        either
          (\(ErrorCall what) -> what)
          (const "no")
          ( result ::
              Either ErrorCall (Either Refusal (Maybe Loss, ()))
          )
          @?= "enough"
        B.readFile path >>= (@?= whole),
      inFolder "looked at without being read" $ \path -> do
        wrote path [1 .. 60]
        whole <- B.readFile path
        let look = inspectContainerFile defaultBounds path
        look >>= \case
          Right s -> do
            ( summaryBlocks
                s,
              summaryElements s,
              summaryRaw s,
              summaryStored s,
              summaryCompressed s,
              summarySize s,
              summaryFault s
              )
              @?= (7, 60, 60, 60, 0, B.length whole, Nothing)
            fmap renderShape (readSchema defaultLimits (headerSchema (summaryHeader s)))
              @?= Right (renderShape shape)
          Left fault -> assertFailure (show fault)
        B.writeFile path (B.take 300 whole)
        look
          >>= (@?= Right (3, 27, Just (Fault 27 3 263 CutOff)))
            . fmap
              ( \s ->
                  (summaryBlocks s, summaryElements s, summaryFault s)
              )
        B.writeFile path (whole <> "more")
        look
          >>= ( @?= Right (Just (Fault 60 7 (B.length whole - 64) BytesAfterEnd))
              )
            . fmap summaryFault
        B.writeFile path ""
        look >>= (@?= Left (Fault 0 0 0 CutOff)),
      inFolder "recovered: every block that is whole, and what is lost" $ \path -> do
        wrote path [1 .. 60]
        whole <- B.readFile path
        let to = path <> ".new"
            bad = B.concat [B.take 143 whole, "?", B.drop 144 (B.take (B.length whole - 70) whole)]
        B.writeFile path bad
        result <- recoverContainerFile defaultBounds Nothing path to
        result
          @?= Right
            Recovery
              { recoveredBlocks = 5,
                recoveredElements = 45,
                recoveredFaults = [Fault 9 1 117 HeadDamaged, Fault 54 6 (B.length bad) CutOff],
                recoveredLosses =
                  [Loss 117 190 (Just 1) (Just 9), Loss 482 (B.length bad) Nothing Nothing]
              }
        found to >>= (@?= [Elements 0 ([1 .. 9] <> [19 .. 54])]) . joined,
      inFolder "recovered from a damaged header, by the shape" $ \path -> do
        wrote path [1 .. 60]
        whole <- B.readFile path
        let to = path <> ".new"
        forM_ [0 .. headerEnd - 1] $ \i -> do
          B.writeFile
            path
            ( B.concat
                [ B.take
                    i
                    whole,
                  B.map (+ 1) (B.take 1 (B.drop i whole)),
                  B.drop (i + 1) whole
                ]
            )
          refused <- recoverContainerFile defaultBounds Nothing path to
          isLeft refused @? show i
          result <- recoverContainerFile defaultBounds (Just shape) path to
          (recoveredBlocks <$> result, recoveredElements <$> result) @?= (Right 7, Right 60)
          found to >>= (@?= [Elements 0 [1 .. 60]]) . joined
    ]

inFolder :: TestName -> (FilePath -> Assertion) -> TestTree
inFolder name act =
  testCase name (withSystemTempDirectory "container" (\folder -> act (folder </> "numbers.tern")))

takeFolder :: FilePath -> FilePath
takeFolder = reverse . drop 1 . dropWhile (/= '/') . reverse

shape :: Shape
shape = Integer Nothing Nothing

-- | Nine numbers of one byte a block.
small :: Blocks
small = defaultBlocks {blockBytes = 9}

headerEnd :: Int
headerEnd = 44

numbers :: Decoder Int
numbers = containerDecoderWith defaultSettings shape Layout.Varint Read.int

wrote :: FilePath -> [Int] -> IO ()
wrote path values = writeContainerFileWith small shape Write.int path (\put -> mapM_ put values)

appended :: Tail -> FilePath -> [Int] -> IO (Either Refusal (Maybe Loss, ()))
appended tail' path values =
  appendContainerFileWith small defaultBounds tail' shape Write.int path (\put -> mapM_ put values)

found :: FilePath -> IO [Finding Int]
found path = decodeContainer numbers . BL.fromStrict <$> B.readFile path

joined :: [Finding a] -> [Finding a]
joined = \case
  Elements n as : Elements m bs : rest | n + length as == m -> joined (Elements n (as <> bs) : rest)
  one : rest -> one : joined rest
  [] -> []
