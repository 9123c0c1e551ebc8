{-# LANGUAGE OverloadedStrings #-}

-- | Where the values of a path stand in a document, and what a shape says of each.
--
-- The idea: one walk along the path, over the document and the shape at once. What is
-- beside the path is stepped over and not looked at: a decoder has read it.
module Tern.Internal.Json.Whereabouts
  ( Spot (..),
    spotsAlong,
    isWhole,
    Member (..),
    memberAt,
    firstElement,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as BU
import Data.Either (isRight)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word8)
import Tern.Error (Path, Segment (..))
import Tern.Internal.Json.Codec qualified as Json
import Tern.Internal.Json.Document (decodeWith)
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Read (Reader (Reader))
import Tern.Limits (defaultLimits, unlimited)
import Tern.Shape (Body, Constructor (..), Field (..), Layout (..), Shape)
import Tern.Shape qualified as Shape

-- | A value of a document: its path, the offset of its first byte and that after its last,
-- and its shape, where that is known.
data Spot = Spot {spotPath :: Path, spotStart :: !Int, spotEnd :: !Int, spotShape :: Maybe Shape}

-- | The values along a path, the innermost first: of those members that are called alike the
-- one that an offset is in, else the last. The walk ends where the document does not go on
-- as the path does.
spotsAlong :: ByteString -> Int -> Shape -> Path -> [Spot]
spotsAlong bytes offset root = go [] [] (skipSpace bytes 0) (Just root)
  where
    go found back at shape path =
      let here = Spot (reverse back) at (valueEnd bytes at) shape
       in case path of
            [] -> here : found
            segment : rest -> case inside segment at of
              Just next ->
                go (here : found) (segment : back) next (shape >>= within' segment at) rest
              Nothing -> here : found
    inside segment at = case segment of
      Key name -> memberValue <$> memberNear name at
      Index i -> case drop i (elementsOf bytes at) of
        next : _ -> Just next
        [] -> Nothing
    memberNear name at = case filter ((== name) . memberName) (membersOf bytes at) of
      [] -> Nothing
      ms -> case filter (\m -> memberStart m <= offset && offset <= memberEnd m) ms of
        m : _ -> Just m
        [] -> Just (last ms)
    within' segment at shape = shapeWithin (tagAt at) segment shape
    -- The string that a member of the object at an offset is.
    tagAt at name = case filter ((== name) . memberName) (membersOf bytes at) of
      m : _ -> textAt bytes (memberValue m) (memberEnd m)
      [] -> Nothing

-- | Is it JSON, whatever its shape is?
isWhole :: ByteString -> Spot -> Bool
isWhole bytes spot =
  isRight
    ( decodeWith
        (Reader Json.skip)
        unlimited
        ( B.take
            (spotEnd spot - spotStart spot)
            (B.drop (spotStart spot) bytes)
        )
    )

-- | What a shape says of a part of its values; the first argument finds the value of a
-- member that says which constructor there is.
shapeWithin :: (Text -> Maybe Text) -> Segment -> Shape -> Maybe Shape
shapeWithin tagged segment = \case
  Shape.Described _ s -> shapeWithin tagged segment s
  Shape.Optional s -> shapeWithin tagged segment s
  Shape.List _ s | Index _ <- segment -> Just s
  Shape.SetOf s | Index _ <- segment -> Just s
  Shape.Mapping k v -> case segment of
    Key _ -> Just v
    Index _ -> Just (Shape.Tuple [k, v])
  Shape.Tuple ss | Index i <- segment, s : _ <- drop i ss -> Just s
  Shape.Declared _ (Shape.Bare _ b) -> inBody segment b
  Shape.Declared _ (Shape.Sum layout constructors) -> case layout of
    Tagged tag contents -> do
      name <- tagged tag
      b <- lookup name (named constructors)
      case (segment, b) of
        (_, Shape.Record _) -> inBody segment b
        (Key key, _) | key == contents -> Just (wholeBody b)
        _ -> Nothing
    SingleField | Key key <- segment -> wholeBody <$> lookup key (named constructors)
    SingleField -> Nothing
    -- Which constructor it is, nobody has looked at.
    TwoElements -> Nothing
    Untagged -> Nothing
  _ -> Nothing
  where
    named constructors = [(constructorName c, constructorBody c) | c <- constructors]

inBody :: Segment -> Body -> Maybe Shape
inBody segment = \case
  Shape.Record fields
    | Key name <- segment,
      f : _ <- filter ((== name) . fieldName) fields ->
        Just (fieldShape f)
  Shape.Array ss | Index i <- segment, s : _ <- drop i ss -> Just s
  Shape.Value s -> shapeWithin (const Nothing) segment s
  _ -> Nothing

-- | A body by itself, as the shape of a type without a name.
wholeBody :: Body -> Shape
wholeBody = Shape.Declared (Shape.Reference T.empty T.empty []) . Shape.Bare Shape.anyOthers

-- * The document

-- | A member of an object: where it begins, its name, where its value is, and where that ends.
data Member = Member
  { memberStart ::
      !Int,
    memberName :: Text,
    memberValue :: !Int,
    memberEnd :: !Int
  }

-- | The member whose name begins at an offset, of the object that begins at another.
memberAt :: ByteString -> Int -> Int -> Maybe Member
memberAt bytes object at = case filter ((== at) . memberStart) (membersOf bytes object) of
  m : _ -> Just m
  [] -> Nothing

-- | Where the first element of the array at an offset begins and ends.
firstElement :: ByteString -> Int -> Maybe (Int, Int)
firstElement bytes at = case elementsOf bytes at of
  from : _ -> Just (from, valueEnd bytes from)
  [] -> Nothing

-- | The members of the object at an offset, as far as they are members.
membersOf :: ByteString -> Int -> [Member]
membersOf bytes at
  | byteAt bytes at == Just 0x7b = go (skipSpace bytes (at + 1))
  | otherwise = []
  where
    go start
      | byteAt bytes start == Just 0x22,
        keyEnd <- valueEnd bytes start,
        Just name <- textAt bytes start keyEnd,
        colon <- skipSpace bytes keyEnd,
        byteAt bytes colon == Just 0x3a =
          let value = skipSpace bytes (colon + 1)
              end = valueEnd bytes value
              after = skipSpace bytes end
           in Member start name value end
                : if byteAt bytes after == Just 0x2c
                  then go (skipSpace bytes (after + 1))
                  else []
      | otherwise = []

-- | Where the elements of the array at an offset begin.
elementsOf :: ByteString -> Int -> [Int]
elementsOf bytes at
  | byteAt bytes at == Just 0x5b,
    first <- skipSpace bytes (at + 1),
    byteAt bytes first /= Just 0x5d =
      go first
  | otherwise = []
  where
    go start =
      let after = skipSpace bytes (valueEnd bytes start)
       in start : if byteAt bytes after == Just 0x2c then go (skipSpace bytes (after + 1)) else []

-- | The text that a string is.
textAt :: ByteString -> Int -> Int -> Maybe Text
textAt bytes from to =
  either
    (const Nothing)
    Just
    ( decodeWith
        Json.textR
        defaultLimits
        (B.take (to - from) (B.drop from bytes))
    )

-- | The offset after a value: its quote or bracket, or what is no part of a number.
valueEnd :: ByteString -> Int -> Int
valueEnd bytes at = case byteAt bytes at of
  Just 0x22 -> stringEnd (at + 1)
  Just b
    | opens b -> nested (1 :: Int) (at + 1)
    | otherwise -> at + B.length (B.takeWhile (`B.notElem` " \t\r\n,]}") (B.drop at bytes))
  Nothing -> at
  where
    opens b = b == 0x7b || b == 0x5b
    stringEnd i = case byteAt bytes i of
      Just 0x22 -> i + 1
      Just 0x5c -> stringEnd (i + 2)
      Just _ -> stringEnd (i + 1)
      Nothing -> B.length bytes
    nested depth i = case byteAt bytes i of
      Just 0x22 -> nested depth (stringEnd (i + 1))
      Just b
        | opens b -> nested (depth + 1) (i + 1)
        | b == 0x7d || b == 0x5d -> if depth == 1 then i + 1 else nested (depth - 1) (i + 1)
        | otherwise -> nested depth (i + 1)
      Nothing -> B.length bytes

skipSpace :: ByteString -> Int -> Int
skipSpace bytes i = i + B.length (B.takeWhile (`B.elem` " \t\r\n") (B.drop i bytes))

byteAt :: ByteString -> Int -> Maybe Word8
byteAt bytes i
  | i < B.length bytes = Just (BU.unsafeIndex bytes i)
  | otherwise = Nothing
