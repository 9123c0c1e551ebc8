-- | JSON documents that are written and never read back: pages' data, what is printed for programs.
--
-- The idea: a document of no type of its own is put together from members, each a value of any
-- type with a codec.
module Tern.Lab.Document
  ( Value,
    (.=),
    document,
    encodeDocument,
  )
where

import Data.ByteString (ByteString)
import Data.Either (fromRight)
import Data.Text (Text)
import Tern (Wire, encodeJson)
import Tern.Json (toValue)
import Tern.Value (Value (..), object)

-- | A member. What JSON has no value for, as a number that is none, is null.
(.=) :: (Wire a) => Text -> a -> (Text, Value)
name .= a = (name, fromRight Null (toValue a))

-- | An object of these members in their order. Of a name that is there twice both are written.
document :: [(Text, Value)] -> Value
document = Object . object

-- | Compact, in one line without its end.
encodeDocument :: Value -> ByteString
encodeDocument = encodeJson
