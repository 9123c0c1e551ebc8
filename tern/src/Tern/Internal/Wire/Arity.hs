{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TemplateHaskell #-}

-- | Tuples of any length, as templates: their codecs, and their instances.
module Tern.Internal.Wire.Arity
  ( tupleCodec,
    tupleInstance,
  )
where

import Control.Monad (replicateM)
import Language.Haskell.TH
import Tern.Internal.Binary.Container qualified as Binary
import Tern.Internal.Binary.Scalar (Binary (..))
import Tern.Internal.Json.Container qualified as Json
import Tern.Internal.Native.Record qualified as Native
import Tern.Internal.Record (FromSlots (..), getSlot)
import Tern.Internal.Wire.Binary (BinaryFormat (..), uniform)
import Tern.Internal.Wire.Class (Wire (..))
import Tern.Internal.Wire.Codec (CodecIn (..), directly)
import Tern.Internal.Wire.Direct (Direct (..))
import Tern.Internal.Wire.Direct.Constructor (entry, putting, takingInto, thenPutting)
import Tern.Internal.Wire.Direct.Declared (tupleD)
import Tern.Internal.Write (Writer (..), contramapWriter, toFill, write)
import Tern.Shape (ShapeOf (..))
import Tern.Shape qualified as Shape

-- | The codec of a tuple of @n@ elements, at least two, from theirs: a function of the given
-- name. An array in JSON and the binary formats; in the native format a tuple's values stand
-- one after another, which is what a pair of the first and a tuple of the others is.
tupleCodec :: Int -> String -> Q [Dec]
tupleCodec n function = do
  format <- newName "format"
  formats <- newName "formats"
  types <- replicateM n (newName "a")
  codecs <- replicateM n (newName "codec")
  values <- replicateM n (newName "x")
  let name = mkName function
      binary = mkName (function <> "Binary")
      direct = mkName (function <> "Direct")
      count = litE (integerL (toInteger n))
      tuple = foldl appT (tupleT n) (map varT types)
      takes result = foldr (\a r -> [t|CodecIn $(varT formats) $(varT a) -> $r|]) result types
      written pieces =
        [|
          FillWriter $
            $(lamE [tupP (map varP values)] [|toFill $(foldr1 (\p q -> [|$p <> $q|]) pieces)|])
          |]
      each writer =
        [[|write ($writer $(varE c)) $(varE x)|] | (c, x) <- zip codecs values]
      build = conE (tupleDataName n)
      from first others = foldl (\f next -> [|$f <*> $next|]) [|$build <$> $first|] others
      separated pieces = take 1 pieces <> concat [[[|Json.comma|], p] | p <- drop 1 pieces]
      fields reader = [[|$reader $(varE c)|] | c <- codecs]
      readFrom reader others = case fields reader of
        first : rest -> from first (map others rest)
        [] -> fail "a tuple has two elements or more"
      nested = foldr1 (\x rest -> [|($x, $rest)|]) (map varE values)
      nativeWhole =
        foldr1 (\w rest -> [|Native.both $w $rest|]) [[|nativeWriter $(varE c)|] | c <- codecs]
      nativeWritten =
        if n == 2
          then nativeWhole
          else [|contramapWriter $(lamE [tupP (map varP values)] nested) $nativeWhole|]
      directCode =
        [|
          tupleD
            $count
            ( takingInto
                $(listE [[|entry $(varE c) Nothing|] | c <- codecs])
                (FromSlots $(builtOf (zip [0 ..] values)))
            )
            $( lamE
                 [tupP (map varP values)]
                 ( foldr1
                     (\p q -> [|thenPutting $p $q|])
                     [[|putting (toDirect $(varE c)) $(varE x)|] | (c, x) <- zip codecs values]
                 )
             )
          |]
      -- Each in its slot.
      builtOf numbered = do
        slots <- newName "slots"
        s0 <- newName "s"
        lamE [varP slots, varP s0] (takeEach slots s0 numbered)
      takeEach slots s = \case
        [] -> unboxedTupE [varE s, tupE (map varE values)]
        (i, x) : rest -> do
          s' <- newName "s"
          caseE
            [|getSlot $(varE slots) $(litE (intPrimL i)) $(varE s)|]
            [match (unboxedTupP [varP s', varP x]) (normalB (takeEach slots s' rest)) []]
      whole =
        [|
          directly $(foldl appE (varE direct) [[|codecDirect $(varE c)|] | c <- codecs]) $
            uniform
              (ShapeOf (Shape.Tuple $(listE [[|theShape (codecShape $(varE c))|] | c <- codecs])))
              $(written ([|Json.open|] : separated (each [|jsonWriter|]) <> [[|Json.close|]]))
              ( Json.bracket
                  $count
                  ($(readFrom [|jsonReader|] (\r -> [|Json.next $count $r|])) <* Json.done $count)
              )
              $(foldl appE (varE binary) (map varE codecs))
              $nativeWritten
              (Native.record $(readFrom [|Native.field . nativeReader|] id))
          |]
      inBinary =
        [|
          Binary
            $( written
                 ( [|Binary.arrayOf @($(varT format)) $count|]
                     : each [|writerOf @($(varT format))|]
                 )
             )
            ( Binary.exactly @($(varT format))
                $count
                $(readFrom [|readerOf @($(varT format))|] id)
            )
          |]
      given = map varP codecs
  sequence
    [ sigD
        binary
        ( forallT
            (map (`PlainTV` SpecifiedSpec) (format : formats : types))
            (cxt [[t|BinaryFormat $(varT format)|]])
            (takes [t|Binary $(varT format) $tuple|])
        ),
      funD binary [clause given (normalB inBinary) []],
      pragInlD binary Inline FunLike AllPhases,
      sigD
        direct
        ( forallT
            (map (`PlainTV` SpecifiedSpec) types)
            (cxt [])
            (foldr (\a r -> [t|Direct $(varT a) -> $r|]) [t|Direct $tuple|] types)
        ),
      funD direct [clause given (normalB directCode) []],
      pragInlD direct NoInline FunLike AllPhases,
      sigD
        name
        ( forallT
            (map (`PlainTV` SpecifiedSpec) (formats : types))
            (cxt [])
            (takes [t|CodecIn $(varT formats) $tuple|])
        ),
      funD name [clause given (normalB whole) []],
      pragInlD name Inline FunLike AllPhases
    ]

-- | The instance of tuples of @n@ elements, with the codec of 'tupleCodec'.
tupleInstance :: Int -> Q [Dec]
tupleInstance n = do
  types <- replicateM n (newName "a")
  let function = "tuple" <> show n
      whole = foldl appE (varE (mkName function)) (replicate n [|codec|])
  (<>)
    <$> tupleCodec n function
    <*> ( pure
            <$> instanceD
              (cxt [[t|Wire $(varT a)|] | a <- types])
              [t|Wire $(foldl appT (tupleT n) (map varT types))|]
              [funD 'codec [clause [] (normalB whole) []]]
        )
