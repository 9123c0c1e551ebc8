{-# LANGUAGE DataKinds #-}
{-# LANGUAGE TemplateHaskellQuotes #-}

-- | Instances of 'Wire' by Template Haskell.
--
-- > data Shape = Circle {radius :: Double} | Square {side :: Double}
-- > deriveWire defaultOptions ''Shape
--
-- Without options it gives the same bytes as @deriving anyclass Wire@ and
-- compiles faster; with them it renames, lays sums out differently and leaves
-- absent fields away. The options have aeson's names and meaning.
--
-- Each format has a module that makes its code, @Tern.Derive.…@.
module Tern.Derive
  ( deriveWire,
    deriveWireFor,
    Options (..),
    SumEncoding (..),
    RecordLayout (..),
    WireFormat (..),
    defaultOptions,
    camelTo2,
  )
where

import Data.Data (Data, cast, gmapT)
import Data.List (group, nub, sort)
import Data.Map qualified as Map
import Data.Typeable (Typeable)
import Language.Haskell.TH
import Language.Haskell.TH.Datatype
import Tern.Internal.Derive.Binary qualified as Binary
import Tern.Internal.Derive.Code (Built, builtApart, builtOnce, inPlace)
import Tern.Internal.Derive.Direct (directE)
import Tern.Internal.Derive.Json qualified as Json
import Tern.Internal.Derive.Native qualified as Native
import Tern.Internal.Derive.Options
  ( Beside (..),
    Body (..),
    Layout (..),
    Options (..),
    RecordLayout (..),
    SumEncoding (..),
    besideOf,
    bodyOf,
    camelTo2,
    clashes,
    defaultOptions,
    isComposed,
    layoutOf,
  )
import Tern.Internal.Derive.Parts (namesOf)
import Tern.Internal.Derive.Shape (shapeE)
import Tern.Internal.Wire.Class
  ( Wire (..),
    WireIn (..),
    absent,
    absentIn,
    cborR,
    cborRIn,
    cborW,
    cborWIn,
    direct,
    directIn,
    jsonKey,
    jsonKeyIn,
    jsonR,
    jsonRIn,
    jsonW,
    jsonWIn,
    mpackR,
    mpackRIn,
    mpackW,
    mpackWIn,
    nativeR,
    nativeRIn,
    nativeW,
    nativeWIn,
  )
-- Whole: a field that stands in quotes alone is no use of its import for GHC 9.10.
import Tern.Internal.Wire.Codec
import Tern.Internal.Wire.Format (Of, WireFormat (..))
import Tern.Internal.Wire.Generic.Shape
  ( has,
    hasIn,
    shapedBeside,
    shapedBesideIn,
    shapedField,
    shapedFieldIn,
  )
import Tern.Shape qualified as Shape

-- | The instance of a data type or newtype, by its name. Parameters of the type
-- become constraints of the instance.
--
-- A field's type may be anything that has an instance where the instance is
-- used; a type without constructors is refused.
deriveWire :: Options -> Name -> Q [Dec]
deriveWire options name = reifyDatatype name >>= instanceOf options

-- | The instance of one type that a parametric declaration gives, as standalone
-- deriving has it.
--
-- > deriveWireFor options [t|Reading Celsius|]
deriveWireFor :: Options -> Q Type -> Q [Dec]
deriveWireFor options type_ = do
  (constructor, arguments) <- spread [] <$> type_
  name <- case constructor of
    ConT name -> pure name
    other ->
      fail ("deriveWireFor: expected a type constructor and its arguments, got " <> pprint other)
  info <- reifyDatatype name
  let parameters = datatypeInstTypes info
      substitution =
        Map.fromList
          [ (v, argument)
            | (parameter, argument) <-
                zip parameters arguments,
              VarT v <- [unkinded parameter]
          ]
      given parameter argument = case parameter of
        SigT _ kind -> SigT argument kind
        _ -> argument
  if length arguments == length parameters
    then
      instanceOf
        options
        info
          { datatypeInstTypes = zipWith given parameters arguments,
            datatypeCons = applySubstitution substitution (datatypeCons info)
          }
    else
      fail
        ( concat
            [ "deriveWireFor: ",
              nameBase name,
              " has ",
              show (length parameters),
              " parameters, got ",
              show (length arguments),
              " arguments"
            ]
        )
  where
    spread arguments = \case
      AppT f x -> spread (x : arguments) f
      t -> (t, arguments)

instanceOf :: Options -> DatatypeInfo -> Q [Dec]
instanceOf options info =
  traverse resolved (datatypeCons info) >>= \case
    [] -> refuse " has no constructors, so it has no values to write"
    constructors
      | clash : _ <- clashes options constructors -> refuse clash
      | any (isComposed options) constructors -> do
          composed <- concat <$> traverse repeated constructors
          case composed of
            [] -> pure <$> whole options info constructors
            clash : _ -> refuse clash
      | null (wireFormats options) -> refuse " has no format: its option 'wireFormats' is empty"
      | nub (sort (wireFormats options)) == [minBound .. maxBound] ->
          pure <$> whole options info constructors
      | otherwise -> some options info constructors
  where
    refuse why = fail (concat ["deriveWire: the type ", nameBase (datatypeName info), why])
    -- With flattened fields, which are known when their types are.
    repeated constructor = do
      names <- namesOf options constructor
      let tags = case (layoutOf options (datatypeCons info), sumEncoding options) of
            (Tagged, TaggedObject tag _) -> [tag]
            _ -> []
      pure
        ( [ concat [" has two fields of ", owner constructor, " that are called ", show name]
            | (name : _ : _) <-
                group (sort (tags <> names))
          ]
            <> [ concat [" has no field of ", owner constructor, " that a document could have"]
                 | isComposed options constructor,
                   null names
               ]
        )
    owner = nameBase . constructorName
    -- What a field may leave away is told by its type, which a synonym can stand for.
    resolved constructor =
      (\types -> constructor {constructorFields = types})
        <$> traverse resolveTypeSynonyms (constructorFields constructor)

-- | The instance of a type with every format.
whole :: Options -> DatatypeInfo -> [ConstructorInfo] -> Q Dec
whole options info constructors = do
  body <-
    keyedAs options constructors . builtOnce (filter (isRecord options) constructors) $ \built ->
      directE
        built
        options
        constructors
        [|
          plain
            $(shapeE options constructors)
            $(Json.writerOf options constructors)
            $(Json.readerOf built options constructors)
            $(Binary.writerOf Binary.messagePack options constructors)
            $(Binary.readerOf Binary.messagePack built options constructors)
            $(Binary.writerOf Binary.cbor options constructors)
            $(Binary.readerOf Binary.cbor built options constructors)
            $(Native.writerOf options constructors)
            $(Native.readerOf options constructors)
          |]
  pure
    ( InstanceD
        Nothing
        (context (ConT ''Wire) info)
        (AppT (ConT ''Wire) (headOf info))
        [ValD (VarP 'codec) (NormalB body) []]
    )

isRecord :: Options -> ConstructorInfo -> Bool
isRecord options constructor = case bodyOf options constructor of
  _ | isComposed options constructor -> False
  Record _ -> True
  Nullary -> False
  Unary -> False
  Array _ -> False

-- * Some formats

-- | The instances of a type with some formats, an instance a format, and what several of
-- these have in common: how records are built, and the shape.
some :: Options -> DatatypeInfo -> [ConstructorInfo] -> Q [Dec]
some options info constructors = case wireFormats options of
  first : _ : _ -> do
    (building, built) <- builtApart (headOf info) (filter (isRecord options) constructors)
    (describing, shape') <- shapedApart first
    (building <>) . (describing <>) <$> instances built shape'
  _ -> instances inPlace described
  where
    instances built shape' =
      concat <$> traverse (partial options info constructors built shape') [minBound .. maxBound]
    described = shapeE options constructors
    replaced constructor = or [True | Beside _ (Just _) <- besideOf options constructor]
    -- With parameters, each format's instance knows of its arguments' shapes in that
    -- format alone; and so it is with what stands for a missing field.
    shapedApart first
      | null (freeVariables (datatypeInstTypes info)),
        not (any replaced constructors) = do
          name <- newName "_shape"
          type_ <- [t|Shape.ShapeOf $(pure (headOf info))|]
          body <- askingFor first <$> described
          pure ([SigD name type_, ValD (VarP name) (NormalB body) []], varE name)
      | otherwise = pure ([], described)

-- | What a type with some formats has of one: its instance, or an error of the compiler
-- where somebody asks for it.
partial :: Options -> DatatypeInfo -> [ConstructorInfo] -> Built -> Q Exp -> WireFormat -> Q [Dec]
partial options info constructors built shape' format
  | format `elem` wireFormats options = do
      body <- askingFor format <$> part
      pure [instanceD' (context asked info) [ValD (VarP 'codecIn) (NormalB body) []]]
  | otherwise = do
      lacks <-
        [t|Of $(litT (strTyLit (nameBase (datatypeName info)))) $(pure named) $(pure listed)|]
      nothing <- [|trusted (inNone (Shape.ShapeOf Shape.Unit))|]
      pure [instanceD' (lacks : context asked info) [ValD (VarP 'codecIn) (NormalB nothing) []]]
  where
    named = PromotedT (promoted format)
    listed =
      foldr
        (AppT . AppT PromotedConsT . PromotedT . promoted)
        PromotedNilT
        (nub (sort (wireFormats options)))
    asked = AppT (ConT ''WireIn) named
    instanceD' given = InstanceD (Just Incoherent) given (AppT asked (headOf info))
    shaped = [|inNone $shape'|]
    part = case format of
      AsJson ->
        keyedAs options constructors . directE built options constructors $
          [|
            overJson
              $(Json.writerOf options constructors)
              $(Json.readerOf built options constructors)
              $shaped
            |]
      AsMessagePack ->
        [|
          trusted
            $shaped
              { mpackWriter =
                  $(Binary.writerOf Binary.messagePack options constructors),
                mpackReader = $(Binary.readerOf Binary.messagePack built options constructors)
              }
          |]
      AsCbor ->
        [|
          trusted
            $shaped
              { cborWriter =
                  $(Binary.writerOf Binary.cbor options constructors),
                cborReader = $(Binary.readerOf Binary.cbor built options constructors)
              }
          |]
      AsNative ->
        [|
          trusted
            $shaped
              { nativeWriter =
                  $(Native.writerOf options constructors),
                nativeReader = $(Native.readerOf options constructors)
              }
          |]

promoted :: WireFormat -> Name
promoted = \case
  AsJson -> 'AsJson
  AsMessagePack -> 'AsMessagePack
  AsCbor -> 'AsCbor
  AsNative -> 'AsNative

-- | The same code, which asks the types of fields for one format and not for every one.
askingFor :: WireFormat -> Exp -> Exp
askingFor format = everywhere
  where
    everywhere :: (Data d) => d -> d
    everywhere d = case cast d of
      Just (VarE name) | Just e <- lookup name (asking format), Just d' <- cast e -> d'
      _ -> gmapT everywhere d

asking :: WireFormat -> [(Name, Exp)]
asking format =
  [ ('jsonW, VarE 'jsonWIn),
    ('jsonR, VarE 'jsonRIn),
    ('jsonKey, VarE 'jsonKeyIn),
    ('direct, VarE 'directIn),
    ('mpackW, VarE 'mpackWIn),
    ('mpackR, VarE 'mpackRIn),
    ('cborW, VarE 'cborWIn),
    ('cborR, VarE 'cborRIn),
    ('nativeW, VarE 'nativeWIn),
    ('nativeR, VarE 'nativeRIn),
    ('absent, of' 'absentIn),
    ('has, of' 'hasIn),
    ('shapedField, of' 'shapedFieldIn),
    ('shapedBeside, of' 'shapedBesideIn)
  ]
  where
    of' name = AppTypeE (VarE name) (PromotedT (promoted format))

-- | A constructor around one value that has no name in documents: the keys of objects are
-- that value's.
keyedAs :: Options -> [ConstructorInfo] -> Q Exp -> Q Exp
keyedAs options constructors body = case layoutOf options constructors of
  Bare constructor | unnamed constructor -> do
    x <- newName "x"
    let c = constructorName constructor
    [|keyInside $(lamE [conP c [varP x]] (varE x)) $(conE c) jsonKey $body|]
  _ -> body
  where
    unnamed constructor = case bodyOf options constructor of
      _ | isComposed options constructor -> False
      Unary -> True
      Record [_] -> unwrapUnaryRecords options
      Record _ -> False
      Array _ -> False
      Nullary -> False

-- | The type.
headOf :: DatatypeInfo -> Type
headOf info = foldl AppT (ConT (datatypeName info)) (map headed (datatypeInstTypes info))

-- | An argument of it: a variable of any kind with its kind, whose own variables
-- have names then; anything else without.
headed :: Type -> Type
headed t = case t of
  SigT (VarT _) kind | not (null (freeVariables kind)) -> t
  _ -> unkinded t

unkinded :: Type -> Type
unkinded = \case
  SigT t _ -> t
  t -> t

-- | A class for each variable that is a field's type or within one, and for each
-- field's type that begins with a variable; of other variables, their names.
context :: Type -> DatatypeInfo -> Cxt
context asked info =
  map (AppT asked) (nub (variables <> concatMap applied fields))
    <> [ AppT (ConT ''Typeable) v
         | v <-
             map VarT (freeVariables (map headed (datatypeInstTypes info))),
           v `notElem` variables
       ]
  where
    variables =
      [VarT v | SigT (VarT v) StarT <- datatypeInstTypes info, v `elem` freeVariables fields]
    fields = concatMap constructorFields (datatypeCons info)
    applied t = case t of
      AppT f x
        | VarT _ <- spine f -> [t]
        | otherwise -> applied f <> applied x
      _ -> []
    spine = \case
      AppT f _ -> spine f
      t -> t
