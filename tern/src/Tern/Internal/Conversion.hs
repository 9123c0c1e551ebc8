-- | Documents of a binary format as JSON, and JSON as such documents, with what is lost
-- on the way.
--
-- The idea: a conversion never fails and never keeps silent. What the other format cannot
-- say is said in the nearest way that it has, and each place where that happened is
-- listed: if the list is empty, converting back gives what there was. A format says what
-- it sees in one of its values ('Seen') and how its values are made ('Maker'); the walks
-- are here.
module Tern.Internal.Conversion
  ( -- * Losses
    Loss (..),
    Lost (..),

    -- * To JSON
    Seen (..),
    toJsonBy,
    wholeNumber,
    real,
    binary,

    -- * From JSON
    Maker (..),
    fromJsonBy,
  )
where

import Data.ByteString (ByteString)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Vector (Vector)
import Data.Vector qualified as V
import Tern.Error (Path, Segment (..))
import Tern.Internal.Form (writeForm)
import Tern.Internal.Form.Bytes (bytesForm)
import Tern.Internal.Json.Document (encodeTextWith)
import Tern.Prim.Bytes (Alphabet (Base64))
import Tern.Value qualified as Json

-- * Losses

-- | Something lost, and where: by the keys and indices of the JSON document.
data Loss = Loss {lossPath :: !Path, lossOf :: !Lost}
  deriving stock (Eq, Show)

-- | What was lost.
data Lost
  = -- | That a number was a float 32: its digits are those of a double now.
    SinglePrecision
  | -- | That an infinity is a number: it is @"+inf"@ or @"-inf"@ now.
    Infinity
  | -- | A number that is none: it is @null@ now.
    NotANumber
  | -- | That bytes are no text: they are a string in base 64 (RFC 4648) now.
    Binary
  | -- | That something is an extension: it is an object with @type@ and @data@
    -- in base 64 now.
    Extension
  | -- | That something is a time: it is an object with @seconds@ and
    -- @nanoseconds@ now.
    Time
  | -- | A tag: its content stands alone now.
    Tagged !Word
  | -- | That a value is undefined: it is @null@ now.
    IsUndefined
  | -- | A simple value without a name: it is its number now.
    IsSimple
  | -- | That a key is no string: it is the text of its JSON now.
    KeyType
  | -- | That two keys differ: both are this text now.
    KeyCollision !Text
  | -- | A number's value: it is the nearest double now. As it was written.
    Rounded !Text
  deriving stock (Eq, Show)

-- * To JSON

-- | What a value is, seen from JSON.
data Seen value
  = -- | A value without others within, and what JSON cannot say of it.
    Leaf !Json.Value ![Lost]
  | -- | A string.
    Characters !Text
  | Elements !(Vector value)
  | Pairs !(Vector (value, value))
  | -- | Something around a value, which is lost.
    Around !Lost value

-- | The nearest JSON, and what was lost, in the order of the document. Two keys collide
-- where they are different values of one text. In time linear in the document's size, but
-- for maps, which are ordered.
toJsonBy :: (Eq value) => (value -> Seen value) -> value -> (Json.Value, [Loss])
toJsonBy see top = walk top [] []
  where
    -- With the path, innermost first, and the losses that follow.
    walk value path rest = case see value of
      Leaf json lost -> (json, map (Loss (reverse path)) lost <> rest)
      Characters t -> (Json.String t, rest)
      Elements values -> case elements path rest 0 (V.toList values) of
        (json, losses) -> (Json.Array (V.fromListN (V.length values) json), losses)
      Pairs pairs -> case members path rest Map.empty (V.toList pairs) of
        (json, losses) -> (Json.Object (Json.object json), losses)
      Around lost within -> case walk within path rest of
        (json, losses) -> (json, Loss (reverse path) lost : losses)
    elements path rest i = \case
      [] -> ([], rest)
      v : vs ->
        let (others, after) = elements path rest (i + 1) vs
            (json, losses) = walk v (Index i : path) after
         in (json : others, losses)
    -- With the keys that there were by their text.
    members path rest seen = \case
      [] -> ([], rest)
      (k, v) : pairs ->
        let (name, isText) = keyText k
            here = Key name : path
            changed = [Loss (reverse here) KeyType | not isText]
            collided =
              [Loss (reverse here) (KeyCollision name) | Just k' <- [Map.lookup name seen], k' /= k]
            (others, after) = members path rest (Map.insertWith (\_ old -> old) name k seen) pairs
            (json, losses) = walk v here after
         in ((name, json) : others, changed <> collided <> losses)
    -- A key as a string, and whether it was one. Others are the text of their JSON.
    keyText key = case see key of
      Characters t -> (t, True)
      _ -> case fst (walk key [] []) of
        Json.String t -> (t, False)
        json -> (encodeTextWith Json.valueW json, False)

