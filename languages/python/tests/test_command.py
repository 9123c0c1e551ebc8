"""python -m tern, and files that are written whole or not at all."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from tern import ContainerError, appending, parse, read, writing

SOURCE = str(pathlib.Path(__file__).resolve().parents[1] / "src")
SCHEMA = parse('Bird\nBird = {"species": text, "seen": integer 0..1000000}')


def birds(count, start=0):
    return [{"species": "tern", "seen": n} for n in range(start, start + count)]


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "birds.tern"
        with writing(self.path, SCHEMA, block_bytes=200) as writer:
            writer.put_all(birds(1000))

    def tern(self, *arguments, stdin=None):
        return subprocess.run(
            [sys.executable, "-m", "tern", *map(str, arguments)],
            capture_output=True,
            input=stdin,
            env={**os.environ, "PYTHONPATH": SOURCE},
            timeout=120,
        )

    def test_head(self) -> None:
        shown = self.tern("head", "-n", 2, self.path)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertEqual(shown.stdout, b'{"species":"tern","seen":0}\n{"species":"tern","seen":1}\n')
        self.assertEqual(self.tern("head", self.path).stdout.count(b"\n"), 10)

    def test_cat(self) -> None:
        shown = self.tern("cat", self.path)
        self.assertEqual((shown.returncode, shown.stdout.count(b"\n")), (0, 1000))
        again = self.tern("cat", "-", stdin=self.path.read_bytes())
        self.assertEqual(again.stdout, shown.stdout)
        size = self.path.stat().st_size
        halves = [self.tern("cat", "--part", part, self.path).stdout for part in (f"0:{size // 2}", f"{size // 2}:{size}")]
        self.assertEqual(b"".join(halves), shown.stdout)
        self.assertTrue(all(halves))

    def test_schema(self) -> None:
        self.assertEqual(self.tern("schema", self.path).stdout.decode(), SCHEMA.text + "\n")
        self.assertEqual(
            self.tern("schema", "--fingerprint", self.path).stdout.decode(), f"{SCHEMA.fingerprint:016x}\n"
        )

    def test_help(self) -> None:
        for arguments in (["--help"], ["head", "--help"], ["cat", "--help"], ["schema", "--help"]):
            shown = self.tern(*arguments)
            self.assertEqual(shown.returncode, 0)
            self.assertIn(b"usage: python -m tern", shown.stdout)

    def test_a_command_line_that_makes_no_sense(self) -> None:
        for arguments in ([], ["frob"], ["head"], ["head", "-n", "x", self.path], ["cat", "--part", "9", self.path]):
            shown = self.tern(*arguments)
            self.assertEqual(shown.returncode, 2, shown)
            self.assertNotIn(b"Traceback", shown.stderr)

    def test_files_that_are_none(self) -> None:
        other = self.folder / "other"
        other.write_bytes(b"hello")
        for path in (other, self.folder / "missing", self.folder):
            for verb in ("head", "cat", "schema"):
                shown = self.tern(verb, path)
                self.assertEqual(shown.returncode, 1)
                self.assertEqual(shown.stderr.count(b"\n"), 1, shown.stderr)
                self.assertTrue(shown.stderr.startswith(b"tern: "))

    def test_damage_is_told_and_the_rest_shown(self) -> None:
        data = bytearray(self.path.read_bytes())
        data[700] ^= 1
        self.path.write_bytes(data)
        shown = self.tern("cat", self.path)
        self.assertEqual(shown.returncode, 1)
        self.assertIn(b"lost: bytes", shown.stderr)
        lost = int(shown.stderr.split(b" elements")[0].split()[-1])
        self.assertEqual(shown.stdout.count(b"\n"), 1000 - lost)

    def test_a_reader_who_has_seen_enough(self) -> None:
        done = subprocess.run(
            f"{sys.executable} -m tern cat {self.path} | head -n 1",
            shell=True,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": SOURCE},
            timeout=120,
        )
        self.assertEqual((done.stdout.count(b"\n"), done.stderr), (1, b""))

    def test_a_writer_that_fails_leaves_what_was_there(self) -> None:
        before = self.path.read_bytes()
        for how in (writing, appending):
            with self.assertRaises(ZeroDivisionError), how(self.path, SCHEMA, block_bytes=10) as writer:
                writer.put_all(birds(50))
                raise ZeroDivisionError
            self.assertEqual(self.path.read_bytes(), before)
            self.assertEqual(os.listdir(self.folder), ["birds.tern"])

    def test_appending(self) -> None:
        with appending(self.path, SCHEMA) as writer:
            self.assertEqual(writer.elements, 1000)
            writer.put_all(birds(500, 1000))
        self.assertEqual(list(read(self.path)), birds(1500))
        with self.assertRaises(ContainerError), appending(self.path, parse("text")):
            pass

    def test_appending_to_a_file_that_was_cut_off(self) -> None:
        whole = self.path.read_bytes()
        self.path.write_bytes(whole[:-100])
        with self.assertRaises(ContainerError), appending(self.path, SCHEMA):
            pass
        self.assertEqual(self.path.read_bytes(), whole[:-100])
        with appending(self.path, SCHEMA, repair=True) as writer:
            kept = writer.elements
            writer.put_all(birds(3))
        self.assertEqual(list(read(self.path)), birds(kept) + birds(3))

    def test_appending_takes_nothing_away_that_whole_blocks_follow(self) -> None:
        data = bytearray(self.path.read_bytes())
        data[300] ^= 1
        self.path.write_bytes(data)
        before = self.path.read_bytes()
        at = before.find(b"\x00\x00\x00", 200)
        del at
        head = bytearray(before)
        second = head.find(head[16:24], 200)
        head[second + 20] ^= 1
        self.path.write_bytes(head)
        with self.assertRaises(ContainerError), appending(self.path, SCHEMA, repair=True):
            pass
        self.assertEqual(self.path.read_bytes(), bytes(head))

    def test_a_second_writer_is_refused(self) -> None:
        with appending(self.path, SCHEMA) as writer:
            writer.put_all(birds(1))
            with self.assertRaises(ContainerError), appending(self.path, SCHEMA):
                pass
        with writing(self.path, SCHEMA), self.assertRaises(ContainerError), writing(self.path, SCHEMA):
            pass
