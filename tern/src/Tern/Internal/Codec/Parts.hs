{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Records by hand: the fields of a record, put together one by one, in every
-- format.
--
-- The idea: 'Parts' holds for each format what its generic code holds, as values.
-- Where fields are put together in one expression everything folds as if the record
-- had been derived. Of fields whose names are only known at run time it says all but how
-- they are written and read, which "Tern.Internal.Codec.Row" does. What binary formats have
-- in common is written once, as 'Pairs'.
--
-- INLINE on everything: no 'Parts' exists at run time where a codec is known. Proof:
-- inspect "no part of a codec by hand is left".
module Tern.Internal.Codec.Parts
  ( Parts (..),
    Pairs,
    Key (..),
    Lead (..),
    keyOf,
    part,
    absentPart,
    optionalPart,
    writtenPart,

    -- * Parts of parts
    within,
    alsoCalled,
    missingIs,
    partNames,

    -- * Records
    recordOf,
    partsDraft,
    jsonRecordW,
    jsonRecordR,
    jsonTableOf,
    PairsIn (..),
    pairsW,
    pairsR,
    pairsTableOf,

    -- * Documents of any shape
    directCase,
    directPut,

    -- * Records beside a tag
    taggedJsonW,
    taggedJsonR,
    taggedW,
    taggedR,
  )
where

import Data.Text qualified as T
import Data.Typeable (Typeable)
import GHC.Exts (Int (..), Int#, RealWorld, State#, (+#))
import Tern.Internal.Binary.Record qualified as Binary
import Tern.Internal.Binary.Sum qualified as BinarySum
import Tern.Internal.Binary.Syntax (Syntax)
import Tern.Internal.Binary.Syntax qualified as Binary
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.Json.Name (quoted)
import Tern.Internal.Json.Object qualified as Json
import Tern.Internal.Json.Sum qualified as JsonSum
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.Native.Record qualified as Native
import Tern.Internal.Read (Reader, Step)
import Tern.Internal.Record
  ( Field (..),
    FromSlots (..),
    Run,
    Slots,
    Table,
    closedTable,
    endFields,
    field,
    getSlot,
    table,
  )
import Tern.Internal.Wire.Binary (BinaryFormat (..))
import Tern.Internal.Wire.Codec (CodecIn (..), directly, plain)
import Tern.Internal.Wire.Direct (Direct)
import Tern.Internal.Wire.Direct.Constructor
  ( Portion (..),
    Put,
    optionalPortion,
    portion,
    portionWithin,
    takingInto,
    writtenPortion,
  )
import Tern.Internal.Wire.Direct.Constructor qualified as Direct
import Tern.Internal.Wire.Direct.Declared
  ( Apart (..),
    Body (Record),
    Case,
    Layout (Alone),
    Rule (..),
    caseOf,
    declared,
  )
import Tern.Internal.Write (Write, Writer (..), byte, literal, runWriter, toFill, write)
import Tern.Shape (Shape, ShapeOf (..))
import Tern.Shape qualified as Shape

-- * Keys

-- | A field's name, and as JSON with what stands before it and the colon after it: an
-- opening brace, a comma, or nothing.
data Key = Key {keyName :: String, keyOpens :: String, keyFollows :: String, keyAlone :: String}

-- | Of a name that is known when the program runs.
keyOf :: String -> Key
keyOf name = Key name ("{" <> alone) ("," <> alone) alone
  where
    alone = quoted name <> ":"

-- | What stands before a field: the brace that opens the object, or another member.
data Lead = Opens | Follows

keyAfter :: Lead -> Key -> String
keyAfter lead key = case lead of
  Opens -> keyOpens key
  Follows -> keyFollows key
{-# INLINE keyAfter #-}

-- * Parts

-- | Fields of a record @r@, of which an @a@ is made.
data Parts r a = Parts
  { -- | How many there are.
    partCount :: Int,
    -- | How many are written, where none is left away.
    partMembers :: Int,
    -- | What the next field comes after, if these come after the brace.
    partLead :: Lead -> Lead,
    -- | Are other fields errors?
    partClosed :: Bool,
    -- | Names that are written and not read; then others.
    partBeside :: [String] -> [String],
    -- | May one of them be left away?
    partLoose :: Bool,
    -- | Their names, whether they may be absent, and their shapes; then others.
    partShapes :: [(String, Bool, Shape)] -> [(String, Bool, Shape)],
    -- | How they are built from the slots, from a number on.
    partBuild :: Slots -> Int# -> State# RealWorld -> (# State# RealWorld, a #),
    jsonPut :: Lead -> r -> Write,
    -- | Each with a comma after it, unless it is left away.
    jsonPutLoose :: r -> Write,
    jsonRun :: Lead -> Run -> Run,
    jsonTable :: [Field] -> [Field],
    -- | How many of them are written.
    partPresent :: r -> Int,
    mpackPairs :: Pairs MessagePack r,
    cborPairs :: Pairs Cbor r,
    nativePut :: r -> Write,
    nativeFields :: Native.Fields a,
    partDirect :: Portion r
  }

-- | Fields as pairs of a map in the binary format @f@: how they are written, one after
-- the other, and how they are read.
data Pairs f r = Pairs
  { pairsPut :: r -> Write,
    pairsRun :: Run -> Run,
    pairsTable :: [Field] -> [Field]
  }

instance Semigroup (Pairs f r) where
  p <> q =
    Pairs
      { pairsPut = \r -> pairsPut p r <> pairsPut q r,
        pairsRun = \rest -> pairsRun p (pairsRun q rest),
        pairsTable = \rest -> pairsTable p (pairsTable q rest)
      }
  {-# INLINE (<>) #-}

instance Monoid (Pairs f r) where
  mempty = Pairs (\_ -> mempty) (\rest -> rest) (\rest -> rest)
  {-# INLINE mempty #-}

instance Functor (Parts r) where
  fmap f p =
    p
      { partBuild = \slots i s -> case partBuild p slots i s of (# s1, a #) -> (# s1, f a #),
        nativeFields = f <$> nativeFields p
      }
  {-# INLINE fmap #-}

instance Applicative (Parts r) where
  pure a =
    Parts
      { partCount = 0,
        partMembers = 0,
        partLead = \lead -> lead,
        partClosed = False,
        partBeside = \rest -> rest,
        partLoose = False,
        partShapes = \rest -> rest,
        partBuild = \_ _ s -> (# s, a #),
        jsonPut = \_ _ -> mempty,
        jsonPutLoose = \_ -> mempty,
        jsonRun = \_ rest -> rest,
        jsonTable = \rest -> rest,
        partPresent = \_ -> 0,
        mpackPairs = mempty,
        cborPairs = mempty,
        nativePut = \_ -> mempty,
        nativeFields = pure a,
        partDirect = mempty
      }
  {-# INLINE pure #-}
  p <*> q =
    Parts
      { partCount = plus (partCount p) (partCount q),
        partMembers = plus (partMembers p) (partMembers q),
        partLead = \lead -> partLead q (partLead p lead),
        partClosed = partClosed p || partClosed q,
        partBeside = \rest -> partBeside p (partBeside q rest),
        partLoose = partLoose p || partLoose q,
        partShapes = \rest -> partShapes p (partShapes q rest),
        partBuild = \slots i s -> case partBuild p slots i s of
          (# s1, f #) -> case partCount p of
            I# n -> case partBuild q slots (i +# n) s1 of
              (# s2, a #) -> (# s2, f a #),
        jsonPut = \lead r -> jsonPut p lead r <> jsonPut q (partLead p lead) r,
        jsonPutLoose = \r -> jsonPutLoose p r <> jsonPutLoose q r,
        jsonRun = \lead rest -> jsonRun p lead (jsonRun q (partLead p lead) rest),
        jsonTable = \rest -> jsonTable p (jsonTable q rest),
        partPresent = \r -> plus (partPresent p r) (partPresent q r),
        mpackPairs = mpackPairs p <> mpackPairs q,
        cborPairs = cborPairs p <> cborPairs q,
        nativePut = \r -> nativePut p r <> nativePut q r,
        nativeFields = nativeFields p <*> nativeFields q,
        partDirect = partDirect p <> partDirect q
      }
  {-# INLINE (<*>) #-}

-- | By primitive operations, which are looked through in every phase.
plus :: Int -> Int -> Int
plus (I# m) (I# n) = I# (m +# n)
{-# INLINE plus #-}

-- | One field: its key, its value in the record, the value of its absence, where it
-- has one, and its codec.
part :: Key -> (r -> a) -> Maybe a -> CodecIn fs a -> Parts r a
part key get absent codec =
  (anyPart key absent codec)
    { partLoose = False,
      jsonPut = \lead r -> literal (keyAfter lead key) <> write (jsonWriter codec) (get r),
      jsonPutLoose = \r -> literal (keyAlone key) <> write (jsonWriter codec) (get r) <> byte 44,
      partPresent = \_ -> 1,
      mpackPairs = pair @MessagePack key get absent codec,
      cborPairs = pair @Cbor key get absent codec,
      nativePut = \r -> write (nativeWriter codec) (get r),
      partDirect = portion (keyName key) get absent (codecDirect codec)
    }
{-# INLINE part #-}

-- | The same with the value of absence that its type has.
absentPart :: Key -> (r -> a) -> CodecIn fs a -> Parts r a
absentPart key get codec = part key get (codecAbsent codec) codec
{-# INLINE absentPart #-}

-- | A field that is not written where it has no value: its key, its value in the record,
-- the codec of its value, and that of what may be none.
optionalPart :: Key -> (r -> Maybe a) -> CodecIn fs a -> CodecIn fs (Maybe a) -> Parts r (Maybe a)
optionalPart key get codec optional =
  (anyPart key (Just Nothing) optional)
    { partLoose = True,
      jsonPut = \_ _ -> mempty,
      jsonPutLoose = \r -> Json.optionalMember (keyAlone key) (jsonWriter codec) (get r),
      partPresent = \r -> Binary.present (get r),
      mpackPairs = optionalPair @MessagePack key get codec optional,
      cborPairs = optionalPair @Cbor key get codec optional,
      nativePut = \r -> write (nativeWriter optional) (get r),
      partDirect = optionalPortion (keyName key) get (codecDirect codec) (codecDirect optional)
    }
{-# INLINE optionalPart #-}

-- | What is written and not read: its key, what is computed of a record, and its codec. A
-- document may have it, and what it is there counts for nothing. The native format, which has
-- no names, does not have it.
writtenPart :: Key -> (r -> a) -> CodecIn fs a -> Parts r ()
writtenPart key get codec =
  (pure ())
    { partMembers = 1,
      partLead = \_ -> Follows,
      partBeside = (keyName key :),
      jsonPut = \lead r -> literal (keyAfter lead key) <> write (jsonWriter codec) (get r),
      jsonPutLoose = \r -> literal (keyAlone key) <> write (jsonWriter codec) (get r) <> byte 44,
      jsonRun = \lead -> Json.thenSkipped (keyAfter lead key),
      partPresent = \_ -> 1,
      mpackPairs = written @MessagePack key get codec,
      cborPairs = written @Cbor key get codec,
      partDirect = writtenPortion (keyName key) get (codecDirect codec)
    }
{-# INLINE writtenPart #-}

-- | The same in a binary format.
written :: forall f r a fs. (BinaryFormat f) => Key -> (r -> a) -> CodecIn fs a -> Pairs f r
written key get codec =
  mempty {pairsPut = \r -> Binary.constant @f (keyName key) <> write (writerOf @f codec) (get r)}
{-# INLINE written #-}

-- * Parts of parts

-- | The fields of a record that is in another, as that one's own.
within :: (r -> b) -> Parts b a -> Parts r a
within get p =
  p
    { jsonPut = \lead r -> jsonPut p lead (get r),
      jsonPutLoose = \r -> jsonPutLoose p (get r),
      partPresent = \r -> partPresent p (get r),
      mpackPairs = pairsWithin get (mpackPairs p),
      cborPairs = pairsWithin get (cborPairs p),
      nativePut = \r -> nativePut p (get r),
      partDirect = portionWithin get (partDirect p)
    }
{-# INLINE within #-}

pairsWithin :: (r -> b) -> Pairs f b -> Pairs f r
pairsWithin get p = p {pairsPut = \r -> pairsPut p (get r)}
{-# INLINE pairsWithin #-}

-- | A field, with other names that documents may have for it.
alsoCalled :: [String] -> Parts r a -> Parts r a
alsoCalled names p =
  p
    { partShapes =
        \rest ->
          [ (name, optional, Shape.said (Shape.OtherNames (map T.pack names)) s)
            | (name, optional, s) <-
                partShapes p []
          ]
            <> rest,
      jsonTable = named (jsonTable p),
      mpackPairs = (mpackPairs p) {pairsTable = named (pairsTable (mpackPairs p))},
      cborPairs = (cborPairs p) {pairsTable = named (pairsTable (cborPairs p))},
      partDirect = Direct.alsoCalled names (partDirect p)
    }
  where
    named fields rest =
      [Field name (others <> names) entry | Field name others entry <- fields []] <> rest
{-# INLINE alsoCalled #-}

-- | A field, with the value of one that is missing.
missingIs :: CodecIn fs a -> a -> Parts r a -> Parts r a
missingIs codec value p =
  p
    { partShapes =
        \rest ->
          [ (name, optional, Shape.said (missing codec value) s)
            | (name, optional, s) <-
                partShapes p []
          ]
            <> rest
    }
{-# INLINE missingIs #-}

-- | What a shape says of such a value.
missing :: CodecIn fs a -> a -> Shape.Said
missing codec value =
  Shape.MissingIs (runWriter (nativeWriter codec) value) (runWriter (jsonWriter codec) value)
{-# NOINLINE missing #-}

-- | All names that a document may have for the fields, and that it has for what is written
-- alone.
partNames :: Parts r a -> [String]
partNames p = concat [name : others | Field name others _ <- jsonTable p []] <> partBeside p []

-- * Pieces of parts

-- | One field in a binary format, as 'part' says it.
pair :: forall f r a fs. (BinaryFormat f) => Key -> (r -> a) -> Maybe a -> CodecIn fs a -> Pairs f r
pair key get absent codec =
  (pairOf @f key (readerOf @f codec) absent)
    { pairsPut = \r -> Binary.constant @f (keyName key) <> write (writerOf @f codec) (get r)
    }
{-# INLINE pair #-}

-- | The same of a field that may not be written, as 'optionalPart' says it.
optionalPair ::
  forall f r a fs.
  (BinaryFormat f) =>
  Key ->
  (r -> Maybe a) ->
  CodecIn fs a ->
  CodecIn fs (Maybe a) ->
  Pairs f r
optionalPair key get codec optional =
  (pairOf @f key (readerOf @f optional) (Just Nothing))
    { pairsPut =
        \r -> Binary.optionalPair (Binary.constant @f (keyName key)) (writerOf @f codec) (get r)
    }
{-# INLINE optionalPair #-}

-- | How any field is read in a binary format; nothing is written.
pairOf :: forall f r a. (Syntax f) => Key -> Reader a -> Maybe a -> Pairs f r
pairOf key reader absent =
  Pairs
    { pairsPut = \_ -> mempty,
      pairsRun = Binary.thenField @f (keyName key) reader,
      pairsTable = (field (keyName key) reader absent :)
    }
{-# INLINE pairOf #-}

-- | How any field is read; nothing is written. Its pairs are said by the caller, and its portion.
anyPart :: Key -> Maybe a -> CodecIn fs a -> Parts r a
anyPart key absent codec =
  Parts
    { partCount = 1,
      partMembers = 1,
      partLead = \_ -> Follows,
      partClosed = False,
      partBeside = \rest -> rest,
      partLoose = False,
      partShapes = ((keyName key, isJust absent, theShape (codecShape codec)) :),
      partBuild = getSlot,
      jsonPut = \_ _ -> mempty,
      jsonPutLoose = \_ -> mempty,
      jsonRun = \lead -> Json.thenField (keyAfter lead key) (jsonReader codec),
      jsonTable = (field (keyName key) (jsonReader codec) absent :),
      partPresent = \_ -> 0,
      mpackPairs = mempty,
      cborPairs = mempty,
      nativePut = \_ -> mempty,
      nativeFields = Native.field (nativeReader codec),
      partDirect = mempty
    }
  where
    isJust = \case
      Just _ -> True
      Nothing -> False
{-# INLINE anyPart #-}

-- | A table that is closed or not, and which names may stand beside the fields.
tableOf :: Bool -> [String] -> [Field] -> Table
tableOf closed beside fields = case closed of
  False -> table fields
  True -> closedTable beside fields
{-# INLINE tableOf #-}

-- | All names that an object may have for the fields, and how each is read.
jsonTableOf :: Parts r a -> Table
jsonTableOf p = tableOf (partClosed p) (partBeside p []) (jsonTable p [])
{-# INLINE jsonTableOf #-}

-- | The same of a map.
pairsTableOf :: forall f r a. (PairsIn f) => Parts r a -> Table
pairsTableOf p = tableOf (partClosed p) (partBeside p []) (pairsTable (pairsIn @f p) [])
{-# INLINE pairsTableOf #-}

-- | The pairs of a binary format.
class (BinaryFormat f) => PairsIn f where
  pairsIn :: Parts r a -> Pairs f r

instance PairsIn MessagePack where
  pairsIn = mpackPairs
  {-# INLINE pairsIn #-}

instance PairsIn Cbor where
  pairsIn = cborPairs
  {-# INLINE pairsIn #-}

-- * Records

-- | The codec of a record that has one field at least.
recordOf :: (Typeable r) => Parts r r -> CodecIn fs r
recordOf p =
  directly (recordDirect p) $
    plain
      (Shape.declare Shape.One [partsDraft "" p])
      (FillWriter (\r -> toFill (jsonRecordW Opens p r)))
      (jsonRecordR p)
      (FillWriter (\r -> toFill (pairsW @MessagePack p r)))
      (pairsR @MessagePack p)
      (FillWriter (\r -> toFill (pairsW @Cbor p r)))
      (pairsR @Cbor p)
      (FillWriter (\r -> toFill (nativePut p r)))
      (Native.recursive (nativeFields p))
{-# INLINE recordOf #-}

-- | The fields in the shape of a constructor of a name.
partsDraft :: String -> Parts r a -> Shape.Draft t
partsDraft name p = Shape.recordDraft (partClosed p) (partBeside p []) name (partShapes p [])
{-# INLINE partsDraft #-}

-- | Documents of any shape.
recordDirect :: Parts r r -> Direct r
recordDirect p =
  declared False Alone [directCase False "" p] (\r -> Apart 0 (directPut p r))
{-# INLINE recordDirect #-}

-- | The fields as a constructor of a name; first whether other members are errors in any case.
directCase :: Bool -> String -> Parts r a -> Case a
directCase closed name p = case partDirect p of
  Portion fields entries _ ->
    caseOf name . Record (Rule (closed || partClosed p)) fields $
      takingInto entries (FromSlots (\slots -> partBuild p slots 0#))
{-# INLINE directCase #-}

-- | What such a constructor holds.
directPut :: Parts r a -> r -> Put
directPut p = case partDirect p of Portion _ _ put -> put
{-# INLINE directPut #-}

-- | The members of an object, from its brace or from a member on, and its end.
jsonRecordW :: Lead -> Parts r a -> r -> Write
jsonRecordW lead p r = case partLoose p of
  False -> jsonPut p lead r <> byte 125
  True -> opening <> jsonPutLoose p r <> Json.closeMembers
  where
    opening = case lead of
      Opens -> byte 123
      Follows -> byte 44
{-# INLINE jsonRecordW #-}

-- | An object of the fields, in any order. Other members are stepped over, unless 'partClosed'
-- holds.
jsonRecordR :: Parts r a -> Reader a
jsonRecordR p =
  Json.record
    (jsonTableOf p)
    (partCount p)
    (jsonRun p Opens endFields)
    (\slots -> partBuild p slots 0#)
{-# INLINE jsonRecordR #-}

-- | A map of the fields.
pairsW :: forall f r a. (PairsIn f) => Parts r a -> r -> Write
pairsW p r = mapHeader @f 0 p r <> pairsPut (pairsIn @f p) r
{-# INLINE pairsW #-}

-- | A map of the fields, in any order, whose keys are texts. Other pairs as in 'jsonRecordR'.
pairsR :: forall f r a. (PairsIn f) => Parts r a -> Reader a
pairsR p =
  Binary.record @f
    Binary.Named
    (pairsTableOf @f p)
    (partCount p)
    (pairsRun (pairsIn @f p) endFields)
    (\slots -> partBuild p slots 0#)
{-# INLINE pairsR #-}

-- | The header of a map of these fields and others before them.
mapHeader :: forall f r a. (Syntax f) => Int -> Parts r a -> r -> Write
mapHeader others p r = case partLoose p of
  False -> Binary.mapOf @f (plus others (partMembers p))
  True -> write (Binary.mapHeaderW @f) (plus others (partPresent p r))
{-# INLINE mapHeader #-}

-- * Records beside a tag

-- | The fields after what says which constructor a value has, as it is written.
taggedJsonW :: Parts r a -> Write -> r -> Write
taggedJsonW p tag r = tag <> jsonRecordW Follows p r
{-# INLINE taggedJsonW #-}

-- | Read; first whether other fields are errors, as they may be for these fields alone, and
-- the name of the tag's field.
taggedJsonR :: Bool -> String -> Parts r a -> JsonSum.Tagged -> Step a
taggedJsonR closed tag p =
  JsonSum.caseRecord
    ( Json.recordAt
        ( tableOf
            (closed || partClosed p)
            (tag : partBeside p [])
            (jsonTable p [])
        )
        (partCount p)
        (jsonRun p Follows endFields)
        (\slots -> partBuild p slots 0#)
    )
{-# INLINE taggedJsonR #-}

-- | The same in a binary format.
taggedW :: forall f r a. (PairsIn f) => Parts r a -> Write -> r -> Write
taggedW p tag r = mapHeader @f 1 p r <> tag <> pairsPut (pairsIn @f p) r
{-# INLINE taggedW #-}

-- | As 'taggedJsonR', in a binary format.
taggedR :: forall f r a. (PairsIn f) => Bool -> String -> Parts r a -> BinarySum.Tagged -> Step a
taggedR closed tag p =
  BinarySum.caseRecord
    ( Binary.recordOf @f
        Binary.Named
        ( tableOf
            (closed || partClosed p)
            (tag : partBeside p [])
            (pairsTable pairs [])
        )
        (partCount p)
        (pairsRun pairs endFields)
        (\slots -> partBuild p slots 0#)
    )
  where
    pairs = pairsIn @f p
{-# INLINE taggedR #-}
