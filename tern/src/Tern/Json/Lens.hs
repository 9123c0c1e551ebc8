-- | Places in documents, to look at and to change.
--
-- The idea: a place is a function, by van Laarhoven's representation. All libraries of
-- lenses understand it, and none is needed: 'found', 'firstFound' and 'over' stand here. Places
-- within places are put together by @(.)@.
module Tern.Json.Lens
  ( Lens,
    Traversal,

    -- * Places
    key,
    atKey,
    nth,
    values,
    eachMember,
    at,

    -- * What stands there
    bools,
    numbers,
    integers,
    strings,
    arrays,
    objects,

    -- * Use
    found,
    firstFound,
    over,
    set,
  )
where

import Data.Functor.Const (Const (..))
import Data.Functor.Identity (Identity (..))
import Data.Monoid (Endo (..), First (..))
import Data.Text (Text)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Tern.Json.Pointer (Pointer (..), Token, arrayIndex)
import Tern.Value
  ( Number,
    Object,
    Value (..),
    member,
    members,
    numberFromInteger,
    numberToInteger,
    object,
  )

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.Either (fromRight)
-- >>> import Tern.Json (decodeJson, encodeJson)
-- >>> import Data.Text qualified as T
-- >>> import Tern.Value (Value (..), object)
-- >>> let json text = fromRight Null (decodeJson text)

-- | One place.
type Lens s a = forall f. (Functor f) => (a -> f a) -> s -> f s

-- | Any number of places, in an order.
type Traversal s a = forall f. (Applicative f) => (a -> f a) -> s -> f s

-- * Places

-- | The value of a member, where the value is an object that has it; of a repeated name,
-- all its values. Linear in the object where it is changed.
--
-- >>> firstFound (key "a" . key "b" . strings) (json "{\"a\":{\"b\":\"tern\"}}")
-- Just "tern"
key :: Text -> Traversal Value Value
key name f = \case
  Object o
    | Just _ <- member name o ->
        Object . object
          <$> traverse (\(n, v) -> (,) n <$> if n == name then f v else pure v) (members o)
  value -> pure value

-- | The member of an object, there or not: put 'Nothing' there to take it away. A new one
-- comes last; of a repeated name one is left.
--
-- >>> encodeJson (Object (set (atKey "b") (Just Null) (object [("a", Bool True)])))
-- "{\"a\":true,\"b\":null}"
atKey :: Text -> Lens Object (Maybe Value)
atKey name f o = put <$> f (member name o)
  where
    put = \case
      Nothing -> object (filter ((/= name) . fst) (members o))
      Just v -> case break ((== name) . fst) (members o) of
        (before, _ : after) -> object (before <> ((name, v) : filter ((/= name) . fst) after))
        (before, []) -> object (before <> [(name, v)])

-- | The element of an index, from 0.
nth :: Int -> Traversal Value Value
nth i f = \case
  Array vs | Just v <- vs V.!? i -> (\v' -> Array (vs V.// [(i, v')])) <$> f v
  value -> pure value

-- | All elements of an array.
--
-- >>> encodeJson (over (values . integers) (+ 1) (json "[1,null,3]"))
-- "[2,null,4]"
values :: Traversal Value Value
values f = \case
  Array vs -> Array <$> traverse f vs
  value -> pure value

-- | All eachMember values, in the document's order.
eachMember :: Traversal Value Value
eachMember f = \case
  Object o -> Object . object <$> traverse (traverse f) (members o)
  value -> pure value

-- | What a pointer leads to.
--
-- >>> encodeJson (set (at "/a/1") Null (json "{\"a\":[1,2]}"))
-- "{\"a\":[1,null]}"
at :: Pointer -> Traversal Value Value
at (Pointer tokens) = go tokens
  where
    go :: [Token] -> Traversal Value Value
    go [] f value = f value
    go (token : rest) f value = case value of
      Object _ -> key token (go rest f) value
      _ -> maybe (pure value) (\i -> nth i (go rest f) value) (arrayIndex token)

-- * What stands there

-- | The boolean that a value is.
bools :: Traversal Value Bool
bools f = \case
  Bool b -> Bool <$> f b
  value -> pure value

-- | The number that a value is.
numbers :: Traversal Value Number
numbers f = \case
  Number n -> Number <$> f n
  value -> pure value

-- | The integer that a value is, of at most 4,096 digits.
integers :: Traversal Value Integer
integers f = \case
  Number n | Just i <- numberToInteger n -> Number . numberFromInteger <$> f i
  value -> pure value

-- | The text that a value is.
--
-- >>> encodeJson (over (values . strings) T.toUpper (json "[\"tern\",1]"))
-- "[\"TERN\",1]"
strings :: Traversal Value Text
strings f = \case
  String t -> String <$> f t
  value -> pure value

-- | The elements of the array that a value is.
arrays :: Traversal Value (Vector Value)
arrays f = \case
  Array vs -> Array <$> f vs
  value -> pure value

-- | The object that a value is.
objects :: Traversal Value Object
objects f = \case
  Object o -> Object <$> f o
  value -> pure value

-- * Use

-- | What stands at all places.
--
-- >>> found (values . integers) (json "[1,null,3]")
-- [1,3]
found :: ((a -> Const (Endo [a]) a) -> s -> Const (Endo [a]) s) -> s -> [a]
found place s = appEndo (getConst (place (\a -> Const (Endo (a :))) s)) []

-- | What stands at the first place.
firstFound :: ((a -> Const (First a) a) -> s -> Const (First a) s) -> s -> Maybe a
firstFound place s = getFirst (getConst (place (Const . First . Just) s))

-- | Change what stands at all places.
over :: ((a -> Identity a) -> s -> Identity s) -> (a -> a) -> s -> s
over place f s = runIdentity (place (Identity . f) s)

-- | Put something at all places.
set :: ((a -> Identity a) -> s -> Identity s) -> a -> s -> s
set place a = over place (const a)
