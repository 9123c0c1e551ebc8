{-# LANGUAGE OverloadedStrings #-}

-- | The name section: what a module calls its functions.
--
-- The idea: names are for people only, so a section that makes no sense is the
-- same as none; what could be read before the mistake is kept.
module Tern.Wasm.Names
  ( functionNames,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.Text (Text)
import Data.Vector qualified as V
import Tern.Wasm.Reader (Reader)
import Tern.Wasm.Reader qualified as Reader
import Tern.Wasm.Syntax (Custom (..), Module (..))

-- | By function index. Linear in the section.
functionNames :: Module -> IntMap Text
functionNames m =
  IntMap.unions [subsections (customBytes c) | c <- moduleCustoms m, customName c == "name"]

subsections :: ByteString -> IntMap Text
subsections bytes
  | B.null bytes = IntMap.empty
  | otherwise = case Reader.run subsection 0 bytes 0 of
      Right ((kind, contents), end)
        | kind == 1 -> either (const IntMap.empty) fst (Reader.run names 0 contents 0)
        | otherwise -> subsections (B.drop end bytes)
      Left _ -> IntMap.empty
  where
    subsection = (,) <$> Reader.byte <*> (Reader.u32 >>= Reader.bytes . fromIntegral)

names :: Reader (IntMap Text)
names =
  IntMap.fromList . V.toList <$> Reader.vec ((,) . fromIntegral <$> Reader.u32 <*> Reader.name)
