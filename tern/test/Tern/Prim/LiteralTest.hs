{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Constants of every length: written, found again, and not found where one byte of them is
-- another. Each length has its own way through "Tern.Prim.Literal", and a binary format's
-- constant has a header by its length.
--
-- Most of the strings are no constants for the compiler. So what is tried here are the
-- definitions, and what their rules lead to by the functions that those call.
module Tern.Prim.LiteralTest (tests) where

import Control.Monad (forM_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Unsafe (unsafeUseAsCStringLen)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word8)
import GHC.Exts
import GHC.IO (IO (..))
import Tern (encodeCbor, encodeMessagePack)
import Tern.Prim.Buffer (Poke, ensuring, run)
import Tern.Prim.Cbor qualified as Cbor
import Tern.Prim.Literal qualified as Literal
import Tern.Prim.MessagePack qualified as MessagePack
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "constants"
    [ testCase "of every length are written and found" . forM_ lengths $ \n -> do
        let bytes = BC.pack (string n)
        poked n (Literal.pokeBytes bytes) @?= bytes
        poked n (Literal.poke (string n)) @?= bytes
        forM_ (bytes : changed bytes) $ \there -> do
          found <- at there $ \a _ s -> Literal.matchesBytes bytes a s
          found @?= (there == bytes)
          whole <- at there $ \a e s -> Literal.matches (string n) e a s
          whole @?= (there == bytes)
          here <- at there $ \a _ s -> Literal.matchesHere (string n) a s
          here @?= (there == bytes),
      testCase "are not found where fewer bytes are left" . forM_ lengths $ \n -> do
        let bytes = BC.pack (string n)
        forM_ (bytes : B.drop 1 bytes : bytes <> "x" : changed bytes) $ \there -> do
          found <- passed bytes there
          found @?= bytes `B.isPrefixOf` there,
      testCase "of MessagePack have the shortest header" . forM_ headers $ \n -> do
        let item = encodeMessagePack (T.pack (string n))
        MessagePack.constantSize (string n) @?= B.length item
        poked (n + 16) (MessagePack.pokeConstant (string n)) @?= item
        found <- at item $ \a _ s -> MessagePack.matchesConstant (string n) a s
        found @?= (n < 256),
      testCase "of CBOR have the shortest head" . forM_ headers $ \n -> do
        let item = encodeCbor (T.pack (string n))
        Cbor.constantSize (string n) @?= B.length item
        poked (n + 16) (Cbor.pokeConstant (string n)) @?= item
        found <- at item $ \a _ s -> Cbor.matchesConstant (string n) a s
        found @?= (n < 65536),
      testCase "are UTF-8, in which a surrogate is U+FFFD" $ do
        let characters = "a\x7f\x80\x7ff\x800\xd7ff\xe000\xffff\x10000\x10ffff"
            bytes = encodeUtf8 (T.pack characters)
        Literal.size characters @?= B.length bytes
        poked 64 (Literal.poke characters) @?= bytes
        poked 64 (Literal.poke "\xd800\xdfff") @?= encodeUtf8 "\xfffd\xfffd",
      testCase "what no UTF-8 has is written by the definitions" . forM_ odd' $
        \(string', size, poke, there, here, packed, concise) -> do
          let text = T.pack string'
              bytes = encodeUtf8 text
          size @?= B.length bytes
          poked 64 poke @?= bytes
          forM_ (bytes : changed bytes) $ \found -> do
            at found there >>= (@?= (found == bytes))
            at found (\a _ s -> here a s) >>= (@?= (found == bytes))
          isItem packed (encodeMessagePack text)
          isItem concise (encodeCbor text),
      testCase "are looked at as the compiler has them" . forM_ odd' $
        \(string', _, _, _, _, _, _) -> do
          let bytes = encodeUtf8 (T.pack string')
              compiled = B.concat (map compiledChar string')
          -- With a zero after them.
          B.useAsCString compiled $ \(Ptr a) -> do
            let !(I# n) = B.length compiled
            I# (Literal.sizeUtf8 a n) @?= B.length bytes
            poked 64 (Literal.pokeUtf8 a n) @?= bytes
            forM_ (bytes : changed bytes) $ \found -> do
              at found (\b e s -> Literal.matchesUtf8 a n e b s) >>= (@?= (found == bytes))
              at found (\b _ s -> Literal.matchesHereUtf8 a n b s) >>= (@?= (found == bytes)),
      testCase "are words of code" . forM_ [0 .. 33] $ \n ->
        case Literal.chunks (take n bytesOf) of
          Nothing -> n @?= 33
          Just chunks -> do
            assertBool (show n) (n <= 32)
            -- Each byte is in a word, and is that byte.
            forM_ chunks $ \(offset, width, word) ->
              [fromInteger (word `div` 256 ^ k `mod` 256) | k <- [0 .. width - 1]]
                @?= take width (drop offset bytesOf)
            [k | k <- [0 .. n - 1], not (any (\(o, w, _) -> o <= k && k < o + w) chunks)] @?= []
            let bytes = B.pack (take n bytesOf)
            poked n (storing chunks n) @?= bytes
            forM_ (bytes : changed bytes) $ \there -> do
              found <- and <$> mapM (same there) chunks
              found @?= (there == bytes)
    ]
  where
    headers = [0, 1, 23, 24, 31, 32, 255, 256, 65535, 65536]
    bytesOf = map (fromIntegral . fromEnum) (string 33) :: [Word8]
    lengths = [0 .. 70] :: [Int]

type Found = Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)

-- | Strings, and what the rules make of them, which meet each as a constant.
odd' :: [(String, Int, Poke, Addr# -> Found, Found, (Int, Poke, Found), (Int, Poke, Found))]
odd' =
  [ row "\0",
    row "\228\246",
    row "\xd800",
    row "of seven\0",
    row "\0 of eight",
    row "a name of more than \xdfff sixteen",
    row "\xd55c\xad6d\xc5b4 \xd7a3\xd55c\xad6d\xc5b4",
    row "\xd55c\xad6d\xc5b4 \xd7a3\xd55c\xad6d\xc5b4\0\xd800\xdc00"
  ]
  where
    row string' =
      ( string',
        Literal.size string',
        Literal.poke string',
        \a e s -> Literal.matches string' e a s,
        Literal.matchesHere string',
        ( MessagePack.constantSize string',
          MessagePack.pokeConstant string',
          MessagePack.matchesConstant string'
        ),
        (Cbor.constantSize string', Cbor.pokeConstant string', Cbor.matchesConstant string')
      )
    {-# INLINE row #-}

-- | A character as GHC has it in a constant.
compiledChar :: Char -> ByteString
compiledChar c
  | c == '\0' = B.pack [0xc0, 0x80]
  | c >= '\xd800' && c < '\xe000' =
      B.pack
        [ 0xed,
          fromIntegral (0x80 + n `div` 64 `mod` 64),
          fromIntegral (0x80 + n `mod` 64)
        ]
  | otherwise = encodeUtf8 (T.singleton c)
  where
    n = fromEnum c

-- | An item of a binary format has this size, is written so, and is found alone.
isItem :: (Int, Poke, Found) -> ByteString -> Assertion
isItem (size, poke, there) item = do
  size @?= B.length item
  poked 64 poke @?= item
  forM_ (item : changed item) $ \found ->
    at found (\a _ s -> there a s) >>= (@?= (found == item))

-- | No two neighbours are the same.
string :: Int -> String
string n = take n (cycle ['!' .. '~'])

-- | One byte of them is another.
changed :: ByteString -> [ByteString]
changed bytes =
  [ B.concat [B.take k bytes, B.singleton (B.index bytes k + 1), B.drop (k + 1) bytes]
    | k <- [0 .. B.length bytes - 1]
  ]

-- | What is written, where there was room for @n@ bytes.
poked :: Int -> Poke -> ByteString
poked (I# n) poke =
  run (ensuring n (\mba op s -> case poke op s of (# s1, op1 #) -> (# s1, mba, op1 #)))

-- | What is said of these bytes, by where they begin and end.
at ::
  ByteString -> (Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)) -> IO Bool
at bytes look = unsafeUseAsCStringLen bytes $ \(Ptr a, I# n) ->
  IO $ \s -> case look a (plusAddr# a n) s of (# s1, m #) -> (# s1, isTrue# m #)

-- | Do the second bytes begin with the first?
passed :: ByteString -> ByteString -> IO Bool
passed constant there = unsafeUseAsCStringLen constant $ \(Ptr from, I# n) ->
  at there (\a e s -> Literal.matchesAddr from n e a s)

-- | Words stored at their offsets, @n@ bytes in all.
storing :: [(Int, Int, Integer)] -> Int -> Poke
storing chunks (I# n) op s = case chunks of
  [] -> (# s, plusAddr# op n #)
  (I# offset, I# width, word) : rest ->
    let !(W# w) = fromInteger word
     in case Literal.store width (plusAddr# op offset) w s of s1 -> storing rest (I# n) op s1

same :: ByteString -> (Int, Int, Integer) -> IO Bool
same bytes (I# offset, I# width, word) =
  at bytes (\a _ s -> (# s, Literal.same width (plusAddr# a offset) w #))
  where
    !(W# w) = fromInteger word
