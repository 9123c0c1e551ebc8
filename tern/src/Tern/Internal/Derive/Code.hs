{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TemplateHaskellQuotes #-}

-- | Pieces of the code that is made for any format.
--
-- No type of a field is written in codecs, so that they need no extension where
-- they are used but @TemplateHaskell@ itself.
module Tern.Internal.Derive.Code
  ( joined,
    dispatch,
    tableE,
    slotted,

    -- * Constants
    constantW,
    constantR,

    -- * From slots to values
    Built,
    inPlace,
    builtOnce,
    builtApart,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Internal (ByteString (BS))
import Data.List (nub, zip4)
import GHC.Exts (andI#, plusAddr#)
import Language.Haskell.TH hiding (Body)
import Language.Haskell.TH.Datatype (ConstructorInfo (..), quantifyType)
import Tern.Internal.Derive.Options (Beside (..), Options (..), besideOf)
import Tern.Internal.Record qualified as Record
import Tern.Internal.Wire.Class (absent)
import Tern.Internal.Write qualified as Write
import Tern.Prim.Literal qualified as Literal

-- | Writes, one after the other.
joined :: [Q Exp] -> Q Exp
joined = \case
  [] -> [|mempty|]
  [x] -> x
  x : rest -> [|$x <> $(joined rest)|]

-- | By a number that is one of the alternatives'.
dispatch :: Name -> [Q Exp] -> Q Exp
dispatch i alternatives = caseE (varE i) (zipWith alternative [0 ..] alternatives)
  where
    final = length alternatives - 1
    alternative k e
      | k == final = match wildP (normalB e) []
      | otherwise = match (litP (intPrimL (fromIntegral k))) (normalB e) []

-- | What makes a record's table of its fields: which names may stand beside them.
tableE :: Options -> [String] -> Q Exp
tableE options beside
  | rejectUnknownFields options = [|Record.closedTable $(listE (map stringE beside))|]
  | otherwise = [|Record.table|]

-- | A record from its options; what makes its table; its table, the number of its fields, its hot
-- path and how it is built from slots, all of which the third argument puts together; the method
-- that reads a field; each field's name, and how the hot path reads it from its reader and goes on.
--
-- The readers, one for each type among the fields, are arguments of a lambda: so none is
-- compiled twice. A function that is never called ties them to the fields that they fill
-- without writing their types.
slotted ::
  Built ->
  Options ->
  Q Exp ->
  (Q Exp -> Q Exp -> Q Exp -> Q Exp -> Q Exp) ->
  Name ->
  [(String, Q Exp -> Q Exp -> Q Exp)] ->
  ConstructorInfo ->
  Q Exp
slotted built options tableOf use method fields constructor = do
  named <-
    mapM
      (\t -> (,) t <$> ((,) <$> newName "r" <*> newName "e"))
      (nub (constructorFields constructor))
  let (readers, entries) =
        unzip [pair | t <- constructorFields constructor, Just pair <- [lookup t named]]
      names =
        [|
          $tableOf
            $( listE
                 [ row field beside r e
                   | ((field, _), beside, r, e) <-
                       zip4 fields (besideOf options constructor) readers entries
                 ]
             )
          |]
      run =
        foldr (\((_, step), r) rest -> step (varE r) rest) [|Record.endFields|] (zip fields readers)
      whole =
        use
          names
          [|$(litE (integerL (fromIntegral (length fields))))|]
          run
          (appE (tie readers) (built constructor))
      -- Those that a field without a value of its own for absence has.
      shared =
        [ pair
          | (t, pair) <- named,
            t
              `elem` [ t'
                       | (t', Beside _ Nothing) <-
                           zip (constructorFields constructor) (besideOf options constructor)
                     ]
        ]
      withEntries =
        foldl
          appE
          (lamE [varP e | (_, e) <- shared] whole)
          [[|Record.entry $(varE r) absent|] | (r, _) <- shared]
  foldl appE (lamE [varP r | (_, (r, _)) <- named] withEntries) [varE method | _ <- named]
  where
    -- A field with a value of its own for absence has an entry of its own.
    row field (Beside others missing) r e =
      [|
        Record.Field
          $(stringE field)
          $(listE (map stringE others))
          $( maybe
               (varE e)
               (\value -> [|Record.entry $(varE r) (Just $value)|])
               missing
           )
        |]
    tie readers = do
      slots <- newName "slots"
      xs <- mapM (const (newName "x")) readers
      let value =
            foldl
              appE
              (conE (constructorName constructor))
              ( zipWith
                  (\r x -> [|Record.valueOf $(varE r) $(varE x)|])
                  readers
                  xs
              )
      lamE
        [varP slots]
        [|
          Record.tied
            $( lamE
                 (map varP xs)
                 [|Record.sameType $(varE slots) $value|]
             )
            (Record.fromSlots $(varE slots))
          |]

-- * Constants

-- | The write of bytes that are known: words in the code itself, which is half of what
-- copying them costs the compiler; long ones are copied.
constantW :: ByteString -> Q Exp
constantW bytes = case Literal.chunks (B.unpack bytes) of
  Nothing -> [|Write.bounded $n (Literal.pokeAddr $(address bytes) $size)|]
  Just words' -> do
    op <- newName "op"
    s0 <- newName "s"
    let stores s = \case
          [] -> unboxedTupE [varE s, [|plusAddr# $(varE op) $size|]]
          (at, width, w) : rest -> do
            s' <- newName "s"
            caseE
              [|
                Literal.store
                  $(integer width)
                  (plusAddr# $(varE op) $(integer at))
                  $(word w)
                  $(varE s)
                |]
              [match (varP s') (normalB (stores s' rest)) []]
    [|Write.bounded $n $(lamE [varP op, varP s0] (stores s0 words'))|]
  where
    size = integer (B.length bytes)
    n = litE (integerL (toInteger (B.length bytes)))

-- | A field whose key is known bytes, from its reader and the other fields.
constantR :: ByteString -> Q Exp -> Q Exp -> Q Exp
constantR bytes reader rest = [|Record.thenConstant $size $matches $reader $rest|]
  where
    size = integer (B.length bytes)
    matches = case Literal.chunks (B.unpack bytes) of
      Nothing -> [|Literal.matchesHereAddr $(address bytes) $size|]
      Just words' -> do
        c <- newName "c"
        s <- newName "s"
        let equal =
              [ [|Literal.same $(integer width) (plusAddr# $(varE c) $(integer at)) $(word w)|]
                | (at, width, w) <-
                    words'
              ]
        lamE
          [varP c, varP s]
          ( unboxedTupE
              [ varE s,
                case equal of
                  [] -> integer 1
                  first : others -> foldl (\acc e -> [|andI# $acc $e|]) first others
              ]
          )

integer :: Int -> Q Exp
integer = litE . intPrimL . toInteger

word :: Integer -> Q Exp
word = litE . wordPrimL

-- | The address of a constant.
address :: ByteString -> Q Exp
address (BS contents n) = litE (bytesPrimL (mkBytes contents 0 (fromIntegral n)))

-- * From slots to values

-- | How each constructor with named fields is built from slots ('Record.FromSlots'): by
-- code that the formats have in common, or in its place.
type Built = ConstructorInfo -> Q Exp

-- | In its place.
inPlace :: Built
inPlace constructor = do
  slots <- newName "slots"
  s0 <- newName "s"
  [|
    Record.FromSlots
      $( lamE
           [varP slots, varP s0]
           ( go
               slots
               s0
               []
               (zip [0 ..] (constructorFields constructor))
           )
       )
    |]
  where
    go slots s xs = \case
      [] ->
        unboxedTupE
          [ varE
              s,
            foldl appE (conE (constructorName constructor)) (map varE (reverse xs))
          ]
      (i, _) : rest -> do
        x <- newName "x"
        s' <- newName "s"
        caseE
          [|Record.getSlot $(varE slots) $(litE (intPrimL i)) $(varE s)|]
          [match (unboxedTupP [varP s', varP x]) (normalB (go slots s' (x : xs) rest)) []]

-- | Code in which constructors are built from slots by definitions of their own, one
-- for all formats: what a record of a hundred fields costs the compiler is less by that
-- (@bench --compile-time@).
builtOnce :: [ConstructorInfo] -> (Built -> Q Exp) -> Q Exp
builtOnce constructors code = do
  named <- mapM building constructors
  letE
    [valD (varP name) (normalB (inPlace constructor)) [] | (constructor, name) <- named]
    (code (builtBy named))

-- | The same definitions for several instances: declarations, of the type given, and how
-- each constructor is built by them.
builtApart :: Type -> [ConstructorInfo] -> Q ([Dec], Built)
builtApart type_ constructors = do
  named <- mapM building constructors
  definitions <- mapM definition named
  pure (concat definitions, builtBy named)
  where
    definition (constructor, name) = do
      body <- inPlace constructor
      result <- [t|Record.FromSlots $(pure type_)|]
      pure [SigD name (quantifyType result), ValD (VarP name) (NormalB body) []]

building :: ConstructorInfo -> Q (ConstructorInfo, Name)
building constructor = (,) constructor <$> newName "_built"

builtBy :: [(ConstructorInfo, Name)] -> Built
builtBy named constructor =
  maybe
    (inPlace constructor)
    varE
    (lookup (constructorName constructor) [(constructorName c, name) | (c, name) <- named])
