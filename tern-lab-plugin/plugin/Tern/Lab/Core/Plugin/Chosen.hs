-- | Who has chosen a type that a module does not name.
--
-- Its one idea: a number that comes out of another's constructor or function has the type that is
-- declared there, and none that GHC took where nothing said more.
--
-- Start at 'takesInteger'.
module Tern.Lab.Core.Plugin.Chosen
  ( takesInteger,
  )
where

import GHC.Core.Multiplicity (scaledThing)
import GHC.Plugins hiding ((<>))

-- | Does it use a constructor or a function of another module, outside of GHC's own packages, that
-- has an @Integer@ in its type?
takesInteger :: Module -> CoreProgram -> Bool
takesInteger this = any (any inside . rhssOfBind)
  where
    inside e = case e of
      Var v -> isElsewhere (idName v) && names (idType v)
      Lit _ -> False
      App f a -> inside f || inside a
      Lam _ body -> inside body
      Let b body -> any inside (rhssOfBind b) || inside body
      Case r _ _ alternatives -> inside r || any ofAlternative alternatives
      -- In and out of a newtype.
      Cast body co -> inside body || names (coercionLKind co) || names (coercionRKind co)
      Tick _ body -> inside body
      Type _ -> False
      Coercion _ -> False
    ofAlternative (Alt con _ body) = ofConstructor con || inside body
    ofConstructor con = case con of
      DataAlt c ->
        isElsewhere (dataConName c) && any (names . scaledThing) (dataConOrigArgTys c)
      LitAlt _ -> False
      DEFAULT -> False
    names t = elementOfUniqSet integerTyCon (tyConsOfType t)
    isElsewhere n = case nameModule_maybe n of
      Just m -> m /= this && unitString (moduleUnit m) `notElem` ghcs
      Nothing -> False
    ghcs = ["base", "ghc-prim", "ghc-bignum", "ghc-internal"]
