{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TemplateHaskellQuotes #-}

-- | Threaded code: an instruction is a function of its own, which ends with a dispatch of its own.
--
-- Its two ideas: a processor foretells an indirect jump by where it stands and by what was jumped
-- to before. Of one jump for all instructions it would have to know the program; a jump after
-- each instruction goes to the few that come after that one. And GHC makes a jump table without
-- comparing the number with its bounds only where every value of the number's type has its place.
-- So the number is a byte, and all 256 of them are named.
--
-- Start at 'threaded'. What it gives, and what it costs, says @docs\/decisions\/108@.
module Tern.Wasm.Threaded (threaded) where

import GHC.Exts (eqWord8#, indexWord8OffAddr#, wordToWord8#)
import Language.Haskell.TH
import Tern.Wasm.Byte (Standing (..), sharing, standing)
import Tern.Wasm.Code (Op (..))

-- | For a module that has the type @Loop@, and @step :: Loop -> Loop -> Op -> Loop@, which does
-- one instruction and goes on with one of two loops that it is given: the function @loop@, and
-- one more for each byte. Those that run often have their own dispatch at each end; the others go
-- on with @loop@.
threaded :: Q [Dec]
threaded = do
  ip <- newName "ip"
  state <- (ip :) <$> traverse newName ["fp", "mem", "size", "inst", "s"]
  let called f = foldl AppE f (map VarE state)
      function name pragma body =
        [ SigD name (ConT (mkName "Loop")),
          PragmaD (InlineP name pragma FunLike AllPhases),
          FunD name [Clause (map VarP state) body []]
        ]
      byteAt k = applied 'indexWord8OffAddr# [VarE ip, LitE (IntPrimL k)]
      is byte n =
        BindS (LitP (IntPrimL 1)) (applied 'eqWord8# [byte, applied 'wordToWord8# [word n]])
      word n = LitE (WordPrimL n)
      -- A chain of comparisons with each byte, of which GHC makes one table. They are primitive
      -- alone: a function of a library, isTrue# among them, is not inlined where the package is
      -- built without optimisation. At the chain's end stands one whose byte is in the middle: of
      -- a missing value at an end there would be a bound.
      table k choices end =
        GuardedB
          ( [(PatG [is (byteAt k) n], called (VarE own)) | (n, own) <- choices]
              <> [(NormalG (VarE 'otherwise), called (VarE end))]
          )
      bytes = zip [0 ..] (map owned standing)
      middle = owned (Alone Const32)
  pure $
    function loop NoInline (NormalB (called (VarE here)))
      <> function here Inline (table 0 [c | c@(_, own) <- bytes, own /= middle] middle)
      <> function
        (owned Shared)
        NoInline
        (table 1 (zip [0 ..] (map (owned . Alone) sharing)) (owned Unused))
      <> concat
        [ function (owned on) NoInline (NormalB (called (composed (goingOn on) ops)))
          | (on, ops) <- functions
        ]
  where
    functions =
      [(on, ops) | on <- standing, Just ops <- [done on]]
        <> [(Alone op, [op]) | op <- sharing]
        <> [(Unused, [Stop])]
    done = \case
      Alone op -> Just [op]
      InRow ops -> Just ops
      Unused -> Nothing
      Shared -> Nothing

-- | What instructions do one after the other, if they go on with a loop in the end.
composed :: Exp -> [Op] -> Exp
composed on = \case
  [] -> on
  op : ops -> applied (mkName "step") [on, composed on ops, ConE (mkName (show op))]

applied :: Name -> [Exp] -> Exp
applied f = foldl AppE (VarE f)

-- | The function of what a byte stands for.
owned :: Standing -> Name
owned =
  mkName . \case
    Alone op -> "do" <> show op
    InRow ops -> "row" <> concatMap show ops
    Unused -> "unused"
    Shared -> "shared"

loop, here :: Name
loop = mkName "loop"
here = mkName "here"

goingOn :: Standing -> Exp
goingOn =
  VarE . \case
    Alone op | op `notElem` often -> loop
    Alone _ -> here
    InRow _ -> here
    Unused -> loop
    Shared -> loop

-- | A dispatch takes 2 kilobytes of the program for its table. These are what the programs of the
-- benchmark run, and their like.
often :: [Op]
often =
  [ Enter,
    Jump,
    JumpIf,
    JumpIfNot,
    CallOwn,
    CallTable,
    Ret,
    Ret32,
    Ret64,
    Const32,
    Const64,
    Copy32,
    Copy64,
    Select32,
    Global32,
    SetGlobal32,
    Load32,
    Load64,
    Load8S32,
    Load8U32,
    Load16U32,
    Store32,
    Store64,
    Store8,
    LoadAt32,
    LoadAt64,
    StoreAt32,
    StoreAt64,
    Add32,
    Sub32,
    Mul32,
    And32,
    Or32,
    Xor32,
    AddI32,
    MulI32,
    AndI32,
    OrI32,
    XorI32,
    ShlI32,
    ShrSI32,
    ShrUI32,
    RotlI32,
    RotrI32,
    JumpEq32,
    JumpNe32,
    JumpLtS32,
    JumpLtU32,
    JumpLeS32,
    JumpLeU32,
    JumpEqI32,
    JumpNeI32,
    JumpLtSI32,
    JumpLtUI32,
    JumpGtSI32,
    JumpGtUI32,
    Add64,
    Sub64,
    Mul64,
    And64,
    Or64,
    Xor64,
    AddI64,
    MulI64,
    AndI64,
    XorI64,
    ShlI64,
    ShrUI64,
    RotlI64,
    ExtendS64,
    ExtendU64,
    JumpEq64,
    JumpNe64,
    JumpLtS64,
    JumpLtU64,
    JumpEqI64,
    JumpNeI64,
    F64Add,
    F64Sub,
    F64Mul,
    F64Div,
    F64Sqrt,
    JumpF64Lt,
    JumpF64NotLt,
    F64FromS32,
    ShrUI64Xor64,
    Const64Mul64,
    AddI32JumpIf,
    AddI32Load32,
    AddI32JumpNeI32,
    F64MulF64Mul,
    Load32JumpLtS32,
    ShlI32AddI32,
    AddI32Load64,
    Xor64RotlI64,
    Const64Add64,
    Add32JumpLtUI32,
    Const32Store8,
    F64AddStore64,
    F64SubStore64
  ]
