{-# LANGUAGE OverloadedStrings #-}
-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

module Tern.Instances.BytesTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.ByteString.Short (ShortByteString, toShort)
import Data.Char (isAlphaNum)
import Data.List (unfoldr)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.UUID.Types (UUID, fromWords64)
import Tern
import Tern.Instances.Laws (fails, laws, sameAsAeson)
import Tern.Schema (jsonSchema)
import Tern.Shape (renderShape)
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "bytes"
    [ laws "strict" bytes,
      laws "lazy" (BL.fromChunks <$> listOf bytes),
      laws "short" (toShort <$> bytes),
      laws "hex" (Hex <$> bytes),
      laws "base64url" (Base64Url <$> bytes),
      laws "UUID" uuids,
      sameAsAeson "UUID" uuids,
      testProperty "base64 is what the slow one makes of it" . forAll bytes $ \b ->
        encodeJson b === quoted (slow '+' '/' True b),
      testProperty "base64url is what the slow one makes of it" . forAll bytes $ \b ->
        encodeJson (Base64Url b) === quoted (slow '-' '_' False b),
      testProperty "padding may be left away, and be there" . forAll bytes $ \b ->
        conjoin
          [ decodeJson (quoted (slow '+' '/' False b)) === Right b,
            decodeJson (quoted (slow '-' '_' True b)) === Right (Base64Url b)
          ],
      testProperty "slashes may be escaped" . forAll bytes $ \b ->
        decodeJson (B.intercalate "\\/" (BC.split '/' (quoted (slow '+' '/' True b)))) === Right b,
      testProperty
        "of any text that is read the bytes make a text of the same letters"
        . forAll almost
        $ \text ->
          case decodeJson (quoted text) :: Either Error ByteString of
            Left _ -> label "refused" (property True)
            Right b ->
              label "read" (BC.filter (/= '=') (encodeJson b) === BC.filter (/= '=') (quoted text)),
      testGroup
        "what is wrong"
        ( map (uncurry (fails @ByteString)) wrong
            <> map (uncurry (fails @Hex)) wrongHex
            <> map (uncurry (fails @UUID)) wrongUuid
        ),
      testCase "large hexadecimal digits are read" $ decodeJson "\"00Ff\"" @?= Right (Hex "\0\255"),
      testCase "large letters in a UUID are read" $
        decodeJson "\"F47AC10B-58CC-4372-A567-0E02B2C3D479\""
          @?= Right (fromWords64 0xf47ac10b58cc4372 0xa5670e02b2c3d479),
      testCase "a UUID in MessagePack and native" $ do
        encodeMessagePack (fromWords64 0xf47ac10b58cc4372 0xa5670e02b2c3d479)
          @?= "\xc4\x10\xf4\x7a\xc1\x0b\x58\xcc\x43\x72\xa5\x67\x0e\x02\xb2\xc3\xd4\x79"
        encodeNative (fromWords64 0xf47ac10b58cc4372 0xa5670e02b2c3d479)
          @?= "\xf4\x7a\xc1\x0b\x58\xcc\x43\x72\xa5\x67\x0e\x02\xb2\xc3\xd4\x79",
      testCase "as keys" $ do
        encodeJson (Map.fromList [(fromWords64 1 2, True)])
          @?= "{\"00000000-0000-0001-0000-000000000002\":true}"
        decodeJson "{\"00000000-0000-0001-0000-000000000002\":true}"
          @?= Right (Map.fromList [(fromWords64 1 2, True)])
        encodeJson (Map.fromList [("ab" :: ByteString, True)]) @?= "{\"YWI=\":true}",
      testCase "JSON Schema" $ do
        encodeJson (jsonSchema (shapeOf @ByteString))
          @?= "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"string\"\
              \,\"contentEncoding\":\"base64\"}"
        encodeJson (jsonSchema (shapeOf @Hex))
          @?= "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"string\"\
              \,\"contentEncoding\":\"base16\"}"
        encodeJson (jsonSchema (shapeOf @UUID))
          @?= "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"string\"\
              \,\"format\":\"uuid\"}",
      testCase "shapes" $ do
        renderShape (shapeOf @ByteString) @?= "bytes"
        renderShape (shapeOf @(Maybe ShortByteString)) @?= "bytes?"
        renderShape (shapeOf @[UUID]) @?= "[text \"uuid\" as (bytes 16)]"
    ]

wrong, wrongHex, wrongUuid :: [(ByteString, Text)]
wrong =
  [ ("\"YW!i\"", "line 1, column 4, at $: expected a character of base64, found \"!i\\\"\""),
    ("\"YWI\n\"", "line 1, column 5, at $: a control character in a string must be escaped"),
    ("\"YW I=\"", "line 1, column 4, at $: expected a character of base64, found \" I=\\\"\""),
    ("\"YWJ=\"", "line 1, column 4, at $: expected a character of base64, found \"J=\\\"\""),
    ("\"Y\"", "line 1, column 3, at $: expected a character of base64, found \"\\\"\""),
    ("\"Y===\"", "line 1, column 3, at $: expected a character of base64, found \"===\\\"\""),
    ("\"YWI=YWI=\"", "line 1, column 5, at $: expected a character of base64, found \"=YWI=\\\"\""),
    ("\"YW-_\"", "line 1, column 4, at $: expected a character of base64, found \"-_\\\"\""),
    ("12", "line 1, column 1, at $: expected a string, found \"12\"")
  ]
wrongHex =
  [ ("\"0g\"", "line 1, column 3, at $: expected a hexadecimal digit, found \"g\\\"\""),
    ("\"012\"", "line 1, column 5, at $: expected a hexadecimal digit, found \"\\\"\"")
  ]
wrongUuid =
  [ ( "\"f47ac10b-58cc-4372-a567-0e02b2c3d47\"",
      "line 1, column 2, at $: expected a UUID of 36 characters, found \"f47ac10b-58cc-4372-a567-\""
    ),
    ( "\"f47ac10b-58cc-4372-a567-0e02b2c3d4790\"",
      "line 1, column 2, at $: expected a UUID of 36 characters, found \"f47ac10b-58cc-4372-a567-\""
    ),
    ( "\"f47ac10b-58cc-4372-a567_0e02b2c3d479\"",
      "line 1, column 25, at $: expected a hexadecimal digit, or a hyphen after 8, 4, 4 and 4 \
      \of them, found \"_0e02b2c3d479\\\"\""
    ),
    ( "\"f47ac10-b58cc-4372-a567-0e02b2c3d479\"",
      "line 1, column 9, at $: expected a hexadecimal digit, or a hyphen after 8, 4, 4 and 4 of \
      \them, found \"-b58cc-4372-a567-0e02b2c\""
    )
  ]

bytes :: Gen ByteString
bytes = B.pack <$> frequency [(8, arbitrary), (1, choose (0, 300) >>= vector)]

uuids :: Gen UUID
uuids = fromWords64 <$> arbitraryBoundedIntegral <*> arbitraryBoundedIntegral

-- | Texts that are base64 or nearly.
almost :: Gen ByteString
almost =
  BC.pack
    <$> listOf
      ( frequency
          [ ( 40,
              arbitrary
                `suchThat` (\c -> c < '\x7f' && isAlphaNum c)
            ),
            (2, elements "+/="),
            (1, elements "-_ ")
          ]
      )

quoted :: ByteString -> ByteString
quoted text = B.concat ["\"", text, "\""]

-- | Bit by bit.
slow :: Char -> Char -> Bool -> ByteString -> ByteString
slow sixtyTwo sixtyThree padded b =
  BC.pack (letters <> if padded then replicate (negate (length letters) `mod` 4) '=' else "")
  where
    letters = map letter (unfoldr six (concatMap bits (B.unpack b)))
    bits w = [odd (w `quot` (2 ^ i)) | i <- [7, 6 .. 0 :: Int]]
    six = \case
      [] -> Nothing
      bs -> Just (foldl (\n bit -> 2 * n + fromEnum bit) 0 (take 6 (bs <> repeat False)), drop 6 bs)
    letter i = (['A' .. 'Z'] <> ['a' .. 'z'] <> ['0' .. '9'] <> [sixtyTwo, sixtyThree]) !! i
