{-# LANGUAGE OverloadedStrings #-}

-- | A shape as bytes, and back: the schema that a container keeps.
--
-- The idea: a shape is a native document, a table of the declared types in the
-- order in which they are met and an expression before it. Types are called by their
-- numbers in the table, so that a recursive type's document ends; what is read is
-- tied into a lazy tree again. Equal shapes give equal bytes, for what
-- 'Tern.Shape.renderShape' leaves away is left away here.
module Tern.Internal.Container.Schema
  ( schemaBytes,
    readSchema,
  )
where

import Data.ByteString (ByteString)
import Data.Char (isPrint)
import Data.Functor.Contravariant (contramap)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector (Vector)
import Data.Vector qualified as V
import Tern.Error (Error (..), Reason (..))
import Tern.Internal.Native.Document (decodeWith, encodeWith)
import Tern.Internal.Native.Layout qualified as Native
import Tern.Internal.Native.List (listR, listW, maybeR, maybeW)
import Tern.Internal.Native.Read qualified as Read
import Tern.Internal.Native.Reader (NativeReader)
import Tern.Internal.Native.Record
  ( alternative,
    field,
    oneOf,
    orElse,
    record,
    recursive,
    recursiveOneOf,
  )
import Tern.Internal.Native.Write qualified as Write
import Tern.Internal.Write (Write, Writer (..), toFill, write)
import Tern.Limits (Limits)
import Tern.Shape
  ( Body (..),
    Constructor (..),
    Definition (..),
    Field (..),
    Layout (..),
    Notation (..),
    Reference (..),
    Shape (..),
    Width (..),
    anyOthers,
  )
import Tern.Shape qualified as Shape

-- $setup
-- >>> import Tern.Limits
-- >>> import Tern.Shape

-- * Writing

-- | The shape as bytes. Equal shapes, by 'Eq', give equal bytes.
--
-- >>> readSchema defaultLimits (schemaBytes (List 0 (Integer (Just 0) (Just 255))))
-- Right "[integer 0..255]"
schemaBytes :: Shape -> ByteString
schemaBytes given =
  encodeWith (FillWriter id) (toFill (one shapeW root <> one (listW definitionW) defined))
  where
    root = Shape.distinct given
    defined = Shape.definitions root
    names = Shape.labels root
    numbers = Map.fromList (zip (map fst defined) [0 :: Word ..])
    shapeW = writer $ \case
      Boolean -> tagged 0
      Integer least most ->
        tagged 1 <> one (maybeW Write.integer) least <> one (maybeW Write.integer) most
      Floating bits -> tagged 2 <> one Write.int bits
      Text -> tagged 3
      Character -> tagged 4
      Unit -> tagged 5
      Anything -> tagged 6
      Opaque name -> tagged 7 <> one Write.text name
      List least s -> tagged 8 <> one Write.int least <> one shapeW s
      Optional s -> tagged 9 <> one shapeW s
      Mapping k v -> tagged 10 <> one shapeW k <> one shapeW v
      Tuple ss -> tagged 11 <> one (listW shapeW) ss
      Described _ s -> one shapeW s
      Declared name _ -> case Map.lookup name numbers of
        Just number -> tagged 12 <> one Write.word number
        -- Arguments that grow without end are not followed.
        Nothing -> tagged 7 <> one Write.text (typeName name)
      Binary -> tagged 13
      BinaryOf n -> tagged 14 <> one Write.int n
      Formatted InText name s -> tagged 15 <> one Write.text name <> one shapeW s
      Formatted InNumber name s -> tagged 16 <> one Write.text name <> one shapeW s
      SetOf s -> tagged 17 <> one shapeW s
      IntegerIn width least most ->
        tagged 18
          <> one Write.int (Shape.widthInBytes width)
          <> one Write.integer least
          <> one Write.integer most
    definitionW = writer $ \(name, definition) ->
      one Write.text (Map.findWithDefault (typeName name) name names) <> case definition of
        Bare _ body -> tagged 0 <> one bodyW body
        Names ns -> tagged 1 <> one (listW Write.text) ns
        Sum layout constructors ->
          tagged 2 <> layoutW layout <> one (listW constructorW) constructors
    layoutW = \case
      Tagged tag contents -> tagged 0 <> one Write.text tag <> one Write.text contents
      SingleField -> tagged 1
      TwoElements -> tagged 2
      Untagged -> tagged 3
    constructorW = writer $ \(Constructor name _ body) -> one Write.text name <> one bodyW body
    bodyW = writer $ \case
      Nullary -> tagged 0
      Value s -> tagged 1 <> one shapeW s
      Array ss -> tagged 2 <> one (listW shapeW) ss
      Record fields -> tagged 3 <> one (listW fieldW) fields
    fieldW =
      writer $ \(Field name optional s) ->
        one Write.text name <> one Write.bool optional <> one shapeW s

writer :: (a -> Write) -> Writer a
writer f = FillWriter (toFill . f)

tagged :: Word -> Write
tagged n = one (contramap fromIntegral Write.word8) n

-- | NOINLINE: a schema is written once for each file.
one :: Writer a -> a -> Write
one = write
{-# NOINLINE one #-}

-- * Reading

-- | Something that is made of the table of definitions, and the numbers in that
-- table which it has.
data Linked a = Linked [Word] (Table -> a)

type Table = Vector (Text, Definition)

instance Functor Linked where
  fmap f (Linked used make) = Linked used (f . make)

instance Applicative Linked where
  pure a = Linked [] (const a)
  Linked used f <*> Linked used' make = Linked (used <> used') (\table -> f table (make table))

-- | The shape that bytes are; other bytes than 'schemaBytes' of it are refused. Time and
-- memory are linear in them, for a depth that the limits bound.
readSchema :: Limits -> ByteString -> Either Error Shape
readSchema limits bytes = do
  (Linked used root, defined) <- decodeWith documentLayout documentR limits bytes
  let Linked used' definitions = traverse (\(name, d) -> (,) name <$> d) defined
      table = V.fromList (definitions table)
      shape = root table
      spoken = used <> used'
      count = fromIntegral (length defined)
      lengths = V.fromList (map (T.length . fst) defined)
  case () of
    _
      | any (>= count) spoken -> refused "the schema speaks of a type that it does not define"
      | not (all (T.all isPrint . fst) defined) ->
          refused "a type's name has characters that are not printed"
      -- Names are compared, and written into texts, wherever they are spoken of.
      | sum (mapMaybe ((lengths V.!?) . fromIntegral) spoken) > mostSpoken ->
          refused "the schema's types have names that are too long for how often they are spoken of"
      | schemaBytes shape /= bytes ->
          refused "the schema is not written as it would be written again"
      | otherwise -> Right shape
  where
    refused = Left . Error 0 [] . Refused

-- | Characters of types' names, each as often as it is spoken of.
mostSpoken :: Int
mostSpoken = 16 * 1024 * 1024

documentR :: NativeReader (Linked Shape, [(Text, Linked Definition)])
documentR =
  record
    ( (,)
        <$> field shapeR
        <*> field (listR (recursive ((,) <$> field Read.text <*> field definitionR)))
    )

shapeR :: NativeReader (Linked Shape)
shapeR =
  recursiveOneOf $
    ( ( alternative (pure (pure Boolean))
          `orElse` alternative (pure <$> (Integer <$> field boundR <*> field boundR))
      )
        `orElse` ( alternative (pure . Floating <$> field Read.int)
                     `orElse` alternative (pure (pure Text))
                 )
    )
      `orElse` ( (alternative (pure (pure Character)) `orElse` alternative (pure (pure Unit)))
                   `orElse` ( alternative (pure (pure Anything))
                                `orElse` alternative (pure . Opaque <$> field Read.text)
                            )
               )
      `orElse` ( ( alternative (fmap . List <$> field Read.int <*> field shapeR)
                     `orElse` alternative (fmap Optional <$> field shapeR)
                 )
                   `orElse` ( alternative
                                ( (\k v -> Mapping <$> k <*> v)
                                    <$> field shapeR
                                    <*> field shapeR
                                )
                                `orElse` alternative
                                  (fmap Tuple . sequenceA <$> field (listR shapeR))
                            )
                   `orElse` alternative (declared <$> field Read.word)
               )
      `orElse` ( ( alternative (pure (pure Binary))
                     `orElse` alternative (pure . BinaryOf . reasonable <$> field Read.int)
                 )
                   `orElse` ( alternative
                                ( fmap . Formatted InText
                                    <$> field Read.text
                                    <*> field shapeR
                                )
                                `orElse` alternative
                                  ( fmap . Formatted InNumber
                                      <$> field Read.text
                                      <*> field shapeR
                                  )
                            )
                   `orElse` ( alternative (fmap SetOf <$> field shapeR)
                                `orElse` alternative
                                  ( (\width least most -> pure (IntegerIn width least most))
                                      <$> field (widthOf <$> Read.int)
                                      <*> field (clamped <$> Read.integer)
                                      <*> field (clamped <$> Read.integer)
                                  )
                            )
               )
{-# NOINLINE shapeR #-}

-- | A length of at least a byte, and of no more than lengths can be added up to.
reasonable :: Int -> Int
reasonable n = max 1 (min (2 ^ (32 :: Int)) n)

-- | A number of a reasonable size: what it takes to render one grows faster than the
-- number of its bytes.
boundR :: NativeReader (Maybe Integer)
boundR = maybeR (clamped <$> Read.integer)

clamped :: Integer -> Integer
clamped n = max (negate (2 ^ (4096 :: Int))) (min (2 ^ (4096 :: Int)) n)

-- | Of other numbers of bytes there is none: what is written again is another schema.
widthOf :: Int -> Width
widthOf n = if n == Shape.widthInBytes FourBytes then FourBytes else EightBytes

declared :: Word -> Linked Shape
declared number = Linked [number] $ \table -> case table V.!? fromIntegral number of
  Just (name, definition) -> Declared (Reference T.empty name []) definition
  Nothing -> Anything

definitionR :: NativeReader (Linked Definition)
definitionR =
  recursiveOneOf $
    alternative (fmap (Bare anyOthers) <$> field bodyR)
      `orElse` alternative (pure . Names <$> field (listR Read.text))
      `orElse` alternative
        ( (\layout constructors -> Sum layout <$> sequenceA constructors)
            <$> field layoutR
            <*> field (listR constructorR)
        )

layoutR :: NativeReader Layout
layoutR =
  oneOf
    ( alternative (Tagged <$> field Read.text <*> field Read.text)
        `orElse` alternative (pure SingleField)
        `orElse` alternative (pure TwoElements)
        `orElse` alternative (pure Untagged)
    )

constructorR :: NativeReader (Linked Constructor)
constructorR =
  recursive ((\name -> fmap (Constructor name anyOthers)) <$> field Read.text <*> field bodyR)

bodyR :: NativeReader (Linked Body)
bodyR =
  recursiveOneOf $
    (alternative (pure (pure Nullary)) `orElse` alternative (fmap Value <$> field shapeR))
      `orElse` ( alternative (fmap Array . sequenceA <$> field (listR shapeR))
                   `orElse` alternative (fmap Record . sequenceA <$> field (listR fieldR))
               )

fieldR :: NativeReader (Linked Field)
fieldR =
  recursive
    ( (\name optional s -> Field name optional <$> s)
        <$> field Read.text
        <*> field Read.bool
        <*> field shapeR
    )

-- * The layout of a schema, for errors

documentLayout :: Native.Layout
documentLayout =
  Native.Record
    [ (Just "shape", shapeLayout),
      ( Just "types",
        Native.List
          ( Native.Record
              [ (Just "name", Native.String),
                (Just "definition", definitionLayout)
              ]
          )
      )
    ]

shapeLayout, definitionLayout, bodyLayout :: Native.Layout
shapeLayout =
  Native.Sum
    [ [],
      [(Just "least", bound), (Just "most", bound)],
      [(Just "bits", Native.Varint)],
      [],
      [],
      [],
      [],
      [(Just "name", Native.String)],
      [(Just "least", Native.Varint), (Just "element", shapeLayout)],
      [(Just "value", shapeLayout)],
      [(Just "key", shapeLayout), (Just "value", shapeLayout)],
      [(Just "elements", Native.List shapeLayout)],
      [(Just "type", Native.Varint)],
      [],
      [(Just "length", Native.Varint)],
      [(Just "format", Native.String), (Just "value", shapeLayout)],
      [(Just "format", Native.String), (Just "value", shapeLayout)],
      [(Just "element", shapeLayout)],
      [ (Just "bytes", Native.Varint),
        (Just "least", Native.Magnitude),
        (Just "most", Native.Magnitude)
      ]
    ]
  where
    bound = Native.Sum [[], [(Nothing, Native.Magnitude)]]
definitionLayout =
  Native.Sum
    [ [(Just "body", bodyLayout)],
      [(Just "names", Native.List Native.String)],
      [ ( Just "layout",
          Native.Sum
            [ [ (Just "tag", Native.String),
                (Just "contents", Native.String)
              ],
              [],
              []
            ]
        ),
        ( Just "constructors",
          Native.List
            ( Native.Record
                [ (Just "name", Native.String),
                  (Just "body", bodyLayout)
                ]
            )
        )
      ]
    ]
bodyLayout =
  Native.Sum
    [ [],
      [(Just "value", shapeLayout)],
      [(Just "values", Native.List shapeLayout)],
      [ ( Just "fields",
          Native.List
            ( Native.Record
                [ (Just "name", Native.String),
                  (Just "optional", Native.Bytes 1),
                  (Just "shape", shapeLayout)
                ]
            )
        )
      ]
    ]
