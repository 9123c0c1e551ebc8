{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The page of a comparison as its readers use it.
module Tern.Lab.PageTest (tests) where

import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Browser (inBrowser)
import Tern.Lab.Result (Machine (..))
import Tern.Lab.Sheet
  ( Choice (..),
    Entry (..),
    Figure (..),
    Floor (..),
    Sheet (..),
    Unit (..),
    cpuTime,
    wallTime,
  )
import Tern.Lab.Sheet.Page (page)
import Tern.Lab.Sheet.Picture (picture, pictures)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "page"
    [ testCaseInfo "in a browser: bars, rounds, figures to choose, a table to sort, growth" $
        inBrowser
          shown
          ( T.unlines
              [ "const said = [];",
                "const all = what => [...document.querySelectorAll(what)];",
                "const names = () => all('section')[0].querySelectorAll('tbody tr').length + ' \
                \' + [...all('section')[0].querySelectorAll('tbody td:first-child')].map(c => \
                \c.textContent).join(' ');",
                "const press = (what, text) => \
                \[...all('section')[0].querySelectorAll(what)].find(b => \
                \b.textContent.startsWith(text)).click();",
                "said.push('sections ' + all('section').length);",
                "said.push('bars ' + all('section')[0].querySelectorAll('.bar').length);",
                "said.push('rounds ' + all('section')[0].querySelectorAll('.round').length);",
                "said.push(names());",
                "press('th button', 'CPU time'); said.push(names());",
                "press('th button', 'CPU time'); said.push(names());",
                "press('.controls button', 'allocated');",
                "said.push('allocated ' + \
                \all('section')[0].querySelector('svg').getAttribute('aria-label') + ' ' + \
                \all('section')[0].querySelectorAll('.round').length);",
                "said.push([...all('section')[0].querySelectorAll('tbody td:last-child')].map(c \
                \=> c.textContent).join(' | '));",
                "said.push('growth ' + all('.growth').length + ' steep ' + all('b.worse').length);",
                "said.push('loads ' + all('[src], link').length);",
                "return said.join('; ');"
              ]
          )
          ( @?=
              -- The answer comes back as HTML, in which names are escaped once.
              "sections 4; bars 3; rounds 36; 2 one &lt;it&gt; & slow; 2 one &lt;it&gt; & slow; \
              \2 slow one &lt;it&gt; &; allocated allocated 0; 2.00 (2.00 to 2.00) | 1; growth \
              \4 steep 1; loads 0"
          ),
      testCase "what stands in names cannot leave its place" $ do
        let hostile =
              page
                "</title><script>alert(1)</script>"
                machine
                [sheet "1" "</script><script>alert(2)</script>"]
        T.count "<script>alert" hostile @?= 0
        T.count "<script" hostile @?= 2,
      testCase "a picture has a bar for each entry, and no more than its room" $ do
        let drawn = picture cpuTime (sheet "1" "one <it> &")
        (T.count "<rect" drawn, T.count "&lt;it&gt;" drawn) @?= (2, 1)
        assertBool "no script" (not ("script" `T.isInfixOf` drawn)),
      testCase "pictures below each other have all bars, each in its room" $ do
        let drawn = pictures "two" [sheet "10" "one <it> &", sheet "20" "one <it> &"]
        (T.count "<rect" drawn, T.count "<svg" drawn, T.count "<g " drawn) @?= (4, 1, 2)
        "translate(0 86.0)" `T.isInfixOf` drawn @? T.unpack drawn
        T.count "height=\"172.0\"" drawn @?= 1,
      testCase "a picture of a figure that nothing has is empty, and still a picture" $
        T.count "<rect" (picture "nothing" (sheet "1" "one")) @?= 0
    ]
  where
    shown = page "made up" machine [sheet "10" "one <it> &", sheet "20" "one <it> &"]

machine :: Machine
machine = Machine "ghc" "linux" "none" 1 Nothing

-- | Of two, of which the second takes twice as long, in a dozen rounds; its bytes are the
-- square of the size.
sheet :: Text -> Text -> Sheet
sheet size name =
  Sheet
    { title =
        "sizes",
      setting = [Choice "n" size],
      rounds = 12,
      floors = [Floor cpuTime 0.01, Floor wallTime 0.01],
      entries = [entry name 1 100, entry "slow" 2 (n * n)],
      control = Just (entry name 1 100),
      pace = Nothing,
      remarks = []
    }
  where
    n = read (T.unpack size)
    entry it times bytes =
      Entry
        it
        [ Figure
            cpuTime
            Nanoseconds
            [ times * (100 * n + fromIntegral (i `mod` 3))
              | i <-
                  [1 .. 12 :: Int]
            ],
          Figure "allocated" Bytes [bytes]
        ]
