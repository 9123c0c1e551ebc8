{-# LANGUAGE OverloadedStrings #-}

-- | The command JSON of the official suite, as wabt's wast2json writes it.
module Tern.Wasm.Script
  ( Script (..),
    Command (..),
    Verb (..),
    Action (..),
    Value (..),
    Lane (..),
    readScript,
  )
where

import Data.Aeson (FromJSON (..), eitherDecode, withObject, (.!=), (.:), (.:?))
import Data.Aeson.Types (Parser)
import Data.ByteString.Lazy qualified as BL
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word64)

data Script = Script {scriptSource :: Text, scriptCommands :: [Command]}

data Command = Command {commandLine :: Int, commandVerb :: Verb}

data Verb
  = DefineModule (Maybe Text) FilePath
  | Register Text (Maybe Text)
  | Do Action
  | AssertReturn Action [Value]
  | AssertTrap Action
  | AssertExhaustion Action
  | AssertException Action
  | DefineOnly (Maybe Text) FilePath
  | -- | A name for the instance, and that of the definition.
    InstantiateAgain (Maybe Text) (Maybe Text)
  | AssertInvalid FilePath
  | AssertMalformed FilePath
  | AssertUnlinkable FilePath
  | AssertUninstantiable FilePath
  | -- | A command over a file in the text format, and its kind.
    OverText Text FilePath

data Action
  = Invoke (Maybe Text) Text [Value]
  | Get (Maybe Text) Text

-- | A value, or what a result must be.
data Value
  = I32 Word64
  | I64 Word64
  | F32 Lane
  | F64 Lane
  | -- | The width of a lane in bytes, whether it is a float, and the lanes.
    V128 Int Bool [Lane]
  | -- | A reference: of what kind, and its number unless it is null.
    Reference Text (Maybe Word64)
  | -- | A reference of a kind that is not null.
    Present Text
  | OneOf [Value]
  deriving stock (Show)

data Lane = Bits Word64 | CanonicalNan | ArithmeticNan
  deriving stock (Show)

readScript :: FilePath -> IO (Either String Script)
readScript path = eitherDecode <$> BL.readFile path

instance FromJSON Script where
  parseJSON = withObject "script" $ \o -> Script <$> o .: "source_filename" <*> o .: "commands"

instance FromJSON Command where
  parseJSON = withObject "command" $ \o -> do
    kind <- o .: "type"
    line <- o .: "line"
    form <- o .:? "module_type" .!= ("binary" :: Text)
    let file f
          | form == "text" = OverText kind <$> o .: "filename"
          | otherwise = f <$> o .: "filename"
    Command line <$> case kind :: Text of
      "module" -> do
        name <- o .:? "name"
        file (DefineModule name)
      "register" -> Register <$> o .: "as" <*> o .:? "name"
      "action" -> Do <$> o .: "action"
      "assert_return" -> AssertReturn <$> o .: "action" <*> o .: "expected"
      "assert_trap" -> AssertTrap <$> o .: "action"
      "assert_exhaustion" -> AssertExhaustion <$> o .: "action"
      "assert_exception" -> AssertException <$> o .: "action"
      "module_definition" -> do
        name <- o .:? "name"
        file (DefineOnly name)
      "module_instance" -> InstantiateAgain <$> o .:? "instance" <*> o .:? "module"
      "assert_invalid" -> file AssertInvalid
      "assert_malformed" -> file AssertMalformed
      "assert_unlinkable" -> file AssertUnlinkable
      "assert_uninstantiable" -> file AssertUninstantiable
      _ -> fail ("unknown command " <> T.unpack kind)

instance FromJSON Action where
  parseJSON = withObject "action" $ \o -> do
    kind <- o .: "type"
    case kind :: Text of
      "invoke" -> Invoke <$> o .:? "module" <*> o .: "field" <*> o .: "args"
      "get" -> Get <$> o .:? "module" <*> o .: "field"
      _ -> fail ("unknown action " <> T.unpack kind)

instance FromJSON Value where
  parseJSON = withObject "value" $ \o -> do
    kind <- o .: "type"
    case kind :: Text of
      "i32" -> I32 <$> (o .: "value" >>= bits)
      "i64" -> I64 <$> (o .: "value" >>= bits)
      "f32" -> F32 <$> (o .: "value" >>= lane)
      "f64" -> F64 <$> (o .: "value" >>= lane)
      "v128" -> do
        shape <- o .: "lane_type"
        lanes <- o .: "value" >>= mapM lane
        case shape :: Text of
          "i8" -> pure (V128 1 False lanes)
          "i16" -> pure (V128 2 False lanes)
          "i32" -> pure (V128 4 False lanes)
          "i64" -> pure (V128 8 False lanes)
          "f32" -> pure (V128 4 True lanes)
          "f64" -> pure (V128 8 True lanes)
          _ -> fail "unknown lanes"
      "either" -> OneOf <$> o .: "values"
      _ ->
        o .:? "value" >>= \case
          Just "null" -> pure (Reference kind Nothing)
          Just value -> Reference kind . Just <$> bits value
          -- A kind with "null" in its name has no other value.
          Nothing
            | "null" `T.isPrefixOf` kind || kind == "refnull" -> pure (Reference kind Nothing)
            | otherwise -> pure (Present kind)

bits :: Text -> Parser Word64
bits text = case reads (T.unpack text) of
  [(n, "")] | n >= 0, n < 2 ^ (64 :: Int) -> pure (fromInteger n)
  _ -> fail ("no bit pattern: " <> T.unpack text)

lane :: Text -> Parser Lane
lane = \case
  "nan:canonical" -> pure CanonicalNan
  "nan:arithmetic" -> pure ArithmeticNan
  text -> Bits <$> bits text
