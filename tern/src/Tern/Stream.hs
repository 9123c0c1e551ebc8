-- | Sequences of values that need not fit into memory.
module Tern.Stream
  ( -- * Sequences
    Sequence (..),

    -- * Push
    Decoder,
    decoderWith,
    Step (..),
    next,
    elementsBefore,
    position,
    unread,

    -- * Faults
    Fault (..),
    renderFault,
  )
where

import Tern.Stream.Decoder
import Tern.Stream.Fault
import Tern.Stream.Sequence
