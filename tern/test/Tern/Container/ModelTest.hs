{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Containers against the slow model, on types, blocks and damage of any kind.
--
-- > values --blocks--> pieces
-- >   |                  |
-- >  Tern              model
-- >   v                  v
-- > bytes  the same   bytes --with damage, in chunks--> both find the same
module Tern.Container.ModelTest (tests) where

import Data.Bits (complementBit, shiftR)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.List (group, sortOn)
import Data.Word (Word64, Word8)
import Tern.Container
import Tern.Container.Model
  ( Event (..),
    Given (..),
    Piece (..),
    Wrong (..),
    checksum,
    fileOf,
    readFile',
  )
import Tern.Internal.Container.Format (newHeader)
import Tern.Internal.Native.Document (encodeWith)
import Tern.Json.Seeded (seeded)
import Tern.Native.Known (Known (..), KnownAs (..), known, scalars)
import Tern.Native.Model (Tree)
import Tern.Prim.Checksum (crc32c, crc32cByTables)
import Tern.Shape (Shape (..), fingerprint)
import Tern.Stream.Run (chunksOf, pieces)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "containers against the model"
    [ testGroup
        "checksums"
        [ testCase "known ones" $
            map crc32c ["", "123456789", B.replicate 32 0, B.replicate 32 255]
              @?= [0, 0xe3069283, 0x8a9136aa, 0x62a8ab43],
          seeded "as the model computes them, by the instruction and by tables" 200 $
            forAll ((,) <$> choose (0, 9000) <*> arbitrary) $ \(n, seed) ->
              let bytes = noise seed n
                  ours =
                    sum
                      [ fromIntegral b * 256 ^ i
                        | (i, b) <-
                            zip [0 :: Int ..] (checksum (B.unpack bytes))
                      ]
               in (crc32c bytes, crc32cByTables bytes) === (ours, ours)
        ],
      seeded
        "a list is written as the model writes it, by any size of blocks"
        600
        . forAllShow example shown
        $ \(Example k values') ->
          forAll (choose (0, 60)) $ \size ->
            let Blocks {compressed = way} = defaultBlocks
                written =
                  BL.toStrict
                    ( encodeContainerWith
                        Blocks {blockBytes = size, compressed = way}
                        ourMark
                        ourShape
                        (writer k)
                        values'
                    )
                squeezed =
                  BL.toStrict
                    ( encodeContainerWith
                        Blocks {blockBytes = size, compressed = Just runs}
                        ourMark
                        ourShape
                        (writer k)
                        values'
                    )
             in conjoin
                  [ B.unpack written
                      === fst
                        ( ourFile
                            ( map
                                plain
                                (greedy size (map (encodeWith (writer k)) values'))
                            )
                        ),
                    B.unpack squeezed
                      === fst
                        ( ourFile
                            ( map
                                shorter
                                (greedy size (map (encodeWith (writer k)) values'))
                            )
                        )
                  ],
      seeded "any blocks, in any chunks" 1000 . forAllShow example shown $ \one ->
        forAllShow (fileFor one) (show . fst) $ \(file, _) ->
          conjoin
            [ same
                one
                file,
              forAll (pieces (B.pack file)) (\chunks -> found one chunks === expected one file)
            ],
      seeded "in chunks of one byte" 150 . forAllShow example shown $ \one ->
        forAllShow (fileFor one) (show . fst) $ \(file, _) ->
          found one (chunksOf 1 (B.pack file)) === expected one file,
      seeded "damage of any kind, in any chunks" 2500 . forAllShow example shown $ \one ->
        forAllShow (fileFor one) (show . fst) $ \(file, places) ->
          forAllShow (damaged file places) show $ \bad ->
            conjoin
              [ same
                  one
                  bad,
                forAll (pieces (B.pack bad)) (\chunks -> found one chunks === expected one bad)
              ],
      seeded "cut off at every byte" 30 . forAllShow smallExample shown $ \one ->
        forAllShow (fileFor one) (show . fst) $ \(file, _) ->
          conjoin [same one (take n file) | n <- [0 .. length file - 1]],
      seeded
        "every bit the other way is found out, and all but its block is read"
        6
        . forAllShow smallExample shown
        $ \one ->
          forAllShow (fileFor one) (show . fst) $ \(file, _) ->
            let whole = trees one
             in conjoin
                  [ counterexample (show (i, b)) . conjoin $
                      [ property (any isWrong events),
                        property
                          ( and
                              [ take (length read') (drop n whole) == read'
                                | Read n read' <-
                                    events
                              ]
                          ),
                        found one [B.pack bad] === events
                      ]
                    | i <- [0 .. length file - 1],
                      b <- [0 .. 7],
                      let bad =
                            [if j == i then complementBit w b else w | (j, w) <- zip [0 ..] file],
                      let events = expected one bad
                  ],
      seeded "parts have each block once" 400 . forAllShow example shown $ \one@(Example k _) ->
        forAllShow (fileFor one) (show . fst) $ \(file, _) ->
          forAll (listOf (choose (0, length file))) $ \cuts ->
            let borders = 0 : orderly cuts <> [length file]
                input = B.pack file
                part (from, to) =
                  finding
                    ( partDecoderWith
                        settings
                        (newHeader ourMark ourShape)
                        (from, to)
                        ourShape
                        (layout k)
                        (reader k)
                    )
                    k
                    [B.drop from input]
             in joined (concatMap part (zip borders (drop 1 borders))) === expected one file
    ]

-- * Files

-- | A type and some values of it.
data Example = forall a. Example (KnownAs a) [a]

example, smallExample :: Gen Example
example = sized $ \n -> exampleOf (known (min 2 (n `div` 20))) =<< choose (0, 12)
smallExample = exampleOf (elements scalars) 4

exampleOf :: Gen Known -> Int -> Gen Example
exampleOf types n = do
  Known k <- types
  Example k <$> vectorOf n (values k)

shown :: Example -> String
shown one@(Example k _) = what k <> ": " <> show (trees one)

trees :: Example -> [Tree]
trees (Example k values') = map (tree k) values'

ourShape :: Shape
ourShape = Tuple [Text, List 0 Boolean]

ourMark :: Mark
ourMark = Mark 0x8877665544332211

ourFile :: [Piece] -> ([Word8], [Int])
ourFile =
  fileOf [0x11, 0x22 .. 0x88] (low8 (fingerprint ourShape)) (B.unpack (schemaBytes ourShape))

low8 :: Word64 -> [Word8]
low8 w = [fromIntegral (w `shiftR` (8 * i)) | i <- [0 .. 7]]

-- | A file of the model's with blocks of any sizes, some of them compressed; and where
-- heads begin.
fileFor :: Example -> Gen ([Word8], [Int])
fileFor (Example k values') = do
  blocks <- parted (map (encodeWith (writer k)) values')
  ourFile <$> mapM (\block -> elements [plain block, shorter block]) blocks

parted :: [a] -> Gen [[a]]
parted = \case
  [] -> pure []
  list -> do
    n <- choose (1, min 6 (length list))
    (take n list :) <$> parted (drop n list)

-- | A block ends with the element that fills it.
greedy :: Int -> [ByteString] -> [[ByteString]]
greedy size = go [] 0
  where
    go now n = \case
      [] -> [reverse now | not (null now)]
      e : rest
        | n + B.length e >= size -> reverse (e : now) : go [] 0 rest
        | otherwise -> go (e : now) (n + B.length e) rest

plain, shorter :: [ByteString] -> Piece
plain block = Piece (toInteger (length block)) raw 0 raw
  where
    raw = B.unpack (B.concat block)
shorter block =
  maybe
    (plain block)
    ( \fewer ->
        Piece (toInteger (length block)) (B.unpack raw) 7 (B.unpack fewer)
    )
    (compress runs raw)
  where
    raw = B.concat block

-- | Bytes and how often they come.
runs :: Compression
runs = Compression {compressionCode = 7, compress = fewer, decompress = expanded}
  where
    fewer bytes =
      let short =
            B.pack
              ( concat
                  [ [fromIntegral n, b]
                    | run <-
                        group (B.unpack bytes),
                      (n, b) <- counted run
                  ]
              )
       in if B.length short < B.length bytes then Just short else Nothing
    counted run = case splitAt 255 run of
      (b : more, rest) -> (length more + 1, b) : if null rest then [] else counted rest
      ([], _) -> []
    expanded n bytes =
      let long = unrun (B.unpack bytes)
       in if fmap length long == Just n
            then B.pack <$> long
            else Nothing

unrun :: [Word8] -> Maybe [Word8]
unrun = \case
  n : b : rest -> (replicate (fromIntegral n) b <>) <$> unrun rest
  [] -> Just []
  _ -> Nothing

-- * Damage

-- | Bytes changed, lost, added or moved; blocks lost, doubled and swapped; heads that
-- say what is not so, with right checksums.
damaged :: [Word8] -> [Int] -> Gen [Word8]
damaged file places = do
  times <- choose (1, 3 :: Int)
  go times file
  where
    go n bytes
      | n == 0 = pure bytes
      | otherwise = one bytes >>= go (n - 1)
    one bytes =
      frequency
        [ ( 4,
            do
              i <-
                position bytes
              b <- arbitrary
              pure (take i bytes <> [b | i < length bytes] <> drop (i + 1) bytes)
          ),
          (3, do i <- position bytes; n <- few; pure (take i bytes <> drop (i + n) bytes)),
          ( 3,
            do
              i <-
                position bytes
              more <- listOf1 arbitrary
              pure (take i bytes <> more <> drop i bytes)
          ),
          (2, do i <- position bytes; pure (take i bytes)),
          ( 2,
            do
              i <-
                position bytes
              j <- position bytes
              n <- few
              pure (take i bytes <> take n (drop j bytes) <> drop i bytes)
          ),
          (2, do (i, j) <- block; pure (take i bytes <> drop j bytes)),
          ( 2,
            do
              (i, j) <-
                block
              (i', _) <- block
              pure (take i' bytes <> take (j - i) (drop i bytes) <> drop i' bytes)
          ),
          (1, do i <- position bytes; pure (take i bytes <> file <> drop i bytes)),
          ( 5,
            do
              (i, _) <-
                block
              at <- choose (8, 59)
              b <- elements [0, 1, 2, 7, 255]
              pure (sealedAgain i (take (i + at) bytes <> [b] <> drop (i + at + 1) bytes))
          ),
          ( 2,
            do
              (i, _) <-
                block
              at <- elements [12, 16, 24, 32, 40, 48]
              d <- elements [1, 255]
              pure
                ( sealedAgain
                    i
                    ( take (i + at) bytes
                        <> map (+ d) (take 1 (drop (i + at) bytes))
                        <> drop (i + at + 1) bytes
                    )
                )
          )
        ]
    position bytes = choose (0, length bytes)
    few = choose (1, 90)
    block = elements (zip places (drop 1 places <> [length file]))

-- | The checksums of a head that begins there, made right.
sealedAgain :: Int -> [Word8] -> [Word8]
sealedAgain i bytes
  | length h < 60 = bytes
  | otherwise = take i bytes <> h <> checksum h <> drop (i + 64) bytes
  where
    h = take 60 (drop i bytes)

-- * Reading

settings :: Settings
settings = defaultSettings {understood = [runs], readBounds = defaultBounds {maxBlock = 100000}}

expected :: Example -> [Word8] -> [Event]
expected (Example k _) =
  joined
    . readFile'
      Given
        { typeOf =
            model k,
          fingerprintOf = low8 (fingerprint ourShape),
          longestBlock = 100000,
          longestSchema = 1024 * 1024,
          ways = [(7, unrun)]
        }

found :: Example -> [ByteString] -> [Event]
found (Example k _) =
  joined . finding (containerDecoderWith settings ourShape (layout k) (reader k)) k

same :: Example -> [Word8] -> Property
same one file = found one [B.pack file] === expected one file

finding :: Decoder a -> KnownAs a -> [ByteString] -> [Event]
finding d k chunks = map event (decodeContainer d (BL.fromChunks chunks))
  where
    event = \case
      Elements n as -> Read n (map (tree k) as)
      Lost (Loss from to blocks elements') -> Gone from to blocks elements'
      Damaged (Fault i n at damage) -> Wrong i n at $ case damage of
        NoContainer -> IsNone
        WrongVersion _ -> HasVersion
        HeaderDamaged -> BrokenHeader
        SchemaTooLong _ _ -> LongSchema
        OtherSchema {} -> HasOtherSchema
        HeadDamaged -> BadHead
        BlockMisplaced -> Misplaced
        BlockTooLong _ _ -> LongBlock
        BodyDamaged -> BadBody
        UnknownCompression _ -> NoSuchCompression
        CompressionDamaged -> BadCompression
        Undecodable _ -> BadElement
        ElementsTooShort _ -> BytesLeft
        CutOff -> Cut
        Unended -> HasNoEnd
        BytesAfterEnd -> HasMore

-- | What is wrong, by its place, what is there and what is lost, each in its order. Elements that
-- follow
-- each other are one.
joined :: [Event] -> [Event]
joined events =
  map snd (sortOn fst [((at, i, n), w) | w@(Wrong i n at _) <- events])
    <> together [r | r@(Read {}) <- events]
    <> [g | g@(Gone {}) <- events]

together :: [Event] -> [Event]
together = \case
  Read n as : Read m bs : rest | n + length as == m -> together (Read n (as <> bs) : rest)
  one : rest -> one : together rest
  [] -> []

isWrong :: Event -> Bool
isWrong = \case
  Wrong {} -> True
  _ -> False

orderly :: [Int] -> [Int]
orderly = foldr insert []
  where
    insert n list = let (less, more) = span (< n) list in less <> (n : more)

noise :: Word64 -> Int -> ByteString
noise seed n =
  fst
    ( B.unfoldrN
        n
        ( \w ->
            let w' =
                  w * 6364136223846793005 + 1442695040888963407
             in Just (fromIntegral (w' `shiftR` 56), w')
        )
        seed
    )
