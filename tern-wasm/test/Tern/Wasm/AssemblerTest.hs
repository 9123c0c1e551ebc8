-- | The assembler's bytes, read by another disassembler: binutils' @objdump@, where
-- it is installed.
--
-- Every instruction is written with several registers, sizes and operands, each
-- with what it should read as.
module Tern.Wasm.AssemblerTest
  ( tests,
  )
where

import Control.Monad (forM_)
import Data.Char (isSpace, toLower)
import Data.List (isInfixOf)
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Ptr (castPtr)
import System.Directory (findExecutable)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO (IOMode (..), hPutBuf, withBinaryFile)
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)
import Tern.Testkit.Tally (skip)
import Tern.Wasm.Native.Assembler
  ( Arithmetic (..),
    Assembler,
    Condition (..),
    Float_ (..),
    Operand (..),
    Register,
    Shift (..),
    Size (..),
    address,
    align,
    andOpposite,
    arithmetic,
    arithmeticFloat,
    arithmeticFloatApart,
    arithmeticImmediate,
    bitsFloat,
    callTo,
    compareFloat,
    convertFloat,
    copyFloat,
    countOnes,
    divide,
    finish,
    floatToInt,
    fromInteger_,
    identify,
    increment,
    intToFloat,
    jump,
    jumpTo,
    load,
    loadFloat,
    loadImmediate,
    loadSign,
    loadZero,
    moveIf,
    multiply,
    multiplyImmediate,
    negative,
    new,
    newLabel,
    place,
    pop,
    push,
    rax,
    rbp,
    rbx,
    rcx,
    rdi,
    rdx,
    ret,
    rotateApart,
    roundFloat,
    rsi,
    savedState,
    scanForward,
    scanReverse,
    setIf,
    shiftBy,
    shiftByCl,
    signExtendAccumulator,
    store,
    storeFloat,
    storeImmediate,
    storeNarrow,
    storeNarrowImmediate,
    test,
    toInteger_,
  )
import Tern.Wasm.Native.Packed
  ( Lanes (..),
    Numbered (..),
    Packed (..),
    extractLane,
    insertLane,
    loadVector,
    numbered,
    packed,
    shiftLanes,
    signBits,
    storeVector,
  )
import Test.Tasty (TestTree)
import Test.Tasty.HUnit

tests :: IO TestTree
tests =
  findExecutable "objdump" >>= \case
    Nothing ->
      pure
        ( skip
            "the assembler, read by objdump"
            ( "objdump is not installed (Debian package binutils): "
                <> show (length instructions)
                <> " instructions"
            )
        )
    Just objdump -> pure . testCaseInfo "the assembler, read by objdump" $ do
      a <- new
      forM_ instructions (\(write, _) -> write a)
      found <- disassembled objdump a
      forM_ (zip3 [0 :: Int ..] (map snd instructions) found) $ \(k, wanted, line) ->
        assertEqual ("instruction " <> show k) wanted line
      length found @?= length instructions
      forM_ [1 .. 32] $ \n -> do
        filled <- new
        mapM_ (const (ret filled)) [1 .. n]
        align filled 32
        ret filled
        finish filled >>= (@?= Just 33) . fmap fst
        (before, others) <- splitAt n <$> disassembled objdump filled
        before @?= replicate n "ret"
        drop (length others - 1) others @?= ["ret"]
        assertBool "what fills does nothing" $
          all (\l -> take 3 l == "nop" || l == "xchg ax,ax") (take (length others - 1) others)
      -- What leads nowhere is no code.
      open <- new
      newLabel open >>= jump open
      finish open >>= (@?= Nothing) . fmap fst
      pure (show (length found) <> " instructions")

-- | An instruction that reads what it begins with.
own :: Assembler -> (Operand -> IO ()) -> IO ()
own a write = do
  l <- newLabel a
  place a l
  write (InCode l)

