{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UndecidableInstances #-}

-- | The constructors of a declared type with options.
--
-- The idea: a constructor's fields are a body that stands by itself ('GBodies'); how a value
-- says which constructor it has decides what is around the body ('GCases'). Bodies without
-- names are those of generics without options.
--
-- The phases of what writes are those of "Tern.Internal.Wire.Generic.Json".
module Tern.Internal.Deriving.Sum
  ( -- * Several constructors
    GSums (..),
    GSumsIn (..),
    FoundJson,
    FoundBinary,

    -- * Names alone
    GNames (..),
    GNamesIn (..),
  )
where

import Data.Kind (Type)
import Data.Text qualified as T
import GHC.Exts (Int (..), Int#, Symbol, proxy#, (-#), (<#))
import GHC.Generics (C1, M1 (..), Meta (..), U1 (..), (:+:) (..))
import GHC.TypeLits (AppendSymbol, KnownSymbol, symbolVal')
import Tern.Internal.Binary.Sum qualified as BinarySum
import Tern.Internal.Binary.Syntax qualified as Binary
import Tern.Internal.Codec.Parts
  ( Lead (..),
    PairsIn,
    Parts (..),
    directCase,
    directPut,
    jsonRecordR,
    jsonRecordW,
    pairsR,
    pairsW,
    partsDraft,
    taggedJsonR,
    taggedJsonW,
    taggedR,
    taggedW,
  )
import Tern.Internal.Constructors (constructors)
import Tern.Internal.Deriving.Options (Encoding (..), Flag (..), Has, RejectUnknownFields, TagOf)
import Tern.Internal.Deriving.Record (GComputed (..), GParts (..), closedBy)
import Tern.Internal.Json.Name (QuotedText)
import Tern.Internal.Json.Sum qualified as JsonSum
import Tern.Internal.Native.Reader (NativeReader)
import Tern.Internal.Native.Record qualified as Native
import Tern.Internal.Native.Write (number)
import Tern.Internal.Read (Reader (..), Step)
import Tern.Internal.Wire.Direct.Constructor qualified as Direct
import Tern.Internal.Wire.Direct.Declared qualified as Direct
import Tern.Internal.Wire.Generic.Binary qualified as Binary
import Tern.Internal.Wire.Generic.Json qualified as Json
import Tern.Internal.Wire.Generic.Layout (Body (..), BodyOf, GSum (..))
import Tern.Internal.Wire.Generic.Native (GFieldsN (gFieldsW))
import Tern.Internal.Wire.Generic.Native qualified as Native
import Tern.Internal.Wire.Generic.Shape (GFields (..), fieldsShapes)
import Tern.Internal.Wire.Plan (plannedBody, plannedPut)
import Tern.Internal.Write (Write, byte, literal, toFill)
import Tern.Prim.Buffer (Fill)
import Tern.Shape qualified as Shape

-- * Bodies

-- | What a constructor of the type @a@ holds, by itself.
class GBodies (body :: Body) (options :: [Type]) a f where
  -- | In the shape, given the constructor's name.
  bodyDraft :: String -> Shape.Draft a

  bodyJsonW :: a -> f () -> Write
  bodyJsonR :: (f () -> a) -> Reader a
  bodyNativeW :: a -> f () -> Write
  bodyNativeR :: (f () -> a) -> Native.Fields a

  -- | As a document of any shape, and what a value puts there.
  bodyDirect :: (f () -> a) -> Direct.Body a

  bodyPut :: a -> f () -> Direct.Put

instance
  {-# OVERLAPPABLE #-}
  (Json.GBody body f, GFieldsN f, GFields f) =>
  GBodies body options a f
  where
  bodyDraft name = Shape.draftOf name False (fieldsShapes @f)
  {-# NOINLINE bodyDraft #-}
  bodyJsonW _ x = Json.gBodyW @body x
  {-# INLINE bodyJsonW #-}
  bodyJsonR k = Json.gBodyR @body k
  {-# INLINE bodyJsonR #-}
  bodyNativeW _ x = gFieldsW x
  {-# INLINE bodyNativeW #-}
  bodyNativeR k = Native.gFields k
  {-# INLINE bodyNativeR #-}
  bodyDirect = plannedBody False gFields
  {-# NOINLINE bodyDirect #-}
  bodyPut _ = plannedPut gFields
  {-# NOINLINE bodyPut #-}

instance
  (Flag (Has RejectUnknownFields options), GRecord options a f) =>
  GBodies 'Record options a f
  where
  bodyDraft name = partsDraft name (parts @options @a @f)
  {-# NOINLINE bodyDraft #-}
  bodyJsonW a _ = jsonRecordW Opens (parts @options @a @f) a
  {-# INLINE bodyJsonW #-}
  bodyJsonR k = jsonRecordR (k <$> parts @options @a @f)
  {-# INLINE bodyJsonR #-}
  bodyNativeW a _ = nativePut (parts @options @a @f) a
  {-# INLINE bodyNativeW #-}
  bodyNativeR k = nativeFields (k <$> parts @options @a @f)
  {-# INLINE bodyNativeR #-}
  bodyDirect k = case directCase False "" (k <$> parts @options @a @f) of Direct.Case _ body -> body
  {-# NOINLINE bodyDirect #-}
  bodyPut a _ = directPut (parts @options @a @f) a
  {-# NOINLINE bodyPut #-}

-- | The fields of a constructor and what is computed beside them.
type GRecord options a f = (GParts options a f, GComputed options a)

parts ::
  forall options a f.
  (Flag (Has RejectUnknownFields options), GRecord options a f) =>
  Parts a (f ())
parts = closedBy @options (gComputed @options (gParts @options))
{-# INLINE parts #-}

-- | The same in a binary format.
class GBodiesIn b (body :: Body) (options :: [Type]) a f where
  bodyW :: a -> f () -> Write
  bodyR :: (f () -> a) -> Reader a

instance {-# OVERLAPPABLE #-} (Binary.GBody b body f) => GBodiesIn b body options a f where
  bodyW _ x = Binary.gBodyW @b @body x
  {-# INLINE bodyW #-}
  bodyR k = Binary.gBodyR @b @body k
  {-# INLINE bodyR #-}

instance
  (PairsIn b, Flag (Has RejectUnknownFields options), GRecord options a f) =>
  GBodiesIn b 'Record options a f
  where
  bodyW a _ = pairsW @b (parts @options @a @f) a
  {-# INLINE bodyW #-}
  bodyR k = pairsR @b (k <$> parts @options @a @f)
  {-# INLINE bodyR #-}

-- * Cases

-- | What has been found of a value's constructor when its body is read.
type family FoundJson (encoding :: Encoding) where
  FoundJson ('TaggedObject tag contents) = JsonSum.Tagged
  FoundJson encoding = ()

-- | The same in a binary format.
type family FoundBinary (encoding :: Encoding) where
  FoundBinary ('TaggedObject tag contents) = BinarySum.Tagged
  FoundBinary encoding = ()

-- | A constructor with its name in documents.
class GCases (encoding :: Encoding) (body :: Body) (options :: [Type]) (name :: Symbol) a f where
  caseJsonW :: a -> f () -> Write
  caseJsonR :: (f () -> a) -> FoundJson encoding -> Step a

-- | The same in a binary format.
class GCasesIn b encoding (body :: Body) (options :: [Type]) (name :: Symbol) a f where
  caseW :: a -> f () -> Write
  caseR :: (f () -> a) -> FoundBinary encoding -> Step a

-- | @{"tag":"Name"@
type Opening tag name =
  AppendSymbol "{" (AppendSymbol (QuotedText tag) (AppendSymbol ":" (QuotedText name)))

-- | @,"contents":@
type Contents contents = AppendSymbol "," (AppendSymbol (QuotedText contents) ":")

instance
  (Flag (Has RejectUnknownFields options), KnownSymbol tag, KnownSymbol (Opening tag name)) =>
  GCases ('TaggedObject tag contents) 'Nullary options name a U1
  where
  caseJsonW _ _ = literal (symbolVal' (proxy# @(Opening tag name))) <> byte 125
  {-# INLINE caseJsonW #-}
  caseJsonR k
    | flag @(Has RejectUnknownFields options) =
        JsonSum.closedNullary (symbolVal' (proxy# @tag)) (k U1)
    | otherwise = JsonSum.caseNullary (k U1)
  {-# INLINE caseJsonR #-}

instance
  ( Flag
      (Has RejectUnknownFields options),
    GRecord options a f,
    KnownSymbol tag,
    KnownSymbol (Opening tag name)
  ) =>
  GCases ('TaggedObject tag contents) 'Record options name a f
  where
  caseJsonW a _ =
    taggedJsonW (parts @options @a @f) (literal (symbolVal' (proxy# @(Opening tag name)))) a
  {-# INLINE caseJsonW #-}
  caseJsonR k = taggedJsonR False (symbolVal' (proxy# @tag)) (k <$> parts @options @a @f)
  {-# INLINE caseJsonR #-}

instance
  {-# OVERLAPPABLE #-}
  ( Flag
      (Has RejectUnknownFields options),
    GBodies body options a f,
    KnownSymbol tag,
    KnownSymbol contents,
    KnownSymbol (AppendSymbol (Opening tag name) (Contents contents)),
    KnownSymbol (Contents contents)
  ) =>
  GCases ('TaggedObject tag contents) body options name a f
  where
  caseJsonW a x =
    literal (symbolVal' (proxy# @(AppendSymbol (Opening tag name) (Contents contents))))
      <> bodyJsonW @body @options a x
      <> byte 125
  {-# INLINE caseJsonW #-}
  caseJsonR k
    | flag @(Has RejectUnknownFields options) =
        JsonSum.closedContents (symbolVal' (proxy# @tag)) before named (bodyJsonR @body @options k)
    | otherwise = JsonSum.caseContents before named (bodyJsonR @body @options k)
    where
      before = symbolVal' (proxy# @(Contents contents))
      named = symbolVal' (proxy# @contents)
  {-# INLINE caseJsonR #-}

instance
  (GBodies body options a f, KnownSymbol (AppendSymbol "{" (AppendSymbol (QuotedText name) ":"))) =>
  GCases 'SingleField body options name a f
  where
  caseJsonW a x =
    literal (symbolVal' (proxy# @(AppendSymbol "{" (AppendSymbol (QuotedText name) ":"))))
      <> bodyJsonW @body @options a x
      <> byte 125
  {-# INLINE caseJsonW #-}
  caseJsonR k () = case bodyJsonR @body @options k of Reader step -> step
  {-# INLINE caseJsonR #-}

instance
  (GBodies body options a f, KnownSymbol (AppendSymbol "[" (AppendSymbol (QuotedText name) ","))) =>
  GCases 'TwoElements body options name a f
  where
  caseJsonW a x =
    literal (symbolVal' (proxy# @(AppendSymbol "[" (AppendSymbol (QuotedText name) ","))))
      <> bodyJsonW @body @options a x
      <> byte 93
  {-# INLINE caseJsonW #-}
  caseJsonR k () = case bodyJsonR @body @options k of Reader step -> step
  {-# INLINE caseJsonR #-}

instance
  (KnownSymbol name, KnownSymbol (QuotedText name)) =>
  GCases 'Untagged 'Nullary options name a U1
  where
  caseJsonW _ _ = literal (symbolVal' (proxy# @(QuotedText name)))
  {-# INLINE caseJsonW #-}
  caseJsonR k () = case JsonSum.enumeration known (\_ -> k U1) of Reader step -> step
    where
      known = constructors [symbolVal' (proxy# @name)]
  {-# INLINE caseJsonR #-}

instance
  {-# OVERLAPPABLE #-}
  (GBodies body options a f) =>
  GCases 'Untagged body options name a f
  where
  caseJsonW = bodyJsonW @body @options
  {-# INLINE caseJsonW #-}
  caseJsonR k () = case bodyJsonR @body @options k of Reader step -> step
  {-# INLINE caseJsonR #-}

instance
  (PairsIn b, Flag (Has RejectUnknownFields options), KnownSymbol tag, KnownSymbol name) =>
  GCasesIn b ('TaggedObject tag contents) 'Nullary options name a U1
  where
  caseW _ _ = Binary.mapOf @b 1 <> tagged @b @tag @name
  {-# INLINE caseW #-}
  caseR k
    | flag @(Has RejectUnknownFields options) =
        BinarySum.closedNullary @b (symbolVal' (proxy# @tag)) (k U1)
    | otherwise = BinarySum.caseNullary @b (k U1)
  {-# INLINE caseR #-}

instance
  ( PairsIn
      b,
    Flag (Has RejectUnknownFields options),
    GRecord options a f,
    KnownSymbol tag,
    KnownSymbol name
  ) =>
  GCasesIn b ('TaggedObject tag contents) 'Record options name a f
  where
  caseW a _ = taggedW @b (parts @options @a @f) (tagged @b @tag @name) a
  {-# INLINE caseW #-}
  caseR k = taggedR @b False (symbolVal' (proxy# @tag)) (k <$> parts @options @a @f)
  {-# INLINE caseR #-}

instance
  {-# OVERLAPPABLE #-}
  ( PairsIn
      b,
    Flag (Has RejectUnknownFields options),
    GBodiesIn b body options a f,
    KnownSymbol tag,
    KnownSymbol contents,
    KnownSymbol name
  ) =>
  GCasesIn b ('TaggedObject tag contents) body options name a f
  where
  caseW a x =
    Binary.mapOf @b 2
      <> tagged @b @tag @name
      <> Binary.constant @b (symbolVal' (proxy# @contents))
      <> bodyW @b @body @options a x
  {-# INLINE caseW #-}
  caseR k
    | flag @(Has RejectUnknownFields options) =
        BinarySum.closedContents @b (symbolVal' (proxy# @tag)) named (bodyR @b @body @options k)
    | otherwise = BinarySum.caseContents @b named (bodyR @b @body @options k)
    where
      named = symbolVal' (proxy# @contents)
  {-# INLINE caseR #-}

instance
  (PairsIn b, GBodiesIn b body options a f, KnownSymbol name) =>
  GCasesIn b 'SingleField body options name a f
  where
  caseW a x =
    Binary.mapOf @b 1
      <> Binary.constant @b (symbolVal' (proxy# @name))
      <> bodyW @b @body @options a x
  {-# INLINE caseW #-}
  caseR k () = case bodyR @b @body @options k of Reader step -> step
  {-# INLINE caseR #-}

instance
  (PairsIn b, GBodiesIn b body options a f, KnownSymbol name) =>
  GCasesIn b 'TwoElements body options name a f
  where
  caseW a x =
    Binary.arrayOf @b 2
      <> Binary.constant @b (symbolVal' (proxy# @name))
      <> bodyW @b @body @options a x
  {-# INLINE caseW #-}
  caseR k () = case bodyR @b @body @options k of Reader step -> step
  {-# INLINE caseR #-}

instance (PairsIn b, KnownSymbol name) => GCasesIn b 'Untagged 'Nullary options name a U1 where
  caseW _ _ = Binary.constant @b (symbolVal' (proxy# @name))
  {-# INLINE caseW #-}
  caseR k () = case BinarySum.enumeration @b known (\_ -> k U1) of Reader step -> step
    where
      known = constructors [symbolVal' (proxy# @name)]
  {-# INLINE caseR #-}

instance
  {-# OVERLAPPABLE #-}
  (PairsIn b, GBodiesIn b body options a f) =>
  GCasesIn b 'Untagged body options name a f
  where
  caseW = bodyW @b @body @options
  {-# INLINE caseW #-}
  caseR k () = case bodyR @b @body @options k of Reader step -> step
  {-# INLINE caseR #-}

tagged :: forall b tag name. (PairsIn b, KnownSymbol tag, KnownSymbol name) => Write
tagged =
  Binary.constant @b (symbolVal' (proxy# @tag)) <> Binary.constant @b (symbolVal' (proxy# @name))
{-# INLINE tagged #-}

-- * Several constructors

-- | The constructors of the type @a@.
class GSums (encoding :: Encoding) (options :: [Type]) a f where
  sumTags :: [String] -> [String]
  sumDrafts :: [Shape.Draft a] -> [Shape.Draft a]
  sumJsonW :: a -> f () -> Fill

  -- | The same for all constructors.
  topJsonW :: a -> f () -> Fill

  sumJsonR :: (f () -> a) -> FoundJson encoding -> Int# -> Step a

  -- | One of @count@ constructors; the first of these has the number that follows.
  sumNativeW :: Int -> Int -> a -> f () -> Fill

  topNativeW :: a -> f () -> Fill
  sumNativeR :: (f () -> a) -> Native.Alternatives a
  topNativeR :: (f () -> a) -> NativeReader a

  -- | As documents of any shape; and then others.
  sumCases :: (f () -> a) -> [Direct.Case a] -> [Direct.Case a]

  -- | Which of them a value has; the first of these has the number.
  sumApart :: Int -> a -> f () -> Direct.Apart

instance
  (GSum f, GSum g, GSums encoding options a f, GSums encoding options a g) =>
  GSums encoding options a (f :+: g)
  where
  sumTags rest = sumTags @encoding @options @a @f (sumTags @encoding @options @a @g rest)
  {-# INLINE sumTags #-}
  sumDrafts rest = sumDrafts @encoding @options @a @f (sumDrafts @encoding @options @a @g rest)
  sumJsonW a = \case
    L1 x -> sumJsonW @encoding @options a x
    R1 x -> sumJsonW @encoding @options a x
  {-# INLINE [0] sumJsonW #-}
  topJsonW a = \case
    L1 x -> sumJsonW @encoding @options a x
    R1 x -> sumJsonW @encoding @options a x
  {-# INLINE topJsonW #-}
  sumJsonR k found i ctx e c s = case gSumCount @f of
    I# n -> case i <# n of
      1# -> sumJsonR @encoding @options (\x -> k (L1 x)) found i ctx e c s
      _ -> sumJsonR @encoding @options (\x -> k (R1 x)) found (i -# n) ctx e c s
  {-# INLINE sumJsonR #-}
  sumNativeW count i a = \case
    L1 x -> sumNativeW @encoding @options count i a x
    R1 x -> sumNativeW @encoding @options count (i + gSumCount @f) a x
  {-# INLINE [0] sumNativeW #-}
  topNativeW a = \case
    L1 x -> sumNativeW @encoding @options (gSumCount @(f :+: g)) 0 a x
    R1 x -> sumNativeW @encoding @options (gSumCount @(f :+: g)) (gSumCount @f) a x
  {-# INLINE topNativeW #-}
  sumNativeR k =
    sumNativeR @encoding @options (\x -> k (L1 x))
      `Native.orElse` sumNativeR @encoding @options (\x -> k (R1 x))
  {-# INLINE sumNativeR #-}
  topNativeR k = Native.recursiveOneOf (sumNativeR @encoding @options k)
  {-# INLINE topNativeR #-}
  sumCases k rest =
    sumCases @encoding @options (\x -> k (L1 x)) (sumCases @encoding @options (\x -> k (R1 x)) rest)
  {-# NOINLINE sumCases #-}
  sumApart i a = \case
    L1 x -> sumApart @encoding @options i a x
    R1 x -> sumApart @encoding @options (i + gSumCount @f) a x
  {-# NOINLINE sumApart #-}

instance
  ( name
      ~ TagOf options n,
    KnownSymbol name,
    body ~ BodyOf ('MetaCons n x r) f,
    Flag (IsNullary body),
    GBodies body options a f,
    GCases encoding body options name a f
  ) =>
  GSums encoding options a (C1 ('MetaCons n x r) f)
  where
  sumTags rest = symbolVal' (proxy# @name) : rest
  {-# INLINE sumTags #-}
  sumDrafts rest =
    bodyDraft @body @options @a @f (symbolVal' (proxy# @name)) : rest
  sumJsonW a (M1 x) = toFill (caseJsonW @encoding @body @options @name a x)
  {-# INLINE [0] sumJsonW #-}
  topJsonW = sumJsonW @encoding @options
  {-# INLINE topJsonW #-}
  sumJsonR k found _ = caseJsonR @encoding @body @options @name (\x -> k (M1 x)) found
  {-# INLINE sumJsonR #-}
  sumNativeW count i a (M1 x) = toFill (number count i <> bodyNativeW @body @options a x)
  {-# INLINE [0] sumNativeW #-}
  topNativeW a (M1 x)
    | flag @(IsNullary body) = toFill (number 1 0)
    | otherwise = toFill (bodyNativeW @body @options a x)
  {-# INLINE topNativeW #-}
  sumNativeR k = Native.alternative (bodyNativeR @body @options @a @f (\x -> k (M1 x)))
  {-# INLINE sumNativeR #-}

  -- One constructor has no number, unless it is all that there is.
  topNativeR k
    | flag @(IsNullary body) = Native.oneOf (sumNativeR @encoding @options k)
    | otherwise = Native.recursive (bodyNativeR @body @options @a @f (\x -> k (M1 x)))
  {-# INLINE topNativeR #-}
  sumCases k rest =
    Direct.Case
      (T.pack (symbolVal' (proxy# @name)))
      (bodyDirect @body @options @a @f (\x -> k (M1 x)))
      : rest
  {-# NOINLINE sumCases #-}
  sumApart i a (M1 x) = Direct.Apart i (bodyPut @body @options a x)
  {-# NOINLINE sumApart #-}

type family IsNullary (body :: Body) :: Bool where
  IsNullary 'Nullary = 'True
  IsNullary body = 'False

-- | The same in a binary format.
class GSumsIn b (encoding :: Encoding) (options :: [Type]) a f where
  sumW :: a -> f () -> Fill
  topW :: a -> f () -> Fill
  sumR :: (f () -> a) -> FoundBinary encoding -> Int# -> Step a

instance
  (GSum f, GSumsIn b encoding options a f, GSumsIn b encoding options a g) =>
  GSumsIn b encoding options a (f :+: g)
  where
  sumW a = \case
    L1 x -> sumW @b @encoding @options a x
    R1 x -> sumW @b @encoding @options a x
  {-# INLINE [0] sumW #-}
  topW a = \case
    L1 x -> sumW @b @encoding @options a x
    R1 x -> sumW @b @encoding @options a x
  {-# INLINE topW #-}
  sumR k found i ctx e c s = case gSumCount @f of
    I# n -> case i <# n of
      1# -> sumR @b @encoding @options (\x -> k (L1 x)) found i ctx e c s
      _ -> sumR @b @encoding @options (\x -> k (R1 x)) found (i -# n) ctx e c s
  {-# INLINE sumR #-}

instance
  (name ~ TagOf options n, GCasesIn b encoding (BodyOf ('MetaCons n x r) f) options name a f) =>
  GSumsIn b encoding options a (C1 ('MetaCons n x r) f)
  where
  sumW a (M1 x) = toFill (caseW @b @encoding @(BodyOf ('MetaCons n x r) f) @options @name a x)
  {-# INLINE [0] sumW #-}
  topW = sumW @b @encoding @options
  {-# INLINE topW #-}
  sumR k found _ =
    caseR @b @encoding @(BodyOf ('MetaCons n x r) f) @options @name (\x -> k (M1 x)) found
  {-# INLINE sumR #-}

-- * Names alone

-- | Constructors without fields.
class GNames (options :: [Type]) f where
  nameTags :: [String] -> [String]
  nameJsonW :: f () -> Fill

  -- | The number of a name, where the first has the given one.
  nameNumber :: Int -> f () -> Int

instance (GNames options f, GNames options g) => GNames options (f :+: g) where
  nameTags rest = nameTags @options @f (nameTags @options @g rest)
  {-# INLINE nameTags #-}
  nameJsonW = \case
    L1 x -> nameJsonW @options x
    R1 x -> nameJsonW @options x
  {-# INLINE [0] nameJsonW #-}
  nameNumber i = \case
    L1 x -> nameNumber @options i x
    R1 x -> nameNumber @options (i + length (nameTags @options @f [])) x
  {-# NOINLINE nameNumber #-}

instance
  (name ~ TagOf options n, KnownSymbol name, KnownSymbol (QuotedText name)) =>
  GNames options (C1 ('MetaCons n x r) U1)
  where
  nameTags rest = symbolVal' (proxy# @name) : rest
  {-# INLINE nameTags #-}
  nameJsonW _ = toFill (literal (symbolVal' (proxy# @(QuotedText name))))
  {-# INLINE [0] nameJsonW #-}
  nameNumber i _ = i
  {-# NOINLINE nameNumber #-}

-- | The same in a binary format.
class GNamesIn b (options :: [Type]) f where
  nameW :: f () -> Fill

instance (GNamesIn b options f, GNamesIn b options g) => GNamesIn b options (f :+: g) where
  nameW = \case
    L1 x -> nameW @b @options x
    R1 x -> nameW @b @options x
  {-# INLINE [0] nameW #-}

instance
  (PairsIn b, name ~ TagOf options n, KnownSymbol name) =>
  GNamesIn b options (C1 ('MetaCons n x r) U1)
  where
  nameW _ = toFill (Binary.constant @b (symbolVal' (proxy# @name)))
  {-# INLINE [0] nameW #-}
