{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

module Tern.Values.LensTest (tests) where

import Data.Text qualified as T
import Tern.Json (encodeJson, fromValue, toValue)
import Tern.Json.Lens
  ( at,
    atKey,
    firstFound,
    found,
    integers,
    key,
    nth,
    objects,
    over,
    set,
    strings,
    values,
  )
import Tern.Json.Pointer (Pointer (..), valueAt)
import Tern.Value (Value (..))
import Tern.Values.Documents (Document (..), allPlaces, json, normal)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "places"
    [ testCase "within places" $
        ( found
            (key "a" . values . key "b" . integers)
            document,
          firstFound (key "a" . nth 1 . key "c" . strings) document
        )
          @?= ([1, 2], Just "x"),
      testCase "changed where they are" $
        encodeJson (over (key "a" . values . key "b" . integers) (* 10) document)
          @?= "{\"a\":[{\"b\":10},{\"b\":20,\"c\":\"x\"}],\"d\":true}",
      testCase "a member is put in and taken away" $
        ( encodeJson
            (over objects (set (atKey "d") Nothing) document),
          encodeJson (over objects (set (atKey "e") (Just Null)) (json "{}"))
        )
          @?= ("{\"a\":[{\"b\":1},{\"b\":2,\"c\":\"x\"}]}", "{\"e\":null}"),
      testCase "values of types as documents, and back" $
        (toValue [Just (1 :: Int), Nothing], fromValue (json "[[1,\"a\"]]"))
          @?= (Right (json "[1,null]"), Right [(1 :: Int, T.pack "a")]),
      testProperty "what a pointer leads to is what a place has" $ \(Document value) ->
        let unrepeated =
              normal value
         in conjoin
              [ found (at (Pointer way)) unrepeated
                  === maybe [] pure (valueAt (Pointer way) unrepeated)
                | way <-
                    allPlaces unrepeated
              ],
      testProperty
        "what is put there is there, and twice is once"
        $ \(Document value) (Document new) ->
          let unrepeated = normal value
           in forAll (Test.Tasty.QuickCheck.elements (allPlaces unrepeated)) $ \way ->
                let put =
                      set (at (Pointer way)) new
                 in valueAt (Pointer way) (put unrepeated)
                      === Just new
                      .&&. put (put unrepeated) === put unrepeated
    ]
  where
    document = json "{\"a\":[{\"b\":1},{\"b\":2,\"c\":\"x\"}],\"d\":true}"
