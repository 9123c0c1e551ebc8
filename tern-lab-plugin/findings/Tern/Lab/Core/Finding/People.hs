-- | What people can act on, where a generator wrote a part of a program.
--
-- Its one idea: advice goes to the text that somebody wrote. What a generator added is written anew
-- each time, so that neither it nor what a call of it would need is said.
--
-- Start at 'forPeople'.
module Tern.Lab.Core.Finding.People
  ( forPeople,
    byPeople,
  )
where

import Data.Map.Strict qualified as Map
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( Binding (..),
    Generated (..),
    ModuleFacts (..),
    Place (..),
    unmarked,
  )
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..))
import Tern.Lab.Core.Index (Remedy (..), sourceName)

-- | Did somebody write what stands at a place of a module?
byPeople :: ModuleFacts -> Maybe Place -> Bool
byPeople m place = case factsGenerated m of
  Nothing -> True
  Just made ->
    not (T.null (generatedFrom made))
      && (placeFile <$> place) == Just (generatedFrom made)

-- | A finding, if somebody can do what it advises.
forPeople :: [ModuleFacts] -> Finding -> Maybe Finding
forPeople modules = \f ->
  if written f && not (asksGenerator (findingKind f)) then Just f else Nothing
  where
    written f = case Map.lookup (findingModule f) generated of
      Nothing -> True
      Just m -> byPeople m (findingPlace f)
    generated = Map.fromList [(factsModule m, m) | m <- modules, Just _ <- [factsGenerated m]]
    -- The functions that generators added, as findings call them.
    added =
      Set.fromList
        [ T.concat [factsModule m, T.pack ".", name]
          | m <- Map.elems generated,
            b <- factsBindings m,
            not (byPeople m (bindingPlace b)),
            name <- [unmarked (bindingName b), sourceName (bindingName b)]
        ]
    isAdded :: Text -> Bool
    isAdded = (`Set.member` added)
    asksGenerator = \case
      NotInlined callee _ -> isAdded callee
      NotUnrolled callee _ -> isAdded callee
      OverloadedBelow root _ -> isAdded root
      OverloadedTogether _ _ -> False
      NotSpecialised callee _ _ wanted how -> case how of
        MarkInlinable _ -> isAdded wanted
        RemovePragma _ -> isAdded wanted
        AskSpecialise -> isAdded callee
        Upstream -> False
      PassesInstances _ _ -> False
      UnknownInstance _ _ -> False
      UnknownCalls _ _ -> False
      ArityTooLow {} -> False
      GrowingAccumulator {} -> False
      AppendsLeft -> False
      AppendsNothing -> False
      AppendsRecursively _ -> False
      LoopAllocates _ -> False
      StoresLazily _ -> False
      CallsLibrary _ _ -> False
      CarriesConstructor {} -> False
      WaitsForResult _ -> False
      KeepsBoxed {} -> False
      GivesBoxed _ _ -> False
      LosesJump _ _ -> False
      GivesWaiting _ _ -> False
      GenericRepresentation _ -> False
      NoExportList _ -> False
