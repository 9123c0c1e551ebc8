-- | How much code may stand in a row without taking fuel.
--
-- The idea: fuel is taken by jumps and calls, and limits are looked at when a slice of it
-- is used up. So code in a row must be short: lowering counts what it writes, and where
-- that is enough it writes a jump to what follows. What is counted is the same in every
-- tier, since fuel is.
--
-- Start at 'weighed'; lowering's part is 'Tern.Wasm.Lower.State.breakStraight'.
module Tern.Wasm.Lower.Straight
  ( straightMost,
    straightBefore,
    weighed,
  )
where

import Tern.Wasm.Meaning (Meaning (..))

-- | The most that is written in a row, in instructions of the loop's: a tenth of a
-- microsecond.
straightMost :: Int
straightMost = 128

-- | From how much on a loop that comes next begins a new row: what is written in it is then not
-- added to that, and a body that is short enough is not broken at every turn.
straightBefore :: Int
straightBefore = 32

-- | What has been written in a row with an instruction more. One of the loop's own
-- counts as one, and one that is left to Haskell, or goes to memory, as some. After one
-- that takes fuel
-- whenever control goes on, the row is a new one; so it is where control does not go on,
-- since what follows is reached by a jump.
weighed :: Meaning -> Int -> Int
weighed what before = case what of
  Driven {} -> slow
  CallsHost -> slow
  TailCallsHost -> anew
  CallsByDriver -> slow
  OverVectors _ -> slow
  CanonicalisesLanes _ -> slow
  Slowly -> slow
  Distantly -> slow
  Jumps -> anew
  JumpsByTable -> anew
  Stops -> anew
  Calls _ -> anew
  TailCalls _ -> anew
  Returns -> anew
  ReturnsOne _ -> anew
  -- They are written in some tiers, and for profiles.
  Gates -> before
  Switches -> before
  Tallies -> before
  Enters -> plain
  JumpsIf _ -> plain
  TrapsOnNull -> plain
  Makes _ -> plain
  Copies _ -> plain
  Copies128 -> plain
  Zeroes _ -> plain
  Selects _ -> plain
  Selects128 -> plain
  GetsGlobal _ _ -> plain
  GetsGlobal128 _ -> plain
  SetsGlobal _ _ -> plain
  SetsGlobal128 _ -> plain
  Loads _ _ -> memory
  Stores _ _ -> memory
  StoresNarrow _ -> memory
  CountsPages -> plain
  Operates {} -> plain
  Divides {} -> plain
  CountsLeading _ -> plain
  CountsTrailing _ -> plain
  Extends _ _ -> plain
  Widens _ -> plain
  Compares {} -> plain
  JumpsOn {} -> plain
  FloatOperates _ _ -> plain
  FloatRoots _ -> plain
  FloatMasks _ _ -> plain
  FloatCompares {} -> plain
  FloatJumps _ _ -> plain
  FromInteger32 _ _ -> plain
  FromInteger64 _ -> plain
  FloatToFloat _ -> plain
  Canonicalises _ -> plain
  where
    plain = before + 1
    -- It may be in no cache.
    memory = before + 4
    slow = before + 16
    anew = 0
