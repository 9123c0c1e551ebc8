{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TupleSections #-}

-- | What holds of every value of a type with formats: laws for a program's own tests, in
-- whatever framework these are written.
--
-- The idea: a law is a name and a function that says what is wrong with a value, if anything
-- is. So each framework needs a line:
--
-- > testGroup "Bird" [testProperty (lawName law) (holds law) | law <- laws @Bird]    -- tasty
-- > mapM_ (\law -> quickCheck (holds law)) (laws @Bird)                              -- QuickCheck
-- > mapM_ (\law -> prop (lawName law) (holds law)) (laws @Bird)                      -- hspec
-- > forAll bird >>= \b -> mapM_ (\law -> broken law b === Nothing) laws              -- hedgehog
--
-- Start at 'laws'. A value that is not equal to itself, as a type with a NaN has, breaks them.
module Tern.Laws
  ( Law (..),
    holds,

    -- * Of any type
    laws,
    roundTrips,
    schemaAccepts,
    orderOfFields,
    documents,
    documentsBy,
    hostileInput,

    -- * Of two types
    alike,
    olderBytes,

    -- * Wire forms in files

    -- | A file that is checked in has the type's shape and some of its values in every format, as
    -- text, so that a change shows in a review. A test holds the type against the file; with
    -- @TERN_ACCEPT=1@ in the environment it writes the file anew instead.
    golden,
    goldenWith,
    wireForm,
  )
where

import Data.Bits (xor)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Maybe (isNothing, listToMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Vector qualified as V
import Tern.Cbor (decodeCbor, encodeCbor)
import Tern.Error (Error (..), renderBinaryError, renderError, renderPath, renderReason)
import Tern.Evolution (Evolution, decoderFor, renderMismatch)
import Tern.Golden (golden, goldenWith, wireForm)
import Tern.Internal.Schema.Check (refusals)
import Tern.Json (decodeJson, decodeJsonWith, encodeJson, fromValue, toValue)
import Tern.Limits (defaultLimits, unlimited)
import Tern.MessagePack (decodeMessagePack, encodeMessagePack)
import Tern.Native (decodeNative, encodeNative)
import Tern.Shape (Shape)
import Tern.Shape qualified as Shape
import Tern.Value (Value (..), member, members, numberFromInteger, object)
import Tern.Wire (Wire, shapeOf)

-- | What holds of a type's values.
data Law a = Law
  { lawName :: String,
    -- | What is wrong with a value, in words.
    broken :: a -> Maybe Text
  }

-- | Does a law hold of a value?
--
-- >>> and [holds law (x, Just [x]) | law <- laws, x <- [minBound, -1, 0, maxBound :: Int]]
-- True
holds :: Law a -> a -> Bool
holds law = isNothing . broken law

-- | Everything that is promised of a type by itself.
--
-- >>> map lawName (laws @Int)
-- ["JSON reads what it wrote","MessagePack reads what it wrote","CBOR reads what it wrote","the
-- native format reads what it wrote","the shape accepts the document","the order of fields does not
-- matter","documents are what their bytes are","JSON: damaged documents are refused or read, and
-- never more","MessagePack: damaged documents are refused or read, and never more","CBOR: damaged
-- documents are refused or read, and never more","the native format: damaged documents are refused
-- or read, and never more"]
laws :: forall a. (Eq a, Show a, Wire a) => [Law a]
laws = roundTrips <> [schemaAccepts, orderOfFields, documents] <> hostileInput

-- * Formats

-- | A format by its name, and what is done in it.
data Format a
  = Format Text (a -> ByteString) (ByteString -> Either Error a) (ByteString -> Error -> Text)

formats :: (Wire a) => [Format a]
formats =
  [ Format "JSON" encodeJson decodeJson renderError,
    Format "MessagePack" encodeMessagePack decodeMessagePack renderBinaryError,
    Format "CBOR" encodeCbor decodeCbor renderBinaryError,
    Format "the native format" encodeNative decodeNative renderBinaryError
  ]

-- | Each format reads the value that it wrote.
roundTrips :: (Eq a, Show a, Wire a) => [Law a]
roundTrips =
  [ Law (T.unpack name <> " reads what it wrote") $ \a ->
      let bytes = encode a
       in case decode bytes of
            Right b
              | a == b -> Nothing
              | otherwise -> Just (T.concat ["another value came back: ", shown b])
            Left e -> Just (render bytes e)
    | Format name encode decode render <- formats
  ]

shown :: (Show a) => a -> Text
shown = T.pack . take 500 . show

-- * Shapes

-- | The JSON of a value is what the type's shape says, and so its schema
-- ("Tern.Schema") does.
schemaAccepts :: forall a. (Wire a) => Law a
schemaAccepts = Law "the shape accepts the document" $ \a -> case decodeJson (encodeJson a) of
  Left e -> Just (renderReason (errorReason e))
  Right document ->
    (\(path, expected) -> T.concat ["at ", renderPath path, ": expected ", expected])
      <$> listToMaybe (refusals (shapeOf @a) document)

-- | A document whose records have their fields in the opposite order is the same value.
orderOfFields :: forall a. (Eq a, Show a, Wire a) => Law a
orderOfFields = Law "the order of fields does not matter" $ \a -> case decodeJson (encodeJson a) of
  Left e -> Just (renderReason (errorReason e))
  Right document ->
    let bytes = encodeJson (turned (shapeOf @a) document)
     in case decodeJson bytes of
          Right b
            | a == b -> Nothing
            | otherwise -> Just (T.concat ["another value came back: ", shown b])
          Left e -> Just (renderError bytes e)

-- | The members of records, turned round; those of other objects stay, since their order may
-- be what a value says.
turned :: Shape -> Value -> Value
turned form value = case (form, value) of
  (Shape.List _ s, Array vs) -> Array (V.map (turned s) vs)
  (Shape.SetOf s, Array vs) -> Array (V.map (turned s) vs)
  (Shape.Optional s, _) -> turned s value
  (Shape.Mapping k v, Object o)
    | Just _ <- Shape.keyNotation k ->
        Object (object [(name, turned v inner) | (name, inner) <- members o])
  (Shape.Mapping k v, Array vs) -> Array (V.map (turned (Shape.Tuple [k, v])) vs)
  (Shape.Tuple ss, Array vs)
    | V.length vs == length ss ->
        Array (V.fromList (zipWith turned ss (V.toList vs)))
  (Shape.Described _ s, _) -> turned s value
  (Shape.Declared _ (Shape.Bare _ b), _) -> inBody b value
  (Shape.Declared _ (Shape.Sum layout constructors), _) -> case (layout, value) of
    (Shape.Tagged tag contents, Object o)
      | Just (String name) <- member tag o,
        c : _ <-
          [ Shape.constructorBody c
            | c <-
                constructors,
              Shape.constructorName c == name
          ] -> case c of
          Shape.Record fields ->
            Object (object (reverse [(n, inField fields n v) | (n, v) <- members o]))
          b ->
            Object
              ( object
                  ( reverse
                      [ (n, if n == contents then inBody b v else v)
                        | (n, v) <-
                            members o
                      ]
                  )
              )
    (Shape.SingleField, Object o) ->
      Object (object [(name, maybe v (`inBody` v) (lookup name named)) | (name, v) <- members o])
      where
        named = [(Shape.constructorName c, Shape.constructorBody c) | c <- constructors]
    (Shape.TwoElements, Array vs)
      | [String name, v] <- V.toList vs,
        b : _ <- [Shape.constructorBody c | c <- constructors, Shape.constructorName c == name] ->
          Array (V.fromList [String name, inBody b v])
    _ -> value
  _ -> value
  where
    inBody b v = case (b, v) of
      (Shape.Value s, _) -> turned s v
      (Shape.Array ss, _) -> turned (Shape.Tuple ss) v
      (Shape.Record fields, Object o) ->
        Object (object (reverse [(n, inField fields n inner) | (n, inner) <- members o]))
      _ -> v
    inField fields n v = case [Shape.fieldShape f | f <- fields, Shape.fieldName f == n] of
      s : _ -> turned s v
      [] -> v

-- * Documents of any shape

-- | 'toValue' and 'fromValue', which need no bytes, say the same as the bytes of JSON: of the
-- value's document, and of 256 documents that are like it, which may be refused.
documents :: (Eq a, Wire a) => Law a
documents = documentsBy (==)

-- | The same where others are equal than '(==)' says. A value that is not its own equal, as one
-- with a NaN in it, may be any other such.
documentsBy :: (Wire a) => (a -> a -> Bool) -> Law a
documentsBy same = Law "documents are what their bytes are" $ \a ->
  case (toValue a, overBytes (encodeJson a)) of
    (Right document, Right other)
      | encodeJson document /= encodeJson (other :: Value) ->
          Just ("another document: " <> T.decodeUtf8 (encodeJson document))
      | otherwise -> listToMaybe (concatMap differs (document : spread 256 (neighbours document)))
    (Left e, Left other) | e == other -> Nothing
    (Left e, _) -> Just (renderReason (errorReason e))
    (Right _, Left e) -> Just (renderReason (errorReason e))
  where
    overBytes bytes = decodeJsonWith unlimited bytes
    differs document = case (fromValue document, overBytes (encodeJson document)) of
      (Right a, Right b) | same a b || not (same a a || same b b) -> []
      (Left e, Left other) | e == other -> []
      _ -> ["otherwise than over bytes: " <> T.decodeUtf8 (encodeJson document)]

-- | At most @n@ elements, from all over a list.
spread :: Int -> [a] -> [a]
spread n xs = go xs
  where
    step = max 1 ((length xs + n - 1) `div` n)
    go ys = case ys of
      [] -> []
      y : _ -> y : go (drop step ys)

-- | Documents that are different in one place.
neighbours :: Value -> [Value]
neighbours value =
  [Null, Bool True, Number (numberFromInteger 300), String "x", Array V.empty, Object (object [])]
    <> case value of
      Array vs ->
        [Array (V.fromList xs) | xs <- altered neighbours (V.toList vs)]
      Object o ->
        map (Object . object) $
          reverse (members o)
            : (members o <> [("another", Null)])
            : [members o <> [(name, v)] | (name, _) <- members o, v <- [Null, Bool True]]
              <> [members o <> [member'] | member' <- members o]
              <> altered
                (\(name, v) -> (name <> "x", v) : map (name,) (neighbours v))
                (members o)
      _ -> []

-- | One is different, left away, or there twice.
altered :: (a -> [a]) -> [a] -> [[a]]
altered other = \case
  [] -> []
  x : xs -> xs : (x : x : xs) : map (: xs) (other x) <> map (x :) (altered other xs)

-- * Damage

-- | A document that is cut off anywhere, or has a changed byte, is refused in few words or
-- read; nothing is thrown. Of a long document 64 places are tried.
hostileInput :: (Wire a) => [Law a]
hostileInput =
  [ Law (T.unpack name <> ": damaged documents are refused or read, and never more") $ \a ->
      listToMaybe
        [ T.concat ["too much is said of a damaged document: ", T.take 100 words']
          | bytes <- damaged (encode a),
            Left e <- [decode bytes],
            let words' = render bytes e,
            T.compareLength words' 2000 == GT
        ]
    | Format name encode decode render <- formats
  ]
  where
    damaged bytes =
      [B.take n bytes | n <- places bytes]
        <> [ B.concat
               [ B.take
                   n
                   bytes,
                 B.singleton (changed (B.index bytes n)),
                 B.drop (n + 1) bytes
               ]
             | n <-
                 places bytes,
               changed <- [xor 1, xor 0x80, const 0, const 0xff]
           ]
    places bytes = [0, max 1 (B.length bytes `div` 64) .. B.length bytes - 1]

-- * Two types

-- | A value and the same of another type have the same bytes, in every format: the instances of
-- two derivations say the same.
--
-- > testProperty (lawName law) (holds law) | law <- alike ByTemplate
alike :: (Wire a, Wire b) => (a -> b) -> [Law a]
alike other =
  [ Law (T.unpack name <> ": both have the same bytes") $ \a ->
      if encode a == encode' (other a)
        then Nothing
        else
          Just
            ( T.concat
                [ "other bytes: ",
                  T.pack (take 500 (show (encode a, encode' (other a))))
                ]
            )
    | (Format name encode _ _, Format _ encode' _ _) <- zip formats formats
  ]

-- | What an older type's values are in the native format is read as the newer type, with the
-- changes that are said of it, and is the value that a function makes.
--
-- >>> broken (olderBytes mempty (map (Just . toInteger))) [1 :: Int, 2]
-- Nothing
olderBytes ::
  forall old new. (Wire old, Wire new, Eq new, Show new) => Evolution -> (old -> new) -> Law old
olderBytes evolution newer = case decoderFor @new evolution (shapeOf @old) of
  Left mismatches -> Law name (const (Just (T.intercalate "; " (map renderMismatch mismatches))))
  Right decode -> Law name $ \a ->
    let bytes = encodeNative a
     in case decode defaultLimits bytes of
          Right b
            | b == newer a -> Nothing
            | otherwise -> Just (T.concat ["another value came back: ", shown b])
          Left e -> Just (renderBinaryError bytes e)
  where
    name = "older bytes are read"
