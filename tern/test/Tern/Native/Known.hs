{-# LANGUAGE ExistentialQuantification #-}

-- | Types with their native codecs and with what the model has for them; those
-- of the library, put together at random.
module Tern.Native.Known
  ( Known (..),
    KnownAs (..),
    known,
    scalars,
    declared,
  )
where

import Data.ByteString qualified as B
import Data.Char (ord)
import Data.Functor.Contravariant (contramap)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.List.NonEmpty (NonEmpty (..))
import Data.List.NonEmpty qualified as NonEmpty
import Data.Map.Strict qualified as Map
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Data.Vector.Primitive qualified as P
import Data.Vector.Storable qualified as S
import Data.Vector.Unboxed qualified as U
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble)
import Tern.Internal.Native.Layout (Layout)
import Tern.Internal.Native.Layout qualified as Layout
import Tern.Internal.Native.List (ascendingR, eitherR, eitherW, listR, listW, maybeR, maybeW)
import Tern.Internal.Native.Read qualified as Read
import Tern.Internal.Native.Reader (NativeReader)
import Tern.Internal.Native.Record
  ( alternative,
    both,
    field,
    noFields,
    oneOf,
    oneOfW,
    option,
    orElse,
    orOption,
    record,
    recursive,
    recursiveOneOf,
  )
import Tern.Internal.Native.Vector (primitiveR, primitiveW, storableR, storableW, vectorR, vectorW)
import Tern.Internal.Native.Write qualified as Write
import Tern.Internal.Write (Writer (..), toFill, write)
import Tern.Native.Model (Tree (..), Type (..))
import Test.QuickCheck

data Known = forall a. Known (KnownAs a)

data KnownAs a = KnownAs
  { what :: String,
    model :: Type,
    layout :: Layout,
    tree :: a -> Tree,
    writer :: Writer a,
    reader :: NativeReader a,
    values :: Gen a
  }

-- | A type of some depth, and so its values.
known :: Int -> Gen Known
known depth
  | depth <= 0 = elements scalars
  | otherwise =
      oneof
        [ elements scalars,
          optional <$> inner,
          either' <$> inner <*> inner,
          pair <$> inner <*> inner,
          triple <$> inner <*> inner <*> inner,
          choice <$> inner <*> inner,
          list <$> inner,
          boxed <$> inner,
          nonEmpty <$> inner,
          pure ints,
          mapping <$> inner
        ]
  where
    inner = known (depth - 1)

