{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab peak@: the peak memory of one codec on one payload, as a number
-- of bytes. @compare@ runs it in processes of their own.
module Tern.Lab.Verb.Peak
  ( verb,
  )
where

import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Except (throwE)
import Data.ByteString qualified as B
import Data.List (find)
import Data.Text (Text)
import Data.Text qualified as T
import Options.Applicative (action, argument, help, metavar, str)
import Tern.Lab.Complaint (Complaint (..), readingFile)
import Tern.Lab.Peak (peakHere)
import Tern.Lab.Sample.Catalogue (subjectNamed)
import Tern.Lab.Subject (Codec (..), Subject (..), codecNames, decoded)
import Tern.Lab.Verb (Verb (..))

-- | @tern-lab peak@. What this process held before counts too. It needs the statistics of the
-- runtime (@+RTS -T@).
verb :: Verb
verb =
  Verb
    { verbName = "peak",
      verbSummary = "Peak memory of decoding a payload and encoding it again",
      verbLesson =
        ["The figure is the most memory that the process ever held, GHC's own included, in bytes."],
      verbOptions =
        (,,)
          <$> argument str (metavar "TYPE" <> help "the type, as tern-lab list shows it")
          <*> argument str (metavar "CODEC" <> help "one of its codecs")
          <*> argument str (metavar "FILE" <> help "the payload" <> action "file"),
      verbPlan = \(subject, codec, path) -> do
        let no what name =
              Left
                ( UsageComplaint
                    ( concat
                        [ "no ",
                          what,
                          " is called ",
                          T.unpack name,
                          "; see tern-lab list"
                        ]
                    )
                )
        found <- maybe (no "type" subject) Right (subjectNamed subject)
        if codec `elem` codecNames found then Right (found, codec, path) else no "codec" codec,
      verbRun = \(Subject {subjectCodecs}, codec, path) -> do
        bytes <- readingFile path "a payload" (B.readFile path)
        case find ((== codec) . codecName) subjectCodecs of
          Just found -> case decoded found bytes of
            Left message -> throwE (DataComplaint (path <> ": " <> T.unpack message))
            Right _ ->
              liftIO (peakHere found bytes) >>= maybe (throwE (noStatistics path)) (liftIO . print)
          Nothing -> throwE (UsageComplaint (T.unpack (codec :: Text)))
    }
  where
    noStatistics path = DataComplaint (path <> ": no statistics; start with +RTS -T")
