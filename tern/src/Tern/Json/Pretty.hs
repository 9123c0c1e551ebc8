{-# LANGUAGE OverloadedStrings #-}

-- | Documents for people.
--
-- The idea: what fits into the rest of a line stands in one line. How wide each value is
-- gets measured once, from the inside, so that time is linear. Start at 'pretty'.
module Tern.Json.Pretty
  ( pretty,
    Layout (..),
    defaultLayout,
  )
where

import Data.Bits ((.&.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (Builder)
import Data.ByteString.Builder qualified as Builder
import Data.ByteString.Lazy qualified as BL
import Data.List (intersperse, sortOn)
import Data.Text (Text)
import Data.Vector qualified as V
import Tern.Internal.Json.Document (encodeWith)
import Tern.Value (Value (..), members, valueW)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.ByteString.Char8 qualified as BC
-- >>> import Data.Either (fromRight)
-- >>> import Tern.Json (decodeJson)
-- >>> import Tern.Value (Value (..))
-- >>> let json text = fromRight Null (decodeJson text)

-- | How a document is laid out.
data Layout = Layout
  { -- | By how many spaces what is within something is moved to the right; from 0 to 16,
    -- others count as the nearest of these.
    indent :: !Int,
    -- | How many characters a line may have that could be broken. With 0 each element and
    -- each member has a line of its own.
    width :: !Int,
    -- | Are members in the order of their names' code points, and not in the document's?
    sortedMembers :: !Bool
  }
  deriving stock (Eq, Show)

-- | Two spaces, 80 characters, the document's order.
defaultLayout :: Layout
defaultLayout = Layout {indent = 2, width = 80, sortedMembers = False}

-- | A document without a line feed at its end. Its values are those of the document:
-- numbers stand as they were written. Deeper than 64 levels nothing is broken into lines,
-- so that the text is linear in the document's size.
--
-- >>> :{
-- BC.putStrLn (pretty defaultLayout {width = 20}
--   (json "{\"b\":[1,2.50,3],\"a\":{\"name\":\"tern\",\"wings\":2}}"))
-- :}
-- {
--   "b": [1, 2.50, 3],
--   "a": {
--     "name": "tern",
--     "wings": 2
--   }
-- }
pretty :: Layout -> Value -> ByteString
pretty layout value =
  BL.toStrict (Builder.toLazyByteString (laid layout 0 0 (measured layout value)))

-- | A value with its width in one line.
data Sized = Sized !Int Parts

data Parts
  = Atom !ByteString
  | Elements [Sized]
  | -- | With the names as they are written, and their widths.
    Members [(ByteString, Int, Sized)]

measured :: Layout -> Value -> Sized
measured layout value = case value of
  Array vs ->
    let parts = map (measured layout) (V.toList vs)
     in Sized (frame [w | Sized w _ <- parts]) (Elements parts)
  Object o ->
    let parts =
          [ (name, characters name, measured layout v)
            | (key, v) <- ordered (members o),
              let name = encodeWith valueW (String key)
          ]
     in Sized (frame [n + 2 + w | (_, n, Sized w _) <- parts]) (Members parts)
  _ -> let bytes = encodeWith valueW value in Sized (characters bytes) (Atom bytes)
  where
    ordered :: [(Text, Value)] -> [(Text, Value)]
    ordered = if sortedMembers layout then sortOn fst else id
    -- Brackets, and a comma with a space between two.
    frame widths = max 2 (sum widths + 2 * length widths)
    characters = B.foldl' (\n b -> if b .&. 0xc0 == 0x80 then n else n + 1) 0

-- | At a level, after a number of characters in the line.
laid :: Layout -> Int -> Int -> Sized -> Builder
laid layout !level before (Sized w parts) = case parts of
  Atom bytes -> Builder.byteString bytes
  Elements [] -> "[]"
  Members [] -> "{}"
  -- A comma may follow.
  Elements sized
    | inLine -> flat (Sized w parts)
    | otherwise -> broken '[' ']' (map (laid layout (level + 1) margin) sized)
  Members sized
    | inLine -> flat (Sized w parts)
    | otherwise ->
        broken
          '{'
          '}'
          [ Builder.byteString name <> ": " <> laid layout (level + 1) (margin + n + 2) part
            | (name, n, part) <- sized
          ]
  where
    inLine = level >= 64 || before + w < width layout
    by = max 0 (min 16 (indent layout))
    margin = (level + 1) * by
    broken open close lines' =
      Builder.char7 open
        <> mconcat (intersperse (Builder.char7 ',') [line margin <> l | l <- lines'])
        <> line (level * by)
        <> Builder.char7 close
    line n = Builder.byteString (B.cons 10 (B.replicate n 32))

flat :: Sized -> Builder
flat (Sized _ parts) = case parts of
  Atom bytes -> Builder.byteString bytes
  Elements sized ->
    Builder.char7 '[' <> mconcat (intersperse ", " (map flat sized)) <> Builder.char7 ']'
  Members sized ->
    Builder.char7 '{'
      <> mconcat
        ( intersperse
            ", "
            [ Builder.byteString name <> ": " <> flat part
              | (name, _, part) <-
                  sized
            ]
        )
      <> Builder.char7 '}'
