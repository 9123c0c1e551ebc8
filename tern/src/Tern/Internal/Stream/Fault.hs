{-# LANGUAGE OverloadedStrings #-}

-- | What is wrong with a stream, and where.
module Tern.Internal.Stream.Fault
  ( Fault (..),
    renderFault,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Tern.Error (Error (..), renderPath, renderReason)

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
    faultError :: !Error,
    -- | In JSON Lines, the number of the element's line in the stream, from 1 on. Elsewhere
    -- lines mean nothing.
    faultLine :: !(Maybe Int)
  }
  deriving stock (Eq, Show)

-- | The fault in words, without any of the input, which is gone. The text has at
-- most some hundred characters.
--
-- >>> :{
-- putStrLn (T.unpack (renderFault (Fault 3 120 (Error 131 [Key "age"] (Unexpected AnInteger))
--   (Just 5))))
-- :}
-- element 3, line 5, byte 131, at $.age: expected an integer
renderFault :: Fault -> Text
renderFault (Fault index _ (Error offset path reason) line) =
  T.concat
    [ "element ",
      number index,
      maybe T.empty ((", line " <>) . number) line,
      ", byte ",
      number offset,
      ", at ",
      renderPath path,
      ": ",
      renderReason reason
    ]
  where
    number :: Int -> Text
    number = T.pack . show
