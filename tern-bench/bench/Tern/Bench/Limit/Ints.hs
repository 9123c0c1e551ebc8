{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}
-- Optimised also where nothing else is: a splice loads this module, and GHC finds no function in C
-- then. Optimised, these are called by who inlines them, and not here.
{-# OPTIONS_GHC -O1 -fmax-simplifier-iterations=4 #-}

-- | The limits of records of Ints: functions in C, one for each number of fields
-- (@cbits\/tern_bench_tight.c@), and what calls them.
--
-- A writer does not get a hundred numbers one by one: strict fields of numbers lie beside
-- each other in the record, after one word, and there it reads them.
module Tern.Bench.Limit.Ints
  ( Digits (..),
    encodeInts,
    decodeInts,
    anyOrder,
  )
where

import Data.Word (Word8)
import GHC.Exts
  ( Addr#,
    MutableByteArray#,
    Ptr (..),
    RealWorld,
    addr2Int#,
    andI#,
    anyToAddr#,
    int2Addr#,
    plusAddr#,
  )
import GHC.IO (IO (..))
import Language.Haskell.TH
import Tern.Bench.Declare (fieldNames)
import Tern.Bench.Limit.Room (cut, slot, withSlots)

-- | How a writer finds out how many digits a number has: without a branch, or by branches,
-- which the processor foretells where it sees one record again and again.
data Digits = WithoutBranch | Foretold

-- unsafe: they take some hundreds of nanoseconds and call nothing.
foreign import ccall unsafe "tern_bench_encode_5"
  encode5 :: Addr# -> Addr# -> IO (Ptr Word8)

foreign import ccall unsafe "tern_bench_encode_25"
  encode25 :: Addr# -> Addr# -> IO (Ptr Word8)

foreign import ccall unsafe "tern_bench_encode_100"
  encode100 :: Addr# -> Addr# -> IO (Ptr Word8)

foreign import ccall unsafe "tern_bench_encode_foretold_5"
  encodeForetold5 :: Addr# -> Addr# -> IO (Ptr Word8)

foreign import ccall unsafe "tern_bench_encode_foretold_25"
  encodeForetold25 :: Addr# -> Addr# -> IO (Ptr Word8)

foreign import ccall unsafe "tern_bench_encode_foretold_100"
  encodeForetold100 :: Addr# -> Addr# -> IO (Ptr Word8)

foreign import ccall unsafe "tern_bench_decode_5"
  decode5 ::
    Addr# -> Int -> MutableByteArray# RealWorld -> IO Int

foreign import ccall unsafe "tern_bench_decode_25"
  decode25 ::
    Addr# -> Int -> MutableByteArray# RealWorld -> IO Int

foreign import ccall unsafe "tern_bench_decode_100"
  decode100 ::
    Addr# -> Int -> MutableByteArray# RealWorld -> IO Int

foreign import ccall unsafe "tern_bench_decode_25_any_order"
  decode25AnyOrder ::
    Addr# -> Int -> MutableByteArray# RealWorld -> IO Int

-- | @encodeLimit :: Digits -> Room -> Ints5 by -> ByteString@, of that many fields.
encodeInts :: Int -> Q Exp
encodeInts count =
  [|
    \digits room record -> case digits of
      WithoutBranch -> cut room $(most) (written $(plain) record)
      Foretold -> cut room $(most) (written $(foretold) record)
    |]
  where
    most = litE (integerL (fromIntegral (32 * count)))
    (plain, foretold) = case count of
      5 -> ([|encode5|], [|encodeForetold5|])
      25 -> ([|encode25|], [|encodeForetold25|])
      _ -> ([|encode100|], [|encodeForetold100|])

-- | To an address, the numbers of a record that is evaluated. Between asking where it is
-- and the call, which is unsafe, nothing is allocated, so that nothing moves.
written :: (Addr# -> Addr# -> IO (Ptr Word8)) -> a -> Ptr Word8 -> IO (Ptr Word8)
written write !record (Ptr to) = IO $ \s -> case anyToAddr# record s of
  (# s1, tagged #) -> case write to (plusAddr# (int2Addr# (andI# (addr2Int# tagged) -8#)) 8#) of
    IO call -> call s1
{-# INLINE written #-}

-- | @Room -> ByteString -> Maybe (Ints5 by)@, of the fields in their order.
decodeInts :: String -> Int -> Q Exp
decodeInts name count = reading name count $ case count of
  5 -> [|decode5|]
  25 -> [|decode25|]
  _ -> [|decode100|]

-- | The same of the 25 fields in any order.
anyOrder :: String -> Q Exp
anyOrder name = reading name 25 [|decode25AnyOrder|]

reading :: String -> Int -> Q Exp -> Q Exp
reading name count reader = do
  xs <- mapM (const (newName "x")) (fieldNames count)
  found <- newName "found"
  let taken =
        doE
          ( zipWith
              ( \i x ->
                  bindS (bangP (varP x)) [|slot $(varE found) $(litE (integerL i))|]
              )
              [0 ..]
              xs
              <> [noBindS [|pure $(foldl appE (conE (mkName name)) (map varE xs))|]]
          )
  [|
    \room ->
      withSlots room $(litE (integerL (fromIntegral count))) $reader (\_ $(varP found) -> $taken)
    |]
