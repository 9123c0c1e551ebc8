{-# LANGUAGE TemplateHaskellQuotes #-}

-- | A declaration's codec for JSON, by Template Haskell.
--
-- The code that is made strings together what "Tern.Internal.Json.Object",
-- "Tern.Internal.Json.Sum" and "Tern.Internal.Json.Container" export, as generic code does.
module Tern.Internal.Derive.Json
  ( writerOf,
    readerOf,
  )
where

import Data.ByteString (ByteString)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Language.Haskell.TH hiding (Body)
import Language.Haskell.TH.Datatype (ConstructorInfo (..))
import Tern.Internal.Codec.Parts qualified as Parts
import Tern.Internal.Constructors qualified as Constructors
import Tern.Internal.Derive.Code (Built, constantR, constantW, dispatch, joined, slotted, tableE)
import Tern.Internal.Derive.Options
  ( Body (..),
    Layout (..),
    Options (..),
    SumEncoding (..),
    bodyOf,
    isComposed,
    layoutOf,
    tagOf,
  )
import Tern.Internal.Derive.Parts (partsE, wholeE)
import Tern.Internal.Derive.Shape (shapeE)
import Tern.Internal.Json.Container qualified as Container
import Tern.Internal.Json.Name (quoted)
import Tern.Internal.Json.Object qualified as Object
import Tern.Internal.Json.Sum qualified as Sum
import Tern.Internal.Wire.Class (jsonR, jsonW)
import Tern.Internal.Wire.Untagged qualified as Untagged
import Tern.Internal.Write qualified as Write

-- * Writing

-- | The expression of a writer: a case of the constructors, with constants between the fields.
writerOf :: Options -> [ConstructorInfo] -> Q Exp
writerOf options constructors = do
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
        (normalB (contentsW value constructor xs))
        []
    contentsW value constructor xs =
      let body = bodyOf options constructor
          tag = quoted (tagOf options constructor)
       in case layout of
            _ | isComposed options constructor -> composedW value constructor xs
            Bare _ -> case (body, xs) of
              (Record [_], [x]) | unwrapUnaryRecords options -> [|Write.write jsonW $(varE x)|]
              _ -> bodyW "" body xs ""
            Names -> literalE tag
            Tagged -> case sumEncoding options of
              TaggedObject tagKey contentsKey ->
                let opening = "{" <> quoted tagKey <> ":" <> tag
                 in case body of
                      Nullary -> literalE (opening <> "}")
                      Record fields -> membersW (opening <> ",") fields xs ""
                      _ -> bodyW (opening <> "," <> quoted contentsKey <> ":") body xs "}"
              ObjectWithSingleField -> bodyW ("{" <> tag <> ":") body xs "}"
              TwoElemArray -> bodyW ("[" <> tag <> ",") body xs "]"
              UntaggedValue -> case body of
                Nullary -> literalE tag
                _ -> bodyW "" body xs ""

    -- With fields that are flattened, ignored or computed.
    composedW value constructor xs =
      let tag = quoted (tagOf options constructor)
          parts = partsE options constructor
          alone = [|Parts.jsonRecordW Parts.Opens $parts $(wholeE value xs)|]
          around before after = joined [literalE before, alone, literalE after]
       in case layout of
            Bare _ -> alone
            Names -> literalE tag
            Tagged -> case sumEncoding options of
              TaggedObject tagKey _ ->
                [|
                  Parts.taggedJsonW
                    $parts
                    $(literalE ("{" <> quoted tagKey <> ":" <> tag))
                    $(wholeE value xs)
                  |]
              ObjectWithSingleField -> around ("{" <> tag <> ":") "}"
              TwoElemArray -> around ("[" <> tag <> ",") "]"
              UntaggedValue -> alone

-- | A body that stands by itself, between what comes before and after it.
bodyW :: String -> Body -> [Name] -> String -> Q Exp
bodyW before body xs after = case body of
  Nullary -> literalE (before <> "[]" <> after)
  Unary ->
    joined
      ( [literalE before | not (null before)]
          <> map valueW xs
          <> [literalE after | not (null after)]
      )
  Array _ ->
    joined
      ( concat
          ( zipWith
              (\opening x -> [literalE opening, valueW x])
              ((before <> "[") : repeat ",")
              xs
          )
          <> [literalE ("]" <> after)]
      )
  Record fields -> membersW (before <> "{") fields xs after

-- | The members of an object that has been opened, and its end.
membersW :: String -> [(String, Bool)] -> [Name] -> String -> Q Exp
membersW opening fields xs after
  | any snd fields =
      -- Each member ends with a comma; the closing brace takes the last one's
      -- place.
      joined
        ( [literalE opening]
            <> zipWith member fields xs
            <> [[|Object.closeMembers|]]
            <> [literalE after | not (null after)]
        )
  | otherwise =
      joined
        ( concat
            ( zipWith3
                ( \before (name, _) x ->
                    [literalE (before <> quoted name <> ":"), valueW x]
                )
                (opening : repeat ",")
                fields
                xs
            )
            <> [literalE ("}" <> after)]
        )
  where
    member (name, optional) x
      | optional = [|Object.optionalMember $(stringE (quoted name <> ":")) jsonW $(varE x)|]
      | otherwise = joined [literalE (quoted name <> ":"), valueW x, literalE ","]

valueW :: Name -> Q Exp
valueW x = [|Write.write jsonW $(varE x)|]

literalE :: String -> Q Exp
literalE = constantW . utf8

utf8 :: String -> ByteString
utf8 = T.encodeUtf8 . T.pack

-- * Reading

-- | The expression of a reader, by the layout that 'layoutOf' gives the type. The first argument
-- says how a record is built from slots.
readerOf :: Built -> Options -> [ConstructorInfo] -> Q Exp
readerOf built options constructors = case layoutOf options constructors of
  Bare constructor -> case bodyOf options constructor of
    Record [_]
      | unwrapUnaryRecords options,
        not (isComposed options constructor) ->
          bodyR built options Unary constructor
    body -> bodyR built options body constructor
  Names -> do
    i <- newName "i"
    [|
      Sum.enumeration
        $known
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
          Sum.taggedObject
            $(stringE tagKey)
            $(stringE contentsKey)
            $known
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
        [|Sum.singleField $known $(lamE [varP i] (dispatch i (map alone constructors)))|]
      TwoElemArray ->
        [|Sum.twoElements $known $(lamE [varP i] (dispatch i (map alone constructors)))|]
      UntaggedValue ->
        [|
          Untagged.jsonByType
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
          Sum.enumeration
            (Constructors.constructors [$(stringE (tagOf options constructor))])
            (\_ -> $(conE (constructorName constructor)))
          |]
      _ -> alone constructor
    known = [|Constructors.constructors $(listE (map (stringE . tagOf options) constructors))|]
    alone constructor = bodyR built options (bodyOf options constructor) constructor
    tagged tagKey contentsKey found constructor = case bodyOf options constructor of
      _
        | isComposed options constructor ->
            [|Parts.taggedJsonR False $(stringE tagKey) $(partsE options constructor) $found|]
      Nullary
        | rejectUnknownFields options ->
            [|Sum.closedNullary $(stringE tagKey) $(conE (constructorName constructor)) $found|]
      Nullary -> [|Sum.caseNullary $(conE (constructorName constructor)) $found|]
      Record fields ->
        recordR
          built
          options
          [tagKey]
          ( \names n run slots ->
              [|Sum.caseRecord (Object.recordAt $names $n $run $slots) $found|]
          )
          ","
          (map fst fields)
          constructor
      body
        | rejectUnknownFields options ->
            [|
              Sum.closedContents
                $(stringE tagKey)
                $(stringE ("," <> quoted contentsKey <> ":"))
                $(stringE contentsKey)
                $(bodyR built options body constructor)
                $found
              |]
        | otherwise ->
            [|
              Sum.caseContents
                $(stringE ("," <> quoted contentsKey <> ":"))
                $(stringE contentsKey)
                $(bodyR built options body constructor)
                $found
              |]

bodyR :: Built -> Options -> Body -> ConstructorInfo -> Q Exp
bodyR built options body constructor = case body of
  _ | isComposed options constructor -> [|Parts.jsonRecordR $(partsE options constructor)|]
  Nullary -> [|$(conE name) <$ Container.unitR|]
  Unary -> [|$(conE name) <$> jsonR|]
  Array n ->
    let element acc = [|$acc <*> Container.next n jsonR|]
     in [|
          Container.bracket
            n
            ( $(iterate element [|$(conE name) <$> jsonR|] !! (n - 1))
                <* Container.done n
            )
          |]
  Record fields ->
    recordR
      built
      options
      []
      ( \names n run slots ->
          [|Object.record $names $n $run $slots|]
      )
      "{"
      (map fst fields)
      constructor
  where
    name = constructorName constructor

-- | A record, from the names that may stand beside its fields, and what stands before its
-- first key.
recordR ::
  Built ->
  Options ->
  [String] ->
  (Q Exp -> Q Exp -> Q Exp -> Q Exp -> Q Exp) ->
  String ->
  [String] ->
  ConstructorInfo ->
  Q Exp
recordR built options beside use opening fields =
  slotted built options (tableE options beside) use 'jsonR (zip fields keys)
  where
    keys =
      [ constantR (utf8 (before <> quoted field <> ":"))
        | (before, field) <-
            zip (opening : repeat ",") fields
      ]
