-- | Which slots of a frame native code keeps in registers, and from where to where.
--
-- The idea: what is written to a slot and what may read it make a /range/; a slot that
-- is used for one thing after the other has several, which have nothing to do with each
-- other. The ranges that are used most, in loops above all, get a register where no
-- other range of the same register is alive at the same time; all others stay in the
-- frame. So every jump finds each value where it expects it, and what must be written
-- back or fetched at a call or an exit is known from which ranges are alive there.
--
-- Start at 'allocate'. What reads a slot asks 'homeBefore', and what writes it 'homeAfter'.
module Tern.Wasm.Native.Registers
  ( Home (..),
    Allocation,
    allocate,
    homeBefore,
    homeAfter,
    isHalf,
    aliveAt,
    passedSlots,
    lookedAt,
    unread,
    isVector,
  )
where

import Control.Monad (forM_, when)
import Control.Monad.ST (ST, runST)
import Data.Bits (complement, shiftL, shiftR, testBit, (.&.), (.|.))
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
import Tern.Wasm.Native.Ranges (Ranges (rangeCount), bitsOf, rangeAfter, rangeBefore, ranges)

-- | Where a slot's value is while it is alive.
data Home = InRegister !Register | InVector !Assembler.Vector | InFrame
  deriving stock (Eq, Show)

data Allocation = Allocation
  { -- | The slots that are considered, by their bits, and the other way round.
    slotOf :: !(U.Vector Int),
    bitOf :: !(IntMap Int),
    -- | The slots of 16 bytes that something reads.
    wideSlots :: !IntSet,
    -- | Before each instruction, which are alive.
    alive :: !(U.Vector Word64),
    known :: !Ranges,
    -- | By the range.
    homes :: !(Vector Home),
    -- | Of which ranges nothing ever reads or writes more than 32 bits, nor passes on
    -- what others have written to the frame.
    half :: !(U.Vector Bool)
  }

-- | Where a slot's value is for who reads it, at an instruction by its number.
homeBefore :: Allocation -> Int -> Int -> Home
homeBefore l k slot = maybe InFrame (homes l V.!) (readRange l k slot)

-- | Where it is to be after who writes it.
homeAfter :: Allocation -> Int -> Int -> Home
homeAfter l k slot =
  maybe InFrame (homes l V.!) (IntMap.lookup slot (bitOf l) >>= rangeAfter (known l) k)

readRange :: Allocation -> Int -> Int -> Maybe Int
readRange l k slot = IntMap.lookup slot (bitOf l) >>= rangeBefore (known l) k

-- | Whether the register that a slot is in, before an instruction, has nothing above
-- its 32 low bits: instructions of 32 bits clear the others, and
-- 'Tern.Wasm.Native.Frame.fetch' is one.
isHalf :: Allocation -> Int -> Int -> Bool
isHalf l k slot = maybe False (half l U.!) (readRange l k slot)

-- | The slots in registers that are alive before an instruction, by its number.
aliveAt :: Allocation -> Int -> [(Int, Home)]
aliveAt l k =
  [ (slotOf l U.! b, h)
    | b <- bitsOf (alive l U.! k),
      Just r <- [rangeBefore (known l) k b],
      let h = homes l V.! r,
      h /= InFrame
  ]

-- | The slots in registers that an instruction, by its number, reads in memory.
passedSlots :: Allocation -> Int -> Effect -> [(Int, Home)]
passedSlots l k e = [sh | sh@(s, _) <- aliveAt l k, passes e s]

-- | The same where the driver may come to do what the instruction says: it finds
-- nothing but in memory, so that all that the instruction reads must be there.
lookedAt :: Allocation -> Int -> Effect -> [(Int, Home)]
lookedAt l k e =
  [sh | sh@(s, _) <- aliveAt l k, passes e s || s `elem` map useSlot (effectReads e)]

-- | Whether nothing reads what a slot holds before an instruction, neither in a register
-- nor in memory; not known of slots that are not considered.
unread :: Allocation -> Int -> Int -> Bool
unread l k slot =
  case (,) <$> IntMap.lookup slot (bitOf l) <*> (alive l U.!? k) of
    Just (b, m) -> not (testBit m b)
    Nothing -> False

-- | Whether a slot of 16 bytes is one: something reads it.
isVector :: Allocation -> Int -> Bool
isVector l slot = IntSet.member slot (wideSlots l)

passes :: Effect -> Int -> Bool
passes e s = s >= from && s < to
  where
    (from, to) = effectPassed e

-- | Registers that may hold slots. Not among them: rax, rcx and rdx, in which
-- values are on their way, rsp, and what "Tern.Wasm.Native.Emit" keeps in others.
registers :: [Register]
registers = [3, 6, 7, 8, 9, 10, 11, 13]

