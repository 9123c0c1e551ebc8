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
-- The code that is made strings together what "Tern.Json.Object",
-- "Tern.Json.Sum" and "Tern.Json.Container" export, as generic code does; in
-- codecs no type of a field is written, so that they need no extension where
-- they are used but @TemplateHaskell@ itself.
module Tern.Derive
  ( deriveWire,
    deriveWireFor,

    -- * Options
    Options (..),
    defaultOptions,
    SumEncoding (..),
    camelTo2,
  )
where

import Data.Char (isLower, isUpper, ord, toLower)
import Data.List (elemIndex, nub)
import Data.Map qualified as Map
import Data.Maybe (isJust)
import Data.Proxy (Proxy (..))
import Data.Typeable (Typeable)
import Language.Haskell.TH hiding (Body)
import Language.Haskell.TH.Datatype
import Numeric (showHex)
import Tern.Json.Container qualified as Container
import Tern.Json.Object qualified as Object
import Tern.Json.Sum qualified as Sum
import Tern.Shape qualified as Shape
import Tern.Wire (Has (..), Wire (..), shapedDraft, shapedField)
import Tern.Write qualified as Write

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
    tagSingleConstructors :: Bool
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
  deriving stock (Eq, Show)

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
      tagSingleConstructors = False
    }

-- | Words apart, in lower case, with a separator between them: a capital letter
-- begins a word behind a small one, and where a small one follows it.
--
-- >>> map (camelTo2 '_') ["fieldName", "parseHTTPHeader"]
-- ["field_name","parse_http_header"]
camelTo2 :: Char -> String -> String
camelTo2 separator name = map toLower (concat (zipWith3 spaced (Nothing : map Just name) name (map Just (drop 1 name) <> [Nothing])))
  where
    spaced before c after
      | isUpper c, maybe False isLower before || isJust before && maybe False isLower after = [separator, c]
      | otherwise = [c]

-- * Instances

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
    other -> fail ("deriveWireFor: expected a type constructor and its arguments, got " <> pprint other)
  info <- reifyDatatype name
  let parameters = datatypeInstTypes info
      substitution = Map.fromList [(v, argument) | (parameter, argument) <- zip parameters arguments, VarT v <- [unkinded parameter]]
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
    else fail (concat ["deriveWireFor: ", nameBase name, " has ", show (length parameters), " parameters, got ", show (length arguments), " arguments"])
  where
    spread arguments = \case
      AppT f x -> spread (x : arguments) f
      t -> (t, arguments)