scalars :: [Known]
scalars =
  [ scalar
      "Word"
      (Unsigned maxWord)
      Layout.Varint
      (Number . toInteger)
      Write.word
      Read.word
      (fromInteger <$> likelyNumber 64),
    scalar
      "Word64"
      (Unsigned maxWord)
      Layout.Varint
      (Number . toInteger)
      Write.word64
      Read.word64
      (fromInteger <$> likelyNumber 64 :: Gen Word64),
    scalar
      "Word32"
      (Unsigned (2 ^ (32 :: Int) - 1))
      Layout.Varint
      (Number . toInteger)
      Write.word32
      Read.word32
      (fromInteger <$> likelyNumber 32 :: Gen Word32),
    scalar
      "Word16"
      (Raw 2)
      (Layout.Bytes 2)
      (Number . toInteger)
      Write.word16
      Read.word16
      (arbitrary :: Gen Word16),
    scalar
      "Word8"
      (Raw 1)
      (Layout.Bytes 1)
      (Number . toInteger)
      Write.word8
      Read.word8
      (arbitrary :: Gen Word8),
    scalar "Int" (Signed 64) Layout.Varint (Number . toInteger) Write.int Read.int likelyInt,
    scalar
      "Int64"
      (Signed 64)
      Layout.Varint
      (Number . toInteger)
      Write.int64
      Read.int64
      (fromIntegral <$> likelyInt :: Gen Int64),
    scalar
      "Int32"
      (Signed 32)
      Layout.Varint
      (Number . toInteger)
      Write.int32
      Read.int32
      (fromIntegral <$> likelyInt :: Gen Int32),
    scalar
      "Int16"
      (Raw 2)
      (Layout.Bytes 2)
      (Number . (`mod` 65536) . toInteger)
      Write.int16
      Read.int16
      (arbitrary :: Gen Int16),
    scalar
      "Int8"
      (Raw 1)
      (Layout.Bytes 1)
      (Number . (`mod` 256) . toInteger)
      Write.int8
      Read.int8
      (arbitrary :: Gen Int8),
    scalar
      "fixed Word32"
      (Raw 4)
      (Layout.Bytes 4)
      (Number . toInteger)
      Write.fixed32
      Read.fixed32
      (arbitrary :: Gen Word32),
    scalar
      "fixed Word64"
      (Raw 8)
      (Layout.Bytes 8)
      (Number . toInteger)
      Write.fixed64
      Read.fixed64
      (arbitrary :: Gen Word64),
    scalar
      "Float"
      (Raw 4)
      (Layout.Bytes 4)
      (Number . toInteger . castFloatToWord32)
      Write.float
      Read.float
      (castWord32ToFloat <$> arbitrary),
    scalar
      "Double"
      (Raw 8)
      (Layout.Bytes 8)
      (Number . toInteger . castDoubleToWord64)
      Write.double
      Read.double
      (castWord64ToDouble <$> arbitrary),
    scalar
      "Natural"
      Natural
      Layout.Magnitude
      (Number . toInteger)
      Write.natural
      Read.natural
      (fromInteger <$> likelyNumber 600),
    scalar
      "Integer"
      Integer
      Layout.Magnitude
      Number
      Write.integer
      Read.integer
      ((*) <$> elements [1, -1] <*> likelyNumber 600),
    scalar
      "Bool"
      (Sum [[], []])
      (Layout.Bytes 1)
      (\b -> Constructor (fromEnum b) [])
      Write.bool
      Read.bool
      arbitrary,
    scalar "Char" Character Layout.Varint (Number . toInteger . ord) Write.char Read.char arbitrary,
    scalar
      "Text"
      String
      Layout.String
      (Chars . T.unpack)
      Write.text
      Read.text
      (T.pack <$> listOf arbitraryScalar),
    scalar
      "ByteString"
      Binary
      Layout.String
      (Bytes . B.unpack)
      Write.bytes
      Read.bytes
      (B.pack <$> arbitrary),
    scalar
      "String in one letter"
      String
      Layout.String
      (Chars . T.unpack)
      Write.text
      Read.text
      ( T.replicate
          <$> choose (0, 40)
          <*> (T.singleton <$> elements "ab\233")
      ),
    scalar
      "Storable of Word16"
      (ListOf (Raw 2))
      (Layout.List (Layout.Bytes 2))
      (Several . map (Number . toInteger) . S.toList)
      storableW
      storableR
      (S.fromList <$> arbitrary :: Gen (S.Vector Word16)),
    scalar
      "Primitive of Double"
      (ListOf (Raw 8))
      (Layout.List (Layout.Bytes 8))
      ( Several
          . map (Number . toInteger . castDoubleToWord64)
          . P.toList
      )
      primitiveW
      primitiveR
      (P.fromList <$> arbitrary :: Gen (P.Vector Double)),
    scalar
      "Unboxed of Int"
      (ListOf (Signed 64))
      (Layout.List Layout.Varint)
      (Several . map (Number . toInteger) . U.toList)
      (vectorW Write.int)
      (vectorR Read.int)
      (U.fromList <$> arbitrary :: Gen (U.Vector Int))
  ]
  where
    maxWord = 2 ^ (64 :: Int) - 1
    arbitraryScalar = arbitrary `suchThat` \c -> c < '\xd800' || c > '\xdfff'

scalar :: String -> Type -> Layout -> (a -> Tree) -> Writer a -> NativeReader a -> Gen a -> Known
scalar w m l t p r v = Known (KnownAs w m l t p r v)

likelyInt :: Gen Int
likelyInt = oneof [arbitrary, fromInteger <$> likelyNumber 64]

