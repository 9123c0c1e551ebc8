{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Codecs of values that have a tag in CBOR (RFC 8949, section 3.4).
--
-- The idea: a tag is asked for by who knows what it means. 'taggedW' and 'taggedR'
-- put any tag before any codec; the others are those that the RFC and its registry
-- give a meaning, for types that all programs have.
--
-- INLINE: a codec of known parts is known.
module Tern.Internal.Cbor.Tag
  ( -- * Any tag
    taggedW,
    taggedR,
    perhapsTaggedR,

    -- * Times: 0 and 1
    dateTimeW,
    dateTimeR,
    isDateTime,
    epochW,
    epochR,

    -- * Fractions: 4 and 5
    Fraction (..),
    decimalFractionW,
    decimalFractionR,
    bigFloatW,
    bigFloatR,

    -- * A document in a string: 24
    embeddedW,
    embeddedR,

    -- * Text that is an address: 32
    uriW,
    uriR,

    -- * Sets: 258
    setW,
    setR,
  )
where

import Data.Char (isDigit)
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Exts (Word (..), plusAddr#)
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Binary.Container qualified as Binary
import Tern.Internal.Binary.Scalar (integerStep, integerW)
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.Cbor.Document (encodeWith)
import Tern.Internal.Cbor.Read qualified as Read
import Tern.Internal.Cbor.Write qualified as Write
import Tern.Internal.Read (Reader (..), failAt)
import Tern.Internal.Write (Writer (..), bounded, contramapWriter, general, toFill, write)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Tern.Internal.Cbor.Write (int, text)
-- >>> import Tern.Internal.Cbor.Document (decodeWith, encodeWith)
-- >>> import Tern.Limits (defaultLimits)

-- * Any tag

-- | A value after a tag.
--
-- >>> encodeWith (taggedW 37 text) "x"
-- "\216%ax"
taggedW :: Word -> Writer a -> Writer a
taggedW number = \case
  BoundedWriter n poke -> FillWriter (\x -> toFill (Write.tagOf number <> bounded n (poke x)))
  FillWriter fill -> FillWriter (\x -> toFill (Write.tagOf number <> general (fill x)))
{-# INLINE taggedW #-}

-- | A value after just this tag. It is one level inwards.
taggedR :: Word -> Reader a -> Reader a
taggedR number (Reader step) = Reader $ \ctx e c s ->
  Read.tagged
    ( \n ctx' e' c' s' ->
        if W# n == number
          then step ctx' e' c' s'
          else failAt c (Unexpected ATag) s'
    )
    ctx
    e
    c
    s
{-# INLINE taggedR #-}

-- | A value after this tag or without it.
perhapsTaggedR :: Word -> Reader a -> Reader a
perhapsTaggedR number reader@(Reader bare) = Reader $ \ctx e c s -> case Read.isTag e c of
  1# -> tagged ctx e c s
  _ -> bare ctx e c s
  where
    !(Reader tagged) = taggedR number reader
{-# INLINE perhapsTaggedR #-}

-- * Times

-- | Tag 0: a date and time as RFC 3339 writes them. The writer does not look at the
-- text.
dateTimeW :: Writer Text
dateTimeW = taggedW 0 Write.text

-- | Refuses a text that 'isDateTime' does not hold of.
dateTimeR :: Reader Text
dateTimeR = taggedR 0 $ do
  found <- Reader Read.text
  if isDateTime found
    then pure found
    else fail "expected a date and time as in RFC 3339, 2013-03-21T20:04:00Z"

-- | Is it RFC 3339's @date-time@, with numbers in their ranges? (Whether the month has
-- such a day is not asked.)
--
-- >>> :{
-- map isDateTime ["2013-03-21T20:04:00Z", "2013-03-21t20:04:60.25+01:00", "2013-3-21T20:04:00Z",
--   "2013-03-21"]
-- :}
-- [True,True,False,False]
isDateTime :: Text -> Bool
isDateTime text = case T.splitAt 19 text of
  (day, rest) ->
    fits "dddd-dd-ddTdd:dd:dd" day
      && within 1 12 5
      && within 1 31 8
      && within 0 23 11
      && within 0 59 14
      && within 0 60 17
      && isZone (afterFraction rest)
  where
    fits shape part = T.length shape == T.length part && all (uncurry one) (T.zip shape part)
    one shape c = case shape of
      'd' -> isDigit c
      'T' -> c == 'T' || c == 't'
      _ -> c == shape
    within least most at = case T.unpack (T.take 2 (T.drop at text)) of
      [a, b] -> let n = 10 * fromEnum a + fromEnum b - 528 in n >= least && n <= (most :: Int)
      _ -> False
    afterFraction rest = case T.uncons rest of
      Just ('.', digits) | (some, after) <- T.span isDigit digits, not (T.null some) -> after
      _ -> rest
    isZone zone =
      zone == "Z"
        || zone == "z"
        || ((fits "+dd:dd" zone || fits "-dd:dd" zone) && zoneFits (T.drop 1 zone))
    zoneFits zone = case map (read . T.unpack) (T.splitOn ":" zone) of
      [hours, minutes] -> hours <= (23 :: Int) && minutes <= 59
      _ -> False

-- | Tag 1: seconds since 1970-01-01 00:00 UTC, whole or not.
epochW :: Writer (Either Int Double)
epochW = FillWriter $ \case
  Left seconds -> toFill (write (taggedW 1 Write.int) seconds)
  Right seconds -> toFill (write (taggedW 1 Write.double) seconds)

-- | 'Left' of an integer, which has to fit an 'Int'; 'Right' of a real of any width. The tag must
-- be there.
epochR :: Reader (Either Int Double)
epochR = taggedR 1 $ Reader $ \ctx e c s -> case Read.isInteger e c of
  1# -> case Read.int ctx e c s of (# s1, c1, n #) -> (# s1, c1, Left n #)
  _ -> case Read.double ctx e c s of (# s1, c1, x #) -> (# s1, c1, Right x #)

-- * Fractions

-- | A number and the power of ten or two that it is multiplied with.
data Fraction = Fraction {exponentOf :: !Int, mantissaOf :: !Integer}
  deriving stock (Eq, Show)

-- | Tag 4: mantissa times a power of ten.
--
-- >>> encodeWith decimalFractionW (Fraction (-2) 27315)
-- "\196\130!\EMj\179"
decimalFractionW :: Writer Fraction
decimalFractionW = taggedW 4 fractionW

-- | An array of two after the tag, which must be there: an exponent that fits an 'Int', and a
-- mantissa of any size (RFC 8949, section 3.4.4).
decimalFractionR :: Reader Fraction
decimalFractionR = taggedR 4 fractionR

-- | Tag 5: mantissa times a power of two.
bigFloatW :: Writer Fraction
bigFloatW = taggedW 5 fractionW

-- | As 'decimalFractionR', after tag 5.
bigFloatR :: Reader Fraction
bigFloatR = taggedR 5 fractionR

fractionW :: Writer Fraction
fractionW =
  FillWriter
    ( \(Fraction e m) ->
        toFill (Write.arrayOf 2 <> write Write.int e <> write (integerW @Cbor) m)
    )

fractionR :: Reader Fraction
fractionR = Binary.exactly @Cbor 2 (Fraction <$> Reader Read.int <*> Reader (integerStep @Cbor))

-- * A document in a string

-- | Tag 24: a byte string that holds the value as a document.
--
-- >>> encodeWith (embeddedW int) 500
-- "\216\CANC\EM\SOH\244"
embeddedW :: Writer a -> Writer a
embeddedW writer = taggedW 24 (contramapWriter (encodeWith writer) Write.bytes)

-- | The value in the string, which is all of it. The document's limits are those of
-- the one that it stands in. A string in chunks is refused.
embeddedR :: Reader a -> Reader a
embeddedR (Reader step) = taggedR 24 $ Reader $ \ctx e c s -> case Read.bytesHeader e c s of
  (# s1, body, n #) -> case step ctx (plusAddr# body n) body s1 of
    (# s2, c2, a #) -> case Read.end (plusAddr# body n) c2 s2 of
      (# s3, c3, () #) -> (# s3, c3, a #)

-- * Text that is an address

-- | Tag 32: a URI (RFC 3986). Neither side looks at the text.
uriW :: Writer Text
uriW = taggedW 32 Write.text

-- | A text after the tag, which must be there.
uriR :: Reader Text
uriR = taggedR 32 (Reader Read.text)

-- * Sets

-- | Tag 258: an array of the elements, in their order.
setW :: Writer a -> Writer (Set a)
setW writer = taggedW 258 (contramapWriter Set.toAscList (Binary.listW @Cbor writer))
{-# INLINE setW #-}

-- | From an array with the tag or without it; elements may be repeated.
setR :: (Ord a) => Reader a -> Reader (Set a)
setR reader = perhapsTaggedR 258 (Set.fromList <$> Binary.listR @Cbor reader)
{-# INLINE setR #-}
