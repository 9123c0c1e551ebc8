{-# LANGUAGE OverloadedStrings #-}

-- | JSON patches (RFC 6902): changes of a document, one after the other, all or none.
--
-- The idea: a patch is a list of operations as data. They are done on a tree that is
-- opened where they go ("Tern.Json.Tree"), so that each takes time in proportion to its
-- pointer and logarithmic in the sizes of what it passes; the first that fails is named,
-- and nothing is changed. Start at 'decodePatch' and 'patch'.
module Tern.Json.Operation
  ( Operation (..),

    -- * As documents
    decodePatch,
    parsePatch,
    patchValue,

    -- * Use
    patch,
    patchWithin,
    PatchError (..),
    PatchReason (..),
    Missing (..),
    renderPatchError,
  )
where

import Control.Monad (foldM)
import Data.Bifunctor (first)
import Data.ByteString (ByteString)
import Data.List (isPrefixOf)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern.Error (Error, Segment (..), renderError, renderPath)
import Tern.Internal.Json.Document (decodeWith)
import Tern.Json.Pointer (Pointer (..), arrayIndex, parsePointer, renderPointer)
import Tern.Json.Tree
  ( Missing (..),
    Tree,
    harvest,
    insert,
    lookupTree,
    plant,
    remove,
    replace,
    sameAs,
    weighs,
  )
import Tern.Limits (defaultLimits)
import Tern.Value (Value (..), member, object, valueR)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Tern.Json (decodeJson, encodeJson)
-- >>> import Tern.Json.Patch
-- >>> import Tern.Value (Value (..))
-- >>> import Data.Text qualified as T

-- | A change of a document (section 4).
data Operation
  = -- | Put a value before an element, or at a member's name.
    Add !Pointer !Value
  | Remove !Pointer
  | Replace !Pointer !Value
  | -- | From the first pointer to the second.
    Move !Pointer !Pointer
  | -- | From the first pointer to the second.
    Copy !Pointer !Pointer
  | -- | Fail where another value is there.
    Test !Pointer !Value
  deriving stock (Eq, Show)

-- | Which operation failed, counted from 0, and why.
data PatchError = PatchError
  { patchIndex :: !Int,
    patchReason :: !PatchReason
  }
  deriving stock (Eq, Show)

-- | Why an operation cannot be done (RFC 6902, section 5).
data PatchReason
  = -- | There is nothing at this pointer.
    NotThere !Pointer !Missing
  | -- | Another value is there.
    Differs !Pointer
  | -- | A value cannot be moved into itself.
    IntoItself !Pointer !Pointer
  | -- | All copies together have more values than were allowed.
    TooManyCopied !Int
  | -- | It is no operation, at this place in it and in words.
    NoOperation ![Segment] !Text
  deriving stock (Eq, Show)

-- * As documents

-- | A patch from bytes, within 'defaultLimits'. In words, where it is none.
--
-- >>> decodePatch "[{\"op\": \"remove\", \"path\": \"/a\"}]"
-- Right [Remove "/a"]
-- >>> decodePatch "[{\"op\": \"add\", \"path\": \"/a\"}]"
-- Left "operation 0: at $.value: the field is missing"
decodePatch :: ByteString -> Either Text [Operation]
decodePatch bytes = do
  value <- first (renderError bytes) (decodeWith valueR defaultLimits bytes :: Either Error Value)
  first renderPatchError (parsePatch value)

-- | The patch that a document is (section 3). Members that no operation has are passed
-- over; of a repeated one the last counts.
parsePatch :: Value -> Either PatchError [Operation]
parsePatch = \case
  Array vs -> traverse (\(i, v) -> first (PatchError i) (operation v)) (zip [0 ..] (V.toList vs))
  _ -> Left (PatchError 0 (NoOperation [] "a patch is an array of operations"))

operation :: Value -> Either PatchReason Operation
operation = \case
  Object o -> do
    name <- text "op"
    case name of
      "add" -> Add <$> pointer "path" <*> field "value"
      "remove" -> Remove <$> pointer "path"
      "replace" -> Replace <$> pointer "path" <*> field "value"
      "move" -> Move <$> pointer "from" <*> pointer "path"
      "copy" -> Copy <$> pointer "from" <*> pointer "path"
      "test" -> Test <$> pointer "path" <*> field "value"
      _ -> wrong "op" "expected add, remove, replace, move, copy or test"
    where
      field key = maybe (wrong key "the field is missing") Right (member key o)
      text key =
        field key >>= \case
          String t -> Right t
          _ -> wrong key "expected a string"
      pointer key = text key >>= either (wrong key) Right . parsePointer
  _ -> Left (NoOperation [] "expected an object")
  where
    wrong key why = Left (NoOperation [Key key] why)

-- | The document that a patch is. 'parsePatch' reads it back.
--
-- >>> encodeJson (patchValue [Move "/a" "/b"])
-- "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/b\"}]"
patchValue :: [Operation] -> Value
patchValue operations = Array (V.fromList (map value operations))
  where
    value = \case
      Add path new -> entry "add" [("path", at path), ("value", new)]
      Remove path -> entry "remove" [("path", at path)]
      Replace path new -> entry "replace" [("path", at path), ("value", new)]
      Move from path -> entry "move" [("from", at from), ("path", at path)]
      Copy from path -> entry "copy" [("from", at from), ("path", at path)]
      Test path expected -> entry "test" [("path", at path), ("value", expected)]
    entry op fields = Object (object (("op", String op) : fields))
    at = String . renderPointer

-- * Use

-- | The document after all operations, or the first that fails (section 5). A number is
-- equal to another by its value, an object whatever its order. Copies may have
-- 16,777,216 values together.
--
-- >>> :{
-- encodeJson <$> (patch [Add "/a/0" Null, Remove "/b"] =<< either undefined Right
--   (decodeJson "{\"a\": [1], \"b\": 2}"))
-- :}
-- Right "{\"a\":[null,1]}"
patch :: [Operation] -> Value -> Either PatchError Value
patch = patchWithin 16777216

-- | As 'patch', with the number of values that copies may have together: a copy of copies
-- costs a patch few bytes and doubles the document.
patchWithin :: Int -> [Operation] -> Value -> Either PatchError Value
patchWithin most operations value =
  harvest . snd <$> foldM step (most, plant value) (zip [0 ..] operations)
  where
    step (left, tree) (i, op) = first (PatchError i) (apply most left op tree)

apply :: Int -> Int -> Operation -> Tree -> Either PatchReason (Int, Tree)
apply most left op tree = case op of
  Add path new -> (,) left <$> there path (insert path (plant new) tree)
  Remove path -> (,) left <$> there path (remove path tree)
  Replace path new -> (,) left <$> there path (replace path (plant new) tree)
  Move from path
    | from == path -> (left, tree) <$ there from (lookupTree from tree)
    | pointerTokens from `isPrefixOf` pointerTokens path -> Left (IntoItself from path)
    | otherwise -> do
        moved <- there from (lookupTree from tree)
        without <- there from (remove from tree)
        (,) left <$> there path (insert path moved without)
  Copy from path -> do
    copied <- there from (lookupTree from tree)
    left' <- maybe (Left (TooManyCopied most)) Right (weighs left copied)
    (,) left' <$> there path (insert path copied tree)
  Test path expected -> do
    found <- there path (lookupTree path tree)
    if sameAs expected found then Right (left, tree) else Left (Differs path)
  where
    there path = first (NotThere path)

-- | In words. The text has at most some hundred characters.
--
-- >>> putStrLn (either (T.unpack . renderPatchError) show (patch [Remove "/a/b"] Null))
-- operation 0: at $.a.b: "a" is looked for in what has no parts
renderPatchError :: PatchError -> Text
renderPatchError (PatchError i reason) = T.concat ["operation ", T.pack (show i), ": ", why]
  where
    why = case reason of
      NotThere path missing -> T.concat [place path, ": ", absent missing]
      Differs path -> place path <> ": the value is another one"
      IntoItself from path -> T.concat [place from, ": cannot be moved into itself, to ", at path]
      TooManyCopied most ->
        T.concat ["copies have more than ", T.pack (show most), " values together"]
      NoOperation path words' -> T.concat ["at ", renderPath path, ": ", words']
    place path = "at " <> at path
    at (Pointer tokens) =
      renderPath (map (\token -> maybe (Key token) Index (arrayIndex token)) tokens)
    absent = \case
      NoMember token -> T.concat ["there is no member ", shown token]
      NoElement token -> T.concat ["there is no element ", shown token]
      NoContainer token -> T.concat [shown token, " is looked for in what has no parts"]
      NoParent -> "the whole document cannot be removed"
    shown token =
      T.pack (show (T.unpack (T.take 40 token)))
        <> if T.compareLength token 40 == GT
          then "…"
          else ""
