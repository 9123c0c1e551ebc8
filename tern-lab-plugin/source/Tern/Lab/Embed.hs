{-# LANGUAGE TemplateHaskellQuotes #-}

-- | Files of this package that are part of its executables, so that these need
-- nothing beside them.
module Tern.Lab.Embed
  ( embedText,
  )
where

import Data.ByteString qualified as B
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Language.Haskell.TH.Syntax (Exp, Lift (..), Q, addDependentFile, runIO)

-- | The contents of a UTF-8 file, its path from the package's folder, as an
-- expression of type 'T.Text'. A change of the file compiles the module again.
embedText :: FilePath -> Q Exp
embedText path = do
  addDependentFile path
  text <- T.decodeUtf8 <$> runIO (B.readFile path)
  [|T.pack $(lift (T.unpack text))|]
