{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Sources of chunks, and what faults say.
module Tern.Stream.PullTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Either (isLeft)
import Data.IORef (atomicModifyIORef', newIORef)
import Data.Text (Text)
import Data.Text qualified as T
import System.IO (SeekMode (..), hSeek)
import System.IO.Temp (withSystemTempFile)
import Tern
import Tern.Cbor.Value qualified as Cbor
import Tern.Internal.Read (Reader)
import Tern.MessagePack.Value qualified as MessagePack
import Tern.Stream
import Tern.Stream.Run (chunksOf, decoderOf, outcomesOf)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "pulling"
    [ testCase "a handle, in chunks of a few bytes" $ withSystemTempFile "numbers" $ \_ handle -> do
        encodeToWith JsonArray jsonW (B.hPut handle) (\one -> mapM_ one [1 .. 5000 :: Int])
        sums <- mapM (total handle) [1, 7, 4096, chunkSize]
        sums @?= replicate 4 (sum [1 .. 5000], Nothing),
      testCase "a fold stops at the first fault, or goes on" $ do
        let source = popper ["1\n2", "\nx\n3\n", "", "4"]
        (found, fault) <- source >>= \more -> foldStream (\s n -> pure (n : s)) [] more numbers
        (found, faultIndex <$> fault) @?= ([2, 1], Just 2)
        all' <- source >>= \more -> foldOutcomes (\s one -> pure (one : s)) [] more numbers
        map isLeft all' @?= [False, False, True, False, False],
      testCase "one at a time" $ do
        more <- popper ["[1", "0,20]"]
        first <- pull more (decoderWith JsonArray defaultLimits jsonR :: Decoder Int)
        case first of
          Just (Right a, Just d) -> do
            second <- pull more d
            case second of
              Just (Right b, Just d') -> do
                third <- pull more d'
                (a, b, maybe "end" (const "more") third) @?= (10, 20, "end" :: String)
              _ -> assertFailure "no second element"
          _ -> assertFailure "no first element",
      testCase "a lazy string is not asked for more than is wanted" $
        take 3 (decodeLazy numbers (BL.fromChunks ["1\n2\n", "3\n", error "asked"]))
          @?= [Right 1, Right 2, Right 3],
      testCase "where a decoder is" $ case next
        ( decoderWith JsonValues defaultLimits jsonR ::
            Decoder Int
        ) of
        NeedMore feed -> case next (feed " 12 [3") of
          Element n d -> do
            (n, elementsBefore d, position d, unread d) @?= (12, 1, 3, " [3")
            case next d of
              Damaged _ _ -> assertFailure "an array that is cut off is no fault yet"
              NeedMore feed' ->
                let d' =
                      feed' ",4"
                 in (elementsBefore d', position d', unread d') @?= (1, 4, "[3,4")
              _ -> assertFailure "no more is wanted"
          _ -> assertFailure "no element"
        _ -> assertFailure "no more is wanted",
      testCase
        "a decoder that is gone on from twice"
        $ case next (decoderOf JsonValues defaultLimits) of
          NeedMore feed -> do
            let half = next (feed "{\"a\": [1, ")
            case half of
              NeedMore feed' -> do
                let ends = ["2]}", "3]} 4", "[[[]]]]}", "\"]\"]}", "]"]
                    found = [fst (outcomesOf (feed' end) []) | end <- ends]
                found
                  @?= [ fst
                          ( outcomesOf
                              (decoderOf JsonValues defaultLimits)
                              ["{\"a\": [1, " <> end]
                          )
                        | end <-
                            ends
                      ]
                -- Each again, in pieces, and the first ones last.
                [ fst (outcomesOf (feed' (B.take 1 end)) (chunksOf 1 (B.drop 1 end)))
                  | end <-
                      reverse ends
                  ]
                  @?= reverse found
              _ -> assertFailure "no more is wanted"
          _ -> assertFailure "no more is wanted",
      testGroup
        "faults"
        [ testCase (T.unpack (T.unwords words')) (saying order input @?= words')
          | (order, input, words') <-
              faults
        ]
    ]
  where
    numbers = decoderWith JsonLines defaultLimits jsonR :: Decoder Int
    total handle size = do
      hSeek handle AbsoluteSeek 0
      foldStream
        (\s n -> pure (s + n))
        0
        (chunksFrom size handle)
        ( decoderWith JsonArray defaultLimits jsonR ::
            Decoder Int
        )

-- | A source of chunks that are not empty, as WAI's is.
popper :: [ByteString] -> IO (IO ByteString)
popper chunks = do
  left <- newIORef (filter (not . B.null) chunks)
  pure . atomicModifyIORef' left $ \case
    [] -> ([], B.empty)
    chunk : later -> (later, chunk)

-- | What the faults of an input say, in chunks of one byte and in one piece.
saying :: Sequence -> ByteString -> [Text]
saying order input
  | small == large = small
  | otherwise = ["in pieces:"] <> small <> ["in one:"] <> large
  where
    small = told (chunksOf 1 input)
    large = told [input]
    told chunks = case order of
      MessagePackValues -> said (decoderWith order limits MessagePack.valueR) chunks
      CborValues -> said (decoderWith order limits Cbor.valueR) chunks
      _ -> said (decoderWith order limits (jsonR :: Reader [Int])) chunks
    limits = defaultLimits {maxDepth = 3, maxBytes = 20}

said :: Decoder a -> [ByteString] -> [Text]
said d chunks = [renderFault fault | Left fault <- fst (outcomesOf d chunks)]

faults :: [(Sequence, ByteString, [Text])]
faults =
  [ ( JsonLines,
      "[1]\n[2,true]\n\n [3]x\n[4",
      [ "element 1, line 2, byte 7, at $[1]: expected an integer",
        "element 2, line 4, byte 18, at $: expected the end of the input",
        "element 3, line 5, byte 22, at $: expected a comma or ], found the end of the input"
      ]
    ),
    ( JsonLines,
      "[1]\n[123456789,12345678910]\n[x]",
      [ "element 1, line 2, byte 24, at $: the input has more than the 20 bytes allowed (maxBytes)",
        "element 2, line 3, byte 29, at $[0]: expected an integer"
      ]
    ),
    ( JsonValues,
      "[1][null][2]7",
      [ "element 1, byte 4, at $[0]: expected an integer",
        "element 3, byte 12, at $: expected an array"
      ]
    ),
    (JsonValues, "[1] [2} [3]", ["element 1, byte 6, at $: expected a comma or ]"]),
    (JsonValues, "[1] ] [3]", ["element 1, byte 4, at $: expected an array"]),
    (JsonValues, "[1] [[[[]]]]", ["element 1, byte 5, at $[0]: expected an integer"]),
    ( JsonValues,
      "[1, 2",
      ["element 0, byte 5, at $: expected a comma or ], found the end of the input"]
    ),
    ( JsonValues,
      "[1, 2,                         3]",
      ["element 0, byte 20, at $: the input has more than the 20 bytes allowed (maxBytes)"]
    ),
    (JsonArray, "[[1], [2, 0.5], [3]]", ["element 1, byte 10, at $[1]: expected an integer"]),
    (JsonArray, "[[1] [2]]", ["element 1, byte 5, at $: expected a comma or ]"]),
    (JsonArray, "[[1],]", ["element 1, byte 5, at $: expected an array"]),
    (JsonArray, "[[1],", ["element 1, byte 5, at $: expected a value, found the end of the input"]),
    ( JsonArray,
      "[[1]",
      ["element 1, byte 4, at $: expected a comma or ], found the end of the input"]
    ),
    ( JsonArray,
      "[[1",
      ["element 0, byte 3, at $: expected a comma or ], found the end of the input"]
    ),
    (JsonArray, "[]]", ["element 0, byte 2, at $: expected the end of the input"]),
    (JsonArray, "{}", ["element 0, byte 0, at $: expected an array"]),
    (JsonArray, " ", ["element 0, byte 1, at $: expected an array, found the end of the input"]),
    ( MessagePackValues,
      "\x01\x92\x01\xa1\xff\x02",
      ["element 1, byte 4, at $[1]: these bytes are not UTF-8"]
    ),
    (MessagePackValues, "\x01\x92\x01\xc1\x02", ["element 1, byte 3, at $[1]: expected a value"]),
    ( MessagePackValues,
      "\x91\x91\x91\x91\x02",
      ["element 0, byte 3, at $[0][0][0]: nested deeper than the 3 levels allowed (maxDepth)"]
    ),
    ( MessagePackValues,
      "\x92\x01\xdc\x00\x20\x02",
      ["element 0, byte 20, at $: the input has more than the 20 bytes allowed (maxBytes)"]
    ),
    ( MessagePackValues,
      "\x01\x92\x01",
      ["element 1, byte 1, at $: claims 2 bytes or values, but only 1 bytes are left"]
    ),
    ( CborValues,
      "\x01\x82\x01\x61\xff\x02",
      ["element 1, byte 4, at $[1]: these bytes are not UTF-8"]
    ),
    (CborValues, "\x01\x82\x01\x1c\x02", ["element 1, byte 3, at $[1]: expected a value"]),
    (CborValues, "\x01\x9f\x01\xfe\x02", ["element 1, byte 3, at $[1]: expected a value"]),
    ( CborValues,
      "\x81\x9f\xc1\x81\x02",
      ["element 0, byte 3, at $[0][0]: nested deeper than the 3 levels allowed (maxDepth)"]
    ),
    ( CborValues,
      "\x82\x01\x98\x20\x02",
      ["element 0, byte 20, at $: the input has more than the 20 bytes allowed (maxBytes)"]
    ),
    ( CborValues,
      "\x01\x9f\x01",
      ["element 1, byte 3, at $[1]: expected a value, found the end of the input"]
    )
  ]
