{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Calls of the primitives with what no document brings them, or hardly one: nothing at all,
-- numbers out of a format's range, memory that is none of Haskell's own.
module Tern.Prim.EdgesTest (tests) where

import Control.Monad (forM_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Internal (unsafePackLenLiteral)
import Data.ByteString.Unsafe (unsafePackMallocCStringLen, unsafeUseAsCStringLen)
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.List (nub)
import Data.Ratio ((%))
import Data.Text (Text)
import Data.Text qualified as T
import Foreign.Marshal.Alloc (mallocBytes)
import Foreign.Marshal.Utils (copyBytes)
import GHC.Exts
import GHC.IO (IO (..))
import GHC.Word (Word8 (..))
import Tern.Prim.Buffer (Fill, ensuring, moved, runPiecesTo, slack)
import Tern.Prim.Cbor (naturalBytes)
import Tern.Prim.Decimal (digitsOf)
import Tern.Prim.MessagePack (integerAt)
import Tern.Prim.Native (loadVarint)
import Tern.Prim.Nearest (exactDouble, exactFloat)
import Tern.Prim.Number (digits)
import Tern.Prim.Time (wantedAt)
import Tern.Prim.View (keeperAddress, newKeeper, releaseKeeper, textAt)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "primitives at their edges"
    [ testCase "integers that are nothing" $ do
        naturalBytes 0 @?= ""
        at "" (\a s -> integerAt a 0# s) >>= (@?= 0)
        digitsOf 0 @?= 1
        unsafeUseAsCStringLen "000" (\(Ptr a, I# n) -> pure (digits 5 (plusAddr# a n) a))
          >>= (@?= (0, 0)),
      testCase "a varint of one byte" $
        at "\x2a" (\a s -> case loadVarint 1# a of (# w, m #) -> (# s, (W# w, isTrue# m) #))
          >>= (@?= (42, True)),
      testCase "decimal numbers out of a format's range, and at its ends" . forM_ powers $ \q ->
        forM_ numbers $ \m -> do
          let ratio = if q >= 0 then (m * 10 ^ q) % 1 else m % (10 ^ negate q)
          exactDouble m q @?= fromRational ratio
          exactFloat m q @?= fromRational ratio,
      testCase "every fault of a time has its words" $ do
        let words' = [snd (wantedAt (-1 - fault)) | fault <- [1 .. 13]]
        words' @?= nub words'
        assertBool "none" (not (any T.null words'))
        fst (wantedAt (-1 - (16 * 7 + 2))) @?= 7,
      testCase "a text of memory that is none of Haskell's own" $ do
        -- A constant of the program.
        viewed (unsafePackLenLiteral 5 "a\xc3\xa4\&  "#) >>= (@?= "a\228  ")
        allocated <- mallocBytes 5
        unsafeUseAsCStringLen "a\xc3\xa4  " (uncurry (copyBytes allocated))
        unsafePackMallocCStringLen (allocated, 5) >>= viewed >>= (@?= "a\228  "),
      testCase "pieces that are gone back to" $ do
        pieces <- newIORef []
        runPiecesTo (\piece -> modifyIORef' pieces (piece :)) returning
        written <- readIORef pieces
        B.concat (reverse written) @?= B.cons 7 (B.replicate 20000 1)
        assertBool "one piece" (length written > 1)
        slack @?= 16
    ]
  where
    numbers = 0 : [m + k | m <- [1, 18, 3403, 2 ^ (64 :: Int), 10 ^ (40 :: Int)], k <- [-1, 0, 1]]
    powers =
      [-800, -460, -400, -330, -324, -308, -46, -45, -1, 0, 1, 38, 39, 290, 307, 308, 400, 401]

-- | A byte that is written last, before twenty thousand others.
returning :: Fill
returning before from s = case ensuring 1# (\mba op t -> (# t, mba, op #)) before from s of
  (# s1, first, place #) -> case others 20000 first (plusAddr# place 1#) s1 of
    (# s2, now, end #) -> case moved first place now s2 of
      (# s3, there #) -> case writeWord8OffAddr# there 0# seven s3 of s4 -> (# s4, now, end #)
  where
    !(W8# seven) = 7
    !(W8# one) = 1
    others :: Int -> Fill
    others n mba op t
      | n == 0 = (# t, mba, op #)
      | otherwise =
          ensuring
            1#
            ( \mba1 op1 t1 -> case writeWord8OffAddr# op1 0# one t1 of
                t2 -> others (n - 1) mba1 (plusAddr# op1 1#) t2
            )
            mba
            op
            t

at :: ByteString -> (Addr# -> State# RealWorld -> (# State# RealWorld, a #)) -> IO a
at bytes look = unsafeUseAsCStringLen bytes (\(Ptr a, _) -> IO (look a))

-- | All of a document as a text.
viewed :: ByteString -> IO Text
viewed bytes = do
  keeper <- newKeeper bytes
  let !(Ptr address) = keeperAddress keeper
  text <- unsafeUseAsCStringLen bytes $ \(Ptr a, I# n) -> IO (textAt address a n)
  text <$ releaseKeeper keeper
