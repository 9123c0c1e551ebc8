{-# LANGUAGE OverloadedStrings #-}

-- | The module @spectest@ that the official suite's scripts import from. Its
-- printers print nothing.
module Tern.Wasm.Spectest
  ( spectest,
  )
where

import Data.Maybe (catMaybes)
import Tern.Wasm

-- | Functions, globals, a memory and a table for each width of addresses, all new in the store.
-- What is above the store's limits is left out.
spectest :: Store -> IO Imports
spectest store = do
  functions <- mapM function printers
  globals <- mapM global_ values
  table <- hostTable store (TableType Address32 (Limits 10 (Just 20)) FuncRef)
  table64 <- hostTable store (TableType Address64 (Limits 10 (Just 20)) FuncRef)
  memory <- hostMemory store (MemoryType Address32 (Limits 1 (Just 2)))
  pure . importsFrom "spectest" $
    functions
      <> concat globals
      <> catMaybes
        [ ("table",) . ExternTable
            <$> table,
          ("table64",) . ExternTable <$> table64,
          ("memory",) . ExternMemory <$> memory
        ]
  where
    function (name, params) = do
      f <- hostFunc store (FuncType params []) (const (pure (Right [])))
      pure (name, ExternFunc f)
    global_ (name, v) = do
      g <- hostGlobal store Const v
      pure [(name, ExternGlobal e) | Just e <- [g]]
    printers =
      [ ("print", []),
        ("print_i32", [I32]),
        ("print_i64", [I64]),
        ("print_f32", [F32]),
        ("print_f64", [F64]),
        ("print_i32_f32", [I32, F32]),
        ("print_f64_f64", [F64, F64])
      ]
    values =
      [ ("global_i32", I32Value 666),
        ("global_i64", I64Value 666),
        ("global_f32", F32Value 666.6),
        ("global_f64", F64Value 666.6)
      ]
