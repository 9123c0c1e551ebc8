{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab list@: what can be measured.
module Tern.Lab.Verb.List
  ( verb,
  )
where

import Control.Monad.IO.Class (liftIO)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Tern.Lab.Sample.Catalogue (subjects)
import Tern.Lab.Subject (Subject (..), codecNames)
import Tern.Lab.Verb (Verb (..))

-- | @tern-lab list@: a line for each of 'subjects'.
verb :: Verb
verb =
  Verb
    { verbName = "list",
      verbSummary = "List the built-in types and their codecs",
      verbLesson = ["Each name can be given to compare: tern-lab compare --record ints5"],
      verbOptions = pure (),
      verbPlan = \() -> Right (map line subjects),
      verbRun = liftIO . mapM_ T.putStrLn
    }
  where
    line subject =
      T.concat
        [ T.justifyLeft
            16
            ' '
            (subjectName subject),
          subjectAbout subject,
          ": ",
          T.intercalate ", " (codecNames subject)
        ]
