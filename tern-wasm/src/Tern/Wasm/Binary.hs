{-# LANGUAGE OverloadedStrings #-}

-- | The binary format: from bytes to a 'Module'.
--
-- The idea: sections become syntax; of a function's body every byte is read and
-- checked, but only the slice is kept. "Tern.Wasm.Binary.Instr" reads its
-- instructions again for those who walk it.
--
-- Start at 'decode'.
module Tern.Wasm.Binary
  ( decode,
    decodeBy,
    decodeLazily,
    checkBody,
  )
where

import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Maybe (fromMaybe, isNothing)
import Data.Vector qualified as V
import Data.Vector.Unboxed qualified as U
import Data.Word (Word32)
import Tern.Wasm.Binary.Instr (scan)
import Tern.Wasm.Binary.Type
  ( flag,
    globalTypeOf,
    index,
    memoryTypeOf,
    recType,
    refType,
    tableTypeOf,
    valType,
  )
import Tern.Wasm.Error (Malformed (..), MalformedReason (..))
import Tern.Wasm.Reader (Reader)
import Tern.Wasm.Reader qualified as Reader
import Tern.Wasm.Rules (Rules (..))
import Tern.Wasm.Syntax

-- | The module that bytes hold, or where and why they hold none. Linear in the
-- input; the module shares the input's memory.
decode :: ByteString -> Either Malformed Module
decode = decodeBy Rules3

-- | The same by the rules of an edition.
decodeBy :: Rules -> ByteString -> Either Malformed Module
decodeBy rules = decodeWith (Way rules False)

-- | The same, but no body is looked at: each is to be checked by 'checkBody' before
-- anything else reads it.
decodeLazily :: Rules -> ByteString -> Either Malformed Module
decodeLazily rules = decodeWith (Way rules True)

-- | By which rules, and whether bodies are left alone.
data Way = Way !Rules !Bool

decodeWith :: Way -> ByteString -> Either Malformed Module
decodeWith way input = fst <$> Reader.run (header *> sections way input) 0 input 0

-- | Check that the body of a function is well-formed.
checkBody :: Rules -> Module -> Func -> Either Malformed ()
checkBody rules m f = case funcBody f of
  ExprFunc _ -> Right ()
  Expr base bytes -> do
    (needed, end) <- Reader.run (scan rules) base bytes 0
    when (end /= B.length bytes) (Left (Malformed (base + end) SizeMismatch))
    case needed of
      Just at | isNothing (moduleDataCount m) -> Left (Malformed at DataCountMissing)
      _ -> Right ()

header :: Reader ()
header = do
  magic <- Reader.bytes 4
  unless (magic == "\0asm") (Reader.failureAt 0 NotAModule)
  version <- Reader.bytes 4
  unless (version == "\1\0\0\0") (Reader.failureAt 4 UnknownVersion)

-- | What the sections so far have said.
data Draft = Draft
  { draft :: !Module,
    draftTypes :: !(U.Vector Word32),
    draftNeedsCount :: !(Maybe Int),
    draftBodies :: !Int,
    -- | The order number of the last section that was not a custom one.
    draftLast :: !Int
  }

sections :: Way -> ByteString -> Reader Module
sections way input = go (Draft empty U.empty Nothing 0 0)
  where
    empty =
      Module
        V.empty
        V.empty
        noFunctions
        V.empty
        V.empty
        V.empty
        V.empty
        V.empty
        Nothing
        V.empty
        V.empty
        Nothing
        []
    go d = do
      end <- Reader.atEnd
      if end then finish d else section way input d >>= go
    finish (Draft m types needsCount bodies _) = do
      when (U.length types /= bodies) (Reader.failure FunctionsAndBodiesDiffer)
      let datas = V.length (moduleDatas m)
      when (maybe False (/= datas) (moduleDataCount m)) (Reader.failure DataCountAndSegmentsDiffer)
      case needsCount of
        -- Without a data segment validation refuses the same instruction.
        Just at | isNothing (moduleDataCount m), datas > 0 -> Reader.failureAt at DataCountMissing
        _ -> pure m {moduleCustoms = reverse (moduleCustoms m)}

-- | The place of each section in the order that they must have.
sectionOrder :: Rules -> Int -> Maybe Int
sectionOrder rules = \case
  13 | rules >= Rules3 -> Just 6
  12 -> Just 11
  10 -> Just 12
  11 -> Just 13
  n
    | n >= 1 && n <= 5 -> Just n
    | n >= 6 && n <= 9 -> Just (n + 1)
  _ -> Nothing

section :: Way -> ByteString -> Draft -> Reader Draft
section way@(Way rules _) input d = do
  at <- Reader.offset
  kind <- fromIntegral <$> Reader.byte
  size <- fromIntegral <$> Reader.u32
  if kind == 0
    then Reader.within size (custom size d)
    else case sectionOrder rules kind of
      Nothing -> Reader.failureAt at (UnknownSection kind)
      Just order
        | order <= draftLast d -> Reader.failureAt at (UnexpectedSection kind)
        | otherwise -> Reader.within size (content way input kind d {draftLast = order})

custom :: Int -> Draft -> Reader Draft
custom size d = do
  start <- Reader.offset
  title <- Reader.name
  here <- Reader.offset
  when (here - start > size) (Reader.failure UnexpectedEnd)
  rest <- Reader.bytes (size - (here - start))
  pure d {draft = m {moduleCustoms = Custom title rest : moduleCustoms m}}
  where
    m = draft d

content :: Way -> ByteString -> Int -> Draft -> Reader Draft
content way@(Way rules _) input kind d = case kind of
  1 -> set (\v -> m {moduleTypes = v}) (recType rules)
  2 -> set (\v -> m {moduleImports = v}) (import_ rules)
  3 -> do
    v <- Reader.vecUnboxed Reader.u32
    pure d {draftTypes = v}
  4 -> set (\v -> m {moduleTables = v}) (table rules input)
  5 -> set (\v -> m {moduleMems = v}) (memoryTypeOf rules)
  6 -> set (\v -> m {moduleGlobals = v}) (Global <$> globalTypeOf rules <*> expression rules input)
  7 -> set (\v -> m {moduleExports = v}) (export rules)
  8 -> do
    x <- index
    pure d {draft = m {moduleStart = Just x}}
  9 -> set (\v -> m {moduleElems = v}) (element rules input)
  10 -> code way input d
  11 -> set (\v -> m {moduleDatas = v}) (segment rules input)
  13 -> set (\v -> m {moduleTags = v}) tag
  _ -> do
    n <- index
    pure d {draft = m {moduleDataCount = Just n}}
  where
    m = draft d
    set put element_ = do
      v <- Reader.vec element_
      pure d {draft = put v}

-- | A table, with what its elements are at first or without.
table :: Rules -> ByteString -> Reader Table
table rules input =
  Reader.peekByte >>= \case
    Just 0x40 | rules >= Rules3 -> do
      _ <- Reader.byte
      flag "a zero byte" (\b -> if b == 0 then Just () else Nothing)
      t <- tableTypeOf rules
      Table t . Just <$> expression rules input
    _ -> (`Table` Nothing) <$> tableTypeOf rules

tag :: Reader Index
tag = flag "the attribute of a tag" (\b -> if b == 0 then Just () else Nothing) *> index

import_ :: Rules -> Reader Import
import_ rules = Import <$> Reader.name <*> Reader.name <*> description
  where
    description = do
      at <- Reader.offset
      Reader.byte >>= \case
        0 -> ImportFunc <$> index
        1 -> ImportTable <$> tableTypeOf rules
        2 -> ImportMem <$> memoryTypeOf rules
        3 -> ImportGlobal <$> globalTypeOf rules
        4 | rules >= Rules3 -> ImportTag <$> tag
        b -> Reader.failureAt at (UnknownByte "the kind of an import" (fromIntegral b))

export :: Rules -> Reader Export
export rules = Export <$> Reader.name <*> description
  where
    description = do
      at <- Reader.offset
      Reader.byte >>= \case
        0 -> ExportFunc <$> index
        1 -> ExportTable <$> index
        2 -> ExportMem <$> index
        3 -> ExportGlobal <$> index
        4 | rules >= Rules3 -> ExportTag <$> index
        b -> Reader.failureAt at (UnknownByte "the kind of an export" (fromIntegral b))

-- | An expression up to its end, checked and kept as bytes.
expression :: Rules -> ByteString -> Reader Expr
expression rules input = do
  start <- Reader.offset
  _ <- scan rules
  Expr start . slice input start <$> Reader.offset

slice :: ByteString -> Int -> Int -> ByteString
slice input start end = B.take (end - start) (B.drop start input)

element :: Rules -> ByteString -> Reader Elem
element rules input = do
  at <- Reader.offset
  Reader.u32 >>= \case
    0 -> do
      e <- expr
      (\v -> Elem functions v (ElemActive 0 e)) <$> Reader.vec (ExprFunc <$> index)
    1 -> do
      kind
      (\v -> Elem functions v ElemPassive) <$> Reader.vec (ExprFunc <$> index)
    2 -> do
      x <- index
      e <- expr
      kind
      (\v -> Elem functions v (ElemActive x e)) <$> Reader.vec (ExprFunc <$> index)
    3 -> do
      kind
      (\v -> Elem functions v ElemDeclarative) <$> Reader.vec (ExprFunc <$> index)
    4 -> do
      e <- expr
      (\v -> Elem FuncRef v (ElemActive 0 e)) <$> Reader.vec expr
    5 -> (\t v -> Elem t v ElemPassive) <$> refType rules <*> Reader.vec expr
    6 ->
      (\x e t v -> Elem t v (ElemActive x e))
        <$> index
        <*> expr
        <*> refType rules
        <*> Reader.vec expr
    7 -> (\t v -> Elem t v ElemDeclarative) <$> refType rules <*> Reader.vec expr
    n -> Reader.failureAt at (UnknownByte "the kind of an element segment" (fromIntegral n))
  where
    -- What is written as bare indices is never null.
    functions = if rules < Rules3 then FuncRef else RefType False FuncHeap
    expr = expression rules input
    kind = flag "the kind of elements" (\b -> if b == 0 then Just () else Nothing)

segment :: Rules -> ByteString -> Reader Data
segment rules input = do
  at <- Reader.offset
  Reader.u32 >>= \case
    0 -> do
      e <- expression rules input
      (`Data` DataActive 0 e) <$> contents
    1 -> (`Data` DataPassive) <$> contents
    2 -> do
      x <- index
      e <- expression rules input
      (`Data` DataActive x e) <$> contents
    n -> Reader.failureAt at (UnknownByte "the kind of a data segment" (fromIntegral n))
  where
    contents = Reader.u32 >>= Reader.bytes . fromIntegral

code :: Way -> ByteString -> Draft -> Reader Draft
code (Way rules lazily) input d = do
  at <- Reader.offset
  n <- fromIntegral <$> Reader.u32
  when (n /= U.length types) (Reader.failureAt at FunctionsAndBodiesDiffer)
  start <- Reader.offset
  bodies <- Reader.many n (const (body start))
  let (starts, sizes, needs) = U.unzip3 bodies
      needed = (U.!? 0) (U.filter (>= 0) needs)
      function x =
        functionIn
          rules
          input
          (fromIntegral (types U.! x))
          (start + fromIntegral (starts U.! x))
          (fromIntegral (sizes U.! x))
      functions = starts `seq` sizes `seq` Functions n (fromIntegral . (types U.!)) function
  needed `seq`
    pure d {draft = (draft d) {moduleFuncs = functions}, draftNeedsCount = needed, draftBodies = n}
  where
    types = draftTypes d
    -- Where its locals begin after the first of all, how many bytes there are with
    -- them, and where it needs a count of segments, or -1.
    body :: Int -> Reader (Word32, Word32, Int)
    body start = do
      size <- Reader.u32
      Reader.within (fromIntegral size) $ do
        at <- Reader.offset
        total <- localTotal rules
        when (total > toInteger (maxBound :: Word32)) (Reader.failureAt at TooManyLocals)
        begin <- Reader.offset
        needed <-
          if lazily
            then Nothing <$ Reader.bytes (fromIntegral size - (begin - at))
            else scan rules
        pure (fromIntegral (at - start), size, fromMaybe (-1) needed)

-- | How many locals a function declares.
localTotal :: Rules -> Reader Integer
localTotal rules = do
  n <- Reader.u32
  go n 0
  where
    go :: Word32 -> Integer -> Reader Integer
    go 0 !total = pure total
    go n !total = do
      k <- Reader.u32
      _ <- valType rules
      go (n - 1) (total + toInteger k)

-- | A function of the type @t@. Its locals begin at the offset @at@, and they and its
-- code have @size@ bytes. The locals were read once before, and so can be read here.
functionIn :: Rules -> ByteString -> Index -> Int -> Int -> Func
functionIn rules input t at size = case Reader.run groups at bytes 0 of
  Right (locals, p) -> Func t locals (Expr (at + p) (B.drop p bytes))
  Left _ -> Func t [] (Expr at B.empty)
  where
    bytes = slice input at (at + size)
    groups = Reader.u32 >>= runs []
    -- Runs of one type as one, and none of no locals: there may be a million.
    runs :: [(Int, ValType)] -> Word32 -> Reader [(Int, ValType)]
    runs done 0 = pure (reverse done)
    runs done n = do
      k <- fromIntegral <$> Reader.u32
      ty <- valType rules
      case done of
        _ | k == 0 -> runs done (n - 1)
        (k', ty') : rest | ty == ty' -> let !sum_ = k + k' in runs ((sum_, ty') : rest) (n - 1)
        _ -> runs ((k, ty) : done) (n - 1)
