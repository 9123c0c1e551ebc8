{-# LANGUAGE TemplateHaskellQuotes #-}

-- | A declaration's codec for MessagePack, by Template Haskell.
--
-- The idea: whatever is known when the program is compiled, headers, keys and
-- tags, is one constant as far as it reaches.
module Tern.Derive.MessagePack
  ( writerOf,
    readerOf,
  )
where

import Data.Bits (shiftR)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Internal (ByteString (BS))
import Data.Text qualified as T
import Data.Word (Word8)
import Language.Haskell.TH hiding (Body, Code)
import Language.Haskell.TH.Datatype
import Tern.Constructors qualified as Constructors
import Tern.Derive.Code
import Tern.Derive.Options
import Tern.MessagePack.Container qualified as Container
import Tern.MessagePack.Record qualified as Record
import Tern.MessagePack.Sum qualified as Sum
import Tern.MessagePack.Value (Value (Int, Str), encodeValue)
import Tern.MessagePack.Write qualified as MessagePack
import Tern.Wire.Class (mpackR, mpackW)
import Tern.Write qualified as Write

-- * Keys

-- | The bytes of a string in its shortest format.
string :: String -> ByteString
string = encodeValue . Str . T.pack

-- | How a record is laid out: as pairs, each key with the field's name and
-- whether it may be left away; or as an array.
data Fields
  = Pairs [(ByteString, String, Bool)]
  | Elements Int

fieldsOf :: Options -> ConstructorInfo -> [(String, Bool)] -> Fields
fieldsOf options constructor fields = case messagePackRecords options of
  StringKeys -> Pairs [(string name, name, optional) | (name, optional) <- fields]
  IntegerKeys _ -> Pairs [(encodeValue (Int number), name, optional) | (number, (name, optional)) <- zip (numbersOf options constructor) fields]
  Positions -> Elements (length fields)

-- | The integer keys of a record.
numbersOf :: Options -> ConstructorInfo -> [Int]
numbersOf options constructor = case (messagePackRecords options, constructorVariant constructor) of
  (IntegerKeys number, RecordConstructor names) -> zipWith (\i name -> number i (nameBase name)) [0 ..] names
  _ -> []

-- | 'Record.Keys'.
keysE :: Options -> ConstructorInfo -> Q Exp
keysE options constructor = case numbersOf options constructor of
  [] -> [|Record.Named|]
  ns -> [|Record.numbers $(listE (map (litE . integerL . toInteger) ns))|]

-- * Writing

-- | What is written, one after the other.
data Piece
  = -- | Bytes that are known.
    Known ByteString
  | -- | A write.
    Code (Q Exp)

writerOf :: Options -> [ConstructorInfo] -> Q Exp
writerOf options constructors = do
  value <- newName "value"
  [|Write.FillWriter $(lamE [varP value] [|Write.toFill $(caseE (varE value) (map alternative constructors))|])|]
  where
    layout = layoutOf options constructors
    alternative constructor = do
      xs <- mapM (const (newName "x")) (constructorFields constructor)
      match (conP (constructorName constructor) (map varP xs)) (normalB (code (pieces constructor xs))) []
    pieces constructor xs =
      let body = bodyOf options constructor
          tag = Known (string (tagOf options constructor))
          alone = bodyW options constructor body xs
       in case layout of
            Bare _ -> case (body, xs) of
              (Record [_], [x]) | unwrapUnaryRecords options -> [valueW x]
              _ -> alone
            Names -> [tag]
            Tagged -> case sumEncoding options of
              TaggedObject tagKey contentsKey -> case body of
                Nullary -> [mapHeader 1, Known (string tagKey), tag]
                Record fields | Pairs pairs <- fieldsOf options constructor fields -> pairsW [Known (string tagKey), tag] pairs xs
                _ -> [mapHeader 2, Known (string tagKey), tag, Known (string contentsKey)] <> alone
              ObjectWithSingleField -> mapHeader 1 : tag : alone
              TwoElemArray -> arrayHeader 2 : tag : alone

-- | A body that stands by itself.
bodyW :: Options -> ConstructorInfo -> Body -> [Name] -> [Piece]
bodyW options constructor body xs = case body of
  Nullary -> [arrayHeader 0]
  Unary -> map valueW xs
  Array n -> arrayHeader n : map valueW xs
  Record fields -> case fieldsOf options constructor fields of
    Pairs pairs -> pairsW [] pairs xs
    Elements n -> arrayHeader n : map valueW xs

-- | A map: a pair, if any, and a record's.
pairsW :: [Piece] -> [(ByteString, String, Bool)] -> [Name] -> [Piece]
pairsW first pairs xs = counted : first <> concat (zipWith pair pairs xs)
  where
    always = length (take 1 first) + length [() | (_, _, False) <- pairs]
    counted = case [x | ((_, _, True), x) <- zip pairs xs] of
      [] -> mapHeader always
      optional -> Code [|Write.write MessagePack.mapHeader $(foldl (\n x -> [|$n + Record.present $(varE x)|]) (litE (integerL (toInteger always))) optional)|]
    pair (key, _, optional) x
      | optional = [Code [|Record.optionalPair $(known key) mpackW $(varE x)|]]
      | otherwise = [Known key, valueW x]

valueW :: Name -> Piece
valueW x = Code [|Write.write mpackW $(varE x)|]

arrayHeader, mapHeader :: Int -> Piece
arrayHeader = Known . header 0x90 0xdc
mapHeader = Known . header 0x80 0xde

-- | The header of a frame with fewer than 65,536 values: a type's fields.
header :: Word8 -> Word8 -> Int -> ByteString
header fix long n
  | n < 16 = B.singleton (fix + fromIntegral n)
  | otherwise = B.pack [long, fromIntegral (n `shiftR` 8), fromIntegral n]

-- | All pieces, neighbouring constants as one.
code :: [Piece] -> Q Exp
code = joined . go
  where
    go = \case
      Known a : Known b : rest -> go (Known (a <> b) : rest)
      Known a : rest -> known a : go rest
      Code e : rest -> e : go rest
      [] -> []

known :: ByteString -> Q Exp
known bytes = [|Record.item $(addressE bytes) $(litE (intPrimL (toInteger (B.length bytes))))|]

-- | A constant's address.
addressE :: ByteString -> Q Exp
addressE (BS contents n) = litE (bytesPrimL (mkBytes contents 0 (fromIntegral n)))

-- * Reading

readerOf :: Options -> [ConstructorInfo] -> Q Exp
readerOf options constructors = case layoutOf options constructors of
  Bare constructor -> case bodyOf options constructor of
    Record [_] | unwrapUnaryRecords options -> bodyR options Unary constructor
    body -> bodyR options body constructor
  Names -> do
    i <- newName "i"
    [|Sum.enumeration $names $(lamE [varP i] (dispatch i [conE (constructorName constructor) | constructor <- constructors]))|]
  Tagged -> do
    i <- newName "i"
    case sumEncoding options of
      TaggedObject tagKey contentsKey -> do
        found <- newName "found"
        [|Sum.taggedMap $(stringE tagKey) $(stringE contentsKey) $names $(lamE [varP found, varP i] (dispatch i (map (tagged contentsKey (varE found)) constructors)))|]
      ObjectWithSingleField -> [|Sum.singlePair $names $(lamE [varP i] (dispatch i (map alone constructors)))|]
      TwoElemArray -> [|Sum.twoElements $names $(lamE [varP i] (dispatch i (map alone constructors)))|]
  where
    names = [|Constructors.constructors $(listE (map (stringE . tagOf options) constructors))|]
    alone constructor = bodyR options (bodyOf options constructor) constructor
    tagged contentsKey found constructor = case bodyOf options constructor of
      Nullary -> [|Sum.caseNullary $(conE (constructorName constructor)) $found|]
      Record fields
        | Pairs pairs <- fieldsOf options constructor fields ->
            recordR (\keys table n run slots -> [|Sum.caseRecord (Record.recordOf $keys $table $n $run $slots) $found|]) options pairs constructor
      body -> [|Sum.caseContents $(stringE contentsKey) $(bodyR options body constructor) $found|]

bodyR :: Options -> Body -> ConstructorInfo -> Q Exp
bodyR options body constructor = case body of
  Nullary -> [|$(conE name) <$ Container.unitR|]
  Unary -> [|$(conE name) <$> mpackR|]
  Array n -> array n
  Record fields -> case fieldsOf options constructor fields of
    Pairs pairs -> recordR (\keys table n run slots -> [|Record.record $keys $table $n $run $slots|]) options pairs constructor
    Elements n -> array n
  where
    name = constructorName constructor
    array n = [|Container.exactly n $(iterate (\acc -> [|$acc <*> mpackR|]) [|$(conE name) <$> mpackR|] !! (n - 1))|]

recordR :: (Q Exp -> Q Exp -> Q Exp -> Q Exp -> Q Exp -> Q Exp) -> Options -> [(ByteString, String, Bool)] -> ConstructorInfo -> Q Exp
recordR use options pairs constructor =
  slotted (use (keysE options constructor)) 'mpackR [(name, step key) | (key, name, _) <- pairs] constructor
  where
    step key reader rest = [|Record.thenItem $(addressE key) $(litE (intPrimL (toInteger (B.length key)))) $reader $rest|]
