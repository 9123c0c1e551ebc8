{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab schema@: what a container was written with, kept in a file and held
-- against what a program writes now.
--
-- Start at 'verb': @show@ and @save@ look at one file, @diff@ at two.
module Tern.Lab.Verb.Schema
  ( verb,
  )
where

import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Except (ExceptT, throwE, withExceptT)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as L
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.IO qualified as T
import Numeric (showHex)
import Options.Applicative hiding (style)
import Options.Applicative.Help.Chunk (Chunk (unChunk), stringChunk, vcatChunks)
import Tern.Container (schemaText)
import Tern.Evolution (compatibility)
import Tern.File (writeWhole)
import Tern.Json (encodeJson)
import Tern.Lab.Complaint (Complaint (..), withoutVerdict, writingFile)
import Tern.Lab.Report (terminalStyle)
import Tern.Lab.Schema.Report
  ( Asked (..),
    Direction (..),
    Side (..),
    encodeVerdicts,
    missed,
    renderVerdicts,
  )
import Tern.Lab.Schema.Said (Member (..), Said (..), evolutionOf)
import Tern.Lab.Schema.Source (schemaOf)
import Tern.Lab.Verb (Verb (..))
import Tern.Schema (jsonSchema, schemaPage)
import Tern.Shape (Shape, renderShape)
import Tern.Shape qualified as Shape

-- | @tern-lab schema@, with @show@, @save@ and @diff@ below it. @diff@ ends with 1 where documents
-- are not read that should be, and with 2 where it cannot tell.
verb :: Verb
verb =
  Verb
    { verbName = "schema",
      verbSummary = "Show, keep and compare the schemas of containers",
      verbLesson =
        [ "A file is a container of the native format, of which only the header is read, or a \
          \schema that was saved. Keep the schema of what is released beside the source, and \
          \ask before the next release whether its documents are still read:",
          "  tern-lab schema save sightings.tern -o sighting.schema\n  tern-lab schema diff \
          \sighting.schema new.tern --direction backward",
          "Each of the three has a --help of its own. A program writes such a file of its type \
          \by schemaText (Tern.Container)."
        ],
      verbOptions = options,
      verbPlan = Right,
      verbRun = \case
        Show form path -> schemaOf path >>= liftIO . shown form path
        Save path target -> schemaOf path >>= saved target
        Diff wanted names form old new -> compared wanted names form old new
    }

-- * Options

data Ask
  = Show !Form !FilePath
  | Save !FilePath !(Maybe FilePath)
  | Diff !Asked ![Said] !Printed !FilePath !FilePath

data Form
  = InWords
  | AsJsonSchema
  | AsPage
  | FingerprintAlone

data Printed
  = ForPeople
  | ForPrograms

options :: Parser Ask
options =
  hsubparser . mconcat $
    [ one
        "show"
        "Show the schema that a file was written with"
        (Show <$> form <*> named "FILE" source)
        $ examples ["tern-lab schema show sightings.tern --json-schema"],
      one
        "save"
        "Keep a schema in a text file, to be checked in"
        (Save <$> named "FILE" source <*> target)
        $ examples ["tern-lab schema save sightings.tern -o sighting.schema"],
      one
        "diff"
        "Say whether the documents of one schema can be read with the other"
        ( Diff
            <$> asked
            <*> many said
            <*> printed
            <*> named "OLD" source
            <*> named "NEW" "the same, of the newer version"
        )
        $ examples
          [ "tern-lab schema diff sighting.schema new.tern --direction backward",
            "tern-lab schema diff v1.schema v2.schema --field-alias Sighting.count=number \
            \--default Sighting.observer"
          ]
          <> [ "Exit codes: 0 read as asked, 1 not, 2 no verdict, as a file or an option makes \
               \no sense."
             ],
      metavar "show|save|diff"
    ]
  where
    one name about parser lesson =
      command
        name
        ( info
            parser
            ( progDesc about
                <> footerDoc (unChunk (vcatChunks (map stringChunk lesson)))
            )
        )
    examples = ("Examples:" :) . map ("  " <>)
    source = "a container, or a schema that was saved"
    target =
      optional
        ( strOption
            ( long "output"
                <> short 'o'
                <> metavar "FILE"
                <> help "where to (default: standard output)"
                <> action "file"
            )
        )
    form =
      flag'
        AsJsonSchema
        ( long "json-schema"
            <> help "as JSON Schema (draft 2020-12), of the documents in JSON"
        )
        <|> flag' AsPage (long "html" <> help "as a page for people, of the documents in JSON")
        <|> flag' FingerprintAlone (long "fingerprint" <> help "the fingerprint alone")
        <|> pure InWords
    printed = flag ForPeople ForPrograms (long "json" <> help "print one line of JSON")

named :: String -> String -> Parser FilePath
named name about = argument str (metavar name <> help about <> action "file")

asked :: Parser Asked
asked =
  Asked
    <$> option
      (oneOf directions)
      ( long "direction"
          <> metavar "WAY"
          <> value Both
          <> help
            "backward: NEW reads what OLD has written; forward: OLD reads what NEW writes; both \
            \(default)"
          <> completeWith (map fst directions)
      )
    <*> switch
      ( long "strict"
          <> help "documents that are refused where something new is met count as not read"
      )
  where
    directions = [("both", Both), ("backward", Backward), ("forward", Forward)]
    oneOf known =
      eitherReader $ \name ->
        maybe
          ( Left
              ( "'"
                  <> name
                  <> "' is no direction; expected both, backward or forward"
              )
          )
          Right
          (lookup name known)

-- | What the program of NEW says of older documents.
said :: Parser Said
said =
  option
    (was TypeWas Right)
    ( long "type-alias"
        <> metavar "TYPE=OLD"
        <> help "a type of NEW had another name"
    )
    <|> option
      (was FieldWas place)
      ( long "field-alias"
          <> metavar "TYPE.FIELD=OLD"
          <> help "a field of NEW had another name"
      )
    <|> option
      (was ConstructorWas place)
      ( long "constructor-alias"
          <> metavar "TYPE.NAME=OLD"
          <> help "a constructor of NEW had another name"
      )
    <|> option
      (eitherReader (fmap HasDefault . place . T.pack))
      ( long "default"
          <> metavar "TYPE.FIELD"
          <> help "a field of NEW has a default where OLD does not have it"
      )
    <|> option
      (was Only Right)
      ( long "sole-constructor"
          <> metavar "TYPE=NAME"
          <> help "of a type with one constructor on one side: its name"
      )
  where
    was make left = eitherReader $ \text -> case T.breakOn "=" (T.pack text) of
      (a, b) | T.length b > 1, not (T.null a) -> (\it -> make it (T.drop 1 b)) <$> left a
      _ -> Left ("'" <> text <> "' has no name before and after an =")
    place text = case T.breakOn "." text of
      (type_, name) | not (T.null type_), T.length name > 1 -> Right (Member type_ (T.drop 1 name))
      _ -> Left ("'" <> T.unpack text <> "' is not TYPE.NAME, as Sighting.count")

-- * Running

shown :: Form -> FilePath -> Shape -> IO ()
shown form path shape = case form of
  InWords -> T.putStrLn (T.concat ["schema ", fingerprintOf shape, "\n", renderShape shape])
  AsJsonSchema -> BC.putStrLn (encodeJson (jsonSchema shape))
  AsPage -> B.putStr (T.encodeUtf8 (schemaPage (T.pack path) shape))
  FingerprintAlone -> T.putStrLn (fingerprintOf shape)

saved :: Maybe FilePath -> Shape -> ExceptT Complaint IO ()
saved target shape = case target of
  Nothing -> liftIO (B.putStr (schemaText shape))
  Just path -> writingFile path (writeWhole path (L.fromStrict (schemaText shape)))

compared :: Asked -> [Said] -> Printed -> FilePath -> FilePath -> ExceptT Complaint IO ()
compared wanted names form oldFile newFile = do
  old <- withExceptT withoutVerdict (schemaOf oldFile)
  new <- withExceptT withoutVerdict (schemaOf newFile)
  evolution <- either (throwE . unknown) pure (evolutionOf new names)
  let found = compatibility evolution old new
      sides print' =
        print'
          (Side (T.pack oldFile) (fingerprintOf old))
          (Side (T.pack newFile) (fingerprintOf new))
          found
  liftIO $ case form of
    ForPrograms -> BC.putStrLn (sides (encodeVerdicts wanted))
    ForPeople -> terminalStyle >>= \style -> T.putStr (sides (renderVerdicts style))
  case missed wanted found of
    [] -> pure ()
    misses ->
      throwE
        ( DataComplaint
            ( concat
                [ oldFile,
                  ", ",
                  newFile,
                  ": ",
                  T.unpack (T.intercalate ", and " misses)
                ]
            )
        )
  where
    unknown (name, known) =
      NoVerdict
        ( concat
            [ newFile,
              ": it has no type called ",
              T.unpack name,
              "; expected ",
              if null known
                then "none, for it has no declared types"
                else T.unpack ("one of " <> T.intercalate ", " known)
            ]
        )

fingerprintOf :: Shape -> Text
fingerprintOf shape =
  T.pack (drop 1 (showHex (toInteger (Shape.fingerprint shape) + 0x10000000000000000) ""))
