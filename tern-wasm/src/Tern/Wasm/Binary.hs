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
  )
where

import Control.Applicative ((<|>))
import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Maybe (isNothing)
import Data.Text (Text)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Word (Word32, Word8)
import Tern.Wasm.Binary.Instr (refType, scan, valType)
import Tern.Wasm.Error (Malformed (..), MalformedReason (..))
import Tern.Wasm.Reader (Reader)
import Tern.Wasm.Reader qualified as Reader
import Tern.Wasm.Syntax

-- | The module that bytes hold, or where and why they hold none. Linear in the
-- input; the module shares the input's memory.
decode :: ByteString -> Either Malformed Module
decode input = fst <$> Reader.run (header *> sections input) 0 input 0

header :: Reader ()
header = do
  magic <- Reader.bytes 4
  unless (magic == "\0asm") (Reader.failureAt 0 NotAModule)
  version <- Reader.bytes 4
  unless (version == "\1\0\0\0") (Reader.failureAt 4 UnknownVersion)

-- | What the sections so far have said.
data Draft = Draft
  { draft :: !Module,
    draftTypes :: !(Vector Index),
    draftNeedsCount :: !(Maybe Int),
    draftBodies :: !Int,
    -- | The order number of the last section that was not a custom one.
    draftLast :: !Int
  }

sections :: ByteString -> Reader Module
sections input = go (Draft empty V.empty Nothing 0 0)
  where
    empty = Module V.empty V.empty V.empty V.empty V.empty V.empty V.empty Nothing V.empty V.empty Nothing []
    go d = do
      end <- Reader.atEnd
      if end then finish d else section input d >>= go
    finish (Draft m types needsCount bodies _) = do
      when (V.length types /= bodies) (Reader.failure FunctionsAndBodiesDiffer)
      let datas = V.length (moduleDatas m)
      when (maybe False (/= datas) (moduleDataCount m)) (Reader.failure DataCountAndSegmentsDiffer)
      case needsCount of
        -- Without a data segment validation refuses the same instruction.
        Just at | isNothing (moduleDataCount m), datas > 0 -> Reader.failureAt at DataCountMissing
        _ -> pure m {moduleCustoms = reverse (moduleCustoms m)}

-- | The place of each section in the order that they must have.
sectionOrder :: Int -> Maybe Int
sectionOrder = \case
  12 -> Just 10
  10 -> Just 11
  11 -> Just 12
  n | n >= 1 && n <= 9 -> Just n
  _ -> Nothing

section :: ByteString -> Draft -> Reader Draft
section input d = do
  at <- Reader.offset
  tag <- fromIntegral <$> Reader.byte
  size <- fromIntegral <$> Reader.u32
  if tag == 0
    then Reader.within size (custom size d)
    else case sectionOrder tag of
      Nothing -> Reader.failureAt at (UnknownSection tag)
      Just order
        | order <= draftLast d -> Reader.failureAt at (UnexpectedSection tag)
        | otherwise -> Reader.within size (content input tag d {draftLast = order})

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

content :: ByteString -> Int -> Draft -> Reader Draft
content input tag d = case tag of
  1 -> set (\v -> m {moduleTypes = v}) functionType
  2 -> set (\v -> m {moduleImports = v}) import_
  3 -> do
    v <- Reader.vec index
    pure d {draftTypes = v}
  4 -> set (\v -> m {moduleTables = v}) tableType
  5 -> set (\v -> m {moduleMems = v}) limits
  6 -> set (\v -> m {moduleGlobals = v}) (Global <$> globalType_ <*> expression input)
  7 -> set (\v -> m {moduleExports = v}) export
  8 -> do
    x <- index
    pure d {draft = m {moduleStart = Just x}}
  9 -> set (\v -> m {moduleElems = v}) (element input)
  10 -> code input d
  11 -> set (\v -> m {moduleDatas = v}) (segment input)
  _ -> do
    n <- index
    pure d {draft = m {moduleDataCount = Just n}}
  where
    m = draft d
    set put element_ = do
      v <- Reader.vec element_
      pure d {draft = put v}

index :: Reader Index
index = fromIntegral <$> Reader.u32

functionType :: Reader FuncType
functionType = do
  tagged "the tag of a function type" [0x60]
  FuncType <$> (V.toList <$> Reader.vec valType) <*> (V.toList <$> Reader.vec valType)

tagged :: Text -> [Word8] -> Reader ()
tagged what allowed = do
  at <- Reader.offset
  b <- Reader.byte
  unless (b `elem` allowed) (Reader.failureAt at (UnknownByte what (fromIntegral b)))

limits :: Reader Limits
limits = do
  at <- Reader.offset
  Reader.byte >>= \case
    0 -> (`Limits` Nothing) <$> Reader.u32
    1 -> Limits <$> Reader.u32 <*> (Just <$> Reader.u32)
    b -> Reader.failureAt at (UnknownByte "limits" (fromIntegral b))

