{-# LANGUAGE OverloadedStrings #-}

-- | A guest that does what a test says: a module that exports a function of its own for each
-- function of WASI, which calls it, and a memory.
--
-- The idea: a test is the program. It writes what a function takes into the guest's
-- memory, lets the guest's code call the function, and looks at the number that comes
-- back. Start at 'program' and 'call'.
module Tern.Wasm.Program
  ( Program (..),
    program,
    programOf,
    call,
    stops,
    expect,

    -- * Memory
    path,
    other,
    room,
    poke,
    word32,
    word64,
    peekBytes,
    peek32,
    peek64,

    -- * What a guest does often
    open,
    openWith,
    allRights,
    contents,
  )
where

import Data.Bits (shiftL, shiftR, (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word32, Word64)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Wasi (WasiState, wasiImports, wasiMemory)
import Test.Tasty.HUnit

data Program = Program
  { programStore :: Store,
    programInstance :: Instance,
    programMemory :: Memory,
    programEdition :: Text
  }

-- | A guest of the first preview with sixteen pages of memory.
program :: WasiState -> IO Program
program = programOf "wasi_snapshot_preview1" Auto ""

-- | A guest of an edition and a tier with more fields in its module.
programOf :: Text -> Tier -> Text -> WasiState -> IO Program
programOf edition tier more st = do
  store <- newStore defaultSettings
  imports <- wasiImports store st
  let functions =
        [(f, funcSignature g) | ((m, f), ExternFunc g) <- Map.toList imports, m == edition]
      source =
        T.concat
          [ "(module",
            T.concat (map (imported edition) functions),
            " (memory (export \"memory\") 16)",
            T.concat (map calling functions),
            more,
            ")"
          ]
  bytes <- orFail (binaryOf (encodeUtf8 source))
  m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
  i <- instantiate store m imports >>= orFail
  wasiMemory st i
  case exportNamed i "memory" of
    Just (ExternMemory memory) -> pure (Program store i memory edition)
    _ -> assertFailure "no memory"

-- | The import of a function, and what the guest exports under its name: code that calls it.
imported :: Text -> (Text, FuncType) -> Text
imported edition (f, t) =
  T.concat [" (import \"", edition, "\" \"", f, "\" (func $", f, signature t, "))"]

calling :: (Text, FuncType) -> Text
calling (f, t) =
  T.concat [" (func (export \"", f, "\")", signature t, arguments, " (call $", f, "))"]
  where
    arguments =
      T.concat [T.pack (" (local.get " <> show k <> ")") | k <- [0 .. length (funcParams t) - 1]]

signature :: FuncType -> Text
signature t =
  T.concat [" (param", types (funcParams t), ") (result", types (funcResults t), ")"]
  where
    types = T.concat . map (\k -> if k == I64 then " i64" else " i32")

-- | Call a function of WASI: the number of its error, 0 for none.
call :: Program -> Text -> [Value] -> IO Word32
call g f args =
  invoke (programInstance g) f args >>= \case
    Right [I32Value n] -> pure n
    Right _ -> assertFailure (T.unpack f <> ": no number came back")
    Left e -> assertFailure (T.unpack f <> ": " <> T.unpack (renderError e))

-- | Call an export that is expected to be stopped.
stops :: Program -> Text -> [Value] -> IO Error
stops g f args =
  invoke (programInstance g) f args
    >>= either pure (const (assertFailure (T.unpack f <> " returned")))

-- | Call, and compare the error's number.
expect :: Program -> Word32 -> Text -> [Value] -> Assertion
expect g n f args = do
  found <- call g f args
  assertEqual (T.unpack f) n found

-- * Memory

-- | Write a path to a place for one; its address and length as arguments.
path, other :: Program -> ByteString -> IO [Value]
path g = placed g 4096
other g = placed g 20480

placed :: Program -> Word32 -> ByteString -> IO [Value]
placed g at bytes = [I32Value at, I32Value (fromIntegral (B.length bytes))] <$ poke g at bytes

-- | An address where results and buffers may go.
room :: Word32
room = 65536

poke :: Program -> Word32 -> ByteString -> IO ()
poke g at bytes = do
  written <- writeMemory (programMemory g) (fromIntegral at) bytes
  if written then pure () else assertFailure "no room in the guest's memory"

-- | Bytes of a number, the lowest first.
word32 :: Word32 -> ByteString
word32 = B.take 4 . word64 . fromIntegral

word64 :: Word64 -> ByteString
word64 n = B.pack [fromIntegral (n `shiftR` (8 * k)) | k <- [0 .. 7]]

peekBytes :: Program -> Word32 -> Int -> IO ByteString
peekBytes g at n =
  readMemory (programMemory g) (fromIntegral at) n
    >>= maybe (assertFailure "outside of the guest's memory") pure

peek32 :: Program -> Word32 -> IO Word32
peek32 g at = fromIntegral . number <$> peekBytes g at 4

peek64 :: Program -> Word32 -> IO Word64
peek64 g at = number <$> peekBytes g at 8

number :: ByteString -> Word64
number = B.foldr (\b n -> n `shiftL` 8 .|. fromIntegral b) 0

-- * What a guest does often

-- | Open a path below a descriptor to read and write, following no link: the error's
-- number or the new descriptor.
open :: Program -> Word32 -> ByteString -> IO (Either Word32 Word32)
open g fd name = openWith g fd name 0 0 allRights

-- | The same with lookup flags, open flags and rights.
openWith ::
  Program -> Word32 -> ByteString -> Word32 -> Word32 -> Word64 -> IO (Either Word32 Word32)
openWith g fd name look how rights = do
  p <- path g name
  n <-
    call
      g
      "path_open"
      ( [I32Value fd, I32Value look]
          <> p
          <> [I32Value how, I64Value rights, I64Value allRights, I32Value 0, I32Value room]
      )
  if n == 0 then Right <$> peek32 g room else pure (Left n)

allRights :: Word64
allRights = 0x1FFFFFFF

-- | What can be read from a descriptor, 4,096 bytes at most.
contents :: Program -> Word32 -> IO (Either Word32 ByteString)
contents g fd = do
  poke g room (word32 (room + 64) <> word32 4096)
  n <- call g "fd_read" [I32Value fd, I32Value room, I32Value 1, I32Value (room + 8)]
  if n /= 0
    then pure (Left n)
    else peek32 g (room + 8) >>= fmap Right . peekBytes g (room + 64) . fromIntegral
