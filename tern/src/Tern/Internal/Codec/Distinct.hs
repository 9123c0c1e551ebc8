{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UndecidableInstances #-}

-- | What is wrong with a codec by hand: two fields of one name, two constructors of
-- one tag.
--
-- The idea: names that are types are looked through by the compiler, which refuses
-- the codec and says where both stand. Names that are known only when the program
-- runs are looked through when the codec is built.
module Tern.Internal.Codec.Distinct
  ( -- * Names that are types
    Distinct,
    Length,

    -- * Names that are values
    Mistake (..),
    renderMistake,
    mistakeIn,
  )
where

import Data.Kind (Constraint)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import GHC.TypeLits (CmpNat, ErrorMessage (..), Nat, Symbol, type (+))
import Tern.Internal.Refused (Refused)

-- * Names that are types

-- | The names, the last one first, are each other's unlike; and there are as many as
-- @least@. The first parameter is the codec's combinator, the second what has the
-- names.
type family
  Distinct
    (codec :: Symbol)
    (what :: Symbol)
    (least :: Nat)
    (names :: [Symbol]) ::
    Constraint
  where
  Distinct codec what least names =
    (Enough codec what least (CmpNat (Length names) least), Unlike codec what names)

type family
  Enough
    (codec :: Symbol)
    (what :: Symbol)
    (least :: Nat)
    (order :: Ordering) ::
    Constraint
  where
  Enough codec what least 'LT =
    Refused
      ( 'Text
          codec
          ':<>: 'Text " expects at least "
          ':<>: 'ShowType least
          ':<>: 'Text " "
          ':<>: 'Text what
      )
  Enough codec what least order = ()

type family Unlike (codec :: Symbol) (what :: Symbol) (names :: [Symbol]) :: Constraint where
  Unlike codec what '[] = ()
  Unlike codec what (n ': ns) = (NotIn codec what n ns ns, Unlike codec what ns)

type family
  NotIn
    (codec :: Symbol)
    (what :: Symbol)
    (n :: Symbol)
    (others :: [Symbol])
    (earlier :: [Symbol]) ::
    Constraint
  where
  NotIn codec what n '[] earlier = ()
  NotIn codec what n (n ': ns) earlier =
    Refused
      ( 'Text codec
          ':<>: 'Text ": two "
          ':<>: 'Text what
          ':<>: 'Text " are called "
          ':<>: 'ShowType n
          ':<>: 'Text ", number "
          ':<>: 'ShowType (Length ns + 1)
          ':<>: 'Text " and number "
          ':<>: 'ShowType (Length earlier + 1)
      )
  NotIn codec what n (m ': ns) earlier = NotIn codec what n ns earlier

-- | How many names there are, repeated ones too.
type family Length (names :: [Symbol]) :: Nat where
  Length '[] = 0
  Length (n ': ns) = 1 + Length ns

-- * Names that are values

-- | Why a codec cannot be built.
data Mistake
  = -- | A name that two have, and their numbers, from 1 on.
    SameName !Text !Int !Int
  | -- | There are none.
    NoNames
  deriving stock (Eq, Show)

-- $setup
-- >>> import Data.Text qualified as T

-- | The mistake in words; the first argument is what has the names.
--
-- >>> putStrLn (T.unpack (renderMistake "fields" (SameName "age" 2 5)))
-- two fields are called "age", number 2 and number 5
renderMistake :: Text -> Mistake -> Text
renderMistake what = \case
  SameName name first second ->
    T.concat
      [ "two ",
        what,
        " are called ",
        shown name,
        ", number ",
        shown first,
        " and number ",
        shown second
      ]
  NoNames -> T.concat ["expected at least one of the ", what]
  where
    shown :: (Show a) => a -> Text
    shown = T.pack . show

-- | The first name that stands twice, or that there is none.
mistakeIn :: [Text] -> Maybe Mistake
mistakeIn names = case names of
  [] -> Just NoNames
  _ -> go Map.empty (zip [1 ..] names)
  where
    go seen = \case
      [] -> Nothing
      (i, name) : rest -> case Map.lookup name seen of
        Just first -> Just (SameName name first i)
        Nothing -> go (Map.insert name i seen) rest
