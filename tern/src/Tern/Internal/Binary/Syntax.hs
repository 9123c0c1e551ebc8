{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | What a self-describing binary format must have so that lists, maps, records and
-- sums can be written and read in it.
--
-- The idea: MessagePack and CBOR differ in their bytes, and in little else. A format
-- is a type without values; it has its bytes as an instance, and what is made of them
-- is written once, in the modules beside this one. There the format is always said by
-- a type application of a known type, so that each method is known when a program is
-- compiled, and nothing of the class is left. Proof: inspect "no dictionary is passed".
--
-- It is not what decision 001 rules out: no type's codec is polymorphic in the format,
-- and no user's code meets this class.
module Tern.Internal.Binary.Syntax
  ( Syntax (..),
    within,
  )
where

import Data.Kind (Type)
import Data.Text (Text)
import Data.Word (Word8)
import GHC.Exts (Addr#, Int#, RealWorld, State#, Word#, inline)
import Tern.Internal.Read (Context, Step, enter, leave)
import Tern.Internal.Write (Write, Writer)

-- | A format's bytes. What reads from the input is given its end and the cursor.
class Syntax (f :: Type) where
  -- | What is written for no value.
  nothingByte :: Word8

  -- | Does that stand at the cursor, or something else that is no value? 1 or 0. It
  -- has one byte.
  isNothing :: Addr# -> Addr# -> Int#

  -- | The most elements of an array that is counted in its first byte, and that
  -- byte of an empty one.
  fewest :: (Int, Word8)

  -- | The header of an array, from the number of its elements, 0 to 'maxCount'.
  arrayHeaderW :: Writer Int

  -- | The header of a map, from the number of its pairs, 0 to 'maxCount'.
  mapHeaderW :: Writer Int

  -- | 'arrayHeaderW' of a constant: no more bytes than it needs.
  arrayOf :: Int -> Write

  -- | 'mapHeaderW' of a constant.
  mapOf :: Int -> Write

  -- | The most elements or pairs that can be counted.
  maxCount :: Int

  -- | A text that is known when a program is compiled.
  constant :: String -> Write

  -- | How many bytes that has.
  constantSize :: String -> Int

  -- | Does it stand at the cursor, where it is known that as many bytes are left? 1
  -- or 0; always 0 where that can only be seen slowly.
  matchesConstant :: String -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)

  -- | Whether the header of a map of @n@ pairs has one byte, and that byte.
  mapByte :: Int# -> (# Int#, Word# #)

  -- | The header of an array: the address after it, and how many elements there are,
  -- after the document's budget has been asked.
  arrayHeader ::
    Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)

  -- | The same for a map's pairs.
  mapHeader :: Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)

  -- | From after the last value of the frame at the first address to after the frame.
  closed :: Addr# -> Addr# -> Addr#

  -- | A text.
  readText :: Step Text

  -- | Does a text stand at the cursor? 1 or 0.
  isText :: Addr# -> Addr# -> Int#

  -- | Is it one whose bytes do not stand together? 1 or 0.
  isOpenText :: Addr# -> Addr# -> Int#

  -- | The header of another: the address after it, and how many bytes there are from
  -- there on, all of them in the input.
  textHeader :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)

  -- | Does an integer stand at the cursor? 1 or 0.
  isInteger :: Addr# -> Addr# -> Int#

  -- | That integer: the address after it, its value, and 1; or 0 where an 'Int' cannot
  -- hold it.
  keyInteger :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int#, Int# #)

  -- | Step over any value, checking it.
  skip :: Step ()

  -- | Step over a value of the map at an address, which is read afterwards
  -- ("Tern.Internal.Ahead").
  skipAhead :: Addr# -> Step ()

-- | One level inwards: what is done inside the frame at the first address, whose
-- header ends at the second.
within ::
  forall f a.
  (Syntax f) =>
  Step a ->
  Context ->
  Addr# ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, a #)
within inside ctx e start c s = case inline enter ctx start s of
  s1 -> case inside ctx e c s1 of
    (# s2, c1, a #) -> case inline leave ctx s2 of s3 -> (# s3, closed @f start c1, a #)
{-# INLINE within #-}
