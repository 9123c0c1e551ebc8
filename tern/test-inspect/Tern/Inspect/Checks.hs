{-# LANGUAGE TemplateHaskell #-}

-- | What is asked of compiled code, whatever derived it: the types, a function
-- for each type, format and direction, and the inspections of these.
--
-- Types, instances and functions are spliced into one module, because an
-- inspection follows a function through its own module only.
module Tern.Inspect.Checks
  ( types,
    functions,
    checks,
  )
where

import Data.ByteString (ByteString)
import Data.Text (Text)
import GHC.Generics (Generic)
import Language.Haskell.TH
import Tern
import Tern.Inspect.Elsewhere (Elsewhere)
import Tern.Inspect.Result (inspected)
import Tern.Internal.Native.Document (decodeWith)
import Tern.Internal.Native.Layout (Layout (Unknown))
import Tern.Internal.Native.Record (Ahead)
import Tern.Internal.Write (Write)
import Test.Inspection
import Test.Tasty

-- | The declarations, without instances of codecs.
types :: Q [Dec]
types = do
  wide <- mapM ints [("Five", 'f', 5), ("TwentyFive", 't', 25), ("Hundred", 'h', 100)]
  rest <-
    [d|
      data Mixed = Mixed
        { count ::
            !Int,
          label :: !Text,
          flag :: !Bool,
          ratio :: !Double,
          maybeCount :: !(Maybe Int)
        }
        deriving stock (Eq, Generic, Show)

      data Shape = Circle {radius :: !Double} | Rectangle !Double !Double | Named !Text | Empty
        deriving stock (Eq, Generic, Show)

      data Colour = Red | Green | Blue
        deriving stock (Eq, Generic, Show)

      data Pair a = Pair {left :: !a, right :: !a}
        deriving stock (Eq, Generic, Show)
      |]
  holder <-
    record
      "Holder"
      [ ("elsewhere", [t|Elsewhere|]),
        ("here", conT (mkName "Five")),
        ("many", [t|[$(conT (mkName "Mixed"))]|])
      ]
  pure (wide <> rest <> [holder])
  where
    ints (name, letter, n) =
      record name [(letter : "field" <> number i, [t|Int|]) | i <- [1 .. n :: Int]]
    number i = reverse (take 3 (reverse (show (1000 + i))))
    record name fields =
      dataD
        (pure [])
        (mkName name)
        []
        Nothing
        [ recC
            (mkName name)
            [ varBangType (mkName field) (bangType (bang noSourceUnpackedness sourceStrict) t)
              | (field, t) <-
                  fields
            ]
        ]
        [derivClause (Just StockStrategy) [[t|Eq|], [t|Generic|], [t|Show|]]]

-- | The types to look at, by a name.
subjects :: [(String, Q Type)]
subjects =
  [ (name, conT (mkName name))
    | name <-
        ["Five", "TwentyFive", "Hundred", "Mixed", "Holder", "Shape", "Colour"]
  ]
    <> [("Pair", [t|$(conT (mkName "Pair")) Int|])]

-- | @encodeJsonFive@ and so on.
functions :: Q [Dec]
functions =
  concat
    <$> sequence
      [ function (direction <> name) (typed t) e
        | (name, t) <-
            subjects,
          (direction, typed, e) <- directions
      ]
  where
    function name t e = do
      signature <- sigD (mkName name) t
      value <- valD (varP (mkName name)) (normalB e) []
      pure [signature, value]
    directions =
      [ ("encodeJson", encoder, [|encodeJson|]),
        ("decodeJson", decoder, [|decodeJson|]),
        ("encodeMessagePack", encoder, [|encodeMessagePack|]),
        ("decodeMessagePack", decoder, [|decodeMessagePack|]),
        ("encodeCbor", encoder, [|encodeCbor|]),
        ("decodeCbor", decoder, [|decodeCbor|]),
        ("encodeNative", encoder, [|encodeNative|]),
        -- Without what an error's path is found by: the type's shape.
        ("decodeNative", decoder, [|decodeWith Unknown nativeR defaultLimits|])
      ]
    encoder t = [t|$t -> ByteString|]
    decoder t = [t|ByteString -> Either Error $t|]

checks :: Q Exp
checks =
  listE
    [ [|
        testGroup
          "no generic representation is left"
          $( listE
               [ check hasNoGenerics name
                 | name <-
                     encoders <> decoders
               ]
           )
        |],
      [|
        testGroup
          "no dictionary is passed"
          $( listE
               [ check hasNoTypeClasses name
                 | name <-
                     encoders <> decoders
               ]
           )
        |],
      [|
        testGroup
          "no writer is made at run time"
          $( listE
               [check (`hasNoType` ''Write) name | name <- encoders]
           )
        |],
      [|
        testGroup
          "names are constants"
          $( listE
               [check (`hasNoType` ''Char) name | name <- encoders]
           )
        |],
      [|
        testGroup
          "what is ahead is known"
          $( listE
               [ check (`hasNoType` ''Ahead) ("decodeNative" <> name)
                 | (name, _) <-
                     subjects
               ]
           )
        |]
    ]
  where
    encoders =
      [ direction <> name
        | direction <-
            ["encodeJson", "encodeMessagePack", "encodeCbor", "encodeNative"],
          (name, _) <- subjects
      ]
    decoders =
      [ direction <> name
        | direction <-
            ["decodeJson", "decodeMessagePack", "decodeCbor", "decodeNative"],
          (name, _) <- subjects
      ]
    check obligation name = do
      found <- lookupValueName name
      case found of
        Just function -> [|inspected $(stringE name) $(inspectTest (obligation function))|]
        Nothing -> fail ("no function is called " <> name)
