{-# LANGUAGE OverloadedStrings #-}

-- | Scripts of the text format (@.wast@): modules, calls and what must come of
-- them, as the official suite is written.
--
-- The idea: a command is a tree; each is carried out in order in one store, and
-- gives its kind and what is wrong, if anything is.
--
-- Start at 'runScript'.
module Tern.Wasm.Text.Script
  ( Outcome (..),
    runScript,
    runScriptWith,
  )
where

import Control.Monad (zipWithM)
import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.IORef (IORef, modifyIORef, newIORef, readIORef, writeIORef)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isNothing)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (decodeUtf8With)
import Data.Text.Encoding.Error (lenientDecode)
import Data.Word (Word64)
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble)
import Tern.Wasm
  ( Compiled,
    Error (..),
    Exhaustion (..),
    HeapType (..),
    Imports,
    Instance,
    Loading,
    RefType (..),
    Settings,
    Store,
    ValType (..),
    Value (..),
    defaultLoading,
    fromInstance,
    instantiate,
    invoke,
    loadWith,
    newStore,
    readGlobal,
    renderError,
    renderHeap,
  )
import Tern.Wasm.Spectest (spectest)
import Tern.Wasm.Text.Number (float32, float64, integer, unsigned)
import Tern.Wasm.Text.Parse (assemble, assembleFields, renderTextError)
import Tern.Wasm.Text.Scope (optionalName)
import Tern.Wasm.Text.Tree (Tree (..), readTrees, treeOffset)
import Tern.Wasm.Value (fits)

-- | What a command came to.
data Outcome = Outcome
  { -- | From 1.
    outcomeLine :: !Int,
    outcomeKind :: !Text,
    outcomeComplaint :: !(Maybe Text)
  }
  deriving stock (Eq, Show)

data World = World
  { -- | Of the script, to say where in it something is.
    written :: !ByteString,
    store :: !Store,
    loading :: !Loading,
    registered :: !(IORef Imports),
    current :: !(IORef (Maybe Instance)),
    named :: !(IORef (Map ByteString Instance)),
    -- | Modules that were defined without an instance, the last one under no name.
    defined :: !(IORef (Map ByteString [Tree]))
  }

-- | Run a script in a store of its own; or why it is none.
runScript :: Settings -> ByteString -> IO (Either Text [Outcome])
runScript = runScriptWith defaultLoading

-- | The same, its modules loaded in a way.
runScriptWith :: Loading -> Settings -> ByteString -> IO (Either Text [Outcome])
runScriptWith how settings source = case readTrees source of
  Left e -> pure (Left (renderTextError source e))
  Right trees -> do
    s <- newStore settings
    world <-
      World source s how
        <$> (spectest s >>= newIORef)
        <*> newIORef Nothing
        <*> newIORef Map.empty
        <*> newIORef Map.empty
    Right <$> commands world trees

