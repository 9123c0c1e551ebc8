-- | A change of a program that may help.
--
-- Its one idea: it is edits of the files as they are, and words that say what they do.
--
-- Start at 'Cure'.
module Tern.Lab.Core.Cure.Change
  ( Cure (..),
    Sources,
    isVariable,
  )
where

import Data.Char (isLower)
import Data.Map.Strict (Map)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Edit (Edit (..), Source (..))
import Tern.Lab.Core.Token (Token (..), TokenSort (..))

-- | One change to try. Its edits are made together.
data Cure = Cure
  { -- | As the end of a sentence: tried …
    cureWords :: !Text,
    cureEdits :: ![Edit]
  }
  deriving stock (Eq, Show)

-- | The files of a program by the module that each has.
type Sources = Map Text Source

-- | Is it a name that a pattern can bind?
isVariable :: Token -> Bool
isVariable t =
  tokenSort t == Named
    && T.null (tokenModule t)
    && maybe False (isLower . fst) (T.uncons (tokenText t))
