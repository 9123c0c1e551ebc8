{-# LANGUAGE OverloadedStrings #-}

-- | Schemas of files: shown, kept, compared; and files that are none.
module Tern.Lab.SchemaTest (tests) where

import Control.Monad (forM_)
import Control.Monad.Trans.Except (runExceptT)
import Data.Bits (complementBit)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.List (isInfixOf)
import Data.Text qualified as T
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Container (schemaText)
import Tern.Error (Error)
import Tern.Json (decodeJson, encodeJson)
import Tern.Lab.Complaint (Complaint (..))
import Tern.Lab.Program (complains, lab)
import Tern.Lab.Schema.Source (schemaOf)
import Tern.Lab.SchemaFiles (headerLength, hostile, newer, newerShape, older, olderShape, sexes)
import Tern.Schema (jsonSchema)
import Tern.Shape (renderShape)
import Tern.Value (Value)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "schemas"
    [ testGroup
        "show"
        [ inFiles "a container's, and the same of what save made of it" $ \at -> do
            (code, out, err) <- lab ["schema", "show", at "new.tern"]
            (code, err) @?= (ExitSuccess, "")
            drop 1 (lines out) @?= lines (T.unpack (renderShape newerShape))
            lab ["schema", "save", at "new.tern", "-o", at "kept.schema"]
              >>= (@?= (ExitSuccess, "", ""))
            lab ["schema", "show", at "kept.schema"] >>= (@?= (ExitSuccess, out, ""))
            (_, print', _) <- lab ["schema", "show", at "kept.schema", "--fingerprint"]
            lines out `startWith` ["schema " <> filter (/= '\n') print'],
          inFiles "as JSON Schema" $ \at -> do
            (code, out, _) <- lab ["schema", "show", at "old.tern", "--json-schema"]
            (code, BC.pack out) @?= (ExitSuccess, encodeJson (jsonSchema olderShape) <> "\n"),
          inFiles "blocks that are damaged do no harm" $ \at -> do
            B.writeFile (at "cut.tern") (B.take (B.length older - 100) older)
            (code, out, _) <- lab ["schema", "show", at "cut.tern"]
            lab ["schema", "show", at "old.tern"] >>= (@?= (code, out, ""))
        ],
      testGroup
        "save"
        [ inFiles "to the output, as the library does" $ \at -> do
            (code, out, err) <- lab ["schema", "save", at "old.tern"]
            (code, BC.pack out, err) @?= (ExitSuccess, schemaText olderShape, ""),
          inFiles "to where nothing can be written" $ \at -> do
            (code, out, err) <- lab ["schema", "save", at "old.tern", "-o", at "no/such.schema"]
            (code, out, length (lines err)) @?= (ExitFailure 1, "", 1)
        ],
      testGroup
        "diff"
        [ inFiles "the same twice" $ \at -> do
            (code, out, err) <- lab ["schema", "diff", at "old.tern", at "old.schema", "--strict"]
            (code, err) @?= (ExitSuccess, "")
            drop 2 (lines out)
              @?= [ "old documents, new reader: the same bytes",
                    "new documents, old reader: the same bytes"
                  ],
          inFiles "what does not fit has its place on both sides" $ \at -> do
            (code, out, err) <- diff at (init changes)
            code @?= ExitFailure 1
            drop 2 (lines out)
              @?= [ "old documents, new reader: not readable",
                    "  writer's $, reader's $.observer: the writer has no field \"observer\", \
                    \and no default is given for it",
                    "new documents, old reader: not readable",
                    "  writer's $, reader's $: the type \"Sighting\" is not \"Sighting0\"; if \
                    \it was renamed, give the old name as an alias"
                  ]
            length (lines err) @?= 1
            assertBool
              err
              ( "not readable with the new one, and what the new schema writes is not readable \
                \with the old one"
                  `isInfixOf` err
              ),
          inFiles
            "what is said of the newer one counts, in the direction that is asked for"
            $ \at -> do
              (backward, out, err) <- diff at (changes <> ["--direction", "backward"])
              (backward, err) @?= (ExitSuccess, "")
              assertBool out ("old documents, new reader: readable\n" `isInfixOf` out)
              (forward, _, complaint) <- diff at (changes <> ["--direction", "forward"])
              forward @?= ExitFailure 1
              assertBool
                complaint
                ( "what the new schema writes is not readable with the old one"
                    `isInfixOf` complaint
                    && not ("and what" `isInfixOf` complaint)
                ),
          inFiles "what is refused where it is met is read, but not strictly" $ \at -> do
            B.writeFile (at "two.schema") (schemaText (sexes ["Female", "Male"]))
            B.writeFile (at "three.schema") (schemaText (sexes ["Female", "Male", "Unknown"]))
            let asked = ["schema", "diff", at "two.schema", at "three.schema"]
            (code, out, err) <- lab asked
            (code, err) @?= (ExitSuccess, "")
            assertBool out ("reader's $: the constructor \"Unknown\" is not known" `isInfixOf` out)
            lab (asked <> ["--strict", "--direction", "backward"]) >>= \(backward, _, _) ->
              backward @?= ExitSuccess
            (strict, _, complaint) <- lab (asked <> ["--strict"])
            strict @?= ExitFailure 1
            assertBool complaint ("refused in part" `isInfixOf` complaint),
          inFiles "for programs" $ \at -> do
            (code, out, _) <-
              lab (["schema", "diff", "--json", at "old.tern", at "new.tern"] <> changes)
            (code, length (lines out)) @?= (ExitFailure 1, 1)
            either
              (assertFailure . show)
              (const (pure ()))
              (decodeJson (BC.pack out) :: Either Error Value)
            forM_
              [ "\"format\":\"tern-lab schema diff 1\"",
                "\"oldDocumentsNewReader\":{\"verdict\":\"readable\",\"reasons\":[]}",
                "\"newDocumentsOldReader\":{\"verdict\":\"unreadable\"\
                \,\"reasons\":[{\"writer\":\"$\",\"reader\":\"$\","
              ]
              $ \part ->
                assertBool out (part `isInfixOf` out),
          inFiles "changes of a type that is not there" $ \at -> do
            (code, out, err) <- diff at ["--default", "Gull.wings"]
            (code, out, length (lines err)) @?= (ExitFailure 2, "", 1)
            assertBool
              err
              ( "new.tern: it has no type called Gull; expected one of Sighting, Sex"
                  `isInfixOf` err
              ),
          inFiles "changes of a field that is not there" $ \at -> do
            (code, out, _) <- diff at ["--default", "Sighting.wings"]
            code @?= ExitFailure 1
            assertBool
              out
              ( "speaks of \"wings\", which \"Sighting\" does not have"
                  `isInfixOf` out
              ),
          complains
            "a direction that is none"
            ["schema", "diff", "--direction", "up", "a", "b"]
            2
            "expected both, backward or forward",
          complains
            "an alias of nothing"
            ["schema", "diff", "--field-alias", "count", "a", "b"]
            2
            "'count' has no name before and after an =",
          complains
            "a place that is none"
            ["schema", "diff", "--default", "count", "a", "b"]
            2
            "as Sighting.count",
          complains "one file alone" ["schema", "diff", "a"] 2 "NEW",
          complains
            "a file that is not there"
            ["schema", "diff", "no/such", "b"]
            2
            "no/such: no such file"
        ],
      testGroup
        "files that are none"
        [ testGroup
            "by the command"
            [ inFiles name $ \at -> do
                B.writeFile (at "bad") bytes
                refused at ["schema", "show", at "bad"] 1 needle
                refused at ["schema", "save", at "bad", "-o", at "bad.schema"] 1 needle
                refused at ["schema", "diff", at "bad", at "new.tern"] 2 needle
                refused at ["schema", "diff", at "new.tern", at "bad"] 2 needle
              | (name, bytes, needle) <- none
            ],
          complains
            "a file that is not there"
            ["schema", "show", "no/such"]
            1
            "no/such: no such file; expected a container or a saved schema",
          complains "a folder" ["schema", "show", "."] 1 ".: ",
          inFiles "a container that is cut off in its header, at any byte" $ \at ->
            forM_ [0 .. headerLength - 1] $ \n -> isRefused (at "bad") (B.take n older),
          inFiles "a header with any bit the other way" $ \at ->
            forM_ [(i, b) | i <- [0 .. headerLength - 1], b <- [0 .. 7]] $ \(i, b) ->
              isRefused
                (at "bad")
                ( B.take i older
                    <> B.map (`complementBit` b) (B.take 1 (B.drop i older))
                    <> B.drop (i + 1) older
                ),
          testGroup
            "that mean harm"
            [ inFiles name $ \at -> do
                B.writeFile (at "bad") bytes
                found <- runExceptT (schemaOf (at "bad"))
                case found of
                  Left (DataComplaint line) ->
                    assertBool
                      line
                      ( needle `isInfixOf` line
                          && '\n' `notElem` line
                          && '\ESC' `notElem` line
                      )
                  other -> assertFailure (show other)
              | (name, bytes, needle) <- hostile
            ],
          inFiles "a saved schema that does not end" $ \at ->
            isRefused (at "bad") ("Tern schema 1" <> B.replicate (17 * 1024 * 1024) 32)
        ],
      testCase "--help shows how" $ do
        (code, out, _) <- lab ["schema", "diff", "--help"]
        code @?= ExitSuccess
        forM_
          [ "--direction backward",
            "Exit codes: 0 read as asked, 1 not, 2 no verdict"
          ]
          $ \part ->
            assertBool out (part `isInfixOf` out),
      testCase "a shell completes directions" $ do
        (code, out, _) <-
          lab
            ( ["--bash-completion-index", "4"]
                <> concatMap
                  (\word -> ["--bash-completion-word", word])
                  ["tern-lab", "schema", "diff", "--direction", "b"]
            )
        (code, lines out) @?= (ExitSuccess, ["both", "backward"])
    ]
  where
    diff at arguments = lab (["schema", "diff", at "old.tern", at "new.tern"] <> arguments)
    refused at arguments expected needle = do
      (code, out, err) <- lab arguments
      (code, out, length (lines err)) @?= (ExitFailure expected, "", 1)
      assertBool err (at "bad" `isInfixOf` err && needle `isInfixOf` err)
    isRefused path bytes = do
      B.writeFile path bytes
      runExceptT (schemaOf path) >>= \case
        Left (DataComplaint line) -> length (lines line) @?= 1
        other -> assertFailure (show other)
    startWith actual expected = take (length expected) actual @?= expected

-- | All that the two versions need; the last is the default.
changes :: [String]
changes =
  [ "--type-alias=Sighting=Sighting0",
    "--type-alias=Sex=Sex0",
    "--field-alias=Sighting.count=number",
    "--constructor-alias=Sex.Female=F",
    "--constructor-alias=Sex.Male=M",
    "--default=Sighting.observer"
  ]

none :: [(String, ByteString, String)]
none =
  [ ("an empty file", "", "it is empty; expected a container or a saved schema"),
    ("a text", "module Main\n", "neither a container nor a saved schema"),
    ("half a header", B.take 30 older, "cut off"),
    ( "a header whose checksum is wrong",
      B.take 20 older
        <> "x"
        <> B.drop 21 older,
      "the header is damaged"
    ),
    ("a container of another version", B.take 8 older <> "\2" <> B.drop 9 older, "version 2"),
    ( "a saved schema with other words",
      BC.map (\c -> if c == '0' then '1' else c) (schemaText olderShape),
      "save the schema again"
    ),
    ("a saved schema without its end", B.take 100 (schemaText olderShape), "save the schema again")
  ]

-- | In a folder with both versions.
inFiles :: String -> ((FilePath -> FilePath) -> Assertion) -> TestTree
inFiles name body = testCase name . withSystemTempDirectory "schemas" $ \folder -> do
  B.writeFile (folder </> "old.tern") older
  B.writeFile (folder </> "new.tern") newer
  B.writeFile (folder </> "old.schema") (schemaText olderShape)
  body (folder </>)
