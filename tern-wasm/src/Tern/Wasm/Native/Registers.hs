-- | Which slots of a frame native code keeps in registers.
--
-- The idea: the slots that are used most, in loops above all, get a register for
-- the whole function where no other slot of the same register is alive at the same
-- time; all others stay in the frame. So every jump finds each value where it
-- expects it, and what must be written back or fetched at a call or an exit is
-- known from which slots are alive there.
--
-- Start at 'allocate'.
module Tern.Wasm.Native.Registers
  ( Home (..),
    Allocation,
    allocate,
    homeOf,
    isHalf,
    aliveAt,
    passedSlots,
    lookedAt,
  )
where

import Control.Monad (forM_, when)
import Control.Monad.ST (ST, runST)
import Data.Bits (complement, countTrailingZeros, shiftL, testBit, (.&.), (.|.))
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet (IntSet)
import Data.IntSet qualified as IntSet
import Data.List (sortOn)
import Data.List qualified as List
import Data.Ord (Down (..))
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Unboxed qualified as U
import Data.Vector.Unboxed.Mutable qualified as MU
import Data.Word (Word64)
import Tern.Wasm.Code (Op (..))
import Tern.Wasm.Meaning (Size (..))
import Tern.Wasm.Native.Assembler (Register)
import Tern.Wasm.Native.Assembler qualified as Assembler
import Tern.Wasm.Native.Flow (Effect (..), Located (..), RegisterClass (..), Use (..), fallsThrough)

-- | Where a slot's value is while it is alive.
data Home = InRegister !Register | InVector !Assembler.Vector | InFrame
  deriving stock (Eq, Show)

data Allocation = Allocation
  { homes :: !(IntMap Home),
    -- | Those in registers, each with its bit.
    held :: ![(Int, (Int, Home))],
    -- | Of which slots nothing ever reads or writes more than 32 bits, nor passes on
    -- what others have written to the frame.
    half :: !IntSet,
    -- | Before each instruction, which are alive.
    alive :: !(U.Vector Word64)
  }

homeOf :: Allocation -> Int -> Home
homeOf l slot = IntMap.findWithDefault InFrame slot (homes l)

-- | Whether a slot's register has nothing above its 32 low bits: instructions of 32
-- bits clear the others, and 'Tern.Wasm.Native.Frame.fetch' is one.
isHalf :: Allocation -> Int -> Bool
isHalf l slot = IntSet.member slot (half l)

-- | The slots in registers that are alive before an instruction, by its number.
aliveAt :: Allocation -> Int -> [(Int, Home)]
aliveAt l k = [sh | (b, sh) <- held l, testBit mask b]
  where
    mask = alive l U.! k

-- | The slots in registers that an instruction reads in memory.
passedSlots :: Allocation -> Effect -> [(Int, Home)]
passedSlots l e = [sh | (_, sh@(s, _)) <- held l, passes e s]

-- | The same where the driver may come to do what the instruction says: it finds
-- nothing but in memory, so that all that the instruction reads must be there.
lookedAt :: Allocation -> Effect -> [(Int, Home)]
lookedAt l e = [sh | (_, sh@(s, _)) <- held l, passes e s || s `elem` map useSlot (effectReads e)]

passes :: Effect -> Int -> Bool
passes e s = s >= from && s < to
  where
    (from, to) = effectPassed e

-- | Registers that may hold slots. Not among them: rax, rcx and rdx, in which
-- values are on their way, rsp, and what "Tern.Wasm.Native.Emit" keeps in others.
registers :: [Register]
registers = [3, 6, 7, 8, 9, 10, 11]

vectors :: [Assembler.Vector]
vectors = [2 .. 15]

