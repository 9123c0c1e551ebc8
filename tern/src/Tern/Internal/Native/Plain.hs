{-# LANGUAGE GADTs #-}

-- | The types whose values have the same bytes in the native format as in memory.
--
-- The idea: they are known by name. A class would have to be asked of all elements, and that
-- a type is 'Foreign.Storable.Storable' says nothing: how it lies in memory is its own affair.
module Tern.Internal.Native.Plain
  ( Plain (..),
    plain,
  )
where

import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import Tern.Internal.Native.FixedWidth (FixedWidth)
import Type.Reflection (Typeable, typeRep, (:~~:) (HRefl))
import Type.Reflection qualified as Reflection

-- | Each of them.
data Plain a where
  PlainInt8 :: Plain Int8
  PlainInt16 :: Plain Int16
  PlainWord8 :: Plain Word8
  PlainWord16 :: Plain Word16
  PlainFloat :: Plain Float
  PlainDouble :: Plain Double
  FixedInt :: Plain (FixedWidth Int)
  FixedInt32 :: Plain (FixedWidth Int32)
  FixedInt64 :: Plain (FixedWidth Int64)
  FixedWord :: Plain (FixedWidth Word)
  FixedWord32 :: Plain (FixedWidth Word32)
  FixedWord64 :: Plain (FixedWidth Word64)

-- | Which of them a type is.
--
-- NOINLINE: the search stands once in a program, and not beside each vector.
plain :: forall a. (Typeable a) => Maybe (Plain a)
plain = case typeRep @a of
  Reflection.App _ _ -> among applied
  _ -> among scalars
{-# NOINLINE plain #-}

among :: forall a. (Typeable a) => [Candidate] -> Maybe (Plain a)
among = \case
  [] -> Nothing
  Candidate rep it : others -> case Reflection.eqTypeRep rep (typeRep @a) of
    Just HRefl -> Just it
    Nothing -> among others

data Candidate = forall a. Candidate (Reflection.TypeRep a) (Plain a)

-- | Those that are applied to nothing.
scalars :: [Candidate]
scalars =
  [ Candidate typeRep PlainDouble,
    Candidate typeRep PlainFloat,
    Candidate typeRep PlainWord8,
    Candidate typeRep PlainInt8,
    Candidate typeRep PlainWord16,
    Candidate typeRep PlainInt16
  ]

-- | The others.
applied :: [Candidate]
applied =
  [ Candidate typeRep FixedInt,
    Candidate typeRep FixedInt32,
    Candidate typeRep FixedInt64,
    Candidate typeRep FixedWord,
    Candidate typeRep FixedWord32,
    Candidate typeRep FixedWord64
  ]
