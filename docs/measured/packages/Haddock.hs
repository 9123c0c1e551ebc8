-- | The comments of a large module: parsed, and written again as plain text and as an outline.
module Main (main) where

import Documentation.Haddock.Markup
import Documentation.Haddock.Parser
import Documentation.Haddock.Types

comment :: Int -> String
comment n =
  unlines
    [ "Looks up the value of /key " ++ show n ++ "/ in a @Map@, see 'Data.Map.lookup" ++ show n ++ "' and \"Data.Map\".",
      "",
      "== Complexity #here" ++ show n ++ "#",
      "",
      "It is __logarithmic__: \\(O(\\log " ++ show n ++ ")\\), and no more; <https://example.org/" ++ show n ++ " read on>.",
      "",
      "* what is found is 'Just' that",
      "",
      "    * what is not is 'Nothing'",
      "",
      "* and [a link](https://example.org/?q=" ++ show n ++ ") to more",
      "",
      "1. first of all",
      "2. then",
      "",
      "[@key@] what is looked for",
      "[@map@] where",
      "",
      "> look k m = case lookup k m of",
      ">   Nothing -> " ++ show n,
      "",
      ">>> look " ++ show n ++ " (fromList [(1, 2)])",
      "Just " ++ show (n * 2),
      "",
      "prop> \\k -> look k mempty == " ++ show n,
      "",
      "+------+----------+",
      "| key  | value    |",
      "+======+==========+",
      "| 1    | one of " ++ show (n `mod` 7) ++ " |",
      "+------+----------+",
      "",
      concatMap (\k -> "word" ++ show k ++ " and " ++ (if even k then "@code@ " else "plain ")) [1 .. 40 :: Int]
    ]

outline :: DocH mod id -> [String]
outline doc = case doc of
  DocAppend a b -> outline a ++ outline b
  DocHeader (Header level _) -> [replicate level '=']
  DocUnorderedList items -> concatMap outline items
  DocOrderedList items -> concatMap (outline . snd) items
  DocExamples examples -> map exampleExpression examples
  _other -> []

main :: IO ()
main = do
  let docs = [toRegular (_doc (parseParas Nothing (comment n))) | n <- [1 .. 400]]
  print (sum (map (length . markup (plainMarkup (const "") id)) docs))
  print (length (concatMap outline docs))
