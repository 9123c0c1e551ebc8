-- | An archive of small files in memory: written, read again, looked through and indexed.
module Main (main) where

import qualified Codec.Archive.Tar as Tar
import qualified Codec.Archive.Tar.Entry as Tar
import qualified Codec.Archive.Tar.Index as Index
import qualified Data.ByteString.Lazy.Char8 as L
import Data.Maybe (isJust)

files :: [(FilePath, L.ByteString)]
files =
  [ ( concat ["project/part", show (n `mod` 40), "/module", show n, ".txt"],
      L.pack (concat (replicate (1 + n `mod` 9) ("line of file " ++ show n ++ "\n")))
    )
    | n <- [1 .. 4000 :: Int]
  ]

entries :: [Tar.Entry]
entries =
  [ (Tar.fileEntry path content) {Tar.entryTime = 1000 + fromIntegral (L.length content)}
    | (name, content) <- files,
      Right path <- [Tar.toTarPath False name]
  ]

main :: IO ()
main = do
  let archive = Tar.write entries
  print (L.length archive)
  let again = Tar.read archive
      sizes = Tar.foldEntries (\e n -> n + size e) 0 (error . show) again
      size e = case Tar.entryContent e of
        Tar.NormalFile content _ -> L.length content
        _ -> 0
  print sizes
  print (length (filter ('7' `elem`) (Tar.foldEntries ((:) . Tar.entryPath) [] (const []) again)))
  case Index.build (Tar.read archive) of
    Left problem -> print problem
    Right index -> do
      let found = [name | (name, _) <- files, isJust (Index.lookup index name)]
      print (length found)
      print (length (Index.toList index))
      print (L.length (L.fromStrict (Index.serialise index)))
