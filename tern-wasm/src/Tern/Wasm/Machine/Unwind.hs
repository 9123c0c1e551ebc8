-- | Walking over frames: where a computation is, and who catches an exception.
--
-- The idea: a frame's function is the one whose code holds the instruction, and
-- its link is where the function's type says; so a row of frames is known from one
-- instruction and one address, and nothing is written down while code runs.
--
-- Start at 'Point' and 'trace'.
module Tern.Wasm.Machine.Unwind
  ( -- * Points
    Point (..),
    Crossing (..),
    halt,
    crossed,
    returning,

    -- * Traces
    TraceEntry (..),
    trace,
    traceBelow,
    frames,

    -- * Exceptions
    unwind,
  )
where

import Data.ByteString qualified as B
import Data.IntMap.Strict qualified as IntMap
import Data.Maybe (isJust)
import Data.Text (Text)
import Data.Vector qualified as V
import Data.Word (Word16)
import System.IO.Unsafe (unsafePerformIO)
import Tern.Wasm.Byte (opNumber)
import Tern.Wasm.Code (Handler (..), Lowered (..), Op (..), gateAddress, linkOffset, unit)
import Tern.Wasm.Compiled (Compiled (..), codeAt)
import Tern.Wasm.Lasting (address, forever)
import Tern.Wasm.Lower (Options (..), position)
import Tern.Wasm.Metered (Outcome (..))
import Tern.Wasm.Native (returnStub)
import Tern.Wasm.Prim (Ptr, peekByteOff, plusPtr, pokeByteOff)
import Tern.Wasm.Store (Instance (..), Tag (..))
import Tern.Wasm.Syntax (Expr (..), Func (funcBody), Functions (..), Index, Module (..))
import Tern.Wasm.Valid (Spaces (..), Valid (..))

-- * Points

-- | Where a computation is: its instance, the instances that called it with the
-- instruction to go on with, the instruction and the frame.
data Point = Point
  { pointInstance :: !Instance,
    pointCrossings :: ![Crossing],
    pointIp :: !(Ptr ()),
    pointFrame :: !(Ptr ())
  }

-- | An instance that called another one, and its instruction to go on with.
data Crossing = Crossing !Instance !(Ptr ())

-- | The return addresses that lead out of an instance's code: to the end, and to
-- another instance.
halt, crossed :: Ptr ()
halt = fixed
crossed = fixed `plusPtr` unit

