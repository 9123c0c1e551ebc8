{-# LANGUAGE TemplateHaskellQuotes #-}

-- | The shape of a declaration, by Template Haskell.
module Tern.Internal.Derive.Shape (shapeE) where

import Data.List (elemIndex, nub)
import Data.Proxy (Proxy (..))
import Language.Haskell.TH (Exp, Q, Type (..), conE, listE, sigE, stringE)
import Language.Haskell.TH.Datatype (ConstructorInfo (..))
import Tern.Internal.Codec.Parts qualified as Parts
import Tern.Internal.Derive.Options
  ( Beside (..),
    Body (..),
    Layout (..),
    Options (..),
    SumEncoding (..),
    besideOf,
    bodyOf,
    isComposed,
    layoutOf,
    tagOf,
  )
import Tern.Internal.Derive.Parts (partsE)
import Tern.Internal.Wire.Generic.Shape (has, shapedBeside, shapedDraft, shapedField)
import Tern.Shape qualified as Shape

-- | The expression of a type's shape: its layout, and for each constructor a draft, by the types of
-- its fields or, where these cannot be written in any module, by the constructor itself.
shapeE :: Options -> [ConstructorInfo] -> Q Exp
shapeE options constructors = [|Shape.declare $outline $(listE (map drafted constructors))|]
  where
    layout = layoutOf options constructors
    outline = case layout of
      Bare _ -> [|Shape.One|]
      Names -> [|Shape.NamesAlone|]
      Tagged -> case sumEncoding options of
        TaggedObject tagKey contentsKey ->
          [|Shape.taggedAs $(stringE tagKey) $(stringE contentsKey)|]
        ObjectWithSingleField -> [|Shape.Several Shape.SingleField|]
        TwoElemArray -> [|Shape.Several Shape.TwoElements|]
        UntaggedValue -> [|Shape.Several Shape.Untagged|]
    drafted constructor
      | isComposed options constructor =
          [|Parts.partsDraft $(stringE (tagOf options constructor)) $(partsE options constructor)|]
      | rejectUnknownFields options = [|Shape.closed $(plainly constructor)|]
      | otherwise = plainly constructor
    plainly constructor =
      let (named, fields) = case (layout, bodyOf options constructor) of
            (Bare _, Record [_]) | unwrapUnaryRecords options -> (False, [""])
            (_, Record pairs) -> (True, map fst pairs)
            _ -> (False, map (const "") (constructorFields constructor))
          flag = if named then [|True|] else [|False|]
          types = constructorFields constructor
          distinct = nub types
          numberOf t = maybe '\0' toEnum (elemIndex t distinct)
          described
            | all written types,
              all plain (besideOf options constructor),
              all (notElem '\0') fields =
                [|
                  shapedDraft
                    $(stringE (tagOf options constructor))
                    $flag
                    $(stringE (concatMap (<> "\0") fields))
                    $(stringE (map numberOf types))
                    $( listE
                         [ [|has $(sigE [|Proxy|] [t|Proxy $(pure t)|])|]
                           | t <-
                               distinct
                         ]
                     )
                  |]
            | otherwise =
                [|
                  Shape.draft
                    $(stringE (tagOf options constructor))
                    $flag
                    $(conE (constructorName constructor))
                    $( foldr
                         shaped
                         [|Shape.noFields|]
                         ( zip
                             fields
                             ( map Just (besideOf options constructor)
                                 <> repeat Nothing
                             )
                         )
                     )
                  |]
       in described
    plain = \case
      Beside [] Nothing -> True
      Beside _ _ -> False
    shaped (field, beside) rest = case beside of
      Just (Beside others missing)
        | not (null others && null missing) ->
            [|
              shapedBeside
                $(stringE field)
                $(listE (map stringE others))
                $(maybe [|Nothing|] (\value -> [|Just $value|]) missing)
                $rest
              |]
      _ -> [|shapedField $(stringE field) $rest|]
    -- Types that any module can write: without variables, which it may not
    -- have in scope, and without kinds. Of others the constructor tells.
    written = \case
      ConT _ -> True
      ListT -> True
      TupleT _ -> True
      AppT f x -> written f && written x
      _ -> False
