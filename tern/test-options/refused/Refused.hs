{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE ImportQualifiedPost #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}

-- | Options that cannot be: each declaration is an error of the compiler, which the suite
-- looks for. It is no module of the suite.
module Refused where

import Data.Text (Text)
import GHC.Generics (Generic)
import Tern
import Tern.Codec ((<.), (<.>))
import Tern.Codec qualified as Codec
import Tern.Deriving

data Pair = Pair {aOne :: Int, bOne :: Int}
  deriving stock (Generic)

data Several = SameOne {one :: Int} | SameTwo {tag :: Int}
  deriving stock (Generic)

data Outer = Outer {aOne :: Int, pair :: Pair}
  deriving stock (Generic)

data NoOption

data Doubled

instance ComputedField Doubled Pair where
  type Computed Doubled Pair = Int
  computedField (Pair a _) = 2 * a

fieldsAlike :: Codec (WithOptions '[FieldLabelModifier '[StripPrefix "a", StripPrefix "b"]] Pair)
fieldsAlike = codec

otherNameOfAField :: Codec (WithOptions '[FieldAlias "aOne" '["x", "bOne"]] Pair)
otherNameOfAField = codec

constructorsAlike ::
  Codec
    ( WithOptions
        '[ ConstructorTagModifier
             '[StripSuffix "One", StripSuffix "Two"],
           SumObjectWithSingleField
         ]
        Several
    )
constructorsAlike = codec

fieldAsTag :: Codec (WithOptions '[OmitNothingFields] Several)
fieldAsTag = codec

flattenedAlike :: Codec (WithOptions '[FieldFlattened "pair" '[]] Outer)
flattenedAlike = codec

tagAsContents :: Codec (WithOptions '[SumTaggedObject "t" "t"] Several)
tagAsContents = codec

noSuchField :: Codec (WithOptions '[FieldDefault "aone" 1] Pair)
noSuchField = codec

saidTwice :: Codec (WithOptions '[FieldDefault "aOne" 1, FieldIgnored "aOne" 2] Pair)
saidTwice = codec

noField :: Codec (WithOptions '[FieldIgnored "aOne" 1, FieldIgnored "bOne" 2] Pair)
noField = codec

computedAsAField :: Codec (WithOptions '[FieldComputed "aOne" Doubled] Pair)
computedAsAField = codec

data Hidden = HiddenOne Int | HiddenTwo Int
  deriving stock (Generic)

data HiddenN = HiddenText Text | HiddenName
  deriving stock (Generic)

data HiddenR = HiddenLess {less :: Int} | HiddenMore {less :: Int, more :: Int}
  deriving stock (Generic)

neverRead :: Codec (WithOptions '[SumUntaggedValue] Hidden)
neverRead = codec

neverReadName :: Codec (WithOptions '[SumUntaggedValue] HiddenN)
neverReadName = codec

neverReadRecord :: Codec (WithOptions '[SumUntaggedValue] HiddenR)
neverReadRecord = codec

-- What may become equal is not refused.
mayBeRead :: (Wire a, Wire b) => Codec (WithOptions '[SumUntaggedValue] (May a b))
mayBeRead = codec

data May a b = MayA a | MayB b
  deriving stock (Generic)

noOption :: Codec (WithOptions '[NoOption] Pair)
noOption = codec

data Tagged = ByGenerics {tag :: Int} | Other Text
  deriving stock (Generic)

instance Wire Tagged

first, second :: Pair -> Int
first (Pair a _) = a
second (Pair _ b) = b

flattenedByHand :: Codec Outer
flattenedByHand =
  Codec.object
    ( Outer
        <$> Codec.field @"aOne" (\(Outer a _) -> a) codec
          <.> Codec.flatten
            (\(Outer _ p) -> p)
            ( Pair
                <$> Codec.field @"aOne" first codec <.> Codec.field @"bOne" second codec
            )
    )

aliasByHand :: Codec Pair
aliasByHand =
  Codec.object
    ( Pair
        <$> Codec.alias @'["b"] (Codec.field @"a" first codec) <.> Codec.field @"b" second codec
    )

computedByHand :: Codec Pair
computedByHand =
  Codec.object
    ( Pair
        <$> Codec.field
          @"c"
          first
          codec
          <.> Codec.field @"d" second codec
          <. Codec.computed @"c" first codec
    )

-- Nothing is wrong with these.

accepted :: Codec (WithOptions '[FieldLabelModifier (StripPrefix "a")] Pair)
accepted = codec

acceptedSum :: Codec (WithOptions '[SumTaggedObject "t" "c"] Several)
acceptedSum = codec

acceptedFlattened ::
  Codec (WithOptions '[FieldFlattened "pair" '[FieldLabelModifier (AddPrefix "p_")]] Outer)
acceptedFlattened = codec
