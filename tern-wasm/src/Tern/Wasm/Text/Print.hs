{-# LANGUAGE OverloadedStrings #-}

-- | Modules as text, in the specification's format.
--
-- The idea: every part stands under its index, instructions one a line and
-- indented by their blocks; floats are written in hexadecimal, which is exact.
-- Nothing is validated: what can be decoded can be looked at.
--
-- Start at 'printModule'.
module Tern.Wasm.Text.Print
  ( printModule,
    printInstr,
  )
where

import Data.Bits (shiftL, shiftR, (.&.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Char (chr)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Text.Lazy qualified as TL
import Data.Text.Lazy.Builder (Builder, fromString, fromText, toLazyText)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Word (Word32, Word64, Word8)
import Numeric (showHex)
import Tern.Wasm.Aggregate (Indices (..), Row (..), aggregate)
import Tern.Wasm.Binary (decode)
import Tern.Wasm.Binary.Instr (instructions)
import Tern.Wasm.Error (Malformed, renderHeap, renderRef)
import Tern.Wasm.Opcode (Operator (..), VectorOp (..), accessOperator, natural, vectorOperator)
import Tern.Wasm.Syntax
import Tern.Wasm.Text.Name (instrName)

-- | The text of a module. Linear in its size.
printModule :: ByteString -> Either Malformed Text
printModule bytes = TL.toStrict . toLazyText . module_ <$> decode bytes

module_ :: Module -> Builder
module_ m =
  mconcat
    [ "(module\n",
      types (moduleTypes m),
      imports m,
      indexed
        (count isTable)
        ( \x (Table t e) ->
            line ["(table (;", number x, ";) ", tableText t, foldMap (\i -> " " <> folded i) e, ")"]
        )
        (moduleTables m),
      indexed
        (count isMemory)
        ( \x t ->
            line ["(memory (;", number x, ";) ", memoryText t, ")"]
        )
        (moduleMems m),
      indexed
        (count isTag)
        ( \x t ->
            line ["(tag (;", number x, ";) (type ", number t, "))"]
        )
        (moduleTags m),
      indexed
        (count isGlobal)
        ( \x (Global t e) ->
            line ["(global (;", number x, ";) ", globalType_ t, " ", folded e, ")"]
        )
        (moduleGlobals m),
      foldMap exportLine (moduleExports m),
      foldMap (\x -> line ["(start ", number x, ")"]) (moduleStart m),
      indexed 0 elemLine (moduleElems m),
      foldMap (\(x, f) -> function definitions (count isFunc + x) f) (functionList (moduleFuncs m)),
      indexed 0 dataLine (moduleDatas m),
      ")\n"
    ]
  where
    definitions = V.fromList (concat (V.toList (moduleTypes m)))
    count f = length (filter (f . importDesc) (V.toList (moduleImports m)))
    isFunc = \case ImportFunc _ -> True; _ -> False
    isTable = \case ImportTable _ -> True; _ -> False
    isMemory = \case ImportMem _ -> True; _ -> False
    isGlobal = \case ImportGlobal _ -> True; _ -> False
    isTag = \case ImportTag _ -> True; _ -> False

indexed :: Int -> (Int -> a -> Builder) -> Vector a -> Builder
indexed from f = V.ifoldl' (\acc x a -> acc <> f (from + x) a) mempty

line :: [Builder] -> Builder
line parts = "  " <> mconcat parts <> "\n"

number :: (Show a) => a -> Builder
number = fromString . show

-- | A group of one type stands alone.
types :: Vector [SubType] -> Builder
types groups =
  mconcat (zipWith group (scanl (+) 0 (map length (V.toList groups))) (V.toList groups))
  where
    group x = \case
      [t] -> line [typeText x t]
      ts -> line (["(rec"] <> zipWith (\y t -> "\n    " <> typeText y t) [x ..] ts <> [")"])
    typeText :: Int -> SubType -> Builder
    typeText x (SubType final supers comp)
      | final && null supers = "(type (;" <> number x <> ";) " <> compText comp <> ")"
      | otherwise =
          mconcat
            [ "(type (;",
              number x,
              ";) (sub",
              if final
                then " final"
                else "",
              foldMap (\y -> " " <> number y) supers,
              " ",
              compText comp,
              "))"
            ]
    compText = \case
      CompFunc ft -> "(func" <> signature ft <> ")"
      CompStruct fs -> "(struct" <> foldMap (\f -> " (field " <> fieldText f <> ")") fs <> ")"
      CompArray f -> "(array " <> fieldText f <> ")"
    fieldText (FieldType m storage) =
      if m == Var
        then "(mut " <> storageText storage <> ")"
        else storageText storage
    storageText = \case
      Whole t -> valType t
      Packed8 -> "i8"
      Packed16 -> "i16"

signature :: FuncType -> Builder
signature (FuncType ps rs) = row "param" ps <> row "result" rs

row :: Builder -> [ValType] -> Builder
row _ [] = ""
row name ts = " (" <> name <> foldMap (\t -> " " <> valType t) ts <> ")"

valType :: ValType -> Builder
valType = \case
  I32 -> "i32"
  I64 -> "i64"
  F32 -> "f32"
  F64 -> "f64"
  V128 -> "v128"
  Ref t -> refType t

refType :: RefType -> Builder
refType = fromText . renderRef

-- | In the long form, as instructions have it.
longRef :: RefType -> Builder
longRef (RefType n h) = mconcat ["(ref ", if n then "null " else "", fromText (renderHeap h), ")"]

address :: AddressType -> Builder
address a = if a == Address64 then "i64 " else ""

limits :: Limits -> Builder
limits (Limits low high) = number low <> foldMap (\h -> " " <> number h) high

tableText :: TableType -> Builder
tableText (TableType a l t) = address a <> limits l <> " " <> refType t

memoryText :: MemoryType -> Builder
memoryText (MemoryType a l) = address a <> limits l

globalType_ :: GlobalType -> Builder
globalType_ (GlobalType m t) = if m == Var then "(mut " <> valType t <> ")" else valType t

-- | Imports, each under its number among those of its kind.
imports :: Module -> Builder
imports m = go (0, 0, 0, 0, 0) (V.toList (moduleImports m))
  where
    go :: (Int, Int, Int, Int, Int) -> [Import] -> Builder
    go _ [] = mempty
    go (f, t, k, g, e) (Import a b desc : rest) = case desc of
      ImportFunc x ->
        item ["(func (;", number f, ";) (type ", number x, "))"] <> go (f + 1, t, k, g, e) rest
      ImportTable ty ->
        item ["(table (;", number t, ";) ", tableText ty, ")"] <> go (f, t + 1, k, g, e) rest
      ImportMem l ->
        item ["(memory (;", number k, ";) ", memoryText l, ")"] <> go (f, t, k + 1, g, e) rest
      ImportGlobal ty ->
        item ["(global (;", number g, ";) ", globalType_ ty, ")"] <> go (f, t, k, g + 1, e) rest
      ImportTag x ->
        item ["(tag (;", number e, ";) (type ", number x, "))"] <> go (f, t, k, g, e + 1) rest
      where
        item parts = line (["(import ", quoted a, " ", quoted b, " "] <> parts <> [")"])

exportLine :: Export -> Builder
exportLine (Export name desc) = line ["(export ", quoted name, " (", kind, "))"]
  where
    kind = case desc of
      ExportFunc x -> "func " <> number x
      ExportTable x -> "table " <> number x
      ExportMem x -> "memory " <> number x
      ExportGlobal x -> "global " <> number x
      ExportTag x -> "tag " <> number x

elemLine :: Int -> Elem -> Builder
elemLine x (Elem t items mode) = line ["(elem (;", number x, ";) ", place, contents, ")"]
  where
    -- Bare indices are a form of their own.
    contents
      | not (V.null items),
        Just xs <- mapM bare (V.toList items) =
          "func" <> foldMap (\y -> " " <> number y) xs
      | V.null items && t == RefType False FuncHeap = "func"
      | otherwise = refType t <> foldMap item items
    bare = \case
      ExprFunc y -> Just y
      _ -> Nothing
    place = case mode of
      ElemPassive -> ""
      ElemDeclarative -> "declare "
      ElemActive table e -> "(table " <> number table <> ") (offset " <> flat e <> ") "
    item e = " (item " <> flat e <> ")"

dataLine :: Int -> Data -> Builder
dataLine x (Data bytes mode) =
  line ["(data (;", number x, ";) ", place, "\"", foldMap byte (B.unpack bytes), "\")"]
  where
    place = case mode of
      DataPassive -> ""
      DataActive k e ->
        (if k == 0 then "" else "(memory " <> number k <> ") ") <> "(offset " <> flat e <> ") "

function :: Vector SubType -> Int -> Func -> Builder
function definitions x (Func t locals body) =
  mconcat
    [ line
        [ "(func (;",
          number x,
          ";) (type ",
          number t,
          ")",
          maybe "" written (definitions V.!? t)
        ],
      if null locals then "" else "    (local" <> foldMap run locals <> ")\n",
      nested 2 (map snd (instructions body)),
      "  )\n"
    ]
  where
    written d = case subComp d of
      CompFunc ft -> signature ft
      _ -> ""
    run (n, ty) = mconcat (replicate (min n 50000) (" " <> valType ty))

-- | Instructions one a line, up to the body's last @end@.
nested :: Int -> [Instr] -> Builder
nested depth = \case
  [] -> ""
  [End] -> ""
  i : rest -> case nesting i of
    Opens -> at depth i <> nested (depth + 1) rest
    OpensTwo -> at depth i <> nested (depth + 1) rest
    Divides -> at (depth - 1) i <> nested depth rest
    Closes -> at (depth - 1) i <> nested (depth - 1) rest
    Within -> at depth i <> nested depth rest
  where
    at n i = mconcat (replicate (min 100 n) "  ") <> printInstr i <> "\n"

-- | A constant expression where one tree is wanted: the instructions before the
-- last are folded into it.
folded :: Expr -> Builder
folded e = case reverse [printInstr i | (_, i) <- instructions e, i /= End] of
  [] -> ""
  [i] -> "(" <> i <> ")"
  i : before -> "(" <> i <> foldMap (\b -> " (" <> b <> ")") (reverse before) <> ")"

-- | A constant expression in one line.
flat :: Expr -> Builder
flat e = mconcat (separate [printInstr i | (_, i) <- instructions e, i /= End])
  where
    separate = \case
      [] -> []
      [b] -> [b]
      b : bs -> b : " " : separate bs

-- | One instruction with its immediates.
printInstr :: Instr -> Builder
printInstr i = fromString (instrName i) <> immediates
  where
    immediates = case i of
      Block t -> blockType t
      Loop t -> blockType t
      If t -> blockType t
      Br x -> one x
      BrIf x -> one x
      BrTable xs x -> foldMap one xs <> one x
      Call x -> one x
      CallIndirect x t -> (if x == 0 then "" else one x) <> " (type " <> number t <> ")"
      ReturnCall x -> one x
      ReturnCallIndirect x t -> (if x == 0 then "" else one x) <> " (type " <> number t <> ")"
      CallRef t -> one t
      ReturnCallRef t -> one t
      TryTable t catches -> blockType t <> foldMap catch catches
      Throw x -> one x
      BrOnNull x -> one x
      BrOnNonNull x -> one x
      BrOnCast _ x a b -> one x <> " " <> longRef a <> " " <> longRef b
      RefTest r -> " " <> longRef r
      RefCast r -> " " <> longRef r
      Aggregate g x y -> case rowIndices (aggregate g) of
        NoIndex -> ""
        TypeIndex -> one x
        TypeAnd _ -> one x <> one y
      SelectT ts -> if null ts then " (result)" else row "result" ts
      LocalGet x -> one x
      LocalSet x -> one x
      LocalTee x -> one x
      GlobalGet x -> one x
      GlobalSet x -> one x
      TableGet x -> one x
      TableSet x -> one x
      I32Const v -> " " <> number v
      I64Const v -> " " <> number v
      F32Const v -> " " <> float32 v
      F64Const v -> " " <> float64 v
      RefNull h -> " " <> fromText (renderHeap h)
      RefFunc x -> one x
      MemorySize x -> memory x
      MemoryGrow x -> memory x
      MemoryFill x -> memory x
      MemoryCopy x y -> if x == 0 && y == 0 then "" else one x <> one y
      MemoryInit x k -> memory k <> one x
      DataDrop x -> one x
      TableInit x e -> one x <> one e
      ElemDrop x -> one x
      TableCopy x y -> one x <> one y
      TableGrow x -> one x
      TableSize x -> one x
      TableFill x -> one x
      Access op a -> memArg (accessOperator op) a
      VectorAccess op a -> memArg (vectorOperator op) a
      VectorAccessLane op a l -> memArg (vectorOperator op) a <> one (fromIntegral l)
      VectorLane _ l -> one (fromIntegral l)
      VectorBytes V128Const low high -> " i64x2 " <> hex low <> " " <> hex high
      VectorBytes _ low high -> foldMap (one . fromIntegral) (bytesOf low <> bytesOf high)
      Unreachable -> ""
      Nop -> ""
      Else -> ""
      End -> ""
      Return -> ""
      ThrowRef -> ""
      Drop -> ""
      Select -> ""
      RefIsNull -> ""
      RefEq -> ""
      RefAsNonNull -> ""
      Plain _ -> ""
      Vector _ -> ""
    memory x = if x == 0 then "" else one x
    catch (Catch kind l) = case kind of
      CatchTag ref t -> " (catch" <> (if ref then "_ref" else "") <> one t <> one l <> ")"
      CatchAll ref -> " (catch_all" <> (if ref then "_ref" else "") <> one l <> ")"
    one :: Int -> Builder
    one x = " " <> number x

blockType :: BlockType -> Builder
blockType = \case
  BlockNone -> ""
  BlockValue t -> " (result " <> valType t <> ")"
  BlockIndex x -> " (type " <> number x <> ")"

-- | What is not the default.
memArg :: Operator -> MemArg -> Builder
memArg o (MemArg align k offset) =
  (if k == 0 then "" else " " <> number k)
    <> (if offset == 0 then "" else " offset=" <> number offset)
    <> ( if Just align == natural (operatorImmediate o)
           then ""
           else " align=" <> number ((1 :: Integer) `shiftL` align)
       )

bytesOf :: Word64 -> [Word8]
bytesOf w = [fromIntegral (w `shiftR` (8 * k)) | k <- [0 .. 7]]

hex :: Word64 -> Builder
hex w = "0x" <> fromString (showHex w "")

-- * Floats and strings

float32 :: Word32 -> Builder
float32 w = float 23 8 (fromIntegral w)

float64 :: Word64 -> Builder
float64 = float 52 11

-- | A float by its bits: @fractionBits@ of fraction, @exponentBits@ of exponent.
float :: Int -> Int -> Word64 -> Builder
float fractionBits exponentBits w = sign <> magnitude
  where
    sign = if (w `shiftR` (fractionBits + exponentBits)) .&. 1 == 1 then "-" else ""
    fraction = w .&. ((1 `shiftL` fractionBits) - 1)
    top = (1 `shiftL` exponentBits) - 1 :: Int
    biased = fromIntegral (w `shiftR` fractionBits) .&. top
    bias = top `div` 2
    -- The fraction's digits fill whole hexadecimal digits from the left.
    width = (fractionBits + 3) `div` 4
    digits =
      T.dropWhileEnd
        (== '0')
        ( T.justifyRight
            width
            '0'
            ( T.pack
                ( showHex
                    (fraction `shiftL` (4 * width - fractionBits))
                    ""
                )
            )
        )
    magnitude
      | biased == top = if fraction == 0 then "inf" else "nan:" <> hex fraction
      | biased == 0 && fraction == 0 = "0x0p+0"
      | biased == 0 = "0x0" <> tailDigits <> "p" <> signed (1 - bias)
      | otherwise = "0x1" <> tailDigits <> "p" <> signed (biased - bias)
    tailDigits = if T.null digits then "" else "." <> fromText digits
    signed n = if n < 0 then number n else "+" <> number n

quoted :: Text -> Builder
quoted text = "\"" <> foldMap byte (B.unpack (encodeUtf8 text)) <> "\""

byte :: Word8 -> Builder
byte b
  | b == 34 || b == 92 = "\\" <> fromString [chr (fromIntegral b)]
  | b >= 32 && b < 127 = fromString [chr (fromIntegral b)]
  | otherwise = "\\" <> fromString (if b < 16 then '0' : showHex b "" else showHex b "")
