{-# LANGUAGE OverloadedStrings #-}

-- | Plans for packages that ask for versions of each other, found among two hundred packages.
module Main (main) where

import qualified Data.ByteString.Char8 as B
import qualified Data.Set as Set
import Distribution.Compiler
import Distribution.Package
import Distribution.PackageDescription.Parsec (parseGenericPackageDescriptionMaybe)
import Distribution.Solver.Modular
import Distribution.Solver.Types.InstalledPreference (InstalledPreference (..))
import qualified Distribution.Solver.Types.PackageIndex as Index
import Distribution.Solver.Types.PackagePreferences
import Distribution.Solver.Types.PkgConfigDb (pkgConfigDbFromList)
import Distribution.Solver.Types.Progress
import Distribution.Solver.Types.Settings
import Distribution.Solver.Types.SourcePackage
import Distribution.System
import Distribution.Types.Version (mkVersion)
import Distribution.Verbosity (normal)

-- Package @n@ asks for some of those before it, and its later versions ask for later ones.
described :: Int -> Int -> B.ByteString
described n version =
  B.unlines
    ( [ "cabal-version: 2.2",
        "name: " <> name n,
        "version: " <> number version,
        "build-type: Simple",
        "flag fast",
        "  default: True",
        "library",
        "  exposed-modules: M" <> number n,
        "  default-language: Haskell2010"
      ]
        ++ concat [["  build-depends: " <> name k <> range k] | k <- asked]
        ++ ["  if flag(fast)", "    build-depends: " <> name (n `div` 3) <> " >= 1"]
    )
  where
    asked = Set.toList (Set.fromList (filter (\k -> k > 0 && k < n) before))
    before = [n - 1, n - 3, n * 7 `mod` 41, n `div` 2]
    range k
      | (n * k) `mod` 29 == 3 = " < " <> number (1 + (version + k) `mod` versions)
      | (n + k) `mod` 13 == 0 = " == " <> number (1 + version `mod` versions)
      | otherwise = " >= " <> number (1 + version `div` 2)

versions :: Int
versions = 4

number :: Int -> B.ByteString
number = B.pack . show

name :: Int -> B.ByteString
name n = "station-" <> B.pack (map (toEnum . (+ 49) . fromEnum) (show n))

package :: Int -> Int -> SourcePackage ()
package n version =
  case parseGenericPackageDescriptionMaybe (described n version) of
    Nothing -> error (B.unpack (described n version))
    Just description ->
      SourcePackage (PackageIdentifier (named n) (mkVersion [version])) description () Nothing

named :: Int -> PackageName
named = mkPackageName . B.unpack . name

config :: SolverConfig
config =
  SolverConfig
    { reorderGoals = ReorderGoals False,
      countConflicts = CountConflicts True,
      fineGrainedConflicts = FineGrainedConflicts True,
      minimizeConflictSet = MinimizeConflictSet False,
      independentGoals = IndependentGoals False,
      avoidReinstalls = AvoidReinstalls False,
      shadowPkgs = ShadowPkgs False,
      strongFlags = StrongFlags False,
      allowBootLibInstalls = AllowBootLibInstalls True,
      onlyConstrained = OnlyConstrainedNone,
      maxBackjumps = Just 200,
      enableBackjumping = EnableBackjumping True,
      solveExecutables = SolveExecutables True,
      goalOrder = Nothing,
      solverVerbosity = normal,
      pruneAfterFirstSuccess = PruneAfterFirstSuccess False
    }

main :: IO ()
main = mapM_ plan [15, 25 .. 95]
  where
    sources = Index.fromList [package n version | n <- [0 .. 100], version <- [1 .. versions]]
    compiler = unknownCompilerInfo (CompilerId GHC (mkVersion [9, 6])) NoAbiTag
    preferences _ = PackagePreferences [] PreferLatest []
    plan n =
      foldProgress
        (const id)
        (\problem -> print (n, "no", length problem))
        (\packages -> print (n, "yes", length packages))
        (resolve (Set.fromList [named n, named (n - 1)]))
    resolve =
      modularResolver
        config
        (Platform X86_64 Linux)
        compiler
        mempty
        sources
        (pkgConfigDbFromList [])
        preferences
        []
