-- | Active segments, which are copied when an instance is made.
--
-- The idea: one after the other, as the specification has it; by the first edition all are
-- looked at before.
module Tern.Wasm.Instance.Segment
  ( Failure (..),
    activeSegments,
  )
where

import Control.Monad (forM, forM_)
import Data.ByteString qualified as B
import Data.Maybe (catMaybes)
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Word (Word64)
import Tern.Wasm.Compiled (Compiled (..))
import Tern.Wasm.Error (Trap, Unlinkable (..), UnlinkableReason (..))
import Tern.Wasm.Image (lay)
import Tern.Wasm.Instance.Constant (constant)
import Tern.Wasm.Machine (Stop (..))
import Tern.Wasm.Machine.Bulk (inBounds, initMemory, initTable)
import Tern.Wasm.Store (Instance (..), tableSize, withMemory)
import Tern.Wasm.Syntax hiding (Func (..), Global (..), Table (..))
import Tern.Wasm.Valid (Rules (..), Spaces (..), Valid (..))

-- | Why there is no instance.
data Failure
  = Unlinked !Unlinkable
  | -- | A segment does not fit, or the start function stopped.
    Stopped !Stop
  | -- | A memory or a table beyond the store's settings.
    BeyondSettings

-- | What is done with a segment when an instance is made: copied to where an offset says, if it
-- fits there, or only dropped.
data Step
  = Placed !Expr !(Word64 -> IO Bool) !(Word64 -> IO (Maybe Trap))
  | Dropped !(IO ())

-- | Copy the active segments to their tables and memories, one after the other, and drop each when
-- it is copied: one that does not fit leaves those after it as they are, which functions that are
-- in another instance's table already may copy from. By the first edition
-- all of them are checked before any is copied, and one that does not fit makes
-- the module unlinkable. Data of which the module has an image all fit.
activeSegments :: Instance -> IO (Either Failure ())
activeSegments i = do
  elems <- catMaybes . V.toList <$> V.imapM elementStep (moduleElems m)
  case compiledImage (instanceCompiled i) of
    Nothing -> taken i (elems <> datas)
    Just (x, image) ->
      taken i elems >>= \case
        Left failure -> pure (Left failure)
        Right () -> do
          laid <- lay image (instanceMemories i V.! x)
          if laid
            then Right () <$ forM_ active (\(k, _, _, _) -> dropData k)
            else taken i datas
  where
    m = validModule (compiledValid (instanceCompiled i))
    active =
      [ (k, x, offset, dataInit d)
        | (k, d) <- V.toList (V.indexed (moduleDatas m)),
          DataActive x offset <- [dataMode d]
      ]
    datas =
      [ Placed
          offset
          (\to -> withMemory memory (\_ size -> pure (inBounds to n size)))
          (\to -> initMemory memory to bytes 0 n >>= unlessTrapped (dropData k))
        | (k, x, offset, bytes) <- active,
          let n = fromIntegral (B.length bytes)
              memory = instanceMemories i V.! x
      ]
    dropData k = MV.write (instanceDatas i) k B.empty
    elementStep k e = do
      values <- MV.read (instanceElems i) k
      let away = MV.write (instanceElems i) k V.empty
          n = fromIntegral (V.length values)
      case elemMode e of
        ElemActive x offset ->
          let t = instanceTables i V.! x
           in pure . Just $
                Placed
                  offset
                  (\to -> inBounds to n <$> tableSize t)
                  (\to -> initTable t to values 0 n >>= unlessTrapped away)
        ElemDeclarative -> pure (Just (Dropped away))
        ElemPassive -> pure Nothing
    unlessTrapped away = maybe (Nothing <$ away) (pure . Just)

-- | Take steps in their order, each if those before it went well.
taken :: Instance -> [Step] -> IO (Either Failure ())
taken i steps = do
  placed <- forM steps $ \case
    Placed offset fit copy -> fmap ((\to -> (fit to, copy to)) . fst) <$> constant i offset
    Dropped away -> pure (Right (pure True, Nothing <$ away))
  case sequence placed of
    Left s -> pure (Left (Stopped s))
    Right actions -> do
      fit <- if rules == Rules1 then and <$> mapM fst actions else pure True
      if fit
        then copyAll (map snd actions)
        else pure (Left (Unlinked (Unlinkable mempty mempty SegmentDoesNotFit)))
  where
    rules = spaceRules (validSpaces (compiledValid (instanceCompiled i)))
    copyAll [] = pure (Right ())
    copyAll (s : rest) = s >>= maybe (copyAll rest) (pure . Left . Stopped . (`Trapped` []))