-- | The effects of the instructions, and their order in bytes. About linear, times
-- the depth of loops; at most 64 slots are considered.
allocate :: Vector Located -> Vector Effect -> (Int -> Int) -> Allocation
allocate code effects indexAt = case (,)
  <$> liveness successors readMasks writeMasks
  <*> handedOn of
  Just (living, on) -> colouring living (IntSet.difference onlyHalf on)
  -- Nested too deeply: every slot stays in the frame.
  Nothing -> Allocation IntMap.empty [] onlyHalf (U.replicate n 0)
  where
    n = V.length code
    weights = loopWeights code effects indexAt

    onlyHalf =
      IntMap.keysSet
        ( IntMap.filter
            (== 0)
            ( IntMap.fromListWith
                (+)
                (concatMap widths (V.toList effects))
            )
        )
    widths e =
      [(useSlot u, if narrowUse u then 0 else 1 :: Int) | u <- effectReads e <> effectWrites e]
    -- What has floats is fetched whole.
    narrowUse u = useSize u == Half && useKind u /= Floating

    -- What each slot is worth, and in which registers.
    raw = IntMap.fromList [(s, ()) | e <- V.toList effects, s <- effectRaw e]
    uses = IntMap.fromListWith plus (concat (zipWith used (U.toList weights) (V.toList effects)))
    used w e =
      [(s, ofKind w k) | Use s k _ <- effectReads e <> effectWrites e, not (IntMap.member s raw)]
    ofKind w = \case
      Whole -> (w, w, 0)
      Floating -> (w, 0, w)
      Either_ -> (w, 0, 0)
    plus :: (Int, Int, Int) -> (Int, Int, Int) -> (Int, Int, Int)
    plus (x, y, z) (x', y', z') = (x + x', y + y', z + z')
    chosen = take 64 (sortOn (\(_, (w, _, _)) -> Down w) (IntMap.toList uses))
    slots = U.fromList (map fst chosen)
    bits = IntMap.fromList (zip (U.toList slots) [0 ..]) :: IntMap Int

    mask :: [Int] -> Word64
    mask = List.foldl' (\m s -> maybe m (\b -> m .|. (1 `shiftL` b)) (IntMap.lookup s bits)) 0
    ranged from to =
      if from >= to
        then 0
        else mask (filter (\s -> s >= from && s < to) (U.toList slots))
    readMask e = mask (map useSlot (effectReads e)) .|. uncurry ranged (effectPassed e)
    writeMask e = mask (map useSlot (effectWrites e)) .|. ranged (effectLost e) maxBound
    readMasks = U.convert (V.map readMask effects) :: U.Vector Word64
    writeMasks = U.convert (V.map writeMask effects) :: U.Vector Word64

    -- The slots of 'onlyHalf' that may be fetched to be passed on: a call's result of 64
    -- bits may be the next call's argument, and nobody here has said how wide it is.
    handedOn
      | U.all (== 0) passedMasks = Just IntSet.empty
      | otherwise = slotsOf . fetched <$> liveness successors passedMasks writeMasks
    passedMasks =
      U.map
        (.&. mask (IntSet.toList onlyHalf))
        ( U.convert
            (V.map (uncurry ranged . effectPassed) effects)
        ) ::
        U.Vector Word64
    fetched on =
      List.foldl'
        (.|.)
        0
        [ on U.! k
          | (k, s) <-
              V.toList (V.indexed code),
            k == 0 || stepOp s == Gate
        ]
    slotsOf m = IntSet.fromList [slots U.! b | b <- bitsOf m]

    successors =
      V.imap (\k e -> [k + 1 | fallsThrough e, k + 1 < n] <> map indexAt (effectTargets e)) effects
    colouring living narrow =
      Allocation homesOf [(b, (slot, h)) | (b, slot, h) <- coloured] narrow living
      where
        after k = List.foldl' (\m j -> m .|. living U.! j) 0 (successors V.! k)

        -- Where the registers are given up: what is alive after that costs a fetch, and
        -- often a store before.
        crossings =
          [ (weights U.! k, after k .&. complement (ranged (effectLost (effects V.! k)) maxBound))
            | k <-
                [0 .. n - 1],
              effectPassed (effects V.! k) /= (0, 0),
              fallsThrough (effects V.! k)
          ]
        lost =
          U.accum
            (+)
            (U.replicate 64 0)
            [ (b, (3 * w) `div` 2)
              | (w, m) <-
                  crossings,
                m /= 0,
                b <- bitsOf m
            ] ::
            U.Vector Int
        worth =
          [(b, slot, kinds) | (b, (slot, kinds@(w, _, _))) <- zip [0 ..] chosen, w > lost U.! b]

        -- Alive at the same time: whatever is written while another is alive, and all
        -- that are alive where they are fetched together.
        clashes = U.create $ do
          found <- MU.replicate 64 0
          forM_ [0 .. n - 1] $ \k -> do
            let out = after k
                e = effects V.! k
                written =
                  mask (map useSlot (effectWrites e))
                    .|. (if effectLost e < maxBound then out .&. writeMasks U.! k else 0)
            clash found written out
          when (n > 0) (clash found (living U.! 0) (living U.! 0))
          -- And the other way round.
          forM_ [0 .. 63] $ \b -> do
            others <- MU.read found b
            forM_ (bitsOf others) $ \o -> MU.modify found (.|. (1 `shiftL` b)) o
          pure found
        clash :: MU.MVector s Word64 -> Word64 -> Word64 -> ST s ()
        clash found written out = forM_ (bitsOf written) $ MU.modify found (.|. out)

        homesOf = IntMap.fromList [(slot, h) | (_, slot, h) <- coloured]
        coloured = List.foldl' colour [] (sortOn (\(_, _, (w, _, _)) -> Down w) worth)
        colour done (b, slot, (_, whole, floating)) =
          case filter
            (`notElem` taken)
            ( if floating > whole
                then map InVector vectors
                else map InRegister registers
            ) of
            h : _ -> (b, slot, h) : done
            [] -> done
          where
            against = clashes U.! b
            taken = [h | (o, _, h) <- done, testBit against o]