tableType :: Reader TableType
tableType = do
  t <- refType
  (`TableType` t) <$> limits

globalType_ :: Reader GlobalType
globalType_ = do
  t <- valType
  at <- Reader.offset
  Reader.byte >>= \case
    0 -> pure (GlobalType Const t)
    1 -> pure (GlobalType Var t)
    b -> Reader.failureAt at (UnknownByte "a mutability" (fromIntegral b))

import_ :: Reader Import
import_ = Import <$> Reader.name <*> Reader.name <*> description
  where
    description = do
      at <- Reader.offset
      Reader.byte >>= \case
        0 -> ImportFunc <$> index
        1 -> ImportTable <$> tableType
        2 -> ImportMem <$> limits
        3 -> ImportGlobal <$> globalType_
        b -> Reader.failureAt at (UnknownByte "the kind of an import" (fromIntegral b))

export :: Reader Export
export = Export <$> Reader.name <*> description
  where
    description = do
      at <- Reader.offset
      Reader.byte >>= \case
        0 -> ExportFunc <$> index
        1 -> ExportTable <$> index
        2 -> ExportMem <$> index
        3 -> ExportGlobal <$> index
        b -> Reader.failureAt at (UnknownByte "the kind of an export" (fromIntegral b))

-- | An expression up to its end, checked and kept as bytes.
expression :: ByteString -> Reader Expr
expression input = do
  start <- Reader.offset
  _ <- scan
  Expr start . slice input start <$> Reader.offset

slice :: ByteString -> Int -> Int -> ByteString
slice input start end = B.take (end - start) (B.drop start input)

element :: ByteString -> Reader Elem
element input = do
  at <- Reader.offset
  Reader.u32 >>= \case
    0 -> do
      e <- expr
      (\v -> Elem FuncRef v (ElemActive 0 e)) <$> Reader.vec (ExprFunc <$> index)
    1 -> do
      kind
      (\v -> Elem FuncRef v ElemPassive) <$> Reader.vec (ExprFunc <$> index)
    2 -> do
      x <- index
      e <- expr
      kind
      (\v -> Elem FuncRef v (ElemActive x e)) <$> Reader.vec (ExprFunc <$> index)
    3 -> do
      kind
      (\v -> Elem FuncRef v ElemDeclarative) <$> Reader.vec (ExprFunc <$> index)
    4 -> do
      e <- expr
      (\v -> Elem FuncRef v (ElemActive 0 e)) <$> Reader.vec expr
    5 -> (\t v -> Elem t v ElemPassive) <$> refType <*> Reader.vec expr
    6 -> (\x e t v -> Elem t v (ElemActive x e)) <$> index <*> expr <*> refType <*> Reader.vec expr
    7 -> (\t v -> Elem t v ElemDeclarative) <$> refType <*> Reader.vec expr
    n -> Reader.failureAt at (UnknownByte "the kind of an element segment" (fromIntegral n))
  where
    expr = expression input
    kind = tagged "the kind of elements" [0]

segment :: ByteString -> Reader Data
segment input = do
  at <- Reader.offset
  Reader.u32 >>= \case
    0 -> do
      e <- expression input
      (`Data` DataActive 0 e) <$> contents
    1 -> (`Data` DataPassive) <$> contents
    2 -> do
      x <- index
      e <- expression input
      (`Data` DataActive x e) <$> contents
    n -> Reader.failureAt at (UnknownByte "the kind of a data segment" (fromIntegral n))
  where
    contents = Reader.u32 >>= Reader.bytes . fromIntegral

code :: ByteString -> Draft -> Reader Draft
code input d = do
  at <- Reader.offset
  n <- fromIntegral <$> Reader.u32
  when (n /= V.length types) (Reader.failureAt at FunctionsAndBodiesDiffer)
  v <- V.mapM body types
  let needs = V.foldl' (\found (_, needed) -> found <|> needed) Nothing v
  pure d {draft = (draft d) {moduleFuncs = fmap fst v}, draftNeedsCount = needs, draftBodies = n}
  where
    types = draftTypes d
    body x = do
      size <- fromIntegral <$> Reader.u32
      Reader.within size $ do
        at <- Reader.offset
        groups <- V.toList <$> Reader.vec ((,) <$> Reader.u32 <*> valType)
        when (sum (map (toInteger . fst) groups) > toInteger (maxBound :: Word32)) (Reader.failureAt at TooManyLocals)
        start <- Reader.offset
        needed <- scan
        end <- Reader.offset
        pure (Func x [(fromIntegral k, t) | (k, t) <- groups] (Expr start (slice input start end)), needed)
