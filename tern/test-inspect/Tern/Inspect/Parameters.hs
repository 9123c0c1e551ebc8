{-# LANGUAGE TemplateHaskell #-}

-- | The library's types with parameters, a function into and out of a format for each, and what
-- is asked of these: that the parameters' codecs are known where they are used. Without the
-- pragma of its instance a codec is called with those that it is made of.
module Tern.Inspect.Parameters
  ( functions,
    checks,
  )
where

import Data.ByteString (ByteString)
import Data.Functor.Compose (Compose)
import Data.Functor.Const (Const)
import Data.Functor.Identity (Identity)
import Data.Functor.Product qualified as Functor
import Data.HashMap.Strict (HashMap)
import Data.HashSet (HashSet)
import Data.Int (Int32, Int64)
import Data.IntMap.Strict (IntMap)
import Data.List.NonEmpty (NonEmpty)
import Data.Map.Strict (Map)
import Data.Monoid qualified as Monoid
import Data.Ord (Down)
import Data.Primitive.Array (Array)
import Data.Primitive.PrimArray (PrimArray)
import Data.Primitive.SmallArray (SmallArray)
import Data.Semigroup qualified as Semigroup
import Data.Sequence (Seq)
import Data.Set (Set)
import Data.Vector qualified as V
import Data.Vector.Primitive qualified as VP
import Data.Vector.Storable qualified as VS
import Data.Vector.Unboxed qualified as VU
import Data.Word (Word16, Word32, Word64)
import Language.Haskell.TH
import Tern (Error, FixedWidth, Wire, decodeJson, encodeJson)
import Tern.Codec (MachineInteger)
import Tern.Inspect.Elsewhere (Elsewhere, Partly)
import Tern.Inspect.Result (inspected)
import Tern.Wire (WireIn)
import Test.Inspection
import Test.Tasty

-- | Each instance that is put together of others, at types of this suite.
subjects :: [(String, Q Type)]
subjects =
  [ ("List", [t|[Elsewhere]|]),
    ("NonEmpty", [t|NonEmpty Elsewhere|]),
    ("Vector", [t|V.Vector Elsewhere|]),
    ("Unboxed", [t|VU.Vector Word16|]),
    ("Storable", [t|VS.Vector Word16|]),
    ("Map", [t|Map Int Elsewhere|]),
    ("HashMap", [t|HashMap Int Elsewhere|]),
    ("Maybe", [t|Maybe Elsewhere|]),
    ("Either", [t|Either Elsewhere Bool|]),
    ("Pair", [t|(Elsewhere, Bool)|]),
    ("Three", [t|(Elsewhere, Bool, Int)|]),
    ("Four", [t|(Elsewhere, Bool, Int, Bool)|]),
    ("Five", [t|(Elsewhere, Bool, Int, Bool, Int)|]),
    ("Six", [t|(Elsewhere, Bool, Int, Bool, Int, Bool)|]),
    ("Seven", [t|(Elsewhere, Bool, Int, Bool, Int, Bool, Int)|]),
    ("Set", [t|Set Int|]),
    ("HashSet", [t|HashSet Int|]),
    ("IntMap", [t|IntMap Elsewhere|]),
    ("Seq", [t|Seq Elsewhere|]),
    ("Primitive", [t|VP.Vector Word16|]),
    ("Array", [t|Array Elsewhere|]),
    ("SmallArray", [t|SmallArray Elsewhere|]),
    ("PrimArray", [t|PrimArray Word16|]),
    ("FixedWidth", [t|FixedWidth Int64|]),
    ("FixedInt", [t|FixedWidth Int|]),
    ("FixedInt32", [t|FixedWidth Int32|]),
    ("FixedWord", [t|FixedWidth Word|]),
    ("FixedWord32", [t|FixedWidth Word32|]),
    ("FixedWord64", [t|FixedWidth Word64|]),
    ("Identity", [t|Identity Elsewhere|]),
    ("Const", [t|Const Elsewhere Bool|]),
    ("Compose", [t|Compose Maybe [] Elsewhere|]),
    ("Product", [t|Functor.Product Maybe [] Elsewhere|]),
    ("Down", [t|Down Elsewhere|]),
    ("Min", [t|Semigroup.Min Elsewhere|]),
    ("Max", [t|Semigroup.Max Elsewhere|]),
    ("SemigroupFirst", [t|Semigroup.First Elsewhere|]),
    ("SemigroupLast", [t|Semigroup.Last Elsewhere|]),
    ("WrappedMonoid", [t|Semigroup.WrappedMonoid Elsewhere|]),
    ("First", [t|Monoid.First Elsewhere|]),
    ("Last", [t|Monoid.Last Elsewhere|]),
    ("Dual", [t|Monoid.Dual Elsewhere|]),
    ("Sum", [t|Monoid.Sum Elsewhere|]),
    ("MonoidProduct", [t|Monoid.Product Elsewhere|]),
    ("PartlyList", [t|[Partly]|]),
    ("PartlyNonEmpty", [t|NonEmpty Partly|]),
    ("PartlyVector", [t|V.Vector Partly|]),
    ("PartlyMaybe", [t|Maybe Partly|]),
    ("PartlySet", [t|Set Partly|]),
    ("PartlyMap", [t|Map Int Partly|]),
    ("PartlyEither", [t|Either Partly Bool|]),
    ("PartlyPair", [t|(Partly, Bool)|]),
    ("PartlyThree", [t|(Partly, Bool, Int)|])
  ]

-- | @encodeList@, @decodeList@ and so on.
functions :: Q [Dec]
functions =
  concat
    <$> sequence
      ( [function ("encode" <> name) [t|$t -> ByteString|] [|encodeJson|] | (name, t) <- subjects]
          <> [ function ("decode" <> name) [t|ByteString -> Either Error $t|] [|decodeJson|]
               | (name, t) <- subjects
             ]
      )
  where
    function name t e = do
      signature <- sigD (mkName name) t
      value <- valD (varP (mkName name)) (normalB e) []
      pure [signature, value]

checks :: Q Exp
checks =
  listE
    [ [|
        testGroup
          "no codec is handed on"
          $( listE
               [ check (direction <> name)
                 | (name, _) <- subjects,
                   direction <- ["encode", "decode"]
               ]
           )
        |]
    ]
  where
    check name = do
      found <- lookupValueName name
      case found of
        Just function ->
          [|
            testGroup
              $(stringE name)
              [ inspected "for every format" $(inspectTest (function `hasNoType` ''Wire)),
                inspected "for one format" $(inspectTest (function `hasNoType` ''WireIn)),
                inspected "of a width" $(inspectTest (function `hasNoType` ''MachineInteger))
              ]
            |]
        Nothing -> fail ("no function is called " <> name)
