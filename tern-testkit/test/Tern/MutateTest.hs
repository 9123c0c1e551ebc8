{-# LANGUAGE OverloadedStrings #-}

-- | The table of planted bugs, how they are planted, and what is said of a suite.
module Tern.MutateTest (tests) where

import Control.Concurrent (newEmptyMVar, putMVar, takeMVar, yield)
import Control.Exception (ErrorCall (..), throwIO, try)
import Control.Monad (forM_, void, when)
import Data.ByteString qualified as B
import Data.IORef (atomicModifyIORef', newIORef, readIORef)
import Data.List (nub, sort)
import Data.Map.Strict qualified as Map
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Fingerprint (fingerprintString)
import System.Directory
  ( createDirectoryIfMissing,
    doesFileExist,
    getModificationTime,
    listDirectory,
    setModificationTime,
  )
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Mutate (checkTables, chosen)
import Tern.Mutate.Kept (keep, keyOf, lookupKept, readKept)
import Tern.Mutate.Lanes (inLanes)
import Tern.Mutate.Page (Found (..), isPageOf, page, pageRows, renderSummary, renewed, rows)
import Tern.Mutate.Plant (plant, switchVariable)
import Tern.Mutate.Run (Command (..), Limits (..), Outcome (..), countedSeconds, runCases)
import Tern.Mutate.Table (Bug (..), Seen (..), package, parseTable, readTables)
import Tern.Mutate.Tree (plantTree)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, assertFailure, testCase, testCaseInfo, (@?), (@?=))

tests :: TestTree
tests =
  testGroup
    "planted bugs"
    [table, planting, copying, lanes, running, keeping, telling, thisCheckout]

-- * The table

table :: TestTree
table =
  testGroup
    "table"
    [ testCase "an entry is read, lines of text as they stand" $
        parseTable
          ( T.unlines
              [ "# a comment",
                "",
                "[two-lines]",
                "kind: bounds",
                "says: It is: wrong.",
                "file: a/b.hs",
                "seen: a:b /x y/ && z",
                "-   f x",
                "-     y",
                "+   g"
              ]
          )
          @?= ( [],
                [ Bug
                    "two-lines"
                    "bounds"
                    "It is: wrong."
                    "a/b.hs"
                    (Seen "a:b" "/x y/ && z")
                    "  f x\n    y"
                    "  g"
                ]
              ),
      testCase "what is wrong is said with its line" $
        fst
          ( parseTable
              ( T.unlines
                  ( "[a b]"
                      : entry
                        "no-text"
                        ["seen: s:t p"]
                        <> entry "no-pattern" ["seen: s:t", "- x", "+ y"]
                        <> entry "same" ["seen: s:t p", "- x", "+ x"]
                        <> entry "word" ["seen: s:t p", "- x", "+ y", "colour: red"]
                  )
              )
          )
          @?= [ "line 1: expected a name in brackets, of small letters, digits and dashes",
                "line 2: expected a line '- ' with the text that is replaced",
                "line 7: 'seen:' expects a suite and a pattern",
                "line 14: the new text is the old one",
                "line 21: 'colour' is none of kind, says, file, seen"
              ],
      testCase "packages, kinds and bugs are asked for by their names" $ do
        let bugs =
              [bug {bugName = "one", bugKind = "digits"}, bug {bugName = "two", bugFile = "b/x.hs"}]
        fmap (map bugName) (chosen [] bugs) @?= Right ["one", "two"]
        fmap (map bugName) (chosen ["digits"] bugs) @?= Right ["one"]
        fmap (map bugName) (chosen ["b", "one"] bugs) @?= Right ["one", "two"]
        chosen ["three"] bugs
          @?= Left
            "'three' names no package, kind of code or bug; expected one of a, b, bounds, \
            \digits, or a bug of tern-testkit/mutants"
    ]
  where
    entry name rest = ["[" <> name <> "]", "kind: k", "says: s", "file: f"] <> rest

-- * Planting

planting :: TestTree
planting =
  testGroup
    "planting"
    [ testCase
        "an expression is chosen where it stands, and its switch is a constant of the module"
        $ holds
          [bug {bugName = "a-b", bugOld = "x < 3", bugNew = "x <= 3"}]
          "module M\n  ( f,\n  )\nwhere\n\nf x = x < 3\n"
          [ "\nf x = (if ternPlanted_a_b then (x <= 3) else (x < 3))\n",
            "  )\nwhere\nimport Data.Bool qualified as TernPlanted\n",
            "\nternPlanted_a_b :: TernPlanted.Bool\n",
            "(TernPlanted.== \"a-b\")"
          ],
      testCase "what is no expression says where the choice is" $
        holds
          [ bug
              { bugOld = "| x < 3",
                bugNew = "| x < 3, not PLANTED"
              }
          ]
          "module M where\nf x | x < 3 = 1\n"
          ["\nf x | x < 3, not ternPlanted_bug = 1\n"],
      testCase "switches stand before a splice, after which nothing is seen by what is before it" $
        holds
          [bug]
          "module M where\nf = old\n$splice\ng = f\n"
          ["{-# NOINLINE ternPlanted_bug #-}\n\n$splice\ng = f\n"],
      testCase "two expressions may stand for one text" $
        holds
          [bug {bugName = "one", bugNew = "1"}, bug {bugName = "two", bugNew = "2"}]
          "module M where\nf = old\n"
          ["\nf = (if ternPlanted_one then (1) else ((if ternPlanted_two then (2) else (old))))\n"],
      testCase "C has the same" $
        holds
          [bug {bugFile = "a/b.c", bugOld = "n >= 64", bugNew = "n > 64"}]
          "int f(int n) { return n >= 64; }\n"
          ["return (ternPlanted_bug ? (n > 64) : (n >= 64));", "strcmp(on, \"bug\") == 0"],
      testCase "a text that is not there once is told" $ do
        plant [bug] "module M where\nf = 1\n"
          @?= Left ["bug: a/x.hs no longer has the text to replace: old"]
        plant [bug] "module M where\nf = old + old\n"
          @?= Left ["bug: a/x.hs has the text to replace 2 times: old"],
      testCase "a text that && would take apart is told: the copy is the program itself" $ do
        let either_ new = plant [bug {bugNew = new}]
            loose =
              "bug: stands beside &&, which takes a part of the new text: put it in parentheses"
        either_ "PLANTED || old" "module M where\nf = x &&\n  old\n" @?= Left [loose]
        either_ "x || PLANTED" "module M where\nf = old && y\n" @?= Left [loose]
        holds
          [bug {bugNew = "(PLANTED || old)"}]
          "module M where\nf = x && old && y\n"
          ["\nf = x && (ternPlanted_bug || old) && y\n"]
        holds
          [bug {bugNew = "PLANTED || old"}]
          "module M where\nf = old\n"
          ["\nf = ternPlanted_bug || old\n"],
      testCase "texts that overlap are told" $ do
        plant
          [ bug
              { bugName = "one",
                bugOld = "f = o"
              },
            bug {bugName = "two"}
          ]
          "module M where\nf = old\n"
          @?= Left ["one and two: the texts to replace overlap"]
        plant
          [ bug
              { bugName = "one",
                bugNew = "PLANTED"
              },
            bug {bugName = "two"}
          ]
          "module M where\nf = old\n"
          @?= Left ["one, two: only bugs that are expressions may share a text"]
    ]
  where
    holds bugs source parts = case plant bugs source of
      Left wrong -> assertFailure (show wrong)
      Right text -> forM_ parts $ \part -> assertBool (T.unpack text) (part `T.isInfixOf` text)

bug :: Bug
bug = Bug "bug" "bounds" "It is wrong." "a/x.hs" (Seen "a:b" "c") "old" "new"

copying :: TestTree
copying =
  testCase
    "a copy has what the checkout has and no more, and stays where nothing changed"
    . inFolder
    $ \folder -> do
      let from = folder </> "from"
          to = folder </> "to"
      createDirectoryIfMissing True (from </> "a" </> "dist-newstyle")
      B.writeFile (from </> "a" </> "x.hs") "old"
      B.writeFile (from </> "a" </> "y.hs") "same"
      B.writeFile (from </> "a" </> "dist-newstyle" </> "z") "built"
      createDirectoryIfMissing True (to </> "dist-newstyle")
      B.writeFile (to </> "gone.hs") "gone"
      B.writeFile (to </> "dist-newstyle" </> "z") "built"
      plantTree from to (Map.singleton "a/x.hs" "new")
      listDirectory to >>= (@?= ["a", "dist-newstyle"]) . sort
      listDirectory (to </> "a") >>= (@?= ["x.hs", "y.hs"]) . sort
      B.readFile (to </> "a" </> "x.hs") >>= (@?= "new")
      -- As old as another file: cabal and GHC see that it is the one they know.
      long <- getModificationTime "/"
      setModificationTime (to </> "a" </> "y.hs") long
      plantTree from to Map.empty
      getModificationTime (to </> "a" </> "y.hs") >>= (@?= long)
      B.readFile (to </> "a" </> "x.hs") >>= (@?= "old")

-- * Lanes

lanes :: TestTree
lanes =
  testGroup
    "lanes"
    [ testCase "two groups are at work at a time" $ do
        -- Each waits for the other: one alone would never end.
        (left, right) <- (,) <$> newEmptyMVar <*> newEmptyMVar
        let meet item
              | item == 'a' = item <$ (putMVar left () >> takeMVar right)
              | otherwise = item <$ (putMVar right () >> takeMVar left)
        inLanes 2 id (const 1) meet "ab" >>= (@?= "ab"),
      testCase "no group is beside itself, its items stay in their order, and so do results" $ do
        inside <- newIORef (Map.empty :: Map.Map Int Int)
        begun <- newIORef []
        let items = [0 .. 199 :: Int]
            group = (`mod` 3)
            enter item = atomicModifyIORef' inside $ \now ->
              (Map.insertWith (+) (group item) 1 now, Map.findWithDefault 0 (group item) now)
            leave item = atomicModifyIORef' inside $ \now ->
              (Map.adjust (subtract 1) (group item) now, ())
            work item = do
              others <- enter item
              when (others > 0) (throwIO (ErrorCall "beside itself"))
              atomicModifyIORef' begun (\past -> (item : past, ()))
              yield
              item * 2 <$ leave item
        inLanes 8 group fromIntegral work items >>= (@?= map (* 2) items)
        order <- reverse <$> readIORef begun
        let byGroup xs = [filter ((== g) . group) xs | g <- [0, 1, 2]]
        byGroup order @?= byGroup items,
      testCase "what costs most begins first" $ do
        begun <- newIORef []
        let begin (name, _) = atomicModifyIORef' begun (\past -> (name : past, ()))
        void (inLanes 1 fst snd begin [('a', 1), ('b', 5), ('a', 1), ('c', 3)])
        order <- readIORef begun
        reverse order @?= "bcaa",
      testCase "an exception ends all" $ do
        let third n = when (n == 3) (throwIO (ErrorCall "no"))
        ended <- try (inLanes 2 id (const 1) third [1 .. 9 :: Int])
        ended @?= Left (ErrorCall "no"),
      testCase "nothing to do is done" $ inLanes 3 id (const 1) pure "" >>= (@?= "")
    ]

-- * Running

running :: TestTree
running =
  testGroup
    "running"
    [ ran
        "a case that fails has caught it"
        "echo 'failed: a.b c: expected: 1'; echo 'tally: 3 passed, 1 failed, 0 skipped'; exit 1"
        (Caught "a.b c"),
      ran "cases that pass have missed it" "echo 'tally: 3 passed, 0 failed, 1 skipped'" (Missed 3),
      ran
        "without a tally it has crashed, whatever the status"
        "echo all is well; exit 0"
        (Crashed 0),
      ran "a suite that is killed has crashed" "kill -SEGV $$" (Crashed (-11)),
      ran
        "a tally and a status that do not agree are a crash"
        "echo 'tally: 3 passed, 0 failed, 0 skipped'; exit 3"
        (Crashed 3),
      ran
        "what does not end is ended, with all that it started"
        "sleep 1000 & sleep 1000; wait"
        (Hung 1),
      ran
        "the switch is in the environment"
        ( "echo \"failed: $"
            <> switchVariable
            <> ": x\"; echo 'tally: 0 passed, 1 failed, 0 skipped'; exit 1"
        )
        (Caught "some-bug"),
      testCase "a program is not blamed for an hour in which the machine stood still" $
        sum (map countedSeconds [0.25, 3600, 0.5]) @?= 1.75
    ]
  where
    ran name script outcome = testCase name . inFolder $ \folder -> do
      (found, _) <-
        runCases
          (Limits 1 1000)
          (folder </> "output")
          ( Command
              "sh"
              ["-c", script]
              folder
              [(switchVariable, "some-bug")]
          )
      found @?= outcome

-- * Keeping

keeping :: TestTree
keeping =
  testCase "what was found is kept, and a line that was cut is none" . inFolder $ \folder -> do
    let path = folder </> "below" </> "kept"
        key = keyOf (fingerprintString "program") "pattern" . Just
        outcomes = [Caught "a.b", Crashed (-11), Hung 3, Grew 4000, Missed 7]
        keys = map (key . T.pack . show) [1 .. length outcomes]
    mapM_ (\(k, o) -> keep path k (o, 1.5)) (zip keys outcomes)
    bytes <- B.readFile path
    B.writeFile path (B.take (B.length bytes - 5) bytes)
    kept <- readKept path
    map (`lookupKept` kept) keys @?= map (\o -> Just (o, 1.5)) (init outcomes) <> [Nothing]
    length
      ( nub
          [ keyOf (fingerprintString p) q b
            | p <- ["1", "2"],
              q <- ["1", "2"],
              b <- [Nothing, Just "1", Just "2"]
          ]
      )
      @?= 12

-- * Telling

telling :: TestTree
telling =
  testGroup
    "telling"
    [ testCase "the table counts, and what was missed is said" $
        renderSummary some
          @?= T.unlines
            [ "package  code    planted  caught",
              "a        bounds        2       1",
              "all                    2       1",
              "",
              "two: MISSED by 7 cases of a:b, pattern 'c'; It is wrong."
            ],
      testCase "rows have a name for each column" $
        map (length . T.splitOn "\t") (T.lines (rows some)) @?= [10, 10, 10],
      testCase "a page is of its bugs and no others" $ do
        isPageOf (map foundBug some) (pageOf some) @? "its own"
        not (isPageOf [bug {bugName = "one"}] (pageOf some)) @? "one less"
        not (isPageOf [bug {bugName = "one"}, bug {bugName = "three"}] (pageOf some)) @? "another"
        let changed = [bug {bugName = "one"}, bug {bugName = "two", bugSays = "Else."}]
        not (isPageOf changed (pageOf some)) @? "as it was",
      testCase "a run of some renews their rows, and leaves the others" $ do
        let again = [Found bug {bugName = "two"} (Caught "d") 3]
            added = [Found bug {bugName = "three", bugKind = "limits"} (Hung 1) 4]
            whole = map foundBug (some <> added)
        fmap page (renewed whole added (pageOf some)) @?= ([], pageOf (some <> added))
        fmap page (renewed whole added (pageOf (take 1 some <> again)))
          @?= ([], pageOf (take 1 some <> again <> added))
        fmap page (renewed (map foundBug some) again (pageOf (some <> added)))
          @?= ([], pageOf (take 1 some <> again))
        fmap page (renewed whole again (pageOf some))
          @?= (["three"], pageOf (take 1 some <> again))
        fmap page (renewed whole added "") @?= (["one", "two"], pageOf added)
        fmap page (renewed [bug {bugName = "one", bugSays = "Else."}] [] (pageOf some))
          @?= (["one"], pageOf [])
        map (length . pageRows) [pageOf some, "", "| a | b | c | d |\n| a | b |"] @?= [2, 0, 0]
    ]
  where
    pageOf found = page (snd (renewed (map foundBug found) found ""))
    some =
      [Found bug {bugName = "one"} (Caught "a.b | c") 1, Found bug {bugName = "two"} (Missed 7) 2]

-- * This checkout

thisCheckout :: TestTree
thisCheckout =
  testGroup
    "this checkout"
    [ testCase "each bug's text is in its file once" $ do
        (wrong, bugs) <- checkTables ".."
        T.unlines wrong @?= ""
        assertBool (show (length bugs)) (length bugs >= 140),
      testCase "each bug is in the table of its package, and its suite is there" $ do
        (_, bugs) <- readTables ".."
        forM_ bugs $ \b -> do
          let (in_, suite) = T.breakOn ":" (seenSuite (bugSeen b))
          doesFileExist (".." </> "tern-testkit" </> "mutants" </> T.unpack (package b <> ".txt"))
            >>= assertBool (T.unpack (bugName b))
          cabal <-
            T.decodeUtf8Lenient
              <$> B.readFile (".." </> T.unpack in_ </> T.unpack (in_ <> ".cabal"))
          assertBool
            ( T.unpack
                (bugName b <> ": no suite " <> seenSuite (bugSeen b))
            )
            (("test-suite " <> T.drop 1 suite) `elem` T.lines cabal),
      testCaseInfo "the page is of these bugs, and none of them was missed" $ do
        made <- doesFileExist pagePath
        if not made
          then pure "skipped: no run of all bugs has made the page yet; ./dev mutate does"
          else do
            (_, bugs) <- readTables ".."
            text <- T.decodeUtf8Lenient <$> B.readFile pagePath
            let n = T.pack (show (length bugs))
            isPageOf bugs text @? "the page is of other bugs; ./dev mutate writes it anew"
            (n <> " planted, " <> n <> " caught.") `elem` T.lines text @? "some were missed"
            pure (T.unpack n <> " bugs")
    ]
  where
    pagePath = "../docs/planted-bugs.md"

inFolder :: (FilePath -> IO a) -> IO a
inFolder = withSystemTempDirectory "mutate"
