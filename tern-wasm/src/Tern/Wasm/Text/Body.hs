{-# LANGUAGE OverloadedStrings #-}

-- | Functions and blocks of the text format, written as bytes.
--
-- The idea: a sequence of trees is read from the left; a folded instruction
-- writes what is folded into it first. What opens no block is in
-- "Tern.Wasm.Text.Plain".
--
-- Start at 'row'.
module Tern.Wasm.Text.Body
  ( function,
    expression,
  )
where

import Control.Monad (foldM, when)
import Data.ByteString (ByteString)
import Data.ByteString.Builder (Builder)
import Data.ByteString.Builder qualified as BB
import Data.List.NonEmpty (NonEmpty (..))
import Data.List.NonEmpty qualified as NonEmpty
import Data.Map.Strict qualified as Map
import Data.Maybe (listToMaybe)
import Tern.Wasm.Text.Bytes (leb, signedLeb, sizedBytes)
import Tern.Wasm.Text.Plain (Scope (..), labelIndex, maxDepth, plain)
import Tern.Wasm.Text.Scope
  ( Names (..),
    P,
    Space (..),
    end,
    index,
    isName,
    noSpace,
    optionalName,
    refuse,
  )
import Tern.Wasm.Text.Tree (Tree (..), treeOffset)
import Tern.Wasm.Text.Types (signature, typeUse, valType, valTypeBytes)
import Tern.Wasm.Type (FuncType (..))

-- | A body with its size and its locals, neighbours of one type together, given the parameters'
-- names.
function :: Names -> Int -> [Maybe ByteString] -> [Tree] -> P Builder
function ns _ params trees = do
  start <- foldM name noSpace (map (0,) params)
  (space, types, rest) <- declared start [] trees
  code <- wholly (Scope ns space Map.empty 0) rest
  let runs = NonEmpty.group (reverse types)
  pure
    ( sizedBytes
        ( leb (length runs)
            <> foldMap (\(t :| ts) -> leb (1 + length ts) <> valTypeBytes t) runs
            <> code
            <> BB.word8 0x0B
        )
    )
  where
    name (Space m n) (o, given) = case given of
      Just w
        | Map.member w m -> refuse o "a local's name that is not taken"
        | otherwise -> pure (Space (Map.insert w n m) (n + 1))
      Nothing -> pure (Space m (n + 1))
    declared space types = \case
      List o [Atom _ "local", Atom _ w, t] : rest | isName w -> do
        b <- valType ns t
        space' <- name space (o, Just w)
        declared space' (b : types) rest
      List o (Atom _ "local" : ts) : rest -> do
        bs <- mapM (valType ns) ts
        space' <- foldM name space (map (const (o, Nothing)) bs)
        declared space' (reverse bs <> types) rest
      rest -> pure (space, types, rest)

-- | A constant expression with its end.
expression :: Names -> [Tree] -> P Builder
expression ns trees = (<> BB.word8 0x0B) <$> wholly (Scope ns noSpace Map.empty 0) trees

wholly :: Scope -> [Tree] -> P Builder
wholly sc trees = do
  (code, rest) <- row sc trees
  end rest
  pure code

-- | Instructions up to an @end@ or @else@ that belongs to somebody outside.
row :: Scope -> [Tree] -> P (Builder, [Tree])
row sc = go mempty
  where
    go acc trees = case trees of
      [] -> pure (acc, [])
      Atom _ w : _ | w == "end" || w == "else" -> pure (acc, trees)
      Atom o w : rest -> do
        (code, rest') <- flat sc o w rest
        go (acc <> code) rest'
      List o (Atom o' w : inner) : rest -> do
        code <- folded sc o o' w inner
        go (acc <> code) rest
      t : _ -> refuse (treeOffset t) "an instruction"

-- | An instruction and what follows it in its row.
flat :: Scope -> Int -> ByteString -> [Tree] -> P (Builder, [Tree])
flat sc o w rest = case w of
  "block" -> block 0x02
  "loop" -> block 0x03
  "try_table" -> do
    (label, bt, inner) <- opening sc rest
    (clauses, inner') <- catches sc inner
    (code, after) <- row (inside sc label) inner'
    after' <- finish label after
    pure (BB.word8 0x1F <> bt <> clauses <> code <> BB.word8 0x0B, after')
  "if" -> do
    (label, bt, inner) <- opening sc rest
    (code, after) <- row (inside sc label) inner
    case after of
      Atom _ "else" : more -> do
        more' <- closing label more
        (code', after') <- row (inside sc label) more'
        after'' <- finish label after'
        pure (BB.word8 0x04 <> bt <> code <> BB.word8 0x05 <> code' <> BB.word8 0x0B, after'')
      _ -> do
        after' <- finish label after
        pure (BB.word8 0x04 <> bt <> code <> BB.word8 0x0B, after')
  _ -> plain sc o w rest
  where
    block b = do
      (label, bt, inner) <- opening sc rest
      (code, after) <- row (inside sc label) inner
      after' <- finish label after
      pure (BB.word8 b <> bt <> code <> BB.word8 0x0B, after')
    finish label = \case
      Atom _ "end" : more -> closing label more
      _ -> refuse o "an end for this block"

-- | The label that may stand again after @end@ and @else@.
closing :: Maybe ByteString -> [Tree] -> P [Tree]
closing label = \case
  Atom o w : rest
    | isName w -> if label == Just w then pure rest else refuse o "the label of the block"
  rest -> pure rest

-- | What a block sees that has a label.
inside :: Scope -> Maybe ByteString -> Scope
inside sc label =
  sc {labels = maybe id (`Map.insert` depth sc) label (labels sc), depth = depth sc + 1}

-- | What a block catches, with its labels as they are outside of it.
catches :: Scope -> [Tree] -> P (Builder, [Tree])
catches sc = go mempty 0
  where
    go acc n = \case
      List _ [Atom _ "catch", t, l] : rest -> tagged 0x00 t l >>= \c -> go (acc <> c) (n + 1) rest
      List _ [Atom _ "catch_ref", t, l] : rest ->
        tagged 0x01 t l >>= \c -> go (acc <> c) (n + 1) rest
      List _ [Atom _ "catch_all", l] : rest ->
        labelIndex sc l >>= \x -> go (acc <> BB.word8 0x02 <> leb x) (n + 1) rest
      List _ [Atom _ "catch_all_ref", l] : rest ->
        labelIndex sc l >>= \x -> go (acc <> BB.word8 0x03 <> leb x) (n + 1) rest
      rest -> pure (leb n <> acc, rest)
    tagged b t l =
      (\x y -> BB.word8 b <> leb x <> leb y) <$> index (nameTags (names sc)) t <*> labelIndex sc l

-- | A label, a block's type and what follows.
opening :: Scope -> [Tree] -> P (Maybe ByteString, Builder, [Tree])
opening sc trees = do
  when (depth sc >= maxDepth) $
    refuse (maybe 0 treeOffset (listToMaybe trees)) "blocks that are nested less deeply"
  let (label, rest) = optionalName trees
      typed = case rest of
        List _ (Atom _ "type" : _) : _ -> True
        _ -> False
  (_, ft, after) <-
    if typed
      then pure ([], FuncType [] [], rest)
      else signature (names sc) False rest
  case ft of
    FuncType [] [] | not typed -> pure (label, BB.word8 0x40, after)
    FuncType [] [t] | not typed -> pure (label, valTypeBytes t, after)
    _ -> do
      (x, _, after') <- typeUse (names sc) False rest
      pure (label, signedLeb (fromIntegral x), after')

folded :: Scope -> Int -> Int -> ByteString -> [Tree] -> P Builder
folded sc o o' w inner = case w of
  "block" -> block 0x02
  "loop" -> block 0x03
  "try_table" -> do
    (label, bt, rest) <- opening sc inner
    (clauses, rest') <- catches sc rest
    code <- wholly (inside sc label) rest'
    pure (BB.word8 0x1F <> bt <> clauses <> code <> BB.word8 0x0B)
  "if" -> do
    (label, bt, rest) <- opening sc inner
    (condition, branches) <- conditions mempty rest
    case branches of
      [List _ (Atom _ "then" : yes)] -> do
        code <- wholly (inside sc label) yes
        pure (condition <> BB.word8 0x04 <> bt <> code <> BB.word8 0x0B)
      [List _ (Atom _ "then" : yes), List _ (Atom _ "else" : no)] -> do
        code <- wholly (inside sc label) yes
        code' <- wholly (inside sc label) no
        pure (condition <> BB.word8 0x04 <> bt <> code <> BB.word8 0x05 <> code' <> BB.word8 0x0B)
      _ -> refuse o "then, and at most an else"
  _ -> do
    (code, rest) <- plain sc o' w inner
    operands <- mapM operand rest
    pure (mconcat operands <> code)
  where
    block b = do
      (label, bt, rest) <- opening sc inner
      code <- wholly (inside sc label) rest
      pure (BB.word8 b <> bt <> code <> BB.word8 0x0B)
    conditions acc = \case
      t@(List _ (Atom _ k : _)) : rest | k /= "then" -> do
        code <- operand t
        conditions (acc <> code) rest
      rest -> pure (acc, rest)
    operand = \case
      List p (Atom p' k : more) -> folded sc p p' k more
      t -> refuse (treeOffset t) "a folded instruction"
