{-# LANGUAGE OverloadedStrings #-}

-- | A shop's letters: a template with partials read often, and filled for each order.
module Main (main) where

import Data.Aeson
import qualified Data.Text as T
import qualified Data.Text.Lazy as L
import qualified Data.Text.Lazy as LT
import Text.Microstache

letter :: T.Text
letter =
  "Dear {{customer.name}},\n\n{{! what was ordered }}\n\
  \{{#orders}}\n  * {{count}} of {{&title}} at {{price}} ({{#gift}}a gift for {{for}}{{/gift}}{{^gift}}no gift{{/gift}})\n\
  \  {{> address}}\n{{/orders}}\n{{^orders}}You ordered nothing.\n{{/orders}}\n\
  \<p class=\"{{class}}\">{{{greeting}}} &amp; {{shop.name}}</p>\n{{=<% %>=}}<% shop.place %>\n<%={{ }}=%>"

address :: T.Text
address = "{{#to}}\n{{street}} {{number}}\n{{town}}, <b>{{country.name}}</b>\n{{/to}}\n"

value :: Int -> Value
value n =
  object
    [ "customer" .= object ["name" .= ("Ada & Sons " <> T.pack (show n))],
      "class" .= ("a\"b" :: T.Text),
      "greeting" .= ("Yours <truly>" :: T.Text),
      "shop" .= object ["name" .= ("The Rock" :: T.Text), "place" .= ("harbour" :: T.Text)],
      "orders" .= [order k | k <- [1 .. n `mod` 12]]
    ]

order :: Int -> Value
order k =
  object
    [ "count" .= k,
      "title" .= ("Lamps & wicks, vol. " <> T.pack (show k)),
      "price" .= (fromIntegral k * 1.25 :: Double),
      "gift" .= if even k then object ["for" .= ("her <mother>" :: T.Text)] else Bool False,
      "to" .= object ["street" .= ("Pier" :: T.Text), "number" .= k, "town" .= ("Gull & Co" :: T.Text), "country" .= object ["name" .= ("North" :: T.Text)]]
    ]

main :: IO ()
main = do
  print (sum [either (const 0) (length . show) (compileMustacheText "letter" (LT.fromStrict (letter <> T.pack (show n)))) | n <- [1 .. 100 :: Int]])
  case (<>) <$> compileMustacheText "letter" (LT.fromStrict letter) <*> compileMustacheText "address" (LT.fromStrict address) of
    Left e -> print e
    Right template -> do
      print (sum [L.length (renderMustache template (value n)) | n <- [1 .. 2000]])
      print (sum [length (fst (renderMustacheW template (value n))) | n <- [1 .. 200]])
