{-# LANGUAGE OverloadedStrings #-}

-- | What would be done for which arguments, without doing it.
module Tern.Lab.PlanTest (tests) where

import Data.List (isInfixOf)
import Options.Applicative (ParserResult (..), defaultPrefs, execParserPure, info)
import Tern.Lab.Compare (Plan (..), Workload (..))
import Tern.Lab.Complaint (Complaint (..))
import Tern.Lab.Measure (Settings (..), defaultSettings)
import Tern.Lab.Verb.Compare (Planned (..), options, plan)
import Tern.Lab.Verb.Demo qualified as Demo
import Tern.Lab.Verb.Output (Output (..), Printed (..), onTerminal)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "plan"
    [ testCase "named records, in their order" $
        planned ["--record", "mixed", "--record", "ints5"]
          @?= Right
            ( ForCodecs onTerminal $
                Plan [BuiltIn "mixed", BuiltIn "ints5"] [] defaultSettings
            ),
      testCase "a document with its type, then records" $
        planned ["a.json", "--type", "ints5", "--record", "ints25", "--json"]
          @?= Right
            ( ForCodecs onTerminal {printed = ForPrograms} $
                Plan [Document "a.json" "ints5", BuiltIn "ints25"] [] defaultSettings
            ),
      testCase "codecs and settings" $
        planned
          [ "--record",
            "mixed",
            "--codec",
            "tern",
            "--rounds",
            "7",
            "--batch",
            "2",
            "--markdown"
          ]
          @?= Right
            ( ForCodecs onTerminal {printed = ForMarkdown} $
                Plan [BuiltIn "mixed"] ["tern"] Settings {rounds = 7, batch = 2e6}
            ),
      testCase "without arguments every record that brings a value" $
        planned [] `satisfies` \case
          Right (ForCodecs _ found) ->
            length (workloads found) >= 3
          _ -> False,
      testCase "the demo takes the documents first, then the articles' records" $
        Demo.plan (Demo.Options True "docs" Nothing 5e6 onTerminal {printed = ForPrograms})
          @?= Demo.Everything
            onTerminal {printed = ForPrograms}
            ( Plan
                ( [ Document
                      "docs/iso_639-3.json"
                      "languages",
                    Document "docs/iso_3166-2.json" "subdivisions"
                  ]
                    <> [ BuiltIn
                           "ints5",
                         Many "ints5" 100000,
                         BuiltIn "ints25",
                         BuiltIn "mixed",
                         Many "mixed" 100000,
                         BuiltIn "everything",
                         Many "everything" 100000
                       ]
                )
                []
                defaultSettings
            ),
      testCase "the demo's first screen writes its page beside it" $
        Demo.plan (Demo.Options False "docs" (Just 3) 1e6 onTerminal)
          @?= Demo.FirstScreen
            onTerminal {html = Just "tern-lab-demo.html"}
            "docs/iso_639-3.json"
            Settings {rounds = 3, batch = 1e6},
      testCase "many of each record, beside the one" $
        planned ["--record", "mixed", "--record", "ints5", "--many", "50"]
          @?= Right
            ( ForCodecs onTerminal $
                Plan
                  [ BuiltIn
                      "mixed",
                    Many "mixed" 50,
                    BuiltIn "ints5",
                    Many "ints5" 50
                  ]
                  []
                  defaultSettings
            ),
      refused "a document without a type" ["a.json"] "--type NAME",
      refused "a type without a document" ["--type", "ints5"] "needs the document",
      refused
        "an unknown type"
        ["a.json", "--type", "nonsense"]
        "no type is called nonsense; expected one of ints5",
      refused
        "an unknown record"
        ["--record", "nonsense"]
        "no record is called nonsense; expected one of ints5",
      refused
        "an unknown codec"
        ["--record", "ints5", "--codec", "yaml"]
        "ints5 has no codec called yaml; expected one of tern"
    ]
  where
    refused name arguments needle = testCase (name <> " is refused") $ case planned arguments of
      Left (UsageComplaint line) -> assertBool line (needle `isInfixOf` line && '\n' `notElem` line)
      other -> assertFailure (show other)
    satisfies actual holds = assertBool (show actual) (holds actual)

planned :: [String] -> Either Complaint Planned
planned arguments = case execParserPure defaultPrefs (info options mempty) arguments of
  Success chosen -> plan chosen
  _ -> Left (UsageComplaint "the arguments do not parse")
