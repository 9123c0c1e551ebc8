{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Prettyprinter
import Prettyprinter.Render.String (renderString)
import Prettyprinter.Render.Text (renderLazy, renderStrict)
import Prettyprinter.Util (reflow)

data Value = Object [(Text, Value)] | Array [Value] | Number Int | Words Text

-- | A large document laid out by three algorithms and rendered as three sorts of text.
main :: IO ()
main = do
  let doc = value (sample 6)
      options = LayoutOptions (AvailablePerLine 60 0.8)
  print (TL.length (renderLazy (layoutPretty options doc)))
  print (T.length (renderStrict (layoutSmart options doc)))
  print (length (renderString (layoutCompact doc)))
  print (T.length (renderStrict (layoutPretty options (removeTrailing doc))))
  where
    removeTrailing = annotate () . fuse Deep . indent 4 . reAnnotate (const ())

value :: Value -> Doc ann
value v = case v of
  Object fields -> encloseSep "{ " " }" ", " [pretty k <> ":" <+> align (value x) | (k, x) <- fields]
  Array items -> list (map value items)
  Number n -> pretty n
  Words t -> dquotes (align (reflow t))

sample :: Int -> Value
sample 0 = Words (T.replicate 6 "some words that are wrapped where they must be ")
sample n =
  Object
    [ ("first", sample (n - 1)),
      ("numbers", Array (map Number [n .. n + 12])),
      ("second", sample (n - 1)),
      ("third", Array [sample (n - 1), Number n])
    ]
