{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Records whose fields are known when the program runs.
--
-- The idea: a field is data, and a record is an array of fields that one loop goes through,
-- to write and to read it. What does not depend on speed is said as of any record by hand
-- ("Tern.Internal.Codec.Parts").
--
-- Keys are bytes that are made once. The readers and writers of values are unknown
-- functions, of which each call costs some allocation; a tree of closures that are put
-- together as the fields are would cost it at each of its nodes.
module Tern.Internal.Codec.Row
  ( Row,
    rowParts,
    rowCodec,

    -- * Fields
    field,
    optionalField,
    writtenField,

    -- * Rows of rows
    within,
    overParts,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Foldable (toList)
import Data.Maybe (isJust)
import Data.Primitive.SmallArray
  ( SmallArray,
    indexSmallArray,
    sizeofSmallArray,
    smallArrayFromList,
  )
import Data.Typeable (Typeable)
import GHC.Exts
  ( Addr#,
    Int (..),
    Int#,
    MutableByteArray#,
    RealWorld,
    State#,
    minusAddr#,
    plusAddr#,
    (+#),
    (<#),
  )
import Tern.Internal.Binary.Record qualified as Binary
import Tern.Internal.Binary.Syntax qualified as Binary
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.Codec.Parts (Parts, keyOf, optionalPart, part, recordOf, writtenPart)
import Tern.Internal.Codec.Parts qualified as Parts
import Tern.Internal.Codec.Phrase (bytesOf, textOf)
import Tern.Internal.Json.Name (quoted)
import Tern.Internal.Json.Object qualified as Json
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.Native.Reader (NativeReader, deep)
import Tern.Internal.Native.Reader qualified as Native
import Tern.Internal.Read (Reader (..))
import Tern.Internal.Record
  ( FromSlots (..),
    Run,
    Slots,
    getSlot,
    newSlots,
    putSlot,
  )
import Tern.Internal.Wire.Binary (BinaryFormat (..))
import Tern.Internal.Wire.Codec (CodecIn (..))
import Tern.Internal.Write (Writer (..), byte, literal, toFill, write)
import Tern.Prim.Buffer (Fill, ensure)
import Tern.Prim.Literal (matchesBytes, pokeBytes)

-- | Fields of a record @r@, of which an @a@ is made.
data Row r a = Row
  { -- | All that is known of them.
    rowParts :: Parts r a,
    rowJson :: Cells r,
    rowMpack :: Cells r,
    rowCbor :: Cells r,
    rowNative :: Cells r,
    -- | How they are built, from the number of the first one's slot.
    rowBuild :: Int -> FromSlots a
  }

-- | Fields in one format: how they are written, and how those are read that are.
data Cells r = Cells [Put r] [Take]

-- | What is written of a record: what stands before the value where it is the first and where
-- it is not, the value, and its writer.
data Put r
  = forall a. Put !ByteString !ByteString (r -> a) (Writer a)
  | -- | Where there is one.
    forall a. PutJust !ByteString !ByteString (r -> Maybe a) (Writer a)

-- | What is read: what stands before the value, as above, and its reader; or the value alone.
data Take
  = forall a. Take !ByteString !ByteString (Reader a)
  | forall a. TakeAlone (NativeReader a)

instance Semigroup (Cells r) where
  Cells written read' <> Cells written' read'' = Cells (written <> written') (read' <> read'')

instance Monoid (Cells r) where
  mempty = Cells [] []

instance Functor (Row r) where
  fmap f row =
    row
      { rowParts = f <$> rowParts row,
        rowBuild = \i ->
          let !(FromSlots make) = rowBuild row i
           in FromSlots (\slots s -> case make slots s of (# s1, a #) -> (# s1, f a #))
      }

instance Applicative (Row r) where
  pure a =
    Row
      { rowParts = pure a,
        rowJson = mempty,
        rowMpack = mempty,
        rowCbor = mempty,
        rowNative = mempty,
        rowBuild = \_ -> FromSlots (\_ s -> (# s, a #))
      }
  p <*> q =
    Row
      { rowParts = rowParts p <*> rowParts q,
        rowJson = rowJson p <> rowJson q,
        rowMpack = rowMpack p <> rowMpack q,
        rowCbor = rowCbor p <> rowCbor q,
        rowNative = rowNative p <> rowNative q,
        rowBuild = \i ->
          let !(FromSlots first) = rowBuild p i
              !(FromSlots second) = rowBuild q (i + Parts.partCount (rowParts p))
           in FromSlots
                ( \slots s -> case first slots s of
                    (# s1, f #) -> case second slots s1 of (# s2, a #) -> (# s2, f a #)
                )
      }

-- * Fields

-- | One field: its name, its value in the record, the value of its absence, where it has
-- one, and its codec.
field :: String -> (r -> a) -> Maybe a -> CodecIn fs a -> Row r a
field name get absent codec =
  Row
    { rowParts = part (keyOf name) get absent codec,
      rowJson = cell opens follows get (jsonWriter codec) (jsonReader codec),
      rowMpack = pair @MessagePack name get codec,
      rowCbor = pair @Cbor name get codec,
      rowNative = unnamed get codec,
      rowBuild = slotAt
    }
  where
    (opens, follows) = jsonKeys name

-- | A field that is not written where it has no value: its name, its value in the record,
-- the codec of its value, and that of what may be none.
optionalField ::
  String -> (r -> Maybe a) -> CodecIn fs a -> CodecIn fs (Maybe a) -> Row r (Maybe a)
optionalField name get codec optional =
  Row
    { rowParts = optionalPart (keyOf name) get codec optional,
      rowJson =
        Cells
          [PutJust opens follows get (jsonWriter codec)]
          [Take opens follows (jsonReader optional)],
      rowMpack = optionalPair @MessagePack name get codec optional,
      rowCbor = optionalPair @Cbor name get codec optional,
      rowNative = unnamed get optional,
      rowBuild = slotAt
    }
  where
    (opens, follows) = jsonKeys name

-- | What is written and not read.
writtenField :: String -> (r -> a) -> CodecIn fs a -> Row r ()
writtenField name get codec =
  (pure ())
    { rowParts = writtenPart (keyOf name) get codec,
      rowJson = Cells [Put opens follows get (jsonWriter codec)] [],
      rowMpack = writtenPair @MessagePack name get codec,
      rowCbor = writtenPair @Cbor name get codec
    }
  where
    (opens, follows) = jsonKeys name

-- | A name as a JSON object's first key and as another, with the colon.
jsonKeys :: String -> (ByteString, ByteString)
jsonKeys name = (bytesOf ("{" <> alone), bytesOf ("," <> alone))
  where
    alone = quoted name <> ":"

cell :: ByteString -> ByteString -> (r -> a) -> Writer a -> Reader a -> Cells r
cell first next get writer reader = Cells [Put first next get writer] [Take first next reader]

-- | In a binary format.
pair :: forall f r a fs. (BinaryFormat f) => String -> (r -> a) -> CodecIn fs a -> Cells r
pair name get codec = cell called called get (writerOf @f codec) (readerOf @f codec)
  where
    called = textOf @f name

optionalPair ::
  forall f r a fs.
  (BinaryFormat f) =>
  String ->
  (r -> Maybe a) ->
  CodecIn fs a ->
  CodecIn fs (Maybe a) ->
  Cells r
optionalPair name get codec optional =
  Cells
    [PutJust called called get (writerOf @f codec)]
    [Take called called (readerOf @f optional)]
  where
    called = textOf @f name

writtenPair :: forall f r a fs. (BinaryFormat f) => String -> (r -> a) -> CodecIn fs a -> Cells r
writtenPair name get codec = Cells [Put called called get (writerOf @f codec)] []
  where
    called = textOf @f name

-- | In the native format, which has no names.
unnamed :: (r -> a) -> CodecIn fs a -> Cells r
unnamed get codec =
  Cells [Put B.empty B.empty get (nativeWriter codec)] [TakeAlone (nativeReader codec)]

slotAt :: Int -> FromSlots a
slotAt (I# i) = FromSlots (\slots s -> getSlot slots i s)

-- * Rows of rows

-- | The fields of a record that is in another, as that one's own.
within :: (r -> b) -> Row b a -> Row r a
within get row =
  row
    { rowParts = Parts.within get (rowParts row),
      rowJson = inside (rowJson row),
      rowMpack = inside (rowMpack row),
      rowCbor = inside (rowCbor row),
      rowNative = inside (rowNative row)
    }
  where
    inside (Cells written read') = Cells (map of' written) read'
    of' = \case
      Put first next from writer -> Put first next (from . get) writer
      PutJust first next from writer -> PutJust first next (from . get) writer

-- | What is said of fields beside how they are written and read.
overParts :: (Parts r a -> Parts r a) -> Row r a -> Row r a
overParts f row = row {rowParts = f (rowParts row)}

-- * Records

-- | The codec of a record that has one field at least.
rowCodec :: forall r fs. (Typeable r) => Row r r -> CodecIn fs r
rowCodec row =
  (recordOf parts)
    { jsonWriter = jsonW (puts (rowJson row)),
      jsonReader = Json.record (Parts.jsonTableOf parts) n (run jsonTakes) (built made),
      mpackWriter = pairsW @MessagePack (puts (rowMpack row)),
      mpackReader = pairsR @MessagePack (rowMpack row),
      cborWriter = pairsW @Cbor (puts (rowCbor row)),
      cborReader = pairsR @Cbor (rowCbor row),
      nativeWriter = nativeW (puts (rowNative row)),
      nativeReader = nativeR n (takes (rowNative row)) made
    }
  where
    parts = rowParts row
    n = Parts.partCount parts
    made = rowBuild row 0
    jsonTakes = takes (rowJson row)
    pairsR :: forall f. (Parts.PairsIn f) => Cells r -> Reader r
    pairsR cells =
      Binary.record @f Binary.Named (Parts.pairsTableOf @f parts) n (run taken) (built made)
      where
        taken = takes cells

puts :: Cells r -> SmallArray (Put r)
puts (Cells written _) = smallArrayFromList written

takes :: Cells r -> SmallArray Take
takes (Cells _ read') = smallArrayFromList read'

-- | A value, from its slots.
built :: FromSlots a -> Slots -> State# RealWorld -> (# State# RealWorld, a #)
built (FromSlots make) slots s = case make slots s of (# s1, !a #) -> (# s1, a #)

-- | An object.
jsonW :: SmallArray (Put r) -> Writer r
jsonW fields = FillWriter $ \r mba op s -> case putAll fields r mba op s of
  (# s1, mba1, op1, 0# #) -> toFill (literal "{}") mba1 op1 s1
  (# s1, mba1, op1, _ #) -> toFill (byte 125) mba1 op1 s1

-- | A map.
pairsW :: forall f r. (BinaryFormat f) => SmallArray (Put r) -> Writer r
pairsW fields = FillWriter $ \r mba op s -> case header r mba op s of
  (# s1, mba1, op1 #) -> case putAll fields r mba1 op1 s1 of
    (# s2, mba2, op2, _ #) -> (# s2, mba2, op2 #)
  where
    header r = case fixed of
      True -> toFill (Binary.mapOf @f (sizeofSmallArray fields))
      False -> toFill (write (Binary.mapHeaderW @f) (length (filter (there r) (toList fields))))
    fixed = all always fields
    always = \case
      Put {} -> True
      PutJust {} -> False
    there r = \case
      Put {} -> True
      PutJust _ _ get _ -> isJust (get r)
{-# INLINE pairsW #-}

-- | One value after the other.
nativeW :: SmallArray (Put r) -> Writer r
nativeW fields = FillWriter $ \r mba op s -> case putAll fields r mba op s of
  (# s1, mba1, op1, _ #) -> (# s1, mba1, op1 #)

nativeR :: Int -> SmallArray Take -> FromSlots a -> NativeReader a
nativeR (I# n) fields made = deep $ \ctx e c s -> case newSlots n s of
  (# s1, slots #) -> case run fields slots 0# ctx e c s1 of
    (# s2, c1, _ #) -> case built made slots s2 of (# s3, a #) -> (# s3, c1, a #)

-- * Loops

-- | All fields of a record that are there; 1 where one of them was, or 0.
putAll ::
  SmallArray (Put r) ->
  r ->
  MutableByteArray# RealWorld ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, MutableByteArray# RealWorld, Addr#, Int# #)
putAll fields r = go 0 0#
  where
    go i some mba op s
      | i >= sizeofSmallArray fields = (# s, mba, op, some #)
      | otherwise = case indexSmallArray fields i of
          Put first next get writer -> there i (leading some first next) writer (get r) mba op s
          PutJust first next get writer -> case get r of
            Nothing -> go (i + 1) some mba op s
            Just a -> there i (leading some first next) writer a mba op s
    there ::
      Int ->
      ByteString ->
      Writer a ->
      a ->
      MutableByteArray# RealWorld ->
      Addr# ->
      State# RealWorld ->
      (# State# RealWorld, MutableByteArray# RealWorld, Addr#, Int# #)
    there i key writer a mba op s = case after key writer a mba op s of
      (# s1, mba1, op1 #) -> go (i + 1) 1# mba1 op1 s1

-- | The second, where something came before it.
leading :: Int# -> a -> a -> a
leading some first next = case some of
  0# -> first
  _ -> next
{-# INLINE leading #-}

-- | A value after some bytes.
after :: ByteString -> Writer a -> a -> Fill
after before writer a mba op s = case writer of
  BoundedWriter (I# n) poke -> case ensure (size +# n) mba op s of
    (# s1, mba1, op1 #) -> case pokeBytes before op1 s1 of
      (# s2, op2 #) -> case poke a op2 s2 of (# s3, op3 #) -> (# s3, mba1, op3 #)
  FillWriter fill -> case ensure size mba op s of
    (# s1, mba1, op1 #) -> case pokeBytes before op1 s1 of (# s2, op2 #) -> fill a mba1 op2 s2
  where
    !(I# size) = B.length before
{-# INLINE after #-}

-- | All fields that come in their order, as they are usually written.
run :: SmallArray Take -> Run
run fields slots i ctx e c s
  | I# i >= sizeofSmallArray fields = (# s, c, i #)
  | otherwise = case indexSmallArray fields (I# i) of
      Take first next (Reader step) ->
        let !key = leading i first next
            !(I# n) = B.length key
         in case minusAddr# e c <# n of
              1# -> (# s, c, i #)
              _ -> case matchesBytes key c s of
                (# s1, 0# #) -> (# s1, c, i #)
                (# s1, _ #) -> case step ctx e (plusAddr# c n) s1 of
                  (# s2, c1, x #) -> case putSlot slots i x s2 of
                    s3 -> run fields slots (i +# 1#) ctx e c1 s3
      TakeAlone reader -> case Native.step reader ctx e c s of
        (# s1, c1, x #) -> case putSlot slots i x s1 of
          s2 -> run fields slots (i +# 1#) ctx e c1 s2
