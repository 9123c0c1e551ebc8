{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE RankNTypes #-}

-- | The four questions of the article on parsers for a binary format, asked
-- again: what a failure continuation costs, what partial input costs, what is
-- gained by reading bounded values without a look at the end, and what by values
-- of a fixed size.
--
-- The idea: one loop, written down once ('taggedOf'), is run by three kinds of
-- reader which differ in that one respect; and one list is read by readers which
-- know more and more of its elements.
module Tern.Bench.Question
  ( questions,
  )
where

import Control.DeepSeq (rnf)
import Data.Attoparsec.ByteString qualified as A
import Data.Binary.Get qualified as G
import Data.ByteString qualified as B
import Data.ByteString.Internal (ByteString (BS))
import Data.ByteString.Lazy qualified as L
import Data.ByteString.Unsafe qualified as BU
import Data.Vector.Primitive qualified as P
import Data.Vector.Storable qualified as S
import Data.Vector.Unboxed qualified as U
import Data.Word (Word16, Word8)
import GHC.Exts
import GHC.IO (unsafeDupablePerformIO)
import GHC.Word (Word16 (..), Word8 (..))
import Tern.Bench.Case (Case (..), Role (..), decoder)
import Tern.Error (Error)
import Tern.Internal.Native.Document (decodeWith, encodeWith)
import Tern.Internal.Native.Layout (Layout (Record))
import Tern.Internal.Native.List (listR, listW)
import Tern.Internal.Native.Read qualified as Read
import Tern.Internal.Native.Reader (NativeReader (..), bounded, flat, reader, step)
import Tern.Internal.Native.Vector (primitiveR, primitiveW, storableR, vectorR, vectorW)
import Tern.Internal.Native.Write qualified as Write
import Tern.Internal.Read (Reader, runReader)
import Tern.Internal.Write (contramapWriter)
import Tern.Limits (defaultLimits, unlimited)

questions :: [Case]
questions =
  [ Case
      "question 1, 2: a tagged list of 100,000 Word8"
      "-"
      [ listed "success only" Own (runSuccess taggedSuccess) taggedBytes,
        listed "and a failure continuation" Plain (runEither taggedEither) taggedBytes,
        listed "and partial input" Plain (runPartial taggedPartial) taggedBytes,
        listed "attoparsec" Peer (either (const Nothing) Just . A.parseOnly attoTagged) taggedBytes,
        listed
          "success only, in attoparsec"
          Peer
          (either (const Nothing) Just . A.parseOnly attoWhole)
          taggedBytes,
        listed "binary" Peer (runBinary binaryTagged) taggedBytes
      ],
    Case
      "question 1, 2: the same, each byte by a call"
      "-"
      [ listed "success only" Own (runSuccess taggedSuccessApart) taggedBytes,
        listed
          "attoparsec"
          Peer
          ( either (const Nothing) Just
              . A.parseOnly attoTaggedApart
          )
          taggedBytes,
        listed
          "success only, in attoparsec"
          Peer
          ( either (const Nothing) Just
              . A.parseOnly attoWholeApart
          )
          taggedBytes,
        listed "binary" Peer (runBinary binaryTaggedApart) taggedBytes
      ],
    Case
      "question 3, 4: 100,000 Word8 to a list"
      "400 microseconds"
      [ listed "fixed, from the end" Own (native (listR Read.word8)) bytes,
        listed "bounded, checked once a chunk" Own (native (listR asBounded)) bytes,
        listed "each checked" Plain (native (listR asChecked)) bytes,
        listed "unpack" Plain (Just . B.unpack) content,
        listed
          "attoparsec"
          Peer
          ( either (const Nothing) Just
              . A.parseOnly (A.count count A.anyWord8)
          )
          content,
        listed "binary" Peer (runBinary (several count G.getWord8)) content
      ],
    Case
      "question 3: 100,000 Int, varints, to a list"
      "-"
      [ decoder "bounded, checked once a chunk" Own rnf (native (listR Read.int)) ints numbers,
        decoder "each checked" Plain rnf (native (listR (flat (step Read.int)))) ints numbers
      ],
    Case
      "100,000 Word16BE to a list"
      "-"
      [ decoder
          "fixed, from the end"
          Own
          rnf
          (native (listR bigEndian))
          wides
          (U.toList wideVector),
        decoder
          "each checked"
          Plain
          rnf
          (native (listR (flat (step bigEndian))))
          wides
          (U.toList wideVector),
        decoder
          "binary"
          Peer
          rnf
          (runBinary (several count G.getWord16be))
          wideContent
          (U.toList wideVector)
      ],
    Case
      "100,000 Word16BE to an unboxed vector"
      "65 microseconds"
      [ decoder "native" Own (`seq` ()) (native (vectorR bigEndian)) wides wideVector,
        decoder "by hand" ByHand (`seq` ()) (Just . wideLimit) wideContent wideVector,
        decoder
          "binary"
          Peer
          (`seq` ())
          (runBinary (U.replicateM count G.getWord16be))
          wideContent
          wideVector
      ],
    Case
      "100,000 Double to a vector"
      "25 microseconds"
      [ decoder "native" Own (`seq` ()) (native primitiveR) doubles doubleVector,
        decoder
          "native, storable"
          Own
          (`seq` ())
          (native storableR)
          doubles
          (S.convert doubleVector),
        decoder
          "copied as one"
          ByHand
          (`seq` ())
          (Just . copied)
          doubleContent
          (S.convert doubleVector)
      ]
  ]
  where
    listed name role run input = decoder name role rnf run input small
    small = B.unpack content
    numbers = take count (map (\i -> (i * i) `rem` 20011 - 5000) [1 ..]) :: [Int]

count :: Int
count = 100000

native :: NativeReader a -> ByteString -> Maybe a
native r input = right (decodeWith (Record []) r defaultLimits input)
{-# INLINE native #-}

right :: Either Error a -> Maybe a
right = either (const Nothing) Just

-- * What is read

content, taggedBytes, bytes, ints, wides, wideContent, doubles, doubleContent :: ByteString
content = B.pack (take count (cycle [0 .. 250]))
{-# NOINLINE content #-}
taggedBytes = B.snoc (B.concatMap (\w -> B.pack [1, w]) content) 0
{-# NOINLINE taggedBytes #-}
bytes = encodeWith (listW Write.word8) (B.unpack content)
{-# NOINLINE bytes #-}
ints = encodeWith (listW Write.int) (take count (map (\i -> (i * i) `rem` 20011 - 5000) [1 ..]))
{-# NOINLINE ints #-}
wides = encodeWith (vectorW (contramapWriter byteSwap Write.word16)) wideVector
{-# NOINLINE wides #-}
wideContent =
  B.pack (concat [[fromIntegral (w `quot` 256), fromIntegral w] | w <- U.toList wideVector])
{-# NOINLINE wideContent #-}
doubles = encodeWith primitiveW doubleVector
{-# NOINLINE doubles #-}
doubleContent =
  B.concat [B.drop 1 (encodeWith (listW Write.double) [x]) | x <- P.toList doubleVector]
{-# NOINLINE doubleContent #-}

wideVector :: U.Vector Word16
wideVector = U.generate count (\i -> fromIntegral (i * 7919))
{-# NOINLINE wideVector #-}

doubleVector :: P.Vector Double
doubleVector = P.generate count (\i -> fromIntegral i / 7)
{-# NOINLINE doubleVector #-}

-- * Questions 1 and 2

-- | Elements, each after a 1, and a 0 after the last, from what reads a byte.
taggedOf :: (Monad m) => m Word8 -> m [Word8]
taggedOf byte' = go
  where
    go =
      byte' >>= \case
        0 -> pure []
        _ -> do
          x <- byte'
          xs <- go
          pure (x : xs)
{-# INLINE taggedOf #-}

runSuccess :: Reader a -> ByteString -> Maybe a
runSuccess r = either (const Nothing) Just . runReader unlimited (\_ reason -> reason) r
{-# INLINE runSuccess #-}

taggedSuccess :: Reader [Word8]
taggedSuccess = taggedOf (reader Read.word8)
{-# NOINLINE taggedSuccess #-}

-- | With what to do on failure.
newtype E a = E (forall r. Addr# -> Addr# -> (Addr# -> r) -> (Addr# -> a -> r) -> r)

instance Functor E where
  fmap f (E g) = E (\e c no yes -> g e c no (\c1 a -> yes c1 (f a)))
  {-# INLINE fmap #-}

instance Applicative E where
  pure a = E (\_ c _ yes -> yes c a)
  {-# INLINE pure #-}
  f <*> x = f >>= \g -> fmap g x
  {-# INLINE (<*>) #-}

instance Monad E where
  E g >>= k = E (\e c no yes -> g e c no (\c1 a -> case k a of E h -> h e c1 no yes))
  {-# INLINE (>>=) #-}

taggedEither :: E [Word8]
taggedEither = taggedOf byte'
  where
    byte' = E $ \e c no yes -> case ltAddr# c e of
      1# -> yes (plusAddr# c 1#) (W8# (indexWord8OffAddr# c 0#))
      _ -> no c
    {-# INLINE byte' #-}
{-# NOINLINE taggedEither #-}

runEither :: E a -> ByteString -> Maybe a
runEither (E g) input =
  unsafeDupablePerformIO . BU.unsafeUseAsCStringLen input $ \(Ptr start, I# n) ->
    pure $!
      g
        (plusAddr# start n)
        start
        refused
        ( \c a ->
            if isTrue# (eqAddr# c (plusAddr# start n))
              then Just a
              else Nothing
        )

refused :: Addr# -> Maybe a
refused _ = Nothing

-- | With a place to stop at, wherever a byte is wanted. What was given before
-- is kept by whoever gives.
newtype Partial a
  = Partial (forall r. Addr# -> Addr# -> (Addr# -> Addr# -> a -> Answer r) -> Answer r)

data Answer r = Done r | More (ByteString -> Answer r)

instance Functor Partial where
  fmap f (Partial g) = Partial (\e c yes -> g e c (\e1 c1 a -> yes e1 c1 (f a)))
  {-# INLINE fmap #-}

instance Applicative Partial where
  pure a = Partial (\e c yes -> yes e c a)
  {-# INLINE pure #-}
  f <*> x = f >>= \g -> fmap g x
  {-# INLINE (<*>) #-}

instance Monad Partial where
  Partial g >>= k = Partial (\e c yes -> g e c (\e1 c1 a -> case k a of Partial h -> h e1 c1 yes))
  {-# INLINE (>>=) #-}

taggedPartial :: Partial [Word8]
taggedPartial = taggedOf byte'
  where
    byte' = Partial $ \e c yes -> case ltAddr# c e of
      1# -> yes e (plusAddr# c 1#) (W8# (indexWord8OffAddr# c 0#))
      _ -> More (`resumed` yes)
    {-# INLINE byte' #-}
    resumed :: ByteString -> (Addr# -> Addr# -> Word8 -> Answer r) -> Answer r
    resumed input yes =
      unsafeDupablePerformIO . BU.unsafeUseAsCStringLen input $ \(Ptr start, I# n) ->
        pure $! case n of
          0# -> More (`resumed` yes)
          _ -> yes (plusAddr# start n) (plusAddr# start 1#) (W8# (indexWord8OffAddr# start 0#))
{-# NOINLINE taggedPartial #-}

runPartial :: Partial a -> ByteString -> Maybe a
runPartial (Partial g) input =
  unsafeDupablePerformIO . BU.unsafeUseAsCStringLen input $ \(Ptr start, I# n) ->
    pure $!
      case g
        (plusAddr# start n)
        start
        ( \e c a ->
            Done (if isTrue# (eqAddr# c e) then Just a else Nothing)
        ) of
        Done a -> a
        More _ -> Nothing

attoTagged :: A.Parser [Word8]
attoTagged = taggedOf A.anyWord8
{-# NOINLINE attoTagged #-}

binaryTagged :: G.Get [Word8]
binaryTagged = taggedOf G.getWord8
{-# NOINLINE binaryTagged #-}

-- | All the input at once, and then a reader that cannot stop.
attoWhole, attoWholeApart :: A.Parser [Word8]
attoWhole = A.takeByteString >>= maybe (fail "no list") pure . runSuccess taggedSuccess
{-# NOINLINE attoWhole #-}
attoWholeApart = A.takeByteString >>= maybe (fail "no list") pure . runSuccess taggedSuccessApart
{-# NOINLINE attoWholeApart #-}

-- * The same, each byte by a call

byteApart :: Reader Word8
byteApart = reader Read.word8
-- NOINLINE, as the next two: that is what is asked.
{-# NOINLINE byteApart #-}

attoByteApart :: A.Parser Word8
attoByteApart = A.anyWord8
{-# NOINLINE attoByteApart #-}

binaryByteApart :: G.Get Word8
binaryByteApart = G.getWord8
{-# NOINLINE binaryByteApart #-}

taggedSuccessApart :: Reader [Word8]
taggedSuccessApart = taggedOf byteApart
{-# NOINLINE taggedSuccessApart #-}

attoTaggedApart :: A.Parser [Word8]
attoTaggedApart = taggedOf attoByteApart
{-# NOINLINE attoTaggedApart #-}

binaryTaggedApart :: G.Get [Word8]
binaryTaggedApart = taggedOf binaryByteApart
{-# NOINLINE binaryTaggedApart #-}

runBinary :: G.Get a -> ByteString -> Maybe a
runBinary g input = case G.runGetOrFail g (L.fromStrict input) of
  Right (_, _, a) -> Just a
  Left _ -> Nothing
{-# INLINE runBinary #-}

several :: (Monad m) => Int -> m a -> m [a]
several n g = go n
  where
    go 0 = pure []
    go k = do
      !x <- g
      xs <- go (k - 1 :: Int)
      pure (x : xs)
{-# INLINE several #-}

-- * Questions 3 and 4

-- | A byte of which it is only known that there is no more of it than one.
asBounded :: NativeReader Word8
asBounded = case Read.word8 of NativeReader _ n x read' -> bounded n x read'
{-# INLINE asBounded #-}

-- | A byte of which nothing is known.
asChecked :: NativeReader Word8
asChecked = flat (step Read.word8)
{-# INLINE asChecked #-}

bigEndian :: NativeReader Word16
bigEndian = byteSwap <$> Read.word16
{-# INLINE bigEndian #-}

byteSwap :: Word16 -> Word16
byteSwap (W16# w) = W16# (wordToWord16# (byteSwap16# (word16ToWord# w)))
{-# INLINE byteSwap #-}

wideLimit :: ByteString -> U.Vector Word16
wideLimit input = unsafeDupablePerformIO . BU.unsafeUseAsCStringLen input $ \(Ptr start, n) ->
  pure $! U.generate (n `quot` 2) (\(I# i) -> byteSwap (W16# (indexWord16OffAddr# start i)))
{-# NOINLINE wideLimit #-}

-- | The bytes without their chunks' headers.
copied :: ByteString -> S.Vector Double
copied input = case B.copy input of
  BS pointer n -> S.unsafeCast (S.unsafeFromForeignPtr0 pointer n)
{-# NOINLINE copied #-}
