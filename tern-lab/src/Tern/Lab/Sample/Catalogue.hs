-- | The subjects that the laboratory brings, by name.
module Tern.Lab.Sample.Catalogue
  ( subjects,
    subjectNamed,
  )
where

import Data.List (find)
import Data.Text (Text)
import Tern.Lab.Sample.EverythingCodecs qualified as Everything
import Tern.Lab.Sample.Ints25 qualified as Ints25
import Tern.Lab.Sample.Ints5 qualified as Ints5
import Tern.Lab.Sample.Languages qualified as Languages
import Tern.Lab.Sample.Mixed qualified as Mixed
import Tern.Lab.Sample.Subdivisions qualified as Subdivisions
import Tern.Lab.Subject (Subject (..))

-- | In the order in which they are shown.
subjects :: [Subject]
subjects =
  [ Ints5.subject,
    Ints25.subject,
    Mixed.subject,
    Everything.subject,
    Languages.subject,
    Subdivisions.subject
  ]

-- | The one of 'subjects' that has this name.
subjectNamed :: Text -> Maybe Subject
subjectNamed name = find ((== name) . subjectName) subjects
