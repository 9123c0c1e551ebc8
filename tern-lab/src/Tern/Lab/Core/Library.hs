{-# LANGUAGE OverloadedStrings #-}

-- | What is known of functions of libraries.
--
-- Its one idea: some functions cost more than they look like where they are
-- called again and again, and each has a better one beside it. They are known by
-- module and name.
--
-- Start at 'costOf'; the words are in "Tern.Lab.Core.Advice".
module Tern.Lab.Core.Library
  ( Cost (..),
    costOf,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
import Tern.Lab.Core.Index (sourceName)

data Cost
  = -- | Walks a list to a number.
    WalksToIndex
  | -- | Copies all that it is given, for one more piece.
    CopiesAll
  | -- | Interprets its format at run time.
    InterpretsFormat
  deriving stock (Eq, Ord, Show, Enum, Bounded)

-- | Of a function, a worker or a specialisation of it.
--
-- @$w!!@ of @GHC.List@ is 'WalksToIndex'; @reverse@ there has no cost that is known here.
costOf :: Global -> Maybe Cost
costOf g = lookup (sourceName (globalName g)) [(name, cost) | (modules, names, cost) <- known, globalModule' `elem` modules, name <- names]
  where
    -- GHC 9.10 moved base's modules.
    globalModule' = maybe (globalModule g) ("GHC." <>) (T.stripPrefix "GHC.Internal." (globalModule g))

known :: [([Text], [Text], Cost)]
known =
  [ (["GHC.List"], ["!!"], WalksToIndex),
    (["Data.Text", "Data.Text.Internal", "Data.ByteString", "Data.ByteString.Internal.Type"], ["append", "snoc", "cons"], CopiesAll),
    (["Text.Printf"], ["printf", "hPrintf", "spr", "hspr", "uprintf", "uprintfs"], InterpretsFormat)
  ]
