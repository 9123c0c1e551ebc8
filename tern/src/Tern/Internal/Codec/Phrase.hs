{-# LANGUAGE AllowAmbiguousTypes #-}

-- | What documents have beside values: names, and what stands around them.
--
-- The idea: of a string that is known when a program is compiled the compiler makes words.
-- Of one that is known when the program runs the bytes are made once, with the codec, and
-- copied from there on. Which of the two it is does not depend on a value, so that nothing
-- is asked where it is known.
module Tern.Internal.Codec.Phrase
  ( Phrase (..),
    phrase,
    made,
    bytesOf,
    copied,

    -- * Texts of binary formats
    TextIn (..),
    text,
    madeText,
    textOf,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Tern.Internal.Binary.Syntax (Syntax (..))
import Tern.Internal.Write (Write, Writer (..), bounded, literal, runWriter, toFill)
import Tern.Prim.Literal (pokeBytes)

-- | Bytes of a document that do not depend on the value.
data Phrase
  = -- | Known when the program is compiled.
    Constant String
  | -- | Known when it runs.
    Made !ByteString

-- | As UTF-8.
phrase :: Phrase -> Write
phrase = \case
  Constant string -> literal string
  Made bytes -> copied bytes
{-# INLINE phrase #-}

-- | Bytes that are known when the program runs.
copied :: ByteString -> Write
copied bytes = bounded (B.length bytes) (pokeBytes bytes)
{-# INLINE copied #-}

-- | Of a string that is known when the program runs.
made :: String -> Phrase
made = Made . bytesOf

-- | As UTF-8; surrogates, which it cannot hold, as U+FFFD.
bytesOf :: String -> ByteString
bytesOf = T.encodeUtf8 . T.pack

-- * Texts of binary formats

-- | A text in the binary format @f@: a constant is what it says, and bytes are those of the
-- whole item.
newtype TextIn f = TextIn Phrase

-- | The item, header and all: of a constant as the format writes it, else the bytes that there are.
text :: forall f. (Syntax f) => TextIn f -> Write
text (TextIn called) = case called of
  Constant string -> constant @f string
  Made bytes -> copied bytes
{-# INLINE text #-}

-- | Of a string that is known when the program runs.
madeText :: forall f. (Syntax f) => String -> TextIn f
madeText = TextIn . Made . textOf @f

-- | The item's bytes.
textOf :: forall f. (Syntax f) => String -> ByteString
textOf string = runWriter (FillWriter (\() -> toFill (constant @f string))) ()
