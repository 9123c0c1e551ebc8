-- | Codecs of types that are within themselves.
--
-- The idea: a type within itself is named in its shape, which otherwise would have no
-- end; and what a codec asks of itself is not asked before there is a value.
module Tern.Internal.Codec.Recursive
  ( named,
    recursive,
  )
where

import Data.Typeable (Typeable)
import Tern.Internal.Native.Reader (deep, step)
import Tern.Internal.Read (Reader (Reader))
import Tern.Internal.Wire.Codec (CodecIn (..), directly, plain)
import Tern.Internal.Wire.Direct qualified as Direct
import Tern.Internal.Write (Writer (..), toFill, write)
import Tern.Shape (ShapeOf (..))
import Tern.Shape qualified as Shape

-- | A codec whose shape has the name of its type. The bytes are the same.
named :: (Typeable a) => CodecIn fs a -> CodecIn fs a
named codec =
  codec
    { codecShape =
        Shape.declare Shape.One [Shape.draftOf "" False [("", False, theShape (codecShape codec))]]
    }
{-# INLINE named #-}

-- $setup
-- >>> import Tern.Codec qualified as Codec

-- | The codec of a type within itself, made of that codec. 'Tern.Codec.object' and
-- 'Tern.Codec.oneOf' need no such help: their codecs may name themselves.
--
-- >>> newtype Nest = Nest [Nest] deriving Show
-- >>> :{
-- let nest :: Codec.Codec Nest; nest = Codec.recursive
--       (\self -> Codec.mapCodec Nest (\(Nest inner) -> inner) (Codec.listOf self))
-- :}
-- >>> Codec.encodeJson nest (Nest [Nest [], Nest [Nest []]])
-- "[[],[[]]]"
recursive :: (Typeable a) => (CodecIn fs a -> CodecIn fs a) -> CodecIn fs a
recursive make = codec
  where
    codec = named (make (delayed codec))

-- | The same codec, of which nothing is asked before something is written or read.
delayed :: CodecIn fs a -> CodecIn fs a
delayed codec =
  directly (Direct.delayed (codecDirect codec)) $
    plain
      (ShapeOf (theShape (codecShape codec)))
      (delayedW (jsonWriter codec))
      (delayedR (jsonReader codec))
      (delayedW (mpackWriter codec))
      (delayedR (mpackReader codec))
      (delayedW (cborWriter codec))
      (delayedR (cborReader codec))
      (delayedW (nativeWriter codec))
      (deep (\ctx e c s -> step (nativeReader codec) ctx e c s))

delayedR :: Reader a -> Reader a
delayedR reader = Reader (\ctx e c s -> case reader of Reader read' -> read' ctx e c s)

delayedW :: Writer a -> Writer a
delayedW writer = FillWriter (\a mba op s -> toFill (write writer a) mba op s)
