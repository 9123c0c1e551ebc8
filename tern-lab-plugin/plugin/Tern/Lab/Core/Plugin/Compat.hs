{-# LANGUAGE CPP #-}

-- | The differences between the supported compilers, all of them.
--
-- The only module with CPP: everywhere else one source fits GHC 9.4 to 9.12.
module Tern.Lab.Core.Plugin.Compat
  ( hasExportList,
    writtenIds,
    unfoldingOf,
    useThreshold,
    isDictionaryType,
    argumentsOf,
    genericsModules,
    appendModules,
    mildWarning,
  )
where

import Data.Maybe (isJust)
import GHC.Core.Opt.Arity (typeArity)
import GHC.Core.Predicate (isDictTy)
import GHC.Core.Unfold (unfoldingUseThreshold)
import GHC.Driver.Config.Diagnostic (initDiagOpts)
import GHC.Hs (HsParsedModule (..), hsmodExports)
import GHC.Plugins
import GHC.Tc.Types (TcGblEnv (..))
import GHC.Types.Error (MessageClass)
import GHC.Types.TypeEnv (typeEnvIds)
import GHC.Utils.Error (DiagOpts (..), mkMCDiagnostic)

-- | Does the parsed module say what it exports?
hasExportList :: ParsedResult -> Bool
hasExportList = isJust . hsmodExports . unLoc . hpm_module . parsedResultModule

-- | The top-level variables that a module's source declares.
writtenIds :: TcGblEnv -> [Id]
writtenIds = typeEnvIds . tcg_type_env

-- | The unfolding that a binding really has, a loop breaker's too.
unfoldingOf :: Id -> Unfolding
unfoldingOf = realUnfoldingInfo . idInfo

useThreshold :: DynFlags -> Int
useThreshold = unfoldingUseThreshold . unfoldingOpts

isDictionaryType :: Type -> Bool
isDictionaryType = isDictTy

-- | How many value arguments a type takes.
argumentsOf :: Type -> Int
#if __GLASGOW_HASKELL__ >= 906
argumentsOf = typeArity
#else
argumentsOf = length . typeArity
#endif

-- | Where the types of generic representations live.
genericsModules :: [ModuleName]
genericsModules = map mkModuleName ["GHC.Generics", "GHC.Internal.Generics"]

-- | Where @++@ lives.
appendModules :: [String]
appendModules = ["GHC.Base", "GHC.Internal.Base"]

-- | A warning that no @-Werror@ makes an error of.
mildWarning :: DynFlags -> MessageClass
#if __GLASGOW_HASKELL__ >= 906
mildWarning flags = mkMCDiagnostic (mild flags) WarningWithoutFlag Nothing
#else
mildWarning flags = mkMCDiagnostic (mild flags) WarningWithoutFlag
#endif

mild :: DynFlags -> DiagOpts
mild flags = (initDiagOpts flags) {diag_warn_is_error = False}
