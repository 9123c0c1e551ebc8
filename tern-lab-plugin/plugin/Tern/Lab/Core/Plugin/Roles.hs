{-# LANGUAGE OverloadedStrings #-}

-- | Functions of libraries that call what they are given.
--
-- Its one idea: of each it is known, by its name, whether it does so again and again, and which
-- parameters carry what was made before.
--
-- Start at 'roleOf'.
module Tern.Lab.Core.Plugin.Roles
  ( Role (..),
    roleOf,
    readers,
  )
where

import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Role,
    Unfolding (NoUnfolding),
    (<>),
  )
import Tern.Lab.Core.Plugin.Shape (occurrence)

-- | How often the function that is given is called, and which of its parameters
-- carry what was made before.
data Role = Role !Bool ![Int]

-- | By the name alone: those of all containers are called so.
roleOf :: Id -> Maybe Role
roleOf f
  | isLocalId f = Nothing
  | otherwise = Map.lookup (occurrence f) roles

roles :: Map Text Role
roles =
  Map.fromList $
    [ (name, Role True [0])
      | name <-
          [ "foldl",
            "foldl'",
            "foldM",
            "foldM_",
            "foldl1",
            "foldl1'",
            "mapAccumL",
            "mapAccumR",
            "mapAccum",
            "scanl",
            "scanl'",
            "foldlM",
            "foldlM'",
            "foldM'",
            "foldlWithKey",
            "foldlWithKey'",
            "ifoldl'",
            "ifoldl",
            "iterate",
            "iterate'",
            "until",
            "unfoldr",
            "iterateN",
            "foldlStrict",
            "iterateNM"
          ]
    ]
      <> [ (name, Role True [1])
           | name <-
               ["foldr", "foldr'", "foldrM", "foldr1", "scanr"]
         ]
      <> [(name, Role True [2]) | name <- ["foldrWithKey", "foldrWithKey'", "ifoldr"]]
      <> [ (name, Role True [])
           | name <-
               [ "map",
                 "fmap",
                 "<$>",
                 "<&>",
                 "mapM",
                 "mapM_",
                 "forM",
                 "forM_",
                 "for_",
                 "for",
                 "traverse",
                 "traverse_",
                 "replicateM",
                 "replicateM_",
                 "forever",
                 "filter",
                 "filterM",
                 "zipWith",
                 "zipWith3",
                 "zipWithM",
                 "zipWithM_",
                 "concatMap",
                 "foldMap",
                 "foldMap'",
                 "any",
                 "all",
                 "takeWhile",
                 "dropWhile",
                 "span",
                 "break",
                 "partition",
                 "mapMaybe",
                 "sortBy",
                 "sortOn",
                 "groupBy",
                 "nubBy",
                 "find",
                 "generate",
                 "generateM",
                 "imap",
                 "imapM_",
                 "iforM_",
                 "imapM",
                 "iforM",
                 "mapWithKey",
                 "traverseWithKey",
                 "filterWithKey",
                 "mapKeys",
                 "fromListWith",
                 "fromListWithKey",
                 "unionWith",
                 "unionsWith",
                 "maximumBy",
                 "minimumBy",
                 "tabulate",
                 "whileM_",
                 "numLoop",
                 "concatForM",
                 "interact"
               ]
         ]
      <> [(name, Role False [0]) | name <- modifiers]
      <> [ (name, Role False [0, 1, 2])
           | name <-
               [ "insertWith",
                 "insertWith'",
                 "insertWithKey",
                 "adjust",
                 "alter",
                 "update",
                 "adjustWithKey",
                 "updateWithKey",
                 "alterF"
               ]
         ]

-- | They give a function what a cell holds.
modifiers :: [Text]
modifiers =
  [ "modify",
    "modify'",
    "modifyIORef",
    "modifyIORef'",
    "modifySTRef",
    "modifySTRef'",
    "modifyTVar",
    "modifyTVar'",
    "atomicModifyIORef",
    "atomicModifyIORef'",
    "modifyMVar",
    "modifyMVar_",
    "state",
    "stateTVar",
    "gets",
    "unsafeModify"
  ]

-- | What they give back is what a cell holds.
readers :: [Text]
readers =
  [ "readIORef",
    "readSTRef",
    "readTVar",
    "readTVarIO",
    "readMVar",
    "takeMVar",
    "get",
    "read",
    "unsafeRead",
    "readArray"
  ]
