{-# LANGUAGE OverloadedStrings #-}

-- | What a finding's advice is as a change of the source.
--
-- Its one idea: a cure is what a person who follows the advice would type, made
-- of edits to the files as they are. It is tried and not believed: whether it
-- compiles, what it changes and whether it helps is seen in
-- "Tern.Lab.Core.Trial". Where the advice asks for thought there is no cure.
--
-- Start at 'curesOf'.
module Tern.Lab.Core.Cure
  ( Cure (..),
    Sources,
    curesOf,
  )
where

import Data.Char (isLower, isUpper)
import Data.List (find, isPrefixOf, nub, tails)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, listToMaybe, mapMaybe, maybeToList)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Edit
  ( Edit (..),
    Source (..),
    afterToken,
    beforeToken,
    headerPragma,
    importAlso,
    importInstead,
    importLine,
    instead,
    pragmaAtEnd,
    withoutPragma,
  )
import Tern.Lab.Core.Facts (ModuleFacts (..), Place (..), WhyBoxed (..))
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..))
import Tern.Lab.Core.Index (Remedy (..), Why (..), sourceName)
import Tern.Lab.Core.Library (Cost (..))
import Tern.Lab.Core.Source (lastName)
import Tern.Lab.Core.Token (Token (..), TokenSort (..), atomsOf, definitionsOf, regionAt)

data Cure = Cure
  { -- | As the end of a sentence: tried …
    cureWords :: !Text,
    cureEdits :: ![Edit]
  }
  deriving stock (Eq, Show)

-- | The files of a program by the module that each has.
type Sources = Map Text Source