-- | Where no vector is read, and where one is: the code for some operators takes two
-- registers more.
vectors, vectorsBeside :: [Assembler.Vector]
vectors = [2 .. 15]
vectorsBeside = [4 .. 15]

-- | The effects of the instructions, and their order in bytes. About linear, times
-- the depth of loops; at most 64 slots are considered.
allocate :: Vector Located -> Vector Effect -> (Int -> Int) -> Allocation
allocate code effects indexAt = case (,)
  <$> liveness successors readMasks writeMasks
  <*> handedOn of
  Just (living, on) -> assigned living on
  -- Nested too deeply: every slot stays in the frame.
  Nothing ->
    Allocation
      U.empty
      IntMap.empty
      wide
      (U.replicate n 0)
      (ranges 0 (V.replicate n True) (V.replicate n []) (U.replicate n 0) (U.replicate n 0))
      V.empty
      U.empty
  where
    n = V.length code
    weights = loopWeights code effects indexAt

    -- What each slot is used, all told; those of vectors that nothing reads are no vectors.
    wide = IntSet.fromList [s | e <- V.toList effects, Use s Wide _ <- effectReads e]
    uses = IntMap.fromListWith (+) (concat (zipWith used (U.toList weights) (V.toList effects)))
    used w e =
      [ (s, w)
        | Use s kind _ <- effectReads e <> effectWrites e,
          kind /= Wide || IntSet.member s wide
      ]
    pool = if IntSet.null wide then vectors else vectorsBeside
    chosen = take 64 (sortOn (\(_, w) -> Down w) (IntMap.toList uses))
    slots = U.fromList (map fst chosen)
    bits = IntMap.fromList (zip (U.toList slots) [0 ..]) :: IntMap Int

    mask :: [Int] -> Word64
    mask = List.foldl' (\m s -> maybe m (\b -> m .|. (1 `shiftL` b)) (IntMap.lookup s bits)) 0
    ranged from to =
      if from >= to
        then 0
        else mask (filter (\s -> s >= from && s < to) (U.toList slots))
    readMask e = mask (map useSlot (effectReads e)) .|. uncurry ranged (effectPassed e)
    readMasks = U.convert (V.map readMask effects) :: U.Vector Word64
    ownWrites = U.convert (V.map (mask . map useSlot . effectWrites) effects) :: U.Vector Word64
    lostMasks = U.convert (V.map (\e -> ranged (effectLost e) maxBound) effects) :: U.Vector Word64
    endMasks = U.convert (V.map (mask . effectEnds) effects) :: U.Vector Word64
    writeMasks = U.zipWith3 (\x y z -> x .|. y .|. z) ownWrites endMasks lostMasks
    passedMasks = U.convert (V.map (uncurry ranged . effectPassed) effects) :: U.Vector Word64

    -- The slots that may be passed on, before each instruction: a call's result of 64 bits
    -- may be the next call's argument, and nobody here has said how wide it is.
    handedOn
      | U.all (== 0) passedMasks = Just (U.replicate n 0)
      | otherwise = liveness successors passedMasks writeMasks

    successors =
      V.imap (\k e -> [k + 1 | fallsThrough e, k + 1 < n] <> map indexAt (effectTargets e)) effects
    assigned living on = Allocation slots bits wide living found (V.fromList homesOf) narrow
      where
        after k = List.foldl' (\m j -> m .|. living U.! j) 0 (successors V.! k)
        -- What each instruction writes, in registers or in memory.
        written = U.generate n $ \k ->
          (ownWrites U.! k) .|. (((endMasks U.! k) .|. (lostMasks U.! k)) .&. after k)
        reached =
          U.accum
            (\_ x -> x)
            (U.replicate n False)
            [(j, True) | js <- V.toList successors, j <- js]
        found =
          ranges
            mostRanges
            (V.map fallsThrough effects)
            (V.map (map indexAt . effectTargets) effects)
            living
            written
        count = rangeCount found
        before = rangeBefore found
        afterwards = rangeAfter found
        at_ look k s = IntMap.lookup s bits >>= look k

        -- What each range is worth.
        total =
          U.accum
            plus
            (U.replicate count (0, 0, 0))
            [ (r, ofKind (weights U.! k) kind)
              | (k, e) <- V.toList (V.indexed effects),
                (look, us) <- [(before, effectReads e), (afterwards, effectWrites e)],
                Use s kind _ <- us,
                Just r <- [at_ look k s]
            ]
        ofKind w = \case
          Whole -> (w, w, 0)
          Floating -> (w, 0, w)
          Either_ -> (w, 0, 0)
          Wide -> (w, 0, w)
        plus (x, y, z) (x', y', z') = (x + x', y + y', z + z') :: (Int, Int, Int)

        -- What is written or read at more than 32 bits, as a float, or fetched to be
        -- passed on.
        narrow =
          U.accum
            (\_ x -> x)
            (U.replicate count True)
            ( [ (r, False)
                | (k, e) <- V.toList (V.indexed effects),
                  (look, us) <- [(before, effectReads e), (afterwards, effectWrites e)],
                  u <- us,
                  not (useSize u == Half && useKind u /= Floating),
                  Just r <- [at_ look k (useSlot u)]
              ]
                <> [ (r, False)
                     | (k, s) <- V.toList (V.indexed code),
                       k == 0 || stepOp s == Gate,
                       b <- bitsOf ((living U.! k) .&. (on U.! k)),
                       Just r <- [before k b]
                   ]
            )

        -- Where the registers are given up: what is alive after that costs a fetch, and
        -- often a store before.
        lost =
          U.accum
            (+)
            (U.replicate count 0)
            [ (r, (3 * (weights U.! k)) `div` 2)
              | (k, e) <- V.toList (V.indexed effects),
                effectPassed e /= (0, 0),
                fallsThrough e,
                b <- bitsOf (after k .&. complement (lostMasks U.! k)),
                Just r <- [afterwards k b]
            ] ::
            U.Vector Int

        -- What has ended and may be looked at all the same holds nothing: as something in a
        -- register it would be written over what is in its place.
        over =
          U.accum
            (\_ x -> x)
            (U.replicate count False)
            [ (r, True)
              | k <- [0 .. n - 1],
                b <- bitsOf ((endMasks U.! k) .&. after k),
                Just r <- [afterwards k b]
            ]

        -- Alive at the same time: whatever is written while another is alive, and all
        -- that are alive where they are fetched together.
        clashes = U.create $ do
          m <- MU.replicate (count * wordsOf count) 0
          forM_ [0 .. n - 1] $ \k -> do
            clash m (afterwards k) (written U.! k) (after k)
            when (k == 0 || not (reached U.! k)) $
              clash m (before k) (living U.! k) (living U.! k)
          pure m
        clash :: MU.MVector s Word64 -> (Int -> Maybe Int) -> Word64 -> Word64 -> ST s ()
        clash m name these those =
          forM_ (bitsOf these) $ \x -> forM_ (name x) $ \r ->
            forM_ (bitsOf those) $ \y -> forM_ (name y) $ \q ->
              when (q /= r) (setBitOf m r q >> setBitOf m q r)
        setBitOf m r q =
          MU.modify m (.|. (1 `shiftL` (q .&. 63))) (r * wordsOf count + q `shiftR` 6)

        -- Ranges of which one is made from the other: in one register nothing is to be
        -- moved.
        related =
          IntMap.fromListWith
            (<>)
            ( concat
                [ [(r, [q]), (q, [r])]
                  | (k, e) <- V.toList (V.indexed effects),
                    [w] <- [effectWrites e],
                    u : _ <- [effectReads e],
                    Just r <- [at_ afterwards k (useSlot w)],
                    Just q <- [at_ before k (useSlot u)],
                    q /= r
                ]
            )

        homesOf = [IntMap.findWithDefault InFrame r coloured | r <- [0 .. count - 1]]
        coloured =
          fst . List.foldl' colour (IntMap.empty, IntMap.empty) $
            sortOn
              (\(_, (w, _, _)) -> Down w)
              [ (r, t)
                | (r, t@(w, _, _)) <- zip [0 ..] (U.toList total),
                  w > lost U.! r,
                  not (over U.! r)
              ]
        -- The ranges so far with their homes, and for each home the ranges in it.
        colour (done, inside) (r, (_, whole, floating)) = case preferred <> filter free homes_ of
          h : _ -> (IntMap.insert r h done, IntMap.insert (numberOf h) (added h) inside)
          [] -> (done, inside)
          where
            homes_ = if floating > whole then map InVector pool else map InRegister registers
            row = U.slice (r * wordsOf count) (wordsOf count) clashes
            free h = maybe True apart (IntMap.lookup (numberOf h) inside)
            apart = U.and . U.zipWith (\x y -> x .&. y == 0) row
            added h =
              U.accum
                (.|.)
                (IntMap.findWithDefault (U.replicate (wordsOf count) 0) (numberOf h) inside)
                [(r `shiftR` 6, 1 `shiftL` (r .&. 63))]
            preferred =
              [ h
                | q <- IntMap.findWithDefault [] r related,
                  Just h <- [IntMap.lookup q done],
                  h `elem` homes_,
                  free h
              ]

-- | A number of its own for each home in a register.
numberOf :: Home -> Int
numberOf = \case
  InRegister r -> r
  InVector x -> 16 + x
  InFrame -> 32

wordsOf :: Int -> Int
wordsOf count = (count + 63) `shiftR` 6

-- | The most ranges; where there would be more, each slot is one.
mostRanges :: Int
mostRanges = 2048

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
