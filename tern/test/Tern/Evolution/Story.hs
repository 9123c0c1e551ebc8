-- | Two versions of a type put together at random, what is said of the changes, and
-- how a value of the older becomes one of the newer: the slow model of evolution.
--
-- The idea: the type is made together with its changes, so that what becomes of a value
-- is known from the making and from nothing that Tern finds out.
module Tern.Evolution.Story
  ( Story (..),
    story,
  )
where

import Control.Monad (zipWithM)
import Data.ByteString qualified as B
import Data.List (elemIndex, sortOn)
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, float2Double)
import Tern.Internal.Evolution.Changes
  ( Change,
    Default (..),
    Evolution,
    constructorNames,
    defaultOf,
    fieldNames,
    ofType,
    typeNames,
  )
import Tern.Native.Described (typeOf)
import Tern.Native.Model (Tree (..), Type (..), written)
import Tern.Shape (Reference (..), Shape)
import Tern.Shape qualified as Shape
import Test.QuickCheck hiding (within)

data Story = Story
  { older, newer :: Shape,
    said :: Evolution,
    -- | What a value becomes; nothing where it is refused.
    grown :: Tree -> Maybe Tree,
    -- | Values of the older type, of some depth.
    trees :: Int -> Gen Tree
  }

instance Show Story where
  show s =
    T.unpack
      ( T.concat
          [ Shape.renderShape
              (older s),
            T.pack "\nbecomes\n",
            Shape.renderShape (newer s)
          ]
      )

-- | With a name that no other type has, of some depth.
story :: String -> Int -> Gen Story
story name depth
  | depth <= 0 = scalar
  | otherwise =
      frequency
        [ (2, scalar),
          (1, present <$> (inner "p" `suchThat` (not . optionalInside . older))),
          (1, listed <$> inner "l"),
          (1, optional <$> inner "o"),
          (1, mapped <$> key <*> inner "m"),
          (1, (\a b -> tuple [a, b]) <$> inner "a" <*> inner "b"),
          (3, record name),
          (3, choice name),
          (2, rose name),
          (1, chain name)
        ]
  where
    inner part = story (name <> part) (depth - 1)
    record part =
      recordOf part <$> (choose (0, 5) >>= \n -> fieldsOf part n (depth - 1)) <*> pure []
    choice part = sumOf part <$> (choose (1, 4) >>= \n -> constructorsOf part n (depth - 1))
    -- Types that are within themselves: by a list, by a choice.
    rose part = do
      n <- choose (0, 3)
      fields <- fieldsOf part n (depth - 1)
      kept <- arbitrary
      at <- choose (0, n)
      order <- arbitrary
      let self =
            recordOf
              part
              fields
              [ Op
                  (T.pack "branches")
                  (if kept then Just (T.pack "branches") else Nothing)
                  order
                  at
                  (within listed self)
              ]
      pure self
    chain part = do
      n <- choose (0, 2)
      fields <- fieldsOf (part <> "c") n (depth - 1)
      order <- arbitrary
      end <- arbitrary
      let self =
            sumOf
              part
              [ Case (T.pack "End") (Just (T.pack (if end then "End" else "Finish"))) 1 [],
                Case
                  (T.pack "Link")
                  (Just (T.pack "Link"))
                  0
                  ( fields
                      <> [Op (T.pack "rest") (Just (T.pack "rest")) order 0 (within id self)]
                  )
              ]
      pure self

-- | A type inside itself; what is said of it is said once.
within :: (Story -> Story) -> Story -> Story
within around self = (around self) {said = mempty}

optionalInside :: Shape -> Bool
optionalInside = \case
  Shape.Optional _ -> True
  Shape.Declared _ (Shape.Bare _ (Shape.Record [f])) -> optionalInside (Shape.fieldShape f)
  Shape.Declared _ (Shape.Bare _ (Shape.Value s)) -> optionalInside s
  Shape.Declared _ (Shape.Sum _ [Shape.Constructor _ _ (Shape.Record [f])]) ->
    optionalInside (Shape.fieldShape f)
  _ -> False

-- * Scalars

scalar :: Gen Story
scalar = oneof [unchanged <$> elements scalars, widened]

unchanged :: Shape -> Story
unchanged s = Story s s mempty Just (const (treeOf (typeOf s)))

scalars :: [Shape]
scalars =
  [ Shape.Boolean,
    Shape.Text,
    Shape.Character,
    Shape.Unit,
    Shape.Floating 32,
    Shape.Floating 64,
    Shape.Binary,
    Shape.BinaryOf 16,
    Shape.Formatted
      Shape.InText
      (T.pack "date-time")
      ( Shape.Tuple
          [Shape.Integer Nothing Nothing, Shape.Text]
      )
  ]
    <> integers

