{-# LANGUAGE OverloadedStrings #-}

-- | Documents that somebody made to make a reader slow, in several lengths.
--
-- The idea: a reader that does too much is found by how its cost grows with the length of
-- the document, not by how large it is. So an attack is a family of documents, each about
-- four times as long as the one before (of huge exponents a digit longer), and whatever a
-- reader says of them, it may take no more than time and memory in proportion to their
-- bytes. An attack comes as a whole document, and in the places that a document has where
-- one is given: for a text, a number, a list of it, or as a member that nobody asked for.
--
-- Start at 'hostile', which makes benchmarks of one's own reader.
module Tern.Lab.Hostile
  ( hostile,
    Attack (..),
    attacksOn,
    jsonAttacks,
    messagePackAttacks,
    cborAttacks,
    byteAttacks,
  )
where

import Control.DeepSeq (NFData)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Maybe (catMaybes, listToMaybe, maybeToList)
import Data.Text (Text)
import Data.Vector qualified as V
import Data.Word (Word8)
import Tern (decodeJson, encodeJson)
import Tern.Lab.Benchmark (Benchmark, bench, group, nf)
import Tern.Value (Value (..), members, object)

-- $setup
-- >>> :set -XOverloadedStrings

-- | What it is, and its documents from the shortest to the longest, each after the number of
-- bytes that are the attack in it: what is around them is the same in all.
data Attack = Attack
  { attackName :: !String,
    documents :: [(Int, ByteString)]
  }
  deriving stock (Eq, Show)

-- | Benchmarks of a reader: a group for each attack, and in it one for each length, named by
-- the attack's bytes, so that how it grows is said below the group's table. What the reader refuses
-- it must refuse in proportion as well.
hostile :: (NFData a) => String -> [Attack] -> (ByteString -> Either e a) -> Benchmark
hostile name attacks decode =
  group
    name
    [ group
        (attackName one)
        [bench (show size) (nf answer document) | (size, document) <- documents one]
      | one <- attacks
    ]
  where
    -- Also an error is evaluated: making it is part of refusing.
    answer document = case decode document of
      Left failure -> failure `seq` Nothing
      Right found -> Just found

-- | The attacks on a format that "Tern.Lab.Subject" names, beside a document of it; on one that
-- nothing is known of, those of bytes.
attacksOn :: Text -> ByteString -> [Attack]
attacksOn format sample
  | format == "json" = jsonAttacks sample
  | format == "messagepack" = messagePackAttacks
  | format == "cbor" = cborAttacks
  | otherwise = byteAttacks sample

-- | About how many bytes each document has.
lengths :: [Int]
lengths = [1000, 4000, 16000, 64000]

longer :: String -> (Int -> ByteString) -> Attack
longer name document = exactly name (map document lengths)

-- | Documents that are the attack as a whole.
exactly :: String -> [ByteString] -> Attack
exactly name whole = Attack name [(B.length one, one) | one <- whole]

-- | The same attack within something.
within :: String -> (ByteString -> ByteString) -> Attack -> Attack
within where' hole one = Attack (attackName one <> where') (map (fmap hole) (documents one))

-- * JSON

