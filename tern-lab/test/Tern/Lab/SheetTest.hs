{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What is said of figures that were made up, so that the answers are known.
module Tern.Lab.SheetTest (tests) where

import Data.ByteString.Char8 qualified as BC
import Data.List (isInfixOf, unfoldr)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Floor (sights)
import Tern.Lab.Programs.Plan qualified as Programs
import Tern.Lab.Random (below, seed)
import Tern.Lab.Report (plain)
import Tern.Lab.Result (Machine (..))
import Tern.Lab.Saved (Programs (..), Saved (..), laidOut, programsVersion, readSaved)
import Tern.Lab.Sheet
  ( Choice (..),
    Entry (..),
    Figure (..),
    Floor (..),
    Sheet (..),
    Unit (..),
    cpuTime,
    floorsOf,
    wallTime,
  )
import Tern.Lab.Sheet.Difference
  ( Difference (..),
    Verdict (..),
    differences,
    missing,
    paceRemark,
    renderDifferences,
    worse,
  )
import Tern.Lab.Sheet.Report (Grown (..), growths, outgrows, renderGrowths, renderSheet)
import Test.Tasty hiding (after)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "sheet"
    [ testGroup
        "differences"
        [ testCase "a time that is a third less is seen, and by how much" $
            case verdicts
              ( times
                  [300 + wobble i | i <- [1 .. 20]]
              )
              (times [200 + wobble i | i <- [1 .. 20]]) of
              [Changed ratio (Just _)] -> assertBool (show ratio) (abs (ratio - 2 / 3) < 0.02)
              other -> assertFailure (show other),
          testCase "a time that wanders further than it changed is not" $
            verdicts
              (times [200 + 30 * wobble i | i <- [1 .. 20]])
              (times [210 + 30 * wobble (i + 3) | i <- [1 .. 20]])
              @?= [NotSeen],
          testCase "a change below the floor is not seen" $
            [ verdict one
              | one <-
                  differences
                    [onSheet 0.2 [times (replicate 20 100)]]
                    [onSheet 0 [times (replicate 20 110)]]
            ]
              @?= [NotSeen],
          testCase "a few rounds tell nothing of a time" $
            verdicts (times (replicate 9 100)) (times (replicate 9 200)) @?= [Unknown],
          testCase "one byte more is a change, and the same is the same" $ do
            verdicts (exact 1000) (exact 1001) @?= [Changed 1.001 Nothing]
            verdicts (exact 1000) (exact 1000) @?= [Same],
          testCase "bytes that wander into each other are not seen to change" $
            verdicts
              (Figure "allocated" Bytes [100, 104, 108])
              (Figure "allocated" Bytes [107, 109, 112])
              @?= [NotSeen],
          testCase "what measuring itself allocates is no change" $
            verdicts (exact 17228139) (exact 17228401) @?= [Same],
          testCase "rounds of one heap are no rounds of another" $ do
            -- As two runs of the same program were.
            let copied = Figure "copied" Bytes
                collections = Figure "collections" Count
            verdicts (collections [1 / 221437, 1 / 221437]) (collections [1 / 197885, 1 / 197885])
              @?= [NotSeen]
            verdicts (copied [0.012, 0.012]) (copied [0.09, 0.09]) @?= [NotSeen]
            verdicts (copied [3000, 3001]) (copied [3330, 3331]) @?= [NotSeen]
            verdicts (copied [0, 0]) (copied [3036, 3036]) /= [NotSeen] @? "what is plain"
            verdicts (copied [3000, 3001]) (copied [6000, 6002]) /= [NotSeen] @? "what doubled",
          testCase "what collections decide is told by rounds, or where it is plain" $ do
            let copied = Figure "copied" Bytes
                peak n = Figure "peak memory" Bytes [n]
            verdicts (copied [173]) (copied [201]) @?= [Unknown]
            verdicts (copied [0]) (copied [3036]) @?= [Unknown]
            verdicts (copied [0, 0, 9]) (copied [0, 3036, 0]) @?= [Same]
            verdicts (copied [10, 20, 10]) (copied [15, 30, 12]) @?= [NotSeen]
            verdicts (copied [10, 20, 10]) (copied [40, 50, 50]) @?= [Changed 5 Nothing]
            verdicts (peak 12) (peak 11) @?= [Unknown]
            verdicts (peak 12) (peak 24) @?= [Changed 2 Nothing],
          testCase "what the machine did to a run as a whole is not the program's" $ do
            let at pace n =
                  [ (onSheet 0 [times [n + wobble i | i <- [1 .. 20]]])
                      { pace = Just (Entry "pace" [times (replicate 20 pace)])
                      }
                  ]
                found older newer = [one.verdict | one <- differences older newer]
                changed = \case
                  [Changed _ (Just _)] -> True
                  _ -> False
                said older newer = unwords (map T.unpack (paceRemark (differences older newer)))
            assertBool "the same pace" (changed (found (at 10 400) (at 10 300)))
            found (at 10 400) (at 8 300) @?= [NotSeen]
            found (at 8 300) (at 10 400) @?= [NotSeen]
            assertBool "more than the pace explains" (changed (found (at 10 400) (at 8 200)))
            -- Of older results the pace is not known.
            assertBool "unknown" $
              changed (found [onSheet 0 [times (replicate 20 400)]] (at 8 300))
            said (at 10 400) (at 10 300) @?= ""
            assertBool (said (at 10 400) (at 8 300)) $
              "By CPU time of work that is always the same the machine itself was 25.0 % faster"
                `isInfixOf` said (at 10 400) (at 8 300)
            assertBool (said (at 8 300) (at 10 400)) $
              "below 50.0 %" `isInfixOf` said (at 8 300) (at 10 400),
          testCase "figures of another setting are not compared" $
            length
              ( differences
                  [(onSheet 0 [exact 1]) {setting = [Choice "n" "1"]}]
                  [(onSheet 0 [exact 1]) {setting = [Choice "n" "2"]}]
              )
              @?= 0,
          testCase "what got worse, and what only one has" $ do
            let before =
                  (onSheet 0 [exact 10]) {entries = [Entry "a" [exact 10], Entry "gone" [exact 1]]}
                after =
                  (onSheet 0 [exact 10]) {entries = [Entry "a" [exact 12], Entry "come" [exact 1]]}
            map (.entry) (worse (differences [before] [after])) @?= ["a"]
            worse (differences [after] [before]) @?= []
            missing [before] [after] @?= (["made up: gone"], ["made up: come"]),
          testCase "a line says before, after and the change" $
            T.unpack
              ( T.unlines
                  ( renderDifferences
                      ( differences
                          [onSheet 0 [exact 1000]]
                          [onSheet 0 [exact 1500]]
                      )
                  )
              )
              `has` ["allocated", "1,000 B", "1,500 B", "+50 %"]
        ],
      testGroup
        "growth over sheets"
        [ testCase "of what has sizes, for each entry and figure" $ do
            let at n =
                  (onSheet 0 [])
                    { setting =
                        [Choice "n" (T.pack (show n)), Choice "way" "x"],
                      entries =
                        [ Entry
                            "flat"
                            [exact 500],
                          Entry "square" [exact (100 + fromIntegral (n * n))]
                        ]
                    }
                found = growths (map at [10, 20, 40 :: Int])
            [(one.entryName, one.figureName, one.parameterName, map fst one.points) | one <- found]
              @?= [ ("flat", "allocated", "n", [10, 20, 40]),
                    ("square", "allocated", "n", [10, 20, 40])
                  ]
            T.unpack (T.unlines (renderGrowths outgrows found))
              `has` ["does not grow", "n^2.00", "grows faster than n"],
          testCase "of times a verdict needs ten rounds; bytes need one" $
            [ any outgrows (growths (sized [figure rounds (n * n) | n <- [10, 20, 40, 80]]))
              | (figure, rounds) <-
                  [ (\r -> times . replicate r, 9),
                    (\r -> times . replicate r, 10),
                    (const exact, 1 :: Int)
                  ]
            ]
              @?= [False, True, True],
          testCase "on a busy machine nothing that is linear grows faster, and the square does" $ do
            -- A clock that wanders by six in a hundred, and of which a fifth of all rounds
            -- last up to twice as long.
            let flagged work =
                  length
                    [ ()
                      | n <- [1 .. 300 :: Int],
                        any outgrows . growths . sized $
                          [ times (map (* work size) (noise (1000 * n + i)))
                            | (i, size) <- zip [0 ..] [10, 20, 40, 80]
                          ]
                    ]
                noise i = take 10 (unfoldr (Just . disturbance) (seed i))
            (flagged id, flagged (\n -> n * logBase 2 n)) @?= (0, 0)
            let found = flagged (\n -> n * n)
            -- Not of each run, as the bounds are wide then.
            assertBool (show found) (found > 200),
          testCase "values that are no numbers have no growth" $
            growths
              [ (onSheet 0 [exact n]) {setting = [Choice "way" way]}
                | (way, n) <-
                    [("fast", 1), ("slow", 100)]
              ]
              @?= []
        ],
      testGroup
        "files"
        [ testCase "programs read back from what is laid out in lines" $ do
            let it = programs [onSheet 0.01 [times (map fromIntegral [1 .. 40 :: Int]), exact 7]]
                bytes = laidOut (OfPrograms it)
            readSaved bytes @?= Right (OfPrograms it)
            -- The forty rounds stand in one line, which has nothing else.
            map (length . BC.words) (filter (BC.isInfixOf "38.0, 39.0, 40.0") (BC.lines bytes))
              @?= [41],
          testCase "a result that is none, and one of another program, say so" $ do
            either (const True) (const False) (readSaved "{}") @? "accepted"
            either T.unpack (const "") (readSaved "{\"format\":\"hyperfine 1\"}")
              `has` ["not a result of this program", "hyperfine 1"],
          testCase "one changed figure changes few lines" $ do
            let lines' n =
                  BC.lines
                    ( laidOut
                        ( OfPrograms
                            ( programs
                                [onSheet 0.01 [times (replicate 12 5), exact n]]
                            )
                        )
                    )
            (length (lines' 7) > 10, length (filter id (zipWith (/=) (lines' 7) (lines' 8))))
              @?= (True, 1)
        ],
      testGroup
        "a table"
        [ testCase "says which takes less, by both times, and what is not seen" $ do
            let entry name each =
                  Entry
                    name
                    [ Figure
                        cpuTime
                        Nanoseconds
                        (take 20 (map (* each) cycled)),
                      Figure wallTime Nanoseconds (take 20 (map (* each) cycled))
                    ]
                cycled = cycle [1e6, 1.01e6, 0.99e6]
                sheet = (onSheet 0.01 []) {entries = [entry "one" 1, entry "other" 2]}
            T.unpack (renderSheet plain sheet)
              `has` [ "How fast, by CPU time? one",
                      "2.00 times less than other",
                      "How fast, by wall time?",
                      "differences below 1.0 % of CPU time"
                    ],
          testCase "has letters for names that are too long, and says what they are" $ do
            let long = T.replicate 30 "x"
                text =
                  T.unpack
                    ( renderSheet
                        plain
                        (onSheet 0 [])
                          { entries =
                              [Entry long [exact 1], Entry "short" [exact 2]],
                            remarks = [long <> " is long"]
                          }
                    )
            text `has` ["A: " <> long, "B: short", "A is long", "times A"]
            length (filter (isInfixOf "xxx") (lines text)) @?= 1,
          testCase "of one entry has no verdict" $
            assertBool
              "a verdict"
              ( not
                  ( "How fast"
                      `isInfixOf` T.unpack (renderSheet plain (onSheet 0 [times (replicate 20 5)]))
                  )
              ),
          testCase "the floor is what parts the first from itself" $ do
            let entry name each = Entry name [Figure cpuTime Nanoseconds (replicate 12 each)]
            map (.part) (floorsOf [entry "a" 100, entry "b" 50] (Just (entry "a" 104))) @?= [0.04]
        ],
      testGroup
        "sights"
        [ testCase "what never wanders hides nothing" $
            sights (5 :| replicate 39 5) (5 :| replicate 39 5) @?= [(10, 0), (20, 0), (40, 0)],
          testCase "what wanders by a tenth hides about that, and less after more rounds" $
            case sights (wandering 0) (wandering 1) of
              found@[(10, few), (20, _), (40, _), (80, many)] ->
                assertBool (show found) (few > 0.02 && few < 0.3 && many < few)
              other -> assertFailure (show other),
          testCase "a few rounds are no ground" $
            sights (5 :| replicate 8 5) (5 :| replicate 8 5) @?= []
        ]
    ]
  where
    verdicts before after =
      [verdict one | one <- differences [onSheet 0 [before]] [onSheet 0 [after]]]
    times = Figure cpuTime Nanoseconds
    exact n = Figure "allocated" Bytes [n]
    sized figures =
      [ (onSheet 0 [figure]) {setting = [Choice "n" (T.pack (show size))]}
        | (size, figure) <- zip [10, 20, 40, 80 :: Int] figures
      ]
    disturbance s0 =
      let (around, s1) = below 2001 s0
          (hit, s2) = below 5 s1
          (far, s3) = below 1001 s2
       in ( (1 + 0.06 * (fromIntegral around / 1000 - 1))
              * (if hit == 0 then 1 + fromIntegral far / 1000 else 1),
            s3
          )
    wandering k = 100 :| [100 + 5 * wobble (3 * i + k) | i <- [1 .. 79]]

-- | Between -1 and 1, without a pattern that halves would share.
wobble :: Int -> Double
wobble i = fromIntegral ((i * 7919 + i * i * 104729) `mod` 2001) / 1000 - 1

onSheet :: Double -> [Figure] -> Sheet
onSheet hidden figures =
  Sheet
    { title =
        "made up",
      setting = [],
      rounds = 20,
      floors = [Floor cpuTime hidden, Floor wallTime hidden],
      entries = [Entry "a" figures],
      control = Nothing,
      pace = Nothing,
      remarks = []
    }

programs :: [Sheet] -> Programs
programs sheets =
  Programs
    { format = programsVersion,
      machine = Machine "ghc" "linux" "none" 1 Nothing,
      plan =
        Programs.Plan
          { commands =
              ["true"],
            over = [],
            prepare = Nothing,
            rounds = 20,
            warmUp = 1,
            exits = [0],
            timeLimit = Nothing,
            instructions = False
          },
      sheets
    }

has :: String -> [Text] -> Assertion
has text =
  mapM_ (\needle -> assertBool (show needle <> " in\n" <> text) (T.unpack needle `isInfixOf` text))
