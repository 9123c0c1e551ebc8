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

import Control.Monad (forM_, unless, when, (>=>))
import Control.Monad.ST (ST, runST)
import Data.Bits (clearBit, complement, popCount, shiftL, shiftR, (.&.), (.|.))
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet qualified as IntSet
import Data.List (sortOn)
import Data.List qualified as List
import Data.Maybe (fromMaybe)
import Data.Ord (Down (..))
import Data.STRef (STRef, modifySTRef', newSTRef, readSTRef)
import Data.Vector.Unboxed qualified as U
import Data.Vector.Unboxed.Mutable qualified as MU
import Data.Word (Word64, Word8)
import Tern.Wasm.Code (Op (..))
import Tern.Wasm.Meaning (Meaning (..), Operation, Second (..), Size (..), meaning)
import Tern.Wasm.Native.Assembler (Register, rdx)
import Tern.Wasm.Native.Assembler qualified as Assembler
import Tern.Wasm.Native.Flow
  ( Body (..),
    Effect (..),
    RegisterClass (..),
    Use (..),
    bodyLength,
    effect,
    fallsThrough,
    instruction,
  )
import Tern.Wasm.Native.Located (Located (..))
import Tern.Wasm.Native.Ranges (Ranges, forBits, forNames, rangeCount, slotsAlone)
import Tern.Wasm.Native.Slots (Slots (..), bitOf, endMask, lostMask, weightAt)
import Tern.Wasm.Native.Template (Integer_ (..), integerOf)
import Tern.Wasm.Native.Ways (Ways, forWays, mergeAfter)

-- | Where a slot's value is while it is alive.
data Home = InRegister !Register | InVector !Assembler.Vector | InFrame
  deriving stock (Eq, Show)

-- | By the range.
data Homes = Homes
  { -- | The homes' numbers.
    homes :: !(U.Vector Word8),
    -- | Of which ranges nothing ever reads or writes more than 32 bits, nor passes on
    -- what others have written to the frame.
    narrow :: !(U.Vector Bool)
  }

-- | Of a function where no slot is considered, and so nobody asks.
noHomes :: Homes
noHomes = Homes U.empty U.empty

-- | The home of a range, which must be below 'rangeCount'.
homeOf :: Homes -> Int -> Home
homeOf h r = numbered (fromIntegral (homes h U.! r))

-- | Whether no more than 32 bits of a range are read or written, as an integer, and nothing of it
-- is passed on in memory as it was fetched.
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

-- | Give out the registers: the home of each range. Which of them clash takes a bit for each two.
homesOf :: Lives -> Homes
homesOf lives = Homes (colours pool count (clashesOf lives) worths) (fits worths)
  where
    count = rangeCount (found lives)
    worths = worthsOf lives
    pool = if IntSet.null (wideSlots (slots lives)) then vectors else vectorsBeside

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
      rangeOf look s = maybe (pure (-1)) look (bitOf (slots lives) s)
      -- What is written or read at more than 32 bits or as a float is not narrow.
      use w look (Use s kind size) = do
        r <- rangeOf look s
        when (r >= 0) $ do
          used w kind r
          when (size /= Half || kind == Floating) (MU.write fits_ r False)
        pure r
      before k look = do
        let s = instruction body k
            e = effect (bodyCatches body) s
            alive = living lives U.! k
        from <- mapM (use (weightAt (depths lives) k) look) (effectReads e)
        -- Nor is what is fetched to be passed on.
        when (k == 0 || stepOp s == Gate) $
          each look (alive .&. (passedOn lives U.! k)) (\r -> MU.write fits_ r False)
        when (effectSpoils e) (each look alive (\r -> MU.write spoilt_ r True))
        pure (s, e, from)
      behind k (s, e, from) look = do
        let w = weightAt (depths lives) k
            after = mergeAfter (control lives) (living lives) k
        to <- mapM (use w look) (effectWrites e)
        -- Where the registers are given up: what is alive after that costs a fetch, and
        -- often a store before.
        when (effectPassed e /= (0, 0) && fallsThrough e) $
          each
            look
            (after .&. complement (lostMask (slots lives) e))
            (add lost_ ((3 * w) `div` 2))
        -- What has ended and may be looked at all the same holds nothing: as something in a
        -- register it would be written over what is in its place.
        unless (null (effectEnds e)) $
          each look (endMask (slots lives) e .&. after) (\r -> MU.write over_ r True)
        when (effectSpoils e) $
          each look (after .|. (written lives U.! k)) (\r -> MU.write spoilt_ r True)
        relate related_ to from
        when (inOrder (meaning (stepOp s)) (effectReads e)) $
          relate apart_ to (drop 1 from)
  forNames (found lives) (bodyLength body) before behind
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
    add :: MU.MVector s Int -> Int -> Int -> ST s ()
    add m w = MU.modify m (+ w)

-- | Whether an operator's two operands are of two slots and may not change places: of two NaNs the
-- first is kept.
inOrder :: Meaning -> [Use] -> Bool
inOrder m = \case
  [x, y] | useSlot x /= useSlot y -> case m of
    Operates o _ OfSlot -> not (commutes o)
    FloatOperates _ _ -> True
    _ -> False
  _ -> False

commutes :: Operation -> Bool
commutes o = case integerOf o of
  Two _ both -> both
  Shifted _ -> False

-- | For the range of each slot that has one, by the slots' bits.
each :: (Int -> ST s Int) -> Word64 -> (Int -> ST s ()) -> ST s ()
each look m f = forBits m (look >=> \r -> when (r >= 0) (f r))

-- | Ranges of which one is made from the other, the first there: in one register nothing is to
-- be moved.
relate :: STRef s (IntMap [Int]) -> [Int] -> [Int] -> ST s ()
relate all_ made from = case (made, from) of
  ([r], q : _) | r >= 0, q >= 0, q /= r -> modifySTRef' all_ (beside q r . beside r q)
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
  forNames
    (found lives)
    n
    ( \k look -> do
        from <- MU.read reached k
        when (k == 0 || not from) (clash m look (living lives U.! k) (living lives U.! k))
    )
    (\k () look -> clash m look (written lives U.! k) (after k))
  pure m
  where
    n = bodyLength (livesBody lives)
    count = rangeCount (found lives)
    after = mergeAfter (control lives) (living lives)
    clash :: MU.MVector s Word64 -> (Int -> ST s Int) -> Word64 -> Word64 -> ST s ()
    clash m look these those
      -- Each slot is a range, and a word has all of them.
      | slotsAlone (found lives) = beside m these those >> beside m those these
      | otherwise =
          each look these $ \r -> each look those $ \q ->
            when (q /= r) $
              bitOfRow m r q >>= \known -> unless known (setBitOf m r q >> setBitOf m q r)
    -- With their types: without them each word was gone through by dictionaries.
    beside :: MU.MVector s Word64 -> Word64 -> Word64 -> ST s ()
    beside m these those = forBits these $ \b -> MU.modify m (.|. clearBit those b) b
    bitOfRow :: MU.MVector s Word64 -> Int -> Int -> ST s Bool
    bitOfRow m r q = (\known -> known .&. bitIn q /= 0) <$> MU.read m (placeOf r q)
    setBitOf :: MU.MVector s Word64 -> Int -> Int -> ST s ()
    setBitOf m r q = MU.modify m (.|. bitIn q) (placeOf r q)
    placeOf r q = r * width + q `shiftR` 6
    width = wordsOf count

-- | Given the vector registers, how many ranges there are and which of them clash: the number
-- of the home of each.
colours :: [Assembler.Vector] -> Int -> U.Vector Word64 -> Worths -> U.Vector Word8
colours pool count clashes w = U.create $ do
  done <- MU.replicate count nowhere
  -- For each home the ranges in it.
  inside <- MU.replicate (fromIntegral nowhere * width) 0
  mapM_ (colour done inside) (sortOn (Down . (price U.!)) (filter wanted [0 .. count - 1]))
  pure done
  where
    width = wordsOf count
    nowhere = fromIntegral (numberOf InFrame) :: Word8
    wanted r = total w U.! r > lost w U.! r && not (over w U.! r)
    -- What a range saves, for each other one that can then not have its register.
    price :: U.Vector Int
    price = U.generate count $ \r -> (1024 * (total w U.! r - lost w U.! r)) `div` (1 + degree r)
    degree r = U.foldl' (\n m -> if m == 0 then n else n + popCount m) 0 (row r)
    row r = U.slice (r * width) width clashes
    whole = map (numberOf . InRegister) registers
    unspoilt = map (numberOf . InRegister) withoutRdx
    floating = map (numberOf . InVector) pool
    homes_ r
      | floats w U.! r > integers w U.! r = floating
      | spoilt w U.! r = unspoilt
      | otherwise = whole
    colour :: MU.MVector s Word8 -> MU.MVector s Word64 -> Int -> ST s ()
    colour done inside r = do
      is <- MU.read done r
      when (is == nowhere) $ do
        near <- there (related w)
        far <- there (apart w)
        let all_ = filter (`elem` homes_ r) near <> homes_ r
        first (filter (`notElem` far) all_ <> filter (`elem` far) all_)
      where
        there f = do
          hs <- mapM (MU.read done) (IntMap.findWithDefault [] r f)
          pure [fromIntegral h | h <- hs, h /= nowhere]
        first = \case
          [] -> pure ()
          h : hs -> free inside r h >>= \yes -> if yes then taken done inside r h else first hs
    -- Its relatives come with it if they are worth about as much.
    taken :: MU.MVector s Word8 -> MU.MVector s Word64 -> Int -> Int -> ST s ()
    taken done inside r h = do
      MU.write done r (fromIntegral h)
      MU.modify inside (.|. bitIn r) (h * width + r `shiftR` 6)
      forM_ (IntMap.findWithDefault [] r (related w)) $ \q -> do
        is <- MU.read done q
        when (is == nowhere && wanted q && 4 * price U.! q >= price U.! r && h `elem` homes_ q) $
          free inside q h >>= \yes -> when yes (taken done inside q h)
    -- Whether no range that clashes has the home.
    free :: MU.MVector s Word64 -> Int -> Int -> ST s Bool
    free inside r h = go 0
      where
        go j
          | j >= width = pure True
          | otherwise = do
              there <- MU.read inside (h * width + j)
              if there .&. (clashes U.! (r * width + j)) == 0 then go (j + 1) else pure False

-- | A number of its own for each home, and back.
numberOf :: Home -> Int
numberOf = \case
  InRegister r -> r
  InVector x -> 16 + x
  InFrame -> 32

numbered :: Int -> Home
numbered n
  | n < 16 = InRegister n
  | n < 32 = InVector (n - 16)
  | otherwise = InFrame

-- | A range's bit in its word.
bitIn :: Int -> Word64
bitIn r = 1 `shiftL` (r .&. 63)

wordsOf :: Int -> Int
wordsOf count = (count + 63) `shiftR` 6
