module Separator (field, wrap, commaSep) where

import Data.ByteString.Builder

field :: Int -> Builder
field = intDec

wrap :: Builder -> Builder
wrap b = char7 '{' <> b <> char7 '}'
{-# INLINE wrap #-}

commaSep :: [Builder] -> Builder
commaSep [] = mempty
commaSep [x] = x
commaSep (x : xs) = x <> char7 ',' <> commaSep xs
