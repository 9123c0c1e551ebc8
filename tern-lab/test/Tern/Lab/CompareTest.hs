{-# LANGUAGE OverloadedStrings #-}

-- | Nothing is timed that is not right, and what is timed is complete.
module Tern.Lab.CompareTest (tests) where

import Control.Monad.Trans.Except (runExceptT)
import Data.ByteString.Char8 qualified as BC
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (doesFileExist)
import Tern.Lab.Agreement
import Tern.Lab.Compare
import Tern.Lab.Complaint
import Tern.Lab.Measure (Settings (..))
import Tern.Lab.Progress (silent)
import Tern.Lab.Result (Comparison (..), Cost (..), Row (codec, payload))
import Tern.Lab.Result qualified as Result
import Tern.Lab.Sample.Catalogue
import Tern.Lab.Subject
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "compare"
    [ testGroup
        "every codec of a built-in value reads what every other wrote"
        [ testCase (show (subjectName subject)) (agrees subject)
          | subject <- subjects
        ],
      testGroup
        "every codec reads the real document, and writes all of it"
        [ testCaseInfo name (realDocument path name)
          | (path, name) <- [("iso_639-3.json", "languages"), ("iso_3166-2.json", "subdivisions")]
        ],
      testCase "a codec that loses something is found" $
        disagreement [honest, forgetful] 12 @?= Just (Disagreement "forgetful" "honest" Nothing),
      testCase "a codec that cannot read is found, with its complaint" $
        disagreement [honest, blind] 12 @?= Just (Disagreement "honest" "blind" (Just "too dark")),
      testCase "codecs of different formats need not agree" $
        disagreement [honest, marked {codecFormat = "marked"}] 12 @?= Nothing,
      testCase "a disagreement is a complaint and nothing is measured" $
        runExceptT (compareOn quick silent (Subject "number" "" [honest, forgetful] (Just 12)) Nothing)
          >>= (@?= Left (DataComplaint "honest does not read back what forgetful wrote: it gives another value")),
      testCase "a document that does not decode is a complaint that says where" $
        runExceptT (compareOn quick silent (Subject "number" "" [blind] Nothing) (Just ("a.json", "{}")))
          >>= (@?= Left (DataComplaint "a.json: too dark")),
      testCase "a comparison has a row for each codec, in order" $
        runExceptT (compareOn quick silent (Subject "number" "a number" [honest, honest {codecName = "twin"}] (Just 12)) Nothing) >>= \case
          Left complaint -> assertFailure (show complaint)
          Right comparison -> do
            map codec (rows comparison) @?= ["honest", "twin"]
            map payload (rows comparison) @?= [2, 2]
            assertBool "no time" (all (\row -> wall (Result.encode row) > 0) (rows comparison))
    ]
  where
    agrees Subject {..} = case subjectValue of
      Nothing -> pure ()
      Just value -> disagreement subjectCodecs value @?= Nothing

-- | With a file that the demo measures, where the package that has it is
-- installed. The document holds nothing that its type does not: without white
-- space it is what the codecs write.
realDocument :: FilePath -> String -> IO String
realDocument file name = do
  present <- doesFileExist path
  case subjectNamed (T.pack name) of
    Just Subject {..}
      | present,
        first : _ <- subjectCodecs -> do
          bytes <- BC.readFile path
          case decoded first bytes of
            Left message -> assertFailure (show message)
            Right value -> do
              disagreement subjectCodecs value @?= Nothing
              let ofJson = filter ((== "json") . codecFormat) subjectCodecs
              map (\codec -> fmap (== value) (decoded codec bytes)) ofJson @?= map (const (Right True)) ofJson
              map (\codec -> BC.length (encoded codec value)) ofJson @?= map (const (compactLength bytes)) ofJson
              pure (show (BC.length bytes) <> " bytes")
    Just _ -> pure ("skipped: no " <> path)
    Nothing -> assertFailure "no such type"
  where
    path = "/usr/share/iso-codes/json/" <> file

-- | The document's length without the white space around its tokens.
compactLength :: BC.ByteString -> Int
compactLength bytes = go (0 :: Int) False (BC.unpack bytes)
  where
    go !n inString text = case text of
      [] -> n
      '\\' : _ : rest | inString -> go (n + 2) True rest
      '"' : rest -> go (n + 1) (not inString) rest
      c : rest
        | inString || c `notElem` (" \n\r\t" :: String) -> go (n + 1) inString rest
        | otherwise -> go n False rest

quick :: Settings
quick = Settings {rounds = 2, batch = 1e4}

honest, marked, forgetful, blind :: Codec Int
honest = textual "honest" show (Right . read)
marked = textual "marked" (('x' :) . show) (Right . read . drop 1)
forgetful = textual "forgetful" (take 1 . show) (Right . read)
blind = textual "blind" show (const (Left "too dark"))

textual :: Text -> (Int -> String) -> (String -> Either Text Int) -> Codec Int
textual name write read' =
  Codec
    { codecName = name,
      codecFormat = "decimal",
      toModel = id,
      fromModel = id,
      settleModel = (`seq` ()),
      encode = BC.pack . write,
      settleOutput = (`seq` ()),
      toBytes = id,
      decode = read' . BC.unpack
    }
