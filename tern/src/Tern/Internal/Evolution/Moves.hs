-- | Pieces of what was written that belong into another order.
--
-- The idea: fields are written as they come, and where the pieces between them end is
-- noted. All of them are put into their places at once when everything is written. So
-- a byte is moved once, however deep it is within records whose fields move, and
-- nothing is read twice.
--
-- A note is: how many pieces, the order in which they are wanted, and for each piece's
-- beginning and the last one's end the offset and the number of words that had been
-- noted by then. The notes of what is within a piece are those between its two numbers.
module Tern.Internal.Evolution.Moves
  ( -- * While writing
    Moves,
    newMoves,
    reserve,
    note,
    noted,

    -- * Putting in order
    Notes,
    notesOf,
    arranged,
    offsetBefore,
  )
where

import Control.Monad (void, when)
import Control.Monad.Primitive (RealWorld)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Internal (unsafeCreate)
import Data.ByteString.Unsafe (unsafeUseAsCString)
import Data.Primitive.ByteArray
  ( ByteArray,
    MutableByteArray,
    getSizeofMutableByteArray,
    indexByteArray,
    newByteArray,
    readByteArray,
    resizeMutableByteArray,
    unsafeFreezeByteArray,
    writeByteArray,
  )
import Data.Primitive.MutVar (MutVar, newMutVar, readMutVar, writeMutVar)
import Data.Word (Word8)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (Ptr, castPtr, plusPtr)

-- * While writing

-- | What has been noted. Word 0 is how many words there are.
newtype Moves = Moves (MutVar RealWorld (MutableByteArray RealWorld))

-- | Nothing is noted, and there is room for @room@ words.
newMoves :: Int -> IO Moves
newMoves room = do
  words' <- newByteArray ((room + 1) * 8)
  writeByteArray words' 0 (1 :: Int)
  Moves <$> newMutVar words'

-- | Room for @n@ words more; gives the number of the first.
reserve :: Moves -> Int -> IO Int
reserve (Moves var) n = do
  words' <- readMutVar var
  used <- readByteArray words' 0
  size <- getSizeofMutableByteArray words'
  when ((used + n) * 8 > size) $
    resizeMutableByteArray words' (2 * (used + n) * 8) >>= writeMutVar var
  words'' <- readMutVar var
  writeByteArray words'' 0 (used + n)
  pure used

-- | Put a number into the word @at@, for which 'reserve' made room. That is not checked.
note :: Moves -> Int -> Int -> IO ()
note (Moves var) at n = readMutVar var >>= \words' -> writeByteArray words' at n

-- | How many words there are.
noted :: Moves -> IO Int
noted (Moves var) = readMutVar var >>= \words' -> readByteArray words' 0

-- * Putting in order

-- | What was noted in the end.
newtype Notes = Notes ByteArray

-- | Nothing may be noted afterwards.
notesOf :: Moves -> IO Notes
notesOf (Moves var) = Notes <$> (readMutVar var >>= unsafeFreezeByteArray)

-- | What was written, in the order that is wanted. Linear time.
arranged :: Notes -> ByteString -> ByteString
arranged (Notes notes) written =
  unsafeCreate (B.length written) $ \to -> unsafeUseAsCString written $ \from ->
    void (copied notes (castPtr from) to 0 (B.length written) 1 (word notes 0))

-- | Copy what was written from the offset @from@ up to @end@, in the order that is wanted.
-- Its notes are the words from @at@ up to @upTo@. Gives the place after the copy.
copied :: ByteArray -> Ptr Word8 -> Ptr Word8 -> Int -> Int -> Int -> Int -> IO (Ptr Word8)
copied notes source = go
  where
    go to from end at upTo
      | at >= upTo = plain to from end
      | otherwise = do
          let note' = noteAt notes at
          to' <- plain to from (offsetOf note' 0)
          to'' <- pieces note' 0 to'
          go to'' (offsetOf note' (count note')) end (wordsOf note' (count note')) upTo
    pieces note' i to
      | i == count note' = pure to
      | otherwise = do
          let j = order note' i
          go
            to
            (offsetOf note' j)
            (offsetOf note' (j + 1))
            (wordsOf note' j)
            (wordsOf note' (j + 1))
            >>= pieces note' (i + 1)
    plain to from end
      | n <= 0 = pure to
      | otherwise = plusPtr to n <$ copyBytes to (plusPtr source from) n
      where
        n = end - from

-- | The way back through 'arranged': at which offset the byte was written that it puts at
-- @offset@. @size@ bytes were written in all.
offsetBefore :: Notes -> Int -> Int -> Int
offsetBefore (Notes notes) size offset = found notes offset 0 size 1 (word notes 0)

-- | The same within what was written from the offset @from@ up to @end@, whose notes are
-- the words from @at@ up to @upTo@: at which offset the byte was written that is number
-- @n@ of it (from 0) once it is in order.
found :: ByteArray -> Int -> Int -> Int -> Int -> Int -> Int
found notes n from end at upTo
  | at >= upTo || n < offsetOf note' 0 - from = from + n
  | n < length' = piece 0 (n - (offsetOf note' 0 - from))
  | otherwise =
      found
        notes
        (n - length')
        (offsetOf note' (count note'))
        end
        (wordsOf note' (count note'))
        upTo
  where
    note' = noteAt notes at
    length' = offsetOf note' (count note') - from
    piece i m =
      let j = order note' i
          size = offsetOf note' (j + 1) - offsetOf note' j
       in if m < size || i + 1 >= count note'
            then
              found
                notes
                m
                (offsetOf note' j)
                (offsetOf note' (j + 1))
                (wordsOf note' j)
                (wordsOf note' (j + 1))
            else piece (i + 1) (m - size)

-- * One note

-- | Where it is, and of how many pieces it speaks.
data Note = Note !ByteArray !Int !Int

count :: Note -> Int
count (Note _ _ n) = n

noteAt :: ByteArray -> Int -> Note
noteAt notes at = Note notes at (word notes at)

-- | The number of the piece that is wanted there.
order :: Note -> Int -> Int
order (Note notes at _) i = word notes (at + 1 + i)

-- | Of a piece's beginning: the offset, and how many words there were.
offsetOf, wordsOf :: Note -> Int -> Int
offsetOf (Note notes at n) i = word notes (at + 1 + n + 2 * i)
wordsOf (Note notes at n) i = word notes (at + 2 + n + 2 * i)

word :: ByteArray -> Int -> Int
word = indexByteArray
