{-# LANGUAGE TemplateHaskellQuotes #-}

-- | A record some of whose fields are flattened, ignored, computed or have codecs of their own, by
-- Template Haskell.
--
-- The idea: such a record is put together as a codec by hand is ("Tern.Internal.Codec.Parts"), of
-- the constructor's value and its fields as a tuple; each format's module asks here first.
-- What becomes of a field is so the same functions in all three ways to say it.
module Tern.Internal.Derive.Parts
  ( partsE,
    wholeE,
    namesOf,
  )
where

import Control.Monad (zipWithM)
import Data.List (zip5)
import Data.Maybe (fromMaybe)
import Language.Haskell.TH
import Language.Haskell.TH.Datatype
  ( ConstructorInfo (..),
    ConstructorVariant (..),
    DatatypeInfo (..),
    reifyDatatype,
    resolveTypeSynonyms,
  )
import Tern.Internal.Codec.Parts qualified as Parts
import Tern.Internal.Derive.Options
  ( Beside (..),
    Body (..),
    Options (..),
    besideOf,
    bodyOf,
  )
import Tern.Internal.Json.Name (quoted)
import Tern.Internal.Wire.Class (Wire (..))
import Tern.Internal.Wire.Container (maybeOf)

-- | The tuple of which its parts are those: the value, and its fields.
wholeE :: Q Exp -> [Name] -> Q Exp
wholeE value xs = tupE (value : map varE xs)

-- | The parts of such a constructor.
partsE :: Options -> ConstructorInfo -> Q Exp
partsE options constructor = do
  inner <- innerE options constructor
  if rejectUnknownFields options
    then [|$(pure inner) {Parts.partClosed = True}|]
    else pure inner

innerE :: Options -> ConstructorInfo -> Q Exp
innerE options constructor = do
  parts <- case (bodyOf options constructor, constructorVariant constructor) of
    (Record fields, RecordConstructor names) ->
      sequence
        [ fieldE options getter (nameBase name) label type_ beside
          | (i, name, label, type_, beside) <-
              numbered names fields (constructorFields constructor) (besideOf options constructor),
            let getter = fieldOf (i + 1)
        ]
    _ -> pure []
  computed <-
    zipWithM
      (\name function -> [|Parts.writtenPart $(keyE name) ($function . $(fieldOf 0)) codec|])
      (map fst (fieldsComputed options))
      (map snd (fieldsComputed options))
  let fields = case parts of
        [] -> [|pure $(conE (constructorName constructor))|]
        first : rest ->
          foldl
            (\acc part -> [|$acc <*> $(pure part)|])
            [|$(conE (constructorName constructor)) <$> $(pure first)|]
            rest
  foldl (\acc part -> [|(\made () -> made) <$> $acc <*> $(pure part)|]) fields computed
  where
    -- Of a tuple of the value and its fields.
    fieldOf :: Int -> Q Exp
    fieldOf i = do
      x <- newName "x"
      let n = length (constructorFields constructor)
      lamE [tupP [if j == i then varP x else wildP | j <- [0 .. n]]] (varE x)

numbered :: [a] -> [b] -> [c] -> [d] -> [(Int, a, b, c, d)]
numbered = zip5 [0 ..]

-- | One field, from what gives it of the tuple; its name in the program; its name in documents
-- and whether it may be left away; its type; and what is said beside it.
fieldE :: Options -> Q Exp -> String -> (String, Bool) -> Type -> Beside -> Q Exp
fieldE options getter name (label, optional) type_ (Beside others missing)
  | Just value <- lookup name (fieldsIgnored options) = [|pure $value|]
  | Just inner <- lookup name (fieldsFlattened options) = flattened inner
  | otherwise = named others (valued plainField)
  where
    key = keyE label
    its = fromMaybe [|codec|] (lookup name (fieldCodecs options))
    plainField = case missing of
      Just value -> [|Parts.part $key $getter (Just $value) $its|]
      Nothing
        | optional -> [|Parts.optionalPart $key $getter $its (maybeOf $its)|]
        | otherwise -> [|Parts.absentPart $key $getter $its|]
    valued part = case missing of
      Just value -> [|Parts.missingIs $its $value $part|]
      Nothing -> part
    named names part
      | null names = part
      | otherwise = [|Parts.alsoCalled $(listE (map stringE names)) $part|]
    flattened inner = do
      record <- recordOf name type_
      xs <- mapM (const (newName "x")) (constructorFields record)
      value <- newName "value"
      let opened =
            lamE
              [varP value]
              ( caseE
                  (varE value)
                  [ match
                      (conP (constructorName record) (map varP xs))
                      (normalB (wholeE (varE value) xs))
                      []
                  ]
              )
      [|Parts.within ($opened . $getter) $(innerE inner record)|]

-- | The one constructor of a type that is a record, of the field of a name.
recordOf :: String -> Type -> Q ConstructorInfo
recordOf name type_ = do
  resolved <- resolveTypeSynonyms type_
  case headOf resolved of
    Just type' -> do
      info <- reifyDatatype type'
      case datatypeCons info of
        [record] | RecordConstructor _ <- constructorVariant record -> do
          types <- mapM resolveTypeSynonyms (constructorFields record)
          pure record {constructorFields = types}
        _ -> notOne
    Nothing -> notOne
  where
    headOf = \case
      ConT type' -> Just type'
      AppT f _ -> headOf f
      SigT t _ -> headOf t
      ParensT t -> headOf t
      _ -> Nothing
    notOne = fail ("deriveWire: the flattened field " <> name <> " is no record of one constructor")

-- | All names that a document has or may have for such a constructor.
namesOf :: Options -> ConstructorInfo -> Q [String]
namesOf options constructor = case (bodyOf options constructor, constructorVariant constructor) of
  (Record fields, RecordConstructor names) -> do
    named <-
      sequence
        [ field (nameBase name) label type_ others
          | (_, name, (label, _), type_, Beside others _) <-
              numbered names fields (constructorFields constructor) (besideOf options constructor)
        ]
    pure (concat named <> map fst (fieldsComputed options))
  _ -> pure []
  where
    field name label type_ others
      | name `elem` map fst (fieldsIgnored options) = pure []
      | Just inner <- lookup name (fieldsFlattened options) = recordOf name type_ >>= namesOf inner
      | otherwise = pure (label : others)

-- | A name with all that stands around it in JSON.
keyE :: String -> Q Exp
keyE name =
  [|Parts.Key $(stringE name) $(stringE ("{" <> alone)) $(stringE ("," <> alone)) $(stringE alone)|]
  where
    alone = quoted name <> ":"
