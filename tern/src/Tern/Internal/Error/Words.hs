-- | Words that messages are made of.
module Tern.Internal.Error.Words
  ( number,
  )
where

import Data.Text (Text)
import Data.Text qualified as T

-- | In decimal digits.
number :: Int -> Text
number = T.pack . show
