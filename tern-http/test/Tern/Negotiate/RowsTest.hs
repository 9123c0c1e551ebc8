{-# LANGUAGE OverloadedStrings #-}

-- | Rows of our own, each read from a sentence or a rule of grammar of RFC 9110, and held
-- against the slow model as well: what is chosen of some offers, what is said of content.
--
-- The idea: a row is the lines of a header, what a service has, and the one right answer.
-- Its group names the section that decides it.
module Tern.Negotiate.RowsTest (tests) where

import Control.Monad (forM_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Maybe (isJust, mapMaybe)
import Tern.Negotiate
import Tern.Negotiate.Model qualified as Model
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "rows"
    [ testGroup "Accept" [testCase name (mapM_ typeRow rows) | (name, rows) <- types],
      testGroup "Accept-Encoding" [testCase name (mapM_ codingRow rows) | (name, rows) <- codings'],
      testGroup "Content-Type" [testCase name (mapM_ contentRow rows) | (name, rows) <- contents],
      testCase "Content-Encoding: 8.4" (mapM_ undoneRow undone)
    ]

-- | The lines of a header, what there is in the order of preference, and what is chosen.
type Row = ([ByteString], [ByteString], Maybe ByteString)

typeRow, codingRow :: Row -> Assertion
typeRow (lines', offers', expected) = do
  (lines', answer) @?= (lines', expected)
  (lines', Model.chosenType (BC.unpack <$> value) read') @?= (lines', modelled =<< expected)
  where
    value = fieldValue "Accept" [("Accept", line) | line <- lines']
    answer =
      offerFormat
        <$> choose
          (typePreference (parseAccept value))
          [offer text media | text <- offers', Just media <- [parseMediaType text]]
    read' = mapMaybe modelled offers'
    modelled = Model.mediaType . BC.unpack
codingRow (lines', those, expected) = do
  (lines', answer) @?= (lines', expected)
  (lines', BC.pack <$> Model.chosenCoding (BC.unpack <$> value) (map BC.unpack those))
    @?= (lines', expected)
  where
    value = fieldValue "Accept-Encoding" [("Accept-Encoding", line) | line <- lines']
    answer = choose (codingPreference (parseAcceptEncoding value)) those

-- | The lines of @Content-Type@, what is read, and which range of it counts.
contentRow :: Row -> Assertion
contentRow (lines', those, expected) = do
  (lines', answer) @?= (lines', expected)
  -- What the model takes for no type is read nowhere.
  forM_ expected $ \_ ->
    assertBool
      (show lines')
      (isJust (Model.mediaType . BC.unpack =<< fieldValue "Content-Type" headers))
  where
    headers = [("Content-Type", line) | line <- lines']
    ranges = [Receive media text | text <- those, Just media <- [parseMediaType text]]
    answer = either (const Nothing) (Just . contentFormat) (recognise ranges noCodings headers)

noCodings :: [Coding ()]
noCodings = []

-- | The lines of @Content-Encoding@, and what is undone of gzip and zstd, first the last.
undoneRow :: ([ByteString], Maybe [ByteString]) -> Assertion
undoneRow (lines', expected) =
  (lines', either (const Nothing) (Just . map codingText) answer) @?= (lines', expected)
  where
    answer =
      codingsOf
        [Coding "gzip" (), Coding "zstd" ()]
        [("Content-Encoding", line) | line <- lines']

json, msgpack, html, level1, plain, birds, png :: ByteString
json = "application/json"
msgpack = "application/msgpack"
html = "text/html"
level1 = "text/html;level=1"
plain = "text/plain"
birds = "application/vnd.birds+json"
png = "image/png"

-- | JSON is liked best.
usual :: [ByteString]
usual = [json, msgpack, html]

types :: [(String, [Row])]
types =
  [ ( "5.6.1: lists",
      [ ([",,text/html"], usual, Just html),
        ([" , text/html , ,"], usual, Just html),
        (["\t,\ttext/html\t"], usual, Just html),
        (["text/html,"], usual, Just html),
        (["text/html", "application/msgpack;q=0.5"], usual, Just html),
        (["text/html;q=0.5", "application/msgpack"], usual, Just msgpack),
        (["", "text/html"], usual, Just html),
        (["text/html", ""], usual, Just html),
        ([",", "text/html", ", ,"], usual, Just html),
        (["text/html;q=0.1", "text/html;q=0.9", "application/msgpack;q=0.5"], usual, Just html)
      ]
    ),
    ( "5.5: what stands for a line's end is a space",
      [ (["text/html,\r\n application/msgpack;q=0.5"], usual, Just html),
        (["text/html;q=0.5,\r\n\tapplication/msgpack"], usual, Just msgpack),
        (["text/html;q=0.5\r\n ;level=1, application/msgpack;q=0.1"], usual, Just msgpack),
        (["\r\n text/html"], usual, Just html),
        (["text/html\r\n "], usual, Just html),
        (["text/html\0,application/msgpack;q=0.5"], usual, Just html),
        (["text/html\n"], usual, Just html)
      ]
    ),
    ( "5.6.3 and 5.6.6: white space and semicolons",
      [ (["text/html ; q=0.5 , application/msgpack ; q=0.6"], usual, Just msgpack),
        (["text/html\t;\tq=0.5,application/msgpack\t;q=0.6"], usual, Just msgpack),
        (["text/html;;q=0.5,application/msgpack;;;q=0.6;"], usual, Just msgpack),
        (["text/html;q=0.5;,application/msgpack;q=0.4"], usual, Just html),
        (["text/html; ;q=0.5"], usual, Just html),
        (["text /html,application/msgpack;q=0.1"], usual, Just msgpack),
        (["text/ html,application/msgpack;q=0.1"], usual, Just msgpack),
        (["text/html;q =0.9,application/msgpack;q=0.1"], usual, Just msgpack),
        (["text/html;q= 0.9,application/msgpack;q=0.1"], usual, Just msgpack),
        (["text/html;q = 1,application/msgpack;q=0.1"], usual, Just msgpack),
        (["text/html q=1,application/msgpack;q=0.1"], usual, Just msgpack),
        (["text/html;q=1 ;,application/msgpack;q=0.1"], usual, Just html)
      ]
    ),
    ( "5.6.4: strings",
      [ (["text/html;level=\"1\""], [html, level1], Just level1),
        (["text/html;level=\"\\1\""], [html, level1], Just level1),
        (["text/html;level=\"1,\";q=0.9, application/msgpack;q=0.2"], usual, Just msgpack),
        (["text/html;a=\",application/json,\", application/msgpack;q=0.2"], usual, Just msgpack),
        (["text/html;a=\"\\\",application/json\", application/msgpack;q=0.2"], usual, Just msgpack),
        (["text/html;a=\"\\\\\",application/json;q=0.3, a/b"], usual, Just json),
        (["text/html;a=\"x;q=0\""], ["text/html;a=\"x;q=0\""], Just "text/html;a=\"x;q=0\""),
        (["text/html;a=\"\""], ["text/html;a=\"\""], Just "text/html;a=\"\""),
        (["text/html;a=\" x\""], ["text/html;a=x"], Nothing),
        (["text/html;a=\"\t\""], ["text/html;a=\"\t\""], Just "text/html;a=\"\t\""),
        (["text/html;a=\"\255\""], ["text/html;a=\"\255\""], Just "text/html;a=\"\255\""),
        (["text/html;a=\"\DEL\", application/msgpack"], usual, Just msgpack),
        (["text/html;a=\"x\"y, application/msgpack;q=0.1"], usual, Just msgpack),
        (["text/html;a='x,application/json;q=0.5', application/msgpack"], usual, Just msgpack),
        (["\"text/html\", application/msgpack;q=0.1"], usual, Just msgpack),
        (["text/html;\"a\"=b, application/msgpack;q=0.1"], usual, Just msgpack)
      ]
    ),
    ( "8.3.1: names have no case, values have",
      [ (["TEXT/HTML"], usual, Just html),
        (["Application/MsgPack"], usual, Just msgpack),
        (["text/html;LEVEL=1"], [html, level1], Just level1),
        (["text/html;version=A"], ["text/html;version=a"], Nothing),
        (["text/html;version=A"], ["TEXT/HTML;VERSION=A"], Just "TEXT/HTML;VERSION=A"),
        (["text/html;charset=UTF-8"], ["text/html;charset=UTF-8"], Just "text/html;charset=UTF-8")
      ]
    ),
    ( "5.6.2 and 8.3.1: what is no range is left out",
      [ ([bad <> ", application/msgpack;q=0.1"], usual, Just msgpack)
        | bad <-
            [ "text",
              "text/",
              "/html",
              "text/html/x",
              "text//html",
              "text/html;level",
              "text/html;=1",
              "text/html;level=",
              "text/html;level=a b",
              "text\\html",
              "text/h\233ml",
              "t\1ext/html",
              "(text)/html",
              "text/html;a=b=c",
              "text/html;q",
              "text/html;a=@"
            ]
      ]
    ),
    ( "12.4.2: weights",
      [ (["text/html;q=1.000,application/json;q=0.999"], usual, Just html),
        (["text/html;q=0.001,application/json;q=0.000"], usual, Just html),
        (["text/html;q=1.,application/json;q=0."], usual, Just html),
        (["text/html;q=0.0001,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;q=0.0000,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;q=1.0000,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;q=1.5,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;q=1.001,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;q=2,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;q=.5,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;q=-1,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;q=+1,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;q=00.5,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;q=01,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;q=1e0,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;q=0,5,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;q=,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;q=one,application/msgpack;q=0.001"], usual, Just msgpack),
        (["text/html;Q=0.4,application/msgpack;q=0.5"], usual, Just msgpack),
        (["text/html;q=0.9;q=0.1,application/msgpack;q=0.5"], usual, Just msgpack)
      ]
    ),
    ( "12.5.1: a weight counts wherever it stands",
      [ (["text/html;q=0.5;level=1, a/b;q=0.1"], [html, level1, msgpack], Just level1),
        (["text/html;q=0.5;level=1, application/msgpack;q=0.1"], usual, Just msgpack),
        (["text/html;q=0.5;ext=\"a,b\", application/msgpack;q=0.1"], usual, Just msgpack),
        (["text/html;level=1;q=0.1, text/html;q=0.5"], [level1, html], Just html)
      ]
    ),
    ( "12.5.1: the most specific range decides",
      [ ( ["*/*;q=0.1, text/*;q=0.2, text/html;q=0.3, text/html;level=1;q=0.4"],
          [png, plain, html, level1],
          Just level1
        ),
        (["*/*, text/*;q=0.2"], [plain, png], Just png),
        (["text/html;q=0, text/*"], [html, plain], Just plain),
        (["text/*;q=0"], [html, plain, png], Nothing),
        (["text/*;q=0, */*"], [html, plain, png], Just png),
        (["*/*;q=0, text/html;q=0.1"], usual, Just html),
        (["*/*;q=0"], usual, Nothing),
        (["text/html;level=1;q=0, text/html"], [level1, html], Just html),
        (["text/html;level=2"], [html, level1], Nothing),
        (["text/html;level=1;level=2"], [level1], Nothing),
        (["application/json;q=0"], usual, Nothing),
        (["image/*"], usual, Nothing),
        (["text/*;level=1"], [html, level1], Just level1),
        (["*/*;level=1, text/html;q=0.5"], [html, level1], Just html)
      ]
    ),
    ( "6838: names of structure",
      [ (["application/*+json"], [json, birds], Just birds),
        (["*/*+json"], [json, birds], Just birds),
        (["application/*+JSON;q=0.5, application/json;q=0.4"], [json, birds], Just birds),
        (["application/*+json;q=0.3, application/*;q=0.9"], [birds, json], Just json),
        (["application/vnd.birds+json;q=0.1, application/*+json"], [birds, json], Just birds),
        (["application/*json"], [json], Nothing),
        (["application/vnd.*+json"], [birds], Nothing),
        (["*/json"], [json], Just json)
      ]
    )
  ]

codings' :: [(String, [Row])]
codings' =
  [ ( "12.5.3: what is acceptable",
      [ ([], both, Just "identity"),
        ([""], both, Just "identity"),
        ([" \t"], both, Just "identity"),
        ([","], both, Just "identity"),
        (["gzip"], both, Just "gzip"),
        (["gzip, zstd"], both, Just "zstd"),
        (["gzip", "zstd;q=0.5"], both, Just "gzip"),
        (["br"], both, Just "identity"),
        (["br, *;q=0"], both, Nothing),
        (["br, identity;q=0"], both, Nothing),
        (["identity;q=0"], both, Nothing),
        (["identity;q=0, gzip"], both, Just "gzip"),
        (["identity;q=0, *"], both, Just "zstd"),
        (["*;q=0"], both, Nothing),
        (["*;q=0, gzip;q=0.001"], both, Just "gzip"),
        (["*;q=0, identity;q=0.001"], both, Just "identity"),
        (["*;q=0, identity"], both, Just "identity"),
        (["*"], both, Just "zstd"),
        (["*, zstd;q=0"], both, Just "gzip"),
        (["*;q=0.1, zstd;q=0"], both, Just "gzip"),
        (["gzip;q=0"], both, Just "identity"),
        (["gzip;q=0, zstd;q=0"], both, Just "identity"),
        (["gzip;q=0, *;q=0.5"], both, Just "zstd"),
        (["gzip;q=0.5, identity;q=0.6"], both, Just "identity"),
        (["gzip;q=0.5, identity;q=0.5"], both, Just "gzip"),
        (["gzip;q=0.5, zstd;q=0.5, identity;q=0.4"], both, Just "zstd"),
        (["gzip;q=0.2, gzip;q=0.8, zstd;q=0.5"], both, Just "gzip"),
        (["zstd;q=0, zstd"], both, Just "zstd")
      ]
    ),
    ( "8.4.1: names have no case, and some have two",
      [ (["GZIP"], both, Just "gzip"),
        (["ZsTd;Q=0.5, Gzip;q=0.4"], both, Just "zstd"),
        (["x-gzip"], both, Just "gzip"),
        (["X-GZip;q=0.3"], both, Just "gzip"),
        (["x-gzip;q=0, *"], both, Just "zstd"),
        (["x-zstd"], both, Just "identity"),
        (["IDENTITY;q=0, gzip"], both, Just "gzip")
      ]
    ),
    ( "5.6 and 12.4.2: grammar",
      [ ([" gzip ; q=0.5 ,\tzstd\t;\tq=0.4 "], both, Just "gzip"),
        ([",,gzip,,"], both, Just "gzip"),
        (["gzip;q=1.000, zstd;q=0.999"], both, Just "gzip"),
        (["gzip;q=0.0000"], both, Just "identity"),
        (["gzip;q=1.5, zstd;q=0.1"], both, Just "zstd"),
        (["gzip;q=.5, zstd;q=0.1"], both, Just "zstd"),
        (["gzip;q = 1, zstd;q=0.1"], both, Just "zstd"),
        (["gzip;q=1;q=1, zstd;q=0.1"], both, Just "zstd"),
        (["gz ip, zstd;q=0.1"], both, Just "zstd"),
        (["gzip zstd"], both, Just "identity"),
        (["\"gzip\", zstd;q=0.1"], both, Just "zstd"),
        (["g\233zip, zstd;q=0.1"], both, Just "zstd"),
        (["gzip/1, zstd;q=0.1"], both, Just "zstd"),
        (["gzip;, zstd;q=0.1"], both, Just "gzip"),
        (["gzip,\r\n zstd;q=0.1"], both, Just "gzip"),
        (["gzip;q=0.1,\r\n\tzstd"], both, Just "zstd")
      ]
    )
  ]
  where
    both = ["zstd", "gzip", "identity"]

contents :: [(String, [Row])]
contents =
  [ ( "8.3: one type",
      [ ([json], read', Just json),
        (["APPLICATION/JSON"], read', Just json),
        ([" application/json\t"], read', Just json),
        (["application/json;charset=utf-8"], read', Just json),
        (["application/json ; charset=\"utf-8\" ;"], read', Just json),
        (["application/json;v=\"a,b\""], read', Just json),
        (["application/json;v=\"\\\"\""], read', Just json),
        (["application/json\r\n ;charset=utf-8"], read', Just json),
        ([], read', Nothing),
        ([""], read', Nothing),
        ([" "], read', Nothing),
        (["json"], read', Nothing),
        (["application/"], read', Nothing),
        (["application/json;charset"], read', Nothing),
        (["application/json;charset=\"utf-8"], read', Nothing),
        (["application/json;charset = utf-8"], read', Nothing),
        (["application/json, application/json"], read', Nothing),
        ([json, json], read', Nothing),
        (["application/j\233son"], read', Nothing),
        (["application/json charset=utf-8"], read', Nothing),
        (["*/*"], read', Nothing),
        (["application/*"], read', Nothing)
      ]
    ),
    ( "6838: names of structure",
      [ ([birds], read', Just "*/*+json"),
        (["application/vnd.birds+JSON;v=1"], read', Just "*/*+json"),
        (["text/x+json"], read', Just "*/*+json"),
        (["application/a+b+json"], read', Just "*/*+json"),
        (["application/a+json+b"], read', Nothing),
        (["application/json+"], read', Nothing),
        (["application/ajson"], read', Nothing),
        (["application/*+json"], read', Nothing)
      ]
    ),
    ( "the closest of several ranges",
      [ ([json], ["*/*", "application/*", json], Just json),
        (["application/xml"], ["*/*", "application/*", json], Just "application/*"),
        ([png], ["*/*", "application/*", json], Just "*/*"),
        (["application/json;v=1"], [json, "application/json;v=1"], Just "application/json;v=1"),
        (["application/json;v=2"], ["application/json;v=1", json], Just json),
        (["application/json;v=2"], ["application/json;v=1"], Nothing),
        (["application/json;CHARSET=UTF-8"], [utf8, msgpack], Just utf8)
      ]
    )
  ]
  where
    read' = [json, "*/*+json", msgpack]
    utf8 = "application/json;charset=utf-8"

undone :: [([ByteString], Maybe [ByteString])]
undone =
  [ ([], Just []),
    ([""], Just []),
    (["identity"], Just []),
    (["gzip"], Just ["gzip"]),
    (["X-GZIP"], Just ["gzip"]),
    (["gzip, zstd"], Just ["zstd", "gzip"]),
    (["gzip", "zstd"], Just ["zstd", "gzip"]),
    ([" ,gzip, ,identity"], Just ["gzip"]),
    (["gzip,\r\n zstd"], Just ["zstd", "gzip"]),
    (["gzip, gzip, gzip"], Just ["gzip", "gzip", "gzip"]),
    (["gzip, gzip, gzip, gzip"], Nothing),
    (["br"], Nothing),
    (["gzip, br"], Nothing),
    (["gzip;q=1"], Nothing),
    (["gzip gzip"], Nothing),
    (["\"gzip\""], Nothing),
    ([B.replicate 1000 120], Nothing)
  ]