-- | Attacks by JSON, also in the places of a document.
--
-- >>> map attackName (take 3 (jsonAttacks "{\"a\":1}"))
-- ["lists within lists","lists that do not end","objects within objects"]
-- >>> map (take 1 . documents) (drop 27 (jsonAttacks "{\"a\":1}"))
-- [[(4,"{\"a\":1e99}")]]
jsonAttacks :: ByteString -> [Attack]
jsonAttacks sample =
  whole
    <> unasked
    <> placed "for a text" isText texts
    <> longLists
    <> placed "for a number" isNumber numbers
  where
    whole = frames <> texts <> spaces <> numbers
    parsed = either (const Nothing) Just (decodeJson sample) :: Maybe Value
    frames =
      [ longer "lists within lists" (\n -> around (n `div` 2) "[" "" "]"),
        longer "lists that do not end" (`times` "["),
        longer "objects within objects" (\n -> around (n `div` 6) "{\"a\":" "0" "}"),
        longer "a list of zeros" (\n -> B.concat ["[0", times (n `div` 2) ",0", "]"]),
        longer
          "a name again and again"
          (\n -> B.concat ["{\"a\":0", times (n `div` 6) ",\"a\":0", "}"]),
        longer
          "names of all sorts"
          ( \n ->
              B.concat
                [ "{",
                  B.intercalate "," [BC.pack (show (show i) <> ":0") | i <- [1 .. n `div` 9]],
                  "}"
                ]
          )
      ]
    texts =
      [ longer "backslashes" (\n -> quoted (times (n `div` 2) "\\\\")),
        longer "escaped letters" (\n -> quoted (times (n `div` 6) "\\u0061")),
        longer "pairs of surrogates" (\n -> quoted (times (n `div` 12) "\\ud83d\\ude00")),
        longer "a text that does not end" (\n -> "\"" <> times n "a")
      ]
    numbers =
      [ longer "digits" (`times` "7"),
        longer "digits after the point" (\n -> "0." <> times n "3"),
        exactly "an exponent" [BC.pack ("1e" <> replicate n '9') | n <- [2 .. 6]]
      ]
    spaces = [longer "white space" (\n -> times n " " <> "0")]
    -- What is stepped over: a member that the type does not have, before all others.
    unasked =
      [ within
          ", not asked for"
          (\inner -> B.concat ["{\"zzz\":", inner, ",", B.drop 1 rest])
          one
        | Just (Object found) <- [parsed],
          not (null (members found)),
          let rest = encodeJson (Object found),
          one <- frames <> take 2 texts <> numbers
      ]
    placed where' fits attacks =
      [ within (", " <> where') hole one
        | Just hole <- [parsed >>= holeFor fits],
          one <- attacks
      ]
    longLists =
      [ within
          ""
          hole
          ( longer
              "more of a list's elements"
              ( \n ->
                  B.concat
                    ["[", B.intercalate "," (replicate (max 1 (n `div` B.length one)) one), "]"]
              )
          )
        | Just found <- [parsed],
          Just hole <- [holeFor isFull found],
          element <- maybeToList (firstElement found),
          one <- [encodeJson element]
      ]
    isText = \case String _ -> True; _ -> False
    isNumber = \case Number _ -> True; _ -> False
    isFull = \case Array some -> not (V.null some); _ -> False

-- | The elements of the first list that has some.
firstElement :: Value -> Maybe Value
firstElement = \case
  Array some | element : _ <- V.toList some -> Just element
  Object found -> listToMaybe (catMaybes [firstElement inner | (_, inner) <- members found])
  _ -> Nothing

-- | The document with other bytes in the place of the first value that fits.
holeFor :: (Value -> Bool) -> Value -> Maybe (ByteString -> ByteString)
holeFor fits value = filled . encodeJson <$> marked value
  where
    filled bytes inner = case B.breakSubstring marker bytes of
      (before, after) -> B.concat [before, inner, B.drop (B.length marker) after]
    marker = encodeJson (String hole)
    hole = "\1tern-lab\1" :: Text
    marked one
      | fits one = Just (String hole)
      | otherwise = case one of
          Array some -> Array . V.fromList <$> firstOf (V.toList some)
          Object found ->
            Object . object . zip (map fst (members found)) <$> firstOf (map snd (members found))
          _ -> Nothing
    firstOf = \case
      [] -> Nothing
      one : rest -> case marked one of
        Just new -> Just (new : rest)
        Nothing -> (one :) <$> firstOf rest

-- * Binary formats

-- | Attacks by MessagePack.
messagePackAttacks :: [Attack]
messagePackAttacks =
  [ longer "lists within lists" (\n -> around n "\x91" "\xc0" ""),
    longer "maps within maps" (\n -> around (n `div` 3) "\x81\xa1\x61" "\xc0" ""),
    longer "lengths that are not there" (\n -> times (n `div` 5) "\xdd\xff\xff\xff\xff"),
    longer "maps that are not there" (\n -> times (n `div` 5) "\xdf\xff\xff\xff\xff"),
    longer "a text of its length" (\n -> B.concat ["\xdb", long n, times n "a"]),
    longer "a list of zeros" (\n -> B.concat ["\xdd", long n, times n "\0"]),
    longer "texts within a map that nobody asked for" (unasked . (`times` "\xa1\x61") . (`div` 2)),
    longer "lists within a map that nobody asked for" (\n -> unasked (around n "\x91" "\xc0" "")),
    longer "lengths within a map" (unasked . (`times` "\xdd\xff\xff\xff\xff") . (`div` 5)),
    longer "extensions" (\n -> times (n `div` 6) "\xc9\xff\xff\xff\xff\xff")
  ]
  where
    unasked inner = "\x82\xa3zzz" <> inner

-- | Attacks by CBOR.
cborAttacks :: [Attack]
cborAttacks =
  [ longer "lists within lists" (\n -> around n "\x81" "\xf6" ""),
    longer "lists without a length" (\n -> around (n `div` 2) "\x9f" "" "\xff"),
    longer "lists that do not end" (`times` "\x9f"),
    longer "maps within maps" (\n -> around (n `div` 3) "\xa1\x61\x61" "\xf6" ""),
    longer "lengths that are not there" (\n -> times (n `div` 9) ("\x9b" <> times 8 "\xff")),
    longer "a text in pieces" (\n -> around 1 "\x7f" (times (n `div` 2) "\x61\x61") "\xff"),
    longer "tags" (\n -> around n "\xc1" "\0" ""),
    longer "a text of its length" (\n -> B.concat ["\x7a", long n, times n "a"]),
    longer "a list of zeros" (\n -> B.concat ["\x9a", long n, times n "\0"]),
    longer "tags within a map" (\n -> "\xa2\x63zzz" <> around n "\xc1" "\0" ""),
    longer "lists within a map" (\n -> "\xa2\x63zzz" <> around n "\x81" "\xf6" "")
  ]

-- | Attacks on a format that nothing is known of but a document: bytes that are lengths in
-- many formats, alone and after each of the document's first bytes.
byteAttacks :: ByteString -> [Attack]
byteAttacks sample =
  [ within "" (B.take at sample <>) (longer name (`times` byte))
    | at <- takeWhile (<= B.length sample) [0, 1, 2, 4, 8],
      (what, byte) <- [("zeros", "\0"), ("bytes of 127", "\x7f"), ("bytes of 255", "\xff")],
      let name = if at == 0 then what else what <> " after " <> show at
  ]

-- * Bytes

times :: Int -> ByteString -> ByteString
times n = B.concat . replicate n

around :: Int -> ByteString -> ByteString -> ByteString -> ByteString
around n open inner close = B.concat [times n open, inner, times n close]

quoted :: ByteString -> ByteString
quoted inner = B.concat ["\"", inner, "\""]

-- | Four bytes, the highest first.
long :: Int -> ByteString
long n = B.pack [byte (n `div` 16777216), byte (n `div` 65536), byte (n `div` 256), byte n]
  where
    byte = fromIntegral :: Int -> Word8
