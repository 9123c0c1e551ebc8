{-# LANGUAGE OverloadedStrings #-}

-- | Loading a stranger's module and making an instance of it: both end with the time of the
-- store that they are for, and hold no more than they must.
--
-- The idea: no clock is asked. What allocates is compared with what it allocates when it has
-- all the time that it takes; what does not allocate would take longer than a test may.
-- What is held meanwhile is seen by what the collector copies.
module Tern.Wasm.LoadTest
  ( tests,
  )
where

import Control.Exception (evaluate)
import Control.Monad (forM, forM_, void)
import Data.Bits (testBit)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder qualified as BB
import Data.ByteString.Lazy qualified as BL
import Data.Either (fromLeft, isRight)
import Data.Text qualified as T
import GHC.Stats (RTSStats (..), getRTSStats)
import System.Mem (getAllocationCounter, performMajorGC)
import System.Timeout (timeout)
import Tern.Wasm
import Tern.Wasm.Store (typeCount, typeOfNumber)
import Tern.Wasm.Type (CompType (..), FieldType (..), SubType (..))
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "loading"
    [ testGroup
        "a module is loaded within the time of its store"
        [ testCase name $ do
            _ <- evaluate bytes
            (all_, whole) <- allocated (load' bytes)
            void (orFail all_)
            store <- newStore defaultSettings
            setDeadline store (Just 0.005)
            (r, some) <- allocated (inTime store (load' bytes))
            late r
            assertBool (show (some, whole)) (some < whole `div` 2)
          | (name, bytes) <- long
        ],
      testCase "also where nothing is allocated" $ do
        store <- newStore defaultSettings
        setDeadline store (Just 0.005)
        -- It would take a quarter of a minute.
        timeout 10000000 (inTime store (load rows))
          >>= maybe (assertFailure "not stopped") late,
      testCase "without a deadline a module has all the time that it takes" $ do
        store <- newStore defaultSettings
        setDeadline store (Just 0)
        inTime store (load' small) >>= late
        setDeadline store Nothing
        inTime store (load' small) >>= void . orFail,
      testCase "an instance is made within the time of its store" $ do
        m <- load globals >>= orFail
        store <- newStore roomy
        (_, whole) <- allocated (instantiate store m noImports >>= orFail)
        setDeadline store (Just 0.002)
        (r, some) <- allocated (instantiate store m noImports)
        late r
        assertBool (show (some, whole)) (some < whole `div` 2)
        -- The store is as good as before.
        setDeadline store Nothing
        ok <- load small >>= orFail >>= \s -> instantiate store s noImports >>= orFail
        invoke ok "f" [] >>= orFail >>= (@?= []),
      testCase "types that nobody had the time to number are left to nobody" $ do
        m <- load (different 50000) >>= orFail
        let made = newStore roomy >>= \store -> (store,) <$> madeFrom store testing
            madeFrom store source = do
              s <- loadText source >>= orFail
              instantiate store s noImports >>= orFail
            -- It asks the store what types there are.
            asked i = snd <$> allocated (invoke i "f" [I32Value 10] >>= orFail)
        (whole, most) <- do
          (store, i) <- made
          (_, whole) <- allocated (instantiate store m noImports >>= orFail)
          (,) whole <$> asked i
        (store, i) <- made
        before <- typeCount store
        setDeadline store (Just 0.005)
        (r, some) <- allocated (instantiate store m noImports)
        late r
        assertBool (show (some, whole)) (some < whole `div` 2)
        setDeadline store Nothing
        after <- asked i
        assertBool (show (after, most, whole)) (after < 2 * most + 100000)
        typeCount store >>= (@?= before)
        -- And they are numbered when there is time.
        _ <- instantiate store m noImports >>= orFail
        typeCount store >>= (@?= before + 50000),
      testCase "what is known of types leaves nothing to who looks at them" $ do
        -- Each has ten thousand fields, of which a look at the type alone needs none.
        m <- load (binary [(1, vector [struct n | n <- [9001 .. 9020]])]) >>= orFail
        store <- newStore roomy
        _ <- instantiate store m noImports >>= orFail
        n <- typeCount store
        let look = do
              known <- typeOfNumber store
              allocated (evaluate (sum (map (fieldCount . known) [0 .. n - 1])))
        (total, first_) <- look
        total @?= sum [9001 .. 9020]
        (_, second) <- look
        assertBool (show (first_, second)) (first_ < second + 1000000),
      testCase "elements that nobody copied yet leave nothing to who copies one" $ do
        used <- forM [1, 100000] $ \n -> do
          m <- loadText (elements n) >>= orFail
          store <- newStore roomy
          i <- instantiate store m noImports >>= orFail
          _ <- invoke i "nothing" [] >>= orFail
          snd <$> allocated (invoke i "copy" [] >>= orFail)
        -- Their addresses alone are 800,000 bytes.
        assertBool (show used) (maximum used < minimum used + 400000),
      testCase "elements after a segment that does not fit leave nothing to who copies one" $ do
        used <- forM [1, 100000] $ \n -> do
          store <- newStore roomy
          owner <- loadText owning >>= orFail >>= \m -> instantiate store m noImports >>= orFail
          m <- loadText (afterwards n) >>= orFail
          instantiate store m (fromInstance "owner" owner) >>= \case
            Left (Trapped OutOfBoundsTable _) -> pure ()
            Left e -> assertFailure (T.unpack (renderError e))
            Right _ -> assertFailure "it was made"
          _ <- invoke owner "run" [I32Value 0] >>= orFail
          snd <$> allocated (invoke owner "run" [I32Value 1])
        assertBool (show used) (maximum used < minimum used + 400000),
      testCase "a start function does not begin when the time is over" $ do
        store <- newStore defaultSettings
        memory <-
          hostMemory store (MemoryType Address32 (Limits 1 Nothing))
            >>= maybe (assertFailure "no memory") pure
        m <- loadText starting >>= orFail
        setDeadline store (Just 0)
        instantiate store m (importsFrom "host" [("m", ExternMemory memory)]) >>= late
        readMemory memory 0 1 >>= (@?= Just "\0"),
      testGroup
        "what was read is not held"
        [ testCase name $ do
            _ <- evaluate bytes
            performMajorGC
            before <- copied_bytes <$> getRTSStats
            _ <- load' bytes >>= orFail
            after <- copied_bytes <$> getRTSStats
            -- What is held of a million instructions or characters is some 80 megabytes.
            assertBool (show (after - before)) (after - before < 20000000)
          | (name, bytes) <- fleeting
        ],
      testCase "who looks where a trap was holds nothing of the function" $ do
        m <- load trapping >>= orFail
        store <- newStore defaultSettings
        i <- instantiate store m noImports >>= orFail
        performMajorGC
        before <- copied_bytes <$> getRTSStats
        places <- errorTrace . fromLeft TooLarge <$> invoke i "f" []
        map placeOffset places @?= [Just (B.length trapping - 2)]
        after <- copied_bytes <$> getRTSStats
        assertBool (show (after - before)) (after - before < 20000000),
      testCase "where a trap was in very long code nobody looks" $ do
        m <- load trappingLate >>= orFail
        store <- newStore defaultSettings
        i <- instantiate store m noImports >>= orFail
        places <- errorTrace . fromLeft TooLarge <$> invoke i "f" []
        map placeOffset places @?= [Nothing],
      testCase "what a store knows of types is on its account, by their parts" $
        forM_ [(20000000, True), (10000000, False)] $ \(room, fits) -> do
          m <- load fields >>= orFail
          store <- newStore defaultSettings {settingHeap = room}
          first_ <- instantiate store m noImports
          isRight first_ @?= fits
          -- They are known once.
          second <- instantiate store m noImports
          isRight second @?= fits
    ]
  where
    roomy = defaultSettings {settingHeap = 4000000000}
    load' bytes = either (pure . Left) load (binaryOf bytes)
    fieldCount = \case
      Just (SubType _ _ (CompStruct fs)) -> if all ((== Const) . fieldMut) fs then length fs else 0
      _ -> 0

-- | Bytes that this thread allocates meanwhile.
allocated :: IO a -> IO (a, Int)
allocated action = do
  before <- getAllocationCounter
  r <- action
  after <- getAllocationCounter
  pure (r, fromIntegral (before - after))

late :: Either Error a -> Assertion
late = \case
  Left (Exhausted TimeExhausted _) -> pure ()
  Left e -> assertFailure (T.unpack (renderError e))
  Right _ -> assertFailure "it was not stopped"

orFail :: Either Error a -> IO a
orFail = either (assertFailure . T.unpack . renderError) evaluate

-- * Modules

-- | Modules that take some tenths of a second to load, each for another reason.
long :: [(String, ByteString)]
long =
  [ ("text", text (times 100000 "(drop (i32.const 0))")),
    ("many functions of a text", text (times 100000 ") (func")),
    ("code that is looked at in full", module_ [] 1 (times 1000000 "\xD0\x70\x1A")),
    ("types", module_ (replicate 100000 (struct 3)) 1 ""),
    ("a constant", globalOf (times 1000000 "\x41\x01\x6A")),
    ("globals", globals)
  ]

-- | Modules of which little is left when they are loaded, each long in one thing.
fleeting :: [(String, ByteString)]
fleeting =
  [ ("code", module_ [] 1 (times 1000000 "\xD0\x70\x1A")),
    ("a constant", globalOf (times 1000000 "\x41\x01\x6A")),
    ("a string", "(module (data \"" <> B.replicate 1000000 0x61 <> "\"))"),
    ("a string of escapes", "(module (data \"" <> times 1000000 "\\00" <> "\"))")
  ]

small, globals, trapping, trappingLate, fields, starting, testing, rows :: ByteString
small = module_ [] 1 ""
globals =
  binary
    [ (1, vector [function "" ""]),
      (3, vector ["\0"]),
      (6, vector (replicate 100000 "\x7F\0\x41\0\x0B")),
      (7, vector [exportF]),
      (10, vector [sized "\0\x0B"])
    ]
trapping = module_ [] 1 (times 1000000 "\x41\x00\x1A" <> "\0")
trappingLate = module_ [] 1 (times 2000000 "\x41\x00\x1A" <> "\0")
fields = module_ [struct n | n <- [9001 .. 9010]] 1 ""
starting =
  "(module (import \"host\" \"m\" (memory 1)) \
  \(func $s (i32.store8 (i32.const 0) (i32.const 1))) (start $s))"
testing =
  "(module (type $s (struct)) (func (export \"f\") (param i32) (local $r structref) \
  \(local.set $r (struct.new $s)) (loop $l (drop (ref.test (ref $s) (local.get $r))) \
  \(br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))))"
-- A million blocks that take and leave a thousand values each.
rows =
  module_
    [function (B.replicate 1000 0x7F) (B.replicate 1000 0x7F)]
    1
    (times 1000 "\x41\0" <> times 3000000 "\x02\x01\x0B" <> times 1000 "\x1A")

-- | A module with a number of elements, of which one is copied.
elements :: Int -> ByteString
elements n =
  "(module (table $t 1 funcref) (func $x) (elem $e func "
    <> times n "$x "
    <> ") (func (export \"nothing\")) (func (export \"copy\") \
       \(table.init $t $e (i32.const 0) (i32.const 0) (i32.const 1))))"

-- | A table, and a function that calls its elements.
owning :: ByteString
owning =
  "(module (table (export \"t\") 10 funcref) (func (export \"run\") (param i32) (call_indirect \
  \(local.get 0))))"

-- | A module whose second segment does not fit, though the first has given a function away that
-- copies from the third, which has a number of elements.
afterwards :: Int -> ByteString
afterwards n =
  "(module (import \"owner\" \"t\" (table $t 10 funcref)) (table $own 1 funcref) (func $x) \
  \(func $copy (table.init $own $e (i32.const 0) (i32.const 0) (i32.const 1))) \
  \(elem (table $t) (i32.const 0) func $x $copy) (elem (table $t) (i32.const 100) func $x) \
  \(elem $e (table $own) (i32.const 0) func "
    <> times n "$x "
    <> "))"

-- | A module with a number of types, each another structure of seventeen fields.
different :: Int -> ByteString
different n =
  binary
    [ ( 1,
        vector
          [ "\x5F\x11" <> B.concat [if testBit k b then "\x7F\0" else "\x7E\0" | b <- [0 .. 16]]
            | k <- [0 .. n - 1]
          ]
      )
    ]

text :: ByteString -> ByteString
text body = "(module (func (export \"f\") " <> body <> "))"

-- | A module of types, after the first, and a number of functions with the same code, of
-- which the first is exported.
module_ :: [ByteString] -> Int -> ByteString -> ByteString
module_ types n code =
  binary
    [ (1, vector (function "" "" : types)),
      (3, vector (replicate n "\0")),
      (7, vector [exportF]),
      (10, vector (replicate n (sized ("\0" <> code <> "\x0B"))))
    ]

-- | A module with a global that a row of instructions after a first number makes.
globalOf :: ByteString -> ByteString
globalOf code = binary [(6, vector ["\x7F\0\x41\0" <> code <> "\x0B"])]

exportF :: ByteString
exportF = "\1f\0\0"

function :: ByteString -> ByteString -> ByteString
function params results = "\x60" <> sized params <> sized results

struct :: Int -> ByteString
struct n = "\x5F" <> leb n <> times n "\x7F\0"

times :: Int -> ByteString -> ByteString
times n = B.concat . replicate n

binary :: [(Int, ByteString)] -> ByteString
binary sections =
  "\0asm\1\0\0\0" <> B.concat [B.cons (fromIntegral k) (sized contents) | (k, contents) <- sections]

vector :: [ByteString] -> ByteString
vector items = leb (length items) <> B.concat items

sized :: ByteString -> ByteString
sized bytes = leb (B.length bytes) <> bytes

leb :: Int -> ByteString
leb n = BL.toStrict (BB.toLazyByteString (go n))
  where
    go k
      | k < 128 = BB.word8 (fromIntegral k)
      | otherwise = BB.word8 (fromIntegral (k `mod` 128) + 128) <> go (k `div` 128)
