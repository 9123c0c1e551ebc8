{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Running a plan's program over documents.
--
-- The idea: there are a place in the input and, before it, a place from which on
-- everything is to be kept. Walking moves the first one; where something changes, what
-- is between the two is copied as one piece. Everything is a word in a register, and
-- nothing is allocated for a value.
--
-- Nothing is checked that the reader will check: bytes that are kept are looked at
-- only for where they end.
--
-- Start at 'translated'.
module Tern.Internal.Evolution.Run
  ( translated,
    origin,
  )
where

import Data.ByteString qualified as B
import Data.ByteString.Internal (ByteString (..))
import Data.Primitive.Array (Array, indexArray)
import Data.Primitive.ByteArray (ByteArray (..))
import GHC.Base (unIO)
import GHC.Exts
import Tern.Error (Exceeded (..), Reason (..))
import Tern.Internal.Evolution.Code (Code (..), Made (..), Op (..))
import Tern.Internal.Evolution.Moves
  ( Moves,
    Notes,
    arranged,
    newMoves,
    note,
    noted,
    notesOf,
    offsetBefore,
    reserve,
  )
import Tern.Internal.Evolution.Number (renumbered)
import Tern.Internal.Native.Chunk (chunkHere, flatChunks)
import Tern.Internal.Native.Read (lengthHere)
import Tern.Internal.Native.Reader (failEnd, failWith)
import Tern.Internal.Read
  ( Context,
    Reader (..),
    allowClaims,
    claim,
    cursor,
    depthLeft,
    digitLimit,
    enter,
    failAt,
    leave,
    runReader,
    setCursor,
  )
import Tern.Limits (Limits (..))
import Tern.Prim.BigEndian (copyOut)
import Tern.Prim.Buffer (Fill, emptied, ensure, fillRoom, newRoom)
import Tern.Prim.Native (copyAcross, load16, load64, load8, store64, varintWidth)
import Tern.Prim.Text qualified as Text

-- | The writer's @many@ values at the head of @input@ as the reader's: how many bytes they
-- have, and the reader's bytes. The program may give at most @budget@ bytes for what the
-- writer does not have; room for @room@ bytes is made at first, and more as it is needed.
--
-- Time is linear in the bytes and in what is given. An error has its offset.
translated ::
  Code -> Int -> Int -> Int -> Limits -> ByteString -> Either (Int, Reason) (Int, ByteString)
translated
  code
  many
  budget
  room
  limits
  input = case watched code maxBound many budget room limits input of
    Left failure -> Left failure
    Right (Done n bytes notes) -> Right (n, if codeMoves code then arranged notes bytes else bytes)

-- | From where in @input@ the byte comes that 'translated' puts at @offset@ of the
-- reader's bytes, with the same arguments before it. For a byte that the program gave it
-- is where the next piece begins that was kept, or where the @many@ values end.
--
-- The program is run twice: once to see where that byte was written before the pieces
-- were put in order, and once more up to there.
origin :: Code -> Int -> Int -> Int -> Limits -> ByteString -> Int -> Int
origin
  code
  many
  budget
  room
  limits
  input
  offset = case watched code maxBound many budget room limits input of
    Left (at, _) -> at
    Right (Done _ bytes notes) ->
      either
        fst
        (\(Done n _ _) -> n)
        ( watched
            code
            (offsetBefore notes (B.length bytes) offset)
            many
            budget
            room
            limits
            input
        )

-- | How many bytes were read, what was written, and what of it has to be moved.
data Done = Done !Int !ByteString !Notes

-- | As 'translated', but the pieces are not put in order yet, and it fails where it comes
-- to copy a byte of the input to the offset @watch@ of what it writes, or beyond that. The
-- failure's offset is where in the input that byte is.
watched :: Code -> Int -> Int -> Int -> Int -> Limits -> ByteString -> Either (Int, Reason) Done
watched
  ( Code
      (ByteArray code)
      (ByteArray bytes)
      reasons
      functions
      (I# pieces)
      moving
    )
  (I# watch)
  (I# many)
  (I# budget)
  likely
  limits
  input =
    runReader limits (,) (Reader begin) input
    where
      begin
        ctx
        e
        c
        s =
          case unIO
            (newMoves (if moving then 64 else 0))
            ( writeIntArray#
                ctx
                0#
                watch
                (allowClaims ctx budget s)
            ) of
            (# s1, moves #) -> case newByteArray# (8# *# (pieces +# 1#)) s1 of
              (# s2, ends #) -> case unIO
                ( newRoom (likely + 64)
                    >>= fillRoom
                      ( fill
                          ( Env
                              code
                              bytes
                              reasons
                              functions
                              input
                              moves
                              ends
                              most
                              e
                              ctx
                          )
                          c
                      )
                )
                s2 of
                (# s3, room #) -> case unIO ((,) <$> emptied room <*> notesOf moves) s3 of
                  (# s4, (written, notes) #) -> case cursor ctx s4 of
                    (# s5, c1 #) -> (# s5, c1, Done (I# (minusAddr# c1 c)) written notes #)
      most = if B.length input > maxBound - I# budget then maxBound else B.length input + I# budget
      fill env@(Env _ _ _ _ _ _ _ _ _ ctx) c mba op s = case elements env 0# many c c mba op s of
        (# s1, from, c1, mba1, op1 #) -> case flush env from c1 mba1 op1 s1 of
          (# s2, mba2, op2 #) -> (# setCursor ctx c1 s2, mba2, op2 #)

-- * The loop

-- | The program's words, its bytes, its reasons and its functions; the input; what is to
-- be moved; room for the ends of an exchange's pieces; the greatest number of bytes; the
-- input's end; the run. Word 0 of the run is the offset that is watched for, and what may be
-- claimed is what may be given.
data Env
  = Env
      ByteArray#
      ByteArray#
      (Array Reason)
      (Array Made)
      ByteString
      Moves
      (MutableByteArray# RealWorld)
      Int
      Addr#
      Context

-- | From where on all is kept, and where reading goes on; what is written to.
type Out = (# State# RealWorld, Addr#, Addr#, MutableByteArray# RealWorld, Addr# #)

-- | From a word of the program up to the next 'Return'.
--
-- OPAQUE: unpacked, the environment would be passed as seven arguments to each step.
run ::
  Env -> Int# -> Addr# -> Addr# -> MutableByteArray# RealWorld -> Addr# -> State# RealWorld -> Out
run
  env@(Env code _ reasons functions _ moves _ _ e ctx)
  pc
  from
  c
  mba
  op
  s = case (tagToEnum# (word 0#) :: Op) of
    Return -> (# s, from, c, mba, op #)
    Skip -> case word 1# <=# minusAddr# e c of
      1# -> run env (pc +# 2#) from (plusAddr# c (word 1#)) mba op s
      _ -> failed (failEnd e s)
    SkipVarints -> case varintsEnd e (word 1#) c of
      c1 -> case leAddr# c1 e of
        1# -> run env (pc +# 2#) from c1 mba op s
        _ -> failed (failEnd e s)
    SkipString -> case lengthHere e c s of
      (# s1, c1, n #) -> run env (pc +# 1#) from (plusAddr# c1 n) mba op s1
    SkipMagnitude -> case magnitudeEnd e c s of
      (# s1, c1 #) -> run env (pc +# 1#) from c1 mba op s1
    SkipFlat -> case flatChunks (word 1#) e c s of
      (# s1, c1, _ #) -> run env (pc +# 2#) from c1 mba op s1
    SkipVaried -> case variedEnd e c s of
      (# s1, c1 #) -> run env (pc +# 1#) from c1 mba op s1
    Each -> case each env (pc +# 2#) from c mba op s of
      (# s1, from1, c1, mba1, op1 #) -> run env (word 1#) from1 c1 mba1 op1 s1
    Cut -> case flush env from c mba op s of
      (# s1, mba1, op1 #) -> run env (pc +# 1#) c c mba1 op1 s1
    Resume -> run env (pc +# 1#) c c mba op s
    Give -> case flush env from c mba op s of
      (# s1, mba1, op1 #) -> case granted env c (word 1#) (word 2#) mba1 op1 s1 of
        (# s2, mba2, op2 #) -> run env (pc +# 3#) c c mba2 op2 s2
    Retag -> case flush env from (plusAddr# c (negateInt# (word 1#))) mba op s of
      (# s1, mba1, op1 #) -> case give env (word 2#) (word 3#) mba1 op1 s1 of
        (# s2, mba2, op2 #) -> run env (pc +# 4#) c c mba2 op2 s2
    Renumber -> case flush env from c mba op s of
      (# s1, mba1, op1 #) ->
        let why = reason (word 5#)
         in case renumbered (word 1#) (word 2#) (word 3#) (word 4#) why ctx e c mba1 op1 s1 of
              (# s2, c2, mba2, op2 #) -> run env (pc +# 6#) c2 c2 mba2 op2 s2
    Branch -> case word 1# <=# minusAddr# e c of
      1# ->
        let !i = case word 1# of 1# -> word2Int# (load8 c); _ -> word2Int# (load16 c)
         in case i <# word 2# of
              1# -> run env (word (3# +# i)) from (plusAddr# c (word 1#)) mba op s
              _ -> failed (failWith (`NoConstructor` I# (word 2#)) i c s)
      _ -> failed (failEnd e s)
    Jump -> run env (word 1#) from c mba op s
    Call -> case run env (word 1#) from c mba op s of
      (# s1, from1, c1, mba1, op1 #) -> run env (pc +# 2#) from1 c1 mba1 op1 s1
    Enter -> case enter ctx c s of s1 -> run env (pc +# 1#) from c mba op s1
    Leave -> case leave ctx s of s1 -> run env (pc +# 1#) from c mba op s1
    Reject -> failed (failAt (plusAddr# c (negateInt# (word 1#))) (reason (word 2#)) s)
    Apply -> case flush env from c mba op s of
      (# s1, mba1, op1 #) -> case made env (indexArray functions (I# (word 1#))) c mba1 op1 s1 of
        (# s2, c1, mba2, op2 #) -> run env (pc +# 2#) c1 c1 mba2 op2 s2
    Exchange -> case flush env from c mba op s of
      (# s1, mba1, op1 #) -> case exchanged env pc c mba1 op1 s1 of
        (# s2, c1, mba2, op2 #) -> run env (word 3#) c1 c1 mba2 op2 s2
    Reorder -> case flush env from c mba op s of
      (# s1, mba1, op1 #) ->
        let !k = word 1#
         in case unIO (reserve moves (I# (3# *# k +# 3#))) s1 of
              (# s2, I# p #) -> case unIO (note moves (I# p) (I# k)) s2 of
                (# s3, () #) -> case pieces p k 0# c c mba1 op1 s3 of
                  (# s4, from4, c4, mba4, op4 #) -> run env (word 2#) from4 c4 mba4 op4 s4
    where
      word i = indexIntArray# code (pc +# i)
      {-# INLINE word #-}
      reason i = indexArray reasons (I# i)
      failed :: (# State# RealWorld, Addr#, () #) -> Out
      failed (# s1, c1, () #) = (# s1, c1, c1, mba, op #)
      {-# INLINE failed #-}
      -- The pieces from number i on, of the k whose note is at word p.
      pieces ::
        Int# ->
        Int# ->
        Int# ->
        Addr# ->
        Addr# ->
        MutableByteArray# RealWorld ->
        Addr# ->
        State# RealWorld ->
        Out
      pieces p k i from1 c1 mba1 op1 s1 = case flush env from1 c1 mba1 op1 s1 of
        (# s2, mba2, op2 #) -> case unIO
          ( boundary
              p
              k
              i
              (minusAddr# op2 (mutableByteArrayContents# mba2) -# 8#)
          )
          s2 of
          (# s3, () #) -> case i <# k of
            1# -> case unIO (note moves (I# (p +# 1# +# i)) (I# (word (3# +# i)))) s3 of
              (# s4, () #) -> case run env (word (3# +# k +# i)) c1 c1 mba2 op2 s4 of
                (# s5, from5, c5, mba5, op5 #) -> pieces p k (i +# 1#) from5 c5 mba5 op5 s5
            _ -> (# s3, c1, c1, mba2, op2 #)
      boundary :: Int# -> Int# -> Int# -> Int# -> IO ()
      boundary p k i offset = do
        note moves (I# (p +# 1# +# k +# 2# *# i)) (I# offset)
        n <- noted moves
        note moves (I# (p +# 2# +# k +# 2# *# i)) n
{-# OPAQUE run #-}

-- | The program from the word @pc@ on, for each element of the chunks here.
each ::
  Env -> Int# -> Addr# -> Addr# -> MutableByteArray# RealWorld -> Addr# -> State# RealWorld -> Out
each env@(Env _ _ _ _ _ _ _ _ e _) pc from c mba op s = case chunkHere e c s of
  (# s1, c1, n #) -> case elements env pc n from c1 mba op s1 of
    out@(# s2, from2, c2, mba2, op2 #) -> case n of
      4096# -> each env pc from2 c2 mba2 op2 s2
      _ -> out
{-# OPAQUE each #-}

-- | The program from the word @pc@ on, for each of @k@ values.
elements ::
  Env ->
  Int# ->
  Int# ->
  Addr# ->
  Addr# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  State# RealWorld ->
  Out
elements env pc k from c mba op s = case k of
  0# -> (# s, from, c, mba, op #)
  _ -> case run env pc from c mba op s of
    (# s1, from1, c1, mba1, op1 #) -> elements env pc (k -# 1#) from1 c1 mba1 op1 s1
{-# OPAQUE elements #-}

-- | The exchange at the word @pc@: its pieces are walked over, then its parts are written.
-- It gives the place after the pieces.
exchanged ::
  Env ->
  Int# ->
  Addr# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, MutableByteArray# RealWorld, Addr# #)
exchanged env@(Env code _ _ _ _ _ ends _ _ _) pc c mba op s = case walked 0# c s of
  (# s1, c1 #) -> case parts 0# mba op s1 of
    (# s2, mba1, op1 #) -> (# s2, c1, mba1, op1 #)
  where
    word i = indexIntArray# code (pc +# i)
    {-# INLINE word #-}
    -- Nothing changes in them, so that nothing is written.
    walked i c1 s1 = case writeAddrArray# ends i c1 s1 of
      s2 -> case i <# word 1# of
        1# -> case run env (word (4# +# i)) c1 c1 mba op s2 of
          (# s3, _, c2, _, _ #) -> walked (i +# 1#) c2 s3
        _ -> (# s2, c1 #)
    parts :: Int# -> Fill
    parts i mba1 op1 s1 = case i <# word 2# of
      1# ->
        let !p = 4# +# word 1# +# 2# *# i
            !n = word p
         in case word (p +# 1#) of
              -1# -> case readAddrArray# ends n s1 of
                (# s2, from #) -> case readAddrArray# ends (n +# 1#) s2 of
                  (# s3, to #) -> case flush env from to mba1 op1 s3 of
                    (# s4, mba2, op2 #) -> parts (i +# 1#) mba2 op2 s4
              size -> case granted env c n size mba1 op1 s1 of
                (# s2, mba2, op2 #) -> parts (i +# 1#) mba2 op2 s2
      _ -> (# s1, mba1, op1 #)
{-# OPAQUE exchanged #-}

-- * Making

-- | Write what a function makes of the value here; the place after it. What of it, or of the
-- older value, is more than what was written counts as given.
made ::
  Env ->
  Made ->
  Addr# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, MutableByteArray# RealWorld, Addr# #)
made env@(Env _ _ _ _ input _ _ _ e ctx) (Made code function) c mba op s = case depthLeft ctx s of
  (# s1, levels #) -> case digitLimit ctx s1 of
    (# s2, left #) ->
      let here = B.drop (B.length input - I# (minusAddr# e c)) input
          limits = Limits {maxDepth = I# levels, maxBytes = maxBound, maxDigits = maxBound}
          translatedHere = translated code 1 (I# left) 32 limits here
       in case translatedHere of
            Left (offset, reason) -> refused offset reason s2
            Right (n, old) -> case function limits old of
              Left (offset, reason) ->
                refused (origin code 1 (I# left) 32 limits here offset) reason s2
              Right new -> case allowed env c (more old n) s2 of
                s3 -> case allowed env c (more new n) s3 of
                  s4 -> written n new s4
  where
    more bytes n = case max 0 (B.length bytes - n) of I# k -> k
    refused (I# offset) reason s1 = case failAt (plusAddr# c offset) reason s1 of
      (# s2, c1, () #) ->
        (# s2, c1, mba, op #)
    written (I# n) new@(BS _ (I# size)) s1 = case readIntArray# ctx 0# s1 of
      (# s2, watch #) -> case (watch -# (minusAddr# op (mutableByteArrayContents# mba) -# 8#))
        <# size of
        -- What is looked for is in what was made, or before it.
        1# -> refused 0 TrailingInput s2
        _ -> case ensure size mba op s2 of
          (# s3, mba1, op1 #) -> case copyOut new op1 s3 of
            s4 ->
              (# s4, plusAddr# c n, mba1, plusAddr# op1 size #)
{-# OPAQUE made #-}

-- * Copying

-- | Write @n@ of the program's bytes, from the one at @at@ on.
give :: Env -> Int# -> Int# -> Fill
give (Env _ bytes _ _ _ _ _ _ _ _) at n mba op s = case ensure n mba op s of
  (# s1, mba1, op1 #) -> case Text.store bytes at n op1 s1 of s2 -> (# s2, mba1, plusAddr# op1 n #)

-- | The same for something that the input does not have at @c@. It is taken from what the
-- program may give; where less is left, that is the failure.
granted :: Env -> Addr# -> Int# -> Int# -> Fill
granted env c at n mba op s = case allowed env c n s of s1 -> give env at n mba op s1

-- | Fail at the place @c@ where @n@ more bytes may not be written.
allowed :: Env -> Addr# -> Int# -> State# RealWorld -> State# RealWorld
allowed (Env _ _ _ _ _ _ _ most _ ctx) c n s = case claim ctx n s of
  (# s1, 1# #) -> s1
  (# s1, _ #) -> case failAt c (LimitExceeded (TooManyBytes most)) s1 of (# s2, _, () #) -> s2

-- | Write what lies between two places of the input.
flush :: Env -> Addr# -> Addr# -> Fill
flush (Env _ _ _ _ _ _ _ _ e ctx) from to mba op s = case minusAddr# to from of
  0# -> (# s, mba, op #)
  n -> case readIntArray# ctx 0# s of
    (# s1, watch #) ->
      let !ahead = watch -# (minusAddr# op (mutableByteArrayContents# mba) -# 8#)
       in case ahead <# n of
            1# -> case failAt
              ( plusAddr#
                  from
                  (case ahead <# 0# of 1# -> 0#; _ -> ahead)
              )
              TrailingInput
              s1 of
              (# s2, _, () #) -> (# s2, mba, op #)
            _ -> case ensure n mba op s1 of
              (# s2, mba2, op2 #) -> case copied e from n op2 s2 of
                s3 ->
                  (# s3, mba2, plusAddr# op2 n #)

-- | Copy @n@ bytes. Up to 16 of them go as two words, where 16 bytes can be read; the
-- slack takes what is too much.
copied :: Addr# -> Addr# -> Int# -> Addr# -> State# RealWorld -> State# RealWorld
copied e from n op s = case andI# (n <=# 16#) (minusAddr# e from >=# 16#) of
  1# -> case store64 op (load64 from) s of
    s1 ->
      store64 (plusAddr# op 8#) (load64 (plusAddr# from 8#)) s1
  _ -> copyAcross from op n s
{-# INLINE copied #-}

-- * Walking

-- | The address after @k@ varints; beyond the end where they are not all there.
varintsEnd :: Addr# -> Int# -> Addr# -> Addr#
varintsEnd e k c = case k of
  0# -> c
  _ -> case ltAddr# c e of
    1# -> varintsEnd e (k -# 1#) (plusAddr# c (varintWidth (load8 c)))
    _ -> plusAddr# e 1#

variedEnd :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)
variedEnd e c s = case chunkHere e c s of
  (# s1, c1, n #) -> case varintsEnd e n c1 of
    c2 -> case leAddr# c2 e of
      1# -> case n of
        4096# -> variedEnd e c2 s1
        _ -> (# s1, c2 #)
      _ -> case failEnd e s1 of (# s2, c3, () #) -> (# s2, c3 #)

magnitudeEnd :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)
magnitudeEnd e c s = case varintsEnd e 1# c of
  c1 -> case ltAddr# c e of
    1# | isTrue# (eqWord# (load8 c) 0xff##) -> case lengthHere e (plusAddr# c 1#) s of
      (# s1, c2, n #) ->
        (# s1, plusAddr# c2 n #)
    _ -> case leAddr# c1 e of
      1# -> (# s, c1 #)
      _ -> case failEnd e s of (# s1, c2, () #) -> (# s1, c2 #)
