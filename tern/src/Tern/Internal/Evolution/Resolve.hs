{-# LANGUAGE OverloadedStrings #-}

-- | From the shapes of a writer's type and of a reader's to a plan, or to all the places
-- where they do not fit.
--
-- The idea: both shapes are walked side by side, once, before any document is read.
-- Declared types are met by pairs, each of which is worked out once, so that recursive
-- types come to an end and a schema that somebody else wrote costs no more than its
-- length times that of the reader's own.
--
-- The rules are those of @docs\/spec\/evolution.md@. Start at 'resolve'.
module Tern.Internal.Evolution.Resolve
  ( Resolved (..),
    resolve,
  )
where

import Control.Applicative ((<|>))
import Control.Monad (void, when, zipWithM)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Char (isDigit)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet qualified as IntSet
import Data.List qualified as List
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust, isNothing)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Internal.Evolution.Changes
  ( Default (..),
    Evolution,
    OfType (..),
    Older (..),
    changesOf,
    ofType,
    typeNames,
    withoutAnyOlder,
    withoutOlder,
  )
import Tern.Internal.Evolution.Mismatch
  ( Condition (..),
    Difference (..),
    Mismatch (..),
    Part (..),
    Refused (..),
    Route,
  )
import Tern.Internal.Evolution.Plan
  ( Choice (..),
    Extent (..),
    Fate (..),
    Form (..),
    Plan (..),
    Range (..),
    Source (..),
    blind,
    endless,
    identical,
  )
import Tern.Shape (Definition, Reference (..), Shape (..), Width)
import Tern.Shape qualified as Shape

-- | A plan, and what may be in documents that it refuses where it meets it.
data Resolved = Resolved {plan :: Plan, conditions :: [Condition]}

-- | How documents of the first shape are read as the second's, which the changes are
-- of. All mismatches are found, in the order of the writer's type.
resolve :: Evolution -> Shape -> Shape -> Either [Mismatch] Resolved
resolve evolution theirs ours = fst (resolveWithin 200 evolution theirs ours)

-- | With at most @most@ attempts at older types, and how many are left. Each goes over types that
-- somebody else may have written, one within the other.
resolveWithin :: Int -> Evolution -> Shape -> Shape -> (Either [Mismatch] Resolved, Int)
resolveWithin most evolution given wanted = (,attempts found) $ case found of
  _ | not (null wrong) -> Left wrong
  Found {mismatches = []}
    | endless made -> Left [Mismatch [] [] (NoValues (brief theirs))]
    | identical made || null (byHand found) -> Right (Resolved made (reverse (refusals found)))
    | otherwise -> Left (reverse (byHand found))
  Found {mismatches} -> Left (reverse mismatches)
  where
    -- Pairs of types are told apart by their references.
    theirs = Shape.distinct given
    ours = Shape.distinct wanted
    wrong = misnamed evolution wanted
    (first, found) =
      run
        (between evolution False (At [] theirs) (At [] ours))
        (Found Map.empty IntMap.empty [] [] [] most)
    made = Plan first (steps found)

-- * The walk

-- | What has been found so far.
data Found = Found
  { -- | The pairs of types that were met; or types that are left away.
    numbers :: !(Map (Reference, Maybe Reference, Bool) Int),
    steps :: !(IntMap.IntMap Fate),
    mismatches :: [Mismatch],
    refusals :: [Condition],
    -- | Codecs by hand, which are mismatches where anything else changes.
    byHand :: [Mismatch],
    -- | How often older types may still be tried.
    attempts :: !Int
  }

newtype Walk a = Walk {run :: Found -> (a, Found)}
  deriving stock (Functor)

