{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE PatternSynonyms #-}

-- | What the values of a type look like on the wire, as data.
--
-- The idea: a shape is a lazy tree in which a declared type stands as its name
-- and, after it, what the declaration says. A recursive type's tree has no
-- end; whoever walks it keeps the names and so comes to an end
-- ('definitions').
--
-- Start at 'Shape', then 'renderShape'. "Tern.Schema" makes JSON Schema of it.
module Tern.Shape
  ( -- * Shapes
    Shape (..),
    Width (..),
    widthInBytes,
    Notation (..),
    Said (..),
    Reference (..),
    Definition (..),
    Layout (..),
    Constructor (..),
    Others (..),
    anyOthers,
    Body (..),
    Field (..),

    -- * The shape of a type
    ShapeOf (ShapeOf, theShape, theFingerprint),
    describe,
    describeElements,
    said,
    saidOf,
    otherNames,
    opaque,
    like,
    bounded,
    referenceOf,

    -- * Declarations
    Outline (..),
    taggedAs,
    declare,
    Fields,
    Draft,
    noFields,
    addField,
    draft,
    draftOf,
    recordDraft,
    closed,

    -- * Walking
    keyNotation,
    distinct,
    distinctWithOthers,
    declaredIn,
    definitions,
    tooDeep,
    labels,

    -- * Rendering
    renderShape,
    fingerprint,
  )
where

import Data.Bits (xor)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.List qualified as List
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (isJust)
import Data.Proxy (Proxy (..))
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Typeable (TypeRep, Typeable, splitTyConApp, tyConModule, tyConName, typeRep)
import Data.Word (Word64)

-- * Shapes

-- | How values of a type are written.
data Shape
  = Boolean
  | -- | Integers from a least to a greatest; 'Nothing' is no bound.
    Integer !(Maybe Integer) !(Maybe Integer)
  | -- | Integers from a least to a greatest, all of which have as many bytes in the native
    -- format.
    IntegerIn !Width !Integer !Integer
  | -- | Binary floating-point numbers, by how many bits they have: 32 or 64.
    Floating !Int
  | Text
  | -- | Text of one character.
    Character
  | -- | Nothing to say, as @()@.
    Unit
  | -- | Any document.
    Anything
  | -- | Any bytes.
    Binary
  | -- | Exactly @n@ bytes.
    BinaryOf !Int
  | -- | Values that JSON has as texts or numbers of a format, by its name, and the native
    -- format as values of a shape: @date-time@, @uuid@.
    Formatted !Notation !Text Shape
  | -- | Something whose codec was written by hand, by its name.
    Opaque !Text
  | -- | Elements: the least number of them, and their shape.
    List !Int Shape
  | -- | Different ones of a shape, in ascending order in the native format.
    SetOf Shape
  | -- | The shape or null.
    Optional Shape
  | -- | From keys to values.
    Mapping Shape Shape
  | Tuple [Shape]
  | -- | A declared type, and what its declaration says.
    Declared !Reference Definition
  | -- | A shape, and what is said of its values. It is the same shape: nothing that is said
    -- is in a fingerprint or in a container's schema.
    Described !Said Shape

-- | By 'renderShape'.
instance Eq Shape where
  a == b = renderShape a == renderShape b

-- | By 'renderShape'.
instance Show Shape where
  showsPrec d = showsPrec d . T.unpack . renderShape

-- | What is said of values beside their shape.
data Said
  = -- | What people are told.
    InWords !Text
  | -- | Of a record's field: other names that documents may have for it.
    OtherNames ![Text]
  | -- | Of a record's field: the value of one that is missing, in the native format and in
    -- JSON.
    MissingIs ByteString ByteString
  | -- | Values, as JSON.
    Examples [ByteString]

-- | How many bytes an integer of a fixed size has in the native format.
data Width
  = FourBytes
  | EightBytes
  deriving stock (Bounded, Enum, Eq, Ord, Show)

-- | The number of them.
widthInBytes :: Width -> Int
widthInBytes = \case
  FourBytes -> 4
  EightBytes -> 8

-- | What JSON has for a value of a format.
data Notation
  = InText
  | InNumber
  deriving stock (Bounded, Enum, Eq, Ord, Show)

-- | A type's name, the module that declares it, and what it is applied to.
data Reference = Reference {typeModule :: !Text, typeName :: !Text, typeArguments :: [Reference]}
  deriving stock (Eq, Ord, Show)

-- | What a declaration says.
data Definition
  = -- | One constructor, which is not named.
    Bare !Others Body
  | -- | The constructors' names alone.
    Names [Text]
  | -- | One of several constructors.
    Sum !Layout [Constructor]

-- | How a value says which constructor it has.
data Layout
  = -- | An object with the name in one field and the contents in another, or in
    -- place of it the constructor's own fields.
    Tagged !Text !Text
  | -- | An object with one field, which has the constructor's name.
    SingleField
  | -- | An array of the name and the contents.
    TwoElements
  | -- | The contents alone, or the name of a constructor without any: the first one that a
    -- document can be is meant.
    Untagged
  deriving stock (Eq, Show)

-- | One constructor of a sum: its name in documents, what becomes of unknown members, and what it
-- has.
data Constructor = Constructor
  { constructorName :: !Text,
    constructorOthers :: !Others,
    constructorBody :: Body
  }

-- | What an object may have beside the fields of a constructor. As what is said of values, it
-- is in no fingerprint and in no container's schema.
data Others = Others
  { -- | Are they refused? They are stepped over elsewhere.
    othersRefused :: !Bool,
    -- | Those that are written and not read: they are never refused.
    othersComputed :: [Text]
  }

-- | Any others, which are stepped over.
anyOthers :: Others
anyOthers = Others False []

-- | What a constructor holds.
data Body
  = Nullary
  | -- | One value without a name.
    Value Shape
  | -- | Several without names.
    Array [Shape]
  | -- | Those with names.
    Record [Field]

-- | A named field; may it be left away?
data Field = Field {fieldName :: !Text, fieldOptional :: !Bool, fieldShape :: Shape}

-- * The shape of a type

-- | A shape that belongs to a type, and its 'fingerprint', which is made when it is first
-- asked for and then kept.
data ShapeOf a = Shaped {theShape :: Shape, theFingerprint :: Word64}

-- | A shape as that of a type.
pattern ShapeOf :: Shape -> ShapeOf a
pattern ShapeOf s <- Shaped s _
  where
    ShapeOf s = Shaped s (fingerprint s)

{-# COMPLETE ShapeOf #-}

-- | With something else that is said of the values.
said :: Said -> Shape -> Shape
said = Described
{-# NOINLINE said #-}

-- | All that is said of a shape's values, the outermost first.
saidOf :: Shape -> [Said]
saidOf = \case
  Described one s -> one : saidOf s
  _ -> []

-- | The other names that documents may have for a field of this shape.
otherNames :: Shape -> [Text]
otherNames s = concat [names | OtherNames names <- saidOf s]

-- | For a codec by hand that says no more than a name.
--
-- > instance Wire Celsius where
-- >   shape = opaque "Celsius"
opaque :: Text -> ShapeOf a
opaque name = ShapeOf (Opaque name)

-- | With what people are told of the values.
describe :: Text -> ShapeOf a -> ShapeOf a
describe text (ShapeOf s) = ShapeOf (Described (InWords text) s)
{-# NOINLINE describe #-}

-- | With what people are told of each element of a list.
describeElements :: Text -> ShapeOf a -> ShapeOf a
describeElements text (ShapeOf s) = ShapeOf $ case s of
  List least element -> List least (Described (InWords text) element)
  other -> other
{-# NOINLINE describeElements #-}

-- | For a codec by hand that writes what another type's does.
--
-- > shape = like (shape @Double)
like :: ShapeOf a -> ShapeOf b
like (Shaped s kept) = Shaped s kept

-- | The integers of a type.
bounded :: forall a. (Bounded a, Integral a) => ShapeOf a
bounded = ShapeOf (Integer (Just (toInteger (minBound :: a))) (Just (toInteger (maxBound :: a))))

-- * Declarations

-- The pieces that derived code strings together. None is inlined: a shape is
-- off the hot path, and its code should be small and quick to compile.

-- | How a type as a whole is laid out.
data Outline
  = One
  | NamesAlone
  | Several !Layout

-- | 'Tagged', from literals.
taggedAs :: String -> String -> Outline
taggedAs tag contents = Several (Tagged (T.pack tag) (T.pack contents))
{-# NOINLINE taggedAs #-}

-- | A declared type of some constructors; its name is the type's own.
declare :: forall a. (Typeable a) => Outline -> [Draft a] -> ShapeOf a
declare outline drafts =
  ShapeOf . Declared (reference (typeRep (Proxy :: Proxy a))) $ case (outline, drafts) of
    (One, [Draft (Constructor _ others body)]) -> Bare others body
    (Several layout, _) -> Sum layout [c | Draft c <- drafts]
    _ -> Names [name | Draft (Constructor name _ _) <- drafts]
{-# NOINLINE declare #-}

-- | What a type is called in shapes.
referenceOf :: forall a. (Typeable a) => Reference
referenceOf = reference (typeRep (Proxy :: Proxy a))

-- | Some names of the language's own types differ between compilers.
reference :: TypeRep -> Reference
reference t = Reference (T.pack (tyConModule con)) (usual (tyConName con)) (map reference arguments)
  where
    (con, arguments) = splitTyConApp t
    usual = \case
      "[]" -> "List"
      "()" -> "Unit"
      '(' : commas
        | all (== ',') (takeWhile (/= ')') commas) ->
            T.pack ("Tuple" <> show (length commas))
      name -> T.pack name

-- | The fields of a constructor that, as a function, has the type @c@ and gives
-- an @r@.
newtype Fields c r = Fields [(String, Bool, Shape)]

-- | A constructor that has been described, of a type.
newtype Draft r = Draft Constructor

-- | A constructor without fields, or the end of a row of them.
noFields :: Fields r r
noFields = Fields []

-- | A field: its name, or nothing; its value where it is absent, and its shape.
addField :: String -> Maybe a -> ShapeOf a -> Fields c r -> Fields (a -> c) r
addField name absent (ShapeOf s) (Fields rest) = Fields ((name, isJust absent, s) : rest)
{-# NOINLINE addField #-}

-- | A constructor: its name, whether its fields' names are in the document, and
-- they. The constructor itself only says which types its fields have.
draft :: String -> Bool -> c -> Fields c r -> Draft r
draft name named _ (Fields fields) = draftOf name named fields
{-# OPAQUE draft #-}

-- | The same of fields in a list: a name, whether it may be absent, and its shape.
draftOf :: String -> Bool -> [(String, Bool, Shape)] -> Draft r
draftOf name named fields = Draft . Constructor (T.pack name) anyOthers $ case fields of
  [] -> Nullary
  _ | named -> Record [Field (T.pack label) optional s | (label, optional, s) <- fields]
  [(_, _, s)] -> Value s
  _ -> Array [s | (_, _, s) <- fields]

-- | A constructor of named fields: whether other members are refused, which members are
-- computed beside them, its name, and they.
recordDraft :: Bool -> [String] -> String -> [(String, Bool, Shape)] -> Draft r
recordDraft refused computed name fields = case draftOf name True fields of
  Draft c -> Draft c {constructorOthers = Others refused (map T.pack computed)}
{-# NOINLINE recordDraft #-}

-- | With other members refused.
closed :: Draft r -> Draft r
closed (Draft c) = Draft c {constructorOthers = (constructorOthers c) {othersRefused = True}}
{-# NOINLINE closed #-}

-- * Walking

-- | What JSON has for values that can be the keys of an object: texts, numbers and truth
-- values, names, and what is one field around one of them.
keyNotation :: Shape -> Maybe Notation
keyNotation = within' (16 :: Int)
  where
    within' n = \case
      _ | n == 0 -> Nothing
      Text -> Just InText
      Character -> Just InText
      Binary -> Just InText
      BinaryOf _ -> Just InText
      Formatted notation _ _ -> Just notation
      Integer _ _ -> Just InNumber
      IntegerIn {} -> Just InNumber
      Floating _ -> Just InNumber
      Boolean -> Just InNumber
      Described _ s -> within' n s
      Declared _ (Names _) -> Just InText
      Declared _ (Bare _ (Value s)) -> within' (n - 1) s
      Declared _ (Bare _ Nullary) -> Nothing
      Declared _ (Bare _ (Array _)) -> Nothing
      Declared _ (Bare _ (Record _)) -> Nothing
      Declared _ (Sum _ _) -> Nothing
      Unit -> Nothing
      Anything -> Nothing
      Opaque _ -> Nothing
      List _ _ -> Nothing
      SetOf _ -> Nothing
      Optional _ -> Nothing
      Mapping _ _ -> Nothing
      Tuple _ -> Nothing

-- | The same shape, in which a reference stands for one definition. A type may be written in
-- several ways within one document: by its instance and by a codec by hand, or by two lists of
-- options. All but the first that is met get another module, and so another label.
--
-- >>> let thing = Declared (Reference "Zoo" "Thing" []) . Bare anyOthers . Value
-- >>> renderShape (Tuple [thing Text, thing Unit])
-- "(Thing, Thing#2)\nThing = text\nThing#2 = unit"
--
-- Whoever writes 'definitions' down asks for those of this shape. Linear in the size of all
-- definitions, each of which counts as often as it is referred to.
distinct :: Shape -> Shape
distinct = distinctBy (definitionBy aside)

-- | The same where definitions also differ by what an object may have beside the fields.
distinctWithOthers :: Shape -> Shape
distinctWithOthers = distinctBy $ \definition ->
  T.concat (definitionBy aside definition : map beside (othersOf definition))
  where
    beside (Others refused names) = T.pack (show (refused, names))

-- | A reference in words that are only compared.
aside :: Reference -> Text
aside = T.pack . show

-- | Given what a definition is compared by.
distinctBy :: (Definition -> Text) -> Shape -> Shape
distinctBy inWords root
  | all (null . drop 1) known = root
  | otherwise = named root
  where
    known = List.foldl' meet Map.empty (outermost root)
    meet found (name, definition)
      -- A schema that was read has no modules, and one definition for each name: a stranger's
      -- schema, which may speak of a long one very often, is not looked through.
      | T.null (typeModule name) || tooDeep name || text `elem` before = found
      | otherwise =
          List.foldl'
            meet
            (Map.insert name (before <> [text]) found)
            (within definition >>= outermost)
      where
        text = inWords definition
        before = Map.findWithDefault [] name found
    named = overDeclared $ \name definition ->
      Declared (sibling name (inWords definition)) (overDefinition named definition)
    sibling name@(Reference module_ own arguments) text =
      case List.elemIndex text (Map.findWithDefault [] name known) of
        Just n | n > 0 -> Reference (T.concat [module_, "#", T.pack (show (n + 1))]) own arguments
        _ -> name

-- | The module that declares a type, also of a reference that 'distinct' has changed.
declaredIn :: Reference -> Text
declaredIn = T.takeWhile (/= '#') . typeModule

-- | Every declared type in a shape, each once, in the order in which they are
-- met. A type whose arguments grow without end is followed down to eight
-- levels of arguments.
definitions :: Shape -> [(Reference, Definition)]
definitions = reverse . snd . List.foldl' meet (Set.empty, []) . outermost
  where
    meet found@(names, earlier) (name, definition)
      | Set.member name names || tooDeep name = found
      | otherwise =
          List.foldl'
            meet
            (Set.insert name names, (name, definition) : earlier)
            (within definition >>= outermost)

-- | The declared types in a shape, without those in their definitions.
outermost :: Shape -> [(Reference, Definition)]
outermost = \case
  List _ s -> outermost s
  SetOf s -> outermost s
  Optional s -> outermost s
  Formatted _ _ s -> outermost s
  Mapping k v -> outermost k <> outermost v
  Tuple ss -> concatMap outermost ss
  Described _ s -> outermost s
  Declared name definition -> [(name, definition)]
  Boolean -> []
  Integer _ _ -> []
  IntegerIn {} -> []
  Floating _ -> []
  Text -> []
  Character -> []
  Binary -> []
  BinaryOf _ -> []
  Unit -> []
  Anything -> []
  Opaque _ -> []

-- | Something in place of each of them.
overDeclared :: (Reference -> Definition -> Shape) -> Shape -> Shape
overDeclared f = go
  where
    go shape = case shape of
      List n s -> List n (go s)
      SetOf s -> SetOf (go s)
      Optional s -> Optional (go s)
      Formatted notation name s -> Formatted notation name (go s)
      Mapping k v -> Mapping (go k) (go v)
      Tuple ss -> Tuple (map go ss)
      Described what s -> Described what (go s)
      Declared name definition -> f name definition
      Boolean -> shape
      Integer _ _ -> shape
      IntegerIn {} -> shape
      Floating _ -> shape
      Text -> shape
      Character -> shape
      Binary -> shape
      BinaryOf _ -> shape
      Unit -> shape
      Anything -> shape
      Opaque _ -> shape

-- | Something in place of each shape that a definition holds.
overDefinition :: (Shape -> Shape) -> Definition -> Definition
overDefinition f = \case
  Bare others b -> Bare others (body b)
  Names names -> Names names
  Sum layout constructors ->
    Sum layout [Constructor c others (body b) | Constructor c others b <- constructors]
  where
    body = \case
      Nullary -> Nullary
      Value s -> Value (f s)
      Array ss -> Array (map f ss)
      Record fields -> Record [Field name optional (f s) | Field name optional s <- fields]

-- | The shapes that a definition holds.
within :: Definition -> [Shape]
within = \case
  Bare _ b -> body b
  Names _ -> []
  Sum _ constructors -> concatMap (body . constructorBody) constructors
  where
    body = \case
      Nullary -> []
      Value s -> [s]
      Array ss -> ss
      Record fields -> map fieldShape fields

-- | What objects may have beside the fields, of each constructor that has some.
othersOf :: Definition -> [Others]
othersOf = \case
  Bare others _ -> [others]
  Names _ -> []
  Sum _ constructors -> map constructorOthers constructors

-- | Do the arguments go deeper than types are followed?
tooDeep :: Reference -> Bool
tooDeep = go (8 :: Int)
  where
    go n (Reference _ _ arguments) = n == 0 || any (go (n - 1)) arguments

-- | A name for each declared type of a shape, different from the others': its
-- own and its arguments', and a number where two modules have the same.
labels :: Shape -> Map Reference Text
labels shape = fst (List.foldl' add (Map.empty, Map.empty) (map fst (definitions shape)))
  where
    add (names, counts) name =
      let base = plain name
          n = Map.findWithDefault (0 :: Int) base counts + 1
       in ( Map.insert
              name
              ( if n == 1
                  then base
                  else T.concat [base, "#", T.pack (show n)]
              )
              names,
            Map.insert base n counts
          )

plain :: Reference -> Text
plain (Reference _ name arguments) = T.unwords (name : map argument arguments)
  where
    argument r = if null (typeArguments r) then plain r else T.concat ["(", plain r, ")"]

-- * Rendering

-- | The shape in words: an expression, and a line for each declared type in it.
-- It is canonical: equal shapes give equal texts. Modules are not in it.
--
-- >>> renderShape (Tuple [List 0 Text, Optional (Integer (Just 0) (Just 255))])
-- "([text], (integer 0..255)?)"
-- >>> renderShape (List 0 (IntegerIn FourBytes 0 4294967295))
-- "[integer 0..4294967295 in 4 bytes]"
renderShape :: Shape -> Text
renderShape given = T.intercalate "\n" (expressionBy label root : map line (definitions root))
  where
    root = distinct given
    names = labels root
    label name = Map.findWithDefault (T.unwords ["opaque", quoted (typeName name)]) name names
    line (name, d) = T.concat [label name, " = ", definitionBy label d]

-- | What a declaration says in words, given what types are called.
definitionBy :: (Reference -> Text) -> Definition -> Text
definitionBy label = \case
  Bare _ b -> body b
  Names ns -> T.intercalate " | " (map quoted ns)
  Sum layout constructors ->
    T.concat
      ( layoutText layout
          : [ "\n  | " <> T.unwords (quoted c : [body b | holds b])
              | Constructor c _ b <-
                  constructors
            ]
      )
  where
    holds = \case
      Nullary -> False
      _ -> True
    layoutText = \case
      Tagged tag contents -> T.unwords ["tagged", quoted tag, quoted contents]
      SingleField -> "single field"
      TwoElements -> "two elements"
      Untagged -> "untagged"
    body = \case
      Nullary -> "()"
      Value s -> expressionBy label s
      Array ss -> tupleBy label ss
      Record fields -> T.concat ["{", T.intercalate ", " (map field fields), "}"]
    field (Field name optional s) =
      T.concat [quoted name, if optional then "?: " else ": ", expressionBy label s]

tupleBy :: (Reference -> Text) -> [Shape] -> Text
tupleBy label ss = T.concat ["(", T.intercalate ", " (map (expressionBy label) ss), ")"]

-- | A shape in words, given what types are called.
expressionBy :: (Reference -> Text) -> Shape -> Text
expressionBy label = expression
  where
    expression = \case
      Boolean -> "boolean"
      Integer Nothing Nothing -> "integer"
      Integer least most -> T.concat ["integer ", bound least, "..", bound most]
      IntegerIn width least most ->
        T.concat
          [ "integer ",
            T.pack (show least),
            "..",
            T.pack (show most),
            " in ",
            T.pack (show (widthInBytes width)),
            " bytes"
          ]
      Floating bits -> "float " <> T.pack (show bits)
      Text -> "text"
      Character -> "character"
      Unit -> "unit"
      Anything -> "anything"
      Binary -> "bytes"
      BinaryOf n -> "bytes " <> T.pack (show n)
      Formatted notation name s ->
        T.unwords
          [ case notation of
              InText ->
                "text"
              InNumber -> "number",
            quoted name,
            "as",
            atom s
          ]
      Opaque name -> "opaque " <> quoted name
      List 0 s -> T.concat ["[", expression s, "]"]
      List n s -> T.concat ["[", expression s, "; ", T.pack (show n), " or more]"]
      SetOf s -> T.unwords ["set", atom s]
      Optional s -> atom s <> "?"
      Mapping k v -> T.unwords ["map", atom k, atom v]
      Tuple ss -> tupleBy label ss
      Declared name _ -> label name
      Described _ s -> expression s
    atom s =
      let text = expression s
       in if T.any (== ' ') text && T.all (`notElem` ("([{" :: String)) (T.take 1 text)
            then T.concat ["(", text, ")"]
            else text
    bound = maybe T.empty (T.pack . show)

quoted :: Text -> Text
quoted = T.pack . show . T.unpack

-- | 64 bits of FNV-1a over the UTF-8 of 'renderShape': the same for the same
-- shape on every machine and compiler.
--
-- >>> fingerprint Text == fingerprint Character
-- False
fingerprint :: Shape -> Word64
fingerprint =
  B.foldl' (\h b -> (h `xor` fromIntegral b) * 0x100000001b3) 0xcbf29ce484222325
    . T.encodeUtf8
    . renderShape
