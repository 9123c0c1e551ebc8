-- | Classes whose methods only make something of a value.
--
-- Its one idea: a document, a text or a tree that a method makes of a value is made in any case.
-- Who knows the instance calls the method without a pointer, and no more is saved.
--
-- Start at 'renderingIn'.
module Tern.Lab.Core.Plugin.Renders
  ( renderingIn,
  )
where

import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Core.Class (Class, classMethods, classSCTheta, classTyVars)
import GHC.Plugins hiding ((<>))
import Tern.Lab.Core.Plugin.Shape (bindsWithin, plain)

-- | Of those classes whose instances functions of a program are given, each once.
renderingIn :: CoreProgram -> [Text]
renderingIn binds =
  Set.toList
    ( Set.fromList
        [ T.pack (plain (ppr c))
          | e <- concatMap rhssOfBind (bindsWithin binds),
            v <- fst (collectBinders e),
            isId v,
            Just c <- [tyConAppTyCon_maybe (idType v) >>= tyConClass_maybe],
            renders c
        ]
    )

-- | Does some method make a structure, and none anything of the class's own type, or of a type that
-- callers choose? Numbers and answers that some give besides are no matter.
renders :: Class -> Bool
renders c =
  null (classSCTheta c) && any makes results && not (any isOpen results)
  where
    results = map (resultOf . idType) (classMethods c)
    own = mkVarSet (classTyVars c)
    isOpen t = isTyVarTy t || intersectsVarSet own (tyCoVarsOfType t)
    makes t = case tyConAppTyCon_maybe t of
      Just con -> occNameString (getOccName con) `notElem` plainTypes
      Nothing -> False
    plainTypes =
      words "Bool Ordering Char Int Word Double Float Integer Natural Unit ()"

-- | What a method gives when it has all of its arguments.
resultOf :: Type -> Type
resultOf t = case splitForAllTyCoVars t of
  (_ : _, inner) -> resultOf inner
  ([], _) -> case splitFunTys t of
    (_ : _, result) -> resultOf result
    ([], _) -> t