integers :: [Shape]
integers =
  [ Shape.Integer (Just l) (Just m)
    | (l, m) <- [(0, 2 ^ n - 1) | n <- sizes] <> [(-(2 ^ (n - 1)), 2 ^ (n - 1) - 1) | n <- sizes]
  ]
    <> [Shape.Integer (Just 0) Nothing, Shape.Integer Nothing Nothing]
    <> fixed
  where
    sizes = [8, 16, 32, 64 :: Int]

-- | Those of a fixed width.
fixed :: [Shape]
fixed =
  [ Shape.IntegerIn width l m
    | (width, n) <- [(Shape.FourBytes, 32 :: Int), (Shape.EightBytes, 64)],
      (l, m) <- [(0, 2 ^ n - 1), (-(2 ^ (n - 1)), 2 ^ (n - 1) - 1)]
  ]

-- | A number of a type that holds more.
widened :: Gen Story
widened = do
  (from, to) <-
    elements
      ( [(a, b) | a <- integers, b <- integers, within' a b]
          <> [(a, Shape.Floating 64) | a <- take 3 integers <> take 3 (drop 4 integers)]
          <> [(a, Shape.Floating 32) | a <- take 2 integers]
          <> [(a, Shape.Floating 64) | a <- take 2 fixed]
          <> [(Shape.Floating 32, Shape.Floating 64)]
      )
  pure
    ( Story
        from
        to
        mempty
        (onNumber (Just . held to . meant from))
        (const (treeOf (typeOf from)))
    )
  where
    within' a b = case (bounds a, bounds b) of
      (Just (l, m), Just (l', m')) ->
        maybe True (\x -> maybe False (>= x) l) l' && maybe True (\x -> maybe False (<= x) m) m'
      _ -> False
    bounds = \case
      Shape.Integer l m -> Just (l, m)
      Shape.IntegerIn _ l m -> Just (Just l, Just m)
      _ -> Nothing

-- | The number that bits stand for: of a real, its bits as a double.
meant :: Shape -> Integer -> Either Integer Integer
meant s n = case s of
  Shape.Integer (Just l) (Just m) | l < 0, n > m -> Left (n - 2 * (m + 1))
  Shape.Floating _ ->
    Right (toInteger (castDoubleToWord64 (float2Double (castWord32ToFloat (fromInteger n)))))
  _ -> Left n

held :: Shape -> Either Integer Integer -> Integer
held s = \case
  Right bits -> bits
  Left n -> case s of
    Shape.Floating 64 -> toInteger (castDoubleToWord64 (fromInteger n))
    Shape.Floating _ -> toInteger (castFloatToWord32 (fromInteger n))
    Shape.Integer (Just l) (Just m) | l < 0, n < 0, m < 2 ^ (16 :: Int) -> n + 2 * (m + 1)
    _ -> n

onNumber :: (Integer -> Maybe Integer) -> Tree -> Maybe Tree
onNumber f = \case
  Number n -> Number <$> f n
  _ -> Nothing

-- | Any value of a type that ends.
treeOf :: Type -> Gen Tree
treeOf = \case
  Unsigned most -> Number <$> near 0 most
  Signed bits -> Number <$> near (-(2 ^ (bits - 1))) (2 ^ (bits - 1) - 1)
  Raw n -> Number <$> near 0 (256 ^ n - 1)
  Complement n -> Number <$> near (-(256 ^ n `div` 2)) (256 ^ n `div` 2 - 1)
  Character -> Number <$> near 0 0x10ffff
  Binary -> Bytes <$> resize 12 (listOf arbitrary)
  String -> Chars <$> resize 12 (listOf (elements "abc\233\20013\128007"))
  Natural -> Number <$> near 0 (2 ^ (80 :: Int))
  Integer -> Number <$> near (-(2 ^ (80 :: Int))) (2 ^ (80 :: Int))
  Sum options ->
    choose (0, length options - 1) >>= \i ->
      Constructor i <$> mapM treeOf (concat (take 1 (drop i options)))
  Tuple ts -> Several <$> mapM treeOf ts
  ListOf t -> Several <$> (choose (0, 3) >>= \n -> vectorOf n (treeOf t))
  _ -> pure (Several [])
  where
    near low high = do
      k <- choose (0, 80 :: Int)
      d <- choose (-2, 2)
      sign <- elements [1, -1]
      n <- frequency [(4, pure (sign * 2 ^ k + d)), (1, elements [low, high])]
      pure (if n < low || n > high then low + (n - low) `mod` (high - low + 1) else n)

-- * Put together

present, listed, optional :: Story -> Story
present s = s {newer = Shape.Optional (newer s), grown = fmap (\t -> Constructor 1 [t]) . grown s}
listed s =
  s
    { older = Shape.List 0 (older s),
      newer = Shape.List 0 (newer s),
      grown = onSeveral (mapM (grown s)),
      trees =
        \n ->
          Several
            <$> (if n <= 0 then pure [] else choose (0, 3) >>= \k -> vectorOf k (trees s (n - 1)))
    }
optional s =
  s
    { older = Shape.Optional (older s),
      newer = Shape.Optional (newer s),
      grown = \case
        Constructor 1 [t] -> (\t' -> Constructor 1 [t']) <$> grown s t
        t -> Just t,
      trees = \n ->
        if n <= 0
          then pure (Constructor 0 [])
          else oneof [pure (Constructor 0 []), (\t -> Constructor 1 [t]) <$> trees s (n - 1)]
    }