instance Applicative Walk where
  pure a = Walk (a,)
  Walk f <*> Walk g =
    Walk $ \found -> let (h, found') = f found; (a, found'') = g found' in (h a, found'')

instance Monad Walk where
  Walk f >>= k = Walk $ \found -> let (a, found') = f found in run (k a) found'

-- | A shape, and where it is.
data At = At Route Shape

-- | What stands for a step where there is none. It is never run.
mismatch :: Route -> Route -> Difference -> Walk Fate
mismatch from to what =
  Walk $ \found -> (Keep (Bytes 1), found {mismatches = Mismatch from to what : mismatches found})

moved :: Route -> Route -> Walk ()
moved from to = void (mismatch from to KeysMoved)

condition :: Route -> Route -> Refused -> Walk ()
condition from to what =
  Walk $ \found -> ((), found {refusals = Condition from to what : refusals found})

blindly :: Route -> Route -> Text -> Walk Fate
blindly from to name =
  Walk $ \found ->
    (KeepBlindly name, found {byHand = Mismatch from to (ByHand name) : byHand found})

-- | The number of a pair of types, which is worked out when it is met first.
numbered :: (Reference, Maybe Reference, Bool) -> Walk Fate -> Walk Fate
numbered pair work = Walk $ \found -> case Map.lookup pair (numbers found) of
  Just n -> (Visit n, found)
  Nothing ->
    let n = Map.size (numbers found)
        (step, found') = run work found {numbers = Map.insert pair n (numbers found)}
     in (Visit n, found' {steps = IntMap.insert n step (steps found')})

-- * Two shapes

-- | The writer's and the reader's. The keys of maps have to stay in order.
between :: Evolution -> Bool -> At -> At -> Walk Fate
between evolution ordered at at'@(At _ ours) = case followed ours of
  Declared b _
    | not ordered,
      known@(_ : _) <-
        [o | o@(Older _ made _) <- predecessors (changesOf evolution b), made == ours] ->
        madeOf evolution b known at at'
  _ -> directly evolution ordered at at'

-- | A type whose values may be made of those of older types. Where the writer's bytes are its
-- own, nothing is made; where they are an older type's, that is what they are; else what
-- is written is read as the type if it can be, and then as an older one. What is read as an
-- older type is not made of one that is older than that by the same type's functions.
madeOf :: Evolution -> Reference -> [Older] -> At -> At -> Walk Fate
madeOf evolution b known at@(At from theirs) at'@(At to ours) = do
  itself <- attempt (withoutAnyOlder evolution) theirs ours
  if either (const False) (identical . plan) itself
    then direct
    else do
      tried <-
        mapM
          ( \(Older old _ function) ->
              fmap (,function) <$> attempt (withoutOlder b evolution <> called old) theirs old
          )
          known
      let ways = [way | Right way <- tried, not (blind (plan (fst way)))]
      case filter (identical . plan . fst) ways <> ways of
        [] -> direct
        best : _
          | identical (plan (fst best)) -> through best
          | otherwise -> Walk $ \found -> case run direct found of
              (_, found')
                | length (mismatches found') > length (mismatches found) ->
                    run (through best) found {attempts = attempts found'}
              done -> done
  where
    direct = directly evolution False at at'
    -- The older type was called as the type is, or was.
    called = \case
      Declared a _ -> ofType a [typeNames (headName b : typeAliases (changesOf evolution b))]
      _ -> mempty
    through (Resolved inner met, function) = do
      mapM_ (\(Condition from' to' what) -> condition (from <> from') (to <> to') what) met
      pure (Make inner function)

attempt :: Evolution -> Shape -> Shape -> Walk (Either [Mismatch] Resolved)
attempt evolution theirs ours = Walk $ \found ->
  if attempts found > 0
    then
      let (result, left) =
            resolveWithin (attempts found - 1) evolution theirs ours
       in (result, found {attempts = left})
    else (Left [], found)

-- | By the bytes alone.
directly :: Evolution -> Bool -> At -> At -> Walk Fate
directly evolution ordered (At from theirs) (At to ours) = case (followed theirs, followed ours) of
  (Declared a da, Declared b db)
    | named a b ->
        numbered (a, Just b, ordered) (types evolution ordered (At' from a da) (At' to b db))
    | inner : _ <- [at | at@(At _ (Declared b' _)) <- unwrapped (At to ours), named a b'] ->
        go (At from theirs) inner
    | inner : _ <- [at | at@(At _ (Declared a' _)) <- unwrapped (At from theirs), named a' b] ->
        go inner (At to ours)
    | otherwise -> mismatch from to (OtherType (headName a) (typeName b))
  (_, Declared _ _) | inner : _ <- unwrapped (At to ours) -> go (At from theirs) inner
  (Declared _ _, Optional s)
    | inner : _ <- [at | at@(At _ (Optional _)) <- unwrapped (At from theirs)] ->
        go inner (At to ours)
    | otherwise -> Present <$> go (At from theirs) (At to s)
  (Declared _ _, _) | inner : _ <- unwrapped (At from theirs) -> go inner (At to ours)
  (Boolean, Boolean) -> pure (Keep (Bytes 1))
  (Unit, Unit) -> pure (Keep (Bytes 1))
  (Character, Character) -> pure (Keep AVarint)
  (Text, Text) -> pure (Keep AString)
  (Anything, Anything) -> pure (Keep AString)
  (Binary, Binary) -> pure (Keep AString)
  (BinaryOf n, BinaryOf n') | n == n', n > 0 -> pure (Keep (Bytes n))
  (Formatted notation name s, Formatted notation' name' s')
    | notation == notation',
      name == name' ->
        go (At from s) (At to s')
  (Opaque a, Opaque b) | a == b -> blindly from to a
  (Integer least most, Integer least' most') ->
    widened (formOf least most) (Range least most) (formOf least' most') (Range least' most')
  (Integer least most, IntegerIn width least' most') ->
    widened (formOf least most) (Range least most) (formIn width least') (closed least' most')
  (IntegerIn width least most, Integer least' most') ->
    widened (formIn width least) (closed least most) (formOf least' most') (Range least' most')
  (IntegerIn width least most, IntegerIn width' least' most') ->
    widened (formIn width least) (closed least most) (formIn width' least') (closed least' most')
  (Integer (Just least) (Just most), Floating bits) ->
    real (formOf (Just least) (Just most)) least most bits
  (Integer _ _, Floating _) -> narrower
  (IntegerIn width least most, Floating bits) -> real (formIn width least) least most bits
  (Floating bits, Floating bits')
    | not (isReal bits && isReal bits') -> mismatch from to (NoValues (brief theirs))
    | bits <= bits' -> pure (converted (Real bits) (Range Nothing Nothing) (Real bits'))
    | otherwise -> narrower
  (List least a, List least' b) -> do
    when (least' > least) $ condition from to (FewerThan least')
    Elements <$> go (At (from <> [Element]) a) (At (to <> [Element]) b)
  (SetOf a, SetOf b) ->
    Elements <$> between evolution True (At (from <> [Element]) a) (At (to <> [Element]) b)
  (SetOf a, List least b) -> go (At from (List 0 a)) (At to (List least b))
  (Mapping k v, Mapping k' v') -> do
    key <- between evolution True (At (from <> [KeyOf]) k) (At (to <> [KeyOf]) k')
    value <- go (At (from <> [ValueOf]) v) (At (to <> [ValueOf]) v')
    pure (pairs key value)
  (Optional a, Optional b) -> optional <$> go (At from a) (At to b)
  (_, Optional b) -> Present <$> go (At from theirs) (At to b)
  (Tuple as, Tuple bs)
    | null as || null bs -> mismatch from to (NoValues (brief (if null as then theirs else ours)))
    | length as /= length bs -> mismatch from to (OtherLength (length as) (length bs))
    | otherwise -> all' <$> zipWithM go (placed from as) (placed to bs)
  _ -> other
  where
    go = between evolution ordered
    other = mismatch from to (OtherKind (brief theirs) (brief ours))
    narrower = mismatch from to (Narrower (brief theirs) (brief ours))
    named a b = headName a == headName b || headName a `elem` typeAliases (changesOf evolution b)
    widened form range@(Range least most) form' (Range least' most')
      | maybe True (\l' -> maybe False (>= l') least) least',
        maybe True (\m' -> maybe False (<= m') most) most' =
          pure (converted form range form')
      | otherwise = narrower
    real form least most bits
      | isReal bits,
        abs least <= exactIn bits,
        abs most <= exactIn bits =
          pure (Convert form (closed least most) (Real bits))
      | otherwise = narrower
    exactIn bits = if bits == 32 then 2 ^ (24 :: Int) else 2 ^ (53 :: Int) :: Integer

-- | A shape that is left away.
whole :: Route -> Shape -> Walk Fate
whole from s = case followed s of
  Boolean -> pure (Keep (Bytes 1))
  Unit -> pure (Keep (Bytes 1))
  Character -> pure (Keep AVarint)
  Text -> pure (Keep AString)
  Anything -> pure (Keep AString)
  Binary -> pure (Keep AString)
  BinaryOf n
    | n > 0 -> pure (Keep (Bytes n))
    | otherwise -> none
  Formatted _ _ a -> whole from a
  Opaque name -> blindly from [] name
  Integer least most -> pure (keepForm (formOf least most))
  IntegerIn width least _ -> pure (keepForm (formIn width least))
  Floating bits
    | isReal bits -> pure (keepForm (Real bits))
    | otherwise -> none
  List _ a -> Elements <$> whole (from <> [Element]) a
  SetOf a -> Elements <$> whole (from <> [Element]) a
  Mapping k v -> pairs <$> whole (from <> [KeyOf]) k <*> whole (from <> [ValueOf]) v
  Optional a -> optional <$> whole from a
  Described _ a -> whole from a
  Tuple [] -> none
  Tuple as -> all' <$> sequence [whole at a | At at a <- placed from as]
  Declared a definition -> numbered (a, Nothing, False) $ case outfit definition of
    Outfit True constructors -> do
      insides <-
        mapM
          ( \c@(Dress _ contents) ->
              all' <$> sequence [whole at x | At at x <- inside (from <> inConstructor c) contents]
          )
          constructors
      pure (Choose (tagWidth constructors) (zipWith (Into . tag constructors) [0 ..] insides))
    Outfit False constructors ->
      all'
        <$> sequence
          [ whole at x
            | Dress _ contents <- constructors,
              At at x <- inside from contents
          ]
  where
    none = mismatch from [] (NoValues (brief s))

-- * Two declared types

data At' = At' Route Reference Definition

-- | Types of one name.
types :: Evolution -> Bool -> At' -> At' -> Walk Fate
types
  evolution
  ordered
  (At' from _ theirs)
  (At' to b ours) = case (constructors theirs, constructors ours) of
    ([], _) -> mismatch from to (NoValues (typeName b))
    ([Dress _ contents], [Dress _ contents']) ->
      joined . pure <$> (Into (tagOf 0) <$> bodies evolution ordered b from to contents contents')
    (here, there)
      | any isNameless (here <> there),
        isNothing (alone changes) ->
          mismatch from to (Nameless (typeName b))
      | otherwise -> do
          choices <- mapM (choice (names there) (Map.fromList (candidates there)) . called) here
          let met = [i | (Just i, _) <- choices]
          when (ordered && met /= List.sort met) $ moved from to
          when (null met) $ void (mismatch from to (NoneInCommon (names here) (names there)))
          pure (joined (map snd choices))
    where
      Outfit numberedHere _ = outfit theirs
      Outfit numberedThere _ = outfit ours
      constructors d = let Outfit _ dresses = outfit d in dresses
      changes = changesOf evolution b
      isNameless (Dress name _) = isNothing name
      -- The one constructor of a type that does not say its name.
      called (Dress name contents) = (fromMaybe T.empty (name <|> alone changes), contents)
      names = map (fst . called)
      tagOf j = if numberedThere then tag (constructors ours) j else B.empty
      joined = \case
        [Into given step] | not numberedHere -> before given step
        choices -> Choose (tagWidth choices) choices
      choice known byName (name, contents) = case Map.lookup name byName of
        -- Keys of maps would be the same as others.
        Nothing
          | not ordered,
            Just name' <- fallback changes,
            Just (j, _, contents') <- Map.lookup name' byName ->
              (,) (Just j) . Into (tagOf j)
                <$> bodies
                  evolution
                  ordered
                  b
                  (from <> [Within name])
                  (to <> [Within name'])
                  (nameless contents)
                  contents'
          | otherwise -> (Nothing, Refuse name known) <$ condition from to (Unknown name)
        Just (j, name', contents') ->
          (,) (Just j) . Into (tagOf j)
            <$> bodies
              evolution
              ordered
              b
              (from <> [Within name])
              (to <> [Within name'])
              contents
              contents'
      -- By their names, and then by those that they had. Of equal ones the last counts.
      candidates there =
        let own =
              [ (name, (j, name, contents))
                | (j, c) <- zip [0 ..] there,
                  let (name, contents) = called c
              ]
         in reverse
              ( own
                  <> [ (older, at)
                       | (name, at) <- own,
                         older <- Map.findWithDefault [] name (constructorAliases changes)
                     ]
              )

-- | What a constructor holds that stands for others: of theirs it has fields by their names alone.
nameless :: Contents -> Contents
nameless = \case
  Named fields -> Named fields
  Unnamed ss -> Named [Shape.Field T.empty False s | s <- ss]

-- | The fields of two constructors, of which the second is of the type.
bodies :: Evolution -> Bool -> Reference -> Route -> Route -> Contents -> Contents -> Walk Fate
bodies evolution ordered type_ from to theirs ours = case (theirs, ours) of
  (Named fs, Named gs) -> do
    let places = Map.fromList (reverse (zip (map Shape.fieldName fs) [0 ..]))
        own = Map.fromList [(Shape.fieldName g, ()) | g <- gs]
        sought g =
          Shape.fieldName g
            : [ older
                | older <-
                    Map.findWithDefault [] (Shape.fieldName g) (fieldAliases changes)
                      <> otherNames g,
                  Map.notMember older own
              ]
        pick (used, picked) g = case [ i
                                       | name <- sought g,
                                         Just i <- [Map.lookup name places],
                                         IntSet.notMember i used
                                     ] of
          i : _ -> (IntSet.insert i used, Just i : picked)
          [] -> (used, Nothing : picked)
        sources = zip gs (reverse (snd (List.foldl' pick (IntSet.empty, []) gs)))
        readers = IntMap.fromList [(i, g) | (g, Just i) <- sources]
    made <-
      sequence
        [ maybe
            (whole (below from f) (Shape.fieldShape f))
            ( \g ->
                between
                  evolution
                  ordered
                  (At (below from f) (Shape.fieldShape f))
                  (At (below to g) (Shape.fieldShape g))
            )
            (IntMap.lookup i readers)
          | (i, f) <-
              zip [0 ..] fs
        ]
    given <- mapM source sources
    let taken = [i | Taken i <- given]
    when (ordered && (taken /= List.sort taken || length taken < length fs)) $ moved from to
    pure (Fields made given)
  _
    | length (inside from theirs) /= length (inside to ours) ->
        mismatch from to (OtherLength (length (inside from theirs)) (length (inside to ours)))
    | otherwise ->
        all' <$> zipWithM (between evolution ordered) (inside from theirs) (inside to ours)
  where
    changes = changesOf evolution type_
    below route f = route <> [Field (Shape.fieldName f)]
    source (g, place) = case place of
      Just i -> pure (Taken i)
      Nothing -> case ( [bytes | Default given bytes <- known, given == Shape.fieldShape g],
                        known,
                        Shape.fieldShape g
                      ) of
        (bytes : _, _, _) -> pure (Given bytes)
        ([], Default given _ : _, wanted) ->
          Given B.empty
            <$ mismatch from (below to g) (WrongDefault name (brief given) (brief wanted))
        ([], [], Optional _) -> pure (Given (B.singleton 0))
        _ -> Given B.empty <$ mismatch from (below to g) (NoDefault name)
      where
        name = Shape.fieldName g
        known =
          Map.findWithDefault [] name (defaults changes)
            <> [ Default (Shape.fieldShape g) bytes
                 | Shape.MissingIs bytes _ <- Shape.saidOf (Shape.fieldShape g)
               ]
    -- What the type's codec says itself counts after what is said beside it.
    otherNames g = concat [names | Shape.OtherNames names <- Shape.saidOf (Shape.fieldShape g)]

-- * Declarations

-- | The constructors of a type, and whether their number is written.
data Outfit = Outfit Bool [Dress]

-- | A constructor: its name, where it is known, and what it holds.
data Dress = Dress (Maybe Text) Contents

data Contents
  = Named [Shape.Field]
  | Unnamed [Shape]

outfit :: Definition -> Outfit
outfit = \case
  Shape.Bare _ body -> dressed [Dress Nothing (contents body)]
  Shape.Names names -> Outfit True [Dress (Just name) (Named []) | name <- names]
  Shape.Sum _ constructors ->
    dressed [Dress (Just name) (contents body) | Shape.Constructor name _ body <- constructors]
  where
    dressed = \case
      [one@(Dress _ inner)] | not (isEmpty inner) -> Outfit False [one]
      constructors -> Outfit True constructors
    isEmpty = \case
      Named fs -> null fs
      Unnamed ss -> null ss
    contents = \case
      Shape.Nullary -> Named []
      Shape.Value s -> Unnamed [s]
      Shape.Array [] -> Named []
      Shape.Array ss -> Unnamed ss
      Shape.Record fields -> Named fields

inside :: Route -> Contents -> [At]
inside route = \case
  Named fields -> [At (route <> [Field (Shape.fieldName f)]) (Shape.fieldShape f) | f <- fields]
  Unnamed [s] -> [At route s]
  Unnamed ss -> placed route ss

inConstructor :: Dress -> Route
inConstructor (Dress name _) = [Within n | Just n <- [name]]

placed :: Route -> [Shape] -> [At]
placed route ss = [At (route <> [Position i]) s | (i, s) <- zip [0 ..] ss]

-- | What is in a type of one constructor with one field, and what is in that.
unwrapped :: At -> [At]
unwrapped = take 16 . go
  where
    go (At route s) = case followed s of
      Declared _ definition
        | Outfit False [Dress _ contents] <- outfit definition,
          [At route' s'] <- inside route contents,
          let inner = At route' (followed s') ->
            inner : go inner
      _ -> []

-- | The name without arguments, and without the number that a schema may have put
-- after it.
headName :: Reference -> Text
headName name = case T.breakOnEnd "#" word of
  (before', digits)
    | not (T.null before'),
      not (T.null digits),
      T.all isDigit digits,
      T.length before' > 1 ->
        T.dropEnd 1 before'
  _ -> word
  where
    word = T.takeWhile (/= ' ') (typeName name)

-- | A type whose arguments grow without end is what a schema says of it: a name. What
-- people are told changes nothing.
followed :: Shape -> Shape
followed s = case s of
  Declared name _ | Shape.tooDeep name -> Opaque (typeName name)
  Described _ inner -> followed inner
  _ -> s

-- | A shape in few words: declared types by their names alone.
brief :: Shape -> Text
brief s = case s of
  Declared name _ -> headName name
  Described _ a -> brief a
  List _ a -> T.concat ["[", brief a, "]"]
  SetOf a -> T.unwords ["set", brief a]
  Optional a -> brief a <> "?"
  Mapping k v -> T.unwords ["map", brief k, brief v]
  Formatted _ name _ -> name
  Tuple ss -> T.concat ["(", T.intercalate ", " (map brief (take 8 ss)), ")"]
  _ -> Shape.renderShape s

-- | Names of fields and constructors that the types of a shape do not have.
misnamed :: Evolution -> Shape -> [Mismatch]
misnamed evolution ours =
  [ Mismatch [] [] (NoSuchName (typeName name) wrong)
    | (name, definition) <- Shape.definitions ours,
      wrong <- unknownIn (changesOf evolution name) (outfit definition)
  ]
  where
    unknownIn changes (Outfit _ constructors) =
      filter
        ( `notElem` concat [map Shape.fieldName fs | Dress _ (Named fs) <- constructors]
        )
        (Map.keys (defaults changes) <> Map.keys (fieldAliases changes))
        <> [ name
             | Just name <- [fallback changes],
               name `notElem` [known | Dress (Just known) (Named _) <- constructors]
           ]
        <> [ name
             | all (\(Dress known _) -> isJust known) constructors,
               name <- Map.keys (constructorAliases changes) <> maybe [] pure (alone changes),
               name `notElem` [known | Dress (Just known) _ <- constructors]
           ]

-- * Pieces

formOf :: Maybe Integer -> Maybe Integer -> Form
formOf least most = case (least, most) of
  (Just l, Just m)
    | m - l < 2 ^ (8 :: Int) -> Sized (l < 0) 1
    | m - l < 2 ^ (16 :: Int) -> Sized (l < 0) 2
    | otherwise -> Varint (l < 0)
  (Just l, _) | l >= 0 -> Large False
  _ -> Large True

-- | That of integers of a fixed size, by the least of them.
formIn :: Width -> Integer -> Form
formIn width least = Sized (least < 0) (Shape.widthInBytes width)

closed :: Integer -> Integer -> Range
closed least most = Range (Just least) (Just most)

converted :: Form -> Range -> Form -> Fate
converted from range to = if from == to then keepForm from else Convert from range to

keepForm :: Form -> Fate
keepForm = \case
  Sized _ n -> Keep (Bytes n)
  Varint _ -> Keep AVarint
  Large _ -> Keep AMagnitude
  Real bits -> Keep (Bytes (bits `quot` 8))

isReal :: Int -> Bool
isReal bits = bits == 32 || bits == 64

all' :: [Fate] -> Fate
all' made = Fields made (map Taken [0 .. length made - 1])

pairs :: Fate -> Fate -> Fate
pairs key value = Elements (all' [key, value])

optional :: Fate -> Fate
optional step = Choose 1 [Into "\0" (all' []), Into "\1" (all' [step])]

-- | A constructor's number before its fields.
before :: ByteString -> Fate -> Fate
before given step
  | B.null given = step
  | otherwise = Fields [step] [Given given, Taken 0]

tagWidth :: [a] -> Int
tagWidth constructors = if length (take 257 constructors) <= 256 then 1 else 2

tag :: [a] -> Int -> ByteString
tag constructors i =
  B.take (tagWidth constructors) (B.pack [fromIntegral (i `mod` 256), fromIntegral (i `div` 256)])
