{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

module Tern.Values.PatchTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.List (isPrefixOf)
import Data.Maybe (catMaybes, fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern.Json (encodeJson)
import Tern.Json.Patch
  ( Missing (..),
    Operation (..),
    PatchError (..),
    PatchReason (..),
    decodePatch,
    parsePatch,
    patch,
    patchValue,
    renderPatchError,
  )
import Tern.Json.Pointer (Pointer (..), arrayIndex, valueAt)
import Tern.Testkit.Suites (suiteTest)
import Tern.Value (Value (..), member, members, object)
import Tern.Values.Documents (Document (..), allPlaces, deep, json, normal)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "patches"
    [ testGroup
        "RFC 6902, appendix A"
        [ testCase name (run change before @?= after)
          | (name, before, change, after) <- appendix
        ],
      suiteTest "the list of json-patch" "json/patch/tests.json" $ \file -> do
        bytes <- B.readFile file
        case json bytes of
          Array cases -> pure (concat (catMaybes checked), length checked)
            where
              checked = map oneCase (V.toList cases)
          _ -> pure ([file <> " is no list"], 0),
      testCase "an error says which operation, and nothing is changed" $
        patch [Add "/a" Null, Remove "/b", Add "/c" Null] (json "{}")
          @?= Left (PatchError 1 (NotThere "/b" (NoMember "b"))),
      testCase "the root is replaced, and cannot be removed" $
        (patch [Replace "" (Bool True)] Null, patch [Remove ""] Null)
          @?= (Right (Bool True), Left (PatchError 0 (NotThere "" NoParent))),
      testCase
        "a value does not move into itself, and a neighbour whose name begins alike is none"
        $ ( run
              "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a/b\"}]"
              "{\"a\":{}}",
            run "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/ab\"}]" "{\"a\":1}"
          )
          @?= ( Left
                  "operation 0: at $.a: cannot be moved into itself, to $.a.b",
                Right (json "{\"ab\":1}")
              ),
      testCase "an array that changed is compared to its end" $
        map
          (\expected -> patch [Add "/-" (Bool True), Test "" (json expected)] (json "[1]"))
          ["[1]", "[1,true]", "[1,true,null]"]
          @?= [ Left (PatchError 1 (Differs "")),
                Right (json "[1,true]"),
                Left (PatchError 1 (Differs ""))
              ],
      testCase "copies of copies end at their allowance" $
        patch (Add "/0" (Array V.empty) : replicate 64 (Copy "" "/-")) (json "[]")
          @?= Left (PatchError 24 (TooManyCopied 16777216)),
      testCase "two hundred thousand insertions before a million elements" $
        fmap
          size
          ( patch
              (replicate 200000 (Add "/0" Null))
              (Array (V.replicate 1000000 (Bool True)))
          )
          @?= Right 1200000,
      testCase "a hundred thousand tests of an array that changes between them" $
        fmap
          size
          ( patch
              ( concat
                  (replicate 100000 [Add "/-" Null, Test "/0" Null])
              )
              (Array (V.fromList [Null]))
          )
          @?= Right 100001,
      testCase "a hundred thousand members put in and taken away in an object of as many" $
        fmap
          size
          ( patch
              [ op
                | i <- [0 .. 99999 :: Int],
                  let at = Pointer [T.pack (show i)],
                  op <- [Remove at, Add at Null]
              ]
              (Object (object [(T.pack (show i), Null) | i <- [0 .. 99999 :: Int]]))
          )
          @?= Right 100000,
      testCase "a path of two hundred thousand levels, in and out" $
        patch [Replace (Pointer (replicate 200000 "0")) (Bool True)] (deep 200000 Null)
          @?= Right (deep 200000 (Bool True)),
      testProperty "as the slow model"
        . forAll
          ( arbitrary >>= \(Document v) ->
              (,) v <$> resize 6 (listOf (anyOperation v))
          )
        $ \(value, operations) ->
          either (const Nothing) (Just . normal) (patch operations value)
            === slow operations (normal value),
      testProperty
        "its document reads back"
        . forAll (arbitrary >>= \(Document v) -> listOf (anyOperation v))
        $ \operations ->
          ( decodePatch
              (encodeJson (patchValue operations)),
            either (const Nothing) Just (parsePatch (patchValue operations))
          )
            === (Right operations, Just operations)
    ]
  where
    size = \case
      Array vs -> V.length vs
      Object o -> length (members o)
      _ -> 0

run :: ByteString -> ByteString -> Either Text Value
run change before =
  decodePatch change >>= \ops -> either (Left . renderPatchError) Right (patch ops (json before))

oneCase :: Value -> Maybe [String]
oneCase = \case
  Object o
    | member "disabled" o == Just (Bool True) -> Nothing
    | Just doc <- member "doc" o,
      Just change <- member "patch" o ->
        let result = either (Left . renderPatchError) Right (parsePatch change >>= (`patch` doc))
            complaint = [show (member "comment" o, change) <> " gave " <> show result]
         in case (member "error" o, member "expected" o, result) of
              (Just _, _, Left _) -> Just []
              (Just _, _, Right _) -> Just complaint
              (Nothing, Just expected, Right value) | value == expected -> Just []
              (Nothing, Nothing, Right _) -> Just []
              _ -> Just complaint
  _ -> Nothing

-- * A slow model

anyOperation :: Value -> Gen Operation
anyOperation value = do
  Document new <- resize 5 arbitrary
  oneof
    [ Add <$> place <*> pure new,
      Remove <$> place,
      Replace <$> place <*> pure new,
      Move <$> place <*> place,
      Copy <$> place <*> place,
      Test <$> place <*> pure new,
      (\way -> Test (Pointer way) (fromMaybe Null (valueAt (Pointer way) value)))
        <$> elements (allPlaces value)
    ]
  where
    place = do
      way <- elements (allPlaces value)
      Pointer
        <$> frequency
          [ (3, pure way),
            ( 2,
              (\t -> way <> [t])
                <$> elements ["a", "-", "0", "1", "5", "new"]
            )
          ]

-- | On documents whose names are in order and not repeated.
slow :: [Operation] -> Value -> Maybe Value
slow operations value = fmap normal (foldl (\v op -> v >>= one op) (Just value) operations)
  where
    one op v = case op of
      Add (Pointer way) new -> add way new v
      Remove (Pointer way) -> remove way v
      Replace (Pointer way) new -> get way v >> update way (const (Just new)) v
      Move (Pointer from) (Pointer way)
        | from == way -> v <$ get from v
        | from `isPrefixOf` way -> Nothing
        | otherwise -> do
            x <- get from v
            remove from v >>= add way x
      Copy (Pointer from) (Pointer way) -> get from v >>= \x -> add way x v
      Test (Pointer way) expected -> get way v >>= \x -> if x == expected then Just v else Nothing
    get way v = valueAt (Pointer way) v
    update [] f v = f v
    update (t : rest) f v = case v of
      Object o ->
        member t o >>= update rest f >>= \x ->
          Just (Object (object [(n, if n == t then x else y) | (n, y) <- members o]))
      Array vs -> do
        i <- arrayIndex t
        x <- vs V.!? i >>= update rest f
        Just (Array (vs V.// [(i, x)]))
      _ -> Nothing
    add [] new _ = Just new
    add way new v = update (init way) (put (last way) new) v
    put t new = \case
      Object o -> Just (Object (object (filter ((/= t) . fst) (members o) <> [(t, new)])))
      Array vs
        | t == "-" -> Just (Array (V.snoc vs new))
        | Just i <- arrayIndex t,
          i <= V.length vs ->
            Just (Array (V.take i vs <> V.singleton new <> V.drop i vs))
      _ -> Nothing
    remove [] _ = Nothing
    remove way v = get way v >> update (init way) (Just . without (last way)) v
    without t = \case
      Object o -> Object (object (filter ((/= t) . fst) (members o)))
      Array vs | Just i <- arrayIndex t -> Array (V.take i vs <> V.drop (i + 1) vs)
      v -> v

-- * The RFC's examples

appendix :: [(String, ByteString, ByteString, Either Text Value)]
appendix =
  [ ( "A.1 adding a member",
      "{\"foo\":\"bar\"}",
      "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\"}]",
      is "{\"baz\":\"qux\",\"foo\":\"bar\"}"
    ),
    ( "A.2 adding an element",
      "{\"foo\":[\"bar\",\"baz\"]}",
      "[{\"op\":\"add\",\"path\":\"/foo/1\",\"value\":\"qux\"}]",
      is "{\"foo\":[\"bar\",\"qux\",\"baz\"]}"
    ),
    ( "A.3 removing a member",
      "{\"baz\":\"qux\",\"foo\":\"bar\"}",
      "[{\"op\":\"remove\",\"path\":\"/baz\"}]",
      is "{\"foo\":\"bar\"}"
    ),
    ( "A.4 removing an element",
      "{\"foo\":[\"bar\",\"qux\",\"baz\"]}",
      "[{\"op\":\"remove\",\"path\":\"/foo/1\"}]",
      is "{\"foo\":[\"bar\",\"baz\"]}"
    ),
    ( "A.5 replacing a value",
      "{\"baz\":\"qux\",\"foo\":\"bar\"}",
      "[{\"op\":\"replace\",\"path\":\"/baz\",\"value\":\"boo\"}]",
      is "{\"baz\":\"boo\",\"foo\":\"bar\"}"
    ),
    ( "A.6 moving a value",
      "{\"foo\":{\"bar\":\"baz\",\"waldo\":\"fred\"},\"qux\":{\"corge\":\"grault\"}}",
      "[{\"op\":\"move\",\"from\":\"/foo/waldo\",\"path\":\"/qux/thud\"}]",
      is "{\"foo\":{\"bar\":\"baz\"},\"qux\":{\"corge\":\"grault\",\"thud\":\"fred\"}}"
    ),
    ( "A.7 moving an element",
      "{\"foo\":[\"all\",\"grass\",\"cows\",\"eat\"]}",
      "[{\"op\":\"move\",\"from\":\"/foo/1\",\"path\":\"/foo/3\"}]",
      is "{\"foo\":[\"all\",\"cows\",\"eat\",\"grass\"]}"
    ),
    ( "A.8 testing: success",
      "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}",
      "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"qux\"},{\"op\":\"test\",\"path\":\"/foo/1\"\
      \,\"value\":2}]",
      is "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}"
    ),
    ( "A.9 testing: error",
      "{\"baz\":\"qux\"}",
      "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"bar\"}]",
      Left "operation 0: at $.baz: the value is another one"
    ),
    ( "A.10 adding a nested object",
      "{\"foo\":\"bar\"}",
      "[{\"op\":\"add\",\"path\":\"/child\",\"value\":{\"grandchild\":{}}}]",
      is "{\"foo\":\"bar\",\"child\":{\"grandchild\":{}}}"
    ),
    ( "A.11 unknown members",
      "{\"foo\":\"bar\"}",
      "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\",\"xyz\":123}]",
      is "{\"foo\":\"bar\",\"baz\":\"qux\"}"
    ),
    ( "A.12 a target that is not there",
      "{\"foo\":\"bar\"}",
      "[{\"op\":\"add\",\"path\":\"/baz/bat\",\"value\":\"qux\"}]",
      Left "operation 0: at $.baz.bat: there is no member \"baz\""
    ),
    ( "A.13 a repeated member counts by its last value",
      "{\"foo\":\"bar\"}",
      "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\",\"op\":\"remove\"}]",
      Left "operation 0: at $.baz: there is no member \"baz\""
    ),
    ( "A.14 escapes",
      "{\"/\":9,\"~1\":10}",
      "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":10}]",
      is "{\"/\":9,\"~1\":10}"
    ),
    ( "A.15 strings are no numbers",
      "{\"/\":9,\"~1\":10}",
      "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":\"10\"}]",
      Left "operation 0: at $[\"~1\"]: the value is another one"
    ),
    ( "A.16 an array as an element",
      "{\"foo\":[\"bar\"]}",
      "[{\"op\":\"add\",\"path\":\"/foo/-\",\"value\":[\"abc\",\"def\"]}]",
      is "{\"foo\":[\"bar\",[\"abc\",\"def\"]]}"
    )
  ]
  where
    is = Right . json
