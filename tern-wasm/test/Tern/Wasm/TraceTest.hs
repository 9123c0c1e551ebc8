{-# LANGUAGE OverloadedStrings #-}

-- | Functions of the host that are called in the place of a frame: where they return to, and
-- the traces where they do not.
--
-- The idea: the frame is gone, and the others are where they are in the same program with a
-- call that returns, which has as many bytes. So the trace is that program's without its
-- innermost place, in every tier.
module Tern.Wasm.TraceTest
  ( tests,
  )
where

import Control.Monad (forM, forM_)
import Control.Monad.IO.Class (liftIO)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word64)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Metered (refused)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "tail calls of the host's functions"
    [ testCase
        ( T.unpack (T.concat [callName how, ", of ", T.pack (show n), " arguments, ", endName end])
        )
        . forM_ (Interpreter : concat [[NativeCode, Auto] | available])
        $ \tier -> do
          plain <- runs tier end n how {callWords = T.drop 7 (callWords how)}
          tails <- runs tier end n how
          case end of
            Returns -> do
              forM_ plain (either (assertFailure . fst) (const (pure ())))
              tails @?= plain
            _ -> do
              map (either (length . snd) (const 0)) plain @?= map fst calls
              tails @?= map (either (\(e, places) -> Left (e, drop 1 places)) Right) plain
      | how <- ways,
        n <- [0, 1, 8],
        end <- [Returns, Traps, Late]
    ]

-- | What the host's function does.
data End = Returns | Traps | Late

endName :: End -> Text
endName = \case
  Returns -> "that return"
  Traps -> "that trap"
  Late -> "for which there is no time"

-- | A way to call in the place of a frame, and what it takes after the arguments.
data Way = Way {callName :: !Text, callWords :: !Text, callRest :: !Text}

ways :: [Way]
ways =
  [ Way "by their index" "return_call $h" "",
    Way "by a table" "return_call_indirect $t (type $s)" "(i32.const 0)",
    Way "by a reference" "return_call_ref $s" "(ref.func $h)"
  ]

-- | Functions of the outer instance and of the inner one, and how many frames there are where
-- the host's function is called.
calls :: [(Int, (Bool, Text))]
calls =
  [ -- In one instance, and called by the host directly.
    (3, (False, "f")),
    (2, (False, "mid")),
    (1, (False, "t")),
    -- From another instance: into a frame that is replaced, and one below it.
    (3, (True, "f")),
    (3, (True, "through")),
    -- By a tail call from there, which the host may have called.
    (2, (True, "tail")),
    (1, (True, "o"))
  ]

-- | What comes of each call: the error and its trace, or how many calls have been returned from.
runs :: Tier -> End -> Int -> Way -> IO [Either (String, [Text]) Value]
runs tier end n how = forM calls $ \(_, (fromOuter, name)) -> do
  store <- newStore defaultSettings
  h <- case n of
    0 -> hostFunction store (ending store)
    1 -> hostFunction store ((\_ -> ending store) :: Word64 -> Metered ())
    _ -> hostFunction store ((\_ _ _ _ _ _ _ _ -> ending store) :: Eight)
  i <- made store inner (importsFrom "host" [("h", ExternFunc h)])
  j <- made store outer (fromInstance "inner" i)
  -- Once more, so that all of its code is there.
  _ <- invoke (if fromOuter then j else i) name [I32Value 5]
  setDeadline store Nothing
  invoke (if fromOuter then j else i) name [I32Value 5] >>= \case
    Left e -> pure (Left (T.unpack (renderError e), map renderPlace (errorTrace e)))
    Right _ -> Right <$> (readGlobal i "n" >>= orFail)
  where
    made store source imports = do
      m <-
        orFail (binaryOf (encodeUtf8 source))
          >>= loadWith defaultLoading {loadingTier = tier}
          >>= orFail
      instantiate store m imports >>= orFail
    ending :: Store -> Metered ()
    ending store = case end of
      Returns -> pure ()
      Traps -> refused (HostTrap "no")
      Late -> liftIO (setDeadline store (Just (-1))) >> price 1000000
    inner =
      T.concat
        [ "(module (type $s (func (param",
          T.replicate n " i64",
          "))) (import \"host\" \"h\" (func $h (type $s))) (table $t funcref (elem $h)) \
          \(global $n (export \"n\") (mut i32) (i32.const 0)) \
          \(func $t (export \"t\") (param i32) (local i64) (",
          callWords how,
          " ",
          T.concat ["(i64.const " <> T.pack (show (k + 1)) <> ") " | k <- [1 .. n]],
          callRest how,
          ")) (func $mid (export \"mid\") (param i32) (local i64 i64) (call $t (local.get 0)) ",
          counted,
          ") (func (export \"f\") (param i32) (call $mid (local.get 0)) ",
          counted,
          "))"
        ]
    outer =
      T.concat
        [ "(module (import \"inner\" \"t\" (func $t (param i32))) \
          \(import \"inner\" \"mid\" (func $mid (param i32))) \
          \(import \"inner\" \"n\" (global $n (mut i32))) \
          \(func $a (param i32) (local i64) (call $t (local.get 0)) ",
          counted,
          ") (func (export \"f\") (param i32) (call $a (local.get 0)) ",
          counted,
          ") (func (export \"through\") (param i32) (call $mid (local.get 0)) ",
          counted,
          ") (func $o (export \"o\") (param i32) (local i64) (return_call $t (local.get 0))) \
          \(func (export \"tail\") (param i32) (call $o (local.get 0)) ",
          counted,
          "))"
        ]
    counted = "(global.set $n (i32.add (global.get $n) (i32.const 1)))"

type Eight =
  Word64 -> Word64 -> Word64 -> Word64 -> Word64 -> Word64 -> Word64 -> Word64 -> Metered ()
