{-# LANGUAGE OverloadedStrings #-}

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

import Control.Monad (foldM, unless, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (Builder)
import Data.ByteString.Builder qualified as BB
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.Foldable (toList)
import Data.Map.Strict qualified as Map
import Data.Maybe (isJust, isNothing)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (decodeUtf8')
import Data.Word (Word8)
import Tern.Wasm.Text.Body
import Tern.Wasm.Text.Tree

-- | The error in one line, with its line and column (both from 1, in bytes).
renderTextError :: ByteString -> TextError -> Text
renderTextError source (TextError o wanted) =
  T.concat ["line ", shown (1 + BC.count '\n' before), ", column ", shown (1 + B.length (BC.takeWhileEnd (/= '\n') before)), ": expected ", wanted]
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
assembleFields fields = do
  items <- concat <$> mapM item fields
  (names, numbered) <- foldM nameItem (noNames, []) items
  BL.toStrict . BB.toLazyByteString <$> evaluate (module_ names (reverse numbered))

-- * Fields

-- | A field taken apart: its kind, name, exports, import, and what is left.
data Item = Item
  { itemKind :: !ByteString,
    itemOffset :: !Int,
    -- | Among those of its kind.
    itemIndex :: !Int,
    itemName :: !(Maybe ByteString),
    itemExports :: ![ByteString],
    itemImport :: !(Maybe (ByteString, ByteString)),
    itemRest :: ![Tree]
  }

item :: Tree -> Either TextError [Item]
item = \case
  List o (Atom _ "import" : String _ m : String _ n : [List o' (Atom _ kind : rest)])
    | kind `elem` ["func", "table", "memory", "global"] -> do
        mapM_ utf8 [(o, m), (o, n)]
        let (name, rest') = optionalName rest
        Right [Item kind o' 0 name [] (Just (m, n)) rest']
  List o (Atom _ kind : rest)
    | kind `elem` ["func", "table", "memory", "global"] -> do
        let (name, rest') = optionalName rest
            (exports, rest'') = inlineExports rest'
        mapM_ (\e -> utf8 (o, e)) exports
        case rest'' of
          List _ [Atom _ "import", String _ m, String _ n] : rest''' -> do
            mapM_ utf8 [(o, m), (o, n)]
            Right [Item kind o 0 name exports (Just (m, n)) rest''']
          _ -> Right [Item kind o 0 name exports Nothing rest'']
    | kind `elem` ["type", "elem", "data"] ->
        let (name, rest') = optionalName rest in Right [Item kind o 0 name [] Nothing rest']
    | kind `elem` ["export", "start"] -> Right [Item kind o 0 Nothing [] Nothing rest]
  t -> expected t "a field of a module"
  where
    utf8 (o, bytes) = either (const (Left (TextError o "a name in UTF-8"))) (const (Right ())) (decodeUtf8' bytes)
    inlineExports = \case
      List _ [Atom _ "export", String _ n] : rest -> let (es, rest') = inlineExports rest in (n : es, rest')
      rest -> ([], rest)

-- | Give an item its index and its name, and see that imports come first.
nameItem :: (Names, [Item]) -> Item -> Either TextError (Names, [Item])
nameItem (ns, done) i = do
  when (isJust (itemImport i) && namesDefined ns) $ Left (TextError (itemOffset i) "no import after a definition")
  (x, ns') <- case itemKind i of
    "type" -> fmap (\s -> ns {nameTypes = s}) <$> add (nameTypes ns)
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
      defines = itemKind i `elem` ["func", "table", "memory", "global"] && isNothing (itemImport i)
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
  { imports, funcs, tables, mems, globals, exports, starts, elems, codes, datas :: ![Builder]
  }

module_ :: Names -> [Item] -> P Builder
module_ ns items = do
  -- Types that are written come before those that are meant.
  mapM_ declare [i | i <- items, itemKind i == "type"]
  s <- foldM (field ns) (Sections [] [] [] [] [] [] [] [] [] []) [i | i <- items, itemKind i /= "type"]
  when (length (starts s) > 1) (refuse 0 "one start function")
  types <- allTypes
  let withDatas = not (null (datas s))
  pure $
    BB.byteString "\0asm\1\0\0\0"
      <> section 1 (map funcTypeBytes (toList types))
      <> section 2 (reverse (imports s))
      <> section 3 (reverse (funcs s))
      <> section 4 (reverse (tables s))
      <> section 5 (reverse (mems s))
      <> section 6 (reverse (globals s))
      <> section 7 (reverse (exports s))
      <> foldMap (sized 8) (starts s)
      <> section 9 (reverse (elems s))
      <> (if withDatas then sized 12 (leb (length (datas s))) else mempty)
      <> section 10 (reverse (codes s))
      <> section 11 (reverse (datas s))
  where
    section n entries = if null entries then mempty else sized n (leb (length entries) <> mconcat entries)
    sized n body = let bytes = BL.toStrict (BB.toLazyByteString body) in BB.word8 n <> leb (B.length bytes) <> BB.byteString bytes

declare :: Item -> P ()
declare i = case itemRest i of
  [List _ (Atom _ "func" : rest)] -> do
    (_, ft, left) <- signature True rest
    unless (null left) (refuse (itemOffset i) "parameters, then results")
    addType ft
  _ -> refuse (itemOffset i) "a function type"

field :: Names -> Sections -> Item -> P Sections
field ns s i = case itemKind i of
  "func" -> do
    (x, params, rest) <- typeUse ns True (itemRest i)
    case itemImport i of
      Just names -> end rest >> importing names 0 (leb x)
      Nothing -> do
        body <- function ns x params rest
        exported 0 s {funcs = leb x : funcs s, codes = body : codes s}
  "table" -> case (itemImport i, itemRest i) of
    (Just names, rest) -> tableType (itemOffset i) rest >>= importing names 1
    (Nothing, [Atom o t, List _ (Atom _ "elem" : contents)]) -> do
      kind <- refTypeByte o t
      (items, n) <- elements ns kind contents
      let segment = elemBytes (Active (itemIndex i) zeroOffset) kind items
      exported 1 s {tables = (BB.word8 kind <> BB.word8 1 <> leb n <> leb n) : tables s, elems = segment : elems s}
    (Nothing, rest) -> do
      t <- tableType (itemOffset i) rest
      exported 1 s {tables = t : tables s}
  "memory" -> case (itemImport i, itemRest i) of
    (Just names, rest) -> limits (itemOffset i) rest >>= importing names 2
    (Nothing, [List _ (Atom _ "data" : contents)]) -> do
      bytes <- strings contents
      let pages = (B.length bytes + 65535) `div` 65536
          segment = BB.word8 0 <> zeroOffset <> leb (B.length bytes) <> BB.byteString bytes
      exported 2 s {mems = (BB.word8 1 <> leb pages <> leb pages) : mems s, datas = segment : datas s}
    (Nothing, rest) -> do
      l <- limits (itemOffset i) rest
      exported 2 s {mems = l : mems s}
  "global" -> case itemRest i of
    t : rest -> do
      ty <- globalType t
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
        _ -> refuse o "func, table, memory or global"
      n <- index space x
      pure s {exports = (nameBytes name <> BB.word8 tag <> leb n) : exports s}
    _ -> refuse (itemOffset i) "a name and what is exported"
  "start" -> case itemRest i of
    [x] -> index (nameFuncs ns) x >>= \n -> pure s {starts = leb n : starts s}
    _ -> refuse (itemOffset i) "a function"
  "elem" -> elemField ns (itemOffset i) (itemRest i) >>= \e -> pure s {elems = e : elems s}
  _ -> dataField ns (itemOffset i) (itemRest i) >>= \d -> pure s {datas = d : datas s}
  where
    zeroOffset = BB.word8 0x41 <> BB.word8 0 <> BB.word8 0x0B
    importing (m, n) tag desc =
      exported tag s {imports = (nameBytes m <> nameBytes n <> BB.word8 tag <> desc) : imports s}
    exported tag t =
      pure t {exports = map (\e -> nameBytes e <> BB.word8 tag <> leb (itemIndex i)) (reverse (itemExports i)) <> exports t}

-- * Types of parts

tableType :: Int -> [Tree] -> P Builder
tableType o trees = case reverse trees of
  Atom o' t : low -> do
    kind <- refTypeByte o' t
    l <- limits o (reverse low)
    pure (BB.word8 kind <> l)
  _ -> refuse o "a table's limits and type"

limits :: Int -> [Tree] -> P Builder
limits o = \case
  [low] -> (\n -> BB.word8 0 <> leb n) <$> number low
  [low, high] -> (\n m -> BB.word8 1 <> leb n <> leb m) <$> number low <*> number high
  _ -> refuse o "one or two limits"

globalType :: Tree -> P Builder
globalType = \case
  List _ [Atom _ "mut", t] -> (\b -> BB.word8 b <> BB.word8 1) <$> valTypeByte t
  t -> (\b -> BB.word8 b <> BB.word8 0) <$> valTypeByte t

-- * Segments

data Mode = Active !Int !Builder | Passive | Declarative

data Elements = Functions ![Int] | Expressions ![Builder]

-- | What a table's segment holds, and how many.
elements :: Names -> Word8 -> [Tree] -> P (Elements, Int)
elements ns kind trees
  | kind == 0x70,
    all isAtom trees = do
      xs <- mapM (index (nameFuncs ns)) trees
      pure (Functions xs, length xs)
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

elemBytes :: Mode -> Word8 -> Elements -> Builder
elemBytes mode kind items = case (mode, items) of
  (Active 0 offset, Functions xs) -> leb 0 <> offset <> funcs_ xs
  (Passive, Functions xs) -> leb 1 <> BB.word8 0 <> funcs_ xs
  (Active x offset, Functions xs) -> leb 2 <> leb x <> offset <> BB.word8 0 <> funcs_ xs
  (Declarative, Functions xs) -> leb 3 <> BB.word8 0 <> funcs_ xs
  (Active 0 offset, Expressions es) | kind == 0x70 -> leb 4 <> offset <> exprs es
  (Passive, Expressions es) -> leb 5 <> BB.word8 kind <> exprs es
  (Active x offset, Expressions es) -> leb 6 <> leb x <> offset <> BB.word8 kind <> exprs es
  (Declarative, Expressions es) -> leb 7 <> BB.word8 kind <> exprs es
  where
    funcs_ xs = leb (length xs) <> foldMap leb xs
    exprs es = leb (length es) <> mconcat es

elemField :: Names -> Int -> [Tree] -> P Builder
elemField ns o trees = case trees of
  Atom _ "declare" : rest -> list Declarative rest
  List _ [Atom _ "table", x] : offset : rest -> active x offset rest
  x@(Atom _ w) : offset@(List _ _) : rest | isIndex w, startsExpression offset -> active x offset rest
  offset@(List _ _) : rest | startsExpression offset -> offsetOf ns offset >>= \e -> list (Active 0 e) rest
  rest -> list Passive rest
  where
    active x offset rest = do
      n <- index (nameTables ns) x
      e <- offsetOf ns offset
      list (Active n e) rest
    startsExpression = \case
      List _ (Atom _ w : _) -> w /= "item"
      _ -> False
    list mode = \case
      Atom _ "func" : rest -> do
        xs <- mapM (index (nameFuncs ns)) rest
        pure (elemBytes mode 0x70 (Functions xs))
      Atom o' t : rest | t == "funcref" || t == "externref" -> do
        kind <- refTypeByte o' t
        es <- mapM expr rest
        pure (elemBytes mode kind (Expressions es))
      rest | Active _ _ <- mode -> do
        xs <- mapM (index (nameFuncs ns)) rest
        pure (elemBytes mode 0x70 (Functions xs))
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
