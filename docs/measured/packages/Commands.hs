-- | The command lines of a tool that keeps copies: what people type, taken apart, checked, put
-- together again, and the help that they ask for.
module Main (main) where

import System.Console.CmdArgs.Explicit
import System.Console.CmdArgs.Text (TextFormat (..), showText)

data Copy = Copy
  { verbose :: Int,
    target :: String,
    excluded :: [String],
    rate :: Int,
    checked :: Bool,
    paths :: [String],
    command :: String
  }

empty :: String -> Copy
empty = Copy 0 "" [] 0 False []

common :: [Flag Copy]
common =
  [ flagNone ["verbose", "v"] (\c -> c {verbose = verbose c + 1}) "Say what is done; twice, say more of it",
    flagReq ["target", "t"] (\s c -> Right c {target = s}) "FOLDER" "Where the copies are, or are to be, on this machine or another",
    flagReq ["exclude", "x"] (\s c -> Right c {excluded = s : excluded c}) "PATTERN" "What is left out; may be given again and again",
    flagReq ["rate", "r"] (\s c -> if all (`elem` "0123456789") s then Right c {rate = read s} else Left "a number of bytes") "BYTES" "The most bytes in a second",
    flagBool ["check", "c"] (\b c -> c {checked = b}) "Read each copy again and compare it",
    flagHelpSimple id
  ]

tool :: Mode Copy
tool =
  modes
    "keep"
    (empty "none")
    "Copies of what people would miss"
    [ (mode "save" (empty "save") "Copy what has changed since the last time" (flagArg path "PATH") common) {modeArgs = ([], Just (flagArg path "PATH"))},
      (mode "restore" (empty "restore") "Put back what was copied" (flagArg path "PATH") common) {modeArgs = ([], Just (flagArg path "PATH"))},
      (mode "list" (empty "list") "What there is of which day, with its size and the time that it took" (flagArg path "PATH") common) {modeArgs = ([], Just (flagArg path "PATH"))}
    ]
  where
    path s c = Right c {paths = s : paths c}

typed :: Int -> String
typed n =
  unwords
    ( [["save", "restore", "list"] !! (n `mod` 3), "-v", "--target=/mnt/copies/" ++ show n, "--exclude", "*.tmp", "-x*.o"]
        ++ ["--rate=" ++ show (n * 1000) | even n]
        ++ ["--chec" | n `mod` 5 == 0]
        ++ ["\"/home/some one/folder " ++ show k ++ "\"" | k <- [1 .. 2 + n `mod` 9]]
        ++ ["--quick" | n `mod` 17 == 0]
    )

main :: IO ()
main = do
  mapM_ (print . told . process tool . splitArgs . typed) [1 .. 1500]
  print (sum [length (joinArgs (splitArgs (typed n))) | n <- [1 .. 1500]])
  mapM_ (\w -> print (length (showText (Wrap w) (helpText ["keep, version 4"] HelpFormatAll tool)))) [40 .. 100]
  print (length (showText HTML (helpText [] HelpFormatAll tool)))
  where
    told (Left why) = (why, 0)
    told (Right c) = (unwords [command c, target c, show (rate c), show (checked c)], verbose c + length (excluded c) + sum (map length (paths c)))
