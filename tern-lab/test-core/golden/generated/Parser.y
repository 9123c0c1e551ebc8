{
-- | A list of readings: a parser of which people wrote the rules and the end.
module Parser (readings, heaviest) where

import Data.List (nub)
import Lexer
}

%name readings list
%tokentype { Token }
%error { refused }

%token
  number { Number $$ }
  ','    { Comma }

%%

list :: { [Int] }
list : number          { [$1] }
     | list ',' number { nub ($3 `mod` 60 : $1) }

{
refused :: [Token] -> a
refused _ = error "not a list of numbers"

heaviest :: [Int] -> String
heaviest = go ""
  where
    go most [] = most
    go most (n : ns) = go (if length (show n) > length most then show n else most) ns
{-# NOINLINE heaviest #-}
}
