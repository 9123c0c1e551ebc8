{-# LANGUAGE OverloadedStrings #-}

-- | Instructions of the text format that open no block, written as bytes.
--
-- Start at 'plain'.
module Tern.Wasm.Text.Plain
  ( -- * Scopes
    Scope (..),
    maxDepth,
    labelIndex,

    -- * Instructions
    plain,
  )
where

import Control.Monad (unless, when)
import Data.Bits (countTrailingZeros, popCount, shiftL, (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (Builder)
import Data.ByteString.Builder qualified as BB
import Data.ByteString.Char8 qualified as BC
import Data.IntMap.Strict qualified as IntMap
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (listToMaybe)
import Data.Text (Text)
import Data.Word (Word64, Word8)
import Tern.Wasm.Aggregate (Index2 (..), Indices (..), Row (..), aggregate, aggregateNamed)
import Tern.Wasm.Opcode (Immediate (..), Operator (..), operatorNamed)
import Tern.Wasm.Text.Bytes (extend, leb, opcode, prefixed, signedLeb, unsignedLeb)
import Tern.Wasm.Text.Number (float32, float64, integer, unsigned64)
import Tern.Wasm.Text.Scope
  ( Names (..),
    P,
    Space,
    index,
    isIndex,
    isName,
    noSpace,
    number,
    refuse,
    startsIndex,
  )
import Tern.Wasm.Text.Tree (Tree (..), treeOffset)
import Tern.Wasm.Text.Types (heapType, heapTypeBytes, refType, signature, typeUse, valTypeBytes)
import Tern.Wasm.Type (FuncType (..), RefType (..))

-- * Scopes

-- | What has a name within a body: the module's things, the locals, the open blocks.
data Scope = Scope
  { names :: !Names,
    locals :: !Space,
    -- | For each name of an open block, how many blocks are open around the innermost that has it.
    labels :: !(Map ByteString Int),
    -- | How many blocks are open.
    depth :: !Int
  }

-- | Blocks may be nested so deeply; reading them recurses.
maxDepth :: Int
maxDepth = 10000

-- | A label by its name, the innermost one that has it; or by its number, as it is written.
labelIndex :: Scope -> Tree -> P Int
labelIndex sc t = case t of
  Atom p k
    | isName k -> case Map.lookup k (labels sc) of
        Just around -> pure (depth sc - 1 - around)
        Nothing -> refuse p "a label that is open"
  _ -> number t

-- * Instructions

-- | An instruction that opens no block, with its immediates.
plain :: Scope -> Int -> ByteString -> [Tree] -> P (Builder, [Tree])
plain sc o w rest = case w of
  "unreachable" -> bare 0x00
  "nop" -> bare 0x01
  "br" -> one 0x0C label
  "br_if" -> one 0x0D label
  "br_table" -> do
    let (targets, after) = span target rest
    xs <- mapM label targets
    case reverse xs of
      [] -> refuse o "a label"
      x : before ->
        pure (BB.word8 0x0E <> leb (length before) <> foldMap leb (reverse before) <> leb x, after)
  "return" -> bare 0x0F
  "call" -> one 0x10 (index (nameFuncs ns))
  "call_indirect" -> indirect 0x11
  "return_call" -> one 0x12 (index (nameFuncs ns))
  "return_call_indirect" -> indirect 0x13
  "call_ref" -> one 0x14 (index (nameTypes ns))
  "return_call_ref" -> one 0x15 (index (nameTypes ns))
  "throw" -> one 0x08 (index (nameTags ns))
  "throw_ref" -> bare 0x0A
  "br_on_null" -> one 0xD5 label
  "br_on_non_null" -> one 0xD6 label
  "br_on_cast" -> onCast 24
  "br_on_cast_fail" -> onCast 25
  "drop" -> bare 0x1A
  "select" -> case rest of
    List _ (Atom _ "result" : _) : _ -> do
      (_, ft, after) <- signature ns False rest
      pure
        ( BB.word8 0x1C
            <> leb (length (funcResults ft))
            <> foldMap valTypeBytes (funcResults ft),
          after
        )
    _ -> bare 0x1B
  "local.get" -> one 0x20 (index (locals sc))
  "local.set" -> one 0x21 (index (locals sc))
  "local.tee" -> one 0x22 (index (locals sc))
  "global.get" -> one 0x23 (index (nameGlobals ns))
  "global.set" -> one 0x24 (index (nameGlobals ns))
  "table.get" -> table1 (BB.word8 0x25)
  "table.set" -> table1 (BB.word8 0x26)
  "table.size" -> table1 (prefixed 0xFC 16)
  "table.grow" -> table1 (prefixed 0xFC 15)
  "table.fill" -> table1 (prefixed 0xFC 17)
  "table.copy" -> case rest of
    x : y : after
      | target x,
        target y ->
          (\a b -> (prefixed 0xFC 14 <> leb a <> leb b, after))
            <$> index (nameTables ns) x
            <*> index (nameTables ns) y
    _ -> pure (prefixed 0xFC 14 <> leb 0 <> leb 0, rest)
  "table.init" -> case rest of
    x : y : after
      | target x,
        target y ->
          (\t e -> (prefixed 0xFC 12 <> leb e <> leb t, after))
            <$> index (nameTables ns) x
            <*> index (nameElems ns) y
    y : after -> (\e -> (prefixed 0xFC 12 <> leb e <> leb 0, after)) <$> index (nameElems ns) y
    [] -> refuse o "a segment"
  "elem.drop" -> first (index (nameElems ns)) $ \x -> prefixed 0xFC 13 <> leb x
  "memory.size" -> memory1 (BB.word8 0x3F)
  "memory.grow" -> memory1 (BB.word8 0x40)
  "memory.fill" -> memory1 (prefixed 0xFC 11)
  "memory.copy" -> case rest of
    x : y : after
      | target x,
        target y ->
          (\a b -> (prefixed 0xFC 10 <> leb a <> leb b, after))
            <$> index (nameMems ns) x
            <*> index (nameMems ns) y
    _ -> pure (prefixed 0xFC 10 <> BB.word8 0 <> BB.word8 0, rest)
  "memory.init" -> case rest of
    x : y : after
      | target x,
        target y ->
          (\m d -> (prefixed 0xFC 8 <> leb d <> leb m, after))
            <$> index (nameMems ns) x
            <*> index (nameDatas ns) y
    y : after -> (\d -> (prefixed 0xFC 8 <> leb d <> BB.word8 0, after)) <$> index (nameDatas ns) y
    [] -> refuse o "a segment"
  "data.drop" -> first (index (nameDatas ns)) $ \x -> prefixed 0xFC 9 <> leb x
  "i32.const" ->
    first (literal "an i32" (integer 32)) $ \v -> BB.word8 0x41 <> signedLeb (extend 32 v)
  "i64.const" ->
    first (literal "an i64" (integer 64)) $ \v -> BB.word8 0x42 <> signedLeb (fromIntegral v)
  "f32.const" -> first (literal "an f32" float32) $ \v -> BB.word8 0x43 <> BB.word32LE v
  "f64.const" -> first (literal "an f64" float64) $ \v -> BB.word8 0x44 <> BB.word64LE v
  "ref.null" -> first (heapType ns) $ \h -> BB.word8 0xD0 <> heapTypeBytes h
  "ref.eq" -> bare 0xD3
  "ref.as_non_null" -> bare 0xD4
  "ref.test" ->
    first (refType ns) $ \(RefType n h) -> prefixed 0xFB (if n then 21 else 20) <> heapTypeBytes h
  "ref.cast" ->
    first (refType ns) $ \(RefType n h) -> prefixed 0xFB (if n then 23 else 22) <> heapTypeBytes h
  "ref.is_null" -> bare 0xD1
  "ref.func" -> one 0xD2 (index (nameFuncs ns))
  _ | Just g <- aggregateNamed (BC.unpack w) -> object (aggregate g)
  _ -> case operatorNamed (BC.unpack w) of
    Just op -> operated op
    Nothing -> refuse o "an instruction that is known"
  where
    ns = names sc
    operated op = case operatorImmediate op of
      NoImmediate -> pure (code, rest)
      MemoryImmediate align -> do
        (arg, after) <- memArg ns align (target' rest) rest
        pure (code <> arg, after)
      MemoryLaneImmediate align -> do
        (arg, after) <- memArg ns align (length (takeWhile immediate_ rest) > 1) rest
        case after of
          l : after' -> (\b -> (code <> arg <> BB.word8 b, after')) <$> lane l
          [] -> refuse o "a lane"
      LaneImmediate _ -> case rest of
        l : after -> (\b -> (code <> BB.word8 b, after)) <$> lane l
        [] -> refuse o "a lane"
      ConstantImmediate -> do
        (lanes, after) <- vectorConstant o rest
        pure (code <> lanes, after)
      ShuffleImmediate -> do
        lanes <- mapM lane (take 16 rest)
        when (length lanes /= 16) (refuse o "16 lanes")
        pure (code <> foldMap BB.word8 lanes, drop 16 rest)
      where
        code = opcode (operatorCode op)
    bare b = pure (BB.word8 b, rest)
    first f build = case rest of
      x : after -> (\v -> (build v, after)) <$> f x
      [] -> refuse o "an operand"
    one b f = first f (\x -> BB.word8 b <> leb x)
    table1 code = do
      (x, after) <- optional (nameTables ns) rest
      pure (code <> leb x, after)
    optional space = \case
      x : after | target x -> (,after) <$> index space x
      after -> pure (0, after)
    target = \case
      Atom _ k -> isIndex k
      _ -> False
    target' = startsIndex
    -- Of a lane's access the last number is the lane, one before it the memory.
    immediate_ = \case
      Atom _ k -> isIndex k || "offset=" `B.isPrefixOf` k || "align=" `B.isPrefixOf` k
      _ -> False
    label = labelIndex sc
    memory1 code = do
      (x, after) <- optional (nameMems ns) rest
      pure (code <> leb x, after)
    indirect b = do
      (table, after) <- optional (nameTables ns) rest
      (x, _, after') <- typeUse ns False after
      pure (BB.word8 b <> leb x <> leb table, after')
    onCast n = case rest of
      l : a : b : after -> do
        x <- label l
        RefType na ha <- refType ns a
        RefType nb hb <- refType ns b
        pure
          ( prefixed 0xFB n
              <> BB.word8 ((if na then 1 else 0) .|. (if nb then 2 else 0))
              <> leb x
              <> heapTypeBytes ha
              <> heapTypeBytes hb,
            after
          )
      _ -> refuse o "a label and two reference types"
    object row = case rowIndices row of
      NoIndex -> pure (code, rest)
      TypeIndex -> first (index (nameTypes ns)) $ \x -> code <> leb x
      TypeAnd second -> case rest of
        a : b : after -> do
          x <- index (nameTypes ns) a
          y <- case second of
            OfField -> index (IntMap.findWithDefault noSpace x (nameFields ns)) b
            OfCount -> number b
            OfType -> index (nameTypes ns) b
            OfData -> index (nameDatas ns) b
            OfElem -> index (nameElems ns) b
          pure (code <> leb x <> leb y, after)
        _ -> refuse o "two indices"
      where
        code = prefixed 0xFB (rowCode row)

literal :: Text -> (ByteString -> Maybe a) -> Tree -> P a
literal what f = \case
  Atom o w -> maybe (refuse o what) pure (f w)
  t -> refuse (treeOffset t) what

lane :: Tree -> P Word8
lane t = do
  n <- number t
  unless (n < 256) (refuse (treeOffset t) "a lane below 256")
  pure (fromIntegral n)

-- | A memory's index if there is one, the offset and the alignment.
memArg :: Names -> Int -> Bool -> [Tree] -> P (Builder, [Tree])
memArg ns natural indexed trees = do
  (x, trees') <- case trees of
    t : rest | indexed && startsIndex trees -> (,rest) <$> index (nameMems ns) t
    _ -> pure (0, trees)
  (offset, rest) <- part "offset=" 0 trees'
  (align, rest') <- part "align=" (1 `shiftL` natural) rest
  when (popCount align /= 1) $
    refuse (maybe 0 treeOffset (listToMaybe rest)) "an alignment that is a power of two"
  pure
    ( leb (countTrailingZeros align .|. (if x > 0 then 64 else 0))
        <> (if x > 0 then leb x else mempty)
        <> unsignedLeb offset,
      rest'
    )
  where
    part key other = \case
      Atom o w : rest
        | Just v <- B.stripPrefix key w -> case unsigned64 v of
            Just n -> pure (n :: Word64, rest)
            Nothing -> refuse o "a number below 2^64"
      rest -> pure (other, rest)

vectorConstant :: Int -> [Tree] -> P (Builder, [Tree])
vectorConstant o = \case
  Atom _ "i8x16" : rest ->
    lanes 16 (fmap (BB.word8 . fromIntegral) . literal "a lane of 8 bits" (integer 8)) rest
  Atom _ "i16x8" : rest ->
    lanes 8 (fmap (BB.word16LE . fromIntegral) . literal "a lane of 16 bits" (integer 16)) rest
  Atom _ "i32x4" : rest ->
    lanes 4 (fmap (BB.word32LE . fromIntegral) . literal "a lane of 32 bits" (integer 32)) rest
  Atom _ "i64x2" : rest ->
    lanes 2 (fmap BB.word64LE . literal "a lane of 64 bits" (integer 64)) rest
  Atom _ "f32x4" : rest -> lanes 4 (fmap BB.word32LE . literal "an f32" float32) rest
  Atom _ "f64x2" : rest -> lanes 2 (fmap BB.word64LE . literal "an f64" float64) rest
  _ -> refuse o "a shape"
  where
    lanes n f rest = do
      when (length (take n rest) < n) (refuse o "a value for every lane")
      bs <- mapM f (take n rest)
      pure (mconcat bs, drop n rest)
