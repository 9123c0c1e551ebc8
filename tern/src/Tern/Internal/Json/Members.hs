{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The members of an object whose names no type knows.
--
-- The idea: names and values stand in two arrays, which are made when their number is known:
-- the members of a small object wait on the stack for them, those of a large one in a list.
-- An index is made when a large object is first asked for a name; a small one is looked
-- through, which takes no longer.
module Tern.Internal.Json.Members
  ( Members,
    fromPairs,
    fromArrays,
    toPairs,
    size,
    memberAt,
    lookupMember,
    index,

    -- * Codecs
    membersW,
    membersR,
  )
where

import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Primitive.SmallArray
  ( SmallArray (..),
    indexSmallArray##,
    sizeofSmallArray,
    smallArrayFromListN,
  )
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Exts
import Tern.Internal.Json.Codec (textW)
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Read (Context, Step, enter, leave)
import Tern.Internal.Write (Writer (..), byte, literal, toFill, write)

-- | The names and the values in their order; and where there are more than 'few', an index that
-- is made when it is asked for.
data Members v
  = Members {-# UNPACK #-} !(SmallArray Text) {-# UNPACK #-} !(SmallArray v) (Map Text v)

-- | No more members than this are looked through one by one. It bounds what a look-up
-- costs, whatever the names are.
few :: Int
few = 64

-- | In their order; repeated ones too.
fromPairs :: [(Text, v)] -> Members v
fromPairs pairs = indexed (listed (map fst pairs)) (listed (map snd pairs))
  where
    listed :: [a] -> SmallArray a
    listed = smallArrayFromListN (length pairs)

-- | Names and as many values, in their order.
fromArrays :: SmallArray Text -> SmallArray v -> Members v
fromArrays = indexed
{-# INLINE fromArrays #-}

-- | In their order.
toPairs :: Members v -> [(Text, v)]
toPairs members = go 0
  where
    !n = size members
    go i
      | i >= n = []
      | (# k, v #) <- memberAt members i = (k, v) : go (i + 1)

-- | How many there are, repeated ones too.
size :: Members v -> Int
size (Members names _ _) = sizeofSmallArray names

-- | Number @i@, of which there is one.
memberAt :: Members v -> Int -> (# Text, v #)
memberAt (Members names values _) i = case indexSmallArray## names i of
  (# k #) -> case indexSmallArray## values i of (# v #) -> (# k, v #)
{-# INLINE memberAt #-}

-- | The last value of a name.
lookupMember :: Text -> Members v -> Maybe v
lookupMember name members@(Members _ _ names)
  | n > few = Map.lookup name names
  | otherwise = go (n - 1)
  where
    !n = size members
    go i
      | i < 0 = Nothing
      | (# k, v #) <- memberAt members i = if k == name then Just v else go (i - 1)

-- | The values by their names; of a repeated name the last.
index :: Members v -> Map Text v
index members@(Members _ _ names)
  | size members > few = names
  | otherwise = Map.fromList (toPairs members)

-- * Making

-- | Names and values that are still to be filled.
type Room v = (# SmallMutableArray# RealWorld Text, SmallMutableArray# RealWorld v #)

-- | Of @n@ members; the value stands at every place until it is filled.
newRoom :: Int# -> v -> State# RealWorld -> (# State# RealWorld, Room v #)
newRoom n v s = case newSmallArray# n T.empty s of
  (# s1, names #) -> case newSmallArray# n v s1 of (# s2, values #) -> (# s2, (# names, values #) #)
{-# INLINE newRoom #-}

put :: Int# -> Text -> v -> Room v -> State# RealWorld -> State# RealWorld
put i k v (# names, values #) s = case writeSmallArray# names i k s of
  s1 -> writeSmallArray# values i v s1
{-# INLINE put #-}

indexed :: SmallArray Text -> SmallArray v -> Members v
indexed names values
  | sizeofSmallArray names > few = Members names values (Map.fromList (toPairs unnamed))
  | otherwise = unnamed
  where
    unnamed = Members names values Map.empty
{-# INLINE indexed #-}

-- | What has been filled is not written to any more.
frozen :: Room v -> State# RealWorld -> (# State# RealWorld, Members v #)
frozen (# names, values #) s = case unsafeFreezeSmallArray# names s of
  (# s1, ks #) -> case unsafeFreezeSmallArray# values s1 of
    (# s2, vs #) -> case indexed (SmallArray ks) (SmallArray vs) of !members -> (# s2, members #)
{-# INLINE frozen #-}

-- * Codecs

-- | An object of the members in their order, repeated ones too.
membersW :: Writer v -> Writer (Members v)
membersW writer = FillWriter $ \members mba op s -> case size members of
  0 -> toFill (literal "{}") mba op s
  n -> case memberAt members 0 of
    (# k, v #) -> case toFill (byte 123 <> write textW k <> byte 58 <> write writer v) mba op s of
      (# s1, mba1, op1 #) -> go n members 1 mba1 op1 s1
  where
    go n members i mba op s
      | i >= n = toFill (byte 125) mba op s
      | otherwise = case memberAt members i of
          (# k, v #) ->
            case toFill (byte 44 <> write textW k <> byte 58 <> write writer v) mba op s of
              (# s1, mba1, op1 #) -> go n members (i + 1) mba1 op1 s1
{-# INLINE membersW #-}

-- | INLINE: as 'Tern.Internal.Json.Elements.elementsR'. Proof: the allocation ceiling "objects of
-- two texts".
membersR :: forall v. Step v -> Step (Members v)
membersR step ctx0 e0 c0 s0 =
  let !start = inline Json.skipSpace e0 c0
   in case Json.objectOpen e0 start s0 of
        (# s1, c1, () #) -> case inline enter ctx0 start s1 of
          s2 ->
            let !c2 = inline Json.skipSpace e0 c1
             in if isTrue# (ltAddr# c2 e0)
                  && isTrue# (eqWord# (word8ToWord# (indexWord8OffAddr# c2 0#)) 125##)
                  then case inline leave ctx0 s2 of s3 -> (# s3, plusAddr# c2 1#, empty #)
                  else case waiting 0# ctx0 e0 c2 s2 of
                    (# s3, c3, room #) -> case inline leave ctx0 s3 of
                      s4 -> case frozen room s4 of (# s5, members #) -> (# s5, c3, members #)
  where
    empty = fromPairs []
    -- The room, filled from number @i@ on.
    waiting ::
      Int# ->
      Context ->
      Addr# ->
      Addr# ->
      State# RealWorld ->
      (# State# RealWorld, Addr#, Room v #)
    waiting i ctx e c s = case Json.key ctx e c s of
      (# s1, c1, k #) -> case step ctx e c1 s1 of
        (# s2, c2, v #) -> case Json.members e c2 s2 of
          (# s3, c3, 0# #) -> case newRoom (i +# 1#) v s3 of
            (# s4, room #) -> (# put i k v room s4, c3, room #)
          (# s3, c3, _ #) -> case i <# 64# of
            1# -> case waiting (i +# 1#) ctx e c3 s3 of
              (# s4, c4, room #) -> (# put i k v room s4, c4, room #)
            _ -> case listed (i +# 1#) None ctx e c3 s3 of
              (# s4, c4, room #) -> (# put i k v room s4, c4, room #)
    -- The same, with those that came after number 64, the last one first; @i@ is the number of
    -- the next.
    listed ::
      Int# ->
      Backwards v ->
      Context ->
      Addr# ->
      Addr# ->
      State# RealWorld ->
      (# State# RealWorld, Addr#, Room v #)
    listed i before ctx e c s = case Json.key ctx e c s of
      (# s1, c1, k #) -> case step ctx e c1 s1 of
        (# s2, c2, v #) -> case Json.members e c2 s2 of
          (# s3, c3, 0# #) -> case newRoom (i +# 1#) v s3 of
            (# s4, room #) -> (# unlisted i (Then k v before) room s4, c3, room #)
          (# s3, c3, _ #) -> listed (i +# 1#) (Then k v before) ctx e c3 s3
{-# INLINE membersR #-}

-- | Members, the last one first.
data Backwards v = None | Then !Text v (Backwards v)

-- | Number @i@ and those before it.
unlisted :: Int# -> Backwards v -> Room v -> State# RealWorld -> State# RealWorld
unlisted i left room s = case left of
  None -> s
  Then k v before -> unlisted (i -# 1#) before room (put i k v room s)
