{-# LANGUAGE OverloadedStrings #-}

-- | All errors of a document, and not the first alone.
--
-- The idea: the decoder itself finds each error, so that what a codec by hand refuses is found
-- too. What is wrong is then replaced by something that the type's shape accepts, and the
-- document is read again, until nothing more is wrong. So success costs what it always
-- costs, and each error as much as reading the document once more; how many are looked for is
-- said by the caller.
module Tern.Json.Errors
  ( decodeJsonErrors,
    decodeJsonErrorsWith,
    renderErrors,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.List (isPrefixOf, sortOn)
import Data.List.NonEmpty (NonEmpty (..))
import Data.List.NonEmpty qualified as NonEmpty
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word8)
import Tern.Error
  ( Error (..),
    Exceeded (..),
    Expected (..),
    Path,
    Reason (..),
    Segment (..),
    renderError,
  )
import Tern.Internal.Json.Codec qualified as Json
import Tern.Internal.Json.Document (decodeWith)
import Tern.Internal.Json.Sample (sampleOf)
import Tern.Internal.Json.Whereabouts
  ( Member (..),
    Spot (..),
    firstElement,
    isWhole,
    memberAt,
    spotsAlong,
  )
import Tern.Internal.Write (runWriter)
import Tern.Limits (Limits, defaultLimits)
import Tern.Shape (Shape)
import Tern.Shape qualified as Shape
import Tern.Wire (Wire, jsonR, shapeOf)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.List.NonEmpty (NonEmpty)
-- >>> import Data.List.NonEmpty qualified as NonEmpty
-- >>> import Data.Text qualified as T
-- >>> import Tern.Error
-- >>> import Tern.Json

-- | The value that a document of JSON stands for, or what is wrong with it: the first 20
-- errors in the order in which they stand. An error of JSON itself is the last that is found.
--
-- >>> :{
-- either (map (T.unpack . renderPath . errorPath) . NonEmpty.toList) (const [])
--   (decodeJsonErrors "[1, true, [], 4]" :: Either (NonEmpty Error) [Int])
-- :}
-- ["$[1]","$[2]"]
decodeJsonErrors :: (Wire a) => ByteString -> Either (NonEmpty Error) a
decodeJsonErrors = decodeJsonErrorsWith 20 defaultLimits
{-# INLINEABLE decodeJsonErrors #-}

-- | The same with limits, and with how many errors are looked for. Time is that of reading the
-- document, times the number of errors that are found.
--
-- INLINABLE: the reader is known where the type is.
decodeJsonErrorsWith ::
  forall a. (Wire a) => Int -> Limits -> ByteString -> Either (NonEmpty Error) a
decodeJsonErrorsWith most limits bytes = case decodeWith jsonR limits bytes of
  Right a -> Right a
  Left e ->
    Left
      ( furtherErrors
          most
          (either Just (const Nothing) . decodeWith (jsonR @a) limits)
          (shapeOf @a)
          bytes
          e
      )
{-# INLINEABLE decodeJsonErrorsWith #-}

-- | The errors in words, a line for each.
renderErrors :: ByteString -> NonEmpty Error -> Text
renderErrors bytes = T.intercalate "\n" . map (renderError bytes) . NonEmpty.toList

-- * Further errors

-- | A change of a document: the offset from which on this number of bytes are others now, and
-- those.
data Change = Change !Int !Int !ByteString

-- | What has been done with a document so far.
data Work = Work
  { document :: !ByteString,
    -- | The last one first.
    changes :: [Change],
    -- | The values that are no longer the document's own, and what has been put in their
    -- place: a sample, 0, or an element before it, 1. Below 0: something is gone.
    replaced :: [(Path, Int)],
    -- | The last one first.
    found :: [Error]
  }

-- | From the first error on, by what is wrong with a document, if anything.
furtherErrors ::
  Int -> (ByteString -> Maybe Error) -> Shape -> ByteString -> Error -> NonEmpty Error
furtherErrors most wrong shape bytes first = case sortOn
  errorOffset
  ( reverse
      (go (4 * most + 16) (Work bytes [] [] []) first)
  ) of
  e : es -> e :| es
  [] -> first :| []
  where
    go :: Int -> Work -> Error -> [Error]
    go passes work e
      | passes <= 0 || length (found noted) >= most = found noted
      | otherwise = case repaired shape noted e of
          Nothing -> found noted
          Just next -> maybe (found next) (go (passes - 1) next) (wrong (document next))
      where
        -- What is wrong within a replacement is no error of the document's.
        noted
          | any (\(path, n) -> n >= 0 && path `isPrefixOf` errorPath e) (replaced work) = work
          | otherwise =
              work {found = e {errorOffset = original (changes work) (errorOffset e)} : found work}

-- | Where an offset was before changes, of which the last comes first.
original :: [Change] -> Int -> Int
original earlier offset = foldl before offset earlier
  where
    before o (Change at old new)
      | o < at = o
      | o >= at + B.length new = o - B.length new + old
      | otherwise = at

-- | The same document without what is wrong, if that can be done.
repaired :: Shape -> Work -> Error -> Maybe Work
repaired shape work e = case errorReason e of
  MissingField name
    | not (any (\(tried, n) -> n >= 0 && tried `isPrefixOf` (path <> [Key name])) (replaced work)),
      spot : _ <- spots,
      spotPath spot == path,
      Just s <- spotShape spot,
      value : _ <- [v | f <- fieldsCalled name s, Just v <- [sampleOf f]] ->
        Just (changed (path <> [Key name], 0) work (insertion bytes spot name value))
  UnknownField _ _
    | m : _ <- [m | spot <- spots, Just m <- [memberAt bytes (spotStart spot) (errorOffset e)]] ->
        Just (changed (path, -1) work (deletion bytes m))
  reason
    | isSyntax reason -> Nothing
    -- A name that is no key.
    | spot : _ <- spots,
      spotPath spot == path,
      Just s <- spotShape spot,
      isMapping s,
      Just m <- memberAt bytes (spotStart spot) (errorOffset e) ->
        Just (changed (path, -1) work (deletion bytes m))
    | otherwise ->
        case [ (spot, attempt, value)
               | (spot, outer) <- zip spots (map Just (drop 1 spots) <> [Nothing]),
                 isWhole bytes spot,
                 (attempt, Just value) <-
                   zip [0 ..] [spotShape spot >>= sampleOf, first outer spot],
                 open (spotPath spot) attempt
             ] of
          (spot, attempt, value) : _ ->
            Just
              ( changed
                  (spotPath spot, attempt)
                  work
                  ( Change
                      (spotStart spot)
                      (spotEnd spot - spotStart spot)
                      value
                  )
              )
          [] -> Nothing
  where
    bytes = document work
    path = errorPath e
    spots = spotsAlong bytes (errorOffset e) shape path
    -- It has not been tried, nor is it part of what has.
    open at attempt =
      (at, attempt) `notElem` replaced work
        && not (any (\(tried, n) -> n >= 0 && tried /= at && tried `isPrefixOf` at) (replaced work))
    -- The first element of a list, which has been read before another was wrong.
    first outer spot = case (outer >>= spotShape, reverse (spotPath spot)) of
      (Just s, Index i : _)
        | i > 0,
          isList s,
          Just list <- outer,
          Just (from, to) <- firstElement bytes (spotStart list) ->
            Just (B.take (to - from) (B.drop from bytes))
      _ -> Nothing
    isList = \case
      Shape.Described _ s -> isList s
      Shape.List _ _ -> True
      _ -> False
    isMapping = \case
      Shape.Described _ s -> isMapping s
      Shape.Mapping _ _ -> True
      _ -> False

-- | A document with a change, and what has been tried by it.
changed :: (Path, Int) -> Work -> Change -> Work
changed tried work change@(Change at old new) =
  work
    { replaced =
        tried : replaced work,
      document = B.concat [B.take at (document work), new, B.drop (at + old) (document work)],
      changes = change : changes work
    }

-- | A member more, the first one of an object.
insertion :: ByteString -> Spot -> Text -> ByteString -> Change
insertion bytes spot name value =
  Change
    at
    0
    ( B.concat
        [ runWriter Json.textW name,
          ":",
          value,
          if B.take 1 rest == "}"
            then ""
            else ","
        ]
    )
  where
    at = spotStart spot + 1
    rest = B.dropWhile isSpace (B.drop at bytes)

-- | A member less, and a comma beside it.
deletion :: ByteString -> Member -> Change
deletion bytes m
  | B.take 1 after == "," = Change start (B.length bytes - B.length after + 1 - start) B.empty
  | otherwise = Change (B.length before) (memberEnd m - B.length before) B.empty
  where
    start = memberStart m
    after = B.dropWhile isSpace (B.drop (memberEnd m) bytes)
    earlier = B.dropWhileEnd isSpace (B.take start bytes)
    before = if B.takeEnd 1 earlier == "," then B.dropEnd 1 earlier else B.take start bytes

isSpace :: Word8 -> Bool
isSpace = (`B.elem` " \t\r\n")

-- | The shapes of the fields of this name that values of a shape may have.
fieldsCalled :: Text -> Shape -> [Shape]
fieldsCalled name = \case
  Shape.Described _ s -> fieldsCalled name s
  Shape.Optional s -> fieldsCalled name s
  Shape.Declared _ (Shape.Bare _ b) -> inBody b
  Shape.Declared _ (Shape.Sum _ constructors) ->
    concatMap (inBody . Shape.constructorBody) constructors
  _ -> []
  where
    inBody = \case
      Shape.Record fields -> [Shape.fieldShape f | f <- fields, Shape.fieldName f == name]
      Shape.Value s -> fieldsCalled name s
      _ -> []

-- | Is it wrong however a type's values look?
isSyntax :: Reason -> Bool
isSyntax = \case
  UnexpectedEnd _ -> True
  TrailingInput -> True
  ControlCharacter -> True
  InvalidEscape -> True
  InvalidUtf8 -> True
  LeadingZero -> True
  LimitExceeded (TooManyBytes _) -> True
  LimitExceeded (TooDeep _) -> True
  LimitExceeded (TooManyDigits _) -> False
  Unexpected expected -> expected `elem` [AColon, CommaOrBracket, CommaOrBrace, ADigit, AKey]
  _ -> False
