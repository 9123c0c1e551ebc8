{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | What the straight lines of binary formats are made of: bytes put one after
-- the other where there is room, and taken one after the other until something is
-- amiss. They share no code with the library.
module Tern.Bench.Limit.Line
  ( -- * Writing
    Put,
    then_,
    exactly,
    within,
    putByte,
    putDouble,
    putFloat,
    putContents,

    -- * Reading
    Get,
    giveUp,
    room,
    load,
    byte',
    getByte,
    double',
    float',
    textOf,
    runGet,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Internal (ByteString (..))
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Array qualified as TA
import Data.Text.Encoding qualified as T
import Data.Text.Internal (Text (..))
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (minusPtr)
import GHC.Exts
import GHC.ForeignPtr (ForeignPtr (..), mallocPlainForeignPtrBytes, unsafeWithForeignPtr)
import GHC.IO (IO (..), unsafeDupablePerformIO)

-- * Writing

type Put = Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)

then_ :: Put -> Put -> Put
then_ f g op s = case f op s of (# s1, op1 #) -> g op1 s1
{-# INLINE then_ #-}

infixr 6 `then_`

-- | As many bytes as were counted, and some that the last number may touch.
exactly :: Int -> Put -> ByteString
exactly n@(I# n#) put = unsafeDupablePerformIO $ do
  pointer@(ForeignPtr start _) <- mallocPlainForeignPtrBytes (I# (n# +# 8#))
  IO $ \s -> case put start s of (# s1, _ #) -> (# s1, BS pointer n #)
{-# INLINE exactly #-}

-- | What is put, at most @n@ bytes, copied to an array of its size.
within :: Int -> Put -> ByteString
within n put = unsafeDupablePerformIO $ do
  ForeignPtr start contents <- mallocPlainForeignPtrBytes n
  end <- IO $ \s -> case put start s of (# s1, op #) -> (# s1, Ptr op #)
  let size = end `minusPtr` Ptr start
  result <- mallocPlainForeignPtrBytes size
  unsafeWithForeignPtr result (\to -> copyBytes to (Ptr start) size)
  IO (\s -> case touch# contents s of s1 -> (# s1, BS result size #))
{-# INLINE within #-}

putByte :: Word -> Put
putByte (W# w) op s = case writeWord8OffAddr# op 0# (wordToWord8# w) s of
  s1 ->
    (# s1, plusAddr# op 1# #)
{-# INLINE putByte #-}

putDouble :: Double -> Put
putDouble (D# x) op s = case writeDoubleOffAddr# op 0# x s of s1 -> (# s1, plusAddr# op 8# #)
{-# INLINE putDouble #-}

putFloat :: Float -> Put
putFloat (F# x) op s = case writeFloatOffAddr# op 0# x s of s1 -> (# s1, plusAddr# op 4# #)
{-# INLINE putFloat #-}

-- | The bytes of a text.
putContents :: Text -> Put
putContents
  (Text (TA.ByteArray array) (I# off) (I# n#))
  op
  s = case copyByteArrayToAddr# array off op n# s of
    s1 ->
      (# s1, plusAddr# op n# #)
{-# INLINE putContents #-}

-- * Reading

newtype Get a = Get (Addr# -> Addr# -> State# RealWorld -> Got a)

type Got a = (# State# RealWorld, (# (# Addr#, a #) | (# #) #) #)

get :: (Addr# -> Addr# -> State# RealWorld -> Got a) -> Get a
get f = Get (oneShot (\e -> oneShot (\c -> oneShot (\s -> f e c s))))
{-# INLINE get #-}

instance Functor Get where
  fmap f (Get g) = get $ \e c s -> case g e c s of
    (# s1, (# (# c1, a #) | #) #) -> case f a of !b -> (# s1, (# (# c1, b #) | #) #)
    (# s1, (# | (# #) #) #) -> (# s1, (# | (# #) #) #)
  {-# INLINE fmap #-}

instance Applicative Get where
  pure a = get (\_ c s -> (# s, (# (# c, a #) | #) #))
  {-# INLINE pure #-}
  f <*> x = f >>= \g -> fmap g x
  {-# INLINE (<*>) #-}

instance Monad Get where
  Get g >>= k = get $ \e c s -> case g e c s of
    (# s1, (# (# c1, a #) | #) #) -> case k a of Get h -> h e c1 s1
    (# s1, (# | (# #) #) #) -> (# s1, (# | (# #) #) #)
  {-# INLINE (>>=) #-}

giveUp :: Get a
giveUp = get (\_ _ s -> (# s, (# | (# #) #) #))
{-# INLINE giveUp #-}

room :: Int -> Get ()
room (I# n) = get $ \e c s -> case minusAddr# e c >=# n of
  1# -> (# s, (# (# c, () #) | #) #)
  _ -> (# s, (# | (# #) #) #)
{-# INLINE room #-}

load :: Int -> (Addr# -> a) -> Get a
load (I# n) f = get (\_ c s -> case f c of !a -> (# s, (# (# plusAddr# c n, a #) | #) #))
{-# INLINE load #-}

byte' :: Get Word
byte' = load 1 (\c -> W# (word8ToWord# (indexWord8OffAddr# c 0#)))
{-# INLINE byte' #-}

getByte :: Get Word
getByte = room 1 *> byte'
{-# INLINE getByte #-}

double' :: Get Double
double' = load 8 (\c -> D# (indexDoubleOffAddr# c 0#))
{-# INLINE double' #-}

float' :: Get Float
float' = load 4 (\c -> F# (indexFloatOffAddr# c 0#))
{-# INLINE float' #-}

-- | A text of @n@ bytes.
textOf :: Word -> Get Text
textOf n = get $ \e c s -> case n of
  0 -> (# s, (# (# c, T.empty #) | #) #)
  W# n#
    | isTrue# (leWord# n# (int2Word# (minusAddr# e c))),
      k <- word2Int# n# -> case ascii c k of
        1# -> case newByteArray# k s of
          (# s1, mba #) -> case copyAddrToByteArray# c mba 0# k s1 of
            s2 -> case unsafeFreezeByteArray# mba s2 of
              (# s3, array #) ->
                (# s3, (# (# plusAddr# c k, Text (TA.ByteArray array) 0 (I# k) #) | #) #)
        _ -> slowText c k s
    | otherwise -> (# s, (# | (# #) #) #)
{-# INLINE textOf #-}

slowText :: Addr# -> Int# -> State# RealWorld -> Got Text
slowText c k s = case T.decodeUtf8' (unsafeDupablePerformIO (copied c k)) of
  Right t -> (# s, (# (# plusAddr# c k, t #) | #) #)
  Left _ -> (# s, (# | (# #) #) #)
  where
    copied a n = do
      pointer@(ForeignPtr start _) <- mallocPlainForeignPtrBytes (I# n)
      IO $ \s0 -> case copy a start n s0 of s1 -> (# s1, BS pointer (I# n) #)
    copy a to n s0 = case n of
      0# -> s0
      _ -> case writeWord8OffAddr# to (n -# 1#) (indexWord8OffAddr# a (n -# 1#)) s0 of
        s1 ->
          copy a to (n -# 1#) s1
{-# NOINLINE slowText #-}

ascii :: Addr# -> Int# -> Int#
ascii a n = words' 0#
  where
    words' i
      | isTrue#
          ((i +# 8#) <=# n) =
          case and# (indexWordOffAddr# (plusAddr# a i) 0#) 0x8080808080808080## of
            0## -> words' (i +# 8#)
            _ -> 0#
      | otherwise = bytes i
    bytes i
      | isTrue# (i >=# n) = 1#
      | isTrue# (ltWord# (word8ToWord# (indexWord8OffAddr# a i)) 128##) = bytes (i +# 1#)
      | otherwise = 0#

runGet :: Get a -> ByteString -> Maybe a
runGet (Get g) (BS (ForeignPtr start contents) (I# n)) =
  unsafeDupablePerformIO . IO $ \s -> case g (plusAddr# start n) start s of
    (# s1, (# (# c, a #) | #) #) -> case touch# contents s1 of
      s2 -> (# s2, if isTrue# (eqAddr# c (plusAddr# start n)) then Just a else Nothing #)
    (# s1, _ #) -> case touch# contents s1 of s2 -> (# s2, Nothing #)
{-# INLINE runGet #-}
