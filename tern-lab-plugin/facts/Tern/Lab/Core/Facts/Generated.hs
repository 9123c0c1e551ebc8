{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- | That a program made a module of something else.
--
-- Its one idea: what people wrote of it has its place in the generator's input; all the rest is
-- nobody's to change.
module Tern.Lab.Core.Facts.Generated
  ( Generated (..),
  )
where

import Data.Binary (Binary)
import Data.Text (Text)
import GHC.Generics (Generic)

-- | Which program made a module, and of what.
data Generated = Generated
  { -- | The generator, as people call it.
    generatedBy :: !Text,
    -- | The file that it was made of; empty, where none is in sight.
    generatedFrom :: !Text,
    -- | An option of the generator that makes its code allocate less, and was not given; or empty.
    generatedWithout :: !Text
  }
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)
