module Main (main) where

import qualified Data.List as List
import qualified Data.Text as T
import Data.Text.Zipper
import Data.Text.Zipper.Generic.Words (deletePrevWord, moveWordLeft, moveWordRight)

-- | A letter as somebody writes it: whole lines, with words that are taken back.
letter :: [T.Text]
letter =
  [ T.pack ("Line " ++ show i ++ " says that the tern number " ++ show (i * i) ++ " has left for the south.")
    | i <- [1 .. 900 :: Int]
  ]

type Edit = TextZipper T.Text -> TextZipper T.Text

-- | What a writer does at each line, again and again.
edits :: Int -> [Edit]
edits i =
  [insertMany (T.pack ("and so did " ++ show i)), deletePrevWord, insertMany (T.pack "its mate\n")]
    ++ replicate 6 moveLeft
    ++ [moveUp, moveWordRight, transposeChars, moveDown, gotoEOL]
    ++ [if even i then killToBOL else breakLine, moveWordLeft, deletePrevChar, gotoEOL, moveDown]

write :: TextZipper T.Text -> Int -> TextZipper T.Text
write z i = List.foldl' (\y edit -> edit y) z (edits i)

main :: IO ()
main = do
  let opened = textZipper letter Nothing
      written = List.foldl' write (gotoBOF opened) [1 .. 1200]
      jumped = List.foldl' (\z i -> insertChar '!' (moveCursor (i * 7 `mod` 900, 3) z)) written [1 .. 300]
      small = List.foldl' write (stringZipper ["one", "two"] (Just 60)) [1 .. 200]
        where
          write z i = List.foldl' (\y c -> insertChar c y) (moveLeft (moveDown z)) ("new " ++ show (i :: Int) ++ "\n")
  print (cursorPosition written, length (getText written))
  print (sum (lineLengths jumped), currentChar jumped, previousChar jumped)
  print (sum (map length (getText small)))
  print (T.length (T.unlines (getText jumped)))
