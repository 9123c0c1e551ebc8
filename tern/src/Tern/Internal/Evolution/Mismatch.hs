{-# LANGUAGE OverloadedStrings #-}

-- | Why one type's documents cannot be read as another's.
--
-- The idea: a mismatch has two places, the writer's and the reader's, for a part of a
-- type may be elsewhere or have another name on the other side.
module Tern.Internal.Evolution.Mismatch
  ( -- * Places
    Route,
    Part (..),
    renderRoute,

    -- * Mismatches
    Mismatch (..),
    Difference (..),
    renderMismatch,
    renderMismatches,

    -- * Conditions
    Condition (..),
    Refused (..),
    renderCondition,
  )
where

import Data.Char (isAlphaNum)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Internal.Error.Words (number)

-- $setup
-- >>> import Data.Text qualified as T

-- * Places

-- | From the whole type inwards.
type Route = [Part]

-- | One step into a type.
data Part
  = -- | A named field.
    Field !Text
  | -- | One without a name, counted from 0.
    Position !Int
  | -- | Every element of a list.
    Element
  | -- | Every key of a map.
    KeyOf
  | -- | Every value of a map.
    ValueOf
  | -- | One of several constructors.
    Within !Text
  deriving stock (Eq, Ord, Show)

-- | The whole type is @$@.
--
-- >>> renderRoute [Field "birds", Element, Within "Gull", Field "wing span"]
-- "$.birds[*]<Gull>.\"wing span\""
renderRoute :: Route -> Text
renderRoute route = T.concat ("$" : shortened (map part route))
  where
    part = \case
      Field name -> "." <> plain name
      Position i -> T.concat ["[", number i, "]"]
      Element -> "[*]"
      KeyOf -> "{key}"
      ValueOf -> "{value}"
      Within name -> T.concat ["<", plain name, ">"]
    plain name
      | not (T.null name),
        T.all (\c -> isAlphaNum c || c == '_' || c == '\'') name,
        T.length name <= 40 =
          name
      | otherwise = quoted name
    shortened parts
      | length (take 17 parts) > 16 = take 8 parts <> [" … "] <> reverse (take 6 (reverse parts))
      | otherwise = parts

-- * Mismatches

-- | What does not fit, and where: in the writer's type and in the reader's.
data Mismatch = Mismatch
  { writerRoute :: !Route,
    readerRoute :: !Route,
    difference :: !Difference
  }
  deriving stock (Eq, Show)

-- | What was found there. Texts are of shapes and of types' names, the writer's first.
data Difference
  = -- | Shapes of which one does not stand for what the other does.
    OtherKind !Text !Text
  | -- | Numbers, of which the reader's cannot hold all of the writer's.
    Narrower !Text !Text
  | -- | Declared types of different names.
    OtherType !Text !Text
  | -- | Values without names: how many the writer has, and how many the reader.
    OtherLength !Int !Int
  | -- | A field of the reader's that the writer does not have, and no default.
    NoDefault !Text
  | -- | A default, by its field, of another shape than the field.
    WrongDefault !Text !Text !Text
  | -- | Constructors, none of which is on both sides.
    NoneInCommon ![Text] ![Text]
  | -- | A type that has one constructor on one side, whose name is not known, and
    -- several on the other.
    Nameless !Text
  | -- | What only a codec by hand can read, by its name: nobody else knows where it
    -- ends.
    ByHand !Text
  | -- | The key of a map has its fields or constructors in another order, or lost one:
    -- the keys would not be in order.
    KeysMoved
  | -- | A type without values, or which is not one of the format's.
    NoValues !Text
  | -- | A type for which the evolution names a field or constructor that it does not
    -- have.
    NoSuchName !Text !Text
  deriving stock (Eq, Show)

-- | The mismatch in one line.
--
-- >>> :{
-- putStrLn (T.unpack (renderMismatch (Mismatch [Field "number"] [Field "count"]
--   (Narrower "integer 0..65535" "integer 0..255"))))
-- :}
-- writer's $.number, reader's $.count: integer 0..255 does not hold every integer 0..65535
renderMismatch :: Mismatch -> Text
renderMismatch (Mismatch from to what) =
  T.concat
    [ "writer's ",
      renderRoute from,
      ", reader's ",
      renderRoute to,
      ": ",
      renderDifference what
    ]

-- | Several of them in one line; the first three in full.
renderMismatches :: [Mismatch] -> Text
renderMismatches mismatches =
  T.intercalate
    "; "
    ( map renderMismatch (take 3 mismatches)
        <> [ T.unwords ["and", number (length more), "more"]
             | let more =
                     drop 3 mismatches,
               not (null more)
           ]
    )

renderDifference :: Difference -> Text
renderDifference = \case
  OtherKind theirs ours -> T.concat [short theirs, " is not read as ", short ours]
  Narrower theirs ours -> T.concat [short ours, " does not hold every ", short theirs]
  OtherType theirs ours ->
    T.concat
      [ "the type ",
        quoted theirs,
        " is not ",
        quoted ours,
        "; if it was renamed, give the old name as an alias"
      ]
  OtherLength theirs ours -> T.concat [number theirs, " values without names are not ", number ours]
  NoDefault name ->
    T.concat ["the writer has no field ", quoted name, ", and no default is given for it"]
  WrongDefault name given wanted ->
    T.concat ["the default of ", quoted name, " is ", short given, ", expected ", short wanted]
  NoneInCommon theirs ours ->
    T.concat ["none of the constructors ", listed theirs, " is one of ", listed ours]
  Nameless name ->
    T.concat
      [ "the type ",
        quoted name,
        " has one constructor on one side, whose name is not written; say which it was"
      ]
  ByHand name ->
    T.concat [quoted name, " is read by a codec by hand, beside which nothing may change"]
  KeysMoved -> "in the key of a map no fields or constructors may be removed or change places"
  NoValues name -> T.concat [quoted name, " is no type of the native format's"]
  NoSuchName type_ name ->
    T.concat ["the evolution speaks of ", quoted name, ", which ", quoted type_, " does not have"]
  where
    listed names =
      T.intercalate ", " (map quoted (take 4 names))
        <> if length (take 5 names) > 4
          then ", …"
          else ""
    short text = if T.length text > 80 then T.take 80 text <> "…" else text

-- * Conditions

-- | What documents may hold that is refused where it is met.
data Condition = Condition
  { conditionWriter ::
      !Route,
    conditionReader :: !Route,
    refused :: !Refused
  }
  deriving stock (Eq, Show)

-- | What a document may have that its reader refuses.
data Refused
  = -- | A constructor that the reader does not have.
    Unknown !Text
  | -- | A list of fewer elements than the reader wants.
    FewerThan !Int
  deriving stock (Eq, Show)

-- | In one line.
--
-- >>> :{
-- putStrLn (T.unpack (renderCondition (Condition [Field "at"] [Field "at"] (Unknown "Between"))))
-- :}
-- writer's $.at, reader's $.at: the constructor "Between" is not known
renderCondition :: Condition -> Text
renderCondition (Condition from to what) =
  T.concat
    [ "writer's ",
      renderRoute from,
      ", reader's ",
      renderRoute to,
      ": ",
      case what of
        Unknown name ->
          T.concat ["the constructor ", quoted name, " is not known"]
        FewerThan 1 -> "a list without elements is refused"
        FewerThan n -> T.concat ["fewer than ", number n, " elements are refused"]
    ]

-- | At most 40 characters, controls and quotes made visible.
quoted :: Text -> Text
quoted text = T.pack (show (T.unpack (T.take 40 text))) <> if T.length text > 40 then "…" else ""
