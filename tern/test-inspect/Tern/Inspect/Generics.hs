{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -fplugin=Test.Inspection.Plugin #-}

-- | What the compiler made of instances by generics.
--
-- The types, their instances and the functions stand in one module, because an
-- inspection follows a function through its own module only.
module Tern.Inspect.Generics (tests) where

import Data.ByteString (ByteString)
import Data.Text (Text)
import GHC.Generics (Generic)
import Tern
import Tern.Inspect.Elsewhere
import Tern.Inspect.Result
import Tern.Write (Write)
import Test.Inspection
import Test.Tasty

data Five = Five {ffield01 :: !Int, ffield02 :: !Int, ffield03 :: !Int, ffield04 :: !Int, ffield05 :: !Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data TwentyFive = TwentyFive {tfield01 :: !Int, tfield02 :: !Int, tfield03 :: !Int, tfield04 :: !Int, tfield05 :: !Int, tfield06 :: !Int, tfield07 :: !Int, tfield08 :: !Int, tfield09 :: !Int, tfield10 :: !Int, tfield11 :: !Int, tfield12 :: !Int, tfield13 :: !Int, tfield14 :: !Int, tfield15 :: !Int, tfield16 :: !Int, tfield17 :: !Int, tfield18 :: !Int, tfield19 :: !Int, tfield20 :: !Int, tfield21 :: !Int, tfield22 :: !Int, tfield23 :: !Int, tfield24 :: !Int, tfield25 :: !Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Hundred = Hundred {hfield01 :: !Int, hfield02 :: !Int, hfield03 :: !Int, hfield04 :: !Int, hfield05 :: !Int, hfield06 :: !Int, hfield07 :: !Int, hfield08 :: !Int, hfield09 :: !Int, hfield10 :: !Int, hfield11 :: !Int, hfield12 :: !Int, hfield13 :: !Int, hfield14 :: !Int, hfield15 :: !Int, hfield16 :: !Int, hfield17 :: !Int, hfield18 :: !Int, hfield19 :: !Int, hfield20 :: !Int, hfield21 :: !Int, hfield22 :: !Int, hfield23 :: !Int, hfield24 :: !Int, hfield25 :: !Int, hfield26 :: !Int, hfield27 :: !Int, hfield28 :: !Int, hfield29 :: !Int, hfield30 :: !Int, hfield31 :: !Int, hfield32 :: !Int, hfield33 :: !Int, hfield34 :: !Int, hfield35 :: !Int, hfield36 :: !Int, hfield37 :: !Int, hfield38 :: !Int, hfield39 :: !Int, hfield40 :: !Int, hfield41 :: !Int, hfield42 :: !Int, hfield43 :: !Int, hfield44 :: !Int, hfield45 :: !Int, hfield46 :: !Int, hfield47 :: !Int, hfield48 :: !Int, hfield49 :: !Int, hfield50 :: !Int, hfield51 :: !Int, hfield52 :: !Int, hfield53 :: !Int, hfield54 :: !Int, hfield55 :: !Int, hfield56 :: !Int, hfield57 :: !Int, hfield58 :: !Int, hfield59 :: !Int, hfield60 :: !Int, hfield61 :: !Int, hfield62 :: !Int, hfield63 :: !Int, hfield64 :: !Int, hfield65 :: !Int, hfield66 :: !Int, hfield67 :: !Int, hfield68 :: !Int, hfield69 :: !Int, hfield70 :: !Int, hfield71 :: !Int, hfield72 :: !Int, hfield73 :: !Int, hfield74 :: !Int, hfield75 :: !Int, hfield76 :: !Int, hfield77 :: !Int, hfield78 :: !Int, hfield79 :: !Int, hfield80 :: !Int, hfield81 :: !Int, hfield82 :: !Int, hfield83 :: !Int, hfield84 :: !Int, hfield85 :: !Int, hfield86 :: !Int, hfield87 :: !Int, hfield88 :: !Int, hfield89 :: !Int, hfield90 :: !Int, hfield91 :: !Int, hfield92 :: !Int, hfield93 :: !Int, hfield94 :: !Int, hfield95 :: !Int, hfield96 :: !Int, hfield97 :: !Int, hfield98 :: !Int, hfield99 :: !Int, hfield100 :: !Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Mixed = Mixed {count :: !Int, label :: !Text, flag :: !Bool, ratio :: !Double, maybeCount :: !(Maybe Int)}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Holder = Holder {elsewhere :: !Elsewhere, here :: !Five, many :: ![Mixed]}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Shape = Circle {radius :: !Double} | Rectangle !Double !Double | Named !Text | Empty
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Colour = Red | Green | Blue
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Pair a = Pair {left :: !a, right :: !a}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

encodeFive :: Five -> ByteString
encodeFive = encodeJson

decodeFive :: ByteString -> Either Error Five
decodeFive = decodeJson

encodeTwentyFive :: TwentyFive -> ByteString
encodeTwentyFive = encodeJson

decodeTwentyFive :: ByteString -> Either Error TwentyFive
decodeTwentyFive = decodeJson

encodeHundred :: Hundred -> ByteString
encodeHundred = encodeJson

decodeHundred :: ByteString -> Either Error Hundred
decodeHundred = decodeJson

encodeMixed :: Mixed -> ByteString
encodeMixed = encodeJson

decodeMixed :: ByteString -> Either Error Mixed
decodeMixed = decodeJson

encodeHolder :: Holder -> ByteString
encodeHolder = encodeJson

decodeHolder :: ByteString -> Either Error Holder
decodeHolder = decodeJson

encodeShape :: Shape -> ByteString
encodeShape = encodeJson

decodeShape :: ByteString -> Either Error Shape
decodeShape = decodeJson

encodeColour :: Colour -> ByteString
encodeColour = encodeJson

decodeColour :: ByteString -> Either Error Colour
decodeColour = decodeJson

encodePair :: Pair Int -> ByteString
encodePair = encodeJson

decodePair :: ByteString -> Either Error (Pair Int)
decodePair = decodeJson

tests :: [TestTree]
tests =
  [ testGroup
      "no generic representation is left"
      [ inspected "encode Five" $(inspectTest (hasNoGenerics 'encodeFive)),
        inspected "decode Five" $(inspectTest (hasNoGenerics 'decodeFive)),
        inspected "encode TwentyFive" $(inspectTest (hasNoGenerics 'encodeTwentyFive)),
        inspected "decode TwentyFive" $(inspectTest (hasNoGenerics 'decodeTwentyFive)),
        inspected "encode Hundred" $(inspectTest (hasNoGenerics 'encodeHundred)),
        inspected "decode Hundred" $(inspectTest (hasNoGenerics 'decodeHundred)),
        inspected "encode Mixed" $(inspectTest (hasNoGenerics 'encodeMixed)),
        inspected "decode Mixed" $(inspectTest (hasNoGenerics 'decodeMixed)),
        inspected "encode Holder" $(inspectTest (hasNoGenerics 'encodeHolder)),
        inspected "decode Holder" $(inspectTest (hasNoGenerics 'decodeHolder)),
        inspected "encode Shape" $(inspectTest (hasNoGenerics 'encodeShape)),
        inspected "decode Shape" $(inspectTest (hasNoGenerics 'decodeShape)),
        inspected "encode Colour" $(inspectTest (hasNoGenerics 'encodeColour)),
        inspected "decode Colour" $(inspectTest (hasNoGenerics 'decodeColour)),
        inspected "encode Pair Int" $(inspectTest (hasNoGenerics 'encodePair)),
        inspected "decode Pair Int" $(inspectTest (hasNoGenerics 'decodePair))
      ],
    testGroup
      "no dictionary is passed"
      [ inspected "encode Five" $(inspectTest (hasNoTypeClasses 'encodeFive)),
        inspected "decode Five" $(inspectTest (hasNoTypeClasses 'decodeFive)),
        inspected "encode TwentyFive" $(inspectTest (hasNoTypeClasses 'encodeTwentyFive)),
        inspected "decode TwentyFive" $(inspectTest (hasNoTypeClasses 'decodeTwentyFive)),
        inspected "encode Hundred" $(inspectTest (hasNoTypeClasses 'encodeHundred)),
        inspected "decode Hundred" $(inspectTest (hasNoTypeClasses 'decodeHundred)),
        inspected "encode Mixed" $(inspectTest (hasNoTypeClasses 'encodeMixed)),
        inspected "decode Mixed" $(inspectTest (hasNoTypeClasses 'decodeMixed)),
        inspected "encode Holder" $(inspectTest (hasNoTypeClasses 'encodeHolder)),
        inspected "decode Holder" $(inspectTest (hasNoTypeClasses 'decodeHolder)),
        inspected "encode Shape" $(inspectTest (hasNoTypeClasses 'encodeShape)),
        inspected "decode Shape" $(inspectTest (hasNoTypeClasses 'decodeShape)),
        inspected "encode Colour" $(inspectTest (hasNoTypeClasses 'encodeColour)),
        inspected "decode Colour" $(inspectTest (hasNoTypeClasses 'decodeColour)),
        inspected "encode Pair Int" $(inspectTest (hasNoTypeClasses 'encodePair)),
        inspected "decode Pair Int" $(inspectTest (hasNoTypeClasses 'decodePair))
      ],
    testGroup
      "no writer or reader is made at run time"
      [ inspected "encode Five" $(inspectTest (hasNoType 'encodeFive ''Write)),
        inspected "encode TwentyFive" $(inspectTest (hasNoType 'encodeTwentyFive ''Write)),
        inspected "encode Hundred" $(inspectTest (hasNoType 'encodeHundred ''Write)),
        inspected "encode Mixed" $(inspectTest (hasNoType 'encodeMixed ''Write)),
        inspected "encode Holder" $(inspectTest (hasNoType 'encodeHolder ''Write)),
        inspected "encode Shape" $(inspectTest (hasNoType 'encodeShape ''Write)),
        inspected "encode Colour" $(inspectTest (hasNoType 'encodeColour ''Write)),
        inspected "encode Pair Int" $(inspectTest (hasNoType 'encodePair ''Write))
      ]
  ]
