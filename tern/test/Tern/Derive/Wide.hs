{-# LANGUAGE TemplateHaskellQuotes #-}

-- | Types of the widest kind that Tern promises: 200 fields, 300 constructors.
--
-- Written by a loop, spliced where their instances are derived. What their
-- values are in JSON is said here too, by another loop.
module Tern.Derive.Wide
  ( -- * Two hundred fields
    wideRecord,
    wideValues,
    wideMembers,

    -- * Three hundred constructors
    wideSum,
    wideNames,
    manyValues,
    manyDocuments,
    namesValues,
    namesDocuments,

    -- * Their tests
    wideTests,
  )
where

import Data.ByteString qualified as B
import Data.Either (fromRight)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Language.Haskell.TH
import Tern
import Tern.Json.Model (Document)
import Tern.Json.Model qualified as Model
import Tern.MessagePack.Value (Value (..), decodeValue, encodeValue)
import Test.Tasty
import Test.Tasty.HUnit

lazy :: Q Bang
lazy = bang noSourceUnpackedness noSourceStrictness

strict :: Q Bang
strict = bang noSourceUnpackedness sourceStrict

number :: Int -> String
number i = drop 1 (show (1000 + i))

-- * Two hundred fields

fieldCount :: Int
fieldCount = 200

-- | @data Wide = Wide {w001 :: !Int, w002 :: !Text, …}@
wideRecord :: [Name] -> Q [Dec]
wideRecord classes = do
  dec <-
    dataD
      (pure [])
      name
      []
      Nothing
      [recC name (map field [1 .. fieldCount])]
      [derivClause (Just StockStrategy) (map conT classes)]
  pure [dec]
  where
    name = mkName "Wide"
    field i = varBangType (mkName ('w' : number i)) (bangType strict (typeOf i))
    typeOf i = case i `mod` 5 of
      0 -> conT ''Int
      1 -> conT ''Text
      2 -> conT ''Bool
      3 -> conT ''Double
      _ -> [t|Maybe Int|]

-- | Two of its values.
wideValues :: Q Exp
wideValues = listE (map wideValue [0, 1])
  where
    wideValue k = foldl appE (conE (mkName "Wide")) (map (part k) [1 .. fieldCount])
    part :: Int -> Int -> Q Exp
    part k i = case i `mod` 5 of
      0 -> int ((i - k) * 1000003)
      1 -> [|T.pack $(stringE (textOf k i))|]
      2 -> if even (i + k) then [|True|] else [|False|]
      3 -> [|$(int i) / 4 :: Double|]
      _ -> if odd (i + k) then [|Nothing|] else [|Just $(int i)|]

-- | Their members.
wideMembers :: [[(String, Document)]]
wideMembers = [[('w' : number i, part k i) | i <- [1 .. fieldCount]] | k <- [0, 1]]
  where
    part :: Int -> Int -> Document
    part k i = case i `mod` 5 of
      0 -> Model.Number (show ((i - k) * 1000003))
      1 -> Model.String (textOf k i)
      2 -> Model.Bool (even (i + k))
      3 -> Model.realDocument (fromIntegral i / 4 :: Double)
      _ -> if odd (i + k) then Model.Null else Model.Number (show i)

textOf :: Int -> Int -> String
textOf k i = "text \"" <> show (i * i + k) <> "\""

int :: Int -> Q Exp
int = litE . integerL . fromIntegral

-- * Three hundred constructors

constructorCount :: Int
constructorCount = 300

-- | @data Many = C001 | C002 Int | C003 Int Bool | C004 {f004 :: Int, g004 :: Bool} | …@
wideSum :: [Name] -> Q [Dec]
wideSum classes = do
  dec <-
    dataD
      (pure [])
      (mkName "Many")
      []
      Nothing
      (map constructor [1 .. constructorCount])
      [derivClause (Just StockStrategy) (map conT classes)]
  pure [dec]
  where
    constructor i = case i `mod` 4 of
      1 -> normalC (name i) []
      2 -> normalC (name i) [bangType lazy (conT ''Int)]
      3 -> normalC (name i) [bangType lazy (conT ''Int), bangType lazy (conT ''Bool)]
      _ ->
        recC
          (name i)
          [ varBangType
              (mkName ('f' : number i))
              (bangType lazy (conT ''Int)),
            varBangType (mkName ('g' : number i)) (bangType lazy (conT ''Bool))
          ]
    name i = mkName ('C' : number i)

-- | One value of each constructor.
manyValues :: Q Exp
manyValues = listE (map one [1 .. constructorCount])
  where
    one i = case i `mod` 4 of
      1 -> con i
      2 -> [|$(con i) $(int i)|]
      _ -> [|$(con i) $(int i) True|]
    con i = conE (mkName ('C' : number i))

-- | What they are in tagged objects.
manyDocuments :: [Document]
manyDocuments = map one [1 .. constructorCount]
  where
    one i =
      Model.Object $
        ("tag", Model.String ('C' : number i)) : case i `mod` 4 of
          1 -> []
          2 -> [("contents", this i)]
          3 -> [("contents", Model.Array [this i, Model.Bool True])]
          _ -> [('f' : number i, this i), ('g' : number i, Model.Bool True)]
    this i = Model.Number (show i)

-- | @data Names = N001 | N002 | …@
wideNames :: [Name] -> Q [Dec]
wideNames classes = do
  dec <-
    dataD
      (pure [])
      (mkName "Names")
      []
      Nothing
      [ normalC (mkName ('N' : number i)) []
        | i <- [1 .. constructorCount]
      ]
      [derivClause (Just StockStrategy) (map conT classes)]
  pure [dec]

namesValues :: Q Exp
namesValues = listE [conE (mkName ('N' : number i)) | i <- [1 .. constructorCount]]

namesDocuments :: [Document]
namesDocuments = [Model.String ('N' : number i) | i <- [1 .. constructorCount]]

-- * Their tests

-- | Values and the documents that they must be. Members are found in any order
-- and among others.
wideTests :: (Eq a, Wire a) => [a] -> [Document] -> [TestTree]
wideTests values documents =
  [ testCase "as many as they should be" $ length values @?= length documents,
    testCase "writing" $ map encodeJson values @?= map bytes documents,
    testCase "reading" $ read' id,
    testCase "reading members backwards, among others" $ read' $ \case
      Model.Object members ->
        Model.Object
          ( concat
              [ [m, ("unknown" <> show i, Model.Array [snd m])]
                | (i, m) <-
                    zip [0 :: Int ..] (reverse members)
              ]
          )
      other -> other,
    testCase "MessagePack" $ mapM (decodeMessagePack . encodeMessagePack) values @?== values,
    testCase "CBOR" $ mapM (decodeCbor . encodeCbor) values @?== values,
    testCase "native" $ mapM (decodeNative . encodeNative) values @?== values,
    testCase "MessagePack backwards, among others" $
      mapM (decodeMessagePack . backwards . encodeMessagePack) values @?== values
  ]
  where
    found @?== wanted = assertBool "other values came back" (found == Right wanted)
    backwards = encodeValue . turned . fromRight Nil . decodeValue
    turned = \case
      Map pairs ->
        Map
          ( V.concatMap
              ( \(i, pair) ->
                  V.fromList
                    [ pair,
                      ( Str
                          (T.pack ("unknown" <> show i)),
                        Array (V.fromList [fst pair, Nil])
                      ),
                      (Int i, Nil)
                    ]
              )
              (V.indexed (V.reverse pairs))
          )
      other -> other
    bytes = B.pack . Model.writeDocument
    read' change = case mapM (decodeJson . bytes . change) documents of
      Left failure -> assertFailure (show failure)
      Right found -> assertBool "other values came back" (found == values)
