{-# LANGUAGE DataKinds #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UndecidableInstances #-}

-- | The formats, as what a codec's type says of it.
--
-- The idea: a codec lists the formats that it has in its type. What asks it for one has a
-- constraint that is no work where the list is known, and an error of the compiler where
-- the format is not in it. No program finds out when it runs.
module Tern.Internal.Wire.Format
  ( WireFormat (..),
    Every,
    Has,
    Of,
    Within,
  )
where

import Data.Kind (Constraint)
import GHC.TypeLits (AppendSymbol, ErrorMessage (..), Symbol, TypeError)

-- | A format of documents.
data WireFormat = AsJson | AsMessagePack | AsCbor | AsNative
  deriving stock (Bounded, Enum, Eq, Ord, Show)

-- | All of them.
type Every = '[ 'AsJson, 'AsMessagePack, 'AsCbor, 'AsNative]

-- | The format is one of these.
type Has format formats = Of "This" format formats

-- | The same of what has a name: an error of the compiler says it.
type Of (name :: Symbol) format formats = Search name format formats formats

type family
  Search
    (name :: Symbol)
    (format :: WireFormat)
    (left :: [WireFormat])
    (formats :: [WireFormat]) ::
    Constraint
  where
  Search name format (format ': rest) formats = ()
  Search name format (other ': rest) formats = Search name format rest formats
  Search name format '[] formats =
    TypeError
      ( 'Text
          name
          ':<>: 'Text " has "
          ':<>: 'Text (Names formats)
          ':<>: 'Text " alone, and is asked for "
          ':<>: 'Text (Name format)
      )

-- | All of the first are among the second.
type family Within (formats :: [WireFormat]) (others :: [WireFormat]) :: Constraint where
  Within '[] others = ()
  Within (format ': rest) others = (Has format others, Within rest others)

type family Name (format :: WireFormat) :: Symbol where
  Name 'AsJson = "JSON"
  Name 'AsMessagePack = "MessagePack"
  Name 'AsCbor = "CBOR"
  Name 'AsNative = "the native format"

type family Names (formats :: [WireFormat]) :: Symbol where
  Names '[] = "no format"
  Names '[format] = Name format
  Names '[format, last] = AppendSymbol (Name format) (AppendSymbol " and " (Name last))
  Names (format ': rest) = AppendSymbol (Name format) (AppendSymbol ", " (Names rest))
