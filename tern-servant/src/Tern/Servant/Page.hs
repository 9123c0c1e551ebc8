{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}

-- | A page that shows an API: what @openapi.json@ says, for people.
--
-- The idea: the page is made of the same operations as the document, has all that it
-- needs in itself, and runs nothing, so that it can be read offline and be served with
-- the strictest content policy.
--
-- Start at 'openApiPage'.
module Tern.Servant.Page
  ( openApiPage,
  )
where

import Data.ByteString.Lazy qualified as BL
import Data.Int (Int64)
import Data.List (intersperse)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Word (Word64)
import Lucid
  ( Html,
    ToHtml (..),
    a_,
    b_,
    body_,
    charset_,
    code_,
    content_,
    doctypehtml_,
    h1_,
    h2_,
    h3_,
    head_,
    href_,
    id_,
    li_,
    meta_,
    name_,
    p_,
    pre_,
    renderBS,
    section_,
    small_,
    style_,
    table_,
    td_,
    th_,
    title_,
    tr_,
    ul_,
  )
import Tern.Http (Problem)
import Tern.Http.Format (Entry (..), entry)
import Tern.Http.Series (SeriesEntry (..), series)
import Tern.Negotiate (MediaType, renderMediaType)
import Tern.Servant.OpenApi
  ( About (..),
    Content (..),
    Described,
    Operation (..),
    Parameter (..),
    ParameterIn (..),
    operationName,
    operations,
    pathText,
  )
import Tern.Shape (Shape, renderShape)
import Tern.Wire (shapeOf)

-- | The page of an API.
openApiPage :: forall api. (Described api) => About -> BL.ByteString
openApiPage about = renderBS . doctypehtml_ $ do
  head_ $ do
    meta_ [charset_ "utf-8"]
    meta_ [name_ "viewport", content_ "width=device-width"]
    title_ (toHtml (aboutTitle about))
    style_ style
  body_ $ do
    h1_ (toHtml (aboutTitle about) <> " " <> small_ (toHtml (aboutVersion about)))
    p_ (toHtml (aboutDescription about))
    p_ "Each resource speaks every format; choose by Accept and by Content-Type."
    ul_ (foldMap (\o -> li_ (a_ [href_ ("#" <> operationName o)] (heading o))) those)
    foldMap section those
    h2_ [id_ "problem"] "What goes wrong"
    p_ "Every refusal is a problem (RFC 9457) in the format that is accepted."
    shaped (shapeOf @Problem)
  where
    those = operations @api

heading :: Operation -> Html ()
heading o =
  code_
    ( b_ (toHtml (T.decodeUtf8Lenient (operationMethod o)))
        <> " "
        <> toHtml (pathText (operationPath o))
    )

section :: Operation -> Html ()
section o = section_ [id_ (operationName o)] $ do
  h2_ (heading o)
  foldMap (p_ . toHtml) (operationSummary o)
  foldMap (p_ . toHtml) (operationDescription o)
  case operationParameters o of
    [] -> mempty
    some -> table_ $ do
      tr_ (foldMap (th_ . toHtml) ["parameter" :: Text, "where", "", "what"])
      foldMap row some
  foldMap (\c -> h3_ "Takes" <> contents c) (operationTakes o)
  h3_ ("Answers " <> toHtml (show (operationStatus o)))
  maybe (p_ "No content.") contents (operationGives o)
  where
    row :: Parameter -> Html ()
    row (Parameter name place needed shape) = tr_ $ do
      td_ (code_ (toHtml name))
      td_ (placeText place)
      td_ (if needed then "required" else "")
      td_ (code_ (toHtml (shapeText shape)))
    placeText :: ParameterIn -> Html ()
    placeText = \case
      InPath -> "path"
      InQuery -> "query"
      InHeader -> "header"

contents :: Content -> Html ()
contents = \case
  OneOf formats shape ->
    p_ ("A value, as " <> named (map (NonEmpty.head . entryTypes . entry) formats) <> ":")
      <> shaped shape
  Several shape ->
    p_
      ( "Values one by one, as "
          <> named [NonEmpty.head (seriesTypes (series kind)) | kind <- [minBound ..]]
          <> ":"
      )
      <> shaped shape

-- | By what a client has to say.
named :: [MediaType] -> Html ()
named =
  mconcat . intersperse ", " . map (code_ . toHtml . T.decodeUtf8Lenient . renderMediaType)

shaped :: Shape -> Html ()
shaped = pre_ . toHtml . shapeText

-- | As people read it: what has 64 bits has no bounds that they know by heart.
shapeText :: Shape -> Text
shapeText =
  T.replace (bounds (minBound :: Int64)) "of 64 bits"
    . T.replace (bounds (minBound :: Word64)) "of 64 bits, not below 0"
    . renderShape
  where
    bounds :: forall n. (Bounded n, Show n) => n -> Text
    bounds least = T.concat [T.pack (show least), "..", T.pack (show (maxBound @n))]

style :: Text
style =
  "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#1b2733}h1 \
  \small{color:#678;font-size:.5em}section{border-top:1px solid \
  \#cde;margin-top:2em}pre{background:#f2f6fa;padding:.8em;white-space:pre-wrap;\
  \overflow-wrap:anywhere}table{border-collapse:collapse}th,td{text-align:left;padding:.2em 1em \
  \.2em 0}code b{color:#05618f}"
