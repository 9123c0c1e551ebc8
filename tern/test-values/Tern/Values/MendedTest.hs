{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | What mutants and hostile documents had found, each as its class.
module Tern.Values.MendedTest (tests) where

import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Either (isLeft)
import Data.Map.Strict qualified as Map
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Language.Haskell.TH (recover)
import Tern
import Tern.Stream (Decoder, Fault (..), Sequence (..), decodeLazy, decoder, renderFault)
import Tern.Testkit.Allocation (allocatedBy, optimised)
import Tern.Value (Value, parseNumber)
import Tern.Values.Declarations
  ( Bird (..),
    Coast,
    Pair,
    Quoting (..),
    SameConstructors,
    SameFields,
    Sighting,
    renamed,
  )
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "mended"
    [ testGroup
        "a tag whose name needs escapes"
        [ testCase "is read as it is written" $
            map (decodeJson . encodeJson) [Sa 1, So] @?= [Right (Sa 1), Right So],
          testCase "is found wherever it stands, and escaped otherwise too" $
            map
              decodeJson
              [ "{\"depth\":1,\"t\\\"y\":\"Sa\"}",
                "{\"t\\u0022y\":\"Sa\",\"depth\":1}",
                "{ \"t\\\"y\" : \"Sa\" , \"depth\" : 1 }"
              ]
              @?= replicate 3 (Right (Sa 1)),
          testCase "is not taken from bytes that are no such key" $
            [ bytes
              | bytes <-
                  [ "{\"t\"y\":\"Sa\",\"depth\":1}",
                    "{\"t\"y\":\"So\"}",
                    "{\"depth\":1,\"t\"y\":\"Sa\"}"
                  ],
                Right _ <- [decodeJson bytes :: Either Error Quoting]
            ]
              @?= []
        ],
      testGroup
        "names that a document could not tell apart are refused when compiled"
        [ testCase "a field that is called as the tag" $
            $(recover [|True|] (deriveWire defaultOptions ''Sighting >> [|False|])) @?= True,
          testCase "two fields renamed alike" $
            $(recover [|True|] (deriveWire renamed ''SameFields >> [|False|])) @?= True,
          testCase "two constructors renamed alike" $
            $(recover [|True|] (deriveWire renamed ''SameConstructors >> [|False|])) @?= True,
          testCase "two constructors without fields renamed alike" $
            $( recover
                 [|True|]
                 ( deriveWire defaultOptions {constructorTagModifier = const "x"} ''Coast
                     >> [|False|]
                 )
             )
              @?= True,
          testCase "tag and contents of one name" $
            $( recover
                 [|True|]
                 ( deriveWire defaultOptions {sumEncoding = TaggedObject "t" "t"} ''SameConstructors
                     >> [|False|]
                 )
             )
              @?= True,
          testCase "and others are not" $
            ( $(recover [|True|] (deriveWire defaultOptions ''SameFields >> [|False|])),
              $(recover [|True|] (deriveWire defaultOptions ''SameConstructors >> [|False|])),
              $( recover
                   [|True|]
                   ( deriveWire defaultOptions {sumEncoding = ObjectWithSingleField} ''Sighting
                       >> [|False|]
                   )
               )
            )
              @?= (False, False, False)
        ],
      testCase "fields whose type is a synonym of Maybe are left away" $
        (encodeJson (Bird Nothing Nothing Nothing 1), decodeJson "{\"coast\":1}")
          @?= ("{\"coast\":1}", Right (Bird Nothing Nothing Nothing 1)),
      testCase "a key that is a real has no quotes within it" $
        [ either
            (const Nothing)
            (Just . Map.keys)
            (decodeJson bytes :: Either Error (Map.Map Double Int))
          | bytes <-
              [ "{\"+inf\":1,\"1.5\":2}",
                "{\"\\\"+inf\\\"\":1}",
                "{\"\\u0022-inf\\u0022\":1}"
              ]
        ]
          @?= [Just [1.5 :: Double, 1 / 0], Nothing, Nothing :: Maybe [Double]],
      testCase "a key of an error's path is what its escapes stand for" $
        either
          errorPath
          (const [])
          ( decodeJson "{\"x\\ty\":{\"a\\u0062\\n\\\\\\ud83d\\udc26\\/\":tru}}" ::
              Either Error Value
          )
          @?= [Key "x\ty", Key "ab\n\\\x1f426/"],
      testGroup
        "no character in an error's words hides, breaks a line or turns it around"
        [ testCase name $
            [c | c <- T.unpack words', c `elem` forbidden] @?= []
          | (name, words') <-
              [ ("an excerpt", rendered "[\"\x202e\x200b\xfeff\x2066\" x"),
                ("a key", renderPath [Key hostile]),
                ("a field's name", renderReason (UnknownField hostile ["a"])),
                ("a constructor's name", renderReason (UnknownConstructor hostile ["a"])),
                ("a refusal", renderReason (Refused hostile))
              ]
        ],
      testCase "columns count characters, from the line's beginning" $
        [ either (T.takeWhile (/= ':') . renderError bytes) show' (decodeJson bytes)
          | text <-
              ["[\"\xe4\x1f426\", x", "\n[\"\x20ac\",\n \"\xe4\", x"],
            let bytes =
                  T.encodeUtf8
                    text
        ]
          @?= ["line 1, column 8, at $[1]", "line 3, column 7, at $[2]"],
      testGroup
        "numbers are what they are, however many digits a power of ten has"
        [ testCase (show k) $
            [ (a, b, order)
              | (a, b, order) <-
                  [ ("1e" <> nines, "1e" <> nines, EQ),
                    ("1e" <> nines, "1e1" <> zeros, LT),
                    ("10e" <> nines, "1e1" <> zeros, EQ),
                    ("0.1e1" <> zeros, "1e" <> nines, EQ),
                    ("-10e" <> nines, "-1e1" <> zeros, EQ),
                    ("1e-" <> nines, "10e-1" <> zeros, EQ),
                    ("1e-" <> nines, "1e-1" <> zeros, GT),
                    ("1e" <> nines, "2e" <> nines, LT),
                    ("-1e" <> nines, "-2e" <> nines, GT),
                    ("1e" <> nines, "1e-" <> nines, GT),
                    ("1e2" <> T.drop 1 zeros, "1e3" <> T.drop 1 zeros, LT),
                    ("1e00" <> nines, "1e" <> nines, EQ),
                    ("1e" <> nines, "7", GT),
                    ("1e-" <> nines, "7", LT)
                  ],
                (compare <$> parseNumber a <*> parseNumber b) /= Just order
            ]
              @?= []
          | k <- [1, 18, 19, 20, 21, 40, 58, 59, 60, 61, 62, 80, 4095, 4096, 4097, 9000],
            let nines = T.replicate k "9"
                zeros = T.replicate k "0"
        ],
      testCase "a fault in JSON Lines says its line" $
        [ (faultIndex fault, faultLine fault, T.takeWhile (/= ':') (renderFault fault))
          | chunks <-
              [ ["[1]\n\n\n[x]\n[2]\r\n", " \n[\n", "[3]"],
                ["[1]\n", "\n", "\n[", "x]\n[2]\r\n \n[", "\n[3]"]
              ],
            Left fault <-
              decodeLazy (decoder JsonLines defaultLimits :: Decoder [Int]) (BL.fromChunks chunks)
        ]
          @?= concat
            ( replicate
                2
                [ (1, Just 4, "element 1, line 4, byte 7, at $[0]"),
                  (3, Just 7, "element 3, line 7, byte 18, at $[0]")
                ]
            ),
      testCase "faults elsewhere have no line" $
        [ faultLine fault
          | order <- [JsonValues, JsonArray],
            Left fault <- decodeLazy (decoder order defaultLimits :: Decoder [Int]) "[[1],\n[true]]"
        ]
          @?= [Nothing, Nothing],
      testCase "a fault at the end costs no more memory than success" $ do
        let n = 5000 :: Int
            whole = "[" <> B.intercalate "," (replicate n "{\"a\":12,\"b\":3}") <> "]"
            broken = B.dropEnd 3 whole <> "x}]"
            decoded bytes =
              either (T.length . renderError bytes) length (decodeJson bytes :: Either Error [Pair])
        good <- allocatedBy decoded whole
        bad <- allocatedBy decoded broken
        assertBool
          (show (good, bad))
          ( isLeft (decodeJson broken :: Either Error [Pair])
              && bad <= (if optimised then 1.5 else 5) * good
          )
    ]
  where
    show' :: [T.Text] -> T.Text
    show' = T.concat
    forbidden = "\x202e\x200b\xfeff\x2066\x2028\x2029\x85\x1b\n\r\t\xe000\xad"
    hostile = T.pack ("a" <> forbidden)
    rendered :: T.Text -> T.Text
    rendered text =
      let bytes =
            T.encodeUtf8 text
       in either (renderError bytes) (const "") (decodeJson bytes :: Either Error Int)
