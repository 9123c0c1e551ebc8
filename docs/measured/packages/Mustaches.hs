{-# LANGUAGE OverloadedStrings #-}

-- | Pages of a shop by templates: parsed, with partials, and filled in.
module Main (main) where

import qualified Data.HashMap.Strict as HashMap
import qualified Data.Text as T
import Text.Mustache
import Text.Mustache.Compile (cacheFromList)
import Text.Mustache.Types (Value (..))

page :: Int -> T.Text
page i =
  T.unlines
    [ "<html><head><title>{{ shop.name }} - {{title}} " <> T.pack (show i) <> "</title></head>",
      "{{! what every page begins with }}",
      "<body class=\"page\">",
      "  {{> header}}",
      "  {{#products}}",
      "  <div id=\"{{ identifier }}\"><b>{{ description.short }}</b> costs {{price}} crowns",
      "    {{#sale}}, and only {{{ sale }}} this week{{/sale}}{{^sale}}as always{{/sale}}",
      "    <ul>{{#colours}}<li>{{.}}</li>{{/colours}}</ul></div>",
      "  {{/products}}",
      "  {{^products}}There is nothing here.{{/products}}",
      "  <p>Prices hold until {{ until.day }} {{ until.month }}. Nothing is sent abroad.</p>",
      "</body></html>"
    ]

header :: T.Text
header = "<h1>{{ shop.name }}</h1>\n<p>{{ shop.address }}, open {{ shop.hours }}</p>\n"

product' :: Int -> Value
product' i =
  object
    [ "identifier" ~> ("p" <> T.pack (show i)),
      "description" ~> object ["short" ~> ("A \"tern\" of wood & paper, no. " <> T.pack (show i)), "long" ~> T.replicate 9 "wood "],
      "price" ~> (i * 7 `mod` 91),
      "sale" ~> (if i `mod` 3 == 0 then String (T.pack (show (i `mod` 50))) else Null),
      "colours" ~> (["red", "white", "black <and> grey"] :: [T.Text])
    ]

shop :: Int -> Value
shop n =
  object
    [ "shop" ~> object ["name" ~> ("Terns & Co" :: T.Text), "address" ~> ("1, Sea Road" :: T.Text), "hours" ~> ("9 to 5" :: T.Text)],
      "title" ~> ("All that we have" :: T.Text),
      "products" ~> map product' [1 .. n],
      "until" ~> object ["day" ~> (12 :: Int), "month" ~> ("May" :: T.Text)]
    ]

main :: IO ()
main = case traverse (\i -> compileTemplate ("page" ++ show i) (page i)) [1 .. 150] of
  Left e -> print e
  Right templates -> case compileTemplate "header" header of
    Left e -> print e
    Right top -> do
      let cache = cacheFromList [top]
          filled = [substitute t {partials = HashMap.union cache (partials t)} (shop (10 + k)) | (k, t) <- zip [1 ..] (take 60 templates)]
      print (sum (map (length . ast) templates))
      print (sum (map T.length filled))
      let (errors, text) = checkedSubstitute top {partials = cache} (object ["name" ~> ("none" :: T.Text)])
      print (length errors, T.length text)
