{-# LANGUAGE OverloadedStrings #-}

-- | What a finding's advice is as a change of the source.
--
-- Its one idea: a cure is what a person who follows the advice would type, made
-- of edits to the files as they are. It is tried and not believed: whether it
-- compiles, what it changes and whether it helps is seen in
-- "Tern.Lab.Core.Trial". Where the advice asks for thought there is no cure.
--
-- Start at 'curesOf'.
module Tern.Lab.Core.Cure (curesOf) where

import Data.Char (isLower, isUpper)
import Data.List (tails)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, maybeToList)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Cure.Call (evaluatedArguments, evaluatedResults)
import Tern.Lab.Core.Cure.Change (Cure (..), Sources)
import Tern.Lab.Core.Cure.Export (exportList)
import Tern.Lab.Core.Cure.Strict
  ( renamed,
    strictFields,
    strictFolds,
    strictLoop,
    strictParameters,
    strictPatterns,
    strictRecords,
    strictStores,
  )
import Tern.Lab.Core.Edit
  ( Edit (..),
    Source (..),
    headerPragma,
    importAlso,
    importInstead,
    importLine,
    instead,
    pragmaAtEnd,
    withoutPragma,
  )
import Tern.Lab.Core.Facts (ModuleFacts (..), WhyBoxed (..))
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..))
import Tern.Lab.Core.Index (Remedy (..), Why (..), sourceName)
import Tern.Lab.Core.Library (Cost (..))
import Tern.Lab.Core.Source (lastName)
import Tern.Lab.Core.Token (Token (..), regionAt)