-- | One line for each instruction, spaces made one and comments taken off.
disassembled :: FilePath -> Assembler -> IO [String]
disassembled objdump a = withSystemTempDirectory "tern-wasm" $ \folder -> do
  let file = folder </> "code.bin"
  (n, write) <- finish a >>= maybe (assertFailure "a label has no place") pure
  allocaBytes n $ \p -> write (castPtr p) >> withBinaryFile file WriteMode (\h -> hPutBuf h p n)
  (code, out, complaints) <-
    readProcessWithExitCode
      objdump
      [ "-D",
        "-b",
        "binary",
        "-m",
        "i386:x86-64",
        "-M",
        "intel",
        "--no-show-raw-insn",
        file
      ]
      ""
  case code of
    ExitSuccess ->
      pure [plain (drop 1 (dropWhile (/= ':') l)) | l <- lines out, ":\t" `isInfixOf` l]
    ExitFailure _ -> assertFailure ("objdump: " <> take 300 complaints)
  where
    plain = unwords . words . takeWhile (/= '#') . map (\c -> if isSpace c then ' ' else c)

-- | What to write, and how it reads.
instructions :: [(Assembler -> IO (), String)]
instructions =
  concat
    [ [ (\a -> load a s r m, "mov " <> reg s r <> "," <> operand s m)
        | s <-
            sizes,
          r <- registers,
          m <- operands
      ],
      [ (\a -> store a s m r, "mov " <> operand s m <> "," <> reg s r)
        | s <-
            sizes,
          r <- registers,
          m <- places
      ],
      [ (\a -> storeNarrow a 1 m r, "mov " <> pointed "BYTE" m <> "," <> byte r)
        | r <-
            registers,
          m <- places
      ],
      [ (\a -> storeNarrow a 2 m r, "mov " <> pointed "WORD" m <> "," <> word r)
        | r <-
            registers,
          m <- places
      ],
      [ (\a -> storeNarrowImmediate a 1 m 0x34, "mov " <> pointed "BYTE" m <> ",0x34")
        | m <- places
      ],
      [ (\a -> storeNarrowImmediate a 2 m 0x1234, "mov " <> pointed "WORD" m <> ",0x1234")
        | m <- places
      ],
      [ (\a -> own a (load a s r), "mov " <> reg s r <> "," <> operand s m)
        | (s, r, n) <- [(Full, rsi, 7), (Full, 9, 7), (Half, rsi, 6), (Half, 9, 7)],
          let m = Mem 16 n
      ],
      [ (\a -> own a (multiply a Full r), "imul " <> reg Full r <> "," <> operand Full (Mem 16 8))
        | r <- registers
      ],
      [ (\a -> own a (loadFloat a Full x), "movsd " <> xmm x <> "," <> operand Full (Mem 16 n))
        | (x, n) <- [(0, 8), (15, 9)]
      ],
      [ (\a -> storeImmediate a s m 4660, "mov " <> operand s m <> ",0x1234")
        | s <-
            sizes,
          m <- places
      ],
      [ (\a -> loadZero a 1 r m, "movzx " <> reg Half r <> "," <> narrow 1 m)
        | r <-
            registers,
          m <- operands
      ],
      [ (\a -> loadZero a 2 r m, "movzx " <> reg Half r <> "," <> narrow 2 m)
        | r <-
            registers,
          m <- operands
      ],
      [ (\a -> loadSign a s n r m, "movsx " <> reg s r <> "," <> narrow n m)
        | s <-
            sizes,
          n <- [1, 2],
          r <- registers,
          m <- operands
      ],
      [ (\a -> loadSign a Full 4 r m, "movsxd " <> reg Full r <> "," <> operand Half m)
        | r <-
            registers,
          m <- operands
      ],
      [(\a -> loadImmediate a r 4660, "mov " <> reg Half r <> ",0x1234") | r <- registers],
      [ (\a -> loadImmediate a r (-2), "mov " <> reg Full r <> ",0xfffffffffffffffe")
        | r <-
            registers
      ],
      [ (\a -> loadImmediate a r 0x123456789abc, "movabs " <> reg Full r <> ",0x123456789abc")
        | r <-
            registers
      ],
      [ (\a -> address a s r m, "lea " <> reg s r <> "," <> inBrackets m)
        | s <-
            sizes,
          r <- registers,
          m <- places
      ],
      [ (\a -> arithmetic a o s r m, name <> " " <> reg s r <> "," <> operand s m)
        | (o, name) <-
            arithmetics,
          s <- sizes,
          r <- registers,
          m <- operands
      ],
      [ (\a -> arithmeticImmediate a o s m v, name <> " " <> operand s m <> "," <> text)
        | (o, name) <-
            arithmetics,
          s <- sizes,
          m <- operands,
          m /= Reg rax,
          (v, text) <- [(17, "0x11"), (4660, "0x1234")]
      ],
      [(\a -> increment a s m, "inc " <> operand s m) | s <- sizes, m <- operands],
      [ (\a -> test a s r q, "test " <> reg s r <> "," <> reg s q)
        | s <-
            sizes,
          r <- registers,
          q <- registers
      ],
      [ (\a -> multiply a s r m, "imul " <> reg s r <> "," <> operand s m)
        | s <-
            sizes,
          r <- registers,
          m <- operands
      ],
      [ ( \a ->
            multiplyImmediate a s r m 4660,
          "imul " <> reg s r <> "," <> operand s m <> ",0x1234"
        )
        | s <-
            sizes,
          r <- registers,
          m <- operands
      ],
      [ (\a -> shiftByCl a o s m, name <> " " <> operand s m <> ",cl")
        | (o, name) <-
            shifts,
          s <- sizes,
          m <- operands
      ],
      [ (\a -> shiftBy a o s m 7, name <> " " <> operand s m <> ",0x7")
        | (o, name) <-
            shifts,
          s <- sizes,
          m <- operands
      ],
      [ ( \a -> rotateApart a s r m 7,
          "rorx " <> reg s r <> "," <> operand s m <> ",0x7"
        )
        | s <-
            sizes,
          r <- registers,
          m <- operands
      ],
      [ ( \a -> andOpposite a s r q m,
          "andn " <> reg s r <> "," <> reg s q <> "," <> operand s m
        )
        | s <-
            sizes,
          r <- registers,
          q <- registers,
          m <- operands
      ],
      [(\a -> negative a s m, "neg " <> operand s m) | s <- sizes, m <- operands],
      [ (\a -> divide a signed s m, (if signed then "idiv " else "div ") <> operand s m)
        | signed <-
            [False, True],
          s <- sizes,
          m <- operands
      ],
      [(\a -> signExtendAccumulator a Half, "cdq"), (\a -> signExtendAccumulator a Full, "cqo")],
      [ (\a -> scanForward a s r m, "bsf " <> reg s r <> "," <> operand s m)
        | s <-
            sizes,
          r <- registers,
          m <- operands
      ],
      [ (\a -> scanReverse a s r m, "bsr " <> reg s r <> "," <> operand s m)
        | s <-
            sizes,
          r <- registers,
          m <- operands
      ],
      [ (\a -> countOnes a s r m, "popcnt " <> reg s r <> "," <> operand s m)
        | s <-
            sizes,
          r <- registers,
          m <- operands
      ],
      [ (\a -> moveIf a c s r m, "cmov" <> condition c <> " " <> reg s r <> "," <> operand s m)
        | c <-
            [minBound ..],
          s <- sizes,
          r <- [rax, 9],
          m <- [Reg rdx, Mem rbp 8]
      ],
      [ (\a -> setIf a c r, "set" <> condition c <> " " <> byte r)
        | c <-
            [minBound ..],
          r <- registers
      ],
      [(\a -> jumpTo a m, "jmp " <> operand Full m) | m <- operands],
      [(\a -> callTo a m, "call " <> operand Full m) | m <- operands],
      [(ret, "ret"), (identify, "cpuid"), (savedState, "xgetbv")],
      [(\a -> push a r, "push " <> reg Full r) | r <- registers],
      [(\a -> pop a r, "pop " <> reg Full r) | r <- registers],
      [ (\a -> loadFloat a s x m, "movs" <> letter s <> " " <> xmm x <> "," <> operand s m)
        | s <-
            sizes,
          x <- vectors,
          m <- places
      ],
      [ (\a -> storeFloat a s m x, "movs" <> letter s <> " " <> operand s m <> "," <> xmm x)
        | s <-
            sizes,
          x <- vectors,
          m <- places
      ],
      [(\a -> copyFloat a x y, "movaps " <> xmm x <> "," <> xmm y) | x <- vectors, y <- vectors],
      [ ( \a ->
            fromInteger_ a s x r,
          (if s == Half then "movd " else "movq ") <> xmm x <> "," <> reg s r
        )
        | s <-
            sizes,
          x <- vectors,
          r <- registers
      ],
      [ ( \a ->
            toInteger_ a s r x,
          (if s == Half then "movd " else "movq ") <> reg s r <> "," <> xmm x
        )
        | s <-
            sizes,
          x <- vectors,
          r <- registers
      ],
      [ (\a -> arithmeticFloat a o s x m, name <> letter s <> " " <> xmm x <> "," <> vector s m)
        | (o, name) <-
            zip [minBound ..] ["adds", "muls", "subs", "divs", "sqrts"],
          s <- sizes,
          x <- vectors,
          m <- operands
      ],
      [ ( \a -> arithmeticFloatApart a o s x y m,
          concat ["v", name, letter s, " ", xmm x, ",", xmm y, ",", vector s m]
        )
        | (o, name) <-
            zip [minBound ..] ["adds", "muls", "subs", "divs", "sqrts"],
          s <- sizes,
          x <- vectors,
          y <- vectors,
          m <- operands
      ],
      [ ( \a -> own a (arithmeticFloatApart a AddF Full x y),
          concat ["vaddsd ", xmm x, ",", xmm y, ",", operand Full (Mem 16 8)]
        )
        | x <- vectors,
          y <- vectors
      ],
      [ (\a -> bitsFloat a o x y, name <> " " <> xmm x <> "," <> xmm y)
        | (o, name) <-
            zip [minBound ..] ["andps", "orps", "xorps"],
          x <- vectors,
          y <- vectors
      ],
      [ (\a -> compareFloat a s x m, "ucomis" <> letter s <> " " <> xmm x <> "," <> vector s m)
        | s <-
            sizes,
          x <- vectors,
          m <- operands
      ],
      [ (\a -> convertFloat a Full x m, "cvtss2sd " <> xmm x <> "," <> vector Half m)
        | x <-
            vectors,
          m <- operands
      ],
      [ (\a -> convertFloat a Half x m, "cvtsd2ss " <> xmm x <> "," <> vector Full m)
        | x <-
            vectors,
          m <- operands
      ],
      [ ( \a ->
            roundFloat a s mode x m,
          "rounds" <> letter s <> " " <> xmm x <> "," <> vector s m <> ",0x" <> text
        )
        | s <-
            sizes,
          (mode, text) <- [(0, "8"), (1, "9"), (2, "a"), (3, "b")],
          x <- vectors,
          m <- operands
      ],
      [ ( \a ->
            intToFloat a s from x m,
          "cvtsi2s" <> letter s <> " " <> xmm x <> "," <> operand from m
        )
        | s <-
            sizes,
          from <- sizes,
          x <- vectors,
          m <- operands
      ],
      [ ( \a ->
            floatToInt a s to r m,
          "cvtts" <> letter s <> "2si " <> reg to r <> "," <> vector s m
        )
        | s <-
            sizes,
          to <- sizes,
          r <- registers,
          m <- operands
      ]
    ]
    <> vectorInstructions
  where
    sizes = [Half, Full]
    registers = [rax, rcx, rbx, rsi, 8, 12, 15]
    vectors = [0, 2, 7, 8, 15]
    arithmetics = [(Add, "add"), (Or, "or"), (And, "and"), (Sub, "sub"), (Xor, "xor"), (Cmp, "cmp")]
    shifts =
      [ (RotateLeft, "rol"),
        (RotateRight, "ror"),
        (ShiftLeft, "shl"),
        (ShiftRight, "shr"),
        (ShiftRightSigned, "sar")
      ]
    operands = [Reg rax, Reg rdi, Reg 9, Reg 13] <> places
    -- Bases that have forms of their own are among them.
    places =
      [ Mem
          rbp
          0,
        Mem rbp 8,
        Mem rbp (-128),
        Mem rbp 4096,
        Mem 12 0,
        Mem 12 24,
        Mem 13 0,
        Mem rsi 0,
        Indexed 12 rax 0,
        Indexed 12 rax 1000000,
        Indexed 14 rcx 16,
        Indexed 13 9 0,
        Indexed8 rdx rax 0,
        Indexed8 13 12 8
      ]
    letter s = if s == Full then "d" else "s"

