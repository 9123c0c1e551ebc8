{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | What it costs that a document was written by another version of a type.
--
-- The idea: 10,000 records are read by one reader: from its own bytes, and from those
-- of older versions, each of which lacks one thing or has it elsewhere.
module Tern.Bench.Evolution
  ( evolutions,

    -- * Versions
    Now (..),
    Renamed (..),
    Lacking (..),
    Fewer (..),
    Narrow (..),
  )
where

import Control.DeepSeq (NFData (..))
import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word16)
import Tern
import Tern.Bench.Case (Case (..), Role (..), decoder)
import Tern.Evolution (Evolution, decoderFor, evolving, fieldAlias, typeAlias)
import Tern.Wire (shapeOf)

-- | The record of "Tern.Bench.Mixed".
data Now = Now
  { count ::
      !Int,
    name :: !Text,
    active :: !Bool,
    ratio :: !Double,
    limit :: !(Maybe Int)
  }
  deriving stock (Eq)

instance NFData Now where
  rnf Now {} = ()

-- | Under another name, its fields too.
data Renamed = Renamed
  { number ::
      !Int,
    called :: !Text,
    active' :: !Bool,
    share :: !Double,
    most :: !(Maybe Int)
  }

-- | Before there was a limit, and when all was counted that did not have to be.
data Lacking = Lacking
  { lackingCount ::
      !Int,
    lackingName :: !Text,
    lackingRatio :: !Double,
    lackingActive :: !Bool
  }

data Fewer = Fewer
  { fewerCount ::
      !Int,
    fewerName :: !Text,
    fewerActive :: !Bool,
    fewerRatio :: !Double
  }

data Narrow = Narrow
  { narrowCount ::
      !Word16,
    narrowName :: !Text,
    narrowActive :: !Bool,
    narrowRatio :: !Float,
    narrowLimit :: !(Maybe Word16)
  }

fmap concat . sequence $
  [deriveWire defaultOptions one | one <- [''Now, ''Renamed, ''Lacking, ''Fewer, ''Narrow]]

changes :: Evolution
changes =
  evolving @Now
    [ typeAlias ["Renamed", "Lacking", "Fewer", "Narrow"],
      fieldAlias "count" ["number", "lackingCount", "fewerCount", "narrowCount"],
      fieldAlias "name" ["called", "lackingName", "fewerName", "narrowName"],
      fieldAlias "active" ["active'", "lackingActive", "fewerActive", "narrowActive"],
      fieldAlias "ratio" ["share", "lackingRatio", "fewerRatio", "narrowRatio"],
      fieldAlias "limit" ["most", "narrowLimit"]
    ]

evolutions :: [Case]
evolutions =
  [ Case
      "evolution: 10,000 mixed records"
      "-"
      [ reading "its own" decodeNative (map now [1 .. 10000]) (map now [1 .. 10000]),
        reading
          "renamed"
          (through @Renamed)
          ( map
              (\n -> let Now a b c d e = now n in Renamed a b c d e)
              [1 .. 10000]
          )
          (map now [1 .. 10000]),
        reading
          "a field added"
          (through @Fewer)
          ( map
              (\n -> let Now a b c d _ = now n in Fewer a b c d)
              [1 .. 10000]
          )
          (map (without . now) [1 .. 10000]),
        reading
          "a field added, two in another order"
          (through @Lacking)
          ( map
              (\n -> let Now a b c d _ = now n in Lacking a b d c)
              [1 .. 10000]
          )
          (map (without . now) [1 .. 10000]),
        reading
          "all numbers widened"
          (through @Narrow)
          ( map
              ( \n ->
                  let Now a b c d e =
                        now n
                   in Narrow (fromIntegral a) b c (realToFrac d) (fmap fromIntegral e)
              )
              [1 .. 10000]
          )
          (map now [1 .. 10000])
      ]
  ]
  where
    now :: Int -> Now
    now n =
      Now
        { count = n,
          name = T.append "Sterna paradisaea " (T.pack (show n)),
          active = even n,
          ratio = fromIntegral n * 0.125,
          limit =
            if n `rem` 3 == 0
              then Nothing
              else Just (n `rem` 400)
        }
    without one = one {limit = Nothing}
    reading who decode values =
      decoder
        who
        Own
        (foldr (seq . rnf) ())
        (either (const Nothing) Just . decode)
        (encodeNative values)
    through :: forall a. (Wire a) => ByteString -> Either Error [Now]
    through =
      either
        (\_ _ -> Left (Error 0 [] (Refused "no plan")))
        (\decode -> decode defaultLimits)
        (decoderFor changes (shapeOf @[a]))
