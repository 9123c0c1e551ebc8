{-# LANGUAGE TemplateHaskell #-}

-- | The instance of tuples of one length, as a template: what "Tern.Internal.Wire.Container" has
-- written out for smaller ones.
module Tern.Internal.Wire.Instances.Arity (tupleInstance) where

import Control.Monad (replicateM)
import Language.Haskell.TH
import Tern.Internal.Binary.Container qualified as Binary
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.Json.Container qualified as Json
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.Native.Record qualified as Native
import Tern.Internal.Wire.Class
  ( Wire (..),
    cborR,
    cborW,
    jsonR,
    jsonW,
    mpackR,
    mpackW,
    nativeR,
    nativeW,
    shapeOf,
  )
import Tern.Internal.Wire.Codec (plain)
import Tern.Internal.Write (Writer (..), toFill, write)
import Tern.Shape (ShapeOf (..))
import Tern.Shape qualified as Shape

-- | The instance of tuples of @n@ elements: an array of them in JSON, MessagePack and
-- CBOR, one after the other in the native format.
tupleInstance :: Int -> Q [Dec]
tupleInstance n = do
  types <- replicateM n (newName "a")
  names <- replicateM n (newName "x")
  let count = litE (integerL (toInteger n))
      writer parts = [|FillWriter $(lamE [tupP (map varP names)] [|toFill $(foldr1 (\a b -> [|$a <> $b|]) parts)|])|]
      each encode = [[|write $encode $(varE x)|] | x <- names]
      reader first others = foldl (\f next -> [|$f <*> $next|]) [|$(conE (tupleDataName n)) <$> $first|] (replicate (n - 1) others)
      withCommas = concatMap (\x -> [[|Json.comma|], x])
      whole =
        [|
          plain
            (ShapeOf (Shape.Tuple $(listE [[|shapeOf @($(varT a))|] | a <- types])))
            $(writer ([|Json.open|] : drop 1 (withCommas (each [|jsonW|])) <> [[|Json.close|]]))
            (Json.bracket $count ($(reader [|jsonR|] [|Json.next $count jsonR|]) <* Json.done $count))
            $(writer ([|Binary.arrayOf @MessagePack $count|] : each [|mpackW|]))
            (Binary.exactly @MessagePack $count $(reader [|mpackR|] [|mpackR|]))
            $(writer ([|Binary.arrayOf @Cbor $count|] : each [|cborW|]))
            (Binary.exactly @Cbor $count $(reader [|cborR|] [|cborR|]))
            $(writer (each [|nativeW|]))
            (Native.record $(reader [|Native.field nativeR|] [|Native.field nativeR|]))
          |]
  pure
    <$> instanceD
      (cxt [[t|Wire $(varT a)|] | a <- types])
      [t|Wire $(foldl appT (tupleT n) (map varT types))|]
      [funD 'codec [clause [] (normalB whole) []]]
