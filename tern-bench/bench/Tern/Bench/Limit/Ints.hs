{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- | The limits of records of Ints: functions in C, one for each number of fields
-- (@cbits\/tern_bench_tight.c@), and what calls them.
module Tern.Bench.Limit.Ints
  ( encodeInts,
    decodeInts,
    anyOrder,
  )
where

import Data.ByteString (ByteString)
import Data.Word (Word8)
import GHC.Exts (Addr#, MutableByteArray#, Ptr, RealWorld)
import Language.Haskell.TH
import Tern.Bench.Declare (fieldNames)
import Tern.Bench.Limit.Room (Room, cut, slot, withSlots)

-- unsafe: they take some hundreds of nanoseconds and call nothing.
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

-- | @encodeLimit :: Room -> Ints5 by -> ByteString@, with what it calls.
encodeInts :: String -> Int -> Q [Dec]
encodeInts name count = do
  xs <- mapM (const (newName "x")) (fieldNames count)
  to <- newName "to"
  let written = mkName ("write" <> name)
  imported <-
    forImpD
      CCall
      Unsafe
      ("tern_bench_encode_" <> show count)
      written
      [t|
        Ptr Word8 ->
        $(foldr (\_ rest -> [t|Int -> $rest|]) [t|IO (Ptr Word8)|] xs)
        |]
  body <-
    [|
      \room ->
        $( lamE
             [conP (mkName name) (map varP xs)]
             [|
               cut
                 room
                 $(litE (integerL (fromIntegral (32 * count))))
                 $( lamE
                      [varP to]
                      (foldl appE (varE written) (varE to : map varE xs))
                  )
               |]
         )
      |]
  signature <- sigD limit [t|forall by. Room -> $(conT (mkName name)) by -> ByteString|]
  pure [imported, signature, ValD (VarP limit) (NormalB body) []]
  where
    limit = mkName "encodeLimit"

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
