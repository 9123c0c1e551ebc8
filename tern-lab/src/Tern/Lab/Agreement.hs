{-# LANGUAGE OverloadedStrings #-}

-- | Codecs are compared only when they do the same: each one's bytes must give
-- the value again, through itself and through every other codec of its format.
module Tern.Lab.Agreement
  ( disagreement,
    Disagreement (..),
    renderDisagreement,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Subject (Codec (..), decoded, encoded)

-- | What went wrong first.
data Disagreement = Disagreement
  { writer :: !Text,
    reader :: !Text,
    -- | The reader's complaint; without one it read another value.
    complaint :: !(Maybe Text)
  }
  deriving stock (Eq, Show)

-- | Nothing where all codecs agree on the value. Quadratic in the codecs, linear
-- in the value.
disagreement :: (Eq a) => [Codec a] -> a -> Maybe Disagreement
disagreement codecs value =
  case [ Disagreement (codecName by) (codecName through) because
         | by <- codecs,
           let bytes = encoded by value,
           through <- codecs,
           codecFormat by == codecFormat through,
           Just because <- [wrong (decoded through bytes)]
       ] of
    one : _ -> Just one
    [] -> Nothing
  where
    wrong = \case
      Left message -> Just (Just message)
      Right other
        | other == value -> Nothing
        | otherwise -> Just Nothing

-- | One line.
renderDisagreement :: Disagreement -> Text
renderDisagreement Disagreement {..} =
  T.concat
    [ reader,
      " does not read back what ",
      writer,
      " wrote: ",
      maybe "it gives another value" (T.take 300) complaint
    ]
