-- -O1: without it each element of a flat vector is gone through by dictionaries, and code was
-- made ten times as slowly in the suites without optimisation. Its loops allocate nothing, so
-- that they are told to look whether the time is over.
{-# OPTIONS_GHC -O1 -fno-omit-yields #-}

-- | Which register each range of a slot has, if one.
--
-- The idea: the ranges that are worth most come first; each gets a register where no range
-- that is alive at the same time has it, and that of a range from which it is made if that
-- is one of these. What ranges are worth is added up in one walk over the instructions.
--
-- Start at 'homesOf'.
module Tern.Wasm.Native.Homes
  ( Home (..),
    Homes,
    Lives (..),
    homesOf,
    noHomes,
    homeOf,
    isNarrow,
  )
where

import Control.Monad (forM_, when)
import Control.Monad.ST (ST, runST)
import Data.Bits (clearBit, complement, popCount, shiftL, shiftR, (.&.), (.|.))
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet qualified as IntSet
import Data.List (sortOn)
import Data.List qualified as List
import Data.Maybe (fromMaybe, mapMaybe)
import Data.Ord (Down (..))
import Data.STRef (STRef, modifySTRef', newSTRef, readSTRef)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Unboxed qualified as U
import Data.Vector.Unboxed.Mutable qualified as MU
import Data.Word (Word64, Word8)
import Tern.Wasm.Code (Op (..))
import Tern.Wasm.Meaning (Meaning (..), Operation, Second (..), Size (..), meaning)
import Tern.Wasm.Native.Assembler (Register, rdx)
import Tern.Wasm.Native.Assembler qualified as Assembler
import Tern.Wasm.Native.Flow
  ( Body,
    Effect (..),
    RegisterClass (..),
    Use (..),
    bodyLength,
    effectAt,
    fallsThrough,
    instruction,
  )
import Tern.Wasm.Native.Located (Located (..))
import Tern.Wasm.Native.Ranges (Ranges, bitsOf, rangeAfter, rangeBefore, rangeCount, slotsAlone)
import Tern.Wasm.Native.Slots (Slots (..), bitOf, endMask, lostMask, weightAt)
import Tern.Wasm.Native.Template (Integer_ (..), integerOf)
import Tern.Wasm.Native.Ways (Ways, forWays, mergeAfter)

-- | Where a slot's value is while it is alive.
data Home = InRegister !Register | InVector !Assembler.Vector | InFrame
  deriving stock (Eq, Show)

-- | By the range.
data Homes = Homes
  { homes :: !(Vector Home),
    -- | Of which ranges nothing ever reads or writes more than 32 bits, nor passes on
    -- what others have written to the frame.
    narrow :: !(U.Vector Bool)
  }

noHomes :: Homes
noHomes = Homes V.empty U.empty

homeOf :: Homes -> Int -> Home
homeOf h r = homes h V.! r

isNarrow :: Homes -> Int -> Bool
isNarrow h r = narrow h U.! r

-- | Registers that may hold slots. Not among them: rax and rcx, in which
-- values are on their way, rsp, and what "Tern.Wasm.Native.Emit" keeps in others. Some
-- instructions take rdx too.
registers, withoutRdx :: [Register]
registers = rdx : withoutRdx
withoutRdx = [3, 6, 7, 8, 9, 10, 11, 13]

-- | Where no vector is read, and where one is: the code for some operators takes two
-- registers more.
vectors, vectorsBeside :: [Assembler.Vector]
vectors = [2 .. 15]
vectorsBeside = [4 .. 15]

-- | What is known of a function's body when its registers are given out.
data Lives = Lives
  { livesBody :: !Body,
    -- | Where control goes, and how deep in loops each instruction is.
    control :: !Ways,
    depths :: !(U.Vector Word8),
    slots :: !Slots,
    found :: !Ranges,
    -- | Before each instruction: what is alive, and what may be passed on.
    living :: !(U.Vector Word64),
    passedOn :: !(U.Vector Word64),
    -- | What each instruction writes, in registers or in memory.
    written :: !(U.Vector Word64)
  }

homesOf :: Lives -> Homes
homesOf lives =
  Homes (V.generate count (\r -> IntMap.findWithDefault InFrame r coloured)) (fits worths)
  where
    count = rangeCount (found lives)
    worths = worthsOf lives
    pool = if IntSet.null (wideSlots (slots lives)) then vectors else vectorsBeside
    coloured = colours pool count (clashesOf lives) worths

-- * What ranges are worth

-- | By the range: what having it in a register saves, in all, of integers and of floats;
-- what giving registers up costs; whether it is narrow; whether it has ended and may be
-- looked at all the same; and those from which it is made, or the other way round, the last
-- first.
data Worths = Worths
  { total :: !(U.Vector Int),
    integers :: !(U.Vector Int),
    floats :: !(U.Vector Int),
    lost :: !(U.Vector Int),
    fits :: !(U.Vector Bool),
    over :: !(U.Vector Bool),
    -- | Which are alive where rdx is taken for something else.
    spoilt :: !(U.Vector Bool),
    related :: !(IntMap [Int]),
    -- | Of operators whose operands may not change places: the result and the second.
    apart :: !(IntMap [Int])
  }

worthsOf :: Lives -> Worths
worthsOf lives = runST $ do
  total_ <- MU.replicate count 0
  integers_ <- MU.replicate count 0
  floats_ <- MU.replicate count 0
  lost_ <- MU.replicate count 0
  fits_ <- MU.replicate count True
  over_ <- MU.replicate count False
  spoilt_ <- MU.replicate count False
  related_ <- newSTRef IntMap.empty
  apart_ <- newSTRef IntMap.empty
  let used w kind r = do
        add total_ w r
        case kind of
          Whole -> add integers_ w r
          Floating -> add floats_ w r
          Either_ -> pure ()
          Wide -> add floats_ w r
      -- What is written or read at more than 32 bits or as a float is not narrow.
      use w look (Use s kind size) = forM_ (bitOf (slots lives) s >>= look) $ \r -> do
        used w kind r
        when (size /= Half || kind == Floating) (MU.write fits_ r False)
  forM_ [0 .. bodyLength body - 1] $ \k -> do
    let e = effectAt body k
        w = weightAt (depths lives) k
        after = mergeAfter (control lives) (living lives) k
        before_ = rangeBefore (found lives) k
        after_ = rangeAfter (found lives) k
    mapM_ (use w before_) (effectReads e)
    mapM_ (use w after_) (effectWrites e)
    -- Nor is what is fetched to be passed on.
    when (k == 0 || stepOp (instruction body k) == Gate) $
      each before_ ((living lives U.! k) .&. (passedOn lives U.! k)) (\r -> MU.write fits_ r False)
    -- Where the registers are given up: what is alive after that costs a fetch, and
    -- often a store before.
    when (effectPassed e /= (0, 0) && fallsThrough e) $
      each after_ (after .&. complement (lostMask (slots lives) e)) (add lost_ ((3 * w) `div` 2))
    -- What has ended and may be looked at all the same holds nothing: as something in a
    -- register it would be written over what is in its place.
    each after_ (endMask (slots lives) e .&. after) (\r -> MU.write over_ r True)
    when (effectSpoils e) $ do
      each before_ (living lives U.! k) (\r -> MU.write spoilt_ r True)
      each after_ (after .|. (written lives U.! k)) (\r -> MU.write spoilt_ r True)
    relate related_ (bitOf (slots lives)) before_ after_ e
    when (inOrder (meaning (stepOp (instruction body k))) (effectReads e)) $
      relate apart_ (bitOf (slots lives)) before_ after_ (swapped e)
  Worths
    <$> U.unsafeFreeze total_
    <*> U.unsafeFreeze integers_
    <*> U.unsafeFreeze floats_
    <*> U.unsafeFreeze lost_
    <*> U.unsafeFreeze fits_
    <*> U.unsafeFreeze over_
    <*> U.unsafeFreeze spoilt_
    <*> readSTRef related_
    <*> readSTRef apart_
  where
    body = livesBody lives
    count = rangeCount (found lives)
    add m w r = MU.modify m (+ w) r

-- | Whether an operator's two operands are of two slots and may not change places: of two NaNs the
-- first is kept.
inOrder :: Meaning -> [Use] -> Bool
inOrder m = \case
  [x, y] | useSlot x /= useSlot y -> case m of
    Operates o _ OfSlot -> not (commutes o)
    FloatOperates _ _ -> True
    _ -> False
  _ -> False

-- | With the second operand first.
swapped :: Effect -> Effect
swapped e = e {effectReads = reverse (effectReads e)}

commutes :: Operation -> Bool
commutes o = case integerOf o of
  Two _ both -> both
  Shifted _ -> False

each :: (Int -> Maybe Int) -> Word64 -> (Int -> ST s ()) -> ST s ()
each look m f = forM_ (bitsOf m) $ \b -> forM_ (look b) f

-- | Ranges of which one is made from the other: in one register nothing is to be moved.
relate ::
  STRef s (IntMap [Int]) ->
  (Int -> Maybe Int) ->
  (Int -> Maybe Int) ->
  (Int -> Maybe Int) ->
  Effect ->
  ST s ()
relate all_ bit before_ after_ e = case (effectWrites e, effectReads e) of
  ([to], from : _) -> forM_ (bit (useSlot to) >>= after_) $ \r ->
    forM_ (bit (useSlot from) >>= before_) $ \q ->
      when (q /= r) (modifySTRef' all_ (beside q r . beside r q))
  (_, _) -> pure ()
  where
    beside r q = IntMap.alter (Just . (q `onto`) . fromMaybe []) r
    -- The last few of each are enough.
    onto q qs = let kept = take 7 (List.delete q qs) in length kept `seq` (q : kept)

-- * Registers

-- | Which ranges are alive at the same time: whatever is written while another is alive, and
-- all that are alive where they are fetched together.
clashesOf :: Lives -> U.Vector Word64
clashesOf lives = U.create $ do
  m <- MU.replicate (count * wordsOf count) 0
  reached <- MU.replicate n False
  forM_ [0 .. n - 1] $ \k -> forWays (control lives) k (\j -> MU.write reached j True)
  forM_ [0 .. n - 1] $ \k -> do
    clash m (afterwards k) (written lives U.! k) (after k)
    from <- MU.read reached k
    when (k == 0 || not from) $
      clash m (before k) (living lives U.! k) (living lives U.! k)
  pure m
  where
    n = bodyLength (livesBody lives)
    count = rangeCount (found lives)
    before = rangeBefore (found lives)
    afterwards = rangeAfter (found lives)
    after = mergeAfter (control lives) (living lives)
    clash :: MU.MVector s Word64 -> (Int -> Maybe Int) -> Word64 -> Word64 -> ST s ()
    clash m name these those
      -- Each slot is a range, and a word has all of them.
      | slotsAlone (found lives) = beside m these those >> beside m those these
      | otherwise = do
          let others = mapMaybe name (bitsOf those)
          forM_ (mapMaybe name (bitsOf these)) $ \r ->
            forM_ others $ \q -> when (q /= r) (setBitOf m r q >> setBitOf m q r)
    beside m these those = forM_ (bitsOf these) $ \b -> MU.modify m (.|. clearBit those b) b
    setBitOf m r q =
      MU.modify m (.|. (1 `shiftL` (q .&. 63))) (r * wordsOf count + q `shiftR` 6)

-- | Given the vector registers, how many ranges there are and which of them clash.
colours :: [Assembler.Vector] -> Int -> U.Vector Word64 -> Worths -> IntMap Home
colours pool count clashes w =
  fst . List.foldl' colour (IntMap.empty, IntMap.empty) $
    sortOn (Down . (price U.!)) (filter wanted [0 .. count - 1])
  where
    wanted r = total w U.! r > lost w U.! r && not (over w U.! r)
    -- What a range saves, for each other one that can then not have its register.
    price :: U.Vector Int
    price = U.generate count $ \r -> (1024 * (total w U.! r - lost w U.! r)) `div` (1 + degree r)
    degree r = U.foldl' (\n m -> n + popCount m) 0 (row r)
    row r = U.slice (r * wordsOf count) (wordsOf count) clashes
    homes_ r
      | floats w U.! r > integers w U.! r = map InVector pool
      | spoilt w U.! r = map InRegister withoutRdx
      | otherwise = map InRegister registers
    -- The ranges so far with their homes, and for each home the ranges in it.
    colour all_@(done, inside) r
      | IntMap.member r done = all_
      | otherwise = case best (preferred <> filter (free inside r) (homes_ r)) of
          h : _ -> taken r h all_
          [] -> all_
      where
        best hs = case filter (`notElem` found_ apart) hs of
          [] -> hs
          better -> better
        found_ f = [h | q <- IntMap.findWithDefault [] r (f w), Just h <- [IntMap.lookup q done]]
        preferred = [h | h <- found_ related, h `elem` homes_ r, free inside r h]
    -- Its relatives come with it if they are worth about as much.
    taken r h (done, inside) = List.foldl' pulled put (IntMap.findWithDefault [] r (related w))
      where
        put = (IntMap.insert r h done, IntMap.insert (numberOf h) (added r h inside) inside)
        pulled all_@(done', inside') q
          | IntMap.notMember q done',
            wanted q,
            4 * price U.! q >= price U.! r,
            h `elem` homes_ q,
            free inside' q h =
              taken q h all_
          | otherwise = all_
    free inside r h = maybe True (clear r) (IntMap.lookup (numberOf h) inside)
    clear r = U.and . U.zipWith (\x y -> x .&. y == 0) (row r)
    added r h inside =
      U.accum
        (.|.)
        (IntMap.findWithDefault (U.replicate (wordsOf count) 0) (numberOf h) inside)
        [(r `shiftR` 6, 1 `shiftL` (r .&. 63))]

-- | A number of its own for each home in a register.
numberOf :: Home -> Int
numberOf = \case
  InRegister r -> r
  InVector x -> 16 + x
  InFrame -> 32

wordsOf :: Int -> Int
wordsOf count = (count + 63) `shiftR` 6
