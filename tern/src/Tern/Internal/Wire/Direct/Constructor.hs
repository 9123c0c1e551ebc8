{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | What constructors hold, and documents of any shape: values that are put one after the other,
-- and taken one after the other.
--
-- The idea: values that are put wait in one pile that a run has; whoever is done takes its own
-- from the top. What is read of an object is taken in the order of the type's fields, wherever the
-- members are.
module Tern.Internal.Wire.Direct.Constructor
  ( -- * Putting
    Put,
    putting,
    puttingNothing,
    thenPutting,
    piled,

    -- * Taking
    Next (..),
    Places (..),
    taking,
    takingAll,
    nothing,

    -- * Fields in slots
    Entry,
    entry,
    optionalEntry,
    typeOf,
    withWitness,
    witnessed,
    puttingAll,
    takingInto,

    -- * Fields of a record by hand
    Portion (..),
    portion,
    optionalPortion,
    writtenPortion,
    portionWithin,
    alsoCalled,
    Field (..),
    fieldsNamed,
    fieldsCalled,
  )
where

import Data.Primitive.SmallArray (SmallArray)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import GHC.Exts
import Tern.Internal.Json.Members (Members, memberAt)
import Tern.Internal.Json.Value (Value)
import Tern.Internal.Record (FromSlots, Slot (..), fromSlots, newSlots, putSlot)
import Tern.Internal.Wire.Direct (Direct (..), From, Scratch (..), To, undecided)
import Tern.Internal.Wire.Direct.Pile qualified as Pile

-- * Putting

-- | What a constructor holds, one value after the other.
type Put = Scratch -> State# RealWorld -> State# RealWorld

-- | A value.
putting :: To a -> a -> Put
putting to a scratch@(Scratch _ _ pile) s = case to scratch a s of
  (# s1, v #) -> Pile.push pile v s1
{-# INLINE putting #-}

-- | A member that is left away where there is none.
puttingJust :: To a -> Maybe a -> Put
puttingJust to x scratch@(Scratch _ _ pile) s = case x of
  Just a -> putting to a scratch s
  Nothing -> Pile.pushNone pile s
{-# INLINE puttingJust #-}

-- | Nothing more.
puttingNothing :: Put
puttingNothing _ s = s

-- | What the first puts, and on top what the second does.
thenPutting :: Put -> Put -> Put
thenPutting p q scratch s = q scratch (p scratch s)
{-# INLINE thenPutting #-}

-- | The values that are put, after others that stand before them; and the places of those that are
-- there, where not all are ('Pile.takeFrom').
piled ::
  SmallArray Value ->
  Put ->
  Scratch ->
  State# RealWorld ->
  (# State# RealWorld, SmallArray# Value, (# (# #) | ByteArray# #) #)
piled before put scratch@(Scratch _ _ pile) s = case Pile.top pile s of
  (# s1, from #) -> case put scratch (Pile.pushAll pile before s1) of
    s2 -> Pile.takeFrom pile from s2
{-# INLINE piled #-}

-- * Taking

-- | What a constructor holds in a document: a value; the elements of an array; members of an
-- object in the order of the fields; or where each field is among the members, or -1.
data Places
  = InPlace !Value
  | InArray {-# UNPACK #-} !(V.Vector Value)
  | InOrder !Int {-# UNPACK #-} !(Members Value)
  | InObject ByteArray# {-# UNPACK #-} !(Members Value)

-- | What is made of the values from one's number on.
newtype Next a = Next (Scratch -> Places -> State# RealWorld -> (# State# RealWorld, a #))

-- | Value number @i@, and what stands for it where a record does not have it.
taking :: Int -> From a -> Maybe a -> Next a
taking (I# i) from absent = Next $ \scratch places s -> case places of
  InPlace v -> from scratch v s
  InArray vs -> case V.unsafeIndex vs (I# i) of !v -> from scratch v s
  InOrder (I# first) members -> case memberAt members (I# (first +# i)) of
    (# _, v #) -> from scratch v s
  InObject numbers members -> case indexIntArray# numbers i of
    -1# -> case absent of
      Just !a -> (# s, a #)
      Nothing -> undecided s
    k -> case memberAt members (I# k) of (# _, v #) -> from scratch v s
{-# INLINE taking #-}

-- | Made of two.
takingAll :: (a -> b -> c) -> Next a -> Next b -> Next c
takingAll make (Next p) (Next q) = Next $ \scratch places s -> case p scratch places s of
  (# s1, a #) -> case q scratch places s1 of
    (# s2, b #) -> case make a b of !c -> (# s2, c #)
{-# INLINE takingAll #-}

-- | Of no value.
nothing :: Next ()
nothing = Next (\_ _ s -> (# s, () #))

instance Functor Next where
  fmap f (Next next) = Next $ \scratch places s -> case next scratch places s of
    (# s1, a #) -> case f a of !b -> (# s1, b #)
  {-# INLINE fmap #-}

-- * Fields in slots

-- | How a field is written and read, whose values go to slots of its type alone.
data Entry
  = forall a. Entry (Direct a) (Maybe a)
  | -- | It is left away where it is nothing.
    forall a. OptionalEntry (Direct (Maybe a)) (Maybe (Maybe a))

-- | With the value of its absence.
entry :: Direct a -> Maybe a -> Entry
entry = Entry
{-# NOINLINE entry #-}

-- | The same of a field that is left away where it is 'Nothing'.
optionalEntry :: Direct (Maybe a) -> Maybe (Maybe a) -> Entry
optionalEntry = OptionalEntry
{-# NOINLINE optionalEntry #-}

-- | A value of the type. Code that Template Haskell makes ties types together with it.
typeOf :: Direct a -> a -> a
typeOf _ a = a

-- | Nothing, of a type: which one code that Template Haskell makes is for, whose parameters it
-- cannot write.
data Witness a = Witness

-- | With the witness of the type that the result says.
withWitness :: (Witness a -> b a) -> b a
withWitness f = f Witness
{-# INLINE withWitness #-}

-- | Nothing is done with a value of the type.
witnessed :: Witness a -> a -> ()
witnessed _ _ = ()

-- | A value for each of them.
puttingAll :: [Entry] -> [Slot] -> Put
puttingAll entries slots scratch@(Scratch _ _ pile) s = case (entries, slots) of
  (Entry direct _ : rest, Slot a : others) ->
    puttingAll rest others scratch (putting (toDirect direct) a scratch s)
  (OptionalEntry direct _ : rest, Slot a : others) ->
    case a of
      Nothing -> puttingAll rest others scratch (Pile.pushNone pile s)
      Just _ -> puttingAll rest others scratch (putting (toDirect direct) a scratch s)
  ([], _) -> s
  (_, []) -> s

-- | All of them, into slots, of which a value is built.
takingInto :: [Entry] -> FromSlots a -> Next a
takingInto entries made = Next $ \scratch places s -> case newSlots n s of
  (# s1, slots #) ->
    let go left i t = case left of
          [] -> (# t, () #)
          Taken from : rest -> case from scratch places t of
            (# t1, x #) -> go rest (i +# 1#) (putSlot slots i x t1)
     in case go takes 0# s1 of (# s2, () #) -> fromSlots made slots s2
  where
    !(I# n) = length entries
    takes = zipWith taken [0 ..] entries
    taken i = \case
      Entry direct absent -> case taking i (fromDirect direct) absent of Next next -> Taken next
      OptionalEntry direct absent ->
        case taking i (fromDirect direct) absent of Next next -> Taken next

data Taken
  = forall a. Taken (Scratch -> Places -> State# RealWorld -> (# State# RealWorld, a #))

-- * Fields of a record by hand

-- | A member by its name, in the order of writing: one that is read, with its other names; or
-- one that is only written.
data Field = Field Text [Text] | Written Text

-- | Fields by their names, with a NUL between them, and their other names, where any has some.
fieldsNamed :: String -> [[String]] -> [Field]
fieldsNamed names = zipFields (T.split (== '\0') (T.pack names))
{-# NOINLINE fieldsNamed #-}

-- | The same of names in a list.
fieldsCalled :: [String] -> [[String]] -> [Field]
fieldsCalled names = zipFields (map T.pack names)
{-# NOINLINE fieldsCalled #-}

zipFields :: [Text] -> [[String]] -> [Field]
zipFields names others = zipWith Field names (map (map T.pack) others <> repeat [])

-- | Fields of a record @r@: they; how those are read that are; and how all are put.
data Portion r = Portion [Field] [Entry] (r -> Put)

instance Semigroup (Portion r) where
  Portion fields entries put <> Portion fields' entries' put' =
    Portion (fields <> fields') (entries <> entries') (\r -> thenPutting (put r) (put' r))
  {-# NOINLINE (<>) #-}

instance Monoid (Portion r) where
  mempty = Portion [] [] (const puttingNothing)
  {-# NOINLINE mempty #-}

-- | A field: its name, its value in the record, and the value of its absence.
portion :: String -> (r -> a) -> Maybe a -> Direct a -> Portion r
portion name get absent direct =
  Portion
    [Field (T.pack name) []]
    [Entry direct absent]
    (\r scratch s -> putting (toDirect direct) (get r) scratch s)
{-# OPAQUE portion #-}

-- | A field that is left away where it has no value.
optionalPortion :: String -> (r -> Maybe a) -> Direct a -> Direct (Maybe a) -> Portion r
optionalPortion name get direct optional =
  Portion
    [Field (T.pack name) []]
    [Entry optional (Just Nothing)]
    (\r scratch s -> puttingJust (toDirect direct) (get r) scratch s)
{-# OPAQUE optionalPortion #-}

-- | A member that is not read.
writtenPortion :: String -> (r -> a) -> Direct a -> Portion r
writtenPortion name get direct =
  Portion
    [Written (T.pack name)]
    []
    (\r scratch s -> putting (toDirect direct) (get r) scratch s)
{-# OPAQUE writtenPortion #-}

-- | Of a record that is in another.
portionWithin :: (r -> b) -> Portion b -> Portion r
portionWithin get (Portion fields entries put) = Portion fields entries (\r -> put (get r))
{-# NOINLINE portionWithin #-}

-- | With other names.
alsoCalled :: [String] -> Portion r -> Portion r
alsoCalled older (Portion fields entries put) = Portion (map named fields) entries put
  where
    named = \case
      Field name others -> Field name (others <> map T.pack older)
      Written name -> Written name
{-# NOINLINE alsoCalled #-}
