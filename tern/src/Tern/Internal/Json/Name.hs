{-# LANGUAGE DataKinds #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UndecidableInstances #-}

-- | Names as JSON has them: put together while a program is compiled, of names that
-- are types, or while it runs.
module Tern.Internal.Json.Name
  ( -- * Names that are types
    Quoted,
    KeyAfter,
    QuotedText,
    TextAfter,

    -- * Names that are strings
    quoted,
  )
where

import Data.Char (ord)
import GHC.TypeLits
import Numeric (showHex)

-- * Names that are strings

-- | A string as JSON has it.
--
-- >>> putStrLn (quoted "a\"b\n")
-- "a\"b\u000a"
quoted :: String -> String
quoted text = "\"" <> concatMap escaped text <> "\""
  where
    escaped c
      | c == '"' = "\\\""
      | c == '\\' = "\\\\"
      | c < ' ' = "\\u" <> drop 1 (showHex (0x10000 + ord c) "")
      | otherwise = [c]

-- * Names that are types

-- | What stands before a field's value: @prefix"name":@.
type KeyAfter prefix n = AppendSymbol prefix (AppendSymbol (Quoted n) ":")

-- | The name of a field or constructor of a declaration, as a JSON string.
-- Identifiers need no escapes, and only the names of operators are looked through.
type Quoted n = AppendSymbol "\"" (AppendSymbol (Identifier (Alphabetic (UnconsSymbol n)) n) "\"")

type family Identifier (alphabetic :: Bool) (n :: Symbol) :: Symbol where
  Identifier 'True n = n
  Identifier 'False n = Escaped (UnconsSymbol n)

-- | The same for a name that may have any characters.
type TextAfter prefix n = AppendSymbol prefix (AppendSymbol (QuotedText n) ":")

-- | Any name, as a JSON string.
type QuotedText n = AppendSymbol "\"" (AppendSymbol (Escaped (UnconsSymbol n)) "\"")

type family Escaped (n :: Maybe (Char, Symbol)) :: Symbol where
  Escaped 'Nothing = ""
  Escaped ('Just '(c, rest)) =
    AppendSymbol (EscapedChar c (CmpChar c ' ')) (Escaped (UnconsSymbol rest))

type family EscapedChar (c :: Char) (order :: Ordering) :: Symbol where
  EscapedChar '"' _ = "\\\""
  EscapedChar '\\' _ = "\\\\"
  EscapedChar c 'LT =
    AppendSymbol
      "\\u00"
      ( ConsSymbol
          (Digit (Div (CharToNat c) 16))
          (ConsSymbol (Digit (Mod (CharToNat c) 16)) "")
      )
  EscapedChar c _ = ConsSymbol c ""

-- | A digit of a hexadecimal number.
type family Digit (n :: Nat) :: Char where
  Digit 0 = '0'
  Digit 1 = '1'
  Digit 2 = '2'
  Digit 3 = '3'
  Digit 4 = '4'
  Digit 5 = '5'
  Digit 6 = '6'
  Digit 7 = '7'
  Digit 8 = '8'
  Digit 9 = '9'
  Digit 10 = 'a'
  Digit 11 = 'b'
  Digit 12 = 'c'
  Digit 13 = 'd'
  Digit 14 = 'e'
  Digit 15 = 'f'

-- | Does a name begin with an ASCII letter or an underscore?
type family Alphabetic (n :: Maybe (Char, Symbol)) :: Bool where
  Alphabetic ('Just '( 'a', rest)) = 'True
  Alphabetic ('Just '( 'b', rest)) = 'True
  Alphabetic ('Just '( 'c', rest)) = 'True
  Alphabetic ('Just '( 'd', rest)) = 'True
  Alphabetic ('Just '( 'e', rest)) = 'True
  Alphabetic ('Just '( 'f', rest)) = 'True
  Alphabetic ('Just '( 'g', rest)) = 'True
  Alphabetic ('Just '( 'h', rest)) = 'True
  Alphabetic ('Just '( 'i', rest)) = 'True
  Alphabetic ('Just '( 'j', rest)) = 'True
  Alphabetic ('Just '( 'k', rest)) = 'True
  Alphabetic ('Just '( 'l', rest)) = 'True
  Alphabetic ('Just '( 'm', rest)) = 'True
  Alphabetic ('Just '( 'n', rest)) = 'True
  Alphabetic ('Just '( 'o', rest)) = 'True
  Alphabetic ('Just '( 'p', rest)) = 'True
  Alphabetic ('Just '( 'q', rest)) = 'True
  Alphabetic ('Just '( 'r', rest)) = 'True
  Alphabetic ('Just '( 's', rest)) = 'True
  Alphabetic ('Just '( 't', rest)) = 'True
  Alphabetic ('Just '( 'u', rest)) = 'True
  Alphabetic ('Just '( 'v', rest)) = 'True
  Alphabetic ('Just '( 'w', rest)) = 'True
  Alphabetic ('Just '( 'x', rest)) = 'True
  Alphabetic ('Just '( 'y', rest)) = 'True
  Alphabetic ('Just '( 'z', rest)) = 'True
  Alphabetic ('Just '( 'A', rest)) = 'True
  Alphabetic ('Just '( 'B', rest)) = 'True
  Alphabetic ('Just '( 'C', rest)) = 'True
  Alphabetic ('Just '( 'D', rest)) = 'True
  Alphabetic ('Just '( 'E', rest)) = 'True
  Alphabetic ('Just '( 'F', rest)) = 'True
  Alphabetic ('Just '( 'G', rest)) = 'True
  Alphabetic ('Just '( 'H', rest)) = 'True
  Alphabetic ('Just '( 'I', rest)) = 'True
  Alphabetic ('Just '( 'J', rest)) = 'True
  Alphabetic ('Just '( 'K', rest)) = 'True
  Alphabetic ('Just '( 'L', rest)) = 'True
  Alphabetic ('Just '( 'M', rest)) = 'True
  Alphabetic ('Just '( 'N', rest)) = 'True
  Alphabetic ('Just '( 'O', rest)) = 'True
  Alphabetic ('Just '( 'P', rest)) = 'True
  Alphabetic ('Just '( 'Q', rest)) = 'True
  Alphabetic ('Just '( 'R', rest)) = 'True
  Alphabetic ('Just '( 'S', rest)) = 'True
  Alphabetic ('Just '( 'T', rest)) = 'True
  Alphabetic ('Just '( 'U', rest)) = 'True
  Alphabetic ('Just '( 'V', rest)) = 'True
  Alphabetic ('Just '( 'W', rest)) = 'True
  Alphabetic ('Just '( 'X', rest)) = 'True
  Alphabetic ('Just '( 'Y', rest)) = 'True
  Alphabetic ('Just '( 'Z', rest)) = 'True
  Alphabetic ('Just '( '_', rest)) = 'True
  Alphabetic n = 'False
