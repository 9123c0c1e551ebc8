{-# LANGUAGE OverloadedStrings #-}

-- | The path to a place in a CBOR document, found from its offset
-- ("Tern.Internal.Binary.Path" says how). A tag is no step of a path.
module Tern.Internal.Cbor.Path
  ( pathTo,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error (lenientDecode)
import Tern.Error (Path)
import Tern.Internal.Binary.Path qualified as Binary
import Tern.Internal.Cbor.Format
  ( Argument (..),
    Head (..),
    Major (..),
    chunksAt,
    headAt,
    headName,
    itemAt,
  )

-- | The path to the value that begins at an offset or surrounds it. Linear time
-- in the offset.
--
-- A key that is no text is shown as text: an integer by its digits, others by
-- what they are.
pathTo :: ByteString -> Int -> Path
pathTo = Binary.pathTo itemAt keyText

keyText :: ByteString -> Int -> Int -> Text
keyText item header n = case headAt item of
  Just (Head _ Unsigned (Given k)) -> T.pack (show k)
  Just (Head _ Negative (Given k)) -> T.pack (show (-1 - toInteger k))
  Just (Head _ Text (Given _)) -> lenient (B.take n (B.drop header item))
  Just (Head _ Text Indefinite) -> maybe "text string" (lenient . B.concat . fst) (chunksAt item)
  Just other -> headName other
  Nothing -> "value"
  where
    lenient = T.decodeUtf8With lenientDecode
