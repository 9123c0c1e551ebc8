{-# LANGUAGE OverloadedStrings #-}

-- | Custom sections in the text format: annotations among a module's fields.
--
-- > (@custom "name" (after func) "bytes" "more bytes")
--
-- The idea: an annotation says before or after which section its own goes, and at the
-- end of the module if it says nothing.
module Tern.Wasm.Text.Custom
  ( Place (..),
    customsOf,
    isCustom,
    sectionNames,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (Builder)
import Data.ByteString.Builder qualified as BB
import Data.Text.Encoding (decodeUtf8')
import Tern.Wasm.Text.Bytes (leb, sizedBytes)
import Tern.Wasm.Text.Tree (TextError (..), Tree (..), customHead, treeOffset)

-- | The custom sections among fields, each with its place, in order.
customsOf :: [Tree] -> Either TextError [(Place, Builder)]
customsOf trees = mapM customOf [(o, rest) | List o (Atom _ w : rest) <- trees, w == customHead]

-- | Whether a tree is the annotation of a custom section.
isCustom :: Tree -> Bool
isCustom = \case
  List _ (Atom _ w : _) -> w == customHead
  _ -> False

-- | Where a custom section goes: before or after another, or all.
data Place = Before !ByteString | After !ByteString
  deriving stock (Eq)

-- | A custom section and its place, by the annotation that it is written as.
customOf :: (Int, [Tree]) -> Either TextError (Place, Builder)
customOf (o, trees) = case trees of
  String p name : rest -> do
    either (const (Left (TextError p "a name in UTF-8"))) (const (Right ())) (decodeUtf8' name)
    (place, contents) <- placed rest
    bytes <- mapM content contents
    Right
      ( place,
        BB.word8 0
          <> sizedBytes
            (leb (B.length name) <> BB.byteString name <> foldMap BB.byteString bytes)
      )
  _ -> Left (TextError o "a custom section's name")
  where
    placed = \case
      List p inner : rest -> (,rest) <$> placeOf p inner
      rest -> Right (After "last", rest)
    placeOf p = \case
      [Atom _ "before", Atom _ s] | s == "first" || s `elem` sectionNames -> Right (Before s)
      [Atom _ "after", Atom _ s] | s == "last" || s `elem` sectionNames -> Right (After s)
      _ -> Left (TextError p "before or after a section")
    content = \case
      String _ bytes -> Right bytes
      t -> Left (TextError (treeOffset t) "a string")

-- | What the sections are called, in their order.
sectionNames :: [ByteString]
sectionNames =
  [ "type",
    "import",
    "func",
    "table",
    "memory",
    "tag",
    "global",
    "export",
    "start",
    "elem",
    "datacount",
    "code",
    "data"
  ]
