{-# LANGUAGE OverloadedStrings #-}

-- | Notes that a workshop's people keep, as pages: instructions with lists, code, quotes, links and
-- tables of what was done, some of them indented by tabs.
module Main (main) where

import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Lazy as L
import Text.Blaze.Html.Renderer.Text (renderHtml)
import Text.Markdown (defaultMarkdownSettings, markdown, msAddHeadingId, msLinkNewTab, msXssProtect)

note :: Int -> [Text]
note n =
  [ T.concat ["# Note ", number, ": the *lathe* & what it needs"],
    "",
    T.concat ["The belt was changed on day ", number, ". It ran __quietly__ for `", number, "` hours, and then"],
    "it did not; see [the manual](http://example.org/lathe?part=belt \"the manual\") or [page 7][seven].",
    "",
    "> Nobody should stand *behind* it, says the maker, while it\\_turns.",
    "> Or in front of it.",
    "",
    "* clean the bed, twice",
    "* oil the slides with **light** oil",
    "    * not the belt!",
    "* write it down: <http://example.org/log>",
    "",
    "1. switch it off",
    "2. wait for 30 seconds",
    "3. open the guard",
    "",
    "        feed = 0.2",
    T.concat ["\tspeed = ", number, "00"],
    "",
    "```haskell",
    "depth :: Double -> Double",
    T.concat ["depth x = x * ", number, " -- in millimetres"],
    "```",
    "",
    T.unwords (replicate (3 + n `mod` 5) "Chips go into the _left_ bin, oil & rags <b>never</b> do."),
    "",
    "---",
    "",
    "[seven]: http://example.org/manual/7"
  ]
  where
    number = T.pack (show n)

main :: IO ()
main = do
  let page k = L.fromStrict (T.unlines (concatMap note [k .. k + 11]))
      plain = defaultMarkdownSettings {msXssProtect = False, msAddHeadingId = True}
      guarded = defaultMarkdownSettings {msLinkNewTab = True}
  mapM_ (\k -> print (L.length (renderHtml (markdown plain (page k))))) [1 .. 24]
  mapM_ (\k -> print (L.length (renderHtml (markdown guarded (page k))))) [25 .. 30]
  putStrLn (L.unpack (L.take 400 (renderHtml (markdown plain (page 3)))))
