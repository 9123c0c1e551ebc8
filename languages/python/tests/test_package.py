"""The package as a whole: its examples, its types, and the pages that show it."""

import doctest
import importlib
import importlib.util
import pathlib
import pkgutil
import random
import subprocess
import sys
import unittest

import tern
from tern.crc32c import of_python

ROOT = pathlib.Path(__file__).resolve().parents[1]


WANT = {"storage": ["pyarrow"], "spark": ["pyarrow", "pyspark", "pandas"]}
"""What modules ask for that the package itself does not."""


class Package(unittest.TestCase):
    def test_examples(self) -> None:
        tried = 0
        names = [one.name for one in pkgutil.iter_modules(tern.__path__) if one.name != "__main__"]
        absent = [name for name, wanted in WANT.items() if any(importlib.util.find_spec(one) is None for one in wanted)]
        for module in [tern, *(importlib.import_module("tern." + name) for name in names if name not in absent)]:
            result = doctest.testmod(module)
            self.assertEqual(result.failed, 0, module.__name__)
            tried += result.attempted
        self.assertGreater(tried, 20)
        page = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
        self.assertEqual(page.failed, 0)
        self.assertGreater(page.attempted, 5)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_types(self) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--cache-dir=/dev/null"], cwd=ROOT, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_names_are_there_when_they_are_asked_for(self) -> None:
        homes = {one.name for one in pkgutil.iter_modules(tern.__path__)}
        self.assertFalse(homes & set(tern.__all__), "a module would hide a name")
        self.assertEqual(sorted(name for names in tern._HOMES.values() for name in names), sorted(tern.__all__))
        for name in tern.__all__:
            self.assertIsNotNone(getattr(tern, name))
            self.assertIn(name, dir(tern))
        with self.assertRaises(AttributeError):
            tern.__getattr__("nothing")

    def test_nothing_is_imported_before_it_is_used(self) -> None:
        asked = "import sys, tern; print([one for one in sys.modules if one.startswith('tern.')])"
        done = subprocess.run([sys.executable, "-c", asked], cwd=ROOT / "src", capture_output=True, text=True)
        self.assertEqual(done.stdout, "[]\n", done.stderr)

    def test_the_checksum(self) -> None:
        def slowly(data: bytes) -> int:
            rest = 0xFFFFFFFF
            for byte in data:
                rest ^= byte
                for _ in range(8):
                    rest = rest >> 1 ^ (0x82F63B78 if rest & 1 else 0)
            return rest ^ 0xFFFFFFFF

        rng = random.Random(1)
        self.assertEqual(of_python(bytes(32)), 0x8A9136AA)
        self.assertEqual(of_python(b"\xff" * 32), 0x62A8AB43)
        for size in (0, 1, 3, 64, 4095, 4096, 4099, 5000):
            data = rng.randbytes(size)
            self.assertEqual(of_python(data), slowly(data), size)
            self.assertEqual(tern.crc32c.crc32c(data), slowly(data), size)
