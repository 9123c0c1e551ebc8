{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE RankNTypes #-}

-- | Messages of every format with bytes changed, cut, repeated and moved: each is
-- refused, or read as a value that is written and read again.
--
-- Nothing throws, nothing allocates out of proportion to what it was given, and nothing
-- reads beside it: each message lies at the start or at the end of a page whose neighbour
-- may not be read.
-- Some in the ordinary run, and a million or more by @./dev fuzz@, which says how
-- many in @TERN_FUZZ@. Each message has a number that makes it again everywhere.
module Tern.FuzzTest (tests) where

import Control.Exception (SomeException, evaluate, try)
import Control.Monad (foldM, when)
import Data.Bits (shiftL, shiftR, xor)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Either (rights)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Data.Word (Word64)
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import System.Environment (lookupEnv)
import Tern
import Tern.Cbor.Value qualified as Cbor
import Tern.Container
  ( Blocks (..),
    Finding (..),
    Mark (..),
    containerDecoder,
    decodeContainer,
    defaultBlocks,
    defaultSettings,
    encodeContainer,
  )
import Tern.Derive.Declarations (Any (..))
import Tern.Derive.Template (Colour, Fields, Optional, Plain, Positional, Rose, Shape, Term, Tree)
import Tern.Fence (Side (..), fenced)
import Tern.MessagePack.Value qualified as MessagePack
import Tern.Stream (Decoder, Sequence (..), decodeLazy, decoder, encodeLazy)
import Tern.Value (Value)
import Test.QuickCheck (Gen)
import Test.QuickCheck.Gen (unGen)
import Test.QuickCheck.Random (mkQCGen)
import Test.Tasty
import Test.Tasty.HUnit
import Text.Read (readMaybe)

tests :: TestTree
tests =
  testGroup
    "mutated messages"
    [ testCaseInfo (T.unpack (subjectName subject)) (fuzz subject)
      | subject <-
          subjects
    ]

-- | What is fuzzed: valid messages by their number, and how one is read and written
-- again, if there is anything to read in it.
data Subject = Subject
  { subjectName :: Text,
    messages :: Int -> ByteString,
    again :: ByteString -> Maybe ByteString
  }

subjects :: [Subject]
subjects =
  [typed format name value | Typed name value <- types, format <- formats]
    <> [ Subject
           "JSON, any value"
           (encodeJson . everything)
           (fmap (encodeJson @Value) . right . decodeJson),
         Subject
           "MessagePack, any value"
           (encodeMessagePack . everything)
           ( fmap MessagePack.encodeValue
               . right
               . MessagePack.decodeValue
           ),
         Subject
           "CBOR, any value"
           (encodeCbor . everything)
           (fmap Cbor.encodeValue . right . Cbor.decodeValue),
         streamed "stream, JSON Lines" JsonLines,
         streamed "stream, a JSON array" JsonArray,
         streamed "stream, JSON values" JsonValues,
         streamed "stream, MessagePack values" MessagePackValues,
         streamed "stream, CBOR values" CborValues,
         Subject
           "container"
           (BL.toStrict . contained . several)
           (fmap (BL.toStrict . contained) . some . found)
       ]
  where
    typed :: forall a. (Wire a) => Format -> Text -> (Int -> a) -> Subject
    typed (Format format write read') name value =
      Subject (T.concat [format, ", ", name]) (write . value) (fmap (write @a) . right . read')
    -- Whatever is damaged is passed over.
    streamed name order =
      Subject name (BL.toStrict . encodeLazy order . several) $ \input ->
        fmap
          (BL.toStrict . encodeLazy order)
          ( some
              ( rights
                  ( decodeLazy
                      (decoder order defaultLimits :: Decoder Shape)
                      (BL.fromStrict input)
                  )
              )
          )
    contained = encodeContainer defaultBlocks {blockBytes = 64} (Mark 7)
    some xs = if null xs then Nothing else Just xs
    right = either (const Nothing) Just
    found input =
      concat
        [ shapes
          | Elements _ shapes <-
              decodeContainer (containerDecoder @Shape defaultSettings) (BL.fromStrict input)
        ]

several :: Int -> [Shape]
several n = [sample arbitraryAny (100 * n + i) | i <- [0 .. n `mod` 12]]

data Typed = forall a. (Wire a) => Typed Text (Int -> a)

types :: [Typed]
types =
  [ Typed "a record with one of each" everything,
    Typed "trees" (\n -> sample arbitraryAny n :: Tree Int)
  ]

everything :: Int -> ((Fields, Optional, Positional), ([Shape], [Colour]), (Plain, Rose, Term))
everything n =
  sample
    ( \size ->
        (,,)
          <$> ((,,) <$> arbitraryAny size <*> arbitraryAny size <*> arbitraryAny size)
          <*> ((,) <$> arbitraryAny size <*> arbitraryAny size)
          <*> ((,,) <$> arbitraryAny size <*> arbitraryAny size <*> arbitraryAny size)
    )
    n

sample :: (Int -> Gen a) -> Int -> a
sample gen n = unGen (gen (n `mod` 5)) (mkQCGen n) (n `mod` 20)

data Format
  = Format
      Text
      (forall a. (Wire a) => a -> ByteString)
      (forall a. (Wire a) => ByteString -> Either Error a)

formats :: [Format]
formats =
  [ Format "JSON" encodeJson decodeJson,
    Format "MessagePack" encodeMessagePack decodeMessagePack,
    Format "CBOR" encodeCbor decodeCbor,
    Format "native" encodeNative decodeNative
  ]

-- * The run

-- | How many messages of each subject.
wanted :: IO Int
wanted = do
  asked <- lookupEnv "TERN_FUZZ"
  pure
    ( maybe
        10000
        ( \n ->
            max 1 ((n + length subjects - 1) `div` length subjects)
        )
        (readMaybe =<< asked)
    )

-- | What was seen so far: messages that were read, and the most bytes that were
-- allocated for one of the input.
data Seen = Seen !Int !Double

fuzz :: Subject -> IO String
fuzz subject = do
  count <- wanted
  let originals = V.fromList (map (messages subject) [1 .. 200])
  mapM_ (unharmed subject) originals
  Seen accepted most <- foldM (one originals) (Seen 0 0) [1 .. count]
  when (accepted == 0 || accepted == count) $
    assertFailure (show accepted <> " of " <> show count <> " were read: they show nothing")
  pure
    ( show count
        <> " messages, "
        <> show accepted
        <> " of them read; at most "
        <> show (round most :: Int)
        <> " bytes allocated for one"
    )
  where
    one originals (Seen accepted most) number = do
      let input = mutated (V.unsafeIndex originals (number `mod` V.length originals)) number
      setAllocationCounter 0
      outcome <-
        try . evaluate $
          fenced (if even number then Before else After) input (evaluated . again subject)
      used <- negate <$> getAllocationCounter
      let complaint what =
            assertFailure
              ( T.unpack
                  ( T.concat
                      [ "message ",
                        T.pack (show number),
                        ", ",
                        what,
                        ": ",
                        T.pack (show input)
                      ]
                  )
              )
          -- What a reader takes for itself is shared by 64 bytes at least. The ceiling
          -- is for code that nothing was done to; what it is there for, a length that
          -- is believed, is a thousand times above it.
          each = fromIntegral used / fromIntegral (max 64 (B.length input)) :: Double
      when (each > 20000) $ complaint (T.concat [T.pack (show used), " bytes allocated"])
      case outcome of
        Left e -> complaint (T.pack (show (e :: SomeException)))
        Right Nothing -> pure (Seen accepted (max most each))
        Right (Just output)
          | again subject output == Just output -> pure (Seen (accepted + 1) (max most each))
          | otherwise -> complaint "what was read is written, and not read as the same"

-- | With what is in it.
evaluated :: Maybe ByteString -> Maybe ByteString
evaluated output = maybe () (`seq` ()) output `seq` output

-- | A valid message is read as what it says.
unharmed :: Subject -> ByteString -> IO ()
unharmed subject input = again subject input @?= Just input

-- * Mutations

-- | A message with some changes, by its number.
mutated :: ByteString -> Int -> ByteString
mutated original number = go (1 + draw seed 0 3) seed original
  where
    seed = fromIntegral number * 0x9e3779b97f4a7c15 + 1
    go :: Int -> Word64 -> ByteString -> ByteString
    go 0 _ bytes = bytes
    go k s bytes = go (k - 1) (scrambled s) (changed (scrambled (s + fromIntegral k)) bytes)

changed :: Word64 -> ByteString -> ByteString
changed s bytes = case draw s 1 9 of
  0 -> put (B.singleton (fromIntegral (draw s 2 256)))
  1 -> put (B.singleton (B.index special (draw s 2 (B.length special))))
  2 -> put (B.map (xor (shiftL 1 (draw s 2 8))) (B.take 1 back))
  3 -> before <> B.drop 1 back
  4 -> before
  5 -> before <> B.drop (draw s 2 9) back
  6 -> before <> B.take (draw s 2 40) back <> back
  7 ->
    B.concat
      [ before,
        B.replicate (1 + draw s 2 64) (B.index special (draw s 3 (B.length special))),
        back
      ]
  _ -> back <> before
  where
    (before, back) = B.splitAt (draw s 4 (B.length bytes + 1)) bytes
    put new = B.concat [before, new, B.drop 1 back]
    -- Ends of ranges, headers of long things, and what JSON is made of.
    special =
      "\x00\x01\x7f\x80\x81\xbf\xc0\xc1\xc6\xc9\xd9\xdb\xdd\xdf\xed\xf4\xff\"\\[]{},:0-e.nu" ::
        ByteString

-- | A number below the last, the choice of that number from the state.
draw :: Word64 -> Int -> Int -> Int
draw s choice below =
  fromIntegral (shiftR (scrambled (s + 0x632be59bd9b4e019 * fromIntegral choice)) 11)
    `mod` max 1 below

-- | The finaliser of SplitMix.
scrambled :: Word64 -> Word64
scrambled z0 = z2 `xor` shiftR z2 31
  where
    z1 = (z0 `xor` shiftR z0 30) * 0xbf58476d1ce4e5b9
    z2 = (z1 `xor` shiftR z1 27) * 0x94d049bb133111eb
