-- | From bytes to a module that may be instantiated.
--
-- The idea: what a body is, and whether it is valid, is asked of the quick pass first, and in
-- full only of what that does not know.
--
-- Start at 'loadWith'.
module Tern.Wasm.Loading
  ( load,
    loadBy,
    loadText,
    binaryOf,
    loadWith,
    Loading (..),
    defaultLoading,
    nativeFunctions,
    loadProfiled,
    profileOf,
    functionName,
  )
where

import Data.Bifunctor (first)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.IntMap.Strict qualified as IntMap
import Data.Maybe (isJust)
import Data.Text (Text)
import Data.Vector.Mutable qualified as MV
import Tern.Wasm.Binary (decodeBy, decodeLazily)
import Tern.Wasm.Code (Lowered (..))
import Tern.Wasm.Compiled (Compiled (..), compile)
import Tern.Wasm.Lower (Options (..))
import Tern.Wasm.Native (Tier (..), available, oldest, processor)
import Tern.Wasm.Profile (newProfile, totals)
import Tern.Wasm.Profile qualified as Profile
import Tern.Wasm.Refusal (Error (..))
import Tern.Wasm.Text.Parse (assemble, renderTextError)
import Tern.Wasm.Valid
  ( Rules (..),
    Spaces (..),
    Valid (..),
    validateBy,
    validateLazily,
    validateSoon,
  )

-- | Decode and validate; functions are lowered when they are first called.
load :: ByteString -> IO (Either Error Compiled)
load = loadWith defaultLoading

-- | The same by the rules of an edition of the specification.
loadBy :: Rules -> ByteString -> IO (Either Error Compiled)
loadBy rules = loadWith defaultLoading {loadingRules = rules}

-- | How to load a module.
data Loading = Loading
  { -- | The edition by whose rules it is judged.
    loadingRules :: !Rules,
    -- | Count what its instances run, at some cost of time.
    loadingProfile :: !Bool,
    -- | Every NaN that an operator makes is the canonical one, so that results
    -- are the same on every machine; costs an instruction for each such operator.
    loadingCanonicalNaNs :: !Bool,
    -- | Look at each function when it is first called, not now: a large module
    -- starts much sooner, and a function that is malformed or invalid is a trap
    -- where it is called (@BrokenFunction@).
    loadingLazily :: !Bool,
    -- | How its functions are run.
    loadingTier :: !Tier,
    -- | Native code is for the oldest processors that can run any, though this one may have
    -- more: the same results, somewhat slower.
    loadingOldest :: !Bool
  }
  deriving stock (Eq, Show)

-- | By the third edition; without counting; NaNs as the machine makes them; all
-- functions checked; native code for what runs long, where there is any, and for this
-- machine's processor.
defaultLoading :: Loading
defaultLoading = Loading Rules3 False False False Auto False

-- | The same with choices of one's own.
loadWith :: Loading -> ByteString -> IO (Either Error Compiled)
loadWith how bytes = case checked of
  Left e -> pure (Left e)
  Right v -> do
    profile <- if loadingProfile how then Just <$> newProfile (B.length bytes) else pure Nothing
    Right <$> compile (Options profile (loadingCanonicalNaNs how) Nothing tier for) v
  where
    rules = loadingRules how
    tier = if available then loadingTier how else Interpreter
    for = if loadingOldest how then oldest else processor
    checked
      | loadingLazily how = do
          m <- first MalformedModule (decodeLazily rules bytes)
          first InvalidModule (validateLazily rules m)
      -- What is not soon found to be right is looked at once more, for what is
      -- wrong with it: malformed bytes anywhere come before what is invalid.
      | Right m <- decodeLazily rules bytes,
        Just v <- validateSoon rules m =
          Right v
      | otherwise = do
          m <- first MalformedModule (decodeBy rules bytes)
          first InvalidModule (validateBy rules m)

-- | Load a module in the text format.
loadText :: ByteString -> IO (Either Error Compiled)
loadText source =
  either (pure . Left . MalformedText . renderTextError source) load (assemble source)

-- | The binary module that bytes hold in either format: what does not begin as a
-- binary module is taken for text.
binaryOf :: ByteString -> Either Error ByteString
binaryOf bytes
  | B.pack [0, 0x61, 0x73, 0x6D] `B.isPrefixOf` bytes = Right bytes
  | otherwise = either (Left . MalformedText . renderTextError bytes) Right (assemble bytes)

-- | Load a module whose instances count what they run, at some cost of time.
loadProfiled :: ByteString -> IO (Either Error Compiled)
loadProfiled = loadWith defaultLoading {loadingProfile = True}

-- | What the instances of a module have run, by function; empty unless it was
-- loaded by 'loadProfiled'.
profileOf :: Compiled -> IO [Profile.Entry]
profileOf = maybe (pure []) totals . optionProfile . compiledOptions

-- | What the module's name section calls a function, by its index.
functionName :: Compiled -> Int -> Maybe Text
functionName m x = IntMap.lookup x (compiledNames m)

-- | The functions of a module that have native code by now, by their index.
nativeFunctions :: Compiled -> IO [Int]
nativeFunctions m = do
  lowered <- mapM (MV.read (compiledCode m)) [0 .. MV.length (compiledCode m) - 1]
  pure
    [ k + spaceImportedFuncs (validSpaces (compiledValid m))
      | (k, Just l) <-
          zip [0 ..] lowered,
        isJust (loweredNative l)
    ]
