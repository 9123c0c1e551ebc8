{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Declared types as they were and as they are: in documents and in containers, by
-- generics and by Template Haskell, and what cannot be read.
module Tern.Evolution.DeclaredTest (tests) where

import Control.Monad (forM_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Int (Int16, Int32, Int8)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)
import System.IO (IOMode (..), withBinaryFile)
import System.IO.Temp (withSystemTempDirectory)
import Tern
import Tern.Container
  ( Finding (..),
    Mark (..),
    containerDecoder,
    containerHeader,
    decodeContainer,
    defaultBlocks,
    defaultBounds,
    defaultSettings,
    encodeContainer,
    foldContainer,
    foldParallel,
    partDecoder,
    renderFault,
    writeContainerFile,
  )
import Tern.Container qualified as Container
import Tern.Evolution
import Tern.Evolution.After qualified as After
import Tern.Evolution.Before qualified as Before
import Tern.Shape qualified as Shape
import Tern.Stream (chunkSize, chunksFrom)
import Tern.Wire (shapeOf)
import Test.Tasty hiding (after)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "evolution of declared types"
    [ testGroup
        "documents"
        [ testCase "of an older version" $
            read' @Before.Sighting @After.Sighting After.changes before @?= Right after,
          testCase "of a newer version, where the older one has all it needs" $
            read' @After.Outline @Before.Outline mempty (After.Circle (Just 3) 1.5)
              @?= Left
                "writer's $<Polygon>[*], reader's $<Polygon>[*]: integer 0..65535 does not hold \
                \every integer -9223372036854775808..9223372036854775807; writer's \
                \$<Circle>.radius, reader's $<Circle>.radius: float 32 does not hold every \
                \float 64",
          testCase "an older name that another field has is that field's" $
            read' @Before.Sighting @After.Sighting
              (After.changes <> evolving @After.Sighting [fieldAlias "observer" ["species"]])
              before
              @?= Right after,
          testCase "one constructor that became one of several" $
            read' @Before.Point @After.Point After.changes (Before.Plane 1 2)
              @?= Right (After.Plane 2 1),
          testCase "and the other way round" $
            read'
              @After.Point
              @Before.Point
              (evolving @Before.Point [soleConstructor "Plane"])
              (After.Plane 2 1)
              @?= Right (Before.Plane 1 2),
          testCase "another constructor is refused where it is met" $
            read'
              @After.Point
              @Before.Point
              (evolving @Before.Point [soleConstructor "Plane"])
              (After.Space 1 2 3)
              @?= Left "byte 0, at $: the constructor \"Space\" is not known; expected \"Plane\"",
          testCase "a newtype is put around, and taken away" $ do
            read' @Double @Before.Metres mempty 5 @?= Right (Before.Metres 5)
            read' @Before.Metres @Double mempty (Before.Metres 5) @?= Right 5
            read' @Before.Metres @(Maybe Double) mempty (Before.Metres 5) @?= Right (Just 5),
          testCase "other names are other types" $ do
            read' @Before.Metres @After.Feet mempty (Before.Metres 5)
              @?= Left
                "writer's $, reader's $: the type \"Metres\" is not \"Feet\"; if it was \
                \renamed, give the old name as an alias"
            read'
              @Before.Metres
              @After.Feet
              (evolving @After.Feet [typeAlias ["Metres"]])
              (Before.Metres 5)
              @?= Right (After.Feet 5),
          testCase "keys of maps stay in order" $
            read'
              @(Map (Word8, Text) Int8)
              @(Map (Int, Text) (Maybe Int))
              mempty
              (Map.fromList [((3, "a"), 1), ((200, "b"), -1)])
              @?= Right (Map.fromList [((3, "a"), Just 1), ((200, "b"), Just (-1))]),
          testCase "a list that must not be empty" $ do
            read' @[Int8] @(NonEmpty Int) mempty [1, 2] @?= Right (1 :| [2])
            read' @[Int8] @(NonEmpty Int) mempty []
              @?= Left "byte 0, at $: expected at least one element"
            let between a b = oldByNew (compatibility mempty a b)
                few = shapeOf @[Int8]
                some = shapeOf @(NonEmpty Int8)
            (renderVerdict (between few some), renderVerdict (between some few))
              @?= ( "readable, but for what is refused where it is met\n\
                    \  writer's $, reader's $: a list without elements is refused",
                    "the same bytes"
                  ),
          testCase "long lists, in chunks" $ forM_ [4095, 4096, 4097, 8192, 10000] $ \n -> do
            read' @[Word8] @[Int] mempty (map fromIntegral [1 .. n])
              @?= Right (map (`mod` 256) [1 .. n])
            read'
              @[(Text, Bool)]
              @[(Maybe Text, Bool)]
              mempty
              [(T.pack (show i), even i) | i <- [1 .. n]]
              @?= Right [(Just (T.pack (show i)), even i) | i <- [1 .. n]]
        ],
      testGroup "places" places,
      testGroup
        "containers"
        [ testCase "on disk, whole and in parts" $ withSystemTempDirectory "tern" $ \folder -> do
            let path = folder <> "/sightings"
                many = [before {Before.number = n} | n <- [1 .. 3000]]
                wanted = [after {After.count = Just n} | n <- [1 .. 3000]]
                settings = defaultSettings {Container.evolution = After.changes}
                collected source d =
                  fst <$> foldContainer (\found a -> pure (a : found)) [] source d
            writeContainerFile defaultBlocks path (forM_ many)
            found <-
              withBinaryFile
                path
                ReadMode
                ( \h ->
                    collected (chunksFrom chunkSize h) (containerDecoder settings)
                )
            reverse found @?= wanted
            beside <- withBinaryFile path ReadMode $ \h ->
              foldParallel
                2
                (\as finding -> pure (as <> elementsOf finding))
                []
                (chunksFrom chunkSize h)
                (containerDecoder settings)
            beside @?= wanted
            bytes <- B.readFile path
            Right header <- containerHeader defaultBounds path
            let part from to =
                  concatMap
                    elementsOf
                    ( decodeContainer
                        (partDecoder settings header (from, to))
                        (BL.fromStrict (B.drop from bytes))
                    )
                middle = B.length bytes `quot` 2
            part 0 middle <> part middle (B.length bytes) @?= wanted,
          testCase "a header that does not fit says why" $
            [ renderFault fault
              | Damaged fault <-
                  decodeContainer
                    (containerDecoder @After.Sighting defaultSettings)
                    (encodeContainer defaultBlocks (Mark 1) [before])
            ]
              @?= [ "element 0, block 0, byte 24: the file was written with schema \
                    \8dd6fa20cc536707, expected ea29b36eb92afe4e: writer's $.family, reader's \
                    \$.family: the type \"Tree\" is not \"Branch\"; if it was renamed, give the \
                    \old name as an alias; writer's $, reader's $.observer: the writer has no \
                    \field \"observer\", and no default is given for it"
                  ],
          testCase "an element that is refused costs no other" $ do
            let file =
                  encodeContainer
                    defaultBlocks
                    (Mark 1)
                    [ After.Plane
                        1
                        2,
                      After.Plane 3 4,
                      After.Space 1 2 3,
                      After.Plane 5 6
                    ]
                settings =
                  defaultSettings
                    { Container.evolution =
                        evolving @Before.Point [soleConstructor "Plane"]
                    }
                found = decodeContainer (containerDecoder @Before.Point settings) file
            concatMap elementsOf found @?= [Before.Plane 2 1, Before.Plane 4 3, Before.Plane 6 5]
            [renderFault fault | Damaged fault <- found]
              @?= [ "element 2, block 0, byte 102: at $, byte 34 of the contents: the \
                    \constructor \"Space\" is not known; expected \"Plane\""
                  ]
        ],
      testGroup "what does not fit" mismatches,
      testGroup "compatibility" verdicts
    ]

elementsOf :: Finding a -> [a]
elementsOf = \case
  Elements _ as -> as
  _ -> []

-- | What one type has written, as another.
read' :: forall a b. (Wire a, Wire b) => Evolution -> a -> Either Text b
read' evolution a = readBytes @a evolution (encodeNative a)

readBytes :: forall a b. (Wire a, Wire b) => Evolution -> ByteString -> Either Text b
readBytes evolution bytes = case decoderFor evolution (shapeOf @a) of
  Left problems -> Left (T.intercalate "; " (map renderMismatch problems))
  Right decode -> either (Left . renderBinaryError bytes) Right (decode defaultLimits bytes)

before :: Before.Sighting
before =
  Before.Sighting
    { Before.species = "Sterna paradisaea",
      Before.number = 300,
      Before.place = (59.5, -4.25),
      Before.colours = [Before.Red, Before.Grey, Before.Green],
      Before.outline = Just (Before.Circle 0.5),
      Before.family = Before.Node (Before.Node Before.Leaf (-3) Before.Leaf) 7 Before.Leaf,
      Before.seen = Map.fromList [("dawn", 3), ("dusk", 255)],
      Before.remark = "over the sea"
    }

after :: After.Sighting
after =
  After.Sighting
    { After.observer = "unknown",
      After.family = After.Node After.Leaf 1.5 7 (After.Node After.Leaf 1.5 (-3) After.Leaf),
      After.species = "Sterna paradisaea",
      After.seen = Map.fromList [("dawn", 3), ("dusk", 255)],
      After.count = Just 300,
      After.place = (59.5, -4.25),
      After.colours = [After.Crimson, After.Grey, After.Green],
      After.outline = Just (After.Circle Nothing 0.5),
      After.ring = Nothing
    }

-- | An error speaks of the writer's bytes, whoever finds it.
places :: [TestTree]
places =
  [ testCase "of bytes that are kept" $ do
      readBytes @(Int8, Text) @(Int, Text) mempty "\1\3a\255b"
        @?= Left "byte 3, at $[1]: these bytes are not UTF-8"
      readBytes @[(Text, Word8)] @[(Maybe Text, Word16)] mempty "\2\2ab\1\2a\255\1"
        @?= Left "byte 7, at $[1][0]: these bytes are not UTF-8",
    testCase "of bytes that change places" $
      readBytes @Before.Tree @After.Branch After.changes "\1\1\0\5\2\6\0"
        @?= Left "byte 4, at $.left.right: the type has no constructor 2, only 0 to 1",
    testCase "of numbers that the writer's type does not have" $
      readBytes @[Int16] @[Int] mempty "\1\1"
        @?= Left "byte 2, at $[0]: expected a value, found the end of the input",
    testCase "of numbers beyond the writer's type, which the reader's has" $
      readBytes @Int32 @Double mempty (encodeNative (2 ^ (40 :: Int) :: Int))
        @?= Left "byte 0, at $: the number does not fit integer -2147483648..2147483647",
    testCase "of what is too deep" $
      readBytes @Before.Tree @After.Branch After.changes (B.replicate 600 1)
        @?= Left
          "byte 512, at $.left.left.left.left.left.left \8230 .left.left.left.left: nested \
          \deeper than the 512 levels allowed (maxDepth)",
    testCase "of what follows" $
      readBytes @Int8 @Int mempty "\1\2"
        @?= Left "byte 1, at $: expected the end of the input, found 02",
    testCase "of lists that claim too much" $
      readBytes @[Int16] @[Int] mempty "\x90\x00\1"
        @?= Left "byte 0, at $: claims 4096 bytes or values, but only 1 bytes are left"
  ]

mismatches :: [TestTree]
mismatches =
  [ testCase "integers that no double has" $
      map
        (either length (const 0) . decoderFor @Double mempty)
        [shapeOf @Int32, shapeOf @Word32, shapeOf @Int, shapeOf @Word64]
        @?= [0, 0, 1, 1],
    testCase "a field without a default" $
      found mempty (shapeOf @Before.Tree) (shapeOf @After.Branch)
        @?= [ "writer's $, reader's $: the type \"Tree\" is not \"Branch\"; if it was renamed, \
              \give the old name as an alias"
            ],
    testCase "all of them are found" $
      found mempty (shapeOf @Before.Sighting) (shapeOf @After.Sighting)
        @?= [ "writer's $.family, reader's $.family: the type \"Tree\" is not \"Branch\"; if it \
              \was renamed, give the old name as an alias",
              "writer's $, reader's $.observer: the writer has no field \"observer\", and no \
              \default is given for it"
            ],
    testCase "a default of another shape" $
      found
        ( After.changes
            <> evolving @After.Sighting [fieldDefault "ring" 'a']
        )
        (shapeOf @Before.Sighting)
        (shapeOf @After.Sighting)
        @?= ["writer's $, reader's $.ring: the default of \"ring\" is character, expected text?"],
    testCase "names that the type does not have" $
      found
        ( evolving @After.Outline
            [ fieldDefault
                "radios"
                True,
              fieldAlias "centre" ["middle"],
              constructorAlias "Circus" []
            ]
        )
        (shapeOf @Before.Outline)
        (shapeOf @After.Outline)
        @?= [ "writer's $, reader's $: the evolution speaks of \"radios\", which \"Outline\" \
              \does not have",
              "writer's $, reader's $: the evolution speaks of \"Circus\", which \"Outline\" \
              \does not have"
            ],
    testCase "one constructor that nobody named" $
      found mempty (shapeOf @Before.Point) (shapeOf @After.Point)
        @?= [ "writer's $, reader's $: the type \"Point\" has one constructor on one side, whose \
              \name is not written; say which it was"
            ],
    testCase "numbers, texts, tuples" $
      found
        mempty
        (shapeOf @(Int, Text, Natural, (Int, Bool), [Char]))
        (shapeOf @(Word, Bool, Int, (Int, Bool, Bool), Char))
        @?= [ "writer's $[0], reader's $[0]: integer 0..18446744073709551615 does not hold \
              \every integer -9223372036854775808..9223372036854775807",
              "writer's $[1], reader's $[1]: text is not read as boolean",
              "writer's $[2], reader's $[2]: integer -9223372036854775808..9223372036854775807 \
              \does not hold every integer 0..",
              "writer's $[3], reader's $[3]: 2 values without names are not 3",
              "writer's $[4], reader's $[4]: text is not read as character"
            ],
    testCase "a field that may be absent, and one that may not" $
      found mempty (shapeOf @(Maybe Int)) (shapeOf @Int)
        @?= [ "writer's $, reader's $: integer -9223372036854775808..9223372036854775807? is not \
              \read as integer -9223372036854775808..9223372036854775807"
            ],
    testCase "no constructor in common" $
      found mempty (shapeOf @Before.Colour) (renamed "Colour" (shapeOf @Before.Outline))
        @?= [ "writer's $, reader's $: none of the constructors \"Red\", \"Green\", \"Grey\" is \
              \one of \"Circle\", \"Polygon\""
            ],
    testCase "keys that would lose their order" $
      found
        After.changes
        (Shape.Mapping (shapeOf @Before.Colour) Shape.Text)
        (Shape.Mapping (shapeOf @After.Colour) Shape.Text)
        @?= [ "writer's ${key}, reader's ${key}: in the key of a map no fields or constructors \
              \may be removed or change places"
            ],
    testCase "a codec by hand, beside which something changes" $
      found
        mempty
        (Shape.Tuple [Shape.Opaque "mine", shapeOf @Word8])
        (Shape.Tuple [Shape.Opaque "mine", shapeOf @Word16])
        @?= [ "writer's $[0], reader's $[0]: \"mine\" is read by a codec by hand, beside which \
              \nothing may change"
            ],
    testCase "a codec by hand, beside which nothing changes" $
      oldByNew
        ( compatibility
            mempty
            (Shape.Tuple [Shape.Opaque "mine", shapeOf @Word32])
            (Shape.Tuple [Shape.Opaque "mine", shapeOf @Word64])
        )
        @?= Identical,
    testCase "schemas of types that have no values" $ do
      let ref = Shape.Reference "M" "Endless" []
          of' = Shape.Declared ref . Shape.Bare Shape.anyOthers . Shape.Array
          endless = of' [endless, Shape.Text]
          ended = of' [Shape.Text, Shape.Text]
      found mempty endless endless
        @?= ["writer's $, reader's $: \"Endless\" is no type of the native format's"]
      found mempty (Shape.Tuple []) (Shape.Tuple [])
        @?= ["writer's $, reader's $: \"()\" is no type of the native format's"]
      found mempty (Shape.Floating 0) (Shape.Floating 0)
        @?= ["writer's $, reader's $: \"float 0\" is no type of the native format's"]
      found
        mempty
        (Shape.Tuple [ended, Shape.List 0 (Shape.Tuple [])])
        (Shape.Tuple [ended, Shape.Text])
        @?= ["writer's $[1], reader's $[1]: [()] is not read as text"]
  ]
  where
    found evolution old new = case oldByNew (compatibility evolution old new) of
      Unreadable problems -> map renderMismatch problems
      other -> [renderVerdict other]
    renamed name = \case
      Shape.Declared (Shape.Reference home _ arguments) definition ->
        Shape.Declared (Shape.Reference home name arguments) definition
      other -> other

verdicts :: [TestTree]
verdicts =
  [ testCase "of the same type" $
      compatibility mempty (shapeOf @Before.Sighting) (shapeOf @Before.Sighting)
        @?= Compatibility Identical Identical,
    testCase "of the same bytes" $
      compatibility mempty (shapeOf @Word32) (shapeOf @Word64)
        @?= Compatibility
          Identical
          ( Unreadable
              [ Mismatch
                  []
                  []
                  ( Narrower
                      "integer 0..18446744073709551615"
                      "integer 0..4294967295"
                  )
              ]
          ),
    testCase "of an older and a newer version" $
      renderCompatibility
        ( compatibility
            After.changes
            (shapeOf @Before.Sighting)
            (shapeOf @After.Sighting)
        )
        @?= "old documents, new reader: readable\nnew documents, old reader: not readable\n  \
            \writer's $.family, reader's $.family: the type \"Branch\" is not \"Tree\"; if it \
            \was renamed, give the old name as an alias\n  writer's $.seen{value}, reader's \
            \$.seen{value}: integer 0..255 does not hold every integer \
            \-9223372036854775808..9223372036854775807\n  writer's $.place[0], reader's \
            \$.place[0]: float 32 does not hold every float 64\n  writer's $.place[1], reader's \
            \$.place[1]: float 32 does not hold every float 64\n  writer's \
            \$.outline<Polygon>[*], reader's $.outline<Polygon>[*]: integer 0..65535 does not \
            \hold every integer -9223372036854775808..9223372036854775807\n  writer's \
            \$.outline<Circle>.radius, reader's $.outline<Circle>.radius: float 32 does not \
            \hold every float 64\n  writer's $, reader's $.number: the writer has no field \
            \\"number\", and no default is given for it\n  writer's $, reader's $.remark: the \
            \writer has no field \"remark\", and no default is given for it",
    testCase "of what may be met" $
      renderCompatibility
        ( compatibility
            After.changes
            (shapeOf @Before.Colour)
            (shapeOf @After.Colour)
        )
        @?= "old documents, new reader: readable\nnew documents, old reader: readable, but for \
            \what is refused where it is met\n  writer's $, reader's $: the constructor \
            \\"Crimson\" is not known\n  writer's $, reader's $: the constructor \"Yellow\" is \
            \not known"
  ]
