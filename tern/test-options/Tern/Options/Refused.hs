{-# LANGUAGE DataKinds #-}
-- The errors of the compiler are looked at when the tests run.
{-# OPTIONS_GHC -fdefer-type-errors -Wno-deferred-type-errors #-}
{-# LANGUAGE DuplicateRecordFields #-}

-- | Options that cannot be.
module Tern.Options.Refused (refused, accepted) where

import Control.Exception (TypeError (..), evaluate, try)
import Data.ByteString (ByteString)
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

-- | What the compiler says of each, by a name.
refused :: [(String, IO (Either String ByteString))]
refused =
  [ ("two fields renamed alike", said (encodeJson (WithOptions pair' :: WithOptions '[FieldLabelModifier '[StripPrefix "a", StripPrefix "b"]] Pair))),
    ("a field and another's other name", said (encodeJson (WithOptions pair' :: WithOptions '[FieldAlias "aOne" '["x", "bOne"]] Pair))),
    ("two constructors renamed alike", said (encodeJson (WithOptions (SameOne 1) :: WithOptions '[ConstructorTagModifier '[StripSuffix "One", StripSuffix "Two"], SumObjectWithSingleField] Several))),
    ("a field that is called as the tag", said (encodeJson (WithOptions (SameOne 1) :: WithOptions '[OmitNothingFields] Several))),
    ("a field that is called as the tag, flattened", said (encodeJson (WithOptions (Outer 1 pair') :: WithOptions '[FieldFlattened "pair" '[]] Outer))),
    ("tag and contents of one name", said (encodeJson (WithOptions (SameOne 1) :: WithOptions '[SumTaggedObject "t" "t"] Several))),
    ("an option of a field that there is not", said (encodeJson (WithOptions pair' :: WithOptions '[FieldDefault "aone" 1] Pair))),
    ("two options of one field", said (encodeJson (WithOptions pair' :: WithOptions '[FieldDefault "aOne" 1, FieldIgnored "aOne" 2] Pair))),
    ("no field at all", said (encodeJson (WithOptions pair' :: WithOptions '[FieldIgnored "aOne" 1, FieldIgnored "bOne" 2] Pair))),
    ("what is no option", said (encodeJson (WithOptions pair' :: WithOptions '[NoOption] Pair))),
    ("a field that is called as the tag, by generics", said (encodeJson (ByGenerics 1))),
    ("by hand, two names alike by flattening", said (Codec.encodeJson (Codec.object (Outer <$> Codec.field @"aOne" one' codec <.> Codec.flatten inner (Pair <$> Codec.field @"aOne" first codec <.> Codec.field @"bOne" second codec))) (Outer 1 pair'))),
    ("by hand, another name that is a field's", said (Codec.encodeJson (Codec.object (Pair <$> Codec.alias @'["b"] (Codec.field @"a" first codec) <.> Codec.field @"b" second codec)) pair')),
    ("by hand, a computed name that is a field's", said (Codec.encodeJson (Codec.object (Pair <$> Codec.field @"a" first codec <.> Codec.field @"b" second codec <. Codec.computed @"a" first codec)) pair'))
  ]
  where
    one' (Outer a _) = a
    inner (Outer _ p) = p

-- | The same where nothing is wrong.
accepted :: [IO (Either String ByteString)]
accepted =
  [ said (encodeJson (WithOptions pair' :: WithOptions '[FieldLabelModifier (StripPrefix "a")] Pair)),
    said (encodeJson (WithOptions (SameOne 1) :: WithOptions '[SumTaggedObject "t" "c"] Several)),
    said (encodeJson (WithOptions (Outer 1 pair') :: WithOptions '[FieldFlattened "pair" '[FieldLabelModifier (AddPrefix "p_")]] Outer))
  ]

data Tagged = ByGenerics {tag :: Int} | Other Text
  deriving stock (Generic)

instance Wire Tagged

pair' :: Pair
pair' = Pair 1 2

first, second :: Pair -> Int
first (Pair a _) = a
second (Pair _ b) = b

said :: ByteString -> IO (Either String ByteString)
said bytes = either (\(TypeError words') -> Left words') Right <$> try (evaluate bytes)
