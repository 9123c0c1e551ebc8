{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | What derived code calls of "Tern.Internal.Binary.Record" and its like, with the format as an
-- argument.
--
-- The idea: code that Template Haskell makes stands in a module of the user's, and a type
-- application in it would need an extension there.
--
-- INLINE: nothing is left of the argument.
module Tern.Internal.Derive.Called
  ( Of (..),
    mapHeaderW,
    unitR,
    exactly,
    record,
    recordOf,
    taggedMap,
    caseNullary,
    caseContents,
    closedNullary,
    closedContents,
    enumeration,
    singlePair,
    twoElements,
    untagged,

    -- * Parts
    pairsW,
    pairsR,
    taggedW,
    taggedR,
  )
where

import Data.Typeable (Typeable)
import GHC.Exts (Addr#, Int#, RealWorld, State#)
import Tern.Internal.Binary.Container qualified as Binary
import Tern.Internal.Binary.Record qualified as Binary
import Tern.Internal.Binary.Sum qualified as Binary
import Tern.Internal.Binary.Syntax (Syntax)
import Tern.Internal.Binary.Syntax qualified as Binary
import Tern.Internal.Codec.Parts (PairsIn, Parts)
import Tern.Internal.Codec.Parts qualified as Parts
import Tern.Internal.Read (Reader, Step)
import Tern.Internal.Record (Run, Slots, Table)
import Tern.Internal.Wire.Untagged qualified as Untagged
import Tern.Internal.Write (Write, Writer)
import Tern.Shape (ShapeOf)

-- | A format, by its type.
data Of f = Of

-- | 'Binary.mapHeaderW', where pairs may be left away, so that the value says how many there are.
mapHeaderW :: forall f. (Syntax f) => Of f -> Writer Int
mapHeaderW Of = Binary.mapHeaderW @f
{-# INLINE mapHeaderW #-}

-- | 'Binary.unitR': what a constructor without fields is, where it stands by itself.
unitR :: forall f. (Syntax f) => Of f -> Reader ()
unitR Of = Binary.unitR @f
{-# INLINE unitR #-}

-- | 'Binary.exactly': the fields of a constructor as an array of @n@ elements.
exactly :: forall f a. (Syntax f) => Of f -> Int -> Reader a -> Reader a
exactly Of = Binary.exactly @f
{-# INLINE exactly #-}

-- | 'Binary.record': a map that is a record by itself.
record ::
  forall f a.
  (Binary.Records f) =>
  Of f ->
  Binary.Keys ->
  Table ->
  Int ->
  Run ->
  (Slots -> State# RealWorld -> (# State# RealWorld, a #)) ->
  Reader a
record Of = Binary.record @f
{-# INLINE record #-}

-- | 'Binary.recordOf': a record among the pairs of a map whose header has been read.
recordOf ::
  forall f a.
  (Binary.Records f) =>
  Of f ->
  Binary.Keys ->
  Table ->
  Int ->
  Run ->
  (Slots -> State# RealWorld -> (# State# RealWorld, a #)) ->
  Addr# ->
  Int# ->
  Step a
recordOf Of = Binary.recordOf @f
{-# INLINE recordOf #-}

-- | 'Binary.taggedMap': first the names of the pairs for tag and contents.
taggedMap ::
  forall f a.
  (Binary.Sums f) =>
  Of f ->
  String ->
  String ->
  Binary.Constructors ->
  (Binary.Tagged -> Int# -> Step a) ->
  Reader a
taggedMap Of = Binary.taggedMap @f
{-# INLINE taggedMap #-}

-- | 'Binary.caseNullary': pairs beside the tag are stepped over.
caseNullary :: forall f a. (Binary.Sums f) => Of f -> a -> Binary.Tagged -> Step a
caseNullary Of = Binary.caseNullary @f
{-# INLINE caseNullary #-}

-- | 'Binary.caseContents': first the name of the contents' pair.
caseContents :: forall f a. (Binary.Sums f) => Of f -> String -> Reader a -> Binary.Tagged -> Step a
caseContents Of = Binary.caseContents @f
{-# INLINE caseContents #-}

-- | 'Binary.closedNullary': first the name of the tag, beside which pairs are errors.
closedNullary :: forall f a. (Binary.Sums f) => Of f -> String -> a -> Binary.Tagged -> Step a
closedNullary Of = Binary.closedNullary @f
{-# INLINE closedNullary #-}

-- | 'Binary.closedContents': first the names of tag and contents, beside which pairs are errors.
closedContents ::
  forall f a. (Binary.Sums f) => Of f -> String -> String -> Reader a -> Binary.Tagged -> Step a
closedContents Of = Binary.closedContents @f
{-# INLINE closedContents #-}

-- | 'Binary.enumeration': a text that is a constructor's name, to its number and the value.
enumeration :: forall f a. (Binary.Sums f) => Of f -> Binary.Constructors -> (Int# -> a) -> Reader a
enumeration Of = Binary.enumeration @f
{-# INLINE enumeration #-}

-- | 'Binary.singlePair': a map of one pair, the constructor's name and what it holds.
singlePair ::
  forall f a. (Binary.Sums f) => Of f -> Binary.Constructors -> (Int# -> Reader a) -> Reader a
singlePair Of = Binary.singlePair @f
{-# INLINE singlePair #-}

-- | 'Binary.twoElements': an array of the constructor's name and what it holds.
twoElements ::
  forall f a. (Binary.Sums f) => Of f -> Binary.Constructors -> (Int# -> Reader a) -> Reader a
twoElements Of = Binary.twoElements @f
{-# INLINE twoElements #-}

-- | 'Untagged.binary' of a declared type: the first reader that reads the value. Names are for
-- people.
untagged ::
  forall f a. (Syntax f, Typeable a) => Of f -> ShapeOf a -> [(String, Reader a)] -> Reader a
untagged Of shape = Untagged.binary @f (Untagged.ofType shape) shape
{-# INLINE untagged #-}

-- * Parts

-- | 'Parts.pairsW': a map of fields some of which are flattened, ignored or computed.
pairsW :: forall f r a. (PairsIn f) => Of f -> Parts r a -> r -> Write
pairsW Of = Parts.pairsW @f
{-# INLINE pairsW #-}

-- | 'Parts.pairsR': such fields from a map.
pairsR :: forall f r a. (PairsIn f) => Of f -> Parts r a -> Reader a
pairsR Of = Parts.pairsR @f
{-# INLINE pairsR #-}

-- | 'Parts.taggedW': such fields beside the tag, which the 'Write' writes.
taggedW :: forall f r a. (PairsIn f) => Of f -> Parts r a -> Write -> r -> Write
taggedW Of = Parts.taggedW @f
{-# INLINE taggedW #-}

-- | 'Parts.taggedR': first the tag's name. Other pairs are errors where the parts say so.
taggedR :: forall f r a. (PairsIn f) => Of f -> String -> Parts r a -> Binary.Tagged -> Step a
taggedR Of = Parts.taggedR @f False
{-# INLINE taggedR #-}
