{-# LANGUAGE OverloadedStrings #-}

-- | Findings as GHC's own warnings, at their places in the source.
--
-- Its one idea: whoever shows GHC's warnings (cabal, an editor, a log) shows these. They
-- have no flag, so that no @-Werror@ makes an error of advice.
--
-- Start at 'warned'.
module Tern.Lab.Plugin.Diagnostic
  ( warned,
    note,
  )
where

import Control.Exception (IOException, try)
import Control.Monad (unless)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Plugins
  ( DynFlags,
    defaultUserStyle,
    fsep,
    mkFastString,
    mkSrcLoc,
    noSrcSpan,
    srcLocSpan,
    text,
    vcat,
    withPprStyle,
  )
import GHC.Types.Error (MessageClass (..))
import GHC.Utils.Logger (Logger, logMsg)
import Tern.Lab.Core.Advice (kindName, renderAdvice, renderWhat, renderWhy)
import Tern.Lab.Core.Allowed (allowancesIn, allows)
import Tern.Lab.Core.Facts (Place (..))
import Tern.Lab.Core.Finding (Finding (..))
import Tern.Lab.Core.Index (sourceName)
import Tern.Lab.Core.Plugin.Compat (mildWarning)
import Tern.Lab.Core.Source (hasOwnLines, pinned)

-- | One warning, unless the source allows the finding.
warned :: DynFlags -> Logger -> Finding -> IO ()
warned flags logger found = do
  source <- maybe (pure T.empty) (textOf . T.unpack . placeFile) (findingPlace found)
  let f = pinned source found
  unless (any (allows f) (allowancesIn source)) $
    logMsg
      logger
      (mildWarning flags)
      (maybe noSrcSpan spanAt (findingPlace f))
      (withPprStyle defaultUserStyle (vcat (map (fsep . map written . T.words) (message f))))
  where
    spanAt (Place file row column) =
      srcLocSpan (mkSrcLoc (mkFastString (T.unpack file)) row column)
    written = text . T.unpack

-- | What is said of a finding, a paragraph each.
message :: Finding -> [Text]
message f =
  [ T.concat [kindName (findingKind f), " in ", sourceName (findingBinding f), ": ", renderWhat f],
    "why: " <> renderWhy f,
    "try: " <> renderAdvice f
  ]

-- | A line that is about no place.
note :: Logger -> String -> IO ()
note logger said = logMsg logger MCInfo noSrcSpan (withPprStyle defaultUserStyle (text said))

-- | Of a source; nothing where lines are not those of the file, since a preprocessor made it.
textOf :: FilePath -> IO Text
textOf file
  | hasOwnLines file = do
      content <- try (B.readFile file)
      pure (either unread T.decodeUtf8Lenient content)
  | otherwise = pure T.empty
  where
    unread :: IOException -> Text
    unread _ = T.empty
