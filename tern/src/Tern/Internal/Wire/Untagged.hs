{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE MagicHash #-}

-- | Sums without tags in the formats that have names: which alternatives a value can be by
-- its first byte, and the attempts at them ("Tern.Internal.Attempt").
--
-- The idea: what an alternative's values begin with is seen from its shape. Where that says
-- nothing it may be anything, which costs an attempt and no more.
module Tern.Internal.Wire.Untagged
  ( json,
    jsonByType,
    jsonByCodec,
    binary,
    binaryByCodec,

    -- * Who tries
    Identity,
    ofType,
  )
where

import Data.Text qualified as T
import Data.Typeable (Typeable)
import GHC.Exts
import Tern.Internal.Attempt
  ( Attempt (..),
    Beginning,
    Identity,
    aBool,
    aNull,
    aNumber,
    aText,
    anArray,
    anObject,
    anything,
    firstOf,
    ofCodec,
    ofType,
  )
import Tern.Internal.Binary.Syntax (Syntax, isInteger, isNothing, isText)
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Read (Reader)
import Tern.Prim.Byte (byteAt)
import Tern.Shape (Body (..), Constructor (..), Definition (..), Layout (..), Shape, ShapeOf (..))
import Tern.Shape qualified as Shape

-- | The alternatives of a sum, with their names and in their order, as JSON.
json :: Identity -> ShapeOf a -> [(String, Reader a)] -> Reader a
json identity shape alternatives =
  firstOf identity Json.skipSpace jsonBeginning (attempts shape alternatives)
{-# OPAQUE json #-}

-- | Of the codec that a type has by its declaration.
jsonByType :: (Typeable a) => ShapeOf a -> [(String, Reader a)] -> Reader a
jsonByType shape = json (ofType shape) shape
{-# INLINE jsonByType #-}

-- | Of a codec by hand.
jsonByCodec :: (Typeable a) => ShapeOf a -> [(String, Reader a)] -> Reader a
jsonByCodec shape alternatives = json (ofCodec alternatives) shape alternatives
{-# OPAQUE jsonByCodec #-}

-- | The same in a binary format.
binary :: forall f a. (Syntax f) => Identity -> ShapeOf a -> [(String, Reader a)] -> Reader a
binary identity shape alternatives =
  firstOf identity (\_ c -> c) (binaryBeginning @f) (attempts shape alternatives)
{-# NOINLINE binary #-}

-- | As 'jsonByCodec', in a binary format.
binaryByCodec ::
  forall f a. (Syntax f, Typeable a) => ShapeOf a -> [(String, Reader a)] -> Reader a
binaryByCodec shape alternatives = binary @f (ofCodec alternatives) shape alternatives
{-# NOINLINE binaryByCodec #-}

attempts :: ShapeOf a -> [(String, Reader a)] -> [Attempt a]
attempts shape alternatives =
  zipWith
    (\begins (name, reader) -> Attempt (T.pack name) begins reader)
    (beginnings (theShape shape) <> repeat anything)
    alternatives

-- * What values begin with

-- | Of each alternative.
beginnings :: Shape -> [Beginning]
beginnings = \case
  Shape.Declared _ (Sum Untagged constructors) -> map (ofBody 16 . constructorBody) constructors
  _ -> []

-- | Through at most @n@ types around one value.
ofShape :: Int -> Shape -> Beginning
ofShape n = \case
  _ | n == 0 -> anything
  Shape.Boolean -> aBool
  Shape.Integer _ _ -> aNumber
  Shape.IntegerIn {} -> aNumber
  -- An infinity is a text in JSON, and what is not a number null.
  Shape.Floating _ -> aNumber + aText + aNull
  Shape.Text -> aText
  Shape.Character -> aText
  Shape.Unit -> anArray
  Shape.Anything -> anything
  Shape.Binary -> anything
  Shape.BinaryOf _ -> anything
  Shape.Formatted _ _ _ -> anything
  Shape.Opaque _ -> anything
  Shape.List _ _ -> anArray
  Shape.SetOf _ -> anArray
  Shape.Optional _ -> anything
  Shape.Mapping _ _ -> anArray + anObject
  Shape.Tuple _ -> anArray
  Shape.Described _ s -> ofShape (n - 1) s
  Shape.Declared _ definition -> case definition of
    Bare _ Nullary -> anArray
    Bare _ body -> ofBody (n - 1) body
    Names _ -> aText
    Sum layout _ -> case layout of
      Tagged _ _ -> anObject
      SingleField -> anObject
      TwoElements -> anArray
      Untagged -> anything

-- | A record may be an array in a binary format.
ofBody :: Int -> Body -> Beginning
ofBody n = \case
  Nullary -> aText
  Value s -> ofShape n s
  Array _ -> anArray
  Record _ -> anArray + anObject

jsonBeginning :: Addr# -> Addr# -> Beginning
jsonBeginning e c = case ltAddr# c e of
  1# -> case byteAt c of
    0x7b## -> anObject
    0x5b## -> anArray
    0x22## -> aText
    0x6e## -> aNull
    0x74## -> aBool
    0x66## -> aBool
    -- A digit, a minus, or nothing that is JSON.
    _ -> aNumber
  _ -> 0

-- | What is none of the first three may be anything: what a tag stands before, and so on.
binaryBeginning :: forall f. (Syntax f) => Addr# -> Addr# -> Beginning
binaryBeginning e c
  | isTrue# (geAddr# c e) = 0
  | isTrue# (isNothing @f e c) = aNull
  | isTrue# (isText @f e c) = aText
  | isTrue# (isInteger @f e c) = aNumber
  | otherwise = anything