bitsOf :: Word64 -> [Int]
bitsOf m
  | m == 0 = []
  | otherwise = countTrailingZeros m : bitsOf (m .&. (m - 1))

-- | How much each instruction counts: eight times more in each loop around it.
loopWeights :: Vector Located -> Vector Effect -> (Int -> Int) -> U.Vector Int
loopWeights code effects indexAt =
  U.map (\d -> 8 ^ min 6 d) (U.zipWith (-) (U.postscanl' (+) 0 begins) (U.prescanl' (+) 0 ends))
  where
    n = V.length code
    -- For each loop its head and its last jump back.
    loops =
      IntMap.fromListWith
        max
        [ (indexAt t, k)
          | (k, (s, e)) <-
              V.toList (V.indexed (V.zip code effects)),
            t <- effectTargets e,
            t <= stepAt s
        ]
    begins = U.accum (+) (U.replicate n (0 :: Int)) [(h, 1) | h <- IntMap.keys loops]
    ends = U.accum (+) (U.replicate n 0) [(k, 1) | k <- IntMap.elems loops]

-- | What is alive before each instruction, from where control goes, what is read
-- and what is written.
--
-- Each pass goes from the last instruction to the first, and as many are needed as
-- loops are nested, and two. Nothing beyond 'mostPasses', so that the time stays linear
-- in what a hostile module has.
liveness :: Vector [Int] -> U.Vector Word64 -> U.Vector Word64 -> Maybe (U.Vector Word64)
liveness successors readMasks writeMasks = runST $ do
  living <- MU.replicate n 0
  let pass = go (n - 1) False
      go k changed
        | k < 0 = pure changed
        | otherwise = do
            out <- merge (successors V.! k) 0
            let new = (out .&. complement (writeMasks U.! k)) .|. readMasks U.! k
            old <- MU.read living k
            MU.write living k new
            go (k - 1) (changed || new /= old)
      merge [] !m = pure m
      merge (j : js) !m = MU.read living j >>= \x -> merge js (m .|. x)
      settled k
        | k >= mostPasses = pure False
        | otherwise = pass >>= \changed -> if changed then settled (k + 1) else pure True
  done <- settled 0
  if done then Just <$> U.unsafeFreeze living else pure Nothing
  where
    n = V.length successors

mostPasses :: Int
mostPasses = 100
