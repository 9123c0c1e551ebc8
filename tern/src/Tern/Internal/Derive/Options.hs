{-# LANGUAGE TemplateHaskellQuotes #-}

-- | How a type's instance can be derived otherwise, and what follows from that
-- for a declaration in every format.
module Tern.Internal.Derive.Options
  ( -- * Options
    Options (..),
    SumEncoding (..),
    RecordLayout (..),
    defaultOptions,
    camelTo2,

    -- * Declarations
    Body (..),
    bodyOf,
    Beside (..),
    besideOf,
    Layout (..),
    layoutOf,
    tagOf,
    clashes,
    isComposed,
  )
where

import Data.Char (isLower, isUpper, toLower)
import Data.List (group, nub, sort, tails)
import Data.Maybe (isJust)
import Data.Text (Text)
import Language.Haskell.TH (Exp, Q, Type (..), nameBase)
import Language.Haskell.TH.Datatype (ConstructorInfo (..), ConstructorVariant (..))
import Tern.Internal.Wire.Format (WireFormat)

-- * Options

-- | How a type is written, under aeson's names.
data Options = Options
  { -- | A field's name in the document, from its name in the program.
    fieldLabelModifier :: String -> String,
    -- | A constructor's name in the document.
    constructorTagModifier :: String -> String,
    -- | Where all constructors are without fields: names alone, not objects.
    allNullaryToStringTag :: Bool,
    -- | Fields of type 'Maybe' that are 'Nothing' are left away.
    omitNothingFields :: Bool,
    -- | How several constructors are told apart.
    sumEncoding :: SumEncoding,
    -- | A constructor with one named field is written as that field's value.
    unwrapUnaryRecords :: Bool,
    -- | A type with one constructor is written as if it had several.
    tagSingleConstructors :: Bool,
    -- | A field in a document that the type does not have is an error, and not stepped
    -- over; in every format that has names.
    rejectUnknownFields :: Bool,
    -- | Other names that documents may have for a field, by its name in the program; schemas
    -- of the native format, too. (Not aeson's, nor is the next.)
    fieldAliases :: String -> [String],
    -- | The values of fields that are missing, by the fields' names in the program:
    -- @[("wings", [|2|])]@.
    fieldDefaults :: [(String, Q Exp)],
    -- | Codecs of fields that are not written as their types are, by the fields' names in the
    -- program: @[("ringed", [|dayMonthYear|])]@. Each is of the field's type; where
    -- 'omitNothingFields' may leave the field away, of what 'Just' holds.
    fieldCodecs :: [(String, Q Exp)],
    -- | Fields that are records of one constructor, by their names in the program: the fields of
    -- these stand beside the others, with options of their own.
    fieldsFlattened :: [(String, Options)],
    -- | Fields that no document has, by their names in the program, and their values when one
    -- is read.
    fieldsIgnored :: [(String, Q Exp)],
    -- | What is written beside the fields of a record and not read: its name in documents, and
    -- a function of the whole value. @[("area", [|area|])]@.
    fieldsComputed :: [(String, Q Exp)],
    -- | How a record is written as MessagePack. (Not aeson's.)
    messagePackRecords :: RecordLayout,
    -- | How a record is written as CBOR. (Not aeson's.)
    cborRecords :: RecordLayout,
    -- | Which formats the type has. Without all of them it is no instance of
    -- 'Tern.Wire.Wire', but has one of 'Tern.Wire.WireIn' for each; where another
    -- is asked for, that is an error of the compiler. (Not aeson's.)
    wireFormats :: [WireFormat]
  }

-- | How a value says which constructor it has.
data SumEncoding
  = -- | An object with the name under one key; a record's fields beside it,
    -- other fields under the other key.
    TaggedObject {tagFieldName :: String, contentsFieldName :: String}
  | -- | An object whose one key is the name.
    ObjectWithSingleField
  | -- | An array of the name and the fields.
    TwoElemArray
  | -- | The fields alone, or the name where there are none: the first constructor that a
    -- document can be is meant.
    UntaggedValue
  deriving stock (Eq, Show)

-- | How a record is written in a format that leaves it open.
data RecordLayout
  = -- | A map whose keys are the fields' names, as in JSON.
    StringKeys
  | -- | A map whose keys are integers, each made from the field's place, from 0
    -- on, and its name in the program. They must differ.
    IntegerKeys (Int -> String -> Int)
  | -- | An array of the fields in their order.
    Positions

-- | Names as they are, tagged objects, nothing left away: aeson's defaults.
defaultOptions :: Options
defaultOptions =
  Options
    { fieldLabelModifier = id,
      constructorTagModifier = id,
      allNullaryToStringTag = True,
      omitNothingFields = False,
      sumEncoding = TaggedObject "tag" "contents",
      unwrapUnaryRecords = False,
      tagSingleConstructors = False,
      rejectUnknownFields = False,
      fieldAliases = const [],
      fieldDefaults = [],
      fieldCodecs = [],
      fieldsFlattened = [],
      fieldsIgnored = [],
      fieldsComputed = [],
      messagePackRecords = StringKeys,
      cborRecords = StringKeys,
      wireFormats = [minBound .. maxBound]
    }

-- | Words apart, in lower case, with a separator between them: a capital letter
-- begins a word after a small one, and where a small one follows it.
--
-- >>> map (camelTo2 '_') ["fieldName", "parseHTTPHeader"]
-- ["field_name","parse_http_header"]
camelTo2 :: Char -> String -> String
camelTo2 separator name =
  map
    toLower
    ( concat
        ( zipWith3
            spaced
            (Nothing : map Just name)
            name
            (map Just (drop 1 name) <> [Nothing])
        )
    )
  where
    spaced before c after
      | isUpper c,
        maybe False isLower before || isJust before && maybe False isLower after =
          [separator, c]
      | otherwise = [c]

-- * Declarations

-- | What a constructor's fields are written as.
data Body
  = Nullary
  | Unary
  | Array !Int
  | Record [(String, Bool)]

-- | The body, and of a record its names in the document and which of its fields
-- may be left away.
bodyOf :: Options -> ConstructorInfo -> Body
bodyOf options constructor = case (constructorVariant constructor, constructorFields constructor) of
  (_, []) -> Nullary
  (RecordConstructor names, types) ->
    Record
      ( zipWith
          ( \n t ->
              (fieldLabelModifier options (nameBase n), omitNothingFields options && isMaybe t)
          )
          names
          types
      )
  (_, [_]) -> Unary
  (_, types) -> Array (length types)

isMaybe :: Type -> Bool
isMaybe = \case
  AppT (ConT m) _ -> m == ''Maybe
  _ -> False

-- | What is said of a named field beside its name: its other names, and its value where it is
-- missing.
data Beside = Beside [String] (Maybe (Q Exp))

-- | Of each of a record's fields.
besideOf :: Options -> ConstructorInfo -> [Beside]
besideOf options constructor = case constructorVariant constructor of
  RecordConstructor names ->
    [ Beside (fieldAliases options name) (lookup name (fieldDefaults options))
      | name <-
          map nameBase names
    ]
  NormalConstructor -> []
  InfixConstructor -> []

-- | How the type as a whole is laid out.
data Layout
  = Bare !ConstructorInfo
  | Names
  | Tagged

-- | One constructor is 'Bare', unless 'tagSingleConstructors' holds; others are 'Names' where none
-- has fields and 'allNullaryToStringTag' holds, else 'Tagged'.
layoutOf :: Options -> [ConstructorInfo] -> Layout
layoutOf options constructors = case constructors of
  [constructor] | not (tagSingleConstructors options) -> Bare constructor
  _
    | allNullaryToStringTag options, all (null . constructorFields) constructors -> Names
    | otherwise -> Tagged

-- | A constructor's name in the document.
tagOf :: Options -> ConstructorInfo -> String
tagOf options = constructorTagModifier options . nameBase . constructorName

-- | Names that a document could not tell apart, each in words after the type's name: two
-- constructors or two fields that are renamed alike, the tag that is called as the
-- contents or as a field beside it.
clashes :: Options -> [ConstructorInfo] -> [String]
clashes options constructors =
  [ concat [" has no field ", show name, ", of which '", option, "' says something"]
    | (option, names) <-
        [ ("fieldDefaults", map fst (fieldDefaults options)),
          ("fieldCodecs", map fst (fieldCodecs options)),
          ("fieldsFlattened", map fst (fieldsFlattened options)),
          ("fieldsIgnored", map fst (fieldsIgnored options))
        ],
      name <- names,
      name `notElem` concatMap fieldsNamed constructors
  ]
    <> nub
      [ concat [" has the field ", show name, ", of which two options say what becomes of it"]
        | -- A default and a codec may be said of one field.
          said <- [map fst (fieldDefaults options), map fst (fieldCodecs options)],
          name <-
            repeated
              (said <> map fst (fieldsFlattened options) <> map fst (fieldsIgnored options))
      ]
    <> [ " has options that are for records with all formats and names for keys: \
         \fieldCodecs, fieldsFlattened, fieldsIgnored, fieldsComputed"
         | any (isComposed options) constructors,
           length (nub (wireFormats options)) <= fromEnum (maxBound :: WireFormat)
             || not (isNamed (messagePackRecords options))
             || not (isNamed (cborRecords options))
       ]
    <> case layoutOf options constructors of
      Bare constructor -> fieldsOf [] constructor
      Names -> twice "constructors" "" (map (tagOf options) constructors)
      Tagged ->
        twice "constructors" "" (map (tagOf options) constructors) <> case sumEncoding options of
          TaggedObject tag contents ->
            [" has the tag and the contents under one name, " <> show tag | tag == contents]
              <> concatMap (fieldsOf [tag]) constructors
          ObjectWithSingleField -> concatMap (fieldsOf []) constructors
          TwoElemArray -> concatMap (fieldsOf []) constructors
          UntaggedValue -> concatMap (fieldsOf []) constructors <> hidden
  where
    hidden =
      [ concat
          [ " has a constructor ",
            called later,
            " that is never read: what it writes is read as ",
            called earlier
          ]
        | (earlier, laters) <- zip constructors (drop 1 (tails constructors)),
          later <- laters,
          hides options earlier later
      ]
    called = nameBase . constructorName
    fieldsOf tags constructor = case bodyOf options constructor of
      -- Those are looked at with the records that are flattened.
      _ | isComposed options constructor -> []
      Record [_] | unwrapUnaryRecords options -> []
      Record fields ->
        let names =
              map fst fields <> concat [others | Beside others _ <- besideOf options constructor]
            owner = " of " <> nameBase (constructorName constructor)
         in [ concat [" has a field", owner, " that is called as the tag, ", show name]
              | name <-
                  tags,
                name `elem` names
            ]
              <> twice "fields" owner names
      Nullary -> []
      Unary -> []
      Array _ -> []
    twice what owner names =
      [ concat [" has two ", what, owner, " that are called ", show name]
        | name <- repeated names
      ]
    repeated names = [name | name : _ : _ <- group (sort names)]

-- | Do the options say so of a field of this constructor, or beside its fields?
isComposed :: Options -> ConstructorInfo -> Bool
isComposed options constructor = case constructorVariant constructor of
  RecordConstructor _ ->
    not (null (fieldsComputed options)) || any (`elem` told) (fieldsNamed constructor)
  NormalConstructor -> False
  InfixConstructor -> False
  where
    told =
      concat
        [ map fst (fieldCodecs options),
          map fst (fieldsFlattened options),
          map fst (fieldsIgnored options)
        ]

-- | A constructor's fields by their names in the program, where they have names.
fieldsNamed :: ConstructorInfo -> [String]
fieldsNamed constructor = case constructorVariant constructor of
  RecordConstructor names -> map nameBase names
  NormalConstructor -> []
  InfixConstructor -> []

isNamed :: RecordLayout -> Bool
isNamed = \case
  StringKeys -> True
  IntegerKeys _ -> False
  Positions -> False

-- | Is all that one constructor writes without a tag read as another one, as far as their
-- fields' types say it?
hides :: Options -> ConstructorInfo -> ConstructorInfo -> Bool
hides options earlier later = case (bodyOf options earlier, bodyOf options later) of
  (Unary, Unary) -> types earlier == types later
  (Unary, Nullary) -> types earlier == [ConT ''Text]
  (Array _, Array _) -> types earlier == types later
  (Record expected, Record written)
    | any hasCodecs [earlier, later] -> False
    | otherwise ->
        and
          [ maybe (isMaybe type_) (== type_) (lookup name (zip (map fst written) (types later)))
            | ((name, _), type_) <- zip expected (types earlier)
          ]
          && (not (rejectUnknownFields options) || all (`elem` map fst expected) (map fst written))
  _ -> False
  where
    types = constructorFields
    -- Their types do not say what is written.
    hasCodecs = any (`elem` map fst (fieldCodecs options)) . fieldsNamed
