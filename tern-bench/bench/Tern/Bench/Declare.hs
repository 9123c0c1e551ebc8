{-# LANGUAGE EmptyDataDeriving #-}
{-# LANGUAGE TemplateHaskellQuotes #-}

-- | Records of any number of Ints, declared as article 000 numbers their
-- fields: @data Ints5 by = Ints5 {field01 :: !Int, …}@.
--
-- The parameter stands for nothing: it chooses whose instances a value has.
module Tern.Bench.Declare
  ( ByGeneric,
    ByTemplate,
    ByCodec,
    ByNames,
    declareInts,
    intsOf,
    intsFrom,
    codecOfInts,
    codecNamedOfInts,
    fieldNames,
  )
where

import GHC.Generics (Generic)
import Language.Haskell.TH
import Tern (Wire (..))
import Tern.Codec qualified as Codec

-- | Instances by "GHC.Generics".
data ByGeneric

-- | Instances by Template Haskell.
data ByTemplate

-- | Instances by a codec as a value, as one writes it by hand.
data ByCodec

-- | Instances by a codec as a value whose names are known when the program runs.
data ByNames

-- | A record of @count@ strict Ints.
declareInts :: String -> Int -> Q [Dec]
declareInts name count = do
  -- From a quote, because a parameter is spelt differently in each version of
  -- the library.
  pattern' <- [d|data Pattern by deriving stock (Eq, Generic, Show)|]
  pure
    [ DataD context (mkName name) parameters kind [RecC (mkName name) fields] derived
      | DataD context _ parameters kind _ derived <-
          pattern'
    ]
  where
    fields =
      [ (mkName field, Bang NoSourceUnpackedness SourceStrict, ConT ''Int)
        | field <-
            fieldNames count
      ]

-- | A value: numbers of one digit to ten, about one negative in seven.
intsOf :: String -> Int -> Q Exp
intsOf name count = foldl appE (conE (mkName name)) (map (litE . integerL) (take count numbers))
  where
    numbers = 7 : 49 : 343 : 2401 : 16807 : concat (iterate (map wander) start)
    start = [117649, 823543, -5764801, 40353607, 282475249, 3, 1]
    wander x = signum x * ((abs x * 75 + 74) `mod` 65537)

-- | @[Int] -> Ints5 by@: from a list that is long enough, else the sample.
intsFrom :: String -> Int -> Q Exp
intsFrom name count = do
  xs <- mapM (const (newName "x")) (fieldNames count)
  lamCaseE
    [ match
        (foldr (\x rest -> infixP (varP x) '(:) rest) wildP xs)
        ( normalB
            (foldl appE (conE (mkName name)) (map varE xs))
        )
        [],
      match wildP (normalB (varE (mkName "sample"))) []
    ]

-- | @Codec.object (Ints5 <$> Codec.field \@"field01" field01 codec Codec.<.> …)@.
codecOfInts :: String -> Int -> Q Exp
codecOfInts name count = case map field (fieldNames count) of
  first : others ->
    [|Codec.object $(foldl beside [|$(conE (mkName name)) <$> $first|] others)|]
  [] -> fail "codecOfInts: a record has a field"
  where
    beside fields one = [|$fields Codec.<.> $one|]
    field label =
      [|$(appTypeE [|Codec.field|] (litT (strTyLit label))) $(varE (mkName label)) codec|]

-- | @Codec.objectNamed (Ints5 <$> Codec.fieldNamed "field01" field01 codec <*> …)@.
codecNamedOfInts :: String -> Int -> Q Exp
codecNamedOfInts name count = case map field (fieldNames count) of
  first : others ->
    [|Codec.objectNamed $(foldl beside [|$(conE (mkName name)) <$> $first|] others)|]
  [] -> fail "codecNamedOfInts: a record has a field"
  where
    beside fields one = [|$fields <*> $one|]
    field label = [|Codec.fieldNamed $(litE (stringL label)) $(varE (mkName label)) codec|]

-- | @field01@ and so on.
fieldNames :: Int -> [String]
fieldNames count = ["field" <> (if i < 10 then "0" else "") <> show i | i <- [1 .. count]]
