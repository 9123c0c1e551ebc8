{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What was tried of a program's findings, from one report to the next.
--
-- Its one idea: a figure belongs to a finding as long as the file that it is in stays
-- as it is. A finding is known by what it says and by that text.
--
-- Start at 'recall'.
module Tern.Lab.Core.Memory
  ( Memory,
    remembered,
    remember,
    recall,
  )
where

import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Either (fromRight)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Fingerprint (fingerprintString)
import System.Directory (createDirectoryIfMissing, doesFileExist)
import System.FilePath (addExtension, takeDirectory, (</>))
import Tern (defaultLimits)
import Tern.Codec (Codec, (<.>))
import Tern.Codec qualified as Codec
import Tern.File (writeWhole)
import Tern.Lab.Core.Facts (Place (..))
import Tern.Lab.Core.Finding (Finding (..))
import Tern.Lab.Core.Target (Target)
import Tern.Lab.Core.Tried (Costs (..), Tried (..))
import Tern.Lab.Core.Workbench (Build (..))

-- | By finding, as 'keyOf' has it.
newtype Memory = Memory (Map Text [Tried])

-- | Of a target that is run by a command.
memoryFile :: Build -> Target -> Maybe Text -> FilePath
memoryFile build target run =
  buildCache build
    </> "tried"
    </> addExtension (show (fingerprintString (show asked))) "json"
  where
    asked = (target, run, buildGhcOptions build, buildCabalOptions build)

-- | What was tried of a target, each time that it was.
remembered :: Build -> Target -> Maybe Text -> IO Memory
remembered build target run = do
  there <- doesFileExist file
  if there
    then Memory . fromRight Map.empty . Codec.decodeJson memory defaultLimits <$> B.readFile file
    else pure (Memory Map.empty)
  where
    file = memoryFile build target run

-- | Keep what was tried for a finding, in place of what was known of it.
remember :: Build -> Target -> Maybe Text -> Finding -> [Tried] -> IO ()
remember build target run f tries = do
  Memory known <- remembered build target run
  key <- keyOf f
  createDirectoryIfMissing True (takeDirectory file)
  writeWhole file (L.fromStrict (Codec.encodeJson memory (Map.insert key tries known)))
  where
    file = memoryFile build target run

-- | The findings with what was tried for them, as far as their modules are what
-- they were.
recall :: Memory -> [Finding] -> IO [Finding]
recall (Memory known)
  | Map.null known = pure
  | otherwise = mapM $ \f -> do
      key <- keyOf f
      pure f {findingTried = Map.findWithDefault [] key known}

-- | A finding, and the text of the file that it is in.
keyOf :: Finding -> IO Text
keyOf f = do
  text <- case findingPlace f of
    Just place -> do
      there <- doesFileExist (T.unpack (placeFile place))
      if there then B.readFile (T.unpack (placeFile place)) else pure B.empty
    Nothing -> pure B.empty
  pure
    ( T.pack
        ( show
            ( fingerprintString
                ( show
                    ( findingModule f,
                      findingBinding f,
                      findingIn f,
                      show (findingKind f),
                      T.decodeUtf8Lenient text
                    )
                )
            )
        )
    )

-- * As JSON

memory :: Codec (Map Text [Tried])
memory = Codec.mapOf Codec.text (Codec.listOf tried)

tried :: Codec Tried
tried =
  Codec.object $
    Tried
      <$> Codec.field @"change" change Codec.text
        <.> Codec.field @"before" before costs
        <.> Codec.optional @"after" after costs
        <.> Codec.optional @"problem" problem Codec.text

costs :: Codec Costs
costs =
  Codec.object $
    Costs
      <$> Codec.field @"allocated" allocated Codec.double
        <.> Codec.field @"peak" peak Codec.double
        <.> Codec.optional @"instructions" instructions Codec.double
        <.> Codec.optional @"compiling" compiling Codec.double
