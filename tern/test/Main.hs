module Main (main) where

import Tern.AheadTest qualified
import Tern.Codec.NamedTest qualified
import Tern.CodecTest qualified
import Tern.Container.DurabilityTest qualified
import Tern.Container.FileTest qualified
import Tern.Container.ModelTest qualified
import Tern.Container.SafetyTest qualified
import Tern.Container.SchemaTest qualified
import Tern.Container.SchemaTextTest qualified
import Tern.Container.StepOverTest qualified
import Tern.Container.VectorsTest qualified
import Tern.Derive.MissingTest qualified
import Tern.Derive.ModelTest qualified
import Tern.Derive.PartialTest qualified
import Tern.DeriveTest qualified
import Tern.Evolution.DeclaredTest qualified
import Tern.Evolution.SafetyTest qualified
import Tern.Evolution.StoryTest qualified
import Tern.Evolution.UpgradeTest qualified
import Tern.FuzzTest qualified
import Tern.HashMapTest qualified
import Tern.InstancesTest qualified
import Tern.InteropTest qualified
import Tern.Json.ModelTest qualified
import Tern.Json.SuiteTest qualified
import Tern.LimitsTest qualified
import Tern.MessagePack.ConversionTest qualified
import Tern.MessagePack.ModelTest qualified
import Tern.MessagePack.SafetyTest qualified
import Tern.MessagePack.SuiteTest qualified
import Tern.Native.ModelTest qualified
import Tern.Native.SafetyTest qualified
import Tern.Native.ViewsTest qualified
import Tern.PlatformTest qualified
import Tern.Prim.DecimalTest qualified
import Tern.Prim.DiskTest qualified
import Tern.Prim.EdgesTest qualified
import Tern.Prim.LiteralTest qualified
import Tern.ShapeTest qualified
import Tern.Stream.EncoderTest qualified
import Tern.Stream.HostileTest qualified
import Tern.Stream.PullTest qualified
import Tern.Stream.SuiteTest qualified
import Tern.StreamTest qualified
import Tern.Testkit.Tally (runSuite)
import Tern.UnknownFieldsTest qualified
import Test.Tasty (testGroup)

main :: IO ()
main =
  Tern.Container.DurabilityTest.orWriter . runSuite . testGroup "tern" $
    [ Tern.Derive.PartialTest.tests,
      Tern.DeriveTest.tests,
      Tern.HashMapTest.tests,
      Tern.AheadTest.tests,
      Tern.Json.ModelTest.tests,
      Tern.Derive.ModelTest.tests,
      Tern.Derive.MissingTest.tests,
      Tern.CodecTest.tests,
      Tern.Codec.NamedTest.tests,
      Tern.UnknownFieldsTest.tests,
      Tern.LimitsTest.tests,
      Tern.ShapeTest.tests,
      Tern.PlatformTest.tests,
      Tern.Prim.DiskTest.tests,
      Tern.Prim.EdgesTest.tests,
      Tern.Prim.DecimalTest.tests,
      Tern.Prim.LiteralTest.tests,
      Tern.Json.SuiteTest.tests,
      Tern.MessagePack.ModelTest.tests,
      Tern.InstancesTest.tests,
      Tern.InteropTest.tests,
      Tern.MessagePack.SafetyTest.tests,
      Tern.MessagePack.ConversionTest.tests,
      Tern.MessagePack.SuiteTest.tests,
      Tern.Native.ModelTest.tests,
      Tern.Native.SafetyTest.tests,
      Tern.Native.ViewsTest.tests,
      Tern.Container.ModelTest.tests,
      Tern.Container.SchemaTest.tests,
      Tern.Container.SchemaTextTest.tests,
      Tern.Container.SafetyTest.tests,
      Tern.Container.FileTest.tests,
      Tern.Container.StepOverTest.tests,
      Tern.Container.DurabilityTest.tests,
      Tern.Container.VectorsTest.tests,
      Tern.Evolution.StoryTest.tests,
      Tern.Evolution.UpgradeTest.tests,
      Tern.Evolution.DeclaredTest.tests,
      Tern.Evolution.SafetyTest.tests,
      Tern.StreamTest.tests,
      Tern.Stream.EncoderTest.tests,
      Tern.Stream.PullTest.tests,
      Tern.Stream.HostileTest.tests,
      Tern.Stream.SuiteTest.tests,
      Tern.FuzzTest.tests
    ]
