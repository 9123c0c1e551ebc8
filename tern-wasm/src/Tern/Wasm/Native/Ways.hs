-- -O1: without it each element of a flat vector is gone through by dictionaries, and code was
-- made ten times as slowly in the suites without optimisation. Its loops allocate nothing, so
-- that they are told to look whether the time is over.
{-# OPTIONS_GHC -O1 -fno-omit-yields #-}

-- | Where control goes from each instruction, and what that says of the whole function: how
-- deep in loops an instruction is, and which slots are alive before it.
--
-- The idea: asked often, so held; but in some bytes for an instruction and for each of its
-- targets, since a stranger's jump table may have a million.
--
-- Start at 'ways' and 'liveness'.
module Tern.Wasm.Native.Ways
  ( Ways,
    ways,
    comesOn,
    targets,
    forWays,
    mergeAfter,
    labelled,
    loopHeads,
    loopDepths,
    liveness,
  )
where

import Control.Monad (when)
import Control.Monad.ST (runST)
import Data.Bits (complement, (.&.), (.|.))
import Data.Int (Int32)
import Data.Vector.Unboxed qualified as U
import Data.Vector.Unboxed.Mutable qualified as MU
import Data.Word (Word64, Word8)
import Tern.Wasm.Native.Flow
  ( Body,
    Effect (..),
    bodyLength,
    effectAt,
    fallsThrough,
    numberOf,
  )

-- | Where control goes from each instruction of a function, by their numbers.
data Ways = Ways
  { -- | Whether control comes to the next instruction.
    onwards :: !(U.Vector Bool),
    -- | Which of all targets are an instruction's: from here on, to those of the next one.
    firsts :: !(U.Vector Int32),
    -- | The numbers of instructions.
    allTargets :: !(U.Vector Int32)
  }

-- | Those of a function; linear in its instructions and all their targets.
ways :: Body -> Ways
ways body = Ways on (U.scanl' (+) 0 counts) found
  where
    n = bodyLength body
    (on, counts) = U.unzip (U.generate n (way . effectAt body))
    way e = (fallsThrough e, fromIntegral (length (effectTargets e)))
    found =
      U.fromListN
        (fromIntegral (U.sum counts))
        [ fromIntegral (numberOf body t)
          | k <- [0 .. n - 1],
            counts U.! k > 0,
            t <- effectTargets (effectAt body k)
        ]

-- | Whether control comes from an instruction to the next one.
comesOn :: Ways -> Int -> Bool
comesOn w k = onwards w U.! k && k + 1 < U.length (onwards w)

-- | To which others it jumps.
targets :: Ways -> Int -> U.Vector Int32
targets w k = U.slice from (fromIntegral (firsts w U.! (k + 1)) - from) (allTargets w)
  where
    from = fromIntegral (firsts w U.! k)

-- | For all instructions that may come after one.
--
-- INLINE: so that nothing is allocated for each. Proof: peaks "entries of one table".
forWays :: (Monad m) => Ways -> Int -> (Int -> m ()) -> m ()
forWays w k f = do
  when (comesOn w k) (f (k + 1))
  U.forM_ (targets w k) (f . fromIntegral)
{-# INLINE forWays #-}

-- | What is alive before any instruction that may come after one.
mergeAfter :: Ways -> U.Vector Word64 -> Int -> Word64
mergeAfter w living k = U.foldl' (\m j -> m .|. living U.! fromIntegral j) next (targets w k)
  where
    next = if comesOn w k then living U.! (k + 1) else 0

-- | Where control may come from elsewhere than the instruction before.
labelled :: Ways -> U.Vector Bool
labelled w =
  U.update_
    (U.generate n (\k -> k == 0 || not (onwards w U.! (k - 1))))
    (U.map fromIntegral (allTargets w))
    (U.replicate (U.length (allTargets w)) True)
  where
    n = U.length (onwards w)

-- | Where loops begin.
loopHeads :: Ways -> U.Vector Bool
loopHeads = U.map (>= 0) . lastsBack

-- | For each loop's head its last jump back, or -1.
lastsBack :: Ways -> U.Vector Int32
lastsBack w =
  U.accum
    max
    (U.replicate n (-1))
    [ (fromIntegral j, fromIntegral k)
      | k <- [0 .. n - 1],
        j <- U.toList (targets w k),
        fromIntegral j <= k
    ]
  where
    n = U.length (onwards w)

-- | In how many loops each instruction is, up to six.
loopDepths :: Ways -> U.Vector Word8
loopDepths w =
  U.map (fromIntegral . min 6) (U.zipWith (-) (U.postscanl' (+) 0 begins) (U.prescanl' (+) 0 ends))
  where
    n = U.length (onwards w)
    lasts = lastsBack w
    begins = U.map (\k -> if k >= 0 then 1 else 0) lasts :: U.Vector Int32
    ends = U.accum (+) (U.replicate n 0) [(fromIntegral k, 1) | k <- U.toList lasts, k >= 0]

-- | What is alive before each instruction, from where control goes, what is read
-- and what is written.
--
-- Each pass goes from the last instruction to the first, and as many are needed as
-- loops are nested, and two. Nothing beyond 'mostPasses', so that the time stays linear
-- in what a hostile module has.
liveness :: Ways -> U.Vector Word64 -> U.Vector Word64 -> Maybe (U.Vector Word64)
liveness w readMasks writeMasks = runST $ do
  living <- MU.replicate n 0
  let pass = go (n - 1) False
      go k changed
        | k < 0 = pure changed
        | otherwise = do
            next <- if comesOn w k then MU.read living (k + 1) else pure 0
            out <- U.foldM' (\m j -> (m .|.) <$> MU.read living (fromIntegral j)) next (targets w k)
            let new = (out .&. complement (writeMasks U.! k)) .|. readMasks U.! k
            old <- MU.read living k
            MU.write living k new
            go (k - 1) (changed || new /= old)
      settled k
        | k >= mostPasses = pure False
        | otherwise = pass >>= \changed -> if changed then settled (k + 1) else pure True
  done <- settled 0
  if done then Just <$> U.unsafeFreeze living else pure Nothing
  where
    n = U.length (onwards w)

mostPasses :: Int
mostPasses = 100