-- | Digit for digit, whatever the size: JSON loses nothing of an integer.
wholeNumber :: Integer -> Json.Value
wholeNumber = Json.Number . Json.numberFromInteger

-- | A number, or the nearest thing to one that is none.
real :: Double -> (Json.Value, [Lost])
real x = case Json.numberFromDouble x of
  Just n -> (Json.Number n, [])
  Nothing
    | isNaN x -> (Json.Null, [NotANumber])
    | x > 0 -> (Json.String (T.pack "+inf"), [Infinity])
    | otherwise -> (Json.String (T.pack "-inf"), [Infinity])

-- | In base 64 (RFC 4648, section 4), with padding.
binary :: ByteString -> Json.Value
binary = Json.String . T.decodeLatin1 . writeForm (bytesForm Base64)

-- * From JSON

-- | How a format's values are made.
data Maker value = Maker
  { makeNull :: !value,
    makeBool :: !(Bool -> value),
    makeText :: !(Text -> value),
    makeArray :: !(Vector value -> value),
    makeMap :: !(Vector (value, value) -> value),
    makeDouble :: !(Double -> value),
    -- | An integer, where the format has it.
    makeInteger :: !(Integer -> Maybe value)
  }

-- | The nearest document, and what was lost. A number that is written as an integer of at
-- most 4,096 digits becomes one where the format has it; others become doubles.
fromJsonBy :: Maker value -> Json.Value -> (value, [Loss])
fromJsonBy maker top = walk top [] []
  where
    walk json path rest = case json of
      Json.Null -> (makeNull maker, rest)
      Json.Bool b -> (makeBool maker b, rest)
      Json.Number n -> case number maker n of
        (value, exact) ->
          (value, [Loss (reverse path) (Rounded (Json.renderNumber n)) | not exact] <> rest)
      Json.String t -> (makeText maker t, rest)
      Json.Array vs -> case elements path rest 0 (V.toList vs) of
        (values, losses) -> (makeArray maker (V.fromListN (V.length vs) values), losses)
      Json.Object o -> case members path rest (Json.members o) of
        (pairs, losses) -> (makeMap maker (V.fromList pairs), losses)
    elements path rest i = \case
      [] -> ([], rest)
      v : vs ->
        let (others, after) = elements path rest (i + 1) vs
            (value, losses) = walk v (Index i : path) after
         in (value : others, losses)
    members path rest = \case
      [] -> ([], rest)
      (k, v) : pairs ->
        let (others, after) = members path rest pairs
            (value, losses) = walk v (Key k : path) after
         in ((makeText maker k, value) : others, losses)

-- | A number, and whether its value is still what it was. A double stands for the number
-- that its shortest digits say.
number :: Maker value -> Json.Number -> (value, Bool)
number maker n
  | isWhole n, Just value <- Json.numberToInteger n >>= makeInteger maker = (value, True)
  | otherwise = (makeDouble maker x, Json.numberFromDouble x == Just n)
  where
    x = Json.numberToDouble n

-- | Is it written as an integer? @-0@ is one that only a double can say.
isWhole :: Json.Number -> Bool
isWhole n = T.all (`notElem` (".eE" :: String)) text && text /= T.pack "-0"
  where
    text = Json.renderNumber n
