module Separator (field, wrap, comma) where

import Data.ByteString.Builder

field :: Int -> Builder
field = intDec

wrap :: Builder -> Builder
wrap b = char7 '{' <> b <> char7 '}'
{-# INLINE wrap #-}

comma :: Builder -> Builder -> Builder
comma a b = a <> char7 ',' <> b
{-# INLINE comma #-}