-- | Those of vectors: each of them, with registers on both sides of the eighth; and with
-- places in memory, where they may lie anywhere.
vectorInstructions :: [(Assembler -> IO (), String)]
vectorInstructions =
  concat
    [ [ (\a -> packed a o x (Reg y), map toLower (show o) <> " " <> xmm x <> "," <> xmm y)
        | o <- [minBound ..],
          x <- vectors,
          y <- vectors
      ],
      [ (\a -> packed a o x m, map toLower (show o) <> " " <> xmm x <> "," <> pointed "QWORD" m)
        | o <- [PmovsxBW, PmovsxWD, PmovsxDQ, PmovzxBW, PmovzxWD, PmovzxDQ],
          x <- vectors,
          m <- places
      ],
      [ (\a -> numbered a o n x (Reg y), name <> " " <> xmm x <> "," <> xmm y <> number)
        | (o, n, name, number) <-
            [ (PshufD, 0xEE, "pshufd", ",0xee"),
              (PshufLW, 0, "pshuflw", ",0x0"),
              (ShufPS, 0x88, "shufps", ",0x88"),
              (CmpPS, 0, "cmpeqps", ""),
              (CmpPS, 1, "cmpltps", ""),
              (CmpPD, 2, "cmplepd", ""),
              (CmpPD, 3, "cmpunordpd", ""),
              (CmpPS, 4, "cmpneqps", ""),
              (RoundPS, 9, "roundps", ",0x9"),
              (RoundPD, 11, "roundpd", ",0xb"),
              (InsertPS, 0x30, "insertps", ",0x30")
            ],
          x <- vectors,
          y <- vectors
      ],
      [ (\a -> shiftLanes a left lanes x 7, name <> " " <> xmm x <> ",0x7")
        | (left, lanes, name) <-
            [ (True, Lanes16, "psllw"),
              (True, Lanes32, "pslld"),
              (True, Lanes64, "psllq"),
              (False, Lanes16, "psrlw"),
              (False, Lanes32, "psrld"),
              (False, Lanes64, "psrlq")
            ],
          x <- vectors
      ],
      [ (\a -> loadVector a x m, "movups " <> xmm x <> "," <> pointed "XMMWORD" m)
        | x <- vectors,
          m <- places
      ],
      [ (\a -> storeVector a m x, "movups " <> pointed "XMMWORD" m <> "," <> xmm x)
        | x <- vectors,
          m <- places
      ],
      [ (\a -> signBits a lanes r x, name <> " " <> reg Half r <> "," <> xmm x)
        | (lanes, name) <-
            [(Lanes8, "pmovmskb"), (Lanes32, "movmskps"), (Lanes64, "movmskpd")],
          r <- [rax, 8, 15],
          x <- vectors
      ],
      [ written
        | (lanes, letter, width, size_) <-
            [ (Lanes8, "b", "BYTE", Half),
              (Lanes16, "w", "WORD", Half),
              (Lanes32, "d", "DWORD", Half),
              (Lanes64, "q", "QWORD", Full)
            ],
          x <- vectors,
          m <- [Reg rax, Reg rdi, Reg 9] <> places,
          let at = case m of
                Reg r -> reg size_ r
                _ -> pointed width m,
          written <-
            [ ( \a -> insertLane a lanes 1 x m,
                "pinsr" <> letter <> " " <> xmm x <> "," <> at <> ",0x1"
              ),
              ( \a -> extractLane a lanes 1 m x,
                "pextr" <> letter <> " " <> at <> "," <> xmm x <> ",0x1"
              )
            ]
      ]
    ]
  where
    vectors = [0, 3, 8, 15]
    places = [Mem rbp 0, Mem rbp 4096, Mem 12 24, Indexed 12 rax 0, Indexed rcx rax 1000000]

