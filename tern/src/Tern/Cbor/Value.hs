-- | CBOR whose shape is not declared: a tree that keeps every distinction of the format's data
-- model (RFC 8949, section 2), and what is done with documents without a type.
--
-- Import it qualified. A document becomes a tree by 'decodeValue', text for people by
-- 'diagnostic', the one document of its value by 'toDeterministic', and JSON or MessagePack, with
-- what is lost on the way, by 'toJson' and 'toMessagePack'.
module Tern.Cbor.Value
  ( Value (..),
    integer,
    asInteger,
    Simple,
    simple,
    simpleNumber,

    -- * Documents
    encodeValue,
    decodeValue,
    decodeValueWith,

    -- * Documents for people

    -- | The diagnostic notation of RFC 8949, section 8. It shows a document and not a value, so
    -- that it can say what a value does not keep: which strings, arrays and maps went on to a
    -- break. It does not say how wide heads and floating-point numbers were, nor what is in a NaN.
    diagnostic,
    diagnosticWith,
    diagnosticValue,

    -- * One document for each value

    -- | The core deterministic encoding (RFC 8949, section 4.2.1). What the library writes is in
    -- the preferred serialization already, so that only the pairs of maps are to be put into
    -- order: by the bytes of their keys.
    toDeterministic,
    checkDeterministic,
    deterministic,

    -- * JSON and MessagePack

    -- | A conversion never fails and never keeps silent. If the list of losses is empty,
    -- converting back gives what there was.
    toJson,
    fromJson,
    toMessagePack,
    fromMessagePack,
    Loss (..),
    Lost (..),

    -- * Codecs
    valueW,
    valueR,
  )
where

import Tern.Cbor.Conversion
import Tern.Cbor.Deterministic
import Tern.Cbor.Diagnostic
import Tern.Internal.Cbor.Value
