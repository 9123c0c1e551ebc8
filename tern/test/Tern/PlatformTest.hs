-- | The codecs' C compiles for the machines that they are for, and for no other.
module Tern.PlatformTest (tests) where

import Tern.Testkit.Platform (platforms)
import Test.Tasty (TestTree)

tests :: TestTree
tests = platforms "cbits/tern_platform.c"
