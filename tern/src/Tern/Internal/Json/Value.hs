{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | What "Tern.Value" has, and of what an object is made.
module Tern.Internal.Json.Value
  ( Value (..),

    -- * Objects
    Object (..),
    object,
    members,
    member,
    byName,

    -- * Numbers
    parseNumber,

    -- * Codecs
    valueW,
    valueR,
  )
where

import Data.Map.Strict (Map)
import Data.Text (Text)
import Data.Vector (Vector)
import GHC.Exts
import Tern.Error (Expected (..))
import Tern.Internal.Json.Codec qualified as Json
import Tern.Internal.Json.Container qualified as Json
import Tern.Internal.Json.Document (decodeTextWith)
import Tern.Internal.Json.Elements (elementsR)
import Tern.Internal.Json.Members (Members, membersR, membersW)
import Tern.Internal.Json.Members qualified as Members
import Tern.Internal.Json.Numeral (Number, numberR, numberW)
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Read (Reader (..), Step)
import Tern.Internal.Write (Writer (..), literal, toFill, write)
import Tern.Prim.Buffer (Fill)
import Tern.Prim.Decimal qualified as Decimal

-- $setup
-- >>> import Tern.Error (Error)
-- >>> import Tern.Json (decodeJsonText)

-- | Any JSON value.
--
-- >>> decodeJsonText "{\"a\": [1.50, null]}" :: Either Error Value
-- Right (Object (object [("a",Array [Number 1.50,Null])]))
data Value
  = Null
  | Bool !Bool
  | Number !Number
  | String {-# UNPACK #-} !Text
  | Array {-# UNPACK #-} !(Vector Value)
  | Object {-# UNPACK #-} !Object
  deriving stock (Eq, Ord, Show)

-- * Codecs

-- | Writes any value. Linear in its size.
valueW :: Writer Value
valueW = FillWriter fillValue

fillValue :: Value -> Fill
fillValue value mba op s = case value of
  Null -> toFill (literal "null") mba op s
  Bool b -> toFill (write Json.boolW b) mba op s
  Number n -> toFill (write numberW n) mba op s
  String t -> toFill (write Json.textW t) mba op s
  Array vs -> toFill (write (Json.vectorW valueW) vs) mba op s
  Object (MakeObject o) -> toFill (write (membersW valueW) o) mba op s

-- | Reads any document within the reader's limits. Linear in its length.
valueR :: Reader Value
valueR = Reader anyValue

anyValue :: Step Value
anyValue ctx e c0 s =
  let !c = inline Json.skipSpace e c0
   in if isTrue# (geAddr# c e)
        then Json.failExpected AValue e c s
        else case indexWord8OffAddr# c 0# of
          b -> case word8ToWord# b of
            0x7b## -> as (Object . MakeObject) (Reader (membersR anyValue)) ctx e c s
            0x5b## -> as Array (Reader (elementsR anyValue)) ctx e c s
            0x22## -> as String Json.textR ctx e c s
            0x74## -> as Bool Json.boolR ctx e c s
            0x66## -> as Bool Json.boolR ctx e c s
            0x6e## -> case Json.isNull e c of
              1# -> (# s, plusAddr# c 4#, Null #)
              _ -> Json.failExpected AValue e c s
            0x2d## -> as Number numberR ctx e c s
            w
              | Decimal.isDigit w -> as Number numberR ctx e c s
              | otherwise -> Json.failExpected AValue e c s
  where
    as :: (a -> Value) -> Reader a -> Step Value
    as f (Reader step) ctx' e' c' s' = case step ctx' e' c' s' of
      (# s1, c1, a #) -> case f a of !v -> (# s1, c1, v #)
    {-# INLINE as #-}

-- * Objects

-- | The members of an object in their order, and how they are found.
newtype Object = MakeObject (Members Value)

-- | Equal where the same names have equal values, whatever their order.
instance Eq Object where
  a == b = byName a == byName b

instance Ord Object where
  compare a b = compare (byName a) (byName b)

instance Show Object where
  showsPrec d o = showParen (d > 10) (showString "object " . shows (members o))

-- | An object from its members in order. Of a repeated name the last value
-- counts, but all are kept and written.
object :: [(Text, Value)] -> Object
object pairs = MakeObject (Members.fromPairs pairs)

-- | The members in the order of the document, repeated ones too.
members :: Object -> [(Text, Value)]
members (MakeObject o) = Members.toPairs o

-- | The value of a name, in time logarithmic in the number of members.
member :: Text -> Object -> Maybe Value
member name (MakeObject o) = Members.lookupMember name o

-- | The values by their names; of a repeated name the last.
byName :: Object -> Map Text Value
byName (MakeObject o) = Members.index o

-- * Numbers

-- | A number from text that JSON allows.
parseNumber :: Text -> Maybe Number
parseNumber t = case decodeTextWith valueR t of
  Right (Number n) -> Just n
  _ -> Nothing
