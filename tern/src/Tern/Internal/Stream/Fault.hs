{-# LANGUAGE OverloadedStrings #-}

-- | What is wrong with a stream, and where.
module Tern.Internal.Stream.Fault
  ( Fault (..),
    renderFault,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Tern.Error

-- $setup
-- >>> import Data.Text qualified as T
-- >>> import Tern.Error

-- | A damaged element, or damage between elements.
data Fault = Fault
  { -- | How many elements come before it.
    faultIndex :: !Int,
    -- | Where the element begins, in bytes from the start of the stream. For
    -- damage between elements this is the place itself.
    faultStart :: !Int,
    -- | The offset counts from the start of the stream, the path from the
    -- element.
    faultError :: !Error
  }
  deriving stock (Eq, Show)

-- | The fault in words, without any of the input, which is gone. The text has at
-- most some hundred characters.
--
-- >>> putStrLn (T.unpack (renderFault (Fault 3 120 (Error 131 [Key "age"] (Unexpected AnInteger)))))
-- element 3, byte 131, at $.age: expected an integer
renderFault :: Fault -> Text
renderFault (Fault index _ (Error offset path reason)) =
  T.concat ["element ", number index, ", byte ", number offset, ", at ", renderPath path, ": ", renderReason reason]
  where
    number = T.pack . show
