{-# LANGUAGE OverloadedStrings #-}

-- | Nothing is timed that is not right, and what is timed is complete.
module Tern.Lab.CompareTest (tests, startedAgain) where

import Control.DeepSeq (rnf)
import Control.Monad.Trans.Except (runExceptT)
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as Lazy
import Data.IORef (IORef, modifyIORef', newIORef, readIORef)
import Data.List (partition)
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (doesFileExist, getPermissions, setOwnerExecutable, setPermissions)
import System.Environment (lookupEnv, setEnv, unsetEnv)
import System.Exit (exitFailure)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.IO.Unsafe (unsafePerformIO)
import Tern.Lab.Agreement (Disagreement (..), disagreement)
import Tern.Lab.Compare (Given (..), How (..), compareOn, comparing)
import Tern.Lab.Complaint (Complaint (..))
import Tern.Lab.Measure (Settings (..))
import Tern.Lab.Peak (Peaks (..), guardVariable)
import Tern.Lab.Progress (silent)
import Tern.Lab.Result
  ( Comparison (..),
    Cost (..),
    Decoded (..),
    Row (codec, decodes, payload, peak),
  )
import Tern.Lab.Result qualified as Result
import Tern.Lab.Sample.Catalogue (subjectNamed, subjects)
import Tern.Lab.Subject (Codec (..), Subject (..), decoded, encoded, keptCodecs)
import Test.Tasty
import Test.Tasty.HUnit
import Text.Read (readMaybe)

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
      testCase "no codec passes over what stands after the value" $
        [ codecName codec
          | Subject {subjectCodecs, subjectValue = Just value} <- subjects,
            codec <- subjectCodecs,
            Right _ <- [decoded codec (encoded codec value <> "x")]
        ]
          @?= [],
      testCase "a codec that loses something is found" $
        disagreement [honest, forgetful] 12 @?= Just (Disagreement "forgetful" "honest" Nothing),
      testCase "a codec that cannot read is found, with its complaint" $
        disagreement [honest, blind] 12 @?= Just (Disagreement "honest" "blind" (Just "too dark")),
      testCase "codecs of different formats need not agree" $
        disagreement [honest, marked {codecFormat = "marked"}] 12 @?= Nothing,
      testCase "a disagreement is a complaint and nothing is measured" $
        runExceptT
          ( compareOn
              quick
              silent
              ( Subject
                  "number"
                  ""
                  [honest, forgetful]
                  (Just 12)
                  Nothing
              )
              Nothing
          )
          >>= ( @?=
                  Left
                    ( DataComplaint
                        "honest does not read back what forgetful wrote: it gives another value"
                    )
              ),
      testCase "a document that does not decode is a complaint that says where" $
        runExceptT
          ( compareOn
              quick
              silent
              (Subject "number" "" [blind] Nothing Nothing)
              (Just ("a.json", "{}"))
          )
          >>= (@?= Left (DataComplaint "a.json: too dark")),
      testCase "a comparison has a row for each codec, in order" $
        runExceptT
          ( compareOn
              quick
              silent
              ( Subject
                  "number"
                  "a number"
                  [honest, honest {codecName = "twin"}]
                  (Just 12)
                  Nothing
              )
              Nothing
          )
          >>= \case
            Left complaint -> assertFailure (show complaint)
            Right comparison -> do
              map codec (rows comparison) @?= ["honest", "twin"]
              map payload (rows comparison) @?= [2, 2]
              assertBool "no time" (all (\row -> wall (Result.encode row) > 0) (rows comparison)),
      testCase "a codec that gives its work back undone is measured with all of it done" $ do
        begun <- newIORef (0 :: Int)
        ended <- newIORef (0 :: Int)
        _ <- of' [lazily begun ended, honest] Nothing
        started <- readIORef begun
        readIORef ended >>= (@?= started)
        assertBool (show started) (started > 100),
      testCase "a document is decoded as it is, by the codecs of its format" $ do
        lengths <- newIORef []
        comparison <-
          of' [watching lengths honest, marked {codecFormat = "marked"}] (Just ("a.txt", "  12  "))
        map decodes (rows comparison) @?= [Just (Decoded True 6), Just (Decoded False 3)]
        map payload (rows comparison) @?= [2, 3]
        -- What it wrote itself is read when the codecs are checked, and never timed.
        (asWritten, asGiven) <- partition (== 2) <$> readIORef lengths
        assertBool
          (show (length asWritten, length asGiven))
          ( length asWritten < 10
              && length asGiven > 10
              && all (== 6) asGiven
          ),
      testCase "a document that a codec of its format does not read is a complaint" $
        runExceptT
          ( compareOn
              quick
              silent
              (Subject "number" "" [honest, blind] Nothing Nothing)
              (Just ("a.txt", "12"))
          )
          >>= (@?= Left (DataComplaint "a.txt: blind does not read it: too dark")),
      testCase "a document that a codec of its format reads as another value is a complaint" $
        runExceptT
          ( compareOn
              quick
              silent
              (Subject "number" "" [honest, hasty] Nothing Nothing)
              (Just ("a.txt", "1 2"))
          )
          >>= (@?= Left (DataComplaint "a.txt: hasty reads another value there than honest")),
      testCase "a document may be of the second codec's format" $ do
        comparison <- of' [honest, marked {codecFormat = "marked"}] (Just ("a.txt", "x12"))
        map decodes (rows comparison) @?= [Just (Decoded False 2), Just (Decoded True 3)],
      testCase "many values: the figures are those of one, the sizes those of all" $
        runExceptT
          ( comparing
              How
                { patience =
                    quick,
                  peaks = NoPeaks,
                  progress = silent,
                  named = []
                }
              (Subject "number" "a number" [honest] Nothing (Just (10 +)))
              (ManyValues 50)
          )
          >>= \case
            Left complaint -> assertFailure (show complaint)
            Right comparison -> do
              records comparison @?= Just 50
              map payload (rows comparison) @?= [100]
              map (length . fromMaybe [] . samples . Result.encode) (rows comparison) @?= [2]
              assertBool
                "the bytes of one"
                ( all
                    (\row -> allocated (Result.encode row) < 2000)
                    (rows comparison)
                ),
      testCase "many values of which one is lost are a complaint" $
        runExceptT
          ( comparing
              How
                { patience =
                    quick,
                  peaks = NoPeaks,
                  progress = silent,
                  named = []
                }
              (Subject "number" "a number" [forgetful] Nothing (Just id))
              (ManyValues 2000)
          )
          >>= ( @?=
                  Left
                    ( DataComplaint
                        "forgetful does not read back what forgetful wrote: it gives another value"
                    )
              ),
      testCase "a codec that is named twice is measured against itself" $ do
        map codecName (keptCodecs ["honest", "honest"] [marked, honest])
          @?= ["honest", "honest (2)"]
        map codecName (keptCodecs [] [marked, honest]) @?= ["marked", "honest"],
      testCase
        "a comparison starts no process that it was not asked for"
        . withSystemTempDirectory "started"
        $ \folder -> do
          let record = folder </> "record"
          setEnv startedVariable record
          _ <- of' [honest, honest {codecName = "twin"}] Nothing
          started <- doesFileExist record
          unsetEnv startedVariable
          started @?= False,
      testCase
        "peaks are those of the program that is named, which starts nothing more"
        . withSystemTempDirectory "peaks"
        $ \folder -> do
          let program = folder </> "program"
              counted = length . lines <$> readFile (folder </> "calls")
              peaksOf =
                runExceptT
                  ( comparing
                      How
                        { patience =
                            quick,
                          peaks = PeaksBy program,
                          progress = silent,
                          named = []
                        }
                      (Subject "number" "" [honest] (Just 12) Nothing)
                      OneValue
                  )
          writeFile
            program
            ( "#!/bin/sh\necho \"$1 $2 $3 $"
                <> guardVariable
                <> "\" >> '"
                <> folder
                <> "/calls'\necho 4711\n"
            )
          getPermissions program >>= setPermissions program . setOwnerExecutable True
          first <- peaksOf
          fmap (map peak . rows) first @?= Right [Just 4711]
          readFile (folder </> "calls") >>= (@?= "peak number honest 1\n")
          -- As if this were such a program itself.
          setEnv guardVariable "1"
          again <- peaksOf
          unsetEnv guardVariable
          fmap (map peak . rows) again @?= Right [Nothing]
          counted >>= (@?= 1)
    ]
  where
    agrees Subject {..} = case subjectValue of
      Nothing -> pure ()
      Just value -> do
        disagreement subjectCodecs value @?= Nothing
        case subjectValues of
          Nothing -> pure ()
          Just numbered -> do
            let values = map numbered [1 .. 100]
            mapM_ (\one -> disagreement subjectCodecs one @?= Nothing) values
            assertBool "they differ" (and (zipWith (/=) values (drop 1 values)))
    of' codecs document =
      runExceptT
        ( compareOn
            quick
            silent
            (Subject "number" "a number" codecs (Just 12) Nothing)
            document
        )
        >>= either (assertFailure . show) pure

-- | Where this program writes that it was started, instead of testing.
startedVariable :: String
startedVariable = "TERN_LAB_TEST_STARTED"

-- | At the beginning of the suite.
startedAgain :: IO ()
startedAgain =
  lookupEnv startedVariable >>= mapM_ (\path -> appendFile path "started\n" >> exitFailure)

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
              map (\codec -> fmap (== value) (decoded codec bytes)) ofJson
                @?= map (const (Right True)) ofJson
              map (\codec -> BC.length (encoded codec value)) ofJson
                @?= map (const (compactLength bytes)) ofJson
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

honest, marked, forgetful, blind, hasty :: Codec Int
honest = textual "honest" show number
hasty = textual "hasty" show (Right . read . takeWhile (/= ' '))
marked = textual "marked" (('x' :) . show) (\case 'x' : rest -> number rest; _ -> Left "no mark")
forgetful = textual "forgetful" (take 1 . show) (Right . read)
blind = textual "blind" show (const (Left "too dark"))

-- | Spaces anywhere are passed over.
number :: String -> Either Text Int
number text = maybe (Left "no number") Right (readMaybe (filter (/= ' ') text))

-- | The codec, which tells the lengths of what it decodes.
watching :: IORef [Int] -> Codec Int -> Codec Int
watching lengths Codec {..} =
  Codec
    { decode =
        \bytes -> unsafePerformIO (modifyIORef' lengths (BC.length bytes :) >> pure (decode bytes)),
      ..
    }
{-# NOINLINE watching #-}

-- | What it writes comes in pieces that are made when they are looked at, and what it reads
-- is there before it is read. It tells what it begins, and what of that is done.
lazily :: IORef Int -> IORef Int -> Codec Int
lazily begun ended =
  Codec
    { codecName = "lazily",
      codecFormat = "decimal",
      toModel = id,
      fromModel = id,
      settleModel = (`seq` ()),
      encode = \n ->
        let text = show n
            chunks = [counting ended 1 (BC.pack [c]) | c <- text]
         in counting begun (length text) (Lazy.fromChunks chunks),
      settleOutput = rnf,
      toBytes = Lazy.toStrict,
      decode = \bytes -> counting begun 1 (Right (counting ended 1 (read (BC.unpack bytes))))
    }
{-# NOINLINE lazily #-}

counting :: IORef Int -> Int -> a -> a
counting ref n a = unsafePerformIO (modifyIORef' ref (+ n) >> pure a)
{-# NOINLINE counting #-}

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
