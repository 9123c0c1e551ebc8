{-# LANGUAGE OverloadedStrings #-}

-- | The Core of a binding laid out for reading, with what was found marked in
-- it.
--
-- Its one idea: the layout is a tree of rows, each with the rows that stand
-- below it, so that a terminal indents what a page folds. What is evaluated
-- and taken apart in one way only is a line (@let! I# x = e@) and not a
-- level, as a reader would write it.
--
-- Start at 'rowsOf'. "Tern.Lab.Core.Page" makes HTML of the rows.
module Tern.Lab.Core.Text
  ( rowsOf,
    Remarks,
    remarksOf,
  )
where

import Data.List (intercalate)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Advice (because, objectName)
import Tern.Lab.Core.Code
  ( Alternative (..),
    Binder (..),
    Code (..),
    Definition (..),
    Equation (..),
    Group (..),
    Subject (..),
  )
import Tern.Lab.Core.Facts
  ( Binding (..),
    Callee (..),
    Dictionary (..),
    Global (..),
    HeapObject (..),
    Reason (..),
    Sight (..),
    Spot (..),
    unmarked,
  )
import Tern.Lab.Core.Facts qualified as Facts
import Tern.Lab.Core.Index (Index, deliberate, explain)
import Tern.Lab.Core.Text.Row
  ( Role (..),
    Row (..),
    Span (..),
    keyword,
    noted,
    parameters,
    plain,
    spaced,
    typing,
    width,
  )

-- * What was found

-- | By what a name stands for.
type Remarks = Map Key Text

data Key
  = KeyCallee !Callee
  | KeyMethod !Text
  | KeyLocal !Text
  deriving stock (Eq, Ord, Show)

-- | What the facts say of the names in a binding.
remarksOf :: Index -> Binding -> Remarks
remarksOf index b = Map.fromListWith both (concatMap (remark . spotSight) (bindingSpots b))
  where
    both new old = if new `T.isInfixOf` old then old else T.concat [old, "; ", new]
    remark = \case
      Stayed callee _ reason
        | deliberate index callee -> [(KeyCallee callee, "kept apart on purpose")]
        | reason == NoGain -> []
        | otherwise ->
            [(KeyCallee callee, "not inlined: " <> because (explain index callee reason))]
      Overloaded callee dictionaries reason
        | all dictionaryKnown dictionaries ->
            [(KeyCallee callee, "not specialised: " <> because (explain index callee reason))]
        | otherwise -> [(KeyCallee callee, "is passed instances that are not known here")]
      Method cls method -> [(KeyMethod method, T.concat ["a method of an unknown ", cls])]
      Unknown name _ _ -> [(KeyLocal name, "a function that is only a variable here")]
      LiteralList callee n ->
        [ ( KeyCallee callee,
            T.concat
              [ "recursive over a list whose ",
                T.pack (show n),
                " elements all stand here"
              ]
          )
        ]
      LazyAccumulator loop parameter _ _ ->
        named loop (T.concat ["stores ", parameter, " unevaluated, each round on top of the last"])
      LazyStore _ -> []
      TakenApart loop parameter constructor ->
        named
          loop
          ( T.concat
              [ parameter,
                " is made by ",
                constructor,
                " in each round and taken apart in the next"
              ]
          )
      KeptBoxed loop parameter _ ->
        named loop (T.concat ["puts ", parameter, " into a new box each round"])
      ResultBoxed name _ -> named name "gives its number in a box"
      ResultWaits name _ -> named name "gives what waits, and is evaluated at once"
      JumpLost name _ -> named name "is a closure, and no place to jump to"
      LazyResult loop -> named loop "its result waits until a part of it is asked for"
      RecursiveAppend loop -> named loop "its result is appended to, ++, in each step"
      LeftAppend -> []
      EmptyAppend -> []
      LambdaUnderCase {} -> []
      Allocated _ _ -> []
    named name text =
      [(KeyLocal name, text)]
        <> [ (KeyCallee (CalleeHere n), text)
             | n <-
                 name : [bindingName b | unmarked (bindingName b) == name]
           ]
        <> [(KeyCallee (CalleeGlobal g), text) | Just g <- [self name]]
    self name = case [ g
                       | s <-
                           bindingSpots b,
                         Stayed (CalleeGlobal g) _ Facts.Recursive <- [spotSight s],
                         globalName g == name
                     ] of
      g : _ -> Just g
      [] -> Nothing

-- * Layout

-- | A binding with its type; lines of about 100 columns.
rowsOf :: Remarks -> Definition -> [Row]
rowsOf remarks (Definition name type' body) = case body of
  Lambda binders inner ->
    [ signature,
      noted
        ( Row
            ( [plain name, plain " "]
                <> parameters binders
                <> [plain "="]
            )
            (below inner)
        )
    ]
  _ -> [signature, noted (Row [plain name, plain " ="] (below body))]
  where
    below = rows remarks 1
    signature = Row [typing (T.concat [name, " :: ", type'])] []

-- | At a depth.
rows :: Remarks -> Int -> Code -> [Row]
rows remarks depth c = case flat remarks c of
  Just spans | width spans <= room -> [finish (Row spans [])]
  _ -> case c of
    _
      | Just elements@(_ : _) <- listed c ->
          [Row [plain "["] (concatMap (rows remarks (depth + 1)) elements), Row [plain "]"] []]
    TypeArgument text -> [Row [typing ("@(" <> text <> ")")] []]
    Apply f arguments
      | Just start <- (:) <$> flatHead remarks f <*> traverse (flatAtom remarks) (init' arguments),
        final : _ <- reverse arguments,
        sum (map width start) <= room ->
          [finish (Row (spaced start) (rows remarks (depth + 1) final))]
      | otherwise -> case flatHead remarks f of
          Just spans -> [finish (Row spans (concatMap (rows remarks (depth + 1)) arguments))]
          Nothing ->
            rows remarks depth f
              <> [Row [plain "applied to"] (concatMap (rows remarks (depth + 1)) arguments)]
    Lambda binders body ->
      [ finish
          ( Row
              ( [keyword "\\ "]
                  <> parameters binders
                  <> [keyword "->"]
              )
              (rows remarks (depth + 1) body)
          )
      ]
    Let group' equations body ->
      concat (zipWith (equation group') [0 :: Int ..] equations) <> rows remarks depth body
    Case value binder [Alternative pattern' binders body] ->
      bound value (patternOf binder pattern' binders) <> rows remarks depth body
    Case value binder alternatives ->
      let as = if binderName binder == "_" then [] else [keyword " as ", plain (binderName binder)]
       in case flat remarks value of
            Just spans
              | width spans <= room ->
                  [ finish
                      ( Row
                          ([keyword "case "] <> spans <> as <> [keyword " of"])
                          (map branch alternatives)
                      )
                  ]
            _ ->
              [ Row
                  [keyword "case"]
                  (rows remarks (depth + 1) value),
                Row (as' as <> [keyword "of"]) (map branch alternatives)
              ]
    _ -> [finish (Row (concat (flat remarks c)) [])]
  where
    room = max 40 (100 - 2 * depth)
    as' spans = drop 1 spans <> [plain " " | not (null spans)]
    init' xs = take (length xs - 1) xs
    finish = noted
    bound value pattern' = case flat remarks value of
      Just spans
        | width spans <= room ->
            [finish (Row ([keyword "let! "] <> pattern' <> [keyword " = "] <> spans) [])]
      _ ->
        [ finish
            ( Row
                ([keyword "let! "] <> pattern' <> [keyword " ="])
                (rows remarks (depth + 1) value)
            )
        ]
    patternOf binder pattern' binders
      | pattern' == "_" && null binders =
          [plain (binderName binder), typing (" :: " <> binderType binder)]
      | otherwise =
          [plain (binderName binder <> "@") | binderName binder /= "_"]
            <> [plain pattern']
            <> concat [[plain " ", plain (binderName v)] | v <- binders]
    branch (Alternative pattern' binders body) =
      let start =
            [plain pattern']
              <> concat [[plain " ", plain (binderName v)] | v <- binders]
              <> [keyword " ->"]
       in case flat remarks body of
            Just spans
              | width spans + width start <= room ->
                  finish (Row (start <> [plain " "] <> spans) [])
            _ -> finish (Row start (rows remarks (depth + 2) body))
    equation group' i (Equation binder object body) =
      let word = case group' of
            Plain -> "let "
            Cyclic -> if i == 0 then "letrec " else "and "
            Jump -> "join "
            JumpLoop -> if i == 0 then "joinrec " else "and "
          (vs, inner) = case body of
            Lambda binders r -> (binders, r)
            _ -> ([], body)
          -- The type of a function stands before it, as in a source.
          signature =
            [ Row
                [ typing
                    ( T.concat
                        [binderName binder, " :: ", binderType binder]
                    )
                ]
                []
              | not (null vs)
            ]
          start =
            [keyword word, plain (binderName binder)]
              <> [typing (" :: " <> binderType binder) | null vs]
              <> [plain " "]
              <> parameters vs
              <> [keyword "="]
          made = maybe [] allocation object
       in (signature <>) . pure $ case flat remarks inner of
            Just spans
              | width spans + width start <= room ->
                  finish (Row (start <> [plain " "] <> spans <> made) [])
            _ -> finish (Row (start <> made) (rows remarks (depth + 1) inner))
    allocation = \case
      Constructor _ -> []
      object -> [Span Remark ("makes a " <> objectName object)]

-- | On one line, or not at all.
flat :: Remarks -> Code -> Maybe [Span]
flat remarks = \case
  Name name subject -> Just [nameSpan remarks False name subject]
  Literal text -> Just [plain text]
  TypeArgument text -> Just [typing ("@(" <> text <> ")")]
  c
    | Just elements <- listed c ->
        (\inner -> [plain "["] <> intercalate [plain ", "] inner <> [plain "]"])
          <$> traverse (flat remarks) elements
  Apply f arguments ->
    (\start rest -> spaced (start : rest))
      <$> flatHead remarks f
      <*> traverse (flatAtom remarks) arguments
  Lambda binders body ->
    (\inner -> [keyword "\\ "] <> parameters binders <> [keyword "-> "] <> inner)
      <$> flat remarks body
  Let {} -> Nothing
  Case {} -> Nothing

flatHead :: Remarks -> Code -> Maybe [Span]
flatHead remarks = \case
  Name name subject -> Just [nameSpan remarks True name subject]
  f -> flatAtom remarks f

flatAtom :: Remarks -> Code -> Maybe [Span]
flatAtom remarks c = case c of
  _ | Just _ <- listed c -> flat remarks c
  Apply _ _ -> brackets <$> flat remarks c
  Lambda _ _ -> brackets <$> flat remarks c
  _ -> flat remarks c
  where
    brackets spans = [plain "("] <> spans <> [plain ")"]

-- | A list whose cells all stand here.
listed :: Code -> Maybe [Code]
listed = \case
  Name "[]" OfType -> Just []
  Apply (Name "[]" OfType) [TypeArgument _] -> Just []
  Apply (Name ":" OfType) arguments
    | [x, xs] <- filter (not . isType) arguments -> (x :) <$> listed xs
  _ -> Nothing
  where
    isType = \case
      TypeArgument _ -> True
      _ -> False

-- | A name where it is called, or where it is only passed on.
nameSpan :: Remarks -> Bool -> Text -> Subject -> Span
nameSpan remarks isHead name subject = case (subject, keyOf subject >>= (`Map.lookup` remarks)) of
  (OfModule callee, Just remark) -> Span (Marked (Just callee) remark) name
  (OfModule callee, Nothing) -> Span (Called callee) name
  (_, Just remark) | isHead -> Span (Marked Nothing remark) name
  _ -> plain name

keyOf :: Subject -> Maybe Key
keyOf = \case
  OfModule callee -> Just (KeyCallee callee)
  OfClass name -> Just (KeyMethod name)
  OfBinding name -> Just (KeyLocal name)
  _ -> Nothing
