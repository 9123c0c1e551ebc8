{-# LANGUAGE OverloadedStrings #-}

-- | Works from the package's own tests, cited three at a time in a style of two languages, and listed.
module Main (main) where

import Citeproc
import Citeproc.CslJson
import qualified Data.Aeson as A
import qualified Data.ByteString.Char8 as B
import Data.List (isSuffixOf, sort)
import qualified Data.Map.Strict as Map
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Text.IO as T
import System.Directory (listDirectory)

-- | What stands between the two lines that name a section.
section :: B.ByteString -> B.ByteString -> B.ByteString
section name text =
  fst (B.breakSubstring "<<=" (B.dropWhile (/= '\n') (snd (B.breakSubstring ("= " <> name <> " =") text))))

works :: B.ByteString -> [Reference (CslJson Text)]
works = fromMaybe [] . A.decodeStrict . section "INPUT"

cite :: [Reference a] -> Citation a
cite rs =
  Citation
    { citationId = Nothing,
      citationNoteNumber = Nothing,
      citationItems =
        [ CitationItem
            { citationItemId = referenceId r,
              citationItemLabel = Nothing,
              citationItemLocator = Nothing,
              citationItemType = NormalCite,
              citationItemPrefix = Nothing,
              citationItemSuffix = Nothing,
              citationItemData = Nothing
            }
          | r <- rs
        ]
    }

three :: [a] -> [[a]]
three [] = []
three xs = take 3 xs : three (drop 2 xs)

main :: IO ()
main = do
  files <- sort . filter (".txt" `isSuffixOf`) <$> listDirectory "csl"
  texts <- mapM (B.readFile . ("csl/" <>)) files
  let named = zipWith (\n r -> r {referenceId = ItemId (T.pack (show (n :: Int)))}) [1 ..]
      chosen = named (take 400 (concatMap works texts))
  print (length chosen)
  mapM_ (listed chosen) ["bugreports_GreekStyleTwoEditors.txt", "label_NameLabelThroughSubstitute.txt"]

listed :: [Reference (CslJson Text)] -> FilePath -> IO ()
listed chosen file = do
  text <- B.readFile ("csl/" <> file)
  case parseStyle (const Nothing) (T.decodeUtf8 (section "CSL" text)) of
    Just (Right style) -> do
      let locale = mergeLocales Nothing style
          result = citeproc defaultCiteprocOptions style Nothing chosen (map cite (three chosen))
      mapM_ (T.putStrLn . renderCslJson True locale) (resultCitations result)
      mapM_ (T.putStrLn . renderCslJson True locale . snd) (resultBibliography result)
      print (length (resultWarnings result), Map.size (Map.fromList [(T.length w, ()) | w <- resultWarnings result]))
    Just (Left e) -> print e
    Nothing -> putStrLn "no style"
