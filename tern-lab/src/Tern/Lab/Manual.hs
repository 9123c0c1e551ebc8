-- | The page that @man tern-lab@ shows, made of what @--help@ says.
--
-- The idea: there is one description of each command, its parser; a page that somebody
-- keeps beside it would be wrong after the next change.
module Tern.Lab.Manual
  ( manual,
  )
where

import Data.Char (toUpper)

-- | As troff: the version, what @--help@ says, and a name with its help for each verb.
manual :: String -> String -> [(String, String)] -> String
manual version whole verbs =
  unlines $
    [ ".\\\" made by tern-lab --man",
      ".TH TERN-LAB 1 \"\" \"" <> concatMap inText version <> "\" \"User Commands\"",
      ".SH NAME",
      "tern-lab \\- how fast is it, how much does it allocate, and is that a fact",
      ".SH SYNOPSIS"
    ]
      <> asIs whole
      <> concat [(".SH TERN-LAB " <> map toUpper name) : asIs help | (name, help) <- verbs]
  where
    asIs text = [".nf"] <> map line (lines text) <> [".fi"]
    -- A point or an apostrophe at the start of a line would be a command.
    line text = case text of
      c : _ | c `elem` ".'" -> "\\&" <> concatMap inText text
      _ -> concatMap inText text
    inText = \case
      '\\' -> "\\e"
      '-' -> "\\-"
      '"' -> "\\(dq"
      c -> [c]