-- | In order. Fields that stand by themselves are a module together.
commands :: World -> [Tree] -> IO [Outcome]
commands w = \case
  [] -> pure []
  t@(List _ (Atom _ "script" : inner)) : rest -> do
    outcomes <- commands w (snd (optionalName inner))
    (outcomes <>) . (outcome t ("script", Nothing) :) <$> commands w rest
  t : rest
    | isField t -> do
        let (fields, rest') = span isField rest
        first_ <- command w (List (treeOffset t) (Atom (treeOffset t) "module" : t : fields))
        (outcome t first_ :) <$> commands w rest'
    | otherwise -> do
        first_ <- command w t
        (outcome t first_ :) <$> commands w rest
  where
    outcome t = uncurry (Outcome (1 + BC.count '\n' (B.take (treeOffset t) (written w))))
    isField = \case
      List _ (Atom _ kind : _) ->
        kind
          `elem` [ "type",
                   "rec",
                   "import",
                   "func",
                   "table",
                   "memory",
                   "global",
                   "tag",
                   "export",
                   "start",
                   "elem",
                   "data"
                 ]
      _ -> False

command :: World -> Tree -> IO (Text, Maybe Text)
command w t = case t of
  List _ (Atom _ "module" : Atom _ "definition" : rest) ->
    ("module definition",) <$> do
      let (name, _) = optionalName rest
      modifyIORef (defined w) (maybe id (`Map.insert` rest) name . Map.insert "" rest)
      either (Just . renderError) (const Nothing) <$> loaded w rest
  List _ (Atom _ "module" : Atom _ "instance" : rest) ->
    ("module instance",) <$> do
      let (name, rest') = optionalName rest
      definedAs rest' >>= maybe (pure (Just "there is no such definition")) (instantiated name)
  List _ (Atom _ "module" : rest) -> ("module",) <$> instantiated (fst (optionalName rest)) rest
  List _ [Atom _ "register", String _ as] -> registering as Nothing
  List _ [Atom _ "register", String _ as, Atom _ name] -> registering as (Just name)
  List _ (Atom _ kind : _)
    | kind == "invoke" || kind == "get" ->
        (text kind,) . either Just (const Nothing) <$> action w t
  List _ (Atom _ "assert_return" : a : expected) ->
    ("assert_return",) <$> (action w a >>= either (pure . Just) (compared (store w) expected))
  List _ [Atom _ kind, a]
    | Just one <- lookup kind nanKinds ->
        (text kind,) <$> (action w a >>= either (pure . Just) (pure . oneNan one))
  List _ [Atom _ "assert_trap", List _ (Atom _ "module" : m), _] ->
    ("assert_trap",) <$> instance_ (\case Trapped {} -> True; _ -> False) m
  List _ [Atom _ "assert_trap", a, _] ->
    ("assert_trap",) <$> stopped (\case Trapped {} -> True; _ -> False) a
  List _ [Atom _ "assert_exhaustion", a, _] ->
    ("assert_exhaustion",) <$> stopped (\case Exhausted StackExhausted _ -> True; _ -> False) a
  List _ [Atom _ "assert_exception", a] ->
    ("assert_exception",) <$> stopped (\case UncaughtException {} -> True; _ -> False) a
  List _ [Atom _ "assert_invalid", List _ (Atom _ "module" : m), _] ->
    ("assert_invalid",) . refused (\case InvalidModule _ -> True; _ -> False)
      <$> loaded w (definition m)
  List _ [Atom _ "assert_malformed", List _ (Atom _ "module" : m), _] ->
    ("assert_malformed",)
      . refused (\case MalformedModule _ -> True; MalformedText _ -> True; _ -> False)
      <$> loaded w (definition m)
  -- What is in a custom section is nobody's business here.
  List _ [Atom _ kind, List _ (Atom _ "module" : _), _]
    | kind == "assert_malformed_custom" || kind == "assert_invalid_custom" ->
        pure (text kind <> " (not looked at)", Nothing)
  List _ [Atom _ "assert_unlinkable", List _ (Atom _ "module" : m), _] ->
    ("assert_unlinkable",) <$> instance_ (\case UnlinkableModule _ -> True; _ -> False) m
  List _ (Atom _ kind : _)
    | kind == "input" || kind == "output" ->
        pure (text kind, Just "a script reads and writes no files here")
  _ -> pure ("unknown", Just "not a command that is known")
  where
    registering as name =
      ("register",)
        <$> withInstance
          w
          name
          ( \i ->
              Nothing <$ modifyIORef (registered w) (Map.union (fromInstance (text as) i))
          )
    definedAs rest = Map.lookup (fromMaybe "" (fst (optionalName rest))) <$> readIORef (defined w)
    definition = \case
      Atom _ "definition" : rest -> rest
      m -> m
    -- One that must be refused, as it stands or by its definition.
    instance_ f = \case
      Atom _ "instance" : rest ->
        definedAs (snd (optionalName rest))
          >>= maybe (pure (Just "there is no such definition")) (fmap (refused f) . define w)
      m -> refused f <$> define w m
    instantiated name source =
      define w source >>= \case
        Left e -> Just (renderError e) <$ writeIORef (current w) Nothing
        Right i -> do
          writeIORef (current w) (Just i)
          mapM_ (\n -> modifyIORef (named w) (Map.insert n i)) name
          pure Nothing
    stopped f a =
      performed w a >>= \case
        Left problem -> pure (Just problem)
        Right outcome -> pure (refused f outcome)

withInstance :: World -> Maybe ByteString -> (Instance -> IO (Maybe Text)) -> IO (Maybe Text)
withInstance w name f = do
  i <- maybe (readIORef (current w)) (\n -> Map.lookup n <$> readIORef (named w)) name
  maybe (pure (Just "there is no such module")) f i

refused :: (Error -> Bool) -> Either Error a -> Maybe Text
refused f = \case
  Right _ -> Just "was accepted"
  Left e
    | f e -> Nothing
    | otherwise -> Just (renderError e)

-- * Modules

loaded :: World -> [Tree] -> IO (Either Error Compiled)
loaded w trees = either (pure . Left) (loadWith (loading w)) (binary (written w) trees)

define :: World -> [Tree] -> IO (Either Error Instance)
define w trees =
  loaded w trees >>= \case
    Left e -> pure (Left e)
    Right m -> readIORef (registered w) >>= instantiate (store w) m

-- | A module in its binary form, as quoted text, or as it stands in a source.
binary :: ByteString -> [Tree] -> Either Error ByteString
binary script = \case
  Atom _ name : rest | BC.take 1 name == "$" -> binary script rest
  Atom _ "binary" : strings -> Right (B.concat (map bytes strings))
  Atom _ "quote" : strings ->
    let source =
          B.concat (map bytes strings)
     in either (Left . MalformedText . renderTextError source) Right (assemble source)
  fields -> either (Left . MalformedText . renderTextError script) Right (assembleFields fields)
  where
    bytes = \case
      String _ b -> b
      _ -> B.empty

-- * Actions

action :: World -> Tree -> IO (Either Text [Value])
action w t = either Left (either (Left . renderError) Right) <$> performed w t

performed :: World -> Tree -> IO (Either Text (Either Error [Value]))
performed w = \case
  List _ (Atom _ kind : Atom _ name : rest) -> via kind (Just name) rest
  List _ (Atom _ kind : rest) -> via kind Nothing rest
  _ -> pure (Left "an action was expected")
  where
    via kind name rest = do
      i <- maybe (readIORef (current w)) (\n -> Map.lookup n <$> readIORef (named w)) name
      case (i, kind, rest) of
        (Nothing, _, _) -> pure (Left "there is no such module")
        (Just m, "invoke", String _ f : args) -> case mapM constant args of
          Nothing -> pure (Left "constants were expected as arguments")
          Just values -> Right <$> invoke m (text f) values
        (Just m, "get", [String _ g]) -> Right . fmap pure <$> readGlobal m (text g)
        _ -> pure (Left "invoke or get was expected")

-- * Values

constant :: Tree -> Maybe Value
constant t =
  pattern_ t >>= \case
    Exactly v -> Just v
    _ -> Nothing

-- | What a result must be.
data Pattern
  = Exactly !Value
  | -- | Lanes: the value's type, the bytes of a lane, and for each lane its bits or a
    -- kind of NaN.
    Lanes !ValType !Int ![Lane]
  | -- | A reference that is not null, to something that is below one of these.
    Referring ![HeapType]
  | AnyNull
  | OneOf ![Pattern]

data Lane = Bits !Word64 | Canonical | Arithmetic

pattern_ :: Tree -> Maybe Pattern
pattern_ = \case
  List _ [Atom _ "i32.const", Atom _ n] -> Exactly . I32Value . fromIntegral <$> integer 32 n
  List _ [Atom _ "i64.const", Atom _ n] -> Exactly . I64Value <$> integer 64 n
  List _ [Atom _ "f32.const", Atom _ n] ->
    lane 4 n >>= \case
      Bits b -> Just (Exactly (F32Value (castWord32ToFloat (fromIntegral b))))
      l -> Just (Lanes F32 4 [l])
  List _ [Atom _ "f64.const", Atom _ n] ->
    lane 8 n >>= \case
      Bits b -> Just (Exactly (F64Value (castWord64ToDouble b)))
      l -> Just (Lanes F64 8 [l])
  List _ (Atom _ "v128.const" : Atom _ shape : values) -> do
    (size, float) <-
      lookup
        shape
        [ ("i8x16", (1, False)),
          ("i16x8", (2, False)),
          ("i32x4", (4, False)),
          ("i64x2", (8, False)),
          ("f32x4", (4, True)),
          ("f64x2", (8, True))
        ]
    lanes <- mapM (atom (if float then lane size else fmap Bits . integer (8 * size))) values
    Just $ case mapM exact lanes of
      Just bits
        | length bits * size == 16 ->
            let n =
                  8 `div` size
             in Exactly (V128Value (half size (take n bits)) (half size (drop n bits)))
      _ -> Lanes V128 size lanes
  List _ [Atom _ "ref.null", Atom _ "func"] -> Just (Exactly (FuncValue Nothing))
  List _ [Atom _ "ref.null", Atom _ "extern"] -> Just (Exactly (ExternValue Nothing))
  List _ [Atom _ "ref.null", Atom _ kind]
    | kind == "exn" || kind == "noexn" ->
        Just (Exactly (NullValue ExnHeap))
  List _ [Atom _ "ref.null", Atom _ "nofunc"] -> Just (Exactly (FuncValue Nothing))
  List _ [Atom _ "ref.null", Atom _ "noextern"] -> Just (Exactly (ExternValue Nothing))
  List _ [Atom _ "ref.null", Atom _ _] -> Just (Exactly (NullValue AnyHeap))
  List _ [Atom _ "ref.null"] -> Just AnyNull
  List _ [Atom _ "ref.extern", Atom _ n] ->
    Exactly . ExternValue . Just . fromIntegral <$> unsigned n
  List _ [Atom _ "ref.host", Atom _ n] -> Exactly . HostValue . fromIntegral <$> unsigned n
  List _ [Atom _ "ref.extern"] -> Just (Referring [ExternHeap])
  List _ (Atom _ "ref.func" : _) -> Just (Referring [FuncHeap])
  List _ [Atom _ "ref.any"] -> Just (Referring [AnyHeap])
  List _ [Atom _ "ref.eq"] -> Just (Referring [EqHeap])
  List _ [Atom _ "ref.i31"] -> Just (Referring [I31Heap])
  List _ [Atom _ "ref.struct"] -> Just (Referring [StructHeap])
  List _ [Atom _ "ref.array"] -> Just (Referring [ArrayHeap])
  List _ [Atom _ "ref.exn"] -> Just (Referring [ExnHeap])
  List _ (Atom _ "either" : rest) -> OneOf <$> mapM pattern_ rest
  _ -> Nothing
  where
    atom f = \case
      Atom _ n -> f n
      _ -> Nothing
    lane size = \case
      "nan:canonical" -> Just Canonical
      "nan:arithmetic" -> Just Arithmetic
      n -> Bits <$> if size == (4 :: Int) then fromIntegral <$> float32 n else float64 n
    exact = \case
      Bits b -> Just b
      _ -> Nothing
    half size = foldr (\l acc -> if size == 8 then l else acc `shiftL` (8 * size) .|. l) 0

-- | Assertions of older scripts.
nanKinds :: [(ByteString, Lane)]
nanKinds =
  [("assert_return_canonical_nan", Canonical), ("assert_return_arithmetic_nan", Arithmetic)]

oneNan :: Lane -> [Value] -> Maybe Text
oneNan l = \case
  [F32Value x] | laneIs 4 l (fromIntegral (castFloatToWord32 x)) -> Nothing
  [F64Value x] | laneIs 8 l (castDoubleToWord64 x) -> Nothing
  given -> Just (T.unwords ("found" : map shown given))

compared :: Store -> [Tree] -> [Value] -> IO (Maybe Text)
compared s expected given = case mapM pattern_ expected of
  Nothing -> pure (Just "the expected results are not understood")
  Just patterns -> do
    fit <-
      if length patterns == length given
        then and <$> zipWithM (matches s) patterns given
        else pure False
    pure (if fit then Nothing else Just (T.concat ["found ", T.unwords (map shown given)]))

matches :: Store -> Pattern -> Value -> IO Bool
matches s p v = case (p, v) of
  (Exactly e, _) -> pure (same e v)
  (Lanes F32 _ [l], F32Value x) -> pure (laneIs 4 l (fromIntegral (castFloatToWord32 x)))
  (Lanes F64 _ [l], F64Value x) -> pure (laneIs 8 l (castDoubleToWord64 x))
  (Lanes V128 size ls, V128Value low high) ->
    pure (and (zipWith (laneIs size) ls (cut size low <> cut size high)))
  (Referring hs, _) -> or <$> mapM (\h -> fits s (Ref (RefType False h)) v) hs
  (AnyNull, _) -> pure (isNull v)
  (OneOf ps, _) -> or <$> mapM (\q -> matches s q v) ps
  _ -> pure False
  where
    cut size w = take (8 `div` size) (map (.&. mask size) (iterate (`shiftR` (8 * size)) w))
    mask size = if size == 8 then maxBound else (1 `shiftL` (8 * size)) - 1

-- | Whether a lane of @size@ bytes is what it must be.
laneIs :: Int -> Lane -> Word64 -> Bool
laneIs size l bits = case l of
  Bits n -> n == bits
  Canonical -> bits .&. (quiet .|. (quiet - 1)) == quiet
  Arithmetic -> bits .&. quiet == quiet
  where
    quiet = if size == 4 then 0x7FC00000 else 0x7FF8000000000000

same :: Value -> Value -> Bool
same a b = case (a, b) of
  (I32Value x, I32Value y) -> x == y
  (I64Value x, I64Value y) -> x == y
  (F32Value x, F32Value y) -> castFloatToWord32 x == castFloatToWord32 y
  (F64Value x, F64Value y) -> castDoubleToWord64 x == castDoubleToWord64 y
  (V128Value x x', V128Value y y') -> x == y && x' == y'
  (FuncValue x, FuncValue y) -> isNothing x && isNothing y
  (ExternValue x, ExternValue y) -> x == y
  (RefValue _ _ x, RefValue _ _ y) -> x == y
  (HostValue x, HostValue y) -> x == y
  (NullValue _, NullValue _) -> True
  _ -> False

isNull :: Value -> Bool
isNull = \case
  FuncValue f -> isNothing f
  ExternValue n -> isNothing n
  NullValue _ -> True
  _ -> False

shown :: Value -> Text
shown = \case
  I32Value n -> "i32:" <> decimal n
  I64Value n -> "i64:" <> decimal n
  F32Value x -> "f32:" <> decimal x
  F64Value x -> "f64:" <> decimal x
  V128Value low high -> T.concat ["v128:", decimal low, ",", decimal high]
  FuncValue f -> if isNothing f then "ref.null func" else "ref.func"
  ExternValue n -> maybe "ref.null extern" (("ref.extern " <>) . decimal) n
  HostValue n -> "ref.host " <> decimal n
  RefValue h _ _ -> "ref." <> renderHeap h
  NullValue h -> "ref.null " <> renderHeap h
  where
    decimal :: (Show a) => a -> Text
    decimal = T.pack . show

text :: ByteString -> Text
text = decodeUtf8With lenientDecode
