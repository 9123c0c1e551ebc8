{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- | Letters of an office by one template: addresses, tables with columns, conditions, and lists
-- within lists, filled in for many people.
module Main (main) where

import Data.Functor.Identity (runIdentity)
import qualified Data.Map as M
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.IO as T
import Text.DocLayout (render)
import Text.DocTemplates (Context (..), Template, ToContext (toVal), Val (..), compileTemplate, renderTemplate)

template :: Text
template =
  T.unlines
    [ "$-- the letter of an office",
      "$sender/uppercase$",
      "",
      "$for(recipient.address)$",
      "$it$",
      "$endfor$",
      "",
      "Dear $if(recipient.title)$$recipient.title$ $endif$$recipient.name$,",
      "",
      "this is letter number $number$ ($number/roman$) about your $if(overdue)$overdue$else$latest$endif$",
      "order of ${ count } items:",
      "",
      "$for(items)$",
      "- ${ items.name/left 24 \"| \" } ${ items.price/right 8 \"\" \" |\" }",
      "$if(items.parts)$",
      "  $for(items.parts)$${ it/uppercase }$sep$, $endfor$",
      "$endif$",
      "$endfor$",
      "",
      "$^$$notes$",
      "",
      "$if(overdue)$",
      "Please pay until $deadline$.",
      "$elseif(thanks)$",
      "$thanks$",
      "$endif$",
      "$closing$"
    ]

context :: Int -> Context Text
context n =
  Context . M.fromList $
    [ ("sender", text "the office of works"),
      ("recipient", MapVal (Context (M.fromList [("name", text (T.append "Person " (shown n))), ("address", ListVal (map text ["Street " <> shown (n * 7), "Town " <> shown (n `mod` 90)]))]))),
      ("number", text (shown (n `mod` 3000 + 1))),
      ("count", text (shown (n `mod` 9 + 3))),
      ("items", ListVal [item k | k <- [1 .. n `mod` 9 + 3]]),
      ("notes", text (T.intercalate "\n" (replicate (n `mod` 4) "delivered to the yard, not to the house"))),
      ("overdue", BoolVal (n `mod` 3 == 0)),
      ("deadline", text (T.append "day " (shown (n `mod` 31)))),
      ("thanks", text "Thank you for the payment."),
      ("closing", text "The clerk")
    ]
  where
    item k =
      MapVal . Context . M.fromList $
        [ ("name", text (T.append "shelf board no. " (shown (k * n `mod` 100)))),
          ("price", text (T.append (shown (k * 13 + n `mod` 7)) ".50")),
          ("parts", ListVal (map text ["screws", "brackets", "oil"]))
        ]
    text = toVal :: Text -> Val Text
    shown = T.pack . show

main :: IO ()
main = case runIdentity (compileTemplate "letter.txt" template) of
  Left problem -> putStrLn problem
  Right t -> do
    let letters = [render (Just 72) (renderTemplate (t :: Template Text) (context n)) | n <- [1 .. 700]]
    print (sum (map T.length letters))
    T.putStrLn (letters !! 11)
    print (length [() | n <- [1 .. 60 :: Int], Right (_ :: Template Text) <- [runIdentity (compileTemplate "letter.txt" (T.replace "office" (T.pack (show n)) template))]])
