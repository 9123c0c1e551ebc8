{-# LANGUAGE OverloadedStrings #-}

-- | Text inside of HTML and XML, and pages with places to fill.
module Tern.Lab.Html
  ( escaped,
    inScript,
    filledIn,
  )
where

import Data.Text (Text)
import Data.Text qualified as T

-- | As the content of an element or the value of an attribute.
--
-- >>> escaped "a < b & \"c\""
-- "a &lt; b &amp; &quot;c&quot;"
escaped :: Text -> Text
escaped = T.concatMap $ \case
  '<' -> "&lt;"
  '>' -> "&gt;"
  '&' -> "&amp;"
  '"' -> "&quot;"
  -- XML has no place for them.
  c | c < ' ', c /= '\n' -> " "
  c -> T.singleton c

-- | What a JSON text must not contain inside a script element.
inScript :: Text -> Text
inScript = T.replace "<" "\\u003c"

-- | The page's marks, each filled once, in the order of the text.
--
-- >>> filledIn [("{a}", "{b}"), ("{b}", "2")] "{a}, {b}"
-- "{b}, 2"
filledIn :: [(Text, Text)] -> Text -> Text
filledIn marks text = case [ (T.length before, mark, value, before, rest)
                             | (mark, value) <-
                                 marks,
                               let (before, rest) =
                                     T.breakOn
                                       mark
                                       text,
                               not (T.null rest)
                           ] of
  [] -> text
  found ->
    let (_, mark, value, before, rest) = minimum found
     in T.concat [before, value, filledIn marks (T.drop (T.length mark) rest)]
