{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Which programs are run, how often, and with what in their commands.
--
-- The idea: a command may have names in braces, which stand for the values of
-- parameters; each choice of values is a setting, in which all commands are measured
-- against each other.
--
-- Start at 'Plan'; 'settings' and 'programs' say what it comes to.
module Tern.Lab.Programs.Plan
  ( Plan (..),
    Parameter (..),
    settings,
    Program (..),
    programs,
    filled,
    unused,
    parameterOf,
  )
where

import Data.List (find)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern (Wire)
import Tern.Lab.Sheet (Choice (..))

-- | Everything that will be done.
data Plan = Plan
  { -- | For the shell.
    commands :: ![Text],
    over :: ![Parameter],
    -- | A command before each run, which is not measured.
    prepare :: !(Maybe Text),
    rounds :: !Int,
    -- | How often each is run before the rounds. In its first run, which with 0 is that of
    -- the first round, its runtime is asked what it tells.
    warmUp :: !Int,
    -- | The exit codes that are a success.
    exits :: ![Int],
    -- | Seconds.
    timeLimit :: !(Maybe Double),
    -- | Are instructions counted, by valgrind?
    instructions :: !Bool
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | A name with its values, in the order that they were given in.
data Parameter = Parameter
  { name :: !Text,
    values :: ![Text]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | All choices of one value for each parameter; the last one's values change first.
settings :: Plan -> [[Choice]]
settings plan =
  traverse (\one -> [Choice {parameter = one.name, value} | value <- one.values]) plan.over

-- | A command as it is run.
data Program = Program
  { -- | The command as it was given, with a number where it was given again.
    name :: !Text,
    command :: !Text,
    before :: !(Maybe Text)
  }
  deriving stock (Eq, Show)

-- | The commands of one setting, in their order.
programs :: Plan -> [Choice] -> [Program]
programs plan setting = zipWith one [0 :: Int ..] plan.commands
  where
    one index command =
      let again = length (filter (== command) (take index plan.commands))
       in Program
            { name =
                if again == 0
                  then command
                  else T.concat [command, " (", T.pack (show (again + 1)), ")"],
              command = filled setting command,
              before = filled setting <$> plan.prepare
            }

-- | With each parameter's value in place of its name in braces. What is put there is
-- not looked at again, and other braces stay.
--
-- >>> :set -XOverloadedStrings
-- >>> import Tern.Lab.Sheet (Choice (..))
-- >>> filled [Choice "n" "{m}", Choice "m" "7"] "seq {n} {m} {k}"
-- "seq {m} 7 {k}"
filled :: [Choice] -> Text -> Text
filled setting text = case T.breakOn "{" text of
  (before, rest)
    | T.null rest -> before
    | (inside, close) <- T.breakOn "}" (T.drop 1 rest),
      not (T.null close),
      Just choice <- find ((== inside) . parameter) setting ->
        T.concat [before, choice.value, filled setting (T.drop 1 close)]
    | otherwise -> T.concat [before, "{", filled setting (T.drop 1 rest)]

-- | Parameters that no command has.
unused :: Plan -> [Text]
unused plan =
  [ one.name
    | one <- plan.over,
      not
        ( any
            (T.isInfixOf (T.concat ["{", one.name, "}"]))
            (plan.commands <> maybe [] pure plan.prepare)
        )
  ]

-- | A parameter as it is given: @n=1,10,100@.
--
-- >>> parameterOf "n=1,10"
-- Right (Parameter {name = "n", values = ["1","10"]})
parameterOf :: String -> Either String Parameter
parameterOf text = case T.breakOn "=" (T.pack text) of
  (name, rest)
    | T.null name || T.null rest || any T.null values || T.any (`elem` ("{}" :: String)) name ->
        Left ("expected NAME=VALUE,VALUE.., got " <> text)
    | Just value <- twice values ->
        Left (concat [T.unpack name, " has the value ", T.unpack value, " twice"])
    | otherwise -> Right Parameter {name, values}
    where
      values = T.splitOn "," (T.drop 1 rest)
  where
    twice = \case
      [] -> Nothing
      value : more
        | value `elem` more -> Just value
        | otherwise -> twice more
