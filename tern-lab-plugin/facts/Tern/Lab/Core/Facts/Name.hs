{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- | Names and places, as facts have them.
--
-- Its one idea: a name is not an identity; where it must be one, it has a mark that no other has.
--
-- Start at 'marked'.
module Tern.Lab.Core.Facts.Name
  ( Place (..),
    Global (..),
    marked,
    unmarked,
    markOf,
    copyName,
    isCopy,
    callName,
    enteredName,
    madeName,
    handedName,
    isMade,
    comparedName,
  )
where

import Data.Binary (Binary)
import Data.Char (isDigit)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)

-- $setup
-- >>> import Data.Text qualified as T

-- | Line and column from 1.
data Place = Place
  { placeFile :: !Text,
    placeLine :: !Int,
    placeColumn :: !Int
  }
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | A name that is told apart from others that are written like it: by its
-- module's mark and a number. No name of Haskell or GHC has a backquote in it.
--
-- >>> marked (T.pack "1f") (T.pack "go") 17
-- "go`1f.17`"
marked :: Text -> Text -> Int -> Text
marked mark name n = T.concat [name, T.pack "`", mark, T.pack ".", T.pack (show n), T.pack "`"]

-- | The name without the mark. What comes after a mark is GHC's.
--
-- >>> map (unmarked . T.pack) ["go`1f.17`", "f", "main_go`1f.17`2"]
-- ["go","f","main_go"]
unmarked :: Text -> Text
unmarked = T.takeWhile (/= '`')

-- | The last mark of a name: GHC calls a function by another's name and its own.
--
-- >>> map (markOf . T.pack) ["main`1f.3`_go`1f.17`", "go"]
-- [Just ("1f",17),Nothing]
markOf :: Text -> Maybe (Text, Int)
markOf name = case T.splitOn (T.pack "`") name of
  pieces@(_ : _ : _)
    | _ : inner : _ <- reverse pieces,
      (mark, number) <- T.breakOn (T.pack ".") inner,
      digits <- T.drop 1 number,
      not (T.null digits),
      T.all isDigit digits ->
        Just (mark, T.foldl' (\n d -> 10 * n + (fromEnum d - fromEnum '0')) 0 digits)
  _ -> Nothing

-- | What a counting build calls its own @++@. No name of Haskell has a comma.
copyName :: Text
copyName = T.pack ",++"

-- | Is it one, whatever GHC has put before its name?
isCopy :: Text -> Bool
isCopy name = copyName `T.isSuffixOf` name

-- | What the name of a function begins with that counts what a library's function allocates for
-- a call; the library's function follows.
callName :: Text
callName = T.pack ",call:"

-- | The same of the function that counts how often the calls are made.
enteredName :: Text
enteredName = T.pack ",entered:"

-- | What a counting build calls the making of records of a type, beside calls of libraries.
--
-- >>> isMade (madeName (T.pack "Main.Machine"))
-- True
madeName :: Text -> Text
madeName name = madePrefix <> name

-- | The same of calls that are given what waits, and do not evaluate it.
handedName :: Text
handedName = madeName (T.pack ",handed")

-- | Is it a name of 'madeName'? 'handedName' is one.
isMade :: Text -> Bool
isMade = T.isPrefixOf madePrefix

-- | The same of the comparisons that a library's function makes by a function that it is given,
-- beside its calls.
comparedName :: Text -> Text
comparedName name = T.pack ",compared:" <> name

madePrefix :: Text
madePrefix = T.pack ",made:"

-- | A name that other modules can see.
data Global = Global
  { globalUnit :: !Text,
    globalModule :: !Text,
    globalName :: !Text
  }
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)
