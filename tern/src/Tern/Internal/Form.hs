{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Values that are written as a text of plain ASCII, like dates and UUIDs.
--
-- The idea: a form is a writer and a reader of the characters alone. What is around
-- them is each format's ("Tern.Internal.Json.Form", "Tern.Internal.Binary.Form"), and a reader sees
-- the characters where they stand in the input.
module Tern.Internal.Form
  ( Form (..),
    readForm,
    writeForm,
    wholly,
    expectedAt,
  )
where

import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Text.Encoding qualified as T
import GHC.Exts (Addr#, Int#, RealWorld, State#, minusAddr#)
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Read (Context, Reader (..), failAt, runReader)
import Tern.Internal.Write (Writer, runWriter)
import Tern.Limits (Limits (..), defaultLimits)

-- | How values are text: characters from space to @~@ without quotes and backslashes. The
-- reader takes all characters up to the end that it is given, or fails.
data Form a = Form {formWriter :: Writer a, formReader :: Reader a}

-- | The value of a text that stands anywhere, or the reason why it is none.
readForm :: Form a -> Text -> Either Reason a
readForm form text =
  runReader defaultLimits {maxBytes = maxBound} (const id) (formReader form) (T.encodeUtf8 text)
{-# INLINE readForm #-}

-- | A value's text.
writeForm :: Form a -> a -> ByteString
writeForm form = runWriter (formWriter form)
{-# INLINE writeForm #-}

-- | A reader of the characters between two addresses, in place of one up to the end.
wholly ::
  (Addr# -> Int# -> Context -> State# RealWorld -> (# State# RealWorld, Addr#, a #)) -> Reader a
wholly parse = Reader (\ctx e c s -> parse c (minusAddr# e c) ctx s)
{-# INLINE wholly #-}

-- | Fail: part of a text should have stood at an address. (At an input's end as well: the
-- text ends there, and not the input.)
expectedAt :: Text -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
expectedAt part at = failAt at (Unexpected (APart part))
{-# NOINLINE expectedAt #-}