-- | The first is what the advice says first.
curesOf :: Sources -> [ModuleFacts] -> Finding -> [Cure]
curesOf sources modules f = take 4 (filter (not . null . cureEdits) (maybe [] (within f) here))
  where
    here = Map.lookup (findingModule f) sources
    within finding source = case findingKind finding of
      GrowingAccumulator loop parameters _ ->
        strictParameters
          source
          region
          (sourceName (if T.null loop then fromMaybe loop (findingIn f) else loop))
          parameters
          <> strictFolds source region
          <> strictFields sources source region
      StoresLazily _ -> strictStores source region
      LoopAllocates _ ->
        strictLoop source region (sourceName (fromMaybe (findingBinding f) (findingIn f)))
          <> strictFields sources source region
          <> [optimised source | not specConstr]
      CarriesConstructor {} -> [optimised source]
      KeepsBoxed loop parameters why -> case why of
        LazilyUsed -> strictParameters source region (sourceName loop) parameters
        _ -> marked' "INLINE" (findingModule f) top
      GivesBoxed name why -> case why of
        GivenBack v -> strictParameters source region name [v]
        _ -> marked' "INLINE" (findingModule f) top
      LosesJump _ _ -> []
      GivesWaiting _ _ -> evaluatedResults source region
      NotSpecialised _ _ _ written how -> case how of
        MarkInlinable m -> marked' "INLINABLE" m (lastName written) <> exposed
        AskSpecialise -> exposed
        RemovePragma m -> unmarked' ["NOINLINE", "OPAQUE", "NOTINLINE"] m (lastName written)
        Upstream -> []
      PassesInstances _ _ -> marked' "INLINABLE" (findingModule f) top <> exposed
      UnknownInstance _ _ -> marked' "INLINABLE" (findingModule f) top <> exposed
      OverloadedBelow root names -> exposed <> together (map inlinable (root : names))
      OverloadedTogether names _ -> exposed <> together (map inlinable names)
      UnknownCalls calls made ->
        [ cure
          | made > 0,
            cure <-
              evaluatedArguments
                source
                region
                (top : map sourceName (maybeToList (findingIn f)))
                (map (sourceName . fst) calls)
        ]
          <> marked' "INLINE" (findingModule f) top
      NotInlined callee why -> case why of
        BecausePragma _ ->
          unmarked' ["NOINLINE", "OPAQUE", "NOTINLINE"] (moduleOf callee) (lastName callee)
        BecauseBig _ _ -> marked' "INLINE" (moduleOf callee) (lastName callee)
        BecauseHuge -> marked' "INLINABLE" (moduleOf callee) (lastName callee)
        BecauseUnoptimised m ->
          [ Cure ("OPTIONS_GHC -O in " <> m) [headerPragma "OPTIONS_GHC -O" s]
            | s <- maybeToList (Map.lookup m sources)
          ]
        BecauseRecursive -> []
        BecauseNoUnfolding -> []
        BecauseUnsaturated _ -> []
        BecauseNoGain -> []
      NoExportList names -> maybeToList (exportList source names)
      GenericRepresentation _ -> exposed
      CallsLibrary callee cost -> ofLibrary source (lastName callee) callee cost
      NotUnrolled _ _ -> []
      ArityTooLow {} -> []
      AppendsLeft -> []
      AppendsNothing -> []
      AppendsRecursively _ -> []
      WaitsForResult _ -> []
    ofLibrary source callee full cost = case cost of
      KeepsState -> strictStores source region
      KeepsRecord ->
        strictRecords (strictStores source region) (strictFields sources source region)
          <> strictPatterns source region callee
      KeepsValues
        | "Sequence" `T.isInfixOf` full ->
            [ Cure
                "adjust' in place of adjust"
                (edits <> importAlso "adjust" "adjust'" source)
              | edits@(_ : _) <- [renamed source [("adjust", "adjust'")] region]
            ]
        | otherwise ->
            [ Cure
                ("the strict module in place of the lazy one, in " <> findingModule f)
                ( importInstead
                    [ (lazy, strict)
                      | (base, strict) <- strictModules,
                        containerOf full == containerOf strict,
                        lazy <- base
                    ]
                    source
                )
            ]
      KeepsFields -> strictPatterns source region callee <> strictFields sources source region
      GivesFields -> strictFields sources source region
      HandsFields ->
        strictFields sources source region <> strictParameters source region callee []
      GathersList -> []
      GathersLog -> [Cure "Writer.CPS in place of Writer" (importInstead writers source)]
      ComparesAll ->
        [ Cure
            "nubOrd in place of nub"
            ( renamed source [("nub", "nubOrd")] region
                <> importLine "import Data.Containers.ListUtils (nubOrd)" source
            )
          | callee == "nub",
            any ((== "nub") . tokenText) region
        ]
      BoxesElements ->
        [ Cure
            ("unboxed elements, in " <> findingModule f)
            ( importInstead unboxedModules source
                <> [ instead source unboxed t
                     | "Arr" `T.isInfixOf` full,
                       t <- sourceTokens source,
                       Just unboxed <- [lookup (tokenText t) unboxedArrays]
                   ]
            )
        ]
      DefaultsInteger ->
        [ Cure
            ("numbers are Int where no type is given, in " <> findingModule f)
            [pragmaless "default (Int, Double)" source]
        ]
      KeepsSteps ->
        [ Cure
            "iterate' in place of iterate"
            ( edits
                <> importAlso "iterate" "iterate'" source
                <> importLine "import Data.List (iterate')" source
            )
          | edits@(_ : _) <- [renamed source [("iterate", "iterate'")] region]
        ]
      WalksToIndex -> []
      CopiesList -> []
      CopiesNested -> []
      LengthensField -> []
      KeepsPipeline -> []
      WalksToLength -> []
      WalksToCompare -> []
      SearchesList -> []
      SortsAgain -> []
      ChangesList -> []
      MakesSingles -> []
      TriesEnd -> []
      ReversesToLook -> []
      RunsBuilder -> []
      CopiesAll -> []
      CopiesVector -> []
      KeepsRange -> []
      ThroughString -> []
      ThroughList -> []
      ParsesByRead -> []
      ShowsToLook -> []
      ShowsToFind -> []
      InterpretsFormat -> []
    -- Of the second part of a module's name.
    containerOf = T.takeWhile (/= '.') . T.drop 5
    top = sourceName (findingBinding f)
    region = case (here, findingPlace f) of
      (Just source, Just place) -> regionAt place (sourceTokens source)
      _ -> []
    specConstr =
      or [factsSpecConstr m | m <- modules, factsModule m == findingModule f]
    marked' pragma m name =
      [ Cure
          (T.concat [pragma, " ", name, " in ", m])
          ( concatMap (\p -> withoutPragma p name s) ["INLINABLE", "INLINE", "NOINLINE", "OPAQUE"]
              <> [pragmaAtEnd (T.concat [pragma, " ", operator name]) s]
          )
        | not (T.null name),
          Just s <- [Map.lookup m sources],
          isTop name s
      ]
    inlinable name = marked' "INLINABLE" (moduleOf name) (lastName name)
    together cures =
      [ Cure
          (T.concat ["INLINABLE on all ", T.pack (show (length cures)), " of them"])
          (concatMap (concatMap cureEdits . take 1) cures)
      ]
    unmarked' pragmas m name =
      [ Cure
          (T.concat ["no ", T.intercalate " or " (take 1 pragmas), " of ", name, " in ", m])
          (concatMap (\p -> withoutPragma p name s) pragmas)
        | Just s <- [Map.lookup m sources]
      ]
    operator name
      | T.all (\c -> isLower c || isUpper c || c `elem` ("_'#0123456789" :: String)) name = name
      | otherwise = T.concat ["(", name, ")"]
    isTop name s =
      or [tokenFirst t && tokenColumn t == 1 && tokenText t == name | t <- sourceTokens s]
        || or
          [ tokenText a == "(" && tokenColumn a == 1 && tokenText b == name
            | a : b : _ <- tails (sourceTokens s)
          ]
    -- Everything may be looked into everywhere.
    exposed =
      [ Cure
          "-fexpose-all-unfoldings and -fspecialise-aggressively for all modules"
          [ headerPragma "OPTIONS_GHC -fexpose-all-unfoldings -fspecialise-aggressively" s
            | s <- Map.elems sources
          ]
      ]
    optimised source =
      Cure
        (T.concat ["OPTIONS_GHC -O2 in ", findingModule f])
        [headerPragma "OPTIONS_GHC -O2" source]
    moduleOf callee = case T.breakOnEnd "." callee of
      (before, _) | not (T.null before) -> T.dropEnd 1 before
      _ -> findingModule f

