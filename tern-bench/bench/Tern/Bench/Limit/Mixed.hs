{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The straight lines that write and read the record of different fields.
module Tern.Bench.Limit.Mixed
  ( encodeMixed,
    decodeMixed,
  )
where

import Data.ByteString (ByteString)
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import GHC.Exts
import Tern.Bench.Limit.Encode (expectKeyOf, keyOf)
import Tern.Bench.Limit.Straight
import Tern.Bench.Mixed.Record
import Tern.Json.Number (pokeDouble)

-- | A string with nothing to escape: found so by words, then copied. Of any
-- other it writes nothing, which the check before the timing would find.
text :: Text -> Poke
text (Text (TA.ByteArray array) (I# off) (I# n)) op s = case byte 34 op s of
  (# s1, op1 #) -> case plain off of
    True -> case copyByteArrayToAddr# array off op1 n s1 of s2 -> byte 34 (plusAddr# op1 n) s2
    False -> (# s1, op1 #)
  where
    !end = off +# n
    plain i
      | isTrue# ((i +# 8#) <=# end) = case special (word64ToWord# (indexWord8ArrayAsWord64# array i)) of
          0## -> plain (i +# 8#)
          _ -> False
      | otherwise = bytes i
    bytes i
      | isTrue# (i >=# end) = True
      | otherwise = case word8ToWord# (indexWord8Array# array i) of
          34## -> False
          92## -> False
          w | isTrue# (ltWord# w 32##) -> False
          _ -> bytes (i +# 1#)
{-# NOINLINE text #-}

-- | Not zero where one of eight bytes is a quote, a backslash or a control
-- character (or, harmlessly, follows one).
special :: Word# -> Word#
special w =
  and# 0x8080808080808080## (or# (or# (zero (xor# w 0x2222222222222222##)) (zero (xor# w 0x5c5c5c5c5c5c5c5c##))) (and# (minusWord# w 0x2020202020202020##) (not# w)))
  where
    zero x = and# (minusWord# x 0x0101010101010101##) (not# x)
{-# INLINE special #-}

-- | The digits come from the library: what is compared is the record around
-- them.
fraction :: Double -> Poke
fraction x = pokeDouble x
{-# INLINE fraction #-}

then_ :: Poke -> Poke -> Poke
then_ f g op s = case f op s of (# s1, op1 #) -> g op1 s1
{-# INLINE then_ #-}

infixr 6 `then_`

encodeMixed :: Mixed by -> ByteString
encodeMixed (Mixed c n a r l) = case n of
  Text _ _ len ->
    cut (160 + len) $
      $(keyOf "{\"count\":")
        `then_` int c
        `then_` $(keyOf ",\"name\":")
        `then_` text n
        `then_` (if a then $(keyOf ",\"active\":true") else $(keyOf ",\"active\":false"))
        `then_` $(keyOf ",\"ratio\":")
        `then_` fraction r
        `then_` maybe $(keyOf ",\"limit\":null") (\i -> $(keyOf ",\"limit\":") `then_` int i) l
        `then_` byte 125

decodeMixed :: ByteString -> Maybe (Mixed by)
decodeMixed =
  readAll
    ( $(expectKeyOf "{\"count\":")
        ( takeInt
            ( \c ->
                $(expectKeyOf ",\"name\":")
                  ( takeText
                      ( \n ->
                          $(expectKeyOf ",\"active\":")
                            ( takeBool
                                ( \a ->
                                    $(expectKeyOf ",\"ratio\":")
                                      ( takeFraction
                                          (\r -> $(expectKeyOf ",\"limit\":") (takeMaybe (\l -> close (Mixed c n a r l))))
                                      )
                                )
                            )
                      )
                  )
            )
        )
    )

takeBool :: (Bool -> Take r) -> Take r
takeBool next e c
  | isTrue# (minusAddr# e c <# 5#) = giveUp
  | otherwise = case word32ToWord# (indexWord32OffAddr# c 0#) of
      0x65757274## -> next True e (plusAddr# c 4#)
      0x736c6166## | isTrue# (eqWord8# (indexWord8OffAddr# c 4#) (wordToWord8# 101##)) -> next False e (plusAddr# c 5#)
      _ -> giveUp
{-# INLINE takeBool #-}

takeMaybe :: (Maybe Int -> Take r) -> Take r
takeMaybe next e c
  | isTrue# (minusAddr# e c >=# 4#), isTrue# (eqWord# (word32ToWord# (indexWord32OffAddr# c 0#)) 0x6c6c756e##) = next Nothing e (plusAddr# c 4#)
  | otherwise = takeInt (\i -> next (Just i)) e c
{-# INLINE takeMaybe #-}

-- | A string of ASCII without escapes.
takeText :: (Text -> Take r) -> Take r
takeText next e c = case string e c of
  Text array off n
    | n < 0 -> giveUp
    | I# len <- n -> next (Text array off n) e (plusAddr# c (len +# 2#))
{-# INLINE takeText #-}

-- | Without its quotes; of a negative length where it is something else.
string :: Addr# -> Addr# -> Text
string e c
  | isTrue# (minusAddr# e c <# 2#) = none
  | isTrue# (neWord8# (indexWord8OffAddr# c 0#) (wordToWord8# 34##)) = none
  | otherwise = plain from
  where
    !from = plusAddr# c 1#
    none = Text (TA.ByteArray noBytes) 0 (-1)
    !(TA.ByteArray noBytes) = TA.empty
    plain at
      | isTrue# (minusAddr# e at >=# 8#), w <- indexWordOffAddr# at 0#, isTrue# (eqWord# (or# (special w) (and# w 0x8080808080808080##)) 0##) = plain (plusAddr# at 8#)
      | otherwise = bytes at
    bytes at
      | isTrue# (geAddr# at e) = none
      | otherwise = case word8ToWord# (indexWord8OffAddr# at 0#) of
          34## -> copied (minusAddr# at from)
          92## -> none
          w | isTrue# (ltWord# w 32##) || isTrue# (geWord# w 128##) -> none
          _ -> bytes (plusAddr# at 1#)
    copied n = case runRW#
      ( \s -> case newByteArray# n s of
          (# s1, array #) -> case copyAddrToByteArray# from array 0# n s1 of s2 -> unsafeFreezeByteArray# array s2
      ) of
      (# _, array #) -> Text (TA.ByteArray array) 0 (I# n)
{-# NOINLINE string #-}

-- | Digits, a point and digits, fifteen at most: then one division is exact
-- (Clinger, 1990).
takeFraction :: (Double -> Take r) -> Take r
takeFraction next e c = case decimal e c of
  (# after, x #)
    | isTrue# (eqAddr# after nullAddr#) -> giveUp
    | otherwise -> next (D# x) e after
{-# INLINE takeFraction #-}

decimal :: Addr# -> Addr# -> (# Addr#, Double# #)
decimal e c = case run c 0## of
  (# point, whole #)
    | isTrue# (minusAddr# e point ># 1#),
      isTrue# (eqWord8# (indexWord8OffAddr# point 0#) (wordToWord8# 46##)) ->
        case run (plusAddr# point 1#) whole of
          (# after, w #)
            | isTrue# (minusAddr# after c <=# 16#) -> (# after, word2Double# w /## power (minusAddr# after point -# 1#) 1.0## #)
          _ -> (# nullAddr#, 0.0## #)
  _ -> (# nullAddr#, 0.0## #)
  where
    run at n
      | isTrue# (ltAddr# at e), d <- minusWord# (word8ToWord# (indexWord8OffAddr# at 0#)) 48##, isTrue# (ltWord# d 10##) = run (plusAddr# at 1#) (plusWord# (timesWord# n 10##) d)
      | otherwise = (# at, n #)
    power n p = case n of
      0# -> p
      _ -> power (n -# 1#) (p *## 10.0##)
{-# NOINLINE decimal #-}
