-- | The firmware of a device: files of C are parsed with the types that stand
-- in their headers, and written anew, once pretty and once narrow.
module Main (main) where

import qualified Data.ByteString.Char8 as B
import Data.Loc (startPos)
import Language.C.Parser (parseUnit)
import qualified Language.C.Parser as P
import Language.C.Pretty ()
import Language.C.Syntax
import Text.PrettyPrint.Mainland
import Text.PrettyPrint.Mainland.Class

-- | One driver with registers, tables, a state machine and checks.
driver :: Int -> String
driver n =
  unlines $
    [ "typedef unsigned int u32;",
      "typedef struct node" ++ s ++ " { u32 id; struct node" ++ s ++ " *next; char name[32]; union { int i; double d; } value; } node" ++ s ++ "_t;",
      "enum mode" ++ s ++ " { MODE_OFF = 0, MODE_IDLE, MODE_RUN = 0x10, MODE_FAULT = 1 << 7 };",
      "static const u32 table" ++ s ++ "[] = { " ++ concatMap (\k -> show (k * 37 `mod` 4096) ++ ", ") [1 .. 40 :: Int] ++ "0 };",
      "extern int printf(const char *format, ...);"
    ]
      ++ concatMap function [1 .. 25]
  where
    s = show n
    function :: Int -> [String]
    function k =
      [ "/* Handle event " ++ show k ++ ": may be called in interrupts. */",
        "static int handle" ++ f ++ "(node" ++ s ++ "_t *head, u32 limit, const char *text)",
        "{",
        "    node" ++ s ++ "_t *it = head; // the first",
        "    u32 sum = 0x" ++ show (k + 10) ++ "u, i;",
        "    for (i = 0; i < limit && it != 0; ++i, it = it->next) {",
        "        if ((it->id & 0xff) == " ++ show k ++ " || (it->id >> 3) % 7 > 2)",
        "            sum += table" ++ s ++ "[i % 40] * (u32) it->value.i + sizeof(node" ++ s ++ "_t);",
        "        else",
        "            sum ^= ~(it->id << 2) - (sum ? sum / 3 : 1);",
        "    }",
        "    switch (sum & 3) {",
        "    case 0: printf(\"idle %d\\n\", sum); break;",
        "    case 1: { double d = it ? it->value.d * 1.5e-3 : .25; printf(\"%s %f\\n\", text, d); return -1; }",
        "    default: do { sum--; } while (sum > limit * 2); goto done;",
        "    }",
        "done:",
        "    return (int) (sum + handle_all((struct node" ++ s ++ " *) head, &sum, text[0] == 'x'));",
        "}"
      ]
      where
        f = show n ++ "_" ++ show k

main :: IO ()
main = mapM_ one [1 .. 24]
  where
    one :: Int -> IO ()
    one n = case P.parse [Gcc] [] parseUnit (B.pack (driver n)) (Just (startPos ("driver" ++ show n ++ ".c"))) of
      Left e -> print e
      Right unit -> do
        let text = pretty 100 (pprList unit)
            narrow = pretty 60 (pprList unit)
        print (length unit, length text, length narrow)
        case P.parse [C99] [] parseUnit (B.pack text) Nothing of
          Left e -> print e
          Right again -> print (length (again :: [Definition]))
