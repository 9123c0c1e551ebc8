-- | JSON whose shape is not declared: a tree that keeps all that a document
-- says.
--
-- The idea: nothing is lost and nothing is expanded. A number keeps its digits
-- as they stand, so that @-0.0@, @1.10@ and @1e400@ come out as they went in
-- and a huge exponent costs nothing ("Tern.Internal.Json.Numeral"); an object keeps the order of
-- its members, and finds them in a way that no input can degrade
-- ("Tern.Internal.Json.Members").
module Tern.Value
  ( Value (..),

    -- * Objects
    Object,
    object,
    members,
    member,
    byName,

    -- * Numbers
    Number,
    numberFromInteger,
    numberFromDecimal,
    numberFromDouble,
    numberToDouble,
    numberToInteger,
    parseNumber,
    renderNumber,

    -- * Codecs
    valueW,
    valueR,
  )
where

import Tern.Internal.Json.Numeral
  ( Number,
    numberFromDecimal,
    numberFromDouble,
    numberFromInteger,
    numberToDouble,
    numberToInteger,
    renderNumber,
  )
import Tern.Internal.Json.Value
  ( Object,
    Value (..),
    byName,
    member,
    members,
    object,
    parseNumber,
    valueR,
    valueW,
  )
