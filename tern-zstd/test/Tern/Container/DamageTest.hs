{-# LANGUAGE OverloadedStrings #-}

-- | Whatever happens to a container's file, every block that is whole comes back.
--
-- The idea: "Tern.Testkit.Damage" says what is whole afterwards, and the elements of a
-- block that is whole have to come back, each once and under its own number, with
-- nothing that was never written beside them. All readers are held to it: one that
-- reads chunks, one with several threads, parts of a file, and recovery.
--
-- @TERN_DAMAGE=500@ tries 500 variants of each kind of damage; else 12 are tried.
module Tern.Container.DamageTest (tests) where

import Control.Monad (forM_, unless, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.IORef (atomicModifyIORef', newIORef)
import Data.List (sort)
import Data.List qualified as List
import Data.Map.Strict qualified as Map
import Data.Maybe (isNothing, mapMaybe)
import Data.Text qualified as T
import System.Environment (lookupEnv)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Container
import Tern.Container.DamageExample (Example (..), exampleMark, exampleOf)
import Tern.Internal.Container.Format (newHeader)
import Tern.Internal.Native.Layout qualified as Layout
import Tern.Internal.Native.Read qualified as Read
import Tern.Shape (Shape (Text))
import Tern.Testkit.Damage
  ( Target (..),
    fileBytes,
    kinds,
    oneOf,
    rolled,
    severalOf,
    twice,
    wholeBlocks,
  )
import Test.Tasty
import Test.Tasty.HUnit
import Text.Read (readMaybe)

-- | Blocks as they are, and blocks compressed in the way that is given.
tests :: Compression -> TestTree
tests compression =
  testGroup "containers, damaged" $
    [ testCase (kind <> ", " <> way) $ do
        variants <- maybe 12 (max 1) . (>>= readMaybe) <$> lookupEnv "TERN_DAMAGE"
        forM_ [1 .. variants] $ \seed -> do
          example <- exampleOf chosen seed
          check chosen example seed (rolled (seed * 977) (damage (target example)))
      | (way, chosen) <- [("as they are", Nothing), ("by Zstandard", Just compression)],
        (kind, damage) <-
          kinds
            <> [ (a <> ", and " <> b, twice one other)
                 | (a, one) <- known,
                   (b, other) <- take 1 (drop (length a) (cycle known)),
                   a /= b
               ]
    ]
  where
    -- A header that is another's says which file it is, where that file's blocks are.
    known = filter ((/= "a piece of another file's header before it") . fst) kinds

-- * What is expected

-- | Elements by their numbers, and those of blocks that are whole.
check :: Maybe Compression -> Example -> Int -> ByteString -> Assertion
check compression (Example t inside others) seed bad = unless strange $ do
  let every = Map.fromList (concat numbered)
      wanted = Map.fromList (concat [es | (es, True) <- zip numbered whole])
      ends = or (take 1 (reverse whole))
      say what = "variant " <> show seed <> ", " <> show (B.length bad) <> " bytes, " <> what
      right what found = do
        let pairs = [(n + i, a) | Elements n as <- found, (i, a) <- zip [0 ..] as]
            got = Map.fromList pairs
            wrong = [n | (n, a) <- pairs, Map.lookup n every /= Just a]
            away = Map.keys (Map.difference wanted got)
        unless (null wrong) $ assertFailure (say (what <> ": wrong values " <> show (take 5 wrong)))
        unless (Map.size got == length pairs) $ assertFailure (say (what <> ": values twice"))
        unless (null away) $
          assertFailure
            ( say
                ( what
                    <> ": "
                    <> show (length away)
                    <> " of "
                    <> show (Map.size wanted)
                    <> " lost that are whole: "
                    <> show (take 5 away)
                )
            )
        pure (pairs, got)
      decoder =
        containerDecoderWith
          defaultSettings {understood = maybe [] pure compression}
          Text
          Layout.String
          Read.text
  -- All at once.
  let found = decodeContainer decoder (BL.fromStrict bad)
      faults = [f | Damaged f <- found]
      losses = [l | Lost l <- found]
      missing got = Map.size every - Map.size got
  (pairs, got) <- right "whole" found
  unless (map fst pairs == sort (map fst pairs)) $ assertFailure (say "not in order")
  when (bad == fileBytes t && not (null faults && null losses)) $
    assertFailure (say ("nothing is wrong: " <> show faults))
  when (bad /= fileBytes t && null faults) $ assertFailure (say "something is wrong")
  let told = sum (mapMaybe lossElements losses)
  when (told > missing got) $
    assertFailure (say ("more lost than there is: " <> show (told, missing got)))
  when (ends && told /= missing got) $
    assertFailure (say ("lost " <> show (missing got) <> ", told of " <> show told))
  when
    ( told < missing got
        && null [() | Fault _ _ _ d <- faults, d `elem` [Unended, CutOff]]
        && not (any (isNothing . lossElements) losses)
    )
    $ assertFailure (say "lost, and nothing said of it")
  -- In chunks, and by threads.
  let chunks n bytes = if B.null bytes then [] else B.take n bytes : chunks n (B.drop n bytes)
  forM_ [1 + seed `mod` 97, 4096] $ \n ->
    when (decodeContainer decoder (BL.fromChunks (chunks n bad)) /= found) $
      assertFailure (say ("otherwise in chunks of " <> show n))
  let sourceOf = do
        left <- newIORef (chunks 1000 bad)
        pure (atomicModifyIORef' left (\case [] -> ([], B.empty); c : later -> (later, c)))
  parallel <- sourceOf >>= \source -> foldParallel 3 (\s f -> pure (f : s)) [] source decoder
  when (reverse parallel /= found) $ assertFailure (say "otherwise by threads")
  reduced <- sourceOf >>= \source -> reduceParallel 2 id (\s fs -> pure (fs : s)) [] source decoder
  when (concat (reverse reduced) /= found) $ assertFailure (say "otherwise where threads reduce")
  -- With little kept back, or nothing, more is lost, but nothing is wrong.
  let little = rolled seed (oneOf [0, 0, 100, 700, 3000])
      hasty =
        containerDecoderWith
          defaultSettings
            { understood =
                maybe [] pure compression,
              readBounds = defaultBounds {maxHeld = little}
            }
          Text
          Layout.String
          Read.text
      hastily =
        [ (n + i, a)
          | Elements n as <- decodeContainer hasty (BL.fromStrict bad),
            (i, a) <- zip [0 ..] as
        ]
  unless (and [Map.lookup n every == Just a | (n, a) <- hastily]) $
    assertFailure (say ("wrong values with " <> show little <> " bytes kept back"))
  unless (and (zipWith (<) (map fst hastily) (drop 1 (map fst hastily)))) $
    assertFailure (say ("not in order, or twice, with " <> show little <> " bytes kept back"))
  -- In parts.
  let header = newHeader (exampleMark seed) Text
      borders = 0 : sort (rolled seed (severalOf 3 [0 .. B.length bad])) <> [B.length bad]
      part (from, to) =
        decodeContainer
          ( partDecoderWith
              defaultSettings {understood = maybe [] pure compression}
              header
              (from, to)
              Text
              Layout.String
              Read.text
          )
          (BL.fromStrict (B.drop from bad))
      parts =
        [ (n + i, a)
          | border <- zip borders (drop 1 borders),
            Elements n as <- part border,
            (i, a) <- zip [0 ..] as
        ]
      home =
        concat
          [ es
            | (es, block, True) <- zip3 numbered (blocks t) whole,
              let at = placeOf block,
              B.take (B.length block) (B.drop at bad) == block
          ]
  unless (and [Map.lookup n every == Just a | (n, a) <- parts]) $
    assertFailure (say "wrong values in parts")
  unless (all (`elem` parts) home) $
    assertFailure
      ( say
          ( "blocks that stand where they belong are not in the parts "
              <> show borders
          )
      )
  when (bad == fileBytes t && parts /= pairs) $ assertFailure (say "the parts are not the whole")
  -- Recovered.
  recovered <- withSystemTempDirectory "damage" $ \folder -> do
    B.writeFile (folder </> "bad") bad
    outcome <- recoverContainerFile defaultBounds (Just Text) (folder </> "bad") (folder </> "good")
    case outcome of
      Left fault -> pure (Left fault)
      Right r -> Right . (,) r . BL.fromStrict <$> B.readFile (folder </> "good")
  case recovered of
    -- Another file's header.
    Left fault -> assertFailure (say ("not recovered: " <> T.unpack (renderFault fault)))
    Right (r, good) -> do
      let again = decodeContainer decoder good
      unless
        ( null [() | Damaged _ <- again]
            && [a | Elements _ as <- again, a <- as] == map snd (Map.toAscList got)
        )
        $ assertFailure (say "recovered something else")
      unless
        ( recoveredElements r == Map.size got
            && sum (mapMaybe lossElements (recoveredLosses r)) == told
        )
        $ assertFailure (say ("recovery says something else: " <> show r))
  where
    numbered = snd (List.mapAccumL (\n es -> (n + length es, zip [n ..] es)) 0 inside)
    whole = wholeBlocks t bad
    -- Where there is no header, and more of another file than of this one, that may be found.
    strange = not (start t `B.isInfixOf` bad) && heavy (strangers' t) >= heavy t
    strangers' other = other {blocks = others}
    heavy file = sum [B.length block | (block, True) <- zip (blocks file) (wholeBlocks file bad)]
    placeOf block =
      sum
        [ fromIntegral b * 256 ^ i
          | (i, b) <-
              zip [0 :: Int ..] (B.unpack (B.take 8 (B.drop 48 block)))
        ]
