{-# LANGUAGE OverloadedStrings #-}

-- | What Haskell finds in damaged containers is what the other languages find: the same
-- elements, the same faults at the same places, the same losses.
--
-- The idea: many files are damaged, with the kinds of damage of "Tern.Testkit.Damage" and
-- with two of them at once, and each other program says of all of them, in one run, what it
-- finds. The whole file is read, and, where its header says which file it is, with little
-- kept back, and a part of it.
--
-- @TERN_DAMAGE=500@ damages in 500 ways of each kind; else three are tried.
--
-- One small file of each kind is kept in @docs\/spec\/damaged@, with what is found in it, for
-- readers that have no Haskell beside them. @TERN_GOLDEN=write@ writes these again.
module Damaged (damaged, kept) where

import Control.Monad (forM, forM_, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.List (sort)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.IO qualified as T
import System.Directory (createDirectoryIfMissing, listDirectory)
import System.Environment (lookupEnv)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern (encodeJson)
import Tern.Container
import Tern.Container.DamageExample (Example (..), exampleMark, exampleOf)
import Tern.Internal.Container.Format (newHeader)
import Tern.Internal.Native.Layout qualified as Layout
import Tern.Internal.Native.Read qualified as Read
import Tern.Shape (Shape (Text))
import Tern.Testkit.Damage (Target (..), kinds, oneOf, rolled, twice, upTo)
import Tern.Zstd (zstd)
import Test.Tasty
import Test.Tasty.HUnit
import Text.Read (readMaybe)

-- | By a program of another language, which is run with arguments; or why it has no Zstandard.
damaged :: ([String] -> IO ()) -> Either String () -> TestTree
damaged run compressing =
  testGroup
    "damaged containers"
    [ testCaseInfo way $ do
        variants <- maybe 3 (max 1) . (>>= readMaybe) <$> lookupEnv "TERN_DAMAGE"
        withSystemTempDirectory "tern" $ \folder -> do
          asked <- concat <$> forM (zip [0 ..] (ways variants)) (made compression folder)
          B.writeFile (folder </> "schema") "text"
          writeFile (folder </> "list") (unlines [words' | (_, words', _) <- asked])
          run ["damaged", folder </> "list", folder </> "schema", folder </> "found"]
          answers <- T.splitOn "file " . T.drop 5 <$> T.readFile (folder </> "found")
          length answers @?= length asked
          forM_ (zip answers asked) $ \(theirs, (name, words', ours)) ->
            assertEqual (name <> ", " <> words') (T.unlines (T.pack words' : ours)) theirs
          pure (show (length asked) <> " readings")
      | (way, compression) <-
          ("as they are", Nothing) : [("by Zstandard", Just (zstd 3)) | Right () <- [compressing]]
    ]

-- | What becomes of a file, by a seed.
ways :: Int -> [(String, Int, Example -> ByteString)]
ways variants =
  [ (name <> ", variant " <> show seed, seed, rolled (seed * 977) . damage . target)
    | (name, damage) <- kinds <> pairs,
      seed <- [1 .. variants]
  ]
  where
    pairs = zipWith both kinds (drop 7 (cycle kinds))
    both (a, one) (b, other) = (a <> ", and " <> b, twice one other)

-- | A file that is damaged: for each reading its name, what is asked, and what is found.
made ::
  Maybe Compression ->
  FilePath ->
  (Int, (String, Int, Example -> ByteString)) ->
  IO [(String, String, [Text])]
made compression folder (number, (name, seed, damage)) = do
  example <- exampleOf compression seed
  let bad = damage example
      path = folder </> show number
      header = newHeader (exampleMark seed) Text
      (little, from, upto) = rolled seed ((,,) <$> oneOf [0, 100, 700, 3000] <*> place <*> place)
      place = upTo (B.length bad)
      settings held =
        defaultSettings
          { understood = maybe [] pure compression,
            readBounds = defaultBounds {maxHeld = held}
          }
      whole held = containerDecoderWith (settings held) Text Layout.String Read.text
      range = (min from upto, max from upto)
      part held = partDecoderWith (settings held) header range Text Layout.String Read.text
      usual = maxHeld defaultBounds
      found decoder = concatMap said . decodeContainer decoder . BL.fromStrict
  B.writeFile path bad
  pure . map (\(words', lines') -> (name, unwords (path : map show words'), lines')) $
    ([usual], found (whole usual) bad)
      : if start (target example) `B.isPrefixOf` bad
        then
          [ ([little], found (whole little) bad),
            ([usual, min from upto, max from upto], found (part usual) (B.drop (min from upto) bad))
          ]
        else []

-- | The files that are kept are what damage makes today, with what is found today.
kept :: TestTree
kept = testCaseInfo "damaged containers of the specification" $ do
  write <- (== Just "write") <$> lookupEnv "TERN_GOLDEN"
  when write $ createDirectoryIfMissing True folder
  plain <- concat <$> forM kinds (one Nothing "")
  packed <-
    concat <$> forM (filter ((`elem` few) . fst) kinds) (one (Just (zstd 3)) ", by Zstandard")
  let files = plain <> packed
  forM_ files $ \(name, text) ->
    if write
      then T.writeFile (folder </> name) text
      else T.readFile (folder </> name) >>= assertEqual name text
  there <- listDirectory folder
  sort there @?= sort (map fst files)
  pure (show (length files) <> " files")
  where
    folder = "../docs/spec/damaged"
    -- Compressed by another version of the library, other bytes are right.
    few = ["bits flipped", "blocks in any order", "heads with what others hold"]
    one way suffix (name, damage) = do
      examples <- forM [1 .. 60] (\seed -> (,) seed <$> exampleOf way seed)
      let small =
            [ (fileName (name <> suffix), shownAs found bad)
              | (seed, example) <- examples,
                length (blocks (target example)) > 3,
                let bad = rolled (seed * 977) (damage (target example)),
                B.length bad < 1200,
                let found = concatMap said (decodeContainer (decoder way) (BL.fromStrict bad))
            ]
      pure (take 1 small)
    decoder way =
      containerDecoderWith
        defaultSettings {understood = maybe [] pure way}
        Text
        Layout.String
        Read.text
    fileName name = map (\c -> if c `elem` (" ,'" :: String) then '-' else c) name <> ".json"
    shownAs found bad =
      T.unlines
        [ "{\"schema\": \"text\",",
          "\"container\": \"" <> T.decodeLatin1 (hex bad) <> "\",",
          "\"found\": [",
          T.intercalate ",\n" (map (T.decodeUtf8 . encodeJson) found),
          "]}"
        ]
    hex = B.concatMap (\b -> B.pack [digit (b `quot` 16), digit (b `rem` 16)])
    digit d = if d < 10 then 48 + d else 87 + d

said :: Finding Text -> [Text]
said = \case
  Elements n texts ->
    [ T.unwords ["element", shown i, T.decodeUtf8 (encodeJson one)]
      | (i, one) <- zip [n ..] texts
    ]
  Damaged (Fault index block at _) -> [T.unwords ("fault" : map shown [index, block, at])]
  Lost (Loss from to blocks elements) ->
    [T.unwords ("loss" : map shown ([from, to] <> maybe [] pure blocks <> maybe [] pure elements))]
  where
    shown = T.pack . show :: Int -> Text
