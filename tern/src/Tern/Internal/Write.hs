{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | What an encoder is made of: runs of bytes whose greatest length is known
-- before they are written.
--
-- The idea: a 'Write' has a static shape. Put together in one expression,
-- neighbouring bounds are added up by the compiler, from the left, so that a record of five
-- numbers asks once whether there is room and then only stores. Everything
-- here is inlined and consumed at once; no 'Write' exists at run time.
--
-- INLINE on every function of this module: the shape folds only where it is
-- seen. Proof: inspect "one bounds check a bounded run", and the allocation
-- ceiling "a record of 25 integers". @oneShot@ marks each function that runs once for
-- each value; without it encoding was five times slower, because the compiler
-- kept closures that it might have shared.
module Tern.Internal.Write
  ( -- * Writes
    Write,
    bounded,
    general,
    toFill,

    -- * Writers
    Writer (..),
    write,
    contramapWriter,
    runWriter,
    runWriterWithin,
    runWriterTo,
    runWriterPiecesTo,

    -- * Elements
    fewElements,
    several,

    -- * Constants
    literal,
    byte,
  )
where

import Data.ByteString (ByteString)
import Data.Functor.Contravariant (Contravariant (..))
import GHC.Exts
import GHC.Word (Word8 (..))
import Tern.Prim.Buffer (Fill, Poke, ensuring)
import Tern.Prim.Buffer qualified as Buffer
import Tern.Prim.Literal qualified as Literal

-- | Adds bytes to what is to be written before them. A function, so that what
-- it is given is always known where it is inlined.
newtype Write = Write (Run -> Run)

-- | What is written already; the bound of a run that waits for its neighbours; and
-- that run.
data Run = Run Fill Int# Poke

-- | At most @n@ bytes.
--
-- Inlined in phase 1: until then the compiler has found the lengths of all
-- literals, and no choice between joining and parting is left undecided, whose
-- branches would double with every field.
bounded :: Int -> Poke -> Write
bounded (I# n) poke = Write $ \(Run fill k before) -> case fits (k +# n) of
  True -> Run fill (k +# n) (andThen before (onePoke poke))
  False -> Run (thenFill fill (checked k before)) n (onePoke poke)
{-# INLINE [1] bounded #-}

-- | Any number of bytes: the fill asks for room itself.
general :: Fill -> Write
general next =
  Write $ \(Run fill k before) ->
    Run (thenFill (thenFill fill (checked k before)) (oneFill next)) 0# nothing
{-# INLINE [1] general #-}

onePoke :: Poke -> Poke
onePoke f = oneShot (\op -> oneShot (\s -> f op s))
{-# INLINE onePoke #-}

oneFill :: Fill -> Fill
oneFill f = oneShot (\mba -> oneShot (\op -> oneShot (\s -> f mba op s)))
{-# INLINE oneFill #-}

nothing :: Poke
nothing = \op s -> (# s, op #)
{-# INLINE nothing #-}

andThen :: Poke -> Poke -> Poke
andThen f g = onePoke (\op s -> case f op s of (# s1, op1 #) -> g op1 s1)
{-# INLINE andThen #-}

-- | A bounded run inside a fill. A run of nothing asks for no room.
checked :: Int# -> Poke -> Fill
checked n poke = oneFill $ \mba op s -> case n of
  0# -> (# s, mba, op #)
  _ ->
    ensuring n (\mba1 op1 s1 -> case poke op1 s1 of (# s2, op2 #) -> (# s2, mba1, op2 #)) mba op s
{-# INLINE checked #-}

thenFill :: Fill -> Fill -> Fill
thenFill f g = oneFill (\mba op s -> case f mba op s of (# s1, mba1, op1 #) -> g mba1 op1 s1)
{-# INLINE thenFill #-}

-- | Runs are joined up to this bound. A longer one would skip the rest of a
-- chunk for room that it seldom needs, to save a comparison in a kilobyte.
fits :: Int# -> Bool
fits n = isTrue# (n <=# 512#)
{-# INLINE fits #-}

instance Semigroup Write where
  Write f <> Write g = Write (oneShot (\run -> g (f run)))
  {-# INLINE (<>) #-}

instance Monoid Write where
  mempty = Write id
  {-# INLINE mempty #-}

-- | The write as one step that asks for all the room it needs.
toFill :: Write -> Fill
toFill (Write f) = case f (Run (oneFill (\mba op s -> (# s, mba, op #))) 0# nothing) of
  Run fill k before -> thenFill fill (checked k before)
{-# INLINE toFill #-}

-- | How the values of a type are written. Which of the two it is does not
-- depend on a value, so that a known writer is unpacked when a program is
-- compiled.
data Writer a
  = -- | No value has more bytes than this.
    BoundedWriter Int (a -> Poke)
  | FillWriter (a -> Fill)

instance Contravariant Writer where
  contramap = contramapWriter
  {-# INLINE contramap #-}

-- | How the values of a type are written as those of another. The bound stays as it is.
contramapWriter :: (b -> a) -> Writer a -> Writer b
contramapWriter f = \case
  BoundedWriter n poke -> BoundedWriter n (\b -> poke (f b))
  FillWriter fill -> FillWriter (\b -> fill (f b))
{-# INLINE contramapWriter #-}

-- | One value's bytes.
write :: Writer a -> a -> Write
write writer a = case writer of
  BoundedWriter n poke -> bounded n (poke a)
  FillWriter fill -> general (oneFill (fill a))
{-# INLINE write #-}

-- | The bytes of one value, as a strict string.
runWriter :: Writer a -> a -> ByteString
runWriter writer a = Buffer.run (toFill (write writer a))
{-# INLINE runWriter #-}

-- | The same where they are few: about 3 KiB, or 32 KiB with one long text. Of what is longer
-- nothing, and no more of it is written.
runWriterWithin :: Writer a -> a -> Maybe ByteString
runWriterWithin writer a = Buffer.runWithin (toFill (write writer a))
{-# INLINE runWriterWithin #-}

-- | The same to a consumer, in chunks that it gets while they are written. Not for writers
-- that come back to what they wrote before a value, as those of the native format do for
-- the sizes of its chunks.
runWriterTo :: Writer a -> (ByteString -> IO ()) -> a -> IO ()
runWriterTo writer consume a = Buffer.runTo consume (toFill (write writer a))
{-# INLINE runWriterTo #-}

-- | The same for any writer: the consumer gets the chunks when all of them are there.
runWriterPiecesTo :: Writer a -> (ByteString -> IO ()) -> a -> IO ()
runWriterPiecesTo writer consume a = Buffer.runPiecesTo consume (toFill (write writer a))
{-# INLINE runWriterPiecesTo #-}

-- | A string constant, as UTF-8.
literal :: String -> Write
literal string = bounded (Literal.size string) (Literal.poke string)
{-# INLINE literal #-}

-- | One byte.
byte :: Word8 -> Write
byte (W8# w) =
  bounded 1 (\op s -> case writeWord8OffAddr# op 0# w s of s1 -> (# s1, plusAddr# op 1# #))
{-# INLINE byte #-}

-- * Elements

-- | A list of at most @most@ elements that are small, after one byte: their number, added
-- to the byte @first@. Any other list as @others@ says.
--
-- The elements are written in one walk, and the byte in front of them afterwards: a walk
-- only to count them waits for memory, and mispredicts the list's end once more. Where
-- there turn out to be too many, they are written again, which costs as much as 256
-- bytes do.
fewElements :: Int -> Word8 -> Writer a -> ([a] -> Fill) -> [a] -> Fill
fewElements most (W8# first) writer others = case writer of
  BoundedWriter bound poke
    | bound <= 256,
      I# few <- min most (256 `quot` max 1 bound) ->
        \xs mba op s -> case Buffer.ensure 257# mba op s of
          (# s1, mba1, op1 #) -> case several poke few xs (plusAddr# op1 1#) s1 of
            (# s2, op2, left, [] #) -> case writeWord8OffAddr#
              op1
              0#
              ( first
                  `plusWord8#` wordToWord8# (int2Word# (few -# left))
              )
              s2 of
              s3 -> (# s3, mba1, op2 #)
            (# s2, _, _, _ #) -> others xs mba1 op1 s2
  _ -> others
{-# INLINE fewElements #-}

-- | At most @k@ elements: how many fewer there were, and those after them.
several ::
  (a -> Poke) ->
  Int# ->
  [a] ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, Int#, [a] #)
several poke = go
  where
    go k xs op s = case xs of
      x : rest | isTrue# (k ># 0#) -> case poke x op s of (# s1, op1 #) -> go (k -# 1#) rest op1 s1
      _ -> (# s, op, k, xs #)
{-# INLINE several #-}
