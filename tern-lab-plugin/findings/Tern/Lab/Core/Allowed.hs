{-# LANGUAGE OverloadedStrings #-}

-- | Findings that somebody has looked at and left, with the reason.
--
-- Its one idea: the reason stands where the code is, in a comment
--
-- > -- tern-lab: lazy-state: the chain is three long
--
-- before a declaration or inside it. It holds for that declaration and that kind.
-- Without a reason it holds for nothing, and is said.
--
-- Start at 'allowancesIn'.
module Tern.Lab.Core.Allowed
  ( Allowance (..),
    allowancesIn,
    allows,
  )
where

import Data.Maybe (maybeToList)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Advice (kindName)
import Tern.Lab.Core.Finding (Finding (..))
import Tern.Lab.Core.Index (sourceName)
import Tern.Lab.Core.Token (Token (..), tokensOf)

-- | A comment that allows findings of a kind. Without a reason it is one too, and allows nothing.
data Allowance = Allowance
  { allowedLine :: !Int,
    -- | The declaration; @module@ for the module itself.
    allowedBinding :: !Text,
    allowedKind :: !Text,
    -- | Empty where none is given.
    allowedReason :: !Text
  }
  deriving stock (Eq, Show)

-- | Those of a source.
--
-- >>> allowancesIn "module M where\n-- tern-lab: nub: few\nf = nub\n"
-- [Allowance {allowedLine = 2, allowedBinding = "f", allowedKind = "nub", allowedReason = "few"}]
allowancesIn :: Text -> [Allowance]
allowancesIn text =
  [ Allowance n (declarationOf n (T.take 1 row /= " ")) kind reason
    | (n, row) <- zip [1 ..] (T.lines text),
      Just rest <- [T.stripPrefix "-- tern-lab:" (T.stripStart row)],
      let (before, after) = T.breakOn ":" rest
          kind = T.strip before
          reason = T.strip (T.drop 1 after)
  ]
  where
    tops = [t | t <- tokensOf text, tokenFirst t, tokenColumn t == 1]
    -- At the margin it is about what follows, inside about what is around it.
    declarationOf n margin = case (span ((< n) . tokenLine) tops, margin) of
      ((_, t : _), True) -> tokenText t
      ((before, _), _) -> case reverse before of
        t : _ -> tokenText t
        [] -> "module"

-- | Is a finding of the allowance's file meant?
allows :: Finding -> Allowance -> Bool
allows f a =
  not (T.null (allowedReason a))
    && allowedKind a == kindName (findingKind f)
    && allowedBinding a
      `elem` ( if T.null (findingBinding f)
                 then ["module"]
                 else -- What was inlined into another function stands in its own lines.
                   map sourceName (findingBinding f : maybeToList (findingIn f))
             )
