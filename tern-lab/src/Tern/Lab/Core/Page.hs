{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | Findings and Core as one self-contained HTML page.
--
-- Its one idea: each row of "Tern.Lab.Core.Text" that has others below it
-- folds, and each name of a binding that is on the page is a link to it. The
-- page is complete without its script, which only folds and shows types.
module Tern.Lab.Core.Page
  ( Sheet (..),
    page,
  )
where

import Data.List (sortOn)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Ord (Down (..))
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Numeric (showFFloat)
import Tern.Lab.Core.Account (Entry (..), Post (..), libraryName)
import Tern.Lab.Core.Advice (kindName, renderAdvice, renderWhat, renderWhy)
import Tern.Lab.Core.Code (Definition (..))
import Tern.Lab.Core.Facts (Binding (..), Callee (..), Global (..), Place (..))
import Tern.Lab.Core.Finding (Finding (..), Spent (..))
import Tern.Lab.Core.Index (sourceName)
import Tern.Lab.Core.Text.Row (Role (..), Row (..), Span (..))
import Tern.Lab.Core.Tried (helped, renderTried)
import Tern.Lab.Embed (embedText)
import Tern.Lab.Html (escaped)

-- | One binding on the page.
data Sheet = Sheet
  { sheetModule :: !Text,
    sheetBinding :: !Binding,
    sheetDefinition :: !Definition,
    sheetFindings :: ![Finding],
    -- | What Template Haskell or deriving wrote.
    sheetProduced :: !(Maybe Text),
    sheetRows :: ![Row]
  }

-- | With a title, the sources by file, and where the bytes of a run went, if there was
-- one; findings that are to be listed stand first.
page :: Text -> Map Text Text -> [(Double, [Entry])] -> [Finding] -> [Sheet] -> Text
page title sources accounts listed sheets =
  foldr
    ( \(mark, value) text ->
        let (before, after) =
              T.breakOn mark text
         in T.concat [before, value, T.drop (T.length mark) after]
    )
    template
    [ ("{{sheets}}", T.concat (map sheet sheets)),
      ("{{findings}}", T.concat (map (finding sources known) listed)),
      ("{{overview}}", T.concat (map (uncurry overview) accounts)),
      ("{{title}}", escaped title),
      ("{{title}}", escaped title)
    ]
  where
    known = Set.fromList [anchor (sheetModule s) (definitionName (sheetDefinition s)) | s <- sheets]
    sheet s =
      T.concat
        [ "<section id=\"",
          anchor (sheetModule s) name,
          "\"><h2><code>",
          escaped name,
          "</code> <small>",
          escaped (sheetModule s),
          place,
          "</small></h2><p class=\"type\"><code>",
          escaped (definitionType (sheetDefinition s)),
          "</code></p>",
          if null (sheetFindings s)
            then ""
            else
              T.concat
                [ "<ol class=\"findings\">",
                  T.concat (map (finding Map.empty Set.empty) (sheetFindings s)),
                  "</ol>"
                ],
          "<div class=\"",
          maybe "alone" (const "beside") (sheetProduced s),
          "\">",
          maybe
            ""
            ( \text ->
                T.concat
                  [ "<div><h3>Written by the compiler</h3><pre>",
                    escaped text,
                    "</pre></div>"
                  ]
            )
            (sheetProduced s),
          "<div class=\"core\">",
          T.concat (map (row (sheetModule s)) (sheetRows s)),
          "</div></div></section>\n"
        ]
      where
        b = sheetBinding s
        name = definitionName (sheetDefinition s)
        place =
          maybe
            ""
            ( \(Place file line _) ->
                T.concat [", ", escaped file, ":", T.pack (show line)]
            )
            (bindingPlace b)
    row here (Row spans lower)
      | null lower =
          T.concat
            [ if all (\(Span role _) -> role == Typing) spans
                then "<div class=\"row type\">"
                else "<div class=\"row\">",
              T.concat (map (span' here) spans),
              "</div>"
            ]
      | otherwise =
          T.concat
            [ "<details open><summary>",
              T.concat (map (span' here) spans),
              "</summary>",
              T.concat (map (row here) lower),
              "</details>"
            ]
    span' here (Span role text) = case role of
      Ordinary -> escaped text
      Keyword -> T.concat ["<b>", escaped text, "</b>"]
      Typing -> T.concat ["<span class=\"type\">", escaped text, "</span>"]
      Called callee -> linked here callee text
      Marked callee remark ->
        T.concat
          [ "<mark title=\"",
            escaped remark,
            "\">",
            maybe (escaped text) (\c -> linked here c text) callee,
            "</mark>"
          ]
      Remark -> T.concat ["<span class=\"remark\">", escaped text, "</span>"]
    linked here callee text =
      let targets = case callee of
            CalleeGlobal g -> [anchor (globalModule g) (globalName g)]
            -- As it is called here, or as the facts call it.
            CalleeHere n -> [anchor here text, anchor here n]
       in case filter (`Set.member` known) targets of
            target : _ -> T.concat ["<a href=\"#", target, "\">", escaped text, "</a>"]
            [] -> escaped text

-- | Modules and, in them, bindings: each as wide as its part of the bytes of a run.
overview :: Double -> [Entry] -> Text
overview whole entries
  | whole <= 0 = ""
  | otherwise =
      T.concat
        [ "<h2>Where the bytes of the run were allocated</h2><div class=\"flame\">",
          T.concat (map ofModule (sortOn (Down . sum . map snd . snd) (Map.toList modules))),
          "</div>"
        ]
  where
    modules = Map.fromListWith (flip (<>)) (map placed (filter ((> 0) . entryBytes) entries))
    placed e = case entryPost e of
      OfFunction name _ found -> ofFunction name "" found
      OfLibrary callee name _ found -> ofFunction name (libraryName callee <> " for ") found
      OfGenerated tool file _ ->
        ("generated", [((T.concat [tool, ", ", file], "hot"), entryBytes e)])
      OfOneOf names -> ("several of a name", [((names, "hot"), entryBytes e)])
      OfOthers n ->
        ("less than 1 % each", [((T.pack (show n) <> " functions", "small"), entryBytes e)])
      Uncounted ->
        ("no counters", [(("the runtime system and libraries", "small"), entryBytes e)])
      where
        ofFunction name before found =
          let (m, own) = T.breakOnEnd "." (fst (T.breakOn " (" name))
              inner = snd (T.breakOn " (" name)
           in ( T.dropWhileEnd (== '.') m,
                [((before <> own <> inner, if found then "found" else "hot"), entryBytes e)]
              )
    ofModule (m, rows) =
      T.concat
        [ "<div class=\"module\" style=\"flex:",
          width (sum (map snd rows)),
          "\"><div title=\"",
          label m (sum (map snd rows)),
          "\">",
          label m (sum (map snd rows)),
          "</div><div class=\"inner\">",
          T.concat
            [ T.concat
                [ "<div class=\"",
                  class',
                  "\" style=\"flex:",
                  width bytes,
                  "\" title=\"",
                  label name bytes,
                  "\">",
                  label name bytes,
                  "</div>"
                ]
              | ((name, class'), bytes) <- rows
            ],
          "</div></div>"
        ]
    label name bytes = T.concat [escaped name, " ", percent (bytes / whole)]
    width bytes = T.pack (showFFloat (Just 4) (100 * bytes / whole) "")

percent :: Double -> Text
percent x = T.pack (showFFloat (Just 1) (100 * x) " %")

-- | With the lines of its source, and a bar for its part of the run.
finding :: Map Text Text -> Set Text -> Finding -> Text
finding sources known f =
  T.concat
    [ "<li class=\"",
      kindName (findingKind f),
      if findingNumber f > 0 then T.concat ["\" value=\"", T.pack (show (findingNumber f))] else "",
      "\">",
      if Set.member target known
        then T.concat ["<a href=\"#", target, "\"><code>", name, "</code></a>"]
        else T.concat ["<code>", name, "</code>"],
      maybe
        ""
        ( \(Place file line _) ->
            T.concat [" <small>", escaped file, ":", T.pack (show line), "</small>"]
        )
        (findingPlace f),
      "<br>",
      escaped (renderWhat f),
      "<br><i>why:</i> ",
      escaped (renderWhy f),
      "<br><i>try:</i> ",
      escaped (renderAdvice f),
      T.concat
        [ T.concat
            [ "<br><i>tried:</i> <span class=\"",
              if helped t
                then "good"
                else "vain",
              "\">",
              escaped (renderTried t),
              "</span>"
            ]
          | t <- findingTried f
        ],
      maybe "" bar (findingMeasured f),
      maybe "" snippet (findingPlace f),
      "</li>"
    ]
  where
    bar spent =
      T.concat
        [ "<div class=\"bar\" title=\"",
          percent (spentShare spent),
          " of the run's bytes are allocated here\"><i style=\"width:",
          T.replace " " "" (percent (min 1 (spentShare spent))),
          "\"></i></div>"
        ]
    snippet (Place file line _) = case T.lines <$> Map.lookup file sources of
      Just rows
        | not (null rows) ->
            T.concat
              [ "<pre class=\"source\">",
                T.concat
                  [ T.concat
                      [ if n == line then "<em>" else "<span>",
                        T.justifyRight 5 ' ' (T.pack (show n)),
                        "  ",
                        escaped row,
                        if n == line then "</em>" else "</span>",
                        "\n"
                      ]
                    | (n, row) <- take 5 (drop (line - 3) (zip [1 ..] rows)),
                      n >= line - 2
                  ],
                "</pre>"
              ]
      _ -> ""
    target = anchor (findingModule f) (findingPart f)
    name =
      escaped (if T.null (findingBinding f) then findingModule f else sourceName (findingBinding f))

anchor :: Text -> Text -> Text
anchor m name = escaped (T.replace " " "" (T.concat [m, ".", name]))

template :: Text
template = $(embedText "data/core.html")
