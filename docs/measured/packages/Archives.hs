-- | Archives of a newspaper's pages: each issue packed into one, read back, changed and looked
-- through.
module Main (main) where

import Codec.Archive.Zip
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Char8 as C
import qualified Data.List as List

page :: Int -> Int -> L.ByteString
page issue n =
  C.pack (unlines [unwords ["page", show n, "of", show issue, "line", show k, "weather harbour council"] | k <- [1 .. 4 + n `mod` 5]])

path :: Int -> Int -> FilePath
path issue n = "./issues/" ++ show issue ++ "/section-" ++ show (n `mod` 7) ++ "/page-" ++ show n ++ ".txt"

issued :: Int -> Archive
issued issue =
  List.foldl'
    (flip addEntryToArchive)
    emptyArchive {zComment = C.pack ("issue " ++ show issue)}
    [toEntry (path issue n) (1700000000 + toInteger (issue * 86400 + n)) (page issue n) | n <- [1 .. 60]]

corrected :: Int -> Archive -> Archive
corrected issue archive = List.foldl' change archive [3, 9 .. 60]
  where
    change a n = case findEntryByPath (path issue n) a of
      Just e -> addEntryToArchive (toEntry (path issue n) (eLastModified e + 3600) (C.map shout (fromEntry e))) a
      Nothing -> a
    shout c = if c == 'w' then 'W' else c

main :: IO ()
main = mapM_ one [1 .. 40]
  where
    one issue = do
      let bytes = fromArchive (issued issue)
          archive = toArchive bytes
          bytes' = fromArchive (corrected issue archive)
          archive' = toArchive bytes'
          withdrawn = List.foldl' (flip deleteEntryFromArchive) archive' [path issue n | n <- [5, 10 .. 60]]
      print (L.length bytes, L.length bytes', length (filesInArchive withdrawn))
      print (sum [toInteger (eLastModified e) `mod` 97 | e <- zEntries withdrawn], sum [L.length (fromEntry e) | e <- zEntries archive'])
      putStrLn (unwords (take 3 (filesInArchive withdrawn)))
