{-# LANGUAGE OverloadedStrings #-}

-- | A page that shows one resource in every format: its bytes, compressed, and the time
-- that each format takes, as a table and as a picture.
--
-- The idea: what is shown is measured when the page is asked for, on the resource that is
-- there. The times are those of this machine, now; they are no benchmark.
module Birds.Page
  ( formatsPage,
    Measured (..),
    measured,
  )
where

import Birds.Observation (Page (..))
import Control.Exception (evaluate)
import Control.Monad (forM)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.List (sort)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Clock (getMonotonicTimeNSec)
import Lucid
  ( Html,
    ToHtml (..),
    With (..),
    a_,
    body_,
    charset_,
    code_,
    content_,
    doctypehtml_,
    h1_,
    h2_,
    head_,
    href_,
    meta_,
    name_,
    p_,
    pre_,
    renderBS,
    style_,
    table_,
    td_,
    th_,
    title_,
    tr_,
  )
import Lucid.Base (makeAttribute, makeElement)
import Numeric (showHex)
import Tern (Error, defaultLimits)
import Tern.Http (Coding (..), Format (..))
import Tern.Http.Coding (encoding)
import Tern.Http.Format (Entry (..), entry)

-- | A resource in a format.
data Measured = Measured
  { measuredFormat :: Format,
    -- | The start of it.
    measuredStart :: ByteString,
    -- | Bytes as they are, with gzip and with Zstandard.
    measuredSizes :: (Int, Int, Int),
    -- | Microseconds to encode and to decode it, of many times the median.
    measuredTimes :: (Double, Double)
  }

-- | A page of observations in each format.
measured :: Page -> IO [Measured]
measured page = forM [minBound ..] $ \format -> do
  -- Different ones, so that the work for one cannot do for another.
  let pages = [page {total = total page + k} | k <- [1 .. rounds]]
      bytes = entryEncode (entry format) page
  mapM_ evaluate pages
  (encode, documents) <- timed (entryEncode (entry format)) pages
  (decode, _) <- timed (decoded format) documents
  pure
    ( Measured
        format
        (B.take 120 bytes)
        ( B.length
            bytes,
          B.length (encoding Gzip bytes),
          B.length (encoding Zstandard bytes)
        )
        (encode, decode)
    )

decoded :: Format -> ByteString -> Either Error Page
decoded format = entryDecode (entry format) defaultLimits

rounds :: Int
rounds = 100

-- | Microseconds for one of some, the median, and what came of them. A collection falls
-- on one of them by chance.
timed :: (a -> b) -> [a] -> IO (Double, [b])
timed f as = do
  timings <- forM as $ \a -> do
    begin <- getMonotonicTimeNSec
    b <- evaluate (f a)
    end <- getMonotonicTimeNSec
    pure (fromIntegral (end - begin) / 1000, b)
  pure (sum (take 1 (drop (length as `div` 2) (sort (map fst timings)))), map snd timings)

-- | As HTML. The page is encoded and decoded a hundred times in each format before this is there.
formatsPage :: Page -> IO BL.ByteString
formatsPage page = do
  rows <- measured page
  pure . renderBS . doctypehtml_ $ do
    head_ $ do
      meta_ [charset_ "utf-8"]
      meta_ [name_ "viewport", content_ "width=device-width"]
      title_ "Birds, in every format"
      style_ style
    body_ $ do
      h1_ "Birds, in every format"
      p_ $ do
        "The same " <> toHtml (shown (length (items page))) <> " observations of "
        toHtml (shown (total page)) <> ", at "
        code_ "/observations"
        ", as each format has them. The service's description is at "
        a_ [href_ "/api"] "/api"
        ", for programs at "
        a_ [href_ "/openapi.json"] "/openapi.json"
        "."
      picture rows
      table_ $ do
        tr_
          ( mapM_
              (th_ . toHtml)
              [ "format" ::
                  Text,
                "bytes",
                "gzip",
                "zstd",
                "encode, µs",
                "decode, µs"
              ]
          )
        mapM_ tableRow rows
      mapM_ (\row -> h2_ (name row) <> pre_ (toHtml (startOf row))) rows
      p_ "Times are this machine's, just now, in microseconds: to look at, not to rely on."
  where
    tableRow :: Measured -> Html ()
    tableRow row = tr_ $ do
      th_ (name row)
      let (plain, gzipped, zstd) = measuredSizes row
          (encode, decode) = measuredTimes row
      mapM_ (td_ . toHtml . shown) [plain, gzipped, zstd]
      mapM_ (td_ . toHtml . tenths) [encode, decode]

name :: Measured -> Html ()
name = toHtml . formatName . measuredFormat

formatName :: Format -> Text
formatName = \case
  Json -> "JSON"
  MessagePack -> "MessagePack"
  Cbor -> "CBOR"
  Native -> "native"

shown :: Int -> Text
shown = T.pack . show

tenths :: Double -> Text
tenths x = T.pack (show (fromIntegral (round (x * 10) :: Int) / 10 :: Double))

-- | Text as it is, other bytes in hexadecimal.
startOf :: Measured -> Text
startOf row = case T.decodeUtf8' (measuredStart row) of
  Right text | T.all (>= ' ') text -> text <> "…"
  _ ->
    T.unwords
      ( map
          ( \b ->
              T.pack (if b < 16 then '0' : showHex b "" else showHex b "")
          )
          (B.unpack (B.take 40 (measuredStart row)))
      )
      <> " …"

-- | Bars of the bytes: as they are, with gzip, with Zstandard.
picture :: [Measured] -> Html ()
picture rows =
  svg
    [ ( "viewBox",
        T.concat ["0 0 600 ", shown (90 * length rows)]
      ),
      ("role", "img"),
      ("aria-label", "Bytes of each format, plain and compressed")
    ]
    $ mapM_ group (zip [0 ..] rows)
  where
    most = maximum (1 : [plain | Measured {measuredSizes = (plain, _, _)} <- rows])
    group :: (Int, Measured) -> Html ()
    group (n, row) = do
      let (plain, gzipped, zstd) = measuredSizes row
      label 0 (90 * n + 30) (formatName (measuredFormat row))
      mapM_
        (bar (90 * n))
        [ (0, "plain", plain, "#05618f"),
          (1, "gzip", gzipped, "#3a9bc1"),
          (2, "zstd", zstd, "#e0982f")
        ]
    bar :: Int -> (Int, Text, Int, Text) -> Html ()
    bar top (line, what, size, colour) = do
      let y = top + 10 + 22 * line
          width = max 1 (size * 330 `div` most)
      element
        "rect"
        [ ("x", "120"),
          ("y", shown y),
          ("width", shown width),
          ("height", "18"),
          ("fill", colour)
        ]
        mempty
      label (126 + width) (y + 14) (T.concat [shown size, " ", what])
    label :: Int -> Int -> Text -> Html ()
    label x y = element "text" [("x", shown x), ("y", shown y)] . toHtml
    svg = element "svg"

element :: Text -> [(Text, Text)] -> Html () -> Html ()
element tag attributes inner =
  with (makeElement tag inner) [makeAttribute key value | (key, value) <- attributes]

style :: Text
style =
  "body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 \
  \1em;color:#1b2733}svg{width:100%;font:13px \
  \sans-serif}table{border-collapse:collapse}th,td{text-align:right;padding:.2em 1em .2em \
  \0}th:first-child{text-align:left}pre{background:#f2f6fa;padding:.8em;white-space:pre-wrap;\
  \overflow-wrap:anywhere}"
