{-# LANGUAGE OverloadedStrings #-}

-- | Causes of a difference, in words.
--
-- Its one idea: a cause is the end of a line that begins with the binding.
--
-- Start at 'renderCause'.
module Tern.Lab.Core.Cause.Words
  ( renderCause,
    renderSourceChange,
  )
where

import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Numeric (showFFloat)
import Tern.Lab.Core.Advice (kindName)
import Tern.Lab.Core.Cause (Cause (..), Ground (..))
import Tern.Lab.Core.Compiled (Name, renderName)
import Tern.Lab.Core.Facts (Pragma (..))
import Tern.Lab.Core.Finding (FindingKind (..))
import Tern.Lab.Core.Index (Why (..))
import Tern.Lab.Core.Traits (renderTrait)

-- | As the end of a line that begins with the binding.
renderCause :: Name -> Cause -> Text
renderCause name = \case
  Inlined now callee g ->
    T.concat
      [ if callee == name then "" else renderName callee <> " ",
        if now then "is inlined now" else "is no longer inlined",
        renderGround now g
      ]
  Specialised now callee dictionaries g ->
    T.concat
      [ if callee == name then "" else renderName callee <> " ",
        if now then "is specialised now to " else "is no longer specialised to ",
        T.intercalate ", " dictionaries,
        renderGround now g
      ]
  Listed now
    | now ->
        "is compiled otherwise: its module has an export list now, so that GHC knows all its calls"
    | otherwise ->
        "is compiled otherwise: the export list of its module is gone, so that GHC does not \
        \know all its calls"
  Lazy now arguments ->
    T.concat
      [ if now
          then "now stores an argument of a loop unevaluated"
          else "no longer stores an argument of a loop unevaluated",
        if null arguments then "" else T.concat [" (", T.intercalate ", " arguments, ")"],
        ": its strictness has changed"
      ]
  Does now trait -> T.concat [if now then "now " else "no longer ", renderTrait trait]
  Exists now -> if now then "is new" else "is gone from the source"
  Costs now callee cost ->
    T.concat
      [ if now then "now calls " else "no longer calls ",
        callee,
        " (",
        kindName (CallsLibrary callee cost),
        ")"
      ]
  Versions -> "is compiled for known types now, beside itself"
  Entered times ->
    T.concat
      [ "runs the same code, which is entered ",
        T.pack (showFFloat (Just 2) times ""),
        " times as often"
      ]
  SameCode -> "runs the same code: what it is given, or a library, has changed"

-- | As the end of a line; nothing where it calls the same.
renderSourceChange :: (Set Text, Set Text) -> Text
renderSourceChange (gone, come) = case (some gone, some come) of
  ("", "") -> ""
  ("", now) -> "; its source now calls " <> now
  (before, "") -> "; its source no longer calls " <> before
  (before, now) -> T.concat ["; its source no longer calls ", before, " and now calls ", now]
  where
    some names = case Set.toList names of
      list
        | length list > 3 ->
            T.concat [T.intercalate ", " (take 2 list), " and ", number (length list - 2), " more"]
        | otherwise -> T.intercalate ", " list
    number = T.pack . show

renderGround :: Bool -> Ground -> Text
renderGround now = \case
  List m there
    | there -> T.concat [": ", m, " has an export list now"]
    | otherwise -> T.concat [": the export list of ", m, " is gone"]
  PragmaWas before after
    | NoPragma <- after -> T.concat [": its ", pragmaName before, " is gone"]
    | NoPragma <- before -> T.concat [": it has ", pragmaName after, " now"]
    | otherwise -> T.concat [": it had ", pragmaName before, " and has ", pragmaName after, " now"]
  Moved from to -> T.concat [": it moved from ", from, " to ", to]
  Says why -> T.concat [if now then ", which was " else ": it is ", because why]
  where
    because = \case
      BecausePragma pragma -> T.concat ["kept apart by ", pragmaName pragma]
      BecauseRecursive -> "recursive"
      BecauseBig size threshold ->
        T.concat
          [ "too big (",
            T.pack (show size),
            ", and ",
            T.pack (show threshold),
            " is the most)"
          ]
      BecauseHuge -> "too big"
      BecauseUnoptimised m -> T.concat ["in ", m, ", which was compiled without optimisation"]
      BecauseNoUnfolding -> "in another package, whose interface has no unfolding"
      BecauseUnsaturated _ -> "given fewer arguments than it takes"
      BecauseNoGain -> "of no gain to GHC there"

pragmaName :: Pragma -> Text
pragmaName = \case
  NoPragma -> "no pragma"
  Inline -> "INLINE"
  Inlinable -> "INLINABLE"
  NoInline phase -> if T.null phase then "NOINLINE" else "NOINLINE " <> phase
