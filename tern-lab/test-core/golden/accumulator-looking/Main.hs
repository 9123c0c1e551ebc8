module Main (main) where

-- | Only a closing bracket looks at how many are open: after a lexer.
munch :: Int -> Int -> String -> Int
munch seen depth text = case text of
  '<' : rest -> munch (seen + 1) (depth + 1) rest
  '>' : rest
    | depth == 0 -> seen
    | otherwise -> munch (seen + 1) (depth - 1) rest
  _ : rest -> munch (seen + 1) depth rest
  [] -> seen
{-# NOINLINE munch #-}

main :: IO ()
main = print (munch 0 0 (concat (replicate 1000 "a<b>c")))
