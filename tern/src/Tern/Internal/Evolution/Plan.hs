-- | How a writer's bytes become a reader's: a plan for each value of a type, in terms of
-- the parts that its bytes consist of.
--
-- The idea: both layouts are known before any bytes are, and so is all that happens to
-- them. What is the same on both sides is kept as it is, whatever it is called; what
-- changes is a number's form, a constructor's number, and which fields there are.
--
-- A recursive type's plan has no end, so that types which may be met again are
-- numbered, and visited. Start at 'Fate', then 'identical'.
module Tern.Internal.Evolution.Plan
  ( Plan (..),
    Fate (..),
    Extent (..),
    Form (..),
    Range (..),
    Source (..),
    Choice (..),

    -- * Asking
    identical,
    kept,
    changed,
    endless,
    blind,
    circles,
    visits,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Graph (SCC (..), stronglyConnComp)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet (IntSet)
import Data.IntSet qualified as IntSet
import Data.Text (Text)
import Data.Word (Word8)
import Tern.Error (Reason)
import Tern.Limits (Limits)

-- | What becomes of a value, and of the types that it visits.
data Plan = Plan {start :: Fate, nodes :: IntMap Fate}

-- | What becomes of a value, whose layout is the writer's.
data Fate
  = -- | The same bytes, and how far they reach.
    Keep !Extent
  | -- | The same bytes of a codec by hand, by its name: they reach nobody knows how far.
    KeepBlindly !Text
  | -- | A number in another form.
    Convert !Form !Range !Form
  | -- | As many elements, in the same chunks. Those of a map have two fields.
    Elements Fate
  | -- | The writer's fields, in their order, and what the reader's are made of. What is
    -- not among it is left away.
    Fields [Fate] [Source]
  | -- | By the constructor's number: how many bytes it has, and what becomes of each
    -- constructor.
    Choose !Int [Choice]
  | -- | A value that is there, as an optional one.
    Present Fate
  | -- | By the plan for an older type of the reader's, the bytes of one of its values, and what
    -- a function makes of them.
    Make Plan (Limits -> ByteString -> Either (Int, Reason) ByteString)
  | -- | The type of that number.
    Visit !Int

-- | How far a value reaches.
data Extent
  = Bytes !Int
  | AVarint
  | AMagnitude
  | AString
  deriving stock (Eq, Show)

-- | How a number is written: with a sign or without.
data Form
  = -- | In one byte, or in two, four or eight.
    Sized !Bool !Int
  | Varint !Bool
  | -- | Of any size.
    Large !Bool
  | -- | A floating-point number, by how many bits it has.
    Real !Int
  deriving stock (Eq, Show)

-- | The least and the greatest number, where there are such.
data Range = Range !(Maybe Integer) !(Maybe Integer)

-- | What a field of the reader's is made of.
data Source
  = -- | A field of the writer's, by its number.
    Taken !Int
  | -- | These bytes.
    Given !ByteString
  deriving stock (Eq)

-- | What becomes of a constructor.
data Choice
  = -- | The reader does not have one of this name; those it has.
    Refuse !Text [Text]
  | -- | The reader's number for it, as it is written, and what becomes of the fields.
    Into !ByteString Fate

-- * Asking

-- | Are the bytes of every value the same on both sides?
identical :: Plan -> Bool
identical plan = kept (changed plan) (start plan)

-- | Is a step the same on both sides, for the types given that are not?
kept :: IntSet -> Fate -> Bool
kept others = go
  where
    go = \case
      Keep _ -> True
      KeepBlindly _ -> True
      Convert {} -> False
      Elements step -> go step
      Fields steps sources -> sources == map Taken [0 .. length steps - 1] && all go steps
      Choose width choices -> and (zipWith (same width) [0 ..] choices)
      Present _ -> False
      Make _ _ -> False
      Visit n -> IntSet.notMember n others
    same width i = \case
      Into tag step ->
        tag
          == B.pack
            ( take
                width
                [ fromIntegral (i `mod` 256),
                  fromIntegral (i `div` 256 :: Int) ::
                    Word8
                ]
            )
          && go step
      Refuse _ _ -> False

-- | The types that are not the same on both sides.
changed :: Plan -> IntSet
changed plan =
  spread IntSet.empty (IntMap.keys (IntMap.filter (not . kept IntSet.empty) (nodes plan)))
  where
    spread found = \case
      [] -> found
      n : rest
        | IntSet.member n found -> spread found rest
        | otherwise -> spread (IntSet.insert n found) (IntMap.findWithDefault [] n visitors <> rest)
    visitors =
      IntMap.fromListWith
        (<>)
        [ (m, [n])
          | (n, step) <-
              IntMap.toList (nodes plan),
            m <- visits step
        ]

-- | Is there a type within itself without a list or a choice between? It has no
-- values, and whoever walked its bytes would never come to read any.
endless :: Plan -> Bool
endless plan =
  or
    [ True
      | CyclicSCC _ <-
          stronglyConnComp [(n, n, at step) | (n, step) <- IntMap.toList (nodes plan)]
    ]
  where
    at step = case step of
      Elements _ -> []
      Choose _ _ -> []
      Visit n -> [n]
      _ -> concatMap at (within step)

-- | Is there a codec by hand, whose values end nobody knows where?
blind :: Plan -> Bool
blind plan = any at (start plan : IntMap.elems (nodes plan))
  where
    at = \case
      KeepBlindly _ -> True
      step -> any at (within step)

-- | For each type that is within itself, the number of its circle.
circles :: Plan -> IntMap Int
circles plan =
  IntMap.fromList
    [ (n, i)
      | (i, CyclicSCC ns) <-
          zip
            [0 ..]
            ( stronglyConnComp
                [ (n, n, visits step)
                  | (n, step) <-
                      IntMap.toList (nodes plan)
                ]
            ),
        n <- ns
    ]

-- | The types that a step visits, as often as it does.
visits :: Fate -> [Int]
visits step = case step of
  Visit n -> [n]
  _ -> concatMap visits (within step)

within :: Fate -> [Fate]
within = \case
  Elements step -> [step]
  Fields steps _ -> steps
  Choose _ choices -> [step | Into _ step <- choices]
  Present step -> [step]
  _ -> []
