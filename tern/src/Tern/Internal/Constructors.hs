-- | The constructors of a sum by name, in any format that names them.
module Tern.Internal.Constructors
  ( Constructors (..),
    constructors,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Tern.Prim.Names (Names)
import Tern.Prim.Names qualified as Names

-- | The constructors of a type, numbered from 0, and their names.
data Constructors = Constructors !Names [Text]

-- | Built once for each type. OPAQUE: see 'Tern.Internal.Record.table'.
constructors :: [String] -> Constructors
constructors labels = Constructors (Names.fromList (map T.encodeUtf8 texts)) texts
  where
    texts = map T.pack labels
{-# OPAQUE constructors #-}