-- | Keys that stay in order.
key :: Gen Story
key = oneof [pure (unchanged Shape.Text), widened, (\a b -> tuple [a, b]) <$> widened <*> scalar]

mapped :: Story -> Story -> Story
mapped k v =
  pairs {older = Shape.Mapping (older k) (older v), newer = Shape.Mapping (newer k) (newer v)}
  where
    pairs = listed (tuple [k, v])

tuple :: [Story] -> Story
tuple ss =
  Story
    (Shape.Tuple (map older ss))
    (Shape.Tuple (map newer ss))
    (foldMap said ss)
    (onSeveral (zipWithM grown ss))
    (\n -> Several <$> mapM (`trees` n) ss)

onSeveral :: ([Tree] -> Maybe [Tree]) -> Tree -> Maybe Tree
onSeveral f = \case
  Several ts -> Several <$> f ts
  _ -> Nothing

-- * Records

-- | A field of the older type, its new name if it is kept, where it comes among the
-- newer one's and among the older's, and its value; or one that is added.
data Op
  = Op Text (Maybe Text) Int Int Story
  | Added Text Int Shape (Maybe Tree)

fieldsOf :: String -> Int -> Int -> Gen [Op]
fieldsOf name n depth = do
  old <- mapM one [1 .. n]
  k <- frequency [(2, pure 0), (3, choose (1, 2))]
  new <- mapM added [1 .. k]
  -- Often everything stays in its order.
  calm <- arbitrary
  pure (if calm then zipWith ranked [0 ..] (old <> new) else old <> new)
  where
    ranked i = \case
      Op a b _ at s -> Op a b i at s
      Added a _ s t -> Added a i s t
    one i = do
      s <- story (name <> show i) depth
      let own = T.pack ("f" <> show (i :: Int))
      new <-
        frequency
          [ (4, pure (Just own)),
            (1, pure (Just (T.pack ("g" <> show i)))),
            (1, pure Nothing)
          ]
      order <- arbitrary
      pure (Op own new order i s)
    added i = do
      order <- arbitrary
      let own = T.pack ("h" <> name <> show (i :: Int))
      oneof
        [ do s <- elements scalars; t <- treeOf (typeOf s); pure (Added own order s (Just t)),
          do s <- elements scalars; pure (Added own order (Shape.Optional s) Nothing),
          do
            s <-
              elements scalars
            t <- treeOf (typeOf (Shape.List 0 s))
            pure (Added own order (Shape.List 0 s) (Just t))
        ]

-- | The older fields, the newer, what is said of them, and what becomes of values.
fieldsBy ::
  [Op] -> ([Shape.Field], [Shape.Field], [Change], [Tree] -> Maybe [Tree], Int -> Gen [Tree])
fieldsBy ops =
  ( map oldField olds,
    map fst news,
    changes,
    \ts ->
      mapM (\(_, make) -> make ts) news,
    \n -> mapM (\(_, s) -> trees s n) olds
  )
  where
    olds = [(own, s) | Op own _ _ _ s <- sortOn place [op | op@(Op {}) <- ops]]
    place = \case
      Op _ _ _ at _ -> at
      Added {} -> 0
    oldField (own, s) = Shape.Field own False (older s)
    news =
      map
        snd
        ( sortOn
            fst
            ( [ ( order,
                  ( Shape.Field new False (newer s),
                    \ts ->
                      grown s =<< lookup own (zip (map fst olds) ts)
                  )
                )
                | Op own (Just new) order _ s <-
                    ops
              ]
                <> [ ( order,
                       ( Shape.Field
                           new
                           False
                           s,
                         const (Just (fromMaybe (Constructor 0 []) t))
                       )
                     )
                     | Added new order s t <-
                         ops
                   ]
            )
        )
    changes =
      [fieldNames new [own] | Op own (Just new) _ _ _ <- ops, own /= new]
        <> [ defaultOf new (Default s (B.pack (written (typeOf s) t)))
             | Added new _ s (Just t) <-
                 ops
           ]

