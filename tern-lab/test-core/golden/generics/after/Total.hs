{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE TypeOperators #-}

module Total (Total (..)) where

import GHC.Generics

class Total a where
  total :: a -> Int
  default total :: (Generic a, GTotal (Rep a)) => a -> Int
  total x = gtotal (from x)

instance Total Int where
  total = id

class GTotal f where
  gtotal :: f p -> Int

instance (GTotal f) => GTotal (M1 i c f) where
  gtotal (M1 f) = gtotal f
  {-# INLINE gtotal #-}

instance (GTotal f, GTotal g) => GTotal (f :*: g) where
  gtotal (f :*: g) = gtotal f + gtotal g
  {-# INLINE gtotal #-}

instance (Total a) => GTotal (K1 i a) where
  gtotal (K1 a) = total a
