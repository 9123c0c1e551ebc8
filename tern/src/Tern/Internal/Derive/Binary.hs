{-# LANGUAGE TemplateHaskellQuotes #-}

-- | A declaration's codec for a binary format, by Template Haskell.
--
-- The idea: whatever is known when the program is compiled, headers, keys and
-- tags, is one constant as far as it reaches. A format says how its constants are
-- written ('Binary'); the rest is the same in all of them.
module Tern.Internal.Derive.Binary
  ( Binary,
    messagePack,
    cbor,
    writerOf,
    readerOf,
  )
where

import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Text qualified as T
import Language.Haskell.TH hiding (Body, Code)
import Language.Haskell.TH.Datatype (ConstructorInfo (..), ConstructorVariant (..))
import Tern.Internal.Binary.Record qualified as Record
import Tern.Internal.Binary.Sum qualified as Sum
import Tern.Internal.Binary.Syntax (arrayHeaderW, mapHeaderW)
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.Cbor.Value qualified as Cbor
import Tern.Internal.Constructors qualified as Constructors
import Tern.Internal.Derive.Called qualified as Called
import Tern.Internal.Derive.Code (Built, constantR, constantW, dispatch, joined, slotted, tableE)
import Tern.Internal.Derive.Options
  ( Body (..),
    Layout (..),
    Options (..),
    RecordLayout (..),
    SumEncoding (..),
    bodyOf,
    isComposed,
    layoutOf,
    tagOf,
  )
import Tern.Internal.Derive.Parts (partsE, wholeE)
import Tern.Internal.Derive.Shape (shapeE)
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.MessagePack.Value qualified as MessagePack
import Tern.Internal.Wire.Class (cborR, cborW, mpackR, mpackW)
import Tern.Internal.Write (runWriter)
import Tern.Internal.Write qualified as Write

-- * Formats

-- | What is said of a format here.
data Binary = Binary
  { -- | Its name as a type.
    syntax :: Q Type,
    -- | The writer of a field's type.
    valueWriter :: Name,
    -- | And the reader.
    valueReader :: Name,
    -- | How records are laid out in it.
    records :: Options -> RecordLayout,
    -- | The bytes of a text.
    textItem :: Text -> ByteString,
    -- | The bytes of an integer.
    integerItem :: Int -> ByteString,
    -- | The bytes before an array of @n@ elements.
    arrayHead :: Int -> ByteString,
    -- | The bytes before a map of @n@ pairs.
    mapHead :: Int -> ByteString
  }

-- | The two formats, with their constants as their own writers make them.
messagePack, cbor :: Binary
messagePack =
  Binary
    { syntax = [t|MessagePack|],
      valueWriter = 'mpackW,
      valueReader = 'mpackR,
      records = messagePackRecords,
      textItem = MessagePack.encodeValue . MessagePack.Str,
      integerItem = MessagePack.encodeValue . MessagePack.Int,
      arrayHead = runWriter (arrayHeaderW @MessagePack),
      mapHead = runWriter (mapHeaderW @MessagePack)
    }
cbor =
  Binary
    { syntax = [t|Cbor|],
      valueWriter = 'cborW,
      valueReader = 'cborR,
      records = cborRecords,
      textItem = Cbor.encodeValue . Cbor.Text,
      integerItem = Cbor.encodeValue . Cbor.integer . toInteger,
      arrayHead = runWriter (arrayHeaderW @Cbor),
      mapHead = runWriter (mapHeaderW @Cbor)
    }

-- | The bytes of a name.
string :: Binary -> String -> ByteString
string format = textItem format . T.pack

-- | A function of the modules that are the same for all formats, for this one.
this :: Binary -> Name -> Q Exp
this format function = [|$(varE function) (Called.Of :: Called.Of $(syntax format))|]

-- * Keys

-- | How a record is laid out: as pairs, each key with the field's name and
-- whether it may be left away; or as an array.
data Fields
  = Pairs [(ByteString, String, Bool)]
  | Elements Int

fieldsOf :: Binary -> Options -> ConstructorInfo -> [(String, Bool)] -> Fields
fieldsOf format options constructor fields = case records format options of
  StringKeys -> Pairs [(string format name, name, optional) | (name, optional) <- fields]
  IntegerKeys _ ->
    Pairs
      [ (integerItem format number, name, optional)
        | (number, (name, optional)) <-
            zip (numbersOf format options constructor) fields
      ]
  Positions -> Elements (length fields)

-- | The integer keys of a record.
numbersOf :: Binary -> Options -> ConstructorInfo -> [Int]
numbersOf
  format
  options
  constructor = case (records format options, constructorVariant constructor) of
    (IntegerKeys number, RecordConstructor names) ->
      zipWith (\i name -> number i (nameBase name)) [0 ..] names
    _ -> []

-- | 'Record.Keys'.
keysE :: Binary -> Options -> ConstructorInfo -> Q Exp
keysE format options constructor = case numbersOf format options constructor of
  [] -> [|Record.Named|]
  ns -> [|Record.numbers $(listE (map (litE . integerL . toInteger) ns))|]

-- * Writing

-- | What is written, one after the other.
data Piece
  = -- | Bytes that are known.
    Known ByteString
  | -- | A write.
    Code (Q Exp)

-- | The expression of a writer: a case of the constructors. Known bytes that come after each other
-- are one constant.
writerOf :: Binary -> Options -> [ConstructorInfo] -> Q Exp
writerOf format options constructors = do
  value <- newName "value"
  [|
    Write.FillWriter
      $( lamE
           [varP value]
           [|
             Write.toFill
               $(caseE (varE value) (map (alternative (varE value)) constructors))
             |]
       )
    |]
  where
    layout = layoutOf options constructors
    alternative value constructor = do
      xs <- mapM (const (newName "x")) (constructorFields constructor)
      match
        (conP (constructorName constructor) (map varP xs))
        (normalB (code (pieces value constructor xs)))
        []
    pieces value constructor xs =
      let body = bodyOf options constructor
          tag = Known (string format (tagOf options constructor))
          alone = bodyW format options constructor body xs
       in case layout of
            _ | isComposed options constructor -> composed value constructor xs
            Bare _ -> case (body, xs) of
              (Record [_], [x]) | unwrapUnaryRecords options -> [valueW format x]
              _ -> alone
            Names -> [tag]
            Tagged -> case sumEncoding options of
              TaggedObject tagKey contentsKey -> case body of
                Nullary -> [mapHeader 1, Known (string format tagKey), tag]
                Record fields
                  | Pairs pairs <- fieldsOf format options constructor fields ->
                      pairsW format [Known (string format tagKey), tag] pairs xs
                _ ->
                  [ mapHeader
                      2,
                    Known (string format tagKey),
                    tag,
                    Known (string format contentsKey)
                  ]
                    <> alone
              ObjectWithSingleField -> mapHeader 1 : tag : alone
              TwoElemArray -> Known (arrayHead format 2) : tag : alone
              UntaggedValue -> case body of
                Nullary -> [tag]
                _ -> alone
    mapHeader = Known . mapHead format
    -- With fields that are flattened, ignored or computed.
    composed value constructor xs =
      let tag = Known (string format (tagOf options constructor))
          parts = partsE options constructor
          alone = Code [|$(this format 'Called.pairsW) $parts $(wholeE value xs)|]
       in case layout of
            Bare _ -> [alone]
            Names -> [tag]
            Tagged -> case sumEncoding options of
              TaggedObject tagKey _ ->
                [ Code
                    [|
                      $(this format 'Called.taggedW)
                        $parts
                        $( constantW
                             ( string format tagKey
                                 <> string format (tagOf options constructor)
                             )
                         )
                        $(wholeE value xs)
                      |]
                ]
              ObjectWithSingleField -> [mapHeader 1, tag, alone]
              TwoElemArray -> [Known (arrayHead format 2), tag, alone]
              UntaggedValue -> [alone]

-- | A body that stands by itself.
bodyW :: Binary -> Options -> ConstructorInfo -> Body -> [Name] -> [Piece]
bodyW format options constructor body xs = case body of
  Nullary -> array 0
  Unary -> map (valueW format) xs
  Array n -> array n
  Record fields -> case fieldsOf format options constructor fields of
    Pairs pairs -> pairsW format [] pairs xs
    Elements n -> array n
  where
    array n = Known (arrayHead format n) : map (valueW format) xs

-- | A map: a pair, if any, and a record's.
pairsW :: Binary -> [Piece] -> [(ByteString, String, Bool)] -> [Name] -> [Piece]
pairsW format first pairs xs = counted : first <> concat (zipWith pair pairs xs)
  where
    always = length (take 1 first) + length [() | (_, _, False) <- pairs]
    counted = case [x | ((_, _, True), x) <- zip pairs xs] of
      [] -> Known (mapHead format always)
      optional ->
        Code
          [|
            Write.write
              $(this format 'Called.mapHeaderW)
              $( foldl
                   (\n x -> [|$n + Record.present $(varE x)|])
                   (litE (integerL (toInteger always)))
                   optional
               )
            |]
    pair (key, _, optional) x
      | optional =
          [Code [|Record.optionalPair $(constantW key) $(varE (valueWriter format)) $(varE x)|]]
      | otherwise = [Known key, valueW format x]

valueW :: Binary -> Name -> Piece
valueW format x = Code [|Write.write $(varE (valueWriter format)) $(varE x)|]

-- | All pieces, neighbouring constants as one.
code :: [Piece] -> Q Exp
code = joined . go
  where
    go = \case
      Known a : Known b : rest -> go (Known (a <> b) : rest)
      Known a : rest -> constantW a : go rest
      Code e : rest -> e : go rest
      [] -> []

-- * Reading

-- | The expression of a reader, by the layout that 'layoutOf' gives the type. The second argument
-- says how a record is built from slots.
readerOf :: Binary -> Built -> Options -> [ConstructorInfo] -> Q Exp
readerOf format built options constructors = case layoutOf options constructors of
  Bare constructor -> case bodyOf options constructor of
    Record [_]
      | unwrapUnaryRecords options,
        not (isComposed options constructor) ->
          bodyR format built options Unary constructor
    body -> bodyR format built options body constructor
  Names -> do
    i <- newName "i"
    [|
      $(this format 'Called.enumeration)
        $names
        $( lamE
             [varP i]
             ( dispatch
                 i
                 [ conE (constructorName constructor)
                   | constructor <-
                       constructors
                 ]
             )
         )
      |]
  Tagged -> do
    i <- newName "i"
    case sumEncoding options of
      TaggedObject tagKey contentsKey -> do
        found <- newName "found"
        [|
          $(this format 'Called.taggedMap)
            $(stringE tagKey)
            $(stringE contentsKey)
            $names
            $( lamE
                 [varP found, varP i]
                 ( dispatch
                     i
                     ( map
                         (tagged tagKey contentsKey (varE found))
                         constructors
                     )
                 )
             )
          |]
      ObjectWithSingleField ->
        [|
          $(this format 'Called.singlePair)
            $names
            $(lamE [varP i] (dispatch i (map alone constructors)))
          |]
      TwoElemArray ->
        [|
          $(this format 'Called.twoElements)
            $names
            $(lamE [varP i] (dispatch i (map alone constructors)))
          |]
      UntaggedValue ->
        [|
          $(this format 'Called.untagged)
            $(shapeE options constructors)
            $( listE
                 [ [|($(stringE (tagOf options constructor)), $(untagged constructor))|]
                   | constructor <-
                       constructors
                 ]
             )
          |]
  where
    untagged constructor = case bodyOf options constructor of
      Nullary ->
        [|
          $(this format 'Called.enumeration)
            (Constructors.constructors [$(stringE (tagOf options constructor))])
            (\_ -> $(conE (constructorName constructor)))
          |]
      _ -> alone constructor
    names = [|Constructors.constructors $(listE (map (stringE . tagOf options) constructors))|]
    alone constructor = bodyR format built options (bodyOf options constructor) constructor
    tagged tagKey contentsKey found constructor = case bodyOf options constructor of
      _
        | isComposed options constructor ->
            [|
              $(this format 'Called.taggedR)
                $(stringE tagKey)
                $(partsE options constructor)
                $found
              |]
      Nullary
        | rejectUnknownFields options ->
            [|
              $(this format 'Called.closedNullary)
                $(stringE tagKey)
                $(conE (constructorName constructor))
                $found
              |]
      Nullary -> [|$(this format 'Called.caseNullary) $(conE (constructorName constructor)) $found|]
      Record fields
        | Pairs pairs <- fieldsOf format options constructor fields ->
            recordR
              format
              built
              (tableE options [tagKey])
              ( \keys table n run slots ->
                  [|
                    Sum.caseRecord
                      ( $( this
                             format
                             'Called.recordOf
                         )
                          $keys
                          $table
                          $n
                          $run
                          $slots
                      )
                      $found
                    |]
              )
              options
              pairs
              constructor
      body
        | rejectUnknownFields options ->
            [|
              $(this format 'Called.closedContents)
                $(stringE tagKey)
                $(stringE contentsKey)
                $(bodyR format built options body constructor)
                $found
              |]
        | otherwise ->
            [|
              $(this format 'Called.caseContents)
                $(stringE contentsKey)
                $(bodyR format built options body constructor)
                $found
              |]

bodyR :: Binary -> Built -> Options -> Body -> ConstructorInfo -> Q Exp
bodyR format built options body constructor = case body of
  _
    | isComposed options constructor ->
        [|$(this format 'Called.pairsR) $(partsE options constructor)|]
  Nullary -> [|$(conE name) <$ $(this format 'Called.unitR)|]
  Unary -> [|$(conE name) <$> $value|]
  Array n -> array n
  Record fields -> case fieldsOf format options constructor fields of
    Pairs pairs ->
      recordR
        format
        built
        (tableE options [])
        ( \keys table n run slots ->
            [|$(this format 'Called.record) $keys $table $n $run $slots|]
        )
        options
        pairs
        constructor
    Elements n -> array n
  where
    name = constructorName constructor
    value = varE (valueReader format)
    array n =
      [|
        $(this format 'Called.exactly)
          n
          $( iterate (\acc -> [|$acc <*> $value|]) [|$(conE name) <$> $value|]
               !! (n - 1)
           )
        |]

recordR ::
  Binary ->
  Built ->
  Q Exp ->
  (Q Exp -> Q Exp -> Q Exp -> Q Exp -> Q Exp -> Q Exp) ->
  Options ->
  [(ByteString, String, Bool)] ->
  ConstructorInfo ->
  Q Exp
recordR format built tableOf use options pairs constructor =
  slotted
    built
    options
    tableOf
    (use (keysE format options constructor))
    (valueReader format)
    [(name, step key) | (key, name, _) <- pairs]
    constructor
  where
    step = constantR
