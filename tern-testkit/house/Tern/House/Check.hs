-- | Whether the modules keep to the table, and whether arrows go one way.
module Tern.House.Check
  ( Complaint (..),
    complaints,
    renderComplaint,
  )
where

import Data.Graph (SCC (..), stronglyConnComp)
import Data.List (intercalate, isPrefixOf, sort)
import Data.Map.Strict qualified as Map
import Data.Set qualified as Set
import Tern.House.Rules (Pattern (..), Room (..), allowed, matches, roomOf)
import Tern.House.Source (Module (..))

-- | One thing that is wrong. Paths begin at the root of the checkout.
data Complaint
  = -- | A module that no row speaks of.
    Homeless FilePath String
  | -- | A module and what it imports although its row does not allow it.
    Forbidden FilePath String String
  | -- | A row, by its first glob, that no module belongs to.
    EmptyRoom String
  | -- | A row, and a glob in it that no module fits.
    DeadPattern String String
  | -- | Rows, by their first patterns, that import each other in a circle.
    RoomCycle [String]
  | -- | Modules that import each other in a circle.
    ModuleCycle [String]
  | -- | Two folders that import each other, with an import of each.
    FolderCycle (FilePath, String, String) (FilePath, String, String)
  deriving stock (Eq, Ord, Show)

-- | All that is wrong, in a fixed order.
complaints :: [Room] -> [Module] -> [Complaint]
complaints rooms modules =
  sort . concat $
    [ [Homeless (modulePath m) (moduleName m) | (m, Nothing) <- housed],
      [ Forbidden (modulePath m) (moduleName m) (moduleName other)
        | (m, Just room) <- housed,
          other <- imports m,
          not (allowed room other)
      ],
      [EmptyRoom (roomName room) | room <- rooms, null [() | (_, Just one) <- housed, one == room]],
      [ DeadPattern (roomName room) (showPattern glob)
        | room <- rooms,
          glob <- mayDependOn room,
          not (any (`matches` glob) modules)
      ],
      [ RoomCycle (sort (map roomName circle))
        | CyclicSCC circle <- stronglyConnComp roomGraph,
          length circle > 1
      ],
      [ ModuleCycle (sort (map moduleName circle))
        | CyclicSCC circle <-
            stronglyConnComp [(m, moduleName m, moduleImports m) | m <- modules]
      ],
      folderCycles modules
    ]
  where
    housed = [(m, roomOf rooms m) | m <- modules]
    byName = Map.fromList [(moduleName m, m) | m <- modules]
    imports m = [other | name <- moduleImports m, Just other <- [Map.lookup name byName]]
    numbers = Map.fromList (zip (map roomPatterns rooms) [0 :: Int ..])
    number room = Map.findWithDefault (-1) (roomPatterns room) numbers
    roomGraph =
      [ (room, number room, Set.toList targets)
        | room <- rooms,
          let targets =
                Set.fromList
                  [ number there
                    | (m, Just here) <- housed,
                      here == room,
                      other <- imports m,
                      Just there <- [roomOf rooms other],
                      there /= room
                  ]
      ]

-- | Pairs of folders, neither within the other, with imports both ways. The
-- modules that lie beside folders are no folder of their own: such a module
-- may stand above one of them or below it, as its row says.
folderCycles :: [Module] -> [Complaint]
folderCycles modules =
  [ FolderCycle (a, fst there, snd there) (b, fst back, snd back)
    | ((a, b), there) <- Map.toList arrows,
      a < b,
      Just back <- [Map.lookup (b, a) arrows]
  ]
  where
    folders = Map.fromList [(moduleName m, folderOf (modulePath m)) | m <- modules]
    arrows =
      Map.fromListWith
        (\_ first -> first)
        [ ((here, there), (moduleName m, other))
          | m <- modules,
            let here = folderOf (modulePath m),
            other <- moduleImports m,
            Just there <- [Map.lookup other folders],
            not (within here there || within there here)
        ]
    within a b = (a <> "/") `isPrefixOf` (b <> "/")
    folderOf = reverse . drop 1 . dropWhile (/= '/') . reverse

roomName :: Room -> String
roomName room = case roomPatterns room of
  glob : _ -> showPattern glob
  [] -> "a row without a pattern"

showPattern :: Pattern -> String
showPattern = \case
  Exactly name -> name
  Below stem -> stem <> ".*"
  Folder path -> path

-- | One line: where, what was expected, what to do.
renderComplaint :: Complaint -> String
renderComplaint = \case
  Homeless path name ->
    path <> ": no row of ARCHITECTURE.md's table fits the module " <> name <> "; add one"
  Forbidden path name other ->
    concat
      [ path,
        ": ",
        name,
        " imports ",
        other,
        ", which its row in ARCHITECTURE.md does not allow; turn the arrow, or say why in the table"
      ]
  EmptyRoom name -> "ARCHITECTURE.md: no module belongs to the row " <> name <> "; remove it"
  DeadPattern name glob ->
    concat
      [ "ARCHITECTURE.md: the row ",
        name,
        " may depend on ",
        glob,
        ", which is no module; remove it"
      ]
  RoomCycle names ->
    "ARCHITECTURE.md: these rows import each other: "
      <> intercalate ", " names
      <> "; arrows go one way"
  ModuleCycle names ->
    "these modules import each other: " <> intercalate ", " names <> "; arrows go one way"
  FolderCycle (a, m, n) (b, m', n') ->
    concat
      [ a,
        " and ",
        b,
        " import each other: ",
        m,
        " imports ",
        n,
        ", ",
        m',
        " imports ",
        n',
        "; arrows go one way"
      ]
