{-# LANGUAGE DataKinds #-}
{-# LANGUAGE GADTs #-}

-- | A declaration as data, by its representation: what is known of it when a program runs.
--
-- The idea: the code that derives an instance only puts a plan together, of dictionaries. A
-- shape is made of it when it is asked for, and documents of any shape are made and read by it;
-- neither is compiled for a type.
--
-- Start at 'Plan'.
module Tern.Internal.Wire.Plan
  ( Plan (..),
    Fields (..),

    -- * What is made of it
    plannedDrafts,
    namesAlone,
    plannedFields,
    plannedDirect,
    plannedBody,
    plannedPut,
  )
where

import Data.Maybe (isJust)
import Data.Text qualified as T
import GHC.Generics
  ( C1,
    D1,
    K1 (..),
    M1 (..),
    Rec0,
    S1,
    U1 (..),
    (:*:) (..),
    (:+:) (..),
  )
import Tern.Internal.Wire.Direct (Direct (..))
import Tern.Internal.Wire.Direct.Constructor
  ( Field (..),
    Next,
    Put,
    putting,
    takingAll,
  )
import Tern.Internal.Wire.Direct.Constructor qualified as Constructor
import Tern.Internal.Wire.Direct.Declared
  ( Apart (..),
    Body (..),
    Case (..),
    Layout (..),
    Rule (..),
    declared,
  )
import Tern.Shape (Shape)
import Tern.Shape qualified as Shape

-- | What a representation has.
data Plan f where
  Declaration :: Plan f -> Plan (D1 m f)
  -- | With the number of the constructors on the left.
  OneOf :: Int -> Plan f -> Plan g -> Plan (f :+: g)
  -- | Its name, and whether its fields have names.
  Constructor :: String -> Bool -> Fields f -> Plan (C1 m f)

-- | The fields of a constructor.
data Fields f where
  NoFields :: Fields U1
  -- | Its name, or nothing; its value where it is absent; its shape; and how it is a document.
  OneField :: String -> Maybe a -> Shape -> Direct a -> Fields (S1 m (Rec0 a))
  Both :: Fields f -> Fields g -> Fields (f :*: g)

-- * Shapes

-- | The constructors, and then others.
plannedDrafts :: Plan f -> [Shape.Draft a] -> [Shape.Draft a]
plannedDrafts plan rest = case plan of
  Declaration inner -> plannedDrafts inner rest
  OneOf _ left right -> plannedDrafts left (plannedDrafts right rest)
  Constructor name named fields -> Shape.draftOf name named (plannedFields fields []) : rest

-- | Has none of the constructors a field?
namesAlone :: Plan f -> Bool
namesAlone = \case
  Declaration inner -> namesAlone inner
  OneOf _ left right -> namesAlone left && namesAlone right
  Constructor _ _ fields -> case fields of
    NoFields -> True
    OneField {} -> False
    Both _ _ -> False

-- | The fields' names, whether they may be absent, and their shapes; and then others.
plannedFields :: Fields f -> [(String, Bool, Shape)] -> [(String, Bool, Shape)]
plannedFields = \case
  NoFields -> id
  OneField name absent shape _ -> ((name, isJust absent, shape) :)
  Both f g -> plannedFields f . plannedFields g

-- * Documents of any shape

-- | A type by its plan.
plannedDirect :: Plan f -> (a -> f ()) -> (f () -> a) -> Direct a
plannedDirect plan from to = declared False layout (cases plan to []) (apart plan 0 . from)
  where
    layout = case cases plan id [] of
      [_] -> Alone
      _
        | namesAlone plan -> NamesAlone
        | otherwise -> Tagged (T.pack "tag") (T.pack "contents")

-- | The constructors, and then others.
cases :: Plan f -> (f () -> a) -> [Case a] -> [Case a]
cases plan to rest = case plan of
  Declaration inner -> cases inner (to . M1) rest
  OneOf _ left right -> cases left (to . L1) (cases right (to . R1) rest)
  Constructor name named fields -> Case (T.pack name) (plannedBody named fields (to . M1)) : rest

-- | What a constructor holds: whether its fields have names, they, and what is made of them.
plannedBody :: Bool -> Fields f -> (f () -> a) -> Body a
plannedBody named fields to = case fields of
  NoFields -> Nullary (to U1)
  OneField {}
    | named -> Record (Rule False) [Field label [] | label <- labels] (to <$> next)
    | otherwise -> Unary (to <$> next)
  Both _ _
    | named -> Record (Rule False) [Field label [] | label <- labels] (to <$> next)
    | otherwise -> Elements (length labels) (to <$> next)
  where
    next = fst (taken 0 fields)
    labels = [T.pack name | (name, _, _) <- plannedFields fields []]

-- | What is taken, from a number on, and the number after it.
taken :: Int -> Fields f -> (Next (f ()), Int)
taken i = \case
  NoFields -> (U1 <$ Constructor.nothing, i)
  OneField _ absent _ direct ->
    (M1 . K1 <$> Constructor.taking i (fromDirect direct) absent, i + 1)
  Both f g -> (takingAll (:*:) x y, k)
    where
      (x, j) = taken i f
      (y, k) = taken j g

-- | The number of the constructor, and its fields.
apart :: Plan f -> Int -> f () -> Apart
apart plan !i x = case (plan, x) of
  (Declaration inner, M1 y) -> apart inner i y
  (OneOf _ left _, L1 y) -> apart left i y
  (OneOf n _ right, R1 y) -> apart right (i + n) y
  (Constructor _ _ fields, M1 y) -> Apart i (plannedPut fields y)

-- | The fields of a value.
plannedPut :: Fields f -> f () -> Put
plannedPut fields x scratch s = case (fields, x) of
  (NoFields, U1) -> s
  (OneField _ _ _ direct, M1 (K1 a)) -> putting (toDirect direct) a scratch s
  (Both f g, y :*: z) -> plannedPut g z scratch (plannedPut f y scratch s)
