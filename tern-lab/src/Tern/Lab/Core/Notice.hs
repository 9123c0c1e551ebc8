{-# LANGUAGE OverloadedStrings #-}

-- | Findings where people work: in a review, in an editor.
--
-- Its one idea: each of these readers has a format of its own for a remark about
-- lines of a file. A finding that has no place is said of its module alone, and is
-- left to the report.
--
-- Start at 'sarif', 'annotations' or 'diagnostics'.
module Tern.Lab.Core.Notice
  ( sarif,
    annotations,
    diagnostics,
  )
where

import Data.ByteString qualified as B
import Data.Char (isAlphaNum)
import Data.List (mapAccumL)
import Data.Map.Strict qualified as Map
import Data.Maybe (maybeToList)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Tern.Lab.Core.Advice (kindName, renderAdvice, renderWhat, renderWhy)
import Tern.Lab.Core.Facts (Place (..))
import Tern.Lab.Core.Finding (Finding (..))
import Tern.Lab.Core.Tried (renderTried)
import Tern.Lab.Document (Value, document, (.=))
import Text.Printf (printf)

-- | What is said, in some lines.
message :: Finding -> [Text]
message f =
  [renderWhat f, "why: " <> renderWhy f, "try: " <> renderAdvice f]
    <> map (("tried: " <>) . renderTried) (findingTried f)

-- | A static analysis results file, version 2.1.0 (OASIS), as code hosts read it.
sarif :: [Finding] -> Value
sarif found =
  document
    [ "$schema" .= ("https://json.schemastore.org/sarif-2.1.0.json" :: Text),
      "version" .= ("2.1.0" :: Text),
      "runs"
        .= [ document
               [ "tool"
                   .= document
                     [ "driver"
                         .= document
                           [ "name" .= ("tern-lab core" :: Text),
                             "rules"
                               .= [ document ["id" .= kind]
                                    | kind <-
                                        Set.toList
                                          (Set.fromList (map (kindName . findingKind) found))
                                  ]
                           ]
                     ],
                 "results" .= zipWith result (fingerprints found) found
               ]
           ]
    ]
  where
    result fingerprint f =
      document $
        [ "ruleId" .= kindName (findingKind f),
          "level" .= ("warning" :: Text),
          "message" .= document ["text" .= T.intercalate "\n" (message f)],
          "partialFingerprints" .= document ["finding" .= fingerprint]
        ]
          <> [ "locations"
                 .= [ document
                        [ "physicalLocation"
                            .= document
                              [ "artifactLocation" .= document ["uri" .= uri (placeFile p)],
                                "region"
                                  .= document
                                    [ "startLine" .= placeLine p,
                                      "startColumn" .= placeColumn p
                                    ]
                              ]
                        ]
                    ]
               | Just p <- [findingPlace f]
             ]

-- | What a host knows each finding by: the same while lines above it move, and no other's.
fingerprints :: [Finding] -> [Text]
fingerprints = snd . mapAccumL numbered Map.empty
  where
    numbered known f =
      let name =
            T.intercalate "/" $
              [findingModule f, findingBinding f]
                <> maybeToList (findingIn f)
                <> [kindName (findingKind f)]
          before = Map.findWithDefault (0 :: Int) name known
       in ( Map.insert name (before + 1) known,
            if before == 0 then name else T.concat [name, "/", T.pack (show (before + 1))]
          )

-- | A path as a reference of RFC 3986: @a%20b.hs@.
uri :: Text -> Text
uri = T.concat . map one . B.unpack . T.encodeUtf8
  where
    one byte
      | byte < 128 && (isAlphaNum c || c `elem` ("-._~/" :: String)) = T.singleton c
      | otherwise = T.pack (printf "%%%02X" byte)
      where
        c = toEnum (fromIntegral byte)

-- | Lines that a GitHub workflow shows beside the change.
--
-- >>> annotations []
-- []
annotations :: [Finding] -> [Text]
annotations found =
  [ T.concat
      [ "::warning file=",
        property (placeFile p),
        ",line=",
        T.pack (show (placeLine p)),
        ",col=",
        T.pack (show (placeColumn p)),
        ",title=",
        property (kindName (findingKind f)),
        "::",
        value (T.intercalate "\n" (message f))
      ]
    | f <- found,
      Just p <- [findingPlace f]
  ]
  where
    value = T.replace "\n" "%0A" . T.replace "\r" "%0D" . T.replace "%" "%25"
    property = T.replace "," "%2C" . T.replace ":" "%3A" . value

-- | As GHC writes its warnings, which editors read.
diagnostics :: [Finding] -> Text
diagnostics found =
  T.unlines
    [ T.unlines
        ( T.concat
            [ placeFile p,
              ":",
              T.pack (show (placeLine p)),
              ":",
              T.pack (show (placeColumn p)),
              ": warning: [-Wtern-",
              kindName (findingKind f),
              "]"
            ]
            : map ("    " <>) (concatMap T.lines (message f))
        )
      | f <- found,
        Just p <- [findingPlace f]
    ]
