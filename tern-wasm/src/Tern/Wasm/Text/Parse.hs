{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE PatternSynonyms #-}

-- | The text format: from source text to a binary module.
--
-- The idea: names are collected in a first pass over the fields; a second turns
-- each field into the bytes of its section. What was written is then decoded
-- and validated like any other module, so the text format can do nothing that
-- the binary format cannot. Instructions are in "Tern.Wasm.Text.Body".
--
-- Start at 'assemble'.
module Tern.Wasm.Text.Parse
  ( assemble,
    assembleFields,
    TextError (..),
    renderTextError,
  )
where

import Control.Monad (foldM, when, zipWithM)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (Builder)
import Data.ByteString.Builder qualified as BB
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.Foldable (toList)
import Data.Function (on)
import Data.IntMap.Strict qualified as IntMap
import Data.List (groupBy)
import Data.Map.Strict qualified as Map
import Data.Maybe (isJust, isNothing)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (decodeUtf8')
import Tern.Wasm.Syntax (AddressType (..), RefType (..), pattern FuncRef)
import Tern.Wasm.Text.Body (expression, function)
import Tern.Wasm.Text.Bytes (leb, sizedBytes, unsignedLeb)
import Tern.Wasm.Text.Custom (Place (..), customsOf, isCustom, sectionNames)
import Tern.Wasm.Text.Number (unsigned64)
import Tern.Wasm.Text.Scope
  ( Names (..),
    P,
    Space (..),
    addGroup,
    allGroups,
    end,
    evaluate,
    expected,
    index,
    isIndex,
    isName,
    noNames,
    optionalName,
    refuse,
    startsIndex,
  )
import Tern.Wasm.Text.Tree (TextError (..), Tree (..), readTrees, treeOffset)
import Tern.Wasm.Text.Types
  ( fieldNames,
    groupBytes,
    refType,
    refTypeBytes,
    subType,
    typeUse,
    valType,
    valTypeBytes,
  )

-- | The error in one line, with its line and column (both from 1, in bytes).
renderTextError :: ByteString -> TextError -> Text
renderTextError source (TextError o wanted) =
  T.concat
    [ "line ",
      shown (1 + BC.count '\n' before),
      ", column ",
      shown (1 + B.length (BC.takeWhileEnd (/= '\n') before)),
      ": expected ",
      wanted
    ]
  where
    before = B.take o source
    shown = T.pack . show

-- | The binary module that a source text means.
assemble :: ByteString -> Either TextError ByteString
assemble source = do
  trees <- readTrees source
  let fields = case trees of
        [List _ (Atom _ "module" : rest)] -> case rest of
          Atom _ name : inner | isName name -> inner
          _ -> rest
        _ -> trees
  assembleFields fields

-- | The same for a module's fields that have been read.
assembleFields :: [Tree] -> Either TextError ByteString
assembleFields trees = do
  customs <- customsOf trees
  items <- concat <$> zipWithM item [0 ..] (filter (not . isCustom) trees)
  (names, numbered) <- foldM nameItem (noNames, []) items
  BL.toStrict . BB.toLazyByteString <$> evaluate (module_ customs names (reverse numbered))

-- * Fields

-- | A field taken apart: its kind, name, exports, import, and what is left.
data Item = Item
  { -- | Types of one field are one group.
    itemGroup :: !Int,
    itemKind :: !ByteString,
    itemOffset :: !Int,
    -- | Among those of its kind.
    itemIndex :: !Int,
    itemName :: !(Maybe ByteString),
    itemExports :: ![ByteString],
    itemImport :: !(Maybe (ByteString, ByteString)),
    itemRest :: ![Tree]
  }

item :: Int -> Tree -> Either TextError [Item]
item group = \case
  List o (Atom _ "import" : String _ m : String _ n : [List o' (Atom _ kind : rest)])
    | kind `elem` ["func", "table", "memory", "global", "tag"] -> do
        mapM_ utf8 [(o, m), (o, n)]
        let (name, rest') = optionalName rest
        Right [Item group kind o' 0 name [] (Just (m, n)) rest']
  List o (Atom _ kind : rest)
    | kind `elem` ["func", "table", "memory", "global", "tag"] -> do
        let (name, rest') = optionalName rest
            (exports, rest'') = inlineExports rest'
        mapM_ (\e -> utf8 (o, e)) exports
        case rest'' of
          List _ [Atom _ "import", String _ m, String _ n] : rest''' -> do
            mapM_ utf8 [(o, m), (o, n)]
            Right [Item group kind o 0 name exports (Just (m, n)) rest''']
          _ -> Right [Item group kind o 0 name exports Nothing rest'']
    | kind `elem` ["type", "elem", "data"] ->
        let (name, rest') = optionalName rest in Right [Item group kind o 0 name [] Nothing rest']
    | kind == "rec" -> case rest of
        [] -> Right [Item group "rec" o 0 Nothing [] Nothing []]
        _ -> concat <$> mapM member rest
    | kind `elem` ["export", "start"] -> Right [Item group kind o 0 Nothing [] Nothing rest]
  t -> expected t "a field of a module"
  where
    member = \case
      t@(List _ (Atom _ "type" : _)) -> item group t
      t -> expected t "a type"
    utf8 (o, bytes) =
      either (const (Left (TextError o "a name in UTF-8"))) (const (Right ())) (decodeUtf8' bytes)
    inlineExports = \case
      List _ [Atom _ "export", String _ n] : rest ->
        let (es, rest') =
              inlineExports rest
         in (n : es, rest')
      rest -> ([], rest)

-- | Give an item its index and its name, and see that imports come first.
nameItem :: (Names, [Item]) -> Item -> Either TextError (Names, [Item])
nameItem (ns, done) i = do
  when (isJust (itemImport i) && namesDefined ns) $
    Left (TextError (itemOffset i) "no import after a definition")
  (x, ns') <- case itemKind i of
    "type" -> do
      (x, s) <- add (nameTypes ns)
      names <- fieldNames (itemRest i)
      Right (x, ns {nameTypes = s, nameFields = IntMap.insert x names (nameFields ns)})
    "tag" -> fmap (\s -> ns {nameTags = s}) <$> add (nameTags ns)
    "func" -> fmap (\s -> ns {nameFuncs = s}) <$> add (nameFuncs ns)
    "table" -> fmap (\s -> ns {nameTables = s}) <$> add (nameTables ns)
    "memory" -> fmap (\s -> ns {nameMems = s}) <$> add (nameMems ns)
    "global" -> fmap (\s -> ns {nameGlobals = s}) <$> add (nameGlobals ns)
    "elem" -> fmap (\s -> ns {nameElems = s}) <$> add (nameElems ns)
    "data" -> fmap (\s -> ns {nameDatas = s}) <$> add (nameDatas ns)
    _ -> Right (0, ns)
  -- Segments that stand inside a table or a memory have an index too.
  let extra = case itemKind i of
        "table" | any (within "elem") (itemRest i) -> ns' {nameElems = unnamed (nameElems ns')}
        "memory" | any (within "data") (itemRest i) -> ns' {nameDatas = unnamed (nameDatas ns')}
        _ -> ns'
      defines =
        itemKind i `elem` ["func", "table", "memory", "global", "tag"] && isNothing (itemImport i)
  Right (extra {namesDefined = namesDefined ns || defines}, i {itemIndex = x} : done)
  where
    unnamed (Space m n) = Space m (n + 1)
    add (Space m n) = case itemName i of
      Just name
        | Map.member name m -> Left (TextError (itemOffset i) "a name that is not taken")
        | otherwise -> Right (n, Space (Map.insert name n m) (n + 1))
      Nothing -> Right (n, Space m (n + 1))
    within w = \case
      List _ (Atom _ k : _) -> k == w
      _ -> False

-- * Sections

-- | What the sections hold so far.
data Sections = Sections
  { imports, funcs, tables, mems, tags, globals, exports, starts, elems, codes, datas :: ![Builder]
  }

module_ :: [(Place, Builder)] -> Names -> [Item] -> P Builder
module_ customs ns items = do
  -- Types that are written come before those that are meant.
  mapM_ (declare ns) (groupBy ((==) `on` itemGroup) (filter isType items))
  s <- foldM (field ns) (Sections [] [] [] [] [] [] [] [] [] [] []) (filter (not . isType) items)
  when (length (starts s) > 1) (refuse 0 "one start function")
  types <- allGroups
  let withDatas = not (null (datas s))
  pure $
    BB.byteString "\0asm\1\0\0\0"
      <> at (Before "first")
      <> mconcat
        ( zipWith
            (\name bytes -> at (Before name) <> bytes <> at (After name))
            sectionNames
            [ section 1 (map groupBytes (toList types)),
              section 2 (reverse (imports s)),
              section 3 (reverse (funcs s)),
              section 4 (reverse (tables s)),
              section 5 (reverse (mems s)),
              section 13 (reverse (tags s)),
              section 6 (reverse (globals s)),
              section 7 (reverse (exports s)),
              foldMap (sized 8) (starts s),
              section 9 (reverse (elems s)),
              if withDatas then sized 12 (leb (length (datas s))) else mempty,
              section 10 (reverse (codes s)),
              section 11 (reverse (datas s))
            ]
        )
      <> functionNames
      <> at (After "last")
  where
    at place = mconcat [bytes | (p, bytes) <- customs, p == place]
    -- The name section: a name without its mark, in the order of indices.
    functionNames = case nameFuncs ns of
      Space m _
        | Map.null m -> mempty
        | otherwise ->
            let byIndex = IntMap.fromList [(x, B.drop 1 n) | (n, x) <- Map.toList m]
                entries =
                  leb (IntMap.size byIndex)
                    <> IntMap.foldMapWithKey (\x n -> leb x <> nameBytes n) byIndex
             in sized 0 (nameBytes "name" <> BB.word8 1 <> sizedBytes entries)
    section n entries =
      if null entries
        then mempty
        else sized n (leb (length entries) <> mconcat entries)
    sized n body = BB.word8 n <> sizedBytes body
    isType i = itemKind i == "type" || itemKind i == "rec"

declare :: Names -> [Item] -> P ()
declare ns group =
  mapM (\i -> subType ns (itemOffset i) (itemRest i)) (filter ((== "type") . itemKind) group)
    >>= addGroup

field :: Names -> Sections -> Item -> P Sections
field ns s i = case itemKind i of
  "func" -> do
    (x, params, rest) <- typeUse ns True (itemRest i)
    case itemImport i of
      Just names -> end rest >> importing names 0 (leb x)
      Nothing -> do
        body <- function ns x params rest
        exported 0 s {funcs = leb x : funcs s, codes = body : codes s}
  "table" -> do
    let (address, rest) = addressType (itemRest i)
    case (itemImport i, rest) of
      (Just names, _) -> do
        (t, _, left) <- tableType ns (itemOffset i) address rest
        end left
        importing names 1 t
      (Nothing, [t, List _ (Atom _ "elem" : contents)]) -> do
        kind <- refType ns t
        (contents', n) <- elements ns kind contents
        let segment = elemBytes (Active (itemIndex i) (zeroOffset address)) kind contents'
            limits_ = BB.word8 (if address == Address64 then 5 else 1) <> leb n <> leb n
        exported 1 s {tables = (refTypeBytes kind <> limits_) : tables s, elems = segment : elems s}
      (Nothing, _) -> do
        (t, _, left) <- tableType ns (itemOffset i) address rest
        initial <- if null left then pure Nothing else Just <$> expression ns left
        exported
          1
          s
            { tables =
                maybe t (\e -> BB.word8 0x40 <> BB.word8 0 <> t <> e) initial : tables s
            }
  "memory" -> do
    let (address, rest) = addressType (itemRest i)
    case (itemImport i, rest) of
      (Just names, _) -> limits (itemOffset i) address rest >>= importing names 2
      (Nothing, [List _ (Atom _ "data" : contents)]) -> do
        bytes <- strings contents
        let pages = (B.length bytes + 65535) `div` 65536
            place = if itemIndex i == 0 then BB.word8 0 else BB.word8 2 <> leb (itemIndex i)
            segment = place <> zeroOffset address <> leb (B.length bytes) <> BB.byteString bytes
        exported
          2
          s
            { mems =
                (BB.word8 (if address == Address64 then 5 else 1) <> leb pages <> leb pages)
                  : mems s,
              datas = segment : datas s
            }
      (Nothing, _) -> do
        l <- limits (itemOffset i) address rest
        exported 2 s {mems = l : mems s}
  "tag" -> do
    (x, _, rest) <- typeUse ns True (itemRest i)
    end rest
    case itemImport i of
      Just names -> importing names 4 (BB.word8 0 <> leb x)
      Nothing -> exported 4 s {tags = (BB.word8 0 <> leb x) : tags s}
  "global" -> case itemRest i of
    t : rest -> do
      ty <- globalType ns t
      case itemImport i of
        Just names -> end rest >> importing names 3 ty
        Nothing -> do
          e <- expression ns rest
          exported 3 s {globals = (ty <> e) : globals s}
    [] -> refuse (itemOffset i) "a global's type"
  "export" -> case itemRest i of
    [String o name, List _ [Atom _ kind, x]] -> do
      either (const (refuse o "a name in UTF-8")) (const (pure ())) (decodeUtf8' name)
      (tag, space) <- case kind of
        "func" -> pure (0, nameFuncs ns)
        "table" -> pure (1, nameTables ns)
        "memory" -> pure (2, nameMems ns)
        "global" -> pure (3, nameGlobals ns)
        "tag" -> pure (4, nameTags ns)
        _ -> refuse o "func, table, memory, global or tag"
      n <- index space x
      pure s {exports = (nameBytes name <> BB.word8 tag <> leb n) : exports s}
    _ -> refuse (itemOffset i) "a name and what is exported"
  "start" -> case itemRest i of
    [x] -> index (nameFuncs ns) x >>= \n -> pure s {starts = leb n : starts s}
    _ -> refuse (itemOffset i) "a function"
  "elem" -> elemField ns (itemOffset i) (itemRest i) >>= \e -> pure s {elems = e : elems s}
  _ -> dataField ns (itemOffset i) (itemRest i) >>= \d -> pure s {datas = d : datas s}
  where
    zeroOffset address =
      BB.word8 (if address == Address64 then 0x42 else 0x41) <> BB.word8 0 <> BB.word8 0x0B
    importing (m, n) tag desc =
      exported tag s {imports = (nameBytes m <> nameBytes n <> BB.word8 tag <> desc) : imports s}
    exported tag t =
      pure
        t
          { exports =
              map (\e -> nameBytes e <> BB.word8 tag <> leb (itemIndex i)) (reverse (itemExports i))
                <> exports t
          }

-- * Types of parts

addressType :: [Tree] -> (AddressType, [Tree])
addressType = \case
  Atom _ "i32" : rest -> (Address32, rest)
  Atom _ "i64" : rest -> (Address64, rest)
  rest -> (Address32, rest)

-- | A table's type, its elements' type, and what follows.
tableType :: Names -> Int -> AddressType -> [Tree] -> P (Builder, RefType, [Tree])
tableType ns o address trees = case break isType trees of
  (low, t : rest) -> do
    kind <- refType ns t
    l <- limits o address low
    pure (refTypeBytes kind <> l, kind, rest)
  _ -> refuse o "a table's limits and type"
  where
    isType = \case
      Atom _ w -> not (isIndex w)
      _ -> True

limits :: Int -> AddressType -> [Tree] -> P Builder
limits o address = \case
  [low] -> (\n -> BB.word8 (0 + wide) <> unsignedLeb n) <$> size low
  [low, high] ->
    (\n m -> BB.word8 (1 + wide) <> unsignedLeb n <> unsignedLeb m) <$> size low <*> size high
  _ -> refuse o "one or two limits"
  where
    wide = if address == Address64 then 4 else 0
    size = \case
      Atom p w -> maybe (refuse p "a limit in range") pure (unsigned64 w)
      t -> refuse (treeOffset t) "a number"

globalType :: Names -> Tree -> P Builder
globalType ns = \case
  List _ [Atom _ "mut", t] -> (\v -> valTypeBytes v <> BB.word8 1) <$> valType ns t
  t -> (\v -> valTypeBytes v <> BB.word8 0) <$> valType ns t

-- * Segments

data Mode = Active !Int !Builder | Passive | Declarative

data Elements = Functions ![Int] | Expressions ![Builder]

-- | What a table's segment holds, and how many.
elements :: Names -> RefType -> [Tree] -> P (Elements, Int)
elements ns kind trees
  | all isAtom trees = do
      xs <- mapM (index (nameFuncs ns)) trees
      let ref x = BB.word8 0xD2 <> leb x <> BB.word8 0x0B
      pure (if kind == FuncRef then Functions xs else Expressions (map ref xs), length xs)
  | otherwise = do
      es <- mapM one trees
      pure (Expressions es, length es)
  where
    isAtom = \case
      Atom _ _ -> True
      _ -> False
    one = \case
      List _ (Atom _ "item" : inner) -> expression ns inner
      t@(List _ _) -> expression ns [t]
      t -> refuse (treeOffset t) "an element"

elemBytes :: Mode -> RefType -> Elements -> Builder
elemBytes mode kind items = case (mode, items) of
  (Active 0 offset, Functions xs) -> leb 0 <> offset <> funcs_ xs
  (Passive, Functions xs) -> leb 1 <> BB.word8 0 <> funcs_ xs
  (Active x offset, Functions xs) -> leb 2 <> leb x <> offset <> BB.word8 0 <> funcs_ xs
  (Declarative, Functions xs) -> leb 3 <> BB.word8 0 <> funcs_ xs
  (Active 0 offset, Expressions es) | kind == FuncRef -> leb 4 <> offset <> exprs es
  (Passive, Expressions es) -> leb 5 <> refTypeBytes kind <> exprs es
  (Active x offset, Expressions es) -> leb 6 <> leb x <> offset <> refTypeBytes kind <> exprs es
  (Declarative, Expressions es) -> leb 7 <> refTypeBytes kind <> exprs es
  where
    funcs_ xs = leb (length xs) <> foldMap leb xs
    exprs es = leb (length es) <> mconcat es

elemField :: Names -> Int -> [Tree] -> P Builder
elemField ns o trees = case trees of
  Atom _ "declare" : rest -> list False Declarative rest
  List _ [Atom _ "table", x] : offset : rest -> active False x offset rest
  x@(Atom _ w) : offset@(List _ _) : rest
    | isIndex w,
      startsExpression offset ->
        active True x offset rest
  offset@(List _ _) : rest
    | startsExpression offset ->
        offsetOf ns offset >>= \e -> list True (Active 0 e) rest
  rest -> list False Passive rest
  where
    active bare x offset rest = do
      n <- index (nameTables ns) x
      e <- offsetOf ns offset
      list bare (Active n e) rest
    startsExpression = \case
      List _ (Atom _ w : _) -> w /= "item" && w /= "ref"
      _ -> False
    -- Of functions alone, the word may be left out where no table is named as in 2.0.
    list bare mode = \case
      Atom _ "func" : rest -> do
        xs <- mapM (index (nameFuncs ns)) rest
        pure (elemBytes mode FuncRef (Functions xs))
      t : rest | not (startsIndex [t]) -> do
        kind <- refType ns t
        es <- mapM expr rest
        pure (elemBytes mode kind (Expressions es))
      rest | bare -> do
        xs <- mapM (index (nameFuncs ns)) rest
        pure (elemBytes mode FuncRef (Functions xs))
      _ -> refuse o "func or a reference type"
    expr = \case
      List _ (Atom _ "item" : inner) -> expression ns inner
      t@(List _ _) -> expression ns [t]
      t -> refuse (treeOffset t) "an element"

offsetOf :: Names -> Tree -> P Builder
offsetOf ns = \case
  List _ (Atom _ "offset" : inner) -> expression ns inner
  t -> expression ns [t]

dataField :: Names -> Int -> [Tree] -> P Builder
dataField ns _ trees = case trees of
  List _ [Atom _ "memory", x] : offset : rest -> active x offset rest
  x@(Atom _ w) : offset@(List _ _) : rest | isIndex w -> active x offset rest
  offset@(List _ _) : rest -> do
    e <- offsetOf ns offset
    (\b -> BB.word8 0 <> e <> b) <$> contents rest
  rest -> (BB.word8 1 <>) <$> contents rest
  where
    contents rest = (\bytes -> leb (B.length bytes) <> BB.byteString bytes) <$> strings rest
    active x offset rest = do
      n <- index (nameMems ns) x
      e <- offsetOf ns offset
      (\b -> (if n == 0 then BB.word8 0 else BB.word8 2 <> leb n) <> e <> b) <$> contents rest

strings :: [Tree] -> P ByteString
strings = fmap B.concat . mapM one
  where
    one = \case
      String _ b -> pure b
      t -> refuse (treeOffset t) "a string"

nameBytes :: ByteString -> Builder
nameBytes n = leb (B.length n) <> BB.byteString n
