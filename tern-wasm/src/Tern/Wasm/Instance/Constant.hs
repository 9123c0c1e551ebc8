-- | Constant expressions: what globals, segments and tables begin with, and where segments go.
--
-- The idea: they are run as they stand, over a stack of slots; what is done with structures and
-- arrays is the machine's.
module Tern.Wasm.Instance.Constant
  ( constant,
  )
where

import Data.Vector qualified as V
import Data.Word (Word32, Word64)
import Foreign.Marshal.Alloc (allocaBytes)
import Tern.Wasm.Aggregate (Operand (..), Row (..), aggregate)
import Tern.Wasm.Binary.Instr (instructions)
import Tern.Wasm.Compiled (Compiled (..))
import Tern.Wasm.Lasting (at)
import Tern.Wasm.Machine (Stop (..), atOnce)
import Tern.Wasm.Machine.Aggregate (aggregated)
import Tern.Wasm.Opcode (VectorOp (..), constantly)
import Tern.Wasm.Prim (Ptr, peekByteOff, plusPtr, pokeByteOff, ptrToWordPtr)
import Tern.Wasm.Store (Global (..), Instance (..), funcAddress)
import Tern.Wasm.Syntax hiding (Func (..), Global (..), Table (..))
import Tern.Wasm.Valid (Spaces (..), Valid (..))

-- | The value of a constant expression, as one slot or two.
constant :: Instance -> Expr -> IO (Either Stop (Word64, Word64))
constant i e = case map snd (instructions e) of
  [instr, End] | Just known <- simple instr -> Right <$> known
  instrs -> allocaBytes (16 * (2 + length instrs)) $ \base -> run base base instrs
  where
    simple = \case
      I32Const v -> Just (pure (fromIntegral (fromIntegral v :: Word32), 0))
      I64Const v -> Just (pure (fromIntegral v, 0))
      F32Const v -> Just (pure (fromIntegral v, 0))
      F64Const v -> Just (pure (v, 0))
      VectorBytes V128Const low high -> Just (pure (low, high))
      RefNull _ -> Just (pure (0, 0))
      RefFunc x ->
        Just (pure (fromIntegral (ptrToWordPtr (funcAddress (instanceFuncs i V.! x))), 0))
      GlobalGet x ->
        Just . at (globalBlock (instanceGlobals i V.! x)) $ \p ->
          (,) <$> peekByteOff p 0 <*> peekByteOff p 8
      _ -> Nothing
    -- The stack grows up from its base; every instruction pushes two slots at most.
    run :: Ptr () -> Ptr () -> [Instr] -> IO (Either Stop (Word64, Word64))
    run base p = \case
      instr : rest
        | Just known <- simple instr -> do
            (low, high) <- known
            pokeByteOff p 0 low
            pokeByteOff p 8 high
            run base (p `plusPtr` (8 * width instr)) rest
      Plain op : rest
        | Just f <- constantly op -> do
            y <- peekByteOff p (-8)
            x <- peekByteOff p (-16)
            pokeByteOff p (-16) (f x y)
            run base (p `plusPtr` (-8)) rest
      Aggregate g x y : rest -> do
        let home = p `plusPtr` (-8 * slotsOf x y (rowTakes (aggregate g)))
        atOnce (instanceStore i) (aggregated (const (pure False)) i g x y home)
          >>= either
            (pure . Left)
            ( const
                ( run
                    base
                    ( home
                        `plusPtr` (8 * slotsOf x y (rowLeaves (aggregate g)))
                    )
                    rest
                )
            )
      _ -> Right <$> ((,) <$> peekByteOff base 0 <*> peekByteOff base 8)
    sp = validSpaces (compiledValid (instanceCompiled i))
    width = \case
      VectorBytes {} -> 2
      GlobalGet x -> slotCount (globalValue (spaceGlobals sp V.! x))
      _ -> 1
    fields x = case subComp <$> spaceTypes sp V.!? x of
      Just (CompStruct fs) -> fs
      Just (CompArray f) -> [f]
      _ -> []
    slots = sum . map (slotCount . unpacked)
    slotsOf x y =
      sum
        . map
          ( \case
              Reference -> 1
              Int32 -> 1
              EachField -> slots (fields x)
              OneField -> slots (take 1 (drop y (fields x)))
              Element -> slots (take 1 (fields x))
              Elements -> y * slots (take 1 (fields x))
          )
