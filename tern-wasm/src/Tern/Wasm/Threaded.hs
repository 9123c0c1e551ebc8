{-# LANGUAGE TemplateHaskellQuotes #-}

-- | Threaded code: an instruction is a function of its own, which ends with a dispatch of its own.
--
-- Its one idea: a processor foretells an indirect jump by where it stands and by what was jumped to
-- before. Of one jump for all instructions it would have to know the program; a jump after each
-- instruction goes to the few that come after that one.
--
-- Start at 'threaded'. What it gives, and what it costs, says @docs\/decisions\/108@.
module Tern.Wasm.Threaded (threaded) where

import Language.Haskell.TH
import Tern.Wasm.Code (Op (..))

-- | For a module that has the type @Loop@, the function @op@, which says which instruction stands
-- at an address, and @step :: Loop -> Op -> Loop@, which does one instruction and goes on with a
-- loop that it is given: the function @loop@, and one more for each instruction. Those that run
-- often have their own dispatch at each end; the others go on with @loop@.
threaded :: Q [Dec]
threaded =
  reify ''Op >>= \case
    TyConI (DataD _ _ _ _ constructors _) -> do
      state <- traverse newName ["ip", "fp", "mem", "size", "inst", "s"]
      let known = [c | NormalC c [] <- constructors]
          called f = foldl AppE f (map VarE state)
          function name pragma body =
            [ SigD name (ConT (mkName "Loop")),
              PragmaD (InlineP name pragma FunLike AllPhases),
              FunD name [Clause (map VarP state) (NormalB body) []]
            ]
          at = foldl AppE (VarE (mkName "op")) (map VarE (take 1 state))
          toOwn c = Match (ConP c [] []) (NormalB (called (VarE (own c)))) []
          dispatch = CaseE at (map toOwn known)
          after c = VarE (if nameBase c `elem` map show often then here else loop)
      pure $
        function loop NoInline (called (VarE here))
          <> function here Inline dispatch
          <> concat
            [ function (own c) NoInline (called (VarE (mkName "step") `AppE` after c `AppE` ConE c))
              | c <- known
            ]
    _ -> fail "Op is no type of instructions"
  where
    loop = mkName "loop"
    here = mkName "here"
    own c = mkName ("do" <> nameBase c)

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
    Copy32Copy32,
    F64MulF64Mul,
    AddI32AddI32,
    Load32JumpLtS32,
    ShlI32AddI32,
    Copy32JumpLtS32,
    AddI32Load64,
    Xor64RotlI64,
    Const64Add64,
    Add32JumpLtUI32,
    Const32Store8,
    F64AddStore64,
    F64SubStore64,
    Const32AddI32,
    Const32StoreAt32
  ]
