{-# LANGUAGE RecordWildCards #-}

-- | A container's blocks in the order in which they were written, and what is lost
-- between them.
--
-- The idea: "Tern.Internal.Container.Scan" says what stands in the bytes; here it is put in order,
-- as a network's packets are. A block that comes next is handed over at once. One that
-- does not is kept back until those before it have come, or until as much is kept as is allowed, or
-- until the input has ended; then "Tern.Internal.Container.Order" says what is believed, and what
-- is missing is lost. So a copy of a later block costs nothing that stands after it,
-- and blocks that changed places are all there.
--
-- Memory is that of a block and of what is kept back, which 'maxHeld' bounds.
--
-- A value of this type can be kept, and gone on from twice. Start at 'nextFrame'.
module Tern.Internal.Container.Frames
  ( Frames,
    Bounds (..),
    defaultBounds,
    frames,
    framesOf,
    placesOf,
    Frame (..),
    nextFrame,
    framesPosition,
  )
where

import Data.ByteString (ByteString)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.List qualified as List
import Data.Sequence (Seq (..))
import Data.Sequence qualified as Seq
import Tern.Internal.Container.Fault (Fault, Loss (..))
import Tern.Internal.Container.Format (Head (..), Header, Mark, headSize)
import Tern.Internal.Container.Order
  ( Found (..),
    Next (..),
    Run,
    blocksOf,
    chosen,
    first,
    fits,
    following,
    follows,
    splitRun,
  )
import Tern.Internal.Container.Scan
  ( Bounds (..),
    Scan,
    defaultBounds,
    isOver,
    nextFound,
    position,
    scanPart,
    scanWhole,
  )
import Tern.Internal.Container.Scan qualified as Scan
import Tern.Internal.Container.Shelf (Shelf)
import Tern.Internal.Container.Shelf qualified as Shelf

-- | How far a container has been read, and what is kept of each of its blocks.
data Frames b = Frames
  { scan :: !Scan,
    keeping :: ByteString -> b,
    -- | Bytes of blocks, with their heads, that may be kept back.
    mostBytes :: !Int,
    -- | Positions that blocks of this part of the file say they begin at.
    belongs :: !(Int -> Bool),
    -- | What the next block says, if none is missing; in a part of a file that is not
    -- known before its first block.
    expected :: !(Maybe Next),
    -- | What is kept back.
    kept :: !(Shelf b),
    -- | From which positions to which there was nothing. No two of these ranges touch.
    rubbish :: !(IntMap Int),
    -- | The end that says most.
    ending :: !(Maybe (Found ())),
    -- | What is known and not said yet.
    said :: !(Seq (Said b)),
    over :: !Bool
  }

data Said b
  = Block' !(Found b)
  | Loss' !Loss
  | Fault' !Fault

-- | A container from its first byte on.
frames :: Bounds -> Frames ByteString
frames bounds = ordering (maxHeld bounds) id (scanWhole bounds)

-- | A part of a container: the blocks that begin at the first position or after it and
-- before the second one, of which the input is given from the first on.
--
-- A block that says that it begins elsewhere is taken only with others, right before
-- it or after it, that belong here: else it is a copy, or moved, and the part that it
-- says has it.
framesOf :: Bounds -> Mark -> Int -> Int -> Frames ByteString
framesOf bounds known from to =
  ( ordering
      (maxHeld bounds)
      id
      (scanPart bounds known from to)
  )
    { expected = Nothing,
      belongs = \at -> from <= at && at < to
    }

-- | A whole container, of whose blocks nothing is kept but where they stand. So
-- everything may be kept back.
placesOf :: Bounds -> Frames ()
placesOf bounds = ordering maxBound (const ()) (scanWhole bounds)

ordering :: Int -> (ByteString -> b) -> Scan -> Frames b
ordering mostBytes keeping scan =
  Frames
    { belongs =
        const True,
      expected = Just (Next 0 0 Nothing),
      kept = Shelf.empty,
      rubbish = IntMap.empty,
      ending = Nothing,
      said = Seq.empty,
      over = False,
      ..
    }

-- | What has been found next.
data Frame b
  = Opened !Header (Frames b)
  | -- | A block whose checksum is right: where it begins, its head, and its bytes as they are
    -- stored.
    Block !Int !Head b (Frames b)
  | -- | Damage.
    Broken !Fault (Frames b)
  | -- | What was passed over because of it.
    Passed !Loss (Frames b)
  | -- | Nothing before there is more input: give the next chunk, or an empty one at
    -- the end of the input.
    Lacking (ByteString -> Frames b)
  | -- | There is nothing more.
    Complete

-- | Go on.
nextFrame :: Frames b -> Frame b
nextFrame f@Frames {..} = case said of
  one :<| rest -> case one of
    Block' (Found at h body) -> Block at h body (f {said = rest})
    Loss' loss -> Passed loss (f {said = rest})
    Fault' fault -> Broken fault (f {said = rest})
  Seq.Empty
    | over -> Complete
    | otherwise -> case nextFound scan of
        Scan.Opened header at later ->
          Opened header (f {scan = later, expected = Just (Next 0 0 (Just at))})
        Scan.Whole at h bytes later
          | Shelf.isEmpty kept,
            IntMap.null rubbish,
            exactly at h f ->
              Block at h (keeping bytes) (f {scan = later, expected = Just (following h)})
          | otherwise -> nextFrame (within (arrived (Found at h (keeping bytes)) f {scan = later}))
        Scan.Finish at h later -> nextFrame (further (Found at h ()) f {scan = later})
        Scan.Broken fault later
          -- What is left is said before the last that is wrong.
          | isOver later -> nextFrame (saying [Fault' fault] (finished f {scan = later}))
          | otherwise -> Broken fault (f {scan = later})
        Scan.Rubbish from to later -> nextFrame (nothing from to f {scan = later})
        Scan.Lacking feed -> Lacking (\chunk -> f {scan = feed chunk})
        Scan.Complete -> nextFrame (finished f)

-- | Of two ends the one that says more: what one says that knows of fewer blocks is not
-- that no others were lost. Of equal ones it is the one that stands where it says. The other
-- is none.
further :: Found () -> Frames b -> Frames b
further found f = case ending f of
  Nothing -> f {ending = Just found}
  Just known
    | says known >= says found -> none found f
    | otherwise -> none known f {ending = Just found}
  where
    says (Found at h ()) = (headNumber h, headOffset h == at)
    none (Found at _ ()) = nothing at (at + headSize)

-- | What lies between two positions is nothing. Ranges that touch are one, so that their
-- number is bounded by what is kept back between them.
nothing :: Int -> Int -> Frames b -> Frames b
nothing from to f = f {rubbish = inserted from to (rubbish f)}
  where
    inserted a b ranges
      | Just (a', b') <- IntMap.lookupLE b ranges,
        b' >= a =
          inserted (min a a') (max b b') (IntMap.delete a' ranges)
      | otherwise = IntMap.insert a b ranges

-- * In order

-- | Does a block come next?
exactly :: Int -> Head -> Frames b -> Bool
exactly at h f = case expected f of
  Just next -> follows next h
  Nothing -> headOffset h == at

-- | A block that does not come next, or comes after something that is none.
arrived :: Found b -> Frames b -> Frames b
arrived b f
  | exactly (foundAt b) h f = drained (handed b f)
  -- It has come before, or is said to be lost already.
  | Just next <- expected f, headNumber h < nextNumber next = wasted [b] f
  | otherwise = f {kept = Shelf.put b (kept f)}
  where
    h = foundHead b

-- | Hand a block over, and say what is missing before it.
placed :: Found b -> Frames b -> Frames b
placed b@(Found at h _) f =
  saying (map Loss' losses <> [Block' b]) f {expected = Just (following h), rubbish = ahead}
  where
    (passed, ahead) = IntMap.spanAntitone (< at) (rubbish f)
    losses = lossesOf at (IntMap.toAscList passed) $ case expected f of
      Just next -> Just (headNumber h - nextNumber next, headFirst h - nextFirst next)
      Nothing -> Just (0, 0)

-- | Of what was passed over before a position, with blocks and elements that are missing.
lossesOf :: Int -> [(Int, Int)] -> Maybe (Int, Int) -> [Loss]
lossesOf at passed missing = case (passed, missing) of
  ([], Nothing) -> []
  ([], Just (0, _)) -> []
  ([], Just (n, k)) -> [Loss at at (Just n) (Just k)]
  ((from, to) : more, _) ->
    Loss from to (fst <$> missing) (snd <$> missing)
      : [Loss from' to' (Just 0) (Just 0) | (from', to') <- more]

saying :: [Said b] -> Frames b -> Frames b
saying more f = f {said = said f <> Seq.fromList more}

-- | Blocks that are not handed over.
wasted :: [Found b] -> Frames b -> Frames b
wasted bs f =
  List.foldl'
    ( \f' b ->
        nothing (foundAt b) (foundAt b + headSize + headStored (foundHead b)) f'
    )
    f
    bs

-- | Hand over what comes next of what is kept back, as far as it goes.
drained :: Frames b -> Frames b
drained f = case expected f of
  Just next
    | Just b <- Shelf.due next (kept f) -> drained (handed b f)
    | otherwise -> dropping Nothing (nextNumber next) f
  Nothing -> f

-- | Without the blocks before a number, which are no longer wanted, but for one that is: it
-- stands at a position.
dropping :: Maybe Int -> Int -> Frames b -> Frames b
dropping wanted number f = wasted [b | b <- gone, Just (foundAt b) /= wanted] f {kept = left}
  where
    (gone, left) = Shelf.without number (kept f)

-- | If too much is kept back, go on without what is missing. A quarter of it has to go, so that
-- this is seldom done.
within :: Frames b -> Frames b
within f
  | Shelf.held (kept f) > mostBytes f = within (settled (mostBytes f - mostBytes f `quot` 4) f)
  | otherwise = f

-- | Hand over the runs that are believed, the first ones first, as long as more than @least@ bytes
-- are kept back, and say what is missing before them. Where none is believed, none of them
-- will ever be.
settled :: Int -> Frames b -> Frames b
settled least f = case chosen (expected f) (filter belonging (Shelf.runs (kept f))) of
  [] -> wasted (concatMap blocksOf (Shelf.runs (kept f))) f {kept = Shelf.empty}
  believed -> go believed f
  where
    go believed f' = case believed of
      run : rest | Shelf.held (kept f') > least -> go rest (begun run f')
      _ -> f'
    belonging run = any (belongs f . headOffset . foundHead) (blocksOf run)

-- | Go on at the first block of a run that is still wanted. The first of those that are
-- believed always fits.
begun :: Run b -> Frames b -> Frames b
begun run f = case maybe (Just run) (\next -> snd (splitRun (nextNumber next) run)) (expected f) of
  Just rest
    | maybe True (`fits` foundHead (first rest)) (expected f) ->
        drained (handed (first rest) f)
  _ -> f

-- | Hand over a block, and let go what it leaves no room for.
handed :: Found b -> Frames b -> Frames b
handed b f = placed b (dropping (Just (foundAt b)) (headNumber (foundHead b) + 1) f)

-- | There is no more input: hand over all that is believed, and say what is missing at the
-- end, as far as an end tells.
finished :: Frames b -> Frames b
finished f
  | not (Shelf.isEmpty (kept f)) = finished (settled 0 f)
  | otherwise =
      saying
        ( map
            Loss'
            ( lossesOf end (IntMap.toAscList early) missing
                <> lossesOf maxBound (IntMap.toAscList late) Nothing
            )
        )
        f {rubbish = IntMap.empty, over = True}
  where
    -- What follows an end may have been anything.
    (early, late) = IntMap.spanAntitone (<= end) (rubbish f)
    (end, missing) = case (expected f, ending f) of
      (Just next, Just (Found at h ()))
        | headNumber h == nextNumber next, headFirst h == nextFirst next -> (at, Just (0, 0))
        | fits next h -> (at, Just (headNumber h - nextNumber next, headFirst h - nextFirst next))
      _ -> (maxBound, Nothing)

-- * Where it is

-- | Bytes of the file before those that have come and were not used.
framesPosition :: Frames b -> Int
framesPosition = position . scan