-- * Names

reg :: Size -> Register -> String
reg s r
  | r >= 8 = "r" <> show r <> (if s == Full then "" else "d")
  | otherwise = (if s == Full then 'r' else 'e') : old r

word, byte, xmm, old :: Int -> String
word r = if r >= 8 then "r" <> show r <> "w" else old r
byte r
  | r >= 8 = "r" <> show r <> "b"
  | r >= 4 = old r <> "l"
  | otherwise = take 1 (old r) <> "l"
xmm x = "xmm" <> show x
old r = take 2 (drop (2 * r) "axcxdxbxspbpsidi")

operand, vector :: Size -> Operand -> String
operand s = \case
  Reg r -> reg s r
  m -> pointed (if s == Full then "QWORD" else "DWORD") m
vector s = \case
  Reg x -> xmm x
  m -> operand s m

narrow :: Int -> Operand -> String
narrow n = \case
  Reg r -> if n == 1 then byte r else word r
  m -> pointed (if n == 1 then "BYTE" else "WORD") m

pointed :: String -> Operand -> String
pointed size_ m = size_ <> " PTR " <> inBrackets m

inBrackets :: Operand -> String
inBrackets = \case
  -- As the number that stands for the code's own place here: the length of an instruction that
  -- reads itself.
  Mem 16 n -> "[rip+0xfffffffffffffff" <> take 1 (drop (16 - n) "0123456789abcdef") <> "]"
  InCode _ -> "[rip]"
  Reg r -> reg Full r
  Mem r d -> "[" <> reg Full r <> distance (r == rbp || r == 13) d <> "]"
  Indexed r i d ->
    "[" <> reg Full r <> "+" <> reg Full i <> "*1" <> distance (r == rbp || r == 13) d <> "]"
  Indexed8 r i d ->
    "[" <> reg Full r <> "+" <> reg Full i <> "*8" <> distance (r == rbp || r == 13) d <> "]"
  where
    distance always d
      | d == 0 = if always then "+0x0" else ""
      | d < 0 = "-0x" <> hexadecimal (negate d)
      | otherwise = "+0x" <> hexadecimal d
    hexadecimal :: Int -> String
    hexadecimal 0 = ""
    hexadecimal n = hexadecimal (n `div` 16) <> take 1 (drop (n `mod` 16) "0123456789abcdef")

condition :: Condition -> String
condition = \case
  Overflow -> "o"
  NoOverflow -> "no"
  Below -> "b"
  AboveEqual -> "ae"
  Equal -> "e"
  NotEqual -> "ne"
  BelowEqual -> "be"
  Above -> "a"
  Negative -> "s"
  NotNegative -> "ns"
  Parity -> "p"
  NoParity -> "np"
  Less -> "l"
  GreaterEqual -> "ge"
  LessEqual -> "le"
  Greater -> "g"
