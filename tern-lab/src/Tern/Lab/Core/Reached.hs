{-# LANGUAGE OverloadedStrings #-}

-- | What a call of an overloaded function reaches.
--
-- Its one idea: a version for known instances can save no more than is made in the function that is
-- called, in those that it calls, and in the methods of these instances.
--
-- Start at 'reachedBy'.
module Tern.Lab.Core.Reached (reachedBy) where

import Data.Map.Strict qualified as Map
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( Binding (..),
    ModuleFacts (..),
    Part (..),
    Spot (..),
  )
import Tern.Lab.Core.Finding (PartId (..))
import Tern.Lab.Core.Index (calleeOf, global, inModule, ownerName)

-- | The functions of a program, all their parts, that are called from some or are methods of these
-- instances, each as a constraint has it, for example @Ord Text@; of all instances of a class by
-- its name alone.
reachedBy :: [ModuleFacts] -> [Text] -> Set PartId -> Set PartId
reachedBy modules instances start =
  Set.fromList (concatMap partsOf (Map.elems (go Map.empty first)))
  where
    first =
      [ g
        | (g, mb) <- Map.toList named,
          any (`Set.member` start) (partsOf mb) || isMethod (snd mb)
      ]
    go seen = \case
      [] -> seen
      g : rest
        | Map.member g seen -> go seen rest
        | otherwise -> case Map.lookup g named of
            Nothing -> go seen rest
            Just mb -> go (Map.insert g mb seen) (calls mb <> rest)
    calls (m, b) =
      [global m callee | s <- bindingSpots b, Just callee <- [calleeOf (spotSight s)]]
    named =
      Map.fromList
        [(inModule m (bindingName b), (m, b)) | m <- modules, b <- factsBindings m]
    partsOf (m, b) =
      [ PartId (factsUnit m) (factsModule m) key
        | key <- bindingKey b : map partKey (bindingParts b)
      ]
    isMethod b =
      any
        (`T.isPrefixOf` maybe (bindingName b) ownerName (bindingOwner b))
        dictionaries
    dictionaries =
      [ T.concat ["$f", cls, constructorOf t]
        | constraint <- instances,
          given : t <- [T.words constraint],
          cls <- given : above given
      ]
    constructorOf = T.takeWhileEnd (/= '.') . T.filter (`notElem` ['(', ')']) . T.concat . take 1

-- | The classes of base that an instance of a class has instances of, where these make something.
above :: Text -> [Text]
above = \case
  "Monad" -> ["Applicative", "Functor"]
  "Applicative" -> ["Functor"]
  "Monoid" -> ["Semigroup"]
  "Traversable" -> ["Foldable", "Functor"]
  "Real" -> ["Num", "Ord"]
  "Integral" -> ["Num", "Ord", "Real"]
  "Fractional" -> ["Num"]
  "Floating" -> ["Fractional", "Num"]
  "RealFrac" -> ["Fractional", "Num", "Real"]
  _other -> []