-- | The first is what the advice says first.
curesOf :: Sources -> [ModuleFacts] -> Finding -> [Cure]
curesOf sources modules f = take 4 (filter (not . null . cureEdits) (maybe [] (within f) here))
  where
    here = Map.lookup (findingModule f) sources
    within finding source = case findingKind finding of
      GrowingAccumulator loop parameters _ ->
        strictParameters source region (sourceName loop) parameters
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
      NotSpecialised _ _ _ written how -> case how of
        MarkInlinable m -> marked' "INLINABLE" m (lastName written) <> exposed
        AskSpecialise -> exposed
        RemovePragma m -> unmarked' ["NOINLINE", "OPAQUE", "NOTINLINE"] m (lastName written)
        Upstream -> []
      PassesInstances _ _ -> marked' "INLINABLE" (findingModule f) top <> exposed
      UnknownInstance _ _ -> marked' "INLINABLE" (findingModule f) top <> exposed
      OverloadedBelow root names -> exposed <> together (map inlinable (root : names))
      UnknownCalls _ -> marked' "INLINE" (findingModule f) top
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
      HandsFields ->
        strictFields sources source region <> strictParameters source region callee []
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
                <> [ instead source "UArray" t
                     | "Arr" `T.isInfixOf` full,
                       t <- sourceTokens source,
                       tokenText t == "Array"
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
      KeepsPipeline -> []
      WalksToLength -> []
      SearchesList -> []
      CopiesAll -> []
      CopiesVector -> []
      KeepsRange -> []
      ThroughString -> []
      ThroughList -> []
      ParsesByRead -> []
      ShowsToLook -> []
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

unboxedModules :: [(Text, Text)]
unboxedModules =
  [ ("Data.Vector", "Data.Vector.Unboxed"),
    ("Data.Vector.Mutable", "Data.Vector.Unboxed.Mutable"),
    ("Data.Array", "Data.Array.Unboxed"),
    ("Data.Array.ST", "Data.Array.ST"),
    ("Data.Array.IArray", "Data.Array.Unboxed")
  ]

-- | The record is evaluated, and its fields are strict; then each alone.
strictRecords :: [Cure] -> [Cure] -> [Cure]
strictRecords stores fields =
  [ Cure (T.concat [cureWords a, " and ", cureWords b]) (cureEdits a <> cureEdits b)
    | a <- take 1 stores,
      b <- take 1 fields
  ]
    <> fields
    <> stores

-- * Bangs

bangs :: Source -> Text -> [Edit] -> [Cure]
bangs source what edits =
  [Cure what (headerPragma "LANGUAGE BangPatterns" source : edits) | not (null edits)]

-- | Bangs before parameters of a loop by their names: where the whole parameter
-- has the name, in the first equation; in a pattern, where it stands. Where GHC made
-- the names, before all that its patterns bind.
strictParameters :: Source -> [Token] -> Text -> [Text] -> [Cure]
strictParameters source region loop parameters =
  bangs
    source
    (T.concat ["a bang before ", T.intercalate ", " parameters, " in ", loop])
    (nub (concatMap one parameters))
    <> bangs
      source
      (T.concat ["bangs in the patterns of ", loop])
      (map (beforeToken source "!") (concatMap insidePatterns equations))
    <> strictLoop source region loop
  where
    equations = case definitionsOf loop region of
      [] -> definitionsOf loop (sourceTokens source)
      found -> found
    one name =
      concat
        [ case atom of
            [_] ->
              map (beforeToken source "!") (concatMap (plain . take 1) (take 1 (drop i firstAtoms)))
            _ -> map (beforeToken source "!") (occurrences name atom)
          | firstAtoms : _ <- [map atomsOf equations],
            equation <- equations,
            (i, atom) <- zip [0 :: Int ..] (atomsOf equation),
            any ((== name) . tokenText) atom
        ]
    occurrences name atom =
      [t | (before, t) <- zip (Nothing : map Just atom) atom, tokenText t == name, notStrict before]
    plain = filter ((`notElem` ["!", "~"]) . tokenText)

-- | The names in patterns, as in @(a, b)@, that have no bang yet.
insidePatterns :: [Token] -> [Token]
insidePatterns parameters =
  [ t
    | atom@(_ : _ : _) <- atomsOf parameters,
      (before, t) <- zip (Nothing : map Just atom) atom,
      isVariable t,
      notStrict before,
      -- The elements of a list are others' affair.
      ":" `notElem` map tokenText atom
  ]

notStrict :: Maybe Token -> Bool
notStrict = maybe True ((`notElem` ["!", "~"]) . tokenText)

-- | Bangs before all parameters of a loop that are names.
strictLoop :: Source -> [Token] -> Text -> [Cure]
strictLoop source region loop =
  bangs
    source
    (T.concat ["bangs before the parameters of ", loop])
    [ beforeToken source "!" t
      | first : _ <- [definitionsOf loop region],
        atom <- atomsOf first,
        t <- take 1 atom,
        isVariable t || tokenText t == "_",
        length atom == 1
    ]

isVariable :: Token -> Bool
isVariable t =
  tokenSort t == Named
    && T.null (tokenModule t)
    && maybe False (isLower . fst) (T.uncons (tokenText t))

-- | Bangs in the pattern of the function that a call is given: a lambda that
-- stands there, or one of the file by its name.
strictPatterns :: Source -> [Token] -> Text -> [Cure]
strictPatterns source region callee =
  bangs
    source
    (T.concat ["bangs in the pattern of the function that ", callee, " is given"])
    (map (beforeToken source "!") (insidePatterns given))
    <> bangs
      source
      (T.concat ["bangs before what the function that ", callee, " is given takes"])
      [ Edit (sourceFile source) (tokenOffset t) 0 " !"
        | [t] <- atomsOf given,
          isVariable t
      ]
  where
    given = case [drop 1 rest | rest@(t : _) <- tails region, tokenText t == callee] of
      after : _
        | first : _ <- definitions (take 1 after) -> first
        | lambda : _ <-
            [ drop 1 rest
              | rest@(t : _) <- tails (take 16 after),
                "\\" `T.isPrefixOf` tokenText t
            ] ->
            upToArrow lambda
        | first : _ <- definitions (take 6 after) -> first
      _ -> []
    definitions tokens =
      [ parameters
        | t <- tokens,
          isVariable t,
          parameters : _ <- [definitionsOf (tokenText t) (sourceTokens source)]
      ]
    -- Up to the arrow, which may stand after the lexemes that were looked at.
    upToArrow = \case
      t : _ ->
        takeWhile ((/= "->") . tokenText) (dropWhile ((< tokenOffset t) . tokenOffset) region)
      [] -> []

-- | The strict fold in place of the lazy one.
strictFolds :: Source -> [Token] -> [Cure]
strictFolds source region =
  [ Cure
      "foldl' in place of foldl"
      (edits <> importAlso "foldl" "foldl'" source <> importLine "import Data.List (foldl')" source)
    | edits@(_ : _) <- [renamed source [("foldl", "foldl'")] (filter (T.null . tokenModule) region)]
  ]

renamed :: Source -> [(Text, Text)] -> [Token] -> [Edit]
renamed source names tokens =
  [instead source new t | t <- tokens, Just new <- [lookup (tokenText t) names]]

-- * Fields

-- | Strict fields for the types of the program whose constructors or fields
-- stand in a function.
strictFields :: Sources -> Source -> [Token] -> [Cure]
strictFields sources source region =
  [ Cure (T.concat ["strict fields in ", T.intercalate ", " (map fst found)]) (concatMap snd found)
    | not (null found)
  ]
  where
    found =
      [ (name, edits)
        | s <- source : filter ((/= sourceFile source) . sourceFile) (Map.elems sources),
          (name, words', edits) <- declared s,
          not (null edits),
          any (`Set.member` words') mentioned
      ]
    mentioned = map tokenText (withSteps region)
    -- Functions that are given by name belong to it.
    withSteps tokens =
      tokens
        <> concat
          [ regionAt (Place "" (tokenLine t) (tokenColumn t)) (sourceTokens source)
            | name <- nub (map tokenText (filter isVariable tokens)),
              t <-
                take
                  1
                  [ u
                    | u <- sourceTokens source,
                      tokenText u == name,
                      tokenFirst u,
                      tokenColumn u == 1,
                      isEquation u
                  ]
          ]
    isEquation u =
      take 1 (map tokenText (dropWhile ((<= tokenOffset u) . tokenOffset) (sourceTokens source)))
        /= ["::"]

-- | The data types of a file: the name, constructors and fields, and what makes
-- the fields strict.
declared :: Source -> [(Text, Set.Set Text, [Edit])]
declared source = mapMaybe one (declarations (sourceTokens source))
  where
    declarations tokens = case dropWhile (not . begins) tokens of
      t : rest ->
        let (own, others) = break (\u -> tokenFirst u && tokenColumn u <= 1) rest
         in (t : own) : declarations others
      [] -> []
    begins t = tokenFirst t && tokenColumn t == 1 && tokenText t == "data"
    one declaration = do
      let (header, body) = break ((== "=") . tokenText) (drop 1 declaration)
      name <- find (maybe False (isUpper . fst) . T.uncons . tokenText) header
      let constructors =
            splitOn "|" (takeWhile ((/= "deriving") . tokenText) (drop 1 body))
      if null body
        then Nothing
        else
          pure
            ( tokenText
                name,
              Set.fromList (concatMap namesOf constructors),
              concatMap fields constructors
            )
    namesOf constructor =
      [tokenText t | t <- take 1 constructor]
        <> [ tokenText a
             | (a, b) <- zip constructor (drop 1 constructor),
               isVariable a,
               tokenText b `elem` ["::", ","],
               isRecord constructor
           ]
    isRecord = any ((== "{") . tokenText)
    fields constructor
      | isRecord constructor =
          concatMap field (splitFields (drop 1 (dropWhile ((/= "{") . tokenText) constructor)))
      | otherwise =
          [ beforeToken source "!" t
            | atom@(t : _) <- atomsOf (drop 1 constructor),
              tokenText t `notElem` ["!", "~"],
              not (null atom)
          ]
    -- The types, from after the sign to the next field.
    splitFields tokens = case dropWhile ((/= "::") . tokenText) tokens of
      _ : rest ->
        let (own, others) = untilEnd (0 :: Int) rest
         in own : splitFields others
      [] -> []
    untilEnd depth = \case
      t : rest
        | depth == 0, tokenText t `elem` [",", "}"] -> ([], rest)
        | tokenText t `elem` ["(", "["] -> add t (untilEnd (depth + 1) rest)
        | tokenText t `elem` [")", "]"] -> add t (untilEnd (depth - 1) rest)
        | otherwise -> add t (untilEnd depth rest)
      [] -> ([], [])
    add t (own, others) = (t : own, others)
    field tokens = case (tokens, reverse tokens) of
      (t : _, end : _)
        | tokenText t `elem` ["!", "~"] -> []
        | length tokens == 1 -> [beforeToken source "!" t]
        | otherwise -> [beforeToken source "!(" t, afterToken source ")" end]
      _ -> []

-- | At a sign outside of brackets.
splitOn :: Text -> [Token] -> [[Token]]
splitOn sign = go (0 :: Int) []
  where
    go _ own [] = [reverse own]
    go depth own (t : rest)
      | depth == 0, tokenText t == sign = reverse own : go depth [] rest
      | tokenText t `elem` ["(", "[", "{"] = go (depth + 1) (t : own) rest
      | tokenText t `elem` [")", "]", "}"] = go (depth - 1) (t : own) rest
      | otherwise = go depth (t : own) rest

-- * Cells and states

-- | Changes and stores of evaluated values.
strictStores :: Source -> [Token] -> [Cure]
strictStores source region =
  [ Cure
      ("the strict " <> T.intercalate ", " (nub (map fst changed)))
      ( concatMap snd changed
          <> concatMap
            (\n -> importAlso n (n <> "'") source)
            (nub (filter (`elem` primed) (map fst changed)))
      )
    | not (null changed)
  ]
  where
    changed = mapMaybe one (tails region)
    one = \case
      t : rest
        | tokenText t `elem` primed -> Just (tokenText t, [instead source (tokenText t <> "'") t])
        | Just n <- lookup (tokenText t) stores -> (,) (tokenText t) <$> stored t n rest
        | tokenText t == "modifyMVar_" -> (,) (tokenText t) <$> wrapped rest
      _ -> Nothing
    -- A value is forced after all other arguments of the call.
    stored t n rest = case splitAt (n - 1) (atomsOf (sameCall t rest)) of
      (before, (sign : _) : _)
        | length before == n - 1, tokenText sign == "$" -> Just [instead source "$!" sign]
        | length before == n - 1,
          tokenText sign == "$!" ->
            Nothing
      (before, value@(start : _) : _)
        | length before == n - 1,
          tokenSort start /= Named || isVariable start || tokenText start == "(",
          end : _ <- reverse value ->
            Just
              [ beforeToken source "(" t,
                beforeToken source "$! " start,
                afterToken source ")" end
              ]
      _ -> Nothing
    wrapped rest = case atomsOf rest of
      _ : function@(start : _) : _
        | tokenText start == "$" -> Just [afterToken source (" (" <> forcing <> ") $") start]
        | end : _ <- reverse function ->
            Just [beforeToken source ("((" <> forcing <> ") ") start, afterToken source ")" end]
      _ -> Nothing
    forcing = "\\f_ x_ -> f_ x_ >>= \\y_ -> y_ `seq` pure y_"
    sameCall t = takeWhile (\u -> not (tokenFirst u && tokenColumn u <= tokenColumn t))
    stores =
      [("put", 1), ("writeIORef", 2), ("writeSTRef", 2), ("writeTVar", 2), ("putMVar", 2)]
    primed = ["modifyIORef", "modifySTRef", "modifyTVar", "modify", "atomicModifyIORef"]

-- * Export lists

-- | A list of all that the module has but some functions.
exportList :: Source -> [Text] -> Maybe Cure
exportList source names = do
  let tokens = sourceTokens source
      header = takeWhile ((/= "where") . tokenText) tokens
  _ <- listToMaybe [() | t <- take 1 tokens, tokenText t == "module"]
  if "(" `elem` map tokenText header || null exported
    then Nothing
    else do
      end <- listToMaybe (reverse header)
      pure
        ( Cure
            "an export list"
            [afterToken source (T.concat [" (", T.intercalate ", " exported, ")"]) end]
        )
  where
    exported =
      nub
        ( [ text t
            | declaration <- signatures (sourceTokens source),
              t <- declaration,
              tokenText t `notElem` names
          ]
            <> [ tokenText t <> "(..)"
                 | a : rest <- tails (sourceTokens source),
                   tokenFirst a,
                   tokenColumn a == 1,
                   tokenText a `elem` ["data", "newtype", "class"],
                   t <- take 1 (headOf rest)
               ]
            <> [ tokenText t
                 | a : t : _ <- tails (sourceTokens source),
                   tokenFirst a,
                   tokenColumn a == 1,
                   tokenText a == "type",
                   maybe False (isUpper . fst) (T.uncons (tokenText t))
               ]
        )
    text t =
      if isVariable t || "_" `isPrefixOf` T.unpack (tokenText t)
        then tokenText t
        else T.concat ["(", tokenText t, ")"]
    -- After the context, if there is one.
    headOf rest =
      let own = takeWhile (\t -> not (tokenFirst t && tokenColumn t == 1)) rest
          after = case break
            ((== "=>") . tokenText)
            ( takeWhile
                ((`notElem` ["=", "where", "|"]) . tokenText)
                own
            ) of
            (_, _ : later) -> later
            (all', []) -> all'
       in filter (maybe False (isUpper . fst) . T.uncons . tokenText) after
    signatures tokens =
      [ [u | u <- t : takeWhile ((/= "::") . tokenText) rest, tokenSort u == Named]
        | t : rest <- tails tokens,
          tokenFirst t,
          tokenColumn t == 1,
          isVariable t || tokenText t == "(",
          tokenText t
            `notElem` [ "import",
                        "module",
                        "instance",
                        "infixl",
                        "infixr",
                        "infix",
                        "deriving",
                        "type",
                        "data",
                        "newtype",
                        "class",
                        "default",
                        "foreign"
                      ],
          take 1 (map tokenText (dropWhile ((`notElem` ["::", "=", "|"]) . tokenText) rest))
            == ["::"]
      ]
