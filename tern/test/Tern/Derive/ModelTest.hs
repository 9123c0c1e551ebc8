{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Tern against the slow model, on values of declared types.
--
-- > value --'Modelled'--> Document --'Model.writeDocument'--> bytes
-- >   |                       |                             the same?
-- >   +------------------ Tern.encodeJson ------------------> bytes
-- >   |                       |
-- >  the same?                +--'noisy', members moved about--> bytes
-- >   +<----------------- Tern.decodeJson <-----------------------+
--
-- The model of a type is its generic representation, looked at while the test
-- runs: what @docs\/spec\/json-mapping.md@ says, in a few lines.
module Tern.Derive.ModelTest (tests) where

import Data.Bifunctor (first)
import Data.ByteString qualified as B
import Data.Int (Int8)
import Data.List.NonEmpty (NonEmpty)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word64)
import GHC.Generics
import Tern
import Tern.Derive.Declarations (Any (..))
import Tern.Derive.Generics
  ( Colour,
    Fields,
    Forest,
    Lonely,
    Optional,
    Ordering',
    Plain,
    Positional,
    Rose,
    Shape,
    Term,
    Tree,
    Trivial,
    Unwrapped,
    Wrapped,
  )
import Tern.Json.Model (Document)
import Tern.Json.Model qualified as Model
import Tern.Json.Noise (document, mutated, noisy)
import Tern.Json.Seeded (seeded)
import Test.Tasty
import Test.Tasty.QuickCheck hiding (Fixed, Function)

tests :: TestTree
tests =
  testGroup
    "declared types against the model"
    [ modelled "Fields" (Proxy @Fields),
      modelled "Optional" (Proxy @Optional),
      modelled "Lonely" (Proxy @Lonely),
      modelled "Wrapped" (Proxy @Wrapped),
      modelled "Unwrapped" (Proxy @Unwrapped),
      modelled "Positional" (Proxy @Positional),
      modelled "Trivial" (Proxy @Trivial),
      modelled "Colour" (Proxy @Colour),
      modelled "Shape" (Proxy @Shape),
      modelled "Tree" (Proxy @(Tree Int)),
      modelled "Rose" (Proxy @Rose),
      modelled "Forest" (Proxy @Forest),
      modelled "Term" (Proxy @Term),
      modelled "Plain" (Proxy @Plain)
    ]

modelled :: forall a. (Any a, Eq a, Modelled a, Show a, Wire a) => TestName -> Proxy a -> TestTree
modelled name _ =
  testGroup
    name
    [ seeded "written" 300 $ forAll values $ \x ->
        encodeJson x === B.pack (Model.writeDocument (model x)),
      seeded "read in every spelling and order" 300 $ forAll values $ \x ->
        forAll (noisy =<< rearranged (model x)) $ \bytes ->
          decodeJson (B.pack bytes) === Right x,
      -- What comes of a spoiled document is a value or an error; with the fault
      -- in what the type does not look at, the document is refused all the same.
      seeded "what the model refuses is refused" 600 $ forAll values $ \x ->
        forAll (mutated =<< noisy =<< rearranged (model x)) $ \bytes ->
          case (Model.readDocument 512 bytes, decodeJson (B.pack bytes) :: Either Error a) of
            (Left _, Right _) -> counterexample "read, though it is no JSON" False
            (_, Left failure) ->
              counterexample
                (show failure)
                ( errorOffset failure >= 0
                    && errorOffset failure <= length bytes
                )
            (Right _, Right y) -> decodeJson (encodeJson y) === Right y
    ]
  where
    values = sized (arbitraryAny . min 10) :: Gen a

-- | The members of objects in another order, among others that nobody knows.
rearranged :: Document -> Gen Document
rearranged = \case
  Model.Array ds -> Model.Array <$> mapM rearranged ds
  Model.Object members -> do
    inner <- mapM (traverse rearranged) members
    -- An object with one member may be a constructor's, or a map's.
    strangers <-
      if any ((`elem` strangersAllowed) . fst) members
        then resize 2 (listOf stranger)
        else pure []
    Model.Object <$> shuffle (inner <> strangers)
  d -> pure d
  where
    stranger =
      (,) <$> elements ["unknown", "num", "numbers", "\\", "ta", "tags", ""] <*> resize 8 document
    strangersAllowed = ["number", "optionalA", "onlyField", "unwrapped", "value", "tag"]

