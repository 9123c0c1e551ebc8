{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Texts of plain ASCII as JSON strings, and as keys of objects.
--
-- The idea: nobody escapes a date. The characters are read where they stand; only a
-- string that has escapes is copied first.
--
-- INLINE on the shells, as in "Tern.Internal.Json.Codec".
module Tern.Internal.Json.Form
  ( formW,
    formR,
    formKey,
  )
where

import Data.Text.Encoding qualified as T
import GHC.Exts
import Tern.Error (Expected (..), renderReason)
import Tern.Internal.Form (Form (..), readForm, writeForm)
import Tern.Internal.Json.Container (Key (TextKey))
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Read (Reader (..), answer, failAt)
import Tern.Internal.Write (Writer (..), byte, toFill, write)
import Tern.Prim.Scan qualified as Scan

-- | The text in quotes.
formW :: Form a -> Writer a
formW form = case formWriter form of
  BoundedWriter n poke ->
    BoundedWriter (n + 2) $ \a op s -> case quote op s of
      s1 -> case poke a (plusAddr# op 1#) s1 of
        (# s2, op2 #) -> case quote op2 s2 of s3 -> (# s3, plusAddr# op2 1# #)
  FillWriter fill -> FillWriter (\a -> toFill (byte 34 <> write (FillWriter fill) a <> byte 34))
  where
    quote at s = writeWord8OffAddr# at 0# (wordToWord8# 34##) s
{-# INLINE [2] formW #-}

-- | A string that is such a text.
formR :: Form a -> Reader a
formR form = Reader $ \ctx e c0 s ->
  let !c = inline Json.skipSpace e c0
   in if isTrue# (ltAddr# c e) && isTrue# (eqWord# (word8ToWord# (indexWord8OffAddr# c 0#)) 34##)
        then case Scan.stringEnd ctx e (plusAddr# c 1#) s of
          (# s1, q #) -> case answer ctx s1 of
            (# s2, flags #) -> case flags of
              0## -> case step ctx q (plusAddr# c 1#) s2 of
                (# s3, _, a #) ->
                  (# s3, plusAddr# q 1#, a #)
              _ -> copied ctx e c s2
        else Json.failExpected AString e c s
  where
    !(Reader step) = formReader form
    -- With escapes, or wrong: 'Json.text' tells.
    copied ctx e c s = case Json.text ctx e c s of
      (# s1, c1, text #) -> case readForm form text of
        Right a -> (# s1, c1, a #)
        Left reason -> failAt c reason s1
    {-# NOINLINE copied #-}
{-# INLINE [2] formR #-}

-- | The text as a key.
formKey :: Form a -> Key a
formKey form =
  TextKey
    (T.decodeUtf8Lenient . writeForm form)
    (either (Left . renderReason) Right . readForm form)
{-# INLINE [2] formKey #-}