-- NOINLINE: there is one block.
fixed :: Ptr ()
fixed = unsafePerformIO $ do
  p <- forever (2 * unit)
  pokeByteOff p 0 (fromIntegral (opNumber Halt) :: Word16)
  pokeByteOff p unit (fromIntegral (opNumber Crossed) :: Word16)
  pokeByteOff p gateAddress returnStub
  pokeByteOff p (unit + gateAddress) returnStub
  pure p
{-# NOINLINE fixed #-}

-- | The function that a point is in (counted among the module's own), and how far
-- into its code.
located :: Point -> IO (Maybe (Index, Lowered, Int))
located (Point i _ ip _) = codeAt (instanceCompiled i) ip

-- | The point to which a frame returns, if that is in WebAssembly code.
caller :: Point -> Index -> IO (Maybe Point)
caller point@(Point i _ _ fp) own = do
  let sp = validSpaces (compiledValid (instanceCompiled i))
      link = linkOffset (spaceFuncs sp V.! (own + spaceImportedFuncs sp))
  back <- peekByteOff fp link
  returning point back <$> peekByteOff fp (link + 8)

-- | The same, given what the frame's link says: the return address, and the frame that has
-- called.
returning :: Point -> Ptr () -> Ptr () -> Maybe Point
returning (Point i crossings _ _) back below
  | back == halt = Nothing
  | back == crossed = case crossings of
      -- A tail call by the host's own call crosses back to the end.
      Crossing i' back' : rest | back' /= halt -> Just (Point i' rest back' below)
      _ -> Nothing
  | otherwise = Just (Point i crossings back below)

-- * Traces

-- | A function by its index in its module, its name if it has one, and the byte
-- offset of the instruction in the module.
data TraceEntry = TraceEntry
  { placeFunction :: !Index,
    placeName :: !(Maybe Text),
    -- | Lazy: finding it lowers the function once more, and is not done where that has more
    -- than four mebibytes.
    placeOffset :: Maybe Int
  }
  deriving stock (Eq, Show)

-- | The places of the innermost frames, at most @n@ of them.
trace :: Int -> Point -> IO [TraceEntry]
trace = traceFrom False

-- | The same of a frame that is gone: the places from the point on to which it returns.
traceBelow :: Int -> Maybe Point -> IO [TraceEntry]
traceBelow n = maybe (pure []) (traceFrom True n)

-- | A point that is returned to is after the call.
traceFrom :: Bool -> Int -> Point -> IO [TraceEntry]
traceFrom = go
  where
    go returned n p@(Point i _ _ _)
      | n <= 0 = pure []
      | otherwise =
          located p >>= \case
            Nothing -> pure []
            Just (own, _, at) -> do
              next <- caller p own
              (placeOf i own returned at :) <$> maybe (pure []) (go True (n - 1)) next
    placeOf i own returned at = TraceEntry x (IntMap.lookup x (compiledNames c)) offset
      where
        c = instanceCompiled i
        x = own + spaceImportedFuncs (validSpaces (compiledValid c))
        here = if returned then at - 1 else at
        offset = originOf c own here

-- | The byte of the module from which a place in a function's code comes. With counters for
-- a profile the code has other places; and who looks at a trace must not wait for long.
--
-- NOINLINE: lowering is deterministic and touches nothing but its own buffer, however often
-- it is done.
originOf :: Compiled -> Index -> Int -> Maybe Int
originOf c own here
  | isJust (optionProfile (compiledOptions c)) || long = Nothing
  | otherwise = unsafePerformIO (position (compiledOptions c) (compiledValid c) own here)
  where
    long = case funcBody (functionAt (moduleFuncs (validModule (compiledValid c))) own) of
      Expr _ bytes -> B.length bytes > longestLocated
      ExprFunc _ -> False
{-# NOINLINE originOf #-}

-- | Up to how many bytes of code a trace says where in a function it was.
longestLocated :: Int
longestLocated = 4194304

-- | The innermost frames, at most @n@ of them: their instances, functions (counted among
-- the module's own) and code.
frames :: Int -> Point -> IO [(Instance, Index, Lowered)]
frames n p@(Point i _ _ _)
  | n <= 0 = pure []
  | otherwise =
      located p >>= \case
        Nothing -> pure []
        Just (own, l, _) -> ((i, own, l) :) <$> (caller p own >>= maybe (pure []) (frames (n - 1)))

-- * Exceptions

-- | The frame that catches an exception of a tag, and what it does there. Each frame has
-- been paid for by the call that made it; what its function catches is paid for here,
-- since one function may have very many handlers. Over very many frames that catch nothing it
-- takes long all the same: limits are looked at between a few.
unwind :: Tag -> Point -> IO (Outcome (Maybe (Point, Handler)))
unwind tag = go (0 :: Int) False
  where
    go over returned p
      | over >= mostFrames = pure (Price 0 (frame 0 returned p))
      | otherwise = frame over returned p
    frame over returned p@(Point i _ _ _) =
      located p >>= \case
        Nothing -> pure (Done Nothing)
        Just (own, l, at)
          | V.null (loweredHandlers l) -> further over p own
          | otherwise ->
              pure
                ( Price
                    (handlerBytes * V.length (loweredHandlers l))
                    ( case V.find (catches i (here returned at)) (loweredHandlers l) of
                        Just h -> pure (Done (Just (caught p l h, h)))
                        Nothing -> further over p own
                    )
                )
    further over p own = caller p own >>= maybe (pure (Done Nothing)) (go (over + 1) True)
    -- Some tenths of a millisecond.
    mostFrames = 1024
    caught p l h = p {pointIp = address (loweredCode l) `plusPtr` handlerPad h}
    -- A return address is after the call.
    here returned at = if returned then at - 1 else at
    -- What it costs to look at a handler.
    handlerBytes = 16
    catches i at h =
      at >= handlerFrom h
        && at < handlerTo h
        && maybe True (\t -> tagNumber (instanceTags i V.! t) == tagNumber tag) (handlerTag h)
