{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What a binding may do and what an operation may allocate, in a file that
-- is checked in.
--
-- Its one idea: counts of what costs (dictionaries, unknown calls, closures,
-- thunks, boxed numbers, types of generic representations) survive a compiler
-- upgrade; equality of Core does not. A limit that is not given is not held.
--
-- Start at 'exceeded' and 'exceededBytes'; "Tern.Lab.Tasty" makes cases of a
-- test suite of them.
module Tern.Lab.Core.Budget
  ( Budget (..),
    emptyBudget,
    Limits,
    Quantity (..),
    quantities,
    quantityName,
    spentBy,
    Excess (..),
    exceeded,
    exceededBytes,
    renderExcess,
    accept,
    acceptBytes,
    decodeBudget,
    encodeBudget,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Lazy qualified as L
import Data.List (find)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern (defaultLimits, renderError)
import Tern.Codec (Codec, (<.>))
import Tern.Codec qualified as Codec
import Tern.Lab.Core.Facts (HeapObject (..), ModuleFacts)
import Tern.Lab.Core.Traits (Trait (..), traitsOf)

-- | What is held to limits. A binding or an operation that is not named in it may do anything.
data Budget = Budget
  { -- | By @Module.binding@.
    budgetBindings :: !(Map Text Limits),
    -- | Bytes that an operation may allocate each time, by its name; of a
    -- comparison, @SUBJECT/CODEC/encode@.
    budgetOperations :: !(Map Text Double)
  }
  deriving stock (Eq, Show)

-- | No limits: what @tern-lab accept@ begins with where there is no file yet.
emptyBudget :: Budget
emptyBudget = Budget Map.empty Map.empty

-- | How much of each quantity one binding may have, or, of 'spentBy', how much it has. A quantity
-- that is missing has no limit.
type Limits = Map Quantity Int

-- | What is counted of a binding: how often it stands in the optimised code, and not how often it
-- happens in a run.
data Quantity
  = -- | Overloaded calls and methods of unknown instances.
    Dictionaries
  | UnknownFunctions
  | Closures
  | Thunks
  | BoxedNumbers
  | GenericTypes
  deriving stock (Eq, Ord, Show, Enum, Bounded)

-- | All of them, in the order of the constructors.
quantities :: [Quantity]
quantities = [minBound .. maxBound]

-- | As the file has it.
quantityName :: Quantity -> Text
quantityName = \case
  Dictionaries -> "dictionaries"
  UnknownFunctions -> "unknown-calls"
  Closures -> "closures"
  Thunks -> "thunks"
  BoxedNumbers -> "boxed-numbers"
  GenericTypes -> "generic-types"

-- | What each written binding does, all quantities.
spentBy :: [ModuleFacts] -> Map Text Limits
spentBy modules =
  Map.fromList
    [ (T.concat [m, ".", name], counted traits)
      | ((m, name), traits) <-
          Map.toList (traitsOf modules)
    ]
  where
    counted traits =
      Map.fromList
        [ (q, sum [n | (t, n) <- Map.toList traits, quantity t == Just q])
          | q <-
              quantities
        ]
    quantity = \case
      CallsOverloaded {} -> Just Dictionaries
      CallsMethod _ _ -> Just Dictionaries
      CallsVariable -> Just UnknownFunctions
      Makes Closure _ -> Just Closures
      Makes Thunk _ -> Just Thunks
      Makes (BoxedNumber _) _ -> Just BoxedNumbers
      HasGeneric _ -> Just GenericTypes
      _ -> Nothing

-- | One way in which a budget is not kept.
data Excess
  = -- | Binding, quantity, limit, what it is.
    Excess !Text !Quantity !Int !Int
  | -- | The budget names a binding that is not there.
    NoSuchBinding !Text
  | -- | Operation, bytes that are allowed, bytes that it allocates.
    ExcessBytes !Text !Double !Double
  | -- | The budget names an operation that was not measured.
    NotMeasured !Text
  deriving stock (Eq, Show)

-- | All complaints; none is good.
exceeded :: Budget -> [ModuleFacts] -> [Excess]
exceeded budget modules = concatMap one (Map.toList (budgetBindings budget))
  where
    spent = spentBy modules
    one (name, limits) = case Map.lookup name spent of
      Nothing -> [NoSuchBinding name]
      Just actual ->
        [ Excess name q limit now
          | (q, limit) <- Map.toList limits,
            let now = Map.findWithDefault 0 q actual,
            now > limit
        ]

-- | The same for the bytes of operations as they were measured. Half a byte is
-- no excess: figures are averages over many times.
exceededBytes :: Budget -> Map Text Double -> [Excess]
exceededBytes budget measured = concatMap one (Map.toList (budgetOperations budget))
  where
    one (name, limit) = case Map.lookup name measured of
      Nothing -> [NotMeasured name]
      Just now -> [ExcessBytes name limit now | now > limit + 0.5]

-- | One line, without its end. Bytes are rounded up.
renderExcess :: Excess -> Text
renderExcess = \case
  Excess name q limit now ->
    T.concat
      [ name,
        ": ",
        T.pack (show now),
        " ",
        quantityName q,
        ", the budget allows ",
        T.pack (show limit)
      ]
  NoSuchBinding name -> T.concat [name, ": no such binding; was it renamed, or inlined everywhere?"]
  ExcessBytes name limit now ->
    T.concat [name, ": ", whole now, " B each time, the budget allows ", whole limit, " B"]
  NotMeasured name -> T.concat [name, ": no such operation was measured"]
  where
    whole x = T.pack (show (ceiling x :: Int))

-- | The budget with today's figures, for the bindings that it names and those
-- that are added to it (with all quantities).
accept :: [Text] -> [ModuleFacts] -> Budget -> Budget
accept added modules budget =
  budget {budgetBindings = Map.mapWithKey current (Map.union (budgetBindings budget) new)}
  where
    spent = spentBy modules
    new =
      Map.fromList
        [ (name, Map.fromList [(q, 0) | q <- quantities])
          | name <-
              added,
            Map.member name spent
        ]
    current name limits = case Map.lookup name spent of
      Just actual -> Map.mapWithKey (\q old -> Map.findWithDefault old q actual) limits
      Nothing -> limits

-- | The same for operations, those that are added among them.
acceptBytes :: [Text] -> Map Text Double -> Budget -> Budget
acceptBytes added measured budget =
  budget {budgetOperations = Map.mapWithKey current (Map.union (budgetOperations budget) new)}
  where
    new = Map.restrictKeys measured (Set.fromList added)
    current name old = whole (Map.findWithDefault old name measured)
    whole x = fromIntegral (ceiling x :: Int)

-- * The file

-- | One line of JSON with its end, in format 1.
encodeBudget :: Budget -> L.ByteString
encodeBudget budget = L.fromStrict (Codec.encodeJson file budget <> "\n")

-- | What a file holds, or what is wrong with it, by line and column. Another format than 1 is
-- refused, and so is a quantity that is not known.
decodeBudget :: ByteString -> Either Text Budget
decodeBudget content =
  either (Left . renderError content) Right (Codec.decodeJson file defaultLimits content)

-- | The format comes with the rest: a budget of another one is refused where it says so.
file :: Codec Budget
file =
  Codec.object $
    (\() -> Budget)
      <$> Codec.field @"format" (const ()) (Codec.refine known (const 1) Codec.int)
        <.> Codec.fieldWithDefault
          @"bindings"
          Map.empty
          budgetBindings
          (Codec.mapOf Codec.text limits)
        <.> Codec.fieldWithDefault
          @"operations"
          Map.empty
          budgetOperations
          (Codec.mapOf Codec.text Codec.double)
  where
    known version = if version == 1 then Right () else Left "only format 1 is known"
    limits =
      Codec.refine
        (fmap Map.fromList . traverse limit . Map.toList)
        (Map.mapKeys quantityName)
        (Codec.mapOf Codec.text Codec.int)
    limit (name, n) = case find ((== name) . quantityName) quantities of
      Just q -> Right (q, n)
      Nothing ->
        Left
          ( T.concat
              [ "unknown quantity ",
                name,
                ": expected one of ",
                T.intercalate ", " (map quantityName quantities)
              ]
          )
