{-# LANGUAGE OverloadedStrings #-}

-- | A plan as a program: a string of words that a loop runs over a document.
--
-- The idea: what is kept is only walked over, and copied when something comes that is
-- not. So the program consists of ways to walk, most of which stand for a whole run of
-- fields, and of what is done where something changes. Before it, all is known:
-- fields of fixed sizes beside each other are one step, and a list of them is one.
--
-- Start at 'codeOf'.
module Tern.Internal.Evolution.Code
  ( Code (..),
    Made (..),
    Op (..),
    codeOf,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.IntMap.Lazy (IntMap)
import Data.IntMap.Lazy qualified as IntMap
import Data.IntSet qualified as IntSet
import Data.List qualified as List
import Data.Primitive.Array (Array, arrayFromList)
import Data.Primitive.ByteArray (ByteArray, byteArrayFromList)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern.Error (Reason (..))
import Tern.Internal.Evolution.Plan
  ( Choice (..),
    Extent (..),
    Fate (..),
    Form (..),
    Plan (..),
    Range (..),
    Source (..),
    changed,
    circles,
    kept,
    visits,
  )
import Tern.Limits (Limits)

-- | A program, which begins at word 0.
data Code = Code
  { -- | An 'Op' and what it needs, and so on.
    codeWords :: !ByteArray,
    -- | All bytes that are given, one after the other.
    codeBytes :: !ByteArray,
    -- | Why something is refused.
    codeReasons :: !(Array Reason),
    -- | What is made of values of older types.
    codeMade :: !(Array Made),
    -- | The most pieces that an 'Exchange' has.
    codePieces :: !Int,
    -- | Is anything put into another order when all is written?
    codeMoves :: !Bool
  }

-- | How an older type's value is read, and the bytes that are made of its bytes, or where in
-- them and why none are.
data Made = Made Code (Limits -> ByteString -> Either (Int, Reason) ByteString)

-- | What the words mean. In brackets: the words after it. A place is the number of a
-- word.
data Op
  = -- | Back to where it was called from.
    Return
  | -- | Over bytes. [how many]
    Skip
  | -- | Over varints. [how many]
    SkipVarints
  | SkipString
  | SkipMagnitude
  | -- | Over a list of elements of one size. [bytes of an element]
    SkipFlat
  | -- | Over a list of varints.
    SkipVaried
  | -- | What follows, for each element of a list. [place after it]
    Each
  | -- | All before is copied; what comes is not.
    Cut
  | -- | From here on there is something to be copied again.
    Resume
  | -- | Bytes are given. [where they are] [how many]
    Give
  | -- | The constructor's number just read is another. [its bytes] [where the new one
    -- is] [how many]
    Retag
  | -- | A number in another form. [form] [form] [least] [most] [reason]
    Renumber
  | -- | By the constructor's number. [its bytes] [how many constructors] [places …]
    Branch
  | Jump
  | -- | [place]
    Call
  | -- | A level inwards, and outwards.
    Enter
  | Leave
  | -- | The constructor's number just read is refused. [its bytes] [reason]
    Reject
  | -- | Pieces that are the same on both sides, and what is written of them. [how many]
    -- [how many parts] [place after them] [places …] [parts …]. A part is two words:
    -- the number of a piece and -1, or where bytes are that are given, and how many.
    Exchange
  | -- | What a function makes of a value. [function]
    Apply
  | -- | Pieces, to be put into another order when all is written. [how many] [place
    -- after them] [order …] [places …]
    Reorder
  deriving stock (Bounded, Enum, Eq, Show)

-- | The program of a plan.
codeOf :: Plan -> Code
codeOf plan =
  Code
    { codeWords = byteArrayFromList (wordsOf [] :: [Int]),
      codeBytes = byteArrayFromList (B.unpack (B.concat (given []))),
      codeReasons = arrayFromList (reasons []),
      codeMade = arrayFromList (functions []),
      codePieces =
        maximum (0 : [length pieces | Exchanging pieces _ <- concatMap everything blocks]),
      codeMoves = or [True | Reordering _ _ <- concatMap everything blocks]
    }
  where
    blocks =
      joined (instructions known Nothing (start plan))
        : [ joined (instructions known (IntMap.lookup n (inCircle known)) step)
            | (n, step) <- called
          ]
    called =
      [(n, step) | (n, step) <- IntMap.toList (nodes plan), IntSet.notMember n (inlined known)]
    known = knownOf plan
    -- Where each type's program begins is known once all are laid out.
    Written wordsOf given reasons functions = mconcat (map snd texts)
    (_, texts) = List.mapAccumL laid (Addresses 0 0 0 0) blocks
    laid place block =
      let (place', text) =
            assembled starts (block <> [Do Return []]) place
       in (place', (wordPlace place, text))
    starts = IntMap.fromList (zip (map fst called) (drop 1 (map fst texts)))

-- * What is known of types

data Known = Known
  { planned :: Plan,
    -- | Types that are kept as they are.
    same :: Fate -> Bool,
    inCircle :: IntMap Int,
    -- | Types that are visited in one place, and so stand there.
    inlined :: IntSet.IntSet,
    sizes :: IntMap (Maybe Int)
  }

knownOf :: Plan -> Known
knownOf plan = known
  where
    known =
      Known
        { planned = plan,
          same = kept (changed plan),
          inCircle = circles plan,
          inlined =
            IntSet.fromList
              [ n
                | (n, 1) <-
                    IntMap.toList counts,
                  IntMap.notMember n (inCircle known)
              ],
          sizes =
            IntMap.mapWithKey
              ( \n step ->
                  if IntMap.member n (inCircle known)
                    then Nothing
                    else sizeOf known step
              )
              (nodes plan)
        }
    counts =
      IntMap.fromListWith
        (+)
        [ (n, 1 :: Int)
          | step <-
              start plan : IntMap.elems (nodes plan),
            n <- visits step
        ]

-- | The bytes of every value, where that is one number and not large.
sizeOf :: Known -> Fate -> Maybe Int
sizeOf known = go
  where
    go = \case
      Keep (Bytes n) -> Just n
      Fields steps _ -> bounded . sum =<< mapM go steps
      Choose width choices -> case mapM into choices of
        Just (n : others) | all (== n) others -> Just (width + n)
        _ -> Nothing
      Visit n -> IntMap.findWithDefault Nothing n (sizes known)
      _ -> Nothing
    into = \case
      Into _ step -> go step
      Refuse _ _ -> Nothing
    bounded n = if n <= 4096 then Just n else Nothing

-- * Instructions

-- | An operation with its words, or with others in it.
data Instruction
  = Do !Op [Int]
  | Giving !ByteString
  | Retagging !Int !ByteString
  | Renumbering !Form !Range !Form
  | ForEach [Instruction]
  | Branching !Int [[Instruction]]
  | Calling !Int
  | Rejecting !Int !Reason
  | Applying Made
  | Exchanging [[Instruction]] [Part]
  | Reordering [Int] [[Instruction]]

-- | What is written by an exchange: a piece, by its number, or something that is given.
data Part = Piece !Int | Constant !ByteString

-- | What is done with a value, of a type in that circle.
instructions :: Known -> Maybe Int -> Fate -> [Instruction]
instructions known circle step
  | same known step, Just n <- sizeOf known step = [Do Skip [n]]
  | otherwise = case step of
      Keep extent -> case extent of
        Bytes n -> [Do Skip [n]]
        AVarint -> [Do SkipVarints [1]]
        AMagnitude -> [Do SkipMagnitude []]
        AString -> [Do SkipString []]
      -- Only in plans that nobody runs.
      KeepBlindly _ -> []
      Convert from range to -> [Renumbering from range to]
      Elements inner
        | same known inner, Just n <- sizeOf known inner -> [Do SkipFlat [n]]
        | otherwise -> case joined (go inner) of
            [Do SkipVarints [1]] -> [Do SkipVaried []]
            body -> levelled inner [ForEach body]
      Fields steps sources -> fields known circle steps sources
      Choose width choices ->
        foldr
          levelled'
          [ Branching
              width
              (zipWith (choice width) [0 ..] choices)
          ]
          (take 1 [() | Into _ inner <- choices, within inner])
      Present inner -> Giving "\1" : go inner
      Make inner function -> [Applying (Made (codeOf inner) function)]
      Visit n
        | IntSet.member n (inlined known),
          Just inner <- IntMap.lookup n (nodes (planned known)) ->
            go inner
        | otherwise -> [Calling n]
  where
    go = instructions known circle
    levelled inner code = if within inner then levelled' () code else code
    levelled' () code = [Do Enter []] <> code <> [Do Leave []]
    -- Does it lead back into the circle?
    within inner =
      maybe
        False
        ( \i ->
            any (\n -> IntMap.lookup n (inCircle known) == Just i) (visits inner)
        )
        circle
    choice width i = \case
      Refuse name names -> [Rejecting width (UnknownConstructor name names)]
      Into tag inner
        | tag
            == B.take
              width
              ( B.pack
                  [ fromIntegral
                      (i `mod` 256),
                    fromIntegral (i `div` 256 :: Int)
                  ]
              ) ->
            go inner
        | otherwise -> Retagging width tag : go inner

-- | The fields of a record: straight on as far as they are in order, then in pieces. If
-- nothing changes within these they are copied from where they are; else they are
-- written as they come, and put in order when all is written.
fields :: Known -> Maybe Int -> [Fate] -> [Source] -> [Instruction]
fields known circle steps sources = case span inPlace (zip sources least) of
  (front, []) -> straight 0 (length steps) (map fst front)
  (front, back@((_, ahead) : _))
    | all (same known) (drop ahead steps) ->
        straight 0 ahead (map fst front) <> [exchanged ahead (map fst back)]
    | otherwise -> straight 0 ahead (map fst front) <> [reordered ahead (map fst back)]
  where
    -- Of each source and those after it, the first field that the writer has.
    least = scanr (\case Taken i -> min i; Given _ -> id) (length steps) sources
    inPlace = \case
      (Taken i, first) -> i == first
      (Given _, _) -> True
    all' = V.fromList steps
    at i = maybe [] (instructions known circle) (all' V.!? i)
    between from to = V.toList (V.slice from (max 0 (to - from)) all')
    dropped from to =
      concat
        [ Do Cut [] : instructions known circle step <> [Do Resume []]
          | step <-
              between from to
        ]
    straight next to = \case
      Given bytes : rest -> Giving bytes : straight next to rest
      Taken i : rest -> dropped next i <> at i <> straight (i + 1) to rest
      [] -> dropped next to
    -- Fields that are neighbours on both sides are one piece, and what is between those.
    exchanged ahead back =
      Exchanging
        [ concatMap (instructions known circle) (between from to)
          | (from, to) <-
              zip edges (drop 1 edges)
        ]
        (map part runs)
      where
        runs = neighbours back
        edges =
          IntSet.toAscList
            ( IntSet.fromList
                ( ahead
                    : length steps
                    : concat [[from, to] | Left (from, to) <- runs]
                )
            )
        numbers = IntMap.fromList (zip edges [0 ..])
        part = either (\(from, _) -> Piece (IntMap.findWithDefault 0 from numbers)) Constant
    neighbours = \case
      Taken i : rest -> let (end, rest') = reach (i + 1) rest in Left (i, end) : neighbours rest'
      Given bytes : rest -> Right bytes : neighbours rest
      [] -> []
    reach i = \case
      Taken j : rest | i == j -> reach (i + 1) rest
      rest -> (i, rest)
    -- What is given stands with the field before it.
    reordered ahead back = Reordering order (pieces ahead segments)
      where
        -- Neighbours on both sides, in the writer's order; with the place of the first
        -- among the reader's.
        segments = grouped (List.sortOn (\(_, (i, _)) -> i) (zip [0 :: Int ..] (attached back)))
        order = map snd (List.sort (zip (map fst segments) [0 ..]))
    attached = \case
      Taken i : rest -> let (after, rest') = given rest in (i, after) : attached rest'
      _ -> []
    given = \case
      Given bytes : rest -> let (more, rest') = given rest in (bytes : more, rest')
      rest -> ([], rest)
    grouped = \case
      (rank, one) : rest ->
        let (more, rest') =
              together rank rest
         in (rank, one : more) : grouped rest'
      [] -> []
    together rank = \case
      (rank', one) : rest
        | rank' == rank + 1 ->
            let (more, rest') =
                  together rank' rest
             in (one : more, rest')
      rest -> ([], rest)
    pieces next = \case
      [(_, ones)] -> let (code, next') = piece next ones in [code <> dropped next' (length steps)]
      (_, ones) : rest -> let (code, next') = piece next ones in code : pieces next' rest
      [] -> []
    piece next = \case
      (i, after) : rest ->
        let (code, next') =
              piece (i + 1) rest
         in (dropped next i <> at i <> map Giving after <> code, next')
      [] -> ([], next)

-- | Neighbours that are one.
joined :: [Instruction] -> [Instruction]
joined = foldr join []
  where
    join one rest = case (one, rest) of
      (Do Skip [m], Do Skip [n] : later) | m + n < 0x10000000 -> Do Skip [m + n] : later
      (Do SkipVarints [m], Do SkipVarints [n] : later) -> Do SkipVarints [m + n] : later
      (Giving a, Giving b : later) -> Giving (a <> b) : later
      (Giving a, Do Cut [] : later) -> Giving a : later
      (Do Cut [], Giving b : later) -> Giving b : later
      (Do Resume [], Do Cut [] : later) -> later
      (Giving a, _) | B.null a -> rest
      (ForEach body, _) -> ForEach (joined body) : rest
      (Branching width choices, _) -> Branching width (map joined choices) : rest
      (Exchanging pieces parts, _) -> Exchanging (map joined pieces) parts : rest
      (Reordering order pieces, _) -> Reordering order (map joined pieces) : rest
      _ -> one : rest

-- | Those in lists, choices and records too.
everything :: [Instruction] -> [Instruction]
everything = concatMap $ \one ->
  one : case one of
    ForEach body -> everything body
    Branching _ choices -> concatMap everything choices
    Reordering _ pieces -> concatMap everything pieces
    _ -> []

-- * Words

-- | Where the next word, byte, reason and function go.
data Addresses = Addresses
  { wordPlace ::
      !Int,
    bytePlace :: !Int,
    reasonPlace :: !Int,
    functionPlace :: !Int
  }

data Written
  = Written
      ([Int] -> [Int])
      ([ByteString] -> [ByteString])
      ([Reason] -> [Reason])
      ([Made] -> [Made])

instance Semigroup Written where
  Written a b c d <> Written a' b' c' d' = Written (a . a') (b . b') (c . c') (d . d')

instance Monoid Written where
  mempty = Written id id id id

-- | The words of instructions that begin at a place, for types that begin at others.
assembled :: IntMap Int -> [Instruction] -> Addresses -> (Addresses, Written)
assembled starts = \case
  [] -> (,mempty)
  one : rest -> \place ->
    let (place', text) = single one place
        (place'', text') = assembled starts rest place'
     in (place'', text <> text')
  where
    single one place = case one of
      Do op words' -> plain place op words'
      Calling n -> plain place Call [IntMap.findWithDefault 0 n starts]
      Giving bytes ->
        let (place', text) =
              constant bytes place
            (place'', text') = plain place' Give [bytePlace place, B.length bytes]
         in (place'', text <> text')
      Retagging width bytes ->
        let (place', text) =
              constant bytes place
            (place'', text') = plain place' Retag [width, bytePlace place, B.length bytes]
         in (place'', text <> text')
      Applying made ->
        let (place', text) =
              plain place Apply [functionPlace place]
         in (place' {functionPlace = functionPlace place + 1}, text <> Written id id id (made :))
      Rejecting width reason ->
        let (place', text) =
              because reason place
            (place'', text') = plain place' Reject [width, reasonPlace place]
         in (place'', text <> text')
      Renumbering from (Range least most) to ->
        let (place', text) =
              because
                ( OutOfRange
                    ( T.concat
                        [ "integer ",
                          maybe T.empty shown least,
                          "..",
                          maybe T.empty shown most
                        ]
                    )
                )
                place
            (place'', text') =
              plain
                place'
                Renumber
                [ formCode
                    from,
                  formCode to,
                  maybe 0 (within from) least,
                  maybe 0 (within from) most,
                  reasonPlace place
                ]
         in (place'', text <> text')
      ForEach body ->
        let (after, text) = assembled starts (body <> [Do Return []]) (forward 2 place)
         in (after, worded [fromEnum Each, wordPlace after] <> text)
      Branching width choices ->
        let count = length choices
            (after, texts, places) =
              blocks
                [ choice <> [Do Jump [wordPlace after]]
                  | choice <-
                      choices
                ]
                (forward (3 + count) place)
         in (after, worded ([fromEnum Branch, width, count] <> places) <> texts)
      Exchanging pieces parts ->
        let count = length pieces
            (placed, parts') = List.mapAccumL part place parts
            (after, texts, places) =
              blocks
                [piece <> [Do Return []] | piece <- pieces]
                (forward (4 + count + 2 * length parts) placed)
         in ( after,
              worded ([fromEnum Exchange, count, length parts, wordPlace after] <> places)
                <> mconcat parts'
                <> texts
            )
      Reordering order pieces ->
        let count = length pieces
            (after, texts, places) =
              blocks [piece <> [Do Return []] | piece <- pieces] (forward (3 + 2 * count) place)
         in (after, worded ([fromEnum Reorder, count, wordPlace after] <> order <> places) <> texts)
    plain place op words' = (forward (1 + length words') place, worded (fromEnum op : words'))
    part place = \case
      Piece n -> (place, worded [n, -1])
      Constant bytes ->
        let (place', text) =
              constant bytes place
         in (place', worded [bytePlace place, B.length bytes] <> text)
    blocks codes place = case codes of
      [] -> (place, mempty, [])
      code : rest ->
        let (place', text) = assembled starts code place
            (place'', text', places) = blocks rest place'
         in (place'', text <> text', wordPlace place : places)
    worded words' = Written (words' <>) id id id
    constant bytes place =
      (place {bytePlace = bytePlace place + B.length bytes}, Written id (bytes :) id id)
    because reason place =
      (place {reasonPlace = reasonPlace place + 1}, Written id id (reason :) id)
    forward n place = place {wordPlace = wordPlace place + n}
    shown = T.pack . show
    within form n = case form of
      Varint False -> unsigned n
      Sized False 8 -> unsigned n
      _ -> fromInteger (max (toInteger (minBound :: Int)) (min (toInteger (maxBound :: Int)) n))
    unsigned n = fromInteger (max 0 (min (2 ^ (64 :: Int) - 1) n))

formCode :: Form -> Int
formCode = \case
  Sized False 1 -> 0
  Sized True 1 -> 1
  Sized False 2 -> 2
  Sized True 2 -> 3
  Sized False 4 -> 10
  Sized True 4 -> 11
  Sized False _ -> 12
  Sized True _ -> 13
  Varint False -> 4
  Varint True -> 5
  Large False -> 6
  Large True -> 7
  Real 32 -> 8
  Real _ -> 9
