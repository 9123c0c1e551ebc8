{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Containers that would have time or memory run away; and what readers promise
-- beside what the model knows.
module Tern.Container.SafetyTest (tests) where

import Control.Concurrent (threadDelay)
import Control.Exception (ErrorCall (..), evaluate, throwIO, try)
import Control.Monad (forM_, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.IORef (IORef, atomicModifyIORef', modifyIORef', newIORef, readIORef, writeIORef)
import Data.Maybe (fromMaybe)
import Data.Text qualified as T
import GHC.Conc
  ( ThreadStatus (..),
    getAllocationCounter,
    listThreads,
    setAllocationCounter,
    threadStatus,
  )
import GHC.Stats (GCDetails (..), RTSStats (..), getRTSStats)
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (performMajorGC)
import Tern
import Tern.Container
import Tern.Internal.Container.Format
  ( BlockKind (..),
    Head (..),
    headBytes,
    headSize,
    headerBytes,
    newHeader,
  )
import Tern.Internal.Native.Layout qualified as Layout
import Tern.Internal.Native.Read qualified as Read
import Tern.Internal.Native.Record (both, field, record)
import Tern.Internal.Native.Write qualified as Write
import Tern.Internal.Write (runWriter)
import Tern.Prim.Checksum (crc32c)
import Tern.Shape (Shape (Optional, Text))
import Tern.Stream.Run (chunksOf)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "containers, hostile and long"
    [ testGroup
        "heads that claim too much keep and allocate nothing for it"
        [ testCase name $ do
            let input = start <> block h "abc"
            (findings, used) <- allocated bytes (chunksOf 10 (input <> B.replicate 1000 0))
            faults findings @?= damage
            assertBool (show used) (used < 1000000)
          | (name, h, damage) <-
              [ ( "a block of 2^50 bytes",
                  ours {headStored = large, headRaw = large},
                  [BlockTooLong large (64 * 1024 * 1024)]
                ),
                ( "decompressed 2^50 bytes",
                  ours {headKind = Holding 1, headRaw = large},
                  [BlockTooLong large (64 * 1024 * 1024)]
                ),
                ("2^32 - 1 elements in three bytes", ours {headCount = 0xffffffff}, [HeadDamaged]),
                ("no elements", ours {headCount = 0}, [HeadDamaged]),
                ( "2^61 elements before it",
                  ours {headFirst = 0x2000000000000000},
                  [BlockMisplaced, BodyDamaged]
                ),
                ("2^62 elements before it", ours {headFirst = 0x4000000000000000}, [HeadDamaged]),
                ( "a place of 2^61",
                  ours {headOffset = 0x2000000000000000},
                  [BlockMisplaced, BodyDamaged]
                ),
                ( "a block that is not there",
                  ours {headStored = 60000000, headRaw = 60000000},
                  [CutOff]
                )
              ]
        ],
      testCase "bytes that no writer writes are damage, though the checksum is right" $ do
        let body = "\2ab"
            whole = start <> block ours {headChecksum = crc32c body} body
            other at n bs =
              B.concat [B.take at bs, B.singleton 1, B.take (n - at - 1) (B.drop (at + 1) bs)]
            summed bs = bs <> runWriter Write.fixed32 (crc32c bs)
        faults (decode' bytes [whole]) @?= [Unended]
        forM_ [9, 10, 11] $ \at -> do
          let header = summed (other at 36 (B.take 36 start))
              h = summed (other at 60 (B.take 60 (B.drop (B.length start) whole)))
          take 1 (faults (decode' bytes [header <> B.drop 40 whole])) @?= [HeaderDamaged]
          take 1 (faults (decode' bytes [start <> h <> body])) @?= [HeadDamaged],
      testCase "the checksums of header, schema and head are looked at" $ do
        let whole = start <> placed 0 (B.length start) "\1a"
            changed at =
              B.concat
                [ B.take at whole,
                  B.map (+ 1) (B.take 1 (B.drop at whole)),
                  B.drop (at + 1) whole
                ]
            -- Of each the last byte of the sum alone is another one.
            first at = take 1 (faults (decode' bytes [changed at]))
        faults (decode' bytes [whole]) @?= [Unended]
        map first [39, B.length start - 1, B.length start + headSize - 1]
          @?= [[HeaderDamaged], [HeaderDamaged], [HeadDamaged]],
      testCase "a block comes after others only where there is room for them" $ do
        let second = B.length start + headSize + 2
            whole = start <> placed 0 (B.length start) "\1a" <> placed 3 second "\1d"
        elementsOf (decode' bytes [whole]) @?= ["a"],
      testCase "of blocks that cannot all be, those that are more are believed" $ do
        let place n = B.length start + n * (headSize + 2)
            block' n = placed n (place n)
            whole =
              B.concat
                [ start,
                  block' 0 "\1a",
                  -- In the place of the second block, and said to be the third.
                  block' 2 "\1x",
                  block' 2 "\1c",
                  block' 3 "\1d"
                ]
        elementsOf (decode' bytes [whole]) @?= ["a", "c", "d"],
      testCase "damaged blocks that overlap are not looked through again and again" $ do
        -- Each head claims all that follows it, with a wrong checksum.
        let heads = 4000
            total = B.length start + heads * headSize
            input =
              start
                <> B.concat
                  [ headBytes
                      mark
                      ours
                        { headNumber =
                            i,
                          headFirst = i,
                          headOffset = B.length start + i * headSize,
                          headStored = n,
                          headRaw = n
                        }
                    | i <- [0 .. heads - 1],
                      let n = total - B.length start - (i + 1) * headSize,
                      n > 0
                  ]
                <> B.replicate headSize 0
        let findings = decode' bytes [input]
            looked = length [() | BodyDamaged <- faults findings]
        assertBool (show looked) (looked >= 1 && looked < 8),
      testCase "a block that stands in a part of which it says it is not is read once" $ do
        -- Three blocks of one size, of which the second is written over the first.
        let whole = strict 1 ["a", "b", "c"]
            first = B.length start
            second = first + headSize + 2
            moved =
              B.concat
                [ B.take first whole,
                  B.take (headSize + 2) (B.drop second whole),
                  B.drop second whole
                ]
            part (from, to) =
              decode'
                ( partDecoderWith
                    defaultSettings
                    (newHeader mark Text)
                    (from, to)
                    Text
                    Layout.String
                    Read.bytes
                )
                [B.drop from moved]
        elementsOf (decode' bytes [whole]) @?= ["a", "b", "c"]
        map (elementsOf . part) [(first, second), (second, B.length whole)] @?= [[], ["b", "c"]],
      testCase "blocks in no order cost in proportion to their number" $ do
        -- Each says that it belongs elsewhere, and hardly one follows another.
        let scattered n =
              start
                <> B.concat
                  [ block
                      ours
                        { headNumber =
                            k,
                          headFirst = k,
                          headOffset = B.length start + 65 * k,
                          headStored = 1,
                          headRaw = 1,
                          headChecksum = crc32c "\0"
                        }
                      "\0"
                    | i <- [1 .. n],
                      let k = i * 7919 `mod` 100003
                  ]
        costs <- mapM (\n -> snd <$> allocated bytes [scattered n]) [3000, 12000]
        case costs of
          [few, many] -> assertBool (show costs) (many < 6 * few)
          _ -> assertFailure "two of them",
      testCase "after damage no more is kept back than is allowed" $ do
        let whole = strict 1000 (replicate 30000 (B.replicate 99 7))
            each = 1064
            bad = B.take 100 whole <> "x" <> B.drop 101 whole
            decoder =
              containerDecoderWith
                defaultSettings {readBounds = defaultBounds {maxHeld = 200000}}
                Text
                Layout.String
                Read.bytes
        given <- newIORef 0
        ahead <- newIORef 0
        chunks <- newIORef (chunksOf 1000 bad)
        let source = popped chunks >>= \chunk -> modifyIORef' given (+ B.length chunk) >> pure chunk
            step () = \case
              Elements n _ ->
                readIORef given >>= \out -> modifyIORef' ahead (max (out - n `quot` 10 * each))
              _ -> pure ()
        foldFindings step () source decoder
        most <- readIORef ahead
        assertBool (show most) (most > 200000 && most < 200000 + 20 * each + 200000 `quot` 15),
      testCase "nothing but marks" $ do
        (findings, used) <-
          allocated bytes [start <> B.concat (replicate 200000 (B.take 8 (headBytes mark ours)))]
        faults findings @?= [HeadDamaged]
        assertBool (show used) (used < 1000000),
      testCase "a block in chunks of one byte costs in proportion to its length" $ do
        costs <-
          mapM
            ( \n ->
                snd <$> allocated bytes (chunksOf 1 (strict 1000000 [B.replicate n 7]))
            )
            [20000, 80000]
        case costs of
          [small, large'] -> assertBool (show costs) (large' < 4.6 * small && large' < 3000 * 80000)
          _ -> assertFailure "two of them",
      testCase "in chunks of 32 KiB it is copied once, when it is joined" $ do
        (_, used) <- allocated bytes (chunksOf 32768 (strict 100000000 [B.replicate 8000000 7]))
        -- And once more for the element.
        assertBool (show used) (used < 2.1 * 8000000),
      testGroup
        "a long container is written and read in constant memory, in blocks of"
        [ testCase (show size) $ do
            early <- newIORef 0
            late <- newIORef 0
            count <- newIORef (0 :: Int)
            -- Made inside an action, so that the test itself does not keep it.
            source <-
              newIORef
                ( BL.toChunks
                    ( encodeContainerWith
                        defaultBlocks {blockBytes = size}
                        mark
                        Text
                        Write.text
                        [ T.replicate (n `mod` 100) "x"
                          | n <- [size + 1 .. size + 200000]
                        ]
                    )
                )
            let step () _ = do
                  modifyIORef' count (+ 1)
                  n <- readIORef count
                  when (n == 20000) (liveBytes >>= writeIORef early)
                  when (n == 190000) (liveBytes >>= writeIORef late)
            (_, fault) <- foldContainer step () (popped source) texts
            n <- readIORef count
            (n, fault) @?= (200000, Nothing)
            (first, second) <- (,) <$> readIORef early <*> readIORef late
            -- A word for each value would be more. What the tests report, in a thread of
            -- its own, lives here too.
            assertBool (show (first, second)) (second < first + 1000000)
          | size <- [1000, 16384]
        ],
      testCase "an element that is longer than allowed" $ do
        let limits = defaultLimits {maxBytes = 100}
            input = strict 64 [B.replicate n 7 | n <- [10, 20, 98, 99, 100, 5, 70]]
            found =
              decodeContainer
                ( containerDecoderWith
                    defaultSettings {elementLimits = limits}
                    Text
                    Layout.String
                    Read.bytes
                )
                (BL.fromStrict input)
        map
          ( \case
              Elements n bs ->
                (n, sum (map B.length bs), [])
              Damaged f -> (faultIndex f, 0, [faultDamage f])
              Lost l -> (0, fromMaybe 0 (lossElements l), [])
          )
          found
          @?= [ (0, 10, []),
                (1, 20, []),
                (2, 98, []),
                (3, 99, []),
                ( 4,
                  0,
                  [ Undecodable
                      (Error 100 [] (LimitExceeded (TooManyBytes 100)))
                  ]
                ),
                (0, 1, []),
                (5, 75, [])
              ],
      testCase "an element that does not decode is the only one that is lost" $ do
        let pair = both Write.text Write.bool
            good =
              BL.toStrict
                ( encodeContainerWith
                    defaultBlocks {blockBytes = 12}
                    mark
                    Text
                    pair
                    [ ("one", True),
                      ("two", False),
                      ("three", True),
                      ("four", True),
                      ("five", False)
                    ]
                )
            -- The first block has three of them.
            (before, rest) = B.splitAt (B.length start + headSize) good
            body = B.concat [B.take 9 rest, "\7", B.drop 10 (B.take 17 rest)]
            bad =
              B.take (B.length start) before
                <> headBytes
                  mark
                  ours
                    { headCount =
                        3,
                      headStored = 17,
                      headRaw = 17,
                      headChecksum = crc32c body
                    }
                <> body
                <> B.drop 17 rest
            named = Layout.Record [(Just "name", Layout.String), (Just "ringed", Layout.Bytes 1)]
            found =
              decodeContainer
                ( containerDecoderWith
                    defaultSettings
                    Text
                    named
                    (record ((,) <$> field Read.text <*> field Read.bool))
                )
                (BL.fromStrict bad)
            at = B.length start
        found
          @?= [ Elements 0 [("one", True)],
                Damaged (Fault 1 0 at (Undecodable (Error 9 [Key "ringed"] (NoConstructor 7 2)))),
                Lost (Loss at (at + headSize + 17) (Just 0) (Just 1)),
                Elements 2 [("three", True)],
                Elements 3 [("four", True), ("five", False)]
              ]
        [T.unpack (renderFault f) | Damaged f <- found]
          @?= [ "element 1, block 0, byte 42: at $.ringed, byte 9 of the contents: the type has \
                \no constructor 7, only 0 to 1"
              ],
      testCase "the file as it was before in an element, and the element's block damaged" $ do
        let early = strict 1 ["zero", "first"]
            whole = strict 1 ["zero", "first", B.drop (B.length start) early, "last"]
            third = B.length early - headSize
            bad = B.concat [B.take (third + 20) whole, "x", B.drop (third + 21) whole]
        [b | Elements _ bs <- decode' bytes [whole], b <- bs]
          @?= ["zero", "first", B.drop (B.length start) early, "last"]
        -- Its blocks go back; its end is found, and that it is none.
        faults (decode' bytes [bad]) @?= [HeadDamaged, BytesAfterEnd]
        [(n, bs) | Elements n bs <- decode' bytes [bad]]
          @?= [(0, ["zero"]), (1, ["first"]), (3, ["last"])],
      testCase "a decoder can be gone on from twice" $ do
        let input = strict 20 [B.replicate n 7 | n <- [1 .. 30]]
            fed d chunk = case nextStep d of
              NeedMore feed -> feed chunk
              _ -> d
            half = fed bytes (B.take 100 input)
            rest d = decodeContainer d (BL.fromStrict (B.drop 100 input))
        rest half @?= rest half
        decodeContainer half "" @?= decode' bytes [B.take 100 input]
        concat [b | Elements _ b <- rest half] @?= [B.replicate n 7 | n <- [1 .. 30]],
      testCase "lists are lazy on both sides" $ do
        let endless =
              encodeContainerWith
                defaultBlocks {blockBytes = 100}
                mark
                Text
                Write.bytes
                (repeat "again")
        take 3 [n | Elements n _ <- decodeContainer bytes endless] @?= [0, 17, 34]
        take
          1
          [ b
            | Elements _ b <-
                decodeContainer
                  bytes
                  ( BL.fromChunks
                      [BL.toStrict (BL.take 220 endless), error "asked"]
                  )
          ]
          @?= [replicate 17 "again"],
      testGroup
        "in parallel"
        [ testCase "as one after the other, also where it is damaged" $ do
            let input =
                  strict 100 [B.replicate (n `mod` 40) (fromIntegral n) | n <- [1 .. 3000 :: Int]]
                inputs =
                  input
                    : B.take 30000 input
                    : [ B.concat [B.take i input, "?", B.drop (i + 1) input]
                        | i <- [5, 41, 60] <> [1000, 2700 .. 20000]
                      ]
            forM_ inputs $ \one -> forM_ [1, 2, 5] $ \threads -> do
              source <- newIORef (chunksOf 777 one)
              found <- foldParallel threads (\s f -> pure (f : s)) [] (popped source) bytes
              reverse found @?= decode' bytes [one],
          testCase "the same where a thread has several blocks, and several threads have some" $ do
            let input =
                  strict
                    5000
                    [ B.replicate (n `mod` 400) (fromIntegral n)
                      | n <- [1 .. 12000 :: Int]
                    ]
                inputs =
                  [ input,
                    B.concat [B.take 1000000 input, "?", B.drop 1000001 input],
                    B.take 1500000 input
                  ]
            forM_ inputs $ \one -> forM_ [1, 3] $ \threads -> do
              source <- newIORef (chunksOf 30000 one)
              found <- foldParallel threads (\s f -> pure (f : s)) [] (popped source) bytes
              (reverse found == decode' bytes [one]) @? "something else was found",
          testGroup
            "no more is kept than two blocks for each thread, or 512 KiB"
            [ testCase (show size) $ do
                let one = B.replicate size 7
                    input = strict 1 (replicate blocks one)
                    each = B.length input `quot` blocks
                given <- newIORef 0
                folded <- newIORef 0
                ahead <- newIORef 0
                chunks <- newIORef (chunksOf 1000 input)
                let source =
                      popped chunks >>= \chunk ->
                        modifyIORef' given (+ B.length chunk) >> pure chunk
                    step () _ = do
                      modifyIORef' folded (+ 1)
                      out <- readIORef given
                      n <- readIORef folded
                      modifyIORef' ahead (max (out - n * each))
                foldParallel 4 step () source bytes
                most <- readIORef ahead
                n <- readIORef folded
                n @?= blocks
                assertBool (show most) (most < 10 * kept)
              | (size, blocks, kept) <- [(10000, 400, 256 * 1024 + 10100), (300000, 40, 300100)]
            ],
          testCase "an exception of the fold ends it" $ do
            source <- newIORef (chunksOf 1000 (strict 100 (replicate 5000 (B.replicate 50 7))))
            result <-
              try
                ( foldParallel
                    4
                    ( \n _ ->
                        if n == (20 :: Int)
                          then throwIO (ErrorCall "enough")
                          else pure (n + 1)
                    )
                    0
                    (popped source)
                    bytes
                )
            either (\(ErrorCall what) -> what) show result @?= "enough",
          testCase "its threads end with it, and what is not begun then never is" $ do
            -- The first part is soon there, the others take their time.
            begun <- newIORef (0 :: Int)
            before <- threadsAlive
            let slow found = unsafePerformIO $ do
                  atomicModifyIORef' begun (\n -> (n + 1, ()))
                  threadDelay (if found == [Elements 0 [short]] then 1000 else 2000000)
                short = B.replicate 300000 1
                input = strict 1 (short : replicate 200 (B.replicate 300000 7))
            source <- newIORef (chunksOf 300000 input)
            result <-
              try
                ( reduceParallel
                    3
                    slow
                    (\_ _ -> throwIO (ErrorCall "enough"))
                    ()
                    (popped source)
                    bytes
                )
            either (\(ErrorCall what) -> what) show result @?= "enough"
            left <- downTo before 500
            n <- readIORef begun
            assertBool (show (before, left)) (left <= before)
            assertBool (show n) (n <= 4),
          testCase "no more are evaluated at once than there are threads" $ do
            now <- newIORef (0 :: Int)
            highest <- newIORef (0 :: Int)
            let slow found = unsafePerformIO $ do
                  n <- atomicModifyIORef' now (\n -> (n + 1, n + 1))
                  atomicModifyIORef' highest (\m -> (max m n, ()))
                  threadDelay 1000
                  atomicModifyIORef' now (\m -> (m - 1, ()))
                  pure (length found)
                input = strict 1 (replicate 40 (B.replicate 300000 7))
            source <- newIORef (chunksOf 300000 input)
            total <- reduceParallel 3 slow (\a b -> pure (a + b)) 0 (popped source) bytes
            most <- readIORef highest
            total @?= 40
            assertBool (show most) (most <= 3)
        ],
      testCase "what an encoder puts out before an exception can be read" $ do
        out <- newIORef []
        result <-
          try
            ( encodeContainerToWith
                defaultBlocks {blockBytes = 10}
                Text
                Write.bytes
                (\chunk -> modifyIORef' out (chunk :))
                ( \put ->
                    put "0123456789" >> put "lost" >> throwIO (ErrorCall "enough")
                )
            )
        either (\(ErrorCall what) -> what) (\() -> "no") result @?= "enough"
        chunks <- reverse <$> readIORef out
        let found = decode' bytes chunks
        ([b | Elements _ bs <- found, b <- bs], faults found) @?= (["0123456789"], [Unended]),
      testGroup
        "what faults say"
        [ testCase said $
            map (T.unpack . renderFault) (take 1 [f | Damaged f <- decode' bytes [input]])
              @?= [said]
          | (input, said) <-
              [ ("", "element 0, block 0, byte 0: the file ends in the middle; it was cut off"),
                (B.replicate 100 7, "element 0, block 0, byte 0: this is no container of Tern's"),
                ( B.take 8 start
                    <> "\2"
                    <> B.drop 9 start,
                  "element 0, block 0, byte 8: a container of version 2, expected 1; read it \
                  \with a newer Tern"
                ),
                ( headerBytes
                    (newHeader mark (Optional Text)),
                  "element 0, block 0, byte 24: the file was written with schema \
                  \6bac7348789c2e73, expected fa04f4ef1995407e: writer's $, reader's $: text? \
                  \is not read as text"
                ),
                ( start,
                  "element 0, block 0, byte 42: the file ends without its end; it was cut off \
                  \or not finished"
                )
              ]
        ]
    ]
  where
    large = 2 ^ (50 :: Int) :: Int

mark :: Mark
mark = Mark 0x0102030405060708

start :: ByteString
start = headerBytes (newHeader mark Text)

-- | The head of a first block of three bytes.
ours :: Head
ours =
  Head
    { headKind =
        Holding 0,
      headCount = 1,
      headStored = 3,
      headRaw = 3,
      headNumber = 0,
      headFirst = 0,
      headOffset = B.length start,
      headChecksum = 0
    }

-- | A block of one element that is right, by its number, where it says that it is.
placed :: Int -> Int -> ByteString -> ByteString
placed n place body =
  block
    ours
      { headNumber = n,
        headFirst = n,
        headOffset = place,
        headStored = B.length body,
        headRaw = B.length body,
        headChecksum = crc32c body
      }
    body

elementsOf :: [Finding a] -> [a]
elementsOf findings = concat [as | Elements _ as <- findings]

block :: Head -> ByteString -> ByteString
block h body = headBytes mark h <> body

bytes :: Decoder ByteString
bytes = containerDecoderWith defaultSettings Text Layout.String Read.bytes

texts :: Decoder T.Text
texts = containerDecoderWith defaultSettings Text Layout.String Read.text

strict :: Int -> [ByteString] -> ByteString
strict size =
  BL.toStrict . encodeContainerWith defaultBlocks {blockBytes = size} mark Text Write.bytes

decode' :: Decoder a -> [ByteString] -> [Finding a]
decode' d = decodeContainer d . BL.fromChunks

faults :: [Finding a] -> [Damage]
faults findings = [faultDamage f | Damaged f <- findings]

-- | What is found, and the bytes that finding it allocates. The chunks are there.
allocated :: Decoder a -> [ByteString] -> IO ([Finding a], Double)
allocated d chunks = do
  _ <- evaluate (sum (map B.length chunks))
  setAllocationCounter 0
  n <- evaluate (length (decode' d chunks))
  used <- negate <$> getAllocationCounter
  pure (take n (decode' d chunks), fromIntegral used)

popped :: IORef [ByteString] -> IO ByteString
popped source =
  atomicModifyIORef' source (\case [] -> ([], B.empty); chunk : later -> (later, chunk))

-- | The number of threads that have not ended.
threadsAlive :: IO Int
threadsAlive = do
  states <- listThreads >>= mapM threadStatus
  pure (length (filter (`notElem` [ThreadFinished, ThreadDied]) states))

-- | The number of threads, once no more than @n@ are left, or after @tries@ hundredths of a second.
downTo :: Int -> Int -> IO Int
downTo n tries = do
  alive <- threadsAlive
  if alive <= n || tries == 0 then pure alive else threadDelay 10000 >> downTo n (tries - 1)

liveBytes :: IO Int
liveBytes = do
  performMajorGC
  fromIntegral . gcdetails_live_bytes . gc <$> getRTSStats