recordOf :: String -> [Op] -> [Op] -> Story
recordOf name ops more =
  Story
    { older = Shape.Declared (named name) (Shape.Bare Shape.anyOthers (body old)),
      newer = Shape.Declared (named (name <> "'")) (Shape.Bare Shape.anyOthers (body new)),
      said =
        ofType (named (name <> "'")) (typeNames [T.pack name] : changes) <> saidOf (ops <> more),
      grown = fmap (alone new) . become . inside,
      trees = fmap (alone old) . values
    }
  where
    (old, new, changes, become, values) = fieldsBy (ops <> more)
    alone fs ts = if null fs then Constructor 0 [] else Several ts
    inside = \case
      Several ts -> ts
      _ -> []

saidOf :: [Op] -> Evolution
saidOf ops = mconcat [said s | Op _ _ _ _ s <- ops]

body :: [Shape.Field] -> Shape.Body
body fs = if null fs then Shape.Nullary else Shape.Record fs

named :: String -> Reference
named name = Reference (T.pack "Story") (T.pack name) []

-- * Sums

-- | A constructor of the older type, its new name if it is kept, where it comes among
-- the newer one's, and its fields. One that is added has no older name.
data Case = Case Text (Maybe Text) Int [Op] | New Text Int

constructorsOf :: String -> Int -> Int -> Gen [Case]
constructorsOf name n depth = do
  kept <- mapM (one True) [1 .. n]
  lost <- choose (0, 2) >>= \k -> mapM (one False) [n + 1 .. n + k]
  added <-
    choose (0, 2) >>= \k ->
      mapM (\i -> New (T.pack ("N" <> show (i :: Int))) <$> arbitrary) [1 .. k]
  shuffle (kept <> lost <> added)
  where
    one keep i = do
      fields <-
        oneof
          [ pure [],
            choose (0, 3) >>= \k ->
              fieldsOf (name <> "k" <> show (i :: Int)) k (depth - 1)
          ]
      renamed <- frequency [(3, pure False), (1, pure True)]
      let own = T.pack ("C" <> show i)
      Case own (if keep then Just (if renamed then T.pack ("D" <> show i) else own) else Nothing)
        <$> arbitrary
        <*> pure fields

sumOf :: String -> [Case] -> Story
sumOf name cases =
  Story
    { older = declared name [(own, oldFields ops) | (own, _, _, ops) <- olds],
      newer = declared name [(new, fields) | (_, (new, fields)) <- news],
      said =
        ofType
          (named name)
          ( [constructorNames new [own] | Case own (Just new) _ _ <- cases, own /= new]
              <> concat [changesIn ops | Case _ (Just _) _ ops <- cases]
          )
          <> mconcat [saidOf ops | Case _ _ _ ops <- cases],
      grown = \t -> do
        let (i, ts) = taken t
        (own, to, _, ops) <- lookup i (zip [0 ..] olds)
        _ <- to
        j <- elemIndex own (map fst news)
        put j <$> becomes ops ts,
      trees = \n -> do
        i <- if n <= 0 then pure 0 else choose (0, length olds - 1)
        let (_, _, _, ops) = olds !! i
        keep i <$> valuesIn ops (n - 1)
    }
  where
    olds = [(own, new, order, ops) | Case own new order ops <- cases]
    news =
      map
        snd
        ( sortOn
            fst
            ( [(order, (own, (new, newFields ops))) | Case own (Just new) order ops <- cases]
                <> [(order, (new, (new, []))) | New new order <- cases]
            )
        )
    oldFields ops = let (old, _, _, _, _) = fieldsBy ops in old
    newFields ops = let (_, new, _, _, _) = fieldsBy ops in new
    changesIn ops = let (_, _, changes, _, _) = fieldsBy ops in changes
    becomes ops = let (_, _, _, become, _) = fieldsBy ops in become
    valuesIn ops = let (_, _, _, _, values) = fieldsBy ops in values
    -- One constructor with fields has no number.
    taken t = case t of
      Several ts -> (0, ts)
      Constructor i ts -> (i, ts)
      _ -> (0, [])
    keep i ts = if length olds == 1 && not (null ts) then Several ts else Constructor i ts
    put j ts = if length news == 1 && not (null ts) then Several ts else Constructor j ts

declared :: String -> [(Text, [Shape.Field])] -> Shape
declared name constructors
  | all (null . snd) constructors = Shape.Declared (named name) (Shape.Names (map fst constructors))
  | otherwise =
      Shape.Declared
        (named name)
        ( Shape.Sum
            Shape.SingleField
            [ Shape.Constructor own Shape.anyOthers (body fs)
              | (own, fs) <-
                  constructors
            ]
        )
