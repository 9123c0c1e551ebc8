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
import Tern.Wasm.Binary (decode)
import Tern.Wasm.Binary.Instr (instructions)
import Tern.Wasm.Error (Malformed)
import Tern.Wasm.Opcode (Immediate (..), Operator (..), operator)
import Tern.Wasm.Syntax
import Tern.Wasm.Text.Name (instrName)

-- | The text of a module. Linear in its size.
printModule :: ByteString -> Either Malformed Text
printModule bytes = TL.toStrict . toLazyText . module_ <$> decode bytes

module_ :: Module -> Builder
module_ m =
  mconcat
    [ "(module\n",
      indexed 0 typeLine (moduleTypes m),
      imports m,
      indexed (count isTable) (\x t -> line ["(table (;", number x, ";) ", tableType t, ")"]) (moduleTables m),
      indexed (count isMemory) (\x l -> line ["(memory (;", number x, ";) ", limits l, ")"]) (moduleMems m),
      indexed (count isGlobal) (\x (Global t e) -> line ["(global (;", number x, ";) ", globalType_ t, " (", flat e, "))"]) (moduleGlobals m),
      foldMap exportLine (moduleExports m),
      foldMap (\x -> line ["(start ", number x, ")"]) (moduleStart m),
      indexed 0 elemLine (moduleElems m),
      indexed (count isFunc) (function m) (moduleFuncs m),
      indexed 0 dataLine (moduleDatas m),
      ")\n"
    ]
  where
    count f = length (filter (f . importDesc) (V.toList (moduleImports m)))
    isFunc = \case ImportFunc _ -> True; _ -> False
    isTable = \case ImportTable _ -> True; _ -> False
    isMemory = \case ImportMem _ -> True; _ -> False
    isGlobal = \case ImportGlobal _ -> True; _ -> False

indexed :: Int -> (Int -> a -> Builder) -> Vector a -> Builder
indexed from f = V.ifoldl' (\acc x a -> acc <> f (from + x) a) mempty

line :: [Builder] -> Builder
line parts = "  " <> mconcat parts <> "\n"

number :: (Show a) => a -> Builder
number = fromString . show

typeLine :: Int -> FuncType -> Builder
typeLine x ft = line ["(type (;", number x, ";) (func", signature ft, "))"]

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
refType = \case
  FuncRef -> "funcref"
  ExternRef -> "externref"

limits :: Limits -> Builder
limits (Limits low high) = number low <> foldMap (\h -> " " <> number h) high

tableType :: TableType -> Builder
tableType (TableType l t) = limits l <> " " <> refType t

globalType_ :: GlobalType -> Builder
globalType_ (GlobalType m t) = if m == Var then "(mut " <> valType t <> ")" else valType t

-- | Imports, each under its number among those of its kind.
imports :: Module -> Builder
imports m = go (0, 0, 0, 0) (V.toList (moduleImports m))
  where
    go :: (Int, Int, Int, Int) -> [Import] -> Builder
    go _ [] = mempty
    go (f, t, k, g) (Import a b desc : rest) = case desc of
      ImportFunc x -> item ["(func (;", number f, ";) (type ", number x, "))"] <> go (f + 1, t, k, g) rest
      ImportTable ty -> item ["(table (;", number t, ";) ", tableType ty, ")"] <> go (f, t + 1, k, g) rest
      ImportMem l -> item ["(memory (;", number k, ";) ", limits l, ")"] <> go (f, t, k + 1, g) rest
      ImportGlobal ty -> item ["(global (;", number g, ";) ", globalType_ ty, ")"] <> go (f, t, k, g + 1) rest
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

elemLine :: Int -> Elem -> Builder
elemLine x (Elem t items mode) = line ["(elem (;", number x, ";) ", place, refType t, foldMap item items, ")"]
  where
    place = case mode of
      ElemPassive -> ""
      ElemDeclarative -> "declare "
      ElemActive table e -> "(table " <> number table <> ") (offset " <> flat e <> ") "
    item e = " (item " <> flat e <> ")"

dataLine :: Int -> Data -> Builder
dataLine x (Data bytes mode) = line ["(data (;", number x, ";) ", place, "\"", foldMap byte (B.unpack bytes), "\")"]
  where
    place = case mode of
      DataPassive -> ""
      DataActive _ e -> "(offset " <> flat e <> ") "

function :: Module -> Int -> Func -> Builder
function m x (Func t locals body) =
  mconcat
    [ line ["(func (;", number x, ";) (type ", number t, ")", maybe "" signature (moduleTypes m V.!? t)],
      if null locals then "" else "    (local" <> foldMap run locals <> ")\n",
      nested 2 (map snd (instructions body)),
      "  )\n"
    ]
  where
    run (n, ty) = mconcat (replicate (min n 50000) (" " <> valType ty))

-- | Instructions one a line, up to the body's last @end@.
nested :: Int -> [Instr] -> Builder
nested depth = \case
  [] -> ""
  [End] -> ""
  i : rest -> case i of
    End -> at (depth - 1) i <> nested (depth - 1) rest
    Else -> at (depth - 1) i <> nested depth rest
    _
      | opens i -> at depth i <> nested (depth + 1) rest
      | otherwise -> at depth i <> nested depth rest
  where
    at n i = mconcat (replicate (min 100 n) "  ") <> printInstr i <> "\n"
    opens = \case
      Block _ -> True
      Loop _ -> True
      If _ -> True
      _ -> False

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
      SelectT ts -> row "result" ts
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
      RefNull FuncRef -> " func"
      RefNull ExternRef -> " extern"
      RefFunc x -> one x
      MemoryInit x -> one x
      DataDrop x -> one x
      TableInit x e -> one x <> one e
      ElemDrop x -> one x
      TableCopy x y -> one x <> one y
      TableGrow x -> one x
      TableSize x -> one x
      TableFill x -> one x
      Access op a -> memArg op a
      AccessLane op a l -> memArg op a <> one (fromIntegral l)
      Lane _ l -> one (fromIntegral l)
      V128Const low high -> " i64x2 " <> hex low <> " " <> hex high
      I8x16Shuffle low high -> foldMap (one . fromIntegral) (bytesOf low <> bytesOf high)
      _ -> ""
    one :: Int -> Builder
    one x = " " <> number x

blockType :: BlockType -> Builder
blockType = \case
  BlockNone -> ""
  BlockValue t -> " (result " <> valType t <> ")"
  BlockIndex x -> " (type " <> number x <> ")"

-- | What is not the default.
memArg :: Int -> MemArg -> Builder
memArg op (MemArg align offset) =
  (if offset == 0 then "" else " offset=" <> number offset)
    <> (if Just align == natural then "" else " align=" <> number ((1 :: Integer) `shiftL` align))
  where
    natural =
      operator op >>= \o -> case operatorImmediate o of
        MemoryImmediate n -> Just n
        MemoryLaneImmediate n -> Just n
        _ -> Nothing

bytesOf :: Word64 -> [Word8]
bytesOf w = [fromIntegral (w `shiftR` (8 * k)) | k <- [0 .. 7]]

hex :: Word64 -> Builder
hex w = "0x" <> fromString (showHex w "")

-- * Floats and strings

float32 :: Word32 -> Builder
float32 w = float 23 8 (fromIntegral w)

float64 :: Word64 -> Builder
float64 = float 52 11

-- | A float by its bits: so many of fraction, so many of exponent.
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
    digits = T.dropWhileEnd (== '0') (T.justifyRight width '0' (T.pack (showHex (fraction `shiftL` (4 * width - fractionBits)) "")))
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