-- | A declaration after the imports.
pragmaless :: Text -> Source -> Edit
pragmaless declaration source =
  Edit (sourceFile source) (T.length (sourceText source)) 0 (T.concat ["\n", declaration, "\n"])

strictModules :: [([Text], Text)]
strictModules =
  [ (["Data.Map", "Data.Map.Lazy"], "Data.Map.Strict"),
    (["Data.IntMap", "Data.IntMap.Lazy"], "Data.IntMap.Strict"),
    (["Data.HashMap.Lazy"], "Data.HashMap.Strict")
  ]

writers :: [(Text, Text)]
writers =
  [ (T.concat [base, m, end], T.concat [base, m, ".CPS"])
    | base <- ["Control.Monad.", "Control.Monad.Trans."],
      m <- ["Writer", "RWS"],
      end <- ["", ".Lazy", ".Strict"]
  ]

unboxedArrays :: [(Text, Text)]
unboxedArrays =
  [ ("Array", "UArray"),
    ("STArray", "STUArray"),
    ("IOArray", "IOUArray"),
    ("runSTArray", "runSTUArray")
  ]

unboxedModules :: [(Text, Text)]
unboxedModules =
  [ ("Data.Vector", "Data.Vector.Unboxed"),
    ("Data.Vector.Mutable", "Data.Vector.Unboxed.Mutable"),
    ("Data.Array", "Data.Array.Unboxed"),
    ("Data.Array.ST", "Data.Array.ST"),
    ("Data.Array.IArray", "Data.Array.Unboxed")
  ]
