{-# LANGUAGE TemplateHaskellQuotes #-}

-- | A declaration's codec for the native format, by Template Haskell.
--
-- The idea: the declaration is looked through for itself. A type that is not
-- within itself tells those that hold it how far its values reach, and a list of
-- it is asked for as a whole ("Tern.Internal.Native.Record").
module Tern.Internal.Derive.Native
  ( writerOf,
    readerOf,
  )
where

import Data.Set (Set)
import Data.Set qualified as Set
import Language.Haskell.TH
import Language.Haskell.TH.Datatype (ConstructorInfo (..), DatatypeInfo (..), reifyDatatype)
import Tern.Internal.Codec.Parts qualified as Parts
import Tern.Internal.Derive.Code (joined)
import Tern.Internal.Derive.Options (Options, isComposed)
import Tern.Internal.Derive.Parts (partsE, wholeE)
import Tern.Internal.Native.Record qualified as Record
import Tern.Internal.Native.Write qualified as Native
import Tern.Internal.Wire.Class (nativeR, nativeW)
import Tern.Internal.Write qualified as Write

-- * Writing

-- | The expression of a writer: a constructor's number, where there are several or it has no
-- fields; then the fields, one after the other.
writerOf :: Options -> [ConstructorInfo] -> Q Exp
writerOf options constructors = do
  value <- newName "value"
  [|
    Write.FillWriter
      $( lamE
           [varP value]
           [|
             Write.toFill
               $( caseE
                    (varE value)
                    (zipWith (alternative (varE value)) [0 ..] constructors)
                )
             |]
       )
    |]
  where
    count = length constructors
    alternative :: Q Exp -> Int -> ConstructorInfo -> Q Match
    alternative value i constructor = do
      xs <- mapM (const (newName "x")) (constructorFields constructor)
      match
        (conP (constructorName constructor) (map varP xs))
        ( normalB
            ( joined
                ( [number i | count > 1 || null xs]
                    <> if isComposed options constructor
                      then [[|Parts.nativePut $(partsE options constructor) $(wholeE value xs)|]]
                      else [[|Write.write nativeW $(varE x)|] | x <- xs]
                )
            )
        )
        []
    number i = [|Native.number $(int count) $(int i)|]
    int n = litE (integerL (toInteger n))

-- * Reading

-- | The expression of a reader. Of a type that may be within itself it does not say how far values
-- reach.
readerOf :: Options -> [ConstructorInfo] -> Q Exp
readerOf options constructors = do
  recursive <- isRecursive constructors
  case constructors of
    [constructor]
      | not (null (constructorFields constructor)) ->
          if recursive
            then [|Record.recursive $(fields constructor)|]
            else [|Record.record $(fields constructor)|]
    _ ->
      if recursive
        then [|Record.recursiveOneOf $alternatives|]
        else [|Record.oneOf $alternatives|]
  where
    alternatives =
      foldr1'
        (\a b -> [|Record.orElse $a $b|])
        [[|Record.alternative $(fields c)|] | c <- constructors]
    -- Halves, so that a constructor is found in few comparisons.
    foldr1' f = \case
      [x] -> x
      xs ->
        let (before, after) =
              splitAt (length xs `quot` 2) xs
         in f (foldr1' f before) (foldr1' f after)
    fields constructor
      | isComposed options constructor = [|Parts.nativeFields $(partsE options constructor)|]
      | otherwise = plainFields constructor
    plainFields constructor =
      foldl
        (\acc _ -> [|$acc <*> Record.field nativeR|])
        [|pure $(conE (constructorName constructor))|]
        (constructorFields constructor)

-- | May a value be within another of its type? So it is assumed wherever that
-- cannot be seen.
isRecursive :: [ConstructorInfo] -> Q Bool
isRecursive constructors = search Set.empty (concatMap constructorFields constructors)
  where
    targets = Set.fromList (map constructorName constructors)
    search :: Set Name -> [Type] -> Q Bool
    search seen = \case
      [] -> pure False
      t : rest -> case t of
        AppT f x -> search seen (f : x : rest)
        SigT t' _ -> search seen (t' : rest)
        ParensT t' -> search seen (t' : rest)
        VarT _ -> search seen rest
        ListT -> search seen rest
        TupleT _ -> search seen rest
        ConT name
          | Set.member name seen || isLeaf name -> search seen rest
          | otherwise -> do
              found <- recover (pure Nothing) (Just <$> reifyDatatype name)
              case found of
                Nothing -> pure True
                Just info
                  | any ((`Set.member` targets) . constructorName) (datatypeCons info) -> pure True
                  | otherwise ->
                      search
                        (Set.insert name seen)
                        ( concatMap constructorFields (datatypeCons info)
                            <> rest
                        )
        _ -> pure True
    -- Types of the language, which hold none of a user's.
    isLeaf name =
      maybe
        False
        ( `elem`
            [ "GHC.Types",
              "GHC.Prim",
              "GHC.Word",
              "GHC.Int",
              "GHC.Num.Integer",
              "GHC.Num.Natural",
              "Data.Text.Internal",
              "GHC.Maybe",
              "GHC.Tuple.Prim",
              "GHC.Tuple"
            ]
        )
        (nameModule name)
