{-# LANGUAGE OverloadedStrings #-}

-- | Whatever a writer that was killed has left at the end of its file, whoever goes on takes
-- away nothing that is whole.
--
-- The idea: the blocks that stand whole and in their place from the start on are those that
-- stay, by their bytes; if whole blocks follow on something else, the file is refused and
-- stays as it was.
module Tern.Container.ResumeTest (tests) where

import Control.Monad (forM_, unless)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word8)
import System.Directory (doesFileExist)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Container
import Tern.Container.DamageExample (Example (..), exampleOf)
import Tern.Testkit.Damage (Dice, Target (..), noise, oneOf, rolled, upTo)
import Test.Tasty
import Test.Tasty.HUnit

-- | Blocks as they are, and blocks compressed in the way that is given.
tests :: Compression -> TestTree
tests compression =
  testGroup
    "files that writers left"
    $ [ testCase (name <> ", " <> way) $
          forM_ [1 .. 30] $ \seed -> do
            example <- exampleOf chosen seed
            let (kept, left) = rolled (seed * 31) (damage (start (target example)) (bodies example))
            check chosen example seed kept left
        | (way, chosen) <- [("as they are", Nothing), ("by Zstandard", Just compression)],
          (name, damage) <- tails
      ]
      <> [ testCase "a block that is too long to be read is not taken away" $ do
             example <- exampleOf Nothing 3
             let left = B.concat (start (target example) : bodies example)
             let final = sum (take 1 (reverse (map B.length (bodies example))))
             forM_ [1, final `div` 2, final - 65] $ \most ->
               resumed defaultBounds {maxBlock = most} Nothing left >>= \case
                 (Left (BadBlock (Fault _ _ _ (BlockTooLong _ allowed))), there) -> do
                   allowed @?= most
                   there @?= Just left
                 (other, _) -> assertFailure (show most <> " bytes are allowed: " <> show other)
         ]
  where
    bodies = init' . blocks . target
    -- Without the end, which is not written before all is.
    init' list = take (length list - 1) list

-- | How many of the blocks stay, or none where whole blocks follow on what is damaged; and the file
-- that is left.
type Left' = (Maybe Int, ByteString)

tails :: [(String, ByteString -> [ByteString] -> Dice Left')]
tails =
  [ ("nothing is missing", \begun list -> pure (Just (length list), B.concat (begun : list))),
    ("cut off", torn (const (pure B.empty))),
    ("cut off, and zeros", torn (const (flip B.replicate 0 <$> upTo 5000))),
    ("cut off, and noise", torn (const (upTo 300 >>= noise))),
    ( "cut off, and heads of other blocks",
      torn (\some -> if null some then pure B.empty else B.take 64 <$> oneOf some)
    ),
    ( "the last block's bytes did not come",
      \begun list -> do
        let (early, late) = splitAt (length list - 1) list
        more <- upTo 200
        pure
          ( Just (length early),
            B.concat (begun : early <> map (filled 0) late <> [B.replicate more 0])
          )
    ),
    ( "the bytes of several did not come, although their heads did",
      \begun list -> do
        n <- upTo (length list)
        let (early, late) = splitAt n list
        pure
          ( Just n,
            B.concat (begun : early <> map (filled 0xff) late <> ["\0"])
          )
    ),
    ( "a block in the middle is damaged",
      \begun list -> do
        n <- upTo (length list - 1)
        k <- oneOf [0, 8, 12, 63]
        let (early, late) = splitAt n list
            (bad, others) = splitAt 1 late
            flipped b = B.take k b <> B.map (255 -) (B.take 1 (B.drop k b)) <> B.drop (k + 1) b
        pure
          ( if null others then Just n else Nothing,
            B.concat (begun : early <> map flipped bad <> others)
          )
    )
  ]

-- | A head, and other bytes than it says.
filled :: Word8 -> ByteString -> ByteString
filled byte b = B.take 64 b <> B.replicate (B.length b - 64) byte

-- | Cut off within a block, and what stands there instead.
torn :: ([ByteString] -> Dice ByteString) -> ByteString -> [ByteString] -> Dice Left'
torn instead begun list = do
  n <- upTo (length list - 1)
  let (early, late) = splitAt n list
      next = B.concat (take 1 late)
  at <- upTo (B.length next - 1)
  more <- instead list
  -- What stands there may be just what is missing.
  let cut = B.take at next <> more
      stays = if next `B.isPrefixOf` cut then n + 1 else n
  pure (Just stays, B.concat (begun : early <> [cut]))

check :: Maybe Compression -> Example -> Int -> Maybe Int -> ByteString -> Assertion
check compression example seed kept left =
  resumed defaultBounds compression left >>= \(outcome, there) -> case (outcome, kept) of
    (Right (loss, n), Just many) -> do
      let old = concat (take many (contents example))
          whole = B.length (B.concat (start (target example) : take many (blocks (target example))))
      n @?= length old
      -- Its end was not there, if nothing else.
      fmap lossFrom loss @?= Just whole
      let found = decodeContainer (decoder compression) (maybe BL.empty BL.fromStrict there)
      [f | Damaged f <- found] @?= []
      concat [texts | Elements _ texts <- found] @?= old <> new
    (Left (BadBlock _), Nothing) -> there @?= Just left
    _ -> assertFailure ("variant " <> show seed <> ", " <> show kept <> ": " <> show outcome)

decoder :: Maybe Compression -> Decoder Text
decoder compression = containerDecoder defaultSettings {understood = maybe [] pure compression}

new :: [Text]
new = ["gull", T.replicate 300 "auk ", "tern"]

-- | Go on with what is left, and put a few more: what was taken away and how many there
-- were, or why not; and the file, under its name or under the temporary one.
resumed ::
  Bounds ->
  Maybe Compression ->
  ByteString ->
  IO (Either Refusal (Maybe Loss, Int), Maybe ByteString)
resumed bounds compression left = withSystemTempDirectory "resume" $ \folder -> do
  let path = folder </> "birds.tern"
  B.writeFile (path <> ".part") left
  outcome <-
    resumeDurably whenFull defaultBlocks {compressed = compression} bounds path $ \sink ->
      already sink <$ mapM_ (put sink) new
  done <- doesFileExist path
  unfinished <- doesFileExist (path <> ".part")
  unless (done /= unfinished) $ assertFailure "neither name, or both"
  there <- B.readFile (if done then path else path <> ".part")
  unless (either (const unfinished) (const done) outcome) $ assertFailure "the other name"
  pure (outcome, Just there)
