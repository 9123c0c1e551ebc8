{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UndecidableInstances #-}

-- | The class of types that have wire formats, its instances, and what
-- @deriving anyclass Wire@ runs.
module Tern.Wire
  ( Wire (..),
    genericJsonW,
    genericJsonR,
  )
where

import Data.Text (Text)
import GHC.Exts
import GHC.Generics
import GHC.TypeLits
import Tern.Json.Codec qualified as Json
import Tern.Json.Object
import Tern.Json.Read qualified as Json
import Tern.Prim.Literal qualified as Literal
import Tern.Read (Context, Reader (..), enter, leave)
import Tern.Write

-- | Types with wire formats.
class Wire a where
  jsonW :: Writer a
  default jsonW :: (Generic a, GWrite (Rep a)) => Writer a
  jsonW = genericJsonW
  jsonR :: Reader a
  default jsonR :: (Generic a, GRead (Rep a)) => Reader a
  jsonR = genericJsonR
  absent :: Maybe a
  absent = Nothing

genericJsonW :: (Generic a, GWrite (Rep a)) => Writer a
genericJsonW = FillWriter (\x -> toFill (gWrite (from x)))
{-# INLINE genericJsonW #-}

genericJsonR :: (Generic a, GRead (Rep a)) => Reader a
genericJsonR = fmap to gRead
{-# INLINE genericJsonR #-}

class GWrite f where
  gWrite :: f p -> Write

instance (GWrite f) => GWrite (D1 m f) where
  gWrite (M1 x) = gWrite x
  {-# INLINE gWrite #-}

instance (GFields "{" f) => GWrite (C1 ('MetaCons n x 'True) f) where
  gWrite (M1 x) = gFields @"{" x <> byte 125
  {-# INLINE gWrite #-}

class GRead f where
  gRead :: Reader (f p)

instance (GRead f) => GRead (D1 m f) where
  gRead = fmap M1 gRead
  {-# INLINE gRead #-}

instance (GFields "{" f) => GRead (C1 ('MetaCons n x 'True) f) where
  gRead = Reader $ \ctx e c s ->
    let !start = Json.skipSpace e c
        !(I# n) = gSize @"{" @f
     in case enter ctx start s of
          s1 -> case newSlots n s1 of
            (# s2, slots #) -> case gStraight @"{" @f slots 0# ctx e start s2 of
              (# s3, c3, i #) -> case rest slots start n i ctx e c3 s3 of
                (# s4, c4 #) -> case leave ctx s4 of
                  s5 -> case gBuild @"{" @f slots 0# s5 of
                    (# s6, x #) -> (# s6, c4, M1 x #)
    where
      fields = table (gTable @"{" @f [])
      rest slots start n i ctx e c s
        | isTrue# (i ==# n), isTrue# (ltAddr# c e), isTrue# (eqWord# (word8ToWord# (indexWord8OffAddr# c 0#)) 125##) = (# s, plusAddr# c 1# #)
        | otherwise = readRest fields slots start i ctx e c s
      {-# INLINE rest #-}
  {-# INLINE gRead #-}

class GFields (pre :: Symbol) f where
  gFields :: f p -> Write
  gSize :: Int
  gStraight :: Slots -> Int# -> Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
  gBuild :: Slots -> Int# -> State# RealWorld -> (# State# RealWorld, f p #)
  gTable :: [Field] -> [Field]

instance (GFields pre f, GFields "," g) => GFields pre (f :*: g) where
  gFields (x :*: y) = gFields @pre x <> gFields @"," y
  {-# INLINE gFields #-}
  gSize = gSize @pre @f + gSize @"," @g
  {-# INLINE gSize #-}
  gStraight slots i ctx e c s = case gStraight @pre @f slots i ctx e c s of
    (# s1, c1, j #) -> case gSize @pre @f of
      I# n -> case j ==# (i +# n) of
        1# -> gStraight @"," @g slots j ctx e c1 s1
        _ -> (# s1, c1, j #)
  {-# INLINE gStraight #-}
  gBuild slots i s = case gBuild @pre @f slots i s of
    (# s1, x #) -> case gSize @pre @f of
      I# n -> case gBuild @"," @g slots (i +# n) s1 of
        (# s2, y #) -> (# s2, x :*: y #)
  {-# INLINE gBuild #-}
  gTable rest = gTable @pre @f (gTable @"," @g rest)
  {-# INLINE gTable #-}

type Key pre n = AppendSymbol pre (AppendSymbol "\"" (AppendSymbol n "\":"))

instance (KnownSymbol n, KnownSymbol (Key pre n), Wire a) => GFields pre (S1 ('MetaSel ('Just n) u v w) (Rec0 a)) where
  gFields (M1 (K1 x)) = literal (symbolVal' (proxy# @(Key pre n))) <> write jsonW x
  {-# INLINE gFields #-}
  gSize = 1
  {-# INLINE gSize #-}
  gStraight slots i ctx e c s = case Literal.matches (symbolVal' (proxy# @(Key pre n))) e c of
    0# -> (# s, c, i #)
    _ -> case Literal.size (symbolVal' (proxy# @(Key pre n))) of
      I# n -> case jsonR @a of
        Reader step -> case step ctx e (plusAddr# c n) s of
          (# s1, c1, x #) -> case putSlot slots i x s1 of s2 -> (# s2, c1, i +# 1# #)
  {-# INLINE gStraight #-}
  gBuild slots i s = case getSlot slots i s of (# s1, x #) -> (# s1, M1 (K1 x) #)
  {-# INLINE gBuild #-}
  gTable rest = field (symbolVal' (proxy# @n)) (jsonR @a) absent : rest
  {-# INLINE gTable #-}

instance Wire Int where
  jsonW = Json.intW
  {-# INLINE jsonW #-}
  jsonR = Json.intR
  {-# INLINE jsonR #-}

instance Wire Bool where
  jsonW = Json.boolW
  {-# INLINE jsonW #-}
  jsonR = Json.boolR
  {-# INLINE jsonR #-}

instance Wire Text where
  jsonW = Json.textW
  {-# INLINE jsonW #-}
  jsonR = Json.textR
  {-# INLINE jsonR #-}