instanceOf :: Options -> DatatypeInfo -> Q [Dec]
instanceOf options info = case datatypeCons info of
  [] -> fail ("deriveWire: the type " <> nameBase (datatypeName info) <> " has no constructors, so it has no values to write")
  constructors -> do
    writer <- writerOf options constructors
    reader <- readerOf options constructors
    described <- shapeE options constructors
    methods <- mapM (\(method, e) -> valD (varP method) (normalB (pure e)) []) [('jsonW, writer), ('jsonR, reader), ('shape, described)]
    pure [InstanceD Nothing (context info) (AppT (ConT ''Wire) (headOf info)) methods]

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

-- | 'Wire' for each variable that is a field's type or within one, and for each
-- field's type that begins with a variable; of other variables, their names.
context :: DatatypeInfo -> Cxt
context info =
  map (AppT (ConT ''Wire)) (nub (variables <> concatMap applied fields))
    <> [AppT (ConT ''Typeable) v | v <- map VarT (freeVariables (map headed (datatypeInstTypes info))), v `notElem` variables]
  where
    variables = [VarT v | SigT (VarT v) StarT <- datatypeInstTypes info, v `elem` freeVariables fields]
    fields = concatMap constructorFields (datatypeCons info)
    applied t = case t of
      AppT f x
        | VarT _ <- spine f -> [t]
        | otherwise -> applied f <> applied x
      _ -> []
    spine = \case
      AppT f _ -> spine f
      t -> t

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
    Record (zipWith (\n t -> (fieldLabelModifier options (nameBase n), omitNothingFields options && optional t)) names types)
  (_, [_]) -> Unary
  (_, types) -> Array (length types)
  where
    optional = \case
      AppT (ConT m) _ -> m == ''Maybe
      _ -> False

-- | How the type as a whole is laid out.
data Layout
  = Bare !ConstructorInfo
  | Names
  | Tagged

layoutOf :: Options -> [ConstructorInfo] -> Layout
layoutOf options constructors = case constructors of
  [constructor] | not (tagSingleConstructors options) -> Bare constructor
  _
    | allNullaryToStringTag options, all (null . constructorFields) constructors -> Names
    | otherwise -> Tagged

-- | A constructor's name in the document.
tagOf :: Options -> ConstructorInfo -> String
tagOf options = constructorTagModifier options . nameBase . constructorName

-- | A string as JSON has it.
quoted :: String -> String
quoted text = "\"" <> concatMap escaped text <> "\""
  where
    escaped c
      | c == '"' = "\\\""
      | c == '\\' = "\\\\"
      | c < ' ' = "\\u" <> drop 1 (showHex (0x10000 + ord c) "")
      | otherwise = [c]

-- * Shapes

shapeE :: Options -> [ConstructorInfo] -> Q Exp
shapeE options constructors = [|Shape.declare $outline $(listE (map drafted constructors))|]
  where
    layout = layoutOf options constructors
    outline = case layout of
      Bare _ -> [|Shape.One|]
      Names -> [|Shape.NamesAlone|]
      Tagged -> case sumEncoding options of
        TaggedObject tagKey contentsKey -> [|Shape.taggedAs $(stringE tagKey) $(stringE contentsKey)|]
        ObjectWithSingleField -> [|Shape.Several Shape.SingleField|]
        TwoElemArray -> [|Shape.Several Shape.TwoElements|]
    drafted constructor =
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
              all (notElem '\0') fields =
                [|shapedDraft $(stringE (tagOf options constructor)) $flag $(stringE (concatMap (<> "\0") fields)) $(stringE (map numberOf types)) $(listE [[|Has $(sigE [|Proxy|] [t|Proxy $(pure t)|])|] | t <- distinct])|]
            | otherwise =
                [|Shape.draft $(stringE (tagOf options constructor)) $flag $(conE (constructorName constructor)) $(foldr (\field rest -> [|shapedField $(stringE field) $rest|]) [|Shape.noFields|] fields)|]
       in described
    -- Types that any module can write: without variables, which it may not
    -- have in scope, and without kinds. Of others the constructor tells.
    written = \case
      ConT _ -> True
      ListT -> True
      TupleT _ -> True
      AppT f x -> written f && written x
      _ -> False

-- * Writing

writerOf :: Options -> [ConstructorInfo] -> Q Exp
writerOf options constructors = do
  value <- newName "value"
  [|Write.FillWriter $(lamE [varP value] [|Write.toFill $(caseE (varE value) (map alternative constructors))|])|]
  where
    layout = layoutOf options constructors
    alternative constructor = do
      xs <- mapM (const (newName "x")) (constructorFields constructor)
      match (conP (constructorName constructor) (map varP xs)) (normalB (contentsW constructor xs)) []
    contentsW constructor xs =
      let body = bodyOf options constructor
          tag = quoted (tagOf options constructor)
       in case layout of
            Bare _ -> case (body, xs) of
              (Record [_], [x]) | unwrapUnaryRecords options -> [|Write.write jsonW $(varE x)|]
              _ -> bodyW "" body xs ""
            Names -> literalE tag
            Tagged -> case sumEncoding options of
              TaggedObject tagKey contentsKey ->
                let opening = "{" <> quoted tagKey <> ":" <> tag
                 in case body of
                      Nullary -> literalE (opening <> "}")
                      Record fields -> membersW (opening <> ",") fields xs ""
                      _ -> bodyW (opening <> "," <> quoted contentsKey <> ":") body xs "}"
              ObjectWithSingleField -> bodyW ("{" <> tag <> ":") body xs "}"
              TwoElemArray -> bodyW ("[" <> tag <> ",") body xs "]"

-- | A body that stands by itself, between what comes before and behind it.
bodyW :: String -> Body -> [Name] -> String -> Q Exp
bodyW before body xs after = case body of
  Nullary -> literalE (before <> "[]" <> after)
  Unary -> joined ([literalE before | not (null before)] <> map valueW xs <> [literalE after | not (null after)])
  Array _ -> joined (concat (zipWith (\opening x -> [literalE opening, valueW x]) ((before <> "[") : repeat ",") xs) <> [literalE ("]" <> after)])
  Record fields -> membersW (before <> "{") fields xs after

-- | The members of an object that has been opened, and its end.
membersW :: String -> [(String, Bool)] -> [Name] -> String -> Q Exp
membersW opening fields xs after
  | any snd fields =
      -- Each member ends with a comma; the closing brace takes the last one's
      -- place.
      joined ([literalE opening] <> zipWith member fields xs <> [[|Object.closeMembers|]] <> [literalE after | not (null after)])
  | otherwise =
      joined (concat (zipWith3 (\before (name, _) x -> [literalE (before <> quoted name <> ":"), valueW x]) (opening : repeat ",") fields xs) <> [literalE ("}" <> after)])
  where
    member (name, optional) x
      | optional = [|Object.optionalMember $(stringE (quoted name <> ":")) jsonW $(varE x)|]
      | otherwise = joined [literalE (quoted name <> ":"), valueW x, literalE ","]

valueW :: Name -> Q Exp
valueW x = [|Write.write jsonW $(varE x)|]

literalE :: String -> Q Exp
literalE text = [|Write.literal $(stringE text)|]

joined :: [Q Exp] -> Q Exp
joined = foldr1' (\a b -> [|$a <> $b|])
  where
    foldr1' f = \case
      [] -> [|mempty|]
      [x] -> x
      x : rest -> f x (foldr1' f rest)

-- * Reading

readerOf :: Options -> [ConstructorInfo] -> Q Exp
readerOf options constructors = case layoutOf options constructors of
  Bare constructor -> case bodyOf options constructor of
    Record [_] | unwrapUnaryRecords options -> bodyR Unary constructor
    body -> bodyR body constructor
  Names -> do
    i <- newName "i"
    [|Sum.enumeration $known $(lamE [varP i] (dispatch i [conE (constructorName constructor) | constructor <- constructors]))|]
  Tagged -> do
    i <- newName "i"
    case sumEncoding options of
      TaggedObject tagKey contentsKey -> do
        found <- newName "found"
        [|
          Sum.taggedObject $(stringE tagKey) $(stringE contentsKey) $known $(lamE [varP found, varP i] (dispatch i (map (tagged contentsKey (varE found)) constructors)))
          |]
      ObjectWithSingleField -> [|Sum.singleField $known $(lamE [varP i] (dispatch i (map alone constructors)))|]
      TwoElemArray -> [|Sum.twoElements $known $(lamE [varP i] (dispatch i (map alone constructors)))|]
  where
    known = [|Sum.constructors $(listE (map (stringE . tagOf options) constructors))|]
    alone constructor = bodyR (bodyOf options constructor) constructor
    tagged contentsKey found constructor = case bodyOf options constructor of
      Nullary -> [|Sum.caseNullary $(conE (constructorName constructor)) $found|]
      Record fields -> recordR (\names n run slots -> [|Sum.caseRecord (Object.recordAt $names $n $run $slots) $found|]) "," (map fst fields) constructor
      body -> [|Sum.caseContents $(stringE ("," <> quoted contentsKey <> ":")) $(stringE contentsKey) $(bodyR body constructor) $found|]

-- | By a number that is one of the alternatives'.
dispatch :: Name -> [Q Exp] -> Q Exp
dispatch i alternatives = caseE (varE i) (zipWith alternative [0 ..] alternatives)
  where
    final = length alternatives - 1
    alternative k e
      | k == final = match wildP (normalB e) []
      | otherwise = match (litP (intPrimL (fromIntegral k))) (normalB e) []

bodyR :: Body -> ConstructorInfo -> Q Exp
bodyR body constructor = case body of
  Nullary -> [|$(conE name) <$ Container.unitR|]
  Unary -> [|$(conE name) <$> jsonR|]
  Array n ->
    let element acc = [|$acc <*> Container.next n jsonR|]
     in [|Container.bracket n ($(iterate element [|$(conE name) <$> jsonR|] !! (n - 1)) <* Container.done n)|]
  Record fields -> recordR (\names n run slots -> [|Object.record $names $n $run $slots|]) "{" (map fst fields) constructor
  where
    name = constructorName constructor

-- | A record from its table, the number of its fields, its hot path and how it
-- is built from slots. The readers are arguments of a lambda, which ties the
-- type of each to the field that it fills, without writing the type.
recordR :: (Q Exp -> Q Exp -> Q Exp -> Q Exp -> Q Exp) -> String -> [String] -> ConstructorInfo -> Q Exp
recordR use opening fields constructor = do
  readers <- mapM (const (newName "r")) fields
  let names = [|Object.table $(listE (zipWith (\field r -> [|Object.field $(stringE field) $(varE r) absent|]) fields readers))|]
      keys = zipWith (\before field -> before <> quoted field <> ":") (opening : repeat ",") fields
      run = foldr (\(key, r) rest -> [|Object.thenField $(stringE key) $(varE r) $rest|]) [|Object.endFields|] (zip keys readers)
      whole = use names [|$(litE (integerL (fromIntegral (length fields))))|] run (fromSlots readers)
  foldl appE (lamE (map varP readers) whole) (map (const [|jsonR|]) fields)
  where
    fromSlots readers = do
      slots <- newName "slots"
      s0 <- newName "s"
      lamE [varP slots, varP s0] (go slots s0 [] (zip [0 ..] readers))
    go slots s xs = \case
      [] -> unboxedTupE [varE s, foldl appE (conE (constructorName constructor)) (map varE (reverse xs))]
      (i, r) : rest -> do
        x <- newName "x"
        s' <- newName "s"
        caseE
          [|Object.getSlotOf $(varE r) $(varE slots) $(litE (intPrimL i)) $(varE s)|]
          [match (unboxedTupP [varP s', varP x]) (normalB (go slots s' (x : xs) rest)) []]
