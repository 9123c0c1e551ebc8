{-# LANGUAGE OverloadedStrings #-}

-- | What is wrong with a container, where, and what of it is lost.
module Tern.Internal.Container.Fault
  ( -- * Faults
    Fault (..),
    Damage (..),
    renderFault,

    -- * Losses
    Loss (..),
    renderLoss,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word64, Word8)
import Numeric (showHex)
import Tern.Error (Error (..), renderPath, renderReason)
import Tern.Internal.Error.Words (number)
import Tern.Internal.Evolution.Mismatch (Mismatch, renderMismatches)

-- $setup
-- >>> import Data.Text qualified as T
-- >>> import Tern.Error

-- * Faults

-- | Something that is not as it should be.
data Fault = Fault
  { -- | How many elements come before it, lost ones too.
    faultIndex :: !Int,
    -- | How many blocks come before it, lost ones too.
    faultBlock :: !Int,
    -- | Where in the file it is: in bytes from the start. Of an element that does not
    -- decode, where its block's contents begin.
    faultOffset :: !Int,
    faultDamage :: !Damage
  }
  deriving stock (Eq, Show)

-- | What is wrong with a part of a container.
data Damage
  = -- | The file does not begin as containers do.
    NoContainer
  | -- | A container of another version.
    WrongVersion !Word8
  | -- | The header's checksum, or its schema's.
    HeaderDamaged
  | -- | The bytes of a schema, and how many are allowed.
    SchemaTooLong !Int !Int
  | -- | The fingerprint of the writer's schema, that of the reader's, and why the one
    -- is not read as the other, where that was asked for.
    OtherSchema !Word64 !Word64 [Mismatch]
  | -- | No head of a block, where there should be one.
    HeadDamaged
  | -- | A head that belongs to another place: bytes or blocks are missing or too
    -- many.
    BlockMisplaced
  | -- | The bytes of a block, as it is or decompressed, and how many are allowed.
    BlockTooLong !Int !Int
  | -- | The checksum of a block's bytes.
    BodyDamaged
  | -- | A compression that the reader was not given, by its code.
    UnknownCompression !Word8
  | -- | What is compressed is not what the head says.
    CompressionDamaged
  | -- | An element that does not decode. The offset counts in the block's contents,
    -- as they are decompressed; the path from the element.
    Undecodable !Error
  | -- | A block has more bytes than its elements take: how many more.
    ElementsTooShort !Int
  | -- | The file ends in the middle of a header, a head or a block.
    CutOff
  | -- | The file ends without the mark of its end. All elements that were written
    -- before are there, and there may have been more.
    Unended
  | -- | More follows after the end.
    BytesAfterEnd
  deriving stock (Eq, Show)

-- | The fault in one line.
--
-- >>> putStrLn (T.unpack (renderFault (Fault 120 3 65800 BodyDamaged)))
-- element 120, block 3, byte 65800: the block's checksum does not fit its bytes
renderFault :: Fault -> Text
renderFault (Fault index block offset damage) =
  T.concat
    [ "element ",
      number index,
      ", block ",
      number block,
      ", byte ",
      number offset,
      ": ",
      renderDamage damage
    ]

renderDamage :: Damage -> Text
renderDamage = \case
  NoContainer -> "this is no container of Tern's"
  WrongVersion n ->
    T.concat
      [ "a container of version ",
        number (fromIntegral n),
        ", expected 1; read it with a newer Tern"
      ]
  HeaderDamaged -> "the header is damaged"
  SchemaTooLong n most ->
    T.concat ["a schema of ", number n, " bytes, at most ", number most, " are allowed"]
  OtherSchema theirs ours why ->
    T.concat
      ( ["the file was written with schema ", hex theirs, ", expected ", hex ours]
          <> [": " <> renderMismatches why | not (null why)]
      )
  HeadDamaged -> "expected the head of a block"
  BlockMisplaced -> "the block belongs to another place; bytes or blocks are missing"
  BlockTooLong n most ->
    T.concat ["a block of ", number n, " bytes, at most ", number most, " are allowed"]
  BodyDamaged -> "the block's checksum does not fit its bytes"
  UnknownCompression code ->
    T.concat ["compressed by way ", number (fromIntegral code), ", which the reader was not given"]
  CompressionDamaged -> "the block does not decompress to what its head says"
  Undecodable (Error offset path reason) ->
    T.concat
      [ "at ",
        renderPath path,
        ", byte ",
        number offset,
        " of the contents: ",
        renderReason reason
      ]
  ElementsTooShort n -> T.concat [number n, " bytes are left after the block's last element"]
  CutOff -> "the file ends in the middle; it was cut off"
  Unended -> "the file ends without its end; it was cut off or not finished"
  BytesAfterEnd -> "more follows after the end"
  where
    hex w = T.pack (drop 1 (showHex (toInteger w + 0x10000000000000000) ""))

-- * Losses

-- | What was passed over without being read.
data Loss = Loss
  { -- | From this byte of the file on.
    lossFrom :: !Int,
    -- | Up to this one, which is not among them.
    lossTo :: !Int,
    -- | How many whole blocks, where that is known.
    lossBlocks :: !(Maybe Int),
    -- | How many elements, where that is known.
    lossElements :: !(Maybe Int)
  }
  deriving stock (Eq, Show)

-- | The loss in one line.
--
-- >>> putStrLn (T.unpack (renderLoss (Loss 65736 131000 (Just 1) (Just 700))))
-- lost: bytes 65736 to 131000, 1 block, 700 elements
renderLoss :: Loss -> Text
renderLoss (Loss from to blocks elements) =
  T.concat
    [ "lost: bytes ",
      number from,
      " to ",
      number to,
      ", ",
      counted "block" blocks,
      ", ",
      counted "element" elements
    ]
  where
    counted word = \case
      Just 1 -> T.unwords ["1", word]
      Just n -> T.unwords [number n, word <> "s"]
      Nothing -> T.concat ["an unknown number of ", word, "s"]
