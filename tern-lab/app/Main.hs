-- | Arguments, plan, run: the verbs that @tern-lab@ has.
module Main (main) where

import Tern.Lab.Verb (perform)
import Tern.Lab.Verb.List qualified as List

main :: IO ()
main =
  perform
    [ List.verb
    ]
