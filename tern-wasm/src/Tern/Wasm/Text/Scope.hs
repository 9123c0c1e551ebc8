{-# LANGUAGE OverloadedStrings #-}

-- | Reading with names: what the parts of the text format's parser share.
--
-- The idea: names are looked up in 'Names'; types that are only meant are added
-- after those that are written, which is the parser's only state.
--
-- Start at 'P'.
module Tern.Wasm.Text.Scope
  ( -- * Reading
    P,
    evaluate,
    refuse,
    expected,
    end,

    -- * Names
    Names (..),
    Space (..),
    noNames,
    noSpace,
    isName,
    isIndex,
    startsIndex,
    optionalName,
    index,
    number,

    -- * Types
    addGroup,
    allGroups,
    typeIndex,
    typeAt,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Char (isDigit)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Sequence (Seq)
import Data.Sequence qualified as Seq
import Data.Text (Text)
import Tern.Wasm.Text.Number (unsigned)
import Tern.Wasm.Text.Tree (TextError (..), Tree (..), treeOffset)
import Tern.Wasm.Type (CompType (..), FuncType, SubType (..), plainType)

-- * Reading

-- | Reading with the types so far as a state.
newtype P a = P (Types -> Either TextError (a, Types))

-- | Groups, all types, and the first function type of each kind that stands alone.
data Types = Types !(Seq [SubType]) !(Seq SubType) !(Map FuncType Int)

instance Functor P where
  fmap f (P p) = P $ \s -> case p s of
    Left e -> Left e
    Right (a, s') -> Right (f a, s')

instance Applicative P where
  pure a = P $ \s -> Right (a, s)
  P f <*> P p = P $ \s -> case f s of
    Left e -> Left e
    Right (g, s') -> case p s' of
      Left e -> Left e
      Right (a, s'') -> Right (g a, s'')

instance Monad P where
  P p >>= f = P $ \s -> case p s of
    Left e -> Left e
    Right (a, s') -> let P q = f a in q s'

-- | Read from no types on; those that are there at the end are forgotten.
evaluate :: P a -> Either TextError a
evaluate (P p) = fst <$> p (Types Seq.empty Seq.empty Map.empty)

-- | Fail at a byte offset, with what was expected there.
refuse :: Int -> Text -> P a
refuse o what = P $ \_ -> Left (TextError o what)

-- | Fail at a tree where nothing is read in 'P'.
expected :: Tree -> Text -> Either TextError a
expected t what = Left (TextError (treeOffset t) what)

-- | Nothing may be left.
end :: [Tree] -> P ()
end = \case
  [] -> pure ()
  t : _ -> refuse (treeOffset t) "nothing more here"

-- * Names

-- | Names of one kind, and the next index.
data Space = Space !(Map ByteString Int) !Int

-- | A module's names, a space for each kind of things, imports counted.
data Names = Names
  { nameTypes,
    nameFuncs,
    nameTables,
    nameMems,
    nameTags,
    nameGlobals,
    nameElems,
    nameDatas ::
      !Space,
    -- | The fields of each type.
    nameFields :: !(IntMap Space),
    -- | Whether something was defined that imports must come before.
    namesDefined :: !Bool
  }

-- | No names, and nothing has an index yet.
noNames :: Names
noNames = Names noSpace noSpace noSpace noSpace noSpace noSpace noSpace noSpace IntMap.empty False

-- | No names; the next index is 0.
noSpace :: Space
noSpace = Space Map.empty 0

-- | Whether a word is a dollar sign with more after it.
isName :: ByteString -> Bool
isName w = BC.take 1 w == "$" && B.length w > 1

-- | Whether a word is meant as an index: a name, or what begins with a digit or an underscore.
isIndex :: ByteString -> Bool
isIndex w = isName w || BC.all (\c -> isDigit c || c == '_') (BC.take 1 w) && not (B.null w)

-- | Whether the first tree is meant as an index.
startsIndex :: [Tree] -> Bool
startsIndex = \case
  Atom _ w : _ -> isIndex w
  _ -> False

-- | The name, if the first tree is one, and what follows.
optionalName :: [Tree] -> (Maybe ByteString, [Tree])
optionalName = \case
  Atom _ w : rest | isName w -> (Just w, rest)
  rest -> (Nothing, rest)

-- | A name or a number.
index :: Space -> Tree -> P Int
index (Space m _) t = case t of
  Atom o w
    | isName w -> maybe (refuse o "a name that is known") pure (Map.lookup w m)
  _ -> number t

-- | A number below 2^32, decimal or hexadecimal.
number :: Tree -> P Int
number = \case
  Atom o w -> maybe (refuse o "a number below 2^32") (pure . fromIntegral) (unsigned w)
  t -> refuse (treeOffset t) "a number"

-- * Types

-- | Add types that are written together.
addGroup :: [SubType] -> P ()
addGroup group =
  P $ \(Types gs s m) ->
    Right ((), Types (gs Seq.|> group) (s <> Seq.fromList group) (known (Seq.length s) m))
  where
    known at m = case group of
      [SubType True [] (CompFunc ft)] -> Map.insertWith (\_ old -> old) ft at m
      _ -> m

-- | All groups so far, in the order of their indices.
allGroups :: P (Seq [SubType])
allGroups = P $ \t@(Types gs _ _) -> Right (gs, t)

-- | The first type that is equal, or a new one.
typeIndex :: FuncType -> P Int
typeIndex ft = P $ \t@(Types gs s m) -> case Map.lookup ft m of
  Just x -> Right (x, t)
  Nothing ->
    Right
      ( Seq.length
          s,
        Types (gs Seq.|> [plainType ft]) (s Seq.|> plainType ft) (Map.insert ft (Seq.length s) m)
      )

-- | The function type with an index.
typeAt :: Int -> P (Maybe FuncType)
typeAt x = P $ \t@(Types _ s _) -> Right (Seq.lookup x s >>= func . subComp, t)
  where
    func = \case
      CompFunc ft -> Just ft
      _ -> Nothing