-- | Near the bounds where a varint grows.
likelyNumber :: Int -> Gen Integer
likelyNumber bits = do
  k <- choose (0, bits)
  d <- choose (-2, 2)
  pure (max 0 (2 ^ k + d) `mod` 2 ^ bits)

-- * Put together

optional, list, boxed, nonEmpty, mapping :: Known -> Known
optional (Known (KnownAs w m l t p r v)) =
  Known $
    KnownAs
      ("Maybe (" <> w <> ")")
      (Sum [[], [m]])
      (Layout.Sum [[], [(Nothing, l)]])
      (maybe (Constructor 0 []) (\a -> Constructor 1 [t a]))
      (maybeW p)
      (maybeR r)
      (oneof [pure Nothing, Just <$> v])
list (Known (KnownAs w m l t p r v)) =
  Known $
    KnownAs
      ("[" <> w <> "]")
      (ListOf m)
      (Layout.List l)
      (Several . map t)
      (listW p)
      (listR r)
      (short v)
boxed (Known (KnownAs w m l t p r v)) =
  Known $
    KnownAs
      ("Vector (" <> w <> ")")
      (ListOf m)
      (Layout.List l)
      (Several . map t . V.toList)
      (vectorW p)
      (vectorR r)
      (V.fromList <$> short v)
-- An empty one is refused, which the model does not know of: it never is one.
nonEmpty (Known (KnownAs w m l t p r v)) =
  Known $
    KnownAs
      ("non-empty [" <> w <> "] and a byte")
      (Tuple [Sum [[m, ListOf m]]])
      (Layout.Sum [[(Nothing, l), (Nothing, Layout.List l)]])
      ( \(a :| as) ->
          Several [Constructor 0 [t a, Several (map t as)]]
      )
      (contramap (\(a :| as) -> (a, as)) (tagged (both p (listW p))))
      (oneOf (alternative ((:|) <$> field r <*> field (listR r))))
      (NonEmpty.fromList <$> ((:) <$> v <*> short v))
mapping (Known (KnownAs w m l t p r v)) =
  Known $
    KnownAs
      ("Map Char (" <> w <> ")")
      (MapOf Character m)
      (Layout.Map Layout.Varint l)
      (Several . map (\(k, a) -> Several [Number (toInteger (ord k)), t a]) . Map.toAscList)
      (contramap Map.toAscList (listW (both Write.char p)))
      ( Map.fromDistinctAscList
          <$> ascendingR (\(a, _) (b, _) -> a < b) (record ((,) <$> field Read.char <*> field r))
      )
      (Map.fromList <$> short ((,) <$> elements "abc\233\20013" <*> v))

tagged :: Writer a -> Writer a
tagged p = oneOfW (option p)

