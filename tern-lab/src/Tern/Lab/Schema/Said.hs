-- | What a command line says about changes that no schema shows: older names, and
-- fields that have a default.
--
-- The idea: a program says these beside its types ("Tern.Evolution"), where no tool
-- sees them. For a verdict it is enough to know that there is a default; its value is
-- never asked for.
module Tern.Lab.Schema.Said
  ( Said (..),
    Member (..),
    evolutionOf,
  )
where

import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Evolution (Evolution, constructorAlias, fieldAlias, soleConstructor, typeAlias)
import Tern.Internal.Evolution.Changes (Default (..), defaultOf, ofType)
import Tern.Shape (Shape)
import Tern.Shape qualified as Shape

-- | One thing that is said of the newer schema.
data Said
  = -- | A type, and a name that it had.
    TypeWas !Text !Text
  | -- | A field, and a name that it had.
    FieldWas !Member !Text
  | -- | A constructor, and a name that it had.
    ConstructorWas !Member !Text
  | -- | A field has a default.
    HasDefault !Member
  | -- | Of a type, the constructor that was or is the only one.
    Only !Text !Text
  deriving stock (Eq, Show)

-- | A type, and a field or constructor of it.
data Member = Member !Text !Text
  deriving stock (Eq, Show)

-- | All of it together; or the type that the schema does not have, and those that it
-- has. Types are called as schemas call them, or by the first word of that.
evolutionOf :: Shape -> [Said] -> Either (Text, [Text]) Evolution
evolutionOf shape said = mconcat <$> traverse one said
  where
    defined = Shape.definitions shape
    one it = case [ (name, definition)
                    | (name, definition) <-
                        defined,
                      Shape.typeName name == typeOf it
                        || T.takeWhile (/= ' ') (Shape.typeName name) == typeOf it
                  ] of
      [] -> Left (typeOf it, map (Shape.typeName . fst) defined)
      found -> Right (mconcat [ofType name (changes definition it) | (name, definition) <- found])
    changes definition = \case
      TypeWas _ old -> [typeAlias [old]]
      FieldWas (Member _ name) old -> [fieldAlias name [old]]
      ConstructorWas (Member _ name) old -> [constructorAlias name [old]]
      HasDefault (Member _ name) -> case shapesOf name definition of
        -- The name is found missing where the changes are held against the type.
        [] -> [defaultOf name (Default Shape.Unit B.empty)]
        shapes -> [defaultOf name (Default s B.empty) | s <- shapes]
      Only _ name -> [soleConstructor name]

typeOf :: Said -> Text
typeOf = \case
  TypeWas name _ -> name
  FieldWas (Member name _) _ -> name
  ConstructorWas (Member name _) _ -> name
  HasDefault (Member name _) -> name
  Only name _ -> name

-- | The shapes of the fields of a name, of all constructors.
shapesOf :: Text -> Shape.Definition -> [Shape]
shapesOf name = \case
  Shape.Bare _ body -> within body
  Shape.Names _ -> []
  Shape.Sum _ constructors -> concatMap (within . Shape.constructorBody) constructors
  where
    within = \case
      Shape.Record fields -> [Shape.fieldShape f | f <- fields, Shape.fieldName f == name]
      _ -> []
