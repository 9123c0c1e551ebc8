{-# LANGUAGE OverloadedStrings #-}

-- | Text inside of HTML and XML.
module Tern.Lab.Html
  ( escaped,
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
