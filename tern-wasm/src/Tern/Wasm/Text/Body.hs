{-# LANGUAGE OverloadedStrings #-}

-- | Functions and instructions of the text format, written as bytes.
--
-- The idea: a sequence of trees is read from the left; a folded instruction
-- writes what is folded into it first. Names are looked up in 'Names', labels in
-- a list, and types that are only meant are added behind those that are written.
--
-- Start at 'row'.
module Tern.Wasm.Text.Body
  ( -- * Reading
    P,
    evaluate,
    refuse,
    expected,
    end,

    -- * Names
    Names (..),
    Space (..),
    noNames,
    isName,
    isIndex,
    optionalName,
    index,
    number,

    -- * Types
    addType,
    allTypes,
    signature,
    typeUse,
    funcTypeBytes,
    valTypeByte,
    refTypeByte,

    -- * Code
    function,
    expression,
    leb,
  )
where

import Control.Monad (foldM, unless, when)
import Data.Bits (countTrailingZeros, popCount, shiftL, shiftR, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (Builder)
import Data.ByteString.Builder qualified as BB
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.Char (isDigit)
import Data.Int (Int64)
import Data.List (elemIndex)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Sequence (Seq)
import Data.Sequence qualified as Seq
import Data.Text (Text)
import Data.Word (Word64, Word8)
import Tern.Wasm.Opcode (Immediate (..), Operator (..), operator, operatorNamed)
import Tern.Wasm.Syntax (FuncType (..), RefType (..), ValType (..))
import Tern.Wasm.Text.Number
import Tern.Wasm.Text.Tree

-- * Reading

-- | Reading with the types so far as a state.
newtype P a = P (Types -> Either TextError (a, Types))

data Types = Types !(Seq FuncType) !(Map FuncType Int)

instance Functor P where
  fmap f (P p) = P $ \s -> case p s of
    Left e -> Left e
    Right (a, s') -> Right (f a, s')

instance Applicative P where
  pure a = P $ \s -> Right (a, s)
  P f <*> P p = P $ \s -> case f s of
    Left e -> Left e
    Right (g, s') -> case p s' of
      Left e -> Left e
      Right (a, s'') -> Right (g a, s'')

instance Monad P where
  P p >>= f = P $ \s -> case p s of
    Left e -> Left e
    Right (a, s') -> let P q = f a in q s'

evaluate :: P a -> Either TextError a
evaluate (P p) = fst <$> p (Types Seq.empty Map.empty)

refuse :: Int -> Text -> P a
refuse o what = P $ \_ -> Left (TextError o what)

expected :: Tree -> Text -> Either TextError a
expected t what = Left (TextError (treeOffset t) what)

-- | Nothing may be left.
end :: [Tree] -> P ()
end = \case
  [] -> pure ()
  t : _ -> refuse (treeOffset t) "nothing more here"

-- * Names

-- | Names of one kind, and the next index.
data Space = Space !(Map ByteString Int) !Int

data Names = Names
  { nameTypes, nameFuncs, nameTables, nameMems, nameGlobals, nameElems, nameDatas :: !Space,
    -- | Whether something was defined that imports must come before.
    namesDefined :: !Bool
  }

noNames :: Names
noNames = Names none none none none none none none False
  where
    none = Space Map.empty 0

isName :: ByteString -> Bool
isName w = BC.take 1 w == "$" && B.length w > 1

isIndex :: ByteString -> Bool
isIndex w = isName w || BC.all (\c -> isDigit c || c == '_') (BC.take 1 w) && not (B.null w)

optionalName :: [Tree] -> (Maybe ByteString, [Tree])
optionalName = \case
  Atom _ w : rest | isName w -> (Just w, rest)
  rest -> (Nothing, rest)

-- | A name or a number.
index :: Space -> Tree -> P Int
index (Space m _) t = case t of
  Atom o w
    | isName w -> maybe (refuse o "a name that is known") pure (Map.lookup w m)
  _ -> number t

number :: Tree -> P Int
number = \case
  Atom o w -> maybe (refuse o "a number below 2^32") (pure . fromIntegral) (unsigned w)
  t -> refuse (treeOffset t) "a number"

-- * Types

addType :: FuncType -> P ()
addType ft = P $ \(Types s m) -> Right ((), Types (s Seq.|> ft) (Map.insertWith (\_ old -> old) ft (Seq.length s) m))

allTypes :: P (Seq FuncType)
allTypes = P $ \t@(Types s _) -> Right (s, t)

-- | The first type that is equal, or a new one.
typeIndex :: FuncType -> P Int
typeIndex ft = P $ \t@(Types s m) -> case Map.lookup ft m of
  Just x -> Right (x, t)
  Nothing -> Right (Seq.length s, Types (s Seq.|> ft) (Map.insert ft (Seq.length s) m))

typeAt :: Int -> P (Maybe FuncType)
typeAt x = P $ \t@(Types s _) -> Right (Seq.lookup x s, t)

valType :: Tree -> P ValType
valType = \case
  Atom _ "i32" -> pure I32
  Atom _ "i64" -> pure I64
  Atom _ "f32" -> pure F32
  Atom _ "f64" -> pure F64
  Atom _ "v128" -> pure V128
  Atom _ "funcref" -> pure (Ref FuncRef)
  Atom _ "externref" -> pure (Ref ExternRef)
  t -> refuse (treeOffset t) "a value type"

typeByte :: ValType -> Word8
typeByte = \case
  I32 -> 0x7F
  I64 -> 0x7E
  F32 -> 0x7D
  F64 -> 0x7C
  V128 -> 0x7B
  Ref FuncRef -> 0x70
  Ref ExternRef -> 0x6F

valTypeByte :: Tree -> P Word8
valTypeByte = fmap typeByte . valType

refTypeByte :: Int -> ByteString -> P Word8
refTypeByte o = \case
  "funcref" -> pure 0x70
  "externref" -> pure 0x6F
  _ -> refuse o "funcref or externref"

funcTypeBytes :: FuncType -> Builder
funcTypeBytes (FuncType ps rs) = BB.word8 0x60 <> list ps <> list rs
  where
    list ts = leb (length ts) <> foldMap (BB.word8 . typeByte) ts

-- | Parameters, then results: the parameters' names, the type and what follows.
-- Names stand only where they are allowed.
signature :: Bool -> [Tree] -> P ([Maybe ByteString], FuncType, [Tree])
signature named = params [] []
  where
    params ns ts = \case
      List _ [Atom _ "param", Atom o w, t]
        : rest
          | isName w ->
              if named then valType t >>= \v -> params (Just w : ns) (v : ts) rest else refuse o "no name"
      List _ (Atom _ "param" : ps) : rest -> do
        vs <- mapM valType ps
        params (map (const Nothing) vs <> ns) (reverse vs <> ts) rest
      rest -> results (reverse ns) (reverse ts) [] rest
    results ns ps ts = \case
      List _ (Atom _ "result" : rs) : rest -> do
        vs <- mapM valType rs
        results ns ps (reverse vs <> ts) rest
      rest -> pure (ns, FuncType ps (reverse ts), rest)

-- | A type by index, by signature, or by both, which must then agree.
typeUse :: Names -> Bool -> [Tree] -> P (Int, [Maybe ByteString], [Tree])
typeUse ns named = \case
  List o [Atom _ "type", x] : rest -> do
    n <- index (nameTypes ns) x
    (names, ft, left) <- signature named rest
    found <- typeAt n
    let written = not (null (funcParams ft) && null (funcResults ft))
    when (written && found /= Just ft) (refuse o "a signature that agrees with the type")
    let arity = maybe 0 (length . funcParams) found
    pure (n, if written then names else replicate arity Nothing, left)
  rest -> do
    (names, ft, left) <- signature named rest
    n <- typeIndex ft
    pure (n, names, left)

-- * Code

data Scope = Scope
  { names :: !Names,
    locals :: !Space,
    -- | The labels of open blocks, the innermost first.
    labels :: ![Maybe ByteString]
  }

-- | A body with its size and its locals, given the parameters' names.
function :: Names -> Int -> [Maybe ByteString] -> [Tree] -> P Builder
function ns _ params trees = do
  start <- foldM name (Space Map.empty 0) (map (0,) params)
  (space, types, rest) <- declared start [] trees
  code <- wholly (Scope ns space [Nothing]) rest
  let body = BL.toStrict (BB.toLazyByteString (leb (length types) <> foldMap (\t -> leb 1 <> BB.word8 t) (reverse types) <> code <> BB.word8 0x0B))
  pure (leb (B.length body) <> BB.byteString body)
  where
    name (Space m n) (o, given) = case given of
      Just w
        | Map.member w m -> refuse o "a local's name that is not taken"
        | otherwise -> pure (Space (Map.insert w n m) (n + 1))
      Nothing -> pure (Space m (n + 1))
    declared space types = \case
      List o [Atom _ "local", Atom _ w, t] : rest | isName w -> do
        b <- valTypeByte t
        space' <- name space (o, Just w)
        declared space' (b : types) rest
      List o (Atom _ "local" : ts) : rest -> do
        bs <- mapM valTypeByte ts
        space' <- foldM name space (map (const (o, Nothing)) bs)
        declared space' (reverse bs <> types) rest
      rest -> pure (space, types, rest)

-- | A constant expression with its end.
expression :: Names -> [Tree] -> P Builder
expression ns trees = (<> BB.word8 0x0B) <$> wholly (Scope ns (Space Map.empty 0) [Nothing]) trees

wholly :: Scope -> [Tree] -> P Builder
wholly sc trees = do
  (code, rest) <- row sc trees
  end rest
  pure code

-- | Instructions up to an @end@ or @else@ that belongs to somebody outside.
row :: Scope -> [Tree] -> P (Builder, [Tree])
row sc = go mempty
  where
    go acc trees = case trees of
      [] -> pure (acc, [])
      Atom _ w : _ | w == "end" || w == "else" -> pure (acc, trees)
      Atom o w : rest -> do
        (code, rest') <- flat sc o w rest
        go (acc <> code) rest'
      List o (Atom o' w : inner) : rest -> do
        code <- folded sc o o' w inner
        go (acc <> code) rest
      t : _ -> refuse (treeOffset t) "an instruction"

-- | An instruction and what follows it in its row.
flat :: Scope -> Int -> ByteString -> [Tree] -> P (Builder, [Tree])
flat sc o w rest = case w of
  "block" -> block 0x02
  "loop" -> block 0x03
  "if" -> do
    (label, bt, inner) <- opening sc rest
    (code, after) <- row (inside label) inner
    case after of
      Atom _ "else" : more -> do
        more' <- closing label more
        (code', after') <- row (inside label) more'
        after'' <- finish label after'
        pure (BB.word8 0x04 <> bt <> code <> BB.word8 0x05 <> code' <> BB.word8 0x0B, after'')
      _ -> do
        after' <- finish label after
        pure (BB.word8 0x04 <> bt <> code <> BB.word8 0x0B, after')
  _ -> plain sc o w rest
  where
    inside label = sc {labels = label : labels sc}
    block b = do
      (label, bt, inner) <- opening sc rest
      (code, after) <- row (inside label) inner
      after' <- finish label after
      pure (BB.word8 b <> bt <> code <> BB.word8 0x0B, after')
    finish label = \case
      Atom _ "end" : more -> closing label more
      _ -> refuse o "an end for this block"

-- | The label that may stand again behind @end@ and @else@.
closing :: Maybe ByteString -> [Tree] -> P [Tree]
closing label = \case
  Atom o w : rest
    | isName w -> if label == Just w then pure rest else refuse o "the label of the block"
  rest -> pure rest

-- | A label, a block's type and what follows.
opening :: Scope -> [Tree] -> P (Maybe ByteString, Builder, [Tree])
opening sc trees = do
  let (label, rest) = optionalName trees
      typed = case rest of
        List _ (Atom _ "type" : _) : _ -> True
        _ -> False
  (_, ft, after) <- if typed then pure ([], FuncType [] [], rest) else signature False rest
  case ft of
    FuncType [] [] | not typed -> pure (label, BB.word8 0x40, after)
    FuncType [] [t] | not typed -> pure (label, BB.word8 (typeByte t), after)
    _ -> do
      (x, _, after') <- typeUse (names sc) False rest
      pure (label, signedLeb (fromIntegral x), after')

folded :: Scope -> Int -> Int -> ByteString -> [Tree] -> P Builder
folded sc o o' w inner = case w of
  "block" -> block 0x02
  "loop" -> block 0x03
  "if" -> do
    (label, bt, rest) <- opening sc inner
    (condition, branches) <- conditions mempty rest
    let inside = sc {labels = label : labels sc}
    case branches of
      [List _ (Atom _ "then" : yes)] -> do
        code <- wholly inside yes
        pure (condition <> BB.word8 0x04 <> bt <> code <> BB.word8 0x0B)
      [List _ (Atom _ "then" : yes), List _ (Atom _ "else" : no)] -> do
        code <- wholly inside yes
        code' <- wholly inside no
        pure (condition <> BB.word8 0x04 <> bt <> code <> BB.word8 0x05 <> code' <> BB.word8 0x0B)
      _ -> refuse o "then, and at most an else"
  _ -> do
    (code, rest) <- plain sc o' w inner
    operands <- mapM operand rest
    pure (mconcat operands <> code)
  where
    block b = do
      (label, bt, rest) <- opening sc inner
      code <- wholly sc {labels = label : labels sc} rest
      pure (BB.word8 b <> bt <> code <> BB.word8 0x0B)
    conditions acc = \case
      t@(List _ (Atom _ k : _)) : rest | k /= "then" -> do
        code <- operand t
        conditions (acc <> code) rest
      rest -> pure (acc, rest)
    operand = \case
      List p (Atom p' k : more) -> folded sc p p' k more
      t -> refuse (treeOffset t) "a folded instruction"

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
      x : before -> pure (BB.word8 0x0E <> leb (length before) <> foldMap leb (reverse before) <> leb x, after)
  "return" -> bare 0x0F
  "call" -> one 0x10 (index (nameFuncs ns))
  "call_indirect" -> do
    (table, after) <- optional (nameTables ns) rest
    (x, _, after') <- typeUse ns False after
    pure (BB.word8 0x11 <> leb x <> leb table, after')
  "drop" -> bare 0x1A
  "select" -> case rest of
    List _ (Atom _ "result" : _) : _ -> do
      (_, ft, after) <- signature False rest
      pure (BB.word8 0x1C <> leb (length (funcResults ft)) <> foldMap (BB.word8 . typeByte) (funcResults ft), after)
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
    x : y : after | target x, target y -> (\a b -> (prefixed 0xFC 14 <> leb a <> leb b, after)) <$> index (nameTables ns) x <*> index (nameTables ns) y
    _ -> pure (prefixed 0xFC 14 <> leb 0 <> leb 0, rest)
  "table.init" -> case rest of
    x : y : after | target x, target y -> (\t e -> (prefixed 0xFC 12 <> leb e <> leb t, after)) <$> index (nameTables ns) x <*> index (nameElems ns) y
    y : after -> (\e -> (prefixed 0xFC 12 <> leb e <> leb 0, after)) <$> index (nameElems ns) y
    [] -> refuse o "a segment"
  "elem.drop" -> first (index (nameElems ns)) $ \x -> prefixed 0xFC 13 <> leb x
  "memory.size" -> pure (BB.word8 0x3F <> BB.word8 0, rest)
  "memory.grow" -> pure (BB.word8 0x40 <> BB.word8 0, rest)
  "memory.copy" -> pure (prefixed 0xFC 10 <> BB.word8 0 <> BB.word8 0, rest)
  "memory.fill" -> pure (prefixed 0xFC 11 <> BB.word8 0, rest)
  "memory.init" -> first (index (nameDatas ns)) $ \x -> prefixed 0xFC 8 <> leb x <> BB.word8 0
  "data.drop" -> first (index (nameDatas ns)) $ \x -> prefixed 0xFC 9 <> leb x
  "i32.const" -> first (literal "an i32" (integer 32)) $ \v -> BB.word8 0x41 <> signedLeb (extend 32 v)
  "i64.const" -> first (literal "an i64" (integer 64)) $ \v -> BB.word8 0x42 <> signedLeb (fromIntegral v)
  "f32.const" -> first (literal "an f32" float32) $ \v -> BB.word8 0x43 <> BB.word32LE v
  "f64.const" -> first (literal "an f64" float64) $ \v -> BB.word8 0x44 <> BB.word64LE v
  "ref.null" -> case rest of
    Atom _ "func" : after -> pure (BB.word8 0xD0 <> BB.word8 0x70, after)
    Atom _ "extern" : after -> pure (BB.word8 0xD0 <> BB.word8 0x6F, after)
    _ -> refuse o "func or extern"
  "ref.is_null" -> bare 0xD1
  "ref.func" -> one 0xD2 (index (nameFuncs ns))
  "v128.const" -> vectorConstant o rest
  "i8x16.shuffle" -> do
    lanes <- mapM lane (take 16 rest)
    when (length lanes /= 16) (refuse o "16 lanes")
    pure (prefixed 0xFD 13 <> foldMap BB.word8 lanes, drop 16 rest)
  _ -> case operatorNamed (BC.unpack w) of
    Just code | Just op <- operator code -> case operatorImmediate op of
      NoImmediate -> pure (opcode code, rest)
      MemoryImmediate natural -> do
        (arg, after) <- memArg natural rest
        pure (opcode code <> arg, after)
      MemoryLaneImmediate natural -> do
        (arg, after) <- memArg natural rest
        case after of
          l : after' -> (\b -> (opcode code <> arg <> BB.word8 b, after')) <$> lane l
          [] -> refuse o "a lane"
      LaneImmediate _ -> case rest of
        l : after -> (\b -> (opcode code <> BB.word8 b, after)) <$> lane l
        [] -> refuse o "a lane"
    _ -> refuse o "an instruction that is known"
  where
    ns = names sc
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
    label t = case t of
      Atom p k
        | isName k -> maybe (refuse p "a label that is open") pure (elemIndex (Just k) (labels sc))
      _ -> number t

literal :: Text -> (ByteString -> Maybe a) -> Tree -> P a
literal what f = \case
  Atom o w -> maybe (refuse o what) pure (f w)
  t -> refuse (treeOffset t) what

lane :: Tree -> P Word8
lane t = do
  n <- number t
  unless (n < 256) (refuse (treeOffset t) "a lane below 256")
  pure (fromIntegral n)

memArg :: Int -> [Tree] -> P (Builder, [Tree])
memArg natural trees = do
  (offset, rest) <- part "offset=" 0 trees
  (align, rest') <- part "align=" (1 `shiftL` natural) rest
  when (popCount align /= 1) $ refuse (maybe 0 treeOffset (safeHead rest)) "an alignment that is a power of two"
  pure (leb (countTrailingZeros align) <> leb offset, rest')
  where
    safeHead = foldr (\t _ -> Just t) Nothing
    part key other = \case
      Atom o w : rest
        | Just v <- B.stripPrefix key w -> case unsigned v of
            Just n -> pure (fromIntegral n :: Int, rest)
            Nothing -> refuse o "a number below 2^32"
      rest -> pure (other, rest)

vectorConstant :: Int -> [Tree] -> P (Builder, [Tree])
vectorConstant o = \case
  Atom _ "i8x16" : rest -> lanes 16 (fmap (BB.word8 . fromIntegral) . literal "a lane of 8 bits" (integer 8)) rest
  Atom _ "i16x8" : rest -> lanes 8 (fmap (BB.word16LE . fromIntegral) . literal "a lane of 16 bits" (integer 16)) rest
  Atom _ "i32x4" : rest -> lanes 4 (fmap (BB.word32LE . fromIntegral) . literal "a lane of 32 bits" (integer 32)) rest
  Atom _ "i64x2" : rest -> lanes 2 (fmap BB.word64LE . literal "a lane of 64 bits" (integer 64)) rest
  Atom _ "f32x4" : rest -> lanes 4 (fmap BB.word32LE . literal "an f32" float32) rest
  Atom _ "f64x2" : rest -> lanes 2 (fmap BB.word64LE . literal "an f64" float64) rest
  _ -> refuse o "a shape"
  where
    lanes n f rest = do
      when (length (take n rest) < n) (refuse o "a value for every lane")
      bs <- mapM f (take n rest)
      pure (prefixed 0xFD 12 <> mconcat bs, drop n rest)

-- * Bytes

opcode :: Int -> Builder
opcode code
  | code < 0x100 = BB.word8 (fromIntegral code)
  | code < 0x200 = prefixed 0xFC (code - 0x100)
  | otherwise = prefixed 0xFD (code - 0x200)

prefixed :: Word8 -> Int -> Builder
prefixed p n = BB.word8 p <> leb n

leb :: Int -> Builder
leb n
  | n < 128 = BB.word8 (fromIntegral n)
  | otherwise = BB.word8 (fromIntegral (n .&. 127) .|. 128) <> leb (n `shiftR` 7)

signedLeb :: Int64 -> Builder
signedLeb n
  | n >= -64 && n < 64 = BB.word8 (fromIntegral n .&. 127)
  | otherwise = BB.word8 (fromIntegral (n .&. 127) .|. 128) <> signedLeb (n `shiftR` 7)

extend :: Int -> Word64 -> Int64
extend bits v = (fromIntegral v `shiftL` (64 - bits)) `shiftR` (64 - bits)
