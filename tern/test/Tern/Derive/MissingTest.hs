{-# LANGUAGE AllowAmbiguousTypes #-}

-- | A record without one of its fields, for each field in turn.
--
-- Records of more fields than a word has bits note what they have seen in a word
-- all the same, so that two fields share a bit: a reader that took a full word
-- for a complete record would return a slot that nothing was put into. Only
-- members out of order are noted, and so they come in several orders.
module Tern.Derive.MissingTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern
import Tern.Derive.RecordGenerics qualified as Generics
import Tern.Derive.RecordTemplate qualified as Template
import Tern.Derive.Wide (wideMembers)
import Tern.Json.Model qualified as Model
import Tern.MessagePack.Value qualified as MessagePack
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "each field left out of two hundred"
    [ testGroup "by generics" (missing @Generics.Wide),
      testGroup "by Template Haskell" (missing @Template.Wide)
    ]

-- | A case for each format and order of the members. A required field is missed
-- by its name; without an optional one the record is as if it were null.
missing :: forall a. (Eq a, Wire a) => [TestTree]
missing =
  [ testCase (format <> ", " <> order) $ mapM_ (checked @a decoded change) names
    | (format, decoded) <-
        [("JSON", decodeJson . jsonOf), ("MessagePack", decodeMessagePack . messagePackOf)],
      (order, change) <- orders
  ]

checked :: (Eq a) => (Members -> Either Error a) -> ([Text] -> [Text]) -> Text -> Assertion
checked decoded change left = case (decoded without, decoded nulled) of
  (Left (Error _ _ (MissingField said)), _) | not (optional left) -> said @?= left
  (Right found, Right wanted)
    | optional left ->
        assertBool (name <> ": other fields came back") (found == wanted)
  (Left e, _) -> assertFailure (name <> ": " <> show e)
  (Right _, _) -> assertFailure (name <> " was not missed")
  where
    name = T.unpack left
    without = [(member, True) | member <- change names, member /= left]
    nulled = [(member, member /= left) | member <- change names]

-- | Names of members, and whether their values are there or null.
type Members = [(Text, Bool)]

names :: [Text]
names = map fst members

orders :: [(String, [Text] -> [Text])]
orders =
  [ ("in order", id),
    ("backwards", reverse),
    ("halves exchanged", \all' -> let (x, y) = splitAt (length all' `div` 2) all' in y <> x),
    ("the last in front", \all' -> drop (length all' - 1) all' <> take (length all' - 1) all')
  ]

-- | Every fifth field is a 'Maybe'.
optional :: Text -> Bool
optional name = name `elem` [member | (member, i) <- zip names [1 :: Int ..], i `mod` 5 == 4]

members :: [(Text, Model.Document)]
members = [(T.pack name, value) | (name, value) <- concat (take 1 wideMembers)]

jsonOf :: Members -> ByteString
jsonOf chosen =
  B.pack . Model.writeDocument . Model.Object $
    [ (T.unpack name, if there then value else Model.Null)
      | (name, there) <-
          chosen,
        Just value <- [lookup name members]
    ]

messagePackOf :: Members -> ByteString
messagePackOf chosen =
  MessagePack.encodeValue . MessagePack.Map . V.fromList $
    [ (MessagePack.Str name, if there then value else MessagePack.Nil)
      | (name, there) <-
          chosen,
        Just value <- [Map.lookup name packed]
    ]

-- | The members as MessagePack.
packed :: Map Text MessagePack.Value
packed = case MessagePack.decodeValue . encodeMessagePack
  =<< decodeJson @Generics.Wide (jsonOf [(name, True) | name <- names]) of
  Right (MessagePack.Map pairs) ->
    Map.fromList [(name, value) | (MessagePack.Str name, value) <- V.toList pairs]
  _ -> Map.empty