-- * The model

-- | Types with a document for each value.
class Modelled a where
  model :: a -> Document
  default model :: (Generic a, GModelled (Rep a)) => a -> Document
  model = gModel . from

  modelList :: [a] -> Document
  modelList = Model.Array . map model

-- | A declaration, its constructors, their fields.
class GModelled f where
  gModel :: f p -> Document

instance (GConstructors f) => GModelled (D1 m f) where
  gModel (M1 x) = case (constructorSizes (Proxy @f), constructor x) of
    ([_], (_, body)) -> alone body
    (sizes, (name, _)) | all (== 0) sizes -> Model.String name
    (_, (name, body)) ->
      Model.Object $
        ("tag", Model.String name) : case body of
          Named members -> members
          Unnamed [] -> []
          other -> [("contents", alone other)]
    where
      alone = \case
        Named members -> Model.Object members
        Unnamed [d] -> d
        Unnamed ds -> Model.Array ds

data Body
  = Named [(String, Document)]
  | Unnamed [Document]

class GConstructors f where
  constructorSizes :: Proxy f -> [Int]
  constructor :: f p -> (String, Body)

instance (GConstructors f, GConstructors g) => GConstructors (f :+: g) where
  constructorSizes _ = constructorSizes (Proxy @f) <> constructorSizes (Proxy @g)
  constructor = \case
    L1 x -> constructor x
    R1 x -> constructor x

instance (Constructor m, GFields f) => GConstructors (C1 m f) where
  constructorSizes _ = [fieldCount (Proxy @f)]
  constructor c@(M1 x) =
    (conName c, if conIsRecord c then Named (fields x) else Unnamed (map snd (fields x)))

class GFields f where
  fieldCount :: Proxy f -> Int
  fields :: f p -> [(String, Document)]

instance GFields U1 where
  fieldCount _ = 0
  fields _ = []

instance (GFields f, GFields g) => GFields (f :*: g) where
  fieldCount _ = fieldCount (Proxy @f) + fieldCount (Proxy @g)
  fields (x :*: y) = fields x <> fields y

instance (Selector m, Modelled a) => GFields (S1 m (Rec0 a)) where
  fieldCount _ = 1
  fields f@(M1 (K1 x)) = [(selName f, model x)]

integral :: (Show a) => a -> Document
integral = Model.Number . show

instance Modelled Int where model = integral

instance Modelled Int8 where model = integral

instance Modelled Word64 where model = integral

instance Modelled Integer where model = integral

instance Modelled Double where model = Model.realDocument

instance Modelled Float where model = Model.realDocument

instance Modelled Bool where model = Model.Bool

instance Modelled Char where
  model c = Model.String [c]
  modelList = Model.String

instance Modelled Text where model = Model.String . T.unpack

instance Modelled () where model () = Model.Array []

instance (Modelled a) => Modelled [a] where model = modelList

instance (Modelled a) => Modelled (NonEmpty a) where
  model =
    Model.Array . map model . NonEmpty.toList

instance (Modelled a) => Modelled (Maybe a) where model = maybe Model.Null model

instance (Modelled a, Modelled b) => Modelled (Either a b) where
  model = \case
    Left a -> Model.Object [("Left", model a)]
    Right b -> Model.Object [("Right", model b)]

instance (Modelled a, Modelled b) => Modelled (a, b) where
  model (a, b) =
    Model.Array [model a, model b]

instance (Modelled a) => Modelled (Map Text a) where
  model =
    Model.Object . map (first T.unpack) . Map.toAscList . fmap model

deriving anyclass instance Modelled Fields

deriving anyclass instance Modelled Optional

deriving anyclass instance Modelled Lonely

deriving anyclass instance Modelled Wrapped

deriving anyclass instance Modelled Unwrapped

deriving anyclass instance Modelled Positional

deriving anyclass instance Modelled Trivial

deriving anyclass instance Modelled Colour

deriving anyclass instance Modelled Shape

deriving anyclass instance Modelled Ordering'

deriving anyclass instance Modelled Plain

deriving anyclass instance Modelled Rose

deriving anyclass instance Modelled Forest

deriving anyclass instance Modelled Term

deriving anyclass instance (Modelled a) => Modelled (Tree a)
