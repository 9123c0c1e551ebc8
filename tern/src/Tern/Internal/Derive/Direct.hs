{-# LANGUAGE TemplateHaskellQuotes #-}

-- | How a declaration's values are documents of any shape, by Template Haskell.
--
-- The idea: the declaration is written down as data ("Tern.Internal.Wire.Direct.Declared"), and
-- its constructors put their fields and take them, one after the other.
module Tern.Internal.Derive.Direct (directE) where

import Data.List (intercalate, nub)
import Language.Haskell.TH hiding (Body)
import Language.Haskell.TH.Datatype (ConstructorInfo (..))
import Tern.Internal.Codec.Parts qualified as Parts
import Tern.Internal.Derive.Code (Built, inPlace)
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
import Tern.Internal.Derive.Parts (partsE, wholeE)
import Tern.Internal.Record (slot, tied)
import Tern.Internal.Wire.Class (absent, direct)
import Tern.Internal.Wire.Codec (directly)
import Tern.Internal.Wire.Direct.Constructor qualified as Direct
import Tern.Internal.Wire.Direct.Declared qualified as Direct

-- | A codec with it. Where bytes decide which constructor a document is, the codec as it is.
directE :: Built -> Options -> [ConstructorInfo] -> Q Exp -> Q Exp
directE built options constructors whole = case layoutOf options constructors of
  Bare _ -> within [|Direct.Alone|]
  Names -> within [|Direct.NamesAlone|]
  Tagged -> case sumEncoding options of
    TaggedObject tag contents -> within [|Direct.tagged $(stringE tag) $(stringE contents)|]
    ObjectWithSingleField -> within [|Direct.SingleField|]
    TwoElemArray -> within [|Direct.TwoElements|]
    UntaggedValue -> whole
  where
    within layout = do
      named <- mapM (\constructor -> (,) constructor <$> newName "entries") constructors
      witness <- newName "witness"
      let told c = not (isComposed options c || null (constructorFields c))
          given = any told constructors
      [|
        directly
          $( asked
               given
               witness
               [ valD
                   (varP entries)
                   (normalB (entriesE options constructors witness constructor))
                   []
                 | (constructor, entries) <- named,
                   not (isComposed options constructor),
                   not (null (constructorFields constructor))
               ]
               [|
                 Direct.declared
                   $(flag (rejectUnknownFields options))
                   $layout
                   $(listE (map (constructorE built options constructors) named))
                   $(apartE options named)
                 |]
           )
          $whole
        |]

    -- With the type's witness, where there are fields whose types are told by it.
    asked given witness definitions body
      | given = [|Direct.withWitness $(lamE [varP witness] (letE definitions body))|]
      | otherwise = body

flag :: Bool -> Q Exp
flag b = if b then [|True|] else [|False|]

-- | How a constructor's fields are written and read, by the types of the fields, which the
-- constructor tells and nobody writes: each type once.
entriesE :: Options -> [ConstructorInfo] -> Name -> ConstructorInfo -> Q Exp
entriesE options constructors witness constructor = do
  named <- mapM (\t -> (,) t <$> ((,) <$> newName "d" <*> newName "e")) (nub types)
  xs <- mapM (const (newName "x")) types
  let fields = [pair | t <- types, Just pair <- [lookup t named]]
      typed =
        lamE
          (map varP xs)
          [|
            Direct.witnessed
              $(varE witness)
              $( foldl
                   appE
                   (conE (constructorName constructor))
                   [[|Direct.typeOf $(varE d) $(varE x)|] | ((d, _), x) <- zip fields xs]
               )
            |]
  foldl
    appE
    ( lamE
        [varP d | (_, (d, _)) <- named]
        [|
          tied
            $typed
            $( letE
                 [ valD (varP e) (normalB [|Direct.entry $(varE d) absent|]) []
                   | (t, (d, e)) <- named,
                     t `elem` [theirs | (theirs, field) <- zip types fields', ofType field]
                 ]
                 (listE (zipWith one fields' fields))
             )
          |]
    )
    [[|direct|] | _ <- named]
  where
    types = constructorFields constructor
    fields' = fieldsOf options constructors constructor
    ofType (_, optional, Beside _ missing) = not optional && null missing
    -- A field with nothing of its own has that of its type.
    one (_, optional, Beside _ missing) (d, e) = case missing of
      Just value
        | optional -> [|Direct.optionalEntry $(varE d) (Just $value)|]
        | otherwise -> [|Direct.entry $(varE d) (Just $value)|]
      Nothing
        | optional -> [|Direct.optionalEntry $(varE d) absent|]
        | otherwise -> varE e

-- | The fields' names, whether they may be left away, and what is said beside them.
fieldsOf :: Options -> [ConstructorInfo] -> ConstructorInfo -> [(String, Bool, Beside)]
fieldsOf options constructors constructor = case bodyOf options constructor of
  Record [_] | isUnwrapped options constructors -> [nameless]
  Record fields ->
    [(field, optional, b) | ((field, optional), b) <- zip fields (besideOf options constructor)]
  Nullary -> []
  Unary -> [nameless]
  Array n -> replicate n nameless
  where
    nameless = ("", False, Beside [] Nothing)

-- | The constructor as data.
constructorE :: Built -> Options -> [ConstructorInfo] -> (ConstructorInfo, Name) -> Q Exp
constructorE built options constructors (constructor, entries)
  | isComposed options constructor =
      [|Parts.directCase False $(stringE tag) $(partsE options constructor)|]
  | otherwise = [|Direct.caseOf $(stringE tag) $body|]
  where
    tag = tagOf options constructor
    fields = fieldsOf options constructors constructor
    labels = [field | (field, _, _) <- fields]
    -- A name may have the NUL that is to stand between them.
    names
      | any (elem '\0') labels =
          [|Direct.fieldsCalled $(listE (map stringE labels)) $older|]
      | otherwise = [|Direct.fieldsNamed $(stringE (intercalate "\0" labels)) $older|]
    older = listE (map (listE . map stringE) others)
    others = case [names' | (_, _, Beside names' _) <- fields] of
      each
        | all null each -> []
        | otherwise -> each
    taken how = [|Direct.takingInto $(varE entries) $how|]
    body = case bodyOf options constructor of
      Nullary -> [|Direct.Nullary $(conE (constructorName constructor))|]
      Unary -> [|Direct.Unary $(taken (inPlace constructor))|]
      Array n -> [|Direct.Elements n $(taken (inPlace constructor))|]
      Record [_]
        | isUnwrapped options constructors -> [|Direct.Unary $(taken (inPlace constructor))|]
      Record _ ->
        [|
          Direct.Record
            (Direct.Rule $(flag (rejectUnknownFields options)))
            $names
            $(taken (built constructor))
          |]

-- | A record of one field that is written as that.
isUnwrapped :: Options -> [ConstructorInfo] -> Bool
isUnwrapped options constructors = case layoutOf options constructors of
  Bare _ -> unwrapUnaryRecords options
  Names -> False
  Tagged -> False

-- | Which constructor a value has, and its fields.
apartE :: Options -> [(ConstructorInfo, Name)] -> Q Exp
apartE options named = do
  value <- newName "value"
  lamE [varP value] (caseE (varE value) (zipWith (alternative value) [0 ..] named))
  where
    alternative value i (constructor, entries) = do
      xs <- mapM (const (newName "x")) (constructorFields constructor)
      match
        (conP (constructorName constructor) (map varP xs))
        (normalB [|Direct.Apart $(litE (integerL i)) $(putE value xs constructor entries)|])
        []
    putE value xs constructor entries
      | isComposed options constructor =
          [|Parts.directPut $(partsE options constructor) $(wholeE (varE value) xs)|]
      | null xs = [|Direct.puttingNothing|]
      | otherwise = [|Direct.puttingAll $(varE entries) $(listE [[|slot $(varE x)|] | x <- xs])|]
