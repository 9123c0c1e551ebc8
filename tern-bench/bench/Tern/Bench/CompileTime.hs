{-# LANGUAGE OverloadedStrings #-}

-- | What compiling the instances of a record of 100 fields costs, both
-- directions, by how the instances come about.
--
-- The compiler's own allocation decides: it is the same in every run. It is
-- counted without what the plain declaration of the record costs.
module Tern.Bench.CompileTime
  ( Costs (..),
    compileTimes,
    renderCosts,
    renderCostsPage,
  )
where

import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)
import Tern.Bench.Declare (fieldNames)
import Tern.Bench.Progress (inTurn)
import Tern.Lab.Result (Machine (..))
import Tern.Lab.Table (Align (..), columns, duration, markdown, memory, ratio)
import Text.Read (readMaybe)

-- | Ways of deriving, and what each adds to the module.
ways :: [(Text, [Text], [Text])]
ways =
  [ ("tern, generics", ["import Tern"], ["deriving anyclass instance Wire R"]),
    ("tern, templates", ["import Tern"], ["deriveWire defaultOptions ''R"]),
    ( "tern, templates, JSON, MessagePack and native",
      ["import Tern"],
      ["deriveWire defaultOptions {wireFormats = [AsJson, AsMessagePack, AsNative]} ''R"]
    ),
    ( "tern, templates, JSON and native",
      ["import Tern"],
      ["deriveWire defaultOptions {wireFormats = [AsJson, AsNative]} ''R"]
    ),
    ( "tern, templates, JSON alone",
      ["import Tern"],
      ["deriveWire defaultOptions {wireFormats = [AsJson]} ''R"]
    ),
    ( "tern, options as types",
      ["import Tern"],
      [ "deriving via (WithOptions '[FieldLabelModifier CamelToSnake, OmitNothingFields] R) \
        \instance Wire R"
      ]
    ),
    ( "aeson, generics",
      ["import Data.Aeson"],
      [ "instance ToJSON R where toEncoding = genericToEncoding defaultOptions",
        "instance FromJSON R"
      ]
    ),
    ( "aeson, templates",
      ["import Data.Aeson", "import Data.Aeson.TH"],
      ["deriveJSON defaultOptions ''R"]
    )
  ]

-- | Of one way: bytes that the compiler allocated and seconds of CPU time.
data Costs = Costs {way :: Text, allocation :: !Int, cpu :: !Double}

-- | Needs the compiler and the libraries on its path, as @cabal exec@ gives
-- them.
compileTimes :: IO [Costs]
compileTimes = withSystemTempDirectory "tern-compile-time" $ \folder -> do
  (bareBytes, bareSeconds) <- compile folder [] []
  inTurn (\(name, _, _) -> name) ways $ \(name, imports, declarations) -> do
    (bytes', seconds) <- compile folder imports declarations
    pure Costs {way = name, allocation = bytes' - bareBytes, cpu = seconds - bareSeconds}

rows :: [Costs] -> [[Text]]
rows costs =
  ["100 fields, both directions", "compiler's allocation", "CPU time", "times aeson, generics"]
    : [[way, memory allocation, duration (1e9 * cpu), share allocation] | Costs {..} <- costs]
  where
    share n = case [allocation | Costs {..} <- costs, way == "aeson, generics"] of
      peer : _ -> ratio (fromIntegral n) (fromIntegral peer)
      [] -> ""

renderCosts :: [Costs] -> Text
renderCosts = T.unlines . columns aligns . rows

-- | Markdown, with the compiler.
renderCostsPage :: Machine -> [Costs] -> Text
renderCostsPage Machine {..} costs =
  T.unlines
    ( markdown aligns (rows costs)
        <> [ "",
             T.concat
               [ "Measured with ",
                 compiler,
                 ", ",
                 system,
                 ", at -O1; without the cost of the bare declaration."
               ]
           ]
    )

aligns :: [Align]
aligns = [ToLeft, ToRight, ToRight, ToRight]

-- | Bytes and seconds.
compile :: FilePath -> [Text] -> [Text] -> IO (Int, Double)
compile folder imports declarations = do
  T.writeFile (folder </> "R.hs") . T.unlines $
    [ "{-# LANGUAGE DataKinds, DeriveAnyClass, DerivingStrategies, DerivingVia, MonoLocalBinds, \
      \StandaloneDeriving, TemplateHaskell, UndecidableInstances #-}",
      "module R where",
      "import GHC.Generics (Generic)"
    ]
      <> imports
      <> [ "data R = R {"
             <> T.intercalate ", " [T.pack field <> " :: !Int" | field <- fieldNames 100]
             <> "} deriving stock Generic"
         ]
      <> declarations
  (code, _, report) <-
    readProcessWithExitCode
      "ghc"
      [ "-v0",
        "-O1",
        "-fforce-recomp",
        "-XGHC2021",
        "-c",
        folder
          </> "R.hs",
        "-outputdir",
        folder,
        "+RTS",
        "-t",
        "--machine-readable",
        "-RTS"
      ]
      ""
  case code of
    ExitSuccess ->
      pure
        ( fromMaybe
            0
            (figure "bytes allocated" report),
          fromMaybe 0 (figure "total_cpu_seconds" report)
        )
    ExitFailure _ -> ioError (userError ("the record did not compile: " <> report))

-- | One figure of the runtime's report, which is a list of pairs of strings.
figure :: (Read a) => String -> String -> Maybe a
figure name report = do
  pairs <- readMaybe report :: Maybe [(String, String)]
  lookup name pairs >>= readMaybe
