-- | Which bindings are read: those that were asked for, and those that they
-- call.
--
-- Its one idea: who reads a binding soon asks for the one that it calls, so
-- what can be reached inside the project comes along, the nearest first, up to
-- a number that a page can hold.
module Tern.Lab.Core.Sheets
  ( sheetsOf,
  )
where

import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Code
  ( Alternative (..),
    Code (..),
    Definition (..),
    Equation (..),
    Subject (..),
  )
import Tern.Lab.Core.Facts
  ( Binding (..),
    Callee (..),
    Global (..),
    ModuleFacts (..),
    Owner (..),
    unmarked,
  )
import Tern.Lab.Core.Finding (Finding (..), PartId (..), worthShowing)
import Tern.Lab.Core.Index (indexed, sourceName)
import Tern.Lab.Core.Page (Sheet (..))
import Tern.Lab.Core.Produced (producedFor)
import Tern.Lab.Core.Reading (Reading (..))
import Tern.Lab.Core.Text (remarksOf, rowsOf)

-- | The bindings of a name, or else those with the findings that are shown;
-- and after them those that they reach. With all findings of the program.
sheetsOf :: Reading -> [Finding] -> Maybe Text -> [Finding] -> ([Sheet], [Sheet])
sheetsOf reading every wanted shown =
  (concatMap sheet asked, concatMap sheet (take (mostSheets - length asked) reached))
  where
    index = indexed (readingModules reading)
    bindings =
      Map.fromList
        [ ((factsUnit m, factsModule m, bindingName b), (b, c))
          | m <- readingModules reading,
            (b, c) <-
              zip
                (factsBindings m)
                ( Map.findWithDefault
                    []
                    (factsUnit m, factsModule m)
                    (readingCode reading)
                )
        ]
    asked = case wanted of
      Just name ->
        said
          ( Set.toList
              ( Set.fromList
                  [ key
                    | (key@(_, m, n), (b, _)) <-
                        Map.toList bindings,
                      named name m n b
                  ]
              )
          )
      Nothing -> said (unique [key | f <- shown, key <- keysOf f, Map.member key bindings])
    -- A module that two components have is compiled twice and shown once.
    said =
      foldr
        ( \key rest ->
            key
              : filter
                ( \other ->
                    fmap snd (Map.lookup other bindings) /= fmap snd (Map.lookup key bindings)
                      || second3 other /= second3 key
                )
                rest
        )
        []
    second3 (_, m, _) = m
    keysOf f = unique [(unit, m, findingPart f) | PartId unit m _ <- Set.toList (findingCode f)]
    named name m n b =
      name `elem` [unmarked n, T.concat [m, T.pack ".", unmarked n], sourceName n]
        || ( case bindingOwner b of
               Just (MadeOf o) ->
                 o == name || T.concat [m, T.pack ".", o] == name
               _ -> False
           )
    reached = filter (`notElem` asked) (spread (Set.fromList asked) asked)
    -- Breadth first.
    spread seen = \case
      [] -> []
      key : rest ->
        let new =
              filter
                (`Set.notMember` seen)
                ( filter
                    (`Map.member` bindings)
                    (unique (callees bindings key))
                )
         in key
              : ( if Set.size seen > mostSheets
                    then spread seen rest
                    else spread (Set.union seen (Set.fromList new)) (rest <> new)
                )
    sheet key@(_, m, _) =
      [ Sheet
          m
          b
          d
          [f | f <- every, key `elem` keysOf f, worthShowing f]
          (producedFor (readingProduced reading) b)
          (rowsOf (remarksOf index b) d)
        | Just (b, d) <- [Map.lookup key bindings]
      ]
    unique = foldr (\x rest -> x : filter (/= x) rest) []

mostSheets :: Int
mostSheets = 150

callees ::
  Map (Text, Text, Text) (Binding, Definition) -> (Text, Text, Text) -> [(Text, Text, Text)]
callees bindings key@(unit, here, _) =
  concatMap (go . definitionCode . snd) (Map.lookup key bindings)
  where
    go = \case
      Name _ (OfModule (CalleeGlobal g)) -> [(globalUnit g, globalModule g, globalName g)]
      Name _ (OfModule (CalleeHere name)) -> [(unit, here, name)]
      Name _ _ -> []
      Literal _ -> []
      TypeArgument _ -> []
      Apply f arguments -> concatMap go (f : arguments)
      Lambda _ body -> go body
      Let _ equations body -> concatMap (go . equationCode) equations <> go body
      Case value _ alternatives -> go value <> concatMap (go . alternativeCode) alternatives
