{-# LANGUAGE OverloadedStrings #-}

-- | Documents of any shape, as aeson's values and as Tern's.
--
-- The idea: both are trees of the same six kinds, so that one is made from the other
-- with no text in between. Tern's keeps more: the order of an object's members,
-- repeated names, and each number as it was written. Start at 'toAeson'.
module Tern.Aeson.Value
  ( toAeson,
    toAesonBy,
    fromAeson,
    toScientific,
    fromScientific,
  )
where

import Data.Aeson qualified as A
import Data.Aeson.Key qualified as AK
import Data.Aeson.KeyMap qualified as AM
import Data.Char (isDigit)
import Data.Scientific (Scientific, base10Exponent, coefficient, scientific)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Vector qualified as V
import Tern
  ( Error
      ( errorReason
      ),
    Limits,
    Path,
    Reason (OutOfRange),
    Segment (Index, Key),
    decodeJsonWith,
  )
import Tern.Value
  ( Number,
    Value (..),
    members,
    numberFromDecimal,
    numberFromInteger,
    object,
    renderNumber,
  )

-- $setup
-- >>> import Tern (Error, decodeJson, defaultLimits)
-- >>> import Data.Aeson qualified as A
-- >>> import Tern.Value (Value)

-- | As aeson's value. Of a repeated name the last value counts.
--
-- A number has to be a 'Scientific': with no more digits than the limits allow, and a
-- power of ten that is an 'Int'. If one is not, the path to it and why. Linear in the
-- document's size; no power of ten is expanded.
--
-- >>> toAeson defaultLimits <$> (decodeJson "{\"a\": [1.50]}" :: Either Error Value)
-- Right (Right (Object (fromList [("a",Array [Number 1.5])])))
-- >>> toAeson defaultLimits <$> (decodeJson "[1e99999999999999999999]" :: Either Error Value)
-- Right (Left ([Index 0],OutOfRange "Scientific"))
toAeson :: Limits -> Value -> Either (Path, Reason) A.Value
toAeson limits =
  toAesonBy $ \place n ->
    either (\reason -> Left (reverse place, reason)) (Right . A.Number) (toScientific limits n)

-- | What numbers become is said by a function of the path to each, the last step first.
toAesonBy :: (Applicative f) => (Path -> Number -> f A.Value) -> Value -> f A.Value
toAesonBy number = go []
  where
    go place = \case
      Null -> pure A.Null
      Bool b -> pure (A.Bool b)
      Number n -> number place n
      String t -> pure (A.String t)
      Array vs -> A.Array <$> itraverse (\i -> go (Index i : place)) vs
      Object o ->
        A.Object . AM.fromList
          <$> traverse (\(name, v) -> (AK.fromText name,) <$> go (Key name : place) v) (members o)
    itraverse f vs = V.fromListN (V.length vs) <$> traverse (uncurry f) (zip [0 ..] (V.toList vs))

-- | As Tern's value. An object's members come in the order of aeson's map.
--
-- >>> fromAeson (A.object [("b", A.Number 1.5), ("a", A.Null)])
-- Object (object [("a",Null),("b",Number 1.5)])
fromAeson :: A.Value -> Value
fromAeson = \case
  A.Null -> Null
  A.Bool b -> Bool b
  A.Number n -> Number (fromScientific n)
  A.String t -> String t
  A.Array vs -> Array (V.map fromAeson vs)
  A.Object o -> Object (object [(AK.toText name, fromAeson v) | (name, v) <- AM.toList o])

-- | The number exactly, or why it cannot be said.
toScientific :: Limits -> Number -> Either Reason Scientific
toScientific limits n = case decodeJsonWith limits (T.encodeUtf8 digits) of
  Left e -> Left (errorReason e)
  Right magnitude
    | magnitude == 0 -> Right 0
    | otherwise -> case powerOf power of
        Just e
          | e - after >= toInteger (minBound :: Int),
            e - after <= toInteger (maxBound :: Int) ->
              Right (scientific (sign magnitude) (fromInteger (e - after)))
        _ -> Left (OutOfRange "Scientific")
  where
    text = renderNumber n
    sign = if T.isPrefixOf "-" text then negate else id
    (mantissa, power) = T.break (\c -> c == 'e' || c == 'E') (T.dropWhile (== '-') text)
    (whole, fraction) = T.drop 1 <$> T.break (== '.') mantissa
    after = toInteger (T.length fraction)
    digits = case T.dropWhile (== '0') (whole <> fraction) of
      "" -> "0"
      some -> some

-- | A power of ten, with the letter before it; 'Nothing' for one of more than 19 digits.
powerOf :: Text -> Maybe Integer
powerOf text
  | T.null text = Just 0
  | T.length digits > 19 = Nothing
  | otherwise =
      Just
        ( (if T.isInfixOf "-" text then negate else id)
            ( T.foldl'
                ( \acc c ->
                    acc * 10 + toInteger (fromEnum c - fromEnum '0')
                )
                0
                digits
            )
        )
  where
    digits = T.dropWhile (== '0') (T.filter isDigit text)

-- | The number exactly: an integer as such, if its power of ten is at most 1,024, as aeson
-- writes it.
fromScientific :: Scientific -> Number
fromScientific n
  | power >= 0 && power <= 1024 = numberFromInteger (coefficient n * 10 ^ power)
  | otherwise = numberFromDecimal (coefficient n) power
  where
    power = base10Exponent n
