-- | Changes of JSON documents as data: patches (RFC 6902), merge patches (RFC 7396), and what is
-- different in two documents, for people and as a patch.
--
-- Start at 'decodePatch' and 'patch', at 'merge', or at 'diff'. A patch is done whole or not at
-- all; a merge patch cannot fail.
module Tern.Json.Patch
  ( -- * Operations
    Operation (..),
    decodePatch,
    parsePatch,
    patchValue,

    -- * Use
    patch,
    patchWithin,
    PatchError (..),
    PatchReason (..),
    Missing (..),
    renderPatchError,

    -- * Merge patches

    -- | A document that says how another is to change, in the other's own shape: null takes a
    -- member away, an object goes into the object there, and anything else is put in the place of
    -- what there is.
    merge,
    mergeBetween,

    -- * Differences

    -- | Equal values, wherever they are, are matched in one order, in time @n log n@; in exchange
    -- a difference is not always the shortest.
    Change (..),
    diff,
    changesPatch,
    renderChange,
  )
where

import Tern.Json.Diff
import Tern.Json.Merge
import Tern.Json.Operation