either', pair, choice :: Known -> Known -> Known
either' (Known (KnownAs w m l t p r v)) (Known (KnownAs w' m' l' t' p' r' v')) =
  Known $
    KnownAs
      ("Either (" <> w <> ") (" <> w' <> ")")
      (Sum [[m], [m']])
      (Layout.Sum [[(Nothing, l)], [(Nothing, l')]])
      ( either
          (\a -> Constructor 0 [t a])
          (\b -> Constructor 1 [t' b])
      )
      (eitherW p p')
      (eitherR r r')
      (oneof [Left <$> v, Right <$> v'])
pair (Known (KnownAs w m l t p r v)) (Known (KnownAs w' m' l' t' p' r' v')) =
  Known $
    KnownAs
      ("(" <> w <> ", " <> w' <> ")")
      (Tuple [m, m'])
      ( Layout.Record
          [(Nothing, l), (Just (T.pack "second"), l')]
      )
      (\(a, b) -> Several [t a, t' b])
      (both p p')
      (record ((,) <$> field r <*> field r'))
      ((,) <$> v <*> v')
-- Three constructors, of which one has two fields.
choice (Known (KnownAs w m l t p r v)) (Known (KnownAs w' m' l' t' p' r' v')) =
  Known $
    KnownAs
      ("one of (" <> w <> "), none, and both with (" <> w' <> ")")
      (Sum [[m], [], [m', m]])
      (Layout.Sum [[(Nothing, l)], [], [(Nothing, l'), (Just (T.pack "other"), l)]])
      ( \case
          Left a ->
            Constructor 0 [t a]
          Right Nothing -> Constructor 1 []
          Right (Just (b, a)) -> Constructor 2 [t' b, t a]
      )
      ( oneOfW
          ( orOption
              id
              (option p)
              ( orOption
                  (maybe (Left ()) Right)
                  (option noFields)
                  (option (both p' p))
              )
          )
      )
      ( oneOf
          ( alternative (Left <$> field r)
              `orElse` ( alternative (pure (Right Nothing))
                           `orElse` alternative
                             ((\b a -> Right (Just (b, a))) <$> field r' <*> field r)
                       )
          )
      )
      (oneof [Left <$> v, pure (Right Nothing), (\b a -> Right (Just (b, a))) <$> v' <*> v])

triple :: Known -> Known -> Known -> Known
triple
  (Known (KnownAs w m l t p r v))
  (Known (KnownAs w' m' l' t' p' r' v'))
  (Known (KnownAs w'' m'' l'' t'' p'' r'' v'')) =
    Known $
      KnownAs
        ("(" <> w <> ", " <> w' <> ", " <> w'' <> ")")
        (Tuple [m, m', m''])
        (Layout.Record [(Nothing, l), (Nothing, l'), (Nothing, l'')])
        (\(a, b, c) -> Several [t a, t' b, t'' c])
        (FillWriter (\(a, b, c) -> toFill (write p a <> write p' b <> write p'' c)))
        (record ((,,) <$> field r <*> field r' <*> field r''))
        ((,,) <$> v <*> v' <*> v'')

ints :: Known
ints =
  Known $
    KnownAs
      "Set Int"
      (SetOf (Signed 64))
      (Layout.List Layout.Varint)
      (Several . map (Number . toInteger) . Set.toAscList)
      (contramap Set.toAscList (listW Write.int))
      (Set.fromDistinctAscList <$> ascendingR (<) Read.int)
      (Set.fromList <$> short likelyInt)

short :: Gen a -> Gen [a]
short v = choose (0, 4) >>= \n -> vectorOf n v

-- * Declared

data Chain = End | Link Int Chain

data Rose = Rose Word8 [Rose]

data Shape = Point | Circle Double | Box Word16 Word16 | Named Text

-- | A recursive type, whose choice is a level; one whose list is; a sum and a
-- record of bounded fields and others, as a program would have them.
declared :: [Known]
declared =
  [ Known $
      KnownAs "Chain" chainType chainLayout chainTree chainW chainR chains,
    Known $ KnownAs "Rose" roseType roseLayout roseTree roseW roseR (roses 4),
    Known $ KnownAs "Shape" shapeType shapeLayout shapeTree shapeW shapeR shapes,
    Known $ KnownAs "five" fiveType fiveLayout fiveTree fiveW fiveR five
  ]
  where
    chainType = Sum [[], [Signed 64, chainType]]
    chainLayout = Layout.Sum [[], [(Nothing, Layout.Varint), (Just (T.pack "rest"), chainLayout)]]
    chainTree =
      \case
        End ->
          Constructor 0 []
        Link i rest -> Constructor 1 [Number (toInteger i), chainTree rest]
    chains = foldr Link End <$> short arbitrary
    roseType = Tuple [Raw 1, ListOf roseType]
    roseLayout =
      Layout.Record
        [ (Just (T.pack "label"), Layout.Bytes 1),
          (Just (T.pack "branches"), Layout.List roseLayout)
        ]
    roseTree (Rose w rs) = Several [Number (toInteger w), Several (map roseTree rs)]
    roses :: Int -> Gen Rose
    roses n = Rose <$> arbitrary <*> (if n == 0 then pure [] else short (roses (n - 1)))
    shapeType = Sum [[], [Raw 8], [Raw 2, Raw 2], [String]]
    shapeLayout =
      Layout.Sum
        [ [],
          [(Nothing, Layout.Bytes 8)],
          [(Nothing, Layout.Bytes 2), (Nothing, Layout.Bytes 2)],
          [(Nothing, Layout.String)]
        ]
    shapeTree = \case
      Point -> Constructor 0 []
      Circle r -> Constructor 1 [Number (toInteger (castDoubleToWord64 r))]
      Box w h -> Constructor 2 [Number (toInteger w), Number (toInteger h)]
      Named n -> Constructor 3 [Chars (T.unpack n)]
    shapes =
      oneof
        [ pure Point,
          Circle
            <$> arbitrary,
          Box <$> arbitrary <*> arbitrary,
          Named . T.pack <$> listOf (elements "abc\233\20013")
        ]
    fiveType =
      Tuple [Signed 64, Raw 8, Sum [[], []], Character, Sum [[], [Unsigned (2 ^ (32 :: Int) - 1)]]]
    fiveLayout =
      Layout.Record
        [ (Just (T.pack name), l)
          | (name, l) <-
              [ ("count", Layout.Varint),
                ("ratio", Layout.Bytes 8),
                ("active", Layout.Bytes 1),
                ("letter", Layout.Varint),
                ("limit", Layout.Sum [[], [(Nothing, Layout.Varint)]])
              ]
        ]
    fiveTree (i, x, b, c, m) =
      Several
        [ Number
            (toInteger i),
          Number (toInteger (castDoubleToWord64 x)),
          Constructor (fromEnum b) [],
          Number (toInteger (ord c)),
          maybe (Constructor 0 []) (\w -> Constructor 1 [Number (toInteger w)]) m
        ]
    five =
      (,,,,)
        <$> likelyInt
        <*> arbitrary
        <*> arbitrary
        <*> arbitrary
        <*> oneof [pure Nothing, Just . fromInteger <$> likelyNumber 32]

chainW :: Writer Chain
chainW =
  oneOfW
    ( orOption
        (\case End -> Left (); Link i rest -> Right (i, rest))
        (option noFields)
        ( option
            ( FillWriter
                ( \(i, rest) ->
                    toFill (write Write.int i <> write chainW rest)
                )
            )
        )
    )

chainR :: NativeReader Chain
chainR =
  recursiveOneOf
    ( alternative (pure End)
        `orElse` alternative (Link <$> field Read.int <*> field chainR)
    )

roseW :: Writer Rose
roseW = FillWriter (\(Rose w rs) -> toFill (write Write.word8 w <> write (listW roseW) rs))

roseR :: NativeReader Rose
roseR = recursive (Rose <$> field Read.word8 <*> field (listR roseR))

shapeW :: Writer Shape
shapeW =
  oneOfW
    ( orOption
        halves
        (orOption id (option noFields) (option Write.double))
        ( orOption
            id
            (option (both Write.word16 Write.word16))
            (option Write.text)
        )
    )
  where
    halves = \case
      Point -> Left (Left ())
      Circle r -> Left (Right r)
      Box w h -> Right (Left (w, h))
      Named n -> Right (Right n)

shapeR :: NativeReader Shape
shapeR =
  oneOf
    ( (alternative (pure Point) `orElse` alternative (Circle <$> field Read.double))
        `orElse` ( alternative (Box <$> field Read.word16 <*> field Read.word16)
                     `orElse` alternative (Named <$> field Read.text)
                 )
    )

fiveW :: Writer (Int, Double, Bool, Char, Maybe Word32)
fiveW =
  FillWriter
    ( \(i, x, b, c, m) ->
        toFill
          ( write Write.int i
              <> write Write.double x
              <> write Write.bool b
              <> write Write.char c
              <> write (maybeW Write.word32) m
          )
    )

fiveR :: NativeReader (Int, Double, Bool, Char, Maybe Word32)
fiveR =
  record
    ( (,,,,)
        <$> field Read.int
        <*> field Read.double
        <*> field Read.bool
        <*> field Read.char
        <*> field (maybeR Read.word32)
    )
