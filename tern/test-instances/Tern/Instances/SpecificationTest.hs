-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | The types that the native format's specification speaks of, and their instances.
--
-- The idea: the list is the specification's. A type that it names and that nobody made an
-- instance for, or whose bytes are of another kind than its rule says, is a failure; so is a
-- line here that the specification does not have.
module Tern.Instances.SpecificationTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString.Lazy qualified as BL
import Data.ByteString.Short (ShortByteString)
import Data.Char (isAlphaNum, isUpper)
import Data.HashMap.Strict (HashMap)
import Data.HashSet (HashSet)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.List (isPrefixOf, nub, sort)
import Data.List.NonEmpty (NonEmpty)
import Data.Map.Strict (Map)
import Data.Sequence (Seq)
import Data.Set (Set)
import Data.Text (Text)
import Data.UUID.Types (UUID)
import Data.Vector (Vector)
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)
import Tern.Internal.Native.Layout (Layout (..))
import Tern.Internal.Native.Shaped (layoutOf)
import Tern.MessagePack.Value qualified as MessagePack
import Tern.Shape (Shape)
import Tern.Testkit.Tally (inCheckout)
import Tern.Value qualified as Json
import Tern.Wire (FixedWidth, shapeOf)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "the specification of the native format"
    [ inCheckout "names no type that has no instance, and all that are listed here" $ do
        rules <- rulesFrom <$> readFile "../docs/spec/native-format.md"
        sort (nub (filter (`notElem` notTypes) (named rules))) @?= sort (nub (map fst types)),
      testCase "rules 7 to 19: each type's bytes are of the kind that its rule says" $
        [(name, kind (layoutOf s)) | (name, (s, _)) <- types <> unnamed]
          @?= [(name, k) | (name, (_, k)) <- types <> unnamed]
    ]

-- | By the names that stand in the rules.
types :: [(String, (Shape, Kind))]
types =
  [ ("Word", (shapeOf @Word, AVarint)),
    ("Word32", (shapeOf @Word32, AVarint)),
    ("Word64", (shapeOf @Word64, AVarint)),
    ("Int", (shapeOf @Int, AVarint)),
    ("Int32", (shapeOf @Int32, AVarint)),
    ("Int64", (shapeOf @Int64, AVarint)),
    ("Word8", (shapeOf @Word8, Fixed 1)),
    ("Int8", (shapeOf @Int8, Fixed 1)),
    ("Word16", (shapeOf @Word16, Fixed 2)),
    ("Int16", (shapeOf @Int16, Fixed 2)),
    ("FixedWidth", (shapeOf @(FixedWidth Int), Fixed 8)),
    ("Float", (shapeOf @Float, Fixed 4)),
    ("Double", (shapeOf @Double, Fixed 8)),
    ("Natural", (shapeOf @Natural, AMagnitude)),
    ("Integer", (shapeOf @Integer, AMagnitude)),
    ("Char", (shapeOf @Char, AVarint)),
    ("Text", (shapeOf @Text, AString)),
    ("String", (shapeOf @String, AString)),
    ("ByteString", (shapeOf @ByteString, AString)),
    ("UUID", (shapeOf @UUID, Fixed 16)),
    ("Bool", (shapeOf @Bool, Fixed 1)),
    ("Maybe", (shapeOf @(Maybe Int), ASum)),
    ("Seq", (shapeOf @(Seq Int), AList)),
    ("NonEmpty", (shapeOf @(NonEmpty Int), AList))
  ]

-- | Those that the rules speak of in other words: lazy strings of bytes, documents of any
-- shape, vectors, sets and maps, and hash sets and hash maps.
unnamed :: [(String, (Shape, Kind))]
unnamed =
  [ ("13, lazy", (shapeOf @BL.ByteString, AString)),
    ("13, short", (shapeOf @ShortByteString, AString)),
    ("13, a document of JSON", (shapeOf @Json.Value, AString)),
    ("13, a document of MessagePack", (shapeOf @MessagePack.Value, AString)),
    ("8, four bytes", (shapeOf @(FixedWidth Word32), Fixed 4)),
    ("18, vectors", (shapeOf @(Vector Int), AList)),
    ("19, sets", (shapeOf @(Set Int), AList)),
    ("19, hash sets", (shapeOf @(HashSet Int), AList)),
    ("19, maps", (shapeOf @(Map Int Int), AMap)),
    ("19, hash maps", (shapeOf @(HashMap Int Int), AMap))
  ]

-- | What the rules have in the same letters: reasons, a class.
notTypes :: [String]
notTypes =
  ["OutOfRange", "Overlong", "InvalidUtf8", "NoConstructor", "ChunkTooLong", "KeyOutOfOrder", "Ord"]

data Kind
  = AVarint
  | Fixed Int
  | AMagnitude
  | AString
  | AList
  | AMap
  | ARecord
  | ASum
  | Nobody
  deriving stock (Eq, Show)

kind :: Layout -> Kind
kind = \case
  Varint -> AVarint
  Bytes n -> Fixed n
  Magnitude -> AMagnitude
  String -> AString
  List _ -> AList
  Map _ _ -> AMap
  Record _ -> ARecord
  Sum _ -> ASum
  Unknown -> Nobody

-- | From rule 7 up to the chapter after rule 19.
rulesFrom :: String -> String
rulesFrom =
  unlines . takeWhile (not . isPrefixOf "## Bounds") . dropWhile (not . isPrefixOf "7. ") . lines

-- | The words in backticks that begin with a capital letter.
named :: String -> [String]
named text = case break (== '`') text of
  (_, _ : rest) -> case break (== '`') rest of
    (word@(c : _), _ : behind) | isUpper c, all isAlphaNum word -> word : named behind
    (_, _ : behind) -> named behind
    (_, []) -> []
  (_, []) -> []
