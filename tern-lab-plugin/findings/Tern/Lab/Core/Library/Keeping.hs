{-# LANGUAGE OverloadedStrings #-}

-- | Functions that keep computations where values were meant, or what need not be made.
--
-- Its one idea: what is put into a container, a cell, a state or a log is kept as it is given; if
-- each is made of the last, a chain grows. What has a name and several users is kept too.
--
-- Start at 'keeping'.
module Tern.Lab.Core.Library.Keeping
  ( keeping,
    runsLog,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts (Argument (..), Global (..), Use (..))
import Tern.Lab.Core.Fused (consumers)
import Tern.Lab.Core.Library.Call
  ( Called (..),
    Rule (..),
    allOf,
    arguments,
    atLast,
    callee,
    calls,
    folding,
    folds,
    given,
    hasBuilder,
    isList,
    isPacked,
    lists,
    under,
    vectors,
  )
import Tern.Lab.Core.Library.Cost (Cost (..))

-- | The rules that are asked after those of copying. Of a use the first that holds decides.
keeping :: [Rule]
keeping =
  [ Rule
      KeepsValues
      0
      ( allOf
          [ calls lazyContainers (changing <> " unionWith unionWithKey"),
            not . given 0 [Conses],
            not . keepsOne
          ]
      ),
    -- Their functions may evaluate the value before they give it.
    Rule
      KeepsValues
      0
      (allOf [calls lazyContainers "alter alterF update updateWithKey", given 0 [Builds]]),
    Rule
      KeepsValues
      1
      (allOf [calls lazyContainers making, not . given 0 [Conses], not . keepsOne]),
    Rule KeepsValues 0 (allOf [calls lazyContainers "insert", given 1 [FromAccumulated]]),
    Rule KeepsValues 0 (allOf [calls ["Data.Sequence.Internal"] "adjust", not . given 0 [Conses]]),
    Rule
      KeepsFields
      0
      ( allOf
          [ calls strictContainers (changing <> " alter update updateWithKey"),
            given 0 [Builds]
          ]
      ),
    Rule KeepsFields 1 (allOf [calls strictContainers making, given 0 [Builds]]),
    Rule KeepsRecord 0 (allOf [calls states modifying, hasBuilder]),
    Rule KeepsRecord 0 (allOf [calls states storing, hasBuilder]),
    Rule KeepsState 0 (allOf [calls states modifying, hasLazyFunction]),
    Rule KeepsState 0 (allOf [calls states "modifyMVar_ modifyMVar", hasBuilder]),
    Rule KeepsState 0 (allOf [calls states storing, elem FromAccumulated . arguments]),
    Rule
      KeepsFields
      0
      (allOf [calls states "modify' modifyIORef' modifySTRef' modifyTVar'", hasBuilder]),
    Rule
      KeepsFields
      1
      ( allOf
          [calls (folds <> ["GHC.Base"]) (folding <> " until"), hasBuilder, not . makesList]
      ),
    Rule KeepsFields 1 (allOf [calls folds "mapAccumL mapAccumR mapAccum", hasBuilder]),
    Rule HandsFields 0 (allOf [ofProgram, hasBuilder]),
    Rule GivesFields 0 (any (`elem` [Stepped, SteppedInside]) . arguments),
    Rule
      GathersList
      0
      ( allOf
          [ calls writers "tell",
            isWriters,
            any (\t -> isList t || isPacked t) . useTypes . calledUse
          ]
      ),
    Rule GathersLog 0 (allOf [calls writers "tell", isWriters]),
    Rule
      KeepsRange
      0
      ( allOf
          [ calls folds "mapM_ forM_ for_ traverse_ foldM foldM_ foldlM foldl' mapM forM traverse",
            elem NamedRange . arguments
          ]
      ),
    Rule KeepsSteps 1 (allOf [calls lists "iterate", stepped]),
    Rule
      KeepsPipeline
      0
      (allOf [calls vectors (T.unwords consumers), elem NamedPipeline . arguments])
  ]
  where
    changing = "insertWith insertWithKey adjust adjustWithKey"
    making = "fromListWith fromListWithKey fromAscListWith unionsWith"
    modifying = "modify modifyIORef modifySTRef modifyTVar atomicModifyIORef"
    -- From the right, as it is asked for: no element waits longer than the list does.
    makesList = allOf [calls folds "foldr", atLast isList]
    ofProgram c = globalUnit (callee c) == calledUnit c
    storing = "put writeIORef writeSTRef writeTVar putMVar"

lazyContainers, strictContainers, states, writers :: [Text]
lazyContainers = ["Data.Map.Internal", "Data.IntMap.Internal", "Data.HashMap.Internal"]
strictContainers =
  ["Data.Map.Strict.Internal", "Data.IntMap.Strict.Internal", "Data.HashMap.Internal.Strict"]
states =
  T.words
    "Data.IORef GHC.IORef Data.STRef GHC.STRef Control.Monad.ST.Lazy GHC.Conc.Sync GHC.Conc \
    \Control.Concurrent.STM.TVar Control.Concurrent.MVar GHC.MVar Control.Monad.State.Class \
    \Control.Monad.Trans.State.Lazy Control.Monad.Trans.State.Strict \
    \Control.Monad.Trans.RWS.Lazy Control.Monad.Trans.RWS.Strict"
writers = ["Control.Monad.Writer.Class"] <> writerModules

writerModules :: [Text]
writerModules =
  ["Control.Monad.Trans." <> m <> "." <> s | m <- ["Writer", "RWS"], s <- ["Lazy", "Strict"]]

-- | Does it run a monad whose log waits?
runsLog :: Use -> Bool
runsLog u =
  globalModule (useCallee u) `elem` writerModules
    && any (`T.isPrefixOf` globalName (useCallee u)) ["run", "exec", "eval"]

-- | A monad whose log waits: not that of continuations. Where the monad is only known elsewhere,
-- it is the one that the program runs.
isWriters :: Called -> Bool
isWriters c =
  "Control.Monad.Trans." `T.isPrefixOf` globalModule (callee c)
    || (calledLogs c && any null (take 1 (reverse (useTypes (calledUse c)))))
    || any (any (`elem` transformers)) (useTypes (calledUse c))
  where
    transformers = [T.concat [m, ".", T.takeWhile (/= '.') (T.drop 20 m), "T"] | m <- writerModules]

-- | A function whose result is not there at once.
hasLazyFunction :: Called -> Bool
hasLazyFunction = any lazily . arguments
  where
    lazily = \case
      Builds -> True
      Compound -> True
      Given g _ -> globalName g `notElem` ["id", "const", "[]", "Nothing"]
      _ -> False

-- | Of the old and the new value it keeps the one or the other, or a list that
-- has both.
keepsOne :: Called -> Bool
keepsOne c =
  or
    [ globalName g `elem` ["const", "++", "<|>"]
        || (globalName g `elem` ["<>", "mappend"] && any isList (take 1 types))
      | Given g types <-
          take 1 (arguments c)
    ]

-- | Only what comes after many steps is looked at.
stepped :: Called -> Bool
stepped c = case under c of
  "!!" : _ -> True
  "drop" : "head" : _ -> True
  "take" : "last" : _ -> True
  _ -> False
