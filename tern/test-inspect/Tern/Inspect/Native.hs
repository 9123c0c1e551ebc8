{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UnboxedTuples #-}
{-# OPTIONS_GHC -fplugin=Test.Inspection.Plugin #-}

-- | What the compiler made of native codecs that were put together of parts.
module Tern.Inspect.Native (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word16)
import GHC.Exts
import GHC.Word (Word16 (..))
import Tern
import Tern.Inspect.Result (inspected)
import Tern.Internal.Native.Document (decodeWith, encodeWith)
import Tern.Internal.Native.Layout (Layout (Record))
import Tern.Internal.Native.List (listR, listW, maybeR, maybeW)
import Tern.Internal.Native.Read qualified as Read
import Tern.Internal.Native.Reader (NativeReader, step, within)
import Tern.Internal.Native.Record (Fields, field, record)
import Tern.Internal.Native.Write qualified as Write
import Tern.Internal.Read (Context)
import Tern.Internal.Write (Write, Writer (..), toFill, write)
import Tern.Testkit.Allocation (allocatedBy)
import Test.Inspection
import Test.Tasty
import Test.Tasty.HUnit

data Sized = Sized !Double !Word16 !Double

data Five = Five !Int !Int !Int !Int !Int
  deriving stock (Eq, Show)

data Mixed = Mixed !Int !Text !Double !(Maybe Int) ![Five]
  deriving stock (Eq, Show)

-- | Three values of a fixed size, put together.
sized :: Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Sized #)
sized ctx e c s =
  step (record (Sized <$> field Read.double <*> field Read.word16 <*> field Read.double)) ctx e c s

-- | The same by hand: one comparison, and loads.
sizedByHand :: Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Sized #)
sizedByHand _ e c s =
  within 18 (\_ c' -> plusAddr# (plusAddr# (plusAddr# c' 8#) 2#) 8#) e c s $ \s1 ->
    case indexDoubleOffAddr# c 0# of
      x ->
        let !c1 = plusAddr# c 8#
         in case indexWord16OffAddr# c1 0# of
              w ->
                let !c2 = plusAddr# c1 2#
                 in case indexDoubleOffAddr# c2 0# of
                      y -> (# s1, plusAddr# c2 8#, Sized (D# x) (W16# w) (D# y) #)

fiveW :: Writer Five
fiveW =
  FillWriter
    ( \(Five a b c d e) ->
        toFill
          ( write Write.int a
              <> write Write.int b
              <> write Write.int c
              <> write Write.int d
              <> write Write.int e
          )
    )
{-# INLINE fiveW #-}

fiveR :: NativeReader Five
fiveR =
  record
    ( Five
        <$> field Read.int
        <*> field Read.int
        <*> field Read.int
        <*> field Read.int
        <*> field Read.int
    )
{-# INLINE fiveR #-}

encodeFive :: Five -> ByteString
encodeFive = encodeWith fiveW

decodeFive :: ByteString -> Either Error Five
decodeFive input = decodeWith (Record []) fiveR defaultLimits input

encodeMixed :: Mixed -> ByteString
encodeMixed =
  encodeWith
    ( FillWriter
        ( \(Mixed i t x m fs) ->
            toFill
              ( write Write.int i
                  <> write Write.text t
                  <> write Write.double x
                  <> write (maybeW Write.int) m
                  <> write (listW fiveW) fs
              )
        )
    )

decodeMixed :: ByteString -> Either Error Mixed
decodeMixed input =
  decodeWith
    (Record [])
    ( record
        ( Mixed
            <$> field Read.int
            <*> field Read.text
            <*> field Read.double
            <*> field (maybeR Read.int)
            <*> field (listR fiveR)
        )
    )
    defaultLimits
    input

five :: Five
five = Five 7 49 343 2401 16807

mixed :: Mixed
mixed = Mixed 1234 (T.pack "Sterna paradisaea") 0.5 (Just 30) (replicate 10 five)

tests :: [TestTree]
tests =
  [ testGroup
      "a bounded record is one bounds check"
      [ inspected "three values of a fixed size" $(inspectTest ('sized ==- 'sizedByHand))
      ],
    testGroup
      "no dictionary is passed"
      [ inspected "encode Five" $(inspectTest (hasNoTypeClasses 'encodeFive)),
        inspected "decode Five" $(inspectTest (hasNoTypeClasses 'decodeFive)),
        inspected "encode Mixed" $(inspectTest (hasNoTypeClasses 'encodeMixed)),
        inspected "decode Mixed" $(inspectTest (hasNoTypeClasses 'decodeMixed))
      ],
    testGroup
      "no writer or reader is made at run time"
      [ inspected "encode Five" $(inspectTest (hasNoType 'encodeFive ''Write)),
        inspected "decode Five" $(inspectTest (hasNoType 'decodeFive ''NativeReader)),
        inspected "decode Five, fields" $(inspectTest (hasNoType 'decodeFive ''Fields)),
        inspected "encode Mixed" $(inspectTest (hasNoType 'encodeMixed ''Write)),
        inspected "decode Mixed" $(inspectTest (hasNoType 'decodeMixed ''NativeReader)),
        inspected "decode Mixed, fields" $(inspectTest (hasNoType 'decodeMixed ''Fields))
      ],
    testGroup
      "ceilings of allocation"
      [ testCase "encode five integers: the output and 200 bytes" $ do
          bytes <- allocatedBy encodeFive five
          assertBool (show bytes) (bytes <= fromIntegral (B.length (encodeFive five)) + 200),
        testCase "encode a mixed record: the output and 200 bytes" $ do
          bytes <- allocatedBy encodeMixed mixed
          assertBool (show bytes) (bytes <= fromIntegral (B.length (encodeMixed mixed)) + 200),
        testCase "decode five integers" $ do
          decodeFive (encodeFive five) @?= Right five
          bytes <- allocatedBy decodeFive (encodeFive five)
          assertBool (show bytes) (bytes <= 260),
        testCase "decode a mixed record" $ do
          decodeMixed (encodeMixed mixed) @?= Right mixed
          bytes <- allocatedBy decodeMixed (encodeMixed mixed)
          assertBool (show bytes) (bytes <= 1100)
      ]
  ]
